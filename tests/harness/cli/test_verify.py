"""Findings made elsewhere: what each scanner's log becomes, and what goes back into it."""

import codecs
import copy
import json
from pathlib import Path

import jsonschema
import pytest

from harness.cli.main import main
from harness.state import State
from tests.support import scanner_logs as logs
from tests.support.audits import project

SCHEMA = json.loads(
    (Path(__file__).parents[1] / "render" / "schemas" / "sarif-schema-2.1.0.json").read_text("utf-8")
)  # fmt: skip
VALIDATOR = jsonschema.Draft4Validator(SCHEMA, format_checker=jsonschema.FormatChecker())


@pytest.fixture
def harness(capfd):
    def run(*arguments):
        code = main([str(a) for a in arguments])
        return code, *capfd.readouterr()

    return run


@pytest.fixture
def shop(tmp_path):
    return project(tmp_path, {"app.py": logs.APP, logs.SNYK_FILE: logs.SNYK_TEXT})


@pytest.fixture
def verified(harness, tmp_path, shop):
    """Verify a log and return (report, annotated log)."""

    def run(log, *options):
        VALIDATOR.validate(log)
        file = tmp_path / "scan.sarif"
        file.write_text(json.dumps(log))
        written = tmp_path / "judged.sarif"
        code, out, err = harness(
            "verify", file, "--repo", shop, "--no-exec", "--format", "json", "--output", f"sarif={written}", *options
        )
        assert code in (0, 1), err
        judged = json.loads(written.read_text())
        VALIDATOR.validate(judged)
        assert _stripped(judged) == log
        return json.loads(out), judged

    return run


def _stripped(judged):
    """The log without what we added."""
    log = copy.deepcopy(judged)
    for run in log["runs"]:
        for result in run.get("results", []):
            said = result["properties"].pop("harness", {})
            if said.get("verdict") == "DISMISSED":
                result["suppressions"] = result["suppressions"][:-1]
        run.get("properties", {}).pop("harness", None)
    return log


def _verdicts(report):
    return {(f["rule"], f["line"]): (f["verdict"], f["tier"], f["kind"]) for f in report["findings"]}


def _with_tables(log):
    """What a log looks like when every result and run has `properties` and, where asked, `suppressions`."""
    for run in log["runs"]:
        run.setdefault("properties", {})
        for result in run.get("results", []):
            result.setdefault("properties", {})
            result.setdefault("suppressions", [])
    return log


def test_bandit_is_judged_by_what_each_rule_claims(verified):
    report, judged = verified(_with_tables(logs.bandit()))
    assert _verdicts(report) == {
        ("bandit:B605", logs.POPEN): ("CONFIRMED", "E3", "command-injection"),
        ("bandit:B602", logs.CONSTANT): ("DISMISSED", "E3", "command-injection"),
        ("bandit:B607", logs.CONSTANT): ("UNCERTAIN", "E1", "bandit:B607"),
        ("bandit:B301", logs.PICKLE): ("UNCERTAIN", "E1", "unsafe-deserialization"),
    }
    first, second, third, _ = judged["runs"][0]["results"]
    assert first["suppressions"] == third["suppressions"] == []
    assert second["suppressions"] == [
        {
            "kind": "external",
            "status": "accepted",
            "justification": "refuted (E3 proved): the value never carries untrusted data",
        }
    ]
    said = first["properties"]["harness"]
    assert (said["verdict"], said["tier"], said["evidence"][-1]["kind"]) == ("CONFIRMED", "E3", "flow")
    assert judged["runs"][0]["properties"]["harness"]["status"] == "complete"
    assert [(i["result"], bool(i["finding"])) for i in report["imported"]] == [(n, True) for n in range(4)]
    assert report["stats"]["by_dimension"].keys() == {"bandit"}


def test_codeql_flows_and_bases_lead_to_the_place(verified):
    report, _ = verified(_with_tables(logs.codeql()))
    (found,) = report["findings"]
    assert (found["path"], found["line"], found["verdict"], found["severity"]) == ("app.py", 14, "CONFIRMED", "high")
    assert found["scenario"] == "This command line depends on a user-provided value."
    assert [(r["role"], r["location"]["line"]) for r in found["related"]] == [
        ("source", 6), ("step", 13), ("related", 6),
    ]  # fmt: skip


