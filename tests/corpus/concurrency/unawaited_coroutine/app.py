import asyncio

from asgiref.sync import async_to_sync
from store import save, both, delete


class Mailer:
    async def send(self, mail):
        return mail

    def handle(self, mail):
        self.send(mail)  # expect: unawaited-coroutine

    async def handle_right(self, mail):
        await self.send(mail)


class Base:
    async def run(self):
        return 1

    def go(self):
        self.run()  # expect: unawaited-coroutine UNCERTAIN


class Plain(Base):
    def run(self):
        return 2


@async_to_sync
async def wrapped():
    return 1


async def main():
    save("a")  # expect: unawaited-coroutine
    await save("a")
    both("a")  # expect: unawaited-coroutine DISMISSED
    wrapped()  # expect: unawaited-coroutine UNCERTAIN
    delete("a")
    task = save("b")
    await task


def shadowed(save):
    save("a")  # expect: unawaited-coroutine DISMISSED


async def by_object(other: Mailer, unknown, flag):
    mailer = Mailer()
    mailer.send("a")  # expect: unawaited-coroutine
    other.send("a")  # expect: unawaited-coroutine
    unknown.send("a")
    await mailer.send("a")


async def wait(delay):
    asyncio.sleep(delay)  # expect: unawaited-coroutine
    await asyncio.sleep(delay)


async def wait_shadowed(asyncio, delay):
    asyncio.sleep(delay)  # expect: unawaited-coroutine DISMISSED


class Post:
    def __init__(self):
        self.mailer = Mailer()

    def go(self):
        self.mailer.send("a")  # expect: unawaited-coroutine
