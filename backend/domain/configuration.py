"""The workspace's configuration: keys, and those among them that only their own commands write."""

from collections.abc import Iterable

from backend.domain.errors import OutriderError
from backend.domain.events import EVENT_KINDS, AuditEntry, Event

PROTECTED: tuple[tuple[str, str], ...] = (
    ("soul", "the voice, in Settings"),
    ("skill", "the skills, in Settings"),
    ("skills", "the skills, in Settings"),
    ("model", "the models, in Settings"),
    ("credential", "the keys, in Settings"),
    ("vault", "the keys, in Settings"),
)
"""A key's first word (up to a colon), and where what it stands for is changed instead."""


_AUDITED = frozenset({"soul", "skill", "secret"})
"""Entities whose every event is such a change; of the configuration's keys it is those that are protected."""


def audits_of(events: Iterable[Event]) -> list[AuditEntry]:
    """What the audit log tells of changes to soul, skills and protected keys: which, and never their words."""
    return [
        AuditEntry("protected.changed", {"parameters": {"kind": one.kind, "id": one.entity_id}, "outcome": "ok"})
        for one in events
        if (entity := EVENT_KINDS[one.kind].entity) in _AUDITED or (entity == "config" and _where(one.entity_id))
    ]


def _where(name: str) -> str:
    """Where what this key stands for is changed; empty for a key like others."""
    first = name.casefold().strip().partition(":")[0].strip()
    return dict(PROTECTED).get(first, "")


def refuse_protected(name: str) -> None:
    """Raises `config_protected` for a key that has a command of its own."""
    if where := _where(name):
        raise OutriderError("config_protected", key=name[:80], where=where)
