"""Why nothing is done for a person now, and until when: by a day that there is, or by none."""

from typing import Any

import pytest

from backend.domain.model.sequence import DueAction, DueStep
from backend.domain.model.task import NEVER, ActionFamily
from backend.situation.situations import LeadSituation, TurnInputs
from backend.situation.wait_reasons import WaitReason, wait_reason
from tests.domain import samples

HERE = TurnInputs(samples.NOON, lambda _: 0, present=True)
SOON = samples.NOON + 60_000


def waits(due: DueAction, at: int, ready_at: int) -> WaitReason | None:
    situation = LeadSituation(samples.lead(), None, None, DueStep(due, ActionFamily.MESSAGE, at))
    task: Any = samples.task(status="in_progress", needs=ActionFamily.MESSAGE, ready_at=ready_at)
    return wait_reason(samples.campaign(), HERE, situation, task, ())


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
