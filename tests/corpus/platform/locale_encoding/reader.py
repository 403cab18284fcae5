def read(path):
    with open(path) as stream:  # expect: locale-encoding UNCERTAIN
        return stream.read()


def read_more(path):
    return path.read_text()
