"""Campaign, task, lead, message and approval: every pair of statuses against a table written from the specification."""

from enum import StrEnum
from itertools import product
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.events.events import ProjectedRows
from backend.domain.events.facts import FACTS
from backend.domain.events.facts.task import TaskBlocked, TaskCancelled, TaskUnblocked
from backend.domain.gates.approval import ApprovalStatus
from backend.domain.model.campaign import CampaignStatus, is_finished
from backend.domain.model.lead import LeadStatus
from backend.domain.model.message import MessageStatus
from backend.domain.model.task import MAX_STRIKES, PLAN_AHEAD, ActionFamily, TaskStatus, tasks_to_plan
from backend.domain.turn.commitments import CommitmentCheck, all_pass
from tests.domain import samples
from tests.fakes.folds import fold


class Lifecycle(NamedTuple):
    noun: str
    status: type[StrEnum]
    allowed: dict[str, str]

    def may_follow(self, before: StrEnum, after: StrEnum) -> bool:
        """Whether some fact leads from the one to the other; staying is no move: it changes the reason alone."""
        return before is not after and any(
            before.value in fact.moves.get(after.value, ()) for fact in FACTS.values() if fact.entity == self.noun
        )


LIFECYCLES = (
    Lifecycle(
        "campaign",
        CampaignStatus,
        {
            "initializing": "active error",
            "active": "paused completed error",
            "paused": "active error",
            "completed": "error paused",  # the user answers somebody
            "error": "paused",
        },
    ),
    Lifecycle(
        "task",
        TaskStatus,
        {
            "pending": "in_progress blocked cancelled",
            "in_progress": "verifying blocked cancelled",
            "verifying": "done in_progress blocked cancelled",
            "done": "in_progress cancelled",  # the user takes back what had ended it, or dismisses a servitor
            "blocked": "in_progress cancelled",
            "cancelled": "in_progress blocked",
        },
    ),
    Lifecycle(
        "lead",
        LeadStatus,
        {
            "pending": "contacted responded rejected",
            "contacted": "responded rejected",
            "responded": "rejected",
            "rejected": "pending contacted responded",  # the user takes the no back
        },
    ),
    Lifecycle(
        "message",
        MessageStatus,
        {
            "draft": "approved cancelled",
            "approved": "draft sending sent cancelled",
            "sending": "approved sent outcome_unknown failed",
            "sent": "cancelled",
            "outcome_unknown": "approved sent failed cancelled",
            "failed": "cancelled",
            "cancelled": "draft",
            "received": "",
            "found": "",
        },
    ),
    Lifecycle(
        "approval",
        ApprovalStatus,
        {"open": "used expired revoked", "used": "open", "expired": "", "revoked": ""},
    ),
)

PAIRS = [
    pytest.param(life, before, after, id=f"{life.noun}-{before}-{after}")
    for life in LIFECYCLES
    for before, after in product(life.status, life.status)
]


@pytest.mark.parametrize(("life", "before", "after"), PAIRS)
def test_a_status_follows_another_exactly_when_the_table_says_so(
    life: Lifecycle, before: StrEnum, after: StrEnum
) -> None:
    assert life.may_follow(before, after) == (after.value in life.allowed[before.value].split())


@pytest.mark.parametrize("life", LIFECYCLES, ids=lambda life: life.noun)
def test_the_statuses_are_the_ones_of_the_specification_and_no_other(life: Lifecycle) -> None:
    assert {status.value for status in life.status} == set(life.allowed)


def _that_lead_to(life: Lifecycle, target: str) -> set[str]:
    return {before.value for before in life.status if life.may_follow(before, life.status(target))}


CAMPAIGN, TASK, LEAD, MESSAGE, APPROVAL = LIFECYCLES


def test_a_task_is_done_only_after_verification() -> None:
    assert _that_lead_to(TASK, "done") == {"verifying"}


def test_a_task_that_failed_verification_goes_back_to_work() -> None:
    assert TASK.may_follow(TaskStatus.VERIFYING, TaskStatus.IN_PROGRESS)


def test_a_claim_of_completion_leads_to_verification_from_work_only() -> None:
    assert _that_lead_to(TASK, "verifying") == {"in_progress"}


def test_a_task_is_given_up_only_as_blocked() -> None:
    with pytest.raises(ValueError, match="skipped"):
        TaskStatus("skipped")
    assert _that_lead_to(TASK, "blocked") == {"pending", "in_progress", "verifying", "cancelled"}


def test_a_dropped_task_is_never_done_without_being_taken_up_again() -> None:
    assert TASK.allowed["cancelled"].split() == ["in_progress", "blocked"]


def test_a_campaign_completes_only_while_it_is_active() -> None:
    assert _that_lead_to(CAMPAIGN, "completed") == {"active"}


def test_a_campaign_becomes_active_from_initializing_or_paused_only() -> None:
    assert _that_lead_to(CAMPAIGN, "active") == {"initializing", "paused"}


