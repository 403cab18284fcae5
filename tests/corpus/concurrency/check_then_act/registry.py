import asyncio
import subprocess
import threading

RUNS = {}
RUNS_LOCK = threading.Lock()


class AlreadyRunning(Exception):
    pass


class Registry:
    def __init__(self):
        self._lock = threading.Lock()
        self._runs = {}
        self._cache = {}
        self._worker = None
        self._conn = None
        self._limit = 3

    def start(self, run_id):
        with self._lock:
            if run_id in self._runs:
                raise AlreadyRunning(run_id)
        self._runs[run_id] = object()  # expect: check-then-act; unguarded-shared-state UNCERTAIN

    def start_in_two_steps(self, run_id):
        with self._lock:
            running = self._runs.get(run_id)
        if running is None:
            with self._lock:
                self._runs[run_id] = subprocess.Popen(["true"])  # expect: check-then-act

    def connection(self):
        if self._conn is None:
            with self._lock:
                self._conn = object.__new__(Registry)  # expect: check-then-act
        return self._conn

    def start_together(self, run_id):
        with self._lock:
            if run_id in self._runs:
                raise AlreadyRunning(run_id)
            self._runs[run_id] = object()

    def double_checked(self):
        if self._worker is None:
            with self._lock:
                if self._worker is None:
                    self._worker = threading.Thread(target=print)  # expect: check-then-act DISMISSED
        return self._worker

    def acquired(self, run_id):
        self._lock.acquire()
        try:
            if run_id in self._runs:
                raise AlreadyRunning(run_id)
            self._runs[run_id] = object()
        finally:
            self._lock.release()

    def cached(self, key):
        with self._lock:
            if key in self._cache:
                return self._cache[key]
        value = key * 2
        with self._lock:
            self._cache[key] = value  # expect: check-then-act UNCERTAIN
        return value

    def add_locked(self, run_id):
        """The lock must be held."""
        if run_id in self._runs:
            raise AlreadyRunning(run_id)
        with self._lock:
            self._runs[run_id] = object()  # expect: check-then-act DISMISSED

    def outer(self, run_id):
        with self._lock:
            self._inner(run_id)

    def _inner(self, run_id):
        if run_id in self._runs:
            raise AlreadyRunning(run_id)
        with self._other_lock():
            self._runs[run_id] = object()  # expect: check-then-act DISMISSED

    def _other_lock(self):
        return self._lock


def register(run_id):
    if run_id in RUNS:
        raise AlreadyRunning(run_id)
    with RUNS_LOCK:
        RUNS[run_id] = object()  # expect: check-then-act


def shadow(RUNS, run_id):
    if run_id in RUNS:
        raise AlreadyRunning(run_id)
    with RUNS_LOCK:
        RUNS[run_id] = object()  # expect: check-then-act DISMISSED


class Tasks:
    def __init__(self):
        self.tasks = {}
        self.lock = asyncio.Lock()

    async def begin(self, key):
        if key in self.tasks:
            raise AlreadyRunning(key)
        await asyncio.sleep(0)
        self.tasks[key] = asyncio.create_task(asyncio.sleep(1))  # expect: check-then-act

    async def begin_locked(self, key):
        async with self.lock:
            if key in self.tasks:
                raise AlreadyRunning(key)
            await asyncio.sleep(0)
            self.tasks[key] = asyncio.create_task(asyncio.sleep(1))

    async def begin_reserved(self, key):
        if key in self.tasks:
            raise AlreadyRunning(key)
        self.tasks[key] = None
        await asyncio.sleep(0)
        self.tasks[key] = asyncio.create_task(asyncio.sleep(1))

    async def begin_at_once(self, key):
        if key in self.tasks:
            raise AlreadyRunning(key)
        self.tasks[key] = asyncio.create_task(asyncio.sleep(1))
        await asyncio.sleep(0)


class Overlap:
    def __init__(self):
        self._lock = threading.Lock()
        self._seen = {}

    def run(self, key, make):
        with self._lock:
            self._seen[key] = True
        try:
            state = make(self._seen)
            if not state:
                raise AlreadyRunning(key)
            return state
        finally:
            with self._lock:
                del self._seen[key]


class Serial:
    def __init__(self):
        self._lock = threading.Lock()
        self._owner = None

    def call(self, work):
        if self._owner == threading.get_ident():
            raise RuntimeError("nested")
        with self._lock:
            self._owner = threading.get_ident()  # expect: check-then-act DISMISSED
            try:
                return work()
            finally:
                self._owner = None
