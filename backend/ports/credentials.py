"""Secrets by symbolic name: where they are kept is somebody else's business, and never a file of ours."""

import hmac
from typing import NoReturn, Protocol

from backend.domain.values.errors import OutriderError

VARIABLE = "OUTRIDER_KEY_"
"""How the environment variables begin that hold secrets; a name in capitals follows."""


class Secret:
    """A text that shows itself only to who asks for it by name; it can be neither printed nor pickled."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """The text itself, for the one call that needs it."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(…)"

    __str__ = __repr__

    def __format__(self, _: str) -> str:
        return repr(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and hmac.compare_digest(self._text.encode(), other._text.encode())

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> NoReturn:
        raise TypeError("a secret is not written anywhere")


def header_text(name: str, secret: Secret) -> str:
    """A key as a header carries it, without the blanks around it. Raises `key_malformed` for what no header can carry."""
    text = secret.reveal().strip()
    for character in text:
        if not " " <= character <= "~":
            raise OutriderError("key_malformed", key=name, character=f"U+{ord(character):04X}")
    return text


class Credentials(Protocol):
    """Names are lower-case words such as `openai`. Raises `keychain_missing`, `keychain_locked` or `keychain_failed`."""

    def get(self, name: str) -> Secret | None:
        """The secret of that name, or None."""

    def put(self, name: str, secret: Secret) -> None:
        """Keep it, in place of what was kept; raises `key_read_only` where nothing can be kept."""

    def forget(self, name: str) -> None:
        """Keep it no more; nothing if there is none. Raises `key_read_only`."""

    def where(self, name: str) -> str:
        """Where it is, or would be kept, for people; never the secret."""


class ModelKeys(Credentials, Protocol):
    """Each key is for the hosts that the user named: which connections there are, a shared store can say, too."""

    def get_for(self, name: str, base_url: str) -> Secret | None:
        """The secret, to be shown at that address; raises `key_not_for_host`."""

    def allow(self, name: str, *base_urls: str) -> None:
        """The user wants it shown there, too. Nothing while there is no such key, or it cannot be opened."""
