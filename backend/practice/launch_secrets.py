"""What a practice network must be shown in this launch: for its control API a token, for its log-in a password.

Every user of the machine can connect to 127.0.0.1. Whoever starts the network hands both over through the pipe that it
inherits as its standard input, so they are in no command line, no environment and no file.
"""

import hmac
import json
import secrets
from typing import NamedTuple

TOKEN_HEADER = "X-Practice-Token"  # noqa: S105 - the header's name
LONGEST_LINE = 1_000


class LaunchSecrets(NamedTuple):
    """Good for one launch; whoever starts the network again after a crash may hand over the same ones."""

    control_token: str
    password: str

    @classmethod
    def new(cls) -> "LaunchSecrets":
        return cls(secrets.token_urlsafe(32), secrets.token_urlsafe(32))

    @classmethod
    def from_line(cls, line: bytes) -> "LaunchSecrets":
        """Raises `ValueError` for anything but what `to_line` gives."""
        fields = json.loads(line)
        if not isinstance(fields, dict) or set(fields) != set(cls._fields):
            raise ValueError("the line names other secrets")
        if not all(isinstance(value, str) and len(value) >= 16 for value in fields.values()):  # noqa: PLR2004
            raise ValueError("a secret is too short")
        return cls(**fields)

    def to_line(self) -> str:
        return json.dumps(self._asdict()) + "\n"

    def __repr__(self) -> str:
        return "LaunchSecrets()"  # never by accident in a traceback


def same(shown: str, expected: str) -> bool:
    """Whether they are equal, in constant time."""
    return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), expected.encode())
