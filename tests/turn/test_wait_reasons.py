"""Why nothing is done for a person now, and until when: by a day that there is, or by none."""

from typing import Any

import pytest

from backend.domain.gates.gates import GateLine
from backend.domain.model.sequence import DueAction, DueStep
from backend.domain.model.task import NEVER, ActionFamily
from backend.turn.load import LeadSituation, TurnInputs
from backend.turn.wait_reasons import WaitReason, possible_from, wait_reason
from tests.domain import samples

HERE = TurnInputs(samples.NOON, lambda _: 0, present=True)
SOON = samples.NOON + 60_000


def waits(due: DueAction, at: int, ready_at: int) -> WaitReason | None:
    about = LeadSituation(samples.lead(), None, None, DueStep(due, ActionFamily.MESSAGE, at))
    task: Any = samples.task(status="in_progress", needs=ActionFamily.MESSAGE, ready_at=ready_at)
    return wait_reason(samples.campaign(), HERE, about, task, ())


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
    told = waits(due, at, ready_at)
    assert told is not None
    assert (told.code, told.until) == expected


@pytest.mark.parametrize(
    ("opens", "ready_at", "expected"),
    [
        (SOON, 0, SOON),
        (SOON, SOON + 5_000, SOON + 5_000),
        (SOON, NEVER, NEVER),
        (None, SOON, NEVER),
    ],
)
def test_what_is_ready_only_after_its_gate_opens_does_not_come_before_it_is_ready(
    opens: int | None, ready_at: int, expected: int
) -> None:
    gate = GateLine(code="daily_limit", passes=False, sentence="Enough for today.", until=opens)
    shut = {ActionFamily.MESSAGE: gate}
    assert possible_from("message", ready_at, samples.campaign(), HERE, shut) == expected
    assert possible_from("invite", ready_at, samples.campaign(), HERE, shut) == ready_at
