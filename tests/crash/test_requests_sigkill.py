"""The process is killed in the middle of a request, at every boundary of its turns: nothing is half there, nothing is lost."""

import json
from pathlib import Path

import pytest

from backend.app.wiring import Workspace, open_workspace
from backend.domain.turn.request import MOST_TURNS
from backend.machine.settings import AppSettings
from backend.runtime.run import rehearsal
from backend.store.log import replay, verification
from backend.store.queries.turn.requests import runnable_requests
from tests import forked
from tests.kills import KILLED
from tests.patience import PATIENCE

BOUNDARIES = (*(f"step-{n}" for n in range(1, 9)), "before-commit", "after-commit")


def work(data_dir: Path, *arguments: str) -> forked.Done:
    return forked.run("tests.crash.requests_victim:main", str(data_dir), *arguments, timeout=PATIENCE)


def check(workspace: Workspace) -> None:
    """Both chains, every projection, and each turn with exactly one line and one reply."""
    assert replay.find_differences(workspace.database) == []
    with workspace.database.read() as connection:
        assert [report for report in verification.verify(connection) if report.broken] == []
        turns = connection.execute("SELECT number, proposal FROM turn_projection ORDER BY number").fetchall()
        lines = connection.execute("SELECT turn FROM conversations WHERE turn IS NOT NULL ORDER BY turn").fetchall()
        replies = connection.execute(
            "SELECT payload FROM audit_log WHERE action_type='proposal' ORDER BY seq"
        ).fetchall()
    assert [number for number, _ in turns] == list(range(1, len(turns) + 1))
    assert [number for (number,) in lines] == [number for number, proposal in turns if proposal != "no_op"]
    assert [json.loads(payload)["type"] for (payload,) in ((json.loads(row[0])["raw"],) for row in replies)] == [
        proposal for _, proposal in turns
    ]


@pytest.mark.parametrize("at", ["1", "2"], ids=["first turn", "second turn"])
def test_killed_at_every_boundary_a_request_is_whole_and_asks_whether_it_goes_on(tmp_path: Path, at: str) -> None:
    settings = AppSettings(tmp_path, "", 10)
    with open_workspace(settings) as workspace:
        campaign = rehearsal.find_or_create_rehearsal(workspace, None, None)
    for number, boundary in enumerate(BOUNDARIES):
        with open_workspace(settings) as workspace:
            request = workspace.commands().requests.begin(campaign, "list my saved artifacts", [], key=str(number))
        killed = work(tmp_path, boundary, at)
        assert killed.returncode == KILLED, (boundary, killed.stderr)
        with open_workspace(settings) as workspace:
            check(workspace)
            with workspace.database.read() as connection:
                left = [request.request_id for request in runnable_requests(connection)]
            assert left == [request]
            commands = workspace.commands()
            commands.requests.interrupted(campaign, request)
            with workspace.database.read() as connection:
                asked = connection.execute("SELECT id FROM input_requests WHERE status='open'").fetchall()
                (verifying,) = connection.execute(
                    "SELECT status='verifying' FROM tasks WHERE id=?", (request,)
                ).fetchone()
            assert len(asked) == 1 - verifying  # what claims to be settled only has to be verified
            for (question,) in asked:
                commands.questions.answer(campaign, question, "go on with it")
        ended = work(tmp_path)
        assert ended.stdout.split() == ["over"], ended.stderr
        with open_workspace(settings) as workspace:
            check(workspace)
            with workspace.database.read() as connection:
                (status,) = connection.execute("SELECT status FROM tasks WHERE id=?", (request,)).fetchone()
                (turns,) = connection.execute(
                    "SELECT count(*) FROM turn_projection WHERE request_id=?", (request,)
                ).fetchone()
            assert status == "done"
            assert turns <= MOST_TURNS
