"""The workspace's configuration: keys, and those among them that only their own commands write."""

from backend.domain.errors import OutriderError

PROTECTED: tuple[tuple[str, str], ...] = (
    ("soul", "the voice, in Settings"),
    ("skill", "the skills, in Settings"),
    ("skills", "the skills, in Settings"),
    ("model", "the models, in Settings"),
    ("credential", "the keys, in Settings"),
    ("vault", "the keys, in Settings"),
)
"""A key's first word (up to a colon), and where what it stands for is changed instead."""


def refuse_protected(name: str) -> None:
    """Raises `config_protected` for a key that has a command of its own."""
    first = name.casefold().strip().partition(":")[0].strip()
    for word, where in PROTECTED:
        if first == word:
            raise OutriderError("config_protected", key=name[:80], where=where)
