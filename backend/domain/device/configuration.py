"""The keys of the workspace's configuration that only their own commands may change, and what the audit log says of changes."""

from collections.abc import Iterable

from backend.domain.events.events import EVENT_KINDS, AuditEntry, Event
from backend.domain.values.errors import OutriderError

PROTECTED: tuple[tuple[str, str], ...] = (
    ("soul", "the voice, in Settings"),
    ("skill", "the skills, in Settings"),
    ("skills", "the skills, in Settings"),
    ("model", "the models, in Settings"),
    ("credential", "the keys, in Settings"),
    ("vault", "the keys, in Settings"),
)
"""The first word of a key (up to a colon), and where its setting is changed instead."""

_AUDITED = frozenset({"soul", "skill", "secret", "config"})
"""The entities that decide how the agent writes, what it may use and whom it reaches: what an intruder would change first."""


def audit_entries(events: Iterable[Event]) -> list[AuditEntry]:
    """The audit entries for changes of the soul, skills, keys and settings: which was changed, never its value."""
    return [
        AuditEntry("setting.changed", {"parameters": {"change": event.kind, "id": event.entity_id}, "outcome": "ok"})
        for event in events
        if EVENT_KINDS[event.kind].entity in _AUDITED
    ]


def refuse_protected(name: str) -> None:
    """Raises `config_protected` for a key that has a command of its own."""
    where = dict(PROTECTED).get(name.casefold().strip().partition(":")[0].strip())
    if where is not None:
        raise OutriderError("config_protected", key=name[:80], where=where)
