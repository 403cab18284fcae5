"""Commands without their package, packages that are not installed or loaded twice."""

import re
from collections.abc import Iterator

from agent.tex.repairs.rule import Broken, Rule
from agent.tex.source import body, insert_package, mask, packages
from agent.tex.tree import installed

_TABLE = """
siunitx: SI si num qty unit ang SIrange numrange qtyrange SIlist numlist qtylist tablenum sisetup volt ampere metre
    meter second kelvin kilogram gram hertz joule watt pascal tesla ohm coulomb newton celsius degreeCelsius
    electronvolt milli micro nano pico kilo mega giga per squared cubed mole litre percent
booktabs: toprule midrule bottomrule cmidrule addlinespace specialrule
graphicx: includegraphics resizebox scalebox rotatebox graphicspath reflectbox
amsmath: text dfrac tfrac dbinom tfrac binom eqref operatorname DeclareMathOperator intertext substack boldsymbol
    overset underset iint iiint tag boxed notag numberwithin implies impliedby align align* gather gather* multline
    multline* aligned gathered split cases pmatrix bmatrix vmatrix matrix smallmatrix alignat alignat* flalign
    flalign* equation* subequations
amssymb: mathbb mathfrak checkmark therefore because blacksquare square lesssim gtrsim geqslant leqslant varnothing
    nmid bigstar blacktriangle complement rightleftharpoons
amsthm: theoremstyle proof newtheoremstyle qedhere
mathtools: coloneqq DeclarePairedDelimiter mathclap prescript dcases xleftrightarrow underbracket
bm: bm
physics: dv pdv bra ket braket abs norm qty vb grad
hyperref: href autoref url hypersetup nolinkurl texorpdfstring hyperref phantomsection
xcolor: textcolor color definecolor colorbox fcolorbox pagecolor colorlet
colortbl: rowcolor cellcolor columncolor arrayrulecolor
array: newcolumntype arraybackslash
multirow: multirow
makecell: makecell thead
tabularx: tabularx
longtable: longtable endhead endfirsthead endfoot endlastfoot
threeparttable: threeparttable tablenotes tnote
adjustbox: adjustbox adjincludegraphics
enumitem: setlist newlist
listings: lstset lstinputlisting lstinline lstdefinestyle lstdefinelanguage lstlisting
fancyvrb: Verbatim VerbatimInput fvset
verbatim: verbatiminput comment
caption: captionof captionsetup
subcaption: subfigure subtable subcaptionbox subcaption subref
float: floatstyle restylefloat newfloat
placeins: FloatBarrier
wrapfig: wrapfigure wraptable
rotating: sidewaystable sidewaysfigure
pdflscape: landscape
multicol: multicols
mhchem: ce
gensymb: degree
mathrsfs: mathscr
cancel: cancel bcancel xcancel
ulem: sout uline uwave
soul: hl
cleveref: cref Cref crefrange
natbib: citep citet citeauthor citeyear citealp citealt Citet Citep setcitestyle
csquotes: enquote textquote blockquote
setspace: doublespacing onehalfspacing singlespacing setstretch spacing
geometry: geometry newgeometry restoregeometry
fancyhdr: fancyhf fancyhead fancyfoot lhead rhead chead lfoot cfoot rfoot
titlesec: titleformat titlespacing
xspace: xspace
tikz: tikz tikzset usetikzlibrary tikzpicture draw node
pgfplots: pgfplotsset addplot axis semilogyaxis loglogaxis semilogxaxis
pgfplotstable: pgfplotstabletypeset pgfplotstableread
algorithm: algorithm
algpseudocode: algorithmic State If EndIf For EndFor While EndWhile Require Ensure Procedure EndProcedure
pdfpages: includepdf
lipsum: lipsum
blindtext: blindtext Blindtext
todonotes: todo listoftodos missingfigure
pifont: ding
nicefrac: nicefrac
upgreek: upmu upalpha upbeta upgamma uppi
etoolbox: newrobustcmd newtoggle ifdefstring patchcmd AtBeginEnvironment
fontspec: setmainfont setsansfont setmonofont newfontfamily
appendix: appendices
parskip: parskip
ragged2e: justifying RaggedRight Centering
calc: widthof heightof
"""
PACKAGE_OF = {
    name: package
    for package, names in reversed(re.findall(r"^(\S+): ((?:.|\n )*)", _TABLE, re.MULTILINE))
    for name in names.split()
}
"""Command or environment, without backslash, to the package that has it."""
_KERNEL_NAMES = """
begin end section subsection subsubsection chapter paragraph textbf textit texttt textsc emph underline footnote
caption label ref cite item centering documentclass usepackage maketitle title author date tableofcontents frac sqrt
left right alpha beta gamma delta epsilon theta lambda sigma omega times cdot approx partial infty hline multicolumn
newcommand renewcommand vspace hspace newpage clearpage linewidth textwidth bibliography bibliographystyle bibitem
input include appendix mathrm mathbf overline hat vec
"""
_KERNEL = _KERNEL_NAMES.split()
_THEOREMS = {"theorem", "lemma", "definition", "corollary", "proposition", "remark", "example", "claim", "conjecture"}


