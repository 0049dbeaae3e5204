"""Why nothing is done for a person now, and until when: by a day that there is, or by none."""

from typing import Any

import pytest

from backend.domain.gates.gates import GateCheck, Refusal
from backend.domain.model.sequence import DueAction, DueStep
from backend.domain.model.task import NEVER, ActionFamily
from backend.situation.situations import LeadSituation, TurnInputs
from backend.situation.wait_reasons import WaitReason, wait_reason
from tests.domain import samples

HERE = TurnInputs(samples.NOON, lambda _: 0, present=True)
SOON = samples.NOON + 60_000


def waits(due: DueAction, at: int, ready_at: int, checks: tuple[GateCheck, ...] = ()) -> WaitReason | None:
    situation = LeadSituation(samples.lead(), None, None, DueStep(due, ActionFamily.MESSAGE, at))
    task: Any = samples.task(status="in_progress", needs=ActionFamily.MESSAGE, ready_at=ready_at)
    return wait_reason(samples.campaign(), HERE, situation, task, checks)


@pytest.mark.parametrize(
    ("due", "at", "ready_at", "expected"),
    [
        (DueAction.CHECK, SOON, SOON, ("acceptance", SOON)),
        (DueAction.CHECK, NEVER, NEVER, ("acceptance", None)),
        (DueAction.SEND, SOON, SOON, ("later", SOON)),
        (DueAction.SEND, SOON, NEVER, ("later", None)),
    ],
)
def test_what_waits_for_no_day_is_told_without_one(
    due: DueAction, at: int, ready_at: int, expected: tuple[str, int | None]
) -> None:
    reason = waits(due, at, ready_at)
    assert reason is not None
    assert (reason.code, reason.until) == expected


@pytest.mark.parametrize(("until", "expected"), [(SOON, "later"), (SOON + 2, "working_hours"), (None, "working_hours")])
def test_what_opens_before_a_step_is_due_is_not_what_holds_it(until: int | None, expected: str) -> None:
    shut = GateCheck("working_hours", Refusal("working_hours", "It is outside working hours.", until))
    reason = waits(DueAction.SEND, SOON + 1, SOON + 1, (shut,))
    assert reason is not None
    assert reason.code == expected
