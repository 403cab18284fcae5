import io

import pytest

from harness.clock import FixedClock
from harness.events import LaneEnded, Progress, RunStarted, StageStarted, Warned
from harness.progress import ProgressLines

STARTED = RunStarted(run="0001", headline="harness 0 · offline", stages=("plan",))


class Terminal(io.StringIO):
    def isatty(self):
        return True


def lines(stream, *events, environ=None, seconds=0.0):
    clock = FixedClock()
    progress = ProgressLines(stream, environ or {}, clock)
    for event in events:
        progress(event)
        clock.advance(seconds)
    progress.close()
    return stream.getvalue()


def test_a_pipe_gets_plain_lines_and_the_headline_first():
    text = lines(
        io.StringIO(),
        StageStarted(stage="plan", index=1, total=7),
        STARTED,
        *(Progress(stage="verify", done=n, total=99, note="3 confirmed") for n in range(1, 99)),
        seconds=1.0,
    )
    assert text.splitlines()[0] == "harness 0 · offline"
    assert "\x1b" not in text
    assert "\r" not in text
    assert 8 <= len(text.splitlines()) <= 12
    assert text.splitlines()[1] == "verify: 1/99, 3 confirmed (0:02)"


def test_the_last_unit_is_always_shown():
    text = lines(io.StringIO(), *(Progress(stage="verify", done=n, total=3) for n in (1, 2, 3)))
    assert [line.split()[1] for line in text.splitlines()] == ["1/3", "3/3"]


def test_a_terminal_gets_one_live_line_that_is_left_behind_when_it_is_full():
    text = lines(
        Terminal(),
        STARTED,
        Progress(stage="discover", done=1, total=2),
        Progress(stage="discover", done=2, total=2),
        seconds=1,
    )
    headline, first, last = text.split("\r\x1b[K")
    assert headline == "harness 0 · offline\n"
    assert first.startswith("discover  ███████████░░░░░░░░░░░  1/2")
    assert last.startswith("discover  ██████████████████████  2/2")
    assert last.endswith("0:02\n")


def test_the_terminal_is_left_clean():
    assert lines(Terminal(), StageStarted(stage="plan", index=1, total=7)).endswith("\r\x1b[K")


@pytest.mark.parametrize("environ", [{"TERM": "dumb"}, {"CI": "true"}])
def test_a_log_that_looks_like_a_terminal_gets_plain_lines(environ):
    assert "\r" not in lines(Terminal(), STARTED, Progress(stage="a", done=1, total=1), environ=environ)


def test_failures_and_warnings_are_said_and_cannot_steer_the_terminal():
    failed = LaneEnded(auditor="a", dimension="d", status="failed", raised=0, reason="it\x1b[2J broke")
    text = lines(Terminal(), failed, Warned(message="no\ncache\u202e"))
    assert text == "warning: lane a for d failed: it\\x1b[2J broke\nwarning: no\\x0acache\\u202e\n"


def test_a_line_that_is_longer_than_the_terminal_is_cut():
    text = lines(Terminal(), Progress(stage="verify", done=1, total=2, note="x" * 200))
    assert len(text.removeprefix("\r\x1b[K").removesuffix("\r\x1b[K")) == 79
