"""Killed anywhere, started again: nothing twice, nothing missing, the machine at rest, the log and the rows in agreement."""

import json
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from backend.domain.events.events import Event, RecordedEvent
from backend.domain.model.turn import TurnState
from backend.domain.values.errors import OutriderError
from backend.runtime.run.campaign_runner import RunEnd
from backend.runtime.run.rehearsal import open_rehearsal
from backend.turn.recovery import ask_about_all, recover
from tests.fakes.campaign import MESSAGE_ONLY, QUICK, Killed, Stage
from tests.fakes.folds import fold_all
from tests.fakes.stages import Stages

WITHOUT_EFFECT = (*(f"step-{n}" for n in range(1, 9)), "before-commit", "after-commit")
WITH_EFFECT = ("step-1", "step-2", "step-3", "step-4", "intent", "acted", *WITHOUT_EFFECT[4:])
KINDS_OF_TURN = {
    "select": ("select_next_task", ""),
    "score": ("analyze_leads", ""),
    "look at a profile": ("execute_tool", "read_profile"),
    "read a thread": ("execute_tool", "read_thread"),
    "draft": ("generate_message", ""),
    "invite": ("execute_tool", "send_invitation"),
    "message": ("execute_tool", "send_message"),
}
COUNTED = ("task_counts", "lead_counts")


def agree(stage: Stage) -> None:
    """The rows are what the log amounts to, folded by the domain alone."""
    recorded = [
        RecordedEvent(campaign, seq, at, Event(kind, entity, json.loads(payload)), actor, cause)
        for campaign, seq, at, kind, entity, payload, actor, cause in stage.query(
            "SELECT campaign_id, seq, timestamp, kind, entity_id, change_payload, actor, cause FROM event_log"
            " ORDER BY campaign_id, seq"
        )
    ]
    for campaign in {event.campaign_id for event in recorded}:
        seqs = [event.seq for event in recorded if event.campaign_id == campaign]
        assert seqs == list(range(1, len(seqs) + 1)), "no gap in the log"
    state = fold_all(recorded)
    tables = {table for table, _ in state}
    for table in tables:
        cursor = stage.outside.execute(f"SELECT * FROM {table}")
        names = [column[0] for column in cursor.description]
        rows = [dict(zip(names, row, strict=True)) for row in cursor]
        folded = [row for (name, _), row in state.items() if name == table]
        assert len(rows) == len(folded)
        rows_by_key = {
            frozenset((k, v) for k, v in row.items() if k in ("id", "campaign_id", "number")): row for row in rows
        }
        for row in folded:
            actual = next(
                there
                for key, there in rows_by_key.items()
                if all(row.get(name) == value for name, value in key if name in row)
            )
            assert {name: actual[name] for name in row} == row


def at_rest(stage: Stage) -> None:
    assert set(stage.query("SELECT state, turn_lock FROM runtime_snapshot")) <= {("Idle", 0), ("Sleeping", 0)}
    assert stage.one("SELECT count(*) FROM actions WHERE status='intended'") == 0
    assert stage.one("SELECT count(*) FROM messages WHERE status='sending'") == 0


def killed_at(stage: Stage, campaign: str, kind: str, boundary: str) -> bool:
    """Run until the first turn of this kind reaches that boundary, and die there."""
    proposal, tool = KINDS_OF_TURN[kind]
    current: list[str] = []
    focus: list[str] = []

    def hear(_: str, number: int, what: str) -> None:
        if number == 1:
            current.clear()
            focus.clear()
        if number == 3:
            current.append(what)

    def die(name: str) -> None:
        if name != boundary:
            return
        if current:
            if f'"{proposal}"' in current[0] and tool in current[0]:
                raise Killed
        elif len(stage.turns) == start:  # steps 1 and 2 are before the proposal is known: the first turn will do
            raise Killed

    runner = stage.runner(boundary=die, on_step=hear)
    start = len(stage.turns)
    try:
        runner.run(campaign)
    except Killed:
        return True
    return False


CASES = [
    (kind, boundary)
    for kind in KINDS_OF_TURN
    for boundary in (WITH_EFFECT if kind in ("invite", "message") else WITHOUT_EFFECT)
]


