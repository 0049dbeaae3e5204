"""Variables are nouns that say what they hold; a word that every type could be is none, and names no variable."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mutants.__main__ import HARMLESS
from tests.mutants.mutations import shown

ROOT = Path(__file__).resolve().parents[2]
NO_NOUNS = frozenset(
    "about around found given held kept known one owed put said speech strike told wanted".split()  # noqa: SIM905
)
"""What makes a reader hold the type in mind: say `row`, `lead`, `message`, `requested`, `stored` instead."""


def variables(source: str) -> Iterator[tuple[str, int]]:
    """Local and module variables and parameters, with their lines; fields of classes name columns and parts of the API."""
    tree = ast.parse(source)
    fields = {
        id(statement.target)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields:
            yield node.id, node.lineno


def test_every_variable_is_named_by_a_noun() -> None:
    paths = [
        path
        for folder in ("backend", "bridge", "packaging", "receipts", "tests")
        for path in (ROOT / folder).rglob("*.py")
    ]
    assert len(paths) > 1_000
    nameless = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in paths
        for name, line in variables(path.read_text("utf-8"))
        if name in NO_NOUNS
    ]
    assert nameless == []


def test_a_class_name_exists_once() -> None:
    """One word, one concept; private classes are their module's own, and the practice network is another program."""
    modules: dict[str, list[str]] = {}
    for path in [*(ROOT / "backend").rglob("*.py"), *(ROOT / "bridge").rglob("*.py")]:
        if path.is_relative_to(ROOT / "backend/practice") or path.is_relative_to(
            ROOT / "backend/adapters/sandbox/guest"
        ):
            continue
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert len(modules) > 500
    assert {name: paths for name, paths in modules.items() if len(paths) > 1} == {}


FOREIGN = frozenset(
    "EdgeChrome FirstName LearningCoachMessages LikeThis PhD SpA guide_messages jobTitle js_api profileUrl query_canceled"  # noqa: SIM905
    " wasi_snapshot_preview1 wstring_at".split()
)
"""What a docstring may quote, though no code of ours has it: names of other programs and files, and spellings."""


def words_and_quotes(source: str) -> tuple[set[str], set[str]]:
    """The words of the code, and the names that its docstrings and comments quote between backticks."""
    docs = [
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    doc_lines = {line for doc in docs for line in range(doc.lineno, (doc.end_lineno or doc.lineno) + 1)}
    code, prose = "", "\n".join(str(doc.value) for doc in docs)
    for number, line in enumerate(source.splitlines(), 1):
        before, _, comment = ("", "", "") if number in doc_lines else line.partition("# ")
        code += f"{before}\n"
        prose += f"{comment}\n"
    quotes = re.findall(r"`([A-Za-z_][\w.]*)(?:\(\))?`", prose)
    names = {word for quote in quotes for word in quote.split(".") if re.search(r"[a-z][A-Z]|_", word)}
    return set(re.findall(r"\w+", code)), names


def test_what_a_docstring_names_exists() -> None:
    folders = [ROOT / folder for folder in ("backend", "bridge", "packaging")]
    read = {path: words_and_quotes(path.read_text("utf-8")) for folder in folders for path in folder.rglob("*.py")}
    exist = {path.stem for path in read} | FOREIGN
    exist.update(*(words for words, _ in read.values()))
    others = [path for folder in (*folders, ROOT / "frontend/src") for path in folder.rglob("*.*")]
    for path in others:
        if path.suffix in (".sql", ".ts", ".svelte", ".toml", ".spec"):
            exist.update(re.findall(r"\w+", path.read_text("utf-8")))
    assert {str(path.relative_to(ROOT)): quotes - exist for path, (_, quotes) in read.items() if quotes - exist} == {}


@pytest.mark.parametrize(
    "source",
    ["def f(found): pass", "x = [one for one in y]", "with a as kept: pass", "lambda told: 1", "for said in y: pass"],
)
def test_a_variable_is_seen_wherever_it_is_bound(source: str) -> None:
    assert {name for name, _ in variables(source)} & NO_NOUNS


def test_a_field_is_not_a_variable() -> None:
    assert list(variables("class A:\n    said: str")) == []


def test_what_excuses_a_mutant_quotes_the_code_as_it_is() -> None:
    """An excuse whose line was reworded excuses nothing any more, and the mutant counts as missed."""
    for path, excuses in tomllib.loads(HARMLESS.read_text("utf-8")).items():
        source = (ROOT / path).read_text("utf-8")
        starts = {f"{line.strip()}: " for line in source.splitlines()}
        starts |= {f"{shown(node)} → " for node in ast.walk(ast.parse(source)) if isinstance(node, ast.expr | ast.stmt)}
        assert [change for change in excuses if not change.startswith(tuple(starts))] == []
