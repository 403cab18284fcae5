import asyncio
import datetime
import threading

KEPT = set()


async def started(job):
    asyncio.create_task(job())  # expect: ruff:RUF006
    task = asyncio.create_task(job())
    KEPT.add(task)
    await task


def exclusive(count):
    with threading.Lock():  # expect: ruff:PLW2101
        count.value += 1


def lost(job):
    try:
        return job()
    finally:
        return None  # expect: ruff:B012


def stamp():
    a = datetime.datetime.utcnow().timestamp()  # expect: ruff:DTZ003
    b = datetime.datetime.utcnow()  # expect: ruff:DTZ003 UNCERTAIN
    return a, b


def quiet(job):
    try:
        job()
    except Exception:
        pass
    try:
        job()
    except Exception:
        pass  # a failing statistic must not stop the sale