def test_semgrep_keeps_what_it_suppressed_and_its_fix(verified):
    log = _with_tables(logs.semgrep())
    report, judged = verified(log)
    (found,) = report["findings"]
    assert (found["line"], found["verdict"], found["cwe"]) == (logs.CONSTANT, "DISMISSED", 78)
    (gone,) = report["stats"]["rejected"]
    assert gone["reason"] == "it was suppressed before (inSource)"
    assert report["imported"][1] == {
        "run": 0, "result": 1, "finding": None, "reason": "it was suppressed before (inSource)",
    }  # fmt: skip
    assert judged["runs"][0]["results"][1]["properties"]["harness"] == {
        "rejected": "it was suppressed before (inSource)"
    }


def test_snyk_paths_messages_and_columns_are_decoded(verified):
    report, _ = verified(_with_tables(logs.snyk()))
    (found,) = report["findings"]
    assert (found["path"], found["line"]) == (logs.SNYK_FILE, 2)
    assert found["scenario"] == "Unsanitized input from a request flows into os.system."
    # Columns of the log count UTF-16 units: three emoji before the call are six of them.
    line = logs.SNYK_TEXT.splitlines()[1]
    assert line[found["column"] - 1 :].startswith("os.system(")
    assert (found["cwe"], found["verdict"]) == (78, "DISMISSED")  # the command is a constant


def test_ruff_absolute_files_and_lines_that_are_not_there(verified, shop):
    report, _ = verified(_with_tables(logs.ruff(str(shop))))
    assert _verdicts(report) == {
        ("ruff:S605", logs.POPEN): ("CONFIRMED", "E3", "command-injection"),
        ("ruff:S607", logs.CONSTANT): ("UNCERTAIN", "E1", "ruff:S607"),
    }
    (gone,) = report["stats"]["rejected"]
    assert gone["reason"] == "app.py has 24 lines, the result is about line 400"
    assert (report["stats"]["raised"], report["stats"]["admitted"]) == (3, 2)


def test_a_log_from_another_machine_is_cut_at_its_root(verified):
    report, _ = verified(_with_tables(logs.ruff("/builds/group/shop")))
    assert len(report["findings"]) == 2


def test_two_scanners_that_agree_are_one_finding(verified, shop):
    both = _with_tables(logs.log(*logs.bandit()["runs"], *logs.ruff(str(shop))["runs"]))
    report, judged = verified(both)
    found = next(f for f in report["findings"] if f["line"] == logs.POPEN)
    assert found["auditors"] == ["bandit", "ruff"]
    ids = [run["results"][0]["properties"]["harness"]["id"] for run in judged["runs"]]
    assert ids == [found["id"]] * 2


@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        ("gone.py", "gone.py is not a file of the audited revision"),
        ("../../etc/passwd", "../../etc/passwd leads out of the audited folder"),
        ("file:///etc/passwd", "/etc/passwd is outside of the audited folder"),
        ("https://example.org/app.py", "https: names no file of a folder"),
        ("file://server/share/app.py", "the file is on another machine (server)"),
        ("%00", "the path holds a zero byte"),
        ("", "the result names no file"),
    ],
)
def test_what_names_no_file_of_the_revision_is_rejected_and_counted(harness, tmp_path, shop, uri, reason):
    log = logs.bandit(uri)
    log["runs"][0]["results"] = log["runs"][0]["results"][:1]
    (tmp_path / "scan.sarif").write_text(json.dumps(log))
    code, out, _ = harness("verify", tmp_path / "scan.sarif", "--repo", shop, "--no-exec", "--format", "json")
    report = json.loads(out)
    assert (code, report["findings"]) == (0, [])
    assert [r["reason"] for r in report["stats"]["rejected"]] == [reason]
    assert (report["stats"]["raised"], report["stats"]["admitted"]) == (1, 0)


def test_a_snippet_that_moved_moves_the_claim_and_one_that_is_gone_rejects_it(verified, shop):
    lines = logs.APP.splitlines(keepends=True)
    lines[logs.CONSTANT - 1] = "    return ''\n"
    (shop / "app.py").write_text("# one more line\n" + "".join(lines))
    report, _ = verified(_with_tables(logs.bandit()))
    assert {(f["rule"], f["line"]) for f in report["findings"]} == {("bandit:B605", 15), ("bandit:B301", 24)}
    assert {r["reason"] for r in report["stats"]["rejected"]} == {"the quoted text is nowhere in app.py"}


