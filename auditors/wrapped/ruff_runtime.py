"""ruff rules selected for the group `correctness`: what raises as soon as it runs."""

from auditors.wrapped.words import Words
from harness.schema.finding import Severity

RUNTIME: dict[str, Words] = {
    **dict.fromkeys(
        ("F501", "F506", "F509", "PLE1300"),
        Words(
            "Format string that cannot be used",
            "Formatting at `{code}` in {at} raises ValueError or TypeError instead of giving a text.",
            "Correct the placeholder; write `%%` for a percent sign.",
        ),
    ),
    **dict.fromkeys(
        ("F502", "F503", "F505", "F507", "F508", "F524"),
        Words(
            "Placeholders and arguments do not match",
            "Formatting at `{code}` in {at} raises TypeError, KeyError or IndexError: the placeholders ask for other "
            "arguments than are there.",
            "Give every placeholder its argument.",
        ),
    ),
    **dict.fromkeys(
        ("F521", "F525"),
        Words(
            "Format string that cannot be used",
            "`.format` at `{code}` in {at} raises ValueError instead of giving a text.",
            "Correct the braces; write `{{` for a brace.",
        ),
    ),
    "PLE1307": Words(
        "Argument of the wrong type for its placeholder",
        "Formatting at `{code}` in {at} raises TypeError: the placeholder takes a number and the argument is none.",
        "Use %s, or convert the argument.",
    ),
    **dict.fromkeys(
        ("F701", "F702", "F704", "F706", "F707", "PLE0115", "PLE0117", "PLE0118", "PLE1142", "PLE1700"),
        Words(
            "Module that cannot be imported",
            "Importing this module ends in SyntaxError at `{code}`, although it parses.",
            "Move the statement to where the language allows it.",
        ),
    ),
    "F821": Words(
        "Undefined name",
        "When {at} reaches `{0}`, nothing has defined that name and the run ends in NameError.",
        "Import or define `{0}`, or correct its spelling.",
    ),
    "F822": Words(
        "Exported name that does not exist",
        "`from module import *` ends in AttributeError, because `__all__` promises `{0}` and the module has no "
        "such name.",
        "Drop `{0}` from `__all__`, or define it.",
        Severity.LOW,
    ),
    "F823": Words(
        "Local name used before it is set",
        "{at} reads `{0}` before it sets it; because it sets it later on, the name is local and the read ends in "
        "UnboundLocalError.",
        "Set the name first, or declare it global or nonlocal.",
    ),
    "B016": Words(
        "Raising something that is no exception",
        "`{code}` in {at} ends in TypeError, because only exceptions can be raised; the intended error never "
        "reaches anyone.",
        "Raise an exception with the text as its message.",
    ),
    "B029": Words(
        "Handler that catches nothing",
        "`except ():` in {at} names no exception, so every error passes it.",
        "Name the exceptions, or drop the handler.",
    ),
    **dict.fromkeys(
        ("B030", "PLW0711"),
        Words(
            "Handler that names no exception class",
            "An error inside the try in {at} is not caught as meant: `{code}` does not name the classes one by one.",
            "Give the exception classes as a tuple.",
        ),
    ),
    "PLE0101": Words(
        "Value returned from __init__",
        "Making an object of this class ends in TypeError, because `__init__` returns a value at `{code}`.",
        "Drop the value, or move the work to a class method.",
    ),
    "PLE0302": Words(
        "Special method with the wrong parameters",
        "The interpreter calls {at} with another number of arguments than it takes, which ends in TypeError.",
        "Give the method the parameters that the data model names.",
    ),
    **dict.fromkeys(
        ("PLE0303", "PLE0304", "PLE0305", "PLE0307", "PLE0308", "PLE0309"),
        Words(
            "Special method that returns the wrong type",
            "The built-in function that calls {at} ends in TypeError, because the value returned has the wrong type.",
            "Return a value of the type that the data model asks for.",
        ),
    ),
    "PLE0604": Words(
        "Name in __all__ that is no text",
        "`from module import *` ends in TypeError at `{code}`: `__all__` may hold strings only.",
        "Put the name into quotes.",
        Severity.LOW,
    ),
    **dict.fromkeys(
        ("PLE1205", "PLE1206"),
        Words(
            "Log call with the wrong number of arguments",
            "The message of `{code}` in {at} is never written: logging prints an error of its own instead, because "
            "arguments and placeholders differ in number.",
            "Give every placeholder its argument.",
        ),
    ),
    **dict.fromkeys(
        ("PLE1519", "PLE1520"),
        Words(
            "Dispatch on the wrong argument",
            "{at} dispatches on the wrong argument because of its decorator, so the registered variants are never "
            "chosen.",
            "Use singledispatchmethod on methods and singledispatch on functions.",
        ),
    ),
    "PLW0245": Words(
        "super without brackets",
        "`{code}` in {at} asks the class `super` itself for the attribute, which ends in AttributeError.",
        "Write super().",
    ),
    "PLW1501": Words(
        "Mode that open refuses",
        "`{code}` in {at} ends in ValueError: no file can be opened in this mode.",
        "Correct the mode.",
    ),
    "RUF016": Words(
        "Index of the wrong type",
        "`{code}` in {at} ends in TypeError: a sequence takes whole numbers and slices as index.",
        "Use a number, or a mapping.",
    ),
    "RUF026": Words(
        "defaultdict without a default",
        "`{code}` in {at} makes a dictionary with one key called `default_factory` and no default, so the first "
        "missing key raises KeyError.",
        "Pass the factory as the first positional argument.",
    ),
}
