"""What the schema's functions take and give, as JSON; bytes are base64.

What is read has the types that it is to have: what answers may be no project of ours, and what was once believed of it (whose the
lease is, where a stream ends) would fail at every later step.
"""

import binascii
import math
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

from backend.domain.events.signature import SignedHeads
from backend.ports.shared_store import LoggedAudit, LoggedEvent, StreamHeads

_BYTES = ("salt", "digest", "hash")
_SIGNED_BYTES = ("event_hash", "audit_hash", "signature")
_MOST = 2**53
"""Of a number: what JSON can hold exactly."""

T = TypeVar("T", bound=NamedTuple)


def encode_entries(entries: Iterable[LoggedEvent | LoggedAudit]) -> list[dict[str, Any]]:
    """As they are sent."""
    return [entry._asdict() | {name: encode_bytes(getattr(entry, name)) for name in _BYTES} for entry in entries]


def decode_entries(make: type[T], rows: Iterable[Mapping[str, Any]]) -> list[T]:
    """As they were sent, by `LoggedEvent` or `LoggedAudit`. Raises KeyError, TypeError, ValueError."""
    return [decoded(make, {**row, **{name: decode_bytes(row[name]) for name in _BYTES}}) for row in listed(rows)]


def encode_signature(heads: SignedHeads) -> dict[str, Any]:
    """A signature as it is sent."""
    return heads._asdict() | {name: encode_bytes(getattr(heads, name)) for name in _SIGNED_BYTES}


def decode_signatures(rows: Iterable[Mapping[str, Any]]) -> list[SignedHeads]:
    """Signatures as they were sent. Raises KeyError, TypeError, ValueError."""
    return [
        decoded(SignedHeads, {**row, **{name: decode_bytes(row[name]) for name in _SIGNED_BYTES}})
        for row in listed(rows)
    ]


def listed(rows: object) -> list[Any]:
    """A list, also an empty one: what else is empty says nothing. Raises TypeError."""
    if not isinstance(rows, list):
        raise TypeError(rows)
    return rows


def decode_digests(answer: Mapping[str, Any]) -> dict[int, str]:
    """Which parts of a file are there. Raises TypeError, ValueError."""
    if not isinstance(answer, dict):
        raise TypeError(answer)
    return {int(part): str(digest) for part, digest in answer.items()}


def decode_heads(row: Mapping[str, Any]) -> StreamHeads:
    """Where a stream ends. Raises KeyError, TypeError, ValueError."""
    ends = {name: decode_bytes(row[name]) or b"" for name in ("event_hash", "audit_hash")}
    return decode_some(StreamHeads, {**row, **ends})


def decode_some(make: type[T], values: Mapping[str, Any]) -> T:
    """Of these values those that `make` has. Raises KeyError, TypeError, ValueError."""
    return decoded(make, {name: values[name] for name, _ in _types(make)})


def decoded(make: type[T], values: Mapping[str, Any]) -> T:
    """These values, and no others, as `make` has them. Raises TypeError, ValueError."""
    made: T = make(**values)  # type: ignore[call-overload]  # of a subclass, by its own fields
    for value, (name, types) in zip(made, _types(make), strict=True):
        if type(value) not in types or not _is_possible(value):
            raise TypeError(name)
    return made


def _is_possible(value: object) -> bool:
    if isinstance(value, int | float):
        return math.isfinite(value) and abs(value) <= _MOST
    if isinstance(value, str):
        value.encode()  # half a surrogate pair is no text: raises ValueError
    return True


@cache
def _types(make: type[NamedTuple]) -> list[tuple[str, tuple[type, ...]]]:
    """The types that each field's value may have; a number without a fraction is one with."""
    hints = get_type_hints(make)
    types = ((name, get_args(hints[name]) or (hints[name],)) for name in make._fields)
    return [(name, (int, float) if kinds == (float,) else kinds) for name, kinds in types]


def encode_bytes(content: bytes | None) -> str | None:
    """Bytes as text."""
    return None if content is None else binascii.b2a_base64(content, newline=False).decode()


def decode_bytes(text: str | None) -> bytes | None:
    """And back. Raises ValueError if it was never that."""
    return None if text is None else binascii.a2b_base64(text, strict_mode=True)
