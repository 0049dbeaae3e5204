"""`outrider runtime` shows the turn machine, arms a wake request, and resets nothing that is not faulted."""

from backend.app.wiring import open_workspace
from backend.machine.settings import read_settings
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from tests.cli.outrider import Outrider


def test_the_runtime_is_shown_and_a_wake_request_is_armed(outrider: Outrider) -> None:
    with open_workspace(read_settings(data_dir=outrider.data_dir)) as workspace:
        campaign = find_or_create_rehearsal(workspace, None, None)
    armed = outrider("runtime", campaign, "--wake", "--input", "Who replied?", "--json")
    assert (armed.status, armed.told["reason"]) == (0, "manual")
    shown = outrider("runtime", campaign, "--json").told["runtimes"][0]
    assert (shown["state"], shown["turn_lock"], shown["last_turn"]) == ("Bootstrapping", False, 0)
    assert shown["turn_projection"]["lag"] == 0
    assert [wake_request["status"] for wake_request in shown["wake_requests"]] == ["armed"]
    refused = outrider("runtime", campaign, "--reset", "no fault", "--json")
    assert (refused.status, refused.code) == (1, "fault_none")
