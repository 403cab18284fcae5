def read_all(source):
    found = []  # expect: near-clone-divergence DISMISSED
    for item in source.items():
        name = source.name(item)
        found.append(name)
        source.touch(item)
    source.done(found)
    return found
