r"""What a report has no reason to do: run a command, read or write outside of its folder, write TeX code.

This is a reading of the text, which catcodes and `\csname` get around; the sandbox is the boundary. It is here because a document
that tries must not count as a good one, also when TeX refused in silence.
"""

import re
from collections.abc import Iterator

from agent.records import TexError
from agent.tex.source import line_of, mask

_COMMANDS = re.compile(
    r"\\(write\s*18|ShellEscape|directlua|latelua|luaexec|luadirect|special\s*\{\s*(?:dvipdfmx?|pdf|x):?\s*(?:f?stream|code))(?![A-Za-z])"
)
_READS = re.compile(
    r"\\(input|include|InputIfFileExists|verbatiminput|VerbatimInput|lstinputlisting|includepdf|bibliography|"
    r"addbibresource|import|subfile|openin|openout|newwrite|pgfplotstableread|csvreader|csvautotabular|DTLloaddb)(?![A-Za-z])"
    r"\s*\*?(?:\s*\\?[A-Za-z0-9@]+\s*=?)?\s*(?:\[[^\]\n]*\]\s*)*(?:\{\s*)?(?P<name>\"?\|?[^\s{}\[\]\\]+)"
)
_CODE_FILE = re.compile(r"\\begin\s*\{filecontents\*?\}\s*(?:\[[^\]]*\])?\s*\{([^{}]+)\}")
_DATA_SUFFIX = (".csv", ".tsv", ".dat", ".txt", ".bib", ".json")


def forbidden(tex: str) -> Iterator[TexError]:
    """Every such attempt, with its line; not `fatal`, because TeX may let it pass."""
    masked = mask(tex)
    for found in _COMMANDS.finditer(masked):
        said = f"\\{found[1]} runs code, which a report must not"
        yield _refused("forbidden-command", said, tex, found.start(), f"\\{found[1]}")
    for found in _READS.finditer(masked):
        name = found["name"].strip('"')
        if reason := _outside(name):
            said = f"\\{found[1]} of {name}: {reason}"
            yield _refused("forbidden-path", said, tex, found.start(), name)
    for found in _CODE_FILE.finditer(masked):
        name = found[1].strip()
        if not name.lower().endswith(_DATA_SUFFIX) or _outside(name):
            yield _refused(
                "forbidden-write", f"filecontents writes {name}, which is no data file", tex, found.start(), name
            )


def _outside(name: str) -> str:
    if name.startswith("|"):
        return "a command, no file"
    if name.startswith(("/", "~")) or re.match(r"^[A-Za-z]:[\\/]", name):
        return "an absolute path"
    parts = name.split("/")
    if ".." in parts:
        return "a path that leads out of the report's folder"
    if any(part.startswith(".") and part not in (".", "..") for part in parts):
        return "a hidden file"
    return ""


def _refused(kind: str, said: str, tex: str, offset: int, token: str) -> TexError:
    return TexError(kind=kind, message=said, line=line_of(tex, offset), token=token, fatal=False)
