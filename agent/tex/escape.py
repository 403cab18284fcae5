"""Plain text as LaTeX: nothing in it is a command, and every character it has a glyph or a command for is printed."""

import re
from urllib.parse import quote

from agent.tex.characters import IN_TEXT_FONT, INVISIBLE, MATH, SPACES, SUBSCRIPT, SUPERSCRIPT, in_text
from harness.files import displayable

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "`": r"\textasciigrave{}", '"': r"\textquotedbl{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip
_LIGATURE = re.compile(r"(?<=-)(?=-)|(?<=,)(?=,)|(?<=')(?=')|(?<=[?!])(?=\\textasciigrave)")
_COMMANDED = (MATH.keys() - IN_TEXT_FONT) | SUPERSCRIPT.keys() | SUBSCRIPT.keys()
_RUN = re.compile("[" + "".join(map(re.escape, sorted(_COMMANDED | INVISIBLE.keys() | SPACES.keys()))) + "]+")
_URL_SAFE = "!$&'()*+,;=:@/?-._~[]#%"


def escape(text: str) -> str:
    """`text` as LaTeX that prints it. Line breaks stay, so blank lines still end paragraphs; control characters and what could
    deceive a reader are printed as escapes. Characters of other scripts come back as they are: `agent.tex.fonts` is for them."""
    shown = displayable(text, keep="\n\t" + "".join(SPACES) + "".join(INVISIBLE))
    escaped = "".join(_SPECIAL.get(c, c) for c in shown)
    return _LIGATURE.sub("{}", _RUN.sub(lambda m: in_text(m[0]), escaped))


def escape_line(text: str) -> str:
    r"""`escape`, all white space made single blanks: for captions, titles and cells, where a paragraph's end is an error."""
    return escape(" ".join(text.split()))


def url(address: str) -> str:
    r"""`\url{...}` of an address, safe inside other arguments: what is no URL character is percent-encoded."""
    safe = quote("".join(address.split()), safe=_URL_SAFE)
    return r"\url{" + re.sub(r"([%#&])", r"\\\1", safe) + "}"
