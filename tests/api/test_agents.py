"""Passive agents over the API: run, followed, cancelled, kept; and what is refused."""

import threading
from pathlib import Path
from typing import Any

from backend.commands.agent_tasks import AgentTaskCommands
from backend.domain.device.agent_tools import ToolAnswer
from backend.domain.device.passive_agent import AgentInputs
from tests.api.app import App, Socket
from tests.api.runs import ask
from tests.patience import PATIENCE

RUNS = "/api/agents/runs"


def last(app: App) -> Any:
    return ask(app, "/api/agents")["runs"][0]


def ended(app: App) -> Any:
    """The last run, once it is over."""
    assert app.launch.services.agent_runs.idle.wait(PATIENCE)
    return last(app)


def test_an_agent_runs_in_the_background_and_what_it_found_is_kept_with_a_campaign(
    app: App, campaign: str, tmp_path: Path
) -> None:
    listed = ask(app, "/api/agents")
    assert [agent["name"] for agent in listed["agents"]] == ["pending-invitations", "recent-pdfs"]
    assert listed["runs"] == []
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "Report \u202e.pdf").write_bytes(b"%PDF-1.4 broken")
    begun = app.ask(RUNS, {"agent": "recent-pdfs", "directory": str(folder), "days": 7})
    assert begun.status == 202, begun.text
    run = ended(app)
    assert run["states"] == ["Init", "RequestFileSearch", "ProcessFileResults", "RequestSummary", "Completed"]
    assert [call["tool"] for call in run["calls"]] == ["FileSearchTool", "TextSummaryTool"]
    assert "1 files" in run["found"]
    assert "\u202e" not in run["found"]
    saved = app.ask(f"{RUNS}/{run['id']}/keep", {"campaign_id": campaign})
    assert saved.status == 204
    assert last(app)["kept_in"] == campaign
    artifact = ask(app, f"/api/campaigns/{campaign}/artifacts?type=file_summary")
    assert "recent-pdfs" in str(artifact["rows"][0])


def test_what_is_no_run_is_refused_and_leaves_no_trace(app: App, campaign: str) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"agent": "recent-pdf", "days": 1}, "agent_unknown"),
        ({"agent": "recent-pdfs", "days": 1}, "agent_input_missing"),
        ({"agent": "recent-pdfs", "directory": "/nowhere/at/all", "days": 1}, "agent_folder_missing"),
        ({"agent": "pending-invitations", "days": 99_999}, "agent_days"),
        ({"agent": "recent-pdfs", "ticket": "made-up", "days": 1}, "file_ticket_unknown"),
        ({"agent": "recent-pdfs", "days": "7"}, "bad_request"),
    ]
    for body, code in wrong:
        assert app.ask(RUNS, body).code == code, body
    assert ask(app, "/api/agents")["runs"] == []
    assert app.ask(f"{RUNS}/1/keep", {"campaign_id": campaign}).code == "agent_run_unknown"


def test_one_runs_at_a_time_is_cancelled_and_one_that_a_launch_left_has_failed(app: App) -> None:
    runs, reached = app.launch.services.agent_runs, threading.Event()
    build = runs._build

    def blocked(stopped: Any, on_step: Any) -> Any:
        def search(*_: Any) -> ToolAnswer:
            reached.set()
            while not stopped():
                stop.wait(0.01)
            return ToolAnswer((), "nothing")

        made, stop = build(stopped, on_step), runs._stop
        return type(made)(**{**vars(made), "tools": {"PendingInvitationsTool": search}})

    runs._build = blocked
    assert app.ask(RUNS, {"agent": "pending-invitations", "days": 1}).status == 202
    assert reached.wait(PATIENCE)
    assert (last(app)["state"], last(app)["ended_at"]) == ("RequestInvitations", None)
    assert app.ask(RUNS, {"agent": "pending-invitations", "days": 1}).code == "agent_running"
    assert app.ask("/api/agents/cancel", {}).status == 204
    run = ended(app)
    assert (run["state"], run["code"]) == ("Failed", "agent_cancelled")
    with app.workspace.database.write() as connection:
        connection.execute("UPDATE agent_runs SET ended_at=NULL, state='Init'")
    runs.open()  # what the next launch does
    assert (last(app)["state"], last(app)["code"]) == ("Failed", "agent_interrupted")


def test_an_agent_runs_as_a_task_of_a_campaign_and_is_done_when_what_it_found_is_kept(
    app: App, campaign: str, tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "Report.pdf").write_bytes(b"%PDF-1.4 broken")
    request = {"agent": "recent-pdfs", "directory": str(folder), "days": 7, "campaign_id": campaign}
    for changes, code in (({"days": 0}, "agent_input_missing"), ({"campaign_id": "x"}, "campaign_unknown")):
        assert app.ask("/api/agents/tasks", {**request, **changes}).code == code
    with app.hearing() as socket:
        made = app.ask("/api/agents/tasks", request)
        assert made.status == 201, made.text
        hear(socket, "TaskCompleted")
    summaries = ask(app, f"/api/campaigns/{campaign}/artifacts?type=file_summary")["rows"]
    assert (len(summaries), f"recent-pdfs-{made.json['task_id'][-6:].lower()}" in str(summaries)) == (1, True)
    with app.hearing() as socket:  # a folder that is gone by then: the user is asked
        commands = AgentTaskCommands(app.workspace.journal, app.services.clock(campaign))
        commands.assign(campaign, "recent-pdfs", AgentInputs(str(tmp_path / "gone"), 7))
        hear(socket, "TaskBlocked")


def hear(socket: Socket, kind: str) -> None:
    """Until such an event was told."""
    while kind not in [event["kind"] for event in socket.until("events")["events"]]:
        pass
