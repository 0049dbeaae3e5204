"""Three files about a campaign for people to read: context.md, environment.md and tasks.md (spec 000 §20.1, §20.2).

They are written from the state and never read: each can be deleted, edited or written again without anything changing. The
same state gives the same bytes. What comes from outside is told as text: it makes no heading, link or markup.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from backend.domain.model.campaign import Campaign
from backend.domain.model.task import STATUS_WORDS, Task, TaskStatus
from backend.domain.values.hidden_characters import reveal

CONTEXT, ENVIRONMENT, TASKS = "context.md", "environment.md", "tasks.md"
CONTEXT_KEY = "campaign_context"
"""The artifact of type `context` that context.md is written from."""
SHOWN_TASKS = 200
"""Of each status."""

_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~&])")
_LEAST_FENCE = 3


class ContextText(NamedTuple):
    """The newest version of the context artifact; `whole` is false when `text` is only its beginning."""

    version: int
    text: str
    sha256: str
    whole: bool = True


class SettingNames(NamedTuple):
    """What there is to be set, by name; a value has no place here."""

    variables: tuple[str, ...]
    workspace: tuple[str, ...]
    campaign: tuple[str, ...]
    secrets: tuple[str, ...]


def plain(text: str) -> str:
    """One line that Markdown shows as it is."""
    return _MARKUP.sub(r"\\\1", " ".join(reveal(text).split())).strip() or "none"


def fenced(text: str) -> str:
    """Text as a block that nothing in it can end."""
    text = reveal(text)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(_LEAST_FENCE, longest + 1)
    return f"{fence}text\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"


def context_md(campaign: Campaign, leads: Mapping[str, int], context: ContextText | None) -> str:
    """What the campaign is about, and the context that the user keeps for it."""
    counted = [f"- {plain(status)}: {n}" for status, n in sorted(leads.items())]
    lines = [
        f"# {plain(campaign.name)}",
        "",
        f"Campaign {plain(campaign.id)} on {plain(campaign.site)}, {campaign.status}.",
        "",
        "## Goal",
        "",
        fenced(campaign.goal) if campaign.goal else "None is set.",
        "",
        "## Leads",
        "",
        *(counted or ["None yet."]),
        "",
        "## Context",
        "",
    ]
    if context is None:
        lines.append(f"There is no artifact context/{plain(CONTEXT_KEY)}.")
    else:
        part = "" if context.whole else ", its beginning"
        lines += [
            f"Artifact context/{plain(CONTEXT_KEY)}, version {context.version}{part}, SHA\\-256 {context.sha256}:",
            "",
            fenced(context.text) if context.text else "It is not a text file.",
        ]
    return _whole(lines)


def environment_md(campaign: Campaign, names: SettingNames) -> str:
    """What is set for the campaign to run, by name alone."""
    parts = (
        ("Environment variables that Outrider reads", names.variables),
        ("Settings of the workspace", names.workspace),
        ("Settings of this campaign", names.campaign),
        ("Secrets", names.secrets),
    )
    lines = [f"# Environment of {plain(campaign.name)}", "", "Names only; no value is ever written here.", ""]
    for title, setting_names in parts:
        lines += [f"## {title}", "", *([f"- {plain(name)}" for name in sorted(setting_names)] or ["None."]), ""]
    return _whole(lines)


def tasks_md(campaign: Campaign, counts: Mapping[str, int], tasks: Mapping[TaskStatus, Sequence[Task]]) -> str:
    """The tasks, the open ones first; of each status so many as are given, and how many more there are."""
    lines = [f"# Tasks of {plain(campaign.name)}", ""]
    for status in STATUS_WORDS:
        n, shown = counts.get(status, 0), tasks.get(status, ())
        if not n:
            continue
        lines += [f"## {status.value.replace('_', ' ').capitalize()} ({n})", ""]
        lines += [_line(task) for task in shown]
        lines += [f"- … and {n - len(shown)} more"] if n > len(shown) else []
        lines.append("")
    return _whole(lines if len(lines) > 2 else [*lines, "There are none."])  # noqa: PLR2004 - the title alone


def _line(task: Task) -> str:
    reason = f" ({plain(task.reason)})" if task.reason else ""
    return f"- [{'x' if task.status is TaskStatus.DONE else ' '}] {plain(task.description)}{reason}"


def _whole(lines: Iterable[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"
