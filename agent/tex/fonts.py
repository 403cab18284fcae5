"""Which fonts a text needs, chosen by what the fonts on this machine cover, not by their names.

Asks fontconfig (`fc-list`) for the machine's fonts and the TeX tree for Fandol, which fontconfig need not know. Nothing here runs
in the sandbox: the fonts are the machine's own.
"""

import re
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from fontTools.ttLib import TTFont, TTLibError

from agent.tex.source import body, mask, packages
from agent.tex.tree import program

_CJK = re.compile(
    r"[\u1100-\u11ff\u2e80-\u303f\u3040-\u30ff\u3130-\u318f\u31c0-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
_BEYOND_LATIN = re.compile(r"[\u0370-\u1cff]")
_CJK_CLASSES = re.compile(r"\\documentclass\s*(?:\[[^\]]*\])?\s*\{(?:ctex(?:art|rep|book|beamer)|xeCJK)\}")
_PREFERRED = (
    "FandolSong",
    "Noto Serif CJK",
    "Source Han Serif",
    "Noto Sans CJK",
    "WenQuanYi",
    "AR PL",
    "DejaVu Serif",
    "DejaVu Sans",
)
_TEX_FONTS = ("FandolSong-Regular.otf",)


class Font(NamedTuple):
    """A font that can be named in a document."""

    name: str
    """Family, or file name when fontconfig does not know it."""
    path: str
    """Its file."""


def cjk(text: str) -> frozenset[str]:
    """The Chinese, Japanese and Korean characters of a text, their punctuation included."""
    return frozenset(_CJK.findall(text))


def choose(characters: frozenset[str]) -> Font | None:
    """A font that has all of them, known good ones first; when none has all, the one with the most; None when none has any."""
    if not characters:
        return None
    best: tuple[int, Font | None] = (0, None)
    first = "DejaVu" if not any(map(_CJK.match, characters)) else ""
    for font in sorted(_fonts(), key=lambda f: not f.name.startswith(first)):
        covered = len(characters & _coverage(font.path))
        if covered == len(characters):
            return font
        if covered > best[0]:
            best = (covered, font)
    return best[1]


def preamble(tex: str) -> tuple[str, ...]:
    """Lines that give `tex` fonts for its characters beyond Latin; empty when it needs none or has them by its class already.

    A ctex class sets Fandol, which lacks Traditional Chinese and more: then the font is set again.
    """
    inside = body(tex)
    text = _title(tex) + mask(tex)[inside.start : inside.end]
    lines: list[str] = []
    wanted = cjk(text)
    has_cjk = bool(_CJK_CLASSES.search(mask(tex))) or bool(packages(tex) & {"ctex", "xeCJK"})
    if wanted and (font := choose(wanted)):
        if not has_cjk:
            lines.append("\\usepackage{xeCJK}")
        if not (has_cjk and font.name.startswith("Fandol")):
            lines.append(f"\\setCJKmainfont{{{font.name}}}")
    others = frozenset(_BEYOND_LATIN.findall(text))
    if others and (font := choose(others | frozenset("abcxyzABC012"))):
        if "fontspec" not in packages(tex):
            lines.append("\\usepackage{fontspec}")
        lines.append(f"\\setmainfont{{{font.name}}}")
    return tuple(lines)


def _title(tex: str) -> str:
    return " ".join(re.findall(r"\\(?:title|author)\s*\{([^{}]*)\}", mask(tex)))


@lru_cache(maxsize=1)
def _fonts() -> tuple[Font, ...]:
    """Upright fonts of normal weight, preferred ones first, else by name."""
    found: dict[str, Font] = {}
    kpsewhich = program("kpsewhich")
    for name in _TEX_FONTS if kpsewhich else ():
        path = _output([kpsewhich, name])
        if path:
            found[name] = Font(name, path)
    listing = (
        _output([program("fc-list"), "--format=%{file}|%{family[0]}|%{slant}|%{weight}\n"])
        if program("fc-list")
        else ""
    )
    for line in sorted(listing.splitlines()):
        path, family, slant, weight = (line.split("|") + [""] * 4)[:4]
        usable = path.lower().endswith((".ttf", ".otf", ".ttc")) and slant in ("0", "") and weight in ("80", "75", "")
        if usable and family and re.fullmatch(r"[\w .,'+-]+", family):
            found.setdefault(family, Font(family, path))
    return tuple(sorted(found.values(), key=_rank))


def _rank(font: Font) -> tuple[int, str]:
    place = next((n for n, prefix in enumerate(_PREFERRED) if font.name.startswith(prefix)), len(_PREFERRED))
    return place, font.name


def _output(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=30, env={"PATH": "/usr/bin:/bin"}, cwd="/", check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace").strip()


@lru_cache(maxsize=256)
def _coverage(path: str) -> frozenset[str]:
    try:
        with TTFont(Path(path), fontNumber=0, lazy=True) as font:
            return frozenset(map(chr, font.getBestCmap() or ()))
    except (OSError, TTLibError, KeyError, ValueError, AssertionError):
        return frozenset()
