"""Broken documents with the logs they leave: each is diagnosed from its recorded log, and again when it is compiled here."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from agent.records import Diagnosis
from agent.tex.log import EXCERPT_CHARS, FINGERPRINT_CHARS, diagnose
from harness.sandbox.base import Sandbox
from tests.support.tex import compiled

CASES = sorted(path for path in Path(__file__).with_name("cases").iterdir() if path.is_dir())


def expected(case: Path) -> dict[str, Any]:
    return tomllib.loads((case / "expected.toml").read_text("utf-8"))


def said(diagnosis: Diagnosis, main: str) -> dict[str, Any]:
    """The first mistake in the shape of `expected.toml`."""
    if not diagnosis.errors:
        return {"kind": ""}
    first = diagnosis.errors[0]
    told = {"kind": first.kind, "file": first.file.replace(main, "main.tex"), "line": first.line, "token": first.token}
    return {key: value for key, value in told.items() if value}


def asked(case: Path) -> dict[str, Any]:
    return {key: value for key, value in expected(case).items() if key in ("kind", "file", "line", "token")}


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.name)
def test_the_recorded_log_is_understood(case: Path) -> None:
    log = (case / "expected.log").read_text("utf-8", "replace")
    found = diagnose(log, (case / "main.tex").read_text("utf-8"), work=case)
    assert said(found, "main.tex") == asked(case)
    assert bool(found.errors) == bool(found.excerpt) == bool(found.fingerprint)
    assert len(found.excerpt) <= EXCERPT_CHARS
    assert len(found.fingerprint) <= FINGERPRINT_CHARS
    assert not found.fingerprint or str(found.errors[0].line or "?") not in found.fingerprint.split()


@pytest.mark.parametrize("case", CASES, ids=lambda p: p.name)
def test_it_is_diagnosed_the_same_when_compiled_here(case: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    outcome = compiled(
        tmp_path, (case / "main.tex").read_text("utf-8"), sandbox, pass_s=10 if "loop" in case.name else 120
    )
    assert outcome.ok == (expected(case)["kind"] == "")
    assert said(outcome.diagnosis, "report.tex") == asked(case)
    assert (tmp_path / "report.pdf").exists() == outcome.ok


def test_an_undefined_command_that_an_argument_brings_is_named_in_the_excerpt() -> None:
    log = "./main.tex:4: Undefined control sequence.\n<inserted text> \\x\n                   \nl.4     A\n          word\n"
    assert "<inserted text> \\x" in diagnose(log, "\n" * 9).excerpt
