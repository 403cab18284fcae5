"""detect-secrets: keys and passwords in files of any kind: https://github.com/Yelp/detect-secrets lists the detectors.

Its detectors are used one by one on text that is already read: nothing is verified over the network, and no baseline, no
filter and no allow-list comment of the project counts. The secret itself appears in no claim: the quote stops before it.

What it cannot see: secrets without a known form and without a telling name. Test code, documents and lock files are left
out, and passwords in Python, which ruff looks for with more understanding.
"""

import re
import socket
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from auditors.wrapped.place import masked_quote, symbol_at
from auditors.wrapped.suppression import suppression_at
from auditors.wrapped.words import Words, rule
from harness.contracts import Bench
from harness.schema.finding import Claim, Rule, Severity
from harness.schema.location import Location
from harness.schema.run import Skip
from harness.source.project import Project

LANGUAGES = frozenset(
    {"python", "javascript", "typescript", "toml", "yaml", "json", "ini", "shell", "dockerfile", "make", "xml", "other"}
)
LINE_CAP = 2000
"""Characters; longer lines are data."""
FILE_CAP = 1 << 20
"""Bytes; larger files are data."""
KEY_LINES = 200
"""Lines of the longest key."""
_GENERATED = re.compile(r"(?:^|/)(?:package-lock\.json|[^/]*\.(?:lock|min\.js|map|svg|ipynb))$")
_TELLING = re.compile(r"pass|pwd|secret|key|contrase", re.IGNORECASE)

_SEEN = "Whoever can read this file, its history or a published package can use the %s that stands on this line."
_REVOKE = "Revoke it, and read the new one from the environment or a secret store."
_FORMS: dict[str, tuple[str, str, Severity]] = {
    "aws-key": ("AWSKeyDetector", "AWS access key", Severity.HIGH),
    "azure-key": ("AzureStorageKeyDetector", "Azure storage key", Severity.HIGH),
    "basic-auth": ("BasicAuthDetector", "password inside a URL", Severity.MEDIUM),
    "discord-token": ("DiscordBotTokenDetector", "Discord bot token", Severity.HIGH),
    "github-token": ("GitHubTokenDetector", "GitHub token", Severity.HIGH),
    "gitlab-token": ("GitLabTokenDetector", "GitLab token", Severity.HIGH),
    "jwt": ("JwtTokenDetector", "signed web token", Severity.MEDIUM),
    "keyword": ("KeywordDetector", "password or key", Severity.MEDIUM),
    "mailchimp-key": ("MailchimpDetector", "Mailchimp key", Severity.HIGH),
    "npm-token": ("NpmDetector", "npm token", Severity.HIGH),
    "openai-token": ("OpenAIDetector", "OpenAI key", Severity.HIGH),
    "private-key": ("PrivateKeyDetector", "private key", Severity.HIGH),
    "pypi-token": ("PypiTokenDetector", "PyPI token", Severity.HIGH),
    "sendgrid-key": ("SendGridDetector", "SendGrid key", Severity.HIGH),
    "slack-token": ("SlackDetector", "Slack token", Severity.HIGH),
    "stripe-key": ("StripeDetector", "Stripe key", Severity.HIGH),
    "telegram-token": ("TelegramBotTokenDetector", "Telegram bot token", Severity.HIGH),
    "twilio-key": ("TwilioKeyDetector", "Twilio key", Severity.HIGH),
}
"""Kind -> (class of detect-secrets, what it is, severity)."""


class SecretsAuditor(NamedTuple):
    """See `harness.contracts.Auditor`."""

    group: str = "security"
    executes: bool = False

    @property
    def id(self) -> str:
        return f"{self.group}-secrets"

    @property
    def version(self) -> str:
        return "1"

    @property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(rule("detect-secrets", kind, self.group, _words(kind)) for kind in _FORMS)

    def wants(self, language: str) -> bool:
        return language in LANGUAGES

    def audit(self, bench: Bench) -> Iterator[Claim | Skip]:
        """Claims by path, line and kind."""
        project = bench.project
        detectors = _detectors()
        for path in project.paths(*sorted(LANGUAGES), test=False):
            if _GENERATED.search(path):
                continue
            if project.entries[path].size > FILE_CAP:
                yield Skip(path=path, reason=f"secrets are not looked for in files larger than {FILE_CAP} bytes")
                continue
            yield from _in_file(project, path, detectors)


