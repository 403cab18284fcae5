"""What is installed in an environment, read from its files: nothing in it is started.

Seen is what installers leave behind (`*.dist-info`, `*.egg-info`, `*.egg-link`) and the `.pth` files that no distribution
owns. Not seen: modules put there by hand, and packages that are on the path by other means (PYTHONPATH, conda's own list).
"""

import base64
import binascii
import hashlib
import json
import platform
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.metadata import Distribution as Metadata
from importlib.metadata import PackagePath, distributions
from pathlib import Path
from typing import Any, NamedTuple

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from harness.environment.place import Place
from harness.files import sha256
from harness.redact import redact
from harness.schema.base import Record


class Distribution(Record):
    """One installed distribution."""

    name: str
    """Normalised (PEP 503)."""
    version: str
    """As its metadata says; '' when they do not."""
    installer: str = ""
    """`pip`, `uv` ...; '' when it left no word."""
    requested: bool = False
    """It was asked for by name (PEP 376), not as what another one needs."""
    direct: str = ""
    """Where it came from when not from an index (PEP 610): `-e PATH`, `git+URL@COMMIT`, a URL."""
    files: str = ""
    """Hash over the list of its files with their hashes (RECORD); '' without such a list."""
    at: datetime | None = None
    """When its list of files was written; None when that cannot be told."""
    needs: tuple[str, ...] = ()
    """Names that it asks for, extras left out."""


class Installed(Record):
    """The installed set of an environment."""

    python: str
    """Absolute path of the interpreter."""
    prefix: str
    """Absolute path of the environment."""
    version: str
    """Of the language, as far as files tell."""
    platform: str
    """Operating system and processor."""
    distributions: tuple[Distribution, ...]
    """By name."""
    paths: dict[str, str]
    """`.pth` files that no distribution owns -> hash: they put folders on the path, or run code at every start."""
    digest: str
    """Hash over all of the above but times; equal digests mean the same set."""


class Damage(NamedTuple):
    """A file that is not what its distribution's list says."""

    name: str
    """Of the distribution."""
    path: str
    """As in the list."""
    missing: bool
    """Gone, not changed."""


def installed(place: Place) -> Installed:
    """What is there now. Raises OSError when the folder of packages cannot be read."""
    found: dict[str, Distribution] = {}
    owned: set[str] = set()
    for one in _metadata(place.sites):
        said = _distribution(one)
        if said.name and said.name not in found:
            found[said.name] = said
        owned |= {Path(f).name for f in one.files or () if str(f).endswith(".pth")}
    for link in (p for site in place.sites for p in sorted(site.glob("*.egg-link"))):
        name = canonicalize_name(link.stem)
        old = found.get(name) or Distribution(name=name, version="")
        found[name] = old.model_copy(update={"direct": f"-e {_first_line(link)}"})
    paths = {
        path.name: sha256(path.read_bytes())
        for site in place.sites
        for path in sorted(site.glob("*.pth"))
        if path.name not in owned
    }
    known = tuple(found[name] for name in sorted(found))
    system = f"{platform.system()} {platform.machine()}"
    body = [[d.name, d.version, d.direct, d.files] for d in known]
    digest = sha256(json.dumps([place.version, system, body, paths], sort_keys=True))
    return Installed(
        python=str(place.python), prefix=str(place.prefix), version=place.version, platform=system,
        distributions=known, paths=paths, digest=digest,
    )  # fmt: skip


def damaged(place: Place) -> Iterator[Damage]:
    """Files that differ from the hash in their distribution's list. Reads every listed file."""
    for one in _metadata(place.sites):
        for file in one.files or ():
            if file.hash is None:
                continue
            path = Path(str(one.locate_file(file)))
            if not path.is_file():
                yield Damage(_name(one), str(file), missing=True)
            elif not _same(path, file):
                yield Damage(_name(one), str(file), missing=False)


def _same(path: Path, file: PackagePath) -> bool:
    if file.hash is None or file.hash.mode not in hashlib.algorithms_guaranteed:
        return True
    try:
        wanted = base64.urlsafe_b64decode(file.hash.value + "=" * (-len(file.hash.value) % 4))
    except (binascii.Error, ValueError):
        return False
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, file.hash.mode).digest() == wanted


def _metadata(sites: Sequence[Path]) -> Iterator[Metadata]:
    """In the order of the path, where the first of a name is the one that is imported; by name within a folder."""
    for site in sites:
        yield from sorted(distributions(path=[str(site)]), key=lambda one: str(one.locate_file("")) + _name(one))


def _name(one: Metadata) -> str:
    """Normalised; '' for what carries none, such as the rest of an installation that was cut off."""
    return canonicalize_name(_field(one, "Name"))


def _field(one: Metadata, name: str) -> str:
    metadata: Any = one.metadata  # None for a folder without metadata, from Python 3.13 on
    return str(metadata[name]) if metadata is not None and name in metadata else ""


def _distribution(one: Metadata) -> Distribution:
    listed = one.read_text("RECORD")
    return Distribution(
        name=_name(one),
        version=_field(one, "Version"),
        installer=(one.read_text("INSTALLER") or "").strip()[:40],
        requested=one.read_text("REQUESTED") is not None,
        direct=_direct(one.read_text("direct_url.json")),
        files=sha256(listed) if listed else "",
        at=_written(one),
        needs=tuple(sorted(set(_needs(one.requires or ())))),
    )


def _needs(requirements: Sequence[str]) -> Iterator[str]:
    for text in requirements:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if requirement.marker is None or "extra" not in str(requirement.marker):
            yield canonicalize_name(requirement.name)


def _direct(text: str | None) -> str:
    """As one would give it to an installer; credentials in it are left out."""
    try:
        said = json.loads(text or "{}")
        url = redact(str(said["url"]))
        if said.get("dir_info", {}).get("editable"):
            return f"-e {url.removeprefix('file://')}"
        if version := said.get("vcs_info"):
            return f"{version['vcs']}+{url}@{version['commit_id']}"
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""
    return url.removeprefix("file://")


def _written(one: Metadata) -> datetime | None:
    """When the installer finished: it writes the list of files last."""
    names = [f for f in one.files or () if f.name in ("RECORD", "METADATA", "PKG-INFO")]
    times = []
    for file in names:
        try:
            times.append(Path(str(one.locate_file(file))).stat().st_mtime)
        except OSError:
            continue
    return datetime.fromtimestamp(max(times), UTC) if times else None


def _first_line(path: Path) -> str:
    return (path.read_bytes()[:4096].decode("utf-8", "replace").splitlines() or [""])[0].strip()
