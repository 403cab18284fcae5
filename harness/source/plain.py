"""Text as whoever reads it understands it: escapes and entities decoded, what is invisible taken out, look-alikes made one.

A model reads through all of these, so a search for words must too. The form is for comparing and is shown to nobody.
"""

import base64
import binascii
import html
import re
import unicodedata

_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\u\{([0-9a-fA-F]{1,6})\}|\\U([0-9a-fA-F]{8})|\\x([0-9a-fA-F]{2})")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,4000}={0,2}")
_LOOK_ALIKE = str.maketrans(
    "аеорсухкмтвнігєјѕԁԛԝһӏьαβεικνορτυχϲϳͻաոսօցհɑɡıȷʋⅼꞵаᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢ",
    "aeopcyxkmtbhirejsdqwhlbabeikvoptuxcjcwnuoghagijvlbaacdejkmoptuvwz",
)
"""Letters of other alphabets that are drawn like a Latin one. Text in these alphabets is folded as well, and so are the
phrases it is compared with."""


def plain(text: str) -> str:
    """One line in its comparable form, lower case. Not for text of more than one line."""
    if "\\" in text:
        text = _ESCAPE.sub(_unescaped, text)
    if "&" in text:
        text = html.unescape(text)
    if len(text) >= 24:
        text = _BASE64.sub(_decoded, text)
    if not text.isascii():
        text = "".join(_visible(c) for c in text)
        text = unicodedata.normalize("NFKD", text)
        text = "".join(c for c in text if unicodedata.category(c) not in ("Mn", "Cf", "Co") and c != "\u0640")
        return text.casefold().translate(_LOOK_ALIKE)
    return text.lower()


def _visible(c: str) -> str:
    """A tag character as the ASCII character that it stands for."""
    return chr(ord(c) - 0xE0000) if 0xE0020 <= ord(c) <= 0xE007E else c


def _unescaped(match: re.Match[str]) -> str:
    number = int(next(group for group in match.groups() if group), 16)
    return chr(number) if 0x20 <= number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else " "


def _decoded(match: re.Match[str]) -> str:
    """The text that was hidden in Base64, behind what hides it; anything else as it is."""
    raw = match.group().rstrip("=")
    try:
        text = base64.b64decode(raw + "=" * (-len(raw) % 4)).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return match.group()
    return f"{match.group()} {text}" if text.isprintable() and " " in text else match.group()
