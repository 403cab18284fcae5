from aiohttp import web

from dao import Student


async def students(request):
    data = await request.post()
    async with request.app["db"].acquire() as connection:
        await Student.create(connection, data["name"])
        await Student.create_well(connection, data["name"])
    raise web.HTTPFound("/students")


async def go(request):
    raise web.HTTPFound(request.query["next"])  # expect: open-redirect
