"""A hostile repository cannot make the evaluation run long, grow large or break down."""

import time
from pathlib import Path

import pytest

from harness.contracts import Bench
from tests.support.corpus import claims, judge
from tests.support.trees import project_of

VIEW = """
import os
from flask import Flask, request
app = Flask(__name__)

@app.route("/x")
def view():
    q = request.args["q"]
{body}
    os.system(q + str(n))
    return "done"
"""

BODIES = {
    "power": "n = 9 ** 9 ** 9 ** 9",
    "shift": "n = 1 << 10 ** 12",
    "repetition": "n = 'a' * 10 ** 12",
    "nested repetition": "n = 'a' * 9999\nn = n * 9999\nn = n * 9999",
    "doubling": "n = q\n" + "n = n + n\n" * 40,
    "endless loop": "n = 0\nwhile True:\n    n += 1\n    if n > 10 ** 9:\n        break",
    "many branches": "n = ''\n" + "\n".join(f"if request.args.get('{i}'):\n    n += q + '{i}'" for i in range(60)),
    "nested loops": "n = 0\nfor a in q:\n    for b in q:\n        for c in q:\n            for d in q:\n                n += 1",
    "deep expression": "n = " + "(" * 60 + "q" + ")" * 60,
    "long sum": "n = " + " + ".join(["q"] * 400),
    "nested loops beyond reason": "n = 0\n" + "\n".join("    " * i + f"for a{i} in q:" for i in range(40)) + " n += 1",
    "bad pattern": "import re\nn = 1\nif not re.fullmatch(r'((((', q):\n    return 'x'",
    "slow pattern": "import re\nn = re.sub(r'[a-z]+', '', q) if re.match(r'(a+)+$', q) else 1",
    "self reference": "n = []\nn.append(n)\nn = n[0]",
    "bytes": "n = b'\\xff'.decode('utf-16', 'strict') if q else 1",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_every_function_gets_an_answer_soon(body: str, tmp_path: Path) -> None:
    text = VIEW.format(body="\n".join("    " + line for line in body.split("\n")))
    bench = Bench(project=project_of(tmp_path, {"app.py": text}), sandbox=None)
    began = time.process_time()
    found = [judge(c, bench).verdict.value for c in claims(bench, "security") if c.rule == "command-injection"]
    assert found
    assert "UNVERIFIED" not in found
    assert time.process_time() - began < 10
