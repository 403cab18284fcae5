"""doc-link: is it a link for a real parser, and is there no place that a server or generator would show for it?"""

import posixpath
import re
import unicodedata
from urllib.parse import unquote

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.project import Project
from verifiers.static.docs.prose import headings, links
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_GENERATED = re.compile(r"--8<--|\{%|\{!|\{\{|:::\s|\[TOC\]|<!--\s*(?:toc|include)", re.IGNORECASE)
_ENDINGS = ("", ".md", ".markdown", ".rst", ".html", ".txt", "/index.md", "/README.md", "/index.html", "/index.rst")


def falsify(finding: Finding, project: Project) -> Ruling:
    """Dismisses what is no link, and targets that exist under another reading; confirms what is left."""
    target = finding.facts.get("target", "")
    place = (finding.location,)
    text = project.text(finding.path)
    if project.entries[finding.path].language == "markdown":
        real = [t for first, last, t in links(text) if unquote(t) == unquote(target) and first <= finding.line <= last]
        defined = re.search(rf"^\s*\[[^\]]+\]:\s*<?{re.escape(target)}", project.lines(finding.path)[finding.line - 1])
        if not real and not defined:
            return falls("a CommonMark parser sees no link here", kind="syntax", at=place)
    if finding.facts.get("missing", "").startswith("#"):
        return _anchor(finding, project, target)
    return _file(finding, project, target)


def _file(finding: Finding, project: Project, target: str) -> Ruling:
    file, _, anchor = unquote(target).partition("#")
    file = file.partition("?")[0]
    folder = posixpath.dirname(finding.path)
    stem = posixpath.splitext(finding.path)[0]
    bases = {folder, stem, ""} | {
        path.split("/")[0] for path in project.entries if path.startswith(("docs/", "doc/", "site/", "static/"))
    }
    tried = {posixpath.normpath(posixpath.join(base, file.lstrip("/"))) for base in bases}
    tried |= {candidate.removesuffix(".html") for candidate in tried}
    names = {name.lower(): name for name in project.entries}
    for candidate in sorted(tried):
        for ending in _ENDINGS:
            found = names.get((candidate + ending).lower())
            if found is None:
                continue
            if anchor and found.endswith((".md", ".markdown")) and not _has(project, found, anchor):
                continue
            seen = Location(path=found, line=1, end_line=1)
            return falls(f"a site generator or server shows {found} for it", kind="search", at=(seen,))
    for candidate in sorted(tried):
        if skip := project.left_out(candidate):
            return cannot_tell(f"{skip.path} was left out of the audit: {skip.reason}")
    if file.endswith("/") or any(
        any(name.startswith(candidate + "/") for name in project.entries) for candidate in tried if candidate != "."
    ):
        return cannot_tell("the target may be a folder that a server lists")
    if file.startswith("/") and "/" in finding.path:
        return cannot_tell("what the root of the site is, is not known")
    if _built(project, file):
        return cannot_tell("the file may be made when the documents are built")
    if "." not in posixpath.basename(file):
        return cannot_tell("a target without an ending may be a page that a generator makes")
    return stands(
        f"no file of the project answers to `{file}`, with or without an ending", kind="search", at=(finding.location,)
    )


def _built(project: Project, file: str) -> bool:
    """Whether the project ignores such files, or a script of it names this one: then a build makes it."""
    name = posixpath.basename(file)
    for path in project.matching(".gitignore", "*/.gitignore"):
        if any(line.strip().rstrip("/").split("/")[-1] == name for line in project.lines(path)):
            return True
    return any(name in project.text(path) for path in project.paths("python", "shell", "make", "yaml") if len(name) > 4)


def _anchor(finding: Finding, project: Project, target: str) -> Ruling:
    file, _, anchor = unquote(target).partition("#")
    path = finding.path if not file else posixpath.normpath(posixpath.join(posixpath.dirname(finding.path), file))
    if path not in project.entries:
        return cannot_tell("the document with the heading is not found")
    text = project.text(path)
    generated = _GENERATED.search(text)
    if generated:
        return cannot_tell("parts of the document are put in when it is built")
    if _has(project, path, anchor):
        return falls(f"{path} has the anchor `{anchor}`", kind="search", at=(Location(path=path, line=1, end_line=1),))
    count = len(headings(text))
    return stands(
        f"none of the {count} headings of {path} gives the anchor `{anchor}`, and no element has that id",
        kind="search",
        at=(finding.location, Location(path=path, line=1, end_line=1)),
    )


def _has(project: Project, path: str, anchor: str) -> bool:
    """Whether GitHub, Python-Markdown or an explicit id gives this anchor."""
    text = project.text(path)
    wanted = anchor.lower()
    if re.search(
        rf"""(?:id|name)\s*=\s*["']?{re.escape(anchor)}["'\s>]|\{{\s*:?\s*#{re.escape(anchor)}[\s}}]""",
        text,
        re.IGNORECASE,
    ):
        return True
    counts: dict[str, int] = {}
    # Tabs of the Markdown extension that many sites are built with get anchors like headings.
    tabs = re.findall(r'^\s*(?:===[!+]?|\?\?\?\+?\s+\w+)\s+"([^"\n]+)"', text, re.MULTILINE)
    if any(wanted in {_github(tab), _python_markdown(tab)} for tab in tabs):
        return True
    for heading in headings(text):
        for slug in {_github(heading.text), _python_markdown(heading.text)}:
            number = counts.get(slug, 0)
            counts[slug] = number + 1
            if wanted in {slug, f"{slug}-{number}", f"{slug}_{number}"}:
                return True
    return False


def _github(text: str) -> str:
    kept = "".join(
        c for c in text.strip().lower() if c.isalnum() or c in "-_ " or unicodedata.category(c).startswith("M")
    )
    return kept.replace(" ", "-")


def _python_markdown(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())
