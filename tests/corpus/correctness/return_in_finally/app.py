def hides(work):
    result = None
    try:
        result = work()
    finally:
        return result  # expect: return-in-finally


def keeps_looping(jobs):
    for job in jobs:
        try:
            job()
        finally:
            continue  # expect: return-in-finally


def inner_loop(work, parts):
    try:
        return work()
    finally:
        for part in parts:
            if part.closed:
                continue  # expect: return-in-finally DISMISSED
            part.close()


def cannot_raise():
    try:
        value = 1
    finally:
        return 2  # expect: return-in-finally DISMISSED


def plain(work, stream):
    try:
        return work()
    finally:
        stream.close()
