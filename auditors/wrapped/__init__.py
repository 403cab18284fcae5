"""Well-kept analysers, each as auditors of the groups it serves. None gets a word of the project's configuration."""

from auditors.wrapped.bandit import BanditAuditor
from auditors.wrapped.ruff import RuffAuditor
from auditors.wrapped.ruff_meaning import MEANING
from auditors.wrapped.ruff_reliability import CONCURRENCY, DATA_INTEGRITY, PLATFORM, TESTS
from auditors.wrapped.ruff_runtime import RUNTIME
from auditors.wrapped.ruff_security import SECURITY
from auditors.wrapped.secrets import SecretsAuditor
from auditors.wrapped.vulture import VultureAuditor
from harness.contracts import Auditor

AUDITORS: tuple[Auditor, ...] = (
    RuffAuditor("security", SECURITY),
    RuffAuditor("concurrency", CONCURRENCY),
    RuffAuditor("data-integrity", DATA_INTEGRITY),
    RuffAuditor("correctness", RUNTIME | MEANING),
    RuffAuditor("platform", PLATFORM),
    RuffAuditor("tests", TESTS),
    BanditAuditor(),
    VultureAuditor(),
    SecretsAuditor(),
)
