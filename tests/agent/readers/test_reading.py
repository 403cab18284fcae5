"""Whole folders: every format read with places, every hostile file one problem and never the end."""

import shutil
from pathlib import Path

import openpyxl
import pytest

from agent.readers import boxed
from agent.readers.boxed import Boxed, read_boxed
from agent.readers.reading import CLIP, Unread, clip, picture_png, read_all, read_text, tables
from agent.readers.records import Readings
from agent.records import FileKind, ReadText, ScannedFile
from agent.scan import scan
from harness.sandbox.base import Limits, Sandbox
from tests.support.materials import (
    laboratory,
    laughing_document,
    nanonis_image,
    nanonis_spectrum,
    png,
    workbook,
    zip_bomb,
)


def read(folder: Path, sandbox: Sandbox | None) -> Readings:
    return read_all(folder, scan(folder), sandbox)


@pytest.mark.parametrize("boxed_in", [True, False])
def test_a_workbook_with_several_tables_on_a_sheet(tmp_path: Path, sandbox: Sandbox, boxed_in: bool) -> None:
    rows: list[list[object]] = [
        [None, "R=12 kΩ", None, None, "R=8 kΩ"],
        [None, "f (kHz)", "U (V)", None, "f (kHz)", "U (V)"],
        *([None, i, 2.0 * i, None, i, 3.0 * i] for i in range(1, 5)),
        [],
        [None, "t (s)", "n"],
        *([None, i, 7 * i] for i in range(1, 4)),
    ]
    (tmp_path / "a.xlsx").write_bytes(workbook(Run=rows))
    found = read(tmp_path, sandbox if boxed_in else None)
    assert found.problems == {}
    assert [[(c.name, c.unit, c.values[0]) for c in t.columns] for t in found.tables] == [
        [("f", "kHz", 1), ("U", "V", 2.0)],
        [("f", "kHz", 1), ("U", "V", 3.0)],
        [("t", "s", 1), ("n", "", 7)],
    ]
    assert [(e.key, e.value, e.unit, e.place) for e in found.tables[1].entries] == [
        ("R", 8.0, "kΩ", "sheet Run, cell E1")
    ]
    assert found.tables[1].place(1, 2) == "sheet Run, cell F5"


def test_merged_words_stand_for_all_their_cells_and_numbers_do_not(tmp_path: Path, sandbox: Sandbox) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in [["sample", "x", "U (V)"], ["A", 1, 5], [None, 2, None], ["B", 3, 7]]:
        sheet.append(row)
    sheet.merge_cells("A2:A3")
    sheet.merge_cells("C2:C3")
    book.save(tmp_path / "m.xlsx")
    (table,) = read(tmp_path, sandbox).tables
    assert table.columns[0].texts == ("A", "A", "B")
    assert table.columns[2].values == (5, None, 7)


def test_formulas_without_a_stored_value_are_said(tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "f.xlsx").write_bytes(workbook(S=[["x", "y"], [1, "=A2*2"], [2, "=A3*2"]]))
    assert "2 formulas have no stored value" in read(tmp_path, sandbox).problems["f.xlsx"]


def test_a_sheet_wider_than_the_bound_is_said_to_be_cut(tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "w.xlsx").write_bytes(workbook(S=[[i * j for i in range(1, 203)] for j in range(1, 4)]))
    (tmp_path / "n.xlsx").write_bytes(workbook(S=[[i * j for i in range(1, 201)] for j in range(1, 4)]))
    assert read(tmp_path, sandbox).problems == {"w.xlsx": "only its first part is read"}


def test_hostile_files_are_one_problem_each(tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "bomb.xlsx").write_bytes(zip_bomb())
    (tmp_path / "laugh.docx").write_bytes(laughing_document())
    (tmp_path / "huge.png").write_bytes(png(60_000, 60_000, pixels=False))
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7\n1 0 obj\n<</Length 99999>>stream\n")
    (tmp_path / "broken.xlsx").write_bytes(b"PK\x03\x04 not at all")
    (tmp_path / "alias.yaml").write_text("a: &x [1, 2]\nb: [*x, *x, *x]\n")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "broken.sxm").write_bytes(b":NANONIS_VERSION:\n2\n:SCANIT_END:\n\n\n\x1a\x04")
    (tmp_path / "cut.sxm").write_bytes(nanonis_image()[:-1500])
    (tmp_path / "good.csv").write_text("x,y\n1,2\n3,4\n")
    found = read(tmp_path, sandbox)
    assert set(found.problems) == {f.path for f in scan(tmp_path).files} - {"good.csv"}
    assert "unpacks to 400 MB" in found.problems["bomb.xlsx"]
    assert "entities" in found.problems["laugh.docx"]
    assert "alias" in found.problems["alias.yaml"]
    assert [t.path for t in found.tables] == ["good.csv"]


