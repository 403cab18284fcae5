"""Lanes and verifiers that break, hang, or kill their worker: what was found stays, and nothing of it looks like success."""

import os
import signal
import threading
import time

import pytest

from harness.audit import runner, start
from harness.audit.order import Order
from harness.audit.outcome import exit_code
from harness.audit.status import state_of
from harness.errors import ExitCode, Interrupted, JournalFailed, RunLocked
from harness.events import LaneEnded
from harness.journal.journal import Journal
from harness.schema.evidence import Tier
from harness.schema.finding import Severity
from harness.schema.run import RunStatus
from harness.schema.verdict import Verdict
from harness.state import State
from tests.support.audits import ConstantVerifier, EvalAuditor, Log, audit, means, project, told


def trap(tmp_path, name, words):
    (tmp_path / f"trap-{name}").write_text(words)


def again(root, with_=None, **more):
    state = State(root)
    (folder,) = state.all_runs()
    with start.again(state, folder, with_ or means(), **more) as desk:
        return runner.run(desk)


def lanes(report):
    return {(lane.dimension, lane.auditor): (lane.status, lane.done) for lane in report.coverage.lanes}


def code(report):
    return exit_code(report, Severity.HIGH, Tier.E1)


def test_a_lane_that_fails_is_part_of_the_verdict(tmp_path):
    trap(tmp_path, "evil", "raise")
    log = Log()
    report = audit(project(tmp_path), means(tell=log))
    assert report.run.reason == "1 of 3 lanes failed: evil for web (sprung)"
    assert lanes(report)["web", "evil"] == ("failed", 0)
    assert report.stats.confirmed == 2
    assert code(report) is ExitCode.INCOMPLETE
    assert [e.reason for e in log if isinstance(e, LaneEnded) and e.status == "failed"] == ["sprung"]


def test_a_failed_lane_is_tried_again_when_the_run_is_resumed(tmp_path, monkeypatch):
    root = project(tmp_path)
    expected = told(audit(root))
    trap(tmp_path, "evil", "raise")
    monkeypatch.setenv("HARNESS_STATE_DIR", str(tmp_path / "other"))
    assert audit(root).run.status is RunStatus.INCOMPLETE
    assert told(again(root)) == expected


def test_a_lane_that_kills_its_worker_is_given_up_after_three(tmp_path):
    trap(tmp_path, "evil", "kill kill kill kill")
    root = project(tmp_path)
    report = audit(root)
    assert (tmp_path / "trap-evil").read_text() == "kill"
    assert "evil for web (the worker died (signal 9))" in report.run.reason
    assert report.stats.confirmed == 2
    assert code(report) is ExitCode.INCOMPLETE
    resumed = again(root)
    assert (tmp_path / "trap-evil").read_text() == "kill", "a poison lane was tried a fourth time"
    assert "evil for web (given up: begun 3 times and never finished)" in resumed.run.reason


def test_a_worker_killed_by_chance_costs_nothing(tmp_path):
    root = project(tmp_path)
    trap(tmp_path, "evil", "kill")
    report = audit(root)
    assert report.run.status is RunStatus.COMPLETE


def test_all_lanes_failed_is_never_a_pass(tmp_path):
    for name in ("eval", "evil"):
        trap(tmp_path, name, "raise raise")
    report = audit(project(tmp_path))
    assert report.findings == ()
    assert "3 of 3 lanes failed" in report.run.reason
    assert code(report) is ExitCode.INCOMPLETE


def test_a_verifier_that_fails_leaves_unverified_and_is_asked_again_on_resume(tmp_path):
    root = project(tmp_path)
    trap(tmp_path, "constant-first", "raise")
    report = audit(root)
    first = report.findings[0]
    assert (first.verdict, first.tier) == (Verdict.UNVERIFIED, Tier.E1)
    assert first.reason == "constant gave no answer: sprung"
    assert report.stats.unverified == 1
    assert report.run.reason == "1 of 3 findings are unverified"
    assert code(report) is ExitCode.INCOMPLETE
    assert again(root).findings[0].verdict is Verdict.CONFIRMED


def test_a_finding_that_kills_the_verifier_costs_no_other_its_verdict(tmp_path):
    trap(tmp_path, "constant-first", "kill kill kill kill")
    report = audit(project(tmp_path))
    assert (tmp_path / "trap-constant-first").read_text() == "kill"
    assert [f.verdict for f in report.findings] == ["UNVERIFIED", "DISMISSED", "CONFIRMED"]


def test_a_finding_that_kills_its_worker_in_three_runs_is_given_up_and_its_batch_is_not(tmp_path):
    root = project(tmp_path)
    with_ = means(jobs=1)
    trap(tmp_path, "constant-first", "kill kill raise")
    audit(root, with_)
    trap(tmp_path, "constant-first", "kill kill kill kill")
    report = again(root, with_)
    assert (tmp_path / "trap-constant-first").read_text().split() == ["kill"] * 4, "it was tried a fourth time"
    assert report.findings[0].reason == "constant gave no answer: given up: begun 3 times and never finished"
    assert [f.verdict for f in report.findings] == ["UNVERIFIED", "DISMISSED", "CONFIRMED"]


