import pytest
from hypothesis import given, settings

from harness.errors import UsageError
from harness.render.formats import FORMATS, render, renderer
from tests.support.reports import EVERYTHING, RULES, hostile, incomplete, report, sample, texts


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
