def kind(mode, name):
    if mode == "r" or "rb":  # expect: always-true-condition
        return "read"
    while name == "a" or "b":  # expect: always-true-condition
        name = name.strip()
    label = name == "x" or "other"  # expect: always-true-condition DISMISSED
    if mode == "w" or name == "w":
        return label
    return [n for n in name if n == "a" or "b"]  # expect: always-true-condition
