def wire(names, buttons, click):
    for name in names:
        buttons[name] = lambda: click(name)  # expect: late-binding-closure


def steps(names, run):
    todo = []
    for name in names:
        def step():  # expect: late-binding-closure
            run(name)

        todo.append(step)
    return todo


def adders():
    return [lambda x: x + n for n in range(3)]  # expect: late-binding-closure


def bound_at_creation(names, buttons, click):
    for name in names:
        buttons[name] = lambda name=name: click(name)


def used_at_once(groups):
    out = []
    for factor, group in groups:
        out.extend(sorted(group, key=lambda item: item * factor))  # expect: late-binding-closure DISMISSED
    return out


def handed_on(names, pool, click):
    for name in names:
        pool.submit(lambda: click(name))  # expect: late-binding-closure UNCERTAIN


def first_only(names, hooks, click):
    for name in names:
        hooks.append(lambda: click(name))  # expect: late-binding-closure UNCERTAIN
        break
