"""A person across campaigns: with which one they are, what is known of them, and why another one leaves them alone."""

from itertools import permutations
from typing import Any

import pytest

from backend.domain.gates import gates
from backend.domain.gates.person import (
    IN_TOUCH_ELSEWHERE,
    MOVED_HERE,
    TAKEN_OVER,
    Contact,
    LeadOfPerson,
    Person,
    known,
    label_of,
    with_campaign,
)
from backend.domain.model.campaign import DAY, Limits
from backend.domain.model.days import in_utc
from backend.domain.model.lead import Label
from backend.domain.model.site import Relation
from backend.domain.model.task import ActionFamily
from backend.domain.people.past_contact import ANSWERED
from tests.domain.samples import NOON
from tests.domain.samples import lead as lead_row

LONG_AGO = NOON - 100 * DAY
WAITING = ("outcome_unknown", "not_on_record", "in_doubt", "in_touch_elsewhere")
"""Blocks after which the sequence goes on."""


def place(name: str, **changes: Any) -> LeadOfPerson:
    """The person's lead in the campaign of that name."""
    return LeadOfPerson(f"L-{name}", f"C-{name}", name, "Ada Berg", False, 60)._replace(**changes)


def refusal(here: LeadOfPerson, *others: LeadOfPerson, now: int = NOON) -> gates.Refusal | None:
    return gates.contact_refusal(Person(here, others), now, in_utc)


def test_nobody_is_with_a_campaign_that_only_has_them_in_its_list() -> None:
    assert Person(place("here"), (place("there"),)).claim(NOON) is None
    assert refusal(place("here"), place("there")) is None


@pytest.mark.parametrize(
    "there",
    [
        {"claimed_at": NOON - DAY},  # approved, nothing sent yet
        {"claimed_at": LONG_AGO},  # a sequence of long waits still runs
        {"claimed_at": NOON - 9 * DAY, "invited_at": NOON - 9 * DAY, "finished": "invited"},
        {"invited_at": NOON - 59 * DAY, "finished": "no reply"},  # from before claims were recorded
        {"claimed_at": LONG_AGO, "last_sent_at": NOON - DAY, "is_over": True},  # completed, archived or deleted
        *({"claimed_at": LONG_AGO, "last_sent_at": LONG_AGO, "blocked": blocked} for blocked in WAITING),
        {"blocked": "not_on_record"},  # the user is asked, or has said to stop
        {"blocked": "not_on_record", "is_over": True},
        {"claimed_at": LONG_AGO, "act_at": NOON - DAY, "blocked": "skipped"},  # nobody knows whether it was sent
        {"claimed_at": LONG_AGO, "act_at": NOON - DAY, "is_over": True},
    ],
)
def test_another_campaign_leaves_alone_whom_one_is_in_touch_with(there: dict[str, Any]) -> None:
    verdict = refusal(place("here"), place("there", **there))
    assert verdict is not None
    assert verdict.code == "not_in_touch_elsewhere"
    assert "there" in verdict.sentence
    assert "there" not in verdict.recorded, "models, programs and the log are told the bare fact"


def test_whom_the_user_lets_one_campaign_write_to_anyway_waits_for_no_decision_in_another() -> None:
    assert refusal(place("here", contact_anyway="yes"), place("there", blocked="not_on_record")) is None


@pytest.mark.parametrize(
    "there",
    [
        {"claimed_at": NOON - DAY, "blocked": "skipped"},  # nothing was sent
        {"claimed_at": NOON - DAY, "blocked": "moved"},
        {"claimed_at": NOON - DAY, "is_over": True},
        {"claimed_at": LONG_AGO, "last_sent_at": NOON - 60 * DAY, "finished": "no reply"},
        {"claimed_at": LONG_AGO, "last_sent_at": NOON - 8 * DAY, "finished": "no reply", "claim_days": 7},
    ],
)
def test_a_person_is_free_when_nothing_was_sent_or_long_enough_ago(there: dict[str, Any]) -> None:
    assert refusal(place("here"), place("there", **there)) is None


