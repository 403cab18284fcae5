"""The sandbox of this machine."""

import pytest

from harness.sandbox.base import Sandbox
from harness.sandbox.probe import find_sandbox


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    return find_sandbox()
