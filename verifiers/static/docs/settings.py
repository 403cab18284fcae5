"""doc-option, option-undocumented, doc-env-var, env-var-undocumented: who could still know the name?"""

import ast
import re

from harness.schema.finding import Finding
from harness.schema.location import Location
from harness.source.project import Project
from verifiers.static.docs.prose import first_line, other_times
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands

_OPEN_PARSERS = re.compile(
    r"\bparse_known_args\b|\bignore_unknown_options\b|\ballow_extra_args\b|\bREMAINDER\b|\bentry_points\(|\bunknown_args\b|"
    r"\bfire\.Fire\b|\bdocopt\b|\bsys\.argv\[1:\]"
)
_PREFIXES = re.compile(
    r"\bauto_envvar_prefix\b|\benv_prefix\b|\bfrom_prefixed_env\b|\benvvar_prefix\b|\bset_env_prefix\b|"
    r"environ\.items\(\)|in os\.environ\b(?!.*[\"'])|startswith\(\s*[\"'][A-Z]+_"
)
_GENERATED = re.compile(
    r"^\.\. (?:click|argparse|typer|autoprogram)::|^::: mkdocs-(?:click|typer)|cog\.out", re.MULTILINE
)


def unknown_option(finding: Finding, project: Project) -> Ruling:
    """Confirms an option whose word no file but documents spells, for a command whose parser is closed."""
    option = finding.facts.get("option", "")
    words = option.replace("-", "[-_]")
    known = first_line(project, re.compile(rf"(?<![\w-]){words}(?![\w-])"), "python", "toml", "ini", "yaml", "shell")
    if known is not None:
        return cannot_tell(f"{known} spells the word, and may turn it into an option")
    wide = first_line(project, _OPEN_PARSERS, "python")
    if wide is not None:
        return cannot_tell(f"{wide} passes options on that it does not know")
    when = other_times(finding, project)
    if when is not None:
        return cannot_tell("the passage speaks of another time, or of something made up")
    return stands(f"no code of the project spells `{option}`", kind="search", at=(finding.location,))


def unmentioned_option(finding: Finding, project: Project) -> Ruling:
    """Dismisses options of generated or hidden documents; confirms when a sibling is documented by hand in the repository."""
    option, sibling = finding.facts.get("option", ""), finding.facts.get("sibling", "")
    place = (finding.location,)
    for path in project.paths("markdown", "rst", "text"):
        text = project.text(path)
        if re.search(rf"(?<![\w-])--{re.escape(option)}(?![\w-])", text):
            return falls(f"{path} mentions it", kind="search", at=(Location(path=path, line=1, end_line=1),))
        generated = _GENERATED.search(text)
        if generated:
            return falls(
                f"{path} is made from the parser itself", kind="search", at=(Location(path=path, line=1, end_line=1),)
            )
    shown = first_line(project, re.compile(rf"(?<![\w-])--{re.escape(sibling)}(?![\w-])"), "markdown", "rst")
    if shown is None or not sibling:
        return cannot_tell("no document lists the options of this command")
    return stands(
        f"{shown} describes `--{sibling}`, and nothing describes `--{option}`", kind="search", at=(*place, shown)
    )


def unknown_variable(finding: Finding, project: Project) -> Ruling:
    """Dismisses variables below a prefix that the code reads as a whole; confirms what no code can spell."""
    name = finding.facts.get("name", "")
    spelled = first_line(project, _PREFIXES, "python")
    if spelled is not None:
        return falls(f"{spelled} reads every variable with the project's prefix", kind="flow", at=(spelled,))
    tail = name.removeprefix(finding.facts.get("prefix", ""))
    part = first_line(
        project,
        re.compile(
            rf"(?<![A-Z0-9]){re.escape(tail)}(?![A-Z0-9])|[\"'f]{re.escape(finding.facts.get('prefix', ''))}[\"'{{%]"
        ),
        "python",
    )
    if part is not None:
        return cannot_tell(f"{part} spells a part of the name, and may put it together")
    when = other_times(finding, project)
    if when is not None:
        return cannot_tell("the passage speaks of another time, or of something made up")
    return stands(
        f"no code of the project spells `{tail}` or puts a name together from its prefix",
        kind="search",
        at=(finding.location,),
    )


def unmentioned_variable(finding: Finding, project: Project) -> Ruling:
    """Dismisses variables that the project sets itself; confirms when documents describe others that the code reads."""
    name = finding.facts.get("name", "")
    prefix = name.split("_")[0] + "_"
    documented: set[str] = set()
    for path in project.paths("markdown", "rst"):
        text = project.text(path)
        if re.search(rf"\b{re.escape(name)}\b", text):
            return falls(f"{path} mentions it", kind="search", at=(Location(path=path, line=1, end_line=1),))
        if not re.search(r"change|history|news|release", path, re.IGNORECASE):
            documented |= set(re.findall(rf"\b{re.escape(prefix)}[A-Z0-9_]+\b", text))
    read: set[str] = set()
    for module in project.modules_matching(re.compile(re.escape(prefix.encode()))):
        for node in module.nodes(ast.Constant):
            if node.value == name and not _reads(module.parents.get(node)):
                return falls("the project sets the variable itself", kind="use", at=(module.location(node),))
        for keyword in module.nodes(ast.keyword):
            if keyword.arg == name:
                return falls("the project sets the variable itself", kind="use", at=(module.location(keyword.value),))
        read |= documented & {str(node.value) for node in module.nodes(ast.Constant) if isinstance(node.value, str)}
    if len(read) < 2:
        return cannot_tell("the documents describe hardly any variable of the project")
    return stands(
        f"documents describe {len(read)} variables that the code reads, and not this one",
        kind="search",
        at=(finding.location,),
    )


def _reads(parent: ast.AST | None) -> bool:
    if isinstance(parent, ast.Call):
        return True
    return isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Load)
