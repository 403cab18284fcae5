import pytest

from harness.schema.location import Location
from harness.source.citation import Citations, NotCited
from tests.support.trees import project_of


def test_a_masked_quote_is_the_beginning_of_its_line_and_is_not_searched_for(tmp_path):
    project = project_of(tmp_path, {"a.py": "x = 1\nTOKEN = 'abc'\n"})
    citations = Citations(project)
    at = Location(path="a.py", line=2, end_line=2, column=9)
    assert citations.check(at, "TOKEN =", None, None, masked=True).location == at
    with pytest.raises(NotCited, match="nowhere"):
        citations.check(at, "TOKEN =", None, None)
    for wrong in ("x = 1", "", "abc"):
        with pytest.raises(NotCited, match="begin"):
            citations.check(at, wrong, None, None, masked=True)
    with pytest.raises(NotCited, match="has 3 lines"):
        citations.check(at.model_copy(update={"end_line": 9}), "TOKEN =", None, None, masked=True)
