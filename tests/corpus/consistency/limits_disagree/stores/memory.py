MAX_ENTRIES = 65536
RETRY_LIMIT = 3  # expect: limits-disagree UNCERTAIN


def load(key, timeout=10):  # expect: limits-disagree
    return key


def save(key, value):
    return value
