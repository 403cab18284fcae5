"""Tables in text files: any encoding, delimiter, decimal mark, header; every number with the line it stands on."""

import pytest

from agent.readers.delimited import tables_in
from agent.readers.encoding import decode
from agent.readers.numbers import Marks, marks_of, number
from agent.readers.records import Table
from agent.readers.units import base_of, latex_unit, scaled, split_unit


def only(text: str) -> Table:
    (table,), _ = tables_in(text, "t.csv")
    return table


def columns(text: str) -> list[tuple[str, str, tuple[float | None, ...]]]:
    return [(c.name, c.unit, c.values) for c in only(text).columns]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "频率 (Hz),电压\n1,2\n"),
        ("utf-8-sig", "频率,电压\n1,2\n"),
        ("utf-16", "α (°),β\n1,2\n"),
        ("utf-16-le", "freq,amp\n1,2\n"),
        ("utf-16-be", "freq,amp\n1,2\n"),
        ("gb18030", "时间 (秒),电压 (V)\n温度\n1,2\n"),
        ("shift_jis", "時間,電圧 (V)\nサンプル\n1,2\n"),
        ("big5", "時間,電壓\n1,2\n"),
        ("latin-1", "T (°C);U (µV)\n1,5;2,0\nGröße ±\n"),
        ("cp1251", "Частота (Гц);Напряжение (В)\n1,5;2,0\n"),
        ("koi8_r", "Частота (Гц);Напряжение (В)\n1,5;2,0\n"),
    ],
)
def test_encodings(encoding: str, text: str) -> None:
    found = decode(text.encode(encoding))
    assert found is not None
    assert found.text == text


def test_binary_is_no_text() -> None:
    assert decode(bytes(range(256)) * 20) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f (kHz),U [mV]\n1,2.5\n2,3.5\n", [("f", "kHz", (1, 2)), ("U", "mV", (2.5, 3.5))]),
        ("T / K;U, V\n1,5;2,25\n2,5;1.002,5\n", [("T", "K", (1.5, 2.5)), ("U", "V", (2.25, 1002.5))]),
        ("t,U\ns,V\n1,2\n3,4\n", [("t", "s", (1, 3)), ("U", "V", (2, 4))]),
        ("a\tb\n1,234\t2.5\n2,345\t3.5\n", [("a", "", (1234, 2345)), ("b", "", (2.5, 3.5))]),
        ("# t (s)  U (V)\n0.1 2.2\n0.2 3.3\n", [("t", "s", (0.1, 0.2)), ("U", "V", (2.2, 3.3))]),
        ("1 2\n4 5\n7 8\n", [("column 1", "", (1, 4, 7)), ("column 2", "", (2, 5, 8))]),
        ('"x, mm",y\n"1",2\n3,"4"\n', [("x", "mm", (1, 3)), ("y", "", (2, 4))]),
        ("T,R\n1,nan\n2,3\n3,\n4,5\n", [("T", "", (1, 2, 3, 4)), ("R", "", (None, 3, None, 5))]),
        ("x,y,\n1,2,\n3,4,\n", [("x", "", (1, 3)), ("y", "", (2, 4))]),
        ("x,x\n1,2\n3,4\n", [("x", "", (1, 3)), ("x (2)", "", (2, 4))]),
    ],
)
def test_headers_units_and_marks(text: str, expected: list[tuple[str, str, tuple[float | None, ...]]]) -> None:
    assert columns(text) == expected


def test_ragged_rows_are_kept_and_said() -> None:
    table = only("a,b\n1,2\n3\n4,5,6\n")
    assert table.columns[0].values == (1, 3, 4)
    assert table.columns[1].values == (2, None, 5)
    assert any("shorter" in r for r in table.remarks)


def test_named_values_above_a_table_and_places() -> None:
    tables, entries = tables_in("# Sample: Au\n# f = 10 kHz\n\nx,y\n1,2\n3,4\n", "t.csv")
    assert [(e.key, e.text, e.value, e.unit, e.place) for e in entries] == [
        ("Sample", "Au", None, "", "line 1"),
        ("f", "10", 10.0, "kHz", "line 2"),
    ]
    assert tables[0].place(1, 1) == "line 6, column y"


def test_columns_beyond_the_bound_are_said() -> None:
    wide = only("\n".join(",".join(str(i * j) for i in range(240)) for j in range(1, 5)))
    assert (len(wide.columns), wide.remarks) == (200, ("only the first 200 of 240 columns are read",))


def test_prose_with_numbers_is_no_table() -> None:
    assert tables_in("Just some text with 3 numbers.\nAnd 4 more, of 5.\nMeasured in 2024.\n", "t.txt") == ((), ())


def test_long_files_are_read_whole_up_to_a_bound() -> None:
    table = only("x,y\n" + "\n".join(f"{i},{i}" for i in range(200_000)))
    assert len(table.rows) == 200_000
    assert table.columns[0].texts == ()
    cut = only("x,y\n" + "\n".join(f"{i},{i}" for i in range(260_000)))
    assert any("only the first" in r for r in cut.remarks)


@pytest.mark.parametrize(
    ("cell", "marks", "value"),
    [
        ("−3.2", Marks(), -3.2),
        ("1.2×10^-3", Marks(), 1.2e-3),
        ("1.2·10⁻³", Marks(), 1.2e-3),
        ("1 234,5", Marks(","), 1234.5),
        ("1'234.5", Marks(), 1234.5),
        ("12,34,5", Marks(".", ","), None),
        ("1_000", Marks(), None),
        ("nan", Marks(), None),
        ("1e999", Marks(), None),
        ("1×10^999", Marks(), None),
        ("1×10^-999", Marks(), 0.0),
        ("0x10", Marks(), None),
    ],
)
def test_numbers(cell: str, marks: Marks, value: float | None) -> None:
    assert number(cell, marks) == (pytest.approx(value) if value is not None else None)


def test_marks() -> None:
    assert marks_of(["1,234", "2.5"]) == Marks(".", ",")
    assert marks_of(["1.234,50"]) == Marks(",", ".")
    assert marks_of(["1,5", "2"], delimiter=";") == Marks(",", "")


@pytest.mark.parametrize(
    ("header", "name", "unit"),
    [
        ("V_R / V_R(max)", "V_R / V_R(max)", ""),
        ("Vrms/Vrms,max", "Vrms/Vrms,max", ""),
        ("Current [bwd] (A)", "Current [bwd]", "A"),
        ("LI Demod 1 X (A) [filt]", "LI Demod 1 X [filt]", "A"),
        ("Position (Δd, um)", "Position (Δd)", "um"),
        ("Count (N)", "Count (N)", ""),
        ("电压（mV）", "电压", "mV"),
        ("v, m/s", "v", "m/s"),
    ],
)
def test_units_of_headers(header: str, name: str, unit: str) -> None:
    assert split_unit(header) == (name, unit)


def test_units_for_siunitx() -> None:
    assert latex_unit("kHz") == r"\kilo\hertz"
    assert latex_unit("m/s^2") == r"\metre\per\second\squared"
    assert latex_unit(r"\input{x}$") == r"\text{inputx}"
    assert base_of("mV") == (r"\volt", -3)
    assert scaled("A", 3e-11) == ("pA", -12)
    assert scaled("K", 3e-11) == ("K", 0)
