"""The project inside the sandbox: a copy in memory, imported from there."""

import importlib
import importlib.util
import os
import shutil
import sys
from types import ModuleType

PINNED = "/pinned"
COPY = "/tmp/project"  # inside the sandbox, where it is ours alone


def enter(copy: bool) -> str:
    """Make the project the working directory and importable; return its root. Cached bytecode of it is not looked at."""
    root = PINNED
    if copy:
        shutil.copytree(PINNED, COPY, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        root = COPY
    os.chdir(root)
    sys.dont_write_bytecode = True
    sys.pycache_prefix = "/tmp/no-bytecode"  # the same
    sys.path[:] = [p for p in sys.path if not p.startswith("/reproducer")]
    sys.path[:0] = [os.path.join(root, "src"), root]
    return root


def load(root: str, path: str, name: str) -> ModuleType:
    """Import the module at `path`: by name where that finds this very file, else straight from the file."""
    file = os.path.join(root, path)
    try:
        module = importlib.import_module(name)
        if os.path.realpath(module.__file__ or "") == os.path.realpath(file):
            return module
    except ModuleNotFoundError as error:
        if not name.startswith(f"{error.name}") and error.name is not None:
            raise
    sys.path.insert(0, os.path.dirname(file))
    spec = importlib.util.spec_from_file_location(name.rpartition(".")[2], file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
