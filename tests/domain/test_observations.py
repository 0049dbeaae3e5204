"""What a look changes: what is known already is no news, and what came first is never overwritten."""

import pytest

from backend.domain.contact.observations import profile_progress, thread_read_events
from backend.domain.contact.sends import SendContext, outcome_events
from backend.domain.model.lead import LeadStatus
from backend.domain.model.message import MessageStatus, SendOutcome
from backend.domain.model.site import Attempt, Profile, Relation, SiteAnswer, Thread, ThreadMessage
from tests.domain.samples import NOON, campaign, lead, message, task

ACCEPTED, EARLIER = NOON - 5_000, NOON - 9_000


def shown(relation: Relation) -> Profile:
    return Profile("Ada King", "", "", "", "", (), relation)


@pytest.mark.parametrize("relation", Relation)
def test_a_relation_that_is_known_is_no_news_but_kept_with_the_look(relation: Relation) -> None:
    recorded_lead = lead(relation=relation, accepted_at=ACCEPTED, invited_at=EARLIER, sequence_step=9)
    looked = {"visited_at": NOON} | ({} if relation is Relation.NONE else {"relation": relation})
    assert profile_progress(campaign(), recorded_lead, shown(relation), NOON) == looked


@pytest.mark.parametrize("relation", [Relation.PENDING, Relation.CONNECTED])
def test_who_is_invited_or_connected_already_is_at_the_step_after_the_invitation(relation: Relation) -> None:
    steps = [step.kind for step in campaign().settings.sequence.steps]
    invitation = steps.index("invitation")
    person = lead(sequence_step=invitation)
    assert profile_progress(campaign(), person, shown(relation), NOON).get("sequence_step") == invitation + 1
    assert "sequence_step" not in profile_progress(campaign(), person, shown(Relation.NONE), NOON)


def test_a_connection_that_is_seen_again_keeps_the_time_of_its_acceptance() -> None:
    again = lead(relation=Relation.PENDING, accepted_at=ACCEPTED, invited_at=EARLIER)
    seen, _ = thread_read_events(again, Thread((), Relation.CONNECTED), (), NOON, NOON, str)
    assert (seen.relation, seen.accepted_at) == (Relation.CONNECTED, ACCEPTED)
    first = lead(relation=Relation.PENDING, invited_at=EARLIER)
    assert thread_read_events(first, Thread((), Relation.CONNECTED), (), NOON, NOON, str)[0].accepted_at == NOON


@pytest.mark.parametrize("relation", [relation for relation in Relation if relation is not Relation.CONNECTED])
def test_nobody_accepted_who_is_not_connected(relation: Relation) -> None:
    connected = lead(relation=Relation.CONNECTED)
    assert thread_read_events(connected, Thread((), relation), (), NOON, NOON, str)[0].accepted_at is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LeadStatus.PENDING, LeadStatus.RESPONDED),
        (LeadStatus.CONTACTED, LeadStatus.RESPONDED),
        (LeadStatus.RESPONDED, LeadStatus.RESPONDED),
        (LeadStatus.REJECTED, LeadStatus.REJECTED),
    ],
)
def test_a_reply_reopens_nobody_whom_the_user_rejected(before: LeadStatus, after: LeadStatus) -> None:
    asked = lead(status=before, thread_read_at=EARLIER)
    thread = Thread((ThreadMessage("them", "Hello", ACCEPTED),), Relation.CONNECTED)
    seen, events = thread_read_events(asked, thread, (), NOON, NOON, lambda: "m")
    assert (seen.status, seen.replied_at) == (after, NOON)
    assert [event.kind for event in events] == ["LeadAdvanced", "ReplyReceived"]
    assert ("status" in events[0].changes) is (before is not after)


def test_a_reply_that_came_before_the_invitation_was_known_to_have_arrived_is_an_answer() -> None:
    begun, replied, found_out = NOON, NOON + 60_000, NOON + 3_600_000
    invitation = message(step="invite", status=MessageStatus.OUTCOME_UNKNOWN)
    sending = SendContext("act-1", campaign(), task(), lead(), invitation, "approval-1", 0, begun)
    no_answer = Attempt(SiteAnswer.NO_ANSWER, "")
    events = outcome_events(sending, SendOutcome.SENT, no_answer, found_out, lambda: "n")
    changes = next(event.changes for event in events if event.kind == "LeadAdvanced")
    thread = Thread((ThreadMessage("them", "Please do not write again", replied),), Relation.CONNECTED)
    asked = lead(**{**changes, "relation": Relation.PENDING})
    assert asked.invited_at == begun
    read, _ = thread_read_events(asked, thread, (), asked.invited_at, found_out, lambda: "m")
    assert read.replied_at == found_out


@pytest.mark.parametrize(("since", "answers"), [(ACCEPTED, True), (ACCEPTED + 1, False)])
def test_what_they_wrote_since_they_came_into_the_campaign_answers(since: int, answers: bool) -> None:
    """The user wrote to them by hand meanwhile, say, and they answered that: nothing is sent on top of it."""
    person = lead(relation=Relation.CONNECTED, accepted_at=NOON)
    thread = Thread((ThreadMessage("them", "Good timing", ACCEPTED),), Relation.CONNECTED)
    assert (thread_read_events(person, thread, (), since, NOON, str)[0].replied_at is not None) is answers
