"""Walks both hash chains of every stream and its signatures, and names the first that does not fit."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from backend.domain.erasure.remains_by_kind import may_remain
from backend.domain.events.signature import SignedHeads, heads_message
from backend.ports.signer import Signer
from backend.store.database import DatabaseConnection
from backend.store.log.chain import GENESIS, entry_hash, payload_digest
from backend.store.log.erasure import remains_on_record
from backend.store.log.signatures import SigningKey, hashes_at, signatures, signing_keys

LogName = Literal["event_log", "audit_log"]

LOGS: tuple[LogName, ...] = get_args(LogName)
_LOGS: Mapping[LogName, tuple[str, str, str]] = {
    "event_log": ("kind, entity_type, entity_id", "change_payload", "event"),
    "audit_log": ("action_type", "payload", "audit"),
}


@dataclass(frozen=True, slots=True)
class BrokenEntry:
    """The first entry that does not fit, and how."""

    seq: int
    detail: str


class ChainReport(NamedTuple):
    """One chain of one stream; `erased` entries have lost their words on a person's request and still verify."""

    campaign_id: str
    log: str
    length: int
    erased: int
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
    valid_count: int
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
    selected_streams = [campaign_id] if campaign_id else streams(connection)
    return [_verify(connection, stream, log, on_progress) for stream in selected_streams for log in LOGS]


def verify_signatures(
    connection: DatabaseConnection, signer: Signer, campaign_id: str | None = None
) -> list[SignatureReport]:
    """Every signature of one stream, or of all: by a key that the log introduces, and of entries that stand there.

    Whether those chain everything before them is `verify`'s question.
    """
    keys = signing_keys(connection)
    selected_streams = [campaign_id] if campaign_id else streams(connection)
    return [_verify_signatures(connection, signer, keys, stream) for stream in selected_streams]


def _verify_signatures(
    connection: DatabaseConnection, signer: Signer, keys: dict[str, SigningKey], stream: str
) -> SignatureReport:
    valid_count = event_seq = audit_seq = 0
    key, broken = "", None
    for signature in signatures(connection, stream):
        detail = signature_problem(connection, signer, keys, signature)
        if detail:
            broken = BrokenSignature(signature.event_seq, signature.audit_seq, detail)
            break
        key, valid_count, event_seq, audit_seq = (
            signature.key_id,
            valid_count + 1,
            max(event_seq, signature.event_seq),
            max(audit_seq, signature.audit_seq),
        )
    missing = _first_outcome(connection, stream, event_seq) if keys and broken is None else None
    return SignatureReport(stream, valid_count, event_seq, audit_seq, key, broken, missing)


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
    seq: int | None = row[0]
    return seq


def streams(connection: DatabaseConnection) -> list[str]:
    """Every stream that any entry, or any record of an end, belongs to. Cost grows with the logs."""
    rows = connection.execute(
        "SELECT campaign_id FROM log_heads UNION SELECT campaign_id FROM event_log UNION SELECT campaign_id FROM audit_log"
    )
    return sorted((row[0] for row in rows), key=str)  # a damaged page may hold a number


class ChainPoint(NamedTuple):
    """An entry of a chain, and with it everything before."""

    seq: int
    hash: bytes


BEGINNING = ChainPoint(0, GENESIS)


class ChainPart(NamedTuple):
    """What a walk over part of a chain found: `end` is the last sound entry, `whole` says that it is the chain's last."""

    end: ChainPoint
    erased: int
    broken: BrokenEntry | None
    whole: bool


