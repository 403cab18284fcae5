import threading


class Registry:
    def __init__(self):
        self._guard = threading.RLock()
        self._runs = {}
        self._reports = []

    def is_running(self, name):
        with self._guard:
            return name in self._runs

    def register(self, name, run):
        with self._guard:
            self._runs[name] = run

    def report(self, name):
        with self._guard:
            self._reports.append(name)

    def register_new(self, name, run):
        with self._guard:
            if self.is_running(name):
                raise RuntimeError(name)
            self.register(name, run)  # expect: check-then-act-calls DISMISSED


class Strict:
    def __init__(self):
        self._lock = threading.Lock()
        self._runs = {}

    def is_running(self, name):
        with self._lock:
            return name in self._runs

    def register(self, name, run):
        with self._lock:
            if name in self._runs:
                raise RuntimeError(name)
            self._runs[name] = run
