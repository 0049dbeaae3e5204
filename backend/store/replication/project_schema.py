"""The SQL that prepares a project, as somebody pastes it into its SQL editor: a device's tables, and the functions that write."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from backend.domain.erasure.erasure import KEPT, SIZES, UNIQUE_KEYS
from backend.domain.events.events import EVENT_KINDS, FENCED, KEY_NAMES, TABLES
from backend.ports.shared_store import SCHEMA_VERSION
from backend.store import migrations

_TYPES = {"INTEGER": "bigint", "TEXT": "text", "BLOB": "bytea"}


def schema_sql() -> str:
    """Run again after an update, it adds what is new and keeps every row."""
    with closing(sqlite3.connect(":memory:")) as device:
        migrations.copy_schema(device)
        projections = [_table(device, table) for table in (*TABLES.values(), "execution_state")]
    parts = {
        "projections": "\n".join(projections),
        "entities": _rows(
            "entities",
            ("entity", "table_name", "key_name"),
            ((entity, table, KEY_NAMES.get(entity, "id")) for entity, table in TABLES.items()),
        ),
        "event_kinds": _rows(
            "event_kinds",
            ("kind", "entity", "verb", "fenced"),
            (
                (kind, event.entity, event.verb.value, str(kind in FENCED).lower())
                for kind, event in EVENT_KINDS.items()
            ),
        ),
        "states": _array(KEPT),
        "sizes": _array(SIZES),
        "unique_keys": _array(UNIQUE_KEYS),
        "version": str(SCHEMA_VERSION),
    }
    sql = Path(__file__).with_suffix(".sql").read_text("utf-8")
    for name, part in parts.items():
        sql = sql.replace(f"{{{name}}}", part)
    return sql


def _table(device: sqlite3.Connection, table: str) -> str:
    """Columns that a row need not have are added one by one, so that a project of an earlier version gets them, too."""
    unique = [
        [name for (name,) in device.execute("SELECT name FROM pragma_index_info(?)", (index,))]
        for (index,) in device.execute(
            "SELECT name FROM pragma_index_list(?) WHERE \"unique\" AND origin = 'c'", (table,)
        )
    ]
    keys, made, added = ["user_id"], ["user_id uuid not null"], []
    for name, type_, is_not_null, default, is_key in device.execute(
        "SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info(?) WHERE name <> 'user_id'", (table,)
    ):
        column = f"{name} {_TYPES[type_]}" + " not null" * bool(is_not_null or is_key)
        if default is not None:
            column += f" default {default}"
        if is_key:
            keys.append(name)
        if is_key or (is_not_null and default is None) or any(name in columns for columns in unique):
            made.append(column)
        else:
            added.append(f"add column if not exists {column}")
    made.append(f"primary key ({', '.join(keys)})")
    made.extend(f"unique ({', '.join(columns)}, user_id) deferrable" for columns in unique)
    sql = f"\ncreate table if not exists public.{table} (\n  " + ",\n  ".join(made) + "\n);\n"
    if added:
        sql += f"alter table public.{table}\n  " + ",\n  ".join(added) + ";\n"
    return (
        f"{sql}comment on table public.{table} is 'As the log says: the same rows and columns as on a device.';\n"
        f"select outrider.let_owner_read('public.{table}');"
    )


def _rows(table: str, columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    values = ",\n".join("  (" + ", ".join(f"'{value}'" for value in row) + ")" for row in rows)
    changes = ", ".join(f"{column} = excluded.{column}" for column in columns[1:])
    return (
        f"insert into outrider.{table} ({', '.join(columns)}) values\n{values}\n"
        f"on conflict ({columns[0]}) do update set {changes};"
    )


def _array(names: Iterable[str]) -> str:
    return "array[" + ", ".join(f"'{name}'" for name in sorted(names)) + "]"
