"""The text that a step's template gives for one person, and the words that only the user can say for it."""

from typing import NamedTuple

from backend.domain.model.campaign import Campaign
from backend.domain.model.sequence import Step
from backend.domain.model.variables import Recipient, fill, required_variables
from backend.domain.turn.agent_questions import names_variable
from backend.domain.turn.proposal_check import clean_text, text_limit
from backend.domain.turn.proposals import Rejection

Answers = tuple[tuple[str, str], ...]
"""(question, answer) of what the user was asked about a task, oldest first."""


class TemplateDraft(NamedTuple):
    """`lacking` are the variables to ask the user for; `refused` says why what they said for one will not do."""

    text: str
    lacking: tuple[str, ...] = ()
    refused: Rejection | None = None


def template_draft(step: Step, to: Recipient, campaign: Campaign, answers: Answers) -> TemplateDraft:
    """The template filled with what is known of the person and what the user said."""
    user_values = {name: _said(answers, name) for name in required_variables(step.template)}
    text, missing = fill(step.template, to, campaign.settings.topic, user_values)
    if missing:
        return TemplateDraft(text, missing)
    refused = clean_text(text, text_limit(campaign, step.kind), may_be_empty=step.without_note)
    answered_names = tuple(name for name, words in user_values.items() if words)
    return TemplateDraft(text, answered_names if refused else (), refused)


def _said(answers: Answers, name: str) -> str:
    """The user's last word on it, whoever asked."""
    return next((answer for asked, answer in reversed(answers) if names_variable(asked, name)), "")
