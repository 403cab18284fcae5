import os


def save(path, text):
    """Write text so that it survives a crash."""
    temporary = path + ".tmp"
    with open(temporary, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(temporary, path)  # expect: unsynced-rename


def save_synced(path, text):
    """Write text so that it survives a crash."""
    temporary = path + ".tmp"
    with open(temporary, "w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(temporary, path)


def save_elsewhere(path, text):
    """Write text so that it survives a crash."""
    temporary = path + ".tmp"
    with open(temporary, "w", encoding="utf-8") as stream:
        stream.write(text)
        settle(stream)
    os.replace(temporary, path)  # expect: unsynced-rename DISMISSED


def settle(stream):
    stream.flush()
    os.fsync(stream.fileno())


def swap(path, text):
    temporary = path + ".tmp"
    with open(temporary, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(temporary, path)  # expect: unsynced-rename UNCERTAIN
