MAX_SIZE = 500  # the broker of this cluster refuses longer queues


def push(item):
    return item


def pull():
    return None
