"""Sets a git hook that asks the gate, in front of nothing and behind whatever was there before.

The hook that was there is renamed, runs first with the same arguments and input, and its refusal is final. Taking ours out
renames it back: not a byte of it, nor its mode, is ever touched.
"""

import os
import shlex
import sys
from pathlib import Path

import harness
from harness.errors import UsageError
from harness.files import displayable, sha256, write_atomic
from harness.repo.hooks import hooks_folder

BEFORE = ".before-harness"
"""Added to the name of the hook that was there."""
_MARK = "# set by: harness gate --install; take it out with: harness gate --uninstall"
_BODY = """\
input=
[ -t 0 ] || input=$(cat; printf x)
before="$(dirname "$0")/{name}{before}"
if [ -x "$before" ]; then
    printf %s "${{input%x}}" | "$before" "$@" || exit $?
fi
gate() {{
    {command} gate "$@" || exit $?
}}
"""
_PUSH = """\
printf %s "${input%x}" | {
    while read -r local_ref local_sha remote_ref remote_sha; do
        case $local_sha in *[!0]*) ;; *) continue ;; esac
        case $remote_sha in
            *[!0]*) if git cat-file -e "$remote_sha^{commit}" 2>/dev/null
                    then gate --head "$local_sha" --base "$remote_sha" </dev/null
                    else gate --head "$local_sha" </dev/null
                    fi ;;
            *) gate --head "$local_sha" </dev/null ;;
        esac
    done
}
"""
_COMMIT = """\
gate --staged </dev/null
"""


def script(name: str) -> str:
    """The hook. It starts the harness that made it, whatever the folder and the environment it is called in."""
    root = Path(harness.__file__).resolve().parent.parent
    start = f"import sys; sys.path.insert(0, {str(root)!r}); from harness.__main__ import main; sys.exit(main())"
    command = f"{shlex.quote(sys.executable)} -I -c {shlex.quote(start)}"
    body = _BODY.format(name=name, before=BEFORE, command=command) + (_PUSH if name == "pre-push" else _COMMIT)
    return f"#!/bin/sh\n{_MARK}\n# {sha256(body)}\n{body}"


def install(folder: Path, name: str) -> str:
    """Set the hook; what to tell the user. Raises UsageError where it cannot be set."""
    hooks = hooks_folder(folder)
    at, before = hooks.path / name, hooks.path / (name + BEFORE)
    if _ours(at):
        raise UsageError(f"the {name} hook is set already", hint="harness gate --uninstall takes it out.")
    if os.path.lexists(before):
        raise UsageError(
            f"{_shown(before)} is in the way", hint="It is left of an earlier hook: look at it and move it."
        )
    chained = os.path.lexists(at)
    try:
        hooks.path.mkdir(parents=True, exist_ok=True)
        if chained:
            at.rename(before)
        try:
            write_atomic(at, script(name), mode=0o755)
        except OSError:
            if chained:
                before.rename(at)
            raise
    except OSError as error:
        raise UsageError(f"the hook cannot be set in {_shown(hooks.path)}: {error.strerror or error}") from error
    return f"set {_shown(at)}" + (", after the hook that was there" if chained else "")


def uninstall(folder: Path, name: str) -> str:
    """Take the hook out; what to tell the user. Raises UsageError where it is not ours as we set it."""
    hooks = hooks_folder(folder)
    at, before = hooks.path / name, hooks.path / (name + BEFORE)
    if not _ours(at):
        what = "was changed since" if at.is_file() and _MARK in _read(at) else "is not set by harness"
        raise UsageError(f"the {name} hook {what}", hint=f"Look at {_shown(at)} and change it by hand.")
    try:
        if os.path.lexists(before):
            before.replace(at)
            return f"put the hook back that was there: {_shown(at)}"
        at.unlink()
    except OSError as error:
        raise UsageError(f"the hook cannot be taken out: {error.strerror or error}") from error
    return f"took {_shown(at)} out"


def _ours(at: Path) -> bool:
    """A regular file as some version of ours wrote it: its own hash stands in its third line."""
    if at.is_symlink() or not at.is_file():
        return False
    first, _, rest = _read(at).partition(_MARK + "\n")
    line, _, body = rest.partition("\n")
    return first == "#!/bin/sh\n" and line == f"# {sha256(body)}"


def _read(at: Path) -> str:
    return at.read_bytes().decode("utf-8", "replace")


def _shown(path: Path) -> str:
    return displayable(str(path), keep="")
