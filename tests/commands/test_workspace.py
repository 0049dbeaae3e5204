"""What the user decides about the workspace: what their devices are called."""

import pytest

from backend.domain.events.events import WORKSPACE
from backend.domain.events.facts.workspace import DeviceJoined
from backend.domain.values.errors import OutriderError
from tests.fakes.campaign import Stage


def test_a_device_is_called_otherwise_once_and_an_unknown_one_not_at_all(stage: Stage) -> None:
    joined = DeviceJoined("d1", name="laptop", created_at=stage.clock.now())
    stage.journal.record(WORKSPACE, events=[joined], actor="user", cause="test", at=stage.clock.now())
    commands = stage.commands().workspace
    commands.name_device("d1", "Ada's laptop")
    commands.name_device("d1", "Ada's laptop")
    assert stage.query("SELECT name FROM devices WHERE id='d1'") == [("Ada's laptop",)]
    assert stage.kinds(WORKSPACE)["DeviceNamed"] == 1
    with pytest.raises(OutriderError) as refused:
        commands.name_device("d2", "Nobody's")
    assert refused.value.code == "device_unknown"
