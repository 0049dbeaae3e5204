"""Chance without randomness: the same words always give the same draw, on every machine."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


def roll(*words: object) -> int:
    """A number below 2**64 that depends on nothing but the words."""
    encoded_words = "\x1f".join(map(str, words)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(encoded_words, digest_size=8).digest(), "big")


def pick(options: Sequence[T], *words: object) -> T:
    """One of the options, chosen by the words."""
    return options[roll(*words) % len(options)]


def between(low: int, high: int, *words: object) -> int:
    """A whole number from low to high, both included."""
    return low + roll(*words) % (high - low + 1)


def weighted(table: Sequence[tuple[int, T]], *words: object) -> T:
    """One of the table's values; a row's first cell says how often, out of the sum of all rows."""
    point = roll(*words) % sum(weight for weight, _ in table)
    for weight, value in table:
        if point < weight:
            return value
        point -= weight
    raise ValueError("a weighted table needs a positive weight")
