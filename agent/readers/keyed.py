"""YAML, JSON and TOML: every leaf an entry under its path, lists of numbers as tables. Aliases are never followed."""

import json
import math
import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

import yaml

from agent.readers.grid import SHORT, entry_of
from agent.readers.records import Column, Entry, Table
from agent.readers.units import split_unit

MOST_ENTRIES, MOST_DEPTH = 5000, 40


class Keyed(NamedTuple):
    """What a file of keys holds."""

    entries: tuple[Entry, ...]
    tables: tuple[Table, ...]
    problem: str
    """Why it is not read, '' when it is."""


def keyed(text: str, ending: str, path: str) -> Keyed:
    """Entries and tables of a file. Never raises."""
    try:
        if ending == ".json":
            return _of_value(json.loads(text), path)
        if ending == ".toml":
            return _of_value(tomllib.loads(text), path)
        return Keyed(tuple(_yaml_leaves(text)), (), "")
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        words = re.sub(r"\s+", " ", str(error))[:120]
        return Keyed((), (), f"not well-formed: {words}")


def _yaml_leaves(text: str) -> Iterator[Entry]:
    """From the events of the parser, which expand nothing: an alias is an error, a tag is ignored."""
    path: list[str] = []
    frames: list[dict[str, object]] = []
    made = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise ValueError(f"line {event.start_mark.line + 1} uses an alias, which is not followed")
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            if len(frames) >= MOST_DEPTH:
                raise ValueError("too deep")
            _begin(frames, path)
            frames.append({"map": isinstance(event, yaml.MappingStartEvent), "key": None, "index": 0})
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            frames.pop()
            if frames:
                _end(frames, path)
        elif isinstance(event, yaml.ScalarEvent):
            if frames and frames[-1]["map"] and frames[-1]["key"] is None:
                frames[-1]["key"] = event.value[:120]
                continue
            if frames:
                _begin(frames, path)
            value = " ".join(event.value.split())
            if value and made < MOST_ENTRIES:
                made += 1
                key = ".".join(path) or "value"
                yield entry_of(key, value[:400], f"line {event.start_mark.line + 1}, key {key}")
            if frames:
                _end(frames, path)


def _begin(frames: list[dict[str, object]], path: list[str]) -> None:
    if not frames:
        return
    frame = frames[-1]
    if frame["map"]:
        path.append(str(frame["key"]) if frame["key"] is not None else "?")
    else:
        number = frame["index"]
        assert isinstance(number, int)
        frame["index"] = number + 1
        path.append(str(number + 1))


def _end(frames: list[dict[str, object]], path: list[str]) -> None:
    frames[-1]["key"] = None
    if path:
        path.pop()


def _of_value(value: object, path: str) -> Keyed:
    entries: list[Entry] = []
    tables: list[Table] = []
    waiting: list[tuple[str, object, int]] = [("", value, 0)]
    while waiting and len(entries) < MOST_ENTRIES:
        key, one, depth = waiting.pop()
        table = _table(one, key, path)
        if table is not None:
            tables.append(table)
        elif depth > MOST_DEPTH:
            continue
        elif isinstance(one, dict):
            waiting += [(f"{key}.{k}"[-200:] if key else str(k)[:120], v, depth + 1) for k, v in reversed(one.items())]
        elif isinstance(one, list):
            waiting += [(f"{key}.{i}", v, depth + 1) for i, v in reversed(list(enumerate(one[:500], 1)))]
        elif one is not None and not isinstance(one, bool) and str(one).strip():
            entries.append(entry_of(key or "value", " ".join(str(one).split())[:400], f"key {key}"))
    return Keyed(tuple(entries), tuple(tables), "")


def _table(value: object, key: str, path: str) -> Table | None:
    """A list of records, or a record of lists of numbers of one length."""
    columns: dict[str, list[object]] = {}
    if isinstance(value, list) and len(value) >= 2 and all(isinstance(v, dict) for v in value):
        names = list(value[0])
        if any(list(v) != names for v in value):
            return None
        columns = {str(n): [v[n] for v in value] for n in names}
    elif isinstance(value, dict) and len(value) >= 2 and all(isinstance(v, list) for v in value.values()):
        lengths = {len(v) for v in value.values()}
        if len(lengths) != 1 or min(lengths) < 2:
            return None
        columns = {str(n): v for n, v in value.items()}
    if not columns or len(columns) > 100:
        return None
    made = []
    for name, cells in columns.items():
        if any(isinstance(c, dict | list) for c in cells):
            return None
        numbers = tuple(
            float(c) if isinstance(c, int | float) and not isinstance(c, bool) and math.isfinite(c) else None
            for c in cells
        )
        named = split_unit(name)
        texts = tuple("" if c is None else str(c)[:200] for c in cells) if len(cells) <= SHORT else ()
        made.append(Column(name=named.name, unit=named.unit, values=numbers, texts=texts))
    if not any(c.numeric for c in made):
        return None
    count = len(made[0].values)
    return Table(path=path, name=key, columns=tuple(made), rows=tuple(range(1, count + 1)))