def test_it_says_when_they_will_be_free() -> None:
    there = place("there", claimed_at=LONG_AGO, last_sent_at=NOON - 10 * DAY, finished="no reply")
    verdict = refusal(place("here"), there)
    assert verdict is not None
    assert verdict.until == NOON + 50 * DAY
    assert refusal(place("here"), there, now=NOON + 50 * DAY) is None
    running = refusal(place("here"), place("there", claimed_at=NOON))
    assert running is not None
    assert running.until is None


def test_of_two_campaigns_the_first_keeps_them_whatever_the_order() -> None:
    first, second = place("b", claimed_at=NOON - DAY), place("a", claimed_at=NOON)
    together = (first, second, place("c"))
    for me, *others in permutations(together):
        holder = Person(me, tuple(others)).claim(NOON)
        assert holder == first
    assert refusal(first, second) is None
    assert refusal(second, first) is not None


def test_at_the_same_moment_the_lower_id_decides_on_every_device() -> None:
    first, other = place("a", claimed_at=NOON), place("b", claimed_at=NOON)
    assert refusal(first, other) is None
    assert refusal(other, first) is not None


def test_the_user_may_let_a_campaign_write_anyway() -> None:
    there = place("there", claimed_at=NOON - DAY)
    assert refusal(place("here", contact_anyway="they asked for it"), there) is None


def test_whom_another_file_knows_from_before_is_left_alone_until_the_user_says_otherwise() -> None:
    there = place("there", blocked="written_to_before")
    assert refusal(place("here"), there) is not None
    assert refusal(place("here", contact_anyway="a new matter"), there) is None


def test_the_same_person_twice_in_one_campaign_is_written_to_once() -> None:
    there = place("here", claimed_at=NOON - DAY)._replace(lead_id="L-other", full_name="A. Berg")
    verdict = refusal(place("here"), there)
    assert verdict is not None
    assert "In this campaign already, as A. Berg" in verdict.sentence


def twins() -> tuple[LeadOfPerson, LeadOfPerson]:
    first = place("here")._replace(lead_id="L-a", full_name="A. Berg")
    return first, first._replace(lead_id="L-b", full_name="Anna Berg")


def test_the_same_person_twice_in_one_campaign_is_drafted_once_before_anything_is_claimed() -> None:
    first, second = twins()
    assert refusal(first, second) is None
    elsewhere = place("there", claimed_at=LONG_AGO, last_sent_at=NOON - DAY, finished="no reply")
    for others in ((first,), (first, elsewhere)):
        verdict = refusal(second, *others)
        assert verdict is not None
        assert (verdict.sentence, verdict.until) == ("In this campaign already, as A. Berg.", None)


@pytest.mark.parametrize("closed", [{"finished": "skipped"}, {"blocked": "no_profile_url"}, {"is_over": True}])
def test_the_second_lead_of_a_person_takes_its_turn_once_the_first_cannot_write(closed: dict[str, Any]) -> None:
    first, second = twins()
    assert refusal(second, first._replace(**closed)) is None


def test_of_two_leads_in_one_campaign_the_one_goes_on_that_the_user_let_write() -> None:
    there = place("there", claimed_at=NOON - DAY)
    first, second = twins()
    for let_write, other in (
        (first._replace(contact_anyway="asked"), second),
        (second._replace(contact_anyway="asked"), first),
    ):
        assert refusal(let_write, other, there) is None
        assert refusal(other, let_write, there) is not None


def test_a_campaign_never_writes_to_somebody_a_second_time_as_another_lead() -> None:
    first = place("here", claimed_at=LONG_AGO, last_sent_at=LONG_AGO, finished="no reply")._replace(lead_id="L-first")
    for wrote in (first, first._replace(contact_anyway="she asked")):
        for planned in (place("here"), place("here", claimed_at=LONG_AGO - DAY)):
            assert refusal(planned, wrote) is not None
        assert refusal(wrote, place("here")) is None


def test_whom_the_user_let_write_beside_another_campaign_does_not_keep_them_from_it() -> None:
    holder = place("first", claimed_at=NOON)
    let_write = place("second", claimed_at=NOON - DAY, last_sent_at=NOON - DAY, contact_anyway="she asked")
    for me, other in permutations((holder, let_write)):
        assert Person(me, (other,)).claim(NOON) == holder


