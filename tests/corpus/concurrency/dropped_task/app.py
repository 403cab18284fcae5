import asyncio

tasks = set()


async def work():
    await asyncio.sleep(1)


async def drop():
    asyncio.create_task(work())  # expect: dropped-task
    asyncio.get_running_loop().create_task(work())  # expect: dropped-task
    loop = asyncio.get_event_loop()
    loop.create_task(work())  # expect: dropped-task


async def keep():
    task = asyncio.create_task(work())
    tasks.add(task)
    task.add_done_callback(tasks.discard)


async def group():
    async with asyncio.TaskGroup() as tg:
        tg.create_task(work())


async def group_called_loop():
    async with asyncio.TaskGroup() as loop:
        loop.create_task(work())  # expect: dropped-task DISMISSED


async def given(loop):
    loop.create_task(work())  # expect: dropped-task UNCERTAIN


class Client:
    def __del__(self):
        asyncio.get_running_loop().create_task(work())  # expect: dropped-task UNCERTAIN
