"""What a test asks of a database in SQL, to be handed to `Database.query`."""

from typing import Any

from backend.store.database import DatabaseConnection


def all_rows(connection: DatabaseConnection, sql: str, *values: object) -> list[Any]:
    """Every row."""
    return connection.execute(sql, values).fetchall()


def first_row(connection: DatabaseConnection, sql: str, *values: object) -> Any:
    """The first row; None without one."""
    return connection.execute(sql, values).fetchone()
