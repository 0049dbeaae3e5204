"""The documents point at things that exist."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.core import TyperGroup

from backend import cli
from backend.settings import SETTINGS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(path for folder in ("backend", "packaging", "frontend/src") for path in (ROOT / folder).rglob("README.md")),
]
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)")
TARGET = re.compile(r"\bmake (?:[A-Z]+=\S+ )?([a-z-]+)\b")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_relative_link_leads_somewhere(document: Path) -> None:
    links = LINK.findall(document.read_text(encoding="utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_every_make_command_that_is_shown_exists(name: str) -> None:
    code = " ".join(re.findall(r"```.*?```|`[^`]+`", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(TARGET.findall(code)) <= targets


def test_the_readme_names_every_command_of_the_terminal() -> None:
    table = re.findall(r"^\| (`.*?) \|", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    shown = {word for cell in table for code in re.findall(r"`([^`]+)`", cell) for word in code.split()}
    group = typer.main.get_command(cli.app)
    assert isinstance(group, TyperGroup)
    assert set(group.commands) - shown == set()


def terminal_commands(group: TyperGroup) -> Iterator[tuple[str, Any]]:
    """Every command of the terminal, with its whole name."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from ((f"{name} {inner}", one) for inner, one in terminal_commands(command))
        else:
            yield name, command


def test_every_command_takes_the_data_folder() -> None:
    group = typer.main.get_command(cli.app)
    assert isinstance(group, TyperGroup)
    takes = {
        name: {option for one in command.params for option in one.opts} for name, command in terminal_commands(group)
    }
    assert len(takes) > 50
    assert [name for name, options in takes.items() if "--data-dir" not in options] == []


def test_the_readme_has_a_row_for_every_setting_from_outside() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    rows = [f"| `{row.variable}` | {row.help} | {row.default} |" for row in SETTINGS]
    assert [line for line in lines if line.startswith("| `OUTRIDER_")] == rows


def test_the_guide_names_the_keys_that_the_page_has() -> None:
    keys = dict(
        re.findall(r'title: "(\w+)", key: "(\w)"', (ROOT / "frontend/src/lib/state/route.ts").read_text("utf-8"))
    )
    told = re.findall(r"\*\*(\w+)\*\* \([^)`]*`g (\w)`", (ROOT / "docs/guide/daily-session.md").read_text("utf-8"))
    assert len(told) >= 4
    assert [(name, key) for name, key in told if keys[name] != key] == []
