"""Turns with a real model behind them: what they cost is on record, a budget is never exceeded, nothing broken is executed."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from backend.adapters.llm.campaign_proposer import CampaignProposer
from backend.adapters.llm.stream_reader import StreamControl
from backend.domain.model.campaign import CampaignStatus
from backend.domain.model.connection import Connection
from backend.domain.model.providers import Provider
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.ports.proposer import ModelUsage, OnText, OnUsage, ignore_text, ignore_usage
from backend.runtime.run.campaign_runner import RunEnd
from backend.store.log import replay
from backend.store.queries.device import models
from backend.turn.reply_cost import budget_check
from tests.fakes.campaign import QUICK, Stage
from tests.fakes.credentials import Pocket
from tests.fakes.model_server import TOKENS_IN, ModelServer
from tests.fakes.outgoing import nobody_else
from tests.fakes.stages import Stages
from tests.stored_rows import all_rows, first_row


def connection(server: ModelServer, **changes: Any) -> Connection:
    fields = {
        "id": "tiny",
        "name": "Tiny",
        "provider": Provider.LLAMA_CPP,
        "base_url": f"{server.url}/v1",
        "model": "tiny-1",
        "max_output_tokens": 64,
        "price_in": 1_000_000,
        "price_out": 1_000_000,
    }
    return Connection.model_validate(fields | changes)


def connected(stage: Stage) -> CampaignProposer:
    """As the wiring makes it."""

    def find(connection_id: str) -> Connection:
        stored_connection = stage.database.query(models.model_connection, connection_id)
        if stored_connection is None:
            raise OutriderError("model_unknown", connection=connection_id)
        return stored_connection

    inputs = StreamControl(sleep=lambda _: None)
    return CampaignProposer(
        find, Pocket(), nobody_else(), lambda campaign: budget_check(stage.database, campaign), inputs
    )


def campaign_with(stage: Stage, model_connection: Connection, *, people: int = 3, **limits: int) -> str:
    settings = QUICK.model_copy(update={"limits": QUICK.limits.model_copy(update=limits)})
    campaign_id = stage.campaign(people, settings=settings)
    commands = stage.commands("user")
    commands.models.save(model_connection)
    commands.models.choose(campaign_id, model_connection.id, alone=True)
    return campaign_id


def spent(stage: Stage, campaign_id: str) -> tuple[int, int]:
    return stage.database.query(models.model_spend, campaign_id)


def billed(server: ModelServer) -> int:
    return sum(prompt_tokens + reply_tokens for prompt_tokens, reply_tokens in server.billed)


def clean(stage: Stage) -> None:
    assert replay.find_differences(stage.database) == []


def test_a_whole_campaign_by_a_model_and_every_token_of_it_is_on_record(stage: Stage, server: ModelServer) -> None:
    campaign_id = campaign_with(stage, connection(server), people=2)
    ended = stage.run(campaign_id, proposer=connected(stage))
    assert ended.halt is RunEnd.COMPLETED
    tokens, micros = spent(stage, campaign_id)
    assert tokens == billed(server)
    assert micros == tokens
    turns = stage.database.query(first_row, "SELECT count(*), min(model), max(tokens_in) FROM turn_projection")
    assert turns == (len(server.requests), "tiny-1", TOKENS_IN)
    clean(stage)


def test_a_model_that_can_be_told_little_finishes_a_campaign(stage: Stage, server: ModelServer) -> None:
    """What a step could go without, in its schema too, is left out before anything fails."""
    campaign_id = campaign_with(stage, connection(server, context_tokens=3_300), people=1)
    assert stage.run(campaign_id, proposer=connected(stage)).halt is RunEnd.COMPLETED
    clean(stage)


def test_a_turn_of_the_script_bears_no_costs(stage: Stage) -> None:
    campaign_id = stage.campaign(1)
    stage.run(campaign_id)
    payloads = stage.database.query(all_rows, "SELECT change_payload FROM event_log WHERE kind='TurnCompleted'")
    assert payloads
    assert not any("tokens" in payload or "model" in payload for (payload,) in payloads)
    assert spent(stage, campaign_id) == (0, 0)


def test_the_model_changes_at_the_next_turn_and_no_approval_falls(stage: Stage, server: ModelServer) -> None:
    campaign_id = campaign_with(stage, connection(server))
    stage.commands("user").models.choose(campaign_id, "scripted")
    proposer = connected(stage)

    asked = list[int]()

    def switch(_: Any) -> None:
        asked.append(len(server.requests))
        if len(asked) == 3:
            stage.commands("user").models.choose(campaign_id, "tiny", alone=True)
        if len(asked) == 4:
            stage.commands("user").models.save(connection(server, model="tiny-2"))
        if len(asked) == 6:
            stage.commands("user").models.choose(campaign_id, "scripted")

    stage.run(campaign_id, proposer=proposer, on_turn=switch)
    assert [sent["model"] for _, _, sent in server.requests] == ["tiny-1", "tiny-2", "tiny-2"]
    assert asked[:7] == [0, 0, 0, 1, 2, 3, 3]
    assert asked[-1] == 3
    assert stage.query("SELECT count(*) FROM approvals WHERE status='revoked'") == [(0,)]
    clean(stage)


def test_a_connection_that_is_changed_holds_from_the_next_turn_on(stage: Stage, server: ModelServer) -> None:
    campaign_id = campaign_with(stage, connection(server))
    changed = connection(server, model="tiny-2")
    stage.run(
        campaign_id,
        proposer=connected(stage),
        on_turn=lambda turn: stage.commands("user").models.save(changed) if turn.number == 2 else None,
        stop_after=4,
    )
    assert stage.query("SELECT model FROM turn_projection ORDER BY number") == [("tiny-1",)] * 2 + [("tiny-2",)] * 2


def test_a_connection_that_is_gone_is_named_and_nothing_is_executed(stage: Stage, server: ModelServer) -> None:
    campaign_id = campaign_with(stage, connection(server))
    proposer = connected(stage)

    def gone(name: str) -> Connection:
        raise OutriderError("model_unknown", connection=name)

    proposer.find = gone
    with pytest.raises(OutriderError, match="model_unknown"):
        stage.run(campaign_id, proposer=proposer)
    assert not server.requests


def test_a_connection_in_use_is_not_removed(stage: Stage, server: ModelServer) -> None:
    campaign_id = campaign_with(stage, connection(server))
    commands = stage.commands("user")
    with pytest.raises(OutriderError, match="model_in_use"):
        commands.models.remove("tiny")
    commands.models.choose(campaign_id, "scripted")
    commands.models.remove("tiny")
    acts: list[Callable[[], object]] = [
        lambda: commands.models.remove("tiny"),
        lambda: commands.models.choose(campaign_id, "tiny", alone=True),
    ]
    for act in acts:
        with pytest.raises(OutriderError, match="model_unknown"):
            act()
    assert stage.database.query(models.model_connections) == []
    commands.models.save(connection(server))
    commands.models.choose(campaign_id, "tiny", alone=True)
    clean(stage)


@pytest.mark.parametrize(
    ("address", "confirmed", "fine"),
    [
        ("https://api.example.com/v1", False, True),
        ("http://127.0.0.1:11434/v1", False, True),
        ("http://localhost:8080", False, True),
        ("http://[::1]:8080/v1", False, True),
        ("http://192.168.1.20:8000/v1", False, False),
        ("http://192.168.1.20:8000/v1", True, True),
        ("http://server.local/v1", True, True),
        ("http://api.example.com/v1", True, False),
        ("http://8.8.8.8/v1", True, False),
        ("http://127.0.0.1.example.com/", True, False),
        ("https://user:secret@example.com/", True, False),
        ("https://example.com/?key=1", True, False),
        ("file:///etc/passwd", True, False),
        ("http://0.0.0.0:80/", True, False),
        ("https://999.1.1.1/v1", False, False),
        ("https://[::::]/v1", False, False),
        ("https://a..b/v1", False, False),
    ],
)
def test_an_address_is_encrypted_or_ours(
    stage: Stage, server: ModelServer, address: str, confirmed: bool, fine: bool
) -> None:
    model_connection = connection(server, base_url=address, plain_http=confirmed)
    if fine:
        stage.commands("user").models.save(model_connection)
    else:
        with pytest.raises(OutriderError, match="model_address_refused"):
            stage.commands("user").models.save(model_connection)


# --- budgets ---


@pytest.mark.parametrize(
    "limits",
    [{"model_cents": 1}, {"model_kilotokens": 10}, {"model_cents": 0}, {"model_kilotokens": 0}],
    ids=str,
)
@pytest.mark.parametrize("acts", [[], ["cut", 500, "ok", "unbilled", (429, {}), "ok", "error"] * 40])
def test_a_budget_is_never_exceeded_and_the_campaign_is_held_with_its_reason(
    stage: Stage, server: ModelServer, limits: dict[str, int], acts: list[Any]
) -> None:
    campaign_id = campaign_with(stage, connection(server), people=8, **limits)
    server.acts.extend(acts)
    most = min(limits.get("model_cents", 500) * 10_000, limits.get("model_kilotokens", 5_000) * 1_000)
    asked, ended = -1, None
    while asked != len(server.requests):
        asked = len(server.requests)
        try:
            ended = stage.run(campaign_id, proposer=connected(stage))
        except OutriderError as error:
            assert error.code.startswith("proposer_")  # noqa: PT017
            asked = -1
    assert ended is not None
    assert ended.halt is RunEnd.HELD
    assert "budget" in ended.reasons[0]
    tokens, _ = spent(stage, campaign_id)
    assert billed(server) <= tokens <= most
    assert len(server.requests) > 0 or most == 0
    status, why = stage.database.query(first_row, "SELECT status, status_reason FROM campaigns")
    assert (status, why) == (CampaignStatus.ACTIVE, ended.reasons[0])
    clean(stage)
    # Nothing more is asked, and a higher budget lets it go on.
    stage.run(campaign_id, proposer=connected(stage))
    assert len(server.requests) == asked


class Paid:
    """Says something invalid, at a price; somebody stops the campaign meanwhile."""

    name = "paid"

    def __init__(self, stage: Stage, campaign_id: str) -> None:
        self.stage, self.campaign_id = stage, campaign_id

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        on_usage(ModelUsage("m", 10, 5, 7))
        self.stage.commands("user").campaigns.change_status(self.campaign_id, CampaignStatus.PAUSED, "enough")
        return json.dumps({"type": "no_op", "task_id": snapshot.focus.task.id, "params": {}})


def test_a_reply_that_came_too_late_is_still_paid_for(stage: Stage) -> None:
    campaign_id = stage.campaign(1)
    stage.run(campaign_id, proposer=Paid(stage, campaign_id))
    assert spent(stage, campaign_id) == (15, 7)
    clean(stage)


# --- misbehaviour, turn after turn ---


def test_no_misbehaviour_of_a_server_executes_anything_or_loses_what_was_heard(
    stages: Stages, server: ModelServer
) -> None:
    misbehaviour: list[Any] = [401, 404, "cut", "garbled", "length", "refusal", "empty", "error", "silent"]
    stage = stages(people=5)
    campaign_id = campaign_with(stage, connection(server, idle_timeout_ms=100), people=2)
    for number, act in enumerate(misbehaviour):
        server.acts.extend([act] * 3)
        with pytest.raises(OutriderError) as caught:
            stage.run(campaign_id, proposer=connected(stage), once=True)
        server.acts.clear()
        for (question,) in stage.query("SELECT id FROM input_requests WHERE status='open'"):
            stage.commands("user").questions.answer(campaign_id, question, "try again")
        assert caught.value.code.startswith("proposer_")
        with stage.database.read() as opened:
            faulted = opened.execute("SELECT count(*) FROM turn_projection WHERE faulted=1").fetchone()[0]
            done = opened.execute("SELECT count(*) FROM turn_projection WHERE faulted=0").fetchone()[0]
            (last,) = opened.execute(
                "SELECT payload FROM audit_log WHERE campaign_id=? AND action_type='turn_failed' ORDER BY seq DESC LIMIT 1",
                (campaign_id,),
            ).fetchone()
        assert (faulted, done) == (number + 1, 0)
        received = json.loads(last).get("reply", "")
        assert (act in ("cut", "silent", "length", "refusal")) == bool(received)
    assert stage.run(campaign_id, proposer=connected(stage)).halt is RunEnd.COMPLETED
    clean(stage)


def test_stopping_ends_a_reply_under_way_and_pauses(stage: Stage, server: ModelServer) -> None:
    campaign_id = campaign_with(stage, connection(server, idle_timeout_ms=120_000, total_timeout_ms=240_000))
    server.acts.append("silent")
    proposer = connected(stage)
    runner = stage.runner(proposer=proposer, on_text=lambda *_: runner.stop.set())
    proposer.control = replace(proposer.control, cancelled=runner.stop.is_set)
    assert runner.run(campaign_id).halt is RunEnd.STOPPED
    assert stage.status(campaign_id) == CampaignStatus.PAUSED
    assert spent(stage, campaign_id)[0] >= billed(server) > 0
    runner = stage.runner(proposer=connected(stage))
    assert runner.run(campaign_id).halt is RunEnd.COMPLETED
    clean(stage)


@pytest.mark.endurance
@pytest.mark.timeout(3_600)
def test_a_thousand_turns_with_a_server_that_misbehaves_at_random(stages: Stages, server: ModelServer) -> None:
    """Nothing is carried out in part, no whole reply is lost, and it always comes to an end."""
    chance = random.Random(41)
    acts = ["ok"] * 8 + ["unbilled", "cut", "length", "empty", "refusal", "garbled", "error", "silent", 500, 429, 401]
    fitting_reply, whole = server.reply, list[str]()
    nonsense = [
        "{",
        "[]",
        '{"proposal":{}}',
        '{"type":"no_op"}',
        "\ufeff{}",
        "Sure! Here you are:",
        '{"proposal":null}',
    ]

    def reply(body: dict[str, Any]) -> str:
        return chance.choice(nonsense) if chance.random() < 0.2 else fitting_reply(body)

    server.reply = reply
    turns = faults = rounds = 0
    while turns < 1_000:
        stage = stages(people=60, seed=f"round-{rounds}")
        rounds += 1
        assert rounds < 40, "every round comes to its end within bounds"
        # The first token is waited out once in twenty.
        model_connection = connection(server, idle_timeout_ms=2_000, first_token_timeout_ms=20_000)
        campaign_id = campaign_with(
            stage, model_connection, people=40, model_cents=1_000_000, model_kilotokens=10_000_000
        )
        for _ in range(250):
            server.acts.clear()
            server.acts.extend(chance.choice(acts) for _ in range(60))
            try:
                ended = stage.run(campaign_id, proposer=connected(stage))
            except OutriderError as error:
                assert error.code.startswith("proposer_")  # noqa: PT017 - any of them
                continue
            if ended.halt is RunEnd.COMPLETED or not answered(stage, campaign_id):
                break
        recorded = stage.query("SELECT number, faulted FROM turn_projection")
        turns, faults = turns + len(recorded), faults + sum(faulted for _, faulted in recorded)
        for number, faulted in recorded:
            kinds = [kind for (kind,) in stage.query("SELECT kind FROM event_log WHERE cause=?", f"t{number}")]
            failure_kinds = {"TaskAdvanced", "TaskBlocked", "InputRequested"}
            assert not faulted or (kinds[0], kinds[-1]) == ("RuntimeChanged", "TurnFaulted")
            assert not faulted or set(kinds[1:-1]) <= failure_kinds, "a reply of no use costs a strike and nothing else"
        whole += [json.loads(payload)["raw"] for _, payload in stage.audits(campaign_id, "proposal")]
        assert len(stage.received()) <= len(stage.query("SELECT id FROM approvals"))
        assert billed(server) <= spent(stage, campaign_id)[0]
        server.billed.clear()
        clean(stage)
    assert faults > 100
    assert whole == server.completed  # every whole reply is on record as it was said, and no other


def answered(stage: Stage, campaign_id: str) -> int:
    """Answer every open question with something that is offered; how many there were."""
    questions = stage.query("SELECT id, choices FROM input_requests WHERE status='open'")
    for request, choices in questions:
        stage.commands("user").questions.answer(campaign_id, request, (json.loads(choices) or ["yes"])[0])
    return len(questions)
