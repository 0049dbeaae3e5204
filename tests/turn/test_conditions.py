"""Branches in a whole campaign: who gets what is judged by the network's own ledger, and nothing of it by our tables."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.domain.model.campaign import DAY
from backend.domain.model.condition import Condition
from backend.domain.model.sequence import Sequence, Step
from backend.domain.sequence.sequence_change import as_request
from backend.domain.turn.assumption import Assumption
from backend.runtime.run.campaign_runner import RunEnd
from backend.runtime.run.dry_run import dry_run
from backend.store.log.replay import rebuild
from tests.fakes.by_hand import by_hand, run_by_hand
from tests.fakes.campaign import QUICK, Stage

ACCEPTED = Condition(what="accepted", days=7)
NOT_ACCEPTED = Condition(what="accepted", days=7, negated=True)
VIP, NOT_VIP = Condition(what="tag", value="vip"), Condition(what="tag", value="vip", negated=True)
BRANCHES = Sequence(
    steps=(
        Step(key="visit", kind="visit"),
        Step(key="invite", kind="invitation", template="Hi {first_name}."),
        Step(key="hello", kind="message", template="Thank you.", only_if=(ACCEPTED,)),
        Step(key="stop", kind="end", only_if=(NOT_ACCEPTED,)),
        Step(key="last", kind="message", template="One more.", after_days=2),
    )
)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path, people=80)
    yield made
    made.close()


def tag(stage: Stage, campaign: str, position: int, *tags: str) -> str:
    """Give the lead in that place these tags; its id."""
    lead = str(stage.query("SELECT id FROM leads WHERE campaign_id=? ORDER BY position", campaign)[position][0])
    stage.commands().leads.tag(campaign, lead, list(tags))
    return lead


def test_who_accepts_in_time_goes_one_way_and_who_does_not_the_other(stage: Stage) -> None:
    cards = stage.cards(80)
    never = [card for card in cards if stage.behaviour(card.slug).accepts == "never"][:3]
    soon = [card for card in cards if stage.behaviour(card.slug).accepts == "always"][:3]
    stage.cards = lambda count, *, skip=0: [*never, *soon][skip : skip + count]  # type: ignore[method-assign]
    campaign = stage.campaign(len(never) + len(soon), settings=QUICK.model_copy(update={"sequence": BRANCHES}))
    forecast = dry_run(stage.database, campaign, stage.clock, 30, Assumption())
    assert forecast.answered == {"not accepted within 7 days (asked before “hello”)": len(never) + len(soon)}
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    delivered = {(entry.to, entry.text) for entry in stage.delivered() if entry.kind == "message"}
    assert not {slug for slug, _ in delivered} & {card.slug for card in never}
    assert {slug for slug, text in delivered if text == "Thank you."} == {card.slug for card in soon}
    ends = dict(stage.query("SELECT member_key, finished FROM leads"))
    assert {ends[card.slug] for card in never} == {"not accepted"}
    looked = stage.query("SELECT max(visited_at) - max(invited_at) FROM leads WHERE finished='not accepted'")[0][0]
    assert 7 * DAY <= looked < 11 * DAY
    before = stage.dump()
    rebuild(stage.database)
    assert stage.dump() == before


def test_where_the_user_sends_a_step_is_written_only_for_whom_it_is(stage: Stage) -> None:
    steps = (
        Step(key="warm", kind="message", template="Hello again {first_name}.", only_if=(VIP,)),
        Step(key="cold", kind="message", template="Hello {first_name}.", only_if=(NOT_VIP,)),
    )
    campaign = by_hand(stage, Sequence(steps=steps))
    lead = tag(stage, campaign, 0, "VIP")
    run_by_hand(stage, campaign)
    assert sorted(stage.query("SELECT step, lead_id=? FROM messages", lead)) == [("cold", 0), ("cold", 0), ("warm", 1)]
    assert stage.kinds(campaign)["ConditionAnswered"] == 3
    assert stage.query("SELECT count(*) FROM tasks WHERE strikes>0 OR status='blocked'") == [(0,)]


def test_a_condition_put_on_a_step_takes_back_what_was_written_for_whom_it_is_not(stage: Stage) -> None:
    sequence = Sequence(steps=(Step(key="hello", kind="message", template="Hello {first_name}."),))
    campaign = by_hand(stage, sequence)
    lead = tag(stage, campaign, 1, "vip")
    run_by_hand(stage, campaign)
    now = as_request(sequence)
    requested = now.model_copy(update={"steps": (now.steps[0].model_copy(update={"only_if": (VIP,)}),)})
    stage.commands().sequences.change(campaign, requested_sequence=requested, version=None)
    run_by_hand(stage, campaign)
    assert stage.query("SELECT lead_id FROM messages WHERE status IN ('draft', 'approved')") == [(lead,)]
    assert stage.one("SELECT count(*) FROM leads WHERE finished<>''") == 2
    stage.commands().sequences.undo(campaign)
    assert stage.one("SELECT count(*) FROM messages WHERE status='cancelled' AND reason LIKE 'the sequence%'") == 3
