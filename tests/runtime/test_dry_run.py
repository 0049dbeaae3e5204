"""A dry run says what a real run then does, writes nothing, and keeps every limit."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from backend.domain.events.events import Event
from backend.domain.model.campaign import DAY, Limits, Settings
from backend.domain.model.days import local_day, local_time
from backend.domain.model.sequence import DEFAULT_SEQUENCE, Sequence
from backend.domain.turn.assumption import Assumption
from backend.domain.values.errors import OutriderError
from backend.runtime.run.dry_run import Forecast, dry_run
from backend.store.queries.contact.actions import SentAct
from tests.fakes.by_hand import by_hand, run_by_hand
from tests.fakes.campaign import MESSAGE_ONLY, Stage
from tests.fakes.send_desk import MESSAGES, desk

NOBODY = Assumption()
FEW_A_DAY = Settings(limits=Limits(ramp_days=5, invitations_a_day=3))
WEEKDAYS = Limits(ramp_days=5, invitations_a_day=3)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    made = Stage(tmp_path, people=400)
    yield made
    made.close()


def forecast(stage: Stage, campaign: str, days: int, assumed: Assumption = NOBODY) -> Forecast:
    return dry_run(stage.database, campaign, stage.clock, days, assumed)


def sent_until(stage: Stage, campaign: str, end: int) -> list[SentAct]:
    rows = stage.query(
        "SELECT a.intended_at, m.kind, m.step, l.id, l.full_name FROM actions a JOIN messages m ON m.id = a.message_id"
        " JOIN leads l ON l.id = a.lead_id WHERE a.campaign_id=? AND a.status='sent' AND a.intended_at<?"
        " ORDER BY a.intended_at, a.id",
        campaign,
        end,
    )
    return [SentAct(*row) for row in rows]


@pytest.fixture
def silent(stage: Stage) -> str:
    """A campaign with people of whom none ever accepts, some a day."""
    cards = [card for card in stage.cards(400) if stage.behaviour(card.slug).accepts == "never"][:8]
    stage.cards = lambda count, *, skip=0: cards[skip : skip + count]  # type: ignore[method-assign]
    return stage.campaign(8, settings=FEW_A_DAY)


def test_with_nobody_answering_a_real_run_does_exactly_what_was_said(stage: Stage, silent: str) -> None:
    predicted = forecast(stage, silent, 40)
    assert len(predicted.acts) == 8
    assert len({act.at for act in predicted.acts}) == 8
    assert stage.received() == []
    stage.run(silent)
    assert list(predicted.acts) == sent_until(stage, silent, predicted.until)
    assert predicted.ends_at == stage.clock.now()
    assert predicted.finished == {"not accepted": 8}


def test_what_lies_beyond_the_days_is_not_said(stage: Stage, silent: str) -> None:
    whole, part = forecast(stage, silent, 40), forecast(stage, silent, 2)
    assert part.acts == tuple(act for act in whole.acts if act.at < part.until)
    assert 0 < len(part.acts) < 8
    assert part.ends_at is None


def test_nothing_is_written_not_a_byte(stage: Stage, silent: str) -> None:
    stage.database.checkpoint()

    def files() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in stage.path.parent.iterdir() if path.suffix != ".db-shm"}

    before, head = files(), stage.head(silent)
    forecast(stage, silent, 10, Assumption(0.5, 0.5, "x"))
    assert files() == before
    assert stage.head(silent) == head
    assert stage.status(silent) == "initializing"


def test_every_day_keeps_limit_ramp_and_hours(stage: Stage) -> None:
    campaign = stage.campaign(60, settings=FEW_A_DAY)
    predicted = forecast(stage, campaign, 14)
    by_day = Counter((act.at + predicted.offset_at(act.at)) // DAY for act in predicted.acts)
    assert list(by_day.values())[:3] == [1, 2, 2]
    assert max(by_day.values()) == 3
    assert all(9 * 60 <= (act.at + predicted.offset_at(act.at)) % DAY // 60_000 < 18 * 60 for act in predicted.acts)
    assert all((day + 3) % 7 < 5 for day in by_day)


def test_stated_rates_answer_the_same_people_for_the_same_seed(stage: Stage) -> None:
    campaign = stage.campaign(20, settings=Settings(limits=Limits(ramp_days=0, spacing_seconds=0)))
    once, again = (forecast(stage, campaign, 60, Assumption(0.5, 0.5, "seed")) for _ in range(2))
    assert [replace(act, lead_id="") for act in once.acts] == [replace(act, lead_id="") for act in again.acts]
    assert once.finished["replied"] > 0
    assert once.finished["not accepted"] > 0
    all_accept = forecast(stage, campaign, 60, Assumption(accept=1.0))
    assert Counter(act.kind for act in all_accept.acts) == {"invitation": 20, "message": 40}
    assert all_accept.finished == {"no reply": 20}


def test_a_campaign_in_the_middle_goes_on_from_where_it_stands(stage: Stage) -> None:
    campaign = stage.campaign(4, settings=Settings(limits=Limits(ramp_days=0, spacing_seconds=0)), connected=True)
    stage.run(campaign, stop_after=30)
    assert stage.one("SELECT count(*) FROM messages WHERE status='sent'") > 0
    predicted = forecast(stage, campaign, 30)
    assert "blocked" not in predicted.open  # what was sent before stands in each conversation, as it is on record


def test_where_the_user_sends_they_are_taken_to_do_so_within_the_same_limits(stage: Stage) -> None:
    campaign = by_hand(stage, people=8, limits=WEEKDAYS)
    predicted = forecast(stage, campaign, 40)
    assert Counter(act.kind for act in predicted.acts) == {"invitation": 8}
    by_day = Counter((act.at + predicted.offset_at(act.at)) // DAY for act in predicted.acts)
    assert list(by_day.values()) == [1, 2, 2, 3]
    assert predicted.finished == {"not accepted": 8}
    assert all(9 * 60 <= (act.at + predicted.offset_at(act.at)) % DAY // 60_000 < 18 * 60 for act in predicted.acts)
    all_accept = forecast(stage, campaign, 60, Assumption(accept=1.0, reply=1.0))
    assert all_accept.finished == {"replied": 8}
    assert stage.query("SELECT count(*) FROM actions") == [(0,)]


def test_where_the_user_sends_a_later_text_is_written_on_its_day_though_nobody_waits_until_then(stage: Stage) -> None:
    predicted = forecast(stage, by_hand(stage, MESSAGES, connected_on="2024-01-01"), 14)
    assert Counter(act.step for act in predicted.acts) == {"hello": 3, "again": 3}
    assert predicted.finished == {"no reply": 3}


def test_whoever_was_invited_or_written_to_is_said_to_wait_for_that(stage: Stage) -> None:
    campaign = by_hand(stage, people=8, limits=WEEKDAYS)
    assert forecast(stage, campaign, 9).open == {"acceptance": 8}
    accepted = forecast(stage, campaign, 9, Assumption(accept=1.0)).open
    assert accepted["reply"] > 0
    assert "look" not in accepted


def test_whoever_would_be_one_note_too_many_is_said_to_wait_for_a_note(stage: Stage) -> None:
    campaign = by_hand(stage, people=8, limits=WEEKDAYS.model_copy(update={"notes_a_month": 2}))
    open_steps = forecast(stage, campaign, 9).open
    assert open_steps["acceptance"] == 2
    assert open_steps["note"] > 0
    assert "invite" not in open_steps


@pytest.mark.parametrize("days", [1, 9])
def test_the_end_of_the_days_is_not_said_to_hold_the_campaign(stage: Stage, days: int) -> None:
    assert forecast(stage, by_hand(stage, people=8, limits=WEEKDAYS), days).hold_reasons == ()
    assert forecast(stage, stage.campaign(8, settings=FEW_A_DAY), days).hold_reasons == ()


def test_what_keeps_everything_from_going_on_is_said(stage: Stage, silent: str) -> None:
    account = stage.one("SELECT account FROM campaigns")
    opened = {"account": account, "kind": "unusual_activity", "said": "Restricted.", "status": "open", "opened_at": 1}
    stage.note_elsewhere(silent, Event("IncidentOpened", "incident", opened))
    predicted = forecast(stage, silent, 9)
    assert predicted.acts == ()
    assert "“Restricted”" in predicted.hold_reasons[0]


@pytest.mark.parametrize("days", [1, 9, 40])
@pytest.mark.parametrize("begun", [False, True])
def test_everybody_is_accounted_for(stage: Stage, days: int, begun: bool) -> None:
    campaign = by_hand(stage, people=8, limits=WEEKDAYS)
    url = stage.one("SELECT profile_url FROM leads ORDER BY id LIMIT 1")
    other = {"full_name": "Zed Quill", "profile_url": url, "member_key": f"{url}#zed quill", "position": 9}
    stage.note_elsewhere(campaign, Event("LeadImported", "other", other))
    if begun:
        run_by_hand(stage, campaign)
    leads = [lead for (lead,) in stage.query("SELECT id FROM leads WHERE id<>'other' ORDER BY id DESC")]
    stage.commands().leads.do_not_contact(campaign, leads[0], "asked")
    stage.commands().lead_groups.skip(campaign, leads[1:2])
    predicted = forecast(stage, campaign, days)
    assert predicted.left_out == {"do_not_contact": 1, "in_doubt": 2, "skipped": 1}
    tallies = [predicted.finished, predicted.open, predicted.left_out]
    assert sum(sum(counts.values()) for counts in tallies) + predicted.unplanned == len(leads) + 1


@pytest.mark.parametrize("in_doubt", [False, True])
@pytest.mark.parametrize("sequence", [DEFAULT_SEQUENCE, MESSAGES], ids=["invitation", "message"])
def test_what_the_user_has_in_hand_is_taken_as_sent(stage: Stage, sequence: Sequence, in_doubt: bool) -> None:
    it = desk(stage, sequence, limits=WEEKDAYS)
    lead = it.hand_over(no_reply=sequence is MESSAGES)
    if in_doubt:
        url = it.lead(lead, "profile_url")
        other = {"full_name": "Zed Quill", "profile_url": url, "member_key": f"{url}#zed quill", "position": 9}
        stage.note_elsewhere(it.campaign, Event("LeadImported", "other", other))
    predicted = forecast(stage, it.campaign, 9)
    kind = "message" if sequence is MESSAGES else "invitation"
    assert [act.kind for act in predicted.acts if act.lead_id == lead][:1] == [kind]


def test_a_draft_to_somebody_who_is_asked_about_since_does_not_keep_a_forecast_from_ending(stage: Stage) -> None:
    campaign = stage.campaign(3, settings=MESSAGE_ONLY, connected=True)
    stage.run(campaign, on_drafts=lambda *_: False, stop_after=12)
    lead, url = stage.query("SELECT id, profile_url FROM leads WHERE id IN (SELECT lead_id FROM messages) LIMIT 1")[0]
    other = {"full_name": "Zed Quill", "profile_url": url, "member_key": f"{url}#zed quill", "position": 9}
    stage.note_elsewhere(campaign, Event("LeadImported", "other", other))
    predicted = forecast(stage, campaign, 20)
    assert lead not in {act.lead_id for act in predicted.acts}
    assert len({act.lead_id for act in predicted.acts}) == 2


def test_a_campaign_that_is_over_has_no_days_ahead(stage: Stage, silent: str) -> None:
    stage.run(silent)
    with pytest.raises(OutriderError) as refused:
        forecast(stage, silent, 3)
    assert refused.value.code == "campaign_not_active"


@pytest.mark.parametrize("change", [-60, -30, 30, 60, 24 * 60])
@pytest.mark.parametrize("minute", [1, 23 * 60 + 59])
def test_as_many_days_later_by_the_clock_is_the_end_whatever_change_lies_between(
    stage: Stage, silent: str, minute: int, change: int
) -> None:
    """Every act is on a day that is named, half an hour and a skipped day included."""
    began = stage.clock.now() // DAY * DAY + minute * 60_000
    changed_at = began + 36 * 60 * 60_000
    stage.clock.time = began
    stage.clock.offset = lambda now: (change if now >= changed_at else 0) * 60_000  # type: ignore[method-assign]
    predicted = forecast(stage, silent, 4)
    assert local_time(predicted.until, predicted.offset_at) == began + 4 * DAY
    days = {local_day(act.at, predicted.offset_at) - began // DAY for act in predicted.acts}
    assert days <= set(range(5))
