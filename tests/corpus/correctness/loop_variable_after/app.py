def last_number(lines, parse):
    if not lines:
        print("nothing to read")
    for line in lines:
        number = parse(line)
    return number  # expect: loop-variable-after-empty-loop


def unknown(lines, parse):
    for line in lines:
        number = parse(line)
    return number


def never_empty(parse):
    for line in ("a", "b"):
        number = parse(line)
    return number


def refilled(lines, parse):
    if not lines:
        lines = ["a"]
    else:
        number = 0
        print(number)
    for line in lines:
        number = parse(line)
    return number


def bound_before(lines, parse):
    number = 0
    for line in lines:
        number = parse(line)
    return number


def empty_leaves(lines, parse):
    if not lines:
        return 0
    for line in lines:
        number = parse(line)
    return number  # expect: loop-variable-after-empty-loop UNCERTAIN
