"""What seals secrets: the data key, which this device opens, or another one with passphrase and recovery code."""

from dataclasses import dataclass
from typing import Literal, Protocol

from backend.domain.device.vault import VaultHeader
from backend.ports.credentials import Secret

UnlockNeeds = Literal["nothing", "passphrase", "passphrase_and_code"]


@dataclass(frozen=True, slots=True)
class VaultStatus:
    """`none`: nothing was sealed; `locked`: ask for the passphrase and what it `needs`. `where` and `problem` are for people."""

    state: Literal["none", "open", "locked"]
    needs: UnlockNeeds
    where: str
    problem: str


class Vault(Protocol):
    """A header says which data key is meant; None before the first. Methods that need it raise `vault_locked`."""

    def status(self, header: VaultHeader | None) -> VaultStatus:
        """Whether that data key is at hand, and what it takes; raises nothing."""
        ...

    def unlock(self, header: VaultHeader | None, passphrase: str, code: str | None) -> None:
        """By this machine's passphrase, or with the code by a kit's. Both are the same on a new machine without a keychain.

        Raises `passphrase_wrong`, `passphrase_short`, `recovery_code_wrong`, `vault_without_kit`, `vault_parameters_refused`.
        """
        ...

    def start_anew(self, header: VaultHeader | None, passphrase: str) -> VaultHeader:
        """A vault under this passphrase in place of one that nobody can open; what was sealed on this machine is lost.

        Raises `vault_open` where it can be opened, and `passphrase_short`.
        """
        ...

    def create_data_key(self, header: VaultHeader | None) -> VaultHeader:
        """A new data key, on disk here beside the one in force; whoever records the header that is returned puts it in force."""
        ...

    def make_recovery_kit(self, header: VaultHeader, passphrase: str) -> tuple[VaultHeader, str]:
        """The header with its data key wrapped for other devices, and the recovery code. Takes a second; `passphrase_short`."""
        ...

    def seal(self, header: VaultHeader, name: str, secret: Secret) -> str:
        """The secret as text that only this data key opens, and only under this name."""
        ...

    def open(self, header: VaultHeader, name: str, version: int, sealed: str) -> Secret:
        """The secret again. Raises `key_unreadable` if it was changed, or sealed under a data key that is not here."""
        ...