def test_no_column_no_level_no_rule_and_no_message(verified):
    bare = {
        "message": {"text": "Something is wrong here."},
        "locations": [logs.place("app.py", {"startLine": logs.POPEN})],
    }
    silent = {"message": {"text": " "}, "ruleId": "X1", "locations": [logs.place("app.py", {"startLine": 3})]}
    nowhere = {"message": {"text": "All of it."}, "ruleId": "X2"}
    passed = {"message": {"text": "fine"}, "ruleId": "X3", "kind": "pass", "level": "none"}
    log = logs.log({"tool": {"driver": {"name": "7 Wonders!"}}, "results": [bare, silent, nowhere, passed]})
    report, _ = verified(_with_tables(log))
    (found,) = report["findings"]
    assert (found["rule"], found["severity"]) == ("tool-7-wonders:unnamed", "medium")
    assert found["dimension"] == ["tool-7-wonders"]
    assert [r["reason"] for r in report["stats"]["rejected"]] == [
        "the claim has no scenario", "the result names no place", "it is of kind pass, no claim of a defect",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is no JSON"),
        (b"[1]", "holds no JSON object"),
        (b'{"a": NaN}', "is no JSON"),
        (b"[" * 100_000, "is no JSON"),
        (b'{"results": []}', "neither SARIF nor a report of ours"),
        (b'{"version": "2.0.0", "runs": [{}]}', "is SARIF 2.0.0"),
        (b'{"version": "2.1.0", "runs": []}', "holds no run"),
        (b'{"schema_version": "harness.report/1"}', "is no report of ours"),
        (b'{"schema_version": "harness.report/2"}', "is no report of ours"),
    ],
)
def test_a_file_that_is_none_is_refused_before_anything_is_made(harness, tmp_path, shop, data, says):
    file = tmp_path / "scan.sarif"
    file.write_bytes(data)
    code, out, err = harness("verify", file, "--repo", shop)
    assert (code, out) == (2, "")
    assert says in err
    assert not State(shop).all_runs()


def test_a_file_that_is_too_large_is_not_read(harness, tmp_path, shop):
    with (tmp_path / "scan.sarif").open("wb") as stream:
        stream.truncate(200 << 20)
    code, _, err = harness("verify", tmp_path / "scan.sarif", "--repo", shop)
    assert code == 2
    assert "more than 48" in err


@pytest.mark.parametrize("encode", [lambda t: codecs.BOM_UTF8 + t.encode(), lambda t: t.encode("utf-16")])
def test_byte_order_marks_are_understood(harness, tmp_path, shop, encode):
    (tmp_path / "scan.sarif").write_bytes(encode(json.dumps(logs.bandit())))
    assert harness("verify", tmp_path / "scan.sarif", "--repo", shop, "--no-exec", "--quiet")[0] == 1


def test_odd_shapes_are_results_without_a_place_not_crashes(harness, tmp_path, shop):
    odd = [None, 1, [], {}, {"ruleIndex": 99, "locations": [None, {"physicalLocation": []}], "codeFlows": {"a": 1}},
           {"rule": {"toolComponent": {"index": -4}}, "message": {"id": "m", "arguments": [1]}}]  # fmt: skip
    (tmp_path / "scan.sarif").write_text(json.dumps(logs.log({"tool": 3, "results": odd}, {"results": {}}, None)))  # type: ignore[arg-type]  # what a hostile file holds
    code, out, _ = harness("verify", tmp_path / "scan.sarif", "--repo", shop, "--no-exec", "--format", "json")
    report = json.loads(out)
    assert (code, report["findings"], len(report["stats"]["rejected"])) == (0, [], 6)


def test_more_results_than_are_looked_at_leave_the_run_incomplete(harness, tmp_path, shop, monkeypatch):
    monkeypatch.setattr("harness.audit.material.MOST", 2)
    (tmp_path / "scan.sarif").write_text(json.dumps(logs.bandit()))
    code, out, _ = harness("verify", tmp_path / "scan.sarif", "--repo", shop, "--no-exec", "--format", "json")
    assert code == 3
    assert json.loads(out)["run"]["reason"] == "the file holds 4 findings; only the first 2 were looked at"


def test_a_log_without_results_is_not_a_pass(harness, tmp_path, shop):
    (tmp_path / "scan.sarif").write_text(json.dumps(logs.log({"tool": {"driver": {"name": "x"}}, "results": []})))
    code, _, err = harness("verify", tmp_path / "scan.sarif", "--repo", shop)
    assert code == 4
    assert "holds no result" in err


