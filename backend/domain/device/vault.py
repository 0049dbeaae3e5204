"""What stands of the vault beside the sealed secrets: under which data key they are sealed, and that key, wrapped.

Nothing of that is secret. It is synced, so whatever it says is checked before it is followed (design: security, "Secrets").

The recovery code is what a person copies from paper: 128 random bits with a check that finds every slip of the pen, in
Crockford's 32 signs without I, L, O and U; 26 for the bits, 2 for the check, in groups of four.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backend.domain.values.errors import OutriderError

VAULT = "vault:wrap"
"""The header's name in the workspace's configuration."""

LEAST_PASSPHRASE = 10

LEAST_KIB, MOST_KIB = 19 * 1024, 1024 * 1024
LEAST_PASSES, MOST_PASSES = 2, 10
MOST_LANES = 16

SecretKind = Literal["api_key", "llm_provider", "database"]
Hex16 = Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
Text = Annotated[str, Field(max_length=1_000)]


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


class KdfCost(_Shape):
    """What it costs to try one passphrase (Argon2id); about 0.6 s on a usual machine."""

    memory_kib: int = 64 * 1024
    passes: int = 3
    lanes: int = 4


class WrappedKey(_Shape):
    """A key sealed under a passphrase; `sealed` is base64 of nonce and ciphertext."""

    salt: Hex16
    cost: KdfCost
    sealed: Text


class RecoveryWrappedKey(WrappedKey):
    """A data key sealed under passphrase and recovery code; `mark` tells a wrong code from a wrong passphrase."""

    mark: Hex16


class VaultHeader(_Shape):
    """Which data key is in force: `vault` is drawn anew with each, so that two devices' second keys are not confused."""

    scheme: Literal[1] = 1
    vault: Hex16
    version: int = Field(ge=1, le=2**31 - 1)
    kit: RecoveryWrappedKey | None = None


class SecretPayload(_Shape):
    """What is sealed of one key: itself, and the hosts that the user named for it, each as `connection.origin_of` says it."""

    secret: str = Field(repr=False)
    hosts: tuple[str, ...] = ()


def parse_vault_header(value: str) -> VaultHeader:
    """As it stands in the configuration; raises `vault_parameters_refused`."""
    try:
        return VaultHeader.model_validate_json(value)
    except ValidationError:
        raise OutriderError("vault_parameters_refused", why="its description is not one that Outrider writes") from None


def refuse_cost(cost: KdfCost) -> None:
    """Raises `vault_parameters_refused`: too cheap could be guessed, too dear would be an attack on this machine."""
    memory = LEAST_KIB <= cost.memory_kib <= MOST_KIB
    if not (memory and LEAST_PASSES <= cost.passes <= MOST_PASSES and 1 <= cost.lanes <= MOST_LANES):
        asked = f"{cost.memory_kib} KiB, {cost.passes} passes, {cost.lanes} lanes"
        raise OutriderError("vault_parameters_refused", why=f"it asks for a passphrase check of {asked}")


def refuse_short(passphrase: str) -> None:
    """Raises `passphrase_short` for a new one that can be guessed."""
    if len(passphrase) < LEAST_PASSPHRASE:
        raise OutriderError("passphrase_short", least=LEAST_PASSPHRASE)


ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
BYTES = 16
_LENGTH = 28
_GROUP = 4
# A prime below 32²: one wrong sign, or two that changed places, always give another remainder.
_CHECK = 1021
_READ_AS = str.maketrans("OIL", "011", " -")


def format_code(secret: bytes) -> str:
    """The 16 bytes as seven groups of four signs."""
    number = int.from_bytes(secret)
    number = number * len(ALPHABET) ** 2 + number % _CHECK
    signs = "".join(ALPHABET[number >> 5 * position & 31] for position in reversed(range(_LENGTH)))
    return "-".join(signs[at : at + _GROUP] for at in range(0, _LENGTH, _GROUP))


def parse_code(code: str) -> bytes:
    """The 16 bytes again, however it was typed; raises `recovery_code_wrong`."""
    signs = code.upper().translate(_READ_AS)
    if len(signs) != _LENGTH or not set(signs) <= set(ALPHABET):
        raise OutriderError("recovery_code_wrong")
    number = 0
    for sign in signs:
        number = number << 5 | ALPHABET.index(sign)
    number, check = divmod(number, len(ALPHABET) ** 2)
    if number % _CHECK != check or number >> 8 * BYTES:
        raise OutriderError("recovery_code_wrong")
    return number.to_bytes(BYTES)
