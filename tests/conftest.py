"""No test touches the state of the user who runs it."""

import pytest


@pytest.fixture(autouse=True)
def own_state(tmp_path_factory, monkeypatch):
    """A state directory for each test."""
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("HARNESS_STATE_DIR", str(folder))
    return folder
