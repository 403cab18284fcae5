def read_all(source, limit):
    if limit < 0:
        raise ValueError(limit)
    found = []
    for item in source.items():
        name = source.name(item)
        found.append(name)
        source.touch(item)
    source.done(found)
    return found
