"""Units in headers: which part of a name is one, what it is made of, and how siunitx writes it."""

import re
from typing import NamedTuple

_PREFIXES = {
    "Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "h": 2, "d": -1, "c": -2, "m": -3, "µ": -6,
    "μ": -6, "u": -6,
    "n": -9, "p": -12, "f": -15, "a": -18,
}  # fmt: skip
_PREFIX_MACROS = {
    24: "yotta", 21: "zetta", 18: "exa", 15: "peta", 12: "tera", 9: "giga", 6: "mega", 3: "kilo", 2: "hecto", -1: "deci",
    -2: "centi",    -3: "milli", -6: "micro", -9: "nano", -12: "pico", -15: "femto", -18: "atto",
}  # fmt: skip
_UNITS = {
    "m": "metre", "g": "gram", "s": "second", "A": "ampere", "K": "kelvin", "mol": "mole", "cd": "candela",
    "Hz": "hertz", "N": "newton",
    "Pa": "pascal", "J": "joule", "W": "watt", "C": "coulomb", "V": "volt", "F": "farad", "Ω": "ohm", "Ohm": "ohm",
    "ohm": "ohm",
    "Ohms": "ohm", "ohms": "ohm", "\u2126": "ohm", "S": "siemens", "Wb": "weber", "T": "tesla", "H": "henry",
    "lm": "lumen", "lx": "lux", "Bq": "becquerel",
    "Gy": "gray", "Sv": "sievert", "eV": "electronvolt", "L": "litre", "l": "litre", "bar": "bar", "rad": "radian",
    "sr": "steradian",
}  # fmt: skip
_WHOLE = {
    "°": r"\degree", "deg": r"\degree", "degree": r"\degree", "degrees": r"\degree", "°C": r"\degreeCelsius",
    "℃": r"\degreeCelsius",
    "degC": r"\degreeCelsius", "deg C": r"\degreeCelsius", "%": r"\percent", "min": r"\minute", "h": r"\hour",
    "d": r"\day",
    "day": r"\day", "days": r"\day", "sec": r"\second", "seconds": r"\second", "Å": r"\angstrom",
    "\u212b": r"\angstrom", "dB": r"\decibel", "kg": r"\kilo\gram",
    "volts": r"\volt", "amps": r"\ampere", "a.u.": r"\text{a.u.}", "arb. units": r"\text{arb.\,units}",
    "arb. u.": r"\text{arb.\,u.}",
    "counts": r"\text{counts}", "cts": r"\text{counts}", "cps": r"\text{counts}\per\second", "px": r"\text{px}",
    "ppm": r"\text{ppm}",
    "rpm": r"\text{rpm}", "pH": r"\text{pH}", "g": r"\gram", "G": r"\text{G}", "Oe": r"\text{Oe}",
    "Torr": r"\text{Torr}", "mmHg": r"\text{mmHg}", "mbar": r"\milli\bar",
    "atm": r"\text{atm}", "cal": r"\text{cal}", "imp": r"\text{imp}", "°F": r"\text{\textdegree F}",
    "dBm": r"\text{dBm}",
    "В": r"\volt", "А": r"\ampere", "Гц": r"\hertz", "кГц": r"\kilo\hertz", "МГц": r"\mega\hertz", "с": r"\second",
    "мс": r"\milli\second",
    "м": r"\metre", "мм": r"\milli\metre", "см": r"\centi\metre", "кг": r"\kilo\gram", "г": r"\gram",
    "мВ": r"\milli\volt", "мА": r"\milli\ampere",
    "Ом": r"\ohm", "кОм": r"\kilo\ohm", "К": r"\kelvin", "Н": r"\newton", "Дж": r"\joule", "эВ": r"\electronvolt",
    "кэВ": r"\kilo\electronvolt",
    "мкА": r"\micro\ampere", "мкВ": r"\micro\volt", "мкс": r"\micro\second", "мкм": r"\micro\metre", "нм": r"\nano\metre",
    "Гн": r"\henry", "мГн": r"\milli\henry", "пФ": r"\pico\farad", "мкФ": r"\micro\farad", "Вт": r"\watt", "Тл": r"\tesla",
    "мТл": r"\milli\tesla", "Па": r"\pascal", "град": r"\degree", "мин": r"\minute",
    "秒": r"\second", "伏": r"\volt", "安": r"\ampere", "米": r"\metre", "毫米": r"\milli\metre", "厘米": r"\centi\metre",
    "赫兹": r"\hertz",
}  # fmt: skip
_POWER = re.compile(r"(.+?)(?:\^|\*\*)?\(?([-−–]?\d|[⁻]?[²³¹⁴])\)?$")
_SUPERSCRIPTS = str.maketrans("²³¹⁴⁻−–", "2314---")
_BRACKETED = re.compile(r"\s*[(\[（［【]\s*([^()\[\]（）［］【】]{1,24})\s*[)\]）］】]")
_COUNTED = frozenset({"count", "counts", "number", "n", "fringes", "index", "no."})
_CARELESS = {
    "v": "V",
    "mv": "mV",
    "a": "A",
    "hz": "Hz",
    "khz": "kHz",
    "KHz": "kHz",
    "Khz": "kHz",
    "mhz": "MHz",
    "KeV": "keV",
    "kev": "keV",
}
"""Units that people write with the wrong capitals; only where nothing else can be meant."""
_SLASHED = re.compile(r"^(.+?)\s*/\s*(\S{1,14}|\(\S{1,20}\))$", re.DOTALL)
_COMMAED = re.compile(r"^(.+?),\s*([^,\s]{1,14})$", re.DOTALL)


