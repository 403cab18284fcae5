"""substring-membership: is the text the name of one thing, compared with a whole value, rather than a set of characters?"""

import ast
import io
import re
import tokenize

from harness.schema.finding import Finding
from harness.source.project import Project
from verifiers.static.locate import module_of, node_at
from verifiers.static.ruling import Ruling, cannot_tell, falls, stands


def falsify(finding: Finding, project: Project) -> Ruling:
    """Reads the tokens: parentheses around one literal. Confirms for words; sets of characters and long texts stay open."""
    module = module_of(finding, project)
    compare = node_at(module, finding, ast.Compare) if module else None
    if module is None or compare is None:
        return cannot_tell("there is no comparison at this place")
    right = compare.comparators[-1]
    place = (module.location(compare),)
    if not isinstance(right, ast.Constant) or not isinstance(right.value, str):
        return falls("the right side is not one text", kind="syntax", at=place)
    line = module.lines[right.lineno - 1]
    try:
        tokens = [t.string for t in tokenize.generate_tokens(io.StringIO(line.strip() + "\n").readline)]
    except (tokenize.TokenError, SyntaxError):
        tokens = []
    wrapped = any(
        a == "(" and c == ")" and b[-1:] in "'\"" and right.value in b and before in {"in"}
        for before, a, b, c in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False)
    )
    if not wrapped:
        return cannot_tell("the literal does not stand alone in parentheses behind `in`")
    if isinstance(compare.left, ast.Constant):
        return falls("a literal on the left is looked for in a text", kind="syntax", at=place)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{2,}", right.value) or len(set(right.value)) == len(right.value) <= 4:
        return cannot_tell("the text may be meant as a set of characters")
    return stands(
        "without a comma the parentheses make no tuple: `in` searches inside the text", kind="syntax", at=place
    )
