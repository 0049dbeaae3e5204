"""Both logs of a campaign as JSON lines, so that somebody else can verify them without Outrider.

One object a line: first the events by `seq`, then the audit entries by `seq`.

    {"log": "event", "campaign_id", "seq", "timestamp" (ms UTC), "kind", "entity_type", "entity_id",
     "actor", "cause", "payload", "salt", "payload_digest", "hash"}
    {"log": "audit", "campaign_id", "seq", "timestamp", "action_type", "actor", "cause", "payload", "salt",
     "payload_digest", "hash"}

`payload` is the exact text that was hashed (JSON; once erased, what is left of it: `salt` is null then), bytes are in hexadecimal.
To verify a log, begin with 32 zero bytes as the hash before the first, and for each line compute

    payload_digest = SHA-256(salt + payload)                          unless the payload was erased
    hash           = SHA-256(hash before + payload_digest + metadata)

where `metadata` is the ASCII JSON list, without blanks, of campaign_id, seq, timestamp, then kind, entity_type and
entity_id (audit: action_type), then actor and cause. `seq` begins at 1 and has no gaps.
"""

import json
from collections.abc import Iterator
from typing import Literal

from backend.store.database import Database
from backend.store.log.chain import payload_digest
from backend.store.queries.device import logs

AT_ONCE = 1_000
_Log = Literal["event", "audit"]


def log_lines(database: Database, campaign_id: str) -> Iterator[bytes]:
    """The logs as they are now, a few entries at a time."""
    lengths = database.query(logs.lengths, campaign_id)
    heads: dict[_Log, int] = {"event": lengths.events, "audit": lengths.audits}
    for log, head in heads.items():
        after = 0
        while after < head:
            lines, after = _some(database, log, campaign_id, after, head)
            yield lines


def _some(database: Database, log: _Log, campaign_id: str, after: int, head: int) -> tuple[bytes, int]:
    rows = database.query(logs.entries_between, log, campaign_id, after, head, AT_ONCE)
    for row in rows:
        row["payload_digest"] = row["payload_digest"] or payload_digest(row["salt"] or b"", row["payload"])
    text = "".join(json.dumps({"log": log, **row}, default=bytes.hex) + "\n" for row in rows)
    return text.encode(), rows[-1]["seq"] if rows else head  # an entry that was cut out must not end the rest
