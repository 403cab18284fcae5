from datetime import datetime, timedelta, timezone


def age(mtime):
    return datetime.utcnow() - datetime.fromtimestamp(mtime)  # expect: mixed-clocks


def crash():
    started = datetime.now(timezone.utc)
    return started < datetime.now()  # expect: mixed-clocks


def stamp():
    return datetime.utcnow().timestamp()  # expect: mixed-clocks


class Session:
    def __init__(self):
        self.started = datetime.utcnow()

    def expired(self):
        return datetime.now() > self.started + timedelta(hours=1)  # expect: mixed-clocks


def both(zone):
    if zone:
        now = datetime.now(timezone.utc)
    else:
        now = datetime.now()
    return now - datetime.now()


def checked(zone):
    started = datetime.now(timezone.utc)
    if started.tzinfo is None:
        return started - datetime.now()  # expect: mixed-clocks DISMISSED
    return started - datetime.now(timezone.utc)


def perhaps(zone):
    return datetime.now(zone) - datetime.now()  # expect: mixed-clocks UNCERTAIN


def right(mtime):
    return datetime.now(timezone.utc) - datetime.fromtimestamp(mtime, tz=timezone.utc)


def right_naive():
    started = datetime.now()
    return datetime.now() - started
