"""`benchmarks/texse.py` on documents of our own, with a model on a real server: what it counts is what happened."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.model_server import Answer, model_server

HOUSE = Path(__file__).parents[3]
BROKEN = "\\documentclass{article}\n\\newcommand{\\twice}[1]{#2 and #1}\n\\begin{document}\n\\twice{a kept word}\n\\end{document}\n"
MENDED = BROKEN.replace("#2", "#1")
OTHERWISE = MENDED.replace("\\twice{a", "\\thrice{a")
ESCAPE = "\\documentclass{article}\n\\begin{document}\nSalt & pepper, kept.\n\\end{document}\n"


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    made = [("1", BROKEN, "illegal-parameter-number", 2), ("2", ESCAPE, "alignment", 3)]
    for name, tex, kind, line in made:
        folder = tmp_path / "documents" / name
        folder.mkdir(parents=True)
        (folder / "main.tex").write_text(tex)
        recorded = {"main_first_error": {"file": "main.tex", "line": line}}
        (folder / "meta.json").write_text(json.dumps({"kind": kind, "xelatex": recorded}))
    return tmp_path / "documents"


def bench(documents: Path, *arguments: str) -> tuple[int, str]:
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(documents.parent), "HARNESS_API_KEY": "sk-canary-0123456789abcdef",
        "HARNESS_STATE_DIR": str(documents.parent / "state"),
    }  # fmt: skip
    command = [sys.executable, str(HOUSE / "benchmarks" / "texse.py"), str(documents), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout + done.stderr


def test_without_a_model_only_rules_mend(documents: Path) -> None:
    code, said = bench(documents)
    assert code == 0
    assert "documents 2: right line and kind 2, repaired by rules alone 1" in said
    assert "with" not in said.splitlines()[-1]


@pytest.mark.parametrize(
    ("answers", "counted", "code"),
    [
        ([Answer(text=MENDED)], "1 more, 2 in all; no answer for 0", 0),
        ([Answer(text=MENDED.replace("a kept word", ""))], "0 more, 1 in all; no answer for 0", 0),
        ([Answer(text=OTHERWISE), Answer(text=MENDED)], "1 more, 2 in all; no answer for 0", 0),
        ([Answer(text=BROKEN + "%")], "0 more, 1 in all; no answer for 0", 0),
        ([Answer(status=400, body='{"error": {"message": "no such model"}}')], "0 more, 1 in all; no answer for 1", 3),
    ],
    ids=["mends", "deletes", "second round", "same error", "fails"],
)
def test_what_a_model_did_is_counted(documents: Path, answers: list[Answer], counted: str, code: int) -> None:
    with model_server(answers) as server:
        ended, said = bench(documents, "--model", f"openai:m@{server.url}/v1")
        assert (ended, counted in said) == (code, True), said
        asked = [seen.body["messages"][-1]["content"] for seen in server.seen]
    assert "Illegal parameter number" in str(asked[0])
    assert len(asked) <= 2


def test_a_recording_answers_again(documents: Path) -> None:
    with model_server(Answer(text=MENDED)) as server:
        bench(documents, "--model", f"openai:m@{server.url}/v1", "--record", str(documents.parent / "tape"))
    code, said = bench(documents, "--model", f"replay:{documents.parent / 'tape'}")
    assert (code, "1 more, 2 in all" in said) == (0, True), said


def test_a_model_that_is_not_understood_is_said(documents: Path) -> None:
    code, said = bench(documents, "--model", "gpt")
    assert (code, "model 'gpt' is not understood" in said, "Traceback" in said) == (2, True, False)
