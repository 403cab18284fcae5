"""SARIF logs in the dialects of five scanners, about the same small project. Written for these tests, after the real output."""

from typing import Any

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

APP = """import hashlib
import os
import pickle
import subprocess

from flask import Flask, request

app = Flask(__name__)


@app.route("/pack")
def pack():
    name = request.args["name"]
    return os.popen("tar c " + name).read()


@app.route("/list")
def listing():
    return subprocess.check_output("ls -l", shell=True)


def restore(blob):
    return pickle.loads(blob), hashlib.md5(blob).hexdigest()
"""
"""Line 14 runs what a client sends; line 19 a constant; what line 23 gets nobody here decides."""
POPEN, CONSTANT, PICKLE = 14, 19, 23


def log(*runs: dict[str, Any]) -> dict[str, Any]:
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": list(runs)}


def region(line: int, column: int | None = None, end: int | None = None, **more: Any) -> dict[str, Any]:
    columns = {"startColumn": column, "endLine": line, "endColumn": end} if column else {}
    return {"startLine": line, **columns, **more}


def place(uri: str, at: dict[str, Any], message: str = "", **artifact: Any) -> dict[str, Any]:
    said = {"message": {"text": message}} if message else {}
    return {"physicalLocation": {"artifactLocation": {"uri": uri, **artifact}, "region": at}, **said}


def bandit(uri: str = "app.py") -> dict[str, Any]:
    """Relative URIs, a snippet at each region, the CWE as a tag, one CWE for rules that claim different things."""

    def rule(number: str, name: str, cwe: int) -> dict[str, Any]:
        tags = ["security", f"external/cwe/cwe-{cwe}"]
        return {
            "id": number, "name": name, "helpUri": f"https://bandit.readthedocs.io/en/1.9.4/plugins/{name}.html",
            "properties": {"tags": tags, "precision": "high"},
        }  # fmt: skip

    def result(number: int, rule_id: str, level: str, line: int, column: int, end: int) -> dict[str, Any]:
        text = APP.splitlines(keepends=True)[line - 1]
        return {
            "ruleId": rule_id, "ruleIndex": number, "level": level, "message": {"text": f"{rule_id} was seen here."},
            "locations": [place(uri, region(line, column, end, snippet={"text": text}))],
            "properties": {"issue_confidence": "HIGH", "issue_severity": {"error": "HIGH", "note": "LOW"}[level]},
        }  # fmt: skip

    driver = {
        "name": "Bandit", "organization": "PyCQA", "version": "1.9.4", "semanticVersion": "1.9.4",
        "rules": [rule("B605", "start_process_with_a_shell", 78), rule("B602", "subprocess_with_shell", 78),
                  rule("B607", "start_process_with_partial_path", 78), rule("B301", "pickle", 502)],
    }  # fmt: skip
    results = [
        result(0, "B605", "error", POPEN, 12, 37), result(1, "B602", "error", CONSTANT, 12, 56),
        result(2, "B607", "note", CONSTANT, 12, 56), result(3, "B301", "error", PICKLE, 12, 30),
    ]  # fmt: skip
    return log({"tool": {"driver": driver}, "results": results, "properties": {"metrics": {}}})


def codeql() -> dict[str, Any]:
    """Rules in an extension, URIs below a named base and by index, code flows, no snippet, no level at the result."""
    root = {"uriBaseId": "%SRCROOT%", "index": 0}
    rule = {
        "id": "py/command-line-injection", "name": "py/command-line-injection",
        "shortDescription": {"text": "Uncontrolled command line"},
        "defaultConfiguration": {"enabled": True, "level": "error"},
        "properties": {
            "tags": ["correctness", "external/cwe/cwe-078", "external/cwe/cwe-088", "security"], "kind": "path-problem",
            "precision": "high", "security-severity": "9.8",
        },
    }  # fmt: skip
    steps = [
        {"location": place("app.py", region(6, 26, 33), "ControlFlowNode for ImportMember", **root)},
        {"location": place("app.py", region(13, 12, 19), "ControlFlowNode for request", **root)},
        {"location": place("app.py", region(POPEN, 21, 36), "ControlFlowNode for BinaryExpr", **root)},
    ]
    result = {
        "ruleId": "py/command-line-injection", "ruleIndex": 0,
        "rule": {"id": "py/command-line-injection", "index": 0, "toolComponent": {"index": 0}},
        "message": {"text": "This command line depends on a [user-provided value](1)."},
        "locations": [place("app.py", region(POPEN, 21, 36), **root)],
        "partialFingerprints": {"primaryLocationLineHash": "f2e1c0a8b2e1d3c4:1"},
        "codeFlows": [{"threadFlows": [{"locations": steps}]}],
        "relatedLocations": [{"id": 1, **place("app.py", region(6, 26, 33), "user-provided value", **root)}],
    }  # fmt: skip
    return log(
        {
            "tool": {"driver": {"name": "CodeQL", "semanticVersion": "2.19.3"},
                     "extensions": [{"name": "codeql/python-queries", "semanticVersion": "1.3.2", "rules": [rule]}]},
            "artifacts": [{"location": {"uri": "app.py", **root}}],
            "originalUriBaseIds": {"%SRCROOT%": {"uri": "file:///home/runner/work/shop/shop/"}},
            "columnKind": "utf16CodeUnits", "results": [result],
        }
    )  # fmt: skip


