"""Which code answers: a hash over our own source, so that no kept answer outlives the code that gave it."""

import hashlib
import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path

SUFFIXES = (".py", ".toml", ".md", ".tex")


def source_digest(packages: Iterable[str]) -> str:
    """Hex SHA-256 over the source files of packages, in the order given, and the running Python."""
    digest = hashlib.sha256(sys.version.encode())
    for name in packages:
        spec = importlib.util.find_spec(name)
        for root in (spec.submodule_search_locations or []) if spec else []:
            for path in sorted(Path(root).rglob("*")):
                if path.suffix in SUFFIXES:
                    digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
