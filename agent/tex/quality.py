"""The regression gate of a round of changes: no model is asked whether the new text is worse than the old one."""

import re
from collections.abc import Callable, Mapping

from agent.records import GateDecision
from agent.tex.balance import imbalance
from agent.tex.source import CITE, Environment, environments, mask

MIN_LENGTH = 0.6
"""A text shorter than this part of the one before is taken for a loss."""
_LABEL = re.compile(r"\\label\s*\{([^{}]*)\}")
_REFERENCE = re.compile(r"\\(?:[cC]ref|ref|eqref|autoref|pageref)\*?\s*\{([^{}]*)\}")
_SECTION = re.compile(r"\\(?:chapter|section|subsection|subsubsection)(?![A-Za-z])")
_MARKDOWN = re.compile(r"^(?:```|#{1,4} )|\*\*[^*\n]+\*\*", re.MULTILINE)
_UNFINISHED = re.compile(r"\bTODO\b|\bXXX\b|\?\?\?|lorem ipsum", re.IGNORECASE)
_ENDINGS = {"figure", "figure*", "table", "table*"}


def cited(tex: str) -> frozenset[str]:
    r"""The keys of all commands of the `\cite` family (`\nocite{*}` names none)."""
    return frozenset(key.strip() for keys in CITE.findall(mask(tex)) for key in keys.split(",") if key.strip(" *"))


def score(tex: str, *, keys: frozenset[str] | None = None) -> Mapping[str, bool]:
    """Structural checks by name; `keys` are those of the bibliography, None leaves the check of closed citations out."""
    masked = mask(tex)
    checks: dict[str, Callable[[], bool]] = {
        "balanced": lambda: not imbalance(tex),
        "no label twice": lambda: len(labels := _LABEL.findall(masked)) == len(set(labels)),
        "references resolve": lambda: _references(masked) <= set(_LABEL.findall(masked)),
        "figures and tables have captions": lambda: all(_captioned(one, masked) for one in _floats(tex)),
        "no Markdown": lambda: not _MARKDOWN.search(masked),
        "nothing left to do": lambda: not _UNFINISHED.search(masked),
        "has a title": lambda: "\\title" in masked,
        "no section is empty": lambda: (
            not re.search(r"(\\section\*?\s*\{[^{}]*\}\s*){2}|\\section\*?\{[^{}]*\}\s*\\end\s*\{document", masked)
        ),
    }
    if keys is not None:
        checks["citations are closed"] = lambda: cited(tex) <= keys
    return {name: check() for name, check in checks.items()}


def _references(masked: str) -> set[str]:
    return {key.strip() for keys in _REFERENCE.findall(masked) for key in keys.split(",")}


def _floats(tex: str) -> list[Environment]:
    return [one for one in environments(tex) if one.name in _ENDINGS]


def _captioned(one: Environment, masked: str) -> bool:
    return "\\caption" in masked[one.inner : one.inner_end]


def gate(before: str, after: str, *, bib_empty: bool, round: int, keys: frozenset[str] = frozenset()) -> GateDecision:  # noqa: A002  # the field's word
    """Accept, revert or call it converged. While the bibliography is empty, open citations are no fault; `keys` are its keys."""
    if "".join(before.split()) == "".join(after.split()):
        return GateDecision(round=round, decision="converged")
    reasons = [*_lost(before, after), *_lower(before, after, None if bib_empty else keys)]
    return GateDecision(round=round, decision="reverted" if reasons else "accepted", reasons=tuple(reasons))


def _lost(before: str, after: str) -> list[str]:
    old, new = mask(before), mask(after)
    reasons = [f"lost {mark}" for mark in ("\\documentclass", "\\end{document}") if mark in old and mark not in new]
    if len(after.strip()) < MIN_LENGTH * len(before.strip()):
        reasons.append(f"shorter than {MIN_LENGTH:.0%}: {len(after.strip())} of {len(before.strip())} characters")
    if gone := sorted(cited(before) - cited(after)):
        reasons.append(f"lost citations: {', '.join(gone)}")
    for what, count in (("sections", _sections), ("figures", _figures), ("tables", _tables)):
        if count(new) < count(old):
            reasons.append(f"fewer {what}: {count(new)} instead of {count(old)}")
    return reasons


def _sections(masked: str) -> int:
    return len(_SECTION.findall(masked))


def _figures(masked: str) -> int:
    return len(
        re.findall(r"\\includegraphics(?![A-Za-z])|\\begin\s*\{(?:figure\*?|tikzpicture)\}|Missing figure: ", masked)
    )


def _tables(masked: str) -> int:
    return len(re.findall(r"\\begin\s*\{(?:table\*?|tabularx?\*?|longtable|xltabular)\}", masked))


def _lower(before: str, after: str, keys: frozenset[str] | None) -> list[str]:
    old, new = score(before, keys=keys), score(after, keys=keys)
    if sum(new.values()) >= sum(old.values()):
        return []
    failed = [name for name, passed in new.items() if not passed and old[name]]
    return [f"lower structural score ({sum(new.values())} instead of {sum(old.values())}): {', '.join(failed)}"]
