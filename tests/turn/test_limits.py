"""What the account may do, judged by what the practice network received and when, never by our own tables."""

import tempfile
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest

from backend.domain.gates import gates
from backend.domain.model.campaign import DAY, HOUR, MINUTE, Limits, Settings
from backend.domain.model.channel import LINKEDIN_ACCOUNT
from backend.domain.model.days import local_midnight
from backend.domain.model.send_word import Word
from backend.domain.model.task import ActionFamily
from backend.practice.ledger import Entry
from backend.runtime.run.campaign_runner import RunEnd
from backend.situation.situations import TurnInputs, account_facts
from backend.store.queries.campaign import campaigns
from backend.store.queries.contact import actions
from backend.turn.loop import TurnReport
from tests.fakes.campaign import MESSAGE_ONLY, MONDAY_NOON, ONE_STEP, Killed, Stage
from tests.fakes.clock import FakeClock
from tests.fakes.send_desk import EVERY_DAY, desk
from tests.fakes.stages import Stages

CONSERVATIVE = Settings()


def of_kind(stage: Stage, kind: str) -> list[int]:
    return sorted(entry.at for entry in stage.received() if entry.kind == kind)


def a_day(times: list[int]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for at in times:
        counts[at // DAY] = counts.get(at // DAY, 0) + 1
    return counts


def most_in_seven_days(times: list[int]) -> int:
    return max((sum(1 for at in times if first <= at < first + 7 * DAY) for first in times), default=0)


def working_hours(entry: Entry) -> bool:
    when = datetime.fromtimestamp(entry.at / 1_000, UTC)
    return when.weekday() < 5 and 9 <= when.hour < 18


@pytest.fixture(scope="module")
def ledger() -> list[Entry]:
    """Everything that a campaign of 60 leads with the default limits made the network receive; run once."""
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(Path(folder))
        try:
            campaign = stage.campaign(60, settings=CONSERVATIVE)
            assert stage.run(campaign).halt is RunEnd.COMPLETED
            return stage.exchange.entries()
        finally:
            stage.close()


def times(ledger: list[Entry], kind: str) -> list[int]:
    return sorted(entry.at for entry in ledger if entry.kind == kind)


def test_the_campaign_was_long_enough_to_meet_every_limit(ledger: list[Entry]) -> None:
    assert len(times(ledger, "invitation")) == 60
    assert len(times(ledger, "message")) >= 40
    assert len(a_day(times(ledger, "invitation"))) >= 5


def test_no_day_has_more_invitations_or_messages_than_allowed(ledger: list[Entry]) -> None:
    assert max(a_day(times(ledger, "invitation")).values()) <= 15
    assert max(a_day(times(ledger, "message")).values()) <= 25


def test_no_seven_days_have_more_invitations_than_allowed(ledger: list[Entry]) -> None:
    assert most_in_seven_days(times(ledger, "invitation")) <= 80


@pytest.mark.parametrize(("kind", "limit"), [("invitation", 15), ("message", 25)])
def test_a_new_account_grows_into_its_limit_over_two_weeks(ledger: list[Entry], kind: str, limit: int) -> None:
    sent = times(ledger, kind)
    first = sent[0] // DAY
    for day, count in a_day(sent).items():
        since = day - first
        allowance = limit if since >= 14 else max(1, -(-limit * (since + 1) // 14))
        assert count <= allowance, f"day {since + 1}"


@pytest.mark.parametrize("kind", ["invitation", "message"])
def test_two_of_a_kind_are_never_closer_than_the_spacing(ledger: list[Entry], kind: str) -> None:
    sent = times(ledger, kind)
    assert min(later - earlier for earlier, later in pairwise(sent)) >= 90_000


def test_two_of_any_kind_are_never_closer_than_the_spacing(ledger: list[Entry]) -> None:
    """The spacing is the account's: an invitation and a message are two acts of the same person."""
    sent = sorted(times(ledger, "invitation") + times(ledger, "message"))
    assert min(later - earlier for earlier, later in pairwise(sent)) >= 90_000


def test_everything_happens_in_working_hours_on_working_days(ledger: list[Entry]) -> None:
    acts = [entry for entry in ledger if entry.kind in ("invitation", "message", "profile_view")]
    assert len(acts) > 150
    assert [entry for entry in acts if not working_hours(entry)] == []


def test_nobody_is_invited_twice_and_no_text_is_delivered_twice(ledger: list[Entry]) -> None:
    invited = [entry.to for entry in ledger if entry.kind == "invitation"]
    texts = [(entry.to, entry.text) for entry in ledger if entry.kind == "message"]
    assert len(set(invited)) == len(invited)
    assert len(set(texts)) == len(texts)


# --- each limit where it bites ---


def limited(**limits: int) -> Settings:
    quick = {"ramp_days": 0, "spacing_seconds": 0, **limits}
    return ONE_STEP.model_copy(update={"limits": Limits.model_validate(quick)})


def test_the_daily_limit_holds_and_the_rest_follows_the_next_day(stage: Stage) -> None:
    campaign = stage.campaign(8, settings=limited(invitations_a_day=3))
    stage.run(campaign)
    assert list(a_day(of_kind(stage, "invitation")).values()) == [3, 3, 2]


def test_what_was_sent_today_counts_after_the_clocks_went_back(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=limited(invitations_a_day=1))
    stage.run(campaign)
    (sent,) = of_kind(stage, "invitation")
    first_hour = DAY - sent % DAY + HOUR // 2  # by these clocks it was half past midnight
    later = sent + 10 * HOUR

    class GoneBack(FakeClock):
        def offset(self, now: int) -> int:
            return first_hour if now < sent + HOUR else first_hour - HOUR

    with stage.database.read() as connection:
        position = campaigns.position(connection, campaign)
        assert position is not None
        inputs = TurnInputs.at(GoneBack(), later, True)
        assert account_facts(connection, position.campaign, inputs, ActionFamily.INVITE, "").sent_today == 1


def test_the_weekly_limit_is_of_any_seven_days_not_of_a_calendar_week(stages: Stages) -> None:
    stage = stages(now=MONDAY_NOON + 3 * DAY)  # a Thursday
    campaign = stage.campaign(13, settings=limited(invitations_a_week=5, invitations_a_day=4))
    stage.run(campaign)
    sent = of_kind(stage, "invitation")
    assert len(sent) == 13
    assert most_in_seven_days(sent) == 5


def test_limits_are_counted_across_restarts(stage: Stage) -> None:
    campaign = stage.campaign(7, settings=limited(invitations_a_day=3))
    for _ in range(300):
        ended = stage.run(campaign, stop_after=1)
        stage.reopen()
        if ended.halt is RunEnd.COMPLETED:
            break
    assert list(a_day(of_kind(stage, "invitation")).values()) == [3, 3, 1]


def test_what_was_not_seen_counts_too_for_it_may_have_reached_the_site(stage: Stage) -> None:
    campaign = stage.campaign(5, settings=limited(invitations_a_day=2))
    stage.arm("says_sent_but_dropped", "invite", times=2)
    stage.run(campaign)
    assert list(a_day(of_kind(stage, "invitation")).values()) == [2, 2, 1]


def test_limits_are_the_accounts_not_the_campaigns(stage: Stage) -> None:
    settings = limited(invitations_a_day=3)
    first = stage.campaign(2, settings=settings)
    second = stage.campaign(5, settings=settings, skip=10)
    apart = stage.campaign(3, settings=settings, skip=20, account="another account")
    stage.run(first)
    stage.run(apart)
    today = a_day(of_kind(stage, "invitation"))
    assert list(today.values()) == [5], "two of one account, three of the other"
    stage.run(second)
    assert list(a_day(of_kind(stage, "invitation")).values()) == [6, 3, 1], "one more today, then by the limit"


@pytest.mark.parametrize(
    ("now", "opens"),
    [
        (MONDAY_NOON + 6 * HOUR, MONDAY_NOON + 21 * HOUR),
        (MONDAY_NOON - 4 * HOUR, MONDAY_NOON - 3 * HOUR),
        (MONDAY_NOON + 4 * DAY + 7 * HOUR, MONDAY_NOON + 7 * DAY - 3 * HOUR),
        (MONDAY_NOON + 5 * DAY, MONDAY_NOON + 7 * DAY - 3 * HOUR),
    ],
    ids=["after hours", "before hours", "Friday evening", "Saturday noon"],
)
def test_outside_working_hours_nobody_is_looked_at_and_the_next_opening_is_waited_for(
    stages: Stages, now: int, opens: int
) -> None:
    stage = stages(now=now)
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    stage.run(campaign)
    first = next(entry.at for entry in stage.exchange.entries() if entry.kind == "profile_view")
    assert first == opens
    assert stage.clock.sleeps[0] == opens


def test_working_hours_are_local(stages: Stages) -> None:
    stage = stages(now=MONDAY_NOON - 4 * HOUR)
    stage.clock.local = 2 * HOUR  # ten in the morning there
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    stage.run(campaign)
    assert [entry.at for entry in stage.delivered()] == [MONDAY_NOON - 4 * HOUR]


def test_a_refused_gate_is_no_strike(stage: Stage) -> None:
    campaign = stage.campaign(4, settings=limited(invitations_a_day=1))
    stage.run(campaign)
    kinds = stage.kinds(campaign)
    assert kinds["TaskBlocked"] == 0
    assert stage.one("SELECT max(strikes) FROM tasks") == 0


def test_a_thread_is_read_again_when_the_last_reading_is_not_fresh(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    stage.run(campaign, approve=False)
    reads = stage.site.calls.count("read_thread")
    stage.clock.advance(11 * MINUTE)
    stage.run(campaign)
    send = stage.site.calls.index("send_message")
    assert stage.site.calls[send - 2 : send] == ["read_thread", "read_thread"], (
        "freshly read, then looked at right before"
    )
    assert stage.site.calls[:send].count("read_thread") == reads + 2


def test_no_more_invitations_with_a_note_go_out_in_thirty_days_than_the_quota_allows(stages: Stages) -> None:
    stage = stages()
    campaign = stage.campaign(5, settings=ONE_STEP.model_copy(update={"limits": limited(notes_a_month=2).limits}))
    stage.run(campaign)
    sent = of_kind(stage, "invitation")
    assert len(sent) == 5
    assert all(sum(first <= at < first + 30 * DAY for at in sent) <= 2 for first in sent)


def test_notes_are_counted_for_each_account(stage: Stage) -> None:
    settings = ONE_STEP.model_copy(update={"limits": limited(notes_a_month=2).limits})
    for skip, account in ((0, "another account"), (10, "practice")):
        stage.run(stage.campaign(2, settings=settings, skip=skip, account=account))
    assert list(a_day(of_kind(stage, "invitation")).values()) == [4]


def test_without_a_note_to_spare_somebody_takes_a_turn_a_day_at_most(stages: Stages) -> None:
    stage = stages()
    campaign = stage.campaign(3, settings=ONE_STEP.model_copy(update={"limits": limited(notes_a_month=0).limits}))
    began = stage.clock.now()
    stage.run(campaign, stop_after=20)
    refused = [turn for turn in stage.turns if turn.verdict == "gate:note_quota"]
    assert 3 <= len(refused) <= 3 * (1 + (stage.clock.now() - began) // DAY)


@pytest.mark.parametrize("notes", [0, 1])
def test_what_waits_for_a_note_goes_once_more_are_allowed(stages: Stages, notes: int) -> None:
    stage, refused = stages(), list[TurnReport]()

    def cut_off(turn: TurnReport) -> None:
        refused.extend([turn] if turn.verdict == "gate:note_quota" else [])
        if len(refused) == 3 - notes:
            raise Killed

    campaign = stage.campaign(3, settings=ONE_STEP.model_copy(update={"limits": limited(notes_a_month=notes).limits}))
    with pytest.raises(Killed):
        stage.run(campaign, on_turn=cut_off)
    stage.reopen()
    stage.commands().campaigns.edit(campaign, version=None, limits=limited(notes_a_month=20).limits)
    now = stage.clock.now()
    stage.run(campaign)
    assert [at - now < DAY for at in of_kind(stage, "invitation")] == [True] * 3


# --- a clock that was ahead ---


@pytest.mark.parametrize("ahead", [365 * DAY, 2 * DAY, 3 * HOUR])
@pytest.mark.parametrize("acts", [1, 2])
def test_acts_by_a_clock_that_was_ahead_hold_the_account_no_longer_than_their_day(
    stage: Stage, ahead: int, acts: int
) -> None:
    campaign = stage.campaign(6, settings=limited(invitations_a_day=2, spacing_seconds=60))
    stage.clock.jump(ahead)
    while len(of_kind(stage, "invitation")) < acts:
        stage.run(campaign, stop_after=1)
    stage.clock.jump(-ahead)
    begun, corrected = stage.query("SELECT id, intended_at FROM actions"), stage.clock.now()
    stage.run(campaign)
    later = [at for id_, at in stage.query("SELECT id, intended_at FROM actions") if (id_, at) not in begun]
    assert len(later) == 6 - acts
    assert sum(at // DAY == corrected // DAY for at in later) == 2 - acts
    assert max(later) - corrected <= 4 * DAY
    with stage.database.read() as connection:
        counts = [
            actions.notes_since(connection, "practice", now - gates.NOTE_PERIOD, now)[0]
            for now in (stage.clock.now(), max(later) + gates.NOTE_PERIOD + DAY)
        ]
    assert counts == [6, 0]


@pytest.mark.parametrize("ahead", [5 * DAY, 3 * HOUR])
def test_what_the_user_sent_by_a_clock_that_was_ahead_holds_the_account_no_longer_either(
    stage: Stage, ahead: int
) -> None:
    it = desk(stage, people=1, limits=EVERY_DAY)
    stage.clock.jump(ahead)
    it.say(it.hand_over(), Word.SENT)
    it.leave()
    stage.clock.jump(-ahead)
    used = []
    for day in range(3):  # each begins with an entry by the right clock
        stage.commands().campaigns.edit(it.campaign, version=None, topic=f"Day {day}")
        with stage.database.read() as connection:
            now = stage.clock.now()
            midnight = local_midnight(now, stage.clock.offset)
            used.append(actions.usage(connection, LINKEDIN_ACCOUNT, ActionFamily.INVITE, now, midnight).today)
        stage.clock.jump(DAY)
    assert used == [1, 0, 0]
