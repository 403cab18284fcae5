import threading

TOTAL = 0
TOTAL_LOCK = threading.Lock()


class Counter:
    def __init__(self):
        self._lock = threading.Lock()
        self.total = 0
        self.names = set()
        self.mode = "a"

    def add(self, n):
        with self._lock:
            self.total += n
            self.names.add(n)

    def more(self, n):
        with self._lock:
            self.total += n
            self.names.add(n)
            self.mode = "b"

    def less(self, n):
        with self._lock:
            self.total -= n
            self.names.remove(n)

    def clear_total(self):
        self.total = 0  # expect: unguarded-shared-state

    def show(self):
        return [n for n in self.names]  # expect: unguarded-shared-state

    def copy(self):
        with self._lock:
            return [n for n in self.names]

    def switch(self):
        with self._lock:
            self.mode = "c"

    def back(self):
        self.mode = "a"  # expect: unguarded-shared-state UNCERTAIN

    def drain(self):
        with self._lock:
            self._drop()

    def _drop(self):
        self.total = 0  # expect: unguarded-shared-state DISMISSED
        self.names.clear()  # expect: unguarded-shared-state DISMISSED

    def by_hand(self):
        self._lock.acquire()
        try:
            self.total -= 1  # expect: unguarded-shared-state DISMISSED
        finally:
            self._lock.release()


def count():
    global TOTAL
    with TOTAL_LOCK:
        TOTAL += 1


def count_two():
    global TOTAL
    with TOTAL_LOCK:
        TOTAL += 2


def count_bare():
    global TOTAL
    TOTAL += 1  # expect: unguarded-shared-state


def local():
    TOTAL = 1
    return TOTAL


def make(fast):
    hits = 0
    lock = threading.Lock()
    if fast:

        def hit():
            nonlocal hits
            hits += 1  # expect: unguarded-shared-state UNCERTAIN

    else:

        def hit():
            nonlocal hits
            with lock:
                hits += 1

    return hit
