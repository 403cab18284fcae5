"""Claims about passwords and keys in the code: CWE-798, 259, 321, and files that are no Python."""

from pathlib import Path

import pytest

from tests.support.told import line_of, places, ruled

FILLER = "\n".join(f"value_{n} = {n}" for n in range(60))

CONFIRMED = {
    "key of a framework": ("app.secret_key = 'x'\nSHOP = 1\n", "secret_key", "secret_key"),
    "beside the line": ("import os\n\napp.config['SECRET_KEY'] = 'quiet'\n\nPORT = 80\n", "PORT", "SECRET_KEY"),
    "password as keyword": ("db = connect(host=HOST, password='rosebud')\n", "connect", "rosebud"),
    "password by a name": ("WORD = 'rosebud'\n\n\ndb = connect(\n    password=WORD,\n)\n", "connect", "password=WORD"),
    "password by a local name": (
        "def start():\n    word = 'rosebud'\n    return connect(password=word)\n",
        "connect",
        "connect",
    ),
    "password in a table": ("PEOPLE = {'ann': {'password': 'rosebud', 'age': 4}}\n", "PEOPLE", "rosebud"),
    "default of a parameter": ("def login(user, password='rosebud'):\n    pass\n", "def login", "rosebud"),
    "two at once": ("USER, PASSWORD = 'ann', 'rosebud'\n", "PASSWORD", "PASSWORD"),
    "one user is let in": (
        "def login(name, password):\n    if name == 'root' and password == 'rosebud':\n        return True\n",
        "if name",
        "if name",
    ),
    "text in the environment's place": (
        "import os\nSECRET_KEY = os.getenv('SECRET_KEY', 'quiet')\n",
        "getenv",
        "getenv",
    ),
    "address with a password": ("URL = 'postgres://ann:rosebud@data.shop.org/main'\n", "URL", "URL"),
    "token that a provider issues": ("CLIENT = connect('AKIAIOSFODNN7ABCDEFG')\n", "CLIENT", "CLIENT"),
    "key of a cipher": (
        "import hmac\ndef sign(m):\n    return hmac.new(b'quiet', m, 'sha256')\n",
        "def sign",
        "hmac.new",
    ),
    "key by a name": (
        "import jwt\nPHRASE = 'quiet'\n\n\ndef make(p):\n    return jwt.encode(p, PHRASE)\n",
        "def make",
        "encode",
    ),
    "handed to a function of the project": (
        "def add(name, password):\n    pass\n\n\ndef fill():\n    add('ann', 'rosebud')\n",
        "def fill",
        "add('ann'",
    ),
}


@pytest.mark.parametrize(("code", "place", "decides"), CONFIRMED.values(), ids=CONFIRMED.keys())
def test_a_secret_in_the_code_stands(tmp_path: Path, code: str, place: str, decides: str) -> None:
    ruling = ruled(tmp_path, {"shop.py": code}, 798, f"shop.py:{place}")
    assert ruling.verdict == "CONFIRMED"
    assert f"shop.py:{line_of(code, decides)}" in places(ruling)


DISMISSED = {
    "no text at all": (
        "def view(request):\n    password = request.POST['password']\n    return password\n",
        "password =",
    ),
    "a name of something else shadows": (
        "word = 'rosebud'\n\n\ndef start(word):\n" + "    value = 1\n" * 6 + "    return connect(password=word)\n",
        "return connect",
    ),
    "from the environment": ("import os\nPASSWORD = os.environ['PASSWORD']\n", "PASSWORD"),
    "to be filled in": ("PASSWORD = '<your password>'\n", "PASSWORD"),
    "about a mail address": ("AUTHOR = {'name': 'Ann', 'email': 'ann77777777@mail.org'}\n", "AUTHOR"),
    "the secret is far away": (f"import sys\n{FILLER}\npassword = 'rosebud'\n", "import sys"),
    "below a constant that is off": ("if False:\n    PASSWORD = 'rosebud'\n", "PASSWORD"),
}


@pytest.mark.parametrize(("code", "place"), DISMISSED.values(), ids=DISMISSED.keys())
def test_no_secret_at_the_place_falls(tmp_path: Path, code: str, place: str) -> None:
    ruling = ruled(tmp_path, {"shop.py": code}, 798, f"shop.py:{place}")
    assert ruling.verdict == "DISMISSED"
    assert places(ruling) <= {f"shop.py:{n}" for n in (line_of(code, place), line_of(code, place) - 1)}


OPEN = {
    "name of a field": ("FORM = {'password': 'password'}\n", "FORM"),
    "masked": ("TOKEN = 'b6Qdxxxxxxxxxxxxxxxx4yRw'\n", "TOKEN"),
    "name of an event": ("PasswordChange = 'account:password:change'\n", "PasswordChange"),
    "digest": (f"USERS = {{'password': '{'0a' * 32}'}}\n", "USERS"),
    "made up": ("PASSWORD = 'test-one'\n", "PASSWORD"),
    "set again": ("import os\nSECRET_KEY = 'quiet'\nSECRET_KEY = os.environ['KEY']\n", "'quiet'"),
    "told by a comment": ("# the admin password is: rosebud1\nPORT = 80\n", "PORT"),
    "some lines farther": (f"import sys\n{FILLER[:170]}\npassword = 'rosebud'\n", "import sys"),
    "long text": ("KNOWN = 'b6Qd0aZk8vXs2LmT4yRw'\n", "KNOWN"),
}


@pytest.mark.parametrize(("code", "place"), OPEN.values(), ids=OPEN.keys())
def test_what_does_not_show_stays_open(tmp_path: Path, code: str, place: str) -> None:
    assert ruled(tmp_path, {"shop.py": code}, 798, f"shop.py:{place}").verdict == "UNCERTAIN"


def test_code_for_development_and_tests_stays_open(tmp_path: Path) -> None:
    code = "PASSWORD = 'rosebud'\n"
    for path in ("config/dev.py", "tests/test_login.py"):
        assert ruled(tmp_path, {path: code}, 259, f"{path}:PASSWORD").verdict == "UNCERTAIN"


def test_a_password_in_a_data_file_stands(tmp_path: Path) -> None:
    text = "<users>\n  <user>\n    <name>ann</name>\n    <password>rosebud</password>\n  </user>\n</users>\n"
    for cwe in (798, 256):
        ruling = ruled(tmp_path, {"users.xml": text}, cwe, "users.xml:<name>")
        assert ruling.verdict == "CONFIRMED"
        assert places(ruling) == {"users.xml:4"}


@pytest.mark.parametrize(
    ("name", "text", "verdict"),
    [
        ("app.yaml", "db:\n  password: ${DB_PASSWORD}\n", "DISMISSED"),
        ("app.yaml", "db:\n  host: data\n  port: 5432\n", "DISMISSED"),
        ("dev.yaml", "db:\n  password: rosebud\n", "UNCERTAIN"),
        ("app.yaml", "db:\n  url: postgres://ann:rosebud@data/main\n", "UNCERTAIN"),
        ("seed.sql", "INSERT INTO users VALUES ('ann', 'rosebud');\n", "UNCERTAIN"),
    ],
)
def test_other_data_files(tmp_path: Path, name: str, text: str, verdict: str) -> None:
    assert ruled(tmp_path, {name: text}, 798, f"{name}:").verdict == verdict
