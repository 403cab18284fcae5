"""Numbers of a report: which are printed, and which nothing accounts for."""

import pytest

from agent.data.trace import numbers_in, untraced
from agent.records import Quantity, Source


def quantity(value: float, text: str, unit: str = "", kind: str = "statistic") -> Quantity:
    return Quantity(
        id=text, text=text, value=value, unit=unit, kind=kind, sources=(Source(path="a.csv", place="line 7"),)
    )


def document(body: str) -> str:
    return (
        "\\documentclass[11pt]{article}\n\\setlength{\\parskip}{3pt}\n\\begin{document}\n"
        + body
        + "\n\\end{document}\n"
    )


@pytest.mark.parametrize(
    ("tex", "values"),
    [
        (r"It is \num{4.51} and \qty{-3.2e-11}{\ampere}.", [4.51, -3.2e-11]),
        (r"$x_0 = 4.28(2)$, $R^2 = 0.995$, $k = 1.5 \times 10^{-3}$, $10^{5}$", [4.28, 0.995, 1.5e-3, 1e5]),
        (r"12\,345 and 1{,}234 and 5--7, a range", [12345, 1234, 5, 7]),
        (
            r"\begin{tabular}{@{}S[table-format=2.3]p{0.5\linewidth}@{}} 1.5 & -2 \\[2pt] 3 & 4 \\ \end{tabular}",
            [1.5, -2, 3, 4],
        ),
        (r"\includegraphics[width=0.7\linewidth]{figures/run3.pdf} \label{fig:1} Figure~\ref{fig:1} % 99", []),
        (r"Cs137, R_2, V1, \cite{k2020}, \texttt{run\_12.csv}, H2O", []),
        (r"\vspace{2mm} \hspace*{3em} \url{http://x/42} 0.5\textwidth", []),
        (r"50\,kHz and 3.2mV", [50, 3.2]),
        (r"\unit{\metre\tothe{4}} 7\%", [7]),
        ("电压为42.7伏，V1测得3次，第12组的最大值为-5.5，Cs137", [42.7, 3, 12, 5.5]),
        ("$10^{999}$ and $3 \\times 10^{-999}$", [float("inf"), 0]),
    ],
)
def test_numbers_that_a_reader_sees(tex: str, values: list[float]) -> None:
    assert [n.value for n in numbers_in(document(tex))] == pytest.approx(values)


def test_the_preamble_prints_titles_and_what_its_commands_say() -> None:
    tex = (
        "\\documentclass[12pt]{article}\n\\title{Mass of 13.37 kg} % \\title{8}\n\\newcommand{\\mass}{9.7}\n\\def\\unused{8.8}\n"
        "\\newcommand{\\much}[1]{about 6.5 #1}\n\\newcommand{\\wide}{\\vspace{3pt}}\n"
        "\\begin{document}\\maketitle\n\\mass\\wide\n\\much{kg}\\end{document}\n"
    )
    assert [(n.line, n.text) for n in numbers_in(tex)] == [(2, "13.37"), (3, "9.7"), (5, "6.5")]


def test_lines_are_those_of_the_file() -> None:
    assert [(n.line, n.text) for n in numbers_in(document("one\n5\n\n6.5"))] == [(5, "5"), (7, "6.5")]


def test_traced_exactly_rounded_scaled_or_from_a_text() -> None:
    known = [
        quantity(4.5123, "4.512(13)", "kHz", "fit"),
        quantity(-0.05, "-0.05", "V"),
        quantity(41, "41", kind="count"),
    ]
    fine = r"\num{4.512(13)} and 4.51 and \qty{4512}{\hertz} or \qty{-50}{\milli\volt}; 41 values, 100 in the notes, 2.5 too"
    assert untraced(document(fine), known, ["C is 100 uF or 2,5 cm"]) == ()


@pytest.mark.parametrize(
    "made_up",
    [
        "4.53",
        r"\num{4.512(17)}",
        "42",
        r"\qty{49}{\milli\volt}",
        r"\qty{0.05}{\milli\volt}",
        "$7 \\times 10^{4}$",
        r"\texttt{17}",
        "101",
    ],
)
def test_made_up_numbers_are_flagged(made_up: str) -> None:
    known = [
        quantity(4.5123, "4.512(13)", "kHz", "fit"),
        quantity(-0.05, "-0.05", "V"),
        quantity(41, "41", kind="count"),
    ]
    if made_up == r"\qty{0.05}{\milli\volt}":
        known = known[:1]
    found = untraced(document(f"Words.\nIt is {made_up} here."), known, ["100 uF"])
    assert [line for line, _ in found] == [5]


def test_places_are_no_values() -> None:
    known = [quantity(1.5, "1.5")]
    assert untraced(document(r"\num{1.5} \place{line 7}"), known, []) == ()
    assert untraced(document(r"line 7"), known, []) == ((4, "7"),)
    assert untraced(document(r"\place{line 8}"), known, []) == ((4, "8"),)
