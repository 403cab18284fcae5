"""What people ran into with other tools that audit by asking models, and the tests that show it does not happen here.

`SHOWN` maps each behaviour to the tests that prove it; a test below holds the table to the tests that there are. Where we
have no such part, another carries the behaviour: nothing posts comments on a merge request, so identity across pushes,
wording and sides of a diff is that of fingerprints, of the baseline and of the SARIF that code scanning reads.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from harness.cli.main import main
from tests.end_to_end.test_models import CODE, GUARDED, MEAN, audit, good, harness, verdicts
from tests.support.hostile import plain_git, repository, write
from tests.support.model_server import Answer, Seen, model_server
from tests.support.players import finding, findings, is_auditor, text_of, vote

TESTS = Path(__file__).parents[1]
TROUBLE = "durability/test_trouble.py"
GATE = "end_to_end/test_gate.py"
MODELS = "end_to_end/test_models.py"
HERE = "end_to_end/test_complaints.py"

SHOWN: dict[str, tuple[str, ...]] = {
    "a run that hit its cap is incomplete, keeps what it had, and was refused the call before it was made": (
        f"{TROUBLE}::test_a_used_up_budget_keeps_what_was_verified_and_resume_goes_on_there",
        "security/test_prompt_injection.py::test_gate_01_a_budget_that_ran_out_is_no_pass",
        "harness/test_budget.py::test_refused_before_and_settled_after",
        "security/test_prompt_injection.py::test_a_budget_in_money_with_an_unknown_price_is_refused_before_anything_is_sent",
    ),
    "an error of the provider, a cut answer or a verdict word in prose opens no gate": (
        f"{MODELS}::test_no_bad_model_makes_a_run_green",
        f"{MODELS}::test_no_bad_verifier_decides",
        "harness/llm/test_structured.py::test_prose_counts_only_when_it_says_one_thing",
        "harness/llm/test_faults.py::test_llm_06_a_cut_answer_is_never_complete_however_whole_it_looks",
        "auditors/test_model_reader.py::test_llm_06_what_does_not_fit_is_read_in_two_parts",
    ),
    "when no reader answered there is no pass": (
        f"{MODELS}::test_no_bad_model_makes_a_run_green",
        f"{TROUBLE}::test_all_lanes_failed_is_never_a_pass",
    ),
    "a cancelled or late run says so, and what was covered": (
        f"{GATE}::test_an_interrupted_gate_reaches_a_terminal_word",
        f"{GATE}::test_tests_that_never_end_are_no_pass",
        "harness/cli/test_audit.py::test_a_run_that_wrote_no_report_is_put_together_from_its_journal",
    ),
    "a lane that was not reached or died is part of the verdict": (
        f"{TROUBLE}::test_lanes_that_were_not_reached_are_planned_and_the_run_incomplete",
        f"{TROUBLE}::test_a_lane_that_fails_is_part_of_the_verdict",
        "harness/test_workers.py::test_a_task_over_its_time_is_killed_with_all_it_started",
    ),
    "what was skipped is seen and is no pass": (
        f"{GATE}::test_a_skipped_lane_is_no_pass",
        f"{GATE}::test_a_changed_file_that_does_not_parse_is_no_pass",
        "end_to_end/test_review.py::test_nothing_changed_is_nothing_in_scope",
    ),
    "no verdict is neither side": (
        f"{TROUBLE}::test_a_verifier_that_fails_leaves_unverified_and_is_asked_again_on_resume",
        f"{TROUBLE}::test_a_verdict_without_evidence_counts_for_nothing",
        "verifiers/argued/test_panel.py::test_what_is_no_verdict_leaves_the_finding_unverified",
    ),
    "code that is not in the file is never argued about": (
        f"{HERE}::test_nobody_is_asked_about_what_was_invented",
        "harness/audit/test_admit.py::test_what_does_not_stand_is_rejected_with_the_reason",
    ),
    "paths are those of the revision, a baseline names single findings, evidence comes along": (
        f"{MODELS}::test_llm_07_what_is_true_stands_what_is_false_falls_what_is_invented_is_rejected",
        "harness/audit/test_decisions.py::test_the_baseline_hides_what_it_names_and_nothing_new",
        "harness/cli/test_findings.py::test_show_tells_everything",
    ),
    "a quote that stands at several places is not guessed at": (
        "harness/audit/test_admit.py::test_a_quote_that_moved_is_anchored_again",
        "harness/audit/test_admit.py::test_what_does_not_stand_is_rejected_with_the_reason",
        "harness/cli/test_verify.py::test_a_snippet_that_moved_moves_the_claim_and_one_that_is_gone_rejects_it",
    ),
    "one defect is one finding, whoever raised it and in whatever words": (
        f"{HERE}::test_two_readers_of_one_defect_are_one_finding",
        "harness/audit/test_dedupe.py::test_claims_of_one_defect_are_merged",
        "harness/cli/test_verify.py::test_two_scanners_that_agree_are_one_finding",
    ),
    "everything found is kept at once, the cap holds in the middle of a run, and a cancelled run still has a report": (
        "durability/test_models.py::test_dur_08_ctrl_c_during_a_call_ends_with_130_and_what_was_paid_is_kept",
        "harness/llm/test_faults.py::test_a_budget_in_tokens_is_overshot_by_what_is_in_flight_at_most",
        "harness/cli/test_audit.py::test_a_run_that_wrote_no_report_is_put_together_from_its_journal",
    ),
    "a late stage that breaks costs its own work only": (
        f"{TROUBLE}::test_deduplication_that_breaks_degrades_to_all_claims",
        f"{TROUBLE}::test_a_report_that_cannot_be_written_is_incomplete_and_resumed",
    ),
    "a long run is not lost, and says what it covered": (
        "durability/test_kill.py::test_every_boundary",
        f"{MODELS}::test_an_exhausted_quota_keeps_everything_and_resume_finishes",
        f"{TROUBLE}::test_files_that_nobody_could_analyse_are_no_success",
    ),
    "one item that fails, is refused or is malformed costs no other": (
        f"{HERE}::test_a_malformed_finding_costs_itself_alone_and_the_run_is_no_pass",
        "security/test_prompt_injection.py::test_pi_03_a_refusal_is_incomplete_and_no_pass",
        "harness/audit/test_admit.py::test_order_is_kept_and_one_broken_claim_drops_no_other",
        "end_to_end/test_three_hundred.py::test_nothing_but_checked_votes_decides_and_no_answer_is_paid_twice",
    ),
    "verdicts are typed fields, and identity is no line number": (
        "harness/llm/test_structured.py::test_anything_else_is_no_answer",
        "harness/audit/test_fingerprint.py::test_survives_what_does_not_change_the_code",
        "harness/audit/test_fingerprint.py::test_changes_with_the_code",
    ),
    "a wrong refutation needs code that is there, doubt is a verdict, and what was dismissed can be read": (
        f"{MODELS}::test_no_bad_verifier_decides",
        f"{MODELS}::test_gate_01_readers_that_disagree_about_a_grave_finding_are_no_pass",
        "harness/cli/test_findings.py::test_a_dismissed_finding_is_listed_with_its_refutation",
    ),
    "who verifies is blind to who found it, and people hear when both are of one family": (
        "harness/audit/test_verify.py::test_a_verifier_is_blind_to_who_found_it_and_what_they_propose",
        f"{MODELS}::test_llm_07_what_is_true_stands_what_is_false_falls_what_is_invented_is_rejected",
    ),
    "a verifier writes no verdict but its own": (
        "harness/audit/test_verify.py::test_a_verifier_cannot_speak_in_the_name_of_another",
        "security/test_sandbox_containment.py::test_tst_05_what_is_readable_cannot_be_changed_for_the_next_step",
    ),
    "text of the project is fenced data, and a gate reads typed fields": (
        "harness/llm/test_toolloop.py::test_results_are_fenced_and_the_answer_ends_it",
        "security/test_prompt_injection.py::test_pi_04_forged_marks_results_and_verdicts_in_the_source_are_text",
        f"{GATE}::test_forged_markers_in_the_change_say_nothing",
    ),
    "no marker in the change speaks for the gate, and there is one threshold": (
        f"{HERE}::test_audit_and_gate_draw_one_line",
        f"{GATE}::test_what_the_change_decides_about_itself_does_not_count",
        f"{GATE}::test_a_policy_loosened_in_the_change_refuses_and_is_not_used",
    ),
    "a review names both sides, and changes nothing": (
        f"{GATE}::test_a_clean_change_passes",
        "security/test_review_git.py::test_nothing_runs_and_nothing_is_written",
        "harness/cli/test_audit.py::test_auditing_leaves_the_project_as_it_was",
        "security/test_ingest_git.py::test_git_07_submodules_are_not_initialised",
    ),
    "a second round is about what is new and what is open, and nothing found is an answer": (
        "end_to_end/test_review.py::test_a_second_round_tells_what_is_new_what_is_open_and_what_is_gone",
        "end_to_end/test_review.py::test_a_change_that_breaks_nothing_has_no_finding",
    ),
    "an answered finding stays answered in other words, and not when its code changes": (
        f"{HERE}::test_a_waived_finding_stays_waived_when_it_is_told_in_other_words",
        "harness/audit/test_decisions.py::test_a_waiver_is_void_once_the_code_changed",
        "harness/llm/test_structured.py::test_json_anywhere",
    ),
    "a rewritten branch keeps identities, and lines are those of the head": (
        f"{HERE}::test_a_rewritten_branch_keeps_identities_and_has_lines_of_the_head",
        "end_to_end/test_review.py::test_a_file_that_moves_takes_its_findings_along",
    ),
    "a check always ends in a word": (
        f"{GATE}::test_an_interrupted_gate_reaches_a_terminal_word",
        f"{GATE}::test_a_signal_in_the_middle_of_the_tests_ends_the_gate_and_resume_finishes_it",
        "durability/test_kill.py::test_a_run_killed_again_and_again_still_ends",
    ),
    "a waiver has a reason and an end, survives moves, and dies with the code": (
        "harness/audit/test_decisions.py::test_a_waiver_holds_to_its_last_day",
        "harness/audit/test_decisions.py::test_a_waiver_is_void_once_the_code_changed",
        "end_to_end/test_review.py::test_a_copy_put_before_a_waived_original_is_the_new_one",
    ),
    "a trial stops nobody, and a claim of absence is searched for again": (
        f"{HERE}::test_audit_and_gate_draw_one_line",
        "harness/audit/test_admit.py::test_the_search_behind_an_absence_is_run_again",
        "harness/audit/test_admit.py::test_a_search_that_finds_something_else_rejects_the_claim",
    ),
    "findings are put to falsifiers, and reports follow a published schema": (
        f"{MODELS}::test_llm_07_what_is_true_stands_what_is_false_falls_what_is_invented_is_rejected",
        "harness/cli/test_explain.py::test_reports_follow_the_schema",
        "harness/cli/test_verify.py::test_bandit_is_judged_by_what_each_rule_claims",
    ),
    "a loop is broken by calls, by money and by lack of anything new": (
        "harness/llm/test_toolloop.py::test_a_model_that_repeats_one_call_costs_at_most_six_requests",
        "harness/llm/test_toolloop.py::test_paraphrased_calls_that_bring_nothing_new_end_it",
        "harness/llm/test_toolloop.py::test_rounds_are_capped",
        "harness/llm/test_faults.py::test_a_budget_in_calls_holds_with_32_in_flight",
    ),
}


@pytest.mark.parametrize("behaviour", SHOWN)
def test_each_behaviour_has_the_tests_that_show_it(behaviour: str) -> None:
    for test in SHOWN[behaviour]:
        file, _, name = test.partition("::")
        assert re.search(rf"^def {name}\(", (TESTS / file).read_text("utf-8"), re.MULTILINE), test


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "stats.py").write_text(CODE)
    return root


def core(seen: Seen) -> bool:
    """The question is that of the reader for correctness."""
    return "core correctness" in text_of(seen)


def test_nobody_is_asked_about_what_was_invented(project: Path, tmp_path: Path) -> None:
    with model_server(good) as server:
        _, report, _ = audit(project, server, tmp_path / "state", "--dimension", "correctness")
        asked = [text_of(seen) for seen in server.seen if not is_auditor(seen)]
    assert len(report["stats"]["rejected"]) == 2
    assert len(asked) == 2
    assert not any("nowhere.py" in text or "max(values)" in text for text in asked)


def test_two_readers_of_one_defect_are_one_finding(project: Path, tmp_path: Path) -> None:
    mean = {**MEAN, "cwe": 369}
    other = {
        **mean,
        "scenario": "Nobody checks how many there are: zero of them end the program.",
        "fix": "Refuse none.",
    }

    def play(seen: Seen) -> Answer:
        if is_auditor(seen):
            return findings(seen, mean if core(seen) else other)
        return vote(seen, "stands", "nothing checks", ("stats.py", 3, "return total / len(values)"))

    with model_server(play) as server:
        _, report, _ = audit(
            project, server, tmp_path / "state", "--dimension", "correctness", "--dimension", "security"
        )
        questions = sum(not is_auditor(seen) for seen in server.seen)
    (one,) = [f for f in report["findings"] if f["rule"].startswith("model:")]
    assert one["dimension"] == ["correctness", "security"]
    assert (report["stats"]["duplicates"], questions) == (1, 1)


def test_a_malformed_finding_costs_itself_alone_and_the_run_is_no_pass(project: Path, tmp_path: Path) -> None:
    def play(seen: Seen) -> Answer:
        if is_auditor(seen):
            return findings(seen, {"path": 7}, MEAN, {**GUARDED, "line": "nine"})
        return good(seen)

    with model_server(play) as server:
        code, report, _ = audit(project, server, tmp_path / "state", "--dimension", "correctness")
    assert verdicts(report) == {3: "CONFIRMED"}
    skipped = [s["reason"] for lane in report["coverage"]["lanes"] for s in lane["skipped"] if s["path"] == "stats.py"]
    assert [reason.split(":")[:2] for reason in skipped] == [["malformed answer", f" finding {n}"] for n in (1, 3)]
    assert (code, report["run"]["status"]) == (3, "incomplete")
    assert "2 findings could not be read, the first of them: malformed answer: finding 1" in report["run"]["reason"]


def test_a_waived_finding_stays_waived_when_it_is_told_in_other_words(project: Path, tmp_path: Path) -> None:
    words = "A user calls it with an empty list, and the division raises ZeroDivisionError."

    def play(seen: Seen) -> Answer:
        if is_auditor(seen):
            return findings(seen, {**MEAN, "scenario": words}) if core(seen) else findings(seen)
        return vote(seen, "stands", "nothing checks", ("stats.py", 3, "return total / len(values)"))

    state = tmp_path / "state"
    with model_server(play) as server:
        _, first, _ = audit(project, server, state, "--dimension", "correctness", "--fail-on", "medium")
        (one,) = [f for f in first["findings"] if f["rule"].startswith("model:")]
        harness(project, "findings", "waive", one["id"], "--reason", "callers check", "--author", "Ada", state=state)
        words = "With nothing in it the sum is divided by zero, and whoever asked for a mean gets a ZeroDivisionError."
        (project / "stats.py").write_text("# moved down\n\n" + CODE)
        moved = finding("stats.py", 5, "return total / len(values)", symbol="mean", scenario=words)

        def reworded(seen: Seen) -> Answer:
            if is_auditor(seen):
                return findings(seen, moved) if core(seen) else findings(seen)
            return vote(seen, "stands", "nothing checks", ("stats.py", 5, "return total / len(values)"))

    with model_server(reworded) as server:
        code, second, _ = audit(project, server, state, "--dimension", "correctness", "--fail-on", "medium")
    (again,) = [f for f in second["findings"] if f["rule"].startswith("model:")]
    assert (again["fingerprint"], again["line"], again["scenario"]) == (one["fingerprint"], 5, words)
    assert again["waiver"]["reason"] == "callers check"
    assert code == 0


BLOCKING = "import time\n\n\nasync def wait():\n    time.sleep(1)\n"
"""CONFIRMED of severity medium."""


@pytest.mark.parametrize(("fail_on", "code"), [("medium", 1), ("high", 0), ("none", 0)])
def test_audit_and_gate_draw_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fail_on: str, code: int
) -> None:
    policy = f'[tool.harness]\ndimensions = ["concurrency"]\nfail_on = "{fail_on}"\n'
    origin = repository(tmp_path / "app", {"pyproject.toml": policy, "shop.py": "X = 1\n"})
    plain_git(origin, "checkout", "-q", "-b", "change")
    write(origin, {"app.py": BLOCKING})
    plain_git(origin, "add", "-A")
    plain_git(origin, "commit", "-q", "-m", "change")
    assert main(["audit", str(origin), "--format", "json", "-q"]) == code
    audited = json.loads(capsys.readouterr().out)
    main(["gate", str(origin), "--base", "main", "--format", "json", "-q"])
    gated = json.loads(capsys.readouterr().out)
    assert [f["verdict"] for f in audited["findings"]] == ["CONFIRMED"]
    points = {point["name"]: point["state"] for point in gated["points"]}
    assert points["findings"] == ("refused" if code else "passed")


def test_a_rewritten_branch_keeps_identities_and_has_lines_of_the_head(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def reviewed() -> dict[str, Any]:
        main(
            [
                "review",
                str(origin),
                "--base",
                "main",
                "--dimension",
                "concurrency",
                "--format",
                "sarif",
                "-q",
                "--no-tests",
            ]
        )
        (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
        return {"ids": result["partialFingerprints"], **result["locations"][0]["physicalLocation"]}

    origin = repository(tmp_path / "app", {"app.py": "import time\n\n\ndef other():\n    return 1\n"})
    plain_git(origin, "checkout", "-q", "-b", "change")
    write(origin, {"app.py": BLOCKING})
    plain_git(origin, "commit", "-q", "-am", "change")
    first = reviewed()
    write(origin, {"app.py": BLOCKING.replace("\n\n\n", "\n\nLIMIT = 3\nOTHER = 4\n\n\n")})
    plain_git(origin, "commit", "-q", "-a", "--amend", "-m", "said otherwise")
    second = reviewed()
    assert second["ids"]["harness/v1"] == first["ids"]["harness/v1"]
    assert (first["region"]["startLine"], second["region"]["startLine"]) == (5, 8)
