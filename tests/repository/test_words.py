"""What people read is said as they would say it, without codes and private words; and each place that it names exists."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main
from typer.core import TyperGroup

from backend import cli
from backend.domain.error_table import ERRORS
from backend.domain.gates import GATES

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "frontend/src"
UNDER_THE_HOOD = (
    *(f"frontend/src/features/{screen}/" for screen in ("artifacts", "run", "scripts", "tasks", "timeline")),
    *(f"backend/terminal/{command}.py" for command in ("agents", "mcp", "proofs", "runtime", "scripts")),
    "frontend/src/lib/api/",
)
"""What shows how the work is done, which may name turns and codes; and the page's generated calls."""
DOMAIN = "act_words campaign error_table gates guidance identity past_contact person proposals step_words task_progress"
WAITING = ("backend/turn/campaign_facts.py", "backend/turn/wait_reasons.py")
CODES = "|".join(gate.code for gate in GATES if "_" in gate.code)
REFUSED = {
    r"\b[Tt]exts\b": "a text is an SMS: say messages",
    r"(?i:\b(?:an?|the|this|that|each|every|exact|last|next|new|no|any|your|its) text)\b(?! (?:file|size))": "say message",
    r"\b[Tt]urns?\b": "say step, or message",
    r"\b[Gg]ates?\b": "say what was checked, or what holds it back",
    rf"\b(?:{CODES})\b": "a code: use the gate's title",
    r"\b[Ss]ervitors?\b": "say task of a connected program",
    r"\b(?:un)?verified\b": "say checked",
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
    for found in TOKEN.findall(re.sub(r"\bwords: \"[^\"]*\"", "", code)):
        if found[0] in "\"'`" and " " in found:
            yield CODE.sub("", found[1:-1])
            yield from (part for inner in CODE.findall(found[1:-1]) for part in strings(inner))


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
    """What people may read of this file."""
    if name.endswith(".py"):
        nodes = [*ast.walk(ast.parse(source))]
        comments = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        found = [node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in comments]
        return [CODE.sub("", one) for one in found if isinstance(one, str) and " " in one]
    if name.endswith(".svelte"):
        page = UNSEEN.sub("", source)
        script = "".join(re.findall(r"<script\b[^>]*>(.*?)</script>", source, re.DOTALL))
        return [*strings(script), *strings(page), "".join(markup(page))]
    return [*strings(source)] if name.endswith(".ts") else [CODE.sub("", source)]


def refused(name: str, source: str) -> list[str]:
    said = "\n".join(shown(name, source))
    return [f"“{found[0]}”: {why}" for rule, why in REFUSED.items() for found in re.finditer(rule, said)]


def test_what_people_read_is_said_as_they_would() -> None:
    files = [path for path in PAGE.rglob("*") if path.suffix in (".svelte", ".ts") and ".test." not in path.name]
    files += [*(ROOT / "docs/guide").glob("*.md"), *(ROOT / "backend/terminal").glob("*.py")]
    files += [ROOT / name for name in (*(f"backend/domain/{name}.py" for name in DOMAIN.split()), *WAITING)]
    read = [name for path in files if not (name := path.relative_to(ROOT).as_posix()).startswith(UNDER_THE_HOOD)]
    assert len(read) > 300
    found = {name: refused(name, (ROOT / name).read_text("utf-8")) for name in read}
    assert {name: what for name, what in found.items() if what} == {}


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
    listed = [(PAGE / name).read_text("utf-8") for name in ("lib/state/route.ts", "features/settings/sections.ts")]
    screens, sections = (set(re.findall(r'title: "([^"]+)"', source)) for source in listed)
    told = "\n".join(part for row in ERRORS.values() for part in (row.sentence, row.remedy))
    told += "".join((ROOT / name).read_text("utf-8") for name in ("backend/domain/gates.py", *WAITING))
    named = set(re.findall(r"\b(?:in|on|under|[Oo]pen|[Rr]eload) (?:the |campaign's )?([A-Z][a-z]+)\b(?!')", told))
    assert named - screens <= {"Outrider", "Settings"}
    assert set(re.findall(r"\bSettings, ([A-Z][\w &]*[a-z])", told)) <= sections
    group = typer.main.get_command(cli.app)
    assert isinstance(group, TyperGroup)
    commands = {name: getattr(one, "commands", None) for name, one in group.commands.items()}
    used = re.findall(r"`outrider ([a-z-]+)(?: ([a-z-]+))?", told)
    assert [one for one in used if one[0] not in commands or one[1] not in (commands[one[0]] or one)] == []
