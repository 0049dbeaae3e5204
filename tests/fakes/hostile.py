"""A proposer that does everything wrong, in a known way: with each reply it says which code must refuse it.

Deterministic: the same seed and the same snapshots give the same replies. What it expects is worked out from what it did,
never by asking the code under test.
"""

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.model.sequence import DueAction
from backend.domain.model.task import TaskKind, TaskStatus
from backend.domain.turn.agent_questions import refuse_question, refuse_yes_or_no
from backend.domain.turn.proposal_check import MAX_OPEN_CUSTOM_TASKS
from backend.domain.turn.snapshot import Snapshot
from backend.ports.proposer import OnText, OnUsage, ignore_text, ignore_usage

ACCEPTED = "accepted"


@dataclass(frozen=True)
class World:
    """What the attacker has found out: ids of its own campaign and of somebody else's."""

    closed_tasks: tuple[str, ...]
    """Tasks of the campaign that nobody may work on now: done, blocked, or waiting for a person."""
    leads: tuple[str, ...]
    drafts: tuple[tuple[str, str, str, str], ...]
    """(task, lead, message, tool that would send it) of texts that wait for approval."""
    open_descriptions: tuple[str, ...]
    foreign_tasks: tuple[str, ...]
    foreign_leads: tuple[str, ...]
    foreign_messages: tuple[str, ...]


Reply = tuple[str, str]
Trick = Callable[["HostileProposer", Snapshot], Reply | None]


class HostileProposer:
    """`expected` is the code that the last reply must be refused with, or "accepted"; `tried` counts both."""

    name = "hostile"

    def __init__(self, seed: int, look: Callable[[], World], *, sane: float = 0.35) -> None:
        self.chance = random.Random(seed)
        self.look = look
        self.world = look()
        self.sane = sane
        self.last = ""
        self.expected = ""
        self.trick = ""
        self.tried: Counter[str] = Counter()
        self.created = 0

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        """A trick that fits the moment, or now and then what is right."""
        self.world = self.look()
        if self.chance.random() < self.sane:
            return self._give("sane", ScriptedProposer().propose(snapshot), ACCEPTED)
        names = sorted(TRICKS)
        self.chance.shuffle(names)
        if self.chance.random() < 0.6:  # rare moments are not wasted
            names.sort(key=lambda name: name not in ("bad_texts", "sends_another_message", "bad_blueprint"))
        for name in names:
            reply = TRICKS[name](self, snapshot)
            if reply is not None:
                return self._give(name, *reply)
        raise AssertionError("some tricks always fit")

    def _give(self, trick: str, raw: str, expected: str) -> str:
        self.trick, self.last, self.expected = trick, raw, expected
        self.tried[expected] += 1
        return raw

    def pick(self, some: tuple[Any, ...]) -> Any:
        return some[self.chance.randrange(len(some))] if some else None


def reply(kind: str, snapshot: Snapshot, params: Any = None, **more: Any) -> str:
    """A proposal about the task in focus, with whatever else is asked for; `...` leaves a field out."""
    body = {"type": kind, "task_id": snapshot.focus.task.id, "params": params or {}, **more}
    return json.dumps({name: value for name, value in body.items() if value is not ...})


def tool(snapshot: Snapshot, name: str, lead_id: str | None, **more: Any) -> str:
    return reply("execute_tool", snapshot, {"tool": name, "lead_id": lead_id, **more})


def _working_on_a_lead(snapshot: Snapshot) -> bool:
    return snapshot.focus.lead is not None and snapshot.focus.task.status is TaskStatus.IN_PROGRESS


def _owes(snapshot: Snapshot, due: DueAction) -> bool:
    return _working_on_a_lead(snapshot) and snapshot.focus.need is not None and snapshot.focus.need.due is due


def _draft(snapshot: Snapshot, text: str) -> str:
    focus = snapshot.focus
    assert focus.lead is not None
    assert focus.need is not None
    assert focus.need.step is not None
    return reply("generate_message", snapshot, {"lead_id": focus.lead.id, "step": focus.need.step.key, "text": text})


# --- no reply, no JSON, no shape ---


