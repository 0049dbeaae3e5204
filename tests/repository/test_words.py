"""What people read is said as they would say it, without codes and private words; and each place that it names exists."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main
from typer.core import TyperGroup

from backend.domain.values.error_table import ERRORS
from backend.terminal.app import app

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "frontend/src"
SPEAKING = ("api", "commands", "domain", "ports", "runtime", "terminal", "turn")
"""The parts of the backend whose sentences may reach people: errors, gates, reasons to wait, questions, the log in words."""
UNREAD = {
    "frontend/src/lib/api/": "generated",
    "backend/api/generate.py": "comments of what is generated",
    **{
        f"frontend/src/features/{folder}/": "how the work is done"
        for folder in ("artifacts", "run", "scripts", "tasks", "timeline")
    },
    **{
        f"backend/terminal/{command}.py": "how the work is done"
        for command in ("agents", "mcp", "proofs", "runtime", "scripts")
    },
    "backend/domain/events/facts/sentences.py": "the log's entries, as Timeline shows them",
    "backend/commands/servitors.py": "the log of what connected programs do",
    "backend/turn/turn_queue.py": "for developers: what a wrong use of the queue ends with",
    "backend/domain/turn/snapshot.py": "what a model is told",
    "backend/domain/model/tools.py": "what a model is told",
    "backend/domain/people/past_contact_words.py": "the words of other tools' files",
}
"""What may name turns and codes, and why."""
ELSEWHERE = {"Outrider", "Settings", "Linux", "Windows", "Pending", "Under", "Later"}
"""What stands as a screen does and is none of a campaign: "Pending" is LinkedIn's, "Later" a list in Send."""
NAMED_IN_BACKEND = "LinkedIn, sent by you"
REFUSED = {
    r"\b[Tt]exts\b": "a text is an SMS: say messages",
    r"(?i:\b(?:an?|the|this|that|each|every|exact|last|next|new|no|any|your|its) text)\b(?! (?:file|size))": "say message",
    r"\b[Tt]urns?\b": "say step, or message",
    r"\b[Gg]ates?\b": "say what was checked, or what holds it back",
    r"(?<![\w{.=-])[a-z]+(?:_[a-z]+)+\b|\b[A-Z][a-z]+:\d": "a code or an id: say what it is called",
    r"\b[Ss]ervitors?\b": "say task of a connected program",
    r"\b(?:un)?verified\b|\bstill verif": "say checked",
    r"\b(?:led nowhere|rests? on|lacks a value|bound to|whom it could|only the rest)\b": "say it in plain English",
    r"[Cc]ampaigns? (?:is|are) active\b": "a campaign is on, paused, waiting or done",
    r"\w\.\.(?!\.)": "one full stop",
}
TOKEN = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", re.DOTALL)
UNSEEN = re.compile(r"<(script|style)\b.*?</\1>|<!--.*?-->|\b(?:class|d|id|data-[a-z]+)=\"[^\"]*\"", re.DOTALL)
CODE = re.compile(r"`[^`]*`|\$?\{([^{}]*)\}")


def strings(code: str) -> Iterator[str]:
    """The strings of TypeScript that may be read, without the words by which the palette only finds something."""
    yield from (f"a {noun}" for noun in re.findall(r"\bplural\([^\"\n]*\"(\w+)\"", code))
    for token in TOKEN.findall(re.sub(r"\bwords: \"[^\"]*\"", "", code)):
        if token[0] in "\"'`" and " " in token:
            yield CODE.sub("", token[1:-1])
            yield from (part for inner in CODE.findall(token[1:-1]) for part in strings(inner))


def markup(page: str) -> Iterator[str]:
    """The words between the tags; what is in braces is code."""
    depth, in_tag = 0, False
    for at, letter in enumerate(page):
        depth += (letter == "{") - (letter == "}")
        if depth == 0 and (letter == ">" or re.match(r"<[/A-Za-z]", page[at : at + 2])):
            in_tag = letter == "<"
        elif depth == 0 and not in_tag:
            yield letter


def shown(name: str, source: str) -> list[str]:
    """What people may read of this file: in Python, strings of several words that are no pattern."""
    if name.endswith(".py"):
        nodes = [*ast.walk(ast.parse(source))]
        comments = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        texts = [node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in comments]
        return [CODE.sub("", text) for text in texts if isinstance(text, str) and " " in text and "|" not in text]
    if name.endswith(".svelte"):
        page = UNSEEN.sub("", source)
        script = "".join(re.findall(r"<script\b[^>]*>(.*?)</script>", source, re.DOTALL))
        return [*strings(script), *strings(page), "".join(markup(page))]
    return [*strings(source)] if name.endswith(".ts") else [CODE.sub("", source)]


