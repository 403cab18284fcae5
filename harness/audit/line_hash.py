"""`primaryLocationLineHash`, the identity that code scanning gives a place.

The algorithm is that of github/codeql-action, `src/fingerprints.ts`: for each line a polynomial hash (base 37, modulo 2^64)
of the 100 UTF-16 units that follow its start, spaces and tabs left out, every line end taken as LF, the end of the file
as 65535 and zeros after it. Equal hashes are told apart by a count: `hex:count`.
"""

from itertools import accumulate

BLOCK = 100
BASE = 37
END_OF_FILE = 65535
_MASK = (1 << 64) - 1
_LEAVING = pow(BASE, BLOCK, 1 << 64)
"""Weight of the unit that leaves a block when it moves on by one."""


def line_hashes(text: str) -> list[str]:
    """One hash a line, in order. A text that ends in a line end has an empty last line, as in the original."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    units: list[int] = []
    starts = []
    for line in text.split("\n"):
        starts.append(len(units))
        units += _utf16(line.replace(" ", "").replace("\t", "") + "\n")
    units[-1] = END_OF_FILE
    units += [0] * BLOCK
    prefixes = list(accumulate(units, lambda value, unit: (value * BASE + unit) & _MASK, initial=0))
    counts: dict[str, int] = {}
    found = []
    for start in starts:
        value = (prefixes[start + BLOCK] - prefixes[start] * _LEAVING) & _MASK
        digest = f"{value:x}"
        counts[digest] = counts.get(digest, 0) + 1
        found.append(f"{digest}:{counts[digest]}")
    return found


def _utf16(text: str) -> list[int]:
    if text.isascii():
        return list(text.encode("ascii"))
    raw = text.encode("utf-16-le", "surrogatepass")
    return [raw[i] | raw[i + 1] << 8 for i in range(0, len(raw), 2)]
