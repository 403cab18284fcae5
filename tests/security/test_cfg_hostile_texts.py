"""Documents, pages and scripts that are made to keep a reader busy or to break it: bounded work, no failed lane."""

import time
from pathlib import Path

import pytest

from auditors.plugin import PLUGIN
from harness.contracts import Bench
from tests.support.trees import project_of

FILES = {
    "README.md": "[" * 200_000 + "\n" + "`" * 3 + "\n" + "``a" * 60_000 + "\n",
    "docs/index.rst": ":func:`" * 50_000 + "\n" + "a/" * 50_000 + "\n",
    "page.html": "{{" * 100_000,
    "comments.html": "{% comment " * 10_000 + "<p>" * 10_000,
    "open.html": '<div id="a{{" ' * 15_000,
    "sum.js": "x.innerHTML = " + "a+" * 50_000 + "a;\nfetch(" + "'/a'+" * 20_000 + "b);",
    "deep.js": "(" * 100_000,
    "app.py": "import flask\napp = flask.Flask('a')\n\n\n@app.get('/')\ndef a():\n    return 1\n",
    "tail.json": '{"password": "' + "x" * 100_000 + '"}',
}


@pytest.mark.parametrize("group", ["docs", "frontend"])
def test_texts_that_open_and_never_close_take_bounded_time(tmp_path: Path, group: str) -> None:
    bench = Bench(project=project_of(tmp_path, FILES), sandbox=None)
    began = time.process_time()
    for auditor in PLUGIN.auditors:
        if auditor.group == group and not auditor.executes:
            list(auditor.audit(bench))
    assert time.process_time() - began < 30
