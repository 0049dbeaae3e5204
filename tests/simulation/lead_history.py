"""What is known of a lead goes forward: nothing that becomes known late sets back what came after it.

Asked of the log alone, in worlds whose clocks are right: there, what was recorded earlier is earlier.
"""

import json
from collections.abc import Iterable
from typing import NamedTuple

FORWARD = frozenset({"visited_at", "invited_at", "last_sent_at", "thread_read_at", "withdrawn_at", "sequence_step"})


class LeadEntry(NamedTuple):
    """What an entry of the log says of a lead, and when it was recorded (ms UTC)."""

    lead: str
    at: int
    payload: str


def set_back(entries: Iterable[LeadEntry]) -> str:
    """The first that takes back what was recorded after it; "" for none."""
    last: dict[tuple[str, str], tuple[int, int]] = {}
    for lead, at, payload in entries:
        for name, value in json.loads(payload).items():
            if name not in FORWARD or not isinstance(value, int):
                continue
            recorded_at, recorded = last.get((lead, name), (at, value))
            if at < recorded_at and value < recorded:
                return f"{name} of {lead} goes from {recorded} back to {value}, recorded {recorded_at - at} ms earlier"
            last[lead, name] = at, value
    return ""
