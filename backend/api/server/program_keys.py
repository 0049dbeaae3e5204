"""The keys by which programs of this machine speak MCP over HTTP: one for each program, known to this launch alone.

A key opens the address of connected programs and nothing else. It is made by the user, who names the program, and is renewed or
revoked by them at any time; all of them end with the process (design: security, "Local server").
"""

import threading
from dataclasses import dataclass, replace

from backend.api.server.launch_token import LaunchToken
from backend.domain.turn.servitor import is_name
from backend.domain.values.errors import OutriderError

MOST = 20
"""Programs at a time."""


@dataclass(frozen=True, slots=True)
class ProgramKey:
    """A program as the user named it, and its key."""

    name: str
    token: LaunchToken


class ProgramKeys:
    """All keys of this launch. Requests come on many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._keys: dict[str, ProgramKey] = {}

    def listed(self) -> list[ProgramKey]:
        """In the order in which they were made."""
        with self._lock:
            return list(self._keys.values())

    def add(self, name: str) -> None:
        """Raises `program_name_invalid`, `program_key_taken` and `program_keys_too_many`."""
        name = name.strip()
        if not is_name(name):
            raise OutriderError("program_name_invalid")
        with self._lock:
            if name in self._keys:
                raise OutriderError("program_key_taken", name=name)
            if len(self._keys) >= MOST:
                raise OutriderError("program_keys_too_many", most=MOST)
            self._keys[name] = ProgramKey(name, LaunchToken())

    def renew(self, name: str) -> None:
        """The program's earlier key opens nothing any more. Raises `program_key_unknown`."""
        with self._lock:
            self._keys[name] = replace(self._known(name), token=LaunchToken())

    def revoke(self, name: str) -> None:
        """Raises `program_key_unknown`."""
        with self._lock:
            del self._keys[self._known(name).name]

    def program(self, shown: str) -> str | None:
        """The name of the program whose key this is; None if it is nobody's."""
        return next((key.name for key in self.listed() if key.token.matches(shown)), None)

    def _known(self, name: str) -> ProgramKey:
        try:
            return self._keys[name]
        except KeyError:
            raise OutriderError("program_key_unknown", name=name) from None
