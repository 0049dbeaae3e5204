"""Secrets in the keychain of the operating system."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from backend.domain.values.errors import OutriderError
from backend.ports.credentials import Secret

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

SERVICE = "Outrider"

ALLOWED = {
    "keyring.backends.SecretService": "the desktop's keyring (Secret Service)",
    "keyring.backends.libsecret": "the desktop's keyring (libsecret)",
    "keyring.backends.kwallet": "KDE's wallet",
    "keyring.backends.macOS": "the macOS keychain",
    "keyring.backends.Windows": "the Windows credential manager",
}
"""Others that may be installed keep secrets in plain files, or nowhere."""


def system_keychain() -> "KeyringBackend":
    """The best keychain of this machine that is allowed; raises `keychain_missing`."""
    import keyring.backend  # noqa: PLC0415 - looks through every installed package, which a start need not wait for

    usable = [
        keychain
        for keychain in keyring.backend.get_all_keyring()
        if type(keychain).__module__ in ALLOWED and keychain.priority > 0
    ]
    if not usable:
        raise OutriderError("keychain_missing")
    keychain: Any = max(usable, key=lambda keychain: keychain.priority)
    # Windows's, which would take it along to each computer where the user signs in.
    if hasattr(type(keychain), "persist"):
        keychain.persist = "local machine"
    return cast("KeyringBackend", keychain)


class Keychain:
    """Asked anew each time: a keychain may be unlocked, or come up, while Outrider runs."""

    def __init__(self, find: "Callable[[], KeyringBackend]" = system_keychain) -> None:
        self._find = find

    def get(self, name: str) -> Secret | None:
        """What the keychain holds."""
        with _coded():
            text = self._find().get_password(SERVICE, name)
        return Secret(text) if text else None

    def put(self, name: str, secret: Secret) -> None:
        """Keep it there."""
        with _coded():
            self._find().set_password(SERVICE, name, secret.reveal())

    def forget(self, name: str) -> None:
        """Remove it from there."""
        with _coded():
            keychain = self._find()
            if keychain.get_password(SERVICE, name) is not None:
                keychain.delete_password(SERVICE, name)

    def where(self, name: str) -> str:
        """Which keychain."""
        with _coded():
            return ALLOWED.get(type(self._find()).__module__, "the keychain")


@contextmanager
def _coded() -> Iterator[None]:
    from keyring.errors import InitError, KeyringError, KeyringLocked, NoKeyringError  # noqa: PLC0415 - as above

    # What a backend says could quote what it was given, so its words are dropped.
    try:
        yield
    except KeyringLocked:
        raise OutriderError("keychain_locked") from None
    except (NoKeyringError, InitError):
        raise OutriderError("keychain_missing") from None
    except (KeyringError, OSError, RuntimeError) as error:
        raise OutriderError("keychain_failed", kind=type(error).__name__) from None
