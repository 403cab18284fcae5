import threading

GUARD = threading.Lock()


class Store:
    def __init__(self):
        self._lock = threading.Lock()
        self._data = {}
        self._size = 0

    def bad(self, load):
        self._lock.acquire()  # expect: lock-not-released
        self._data = load()
        self._lock.release()

    def quiet(self):
        self._lock.acquire()  # expect: lock-not-released DISMISSED
        self._size = 1
        self._lock.release()

    def handled(self, load):
        self._lock.acquire()  # expect: lock-not-released DISMISSED
        try:
            self._data = load()
        except BaseException:
            self._lock.release()
            raise
        self._lock.release()

    def good(self, load):
        self._lock.acquire()
        try:
            self._data = load()
        finally:
            self._lock.release()

    def maybe(self, load):
        if self._lock.acquire(timeout=1):  # expect: lock-not-released UNCERTAIN
            self._data = load()
            self._lock.release()

    def __enter__(self):
        self._lock.acquire()
        return self

    def __exit__(self, *exc):
        self._lock.release()


def bad(load):
    GUARD.acquire()  # expect: lock-not-released
    value = load()
    GUARD.release()
    return value


class Box:
    def __init__(self):
        self._ready = threading.Condition()

    def get(self):
        self._ready.acquire()  # expect: lock-not-released DISMISSED
        self._ready.wait()
        self._ready.release()