def test_a_used_up_budget_keeps_what_was_verified_and_resume_goes_on_there(tmp_path):
    root = project(tmp_path)
    trap(tmp_path, "constant-third", "sleep")
    report = audit(root, means(jobs=1), budget=("2s",))
    assert [f.verdict for f in report.findings] == ["CONFIRMED", "DISMISSED", "UNVERIFIED"]
    assert report.findings[2].reason == "constant gave no answer: its time was used up before it"
    assert code(report) is ExitCode.INCOMPLETE
    assert code(again(root, budget=("1h",))) is ExitCode.FINDINGS


def test_lanes_that_were_not_reached_are_planned_and_the_run_incomplete(tmp_path):
    trap(tmp_path, "eval", "sleep")
    report = audit(project(tmp_path), means(jobs=1), budget=("1s",))
    assert {status for status, _ in lanes(report).values()} == {"planned"}
    assert report.run.reason == "3 of 3 lanes were not reached"


def test_no_verifier_for_a_kind_is_an_open_question(tmp_path):
    report = audit(project(tmp_path), means(verifiers=()))
    assert {(f.verdict, f.tier, f.reason) for f in report.findings} == {
        ("UNCERTAIN", "E1", "no verifier knows this kind of claim")
    }
    assert report.run.status is RunStatus.COMPLETE
    assert code(report) is ExitCode.PASS


def test_a_verdict_without_evidence_counts_for_nothing(tmp_path):
    class Boastful(ConstantVerifier):
        def verify(self, finding, bench):
            return super().verify(finding, bench).model_copy(update={"evidence": ()})

    report = audit(project(tmp_path), means(verifiers=(Boastful(),)))
    assert {f.verdict for f in report.findings} == {Verdict.UNVERIFIED}


class Executing(EvalAuditor):
    executes = True


class ExecutingVerifier(ConstantVerifier):
    id = "executed"
    executes = True


class Anywhere:
    mechanism = "a place in this test"

    def run(self, argv, **more):
        raise AssertionError("nothing runs here")


def test_executing_over_its_share_of_time_makes_the_run_incomplete_and_keeps_what_reading_proved(tmp_path, monkeypatch):
    from harness.audit import verify

    monkeypatch.setattr(verify, "EXECUTING_AT_MOST", 0.5)
    trap(tmp_path, "executed-third", "sleep")
    with_ = means(verifiers=(ConstantVerifier(), ExecutingVerifier()), sandbox=Anywhere(), jobs=1)
    report = audit(project(tmp_path), with_)
    assert [f.verdict for f in report.findings] == ["CONFIRMED", "DISMISSED", "CONFIRMED"]
    assert report.run.reason == "1 further verifications failed (executed: its time was used up before it)"


def test_a_lane_that_wants_a_sandbox_makes_the_run_incomplete_where_there_is_none(tmp_path):
    root = project(tmp_path)
    auditors = (EvalAuditor(), Executing("evil", "other"))
    report = audit(root, means(auditors=auditors))
    assert lanes(report)["web", "evil"] == ("skipped", 0)
    assert report.run.reason == "evil could not run: no sandbox (none in this test)"
    assert report.coverage.sandbox == "none: none in this test"
    assert code(report) is ExitCode.INCOMPLETE
    without = audit(root, means(auditors=auditors), execute=False)
    assert without.run.status is RunStatus.COMPLETE
    assert lanes(without)["web", "evil"] == ("skipped", 0)


def test_executed_verification_without_a_sandbox_is_unverified_unless_it_was_not_wanted(tmp_path):
    root = project(tmp_path)
    report = audit(root, means(verifiers=(ExecutingVerifier(),)))
    assert {f.verdict for f in report.findings} == {Verdict.UNVERIFIED}
    assert "3 executed verifications could not run: no sandbox (none in this test)" in report.run.reason
    without = audit(root, means(verifiers=(ExecutingVerifier(),)), execute=False)
    assert {f.verdict for f in without.findings} == {Verdict.UNCERTAIN}
    assert without.run.status is RunStatus.COMPLETE


def test_a_dismissed_finding_is_not_executed_and_the_others_keep_their_proof(tmp_path):
    report = audit(project(tmp_path), means(verifiers=(ConstantVerifier(), ExecutingVerifier())))
    assert [f.verdict for f in report.findings] == ["CONFIRMED", "DISMISSED", "CONFIRMED"]
    assert "2 executed verifications could not run" in report.run.reason


def test_files_that_nobody_could_analyse_are_no_success(tmp_path):
    report = audit(project(tmp_path, {"a.py": "def broken(:\n"}))
    assert report.run.reason == "no file could be analysed"
    assert report.coverage.lanes[0].skipped[0].path == "a.py"
    assert code(report) is ExitCode.INCOMPLETE


