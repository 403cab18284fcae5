"""As many digits as a number deserves."""

import math

EXACT = 1e-9
"""Below this fraction of a value, an error or a spread is how computers round and nothing that was measured."""


def significant(value: float, digits: int = 4) -> str:
    """`value` with at most `digits` significant digits, trailing zeros kept; whole numbers up to a million stay whole.
    Very large and small ones as `1.234e-11`."""
    if value == 0:
        return "0"
    if value == int(value) and abs(value) < 10**6:
        return str(int(value))
    size = math.floor(math.log10(abs(value)))
    if size >= 6 or size < -4:
        return f"{value:.{digits - 1}e}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
    return decimals(value, digits - 1 - size)


def decimals(value: float, count: int) -> str:
    """`value` rounded to `count` decimals; negative counts round before the decimal mark."""
    rounded = round(value, count)
    text = f"{rounded:.{max(0, count)}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def shortest(value: float, digits: int = 6) -> str:
    """A value of the material: as it is when it has few digits, else rounded to `digits` significant ones."""
    text = f"{value:.{digits}g}"
    if "e" in text:
        mantissa, _, exponent = text.partition("e")
        return f"{mantissa}e{int(exponent)}"
    return text


def measured(value: float, error: float) -> str:
    """`4.512(13)`: the error with two digits, or one above 2.5 of its first; the value to the same place. What siunitx
    reads as a number with its uncertainty; `1.234(5)e-11` where it is very large or small. No error where it is exact."""
    if not (math.isfinite(error) and error > 0):
        return significant(value)
    if error < EXACT * abs(value):
        return shortest(value, 10)
    scale = 0
    size = math.floor(math.log10(max(abs(value), error)))
    if size >= 6 or size < -3:
        scale = size
    v, e = value / 10.0**scale, error / 10.0**scale
    place = math.floor(math.log10(e))
    count = -place if e / 10.0**place >= 2.95 else 1 - place
    if count < 0:  # both rounded before the decimal mark: 33400(7300)
        text = f"{decimals(v, count)}({decimals(e, count)})"
    else:
        text = f"{decimals(v, count)}({round(e * 10**count)})"
    return f"{text}e{scale}" if scale else text
