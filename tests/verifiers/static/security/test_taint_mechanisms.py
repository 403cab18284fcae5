"""The evaluation follows what Python does to a value: one mechanism a case, harmful and harmless side by side."""

from pathlib import Path

import pytest

from harness.contracts import Bench
from tests.support.corpus import claims, judge
from tests.support.trees import project_of

HEAD = """
import os
from flask import Flask, request, abort
app = Flask(__name__)

{before}

@app.route("/x")
def view():
    q = request.args.get("q", "")
{body}
    return "done"
"""

HARMFUL = {
    "tuple unpacking": "a, b = 'ls', q\nos.system(b)",
    "swap": "a, b = 'ls', q\na, b = b, a\nos.system(a)",
    "starred": "first, *rest = ['ls', q]\nos.system(rest[0])",
    "walrus": "if (n := q.strip()):\n    os.system(n)",
    "augmented": "c = 'ls '\nc += q\nos.system(c)",
    "percent": "os.system('ls %s' % q)",
    "percent tuple": "os.system('ls %s %d' % (q, 3))",
    "format": "os.system('ls {}'.format(q))",
    "format name": "os.system('ls {name}'.format(name=q))",
    "f-string": "os.system(f'ls {q!s:>10}')",
    "join list": "os.system(' '.join(['ls', q]))",
    "join comprehension": "os.system(' '.join([x for x in ('ls', q)]))",
    "generator": "os.system(' '.join(str(x) for x in ['ls', q]))",
    "lower": "os.system(q.lower())",
    "split": "os.system(q.split(',')[0])",
    "partition": "os.system(q.partition(':')[2])",
    "slice": "os.system(q[1:])",
    "loop": "for part in q.split():\n    os.system(part)",
    "loop over list": "for c in ['ls', q]:\n    os.system(c)",
    "while": "n = 0\nc = 'ls '\nwhile n < 2:\n    c += q\n    n += 1\nos.system(c)",
    "dictionary get": "d = {'a': q}\nos.system(d.get('a'))",
    "dictionary default": "d = {}\nos.system(d.get('a', q))",
    "dictionary items": "for k, v in {'a': q}.items():\n    os.system(v)",
    "setdefault": "d = {}\nd.setdefault('a', q)\nos.system(d['a'])",
    "update": "d = {'a': 'ls'}\nd.update({'a': q})\nos.system(d['a'])",
    "extend": "c = ['ls']\nc.extend([q])\nos.system(c[1])",
    "insert": "c = ['ls']\nc.insert(0, q)\nos.system(c[0])",
    "conditional expression": "os.system(q if q else 'ls')",
    "or": "os.system(q or 'ls')",
    "try": "try:\n    c = q\nexcept ValueError:\n    c = 'ls'\nos.system(c)",
    "except": "try:\n    c = 'ls'\n    open('x')\nexcept OSError:\n    c = q\nos.system(c)",
    "finally": "try:\n    c = 'ls'\nfinally:\n    c = q\nos.system(c)",
    "nested function": "def inner(v):\n    return 'ls ' + v\nos.system(inner(q))",
    "function": "os.system(twice(q))",
    "keyword argument": "os.system(twice(text=q))",
    "default argument": "os.system(prefixed(q))",
    "method": "os.system(Box(q).open())",
    "attribute": "b = Box('ls')\nb.value = q\nos.system(b.value)",
    "static method": "os.system(Box.shape(q))",
    "inheritance": "os.system(Chest(q).open())",
    "recursion stops": "os.system(q + str(depth(3)))",
    "other branch": "c = 'ls'\nif request.method == 'GET':\n    c = q\nos.system(c)",
    "copied list": "a = [q]\nb = a.copy()\nos.system(b[0])",
    "alias of a list": "a = []\nb = a\nb.append(q)\nos.system(a[0])",
    "list index negative": "a = ['ls', q]\nos.system(a[-1])",
    "html escaping is no shell quoting": "import html\nos.system(html.escape(q))",
    "deny list": "if q == 'rm':\n    abort(400)\nos.system(q)",
    "length check": "if len(q) > 20:\n    abort(400)\nos.system(q)",
    "base64": "import base64\nos.system(base64.b64decode(q).decode())",
    "json": "os.system(request.json['command'])",
    "getlist": "os.system(request.form.getlist('q')[0])",
    "cut prefix": "import re\nos.system('dig ' + re.sub(r'^(?:https?://)?', '', q))",
    "collected": "c = ['ls']\nfor part in q.split(','):\n    c.append(part)\nos.system(' '.join(c))",
    "split for a shell": "import subprocess\nsubprocess.run(('ls -l ' + q).split(' ')[2], shell=True)",
    "header": "os.system(request.headers['X-Command'])",
}

