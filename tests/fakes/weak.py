"""Proposers as weak as a small model at its worst; each is asked as a real one would be."""

import json
from collections.abc import Callable
from itertools import count

from backend.domain.turn.snapshot import Snapshot
from backend.ports.proposer import ModelUsage, OnText, OnUsage, ignore_text, ignore_usage

Weakness = Callable[[Snapshot, int], str]


def _said(kind: str, snapshot: Snapshot, task_id: str = "", /, **params: object) -> str:
    return json.dumps({"type": kind, "task_id": task_id or snapshot.focus.task.id, "params": params})


def _draft(snapshot: Snapshot, text: str, lead_id: str = "") -> str:
    focus = snapshot.focus
    step = focus.need.step.key if focus.need and focus.need.step else "hello"
    return _said(
        "generate_message", snapshot, lead_id=lead_id or (focus.lead.id if focus.lead else "l"), step=step, text=text
    )


def asks_always(snapshot: Snapshot, number: int) -> str:
    """A question, worded differently each time."""
    return _said("request_user_input", snapshot, question=f"What should I do, once more ({number})?", kind="text")


def repeats_itself(snapshot: Snapshot, _: int) -> str:
    return _said("no_op", snapshot)


def claims_it_is_done(snapshot: Snapshot, _: int) -> str:
    return _said("no_op", snapshot, claims_done=True)


def writes_nothing(snapshot: Snapshot, _: int) -> str:
    return _draft(snapshot, "")


def names_wrong_leads(snapshot: Snapshot, _: int) -> str:
    return _draft(snapshot, "Hi there", "01NOSUCHLEAD0000000000000")


def names_wrong_tasks(snapshot: Snapshot, number: int) -> str:
    """Tasks that are not its own: one that does not exist, and whichever else it was shown."""
    others = [task.id for task in snapshot.tasks if task.id != snapshot.focus.task.id]
    return _said("no_op", snapshot, ([*others, "01NOSUCHTASK0000000000000"])[number % (len(others) + 1)])


def saves_always(snapshot: Snapshot, number: int) -> str:
    note = {"artifact_type": "note", "artifact_key": f"n{number}", "content": "A thought."}
    return _said("persist_artifact", snapshot, **note)


def invents_tasks(snapshot: Snapshot, number: int) -> str:
    promise = {"type": "artifact_exists", "artifact_type": "note", "artifact_key": "never"}
    params = {"description": f"Think about {number}", "commitments": [promise]}
    return json.dumps({"type": "create_task", "justification": "It seems wise.", "params": params})


def talks(_: Snapshot, __: int) -> str:
    return "Sure! I would love to help you with that."


WEAKNESSES: tuple[Weakness, ...] = (
    asks_always,
    repeats_itself,
    claims_it_is_done,
    writes_nothing,
    names_wrong_leads,
    names_wrong_tasks,
    saves_always,
    talks,
)


class WeakProposer:
    """One weakness for ever, or (None) all of them in turn; `asked` counts its calls, each of ten tokens in and five out."""

    name = "weak"

    def __init__(self, weakness: Weakness | None = None) -> None:
        self.asked = 0
        self._weakness = weakness
        self._numbers = count(1)

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        number = next(self._numbers)
        self.asked += 1
        on_usage(ModelUsage("weak", 10, 5, 0))
        weakness = self._weakness or WEAKNESSES[number % len(WEAKNESSES)]
        reply = weakness(snapshot, number)
        on_text(reply)
        return reply
