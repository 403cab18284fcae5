class RoomError(Exception):
    """No room."""


def settle(rooms: list[int], guests: int) -> int:
    if not rooms:
        raise RoomError("no room")
    for room in rooms:
        if room >= guests:
            return room
    while guests > 0:
        guests -= max(rooms)
    return -1
