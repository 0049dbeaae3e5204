"""Rows of the database as values: what a query of one kind of them names, and what is made of each."""

from collections.abc import Callable, Mapping, Sequence
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
