"""Trees of test folders, made without the repository layer."""

from pathlib import Path

from harness.files import sha256
from harness.languages import is_test, language
from harness.schema.tree import FileEntry, Tree
from harness.source.project import Project


def tree_of(root: Path) -> Tree:
    """Every file below `root` as a pinned tree."""
    files = []
    for path in sorted(p for p in root.rglob("*") if p.is_file() and "__pycache__" not in p.parts):
        raw = path.read_bytes()
        name = path.relative_to(root).as_posix()
        files.append(
            FileEntry(
                path=name,
                size=len(raw),
                sha256=sha256(raw),
                language=language(name, raw[:4096]),
                lines=raw.count(b"\n") + 1,
                test=is_test(name),
            )
        )
    digest = sha256("".join(f"{f.path}\0{f.sha256}\n" for f in files))
    return Tree(root=str(root), name=root.name, origin=str(root), files=tuple(files), digest=digest)


def project_of(root: Path, files: dict[str, str]) -> Project:
    """A project made of these texts, written below `root`."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Project(tree_of(root))
