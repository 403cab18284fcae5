"""The frame of a report: preamble, template, title. A template is a LaTeX file with `<<name>>` where the parts go."""

from importlib.resources import files
from pathlib import Path

from agent.drafts.latex import CJK, escaped
from agent.drafts.words import words_of
from agent.records import Settings
from harness.errors import UsageError

BUILT_IN = ("lab-report", "course-notes", "article")
PARTS = ("preamble", "title", "author", "notice", "abstract", "body", "appendix")
_LONGEST = 200_000
_LATIN = r"""\documentclass[11pt,a4paper]{article}
\usepackage{fontspec}
\usepackage{amsmath}
"""
_CJK_IN_LATIN = r"""\usepackage{xeCJK}
\IfFontExistsTF{FandolSong-Regular.otf}{\setCJKmainfont[BoldFont=FandolHei-Regular.otf,ItalicFont=FandolKai-Regular.otf]{FandolSong-Regular.otf}\setCJKmonofont{FandolFang-Regular.otf}\setCJKsansfont{FandolHei-Regular.otf}}{}
"""
_CHINESE = r"""\documentclass[11pt,a4paper,fontset=fandol]{ctexart}
\usepackage{amsmath}
"""
_COMMON = r"""\usepackage[margin=24mm]{geometry}
\usepackage{graphicx,booktabs,longtable,array,float,xurl}
\usepackage{siunitx}
\sisetup{separate-uncertainty=false,group-minimum-digits=5,per-mode=symbol,detect-all=true}
\usepackage{caption}
\captionsetup{font=small,labelfont=bf,justification=raggedright,singlelinecheck=true}
\usepackage[hidelinks]{hyperref}
\tracinglostchars=3
\IfFontExistsTF{DejaVu Serif}{\newfontfamily\otherscriptfont{DejaVu Serif}[Scale=0.88]}{\let\otherscriptfont\relax}
\newcommand{\otherscript}[1]{{\otherscriptfont #1}}
\newcommand{\file}[1]{{\normalfont\ttfamily\small #1}}
\newsavebox{\fitbox}
\newcommand{\fitted}[1]{\sbox{\fitbox}{#1}\ifdim\wd\fitbox>\linewidth\resizebox{\linewidth}{!}{\usebox{\fitbox}}\else\usebox{\fitbox}\fi}
\newcommand{\place}[1]{#1}
\setlength{\emergencystretch}{3em}
\setlength{\parskip}{0.3em plus 0.1em}
\graphicspath{{./}}
"""


def preamble(settings: Settings, body: str) -> str:
    """Class, packages and commands that drafts of ours use; packages for Chinese only where something needs them."""
    if settings.language == "zh":
        return _CHINESE + _COMMON.rstrip()
    return _LATIN + (_CJK_IN_LATIN if CJK.search(body) else "") + _COMMON.rstrip()


def template(name: str) -> str:
    """Text of a built-in template, or `template.tex` of a folder. Raises UsageError."""
    if name in BUILT_IN:
        return files("agent").joinpath("templates", f"{name}.tex").read_text("utf-8")
    path = Path(name, "template.tex")
    hint = (
        f"Built in are {', '.join(BUILT_IN)}; a folder of your own needs a template.tex with <<preamble>> and <<body>>."
    )
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--template {name}: {path.name} cannot be read", hint=hint) from error
    if "<<body>>" not in text or len(text) > _LONGEST:
        raise UsageError(f"--template {name}: template.tex has no <<body>>", hint=hint)
    return text


def framed(parts: dict[str, str], settings: Settings) -> str:
    """A whole document. `parts` are LaTeX; what a template does not ask for is left out."""
    text = template(settings.template)
    all_parts = {
        "preamble": preamble(settings, "".join(parts.values()) + settings.title + settings.author),
        "title": escaped(settings.title) or words_of(settings.language).title,
        "author": escaped(settings.author),
        **parts,
    }
    pieces = text.split("<<")
    made = [pieces[0]]
    for piece in pieces[1:]:
        key, mark, rest = piece.partition(">>")
        made.append(all_parts[key] + rest if mark and key in all_parts else f"<<{piece}")
    return "".join(made)


def style_of(settings: Settings) -> str:
    """Which headings to use: those of a template of one's own are those of a lab report."""
    return settings.template if settings.template in BUILT_IN else "lab-report"
