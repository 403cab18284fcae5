"""doc-path: could the file be somewhere else, be made by a build, or belong to the reader?"""

import posixpath
import re

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.project import Project
from verifiers.static.docs.prose import other_times
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def falsify(finding: Finding, project: Project) -> Ruling:
    """Confirms a path that neither the tree nor any script, ignore rule or excluded folder accounts for."""
    path = finding.facts.get("path", "")
    place = (finding.location,)
    folder = posixpath.dirname(finding.path)
    near = posixpath.normpath(posixpath.join(folder, path))
    if near in project.entries:
        return falls(
            f"the path is relative to the document: {near}",
            kind="search",
            at=(Location(path=near, line=1, end_line=1),),
        )
    tails = [name for name in project.entries if name.endswith("/" + path)]
    if tails:
        return cannot_tell(f"the path may be relative to another folder: {tails[0]}")
    for candidate in (path, near):
        if skip := project.left_out(candidate):
            return cannot_tell(f"{skip.path} was left out of the audit: {skip.reason}")
    name = posixpath.basename(path)
    for rules in project.matching(".gitignore", "*/.gitignore"):
        for line in project.lines(rules):
            rule = line.strip().strip("/")
            if (
                rule
                and not rule.startswith("#")
                and (rule == name or rule in path.split("/") or (rule.startswith("*.") and name.endswith(rule[1:])))
            ):
                return cannot_tell("the project's ignore rules expect such a file to be made")
    for source in project.paths("python", "shell", "make", "toml", "yaml", "ini", "json", "javascript"):
        if name in project.text(source):
            return cannot_tell(f"{source} names the file, and may make it")
    if other_times(finding, project) is not None:
        return cannot_tell("the passage speaks of another time, or of a file that is made")
    if re.search(r"foo|bar|my[-_]|your[-_]|example|xxx", path, re.IGNORECASE):
        return cannot_tell("the path looks made up")
    return stands("no file of the project has this path, and nothing of it makes one", kind="search", at=place)
