"""When a time counts that was recorded by a clock that was ahead: by what the log says of how it was set back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.domain.events.events import Event
from backend.domain.gates.person import LeadOfPerson
from backend.domain.model.lead import Label, Lead
from backend.domain.model.reply_kind import PAUSE
from backend.store.log.journal import Journal
from backend.store.queries.campaign import corrected_times
from tests.domain.samples import lead as lead_row
from tests.store.opening import CAMPAIGN, started

NOW = 1_000_000


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = started(tmp_path / "outrider.db")
    yield journal
    journal.database.close()


def set_back(journal: Journal, at: int, was: int) -> None:
    event = Event("ClockSetBack", CAMPAIGN, {"clock_was": was})
    journal.record(CAMPAIGN, events=[event], actor="controller", cause="clock", at=at)


def counts(journal: Journal, lead: Lead) -> Lead:
    return journal.database.query(corrected_times.with_corrected_times, lead._replace(campaign_id=CAMPAIGN), NOW)


@pytest.mark.parametrize(
    ("corrections", "recorded", "counts_as"),
    [
        ([], NOW + 1, NOW),
        ([(NOW - 10, NOW + 90)], NOW, NOW),  # it does not lie ahead
        ([(NOW - 10, NOW + 90)], NOW + 90, NOW - 10),  # the moment at which it was set back
        ([(NOW - 10, NOW + 90)], NOW + 91, NOW),  # nobody knows by which clock
        ([(NOW - 10, NOW + 90)], NOW + 40, NOW - 60),
        ([(NOW - 10, NOW + 900), (NOW - 5, NOW + 90)], NOW + 90, NOW - 5),
        ([(NOW - 5, NOW + 90), (NOW - 10, NOW + 900)], NOW + 90, NOW - 5),
        ([(NOW - 20, NOW + 90), (NOW - 5, NOW + 900)], NOW + 90, NOW - 20),
        ([(NOW + 100, NOW + 900), (NOW - 5, NOW + 100)], NOW + 900, NOW - 5),  # it was still ahead when it was set back
        ([(NOW + 100, NOW + 900)], NOW + 900, NOW),
    ],
)
def test_a_time_that_lies_ahead_counts_as_much_earlier_as_the_clock_was_set_back_next(
    journal: Journal, corrections: list[tuple[int, int]], recorded: int, counts_as: int
) -> None:
    for at, was in corrections:
        set_back(journal, at, was)
    assert journal.database.query(corrected_times.corrected_time, CAMPAIGN, recorded, NOW) == counts_as
    assert journal.database.query(corrected_times.corrected_time, "camp-2", recorded, NOW) == min(recorded, NOW)


def test_every_time_of_a_lead_is_counted_from_or_has_a_reason() -> None:
    not_counted_from = {"thread_read_at": "then it was not read", "replied_at": "a reply counts whenever it came"}
    times = {name for name in {*Lead._fields, *LeadOfPerson._fields} if name.endswith("_at")}
    assert times - {*corrected_times.COUNTED_FROM} == not_counted_from.keys()


@pytest.mark.parametrize("name", corrected_times.WAITED_FROM)
def test_each_time_that_lies_ahead_counts_as_now_and_no_other(journal: Journal, name: str) -> None:
    times = dict.fromkeys(corrected_times.WAITED_FROM, NOW)
    for at, counts_as in ((NOW + 5, NOW), (NOW - 5, NOW - 5), (None, None)):
        recorded, counted = (dict[str, Any]({**times, name: time}) for time in (at, counts_as))
        assert counts(journal, lead_row()._replace(**recorded)) == lead_row()._replace(campaign_id=CAMPAIGN, **counted)


def test_a_send_of_a_persons_other_lead_that_began_ahead_counts_as_now(journal: Journal) -> None:
    for at, counts_as in ((NOW + 5, NOW), (NOW - 5, NOW - 5), (None, None)):
        lead = LeadOfPerson("lead-1", CAMPAIGN, "Talks", "Ada Berg", is_over=False, claim_days=60, act_at=at)
        counted = journal.database.query(corrected_times.with_corrected_times, lead, NOW)
        assert counted == lead._replace(act_at=counts_as)


def test_a_conversation_that_was_read_later_than_now_was_not_read(journal: Journal) -> None:
    lead = lead_row()
    assert counts(journal, lead._replace(thread_read_at=NOW + 1)).thread_read_at is None
    assert counts(journal, lead._replace(thread_read_at=NOW)).thread_read_at == NOW


@pytest.mark.parametrize("contacted", [{"invited_at": 1}, {"last_sent_at": 1}])
def test_an_automatic_answer_puts_off_from_when_it_came(journal: Journal, contacted: dict[str, Any]) -> None:
    set_back(journal, NOW - 10, NOW + 90)
    lead = lead_row()._replace(paused_until=NOW + 90 + PAUSE, **contacted)
    assert counts(journal, lead).paused_until == NOW - 10 + PAUSE
    by_user = lead._replace(label=Label.LATER)
    assert counts(journal, by_user).paused_until == by_user.paused_until
    assert counts(journal, lead_row()._replace(paused_until=NOW + 90 + PAUSE)).paused_until == NOW + 90 + PAUSE
    assert counts(journal, lead._replace(paused_until=NOW + PAUSE)).paused_until == NOW + PAUSE
    other = LeadOfPerson("lead-1", CAMPAIGN, "Talks", "Ada Berg", is_over=False, claim_days=60, **contacted)
    other = other._replace(paused_until=NOW + 90 + PAUSE)
    counted = journal.database.query(corrected_times.with_corrected_times, other, NOW)
    assert counted.paused_until == NOW - 10 + PAUSE


def test_the_latest_entry_is_asked_of_those_behind_one(journal: Journal) -> None:
    for at in (NOW, NOW + 9, NOW + 3):
        set_back(journal, at, 0)
    (end,) = journal.database.query(lambda connection: connection.execute("SELECT max(seq) FROM event_log").fetchone())
    for after, latest in ((0, None), (end - 3, NOW + 9), (end - 2, NOW + 9), (end - 1, NOW + 3), (end, 0)):
        entry = journal.database.query(corrected_times.latest_entry_time, CAMPAIGN, after)
        assert entry == latest or (latest is None and entry > NOW), after
