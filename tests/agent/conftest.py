"""The real sandbox, found once."""

import pytest

from harness.sandbox.base import Sandbox
from harness.sandbox.probe import find_sandbox


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    """The sandbox of this machine."""
    return find_sandbox()