def test_a_report_of_ours_is_looked_at_afresh(harness, tmp_path, shop):
    _, out, _ = harness("audit", shop, "--dimension", "security", "--no-exec", "--format", "json")
    report = json.loads(out)
    known = {f["fingerprint"]: f["verdict"] for f in report["findings"]}
    assert "CONFIRMED" in known.values()
    for finding in report["findings"]:
        finding |= {"verdict": "DISMISSED", "tier": "E5", "judgements": [], "evidence": []}
    (tmp_path / "report.json").write_text(json.dumps(report))
    _, out, _ = harness("verify", tmp_path / "report.json", "--repo", shop, "--no-exec", "--format", "json")
    assert {f["fingerprint"]: f["verdict"] for f in json.loads(out)["findings"]} == known


def test_a_sarif_log_of_ours_keeps_rules_facts_and_verdicts(harness, tmp_path, shop):
    arguments = ("audit", shop, "--dimension", "security", "--no-exec", "--show", "open", "--show", "dismissed")
    _, out, _ = harness(*arguments, "--format", "json")
    known = {(f["fingerprint"], f["rule"], f["verdict"]) for f in json.loads(out)["findings"]}
    assert {verdict for _, _, verdict in known} >= {"CONFIRMED", "DISMISSED"}
    _, out, _ = harness(*arguments, "--format", "sarif")
    log = json.loads(out)
    for result in log["runs"][0]["results"]:
        result.pop("suppressions")  # a dismissed one would be left aside
        result["properties"]["harness/verdict"] = "DISMISSED"
    (tmp_path / "own.sarif").write_text(json.dumps(log))
    _, out, _ = harness("verify", tmp_path / "own.sarif", "--repo", shop, "--no-exec", "--format", "json")
    assert {(f["fingerprint"], f["rule"], f["verdict"]) for f in json.loads(out)["findings"]} == known


def test_a_log_that_only_claims_to_be_ours_is_read_like_any_other(harness, tmp_path, shop):
    log = logs.bandit()
    log["runs"][0]["tool"]["driver"]["name"] = "harness"
    for result in log["runs"][0]["results"]:
        result["properties"] = {**result.get("properties", {}), "harness/claim": {"rule": 7}}
    (tmp_path / "forged.sarif").write_text(json.dumps(log))
    _, out, _ = harness("verify", tmp_path / "forged.sarif", "--repo", shop, "--no-exec", "--format", "json")
    assert {f["rule"].partition(":")[0] for f in json.loads(out)["findings"]} == {"harness"}


def test_it_is_a_run_that_resumes_without_its_file(harness, tmp_path, shop):
    file = tmp_path / "scan.sarif"
    file.write_text(json.dumps(logs.bandit()))
    code, out, _ = harness("verify", file, "--repo", shop, "--no-exec", "--budget", "0s")
    assert code == 3
    file.unlink()
    code, out, _ = harness("resume", "--repo", shop, "--budget", "1h", "--format", "sarif")
    assert code == 1
    verdicts = [r["properties"]["harness"]["verdict"] for r in json.loads(out)["runs"][0]["results"]]
    assert verdicts == ["CONFIRMED", "DISMISSED", "UNCERTAIN", "UNCERTAIN"]
    assert harness("runs", "export", "1", "--repo", shop, "--format", "sarif")[1] == out


def test_findings_that_were_changed_in_the_run_folder_are_not_used(harness, tmp_path, shop):
    (tmp_path / "scan.sarif").write_text(json.dumps(logs.bandit()))
    harness("verify", tmp_path / "scan.sarif", "--repo", shop, "--no-exec", "--budget", "0s")
    (folder,) = State(shop).all_runs()
    assert folder.imported.stat().st_mode & 0o077 == 0
    folder.imported.write_text(json.dumps(logs.semgrep()))
    code, _, err = harness("resume", "--repo", shop, "--budget", "1h")
    assert code == 3
    assert "were changed since" in err


def test_text_says_why_results_were_not_looked_at(harness, tmp_path, shop):
    (tmp_path / "scan.sarif").write_text(json.dumps(logs.ruff(str(shop))))
    _, out, _ = harness("verify", tmp_path / "scan.sarif", "--repo", shop, "--no-exec")
    assert "Not looked at (1)" in out
    assert "     1  app.py has 24 lines, the result is about line 400" in out


