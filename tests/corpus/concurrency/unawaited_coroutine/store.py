import sys


async def save(name):
    return name


if sys.version_info >= (3, 13):

    def both(name):
        return name

else:

    async def both(name):
        return name


def delete(name):
    return name
