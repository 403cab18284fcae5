"""Sentences and tables about fits and lines."""

from collections.abc import Sequence

from agent.data.quantities import Register, column_source
from agent.data.rounding import significant
from agent.drafts.latex import escaped, heading, number, place, quantity, short_path, shortened
from agent.drafts.plots import where
from agent.drafts.study import Studied
from agent.drafts.tables import Cell, floated
from agent.drafts.words import FORMULA, SYMBOL, Words
from agent.records import Quantity


def parameters(one: Studied, register: Register, words: Words) -> str:
    """`x_0 = 4.28(2) kHz (centre), Q = 1.7(1) (quality factor)`."""
    say, fit = words.say, one.fit
    assert fit is not None
    sources = [column_source(one.series.table, c) for c in (one.series.x, one.series.y)]
    parts = []
    for p in fit.parameters:
        q = register.fitted(
            p.value, p.error, p.unit, sources, f"{p.name} of {words.model[fit.model]}, {fit.points} points"
        )
        parts.append(f"{words.parameter[p.name]} ${SYMBOL[p.name]} = {quantity(q)}$")
    return listed(parts, words) if len(parts) < 4 else say["comma"].join(parts)


def fit_sentence(one: Studied, register: Register, words: Words) -> str:
    """What a fit says, with its goodness and its shortcomings."""
    fit, say = one.fit, words.say
    if fit is None:
        return ""
    sources = [column_source(one.series.table, c) for c in (one.series.x, one.series.y)]
    explained = _explained(fit.explained)
    r2 = register.add(fit.explained, explained, kind="fit", sources=sources, formula="coefficient of determination")
    scatter = register.add(
        fit.scatter,
        significant(fit.scatter, 2),
        kind="fit",
        sources=sources,
        unit=one.series.y.unit,
        formula="standard deviation of the residuals",
    )
    text = say["fit"].format(
        model=words.model[fit.model],
        formula=FORMULA[fit.model].replace(r"\pm ", "-" if fit.raw[1] < 0 else ""),
        parameters=parameters(one, register, words),
        r2=number(r2),
        scatter=quantity(scatter),
    )
    return text + (say["systematic"] if fit.systematic else "")


def lines_table(one: Studied, label: str, register: Register, words: Words) -> str:
    """The lines of a spectrum."""
    say = words.say
    sources = [column_source(one.series.table, c) for c in (one.series.x, one.series.y)]
    body = []
    for i, peak in enumerate(one.peaks, 1):
        index = register.count(i, "the line", sources[:1])
        ratio = 100 * peak.width.value / peak.centre.value if peak.centre.value else 0.0
        share = register.add(
            ratio, significant(ratio, 3), kind="fit", sources=sources, unit="%", formula="FWHM over centre"
        )
        fitted = [
            register.fitted(
                p.value, p.error, p.unit, sources, f"{p.name} of line {i}, Gaussian on a straight background"
            )
            for p in (peak.centre, peak.width, peak.area)
        ]
        body.append([Cell(number(index)), *(Cell(number(q)) for q in fitted), Cell(number(share))])
    x = one.series.x
    heads = [
        say["line"],
        heading(f"{say['centre']}", x.unit),
        heading(say["fwhm"], x.unit),
        say["area"],
        say["resolution"].format(),
    ]
    caption = say["lines_caption"].format(where=escaped(where(one.series)))
    return floated(heads, body, label, caption, numeric=[False] * 5, align="rrrrr")


def fits_table(studied: Sequence[Studied], register: Register, words: Words) -> str:
    """All fits of the report."""
    say = words.say
    body = []
    for one in studied:
        if one.fit is None:
            continue
        what = f"{escaped(shortened(one.series.y.name, 20))}, {place(short_path(where(one.series), 60))}"
        sources = [column_source(one.series.table, c) for c in (one.series.x, one.series.y)]
        values = []
        for p in one.fit.parameters:
            if p.name == "offset":
                continue
            q = register.fitted(
                p.value, p.error, p.unit, sources, f"{p.name} of {words.model[one.fit.model]}, {one.fit.points} points"
            )
            values.append(f"${SYMBOL[p.name]} = {quantity(q)}$")
        body.append([Cell(what), Cell(escaped(words.model[one.fit.model])), Cell(", ".join(values))])
    heads = [say["series"], say["fitted"], say["parameters"]]
    wide = r">{\raggedright\arraybackslash}p{"
    spec = rf"{wide}0.36\linewidth}}{wide}0.2\linewidth}}{wide}0.36\linewidth}}"
    first = " & ".join(heads) + r" \\"
    lines = [
        r"{\small",
        rf"\begin{{longtable}}{{@{{}}{spec}@{{}}}}",
        rf"\caption{{{say['fits_caption']}}}\label{{tab:fits}}\\",
        *(r"\toprule", first, r"\midrule", r"\endfirsthead"),
        *(r"\toprule", first, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"),
        *(" & ".join(c.tex for c in row) + r" \\" for row in body),
        r"\end{longtable}",
        "}",
    ]
    return "\n".join(lines)


def spectra_table(studied: Sequence[Studied], register: Register, words: Words) -> str:
    """Spectra side by side."""
    say = words.say
    body = []
    for one in studied:
        sources = [column_source(one.series.table, c) for c in (one.series.x, one.series.y)]
        total = _whole(float(one.series.points[1].sum()), "sum of all counts", one, register)
        lines = register.count(len(one.peaks), "fitted lines", sources[:1])
        best = max(one.peaks, key=lambda p: p.area.value)
        index = one.peaks.index(best) + 1
        fitted = [
            register.fitted(
                p.value, p.error, p.unit, sources, f"{p.name} of line {index}, Gaussian on a straight background"
            )
            for p in (best.centre, best.width)
        ]
        cells = [Cell(number(q)) for q in (total, lines, *fitted)]
        body.append([Cell(place(short_path(where(one.series), 60))), *cells])
    heads = [say["spectrum_head"], say["total"], say["lines_head"], f"{say['strongest']}: {say['centre']}", say["fwhm"]]
    return floated(heads, body, "tab:spectra", say["spectra_caption"], numeric=[False] * 5, align="lrrrr")


def listed(parts: Sequence[str], words: Words) -> str:
    """`a, b and c`."""
    if len(parts) < 2:
        return "".join(parts)
    return words.say["comma"].join(parts[:-1]) + words.say["and"] + parts[-1]


def _explained(value: float) -> str:
    """As many nines as there are, and one digit more."""
    for digits in (3, 4, 5, 6):
        text = f"{value:.{digits}f}"
        if not text.startswith("1.") and not text.endswith("9" * digits):
            return text
    return f"{value:.6f}"


def spectrum_words(one: Studied, register: Register, words: Words) -> str:
    """Totals of a spectrum."""
    series = one.series
    x, y = series.points
    top = int(y.argmax())
    total = _whole(float(y.sum()), "sum of all counts", one, register)
    most = _whole(float(y[top]), "greatest number of counts", one, register)
    at = register.add(
        float(x[top]),
        significant(float(x[top]), 6),
        kind="statistic",
        sources=[column_source(series.table, series.x), column_source(series.table, series.y)],
        unit=series.x.unit,
        formula="where the counts are greatest",
    )
    return words.say["spectrum"].format(
        total=number(total), most=number(most), x=escaped(series.x.name), at=quantity(at)
    )


def _whole(value: float, formula: str, one: Studied, register: Register) -> Quantity:
    return register.statistic(value, str(round(value)), one.series.table, one.series.y, formula)
