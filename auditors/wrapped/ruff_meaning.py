"""ruff rules selected for the group `correctness`: what runs and means something else than it says."""

from auditors.wrapped.words import Words
from harness.schema.finding import Severity

MEANING: dict[str, Words] = {
    "B002": Words(
        "`++` is no operator",
        "`{code}` in {at} changes nothing: Python reads it as two signs.",
        "Write += 1 or -= 1.",
    ),
    "B003": Words(
        "Environment replaced by a dictionary",
        "After `{code}` in {at} child processes still get the old environment.",
        "Use os.environ.clear() and os.environ.update(...).",
    ),
    **dict.fromkeys(
        ("B005", "PLE1310"),
        Words(
            "strip takes a set of characters",
            "`{code}` in {at} removes any of these characters from the end, in any order and number, so it also eats "
            "letters of the value itself.",
            "Use removeprefix or removesuffix.",
        ),
    ),
    "B006": Words(
        "Default value shared by all calls",
        "What one call of {at} puts into its default is still there in the next call.",
        "Default to None and make the object inside.",
    ),
    "B015": Words(
        "Comparison without effect",
        "`{code}` in {at} is computed and dropped; an assignment or an assertion was meant.",
        "Assign, assert, or delete it.",
        Severity.LOW,
    ),
    "B021": Words(
        "Docstring that is none",
        "`__doc__` of {at} is None, because an f-string is an expression and no docstring.",
        "Write a plain string.",
        Severity.LOW,
    ),
    "B022": Words(
        "suppress without an exception",
        "`{code}` in {at} suppresses nothing, so the error it was written for goes through.",
        "Name the exceptions.",
    ),
    "B025": Words(
        "Handler that is never reached",
        "The second handler for the same exception in {at} never runs, so its treatment never happens.",
        "Merge the handlers, or correct the exception.",
    ),
    "B032": Words(
        "Annotation where an assignment was meant",
        "`{code}` in {at} annotates and assigns nothing, so the value is never stored.",
        "Write = instead of :.",
    ),
    "B034": Words(
        "Flags in the place of the count",
        "`{code}` in {at} passes the number in the place of another parameter: with a flag there, the flag is "
        "ignored and the number limits the work.",
        "Pass count= and flags= by name.",
    ),
    "B035": Words(
        "One key for every element",
        "The dictionary built in {at} has one entry at the end, because its key does not depend on the loop.",
        "Use the loop variable in the key.",
    ),
    "B039": Words(
        "Default value shared by all contexts",
        "What one context puts into the default of this ContextVar is seen by all others.",
        "Default to None and make the object on first use.",
    ),
    "F523": Words(
        "Argument that never appears",
        "An argument of `{code}` in {at} has no placeholder, so the text lacks what it was meant to say.",
        "Add the placeholder, or drop the argument.",
        Severity.LOW,
    ),
    "F601": Words(
        "Key given twice",
        "The dictionary in {at} names the key `{0}` twice with different values; the first value is lost.",
        "Drop one of the two.",
    ),
    **dict.fromkeys(
        ("F631", "F634"),
        Words(
            "Tuple taken for a condition",
            "The condition `{code}` in {at} is a tuple with something in it and so always true.",
            "Drop the brackets and join the parts with and, or make the second the message.",
        ),
    ),
    "F632": Words(
        "Identity in place of equality",
        "`{code}` in {at} asks whether two objects are the same one; equal values can be different objects, so "
        "the answer depends on the interpreter.",
        "Write == or !=.",
    ),
    "F633": Words(
        "print with >>",
        "`{code}` in {at} ends in TypeError: this is how Python 2 printed to a file.",
        "Pass file=.",
    ),
    "F811": Words(
        "Definition lost under a second one",
        "The first definition of `{0}` is never used, because a second one of the same name replaces it.",
        "Rename one of the two, or drop the first.",
    ),
    **dict.fromkeys(
        ("INT001", "INT002", "INT003"),
        Words(
            "Text that is never translated",
            "`{code}` in {at} looks up the finished text in the catalogue, which holds the template only, so users "
            "read the original language.",
            "Translate the template first and format the result.",
            Severity.LOW,
        ),
    ),
    "LOG014": Words(
        "exc_info without an exception",
        "`{code}` in {at} runs outside a handler, so the log gets `NoneType: None` in place of a traceback.",
        "Drop exc_info, or move the call into the handler.",
        Severity.LOW,
    ),
    "PLR0124": Words(
        "Value compared with itself",
        "`{code}` in {at} compares a name with itself, so the answer never depends on the value.",
        "Compare with the value that was meant.",
    ),
    "PLW0133": Words(
        "Exception made and not raised",
        "`{code}` in {at} makes an exception and drops it, so the work goes on as if nothing had happened.",
        "Put raise before it.",
    ),
    "PLW0177": Words(
        "Comparison with NaN",
        "`{code}` in {at} is always the same answer, because NaN is equal to nothing.",
        "Use math.isnan.",
    ),
    "RUF009": Words(
        "Default computed once",
        "The default at `{code}` is computed when the class is made, so all objects of {at} share that one value.",
        "Use field(default_factory=...).",
    ),
    "RUF018": Words(
        "Assignment that -O removes",
        "Under `python -O` the assertion `{code}` in {at} is not run, so the name it assigns does not exist.",
        "Assign first, then assert.",
        Severity.LOW,
    ),
    "RUF024": Words(
        "One mutable value for every key",
        "All keys of the dictionary made in {at} share one object, so a change under one key shows under all.",
        "Use a dict comprehension.",
    ),
    "RUF030": Words(
        "print in place of the message",
        "When the assertion `{code}` in {at} fails, its message is None.",
        "Give the text itself as the message.",
        Severity.LOW,
    ),
    "RUF034": Words(
        "Both branches are the same",
        "`{code}` in {at} gives the same value whatever its condition is, so one of the two is wrong.",
        "Correct the branch that differs in meaning.",
        Severity.LOW,
    ),
    **dict.fromkeys(
        ("SIM220", "SIM221", "SIM222", "SIM223"),
        Words(
            "Condition with one possible answer",
            "Part of the condition `{code}` in {at} makes the answer the same for every value.",
            "Correct the constant part.",
        ),
    ),
}
