"""Every family of acts on every channel to its end: whoever's hand it is, each act is done, settled and on record."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from backend.adapters.sites.user_hands import UserHands
from backend.domain.contact.send_session import QueuedPerson
from backend.domain.gates.consent import CONSENT_SENTENCE
from backend.domain.model.campaign import DAY
from backend.domain.model.channel import CHANNELS, Channel, user_families
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.model.sequence import DEFAULT_SEQUENCE
from backend.domain.model.task import ACTING, ActionFamily
from backend.ports.sync_status import LocalOnly
from backend.runtime.run.campaign_runner import RunEnd
from tests.fakes.by_hand import by_hand
from tests.fakes.campaign import QUICK, Stage
from tests.fakes.send_desk import EVERY_DAY, Desk

PEOPLE, DAYS = 12, 60
LIMITS = {"withdraw_after_days": 7, "withdrawals_a_day": 5}
ANSWER = "Gladly. Would Tuesday suit you?"
SAID = {
    SessionAsk.ACCEPTED: Word.CONNECTED,
    SessionAsk.CONNECTED: Word.NOT_CONNECTED,
    SessionAsk.REPLIED: Word.NO_REPLY,
    SessionAsk.WITHDRAW: Word.WITHDRAWN,
    SessionAsk.OUTCOME: Word.SENT,
}
"""What the user finds."""


class Life(NamedTuple):
    """What came of a campaign on a channel: how often each family's act was done, what is not settled, and what the site saw."""

    done: dict[ActionFamily, int]
    unsettled: int
    requests: int


def driven(stage: Stage, channel: Channel) -> str:
    """Outrider reads and clicks; somebody replies and is answered."""
    if channel.needs_consent:
        stage.commands().consents.give(CONSENT_SENTENCE)
    limits = QUICK.limits.model_copy(update={**LIMITS, "work_days": tuple(range(7))})
    settings = QUICK.model_copy(update={"limits": limits, "sequence": DEFAULT_SEQUENCE})
    campaign = stage.campaign(PEOPLE, site=channel.id, account=channel.account or "practice", settings=settings)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    answer(stage, campaign)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    return campaign


def worked_off(stage: Stage, channel: Channel) -> str:
    """The user looks, pastes and says what happened, day by day: one never accepts, another replies and is answered."""
    limits = EVERY_DAY.model_copy(update=LIMITS)
    at = Desk(stage, by_hand(stage, DEFAULT_SEQUENCE, people=PEOPLE, limits=limits), LocalOnly())
    stage.site = UserHands(channel.id)  # type: ignore[assignment]  # the whole of what a run is given there
    silent, has_replied = "", False
    for _day in range(DAYS):
        if stage.status(at.campaign) != "completed":
            at.run()
        while people := queue(at):
            person = people[0]
            word, reply = SAID.get(person.ask, Word.SENT), ""
            if person.ask in (SessionAsk.INVITE, SessionAsk.WRITE):
                at.hand_over(no_reply=True)
            elif person.ask is SessionAsk.ACCEPTED and silent in ("", person.lead.id):
                silent, word = person.lead.id, Word.NOT_CONNECTED
            elif person.ask is SessionAsk.REPLIED and not has_replied:
                has_replied, word, reply = True, Word.REPLIED, "Happy to talk!"
            at.say(person.lead.id, word, reply)
            at.leave()
            if reply:
                answer(stage, at.campaign)
                at.run()  # whatever is the user's stays theirs
        stage.clock.jump(DAY)
    return at.campaign


def queue(at: Desk) -> tuple[QueuedPerson, ...]:
    return at.state(withdrawals=True).people


def answer(stage: Stage, campaign: str) -> None:
    lead = stage.one("SELECT id FROM leads WHERE replied_at IS NOT NULL ORDER BY id LIMIT 1")
    stage.commands().replies.answer(campaign, lead, ANSWER)


@pytest.fixture(scope="module", params=list(CHANNELS.values()), ids=list(CHANNELS))
def life(request: pytest.FixtureRequest) -> Iterator[tuple[Channel, Life]]:
    """A campaign on that channel from its start to its end; lived once."""
    channel: Channel = request.param
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(Path(folder))
        campaign = (worked_off if user_families(channel.id) else driven)(stage, channel)
        done = dict.fromkeys(ACTING, 0) | {
            ActionFamily(family): count
            for family, count in stage.query("SELECT family, count(*) FROM actions WHERE status='sent' GROUP BY family")
        }
        done[ActionFamily.LOOK] = stage.one(
            "SELECT count(*) FROM leads WHERE visited_at IS NOT NULL OR thread_read_at IS NOT NULL"
        )
        done[ActionFamily.ANSWER] = stage.one("SELECT count(*) FROM messages WHERE status='sent' AND text=?", ANSWER)
        done[ActionFamily.WITHDRAW] = stage.kinds(campaign)["InvitationWithdrawn"]
        unsettled = stage.one("SELECT count(*) FROM actions WHERE status NOT IN ('sent', 'not_sent')")
        yield channel, Life(done, unsettled, len(stage.received()))
        stage.close()


@pytest.mark.parametrize("family", ACTING)
def test_each_act_is_done_to_its_end_by_whoevers_hand_it_is(life: tuple[Channel, Life], family: ActionFamily) -> None:
    channel, lived = life
    assert lived.done[family] > 0, f"{channel.id}: nothing of {family} was ever done"


def test_nothing_is_left_unsettled_and_the_site_hears_only_from_outriders_own_hand(life: tuple[Channel, Life]) -> None:
    channel, lived = life
    assert lived.unsettled == 0
    assert bool(lived.requests) is not bool(user_families(channel.id))
