# Sourced by scripts/audit and scripts/test: a virtual environment from the lock files, made once and kept up to date.
# Python is started with -P: the current folder may be one that nobody trusts, and no module may come from there.
# All talk goes to stderr, so that the standard output of the command stays its result.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
environment=${HARNESS_VENV:-$repository/.venv}

say() { printf '%s\n' "$*" >&2; }

# need COMMAND PACKAGE...: install Debian packages when COMMAND is missing and we may, else say exactly what to do.
need() {
  local command=$1
  shift
  command -v "$command" >/dev/null 2>&1 && return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    say "installing $* ..."
    apt-get update -qq >&2 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
    command -v "$command" >/dev/null 2>&1 && return 0
  fi
  say "$command is missing. Install it, for instance: sudo apt-get install $*"
  return 1
}

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
  if ! "$environment/bin/python" -c '' 2>/dev/null; then
    if ! python=$(find_python); then
      need python3-with-venv python3 python3-venv >/dev/null 2>&1
      if ! python=$(find_python); then
        say "Python 3.11 or newer with venv is missing. Install it, for instance: sudo apt-get install python3 python3-venv"
        return 1
      fi
    fi
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
  [ -x "$environment/bin/harness" ] && return 0
  printf '#!/bin/sh\nexec "%s/bin/python" -P -m harness.cli.main "$@"\n' "$environment" >"$environment/bin/harness" &&
    chmod +x "$environment/bin/harness"
}