@pytest.mark.parametrize(("kind", "boundary"), CASES, ids=[f"{kind} at {boundary}" for kind, boundary in CASES])
def test_a_kill_at_any_boundary_of_any_turn_loses_nothing_and_repeats_nothing(
    stage: Stage, kind: str, boundary: str
) -> None:
    # The first lead accepts and answers nothing, so every kind of turn comes up.
    position = next(
        k
        for k, card in enumerate(stage.cards(60))
        if stage.behaviour(card.slug).accepts == "always" and stage.behaviour(card.slug).answers_from is None
    )
    campaign = stage.campaign(2, skip=position)
    assert killed_at(stage, campaign, kind, boundary)
    stage.reopen()
    ended = stage.run(campaign)
    assert ended.halt is RunEnd.COMPLETED
    assert stage.duplicates() == 0
    assert stage.missing() == []
    assert stage.unapproved() == []
    to_first = [entry.kind for entry in stage.delivered() if entry.to == stage.cards(60)[position].slug]
    assert to_first == ["invitation", "message", "message"], "nothing of the sequence is missing"
    at_rest(stage)
    agree(stage)
    numbers = [row[0] for row in stage.query("SELECT number FROM turn_projection ORDER BY number")]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_kill_between_every_two_boundaries_of_a_whole_campaign_one_after_another(stages: Stages) -> None:
    """Each process lives for seven boundaries; in the end the ledger is as if nothing had happened."""
    calm = stages()
    calm.run(calm.campaign(4))
    stage = stages()
    campaign = stage.campaign(4)
    kills = 0
    for life in range(2_000):
        left = iter(range(7 + life % 13))

        def die(_: str, left: Iterable[int] = left) -> None:
            if next(iter(left), None) is None:
                raise Killed

        try:
            ended = stage.run(campaign, boundary=die)
        except Killed:
            kills += 1
            stage.reopen()
            continue
        if ended.halt is RunEnd.COMPLETED:
            break
    assert kills > 40
    assert stage.status(campaign) == "completed"
    assert (stage.duplicates(), stage.missing()) == (0, [])
    assert {(entry.kind, entry.to, entry.text) for entry in stage.delivered()} == {
        (entry.kind, entry.to, entry.text) for entry in calm.delivered()
    }
    agree(stage)


