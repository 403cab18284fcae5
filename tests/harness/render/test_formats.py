import pytest
from hypothesis import given, settings

from harness.errors import UsageError
from harness.files import decode_path, encode_path
from harness.render.formats import FORMATS, render, renderer
from tests.support.reports import EVERYTHING, RULES, finding, hostile, incomplete, report, sample, texts


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_renders_every_kind_of_run(name):
    for one in (sample(), report(), incomplete()):
        shown = render(one, name, rules=RULES)
        assert not shown or shown.endswith("\n")
        assert shown == render(one.model_copy(deep=True), name, rules=RULES)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=25)
@given(text=texts)
def test_no_format_fails_on_hostile_text(name, text):
    render(hostile(text), name, show=EVERYTHING, rules=RULES).encode("utf-8")


def test_an_unknown_format_names_the_nearest():
    with pytest.raises(UsageError) as error:
        renderer("serif")
    assert error.value.hint == "Did you mean sarif?"
    with pytest.raises(UsageError, match="no format 'zzz'"):
        renderer("zzz")


NAMES = [b"a\nb.py", b"a\x1b[2J.py", b"../up.py", b"a\x00b.py", b"\xff\xfe.py", "e\u0301.py".encode(), "\u00e9.py".encode(),
         "\u202egnp.py".encode(), b"back\\slash.py", b"-rf.py", b"a b.py", b"<b>.py"]  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("raw", NAMES)
def test_odd_file_names_are_shown_escaped_and_stay_apart(name, raw):
    path = encode_path(raw)
    assert decode_path(path) == raw
    shown = render(report(finding(path=path, frames=(), related=(), evidence=())), name, rules=RULES)
    other = render(report(finding(path="a/" + path, frames=(), related=(), evidence=())), name, rules=RULES)
    assert shown != other
    assert all(c.isprintable() or c == "\n" for c in shown)
    assert not set(shown) & {"\u202e", "\x1b", "\x00"}
