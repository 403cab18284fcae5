import threading

def exclusive(count):
    with threading.Lock():  # expect: ruff:PLW2101
        count.value += 1


def lost(job):
    try:
        return job()
    finally:
        return None  # expect: ruff:B012


def quiet(job):
    try:
        job()
    except Exception:
        pass
    try:
        job()
    except Exception:
        pass  # a failing statistic must not stop the sale
