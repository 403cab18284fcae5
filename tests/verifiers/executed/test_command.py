"""Documented options: the documented line is run, and only the command's own refusal confirms."""

import pytest

from harness.contracts import Bench
from harness.sandbox.base import Sandbox
from harness.schema.evidence import Tier
from harness.schema.finding import Finding, Severity
from harness.schema.verdict import Judgement, Verdict
from harness.source.project import Project
from tests.support.trees import project_of
from verifiers.executed.verifier import ExecutedVerifier

FILES = {
    "pyproject.toml": '[project]\nname = "shop"\n[project.scripts]\nshop = "shop.cli:main"\nlost = "shop.lost:main"\n',
    "src/shop/__init__.py": "",
    "src/shop/__main__.py": "from shop.cli import main\nmain()\n",
    "src/shop/lost.py": "import a_package_that_nobody_has\n",
    "src/shop/cli.py": """
import argparse
import click


@click.group()
def main():
    pass


@main.command()
@click.option("--simulate", is_flag=True)
@click.argument("source")
def sync(simulate, source):
    click.echo(source)


@main.command(context_settings={"ignore_unknown_options": True})
@click.argument("rest", nargs=-1, type=click.UNPROCESSED)
def free(rest):
    click.echo("anything goes")
""",
    "README.md": """
    shop sync --dry-run data
    shop sync --simulate data
    python -m shop sync --dry-run data
    shop free --whatever
    lost --anything
    elsewhere --anything
""",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project_of(tmp_path_factory.mktemp("shop"), FILES)


def judge(project: Project, sandbox: Sandbox, line: int, command: str, option: str) -> Judgement:
    finding = Finding(
        id="0000", fingerprint="0", dimension=("docs",), auditors=("test",), rule="doc-option", cwe=None,
        severity=Severity.LOW, path="README.md", line=line, end_line=line, symbol=None, quote="", scenario="s", fix="f",
        kind="doc-option", facts={"option": option, "command": command},
    )  # fmt: skip
    verifier = ExecutedVerifier()
    assert verifier.handles(finding)
    return verifier.verify(finding, Bench(project=project, sandbox=sandbox))


@pytest.mark.parametrize(("line", "command"), [(2, "shop"), (4, "python -m shop")])
def test_an_option_that_the_command_refuses_is_confirmed(
    project: Project, sandbox: Sandbox, line: int, command: str
) -> None:
    judged = judge(project, sandbox, line, command, "dry-run")
    assert (judged.verdict, judged.tier) == (Verdict.CONFIRMED, Tier.E4), judged
    assert f"`{command} sync --dry-run data` ends in an error about `--dry-run`" in judged.reason
    assert "control:" in judged.evidence[0].detail


@pytest.mark.parametrize(
    ("line", "command", "option", "words"),
    [
        (3, "shop", "simulate", "did not say"),
        (5, "shop", "whatever", "did not say"),
        (6, "lost", "anything", "did not say"),
        (7, "elsewhere", "anything", "is not to be seen"),
    ],
    ids=["known", "accepts-all", "cannot-start", "foreign"],
)
def test_everything_else_stays_open(
    project: Project, sandbox: Sandbox, line: int, command: str, option: str, words: str
) -> None:
    judged = judge(project, sandbox, line, command, option)
    assert judged.verdict is Verdict.UNCERTAIN, judged
    assert words in judged.reason
