"""The functions of our own that statements call, and one trigger that keeps the logs."""

import sqlite3

from backend.domain.erasure.remains import leaves_no_more
from backend.domain.model.criteria import field_key
from backend.domain.model.variables import is_greeting_unsure
from backend.domain.people.identity import listed_name_key
from backend.domain.values.latin import as_typed, is_folded_by_an_index


def add_functions(connection: sqlite3.Connection) -> None:
    """Let statements on this connection call them."""
    connection.create_function("leaves_no_more", 2, leaves_no_more, deterministic=True)
    connection.create_function("as_typed", 1, _as_typed, deterministic=True)
    connection.create_function("listed_name_key", 2, _listed_name_key, deterministic=True)
    connection.create_function("is_greeting_unsure", 3, _is_greeting_unsure, deterministic=True)
    connection.create_function("field_key", 1, _field_key, deterministic=True)
    connection.create_function("is_folded_by_an_index", 1, _is_folded_by_an_index, deterministic=True)


def _listed_name_key(address: str, name: bytes) -> str:
    return listed_name_key(address, name.decode("utf-8", "replace"))


def _is_greeting_unsure(name: bytes, extra: bytes, greeting_name: bytes) -> bool:
    return is_greeting_unsure(*(text.decode("utf-8", "replace") for text in (name, extra, greeting_name)))


def _field_key(column: bytes) -> str:
    return field_key(column.decode("utf-8", "replace"))


def _as_typed(words: bytes) -> str:
    # As bytes, because SQLite hands over no text that holds half a surrogate pair, and a name may.
    return as_typed(words.decode("utf-8", "replace"))


def _is_folded_by_an_index(words: bytes) -> bool:
    return is_folded_by_an_index(words.decode("utf-8", "replace"))
