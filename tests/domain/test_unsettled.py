"""What follows from an act under way, whatever became of its task meanwhile: another device may not have known of the act."""

from collections.abc import Iterable
from itertools import product

import pytest

from backend.domain.contact.sends import MAX_ATTEMPTS, SendContext
from backend.domain.contact.unsettled import ActUnderWay, ask_what_became_of, outcome_events
from backend.domain.contact.withdrawals import WithdrawalContext
from backend.domain.events.events import Event
from backend.domain.events.facts.fact import statuses_before
from backend.domain.model.campaign import Settings
from backend.domain.model.lead import ANSWERED_ELSEWHERE, OUTCOME_UNKNOWN
from backend.domain.model.message import MessageStatus, SendOutcome
from backend.domain.model.site import Attempt, Relation, SiteAnswer
from backend.domain.model.task import TaskKind, TaskStatus
from tests.domain import samples

ATTEMPT = Attempt(SiteAnswer.NO_ANSWER, "no answer was seen")
LEADS = (
    samples.lead(),
    samples.lead(blocked=OUTCOME_UNKNOWN),
    samples.lead(blocked="do_not_contact"),
    samples.lead(label="no", finished="said no"),
    samples.lead(finished=ANSWERED_ELSEWHERE),
    samples.lead(replied_at=samples.NOON),
)
SENDS = [
    (TaskKind.ANSWER, "answer"),
    *((TaskKind.REACH_LEAD, step.key) for step in Settings().sequence.steps if step.writes),
]
STARTED = [status for status in TaskStatus if status is not TaskStatus.PENDING]
"""Nothing is intended of a task that nobody has begun."""


def acts(status: TaskStatus) -> Iterable[ActUnderWay]:
    """Every kind of act under way, of a task that has this status by now."""
    for lead in LEADS:
        withdrawn = samples.task(status=status, kind=TaskKind.WITHDRAW)
        yield WithdrawalContext("act-1", samples.campaign(), withdrawn, lead, outreach=samples.task(id="task-2"))
        for (kind, step), attempts in product(SENDS, (0, MAX_ATTEMPTS)):
            task = samples.task(status=status, kind=kind)
            message = samples.message(step=step, status=MessageStatus.OUTCOME_UNKNOWN)
            yield SendContext("act-1", samples.campaign(), task, lead, message, "yes-1", attempts, samples.NOON)


def moves(events: Iterable[Event], task_status: TaskStatus) -> str:
    """The status that a task comes to have by these events; a step that none may take fails."""
    status: str = task_status
    for event in events:
        before = statuses_before(event)
        if event.entity_id == "task-1" and before is not None:
            assert status in before, f"{event.kind} of a task that is {status}"
            status = event.changes["status"]
    return status


@pytest.mark.parametrize("status", STARTED)
@pytest.mark.parametrize("outcome", SendOutcome)
def test_news_of_an_act_never_asks_of_its_task_what_no_task_may_do(status: TaskStatus, outcome: SendOutcome) -> None:
    for act, relation, cut_off in product(acts(status), (None, *Relation), (True, False)):
        events = outcome_events(act, outcome, ATTEMPT, relation, samples.NOON, lambda: "new", cut_off=cut_off)
        moves(events, status)


@pytest.mark.parametrize("status", STARTED)
def test_what_became_of_an_act_is_asked_whatever_its_task_is_by_now(status: TaskStatus) -> None:
    for act in acts(status):
        events = ask_what_became_of(act, samples.NOON, lambda: "new")
        (question,) = [event for event in events if event.kind == "InputRequested"]
        assert question.changes["payload"] == {"action_id": "act-1"}
        after = moves(events, status)
        assert after == (TaskStatus.DONE if status is TaskStatus.DONE else TaskStatus.BLOCKED)
        assert ("is blocked" in question.changes["question"]) is (after == TaskStatus.BLOCKED)


@pytest.mark.parametrize("status", [TaskStatus.DONE, TaskStatus.VERIFYING])
def test_no_text_comes_back_to_be_sent_where_the_sequence_has_ended(status: TaskStatus) -> None:
    over = [act for act in acts(status) if isinstance(act, SendContext) and act.lead.finished]
    for act in over:
        if act.task.kind is TaskKind.REACH_LEAD:
            events = outcome_events(act, SendOutcome.NOT_SENT, ATTEMPT, None, samples.NOON, lambda: "new", cut_off=True)
            assert "MessageCancelled" in {event.kind for event in events}
            assert "ApprovalReopened" not in {event.kind for event in events}
    assert over


@pytest.mark.parametrize("invited_at", [None, samples.NOON - 1, samples.NOON, samples.NOON + 1])
def test_news_of_an_older_invitation_takes_no_later_one_back(invited_at: int | None) -> None:
    """Or another campaign would see that they were invited long ago, and write to them."""
    message = samples.message(kind="invitation", step="invite", status=MessageStatus.OUTCOME_UNKNOWN)
    lead = samples.lead(invited_at=invited_at)
    act = SendContext("act-1", samples.campaign(), samples.task(), lead, message, "yes-1", 0, samples.NOON)
    later = samples.NOON + 10
    events = outcome_events(act, SendOutcome.SENT, ATTEMPT, None, later, lambda: "new", cut_off=False)
    times = [event.changes["invited_at"] for event in events if "invited_at" in event.changes]
    assert times == [max(invited_at or 0, samples.NOON)]
