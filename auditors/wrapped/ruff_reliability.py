"""ruff rules selected for the groups `concurrency`, `data-integrity`, `platform` and `tests`."""

from auditors.wrapped.ruff_meaning import MEANING
from auditors.wrapped.words import Words
from harness.schema.finding import Severity

CONCURRENCY: dict[str, Words] = {
    "ASYNC100": Words(
        "Time limit that cannot strike",
        "Nothing inside the time limit of {at} awaits, so it cannot be cancelled there and the limit never takes effect.",
        "Move the await into the block, or drop the time limit.",
    ),
    "ASYNC105": Words(
        "Coroutine made and thrown away",
        "`{0}` in {at} only makes a coroutine; without await nothing of it ever runs.",
        "Put await before the call.",
    ),
    "PLW2101": Words(
        "Lock that locks nobody out",
        "Every thread that enters {at} makes a lock of its own, so two of them are inside the block at the same time.",
        "Make the lock once, outside, and enter that one.",
        Severity.MEDIUM,
        820,
    ),
}

DATA_INTEGRITY: dict[str, Words] = {
    "B012": Words(
        "Error lost in finally",
        "An exception on its way out of the try block in {at} disappears at `{code}`; the caller takes the failure for success.",
        "Move the statement behind the try statement.",
        Severity.MEDIUM,
        390,
    ),
    "S110": Words(
        "Every error swallowed",
        "Whatever goes wrong inside this try in {at}, also a mistake in the code itself, leaves no trace and the work goes on.",
        "Catch the exceptions that are expected, and log or report the rest.",
        Severity.LOW,
        391,
    ),
}

PLATFORM: dict[str, Words] = {
    code: Words(
        "Python version compared as text",
        "On Python 3.10 and newer `{code}` in {at} sees `3.1`, and takes the wrong branch.",
        "Compare sys.version_info with a tuple.",
        Severity.MEDIUM,
    )
    for code in ("YTT101", "YTT102", "YTT103", "YTT301", "YTT302", "YTT303")
} | {
    "RUF064": Words(
        "Mode written in decimal",
        "`{code}` in {at} gives the number in decimal, so the file gets other permissions than its digits say.",
        "Write the mode in octal, such as 0o644.",
        Severity.MEDIUM,
        732,
    ),
}

SHARED = {code: MEANING[code]._replace(group="correctness") for code in ("B015", "F631", "PLR0124")}
"""Rules of the group `correctness` that are as good in test code."""

TESTS: dict[str, Words] = {
    **SHARED,
    "PLW0129": Words(
        "Assertion that cannot fail",
        "`{code}` in {at} asserts a text, which is true as long as it is not empty.",
        "Assert the condition that the text describes.",
        Severity.LOW,
    ),
    "PT012": Words(
        "Assertions after the exception",
        "In {at} the first call that raises ends the block, so what stands after it inside the block is never checked.",
        "Leave one statement inside the block and move the assertions behind it.",
        Severity.LOW,
    ),
    "PT014": Words(
        "Case listed twice",
        "A case of this table stands there twice: the second run of {at} tests nothing that the first did not.",
        "Change the copy into the missing case, or drop it.",
        Severity.LOW,
    ),
    "PT025": Words(
        "usefixtures on a fixture",
        "pytest ignores the mark on {at}, so the fixtures it names are never set up.",
        "Ask for the fixtures as parameters.",
        Severity.LOW,
    ),
}
