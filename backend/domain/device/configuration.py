"""The workspace's configuration: keys, and those among them that only their own commands write."""

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
"""A key's first word (up to a colon), and where what it stands for is changed instead."""

_AUDITED = frozenset({"soul", "skill", "secret", "config"})
"""The entities that say how the agent speaks, what it may use and whom it reaches: what a thief would change first."""


def audit_entries(events: Iterable[Event]) -> list[AuditEntry]:
    """The audit log's lines for changes of the soul, skills, keys and settings: what was changed, never its value."""
    return [
        AuditEntry("setting.changed", {"parameters": {"change": event.kind, "id": event.entity_id}, "outcome": "ok"})
        for event in events
        if EVENT_KINDS[event.kind].entity in _AUDITED
    ]


def refuse_protected(name: str) -> None:
    """Raises `config_protected` for a key that has a command of its own."""
    first = name.casefold().strip().partition(":")[0].strip()
    for protected_word, where in PROTECTED:
        if first == protected_word:
            raise OutriderError("config_protected", key=name[:80], where=where)