def semgrep() -> dict[str, Any]:
    """CWEs as sentences, a snippet, `matchBasedId`, a result that its `nosemgrep` comment suppressed."""
    rule = {
        "id": "python.lang.security.audit.subprocess-shell-true.subprocess-shell-true",
        "name": "python.lang.security.audit.subprocess-shell-true.subprocess-shell-true",
        "defaultConfiguration": {"level": "error"},
        "help": {"text": "Use shell=False."}, "helpUri": "https://semgrep.dev/r/subprocess-shell-true",
        "properties": {"precision": "very-high", "tags": [
            "CWE-78: Improper Neutralization of Special Elements used in an OS Command ('OS Command Injection')",
            "HIGH CONFIDENCE", "OWASP-A03:2021 - Injection", "security"]},
    }  # fmt: skip

    def result(line: int, text: str, **more: Any) -> dict[str, Any]:
        at = region(line, 1, len(text) + 1, snippet={"text": text})
        return {
            "ruleId": rule["id"], "message": {"text": "Found 'subprocess' function with 'shell=True'."},
            "locations": [place("app.py", at, uriBaseId="%SRCROOT%")],
            "fingerprints": {"matchBasedId/v1": "0123abcd_0"}, "properties": {}, **more,
        }  # fmt: skip

    lines = APP.splitlines()
    return log(
        {
            "tool": {"driver": {"name": "Semgrep OSS", "semanticVersion": "1.97.0", "rules": [rule]}},
            "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": []}],
            "results": [result(CONSTANT, lines[CONSTANT - 1]),
                        result(POPEN, lines[POPEN - 1], suppressions=[{"kind": "inSource"}])],
        }
    )  # fmt: skip


def snyk() -> dict[str, Any]:
    """CWEs in `properties.cwe`, message arguments, percent-encoded URIs, flows, two runs of which one is empty."""
    rule = {
        "id": "python/CommandInjection", "name": "CommandInjection",
        "shortDescription": {"text": "Command Injection"}, "defaultConfiguration": {"level": "error"},
        "help": {"markdown": "", "text": ""},
        "properties": {"tags": ["python", "CommandInjection", "Security"], "categories": ["Security"],
                       "cwe": ["CWE-78"], "repoDatasetSize": 100},
    }  # fmt: skip
    at = {"startLine": 2, "endLine": 2, "startColumn": 32, "endColumn": 43}
    uri = "my%20scripts/caf%C3%A9.py"
    step = {"location": {"id": 0, **place(uri, at, uriBaseId="%SRCROOT%")}}
    result = {
        "ruleId": "python/CommandInjection", "ruleIndex": 0, "level": "error",
        "message": {"text": "Unsanitized input from {0} flows into {1}.", "markdown": "{0} {1}",
                    "arguments": ["[a request](0)", "[os.system](1)"]},
        "locations": [place(uri, at, uriBaseId="%SRCROOT%")],
        "codeFlows": [{"threadFlows": [{"locations": [step]}]}],
        "properties": {"priorityScore": 807, "isAutofixable": False},
    }  # fmt: skip
    driver = {"name": "SnykCode", "semanticVersion": "1.0.0", "version": "1.0.0", "rules": [rule]}
    empty = {"tool": {"driver": {"name": "Snyk Open Source", "rules": []}}, "results": []}
    return log({"tool": {"driver": driver}, "results": [result], "properties": {"coverage": []}}, empty)


SNYK_FILE = "my scripts/café.py"
SNYK_TEXT = '# "é"\nimport os; é = "🎉🎉🎉"; os.system("true")\n'


def ruff(folder: str) -> dict[str, Any]:
    """Absolute `file:` URIs, every level `error`, no CWE, no snippet, no index."""

    def result(code: str, line: int, column: int, end: int) -> dict[str, Any]:
        return {
            "ruleId": code, "level": "error", "message": {"text": f"{code} says something"},
            "locations": [place(f"file://{folder}/app.py", region(line, column, end))],
        }  # fmt: skip

    rules = [{"id": code, "fullDescription": {"text": "## What it does"}, "help": {"text": code},
              "helpUri": f"https://docs.astral.sh/ruff/rules/{code}",
              "defaultConfiguration": {"enabled": True, "level": "error"}} for code in ("S605", "S607", "E501")]  # fmt: skip
    driver = {
        "name": "ruff",
        "informationUri": "https://github.com/astral-sh/ruff",
        "version": "0.14.0",
        "rules": rules,
    }
    return log(
        {"tool": {"driver": driver},
         "results": [result("S605", POPEN, 12, 20), result("S607", CONSTANT, 36, 43), result("E501", 400, 1, 2)]}
    )  # fmt: skip
