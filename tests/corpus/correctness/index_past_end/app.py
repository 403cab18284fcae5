def repeats(rows):
    found = []
    for i in range(len(rows)):
        found.append(rows[i] == rows[i + 1])  # expect: index-past-end
    return found


def one_more(rows):
    for i in range(len(rows) + 1):
        print(rows[i])  # expect: index-past-end


def last():
    rows = [1, 2, 3]
    return rows[len(rows)]  # expect: index-past-end


def guarded(rows):
    found = []
    for i in range(len(rows)):
        found.append(i + 1 < len(rows) and rows[i] == rows[i + 1])  # expect: index-past-end DISMISSED
    return found


def guarded_by_if(rows):
    for i in range(len(rows)):
        if i + 1 < len(rows):
            print(rows[i + 1])  # expect: index-past-end UNCERTAIN


def caught(rows):
    for i in range(len(rows)):
        try:
            print(rows[i + 1])  # expect: index-past-end DISMISSED
        except IndexError:
            break


def right(rows):
    for i in range(len(rows) - 1):
        print(rows[i + 1])


def previous(rows):
    for i in range(1, len(rows)):
        print(rows[i - 1])


def by_key(names):
    table = {}
    for i in range(len(table) + 1):
        print(table[i])  # expect: index-past-end DISMISSED
