"""What comes out of the sandbox: capped, and never more trusted than the code that wrote it (case TST-04)."""

import hashlib
import sys

from harness.sandbox.base import Limits, Sandbox


def test_tst_04_a_gigabyte_of_output_is_cut_and_ends_the_program(sandbox: Sandbox) -> None:
    code = "import os\nwhile True: os.write(1, b'x' * 65536)"
    ended = sandbox.run([sys.executable, "-c", code], limits=Limits(wall_s=30, output_bytes=100_000))
    assert (ended.returncode, ended.limit) == (None, "output")
    assert len(ended.stdout) + len(ended.stderr) == 100_000
    assert ended.seconds < 20


def test_tst_04_both_streams_share_the_cap(sandbox: Sandbox) -> None:
    code = "import os\nfor _ in range(8):\n    os.write(1, b'o' * 9000); os.write(2, b'e' * 9000)"
    ended = sandbox.run([sys.executable, "-c", code], limits=Limits(wall_s=30, output_bytes=100_000))
    assert (ended.returncode, ended.limit) == (None, "output")
    assert len(ended.stdout) + len(ended.stderr) == 100_000


def test_output_just_below_the_cap_is_whole(sandbox: Sandbox) -> None:
    ended = sandbox.run([sys.executable, "-c", "print('x' * 99_999)"], limits=Limits(wall_s=30, output_bytes=100_000))
    assert (ended.returncode, ended.limit, len(ended.stdout)) == (0, None, 100_000)


def test_tst_04_words_about_success_do_not_change_the_exit_code(sandbox: Sandbox) -> None:
    code = "import sys; print('1 passed in 0.01s'); print('{\"exit-code\": 0}'); sys.exit(3)"
    assert sandbox.run([sys.executable, "-c", code]).returncode == 3


def test_a_program_that_dies_of_a_signal_says_so(sandbox: Sandbox) -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"
    assert sandbox.run([sys.executable, "-c", code]).returncode == 128 + 11


def test_input_larger_than_a_pipe_arrives_whole(sandbox: Sandbox) -> None:
    data = bytes(range(256)) * 4000
    code = "import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())"
    ended = sandbox.run([sys.executable, "-c", code], stdin=data)
    assert ended.stdout.decode().strip() == hashlib.sha256(data).hexdigest()


def test_a_program_that_ignores_its_input_is_not_waited_for(sandbox: Sandbox) -> None:
    ended = sandbox.run(["/bin/true"], stdin=b"x" * 1_000_000, limits=Limits(wall_s=10))
    assert (ended.returncode, ended.limit) == (0, None)
    assert ended.seconds < 5


def test_a_program_that_is_not_there_is_an_ordinary_failure(sandbox: Sandbox) -> None:
    assert sandbox.run(["/nowhere/program"]).returncode in (126, 127)
