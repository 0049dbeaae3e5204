"""What seals secrets: the data key, which this device opens, or another one with passphrase and recovery code."""

from typing import Literal, NamedTuple, Protocol

from backend.domain.vault import Charter
from backend.ports.credentials import Secret

Needs = Literal["nothing", "passphrase", "passphrase_and_code"]


class VaultStanding(NamedTuple):
    """As `api.wire.keys.Vault` says it; `where` the key to the data key is, and `problem`, are for people."""

    state: Literal["none", "open", "locked"]
    needs: Needs
    where: str
    problem: str


class Vault(Protocol):
    """A charter says which data key is meant; None before the first. Methods that need it raise `vault_locked`."""

    def standing(self, charter: Charter | None) -> VaultStanding:
        """Whether that data key is at hand, and what it takes; raises nothing."""
        ...

    def unlock(self, charter: Charter | None, passphrase: str, code: str | None) -> None:
        """By this machine's passphrase, or with the code by a kit's. Both are the same on a new machine without a keychain.

        Raises `passphrase_wrong`, `passphrase_short`, `recovery_code_wrong`, `vault_without_kit`, `vault_parameters_refused`.
        """
        ...

    def begin(self, charter: Charter | None) -> Charter:
        """A new data key, on disk here beside the one in force; whoever records the charter that is returned puts it in force."""
        ...

    def kit(self, charter: Charter, passphrase: str) -> tuple[Charter, str]:
        """The charter with its data key wrapped for other devices, and the recovery code. Takes a second; `passphrase_short`."""
        ...

    def seal(self, charter: Charter, name: str, secret: Secret) -> str:
        """The secret as text that only this data key opens, and only under this name."""
        ...

    def open(self, charter: Charter, name: str, version: int, sealed: str) -> Secret:
        """The secret again. Raises `key_unreadable` if it was changed, or sealed under a data key that is not here."""
        ...
