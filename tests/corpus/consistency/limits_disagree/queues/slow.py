MAX_SIZE = 100  # expect: limits-disagree DISMISSED


def push(item):
    return item


def pull():
    return None
