"""What is taken out of text before it is sent, stored or shown, and what is left alone."""

import json

import pytest

from harness.redact import REDACTED, keeps_secrets, redact, redact_outbound

SECRETS = [
    "sk-0123456789abcdef", "sk_live_0123456789abcdef", "ghp_0123456789abcdefghijkl", "github_pat_0123456789abcdefghijkl",
    "glpat-0123456789abcdefgh", "xoxb-0123456789ab", "AKIA0123456789ABCDEF", "AIza0123456789abcdefghijklmnopqrstuv",
    "ya29.0123456789abcdefghijkl", "npm_0123456789abcdefghijklmnopqrstuv", "hf_0123456789abcdefghijklmnopqrstuv",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4",
]  # fmt: skip


@pytest.mark.parametrize("secret", SECRETS)
def test_known_shapes_go_and_the_rest_of_the_line_stays(secret: str) -> None:
    assert redact(f"client = connect('{secret}', timeout=3)") == f"client = connect('{REDACTED}', timeout=3)"


@pytest.mark.parametrize("name", ["password", "DB_PASSWORD", "api_key", "clientSecret", "auth_token", "private_key"])
def test_a_literal_given_to_a_name_that_says_so_goes(name: str) -> None:
    assert redact(f'{name} = "correct7horse8battery"') == f'{name} = "{REDACTED}"'
    assert redact(f'{{"{name}": "correct7horse8battery"}}') == f'{{"{name}": "{REDACTED}"}}'


@pytest.mark.parametrize(
    "code",
    [
        'password = request.form["password"]',
        'token_url = "https://example.org/oauth2/token"',
        "secret = os.environ['APP_SECRET_2']",
        'password = "short1"',
        'max_token = "no-digits-in-this-one"',
        "risk-assessment, ask-me-anything",
    ],
)
def test_code_that_only_names_secrets_stays(code: str) -> None:
    assert redact(code) == code


def test_private_keys_and_passwords_in_urls_go() -> None:
    body = "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" * 2 for _ in range(3))
    key = f"-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----"
    assert "MIIEvQ" not in redact(key)
    assert "MIIEvQ" not in redact(json.dumps(key))
    assert json.loads(redact(json.dumps({"a": key, "b": 1})))["b"] == 1
    assert redact("postgres://app:hunter2@db/x") == f"postgres://{REDACTED}@db/x"


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "a/.env.production",
        "prod.env",
        "id_rsa",
        "certs/server.pem",
        "k.p12",
        ".netrc",
        "credentials.yaml",
        "secrets.csv",
        "client_secret.json",
        "db-passwords.txt",
        ".aws/credentials",
        "Passwords.xlsx",
        ".htpasswd",
    ],
)
def test_places_for_credentials(path: str) -> None:
    assert keeps_secrets(path)


@pytest.mark.parametrize(
    "path",
    [
        ".env.example",
        "environment.py",
        "env.py",
        "key.py",
        "docs/pem.md",
        ".env.sample",
        "secrets.py",
        "secret.tex",
        "secrets.yaml.example",
        "passwords/view.txt",
        "nosecret.txt",
        "secretariat.csv",
    ],
)
def test_templates_and_code_are_none(path: str) -> None:
    assert not keeps_secrets(path)


OUTBOUND = {
    "DB_PASSWORD=hunter2hunter2": "DB_PASSWORD=[redacted]",
    "export AUTH_TOKEN=9f8e7d6c5b4a": "export AUTH_TOKEN=[redacted]",
    "   12 SECRET=4dm1nP4ss": "   12 SECRET=[redacted]",
    "  password: p4ssw0rd99  # of the replica": "  password: [redacted]  # of the replica",
    "spring.datasource.password=Tr0ub4dor&3": "spring.datasource.password=[redacted]",
    'password = "s3cret99"': 'password = "[redacted]"',
    "X = 'kJ8sN2pQ7vL4xR9tW3mZ6bC1dF5gH0jA'": "X = '[redacted]'",
    '{"x": "q7Fz+K2mP9/xT4vB8nL1sW6yR3cD5gH0jE=="}': '{"x": "[redacted]"}',
}


@pytest.mark.parametrize("line", OUTBOUND)
def test_what_leaves_loses_also_what_only_looks_like_a_secret(line: str) -> None:
    assert redact_outbound(line) == OUTBOUND[line]
    assert redact_outbound(f"a = 1\n{line}\nb = 2") == f"a = 1\n{OUTBOUND[line]}\nb = 2"
    assert redact_outbound(OUTBOUND[line]) == OUTBOUND[line]


@pytest.mark.parametrize(
    "code",
    [
        "token: Optional[str] = None",
        "    password: SecretStr",
        "    secret = settings.SECRET_KEY",
        "password = get_password2()",
        "token = tokens[0]",
        "api_key: str",
        "    token = base64_token",
        "sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'",
        "ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'",
        "name = 'test_that_a_long_name_of_a_test_2_is_no_secret_At_all'",
        "url = 'application/vnd/openxmlformats-officedocument/spreadsheetml2007'",
        "integrity = 'sha256-kwpt3lQZ21rs4cld7/uEm9qI5yAbjYzx+9FGm/XmwNU='",
        "TOKEN_URL=https://example.org/oauth2/token",
    ],
)
def test_code_that_leaves_stays_as_it_is(code: str) -> None:
    assert redact_outbound(code) == code
