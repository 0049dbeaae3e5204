"""What a user decides from a terminal of their own, also while a run goes on in another: pause, approve, answer, clear."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from backend.commands.user_commands import Commands
from backend.domain.campaign import STATUS_WORDS, STOPPED_BY_USER, CampaignStatus
from backend.domain.connection import SCRIPTED
from backend.domain.errors import OutriderError
from backend.domain.hidden_characters import hidden_code_points
from backend.runtime.pause_all import pause_all
from backend.runtime.rehearsal import clock_of
from backend.settings import AppSettings
from backend.store.queries import campaigns, models, questions
from backend.store.queries.campaign_overview import CampaignBrief
from backend.store.queries.questions import QuestionRow
from backend.store.replication import replica
from backend.terminal import campaign_status
from backend.terminal.output import TerminalOutput, one_line, require_terminal
from backend.terminal.review import ReviewChoice, ReviewDialog, ask_in_terminal, draft_ids
from backend.wiring import Workspace, open_workspace

_REVIEW = (ReviewChoice.APPROVE, ReviewChoice.EDIT, ReviewChoice.REJECT, ReviewChoice.LEAVE, ReviewChoice.STOP)


class OpenCampaign(NamedTuple):
    """A campaign, and the commands that may be given about it, by its own clock."""

    workspace: Workspace
    campaign: CampaignBrief
    commands: Commands


@contextmanager
def open_campaign_for_decision(settings: AppSettings, wanted: str) -> Iterator[OpenCampaign]:
    """Without the instance lock: each decision is one transaction, and the run that goes on judges again by it."""
    with open_workspace(settings) as workspace:
        with workspace.database.read() as connection:
            found = campaign_status.find_campaign(connection, wanted)
        yield OpenCampaign(workspace, found, workspace.commands(clock_of(workspace, found.id)))


def pause(output: TerminalOutput, settings: AppSettings, wanted: str) -> None:
    """Pause the campaign; whoever runs it ends after the current atomic action."""
    with open_campaign_for_decision(settings, wanted) as decider:
        found = decider.campaign
        if found.status == CampaignStatus.ACTIVE:
            decider.commands.change_status(found.id, CampaignStatus.PAUSED, STOPPED_BY_USER)
            said = "Paused: a run that is under way ends after its current action."
        else:
            said = f"The campaign {STATUS_WORDS[found.status]}; there was nothing to pause."
        with decider.workspace.database.read() as connection:
            status = campaign_status.find_campaign(connection, found.id).status
    output.result([said], {"campaign": found.id, "status": status})


def pause_every(output: TerminalOutput, settings: AppSettings) -> None:
    """Pause every campaign; whoever runs one ends after the current atomic action."""
    with open_workspace(settings) as workspace:
        paused = pause_all(workspace.database, lambda id_: workspace.commands(clock_of(workspace, id_)))
        with workspace.database.read() as connection:
            shared = replica.project(connection) is not None
    lines = [f"Paused: {one_line(campaign.name)}" for campaign in paused] or ["No campaign is on."]
    if paused and shared:
        lines.append("Your other devices hear of it as soon as Outrider is open here and reaches the shared store.")
    output.result(lines, {"paused": [campaign.id for campaign in paused]})


def approve(
    output: TerminalOutput, settings: AppSettings, wanted: str, message_id: str | None, *, together: bool
) -> None:
    """Show exact texts and ask."""
    require_terminal(output, "approve in the window, under Review")
    with open_campaign_for_decision(settings, wanted) as (workspace, found, commands):
        waiting = draft_ids(workspace.database, found.id)
        chosen = [message_id] if message_id else waiting
        if message_id and message_id not in waiting:
            raise OutriderError("approval_unknown", message=message_id)
        review = ReviewDialog(output, workspace.database, commands, ask_in_terminal)
        if together:
            decided = review.approve_all(found.id, chosen)
        else:
            decided, _ = review.review_each(found.id, chosen, _REVIEW)
        left = len(draft_ids(workspace.database, found.id))
    said = f"{decided} decided, {left} left in review." if waiting else "Nothing waits for approval."
    output.result([said], {"campaign": found.id, "decided": decided, "left": left})


def answer(output: TerminalOutput, settings: AppSettings, wanted: str, question: str | None, words: str | None) -> None:
    """Answer one open question, or be asked all of them."""
    with open_campaign_for_decision(settings, wanted) as (workspace, found, commands):
        with workspace.database.read() as connection:
            waiting = questions.list_open(connection, found.id, -1)
        if question is not None:
            waiting = [one for one in waiting if one.id == question]
            if not waiting:
                raise OutriderError("question_unknown", question=question)
        if words is None and waiting:
            require_terminal(output, "put the answer behind the question's id")
        answered = 0
        for one in waiting:
            given = words if words is not None else _ask(output, one)
            if given:
                # Words on the command line are given for every question at once, and no text was shown with them.
                shown = () if words is not None else hidden_code_points(_shown_with(one))
                commands.answer(found.id, one.id, given, hidden_shown=shown)
                answered += 1
    said = f"{answered} of {len(waiting)} answered." if waiting else "There is no open question."
    output.result([said], {"campaign": found.id, "answered": answered, "left": len(waiting) - answered})


def clear(output: TerminalOutput, settings: AppSettings, wanted: str, reason: str) -> None:
    """Clear the account's incidents, and take a campaign out of `error`; both with the user's reason in the log."""
    with open_campaign_for_decision(settings, wanted) as (_, found, commands):
        cleared = commands.clear_incident(found.id, reason)
        recovered = found.status == CampaignStatus.ERROR
        if recovered:
            commands.change_status(found.id, CampaignStatus.PAUSED, reason)
    said = [f"{cleared} incident{'' if cleared == 1 else 's'} cleared."]
    said += ["The campaign is out of its error and paused."] if recovered else []
    said += [f"Continue with `outrider run {found.id}`."] if cleared or recovered else []
    output.result(said, {"campaign": found.id, "cleared": cleared, "recovered": recovered})


def choose_model(
    output: TerminalOutput, settings: AppSettings, wanted: str, proposer: str | None, *, alone: bool
) -> None:
    """Which model proposes from the next turn on, or which does now."""
    with open_campaign_for_decision(settings, wanted) as (workspace, found, commands):
        if proposer is not None:
            commands.models.choose(found.id, proposer, alone=alone)
        with workspace.database.read() as connection:
            campaign = campaigns.campaign(connection, found.id)
            known = [one.id for one in models.model_connections(connection)]
    if campaign is None:
        raise OutriderError("campaign_unknown", campaign=found.id)
    asked = campaign.settings.model_alone and campaign.proposer != SCRIPTED
    said = [
        ("The built-in script" if campaign.proposer == SCRIPTED else f"“{campaign.proposer}”")
        + (" proposes every step." if asked else " writes the messages."),
        f"You can choose: {', '.join([SCRIPTED, *known])}.",
    ]
    output.result(said, {"campaign": found.id, "proposer": campaign.proposer, "alone": asked})


def decide_task(output: TerminalOutput, settings: AppSettings, wanted: str, task_id: str, *, drop: bool) -> None:
    """Drop a blocked task, or try a blocked or dropped one again."""
    with open_campaign_for_decision(settings, wanted) as (_, found, commands):
        (commands.tasks.drop if drop else commands.tasks.mend)(found.id, task_id)
    said = "The task is dropped." if drop else f"The task is tried again: `outrider run {found.id}`."
    output.result([said], {"campaign": found.id, "task": task_id, "status": "dropped" if drop else "in_progress"})


def _shown_with(question: QuestionRow) -> str:
    return f"{question.text}\n{question.payload.get('content', '')}"


def _ask(output: TerminalOutput, question: QuestionRow) -> str:
    output.note(f"\n{question.text}")
    if content := question.payload.get("content", ""):  # what is approved is what was shown
        output.note("\n".join(f"  | {line}" for line in content.split("\n")))
    for number, choice in enumerate(question.choices, start=1):
        output.note(f"  {number}  {choice}")
    given = (ask_in_terminal("Your answer (nothing: leave it open) > ") or "").strip()
    if given.isdigit() and 1 <= int(given) <= len(question.choices):
        return question.choices[int(given) - 1]
    return given
