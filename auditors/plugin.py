"""Every auditor of ours, in one table."""

from pathlib import Path

from auditors import (
    concurrency,
    consistency,
    correctness,
    data_integrity,
    docs,
    executed,
    frontend,
    latex,
    platform,
    security,
    tests,
    wrapped,
)
from auditors.checks import CheckAuditor
from auditors.model.reader import ModelReader
from harness.contracts import Auditor, Plugin

_WEB = frozenset({"python", "html", "javascript", "typescript", "css"})
_TEXTS = frozenset({"python", "markdown", "rst", "text", "toml", "yaml", "ini", "shell", "dockerfile", "make", "json"})

_AUDITORS: tuple[Auditor, ...] = (
    CheckAuditor("security", security.CHECKS),
    *security.AUDITORS,
    CheckAuditor("concurrency", concurrency.CHECKS),
    *concurrency.AUDITORS,
    CheckAuditor("data-integrity", data_integrity.CHECKS),
    *data_integrity.AUDITORS,
    CheckAuditor("correctness", correctness.CHECKS),
    *correctness.AUDITORS,
    *executed.AUDITORS,
    CheckAuditor("consistency", consistency.CHECKS),
    *consistency.AUDITORS,
    CheckAuditor("platform", platform.CHECKS),
    *platform.AUDITORS,
    CheckAuditor("latex", latex.CHECKS),
    *latex.AUDITORS,
    CheckAuditor("tests", tests.CHECKS),
    *tests.AUDITORS,
    CheckAuditor("docs", docs.CHECKS, languages=_TEXTS),
    *docs.AUDITORS,
    CheckAuditor("frontend", frontend.CHECKS, languages=_WEB),
    *frontend.AUDITORS,
    *wrapped.AUDITORS,
)

PLUGIN = Plugin(
    name="auditors", auditors=_AUDITORS, dimensions=Path(__file__).parent / "dimensions", reader=ModelReader
)
