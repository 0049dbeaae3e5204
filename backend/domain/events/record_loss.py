"""Log entries that were committed and are there no more: what is missing, in words, and what the user may decide about it."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from backend.domain.events.events import WORKSPACE

RECORDS_LOST = "records_lost"
"""The piece of a stream's configuration that says so, once the user has decided to go on without them."""


class LostEntries(NamedTuple):
    """Entries `first` to `last` of one log of a stream are missing; `hash` is the last one's, in hexadecimal.

    `since` (ms UTC) is the time of the last entry that is there, None if nothing of the log is; `replaced` if another entry
    stands in the place of the last one, so that nobody can say where the two logs parted.
    """

    stream: str
    log: Literal["event", "audit"]
    first: int
    last: int
    hash: str
    since: int | None
    replaced: bool = False


def describe(lost: LostEntries, names: Mapping[str, str] = {}) -> str:
    """One line for a person; `names` are those of the campaigns that are still there, by id."""
    named = f"“{names[lost.stream]}”" if lost.stream in names else lost.stream
    of = "the workspace (settings, keys, do-not-contact list)" if lost.stream == WORKSPACE else f"campaign {named}"
    if lost.replaced:
        return f"{lost.log} log of {of}: entry {lost.last} is not the one that was written"
    to = "and" if lost.last == lost.first + 1 else "to"
    entries = f"entry {lost.last}" if lost.first == lost.last else f"entries {lost.first} {to} {lost.last}"
    verb = "is" if lost.first == lost.last else "are"
    since = "nothing of it is there" if lost.since is None else f"everything since {_time(lost.since)}"
    return f"{lost.log} log of {of}: {entries} {verb} missing ({since})"


def describe_all(lost: Sequence[LostEntries], names: Mapping[str, str] = {}) -> str:
    """All of it in one sentence's middle."""
    return "; ".join(describe(loss, names) for loss in lost)


def accepted_at(stored: str | None) -> int | None:
    """When the user went on without what is missing (ms UTC), by that piece of configuration; None if nothing was."""
    return None if stored is None else int(json.loads(stored)["accepted_at"])


def _time(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
