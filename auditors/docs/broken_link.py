"""doc-link: a link in a document to a file or heading of the project that is not there.

Why: the reader who follows it gets "not found", on the web page as in the package.

Example: `[how to](docs/howto.md)` after `docs/howto.md` was renamed.

Relative links and images in Markdown, anchors in Markdown documents, and `include`, `image`, `figure` and
`literalinclude` in reStructuredText are followed. Nothing is ever fetched.

What it cannot see: links to the web, and targets that a documentation generator makes up.
"""

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import unquote

from auditors.docs.documents import claim, documents
from auditors.docs.markup import Document, Link
from harness.contracts import Check
from harness.schema.finding import Claim, Rule, Severity
from harness.source.project import Project

RULE = Rule(id="doc-link", group="docs", title="Link that leads nowhere", severity=Severity.LOW, page=__doc__)
_OUTSIDE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//|[{<$%]|@)", re.IGNORECASE)


def check(project: Project) -> Iterator[Claim]:
    """Links by document and line."""
    known = set(project.entries)
    folders = {posixpath.dirname(path) for path in known} | {""}
    folders |= {parent for folder in list(folders) for parent in _parents(folder)}
    read = {document.path: document for document in documents(project)}
    for document in read.values():
        for link in document.links:
            missing = _missing(document, link, known, folders, read)
            if missing is not None:
                what = f"the heading `{missing[1:]}`" if missing.startswith("#") else f"`{missing}`"
                yield claim(
                    RULE,
                    project,
                    document.path,
                    link.line,
                    column=link.column,
                    width=len(link.target),
                    scenario=f"A reader who follows `{link.target}` gets nowhere: {what} is not in the project.",
                    fix="Point the link to where its target is now, or remove it.",
                    facts={"target": link.target, "missing": missing},
                )


def _parents(folder: str) -> list[str]:
    found = []
    while folder:
        folder = posixpath.dirname(folder)
        found.append(folder)
    return found


def _missing(
    document: Document, link: Link, known: set[str], folders: set[str], read: dict[str, Document]
) -> str | None:
    """The path, or `#anchor`, that is not there; None when it is, or when the link leaves the project."""
    target = link.target
    if _OUTSIDE.match(target) or any(c in target for c in "*{}$|\\"):
        return None
    file, _, anchor = target.partition("#")
    file = unquote(file.partition("?")[0])
    if not file:
        return None if not anchor or _anchored(document, anchor) else f"#{anchor}"
    base = "" if file.startswith("/") else posixpath.dirname(document.path)
    path = posixpath.normpath(posixpath.join(base, file.lstrip("/")))
    if path.startswith(".."):
        return None
    if path in known:
        other = read.get(path)
        if anchor and other is not None and path.endswith((".md", ".markdown")) and not _anchored(other, anchor):
            return f"#{anchor}"
        return None
    return None if path in folders or path == "." else path


def _anchored(document: Document, anchor: str) -> bool:
    if not document.path.endswith((".md", ".markdown")):
        return True
    wanted = unquote(anchor).lower()
    if wanted in {name.lower() for name in document.ids} or re.fullmatch(r"l\d+(?:-l\d+)?|top|", wanted):
        return True
    seen: dict[str, int] = {}
    for heading in document.headings:
        slug = _slug(heading)
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        if wanted in {slug, f"{slug}-{count}" if count else slug, f"{slug}_{count}", re.sub(r"-+", "-", slug)}:
            return True
    return False


def _slug(heading: str) -> str:
    """The anchor that GitHub gives to a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"<[^>]+>|[`*]", "", text).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


CHECK = Check(rules=(RULE,), project=check)