def _add_package(broken: Broken) -> str | None:
    name = broken.error.token.removeprefix("\\")
    package = PACKAGE_OF.get(name)
    if package is None or package in packages(broken.tex) or not installed(f"{package}.sty"):
        return None
    return insert_package(broken.tex, f"\\usepackage{{{package}}}")


def _misspelled(broken: Broken) -> str | None:
    """A command that is one letter away from a common one, or from one that the document defines."""
    name = broken.error.token.removeprefix("\\")
    if len(name) < 4 or not name.isalpha():
        return None
    own = re.findall(r"\\(?:re)?newcommand\*?\s*\{?\\([A-Za-z]+)", mask(broken.tex))
    fitting = sorted(
        {word for word in (*_KERNEL, *own, *PACKAGE_OF) if word != name and _near(name, word)},
        key=_KERNEL.count,
        reverse=True,
    )
    if not fitting:
        return None
    return re.sub(rf"\\{name}(?![A-Za-z])", lambda _: f"\\{fitting[0]}", broken.tex)


def _near(one: str, other: str) -> bool:
    """Whether one letter too many, too few, wrong, or two exchanged make the difference."""
    if abs(len(one) - len(other)) > 1:
        return False
    return other in set(_neighbours(one)) or one in set(_deletions(other))


def _deletions(word: str) -> Iterator[str]:
    yield from (word[:i] + word[i + 1 :] for i in range(len(word)))


def _neighbours(word: str) -> Iterator[str]:
    """First what typing slips make, then the rest."""
    yield from _deletions(word)
    yield from (word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1))
    letters = "abcdefghijklmnopqrstuvwxyz0123456789-"
    yield from (word[:i] + c + word[i + 1 :] for i in range(len(word)) for c in letters)
    yield from (word[:i] + c + word[i:] for i in range(len(word) + 1) for c in letters)


def _theorem(broken: Broken) -> str | None:
    name = broken.error.token
    if name.rstrip("*") not in _THEOREMS:
        return None
    return insert_package(broken.tex, f"\\newtheorem{{{name}}}{{{name.rstrip('*').capitalize()}}}")


def _nearest_package(broken: Broken) -> str | None:
    name = broken.error.token
    candidates = [f"{near}.sty" for near in dict.fromkeys(_neighbours(name.lower())) if len(near) > 2]
    found = installed(*candidates)
    return _replace_package(broken.tex, name, found[0].removesuffix(".sty")) if found else None


def _without_package(broken: Broken) -> str | None:
    return _replace_package(broken.tex, broken.error.token, "")


def _replace_package(tex: str, name: str, new: str) -> str | None:
    for found in re.finditer(r"\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\])?\s*\{([^}]*)\}", mask(tex)):
        names = [n.strip() for n in found[1].split(",")]
        if name not in names:
            continue
        kept = [new if n == name else n for n in names if new or n != name]
        if kept:
            return tex[: found.start(1)] + ",".join(kept) + tex[found.end(1) :]
        return tex[: found.start()] + tex[found.end() :]
    return None


def _option_clash(broken: Broken) -> str | None:
    """Options of a later load are passed on before the class, so that the first load has them."""
    name = broken.error.token
    loads = list(re.finditer(r"\\usepackage\s*(?:\[([^\]]*)\])?\s*\{" + re.escape(name) + r"\}", mask(broken.tex)))
    if not loads or not loads[-1][1]:
        return None
    last = loads[-1]
    rest = broken.tex[: last.start()] + f"\\usepackage{{{name}}}" + broken.tex[last.end() :]
    return f"\\PassOptionsToPackage{{{last[1]}}}{{{name}}}\n{rest}"


def _to_preamble(broken: Broken) -> str | None:
    inside = body(broken.tex)
    found = re.compile(r"\\usepackage\s*(?:\[[^\]]*\])?\s*\{[^}]*\}").search(mask(broken.tex), inside.start, inside.end)
    if found is None:
        return None
    rest = broken.tex[: found.start()] + broken.tex[found.end() :]
    return insert_package(rest, broken.tex[found.start() : found.end()])


def _redefine(broken: Broken) -> str | None:
    name = re.escape(broken.error.token)
    new, count = re.subn(r"\\newcommand(\*?\s*\{?" + name + r"(?![A-Za-z]))", r"\\renewcommand\1", broken.tex)
    return new if count else None


RULES = (
    Rule(
        "add-package",
        ("undefined-control-sequence", "undefined-environment"),
        "Loaded the package of a command",
        _add_package,
    ),
    Rule("declare-theorem", ("undefined-environment",), "Declared a theorem environment", _theorem),
    Rule("misspelled-command", ("undefined-control-sequence",), "Corrected a misspelled command", _misspelled),
    Rule("nearest-package", ("missing-package",), "Corrected the name of a package", _nearest_package),
    Rule("without-package", ("missing-package",), "Took out a package that is not installed", _without_package),
    Rule("pass-options", ("option-clash",), "Passed the options of a package on before its first load", _option_clash),
    Rule("package-to-preamble", ("preamble-only", "latex-error"), "Moved a package to the preamble", _to_preamble),
    Rule("redefine", ("already-defined",), "Used \\renewcommand for a command that exists", _redefine),
)
