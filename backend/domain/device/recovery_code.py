"""The recovery code: 128 random bits as a person copies them from paper, with a check that finds every slip of the pen.

Crockford's 32 signs without I, L, O and U; 26 for the bits, 2 for the check, in groups of four.
"""

from backend.domain.values.errors import OutriderError

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