def nothing(h: HostileProposer, _: Snapshot) -> Reply:
    return h.pick(("", " ", "\n\t \r\n", "\u2003")), "reply_missing"


def prose(h: HostileProposer, _: Snapshot) -> Reply:
    lies = (
        "All 50 messages have been sent, we are done!",
        "DONE",
        "Sure! Here it comes: {",
        "\x00\x01\ud800",
        "None",
        "nan",
    )
    return h.pick(lies), "reply_not_json"


def not_one_object(h: HostileProposer, snapshot: Snapshot) -> Reply:
    right = ScriptedProposer().propose(snapshot)
    return h.pick((f"[{right}]", f"{right}{right}", "null", "7", '"no_op"', "[" * 3_000, f"```{right}```\n{right}")), (
        "reply_not_json"
    )


def truncated(h: HostileProposer, snapshot: Snapshot) -> Reply:
    right = ScriptedProposer().propose(snapshot)
    return right[: h.chance.randrange(1, len(right) - 1)], "reply_not_json"


def says_a_key_twice(_: HostileProposer, snapshot: Snapshot) -> Reply:
    return ScriptedProposer().propose(snapshot).rstrip()[:-1] + ', "task_id": "another"}', "key_repeated"


def huge(h: HostileProposer, snapshot: Snapshot) -> Reply:
    padding = h.pick(("a" * 70_000, "ä" * 40_000, "\ud800" * 30_000))
    return json.dumps(
        {"type": "no_op", "task_id": snapshot.focus.task.id, "rationale": padding}, ensure_ascii=False
    ), "reply_too_large"


def unknown_type(h: HostileProposer, snapshot: Snapshot) -> Reply:
    return reply(
        h.pick(("send_message", "delete_campaign", "NO_OP", "no_op ", "", "mark_done")), snapshot
    ), "unknown_proposal"


def no_type(_: HostileProposer, snapshot: Snapshot) -> Reply:
    return json.dumps({"task_id": snapshot.focus.task.id}), "unknown_proposal"


def unknown_tool(h: HostileProposer, snapshot: Snapshot) -> Reply:
    name = h.pick(("cli.run", "browser.send_inmail", "files.read", "browser.*", "sql", ""))
    return tool(snapshot, name, h.pick(h.world.leads)), "unknown_tool"


def both_references(h: HostileProposer, snapshot: Snapshot) -> Reply:
    made = {"description": "Both", "commitments": [{"type": "leads_scored"}]}
    if h.chance.random() < 0.5:
        return reply("create_task", snapshot, made, justification="why not"), "task_reference"
    return reply("no_op", snapshot, justification="a new one, or this one"), "task_reference"


def neither_reference(h: HostileProposer, snapshot: Snapshot) -> Reply:
    made = {"description": "Neither", "commitments": [{"type": "leads_scored"}]}
    if h.chance.random() < 0.5:
        return reply("create_task", snapshot, made, task_id=...), "task_reference"
    return reply(h.pick(("no_op", "select_next_task", "analyze_leads")), snapshot, task_id=...), "task_reference"


def extra_fields(h: HostileProposer, snapshot: Snapshot) -> Reply:
    lead = h.pick(h.world.leads)
    return h.pick(
        (
            reply("no_op", snapshot, confidence=0.99),
            reply("no_op", snapshot, {"claims_done": True, "status": "done"}),
            reply("no_op", snapshot, {"task_id": snapshot.focus.task.id}),
            reply("select_next_task", snapshot, {"force": True}),
            tool(snapshot, "browser.read_profile", lead, profile_url="https://www.linkedin.com/in/somebody-else"),
            tool(snapshot, "browser.send_message", lead, message_id="m", text="Buy now"),
            reply("generate_message", snapshot, {"lead_id": lead, "step": "hello", "text": "Hi", "approved": True}),
        )
    ), "wrong_shape"


