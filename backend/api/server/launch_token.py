"""The secret of one launch, or of one program within it."""

import hmac
import secrets


class LaunchToken:
    """32 random bytes, made at launch and forgotten with the process."""

    def __init__(self) -> None:
        self.value = secrets.token_urlsafe(32)

    def matches(self, shown: str) -> bool:
        """In constant time."""
        return hmac.compare_digest(self.value.encode(), shown.encode("utf-8", "surrogatepass"))

    def __repr__(self) -> str:
        return "LaunchToken()"  # never by accident in a traceback
