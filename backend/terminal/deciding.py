"""What a user decides from a terminal of their own, also while a run goes on in another: stop, approve, answer, clear."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from backend.controller.commands import Commands
from backend.domain.campaign import CampaignStatus
from backend.domain.errors import OutriderError
from backend.rehearsal import clock_of
from backend.settings import AppSettings
from backend.terminal import standing
from backend.terminal.review import Answer, Review, ask_in_terminal, draft_ids
from backend.terminal.speech import Speech, need_terminal
from backend.terminal.standing import Found
from backend.wiring import Workspace, open_workspace

_REVIEW = (Answer.APPROVE, Answer.EDIT, Answer.REJECT, Answer.LEAVE, Answer.STOP)


class Decider(NamedTuple):
    """A campaign, and the commands that may be given about it, by its own clock."""

    workspace: Workspace
    campaign: Found
    commands: Commands


@contextmanager
def deciding(settings: AppSettings, wanted: str) -> Iterator[Decider]:
    """Without the instance lock: each decision is one transaction, and the run that goes on judges again by it."""
    with open_workspace(settings) as workspace:
        with workspace.database.read() as connection:
            found = standing.campaign(connection, wanted)
        yield Decider(workspace, found, workspace.commands(clock_of(workspace, found.id)))


def stop(speech: Speech, settings: AppSettings, wanted: str) -> None:
    """Pause the campaign; whoever runs it ends after the current atomic action."""
    with deciding(settings, wanted) as decider:
        found = decider.campaign
        if found.status == CampaignStatus.ACTIVE:
            decider.commands.change_status(found.id, CampaignStatus.PAUSED, "stopped by the user")
            said = "Stopped: a run that is under way ends after its current action."
        else:
            said = f"The campaign is {found.status}; there was nothing to stop."
        with decider.workspace.database.read() as connection:
            status = standing.campaign(connection, found.id).status
    speech.result([said], {"campaign": found.id, "status": status})


def approve(speech: Speech, settings: AppSettings, wanted: str, message_id: str | None, *, together: bool) -> None:
    """Show exact texts and ask."""
    need_terminal(speech)
    with deciding(settings, wanted) as (workspace, found, commands):
        waiting = draft_ids(workspace.database, found.id)
        chosen = [message_id] if message_id else waiting
        if message_id and message_id not in waiting:
            raise OutriderError("approval_unknown", message=message_id)
        review = Review(speech, workspace.database, commands, ask_in_terminal)
        if together:
            decided = review.approve_together(found.id, chosen)
        else:
            decided, _ = review.go_through(found.id, chosen, _REVIEW)
        left = len(draft_ids(workspace.database, found.id))
    said = f"{decided} decided, {left} left in review." if waiting else "Nothing waits for approval."
    speech.result([said], {"campaign": found.id, "decided": decided, "left": left})


def answer(speech: Speech, settings: AppSettings, wanted: str, question: str | None, words: str | None) -> None:
    """Answer one open question, or be asked all of them."""
    with deciding(settings, wanted) as (workspace, found, commands):
        with workspace.database.read() as connection:
            waiting = _questions(connection, found.id)
        if question is not None:
            waiting = [one for one in waiting if one.id == question]
            if not waiting:
                raise OutriderError("question_unknown", question=question)
        if words is None and waiting:
            need_terminal(speech)
        answered = 0
        for one in waiting:
            given = words if words is not None else _ask(speech, one)
            if given:
                commands.answer(found.id, one.id, given)
                answered += 1
    said = f"{answered} of {len(waiting)} answered." if waiting else "There is no open question."
    speech.result([said], {"campaign": found.id, "answered": answered, "left": len(waiting) - answered})


def clear(speech: Speech, settings: AppSettings, wanted: str, reason: str) -> None:
    """Clear the account's incidents, and take a campaign out of `error`; both with the user's reason in the log."""
    with deciding(settings, wanted) as (_, found, commands):
        cleared = commands.clear_incident(found.id, reason)
        recovered = found.status == CampaignStatus.ERROR
        if recovered:
            commands.change_status(found.id, CampaignStatus.PAUSED, reason)
    said = [f"{cleared} incident{'' if cleared == 1 else 's'} cleared."]
    said += ["The campaign is out of its error and paused."] if recovered else []
    said += [f"Continue with `outrider run {found.id}`."] if cleared or recovered else []
    speech.result(said, {"campaign": found.id, "cleared": cleared, "recovered": recovered})


class _Question(NamedTuple):
    id: str
    text: str
    choices: tuple[str, ...]
    content: str = ""


def _questions(connection: sqlite3.Connection, campaign_id: str) -> list[_Question]:
    rows = connection.execute(
        "SELECT id, question, choices, payload FROM input_requests WHERE campaign_id=? AND status='open' ORDER BY id",
        (campaign_id,),
    )
    return [
        _Question(id_, text, tuple(json.loads(choices)), json.loads(payload).get("content", ""))
        for id_, text, choices, payload in rows
    ]


def _ask(speech: Speech, question: _Question) -> str:
    speech.note(f"\n{question.text}")
    if question.content:  # what is approved is what was shown
        speech.note("\n".join(f"  | {line}" for line in question.content.splitlines()))
    for number, choice in enumerate(question.choices, start=1):
        speech.note(f"  {number}  {choice}")
    given = (ask_in_terminal("Your answer (nothing: leave it open) > ") or "").strip()
    if given.isdigit() and 1 <= int(given) <= len(question.choices):
        return question.choices[int(given) - 1]
    return given
