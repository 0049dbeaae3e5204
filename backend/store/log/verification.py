"""Walks both hash chains of every stream and its signatures, and names the first that does not fit."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from backend.domain.signature import SignedHeads, heads_message
from backend.ports.signer import Signer
from backend.store.database import DatabaseConnection
from backend.store.log.chain import GENESIS, entry_hash, payload_digest
from backend.store.log.erasure import erased_entries
from backend.store.log.signing import SigningKey, hashes_at, signatures, signing_keys

_LOGS = {
    "event_log": ("kind, entity_type, entity_id", "change_payload", "event"),
    "audit_log": ("action_type", "payload", "audit"),
}


@dataclass(frozen=True, slots=True)
class BrokenEntry:
    """The first entry that does not fit, and how."""

    seq: int
    detail: str


class ChainReport(NamedTuple):
    """One chain of one stream; `redacted` entries have lost their words on a person's request and still verify."""

    campaign_id: str
    log: str
    length: int
    redacted: int
    broken: BrokenEntry | None


@dataclass(frozen=True, slots=True)
class BrokenSignature:
    """The first signature that does not hold, and why."""

    event_seq: int
    audit_seq: int
    detail: str


class SignatureReport(NamedTuple):
    """A stream's signatures: how many, and up to which entries they hold.

    `missing` is the first event on an act outside that no signature covers although devices sign; None if there is none.
    """

    campaign_id: str
    held: int
    event_seq: int
    audit_seq: int
    key_id: str
    broken: BrokenSignature | None
    missing: int | None


PROGRESS_EVERY = 1_000
"""How many entries pass between two words about progress."""

OnProgress = Callable[[str, int], None]
"""Called with (log, seq) now and then; what it raises ends the walk."""


def verify(
    connection: DatabaseConnection, campaign_id: str | None = None, on_progress: OnProgress = lambda _log, _seq: None
) -> list[ChainReport]:
    """Both chains of one stream, or of all. Reads every entry: cost grows with the logs."""
    streams = [campaign_id] if campaign_id else _streams(connection)
    return [_verify(connection, stream, log, on_progress) for stream in streams for log in _LOGS]


def verify_signatures(
    connection: DatabaseConnection, signer: Signer, campaign_id: str | None = None
) -> list[SignatureReport]:
    """Every signature of one stream, or of all: by a key that the log introduces, and of entries that stand there.

    Whether those chain everything before them is `verify`'s question.
    """
    keys = signing_keys(connection)
    streams = [campaign_id] if campaign_id else _streams(connection)
    return [_verify_signatures(connection, signer, keys, stream) for stream in streams]


def _verify_signatures(
    connection: DatabaseConnection, signer: Signer, keys: dict[str, SigningKey], stream: str
) -> SignatureReport:
    held = event_seq = audit_seq = 0
    key, broken = "", None
    for one in signatures(connection, stream):
        detail = signature_problem(connection, signer, keys, one)
        if detail:
            broken = BrokenSignature(one.event_seq, one.audit_seq, detail)
            break
        key, held, event_seq, audit_seq = (
            one.key_id,
            held + 1,
            max(event_seq, one.event_seq),
            max(audit_seq, one.audit_seq),
        )
    missing = _first_outcome(connection, stream, event_seq) if keys and broken is None else None
    return SignatureReport(stream, held, event_seq, audit_seq, key, broken, missing)


def signature_problem(
    connection: DatabaseConnection, signer: Signer, keys: dict[str, SigningKey], heads: SignedHeads
) -> str:
    """Why the signature does not hold; "" if it does."""
    key = keys.get(heads.key_id)
    if key is None:
        return f"no entry of the workspace introduces its key {heads.key_id}"
    if not signer.verify(key.public_key, heads_message(heads), heads.signature):
        return "it is not what its key signed"
    event, audit = hashes_at(connection, heads)
    if event != heads.event_hash:
        return f"event {heads.event_seq} is " + ("missing" if event is None else "not the one that was signed")
    if audit != heads.audit_hash:
        return f"audit entry {heads.audit_seq} is " + ("missing" if audit is None else "not the one that was signed")
    return ""


def _first_outcome(connection: DatabaseConnection, stream: str, after: int) -> int | None:
    row = connection.execute(
        "SELECT min(seq) FROM event_log WHERE campaign_id=? AND seq>? AND kind='ActionSettled'", (stream, after)
    ).fetchone()
    found: int | None = row[0]
    return found


def _streams(connection: DatabaseConnection) -> list[str]:
    found = connection.execute(
        "SELECT campaign_id FROM log_heads UNION SELECT campaign_id FROM event_log UNION SELECT campaign_id FROM audit_log"
    )
    return sorted(row[0] for row in found)


def _verify(connection: DatabaseConnection, campaign_id: str, log: str, on_progress: OnProgress) -> ChainReport:
    length = redacted = 0
    previous = GENESIS
    for seq, problem, erased, entry in _walk(connection, campaign_id, log):
        if seq != length + 1:
            return ChainReport(
                campaign_id, log, length, redacted, BrokenEntry(length + 1, f"it is missing; {seq} follows")
            )
        if problem:
            return ChainReport(campaign_id, log, length, redacted, BrokenEntry(seq, problem))
        length, previous, redacted = seq, entry, redacted + erased
        if length % PROGRESS_EVERY == 0:
            on_progress(log, length)
    prefix = _LOGS[log][2]
    head = connection.execute(
        f"SELECT {prefix}_seq, {prefix}_hash FROM log_heads WHERE campaign_id=?",
        (campaign_id,),
    ).fetchone()
    if head is None:
        broken: BrokenEntry | None = (
            BrokenEntry(length, "the record of where the chain ends is missing") if length else None
        )
    elif head[0] > length:
        broken = BrokenEntry(length + 1, f"it is missing, and so is everything up to {head[0]}")
    elif (head[0], head[1]) != (length, previous):
        broken = BrokenEntry(length, "it is not what the chain is recorded to end with")
    else:
        broken = None
    return ChainReport(campaign_id, log, length, redacted, broken)


def _walk(connection: DatabaseConnection, campaign_id: str, log: str) -> Iterator[tuple[int, str, bool, bytes]]:
    """(seq, problem or nothing, whether redacted, hash) of each entry."""
    columns, payload_column, _ = _LOGS[log]
    rows = connection.execute(
        f"SELECT seq, {payload_column}, salt, payload_digest, hash, timestamp, {columns}, actor, cause"
        f" FROM {log} WHERE campaign_id=? ORDER BY seq",
        (campaign_id,),
    )
    previous = GENESIS
    left = erased_entries(connection, campaign_id)
    row: tuple[Any, ...]
    for row in rows:
        seq, payload, salt, digest, found, timestamp, *rest = row
        erased = digest is not None
        # a damaged page may hold a number where a text was written
        legible = isinstance(payload, str) and isinstance(salt, bytes | None) and isinstance(digest, bytes | None)
        if not legible:
            problem = "its payload is not what a payload can be"
        elif erased and left.get(digest.hex()) != payload:
            problem = "its words are gone, and no erasure says that this is left of it"
        elif (
            entry_hash(previous, digest or payload_digest(salt or b"", payload), campaign_id, seq, timestamp, *rest)
            != found
        ):
            problem = "it is not what was written after the entry before it"
        else:
            problem = ""
        yield seq, problem, erased, found
        previous = found
