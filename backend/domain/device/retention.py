"""How long this device keeps the files that would only ever grow: pictures of pages, rehearsals' ledgers, replaced databases.

The logs keep each picture's digest for good; a proof that was made before has the pictures themselves.
"""

from collections.abc import Iterable
from typing import Annotated, NamedTuple

from pydantic import Field

from backend.domain.model.campaign import DAY
from backend.domain.values.shapes import Shape

Days = Annotated[int, Field(ge=1, le=3_650)]


class RetentionPolicy(Shape):
    """For how many days each kind of file is kept; null keeps it for good."""

    evidence_days: Days | None = 365
    rehearsal_days: Days | None = 90
    replaced_database_days: Days | None = 30


class EvidenceUse(NamedTuple):
    """A record that names a picture: of when it is (ms UTC), and what is still to come of it.

    `settled`: what it shows has been decided. `proves`: a campaign's proof shows the picture. `done`: the campaign is over.
    """

    at: int
    settled: bool
    proves: bool
    done: bool


def is_over(at: int, days: int | None, now: int) -> bool:
    """Whether what was kept at that moment (ms UTC) has been kept long enough."""
    return days is not None and at + days * DAY <= now


UNRECORDED_DAYS = 2
"""How long a picture may wait for its record: longer than any act."""
LONGEST_AWAY = 30 * DAY
"""A clock that is further than this from when something was last recorded may be wrong."""


def believes_clock(now: int, last_known: int | None) -> bool:
    """Whether files may go by this clock: they are gone for good, so one that jumped is believed a day later."""
    return last_known is None or abs(now - last_known) <= LONGEST_AWAY


def evidence_may_go(kept_at: int, uses: Iterable[EvidenceUse], policy: RetentionPolicy, now: int) -> bool:
    """Whether nothing needs that picture any more: each record of it is old and settled, and its proof is not still growing.

    One without a record is of a look that was cut off. Whoever it shows may be erased, and no erasure would find it.
    """
    recorded_uses = list(uses)
    if not recorded_uses:
        return is_over(kept_at, UNRECORDED_DAYS, now)
    return is_over(kept_at, policy.evidence_days, now) and all(
        is_over(use.at, policy.evidence_days, now) and use.settled and (use.done or not use.proves)
        for use in recorded_uses
    )


def ledger_may_go(written_at: int, policy: RetentionPolicy, now: int, *, done: bool) -> bool:
    """Whether a rehearsal's ledger is not needed any more: without it, what the rehearsal proved cannot be counted again."""
    return done and is_over(written_at, policy.rehearsal_days, now)
