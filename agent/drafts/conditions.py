"""The section on conditions: entries of headers and notebooks that are usually needed."""

import re
from collections.abc import Sequence

from agent.data.rounding import significant
from agent.drafts.latex import breakable, name, quantity, shortened
from agent.drafts.page import Page
from agent.readers.records import Entry
from agent.readers.units import known, latex_unit, scaled
from agent.records import Source

LISTED_ENTRIES, MOST_SETTINGS = 14, 6
_USUAL = (
    "experiment", "technique", "sample", "name", "bias", "setpoint", "current", "temperature", "temp", "range", "pixel", "angle",
    "date", "time", "frequency", "amplitude", "sweep", "scan", "pressure", "comment", "model", "mode", "gain", "field", "voltage",
    "power", "distance", "resistance", "chemical", "description", "number of",
)  # fmt: skip
_DULL = (
    "path", "release", "version", "file", "email", "@", "config", "calib", "animation", "indicator",
    "measurements period", "cutoff", "order", "demod", "oscillation", "excitation", "pll", "phase", "piezo",
    "hv", "user output", "output mode", "limit", "slope", "identifier", "kelvin", "ext.", "series name",
    "setpoint unit", "z-controller>setpoint", "settling", "slew", "current>offset", "drift",
)  # fmt: skip


class Conditions(Page):
    """Under which conditions."""

    def settings(self) -> str:
        """Tables of header entries that are usually needed."""
        parts: list[str] = []
        seen: list[set[tuple[str, str]]] = []
        for path, entries in self._readings.entries.items():
            if path.rpartition("/")[2].lower() in ("config.json", "package.json", "settings.json"):
                continue
            chosen = _usual(entries)
            told = {(e.key, e.text) for e in chosen}
            if (
                not chosen
                or len(parts) >= MOST_SETTINGS
                or any(len(told & other) * 10 >= 7 * len(told) for other in seen)
            ):
                continue
            seen.append(told)
            label = f"tab:settings-{len(parts) + 1}"
            say = self._say
            source = [Source(path=path)]
            parts.append(
                say["settings_text"].format(
                    label=label,
                    file=name(path),
                    n=self._count(len(chosen), "entries shown", source),
                    all=self._count(len(entries), "entries", source),
                )
                + "\n\n"
                + self._entries(chosen, path, label)
            )
        return "\n\n".join(parts)

    def _entries(self, entries: Sequence[Entry], path: str, label: str) -> str:
        rows = [rf"{breakable(shortened(e.key, 44))} & {self._value(e, path)} \\" for e in entries]
        say = self._say
        caption = say["settings_caption"].format(file=name(path))
        spec = r"@{}l>{\raggedright\arraybackslash}p{0.5\linewidth}@{}"
        lines = [
            r"\begin{table}[H]",
            r"\centering",
            rf"\caption{{{caption}}}\label{{{label}}}",
            r"\small",
            rf"\begin{{tabular}}{{{spec}}}",
            r"\toprule",
            rf"{say['key']} & {say['value']} \\",
            r"\midrule",
            *rows,
            *(r"\bottomrule", r"\end{tabular}", r"\end{table}"),
        ]
        return "\n".join(lines)

    def _value(self, entry: Entry, path: str) -> str:
        if entry.value is None:
            unit = f" \\unit{{{latex_unit(entry.unit)}}}" if known(entry.unit) else ""
            return breakable(shortened(re.sub(r"<[^<>]{1,20}>|&nbsp;", " ", entry.text), 90)) + unit
        unit, exponent = scaled(entry.unit, abs(entry.value))
        value = entry.value / 10.0**exponent
        text = significant(value, 5)
        if "." in text and "e" not in text:
            text = text.rstrip("0").rstrip(".")
        source = [Source(path=path, place=entry.place)]
        q = self.register.add(entry.value, text, kind="text", sources=source, unit=unit)
        return quantity(q)


def _usual(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    """Entries that are usually needed; all where there are few."""
    told = [
        e
        for e in entries
        if e.text
        and not re.search(r"[\\\\'%/]{2}", e.text)
        and e.text.lower() not in ("true", "false", "n/a", "inf", "0", "0e+0")
    ]
    if len(told) <= LISTED_ENTRIES:
        return tuple(told)
    scored = []
    for i, entry in enumerate(told):
        key = entry.key.lower()
        if any(d in key for d in _DULL):
            continue
        rank = next((r for r, word in enumerate(_USUAL) if word in key), None)
        if rank is not None:
            scored.append((rank + 3 * key.count(">"), i, entry))
    chosen = sorted(scored, key=lambda s: s[:2])[:LISTED_ENTRIES]
    return tuple(e for _, _, e in sorted(chosen, key=lambda s: s[1]))
