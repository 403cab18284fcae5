"""What an attacker needs at a sink, by kind and by what stands around the value."""

import pytest

from verifiers.static.security.danger import Answer, judge
from verifiers.static.security.patterns import one_character_class, whole_match
from verifiers.static.security.values import ANY, OTHER, Const, Opaque, Piece, Text, one_of

FREE = Piece(("x",), "request.args", 1)
NO_QUOTE = Piece(("q",), "request.args", 1, ANY - {"'"})
NO_TAG = Piece(("t",), "request.args", 1, ANY - {"<", ">", '"', "'"})
DIGITS = Piece(("d",), "request.args", 1, frozenset("0123456789"))
CHECKED = Piece(("c",), "request.args", 1, marks=frozenset({"checked"}))
CLEAN = Piece(("y",), "", 0)

CASES = {
    "nothing untrusted": ("command", Text(("ls ", CLEAN)), Answer.SAFE),
    "shell": ("command", Text(("ls ", FREE)), Answer.HARM),
    "shell in quotes": ("command", Text(("ls '", FREE, "'")), Answer.HARM),
    "shell in quotes without them": ("command", Text(("ls '", NO_QUOTE, "'")), Answer.SAFE),
    "shell outside quotes without them": ("command", Text(("ls ", NO_QUOTE)), Answer.HARM),
    "shell in double quotes": ("command", Text(('ls "', NO_QUOTE, '"')), Answer.HARM),
    "sql in quotes": ("sql", Text(("SELECT '", FREE, "'")), Answer.HARM),
    "sql in quotes without them": ("sql", Text(("SELECT '", NO_QUOTE, "'")), Answer.SAFE),
    "sql outside quotes without them": ("sql", Text(("SELECT ", NO_QUOTE)), Answer.HARM),
    "sql number": ("sql", Text(("SELECT ", DIGITS)), Answer.SAFE),
    "html escaped": ("html", Text(("<p>", NO_TAG)), Answer.SAFE),
    "html escaped in a quoted attribute": ("html", Text(("<a href='", NO_TAG, "'>")), Answer.SAFE),
    "html escaped in a bare attribute": ("html", Text(("<a href=", NO_TAG, ">")), Answer.UNKNOWN),
    "path below a folder": ("path", Text(("files/", FREE)), Answer.HARM),
    "path alone": ("path", FREE, Answer.HARM),
    "redirect with a host": ("redirect", Text(("https://a.example/", FREE)), Answer.SAFE),
    "redirect with an open host": ("redirect", Text(("https://a.example", FREE)), Answer.HARM),
    "redirect below a path": ("redirect", Text(("/go?to=", FREE)), Answer.SAFE),
    "redirect after one slash": ("redirect", Text(("/", FREE)), Answer.HARM),
    "a check nobody understands": ("command", CHECKED, Answer.UNKNOWN),
    "unknown with something inside": ("command", Opaque("f()", (FREE,)), Answer.UNKNOWN),
    "one alternative is enough": ("command", one_of((Const("ls"), FREE)), Answer.HARM),
    "all alternatives are known": ("command", one_of((Const("ls"), Const("pwd"))), Answer.SAFE),
}


@pytest.mark.parametrize(("kind", "value", "answer"), CASES.values(), ids=CASES.keys())
def test_answer(kind: str, value: Const | Piece | Text | Opaque, answer: Answer) -> None:
    assert judge(kind, value).answer is answer


@pytest.mark.parametrize(
    ("pattern", "anchored", "allowed", "refused"),
    [
        (r"[a-z]+", True, "az", "A;"),
        (r"^[\w.-]+$", False, "aZ9_.-", "/; "),
        (r"^\d{4}-\d{2}\Z", False, "09-", "a/"),
        (r"user-[0-9]*", True, "user-5", "; "),
    ],
)
def test_characters_of_a_pattern(pattern: str, anchored: bool, allowed: str, refused: str) -> None:
    chars = whole_match(pattern, anchored=anchored)
    assert chars is not None
    assert set(allowed) <= chars
    assert not set(refused) & chars


@pytest.mark.parametrize("pattern", ["[a-z]+", "^[a-z]+", "(a|b)$", "^[a-z]+$|x", "^.*$", "((((", "^a{1,2}{3}$"])
def test_patterns_that_promise_nothing(pattern: str) -> None:
    assert whole_match(pattern, anchored=False) is None


def test_a_negated_class_names_what_goes() -> None:
    removed = one_character_class(r"[^a-z]+")
    assert removed is not None
    assert {"A", "/", OTHER} <= removed
    assert "a" not in removed
    assert one_character_class("ab") is None
