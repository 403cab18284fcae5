def collect(name, found=[]):
    found.append(name)  # expect: mutable-default-mutated
    return found


def label(key, labels={}):
    labels[key] = key.upper()  # expect: mutable-default-mutated
    return labels


def fresh(name, found=[]):
    found = list(found)
    found.append(name)  # expect: mutable-default-mutated DISMISSED
    return found


def squares(n, _cache={}):
    if n not in _cache:
        _cache[n] = n * n  # expect: mutable-default-mutated UNCERTAIN
    return _cache[n]


def only_read(name, known=()):
    return name in known


def read_list(name, allowed=["a"]):
    return name in allowed


def _always_given(name, found=[]):
    found.append(name)  # expect: mutable-default-mutated UNCERTAIN
    return found


def parser(text, stack=[]):
    def push():
        stack.append(text)

    stack.append(0)  # expect: mutable-default-mutated UNCERTAIN
    return push


def user():
    return _always_given("a", []), collect("a")