@pytest.mark.parametrize(
    ("here", "is_left_alone"),
    [
        ({}, True),
        ({"claimed_at": NOON - DAY}, True),  # what becomes known before the first message counts
        ({"claimed_at": NOON - DAY, "last_sent_at": NOON - DAY}, False),
        ({"claimed_at": NOON - DAY, "last_sent_at": NOON - DAY, "blocked": IN_TOUCH_ELSEWHERE}, True),
        ({"claimed_at": NOON - DAY, "contact_anyway": "a new matter"}, False),
    ],
)
def test_what_a_file_says_of_earlier_contact_counts_until_the_campaign_has_begun(
    here: dict[str, Any], is_left_alone: bool
) -> None:
    there = place("there", blocked="written_to_before")
    assert (Person(place("here", **here), (there,)).known_from_before is not None) is is_left_alone


def test_the_file_of_a_lead_that_the_user_let_write_keeps_no_other_from_writing() -> None:
    there = place("there", blocked="written_to_before", contact_anyway="a new matter")
    assert refusal(place("here"), there) is None


@pytest.mark.parametrize(
    ("blocked", "words", "past"),
    [("", "", ""), (ANSWERED, "invited 2026-05-02", ANSWERED), ("skipped", "they wrote 2026-05-02", ANSWERED)],
)
def test_earlier_contact_is_what_a_lead_is_blocked_by_or_else_what_its_files_say(
    blocked: str, words: str, past: str
) -> None:
    assert place("here", blocked=blocked, past_words=words).past == past


@pytest.mark.parametrize(
    ("here", "is_second"),
    [
        ({}, True),
        ({"claimed_at": LONG_AGO + DAY}, True),  # planned while the deleted campaign kept them
        ({"claimed_at": LONG_AGO + 60 * DAY - 1}, True),
        ({"claimed_at": LONG_AGO + 60 * DAY}, False),
        ({"claimed_at": LONG_AGO + DAY, "invited_at": LONG_AGO + DAY}, False),
        ({"contact_anyway": "she asked"}, False),
        ({"claimed_at": LONG_AGO + DAY, "contact_anyway": "she asked"}, False),
    ],
)
def test_a_contact_by_a_deleted_campaign_counts_until_its_claim_would_be_over(
    here: dict[str, Any], is_second: bool
) -> None:
    assert Person(place("here", **here), (), LONG_AGO).is_contacted_before is is_second
    assert not Person(place("here", **here)).is_contacted_before


def test_of_several_campaigns_that_may_write_the_one_is_named_that_they_were_moved_to() -> None:
    left, third = place("left", blocked=TAKEN_OVER), place("third", contact_anyway="she asked")
    moved = place("new", contact_anyway=MOVED_HERE)
    assert Person(left, (third, moved)).moved_to == moved
    assert Person(moved, (third, left)).moved_from == left
    assert Person(third, (left, moved)).moved_to is Person(third, (left, moved)).moved_from is None


@pytest.mark.parametrize("seen", [{"relation": Relation.CONNECTED}, {"connected_on": "2026-05-01"}])
def test_whoever_is_connected_by_one_lead_is_by_all(seen: dict[str, Any]) -> None:
    here, there = place("here"), place("there")
    assert Person(here._replace(**seen), (there,)).is_connected
    assert Person(here, (there._replace(**seen),)).is_connected
    assert not Person(here, (there,)).is_connected


def test_a_no_counts_before_whatever_else_the_user_says_came_of_it() -> None:
    here, there = place("here", label=Label.INTERESTED), place("there", label=Label.NO)
    for me, other in permutations((here, there)):
        assert label_of(Person(me, (other,))) == Label.NO
    assert label_of(Person(place("third"), (here,))) == Label.INTERESTED
    assert label_of(Person(place("third"))) == label_of(None) == ""


def test_a_reply_or_a_no_counts_in_every_campaign() -> None:
    here = place("here")
    assert gates.reply_refusal(Person(here, (place("there", replied_at=NOON),))) is not None
    for label in (Label.NO, Label.WRONG_PERSON):
        verdict = gates.reply_refusal(Person(here, (place("there", label=label, replied_at=NOON),)))
        assert verdict is not None
        assert verdict.code == "not_replied"
    assert gates.reply_refusal(Person(here, (place("there", invited_at=NOON),))) is None