def test_any_campaign_can_fail() -> None:
    assert _that_lead_to(CAMPAIGN, "error") == {"initializing", "active", "paused", "completed"}


def test_a_campaign_leaves_error_only_into_paused_so_that_a_person_continues_it() -> None:
    assert [s for s in CampaignStatus if s.value in CAMPAIGN.allowed["error"].split()] == [CampaignStatus.PAUSED]
    assert not CAMPAIGN.may_follow(CampaignStatus.ERROR, CampaignStatus.ACTIVE)


def test_a_message_is_sending_only_after_it_was_approved() -> None:
    assert _that_lead_to(MESSAGE, "sending") == {"approved"}


def test_a_message_is_sent_from_sending_or_when_an_attempt_that_seemed_lost_had_arrived_after_all() -> None:
    assert _that_lead_to(MESSAGE, "sent") == {"sending", "outcome_unknown", "approved"}


def test_an_unknown_outcome_never_goes_straight_back_to_sending() -> None:
    assert not MESSAGE.may_follow(MessageStatus.OUTCOME_UNKNOWN, MessageStatus.SENDING)


def test_what_was_sent_never_waits_to_be_sent_again_and_what_was_received_stays_received() -> None:
    """Where the user's word alone said that it was sent, their word can end the text; no way leads back to its sending."""
    assert [target for target in MessageStatus if MESSAGE.may_follow(MessageStatus.SENT, target)] == ["cancelled"]
    assert not any(MESSAGE.may_follow(MessageStatus.RECEIVED, target) for target in MessageStatus)


def test_an_expired_or_revoked_approval_never_opens_again() -> None:
    for final in (ApprovalStatus.EXPIRED, ApprovalStatus.REVOKED):
        for target in ApprovalStatus:
            assert not APPROVAL.may_follow(final, target)


def test_a_lead_becomes_pending_again_only_when_a_no_is_taken_back() -> None:
    assert _that_lead_to(LEAD, "pending") == {"rejected"}


# --- when a campaign is finished, when a task is eligible -------------------------------------------------------------


@given(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3))
def test_a_campaign_is_finished_only_when_nothing_is_open_asked_or_unplanned(
    open_: int, asked: int, unplanned: int
) -> None:
    finished = is_finished(open_tasks=open_, open_questions=asked, unplanned_leads=unplanned)
    assert finished == ((open_, asked, unplanned) == (0, 0, 0))


@pytest.mark.parametrize("status", TaskStatus)
@pytest.mark.parametrize("needs", ActionFamily)
@pytest.mark.parametrize(
    "blocked_families",
    [frozenset(), frozenset({ActionFamily.LOOK, ActionFamily.INVITE}), frozenset(ActionFamily)],
    ids=len,
)
@pytest.mark.parametrize("late", [-1, 0, 1])
def test_a_task_is_eligible_when_it_is_open_its_time_has_come_and_nobody_else_must_act(
    status: TaskStatus, needs: ActionFamily, blocked_families: frozenset[ActionFamily], late: int
) -> None:
    candidate = samples.task(status=status, needs=needs, ready_at=samples.NOON)
    expected = (
        status.value in {"pending", "in_progress"}
        and late >= 0
        and needs.value not in {"approval", "input"}
        and needs not in blocked_families
    )
    assert candidate.eligible(samples.NOON + late, blocked_families) == expected


@pytest.mark.parametrize("stopped", [TaskBlocked, TaskCancelled])
def test_a_task_that_goes_on_again_has_neither_its_reason_nor_its_strikes(
    stopped: type[TaskBlocked] | type[TaskCancelled],
) -> None:
    task = ("tasks", ("c", "t"))
    state: ProjectedRows = {task: {"status": "in_progress", "reason": "", "strikes": 2}}
    state = fold(state, "c", 1, stopped("t", reason="in vain"))
    assert state[task]["reason"] == "in vain"
    state = fold(state, "c", 2, TaskUnblocked("t"))
    assert state[task] == {"status": "in_progress", "reason": "", "strikes": 0}


def test_three_turns_in_a_row_that_lead_nowhere_are_the_end_of_patience() -> None:
    assert MAX_STRIKES == 3


@given(st.integers(0, 1_000))
def test_planning_keeps_the_window_filled_and_never_more_than_filled(pending: int) -> None:
    planned = pending + tasks_to_plan(pending)
    assert planned >= pending
    assert planned <= max(PLAN_AHEAD, pending)
    assert planned > PLAN_AHEAD // 2


@given(st.lists(st.booleans(), max_size=6))
def test_done_is_all_or_nothing_and_a_task_without_a_promise_is_never_done(results: list[bool]) -> None:
    checks = tuple(CommitmentCheck(str(number), passed, "") for number, passed in enumerate(results))
    assert all_pass(checks) == (len(results) > 0 and False not in results)
