"""Several places for secrets, asked in order."""

from backend.domain.errors import OutriderError
from backend.ports.credentials import Credentials, Secret


class FirstOf:
    """What the `given` place holds wins and cannot be changed here; everything else is the `kept` place's."""

    def __init__(self, given: Credentials, kept: Credentials) -> None:
        self._given = given
        self._kept = kept

    def get(self, name: str) -> Secret | None:
        """From the first place that has it."""
        return self._given.get(name) or self._kept.get(name)

    def put(self, name: str, secret: Secret) -> None:
        """Into the second place, unless the first would hide it."""
        self._refuse_given(name)
        self._kept.put(name, secret)

    def forget(self, name: str) -> None:
        """From the second place, unless the first has it."""
        self._refuse_given(name)
        self._kept.forget(name)

    def where(self, name: str) -> str:
        """Of the place that has it."""
        return (self._given if self._given.get(name) is not None else self._kept).where(name)

    def _refuse_given(self, name: str) -> None:
        if self._given.get(name) is not None:
            raise OutriderError("key_read_only", where=self._given.where(name))
