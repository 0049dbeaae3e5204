"""What import-linter cannot see of the domain's purity: calls that read a clock, a file or the terminal."""

import ast
from pathlib import Path

import pytest

DOMAIN = Path(__file__).resolve().parents[2] / "backend" / "domain"
FUNCTIONS = {"open", "input", "print", "exec", "eval", "compile", "__import__", "breakpoint"}
METHODS = {"now", "utcnow", "today"}


def impure_calls(source: str) -> list[str]:
    calls: list[str] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS:
                calls.append(f"line {node.lineno}: {name}()")
            case ast.Call(func=ast.Attribute(attr=name)) if name in METHODS:
                calls.append(f"line {node.lineno}: .{name}()")
    return calls


def test_the_domain_reads_no_clock_file_or_terminal() -> None:
    calls_by_file = {path.name: impure_calls(path.read_text(encoding="utf-8")) for path in DOMAIN.rglob("*.py")}
    assert len(calls_by_file) > 20
    assert {name: calls for name, calls in calls_by_file.items() if calls} == {}


@pytest.mark.parametrize("source", ["open('x')", "datetime.now(UTC)", "date.today()", "datetime.datetime.utcnow()"])
def test_an_impure_call_is_found(source: str) -> None:
    assert impure_calls(source)
