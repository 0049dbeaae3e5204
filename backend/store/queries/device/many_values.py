"""Many values in one statement: so many at a time that no statement grows too long."""

from collections.abc import Iterable, Iterator, Sized
from itertools import islice
from typing import TypeVar

_Value = TypeVar("_Value")

MOST_AT_ONCE = 500
"""Values in one statement."""


def batched(values: Iterable[_Value]) -> Iterator[tuple[_Value, ...]]:
    """The values, at most `MOST_AT_ONCE` at a time."""
    remaining = iter(values)
    while batch := tuple(islice(remaining, MOST_AT_ONCE)):
        yield batch


def marks(values: Sized) -> str:
    """A placeholder for each of the values."""
    return ",".join("?" * len(values))


def literals(names: Iterable[str]) -> str:
    """Names of our own as an SQL list, in the text: as parameters, which index serves them would be planned anew each time."""
    return ", ".join(f"'{name}'" for name in names)
