"""SQL stands in the store alone: whoever needs something of the database asks a function there by name."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

STATEMENT = re.compile(
    r"\s*(SELECT\s|WITH\s+(RECURSIVE\s+)?\w+\s*(\(|AS\b)|INSERT\s+(OR\s+\w+\s+)?INTO\s|REPLACE\s+INTO\s|UPDATE\s+\w+\s+SET\s"
    r"|DELETE\s+FROM\s|PRAGMA\s|CREATE\s+(TEMP\s+)?(TABLE|INDEX|TRIGGER|VIEW|VIRTUAL)\b|DROP\s+(TABLE|INDEX|TRIGGER|VIEW)\b"
    r"|ALTER\s+TABLE\s|EXPLAIN\s+QUERY\b|BEGIN(\s+IMMEDIATE)?$|COMMIT$|ROLLBACK$)"
)
"""How a statement begins; in capitals, as all of ours are, so that an English sentence is none."""

HOME = "backend/store/"
SCRIPTS = "backend/adapters/sandbox/builtin/"
"""Built-in scripts ask a copy of a few tables, as scripts that users write do."""


def statements(source: str) -> list[str]:
    """The SQL texts of a module: constants and f-strings that begin as a statement does."""
    tree = ast.parse(source)
    texts = []
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]) | ast.Constant(value=str(text)):
                if STATEMENT.match(text):
                    texts.append(text)
    return texts


def sources() -> list[Path]:
    paths = sorted(path for folder in ("backend", "bridge") for path in (ROOT / folder).rglob("*.py"))
    return [path for path in paths if not path.relative_to(ROOT).as_posix().startswith((HOME, SCRIPTS))]


def test_only_the_store_holds_sql() -> None:
    statements_by_file = {path.relative_to(ROOT).as_posix(): statements(path.read_text("utf-8")) for path in sources()}
    assert {name: texts for name, texts in statements_by_file.items() if texts} == {}


def test_the_store_holds_sql() -> None:
    nouns = ("leads/leads", "campaign/tasks")
    assert all(statements((ROOT / HOME / "queries" / f"{noun}.py").read_text("utf-8")) for noun in nouns)


@pytest.mark.parametrize(
    "source",
    ['x = "SELECT 1"', 'x = f"SELECT {names} FROM leads"', 'x = """\nSELECT id\nFROM leads"""', 'c.execute("PRAGMA user_version")',
     'x = "INSERT INTO t VALUES (1)"', 'x = "WITH RECURSIVE used(tag) AS (SELECT 1)"', 'x = "UPDATE t SET a=1"',
     'x = "DELETE FROM " + table', 'x = f"{head}" f"SELECT a FROM b" if y else "COMMIT"'],
)  # fmt: skip
def test_a_statement_is_found(source: str) -> None:
    assert statements(source)


@pytest.mark.parametrize(
    "source",
    ['x = "Select what you want."', 'x = "Update the settings"', 'x = "DELETE"', 'x = "with care"', "SELECTED = 2"],
)
def test_what_only_sounds_like_one_is_none(source: str) -> None:
    assert statements(source) == []
