"""Flags over environment over file over defaults, and errors that say where and what instead."""

from pathlib import Path

import pytest

from harness.cli.main import main
from harness.config import load
from harness.errors import ConfigError


def test_precedence_and_origins(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.harness]\nfail_on = "low"\nprofile = "session"\njobs = 3\n')
    configuration = load(tmp_path, {"jobs": 7}, {"HARNESS_PROFILE": "full", "HARNESS_EXCLUDE": "a/*, b"})
    assert configuration.settings.fail_on == "low"
    assert configuration.settings.profile == "full"
    assert configuration.settings.jobs == 7
    assert configuration.settings.exclude == ("a/*", "b")
    assert configuration.settings.min_tier == "E1"
    assert {name: tuple(origin) for name, origin in configuration.origins.items()} == {
        "profile": ("environment", "HARNESS_PROFILE"),
        "dimensions": ("default", ""),
        "exclude": ("environment", "HARNESS_EXCLUDE"),
        "read_only": ("default", ""),
        "fail_on": ("file", "pyproject.toml:2:1"),
        "min_tier": ("default", ""),
        "budget": ("default", ""),
        "model": ("default", ""),
        "verifier_model": ("default", ""),
        "requests_per_minute": ("default", ""),
        "tokens_per_minute": ("default", ""),
        "jobs": ("flag", "--jobs"),
        "project_python": ("default", ""),
        "execute": ("default", ""),
        "gate.test_command": ("default", ""),
        "gate.test_seconds": ("default", ""),
        "checkpoint.check": ("default", ""),
        "checkpoint.check_seconds": ("default", ""),
    }


def test_own_file_beats_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.harness]\nfail_on = "low"\n')
    (tmp_path / "harness.toml").write_text('fail-on = "medium"\n')
    assert load(tmp_path, {}, {}).settings.fail_on == "medium"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ('\n  fail_onn = "low"\n', "harness.toml:2:3: unknown key 'fail_onn'", "Did you mean 'fail_on'?"),
        ('fail_on = "hihg"\n', "harness.toml:1:1: fail_on = 'hihg'", "Did you mean 'high'?"),
        ("jobs = -1\n", "harness.toml:1:1: jobs = -1", ""),
        ("jobs = \n", "harness.toml: Invalid value", "Mend the file"),
    ],
)
def test_mistakes_are_named_with_their_place(tmp_path: Path, text: str, message: str, hint: str) -> None:
    (tmp_path / "harness.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, {}, {})
    assert message in str(caught.value)
    assert hint in caught.value.hint


def test_a_broken_pyproject_is_other_tools_business(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.other\n")
    assert load(tmp_path, {}, {}).file is None


def test_a_broken_pyproject_with_our_table_is_an_error_not_a_default(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.harness]\nfail_on = "low"\n[x\n')
    with pytest.raises(ConfigError):
        load(tmp_path, {}, {})


def test_a_linked_configuration_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text('fail_on = "none"\n')
    (tmp_path / "harness.toml").symlink_to("other.toml")
    assert load(tmp_path, {}, {}).settings.fail_on == "high"


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ('[checkpoint]\ncheks = "x"\n', "harness.toml:2:1: checkpoint.cheks: unknown key", "Did you mean 'check'?"),
        ('[checkpoint]\nzzz = "x"\n', "harness.toml:2:1: checkpoint.zzz: unknown key", "Keys: check, check_seconds."),
        ("[gate]\n test_seconds = -1\n", "harness.toml:2:2: gate.test_seconds", "Keys: test_command, test_seconds."),
        ("gate = 1\n", "harness.toml:1:1: gate: ", "Keys: test_command, test_seconds."),
    ],
)
def test_a_wrong_key_of_an_inner_table_is_named(tmp_path: Path, text: str, message: str, hint: str) -> None:
    (tmp_path / "harness.toml").write_text(text)
    with pytest.raises(ConfigError) as found:
        load(tmp_path, {}, {})
    assert message in str(found.value)
    assert found.value.hint == hint


def test_settings_of_inner_tables_are_shown_with_their_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.harness.gate]\ntest_command = "make test"\n[tool.x]\ncheck = 1\n')
    assert main(["config", "show", str(tmp_path), "--origin"]) == 0
    shown = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if " = " in line}
    assert "make test" in shown["gate.test_command"]
    assert "file pyproject.toml:2:1" in shown["gate.test_command"]
    assert "= (none)" in shown["checkpoint.check"]
    assert "default" in shown["checkpoint.check"]