def test_switching_stop_on_reply_off_concerns_only_the_own_reply() -> None:
    facts = gates.LeadFacts(replied=True, stop_on_reply=False)
    account = gates.AccountFacts(NOON, in_utc, ActionFamily.MESSAGE, "active", Limits())

    def answer(person: Person | None) -> bool:
        asked = gates.check_gates(account, facts._replace(person=person))
        return next(line.verdict for line in asked if line.code == "not_replied") == gates.PASS

    here = place("here", replied_at=NOON)
    assert answer(None)
    assert answer(Person(here, (place("there"),)))
    assert not answer(Person(here, (place("there", replied_at=NOON),)))
    assert not answer(Person(here._replace(label=Label.NO), (place("there"),)))


def test_what_one_campaign_saw_of_the_relation_holds_in_all() -> None:
    own_lead = lead_row()
    invited = place("there", relation=Relation.PENDING, invited_at=LONG_AGO)
    connected = place("third", relation=Relation.CONNECTED, accepted_at=NOON)
    assert known(own_lead, [place("there")]) is own_lead
    assert known(own_lead, [invited]).relation is Relation.PENDING
    assert known(own_lead, [invited]).invited_at == LONG_AGO
    for others in permutations([invited, connected]):
        assert known(own_lead, others).relation is Relation.CONNECTED
        assert known(own_lead, others).accepted_at == NOON


def test_whoever_is_put_off_by_several_leads_is_left_in_peace_until_the_last_date() -> None:
    for here, there in ((NOON, NOON + DAY), (NOON + DAY, NOON), (NOON + DAY, None), (None, NOON + DAY)):
        others = [place("there", paused_until=there, finished="no reply"), place("third")]
        assert known(lead_row()._replace(paused_until=here), others).paused_until == NOON + DAY


def test_of_two_withdrawals_the_later_one_counts_whichever_campaigns_it_was() -> None:
    early: dict[str, Any] = {"invited_at": LONG_AGO, "withdrawn_at": LONG_AGO + 20 * DAY}
    late: dict[str, Any] = {"invited_at": LONG_AGO + 50 * DAY, "withdrawn_at": LONG_AGO + 80 * DAY}
    for here, there in permutations((early, late)):
        seen = known(
            lead_row()._replace(relation=Relation.NONE, visited_at=here["withdrawn_at"], **here),
            [place("there", relation=Relation.PENDING, **there)],
        )
        assert (seen.relation, seen.withdrawn_at) == (Relation.NONE, late["withdrawn_at"])


def test_what_a_campaign_saw_itself_counts_before_what_another_one_saw_or_a_file_says() -> None:
    visited = lead_row()._replace(relation=Relation.NONE, visited_at=NOON)
    connected_by_file = place("there", connected_on="2026-05-01")
    assert known(visited, [connected_by_file]).relation is Relation.NONE
    assert known(visited._replace(visited_at=None), [connected_by_file]).relation is Relation.CONNECTED
    for invited_at, relation in ((NOON - 1, Relation.NONE), (NOON, Relation.PENDING), (NOON + 1, Relation.PENDING)):
        invited = place("there", relation=Relation.PENDING, invited_at=invited_at)
        assert known(visited, [invited]).relation is relation, invited_at
    own = visited._replace(relation=Relation.PENDING, invited_at=LONG_AGO, accepted_at=NOON)
    assert known(own, [place("there", relation=Relation.PENDING, invited_at=NOON)]).invited_at == LONG_AGO
    accepted = place("there", relation=Relation.CONNECTED, accepted_at=LONG_AGO)
    assert known(own, [accepted]).accepted_at == LONG_AGO


