"""First layer of figure code: what it may not say. Quick feedback for whoever wrote it; the sandbox is the boundary."""

import ast
from collections.abc import Iterator

LONGEST = 20_000
_MODULES = frozenset(
    {
        "matplotlib",
        "numpy",
        "scipy",
        "math",
        "cmath",
        "statistics",
        "itertools",
        "functools",
        "collections",
        "mpl_toolkits",
        "datetime",
        "typing",
    }
)
_SUBMODULES = frozenset(
    {
        "backends",
        "font_manager",
        "testing",
        "ctypeslib",
        "f2py",
        "distutils",
        "lib",
        "io",
        "sphinxext",
        "tests",
        "animation",
    }
)
_NAMES = frozenset(
    {
        "open",
        "eval",
        "exec",
        "compile",
        "input",
        "breakpoint",
        "globals",
        "locals",
        "vars",
        "getattr",
        "setattr",
        "delattr",
    }
    | {
        "memoryview",
        "help",
        "exit",
        "quit",
        "dir",
        "type",
        "object",
        "super",
        "classmethod",
        "staticmethod",
        "property",
    }
)
_ATTRIBUTES = frozenset(
    {
        "load",
        "save",
        "savez",
        "savez_compressed",
        "savetxt",
        "loadtxt",
        "genfromtxt",
        "fromfile",
        "tofile",
        "memmap",
        "DataSource",
    }
    | {
        "fromregex",
        "loadmat",
        "savemat",
        "ctypeslib",
        "os",
        "sys",
        "subprocess",
        "system",
        "popen",
        "switch_backend",
        "use",
        "rc_file",
    }
    | {
        "rc_file_defaults",
        "imread",
        "imsave",
        "get_sample_data",
        "f2py",
        "ctypes",
        "pickle",
        "dump",
        "dumps",
        "loads",
        "builtins",
    }
    | {
        "format_map",
        "gi_frame",
        "tb_frame",
        "f_globals",
        "f_builtins",
        "f_back",
        "cbook",
        "testing",
        "distutils",
        "sys_info",
    }
)


def violations(code: str) -> tuple[str, ...]:
    """Why the code is not run, each with its line; empty when nothing speaks against it."""
    if len(code) > LONGEST:
        return (f"more than {LONGEST} characters",)
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else None
        return (f"line {line}: {error.msg}" if isinstance(error, SyntaxError) else f"cannot be parsed: {error}",)
    return tuple(dict.fromkeys(_found(tree)))


def _found(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        line = f"line {getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Import):
            for alias in node.names:
                if not _importable(alias.name):
                    yield f"{line}: import of {alias.name}"
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            for alias in node.names:
                if node.level or alias.name == "*" or not _importable(f"{module}.{alias.name}"):
                    yield f"{line}: import of {alias.name} from {module or 'a relative module'}"
        elif isinstance(node, ast.Name) and (node.id in _NAMES or node.id.startswith("__")):
            yield f"{line}: use of {node.id}"
        elif isinstance(node, ast.Attribute) and (node.attr in _ATTRIBUTES or node.attr.startswith("_")):
            yield f"{line}: use of .{node.attr}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            if ("__" if isinstance(node.value, str) else b"__") in node.value:  # type: ignore[operator]  # each with its own kind
                yield f"{line}: a text with double underscores"
        elif isinstance(node, ast.Global | ast.Nonlocal | ast.ClassDef | ast.AsyncFunctionDef | ast.Await):
            yield f"{line}: {type(node).__name__}"


def _importable(name: str) -> bool:
    parts = name.split(".")
    if parts[0] not in _MODULES or any(p.startswith("_") for p in parts):
        return False
    return not (set(parts[1:]) & _SUBMODULES or set(parts[1:]) & _ATTRIBUTES)
