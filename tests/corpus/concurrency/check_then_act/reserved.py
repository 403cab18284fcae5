import threading


class Busy(Exception):
    pass


class Desk:
    def __init__(self):
        self._lock = threading.Lock()
        self._asked = {}
        self._running = set()

    def ask(self, key):
        with self._lock:
            first = key not in self._asked
            self._asked.setdefault(key, object())
        if not first:
            return
        print(key)
        with self._lock:
            del self._asked[key]  # expect: check-then-act DISMISSED

    def ask_without_taking_it(self, key):
        with self._lock:
            known = key in self._asked
        if not known:
            return
        print(key)
        with self._lock:
            del self._asked[key]  # expect: check-then-act

    def run(self, name):
        with self._lock:
            if name in self._running:
                raise Busy(name)
            self._running.add(name)
        print(name)
        with self._lock:
            self._running.remove(name)  # expect: check-then-act DISMISSED

    def run_another(self, name, other):
        with self._lock:
            if name in self._running:
                raise Busy(name)
            self._running.add(other)
        with self._lock:
            self._running.remove(name)  # expect: check-then-act UNCERTAIN

    def taken_only_sometimes(self, name, wanted):
        with self._lock:
            if name in self._running:
                raise Busy(name)
            if wanted:
                self._running.add(name)
        with self._lock:
            self._running.remove(name)  # expect: check-then-act

    def taken_with_nothing(self, name):
        with self._lock:
            if self._asked.get(name):
                raise Busy(name)
            self._asked[name] = None
        with self._lock:
            del self._asked[name]  # expect: check-then-act UNCERTAIN
