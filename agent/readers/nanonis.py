"""Files of Nanonis controllers: spectroscopy (`.dat`: header, `[DATA]`, columns) and images (`.sxm`: header, binary maps).

The maps are big-endian 32-bit floats, line by line in the order of measuring; `up` scans are turned so that the first
line is the upper one, backward ones so that they are not mirrored.
"""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from agent.readers.grid import Row, Where, entry_of, one_table
from agent.readers.records import Entry, Grid, Table

_DATA_MARK = "\n[DATA]\n"
_HEADER_END = re.compile(rb":SCANIT_END:\s*\x1a\x04")
_MOST_PIXELS, _KEPT = 64_000_000, 512
_WANTED = ("z", "current", "frequency_shift", "lix_1_omega", "li_demod_1_x")
MOST_GRIDS = 3
_NO_ENTRIES = frozenset({"DATA_INFO", "Z-CONTROLLER", "NANONIS_VERSION", "SCANIT_TYPE", "REC_TEMP"})
"""REC_TEMP is a constant of the program (290 K), whatever the temperature was."""
_KEY_UNITS = {
    "SCAN_RANGE": "m",
    "SCAN_OFFSET": "m",
    "SCAN_TIME": "s",
    "SCAN_PIXELS": "",
    "SCAN_ANGLE": "deg",
    "BIAS": "V",
    "ACQ_TIME": "s",
}


class Image(NamedTuple):
    """What an image file holds."""

    entries: tuple[Entry, ...]
    grids: tuple[Grid, ...]
    remark: str
    """What is not read of it, '' for nothing."""


def is_spectrum(text: str) -> bool:
    """Whether a text is a spectroscopy file."""
    return _DATA_MARK in text[:200_000] and "\t" in text[:400]


def spectrum(text: str, path: str) -> tuple[tuple[Table, ...], tuple[Entry, ...]]:
    """The table below `[DATA]` and the header above it."""
    head, _, data = text.partition(_DATA_MARK)
    entries = []
    lines = head.split("\n")
    for at, line in enumerate(lines, 1):
        key, _, value = line.partition("\t")
        if key.strip() and value.strip():
            entries.append(entry_of(key.strip(), value.strip(), f"line {at}, key {key.strip()}"))
    first = len(lines) + 2
    rows = data.split("\n")
    body = []
    for i, line in enumerate(rows[1:], 1):
        if line.strip():
            cells = [c.strip() for c in line.split("\t")]
            body.append(Row(first + i, cells, [_number(c) for c in cells]))
    table = one_table(rows[0].split("\t"), body, Where(path)) if body else None
    return ((table,) if table else ()), tuple(entries)


def image(raw: bytes, path: str) -> Image | None:
    """Header and wanted maps; None when it is no such file."""
    found = _HEADER_END.search(raw[:4_000_000])
    if not found or not raw.startswith(b":NANONIS_VERSION:"):
        return None
    header = _header(raw[: found.start()].decode("cp1252", "replace"))
    entries = (*_entries(header), *_settings(header))
    try:
        grids, remark = _maps(raw[found.end() :], header, path)
    except (ValueError, IndexError, KeyError) as error:
        return Image(entries, (), f"its maps cannot be read: {error}")
    return Image(entries, grids, remark)


def _header(text: str) -> dict[str, str]:
    parts = re.split(r"^:([^\n]{1,120}):\n", text, flags=re.MULTILINE)
    return {parts[i]: parts[i + 1].strip("\n") for i in range(1, len(parts) - 1, 2)}


def _entries(header: dict[str, str]) -> Iterator[Entry]:
    """Header keys; those of the format itself have a unit that only its manual names."""
    for key, value in header.items():
        words = " ".join(value.split())
        if not words or key in _NO_ENTRIES or len(words) > 300:
            continue
        unit = _KEY_UNITS.get(key)
        parts = words.split() if unit is not None else [words]
        axes = ("", "") if len(parts) < 2 else (" fast axis", " slow axis")
        for part, axis in zip(parts, axes, strict=False):
            found = entry_of(key, part, f"header key {key}")
            yield found.model_copy(update={"key": found.key + axis, "unit": unit or found.unit})


def _settings(header: dict[str, str]) -> tuple[Entry, ...]:
    """The row of the controller as entries."""
    lines = [line.split("\t") for line in header.get("Z-CONTROLLER", "").splitlines() if line.strip()]
    if len(lines) < 2:
        return ()
    pairs = zip((c.strip() for c in lines[0]), (c.strip() for c in lines[1]), strict=False)
    return tuple(
        entry_of(f"Z-CONTROLLER>{key}", value, f"header key Z-CONTROLLER, {key}")
        for key, value in pairs
        if key and value
    )


def _maps(raw: bytes, header: dict[str, str], path: str) -> tuple[tuple[Grid, ...], str]:
    pixels, lines = (int(n) for n in header["SCAN_PIXELS"].split()[:2])
    width, height = (float(n) for n in header["SCAN_RANGE"].split()[:2])
    size = pixels * lines
    if not 0 < size <= _MOST_PIXELS or not (math.isfinite(width) and math.isfinite(height)):
        raise ValueError("its header gives no usable size")
    channels = [c.split("\t") for c in header["DATA_INFO"].strip("\n").split("\n")[1:] if c.strip()]
    maps: list[tuple[str, str, int]] = []
    at = 0
    for channel in channels:
        cells = [c.strip() for c in channel]
        name, unit, direction = cells[2], cells[3], cells[4]
        maps.append((name, unit, at))
        at += 2 if direction == "both" else 1
    wanted = (
        sorted((m for m in maps if m[0].lower() in _WANTED), key=lambda m: _WANTED.index(m[0].lower()))[:MOST_GRIDS]
        or maps[:1]
    )
    up = header.get("SCAN_DIR", "").strip() == "up"
    grids = []
    for name, unit, index in wanted:
        part = raw[4 * size * index : 4 * size * (index + 1)]
        if len(part) < 4 * size:
            raise ValueError(f"it ends within channel {name}")
        measured = np.frombuffer(part, ">f4").reshape(lines, pixels).astype(float)
        grid = grid_of(path, f"{name} forward", unit, (width, height), measured[::-1] if up else measured)
        if grid is not None:
            grids.append(grid)
    rest = [m[0] for m in maps if m not in wanted]
    return tuple(grids), f"channels listed but not drawn: {', '.join(rest)}" if rest else ""


def grid_of(path: str, name: str, unit: str, extent: tuple[float, float], measured: np.ndarray) -> Grid | None:
    """A map with its statistics, every n-th pixel kept; None when nothing finite or nothing but one value is in it."""
    finite = np.isfinite(measured)
    if not finite.any() or float(np.ptp(measured[finite])) == 0.0:
        return None
    y, x = np.nonzero(finite)
    values = measured[finite]
    plane = np.column_stack((x, y, np.ones(len(x))))
    fitted, *_ = np.linalg.lstsq(plane, values, rcond=None)
    rough = float(np.sqrt(np.mean((values - plane @ fitted) ** 2)))
    step = max(1, math.ceil(max(measured.shape) / _KEPT))
    kept = measured[::step, ::step]
    return Grid(
        path=path,
        name=name,
        unit=unit,
        width_m=extent[0],
        height_m=extent[1],
        shape=(measured.shape[0], measured.shape[1]),
        step=step,
        values=tuple(tuple(float(v) if math.isfinite(v) else None for v in line) for line in kept),
        least=float(values.min()),
        most=float(values.max()),
        mean=float(values.mean()),
        roughness=rough,
    )


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
