"""Rows of the database as values: what is made of those of one kind, and many values in a statement that does not grow too long."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from itertools import islice
from typing import Any, Generic, TypeVar

from backend.store.database import DatabaseConnection

_Value = TypeVar("_Value")
_Parameters = Sequence[Any] | Mapping[str, Any]


class TableReader(Generic[_Value]):
    """Reads rows as values of one kind; their columns, and what is made of them, are named once for all queries."""

    def __init__(self, select: str, make: Callable[..., _Value]) -> None:
        self._select = select
        self._make = make

    def every(self, connection: DatabaseConnection, rest: str, parameters: _Parameters = ()) -> list[_Value]:
        """All rows that the rest of the query (`WHERE …`) leaves."""
        make = self._make
        return [make(*row) for row in connection.execute(f"{self._select} {rest}", parameters)]

    def first(self, connection: DatabaseConnection, rest: str, parameters: _Parameters = ()) -> _Value | None:
        """The first of them, if there is one."""
        row = connection.execute(f"{self._select} {rest}", parameters).fetchone()
        return self._make(*row) if row else None


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