@pytest.mark.parametrize(
    ("seen", "relation"),
    [
        ({"invited_at": NOON - 1}, Relation.NONE),
        ({"invited_at": NOON}, Relation.NONE),
        ({"invited_at": NOON + 1}, Relation.PENDING),
        ({"invited_at": NOON - 1, "visited_at": NOON + 1}, Relation.NONE),
        ({"invited_at": None, "visited_at": NOON}, Relation.NONE),  # seen waiting right before it was taken back
        ({"invited_at": None, "visited_at": NOON + 1}, Relation.PENDING),  # by hand, since
    ],
)
def test_an_invitation_that_another_campaign_took_back_waits_no_longer(
    seen: dict[str, Any], relation: Relation
) -> None:
    here = lead_row()._replace(relation=Relation.PENDING, **seen)
    assert known(here, [place("there", withdrawn_at=NOON)]).relation is relation


@pytest.mark.parametrize("there", [{"replied_at": NOON}, {"label": Label.NO}])
def test_whoever_answered_or_refused_in_another_campaign_has_answered(there: dict[str, Any]) -> None:
    assert known(lead_row(), [place("there", **there)]).answered_elsewhere


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("others_end", ["", "no reply"], ids=["still runs", "is over"])
def test_a_campaign_opened_again_after_its_claim_was_over_does_not_take_them_back(others_end: str, swap: bool) -> None:
    """It lay in the archive when the other one, which was free to, began to write to them."""
    opened_again = place("first", claimed_at=LONG_AGO, invited_at=LONG_AGO)
    later = place("second", claimed_at=NOON - DAY, last_sent_at=NOON - DAY, finished=others_end)
    leads = (later, opened_again) if swap else (opened_again, later)
    assert Person(leads[0], leads[1:]).claim(NOON) == later
    assert Person(leads[0], leads[1:]).claim(NOON + 60 * DAY) == (opened_again if others_end else later)


def test_a_campaign_that_the_user_let_write_before_the_end_of_a_claim_takes_nobody_over() -> None:
    holder = place("first", claimed_at=LONG_AGO, invited_at=LONG_AGO)
    other = place("second", claimed_at=NOON - DAY, last_sent_at=NOON - DAY, contact_anyway="she asked")
    assert Person(holder, (other,)).claim(NOON) == holder


def test_a_campaign_that_claimed_them_early_and_wrote_after_the_claim_keeps_them() -> None:
    """An approval was given while the user let it write, and taken back: what counts is when it wrote."""
    reopened = place("first", claimed_at=LONG_AGO, invited_at=LONG_AGO)
    other = place("second", claimed_at=LONG_AGO + 5 * DAY, last_sent_at=NOON - DAY)
    assert Person(reopened, (other,)).claim(NOON) == other


def test_a_campaign_may_begin_the_moment_a_claim_is_over() -> None:
    holder = place("first", claimed_at=LONG_AGO, invited_at=LONG_AGO)
    at = LONG_AGO + 60 * DAY
    other = place("second", claimed_at=at, last_sent_at=at)
    assert Person(holder, (other,)).claim(NOON) == other


def test_a_campaign_that_keeps_nobody_afterwards_keeps_them_while_its_sequence_runs() -> None:
    """They were invited by hand before it claimed them."""
    holder = place("first", claimed_at=NOON, invited_at=NOON - DAY, claim_days=0)
    assert Person(holder, (place("second"),)).claim(NOON) == holder


def test_a_campaign_that_wrote_too_early_takes_nobody_over() -> None:
    """Two devices that had not heard of each other: the first one keeps them."""
    first = place("first", claimed_at=NOON - 61 * DAY, last_sent_at=NOON - 59 * DAY)
    assert Person(first, (place("second", claimed_at=NOON, last_sent_at=NOON),)).claim(NOON) == first


def test_what_was_sent_before_claims_existed_says_who_was_first() -> None:
    first = place("b", claimed_at=NOON - DAY, invited_at=NOON - 5 * DAY)
    second = place("a", claimed_at=NOON - 3 * DAY, last_sent_at=NOON - 3 * DAY)
    for me, other in permutations((first, second)):
        assert Person(me, (other,)).claim(NOON) == first


def test_it_is_told_with_whom_they_are_since_when_and_how_far_that_came() -> None:
    there = place("Water founders", claimed_at=NOON - DAY, invited_at=NOON - DAY)
    assert there.contact is Contact.INVITED
    assert with_campaign(there, place("here"), in_utc) == "With “Water founders” since 31 May: invited."
