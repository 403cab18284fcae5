"""docs/architecture.md says what is in the tree, and the distribution packs it."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def packages() -> set[str]:
    """Every import package of the product, dotted."""
    tops = ("harness", "auditors", "verifiers", "agent", "devlog")
    found = {p.parent for top in tops for p in (ROOT / top).rglob("__init__.py")}
    return {".".join(p.relative_to(ROOT).parts) for p in found}


def test_every_package_is_packed() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    assert set(listed) == packages()


def test_every_package_has_its_sentence_in_the_architecture() -> None:
    table = re.findall(r"^\| `([\w.]+)` \| (.+?) \|$", (ROOT / "docs/architecture.md").read_text(), re.MULTILINE)
    described = {name for name, _ in table}
    shown = {name for name in packages() if name.count(".") <= 1 and name.split(".")[0] == "harness"}
    assert described == shown | {name for name in packages() if "." not in name}
    assert all(sentence.endswith(".") for _, sentence in table)


def test_the_layers_in_the_document_are_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [re.sub(r"[()]", "", layer) for layer in contracts[0]["layers"]]
    text = (ROOT / "docs/architecture.md").read_text()
    assert re.search(r"\n {4}" + r"\n {4}".join(map(re.escape, layers)) + r"\n", text)
