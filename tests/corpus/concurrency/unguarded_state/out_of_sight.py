import contextlib
import functools
import threading


def serial(method):
    @functools.wraps(method)
    def inner(self, *args):
        with self._lock:
            return method(self, *args)

    return inner


class Tally:
    def __init__(self):
        self._lock = threading.RLock()
        self.a = 0
        self.b = 0
        self.c = 0
        self.d = 0
        self.e = 0

    def __enter__(self):
        self._lock.acquire()
        return self

    def __exit__(self, *exc):
        self._lock.release()

    @contextlib.contextmanager
    def alone(self):
        with self._lock:
            yield

    def add(self, n):
        with self._lock:
            self.a += n
            self.b += n
            self.c += n
            self.d += n
            self.e += n

    def add_two(self, n):
        with self._lock:
            self.a += 2 * n
            self.b += 2 * n
            self.c += 2 * n
            self.d += 2 * n
            self.e += 2 * n

    def by_itself(self, n):
        with self:
            self.a += n  # expect: unguarded-shared-state UNCERTAIN

    def by_method(self, n):
        with self.alone():
            self.b += n  # expect: unguarded-shared-state UNCERTAIN

    @serial
    def by_decorator(self, n):
        self.c += n  # expect: unguarded-shared-state UNCERTAIN

    def by_stack(self, n):
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._lock)
            self.d += n  # expect: unguarded-shared-state UNCERTAIN

    def by_file(self, n, path):
        with open(path, encoding="utf-8") as stream:
            self.e += n + len(stream.read())  # expect: unguarded-shared-state
