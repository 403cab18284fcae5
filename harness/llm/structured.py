"""What a reply says, in typed form: structured output first, else JSON anywhere in the text, else, for verdicts, a plain phrase.

Text of the audited repository can hold JSON that looks like an answer. So every reply schema carries a nonce of the call,
and an object without the right nonce is no answer. Prose counts only when it says one thing and hedges nothing.
"""

import json
import re
from collections.abc import Iterator
from typing import Literal, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

T = TypeVar("T", bound=BaseModel)
Phrase = Literal["stands", "refuted"]

_MARKUP = re.compile(
    r"<\s*/?\s*(?:tool_call|tool_use|function_calls?|invoke|antml:\w+)\b|<\|(?:tool|python_tag)[^>]*\|>|\[TOOL_CALLS\]"
    r"|```(?:tool_code|tool_call)\b",
    re.IGNORECASE,
)


def has_tool_markup(text: str) -> bool:
    """Whether a reply that was offered no tools tries to call one; such a reply has failed."""
    if _MARKUP.search(text):
        return True
    value = _loads(text.strip())
    return isinstance(value, dict) and "name" in value and ("arguments" in value or "parameters" in value)


def parse(text: str, model: type[T], nonce: str) -> T | None:
    """The last object in `text` that fits `model` and has the nonce; None when there is none or two of them differ."""
    found: list[T] = []
    for value in json_values(text):
        if not isinstance(value, dict) or value.get("nonce") != nonce:
            continue
        try:
            found.append(model.model_validate(value))
        except ValidationError:
            continue
    if not found or any(one != found[-1] for one in found):
        return None
    return found[-1]


def json_values(text: str) -> Iterator[JsonValue]:
    """Every outermost JSON object or array in a text: all of it, or inside prose and code fences, in order."""
    whole = _loads(text.strip())
    if isinstance(whole, dict | list):
        yield whole
        return
    decoder = json.JSONDecoder()
    at = 0
    while at < len(text):
        start = min((i for i in (text.find("{", at), text.find("[", at)) if i >= 0), default=-1)
        if start < 0:
            return
        try:
            value, at = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            at = start + 1
            continue
        yield value


def _loads(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


_STANDS = re.compile(
    r"\b(?:verdict\s*(?:is|:)\s*\W*(?:confirmed|stands|true positive)"
    r"|(?:the\s+)?(?:finding|claim|defect|bug)\s+(?:is\s+(?:confirmed|correct|valid|real|genuine)|stands|holds))\b",
    re.IGNORECASE,
)
_REFUTED = re.compile(
    r"\b(?:verdict\s*(?:is|:)\s*\W*(?:dismissed|refuted|false positive)"
    r"|(?:the\s+)?(?:finding|claim|defect|bug)\s+(?:is\s+(?:refuted|dismissed|incorrect|wrong|invalid|false|a\s+false\s+positive)"
    r"|does\s+not\s+(?:stand|hold)))\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:might|maybe|perhaps|possibly|likely|unlikely|unclear|uncertain|unsure|cannot|can't|could\s+be|not\s+sure|if\s+the"
    r"|appears?|seems?|presumably|would\s+say|not\s+(?:confirmed|refuted|dismissed|necessarily)|either)\b",
    re.IGNORECASE,
)


def verdict_phrase(text: str) -> Phrase | None:
    """The verdict that prose states outright; None (an abstention) for anything else, quotations and hedges included."""
    prose = re.sub(r"```.*?(?:```|\Z)", " ", text, flags=re.DOTALL)
    prose = re.sub(r"`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|^\s*>.*$", " ", prose, flags=re.MULTILINE)
    stands, refuted = bool(_STANDS.search(prose)), bool(_REFUTED.search(prose))
    if stands == refuted or _HEDGE.search(prose):
        return None
    return "stands" if stands else "refuted"
