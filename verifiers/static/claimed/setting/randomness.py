"""Values that can be foretold: a predictable generator or the time, and does the value become a secret? (330, 338, 340)"""

import ast
import re
from collections.abc import Iterator

from harness.source.module import Module
from verifiers.static.claimed.setting.place import Scene, Sight
from verifiers.static.security.purpose import SECRET, secret_use

THING = "a random value"
_STRONG = re.compile(
    r"secrets\.\w+|os\.urandom|random\.SystemRandom(?:\.\w+)?|uuid\.uuid4|(?:.*\.)?get_random_(?:string|bytes)"
)
_PREDICTABLE = re.compile(r"(?:numpy\.)?random\.(?!SystemRandom|Random$|seed$)\w+")
_CLOCK = re.compile(r"(?:datetime\.)?datetime\.(?:now|utcnow|today)|time\.(?:time|time_ns)|uuid\.uuid1|os\.getpid")
_ENCODES = re.compile(r"hashlib\.\w+|base64\.\w+|binascii\.\w+|(?:.*\.)?(?:md5|sha1|sha256|hexlify|b64encode)")
_DRAWS = frozenset(
    {"randint", "randrange", "choice", "choices", "sample", "getrandbits", "random", "randbytes", "shuffle"}
)
_NUMERIC_WORK = frozenset({"numpy", "torch", "tensorflow", "transformers", "sklearn", "jax", "simpy"})


def look(scene: Scene) -> Iterator[Sight]:
    """Every random value of the module, and values made of the time alone."""
    module = scene.module
    if scene.project.index.module_paths.get("random"):
        return  # a module of the project has taken the name
    numeric = any(target.partition(".")[0] in _NUMERIC_WORK for target in module.imports.values())
    for call in module.nodes(ast.Call):
        name = module.resolve(call.func) or ""
        at = module.location(call)
        if _STRONG.fullmatch(name):
            yield Sight(at, False, f"`{name}` cannot be foretold")
        elif _PREDICTABLE.fullmatch(name):
            yield Sight(at, *((None, "the module does numeric work") if numeric else _purpose(module, call)))
        elif name == "random.seed":
            yield Sight(at, None, "the generator is seeded; what is drawn from it does not show")
        elif _ENCODES.fullmatch(name) and _of_the_clock(module, call):
            use = secret_use(module, call, SECRET, backwards=False)
            if use is None:
                yield Sight(at, None, "a value is made of the time; what it is for does not show", faint=True)
            else:
                says = f"the secret is made of the time and what others know, and is guessed: `{use.word[:50]}`"
                yield Sight(at, True, says, (module.location(use.node),))
        elif _CLOCK.fullmatch(name) or name == "random.Random" or _from_some_generator(module, call):
            yield Sight(at, None, "a value may be foretold; what it is for does not show", faint=True)


def _from_some_generator(module: Module, call: ast.Call) -> bool:
    """`rng.randint(...)`, of an object that is not known."""
    return (
        isinstance(call.func, ast.Attribute)
        and call.func.attr in _DRAWS
        and module.resolve(call.func) not in module.imports
    )


def _purpose(module: Module, call: ast.Call) -> tuple[bool | None, str]:
    use = secret_use(module, call, SECRET, backwards=False)
    if use is None:
        return None, "nothing on the way of the value says that it is a secret"
    return True, f"the value of a predictable generator becomes a secret: `{use.word[:50]}`"


def _of_the_clock(module: Module, call: ast.Call) -> bool:
    """Whether the time goes into the arguments, and nothing random or secret does."""
    inside = [n for a in call.args for n in ast.walk(a) if isinstance(n, ast.Call)]
    names = [module.resolve(n.func) or "" for n in inside]
    return any(_CLOCK.fullmatch(n) for n in names) and not any(
        _STRONG.fullmatch(n) or _PREDICTABLE.fullmatch(n) for n in names
    )