def test_a_file_that_ends_the_reader_costs_only_itself(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "inside"
    shutil.copytree(boxed._INSIDE, inside)
    (inside / "picture.py").write_text(
        "import os\ndef read(path, form):\n    content = open(path, 'rb').read()\n"
        "    if content == b'die': os.kill(os.getpid(), 9)\n    if content == b'hang':\n        while True: pass\n"
        "    return {'width': 1, 'height': 1}\n"
    )
    monkeypatch.setattr(boxed, "_INSIDE", inside)
    files = [Boxed(name, "picture", name.encode()) for name in ("one", "die", "two", "hang", "three")]
    found = read_boxed(files, sandbox, limits=Limits(wall_s=3, memory_bytes=3 << 30))
    assert {k for k, v in found.items() if "problem" in v} == {"die", "hang"}
    assert "limit of wall" in str(found["hang"]["problem"])


def test_headers_and_maps_of_instruments(tmp_path: Path) -> None:
    (tmp_path / "a.sxm").write_bytes(nanonis_image())
    (tmp_path / "b.sxm").write_bytes(nanonis_image(up=True))
    (tmp_path / "c.dat").write_text(nanonis_spectrum())
    found = read(tmp_path, None)
    down, up = found.grids
    assert (down.name, down.unit, down.width_m, down.shape) == ("Z forward", "m", 4e-9, (16, 16))
    assert down.values[0][0] == pytest.approx(0)
    assert up.values[0][0] == pytest.approx(15e-12)
    assert down.roughness == pytest.approx(0, abs=1e-15)
    entries = {e.key: (e.value, e.unit, e.place) for e in found.entries["a.sxm"]}
    assert entries["BIAS"] == (-0.05, "V", "header key BIAS")
    assert entries["Z-CONTROLLER>Setpoint"] == (2.5e-11, "A", "header key Z-CONTROLLER, Setpoint")
    (table,) = found.tables
    assert [(c.name, c.unit) for c in table.columns] == [("Bias calc", "V"), ("Current", "A"), ("LI Demod 1 X", "A")]
    assert table.place(1, 0) == "line 7, column Current"
    assert nanonis_spectrum().split("\n")[6].startswith("-5.0000E-02")
    assert {e.key: e.value for e in found.entries["c.dat"]}["Bias>Bias"] == -0.05


def test_keys_of_yaml_and_tables_of_json(tmp_path: Path) -> None:
    (tmp_path / "eln.yaml").write_text("Sample:\n  name: Au\n  temperature: 4.4 K\nUser: [a, b]\n")
    (tmp_path / "r.json").write_text('{"run": {"U (V)": [1, 2.5], "I (A)": [3, null]}, "t": "2 s"}')
    (tmp_path / "n.ipynb").write_text(
        '{"cells": [{"cell_type": "code", "source": ["x = 1"], "outputs": [{"text": "42"}]}]}'
    )
    found = read(tmp_path, None)
    assert [(e.key, e.text, e.unit, e.place) for e in found.entries["eln.yaml"]] == [
        ("Sample.name", "Au", "", "line 2, key Sample.name"),
        ("Sample.temperature", "4.4", "K", "line 3, key Sample.temperature"),
        ("User.1", "a", "", "line 4, key User.1"),
        ("User.2", "b", "", "line 4, key User.2"),
    ]
    (table,) = found.tables
    assert [(c.name, c.unit, c.values) for c in table.columns] == [("U", "V", (1, 2.5)), ("I", "A", (3, None))]
    notebook = next(t for t in found.texts if t.path == "n.ipynb")
    assert "x = 1" in notebook.text
    assert "42" in notebook.text


def test_an_image_is_decoded_and_written_anew(tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "a.png").write_bytes(png(30, 20) + b"<script>alert(1)</script>")
    (file,) = scan(tmp_path).files
    made = picture_png(tmp_path, file, sandbox)
    assert made.startswith(b"\x89PNG")
    assert b"script" not in made
    with pytest.raises(Unread):
        picture_png(tmp_path, ScannedFile(path="../x.png", kind=FileKind.IMAGE, size=1), sandbox)


def test_texts_are_clipped_and_say_how_to_go_on() -> None:
    text = ReadText(path="a", text="x" * 10_000, how="text")
    first = clip(text)
    assert first == "x" * CLIP + "\n[characters 0 to 7000 of 10000; continue with offset=7000]"
    assert clip(text, limit=50_000).count("x") == CLIP
    assert clip(text, offset=7000) == "x" * 3000 + "\n[characters 7000 to 10000 of 10000; this is the end]"
    assert clip(text, offset=-5, limit=0).startswith("x\n[")
    assert clip(ReadText(path="a", text="short", how="text")) == "short"


def test_one_file_at_a_time(tmp_path: Path, sandbox: Sandbox) -> None:
    folder = laboratory(tmp_path)
    files = {f.path: f for f in scan(folder).files}
    assert "100 µF" in read_text(folder, files["笔记.md"]).text
    (table,) = tables(folder, files["第一次测量/弹簧.csv"])
    assert [c.unit for c in table.columns] == ["g", "cm"]
    with pytest.raises(Unread):
        read_text(folder, files["装置照片.png"], sandbox)