def test_an_intent_without_outcome_is_settled_before_any_turn(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    assert killed_at(stage, campaign, "message", "acted")
    stage.reopen()
    turns_then: list[int] = []
    runner = stage.runner(on_recovered=lambda results: turns_then.append(len(stage.turns) if results else -1))
    runner.run(campaign)
    assert turns_then == [0]
    assert stage.query("SELECT DISTINCT actor FROM event_log WHERE kind='ActionSettled' ORDER BY actor") == [
        ("controller",), ("recovery",),
    ]  # fmt: skip
    assert len(stage.delivered()) == 2


@pytest.mark.parametrize("boundary", ["intent", "acted"])
def test_no_audit_entry_of_an_act_is_lost_to_a_kill(stage: Stage, boundary: str) -> None:
    """That it was begun is on disk with its intent; recovery completes the entry and says that the process ended."""
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    assert killed_at(stage, campaign, "message", boundary)
    intended = stage.one("SELECT id FROM actions")
    (started,) = [json.loads(payload) for _, payload in stage.audits(campaign, "action.started")]
    assert (started["action_id"], started["tool"]) == (intended, "browser.send_message")
    assert started["parameters"]["lead_id"]
    assert stage.audits(campaign, "browser.send_message") == []
    stage.reopen()
    stage.run(campaign)
    begun = [json.loads(payload)["action_id"] for _, payload in stage.audits(campaign, "action.started")]
    completed = [json.loads(payload) for _, payload in stage.audits(campaign, "browser.send_message")]
    assert [entry["action_id"] for entry in completed] == begun
    outcome = {"intent": "outcome_unknown", "acted": "sent"}[boundary]
    assert completed[0]["outcome"] == f"the process ended before the outcome was recorded; found afterwards: {outcome}"
    assert "us" not in completed[0], "how long it took is not known"
    assert all("us" in entry for entry in completed[1:])


def test_recovery_twice_is_recovery_once(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    assert killed_at(stage, campaign, "message", "intent")
    stage.reopen()
    gateway = stage.loop().gateway
    first = recover(stage.journal, gateway, stage.clock, campaign)
    head = stage.head(campaign)[:2]
    assert [each.outcome for each in first] == ["outcome_unknown"]
    assert recover(stage.journal, gateway, stage.clock, campaign) == []
    assert stage.head(campaign)[:2] == head


def test_a_kill_during_recovery_is_recovered_from(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    assert killed_at(stage, campaign, "message", "acted")
    for moment in ("before", "after"):
        stage.reopen()

        def die(tool: str, when: str, moment: str = moment) -> None:
            if (tool, when) == ("read_thread", moment):
                raise Killed

        stage.site.during = die
        with pytest.raises(Killed):
            stage.run(campaign)
    stage.site.during = lambda _tool, _when: None
    stage.reopen()
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(stage.received()) == 1


@pytest.mark.parametrize("boundary", ["intent", "acted"])
def test_a_send_that_only_another_device_s_network_can_know_of_is_asked_about_and_never_repeated_by_itself(
    stage: Stage, tmp_path: Path, boundary: str
) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    assert killed_at(stage, campaign, "message", boundary)
    stage.reopen()
    with stage.journal.transaction() as transaction:
        elsewhere = [Event("ConfigSet", "rehearsal_network", {"value": "another device's"})]
        transaction.record(campaign, elsewhere, actor="controller", cause="test", at=stage.clock.now())
    folder = SimpleNamespace(data_dir=tmp_path)
    workspace = cast(
        Any, SimpleNamespace(database=stage.database, journal=stage.journal, settings=folder, clock=stage.clock)
    )
    for _ in range(2):  # however often it is started here
        with pytest.raises(OutriderError) as refused, open_rehearsal(workspace, campaign):
            pass
        assert refused.value.code == "rehearsal_elsewhere"
        assert stage.query("SELECT status FROM messages") == [("outcome_unknown",)]
    at_rest(stage)
    ((question,),) = stage.query("SELECT id FROM input_requests WHERE status='open'")
    stage.commands().questions.answer(campaign, question, "it was sent")
    assert not ask_about_all(stage.journal, stage.clock, campaign), "what the user says is enough to go on here"
    assert stage.query("SELECT status FROM messages") == [("sent",)]
    agree(stage)


def test_what_cannot_be_seen_after_a_crash_is_unknown_and_is_resolved_once_it_can(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    assert killed_at(stage, campaign, "message", "acted")
    stage.reopen()
    stage.arm("error_500", "thread", times=None)
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert stage.query("SELECT status FROM messages") == [("outcome_unknown",)]
    assert stage.one("SELECT count(*) FROM input_requests WHERE status='open'") == 1
    assert len(stage.received()) == 1
    stage.reopen()
    stage.disarm()
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.query("SELECT status FROM messages") == [("sent",)]
    assert len(stage.received()) == 1
    assert stage.one("SELECT count(*) FROM input_requests WHERE status='open'") == 0


def test_the_machine_comes_back_to_rest_from_every_state_a_crash_can_leave(stages: Stages) -> None:
    for state in TurnState:
        stage = stages()
        campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
        stage.note_elsewhere(campaign, Event("RuntimeChanged", campaign, {"state": state, "turn_lock": 1}))
        assert stage.run(campaign).halt is RunEnd.COMPLETED, state
        at_rest(stage)


@pytest.mark.parametrize("state", [TurnState.INFERRING, TurnState.EXECUTING_ACTIONS])
def test_recovery_itself_opens_the_lock_of_a_turn_that_was_cut_off(stage: Stage, state: TurnState) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    stage.note_elsewhere(campaign, Event("RuntimeChanged", campaign, {"state": state, "turn_lock": 1}))
    recover(stage.journal, stage.loop().gateway, stage.clock, campaign)
    at_rest(stage)


def test_drafts_approvals_and_questions_wait_through_a_restart(stage: Stage) -> None:
    campaign = stage.campaign(3, settings=QUICK)
    stage.run(campaign, approve=False)
    before = stage.query("SELECT id, text, status FROM messages ORDER BY id")
    assert {row[2] for row in before} == {"draft"}
    stage.reopen()
    assert stage.query("SELECT id, text, status FROM messages ORDER BY id") == before
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert {entry.text for entry in stage.delivered()} >= {row[1] for row in before}
