"""JSON of unknown shape: a value of the wanted type, or nothing. Nothing here raises."""

from pydantic import JsonValue


def table(value: JsonValue, *keys: str) -> dict[str, JsonValue]:
    """The object below `keys`, an empty one when there is none."""
    found = _below(value, keys)
    return found if isinstance(found, dict) else {}


def items(value: JsonValue, *keys: str) -> list[JsonValue]:
    """The array below `keys`, an empty one when there is none."""
    found = _below(value, keys)
    return found if isinstance(found, list) else []


def text(value: JsonValue, *keys: str) -> str:
    """The string below `keys`, '' when there is none."""
    found = _below(value, keys)
    return found if isinstance(found, str) else ""


def number(value: JsonValue, *keys: str) -> int | None:
    """The integer below `keys`, None when there is none."""
    found = _below(value, keys)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def at(values: list[JsonValue], index: int | None) -> JsonValue:
    """The element, None when there is none."""
    return values[index] if index is not None and 0 <= index < len(values) else None


def _below(value: JsonValue, keys: tuple[str, ...]) -> JsonValue:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
