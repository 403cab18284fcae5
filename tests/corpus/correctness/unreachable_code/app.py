class Connection:
    def close(self):
        return self.socket.close()
        self.closed = True  # expect: unreachable-code

    def read(self, size):
        if size == 0:
            raise ValueError("size")
            self.socket.shutdown()  # expect: unreachable-code
        return self.socket.recv(size)


def empty_iterator():
    return
    yield  # expect: unreachable-code DISMISSED


def leftover(x):
    return x + 1
    "nothing here"  # expect: unreachable-code DISMISSED


def fallback(x):
    raise NotImplementedError
    return None  # expect: unreachable-code UNCERTAIN


def fine(x):
    if x:
        return 1
    print(x)
    return 2
