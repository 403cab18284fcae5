import datetime
import os

import pytest

from harness.audit import waivers
from harness.errors import ConfigError
from tests.support.reports import finding, waiver

TODAY = datetime.date(2026, 6, 10)
ENTRY = '[[waiver]]\nfingerprint = "ab"\nkind = "accept"\nreason = "why"\nauthor = "Ada"\ndate = 2026-06-01\n'


@pytest.fixture
def file(tmp_path):
    return tmp_path / waivers.FILE


def test_what_is_written_reads_back(file):
    odd = waiver(
        fingerprint="ff", reason='"quotes"\nand\x1b lines é 報告', author="[a]", until=None, rule="r", path="a\\x0a.py"
    )
    waivers.add(file, waiver())
    waivers.add(file, odd)
    assert waivers.read(file) == (waiver(), odd)


def test_a_second_decision_replaces_the_first(file):
    waivers.add(file, waiver())
    waivers.add(file, waiver(fingerprint="ff"))
    waivers.add(file, waiver(reason="other", until=None))
    assert waivers.read(file) == (waiver(reason="other", until=None), waiver(fingerprint="ff"))


def test_comments_of_people_stay(file):
    file.parent.mkdir()
    file.write_text("# ours\n\n# first\n" + ENTRY + "# last\n")
    waivers.add(file, waiver())
    waivers.remove(file, waiver().fingerprint)
    assert all(comment in file.read_text() for comment in ("# ours", "# first", "# last"))
    assert len(waivers.read(file)) == 1


def test_removing_the_last_leaves_a_file_that_can_be_added_to(file):
    waivers.add(file, waiver())
    assert waivers.remove(file, waiver().fingerprint)
    assert waivers.read(file) == ()
    assert not waivers.remove(file, waiver().fingerprint)
    waivers.add(file, waiver())
    assert waivers.read(file) == (waiver(),)


def test_removing_from_nothing_writes_nothing(file):
    assert not waivers.remove(file, "ab")
    assert not file.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[waiver", "x: "),
        ("[other]\n", "expected"),
        ("waiver = 3\n", "expected"),
        (ENTRY.replace('"why"', '" "'), "waiver 1: a waiver needs a reason"),
        (ENTRY.replace('author = "Ada"\n', ""), "waiver 1: author: field required"),
        (ENTRY.replace("accept", "ignore"), "waiver 1: kind"),
        (ENTRY + ENTRY.replace("reason", "raeson"), "waiver 2: "),
        (ENTRY.replace("2026-06-01", '"soon"'), "waiver 1: date"),
    ],
)
def test_a_file_that_cannot_be_understood_waives_nothing(text, message):
    with pytest.raises(ConfigError, match=message):
        waivers.parse(text, "x")


def test_inline_tables_are_not_torn_apart(file):
    file.parent.mkdir()
    file.write_text('waiver = [{fingerprint = "ab", kind = "accept", reason = "w", author = "A", date = 2026-06-01}]\n')
    assert len(waivers.read(file)) == 1
    with pytest.raises(ConfigError, match=r"\[\[waiver\]\]"):
        waivers.add(file, waiver())


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
@pytest.mark.parametrize("link", ["folder", "file"])
def test_links_are_not_followed(tmp_path, file, link):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "waivers.toml").write_text(ENTRY)
    if link == "folder":
        file.parent.symlink_to(outside)
    else:
        file.parent.mkdir()
        file.symlink_to(outside / "waivers.toml")
    for call in (lambda: waivers.read(file), lambda: waivers.add(file, waiver())):
        with pytest.raises(ConfigError, match="symbolic link"):
            call()
    assert (outside / "waivers.toml").read_text() == ENTRY


def test_a_waiver_of_a_finding():
    made = waivers.for_finding(finding(), kind="defer", reason="why", author="Ada", today=TODAY, until=TODAY)
    assert (made.fingerprint, made.rule, made.path) == (finding().fingerprint, "command-injection", "shop/export.py")
    with pytest.raises(ConfigError, match="in the past"):
        waivers.for_finding(
            finding(), kind="defer", reason="why", author="Ada", today=TODAY, until=TODAY.replace(day=9)
        )
    with pytest.raises(ConfigError, match="needs a reason"):
        waivers.for_finding(finding(), kind="defer", reason=" ", author="Ada", today=TODAY, until=None)
