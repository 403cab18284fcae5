"""Figure code: the static check, the walls of the process, and what becomes of what it saved."""

import io
from importlib.resources import files
from pathlib import Path

import pytest
from PIL import Image

from agent.figures import draw as module
from agent.figures.check import violations
from agent.figures.draw import Plan, draw, draw_own
from agent.records import Figure
from harness.sandbox.base import Sandbox
from tests.support.materials import png

GOOD = "import matplotlib.pyplot as plt\nplt.plot(data['x'], data['y'])\n"
DATA = {"x": [1, 2, 3], "y": [1, 4, 9]}


@pytest.mark.parametrize(
    "code",
    [
        "import os",
        "import subprocess",
        "from os import environ",
        "import numpy.ctypeslib",
        "from matplotlib import cbook",
        "from matplotlib.backends import backend_agg",
        "__import__('os')",
        "open('/etc/passwd')",
        "eval('1')",
        "exec('1')",
        "getattr(data, 'x')",
        "().__class__",
        "x = '{0.__class__}'.format(1)",
        "import numpy as np\nnp.load('x.npy', allow_pickle=True)",
        "import matplotlib as m\nm.os.system('id')",
        "import matplotlib.pyplot as plt\nplt.switch_backend('module://x')",
        "import matplotlib\nmatplotlib.use('module://x')",
        "from . import x",
        "from numpy import *",
        "x = (",
        "x = 1\n" * 20_000,
    ],
)
def test_refused_before_it_runs(tmp_path: Path, code: str) -> None:
    assert violations(code)
    result = draw(code, DATA, tmp_path, None)
    assert isinstance(result, str)
    assert result.startswith("not run")


@pytest.mark.parametrize("name", ["series.py", "map.py"])
def test_our_own_programs_pass_the_check(name: str) -> None:
    assert violations(files("agent.figures.programs").joinpath(name).read_text("utf-8")) == ()


def test_code_of_a_model_gives_pixels_only(tmp_path: Path, sandbox: Sandbox) -> None:
    result = draw(GOOD, DATA, tmp_path, sandbox, label="fig:../a b", caption="c")
    assert isinstance(result, Figure)
    assert result.path == "figures/a-b.png"
    with Image.open(tmp_path / result.path) as picture:
        assert picture.format == "PNG"
    assert (
        draw(GOOD, DATA, tmp_path, None) == "not run: there is no sandbox here, and code of a model runs nowhere else"
    )


def test_mistakes_come_back_as_words(tmp_path: Path, sandbox: Sandbox) -> None:
    assert "KeyError: 'z' (line 2)" in str(draw("import math\nx = data['z']", DATA, tmp_path, sandbox))
    assert "drew nothing" in str(draw("x = 1", DATA, tmp_path, sandbox))
    assert not (tmp_path / "figures").exists()


def test_the_process_reaches_nothing(tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLT-01, with the first layer taken away: the second holds alone."""
    monkeypatch.setattr(module, "violations", lambda _: ())
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    victim = tmp_path / "victim.txt"
    victim.write_text("whole")
    probe = f"""
import os, socket
found = []
def attempt(name, act):
    try:
        act()
        found.append(name)
    except OSError:
        pass
attempt("write", lambda: open({str(victim)!r}, "w").write("broken"))
attempt("read", lambda: open("/etc/shadow").read())
attempt("net", lambda: socket.create_connection(("127.0.0.1", 9), 1))
if "SECRET_KEY" in os.environ: found.append("environment")
open("matplotlibrc", "w").write("backend: module://evil")
raise ValueError("reached: " + ",".join(found))
"""
    assert "ValueError: reached: (line" in str(draw(probe, DATA, tmp_path / "w", sandbox))
    assert victim.read_text() == "whole"


def test_time_and_memory_are_bounded(tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LIMITS", module._LIMITS._replace(wall_s=2))
    monkeypatch.setattr(module, "_SECONDS_A_PLOT", 0)
    assert "ended (limit of wall" in str(draw("while True:\n    pass", DATA, tmp_path, sandbox))
    monkeypatch.undo()
    assert "memory" in str(draw("x = bytearray(1 << 33)", DATA, tmp_path, sandbox)).lower()


@pytest.mark.parametrize(
    "saved",
    [
        png(60_000, 60_000, pixels=False),
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"%PDF-1.4\n%nothing",
        b"\x89PNG\r\n\x1a\n broken",
    ],
)
def test_what_it_saved_is_decoded_or_refused(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, saved: bytes
) -> None:
    """PLT-02."""
    monkeypatch.setattr(module, "violations", lambda _: ())
    result = draw(f"open('figure.pdf', 'wb').write({saved!r})", DATA, tmp_path, sandbox)
    assert isinstance(result, str)
    assert "refused" in result


def test_a_polyglot_loses_its_second_nature(tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "violations", lambda _: ())
    out = io.BytesIO()
    Image.new("RGB", (40, 30), "red").save(out, "PNG")
    saved = out.getvalue() + b"PK\x03\x04<script>"
    result = draw(f"open('a.png', 'wb').write({saved!r})", DATA, tmp_path, sandbox)
    assert isinstance(result, Figure)
    assert b"script" not in (tmp_path / result.path).read_bytes()


def test_a_link_that_the_code_left_is_not_followed(
    tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "violations", lambda _: ())
    secret = tmp_path / "secret.png"
    secret.write_bytes(png(4, 4))
    code = f"import os\n{GOOD}os.symlink({str(secret)!r}, 'a.png')\nos.symlink({str(secret)!r}, 'figure.pdf')"
    assert isinstance(draw(code, DATA, tmp_path, sandbox), str)
    assert not (tmp_path / "figures").exists()


@pytest.mark.parametrize("boxed_in", [True, False])
def test_figures_of_ours_are_vector_graphics_drawn_together(tmp_path: Path, sandbox: Sandbox, boxed_in: bool) -> None:
    code = files("agent.figures.programs").joinpath("series.py").read_text("utf-8")
    data = {**DATA, "shape": "curve", "x_label": "时间 (s)", "y_label": "a $ (b)".replace("$", r"\$")}
    plans = [Plan("fig:one", "", code, data), Plan("fig:two", "", "1 / 0", data), Plan("fig:three", "", code, data)]
    one, two, three = draw_own(plans, tmp_path, sandbox if boxed_in else None)
    assert isinstance(one, Figure)
    assert isinstance(three, Figure)
    assert "ZeroDivisionError" in str(two)
    assert (tmp_path / one.path).read_bytes() == (tmp_path / three.path).read_bytes()
    assert (tmp_path / one.path).read_bytes().startswith(b"%PDF-")
