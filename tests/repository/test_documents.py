"""The documents point at things that exist."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from typer.core import TyperGroup

from backend.terminal.app import app
from tests.repository.spec_coverage import what_is_wrong_with

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted(path for folder in ("backend", "packaging", "frontend/src") for path in (ROOT / folder).rglob("README.md")),
]
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)")
TARGET = re.compile(r"\bmake (?:[A-Z]+=\S+ )?([a-z-]+)\b")


RUN_BY_A_TEST = {
    ".venv/bin/outrider rehearse --leads tests/data/Connections.csv --max-leads 10": (
        "tests/cli/test_approval.py::test_an_edited_text_is_shown_again_and_exactly_that_is_sent"
    ),
}
"""What users are shown on a line of its own, and the test that runs it (there with fewer people)."""
RUN_BY_NO_TEST = {"make run": "it downloads for minutes; test_setup.py tries its steps, and tests/bridge what it opens"}
TEST = re.compile(r"`(tests/[\w/]+\.py::test_\w+)`")
MAPS = ("architecture.md", "log.md", "effects.md", "shared-store.md", "models-and-assistant.md")
GUIDE = [ROOT / "README.md", *sorted((ROOT / "docs/guide").glob("*.md"))]
PAGES_OF_SCREENS = [ROOT / "docs/scripts.md", ROOT / "docs/mcp.md"]
"""Those that users read beside the guide."""


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_relative_link_leads_somewhere(document: Path) -> None:
    links = LINK.findall(document.read_text(encoding="utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []


def anchors(document: Path) -> set[str]:
    """What a link can name in it: its headings, as GitHub makes addresses of them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_to_a_heading_has_one(document: Path) -> None:
    links = re.findall(r"\]\((?!https?://)([^)#]*)#([^)]+)\)", document.read_text("utf-8"))
    targets = [((document.parent / file) if file else document, anchor) for file, anchor in links]
    assert [anchor for target, anchor in targets if anchor not in anchors(target)] == []


def test_every_file_that_the_map_names_exists() -> None:
    text = "".join((ROOT / "docs" / name).read_text("utf-8") for name in (*MAPS, "../CONTRIBUTING.md"))
    named = re.findall(r"`(?!dist/)((?:\w+/)+\w*(?:\.\w+)?)`", text)
    assert len(named) > 50
    assert [name for name in named if not any((ROOT / top / name).exists() for top in ("", "backend"))] == []


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_every_make_command_that_is_shown_exists(name: str) -> None:
    code = " ".join(re.findall(r"```.*?```|`[^`]+`", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(TARGET.findall(code)) <= targets


def terminal_commands(group: TyperGroup) -> Iterator[tuple[str, Any]]:
    """Every command of the terminal, with its whole name."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from ((f"{name} {inner}", inner_command) for inner, inner_command in terminal_commands(command))
        else:
            yield name, command


def test_every_command_takes_the_data_folder() -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    takes = {
        name: {option for parameter in command.params for option in parameter.opts}
        for name, command in terminal_commands(group)
    }
    assert len(takes) > 50
    assert [name for name, options in takes.items() if "--data-dir" not in options] == []


def test_every_command_that_a_document_shows_has_the_options_that_it_is_shown_with() -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    takes = {
        name: {option for parameter in command.params for option in parameter.opts}
        for name, command in terminal_commands(group)
    }
    shown = [
        (path.name, line, words)
        for path in DOCUMENTS
        for line in re.findall(r"[`/]outrider ([a-z][^`\n|]*)", path.read_text("utf-8").replace("\n", " \n"))
        if (words := line.split())
    ]
    assert len(shown) > 100
    wrong = []
    for document, line, words in shown:
        name = next((candidate for candidate in (" ".join(words[:2]), words[0]) if candidate in takes), None)
        options = {*re.findall(r"(?<=\s)--[a-z-]+", line)} - {"--help"}
        if name is None and any(command_name.startswith(f"{words[0]} ") for command_name in takes):
            continue  # a group of commands, such as `outrider people`
        if name is None or options - takes[name]:
            wrong.append((document, line))
    assert wrong == []


def test_every_command_line_that_users_are_shown_is_run_by_a_test_or_marked() -> None:
    blocks = [block for path in GUIDE for block in re.findall(r"```\n(.*?)```", path.read_text("utf-8"), re.DOTALL)]
    lines = {line for block in blocks for line in block.splitlines()}
    assert lines == RUN_BY_A_TEST.keys() | RUN_BY_NO_TEST.keys()
    assert [why for test in RUN_BY_A_TEST.values() if (why := what_is_wrong_with(test, ROOT))] == []


def test_each_promise_names_tests_that_exist() -> None:
    promises = (ROOT / "docs/promises.md").read_text("utf-8").split("\n**")[1:]
    assert len(promises) > 8
    assert [promise.splitlines()[0] for promise in promises if not TEST.search(promise)] == []
    assert [
        why for promise in promises for test in TEST.findall(promise) if (why := what_is_wrong_with(test, ROOT))
    ] == []


def test_the_guide_says_what_every_folder_in_the_data_folder_is() -> None:
    code = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "backend").rglob("*.py")))
    named = set(re.findall(r"\bdata_dir / \"([\w.-]+)\"", code))
    assert {"outrider.db", "evidence", "campaigns"} <= named
    guide = (ROOT / "docs/guide/your-data.md").read_text("utf-8")
    assert [name for name in sorted(named) if f"`{name}`" not in guide] == []


def test_what_the_guide_tells_to_press_is_written_on_the_page() -> None:
    paths = [path for folder in ("frontend/src", "backend") for path in (ROOT / folder).rglob("*.*")]
    code = [path.read_text("utf-8") for path in paths if path.suffix in (".ts", ".svelte", ".py")]
    page = re.sub(r"\s+", " ", " ".join(code))
    guide = " ".join(" ".join(path.read_text("utf-8").split()) for path in (*GUIDE, *PAGES_OF_SCREENS))
    italics = re.findall(r"(?<![*`])\*([^*`]+)\*(?!\*)", guide)
    buttons = re.findall(r"(?:[Pp]ress|[Cc]hoose) \*\*([^*]+)\*\*|\*\*([^*]+)\*\* \(`", guide)
    emphasised = [*italics, *(label for pair in buttons for label in pair if label)]
    labels = {part for label in emphasised for part in (label.split(", ") if label.startswith("Settings") else [label])}
    assert len(buttons) > 10
    assert len(labels) > 30
    assert {label for label in labels if label.rstrip(".") not in page} == set()


def test_the_guide_names_the_keys_that_the_page_has() -> None:
    keys = dict(
        re.findall(r'title: "(\w+)", key: "(\w)"', (ROOT / "frontend/src/lib/navigation/route.ts").read_text("utf-8"))
    )
    documented_keys = re.findall(
        r"\*\*(\w+)\*\* \([^)`]*`g (\w)`", (ROOT / "docs/guide/daily-session.md").read_text("utf-8")
    )
    assert len(documented_keys) >= 4
    assert [(name, key) for name, key in documented_keys if keys[name] != key] == []