class _Detector(NamedTuple):
    kind: str
    tool: Any
    """The object of detect-secrets."""
    possible: Callable[[str], object]
    """Quick look at a whole file: false when no line of it can match."""


def _detectors() -> list[_Detector]:
    known = socket.has_ipv6
    socket.has_ipv6 = False  # urllib3, imported on the way, would open a socket to find out, and an audit opens none
    try:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    finally:
        socket.has_ipv6 = known
    mapping: Any = get_mapping_from_secret_type_to_class()
    classes: dict[str, Any] = {c.__name__: c for c in mapping.values()}
    found = []
    for kind, (name, _, _) in _FORMS.items():
        tool = classes[name]()
        patterns = tuple(getattr(tool, "denylist", ()))
        possible = _TELLING.search if kind == "keyword" else _any_of(patterns)
        found.append(_Detector(kind, tool, possible))
    return found


def _any_of(patterns: tuple[re.Pattern[str], ...]) -> Callable[[str], object]:
    return lambda text: any(pattern.search(text) for pattern in patterns)


def _in_file(project: Project, path: str, detectors: list[_Detector]) -> Iterator[Claim]:
    text = project.text(path)
    python = project.entries[path].language == "python"
    chosen = [d for d in detectors if d.possible(text) and not (python and d.kind == "keyword")]
    if not chosen:
        return
    lines = project.lines(path)
    for number, line in enumerate(lines, 1):
        if len(line) > LINE_CAP:
            continue
        taken: set[str] = set()
        for detector in chosen:
            if detector.kind == "keyword" and (taken or not _TELLING.search(line)):
                continue
            secrets = detector.tool.analyze_line(filename=path, line=line, line_number=number)
            for value in sorted({s.secret_value for s in secrets if s.secret_value and s.secret_value in line})[:1]:
                taken.add(value)
                yield _claim(project, path, lines, number, detector.kind, value)


def _claim(project: Project, path: str, lines: list[str], number: int, kind: str, value: str) -> Claim:
    line = lines[number - 1]
    column = line.index(value) + 1
    # Some detectors return the beginning of what they found: the secret goes on to the next quote or blank.
    rest = re.match(r"[^\s\"'`,;)]*", line[column - 1 + len(value) :])
    end = column + len(value) + (rest.end() if rest else 0)
    words = _words(kind)
    # The first line of a key file says what it is and holds nothing of the key.
    quote = line.strip() if kind == "private-key" else masked_quote(line, column)
    last = _key_end(lines, number) if kind == "private-key" else number
    return Claim(
        rule=f"detect-secrets:{kind}",
        severity=words.severity,
        cwe=words.cwe,
        location=Location(
            path=path, line=number, end_line=last, column=column, end_column=end if last == number else None
        ),
        quote=quote,
        symbol=symbol_at(project, path, number),
        scenario=words.scenario,
        fix=words.fix,
        facts={"masked": "true", "secret": kind},
        related=suppression_at(path, lines, number),
    )


def _key_end(lines: list[str], number: int) -> int:
    """Line on which the key that begins on line `number` ends, or that line itself when its end is not near."""
    for at in range(number + 1, min(number + KEY_LINES, len(lines)) + 1):
        if "PRIVATE KEY" in lines[at - 1]:
            return at
    return number


def _words(kind: str) -> Words:
    _, what, severity = _FORMS[kind]
    return Words(f"{what[0].upper()}{what[1:]} in a file", _SEEN % what, _REVOKE, severity, 798)
