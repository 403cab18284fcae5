def ship_all(order, weigh, ship):
    for item in order.items:
        for item in item.parts:  # expect: shadowed-loop-variable
            weigh(item)
        ship(item)


def bound_between(order, weigh, ship):
    for item in order.items:
        whole = item
        for item in item.parts:  # expect: shadowed-loop-variable DISMISSED
            weigh(item)
        item = whole
        ship(item)


def looks_for_one(order, ship):
    for item in order.items:
        for item in item.parts:  # expect: shadowed-loop-variable UNCERTAIN
            if item.heavy:
                break
        ship(item)


def own_names(order, weigh, ship):
    for item in order.items:
        for part in item.parts:
            weigh(part)
        ship(item)
