from registry import Registry, Strict

registry = Registry()
strict = Strict()


def start(name, run):
    if registry.is_running(name):
        raise RuntimeError(name)
    registry.register(name, run)  # expect: check-then-act-calls


def start_strict(name, run):
    if not strict.is_running(name):
        strict.register(name, run)  # expect: check-then-act-calls DISMISSED


def start_at_once(name, run):
    registry.register_new(name, run)


def start_other(name, run):
    if registry.is_running(name):
        registry.report(name)


def start_found(name, run):
    found = registry.is_running(name)
    if found:
        raise RuntimeError(name)
    registry.register(name, run)  # expect: check-then-act-calls


async def start_on_the_loop(name, run):
    if registry.is_running(name):
        raise RuntimeError(name)
    registry.register(name, run)  # expect: check-then-act-calls UNCERTAIN


async def start_after_a_wait(name, make):
    if registry.is_running(name):
        raise RuntimeError(name)
    run = await make(name)
    registry.register(name, run)  # expect: check-then-act-calls
