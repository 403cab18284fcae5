from shop.store import Box


def lines(rows):
    found = []
    for row in rows:
        found.append(row)
    return found


def placed(shelf, row):
    shelf.insert(row)


def packed(row):
    box = Box()
    box.extend(row)
    return box
