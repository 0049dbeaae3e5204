"""Estimates for Review when a text goes out once it is approved, and which steps follow; no act relies on them."""

from collections.abc import Sequence as Ordered
from typing import Literal

from backend.domain.gates.gates import (
    NOTE_PERIOD,
    AccountFacts,
    limit_a_day,
    ramp_allowance,
    working_days_later,
    working_hours,
    working_time,
)
from backend.domain.model.campaign import DAY
from backend.domain.model.days import local_day, weekday
from backend.domain.model.sequence import Sequence, Step
from backend.domain.model.task import ActionFamily
from backend.domain.values.shapes import Shape

MOST_DAYS = 60
MOST_STEPS = 3
FOREVER = 1 << 62
"""Later than any day."""
Condition = Literal["", "accepted", "no_reply", "conditions"]


class StepAhead(Shape):
    """A later step: `after_days` after the one before, and only on that `condition` ("conditions": its own ones)."""

    key: str
    kind: str
    after_days: int
    condition: Condition


def note_allowed_at(limit: int, sent: Ordered[int], ahead: int) -> int | None:
    """From when (ms UTC) the quota allows an invitation with a note behind `ahead` others; 0: it does now.

    `sent` is when each note of the last 30 days went out, the oldest first. None when that depends on notes that wait, too.
    """
    over = ahead - max(0, limit - len(sent))
    if over < 0:
        return 0
    index = max(0, len(sent) - limit) + over
    return sent[index] + NOTE_PERIOD if limit and index < len(sent) else None


def goes_out_at(facts: AccountFacts, ahead: int, not_before: int = 0) -> int | None:
    """When the text behind `ahead` others of its family goes out (ms UTC), if nothing else holds it back.

    What may go out only from `not_before` on is first in its turn then. None when the limits and hours allow none within two
    months.
    """
    at = _next_opening(facts, ahead, 0)
    return _next_opening(facts, 0, not_before) if at is not None and at < not_before else at


def _next_opening(facts: AccountFacts, ahead: int, not_before: int) -> int | None:
    limits = facts.limits
    limit = limit_a_day(limits, facts.family)
    spacing = max(1, limits.spacing_seconds * 1_000)
    earliest = max(facts.now, not_before, facts.last_any + spacing if facts.last_any is not None else 0)
    today = local_day(facts.now, facts.offset_at)
    first = None if facts.first_ever is None else local_day(facts.first_ever, facts.offset_at)
    week = _Week(limits.invitations_a_week, _of_week(facts)) if facts.family is ActionFamily.INVITE else None
    for day in range(today, today + MOST_DAYS):
        opens, ends = working_hours(limits, day, facts.offset_at)
        at = max(earliest, opens)
        if weekday(day) not in limits.work_days or at >= ends:
            continue
        first = day if first is None else first  # the ramp begins with what is sent first
        room = min(limit, ramp_allowance(limits, limit, day - first)) - (facts.sent_today if day == today else 0)
        if week is None:
            room = min(room, -(-(ends - at) // spacing))
            if ahead < room:
                return at + ahead * spacing
            ahead -= max(0, room)
        else:
            for _ in range(room):
                at = week.next_opening(at)
                if at >= ends:
                    break
                if not ahead:
                    return at
                ahead -= 1
                week.sent.append(at)
                at += spacing
    return None


def _of_week(facts: AccountFacts) -> Ordered[int]:
    """When each of the last seven days' messages was sent; as late as possible where that is not known."""
    if facts.week is not None:
        return facts.week
    oldest = facts.now if facts.oldest_of_week is None else facts.oldest_of_week
    return [oldest, *[facts.now] * (facts.sent_week - 1)] if facts.sent_week else []


class _Week:
    """Counts what goes out against the limit of any seven days."""

    def __init__(self, limit: int, sent: Ordered[int]) -> None:
        self.limit = limit
        self.sent = list(sent)

    def next_opening(self, at: int) -> int:
        """The earliest from that moment on (ms UTC) at which fewer than the limit were sent in the seven days before."""
        if self.limit == 0:
            return FOREVER
        return max(at, self.sent[-self.limit] + 7 * DAY) if len(self.sent) >= self.limit else at


def is_prepared(facts: AccountFacts, waiting: int) -> bool:
    """Whether one more of the family, behind those that wait, would go out only after the days that are prepared for.

    These are working days, today among them while it lasts. Where limits and hours allow none, whatever waits is enough.
    """
    at, limits = goes_out_at(facts, waiting), facts.limits
    if at is None:
        return True
    first = working_time(limits, facts.now, facts.offset_at)
    return first is None or at > working_days_later(limits, first, facts.offset_at, limits.prepared_days - 1)


def steps_ahead(sequence: Sequence, key: str) -> list[StepAhead]:
    """The next few steps behind that one; none behind a step that is gone."""
    indexes = [index for index, step in enumerate(sequence.steps) if step.key == key]
    if not indexes:
        return []
    before = sequence.steps[indexes[0]]
    ahead: list[StepAhead] = []
    for step in (step for step in sequence.steps[indexes[0] + 1 :] if not step.removed):
        condition = "conditions" if step.only_if else _condition(sequence, before)
        ahead.append(StepAhead(key=step.key, kind=step.kind, after_days=step.after_days, condition=condition))
        before = step
    return ahead[:MOST_STEPS]


def _condition(sequence: Sequence, before: Step) -> Condition:
    if before.kind == "invitation":
        return "accepted"
    return "no_reply" if before.kind == "message" and sequence.stop_on_reply else ""
