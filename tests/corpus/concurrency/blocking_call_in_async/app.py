import asyncio
import time
import subprocess


async def bad():
    time.sleep(1)  # expect: blocking-call-in-async
    await asyncio.sleep(0)
    subprocess.run(["true"])  # expect: blocking-call-in-async


async def shadowed(time):
    time.sleep(1)  # expect: blocking-call-in-async DISMISSED


async def maybe(loop):
    await loop.run_in_executor(None, lambda: time.sleep(1))  # expect: blocking-call-in-async UNCERTAIN


async def good():
    def work():
        time.sleep(1)

    await asyncio.to_thread(work)
    await asyncio.to_thread(time.sleep, 1)


def plain():
    time.sleep(1)
