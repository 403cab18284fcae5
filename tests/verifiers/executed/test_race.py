"""Check-then-act claims: interleaved calls must break something that calls in a row keep, and that somebody minds."""

import pytest

from harness.contracts import Bench
from harness.sandbox.base import Sandbox
from harness.schema.evidence import Tier
from harness.schema.verdict import Judgement, Verdict
from harness.source.project import Project
from tests.support.claims import finding_at
from tests.support.trees import project_of
from verifiers.executed.verifier import ExecutedVerifier

REGISTRY = """
import asyncio
import os
import subprocess
import threading

LIMIT = 1
SLOTS = []
LOCK = threading.Lock()


class AlreadyRunning(Exception):
    pass


class Connection:
    pass


class Registry:
    def __init__(self):
        self._lock = threading.Lock()
        self._runs = {}
        self._jobs = {}
        self._cache = {}
        self._connection = None
        self._worker = None

    def start(self, run_id):
        with self._lock:
            if run_id in self._runs:
                raise AlreadyRunning(run_id)
        self._runs[run_id] = object()

    def start_together(self, run_id):
        with self._lock:
            if run_id in self._runs:
                raise AlreadyRunning(run_id)
            self._runs[run_id] = list()

    def spawn(self, run_id):
        with self._lock:
            running = self._jobs.get(run_id)
        if running is None:
            with self._lock:
                self._jobs[run_id] = subprocess.Popen(["true"])

    def connection(self):
        if self._connection is None:
            with self._lock:
                self._connection = Connection()
        return self._connection

    def worker(self):
        if self._worker is None:
            with self._lock:
                if self._worker is None:
                    self._worker = threading.Thread(target=print)
        return self._worker

    def cached(self, key):
        with self._lock:
            if key in self._cache:
                return self._cache[key]
        value = Connection()
        with self._lock:
            self._cache[key] = value
        return value

    def unlucky(self, key):
        with self._lock:
            if key in self._cache:
                return self._cache[key]
        self._cache[key] = object() / key


def take(name):
    with LOCK:
        free = len(SLOTS) < LIMIT
    if free:
        SLOTS.append(name)


class Pool:
    def __init__(self):
        self._open = False
        self.opened = []

    async def open(self):
        if not self._open:
            await asyncio.sleep(0)
            self.opened.append("connection")
            self._open = True
        return len(self.opened)


def make_folder(folder):
    if not os.path.exists(folder):
        os.mkdir(folder)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project_of(tmp_path_factory.mktemp("runs"), {"runs/__init__.py": "", "runs/registry.py": REGISTRY})


def judge(
    project: Project, sandbox: Sandbox, text: str, facts: dict[str, str], kind: str = "check-then-act"
) -> Judgement:
    finding = finding_at(project, "runs/registry.py", text, kind=kind, facts=facts)
    verifier = ExecutedVerifier()
    assert verifier.handles(finding)
    return verifier.verify(finding, Bench(project=project, sandbox=sandbox))


BROKEN = [
    ("self._runs[run_id] = object()", {"state": "self._runs", "function": "Registry.start", "test_lock": "self._lock",
     "act_lock": ""}, "`raised AlreadyRunning`"),
    ('self._jobs[run_id] = subprocess.Popen(["true"])', {"state": "self._jobs", "function": "Registry.spawn",
     "decision_line": "44", "test_lock": "self._lock", "act_lock": "self._lock"},
     "a Popen is replaced and nothing refers to it any more"),
    ("self._connection = Connection()", {"state": "self._connection", "function": "Registry.connection", "test_lock": "",
     "act_lock": "self._lock"}, "two calls in a row get one object, interleaved ones two"),
    ("SLOTS.append(name)", {"state": "SLOTS", "function": "take", "test_lock": "LOCK", "act_lock": ""},
     "two calls in a row leave ['a'], interleaved ones ['a', 'a']"),
    ("self._open = True", {"state": "self.opened", "function": "Pool.open", "shape": "await"}, "interleaved"),
]  # fmt: skip
KEPT = [
    ("self._runs[run_id] = list()", {"state": "self._runs", "function": "Registry.start_together"}),
    ("self._worker = threading.Thread(target=print)", {"state": "self._worker", "function": "Registry.worker",
     "test_lock": "", "act_lock": "self._lock"}),
    ("self._cache[key] = value", {"state": "self._cache", "function": "Registry.cached", "test_lock": "self._lock",
     "act_lock": "self._lock"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "facts", "words"), BROKEN, ids=[b[1]["function"] for b in BROKEN])
def test_a_race_that_breaks_something_is_reproduced(
    project: Project, sandbox: Sandbox, text: str, facts: dict[str, str], words: str
) -> None:
    judged = judge(project, sandbox, text, facts)
    assert (judged.verdict, judged.tier) == (Verdict.CONFIRMED, Tier.E4), judged
    assert words in judged.reason


@pytest.mark.parametrize(("text", "facts"), KEPT, ids=[k[1]["function"] for k in KEPT])
def test_one_that_breaks_nothing_is_neither_confirmed_nor_dismissed(
    project: Project, sandbox: Sandbox, text: str, facts: dict[str, str]
) -> None:
    judged = judge(project, sandbox, text, facts)
    assert judged.verdict is Verdict.UNCERTAIN, judged
    assert "interleaved calls end as two calls in a row do" in judged.reason


def test_calls_that_fail_by_themselves_prove_nothing(project: Project, sandbox: Sandbox) -> None:
    facts = {"state": "self._cache", "function": "Registry.unlucky", "test_lock": "self._lock", "act_lock": ""}
    assert judge(project, sandbox, "self._cache[key] = object() / key", facts).verdict is Verdict.UNCERTAIN


def test_a_file_that_is_looked_for_first_is_left_to_reading(project: Project) -> None:
    facts = {"path": "folder", "use": "mkdir", "test_line": "1", "function": "make_folder"}
    finding = finding_at(project, "runs/registry.py", "os.mkdir(folder)", kind="exists-then-open", facts=facts)
    assert not ExecutedVerifier().handles(finding)
