"""Which files may go: only what is old, settled, and not what a proof that still grows would show."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.device.retention import (
    UNRECORDED_DAYS,
    EvidenceUse,
    RetentionPolicy,
    evidence_may_go,
    ledger_may_go,
)
from backend.domain.model.campaign import DAY

NOW = 1_000 * DAY
MONTH = RetentionPolicy(evidence_days=30, rehearsal_days=30, replaced_database_days=30)
AGES = st.sampled_from((0, NOW - 30 * DAY, NOW - 30 * DAY + 1, NOW)) | st.integers(0, NOW)
USES = st.builds(EvidenceUse, AGES, st.booleans(), st.booleans(), st.booleans())
OLD = EvidenceUse(NOW - 30 * DAY, settled=True, proves=True, done=True)


@given(AGES, st.lists(USES, min_size=1, max_size=3))
def test_what_goes_is_old_and_nothing_needs_it(kept_at: int, uses: list[EvidenceUse]) -> None:
    is_old = all(at <= NOW - 30 * DAY for at in (kept_at, *(use.at for use in uses)))
    is_needed = any(not use.settled or (use.proves and not use.done) for use in uses)
    assert evidence_may_go(kept_at, uses, MONTH, NOW) is (is_old and not is_needed)


@pytest.mark.parametrize("policy", [MONTH, RetentionPolicy(evidence_days=None)])
def test_a_picture_without_a_record_goes_soon_whatever_is_kept(policy: RetentionPolicy) -> None:
    """The process was killed before its look was recorded; an erasure of whom it shows cannot find it."""
    assert not evidence_may_go(NOW - DAY, [], policy, NOW)
    assert evidence_may_go(NOW - UNRECORDED_DAYS * DAY, [], policy, NOW)


@given(st.lists(USES.map(lambda use: use._replace(settled=True, done=True)), max_size=3))
def test_everything_goes_one_day(uses: list[EvidenceUse]) -> None:
    assert evidence_may_go(0, uses, MONTH, NOW + 30 * DAY)


@pytest.mark.parametrize("needed", [{"at": NOW - 30 * DAY + 1}, {"settled": False}, {"done": False}])
def test_one_record_that_needs_a_picture_keeps_it(needed: dict[str, Any]) -> None:
    assert evidence_may_go(0, [OLD, OLD], MONTH, NOW)
    assert not evidence_may_go(0, [OLD, OLD._replace(**needed)], MONTH, NOW)


def test_for_good_is_for_good() -> None:
    for_good = RetentionPolicy(evidence_days=None, rehearsal_days=None, replaced_database_days=None)
    assert not evidence_may_go(0, [OLD], for_good, NOW)
    assert not ledger_may_go(0, for_good, NOW, done=True)


def test_the_ledger_of_a_rehearsal_that_goes_on_stays() -> None:
    assert ledger_may_go(0, MONTH, NOW, done=True)
    assert not ledger_may_go(0, MONTH, NOW, done=False)
    assert not ledger_may_go(NOW - 29 * DAY, MONTH, NOW, done=True)
