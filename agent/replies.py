"""What models answer, made usable: a document or a fragment of LaTeX, a list of changes, a list of gaps."""

import re
from typing import TypeVar

from pydantic import JsonValue, ValidationError

from agent.material import Gap
from agent.records import CriticItem, Critique
from harness.llm.messages import Finish, Reply
from harness.llm.structured import has_tool_markup, json_values
from harness.schema.base import Record

MOST = 8
"""Changes of one critique, gaps of one list."""
_FENCED = re.compile(r"\A\s*```[a-zA-Z]*\n(.*?)\n?```\s*\Z", re.DOTALL)
T = TypeVar("T", bound=Record)


def document(reply: Reply) -> tuple[str, str]:
    """(document, what is wrong): one of the two is empty. Text around the document is dropped."""
    if reason := _unusable(reply):
        return "", reason
    start = reply.text.find("\\documentclass")
    if start < 0:
        return "", "it holds no \\documentclass"
    end = reply.text.rfind("\\end{document}")
    text = reply.text[start:] if end < start else reply.text[start : end + len("\\end{document}")]
    return text.rstrip() + "\n", ""


def fragment(reply: Reply) -> tuple[str, str]:
    """(fragment, what is wrong): one of the two is empty."""
    if reason := _unusable(reply):
        return "", reason
    fenced = _FENCED.match(reply.text)
    text = (fenced[1] if fenced else reply.text).strip()
    return (text + "\n", "") if text else ("", "it is empty")


def critique(reply: Reply) -> Critique:
    """The changes asked for; none when the reply cannot be read."""
    return Critique(changes=_items(reply, "changes", CriticItem))


def gaps(reply: Reply) -> tuple[Gap, ...]:
    """What is missing; nothing when the reply cannot be read."""
    return _items(reply, "gaps", Gap)


def _items(reply: Reply, key: str, kind: type[T]) -> tuple[T, ...]:
    """The first MOST items of the last object that has the key; one that does not fit is left out."""
    if reply.finish is not Finish.COMPLETE or has_tool_markup(reply.text):
        return ()
    lists = [v[key] for v in json_values(reply.text) if isinstance(v, dict) and isinstance(v.get(key), list)]
    found: list[T] = []
    for item in _as_list(lists[-1]) if lists else ():
        try:
            known = {k: v for k, v in item.items() if k in kind.model_fields} if isinstance(item, dict) else item
            found.append(kind.model_validate(known))
        except ValidationError:
            continue
    return tuple(found[:MOST])


def _as_list(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else []


def _unusable(reply: Reply) -> str:
    if reply.finish is Finish.TRUNCATED:
        return "it was cut at the largest length"
    if reply.finish is Finish.REFUSED:
        return "it was refused"
    if reply.finish is Finish.TOOL_CALLS or has_tool_markup(reply.text):
        return "it calls a tool, and there are none"
    return ""
