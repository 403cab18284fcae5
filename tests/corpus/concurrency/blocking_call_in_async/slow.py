import time


def pause():
    time.sleep(2)


def maybe_pause(really):
    if really:
        time.sleep(2)


def quick():
    return 1