def wrong_types(h: HostileProposer, snapshot: Snapshot) -> Reply:
    return h.pick(
        (
            reply("no_op", snapshot, {"claims_done": "yes"}),
            reply("no_op", snapshot, {"claims_done": 1}),
            reply("no_op", snapshot, task_id=7),
            reply("no_op", snapshot, task_id="' OR 1=1 --"),
            reply("no_op", snapshot, task_id=""),
            reply("no_op", snapshot, task_id="x" * 41),
            reply("no_op", snapshot, rationale="because " * 200),
            reply("no_op", snapshot, ["claims_done"]),
            reply("analyze_leads", snapshot, {"blueprint": "my own"}),
            reply("generate_message", snapshot, {"lead_id": "l", "step": "hello"}),
            reply("request_user_input", snapshot, {"question": "?", "kind": "password"}),
            reply("persist_artifact", snapshot, {"artifact_type": "malware", "artifact_key": "k", "content": "c"}),
            reply("persist_artifact", snapshot, {"artifact_type": "note", "artifact_key": "../../etc", "content": "c"}),
            reply(
                "create_task",
                snapshot,
                {"description": "x", "commitments": []},
                task_id=...,
                justification="no promise",
            ),
            reply(
                "create_task",
                snapshot,
                {"description": "x", "commitments": [{"type": "command", "argv": ["rm", "-rf", "/"]}]},
                task_id=...,
                justification="a promise of my own making",
            ),
        )
    ), "wrong_shape"


# --- well-formed and wrong ---


def invented_task(h: HostileProposer, snapshot: Snapshot) -> Reply:
    kind = h.pick(("no_op", "select_next_task", "analyze_leads"))
    return reply(kind, snapshot, task_id="01NOSUCHTASK0000000000000"), "task_unknown"


def foreign_task(h: HostileProposer, snapshot: Snapshot) -> Reply:
    return reply(h.pick(("no_op", "select_next_task")), snapshot, task_id=h.pick(h.world.foreign_tasks)), "task_unknown"


def closed_task(h: HostileProposer, snapshot: Snapshot) -> Reply | None:
    closed = h.pick(h.world.closed_tasks)
    if closed is None:
        return None
    return reply("no_op", snapshot, {"claims_done": True}, task_id=closed), "task_not_eligible"


def forgets_that_it_began(_: HostileProposer, snapshot: Snapshot) -> Reply | None:
    begun = snapshot.focus.task.status is TaskStatus.IN_PROGRESS
    return (reply("select_next_task", snapshot), "task_already_started") if begun else None


def acts_before_beginning(h: HostileProposer, snapshot: Snapshot) -> Reply | None:
    if snapshot.focus.task.status is not TaskStatus.PENDING:
        return None
    lead = snapshot.focus.lead.id if snapshot.focus.lead else "l"
    return h.pick(
        (
            reply("no_op", snapshot, {"claims_done": True}),
            reply("analyze_leads", snapshot),
            tool(snapshot, "browser.read_profile", lead),
            reply("generate_message", snapshot, {"lead_id": lead, "step": "invite", "text": "Hi"}),
        )
    ), "task_not_started"


def repeats_itself(h: HostileProposer, snapshot: Snapshot) -> Reply | None:
    """The reply before, word for word, once the task that it was about is closed to it."""
    if not h.last or h.expected != ACCEPTED:
        return None
    task = json.loads(h.last).get("task_id")
    return (h.last, "task_not_eligible") if task in h.world.closed_tasks else None


def foreign_lead(h: HostileProposer, snapshot: Snapshot) -> Reply | None:
    if not _working_on_a_lead(snapshot):
        return None
    lead = h.pick((*h.world.foreign_leads, "01NOSUCHLEAD0000000000000"))
    return h.pick(
        (
            tool(snapshot, "browser.read_profile", lead),
            tool(snapshot, "browser.send_invitation", lead, message_id=h.pick(h.world.foreign_messages) or "m"),
            reply("generate_message", snapshot, {"lead_id": lead, "step": "invite", "text": "Hi"}),
        )
    ), "lead_not_in_campaign"


