"""A hostile model for a thousand turns of requests: nothing half done, no reply lost, no loop without an end."""

import json

import pytest

from backend.domain.turn.request import MOST_TURNS
from backend.store.log import replay, verification
from tests.fakes.hostile import HostileProposer
from tests.runtime.assistant.conftest import Stages, Talk
from tests.turn.test_hostile import changed, rows, world_of

MINE = frozenset(
    {"tasks", "commitments", "conversations", "attachments", "input_requests", "turn_projection", "task_counts"}
)
"""Where a request's turns may leave anything: what the campaign is, knows and does is in none of it."""


def torment(stages: Stages, seed: int, turns: int) -> Talk:
    stage = stages(seed=f"hostile {seed}")
    theirs = stage.campaign(2, skip=10, name="Other")
    talk = Talk(stage, stage.campaign(4))
    stage.runner(approve=False, stop_after=12).run(talk.campaign)  # tasks under way, and drafts to steal
    model = HostileProposer(seed, lambda: world_of(stage, talk.campaign, theirs), sane=0.15)
    asked = sum(model.tried.values())
    received, touched = len(stage.received()), set[str]()
    before = rows(stage, frozenset())
    while (made := sum(model.tried.values()) - asked) < turns:
        request = talk.ask("list my saved artifacts")
        talk.work(request, model)
        assert sum(model.tried.values()) - asked - made <= MOST_TURNS
        assert request not in talk.runs()
        assert talk.status(request)[0] in ("done", "blocked") or stage.query(
            "SELECT 1 FROM input_requests WHERE task_id=? AND status='open'", request
        )
    after = rows(stage, frozenset())
    own = {("tasks", task) for (task,) in stage.query("SELECT id FROM tasks WHERE kind='assist'")}
    for key, columns in changed(before, after).items():
        touched.add(key[0])
        if key[0] == "tasks":
            assert key in own, key
        if key[0] == "runtime_snapshot":
            assert columns == {"last_turn"}
    assert touched <= MINE | {"runtime_snapshot"}, touched
    assert len(stage.received()) == received
    return talk


def sound(talk: Talk, turns: int) -> None:
    stage = talk.stage
    recorded = stage.one("SELECT count(*) FROM turn_projection WHERE request_id IS NOT NULL")
    assert recorded >= turns
    causes = {f"t{n}" for (n,) in stage.query("SELECT number FROM turn_projection WHERE request_id IS NOT NULL")}
    replies = [
        json.loads(payload)["raw"]
        for cause, payload in stage.query(
            "SELECT cause, payload FROM audit_log WHERE action_type='proposal' ORDER BY seq"
        )
        if cause in causes
    ]
    shown = [reply[: len(raw)] for reply, raw in zip(talk.replies, replies, strict=True)]
    assert replies == shown
    assert replay.find_differences(stage.database) == []
    with stage.database.read() as connection:
        assert [report for report in verification.verify(connection) if report.broken] == []


def test_a_hostile_model_gets_nothing_done_and_nowhere(stages: Stages) -> None:
    sound(torment(stages, 1, 150), 150)


@pytest.mark.endurance
@pytest.mark.parametrize("seed", range(5))
def test_a_thousand_hostile_turns(stages: Stages, seed: int) -> None:
    sound(torment(stages, seed, 1_000), 1_000)
