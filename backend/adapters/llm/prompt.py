"""The prompt of a turn: rules, voice, skills, what to do now, state and schema, composed anew each time (REQ-DET-001).

The same snapshot gives the same bytes. No prompt depends on an earlier one or contains a conversation. Text from outside is
in `data` fields of one JSON object, with its source: a JSON string cannot be closed from within.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from backend.domain.device.builtin_scripts import BUILTIN_SCRIPTS
from backend.domain.device.script import TABLES
from backend.domain.model.sequence import DueAction
from backend.domain.model.task import TaskKind, TaskStatus
from backend.domain.model.tools import TOOLS
from backend.domain.turn.proposal_check import owed_tools, text_limit
from backend.domain.turn.snapshot import RULES, Snapshot
from backend.domain.values.errors import OutriderError

TOKENS = 8_000
"""The most tokens of a prompt, unless its model has another limit."""

_BYTES_A_TOKEN = 3


@dataclass(frozen=True, slots=True)
class Prompt:
    """`system` has what we and the user wrote, `state` what is known, `schema` the reply's; `left_out` what did not fit."""

    system: str
    state: str
    schema: dict[str, Any]
    left_out: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """An upper estimate of its length."""
        return tokens(self.system) + tokens(self.state) + tokens(schema_text(self.schema))


def compose(snapshot: Snapshot, schema: dict[str, Any], *, within: int = TOKENS) -> Prompt:
    """The prompt for one turn, complete in itself.

    What does not fit is left out in the order of `_shortened`; rules, voice, task, lead, the user's request and the schema never
    are. Raises `OutriderError("prompt_too_long")` when these alone are more than `within` tokens.
    """
    needed = 0
    for left_out, shown in _shortened(snapshot):
        prompt = Prompt(_system(shown), shown.state_json(), schema, left_out)
        needed = prompt.tokens
        if needed <= within:
            return prompt
    raise OutriderError("prompt_too_long", needed=needed, limit=within)


def tokens(text: str) -> int:
    """How many tokens a text has at most: one for three ASCII letters, and one for each byte of other scripts."""
    ascii_letters = len(text.encode("ascii", "ignore"))
    return -(-ascii_letters // _BYTES_A_TOKEN) + len(text.encode("utf-8", "surrogatepass")) - ascii_letters


def schema_text(schema: dict[str, Any]) -> str:
    """The schema as text, for a model whose provider does not enforce it."""
    return json.dumps(schema, sort_keys=True, separators=(",", ":"))


def _system(snapshot: Snapshot) -> str:
    parts = [
        "You are the proposer of Outrider, an app for careful outreach in the user's own name.",
        "# Rules\n" + "\n".join(f"- {rule}" for rule in RULES),
    ]
    if snapshot.soul:
        parts.append(f"# Voice\n{snapshot.soul}")
    parts += [f"# Skill: {skill.name} ({skill.version})\n{skill.text}" for skill in snapshot.skills]
    parts.append(f"# Now\n{_now(snapshot)}")
    return "\n\n".join(parts)


def _shortened(snapshot: Snapshot) -> Iterator[tuple[tuple[str, ...], Snapshot]]:
    """The whole snapshot, then with less and less; the least important is left out first."""
    omitted: tuple[str, ...] = ()
    yield omitted, snapshot
    focus_tasks = tuple(task for task in snapshot.tasks if task.id == snapshot.focus.task.id)
    for name, changes in (
        ("recent audit", {"recent_audit": ()}),
        ("next leads", {"top_leads": ()}),
        ("what is not to be done now", {"other_tasks": ()}),
        ("other tasks", {"tasks": focus_tasks}),
    ):
        omitted, snapshot = (*omitted, name), replace(snapshot, **changes)
        yield omitted, snapshot
    while snapshot.request is not None and len(snapshot.request.results) > 1:
        fewer = replace(snapshot.request, results=snapshot.request.results[1:])
        omitted, snapshot = (*omitted, "an earlier result"), replace(snapshot, request=fewer)
        yield omitted, snapshot
    while snapshot.artifacts:
        last = snapshot.artifacts[-1]
        omitted = (*omitted, f"artifact {last.artifact_type}/{last.key}")
        snapshot = replace(snapshot, artifacts=snapshot.artifacts[:-1])
        yield omitted, snapshot
    while snapshot.skills:
        omitted = (*omitted, f"skill {snapshot.skills[-1].name}")
        snapshot = replace(snapshot, skills=snapshot.skills[:-1])
        yield omitted, snapshot


SCRIPTS = (
    " What no other tool answers about this campaign's data, propose as a script (scripts.run): a `builtin` of "
    + ", ".join(script.key for script in BUILTIN_SCRIPTS)
    + ", or short, readable Python in `source`. query(sql, params) gives rows as dicts, by one SELECT of SQLite over "
    + ", ".join(f"{name}({', '.join(columns)})" for name, columns in TABLES.items())
    + "; times are ms UTC, extra and tags are JSON. No file, no network, no import but plain ones such as statistics. It leaves"
    " its answer in `result`. The user reads and approves it first."
)

_BY_DUE = {
    DueAction.DRAFT: (
        "Propose generate_message for this lead and step `{step}`: at most {limit} characters, ready to send as it stands, no"
        " placeholder left, nothing claimed that the state does not say. The template shows what the user has in mind."
        " `campaign.goal` is the user's own and never in the text; what it may say of it is `campaign.topic`."
    ),
}

_REJECTED = (
    " The user rejected the texts in `focus.rejected`: write another, which meets their `reason` where there is one."
)


def _now(snapshot: Snapshot) -> str:
    """What this turn is for, in one paragraph."""
    focus, due_step = snapshot.focus, snapshot.focus.need
    if snapshot.request is not None:
        return (
            f"The user asks (`request.asked`). Name task {focus.task.id}. Propose one step towards an answer; `request.results`"
            " are what came of the steps before. When nothing more is needed, propose no_op." + SCRIPTS
        )
    if focus.task.status is TaskStatus.PENDING:
        return f"Propose select_next_task for task {focus.task.id}, or for another one of the list."
    task_sentence = f"Work on task {focus.task.id}. "
    if focus.task.kind is TaskKind.SCORE_LEADS:
        return (
            task_sentence + "Propose analyze_leads; create_task or persist_artifact only where the goal calls for more."
        )
    if due_tools := owed_tools(due_step):
        return task_sentence + f"Propose execute_tool with {due_tools[0]} {TOOLS[due_tools[0]].instruction}."
    if due_step is not None and due_step.due in _BY_DUE:
        step = due_step.step.key if due_step.step else ""
        kind = due_step.step.kind if due_step.step else ""
        instruction = _BY_DUE[due_step.due].format(step=step, kind=kind, limit=text_limit(snapshot.campaign, kind))
        return task_sentence + instruction + (_REJECTED if focus.rejected else "")
    return task_sentence + "Propose no_op, with `claims_done` true if everything it promised is so."
