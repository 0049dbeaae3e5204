"""What a user decides from a terminal of their own, also while a run goes on in another: pause, approve, answer, clear."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from backend.app.wiring import Workspace, open_workspace
from backend.commands.user_commands import Commands
from backend.domain.model.campaign import STATUS_WORDS, STOPPED_BY_USER, CampaignStatus
from backend.domain.model.connection import SCRIPTED
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import hidden_code_points
from backend.machine.settings import AppSettings
from backend.runtime.run.pause_all import pause_all
from backend.runtime.run.rehearsal import clock_of
from backend.store.queries.campaign import campaigns, questions
from backend.store.queries.campaign.questions import QuestionRow
from backend.store.queries.device import models
from backend.store.queries.reports.campaign_overview import CampaignBrief
from backend.store.replication import replica
from backend.terminal import campaign_status
from backend.terminal.output import TerminalOutput, one_line, require_terminal
from backend.terminal.review import ReviewChoice, ReviewDialog, ask_in_terminal, draft_ids

_REVIEW = (ReviewChoice.APPROVE, ReviewChoice.EDIT, ReviewChoice.REJECT, ReviewChoice.LEAVE, ReviewChoice.STOP)


class OpenCampaign(NamedTuple):
    """A campaign, and the commands that may be given about it, by its own clock."""

    workspace: Workspace
    campaign: CampaignBrief
    commands: Commands


@contextmanager
def open_campaign_for_decision(settings: AppSettings, id_or_name: str) -> Iterator[OpenCampaign]:
    """Without the instance lock: each decision is one transaction, and the run that goes on judges again by it."""
    with open_workspace(settings) as workspace:
        campaign = workspace.database.query(campaign_status.find_campaign, id_or_name)
        yield OpenCampaign(workspace, campaign, workspace.commands(clock_of(workspace, campaign.id)))


def pause(output: TerminalOutput, settings: AppSettings, id_or_name: str) -> None:
    """Pause the campaign; whoever runs it ends after the current atomic action."""
    with open_campaign_for_decision(settings, id_or_name) as decider:
        campaign = decider.campaign
        if campaign.status == CampaignStatus.ACTIVE:
            decider.commands.campaigns.change_status(campaign.id, CampaignStatus.PAUSED, STOPPED_BY_USER)
            sentence = "Paused: a run that is under way ends after its current action."
        else:
            sentence = f"The campaign {STATUS_WORDS[campaign.status]}; there was nothing to pause."
        status = decider.workspace.database.query(campaign_status.find_campaign, campaign.id).status
    output.result([sentence], {"campaign": campaign.id, "status": status})


def pause_every(output: TerminalOutput, settings: AppSettings) -> None:
    """Pause every campaign; whoever runs one ends after the current atomic action."""
    with open_workspace(settings) as workspace:
        paused = pause_all(workspace.database, lambda id_: workspace.commands(clock_of(workspace, id_)))
        shared = workspace.database.query(replica.project) is not None
    lines = [f"Paused: {one_line(campaign.name)}" for campaign in paused] or ["No campaign is on."]
    if paused and shared:
        lines.append("Your other devices hear of it as soon as Outrider is open here and reaches the shared store.")
    output.result(lines, {"paused": [campaign.id for campaign in paused]})


def approve(
    output: TerminalOutput, settings: AppSettings, id_or_name: str, message_id: str | None, *, together: bool
) -> None:
    """Show exact texts and ask."""
    require_terminal(output, "approve in the window, under Review")
    with open_campaign_for_decision(settings, id_or_name) as (workspace, campaign, commands):
        waiting = draft_ids(workspace.database, campaign.id)
        chosen = [message_id] if message_id else waiting
        if message_id and message_id not in waiting:
            raise OutriderError("approval_unknown", message=message_id)
        review = ReviewDialog(output, workspace.database, commands, ask_in_terminal)
        if together:
            decided = review.approve_all(campaign.id, chosen)
        else:
            decided, _ = review.review_each(campaign.id, chosen, _REVIEW)
        left = len(draft_ids(workspace.database, campaign.id))
    sentence = f"{decided} decided, {left} left in review." if waiting else "Nothing waits for approval."
    output.result([sentence], {"campaign": campaign.id, "decided": decided, "left": left})


def answer(
    output: TerminalOutput, settings: AppSettings, id_or_name: str, question_id: str | None, words: str | None
) -> None:
    """Answer one open question, or be asked all of them."""
    with open_campaign_for_decision(settings, id_or_name) as (workspace, campaign, commands):
        waiting = workspace.database.query(questions.list_open, campaign.id, -1)
        if question_id is not None:
            waiting = [question for question in waiting if question.id == question_id]
            if not waiting:
                raise OutriderError("question_unknown", question=question_id)
        if words is None and waiting:
            require_terminal(output, "put the answer behind the question's id")
        answered = 0
        for question in waiting:
            answer_text = words if words is not None else _ask(output, question)
            if answer_text:
                # Words on the command line are given for every question at once, and no text was shown with them.
                shown_text = f"{question.shown_text}\n{question.payload.get('content', '')}"
                shown = () if words is not None else hidden_code_points(shown_text)
                commands.questions.answer(campaign.id, question.id, answer_text, hidden_shown=shown)
                answered += 1
    sentence = f"{answered} of {len(waiting)} answered." if waiting else "There is no open question."
    output.result([sentence], {"campaign": campaign.id, "answered": answered, "left": len(waiting) - answered})


def clear(output: TerminalOutput, settings: AppSettings, id_or_name: str, reason: str) -> None:
    """Clear the account's incidents, and take a campaign out of `error`; both with the user's reason in the log."""
    with open_campaign_for_decision(settings, id_or_name) as (_, campaign, commands):
        cleared = commands.campaigns.clear_incident(campaign.id, reason)
        recovered = campaign.status == CampaignStatus.ERROR
        if recovered:
            commands.campaigns.change_status(campaign.id, CampaignStatus.PAUSED, reason)
    lines = [f"{cleared} incident{'' if cleared == 1 else 's'} cleared."]
    lines += ["The campaign is out of its error and paused."] if recovered else []
    lines += [f"Continue with `outrider run {campaign.id}`."] if cleared or recovered else []
    output.result(lines, {"campaign": campaign.id, "cleared": cleared, "recovered": recovered})


def choose_model(
    output: TerminalOutput, settings: AppSettings, id_or_name: str, proposer: str | None, *, alone: bool
) -> None:
    """Which model proposes from the next turn on, or which does now."""
    with open_campaign_for_decision(settings, id_or_name) as (workspace, brief, commands):
        if proposer is not None:
            commands.models.choose(brief.id, proposer, alone=alone)
        with workspace.database.read() as connection:
            campaign = campaigns.existing_campaign(connection, brief.id)
            model_ids = [model.id for model in models.model_connections(connection)]
    proposes_alone = campaign.settings.model_alone and campaign.proposer != SCRIPTED
    lines = [
        ("The built-in script" if campaign.proposer == SCRIPTED else f"“{campaign.proposer}”")
        + (" proposes every step." if proposes_alone else " writes the messages."),
        f"You can choose: {', '.join([SCRIPTED, *model_ids])}.",
    ]
    output.result(lines, {"campaign": brief.id, "proposer": campaign.proposer, "alone": proposes_alone})


def decide_task(output: TerminalOutput, settings: AppSettings, id_or_name: str, task_id: str, *, cancel: bool) -> None:
    """Cancel a blocked task, or try a blocked or cancelled one again."""
    with open_campaign_for_decision(settings, id_or_name) as (_, campaign, commands):
        (commands.tasks.cancel if cancel else commands.tasks.retry)(campaign.id, task_id)
    sentence = "The task is cancelled." if cancel else f"The task is tried again: `outrider run {campaign.id}`."
    output.result(
        [sentence], {"campaign": campaign.id, "task": task_id, "status": "cancelled" if cancel else "in_progress"}
    )


def _ask(output: TerminalOutput, question: QuestionRow) -> str:
    output.note(f"\n{question.shown_text}")
    if content := question.payload.get("content", ""):  # what is approved is what was shown
        output.note("\n".join(f"  | {line}" for line in content.split("\n")))
    for number, choice in enumerate(question.choices, start=1):
        output.note(f"  {number}  {choice}")
    typed = (ask_in_terminal("Your answer (nothing: leave it open) > ") or "").strip()
    if typed.isdigit() and 1 <= int(typed) <= len(question.choices):
        return question.choices[int(typed) - 1]
    return typed