HARMLESS = {
    "overwritten in both branches": "c = q\nif request.method == 'GET':\n    c = 'ls'\nelse:\n    c = 'pwd'\nos.system(c)",
    "integer": "os.system('sleep ' + str(int(q)))",
    "length": "os.system(f'sleep {len(q)}')",
    "other key": "d = {'a': q, 'b': 'ls'}\nos.system(d['b'])",
    "other index": "c = [q, 'ls']\nos.system(c[1])",
    "popped": "c = [q, 'ls']\nc.pop(0)\nos.system(c[0])",
    "known branch": "n = 4\nc = q if n > 10 else 'ls'\nos.system(c)",
    "known text": "s = 'never'\nc = 'ls'\nif 'x' in s:\n    c = q\nos.system(c)",
    "allow list of dictionary": "table = {'a': 'ls', 'b': 'pwd'}\nif q not in table:\n    abort(400)\nos.system('echo ' + q)",
    "looked up": "table = {'a': 'ls', 'b': 'pwd'}\nos.system(table.get(q, 'ls'))",
    "full match": "import re\nif not re.fullmatch(r'[a-z0-9]+', q):\n    abort(400)\nos.system(q)",
    "substituted": "import re\nos.system('echo ' + re.sub(r'[^a-z]', '', q))",
    "quoted": "import shlex\nos.system('ls ' + shlex.quote(q))",
    "assertion": "assert q in ('ls', 'pwd')\nos.system(q)",
    "function returns something else": "os.system(fixed(q))",
    "other attribute": "b = Box('ls')\nb.other = q\nos.system(b.value)",
    "after return": "if True:\n    return 'x'\nos.system(q)",
    "every way leaves": "if request.method == 'GET':\n    return 'x'\nelse:\n    abort(400)\nos.system(q)",
    "beside the code": "os.system('ls ' + os.path.join(os.path.dirname(__file__), 'data'))",
    "raising check": "must_be_known(q)\nos.system(q)",
}

BEFORE = """
def twice(text):
    return text + text

def prefixed(text, prefix="ls "):
    return prefix + text

def fixed(text):
    return "ls" if text else "pwd"

def depth(n):
    return 0 if n == 0 else depth(n - 1)

def must_be_known(text):
    if text not in ("ls", "pwd"):
        raise ValueError(text)

class Box:
    def __init__(self, value):
        self.value = value

    def open(self):
        return self.value

    @staticmethod
    def shape(text):
        return text

class Chest(Box):
    pass
"""


def verdicts(root: Path, body: str) -> set[str]:
    """Verdicts of all command-injection claims about a view with this body."""
    indented = "\n".join("    " + line for line in body.split("\n"))
    project = project_of(root, {"app.py": HEAD.format(before=BEFORE, body=indented)})
    bench = Bench(project=project, sandbox=None)
    return {judge(c, bench).verdict.value for c in claims(bench, "security") if c.rule == "command-injection"}


@pytest.mark.parametrize("body", HARMFUL.values(), ids=HARMFUL.keys())
def test_harm_is_confirmed(body: str, tmp_path: Path) -> None:
    assert verdicts(tmp_path, body) == {"CONFIRMED"}


@pytest.mark.parametrize("body", HARMLESS.values(), ids=HARMLESS.keys())
def test_harmless_values_are_never_confirmed(body: str, tmp_path: Path) -> None:
    assert verdicts(tmp_path, body) <= {"DISMISSED"}