def verify_part(
    connection: DatabaseConnection,
    stream: str,
    log: LogName,
    since: ChainPoint = BEGINNING,
    most: int | None = None,
    on_progress: OnProgress = lambda _log, _seq: None,
) -> ChainPart:
    """At most so many entries of one chain behind an entry that was verified before.

    An entry that does not stand there any more vouches for nothing: then the walk begins at the beginning.
    """
    if since != BEGINNING and _hash_at(connection, stream, log, since.seq) != since.hash:
        since = BEGINNING
    erased, walked, end = 0, 0, since
    for seq, problem, is_erased, entry in _walk(connection, stream, log, since, most):
        if seq != end.seq + 1:
            return ChainPart(end, erased, BrokenEntry(end.seq + 1, f"it is missing; {seq} follows"), whole=False)
        if problem:
            return ChainPart(end, erased, BrokenEntry(seq, problem), whole=False)
        walked, end, erased = walked + 1, ChainPoint(seq, entry), erased + is_erased
        if walked % PROGRESS_EVERY == 0:
            on_progress(log, seq)
    if most is not None and walked >= most:
        return ChainPart(end, erased, None, whole=False)
    return ChainPart(end, erased, _end_problem(connection, stream, log, end), whole=True)


def _verify(connection: DatabaseConnection, stream: str, log: LogName, on_progress: OnProgress) -> ChainReport:
    part = verify_part(connection, stream, log, on_progress=on_progress)
    return ChainReport(stream, log, part.end.seq, part.erased, part.broken)


def _end_problem(connection: DatabaseConnection, stream: str, log: LogName, end: ChainPoint) -> BrokenEntry | None:
    """Whether the chain ends where it is recorded to end."""
    prefix = _LOGS[log][2]
    head = connection.execute(f"SELECT {prefix}_seq, {prefix}_hash FROM log_heads WHERE campaign_id=?", (stream,))
    recorded = head.fetchone()
    if recorded is None:
        return BrokenEntry(end.seq, "the record of where the chain ends is missing") if end.seq else None
    if recorded[0] > end.seq:
        return BrokenEntry(end.seq + 1, f"it is missing, and so is everything up to {recorded[0]}")
    if recorded != end:
        return BrokenEntry(end.seq, "it is not what the chain is recorded to end with")
    return None


def _hash_at(connection: DatabaseConnection, stream: str, log: LogName, seq: int) -> bytes | None:
    row = connection.execute(f"SELECT hash FROM {log} WHERE campaign_id=? AND seq=?", (stream, seq)).fetchone()
    return row[0] if row else None


def _walk(
    connection: DatabaseConnection, campaign_id: str, log: LogName, since: ChainPoint, most: int | None
) -> Iterator[tuple[int, str, bool, bytes]]:
    """(seq, problem or nothing, whether erased, hash) of each entry behind that one."""
    columns, payload_column, _ = _LOGS[log]
    rows = connection.execute(
        f"SELECT seq, {payload_column}, salt, payload_digest, hash, timestamp, {columns}, actor, cause"
        f" FROM {log} WHERE campaign_id=? AND seq>? ORDER BY seq LIMIT ?",
        (campaign_id, since.seq, -1 if most is None else most),
    )
    previous: Any = since.hash
    on_record: dict[str, str] | None = None
    row: tuple[Any, ...]
    for row in rows:
        seq, payload, salt, digest, stored_hash, timestamp, *rest = row
        erased = digest is not None
        if erased and on_record is None:  # few streams have any, and finding them is a walk of its own
            on_record = remains_on_record(connection, campaign_id)
        # a damaged page may hold a number where a text was written
        legible = isinstance(payload, str) and isinstance(salt, bytes | None) and isinstance(digest, bytes | None)
        if not (
            legible
            and isinstance(previous, bytes)
            and all(isinstance(value, int | str) for value in (timestamp, *rest))
        ):
            problem = "it is not what an entry can be"
        elif on_record is not None and erased and on_record.get(digest.hex()) != payload:
            problem = "its words are gone, and no erasure says that this is left of it"
        elif erased and log == "event_log" and not may_remain(rest[0], payload):
            problem = "its words are gone, and what is left is not what an erasure leaves"
        elif (
            entry_hash(previous, digest or payload_digest(salt or b"", payload), campaign_id, seq, timestamp, *rest)
            != stored_hash
        ):
            problem = "it is not what was written after the entry before it"
        else:
            problem = ""
        yield seq, problem, erased, stored_hash
        previous = stored_hash
