"""`harness report` with a model, as a user runs it: a real process, a real server, both wire formats, real xelatex."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.model_server import Answer, Seen, model_server
from tests.support.players import text_of
from tests.support.report_writer import BIB, CHANGE, DRAFT, FINISH, Writer, changes, section

CANARY = "sk-canary-0123456789abcdef"
READ = ("read_file", {"path": "iv.csv"})


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "ohm"
    folder.mkdir()
    (folder / "iv.csv").write_text("U (V),I (mA)\n1,2\n2,4\n3,6\n")
    (folder / "notes.md").write_text("We measured the current through a resistor. The largest value is 4.\n")
    (folder / "refs.bib").write_text(BIB)
    return folder


class Done(NamedTuple):
    code: int
    out: Path
    talk: str
    trace: dict[str, Any]
    state: Path

    @property
    def tex(self) -> str:
        return (self.out / "report.tex").read_text()


def report(data: Path, *arguments: str, key: str = CANARY) -> Done:
    root = data.parent
    state, out = root / "state", root / "out"
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(root), "HARNESS_STATE_DIR": str(state), "HARNESS_API_KEY": key,
        "MY_DATABASE_PASSWORD": "canary-" + key, "PYTHONPATH": str(Path(__file__).parents[2]),
    }  # fmt: skip
    command = [sys.executable, "-m", "harness.cli.main", "report", str(data), "-o", str(out), *arguments]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=300, check=False)
    trace = json.loads((out / "trace.json").read_text()) if (out / "trace.json").is_file() else {}
    return Done(done.returncode, out, done.stdout + done.stderr, trace, state)


def written(data: Path, writer: Writer, *arguments: str, wire: str = "openai") -> tuple[Done, list[Seen]]:
    with model_server(writer) as server:
        spec = f"{wire}:m@{server.url}{'/v1' if wire == 'openai' else ''}"
        return report(data, "--model", spec, *arguments), server.seen


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_the_happy_path(data: Path, wire: str) -> None:
    writer = Writer(
        explore=[Answer(tool_calls=[READ]), Answer(tool_calls=[FINISH])],
        critique=[changes(), Answer(text='{"changes": []}')],
        section=[section("Result", "The largest value is 4, as the notes say; it belongs to the second row.")],
    )
    before = {p: p.read_bytes() for p in data.rglob("*")}
    done, seen = written(data, writer, wire=wire)
    assert done.code == 0, done.talk
    assert (done.out / "report.pdf").read_bytes().startswith(b"%PDF")
    assert writer.asked == ["explore", "explore", "gap", "draft", "critique", "section", "critique"]
    assert "it belongs to the second row" in done.tex
    assert "Georg Ohm" in (done.out / "references.bib").read_text()
    assert [d["decision"] for d in done.trace["reflect_gate"]] == ["accepted", "converged"]
    assert [s["stage"] for s in done.trace["stages"]] == [
        "scan", "explore", "figures", "gap", "draft", "reflect 1", "reflect 2", "bib", "compile",
    ]  # fmt: skip
    assert {(s["index"], s["total"]) for s in done.trace["stages"]} == {(n, 9) for n in range(1, 10)}
    assert {p: p.read_bytes() for p in data.rglob("*")} == before
    everything = [text_of(s) for s in seen] + [p.read_text("utf-8", "replace") for p in files_of(done)]
    assert not any(CANARY in text for text in everything)


def files_of(done: Done) -> list[Path]:
    return [p for folder in (done.out, done.state) for p in folder.rglob("*") if p.is_file()]


def test_a_model_that_repeats_one_call_costs_six_and_drafting_starts_from_what_was_read(data: Path) -> None:
    writer = Writer(explore=[Answer(tool_calls=[READ])])
    done, seen = written(data, writer, "--rounds", "0")
    assert writer.count("explore") == 6
    assert done.code == 0, done.talk
    assert "the exploration was cut" in done.talk
    assert done.trace["exploration"]["stopped"] == "the model made the same call five times"
    assert "U (V),I (mA)" in text_of(next(s for s in seen if "Write the whole report now" in text_of(s)))


def test_a_path_that_leads_out_is_an_error_for_the_model(data: Path) -> None:
    (data.parent / "secret.txt").write_text("the secret")
    (data / "link.txt").symlink_to(data.parent / "secret.txt")
    escapes = ["../secret.txt", str(data.parent / "secret.txt"), "link.txt", "a\0b", "ohm/../../secret.txt"]
    calls = [Answer(tool_calls=[("read_file", {"path": path})]) for path in escapes]
    writer = Writer(explore=[*calls[:3], Answer(tool_calls=[READ]), *calls[3:], Answer(tool_calls=[FINISH])])
    done, seen = written(data, writer, "--rounds", "0", "--no-compile")
    assert done.code == 0, done.talk
    last = text_of([s for s in seen if "Explore the folder" in text_of(s)][-1])
    assert last.count("leads out of the folder") == 4
    assert "is no path" in last
    assert not any("the secret" in text_of(s) for s in seen)


def test_tool_markup_in_a_draft_is_asked_for_again_each_time_firmer(data: Path) -> None:
    markup = Answer(text='<tool_call>{"name": "read_file"}</tool_call>')
    writer = Writer(draft=[markup, Answer(text="Here is what I think."), Answer(text=DRAFT)])
    done, seen = written(data, writer, "--rounds", "0", "--no-compile")
    assert done.code == 0, done.talk
    assert writer.count("draft") == 3
    assert done.trace["draft_problems"] == ["it calls a tool, and there are none", "it holds no \\documentclass"]
    drafts = [text_of(s) for s in seen if "Write the whole report now" in text_of(s)]
    assert ["was not usable" in d for d in drafts] == [False, True, True]
    assert ["This is the last try" in d for d in drafts] == [False, False, True]
    assert not any(s.body.get("tools") for s in seen if "Write the whole report now" in text_of(s))


def test_three_drafts_that_are_none_end_in_one_by_rules_that_says_so(data: Path) -> None:
    writer = Writer(draft=[Answer(text='{"name": "make_figure", "arguments": {}}')])
    done, _ = written(data, writer)
    assert (done.code, writer.count("draft")) == (3, 3)
    assert done.trace["drafted_by"] == "rules"
    assert "no usable draft in 3 tries" in done.trace["reasons"][0]
    assert [s["outcome"] for s in done.trace["stages"] if s["stage"].startswith("reflect")] == ["skipped", "skipped"]
    assert "by rules alone" in (done.out / "checks.md").read_text()


def test_a_critique_that_makes_things_worse_is_taken_back_and_ends_reflection(data: Path) -> None:
    writer = Writer(
        critique=[changes({**CHANGE, "section": "n1"})],
        section=[section("Introduction", "The voltage was measured.")],
    )
    done, _ = written(data, writer, "--rounds", "3", "--no-compile")
    assert done.code == 0, done.talk
    assert writer.count("critique") == 1
    (decision,) = done.trace["reflect_gate"]
    assert decision["decision"] == "reverted"
    assert "ohm" in " ".join(decision["reasons"])
    assert "\\cite{ohm}" in done.tex
    outcomes = {s["stage"]: s["outcome"] for s in done.trace["stages"]}
    assert [outcomes[f"reflect {n}"] for n in (1, 2, 3)] == ["done", "skipped", "skipped"]
    assert outcomes["bib"] == "done"


def test_a_section_that_comes_back_as_two_is_skipped(data: Path) -> None:
    two = Answer(text="\\section{Result}\nOne.\n\\section{More}\nTwo.\n")
    good = section("Conclusion", "It works as expected, and Ohm would agree with that.")
    writer = Writer(critique=[changes(CHANGE, {**CHANGE, "section": "Conclusion"})], section=[two, good])
    done, _ = written(data, writer, "--rounds", "1", "--no-compile")
    (decision,) = done.trace["reflect_gate"]
    assert (decision["decision"], decision["applied"], len(decision["skipped"])) == ("accepted", 1, 1)
    assert decision["skipped"][0].startswith("n2: ")
    assert "section{More}" not in done.tex
    head, _ = DRAFT.split("\\section{Conclusion}")
    assert head in done.tex


def test_a_critique_that_cannot_be_read_counts_as_empty(data: Path) -> None:
    writer = Writer(critique=[Answer(text="I would change a lot, to be honest.")])
    done, _ = written(data, writer, "--no-compile")
    assert [d["decision"] for d in done.trace["reflect_gate"]] == ["converged"]
    assert done.code == 0


BROKEN = DRAFT.replace("It works as expected.", "It works as \\undefinedcommand{expected}.")


def test_an_error_that_does_not_go_away_stops_by_its_fingerprint(data: Path) -> None:
    writer = Writer(draft=[Answer(text=BROKEN)], repair=[Answer(text=BROKEN.replace("It works", "Now it works"))])
    done, seen = written(data, writer, "--rounds", "0")
    assert (done.code, writer.count("repair")) == (3, 1), done.talk
    assert "the repair left the same error" in done.trace["reasons"][0]
    assert "Now it works" not in done.tex
    assert not (done.out / "report.pdf").exists()
    assert (done.out / "report.zip").is_file()
    assert "Undefined control sequence" in (done.out / "checks.md").read_text()
    repair = next(text_of(s) for s in seen if "does not compile" in text_of(s))
    assert "Undefined control sequence" in repair
    assert "We measured the current" not in repair


def test_an_error_is_mended_and_nothing_else_is(data: Path) -> None:
    writer = Writer(draft=[Answer(text=BROKEN)], repair=[Answer(text=DRAFT)])
    done, _ = written(data, writer, "--rounds", "0")
    assert (done.code, writer.count("repair")) == (0, 1), done.talk
    assert done.trace["compiled"]["ok"] is True


def test_a_repair_by_deletion_is_refused(data: Path) -> None:
    gone = DRAFT.replace("\\section{Conclusion}\nIt works as expected.\n", "")
    writer = Writer(draft=[Answer(text=BROKEN)], repair=[Answer(text=gone)])
    done, _ = written(data, writer, "--rounds", "0")
    assert done.code == 3
    assert "refused" in done.trace["repairs"][0]
    assert "section{Conclusion}" in done.tex


def test_an_unknown_citation_is_taken_out_and_named(data: Path) -> None:
    writer = Writer(draft=[Answer(text=DRAFT.replace("4.", "4 \\cite{nobody}."))])
    done, _ = written(data, writer, "--rounds", "0")
    assert done.code == 0, done.talk
    assert "\\cite{nobody}" not in done.tex
    assert "\\cite{ohm}" in done.tex
    assert "nobody" in (done.out / "checks.md").read_text()
    assert "nobody" not in (done.out / "references.bib").read_text()


def test_an_empty_bibliography_is_no_alarm(data: Path) -> None:
    (data / "refs.bib").unlink()
    plain = DRAFT.replace(" as \\cite{ohm} says", "").replace(
        "\\bibliographystyle{plain}\n\\bibliography{references}\n", ""
    )
    better = section("Result", "The largest value is 4, which stands in the second row of the table of values.")
    writer = Writer(draft=[Answer(text=plain)], critique=[changes()], section=[better])
    done, _ = written(data, writer, "--rounds", "1")
    assert done.code == 0, done.talk
    assert [d["decision"] for d in done.trace["reflect_gate"]] == ["accepted"]
    assert not (done.out / "references.bib").exists()


def test_a_provider_that_fails_after_the_draft_leaves_a_report_and_is_asked_again(data: Path) -> None:
    poor = Answer(status=402, body='{"error": {"message": "Insufficient Balance"}}')
    writer = Writer(critique=[poor])
    with model_server(writer) as server:
        spec = f"openai:m@{server.url}/v1"
        first = report(data, "--model", spec)
        assert first.code == 3, first.talk
        assert "reflection stopped" in first.trace["reasons"][0]
        assert (first.out / "report.pdf").is_file()
        writer.critique = [Answer(text='{"changes": []}')]
        asked = len(writer.asked)
        second = report(data, "--model", spec)
    assert second.code == 0, second.talk
    assert writer.asked[asked:] == ["critique"]
    assert "is continued" in second.talk
    assert second.trace["status"] == "complete"


def test_a_budget_of_calls_keeps_what_was_made(data: Path) -> None:
    writer = Writer()
    done, _ = written(data, writer, "--budget", "3calls", "--no-compile")
    assert done.code == 3, done.talk
    assert writer.asked == ["explore", "gap", "draft"]
    assert "budget of 3 in calls" in done.trace["reasons"][0]


def test_a_key_that_is_missing_is_said_with_the_way_out(data: Path) -> None:
    done = report(data, "--model", "anthropic:claude-x")
    assert done.code == 2
    assert "needs ANTHROPIC_API_KEY" in done.talk
    assert "harness report --offline" in done.talk


def test_exploration_is_cheap_and_drafting_is_not(data: Path) -> None:
    with model_server(Writer()) as cheap, model_server(Writer()) as main:
        done = report(
            data,
            "--no-compile",
            "--model",
            f"openai:big@{main.url}/v1",
            "--cheap-model",
            f"openai:small@{cheap.url}/v1",
        )
        assert done.code == 0, done.talk
        assert {s.body["model"] for s in cheap.seen} == {"small"}
        assert cheap.play.asked == ["explore", "gap"]  # type: ignore[attr-defined]
        assert main.play.asked == ["draft", "critique"]  # type: ignore[attr-defined]
