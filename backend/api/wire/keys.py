"""Keys and the vault that seals them. What is secret comes in and never goes out."""

from typing import Annotated, Literal

from pydantic import Field

from backend.api.wire.base import Id, Wire
from backend.domain.vault import SecretKind

KEY_NAME = r"[a-z][a-z0-9_]{0,31}"
Passphrase = Annotated[str, Field(min_length=1, max_length=1_000)]
NewPassphrase = Annotated[str, Field(min_length=10, max_length=1_000)]
RecoveryCode = Annotated[str, Field(min_length=20, max_length=80)]


class Vault(Wire):
    """`none`: nothing was sealed yet. `locked`: ask for the passphrase (`needs` says what else). `where` the key to it is kept.

    `kit`: other devices can open it, with the passphrase and the recovery code.
    """

    state: Literal["none", "open", "locked"]
    needs: Literal["nothing", "passphrase", "passphrase_and_code"]
    where: str
    kit: bool
    version: int
    problem: str


class KeyLine(Wire):
    """A key by its name: where it is, when it was set, and what uses it. Never the key.

    `given` by the environment, `keychain` of an earlier version, `sealed` in the vault.
    """

    name: str
    kind: SecretKind
    state: Literal["sealed", "given", "keychain", "missing", "locked"]
    where: str
    updated_at: int | None
    used_by: list[str]


class KeysView(Wire):
    """The vault, and every key that is kept or that something names."""

    vault: Vault
    keys: list[KeyLine]


class KeepKey(Wire):
    """A key's new value; a name that is not there yet begins one."""

    kind: SecretKind = "api_key"
    secret: str = Field(min_length=1, max_length=8_000)


class MakeKit(Wire):
    """The passphrase by which other devices will open the vault; a new kit makes the earlier one worthless."""

    passphrase: NewPassphrase


class RecoveryKit(Wire):
    """Shown once, and nowhere kept."""

    code: str
    email: str
    url: str


class Unlock(Wire):
    """The passphrase, and on a device that never opened it the recovery code."""

    passphrase: Passphrase
    code: RecoveryCode | None = None


class Revoke(Wire):
    """Take a device's access away: a new data key, everything sealed anew, and a new kit."""

    device_id: Id
    passphrase: NewPassphrase