# recheck


def _recheck(harness, shop, *arguments):
    code, out, err = harness("verify", *arguments, "--recheck", "--repo", shop, "--no-exec", "--format", "json")
    report = json.loads(out) if out else {}
    return code, [(r["rule"], r["outcome"]) for r in report.get("rechecked", [])], report, err


def test_after_nothing_everything_is_still_there(harness, shop):
    harness("audit", shop, "--dimension", "security", "--no-exec", "--quiet")
    code, outcomes, report, _ = _recheck(harness, shop)
    assert (code, outcomes) == (1, [("command-injection", "still there")])
    assert "confirmed again at app.py:14" in report["rechecked"][0]["reason"]


def test_a_guard_and_a_rewrite_are_fixes(harness, shop):
    harness("audit", shop, "--dimension", "security", "--no-exec", "--quiet")
    fixed = logs.APP.replace('args["name"]', 'args["name"]\n    if name not in ("a", "b"):\n        return ""')
    (shop / "app.py").write_text(fixed)
    code, outcomes, report, _ = _recheck(harness, shop)
    assert (code, outcomes) == (0, [("command-injection", "fixed")])
    assert "refuted now" in report["rechecked"][0]["reason"]
    (shop / "app.py").write_text(logs.APP.replace('os.popen("tar c " + name).read()', "name"))
    code, outcomes, report, _ = _recheck(harness, shop)
    assert (code, outcomes) == (0, [("command-injection", "fixed")])
    assert "was looked for again in app.py and not found" in report["rechecked"][0]["reason"]


def test_the_same_defect_in_other_words_is_still_there(harness, shop):
    harness("audit", shop, "--dimension", "security", "--no-exec", "--quiet")
    (shop / "app.py").write_text(logs.APP.replace('os.popen("tar c " + name)', 'os.popen(f"tar c {name}")'))
    code, outcomes, _, _ = _recheck(harness, shop)
    assert (code, outcomes) == (1, [("command-injection", "still there")])


@pytest.mark.parametrize("change", ["gone", "broken", "moved", "renamed"])
def test_what_was_not_looked_at_again_is_never_fixed(harness, shop, change):
    harness("audit", shop, "--dimension", "security", "--no-exec", "--quiet")
    file = shop / "app.py"
    match change:
        case "gone":
            file.unlink()
        case "broken":
            file.write_text("def (:\n")
        case "moved":
            file.rename(shop / "other.py")
        case "renamed":
            file.write_text(logs.APP.replace("def pack", "def bundle").replace('"tar c " + name', 'f"tar c {name}"'))
    code, outcomes, _, _ = _recheck(harness, shop)
    assert code == 1
    assert outcomes == [("command-injection", "still there" if change == "moved" else "cannot tell")]


def test_a_file_of_findings_is_rechecked_by_its_verdicts(harness, tmp_path, shop):
    (tmp_path / "scan.sarif").write_text(json.dumps(logs.bandit()))
    judged = tmp_path / "judged.sarif"
    harness("verify", tmp_path / "scan.sarif", "--repo", shop, "--no-exec", "--quiet", "--output", f"sarif={judged}")
    code, outcomes, _, _ = _recheck(harness, shop, judged)
    assert (code, outcomes) == (1, [("bandit:B605", "still there")])
    (shop / "app.py").write_text(logs.APP.replace('"tar c " + name', '"tar c"'))
    code, outcomes, report, _ = _recheck(harness, shop, judged)
    assert (code, outcomes) == (1, [("bandit:B605", "cannot tell")])
    assert "no auditor here looks for bandit:B605" in report["rechecked"][0]["reason"]


def test_text_says_what_became_of_each(harness, shop):
    harness("audit", shop, "--dimension", "security", "--no-exec", "--quiet")
    code, out, _ = harness("verify", "--recheck", "--repo", shop, "--no-exec")
    assert code == 1
    assert "Looked at again: 0 fixed, 1 still there, 0 cannot tell" in out
    assert "still there  app.py:14  command-injection" in out


def test_a_recheck_needs_a_report_and_a_file_or_the_wish(harness, shop):
    code, _, err = harness("verify", "--recheck", "--repo", shop)
    assert (code, "no finished run" in err) == (2, True)
    code, _, err = harness("verify", "--repo", shop)
    assert (code, "no FILE of findings was given" in err) == (2, True)
