import os

ALIASES = {"fast": "small-1", "best": "large-2"}
CLIENTS = {"small-1": object(), "large-2": object()}
PRICES = {"small-1": 1, "large-2": 7}
ROOT = "/srv/data"


def resolve(model):
    return ALIASES.get(model, model)


def price_of(name):
    return PRICES[name]


def ask(requested, prompt):
    model = resolve(requested)
    client = CLIENTS[model]
    return client, prompt, PRICES[requested]  # expect: unresolved-value-used


def cost(requested, tokens):
    model = resolve(requested)
    return model, tokens * price_of(requested)  # expect: unresolved-value-used


def right(requested):
    model = resolve(requested)
    return CLIENTS[model], PRICES[model]


def serve(name):
    path = os.path.realpath(name)
    if not path.startswith(ROOT):
        raise PermissionError(name)
    return open(name)  # expect: unresolved-value-used


def serve_right(name):
    path = os.path.realpath(name)
    if not path.startswith(ROOT):
        raise PermissionError(name)
    return open(path)


def shown(requested, log_choice):
    model = resolve(requested)
    log_choice(requested)  # expect: unresolved-value-used DISMISSED
    return model


def kept(requested, history):
    model = resolve(requested)
    return model, history.lookup(requested)  # expect: unresolved-value-used UNCERTAIN
