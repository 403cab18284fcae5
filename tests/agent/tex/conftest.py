"""One sandbox for all tests that run TeX."""

import pytest

from harness.sandbox.base import Sandbox
from tests.support.tex import tex_sandbox


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    return tex_sandbox()
