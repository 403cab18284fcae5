"""Functions that are too large to be followed keep a claim open, wherever they are met."""

from pathlib import Path

import pytest

from harness.schema.verdict import Verdict
from tests.support.told import ruled

HEAD = "from flask import Flask, request\n\napp = Flask(__name__)\n\n\n"
MANY = "".join(f"    if text == '{n}':\n        text = text + '{n}'\n" for n in range(300))
WIDE = f"    table = {[0] * 20_000}\n"


@pytest.mark.parametrize("body", [MANY, WIDE], ids=["lines", "characters"])
@pytest.mark.parametrize("cwe", [95, 89, 79, 306])
def test_a_claim_in_a_large_function_stays_open(tmp_path: Path, body: str, cwe: int) -> None:
    text = f"{HEAD}@app.post('/x')\ndef big():\n    text = request.args['x']\n{body}    return eval(text)\n"
    ruling = ruled(tmp_path, {"a.py": text}, cwe, "a.py:def big")
    assert (ruling.verdict, ruling.reason) == (Verdict.UNCERTAIN, "`big` is too large to be followed")


@pytest.mark.parametrize("cwe", [95, 89, 306])
def test_nothing_is_absent_from_what_calls_a_large_function(tmp_path: Path, cwe: int) -> None:
    text = f"{HEAD}@app.post('/x')\ndef small():\n    return big(request.args['x'])\n\n\ndef big(text):\n{MANY}    return text\n"
    assert ruled(tmp_path, {"a.py": text}, cwe, "a.py:def small").verdict is Verdict.UNCERTAIN
