def total_and_save(lines, parse, save):
    rows = (parse(line) for line in lines)
    total = sum(rows)
    for row in rows:  # expect: iterator-consumed-twice
        save(row)
    return total


def numbers(lines):
    for line in lines:
        yield int(line)


def spread(lines):
    values = numbers(lines)
    low = min(values)
    high = max(values)  # expect: iterator-consumed-twice
    return high - low


def cross(left, right):
    pairs = zip(left, right)
    for name in left:
        for pair in pairs:  # expect: iterator-consumed-twice
            print(name, pair)


def a_list(lines, parse):
    rows = [parse(line) for line in lines]
    return sum(rows), max(rows)


def either(lines, flag):
    values = map(int, lines)
    if flag:
        return sum(values)
    return max(values)  # expect: iterator-consumed-twice UNCERTAIN


def made_again(lines):
    values = map(int, lines)
    low = min(values)
    values = map(int, lines)
    return low, max(values)


def peeks(lines):
    values = map(int, lines)
    for value in values:
        if value:
            break
    return list(values)  # expect: iterator-consumed-twice UNCERTAIN