def test_an_interrupt_keeps_everything_and_says_how_to_go_on(tmp_path):
    root = project(tmp_path)
    trap(tmp_path, "constant-third", "sleep")

    def stop(signum, frame):
        raise Interrupted

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 1.5)
        begin = time.monotonic()
        with pytest.raises(Interrupted, match=r"run 0001 keeps everything .* harness resume 0001"):
            audit(root)
        assert time.monotonic() - begin < 1.5 + 2
    finally:
        signal.signal(signal.SIGALRM, before)
    (folder,) = State(root).all_runs()
    state = state_of(folder)
    assert (state.status, state.reason) == (RunStatus.INCOMPLETE, "interrupted")
    assert state.lanes.done == 3
    assert state.verifications.done == 2
    with start.recorded(State(root), folder, means()) as desk:
        partial = runner.run(desk)
    assert [f.verdict for f in partial.findings] == ["CONFIRMED", "DISMISSED", "UNVERIFIED"]
    assert partial.run.status is RunStatus.INCOMPLETE
    assert state_of(folder).reason == "interrupted", "reading a run changed it"
    with Journal(folder.journal, folder.id, read_only=True) as journal:
        attempts = journal.state(f"verify/constant/{partial.findings[2].fingerprint}").attempts
    assert attempts == 0, "being stopped counted as a crash, and three of those give a step up"
    assert again(root).run.status is RunStatus.COMPLETE


def test_a_second_process_on_a_run_is_refused_while_its_state_can_be_read(tmp_path):
    root = project(tmp_path)
    with start.new(Order(origin=str(root)), means()):
        (folder,) = State(root).all_runs()
        state = state_of(folder)
        assert state.status is RunStatus.RUNNING
        assert state.reason.startswith(f"process {os.getpid()} on ")
        with pytest.raises(RunLocked, match=f"process {os.getpid()} .*alive"):
            again(root)
    assert state_of(folder).status is RunStatus.INCOMPLETE


def test_a_changed_record_is_refused_on_resume(tmp_path):
    import sqlite3

    root = project(tmp_path)
    trap(tmp_path, "constant-third", "raise")
    audit(root)
    (folder,) = State(root).all_runs()
    with sqlite3.connect(folder.journal) as connection:
        connection.execute("UPDATE results SET body=replace(body, 'CONFIRMED', 'DISMISSED') WHERE step LIKE 'verify/%'")
    connection.close()
    with pytest.raises(JournalFailed, match="was changed after it was written"):
        again(root)
    assert state_of(folder).status is RunStatus.INCOMPLETE


def test_a_disk_that_is_full_is_incomplete_and_not_a_bug(tmp_path):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    with pytest.raises(JournalFailed, match="No space left") as caught:
        audit(project(tmp_path), means(pin=full))
    assert "free disk space" in caught.value.hint
    root = tmp_path / "project"
    assert again(root).run.status is RunStatus.COMPLETE


def test_a_report_that_cannot_be_written_is_incomplete_and_resumed(tmp_path, monkeypatch):
    root = project(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(
            "harness.audit.status.write_atomic", lambda *_, **__: (_ for _ in ()).throw(OSError(30, "Read-only"))
        )
        with pytest.raises(JournalFailed, match="Read-only"):
            audit(root)
    (folder,) = State(root).all_runs()
    assert state_of(folder).status is RunStatus.INCOMPLETE
    assert again(root).run.status is RunStatus.COMPLETE


def test_a_lane_that_raises_more_than_anybody_can_read_has_failed(tmp_path, monkeypatch):
    monkeypatch.setattr("harness.audit.work.CLAIM_CHARACTERS", 100)
    report = audit(project(tmp_path))
    assert report.findings == ()
    assert "it raised more than anybody can read" in report.run.reason


def test_deduplication_that_breaks_degrades_to_all_claims(tmp_path, monkeypatch):
    from harness.audit import dedupe

    monkeypatch.setattr(dedupe, "_same", lambda *_: 1 / 0)
    log = Log()
    report = audit(project(tmp_path), means(tell=log))
    assert report.run.status is RunStatus.COMPLETE
    assert {f.verdict for f in report.findings} == {Verdict.CONFIRMED, Verdict.DISMISSED}
    assert any("duplicates were not merged" in getattr(e, "message", "") for e in log)


def test_the_parent_starts_no_thread(tmp_path):
    before = threading.active_count()
    during = []
    audit(project(tmp_path), means(tell=lambda _: during.append(threading.active_count())))
    assert set(during) == {before}


@pytest.mark.parametrize("jobs", [1, 3])
def test_the_report_does_not_depend_on_the_number_of_workers(tmp_path, jobs, monkeypatch):
    root = project(tmp_path, {f"m{n}.py": f"def f{n}(x):\n    return eval(x), eval('{n}')\n" for n in range(9)})
    expected = told(audit(root))
    monkeypatch.setenv("HARNESS_STATE_DIR", str(tmp_path / "other"))
    assert told(audit(root, means(jobs=jobs))) == expected
