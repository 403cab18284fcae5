"""Whatever somebody did before, a checkpoint and a rollback lose no byte, and what was parked comes back as it was."""

from pathlib import Path

import pytest

from harness.cli.main import main
from tests.support.hostile import plain_git, repository
from tests.support.owned import Person, contents, files, index

ACTIONS = 14


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_after_a_random_sequence(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = repository(tmp_path / "own", {"a.py": "1\n", "d/x.py": "2\n", ".gitignore": "*.log\n"})
    plain_git(folder, "config", "user.name", "A")
    plain_git(folder, "config", "user.email", "a@example.org")
    person = Person(folder, seed)
    ours = ["--repo", str(folder)]
    for _ in range(3):
        done = [person.act() for _ in range(ACTIONS)]
        before, left = contents(folder), files(folder)
        arguments = ["--all"] if person.chance.random() < 0.5 else []
        code = main(["checkpoint", *ours, *arguments])
        assert code in (0, 4), done
        assert before <= contents(folder), done
        assert files(folder) == left, "a checkpoint leaves the work tree alone"
        if code == 0 and arguments:
            assert plain_git(folder, "status", "--porcelain") == ""
        if person.chance.random() < 0.3:
            plain_git(folder, "checkout", "-q", "--detach")
    done = [person.act() for _ in range(ACTIONS)]
    marks = plain_git(folder, "log", "--format=%H", "--grep=^Harness-Checkpoint:").split()
    target = person.chance.choice(marks or [plain_git(folder, "rev-list", "--max-parents=0", "HEAD").strip()])
    before = contents(folder)
    state = (files(folder, ignored=False), index(folder), plain_git(folder, "rev-parse", "HEAD"))
    stashes = plain_git(folder, "stash", "list")

    assert main(["rollback", target, *ours]) == 0, done
    assert before <= contents(folder), done
    assert plain_git(folder, "rev-parse", "HEAD").strip() == target
    assert plain_git(folder, "status", "--porcelain") == "", "files and index are those of the checkpoint"
    assert plain_git(folder, "stash", "list") == stashes

    person.write()
    between = contents(folder)
    parked = plain_git(folder, "for-each-ref", "--format=%(refname)", "refs/harness/parked").split()
    whole = [ref for ref in parked if "Harness-Parked: state" in plain_git(folder, "log", "-1", "--format=%B", ref)]
    if whole:
        assert main(["rollback", "--unpark", whole[-1].rpartition("/")[2], *ours]) == 0, done
        assert between <= contents(folder), done
        assert (files(folder, ignored=False), index(folder), plain_git(folder, "rev-parse", "HEAD")) == state
    plain_git(folder, "fsck", "--strict")
