"""The root command: cheap to start, and every error ends in its exit code."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

import harness
from harness.cli.error import guarded, redacted
from harness.cli.main import COMMANDS, main
from harness.errors import BudgetExhausted, ConfigError, ExitCode, HarnessError, Interrupted, NothingInScope


@pytest.mark.parametrize("name", COMMANDS)
def test_summaries_are_the_first_lines_of_the_commands_help(name: str) -> None:
    command = importlib.import_module(f"harness.cli.{name.replace('-', '_')}").command
    assert command.get_short_help_str(limit=200) == COMMANDS[name]


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_start_up_imports_nothing_heavy(argument: str) -> None:
    heavy = {"openai", "anthropic", "git", "rich", "networkx", "pydantic", "jinja2", "bandit", "sqlite3", "socket"}
    code = (
        "import sys; from harness.cli.main import main; code = main([sys.argv[1]]);"
        "print(sorted(set(sys.modules) & set(sys.argv[2:])), code, file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code, argument, *heavy], capture_output=True, text=True, check=False)
    assert result.stderr.strip() == "[] 0"
    assert result.stdout.startswith(("harness ", "Usage: harness"))


@pytest.mark.parametrize(
    ("before", "module", "code", "said"),
    [
        ("default_int_handler", "click", ExitCode.INTERRUPTED, ""),
        ("SIG_IGN", "difflib", ExitCode.PASS, f"harness {harness.__version__}\n"),
    ],
)
def test_an_interrupt_before_anything_is_loaded_is_quiet(
    tmp_path: Path, before: str, module: str, code: ExitCode, said: str
) -> None:
    """One of the first modules interrupts us while it is loaded; where the caller ignores interrupts, so do we."""
    (tmp_path / f"{module}.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(__file__).parents[3])])}
    text = f"import signal; signal.signal(signal.SIGINT, signal.{before}); import harness.__main__ as m; raise SystemExit(m.main())"
    command = [sys.executable, "-P", "-c", text, "--version"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (code, said, "")


def test_no_arguments_print_help_on_stderr_and_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == ExitCode.USAGE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Usage: harness" in captured.err


def test_a_misspelt_command_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["confg"]) == ExitCode.USAGE
    assert "Did you mean 'config'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("x"), 2),
        (BudgetExhausted("x"), 3),
        (NothingInScope("x"), 4),
        (HarnessError("x"), 70),
        (ValueError("x"), 70),
        (Interrupted(), 130),
        (KeyboardInterrupt(), 130),
    ],
)
def test_errors_end_in_their_exit_codes(
    error: BaseException, code: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    @click.command()
    def command() -> None:
        raise error

    assert guarded(command, []) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    assert len(list(tmp_path.glob("harness-crash-*.log"))) == (1 if isinstance(error, ValueError) else 0)


def test_credentials_never_reach_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "verysecretvalue")
    text = redacted("sk-abcdefghijkl Authorization: Bearer abcdefgh.ijk verysecretvalue http://me:pass@host/ \x1b[2J")
    assert text == r"[redacted] Authorization: Bearer [redacted] [redacted] http://[redacted]@host/ \x1b[2J"


def test_a_closed_pipe_is_quiet() -> None:
    command = f"{sys.executable} -m harness.cli.main config show --origin | head -c 1"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert result.stderr == ""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_are_no_bug(closed: str) -> None:
    command = f"{sys.executable} -m harness.cli.main config show {closed}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device that is always full is one of Linux")
def test_a_full_disk_behind_standard_output_is_said() -> None:
    command = f"{sys.executable} -m harness.cli.main config show > /dev/full"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert result.returncode == 3
    assert "No space left" in result.stderr
    assert "bug" not in result.stderr


def test_a_reader_of_errors_that_has_gone_never_looks_like_findings() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        result = subprocess.run([sys.executable, "-m", "harness.cli.main", "nonsense"], stderr=writer, check=False)
    finally:
        os.close(writer)
    assert result.returncode == 141
