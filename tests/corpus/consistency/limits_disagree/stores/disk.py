MAX_ENTRIES = 64 * 1024
RETRY_LIMIT = 5


def load(key, timeout=30):
    return key


def save(key, value):
    return value
