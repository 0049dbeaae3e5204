"""A changed copy is used: what changes a value that cannot change makes another, and leaves the first as it was."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def unused_copies(source: str) -> list[str]:
    """The statements that make a changed copy and drop it."""
    tree = ast.parse(source)
    copying = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in ("dataclasses", "copy")
        for alias in node.names
    }
    statements = (node for node in ast.walk(tree) if isinstance(node, ast.Expr))
    calls = ((node.lineno, node.value.func) for node in statements if isinstance(node.value, ast.Call))
    return [
        f"line {line}: {ast.unparse(called)}"
        for line, called in calls
        if (isinstance(called, ast.Attribute) and called.attr in ("_replace", "model_copy"))
        or (isinstance(called, ast.Name) and called.id in copying)
    ]


@pytest.mark.parametrize("package", ["backend", "bridge"])
def test_no_changed_copy_is_dropped(package: str) -> None:
    unused = {
        str(path.relative_to(ROOT)): copies
        for path in sorted((ROOT / package).rglob("*.py"))
        if (copies := unused_copies(path.read_text(encoding="utf-8")))
    }
    assert unused == {}


def test_a_dropped_copy_is_noticed() -> None:
    for source in ("lead._replace(status=1)", "from dataclasses import replace\nreplace(task, strikes=0)"):
        assert unused_copies(source)
        assert not unused_copies(source.replace("lead._", "lead = lead._").replace("\nreplace(", "\ntask = replace("))
