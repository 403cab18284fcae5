"""From bytes to text, whatever wrote them."""

import codecs
import re
from typing import NamedTuple

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_GUESSES = ["gb18030", "cp932", "euc_jp", "big5", "euc_kr", "cp1251", "koi8_r", "cp1252"]
_HIGH = re.compile(rb"[\x80-\xff]+")
_LOOKED_AT = 65_536
_TYPICAL = {
    "gb18030": re.compile(r"[\u4e00-\u9fff\u3000-\u303f\uff00-\uff65]"),
    "cp932": re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\u3000-\u303f\uff00-\uff65]"),
    "euc_jp": re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\u3000-\u303f]"),
    "big5": re.compile(r"[\u4e00-\u9fff\u3000-\u303f]"),
    "euc_kr": re.compile(r"[\uac00-\ud7a3]"),
    "cp1251": re.compile(r"[\u0410-\u044f\u0401\u0451]"),
    "koi8_r": re.compile(r"[\u0410-\u044f\u0401\u0451]"),
}


class Decoded(NamedTuple):
    """Text, and what was assumed to get it."""

    text: str
    encoding: str


def decode(raw: bytes) -> Decoded | None:
    """The text of `raw` with `\\n` line ends, None when it is none (binary). Never raises."""
    found = _decode(raw)
    if found is None:
        return None
    return Decoded(found.text.replace("\r\n", "\n").replace("\r", "\n"), found.encoding)


def _decode(raw: bytes) -> Decoded | None:
    for mark, name in _MARKS:
        if raw.startswith(mark):
            return _strict(raw, name) or Decoded(raw.decode(name, "replace"), f"{name}, damaged")
    head = raw[:_LOOKED_AT]
    if b"\x00" in head:
        return _wide(raw)
    if _is_binary(head):
        return None
    return _strict(raw, "utf-8") or _guess(raw)


def _wide(raw: bytes) -> Decoded | None:
    """UTF-16 without a mark: every other byte of plain characters is zero."""
    head = raw[:2000]
    for offset, name in ((1, "utf-16-le"), (0, "utf-16-be")):
        zeros = head[offset::2].count(0)
        if zeros * 10 > len(head[offset::2]) * 4 and head[1 - offset :: 2].count(0) * 20 < len(head):
            return _strict(raw, name)
    return None


def _is_binary(head: bytes) -> bool:
    control = sum(head.count(c) for c in (*range(1, 9), *range(14, 27), *range(28, 32)))
    return control * 50 > len(head)


def _guess(raw: bytes) -> Decoded:
    """No UTF-8: single high bytes among plain text are signs and accents (cp1252); longer runs are another script."""
    runs = _HIGH.findall(raw[:_LOOKED_AT])
    if sum(map(len, runs)) < 1.5 * len(runs):
        return _strict(raw, "cp1252") or Decoded(raw.decode("latin-1"), "latin-1")
    scored = []
    for order, name in enumerate(_GUESSES):
        found = _strict(raw, name)
        if found is not None:
            scored.append((-_likeness(found.text[:_LOOKED_AT], name), order, found))
    if scored and min(scored)[0] < 0:
        return min(scored)[2]
    from charset_normalizer import from_bytes

    best = from_bytes(raw[:_LOOKED_AT], cp_isolation=_GUESSES).best()
    name = best.encoding if best is not None else "latin-1"
    return Decoded(raw.decode(name, "replace"), name)


def _likeness(text: str, encoding: str) -> float:
    """How much of what is not ASCII is what this encoding is used for; characters of two bytes that make words count more
    than lone ones, and text in which capitals and small letters alternate is a misreading."""
    typical = _TYPICAL.get(encoding)
    others = [c for c in text if not c.isascii()]
    if typical is None or not others:
        return 0.0
    share = sum(1 for c in others if typical.match(c)) / len(others)
    if (
        encoding == "gb18030"
    ):  # every pair of bytes is something there: common characters are at the front of the standard
        return share * sum(1 for c in others if _first_level(c)) / len(others)
    if encoding in ("cp932", "euc_jp"):
        kana = sum(1 for c in others if "\u3040" <= c <= "\u30ff") / len(others)
        return share * (0.55 + kana)
    if encoding in ("cp1251", "koi8_r"):
        words = re.findall(r"[\u0400-\u04ff]+", text)
        sound = sum(len(w) for w in words if w.islower() or w.istitle() or w.isupper())
        small = sum(1 for c in others if c.islower()) / len(others)
        return share * sound / len(others) * (0.4 + 0.6 * small)
    return share * 0.7


def _first_level(c: str) -> bool:
    try:
        raw = c.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return len(raw) == 2 and (0xB0 <= raw[0] <= 0xD7 or 0xA1 <= raw[0] <= 0xA3)


def _strict(raw: bytes, encoding: str) -> Decoded | None:
    try:
        return Decoded(raw.decode(encoding), encoding)
    except (UnicodeDecodeError, UnicodeError):
        return None
