"""An act or a look that becomes known late sets back nothing of a lead that came after it."""

from collections.abc import Mapping

import pytest

from backend.domain.events.events import EVENT_KINDS, Verb
from backend.domain.events.facts import FACTS
from backend.domain.events.late_news import COLUMNS, outdated, with_later_record
from backend.domain.values.canonical_json import Json
from tests.domain import samples

DAY = 86_400_000
AT = samples.NOON

EARLIER_AND_LATER: Mapping[str, tuple[Json, Json]] = {
    **dict.fromkeys(
        (
            "invited_at", "last_sent_at", "replied_at", "visited_at", "thread_read_at", "withdrawn_at", "paused_until",
            "profile_updated_at",
        ),
        (AT, AT + DAY),
    ),
    "accepted_at": (AT + DAY, AT),
    "claimed_at": (AT + DAY, AT),
    "sequence_step": (1, 2),
    "status": ("contacted", "responded"),
    "answers": ('["yes"]', '["yes","no"]'),
}  # fmt: skip
"""What is told late, and what is on record: of the times of what comes once, the first stands."""
SEEN = {
    "relation": ("visited_at", "invited_at", "accepted_at", "thread_read_at", "withdrawn_at"),
    "headline": ("profile_updated_at",),
}
"""What a look or an act shows, and each time by which it is known when there was one."""

BY_THE_USER = frozenset({
    "ImportUndone", "LeadMerged", "MergeUndone", "LeadContactAllowed", "LeadPrioritised", "LeadLabelled", "LeadSnoozed",
    "RepliesRead", "LeadNoted", "GreetingChosen", "LeadTagged",
})  # fmt: skip
"""What only the user decides is reapplied as a decision, or is a conflict."""
ENDS = frozenset({"finished", "blocked"})
"""What `takes_up_again` decides."""
COMPUTED = frozenset({"weight_score"})
"""What is computed again."""


def test_every_column_by_which_a_lead_goes_on_has_a_rule() -> None:
    facts = (FACTS[kind] for kind, of in EVENT_KINDS.items() if of.entity == "lead" and of.verb is Verb.CHANGES)
    columns = {name for fact in facts if fact.__name__ not in BY_THE_USER for name in fact.columns}
    assert columns - ENDS - COMPUTED == COLUMNS == EARLIER_AND_LATER.keys() | SEEN.keys()


@pytest.mark.parametrize("name", EARLIER_AND_LATER)
def test_what_came_later_stands_in_whatever_order_it_becomes_known(name: str) -> None:
    earlier, later = EARLIER_AND_LATER[name]
    assert outdated({name: earlier}, {name: later}, AT) == {name}
    assert outdated({name: later}, {name: earlier}, AT) == set()
    for other in (earlier, None):
        assert outdated({name: earlier}, {name: other}, AT) == set()


@pytest.mark.parametrize(("name", "seen_at"), [(name, time) for name, times in SEEN.items() for time in times])
def test_a_look_stands_until_the_next_one(name: str, seen_at: str) -> None:
    news: dict[str, Json] = {name: "as it was seen"}
    assert outdated(news, {name: "otherwise", seen_at: AT + 1}, AT) == {name}
    assert outdated(news, {name: "otherwise", seen_at: AT}, AT) == set()
    assert outdated(news, {name: "as it was seen", seen_at: AT + 1}, AT) == set()


def test_as_many_answers_stand_against_none() -> None:
    assert outdated({"answers": '["no"]'}, {"answers": '["yes"]'}, AT) == set()


def test_what_is_recorded_late_has_what_came_after_it() -> None:
    lead = samples.lead(invited_at=AT + DAY, last_sent_at=AT - DAY)
    news = with_later_record({"invited_at": AT, "last_sent_at": AT, "sequence_step": 3}, lead, AT + 2 * DAY)
    assert news == {"invited_at": AT + DAY, "last_sent_at": AT, "sequence_step": 3}
