"""No test touches the state of the user who runs it, and no property fails because the machine is busy."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("harness", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("harness")


@pytest.fixture(autouse=True)
def own_state(tmp_path_factory, monkeypatch):
    """A state directory for each test."""
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("HARNESS_STATE_DIR", str(folder))
    return folder
