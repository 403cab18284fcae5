"""Read-only zones: which of a change's paths nobody may change."""

import fnmatch
from collections.abc import Iterable, Sequence


def forbidden(paths: Iterable[str], patterns: Sequence[str]) -> tuple[str, ...]:
    """Of these record paths those in a zone, sorted.

    Patterns are those of `exclude`: one with a `/` inside is matched against the path from the root, any other against each
    name in it; `*` also matches `/`; what matches a folder covers all below it. `base_docs/` is the folder of that name
    at the root or anywhere below.
    """
    anchored = [p.strip("/").removesuffix("/**") for p in patterns if "/" in p.strip("/").removesuffix("/**")]
    anywhere = [p.strip("/").removesuffix("/**") for p in patterns if "/" not in p.strip("/").removesuffix("/**")]
    return tuple(sorted(path for path in paths if _within(path, anchored, [p for p in anywhere if p])))


def _within(path: str, anchored: Sequence[str], anywhere: Sequence[str]) -> bool:
    parts = path.split("/")
    for n in range(1, len(parts) + 1):
        above = "/".join(parts[:n])
        if any(fnmatch.fnmatchcase(parts[n - 1], p) for p in anywhere):
            return True
        if any(fnmatch.fnmatchcase(above, p) for p in anchored):
            return True
    return False