class Named(NamedTuple):
    """A header cell taken apart."""

    name: str
    unit: str


def split_unit(header: str) -> Named:
    """`U (V)`, `U [V]`, `U / V`, `U, V` -> name and unit; the header itself and '' where nothing in it is a unit."""
    text = " ".join(header.split())
    for found in reversed(list(_BRACKETED.finditer(text))):
        inside, rest = found[1].strip(), text[found.end() :].strip()
        name, unit = text[: found.start()].strip(), inside
        if not known(unit) and "," in inside:  # `(Δd, um)`
            first, _, last = inside.rpartition(",")
            name, unit = f"{name} ({first.strip()})", last.strip()
        if name.lower() in _COUNTED:  # `Count (N)` names its symbol
            continue
        if name and (known(unit) or unit in _CARELESS):
            return Named(f"{name} {rest}".strip(), _CARELESS.get(unit, unit))
    for pattern in (_COMMAED, _SLASHED):
        parts = pattern.match(text)
        if parts is None:
            continue
        unit = _CARELESS.get(parts[2], parts[2]) if pattern is _COMMAED and len(parts[2]) > 1 else parts[2].strip("()")
        if known(unit) and not (pattern is _COMMAED and len(unit) == 1 and unit.islower()):
            return Named(parts[1].strip(), unit)
    return Named(text, "")


def known(unit: str) -> bool:
    """Whether this is a unit."""
    return bool(unit) and _macros(unit) is not None


def latex_unit(unit: str) -> str:
    r"""`unit` as the argument of `\unit`; one that is not known as upright text. Never raw text of the material."""
    macros = _macros(unit)
    if macros is not None:
        return macros
    plain = re.sub(r"[^\w .%/()-]", "", unit, flags=re.UNICODE).replace("_", r"\_").replace("%", r"\%")
    return rf"\text{{{plain}}}"


def base_of(unit: str) -> tuple[str, int]:
    """A unit without its prefix and the power of ten that the prefix is: that of `kHz` is 3. Compounds stay whole."""
    macros = _macros(unit)
    if macros is None:
        return unit, 0
    for exponent, name in _PREFIX_MACROS.items():
        if macros.startswith(f"\\{name}\\") and macros.count("\\") == 2:
            return macros[len(name) + 1 :], exponent
    return macros, 0


def scaled(unit: str, largest: float) -> tuple[str, int]:
    """A unit with a better prefix for values up to `largest`, and the power of ten to divide by; unchanged for what takes
    no prefix. `A`, 3e-11 -> `pA`, -12."""
    if (
        unit not in ("A", "V", "m", "s", "Hz", "F", "H", "W", "J", "N", "Pa", "T", "Ω", "Ohm", "eV", "S")
        or not largest > 0
    ):
        return unit, 0
    for exponent in (9, 6, 3, 0, -3, -6, -9, -12, -15):
        if largest >= 10.0**exponent * 0.999:
            break
    letter = {9: "G", 6: "M", 3: "k", 0: "", -3: "m", -6: "µ", -9: "n", -12: "p", -15: "f"}[exponent]
    return letter + unit, exponent


def _macros(unit: str) -> str | None:
    text = unit.strip().strip("()[]").strip()
    if text in _WHOLE:
        return _WHOLE[text]
    if not text or len(text) > 24:
        return None
    parts = re.split(r"\s*([/·*⋅.]| )\s*", text)
    made, sign = "", ""
    for part in parts:
        if part in ("/",):
            sign = r"\per"
        elif part in ("·", "*", "⋅", ".", " ", "") or (part == "1" and not made):
            continue
        else:
            one = _one(part)
            if one is None:
                return None
            made += (sign if not one.startswith(r"\per") else "") + one
    return made or None


def _one(part: str) -> str | None:
    power = ""
    part = part.strip("()")
    base = _symbol(part)
    if base is None:
        found = _POWER.match(part)
        if not found:
            return None
        base = _symbol(found[1])
        exponent = int(found[2].translate(_SUPERSCRIPTS))
        if base is None or exponent == 0:
            return None
        size = abs(exponent)
        power = {1: "", 2: r"\squared", 3: r"\cubed"}.get(size, rf"\tothe{{{size}}}")
        return (r"\per" if exponent < 0 else "") + base + power
    return base


def _symbol(text: str) -> str | None:
    if text in _UNITS:
        return f"\\{_UNITS[text]}"
    if text in _WHOLE and text not in ("d", "h", "G"):
        return _WHOLE[text]
    if text in ("h", "min"):
        return _WHOLE[text]
    if len(text) > 1 and text[0] in _PREFIXES and text[1:] in _UNITS:
        return f"\\{_PREFIX_MACROS[_PREFIXES[text[0]]]}\\{_UNITS[text[1:]]}"
    return None