def refused(name: str, source: str) -> list[str]:
    text = "\n".join(shown(name, source))
    return [f"“{match[0]}”: {why}" for rule, why in REFUSED.items() for match in re.finditer(rule, text)]


def read_by_people() -> dict[str, str]:
    """The sources whose sentences may be read, by name."""
    files = [path for path in PAGE.rglob("*") if path.suffix in (".svelte", ".ts") and ".test." not in path.name]
    files += [path for part in SPEAKING for path in (ROOT / "backend" / part).rglob("*.py")]
    files += [*(ROOT / "docs/guide").glob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"]
    named = {path.relative_to(ROOT).as_posix(): path for path in files}
    return {name: path.read_text("utf-8") for name, path in named.items() if not name.startswith(tuple(UNREAD))}


def test_what_people_read_is_said_as_they_would() -> None:
    read = read_by_people()
    assert len(read) > 500
    refusals = {name: refused(name, source) for name, source in read.items()}
    assert {name: what for name, what in refusals.items() if what} == {}


def test_no_error_is_given_a_status_as_it_is_stored() -> None:
    """ "The campaign completed, so it cannot run": each kind of status has a table of words."""
    calls = [
        (path.name, ast.unparse(keyword.value))
        for path in sorted((ROOT / "backend").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "OutriderError"
        for keyword in node.keywords
        if keyword.arg == "status"
    ]
    assert len(calls) >= 3
    assert [(name, value) for name, value in calls if not value.startswith("STATUS_WORDS[")] == []


def test_nothing_is_excepted_that_is_not_there() -> None:
    assert [name for name in UNREAD if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("a.svelte", '<script lang="ts">const says = "Two texts wait";</script>'),
        ("a.svelte", '<p class="a b" title="All gates">{count}</p>'),
        ("a.svelte", "<p>{#if a > b}Waits for its turn{/if}</p>"),
        ("a.ts", "const title = `${n ? 'is not_replied yet' : n} ${n}`;"),
        ("a.ts", 'const many = plural(one.count(), "text");'),
        ("a.py", 'said = f"The campaign is active until {day}"'),
    ],
)
def test_what_is_refused_is_found_wherever_it_stands(name: str, source: str) -> None:
    assert refused(name, source)


def test_every_place_that_a_sentence_names_exists() -> None:
    """Screens and sections by the page's own lists, other names in the guide by what the page says, commands by the terminal."""
    listed = [(PAGE / name).read_text("utf-8") for name in ("lib/navigation/route.ts", "features/settings/sections.ts")]
    screens, sections = (set(re.findall(r'title: "([^"]+)"', source)) for source in listed)
    read = read_by_people()
    text = "\n".join(part for name, source in read.items() for part in shown(name, source)).replace("*", "")
    named = set(re.findall(r"\b(?:in|on|under|[Oo]pen|[Rr]eload) (?:the |campaign's )?([A-Z][a-z]+)\b(?!')", text))
    assert named - screens <= ELSEWHERE
    assert set(re.findall(r"\bSettings,\s([A-Z][\w &]*[a-z])", text)) <= sections
    page = "\n".join(path.read_text("utf-8") for path in PAGE.rglob("*.*")) + NAMED_IN_BACKEND
    guide = "\n".join(source for name, source in read.items() if name.startswith("docs/guide/"))
    emphasised = re.findall(r"(?<!\*)\*{1,2}([A-Z][\w ,&…]{1,30})\*{1,2}(?!\*)", guide)
    assert len(emphasised) > 20
    assert {part for name in emphasised for part in name.split(", ") if " ".join(part.split()) not in page} == set()
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    commands = {name: getattr(command, "commands", None) for name, command in group.commands.items()}
    errors = "".join(part for row in ERRORS.values() for part in (row.sentence, row.remedy))
    documents = [guide, read["README.md"], *(path.read_text("utf-8") for path in (ROOT / "docs").glob("*.md"))]
    used = re.findall(r"`outrider ([a-z-]+)(?: ([a-z-]+))?", "".join((errors, *documents)))
    assert len(used) > 50
    assert [usage for usage in used if usage[0] not in commands or usage[1] not in (commands[usage[0]] or usage)] == []
