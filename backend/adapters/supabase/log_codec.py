"""Entries of both logs as JSON, the way the schema's functions take and give them; bytes are base64."""

import binascii
from collections.abc import Callable, Iterable
from typing import Any

from backend.domain.events.signature import SignedHeads
from backend.ports.shared_store import LoggedAudit, LoggedEvent, StreamHeads

_BYTES = ("salt", "digest", "hash")
_SIGNED_BYTES = ("event_hash", "audit_hash", "signature")


def encode_entries(entries: Iterable[LoggedEvent | LoggedAudit]) -> list[dict[str, Any]]:
    """As they are sent."""
    return [entry._asdict() | {name: encode_bytes(getattr(entry, name)) for name in _BYTES} for entry in entries]


def decode_entries(make: Callable[..., Any], rows: Iterable[dict[str, Any]]) -> list[Any]:
    """As they were sent, by `LoggedEvent` or `LoggedAudit`. Raises TypeError, ValueError."""
    return [make(**row | {name: decode_bytes(row[name]) for name in _BYTES}) for row in rows]


def encode_signature(heads: SignedHeads) -> dict[str, Any]:
    """A signature as it is sent."""
    return heads._asdict() | {name: encode_bytes(getattr(heads, name)) for name in _SIGNED_BYTES}


def decode_signatures(rows: Iterable[dict[str, Any]]) -> list[SignedHeads]:
    """Signatures as they were sent. Raises KeyError, TypeError, ValueError."""
    return [SignedHeads(**row | {name: decode_bytes(row[name]) for name in _SIGNED_BYTES}) for row in rows]


def decode_heads(row: dict[str, Any]) -> StreamHeads:
    """Where a stream ends. Raises KeyError, TypeError, ValueError."""
    ends = (decode_bytes(row[name]) or b"" for name in ("event_hash", "audit_hash"))
    return StreamHeads(row["campaign_id"], row["event_seq"], row["audit_seq"], *ends)


def encode_bytes(content: bytes | None) -> str | None:
    """Bytes as text."""
    return None if content is None else binascii.b2a_base64(content, newline=False).decode()


def decode_bytes(text: str | None) -> bytes | None:
    """And back. Raises ValueError if it was never that."""
    return None if text is None else binascii.a2b_base64(text, strict_mode=True)
