# Sourced by scripts/audit, scripts/gate and scripts/test: what they use of the system, and a virtual environment from the lock files, made
# once and kept up to date.
# Python is started with -P: the current folder may be one that nobody trusts, and no module may come from there.
# All talk goes to stderr, so that the standard output of the command stays its result.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
environment=${HARNESS_VENV:-$repository/.venv}

say() { printf '%s\n' "$*" >&2; }

# Everything the scripts use of the system, in one place: command or library|Debian packages|what happens without it.
# Where the last part is empty nothing can be done without it.
for_audit=(
  "python|python3 python3-venv|"
  "git|git|folders are audited as they are, without their history"
)
for_gate=(
  "python|python3 python3-venv|"
  "git|git|"
  "bwrap|bubblewrap|the bubblewrap of the Python package is used"
)
for_test=(
  "python|python3 python3-venv|"
  "git|git|"
  "bwrap|bubblewrap|the bubblewrap of the Python package is used"
  "chromium|chromium|tests of the HTML report are skipped"
  "xelatex|texlive-xetex lmodern texlive-lang-chinese texlive-science texlive-fonts-recommended|tests that compile a report are skipped"
  "libGL.so.1|libgl1 libglib2.0-0|tests that read text in pictures are skipped"
  "libgomp.so.1|libgomp1|tests with a real model server are skipped"
)

# provide ENTRY...: install what is missing when we may, else say exactly what to do. False when it cannot be done without.
provide() {
  local entry command packages without updated= missing= status=0
  for entry in "$@"; do
    IFS='|' read -r command packages without <<<"$entry"
    present "$command" && continue
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
      say "installing $packages ..."
      [ -n "$updated" ] || apt update
      updated=yes
      # shellcheck disable=SC2086  # several packages in one word
      apt install --no-install-recommends $packages
      present "$command" && continue
    fi
    missing="$missing $packages"
    if [ "$command" = python ]; then command="Python 3.11 or newer with venv"; fi
    say "$command is missing${without:+: $without}"
    [ -n "$without" ] || status=1
  done
  [ -z "$missing" ] || say "Install what is missing, for instance: sudo apt-get install$missing"
  return $status
}

# Waits for another apt; PATH as a login of root has it, since `su` and containers may leave out what dpkg calls.
apt() {
  local action=$1
  shift
  PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive \
    apt-get "$action" -y -qq -o DPkg::Lock::Timeout=300 "$@" >&2
}

present() {
  case $1 in
    python) made || find_python >/dev/null ;;
    *.so*) [[ $(PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null) == *"$1"* ]] ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
  esac
}

# Whether the environment is there and whole: one that was interrupted while it was made has no pip.
made() { "$environment/bin/python" -P -c 'import pip' >/dev/null 2>&1; }

# Prints the first Python >= 3.11 on the PATH.
find_python() {
  local candidate
  for candidate in ${HARNESS_PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
    if "$candidate" -P -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}

# locked FILE: bring the environment to the state of a lock file; does nothing when it is there already.
locked() {
  local lock=$repository/requirements/$1.txt stamp=$environment/.locked-$1 digest python
  digest=$(cksum <"$lock")
  if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$digest" ] && "$environment/bin/python" -c '' 2>/dev/null; then
    launcher
    return 0
  fi
  if ! made; then
    python=$(find_python) || return 1
    say "making $environment ..."
    rm -rf "$environment"
    "$python" -P -m venv "$environment" >&2 || return 1
  fi
  say "installing the locked packages ($1) ..."
  "$environment/bin/python" -P -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$lock" >&2 || {
    say "The packages could not be installed; the message of pip is above. Run the command again to continue."
    return 1
  }
  # The checkout itself goes on the path; nothing is built.
  printf '%s\n' "$repository" >"$("$environment/bin/python" -P -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/harness-checkout.pth"
  launcher
  printf '%s\n' "$digest" >"$stamp"
}

# The command `harness` in the environment, as an installed package would have it.
launcher() {
  local at=$environment/bin/harness text
  text=$(printf '#!/bin/sh\nexec "%s/bin/python" -P -m harness "$@"' "$environment")
  [ -x "$at" ] && [ "$(cat "$at")" = "$text" ] && return 0
  printf '%s\n' "$text" >"$at" && chmod +x "$at"
}
