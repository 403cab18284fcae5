"""A report that is killed goes on where it was: no finished call is asked again, and the result is the same."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.model_server import Answer, Seen, model_server
from tests.support.report_writer import BIB, FINISH, Writer, changes, section


def command(data: Path, url: str) -> tuple[list[str], dict[str, str]]:
    root = data.parent
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(root), "HARNESS_STATE_DIR": str(root / "state"),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }  # fmt: skip
    arguments = ["report", str(data), "-o", str(root / "out"), "--model", f"openai:m@{url}/v1", "--no-compile"]
    return [sys.executable, "-m", "harness.cli.main", *arguments], environment


def writer() -> Writer:
    return Writer(
        explore=[Answer(tool_calls=[("read_file", {"path": "iv.csv"})]), Answer(tool_calls=[FINISH])],
        critique=[changes(), Answer(text='{"changes": []}')],
        section=[section("Result", "The largest value is 4, as the notes say; it belongs to the second row.")],
    )


def offline(data: Path, out: str) -> tuple[list[str], dict[str, str]]:
    arguments, environment = command(data, "")
    return [*arguments[:5], "-o", str(data.parent / out)], environment


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder `ohm` beside the report `whole` that was made of it without a break."""
    root = tmp_path_factory.mktemp("undisturbed")
    (root / "ohm").mkdir()
    (root / "ohm" / "iv.csv").write_text("t (s),I (mA)\n" + "".join(f"{i},{i * i}\n" for i in range(1, 30)))
    arguments, environment = offline(root / "ohm", "whole")
    assert subprocess.run(arguments, env=environment, cwd=root, stderr=subprocess.DEVNULL, check=False).returncode == 0
    return root


@pytest.mark.parametrize("after", ["scan", "explore", "figures", "bib"])
def test_kill_9_in_any_stage_without_a_model(undisturbed: Path, after: str) -> None:
    root, data = undisturbed, undisturbed / "ohm"
    before = [(p.name, p.read_bytes(), p.stat().st_mtime_ns) for p in data.iterdir()]
    arguments, environment = offline(data, f"out-{after}")
    arguments.append("--fresh")
    with subprocess.Popen(
        arguments, env=environment, cwd=root, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        start_new_session=True,
    ) as first:  # fmt: skip
        assert first.stderr is not None
        assert any(line.startswith(f"{after}: ") for line in first.stderr)
        os.killpg(first.pid, signal.SIGKILL)
    assert not (root / f"out-{after}" / "report.tex").exists()
    second = subprocess.run(
        arguments[:-1], env=environment, cwd=root, capture_output=True, text=True, timeout=240, check=False
    )
    assert second.returncode == 0, second.stderr
    assert "is continued" in second.stderr
    made, whole = root / f"out-{after}", root / "whole"
    assert (made / "report.tex").read_bytes() == (whole / "report.tex").read_bytes()
    assert (made / "report.pdf").read_bytes().startswith(b"%PDF")
    assert [(p.name, p.read_bytes(), p.stat().st_mtime_ns) for p in data.iterdir()] == before


@pytest.mark.parametrize("at", [1, 2, 3, 4, 5, 6, 7])
def test_kill_9_at_any_call_loses_that_call_and_nothing_else(tmp_path: Path, at: int) -> None:
    data = tmp_path / "ohm"
    data.mkdir()
    (data / "iv.csv").write_text("U (V),I (mA)\n1,2\n2,4\n3,6\n")
    (data / "refs.bib").write_text(BIB)
    model = writer()
    victims: list[subprocess.Popen[str]] = []
    bodies: list[str] = []

    def play(seen: Seen) -> Answer:
        bodies.append(repr(seen.body))
        if len(bodies) == at:
            os.killpg(victims[0].pid, signal.SIGKILL)
            return Answer(status=503)
        return model(seen)

    with model_server(play) as server:
        arguments, environment = command(data, server.url)
        first = subprocess.Popen(
            arguments, env=environment, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
            start_new_session=True,
        )  # fmt: skip
        victims.append(first)
        assert first.wait(120) == -signal.SIGKILL
        second = subprocess.run(
            arguments, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=240, check=False
        )
    assert second.returncode == 0, second.stderr
    assert "is continued" in second.stderr
    assert model.asked == ["explore", "explore", "gap", "draft", "critique", "section", "critique"]
    assert len(bodies) == 8
    assert bodies[at - 1] == bodies[at]
    assert "it belongs to the second row" in (tmp_path / "out" / "report.tex").read_text()