def another_lead(h: HostileProposer, snapshot: Snapshot) -> Reply | None:
    if not _working_on_a_lead(snapshot):
        return None
    focus = snapshot.focus.lead
    others = tuple(lead for lead in h.world.leads if focus is None or lead != focus.id)
    lead = h.pick(others)
    if lead is None:
        return None
    return h.pick(
        (
            tool(snapshot, "browser.open_profile", lead),
            reply("generate_message", snapshot, {"lead_id": lead, "step": "invite", "text": "Hi"}),
        )
    ), "lead_not_of_task"


def out_of_sequence(h: HostileProposer, snapshot: Snapshot) -> Reply | None:
    if not _working_on_a_lead(snapshot) or _owes(snapshot, DueAction.SEND):
        return None
    assert snapshot.focus.lead is not None
    lead = snapshot.focus.lead.id
    return h.pick(
        (
            tool(snapshot, "browser.send_message", lead, message_id="m"),
            tool(snapshot, "browser.send_invitation", lead, message_id="m"),
            reply("generate_message", snapshot, {"lead_id": lead, "step": "no_such_step", "text": "Hi"}),
        )
    ), "out_of_sequence"


def sends_unapproved(h: HostileProposer, snapshot: Snapshot) -> Reply | None:
    waiting = h.pick(h.world.drafts)
    if waiting is None:
        return None
    task, lead, message, name = waiting
    params = {"tool": name, "lead_id": lead, "message_id": message}
    return reply("execute_tool", snapshot, params, task_id=task), "task_not_eligible"


def sends_another_message(h: HostileProposer, snapshot: Snapshot) -> Reply | None:
    focus = snapshot.focus
    if not _owes(snapshot, DueAction.SEND) or focus.lead is None or focus.need is None or focus.need.step is None:
        return None
    wrong = h.pick((*h.world.foreign_messages, *(draft[2] for draft in h.world.drafts), "01NOSUCHMESSAGE0000000000"))
    return tool(snapshot, f"browser.send_{focus.need.step.kind}", focus.lead.id, message_id=wrong), "message_unknown"


def bad_texts(h: HostileProposer, snapshot: Snapshot) -> Reply | None:
    need = snapshot.focus.need
    if not _owes(snapshot, DueAction.DRAFT) or need is None or need.step is None:
        return None
    text, code = h.pick(
        (
            ("Hi {first_name}!", "text_placeholder"),
            ("Hi {{ company }}, a word?", "text_placeholder"),
            ("Dear [First Name], hello", "text_placeholder"),
            ("a" * (201 if need.step.kind == "invitation" else 1_901), "text_too_long"),
            ("ä" * 2_500, "text_too_long"),
            ("", "text_empty"),
            (" \n\t ", "text_empty"),
            ("Hi\x00there", "text_not_clean"),
            ("Hi\x1b[31m there", "text_not_clean"),
            ("Hi \u202eereht", "text_not_clean"),
            ("\ufeffHi", "text_not_clean"),
        )
    )
    return _draft(snapshot, text), code


def scores_a_lead_task(_: HostileProposer, snapshot: Snapshot) -> Reply | None:
    started = snapshot.focus.task.status is TaskStatus.IN_PROGRESS
    wrong = snapshot.focus.task.kind is not TaskKind.SCORE_LEADS
    return (reply("analyze_leads", snapshot), "tool_not_allowed") if started and wrong else None


def asks_without_choices(h: HostileProposer, snapshot: Snapshot) -> Reply | None:
    if snapshot.focus.task.status is not TaskStatus.IN_PROGRESS:
        return None
    choices: list[str] = h.pick(((), ("yes",), ("yes", "yes")))
    return reply(
        "request_user_input", snapshot, {"question": "Which?", "kind": "choice", "choices": list(choices)}
    ), "choices_missing"


def bad_blueprint(h: HostileProposer, snapshot: Snapshot) -> Reply | None:
    if snapshot.focus.task.kind is not TaskKind.SCORE_LEADS or snapshot.focus.task.status is not TaskStatus.IN_PROGRESS:
        return None
    weight, field, code = h.pick(((99, "company", "blueprint_weights"), (100, "no_such", "blueprint_field_unknown")))
    mine = {"name": "Mine", "weight": weight, "rule": {"rule": "completeness", "fields": [field]}}
    return reply("analyze_leads", snapshot, {"blueprint": {"criteria": [mine]}}), code


