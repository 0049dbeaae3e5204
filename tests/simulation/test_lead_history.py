"""What the worlds' check of what is known of leads sees."""

import json

import pytest

from tests.simulation.lead_history import LeadEntry, set_back


def entry(at: int, lead: str = "ann", **changes: object) -> LeadEntry:
    return LeadEntry(lead, at, json.dumps(changes))


@pytest.mark.parametrize(
    ("second", "is_back"),
    [
        (entry(1, invited_at=1), True),
        (entry(1, invited_at=3), False),
        (entry(3, invited_at=1), False),  # said later, whatever it says
        (entry(1, "bo", invited_at=1), False),
        (entry(1, relation="none"), False),
        (entry(1, invited_at=None), False),
    ],
)
def test_what_was_recorded_earlier_sets_back_nothing(second: LeadEntry, is_back: bool) -> None:
    assert bool(set_back([entry(2, invited_at=2), second])) is is_back