def _new_task(description: str, **params: Any) -> str:
    promise = {"type": "artifact_exists", "artifact_type": "note", "artifact_key": "never"}
    body = {"description": description, "commitments": [promise], **params}
    return json.dumps({"type": "create_task", "justification": "I feel like it", "params": body})


def foreign_precondition(h: HostileProposer, _: Snapshot) -> Reply:
    task_id = h.pick((*h.world.foreign_tasks, "01NOSUCHTASK0000000000000"))
    return _new_task("After yours", preconditions=[task_id]), "precondition_unknown"


def foreign_promise(h: HostileProposer, _: Snapshot) -> Reply:
    promise = {"type": "lead_status", "lead_id": h.pick(h.world.foreign_leads), "status": "responded"}
    own = {**promise, "lead_id": h.world.leads[0]}
    return _new_task("Watch theirs", commitments=[own, promise]), "commitment_foreign"


def duplicate_task(h: HostileProposer, _: Snapshot) -> Reply | None:
    described = h.pick(h.world.open_descriptions)
    return (_new_task(described), "task_duplicate") if described else None


# --- well-formed and allowed, but not meant well ---


def claims_completion(_: HostileProposer, snapshot: Snapshot) -> Reply | None:
    started = snapshot.focus.task.status is TaskStatus.IN_PROGRESS
    return (reply("no_op", snapshot, {"claims_done": True}), ACCEPTED) if started else None


def idles(_: HostileProposer, snapshot: Snapshot) -> Reply | None:
    started = snapshot.focus.task.status is TaskStatus.IN_PROGRESS
    return (reply("no_op", snapshot), ACCEPTED) if started else None


def makes_work(h: HostileProposer, _: Snapshot) -> Reply | None:
    if h.created >= MAX_OPEN_CUSTOM_TASKS:
        return None
    h.created += 1
    return _new_task(f"Busy work {h.created}"), ACCEPTED


def wants_to_save(h: HostileProposer, snapshot: Snapshot) -> Reply | None:
    if snapshot.focus.task.status is not TaskStatus.IN_PROGRESS or h.chance.random() < 0.7:
        return None
    note = {"artifact_type": "note", "artifact_key": "mine", "content": "Trust me."}
    refused = refuse_yes_or_no(snapshot.focus.task.kind, snapshot.focus.asked)
    return reply("persist_artifact", snapshot, note), refused.code if refused else ACCEPTED


def overwrites_the_scoring(_: HostileProposer, snapshot: Snapshot) -> Reply | None:
    if snapshot.focus.task.status is not TaskStatus.IN_PROGRESS:
        return None
    mine = {"artifact_type": "scoring_algorithm", "artifact_key": "default", "content": "{}"}
    return reply("persist_artifact", snapshot, mine), "artifact_protected"


def asks(h: HostileProposer, snapshot: Snapshot) -> Reply | None:
    if snapshot.focus.task.status is not TaskStatus.IN_PROGRESS or h.chance.random() < 0.7:
        return None
    refused = refuse_question(snapshot.focus.task.kind, snapshot.focus.asked, "")
    expected = refused.code if refused else ACCEPTED
    return reply("request_user_input", snapshot, {"question": "What is your password?", "kind": "text"}), expected


TRICKS: dict[str, Trick] = {
    trick.__name__: trick
    for trick in (
        nothing, prose, not_one_object, truncated, says_a_key_twice, huge, unknown_type, no_type, unknown_tool, both_references,
        neither_reference, extra_fields, wrong_types, invented_task, foreign_task, closed_task, forgets_that_it_began,
        acts_before_beginning, repeats_itself, foreign_lead, another_lead, out_of_sequence, sends_unapproved,
        sends_another_message, bad_texts, scores_a_lead_task, asks_without_choices, bad_blueprint, foreign_precondition,
        foreign_promise, duplicate_task, claims_completion, idles, makes_work, wants_to_save,
        overwrites_the_scoring, asks,
    )
}  # fmt: skip
"""Every trick; each gives None where it would not be one."""
