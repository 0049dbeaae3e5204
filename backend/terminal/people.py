"""Who is the same person, in the terminal, with the answers to that; and whose greeting is unsure."""

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import islice
from string import ascii_uppercase

from backend.adapters.clocks import SystemClock
from backend.api.same_person import (
    IdentifiedPerson,
    SamePersonAnswer,
    SamePersonQuestion,
    give_answer,
    known_people,
    same_person_questions,
)
from backend.app.wiring import open_existing_workspace
from backend.domain.model.days import local_date
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import reveal
from backend.machine.settings import AppSettings
from backend.runtime.workspace import Workspace
from backend.store.database import DatabaseConnection
from backend.store.queries.leads import lead_list, leads
from backend.store.queries.leads.lead_list import LeadQuery
from backend.store.queries.people import people
from backend.store.queries.reports import campaign_overview
from backend.terminal import campaign_status
from backend.terminal.output import TerminalOutput, one_line

MOST_UNSURE = 200
MOST_QUESTIONS, MOST_ANSWERS = 200, 200
_SHORT = 8
"""Characters by which a question is named."""


def show_questions(output: TerminalOutput, settings: AppSettings, campaign: str | None) -> None:
    """What is asked, each question with its name and its people by letters."""
    with ExitStack() as stack:
        workspace = open_existing_workspace(stack, settings)
        asked = [] if workspace is None else _questions(workspace, campaign)
    lines: list[str] = []
    for question in asked:
        lines += ["", f"{_name(question)}  {question.reason}", *_people_lines(question.people)]
        if question.more:
            lines.append(f"   and {question.more:,} more")
        lines += [f"   On the list: {address}" for address in question.on_list]
    lines = lines[1:] or ["No open questions."]
    if asked:
        lines += ["", "Answer with `outrider people answer NAME same`, `… different`, or `… together A,B`."]
    output.result(
        lines,
        {
            "questions": [
                {"question": _name(question), **question.model_dump(mode="json", exclude={"key"})} for question in asked
            ]
        },
    )


def show_unsure(output: TerminalOutput, settings: AppSettings, campaign: str) -> None:
    """Whom a greeting may call wrongly, in the order in which they are written to."""
    with ExitStack() as stack:
        workspace = open_existing_workspace(stack, settings)
        if workspace is None:
            raise OutriderError("campaign_unknown", campaign=one_line(campaign))
        with workspace.database.read() as connection:
            campaign_id = campaign_status.find_campaign(connection, campaign).id
            lead_ids = islice(lead_list.all_lead_ids(connection, campaign_id, LeadQuery(unsure=True)), MOST_UNSURE + 1)
            unsure_leads = [leads.lead(connection, campaign_id, lead_id) for lead_id in lead_ids]
    unsure = [
        {"lead": lead.id, "name": lead.full_name, "profile_url": lead.profile_url} for lead in unsure_leads if lead
    ]
    shown, more = unsure[:MOST_UNSURE], len(unsure) > MOST_UNSURE
    lines = [f"{reveal(one_line(person['name']))}  {person['profile_url'] or person['lead']}" for person in shown]
    if more:
        lines.append("and more")
    ending = ["", "Settle one with `outrider person greet PERSON CAMPAIGN NAME`."] if lines else []
    output.result([*lines, *ending] or ["Every name says what a greeting calls them."], {"unsure": shown, "more": more})


def answer(output: TerminalOutput, settings: AppSettings, name: str, verdict: str, letters: str) -> None:
    """Answer one question: `same`, `different`, or `together` with the letters of those who are one person."""
    with ExitStack() as stack:
        workspace = open_existing_workspace(stack, settings)
        questions = (
            []
            if workspace is None
            else [question for question in _questions(workspace, None) if _is_named(question, name)]
        )
        if workspace is None or len(questions) != 1:
            raise OutriderError("identity_not_asked")
        (question,) = questions
        together = [_lead_ids(question, letters)] if verdict == "together" else []
        same_person_answer = SamePersonAnswer.showing(
            question, same=None if together else verdict == "same", together=together
        )
        settled = list(give_answer(workspace.database, workspace.commands(SystemClock()), same_person_answer))
    answers = [settled_lead.answer_id for settled_lead in settled if settled_lead.answer_id]
    waiting = sum(settled_lead.messages_waiting for settled_lead in settled)
    listed = any(settled_lead.forbidden for settled_lead in settled)
    lines = [("On the do-not-contact list now." if listed else "Answered.") + _waiting(waiting)]
    if answers:
        lines.append(f"To take it back: outrider people take-back {' '.join(answers)}")
    output.result(lines, {"answers": answers, "messages_waiting": waiting})


def show_answers(output: TerminalOutput, settings: AppSettings) -> None:
    """The answers that hold, the latest first."""
    with ExitStack() as stack:
        workspace = open_existing_workspace(stack, settings)
        if workspace is None:
            output.result(["No answers yet."], {"answers": []})
            return
        with workspace.database.read() as connection:
            answers = people.given_answers(connection, "", MOST_ANSWERS)
            people_by_answer = {answer.id: _named(connection, answer.member_keys) for answer in answers}
    offset_at = SystemClock().offset
    lines = [
        f"{answer.id}  {local_date(answer.created_at, offset_at)}  {'the same person' if answer.same else 'different people'}: "
        + ", ".join(people_by_answer[answer.id])
        for answer in answers
    ]
    json_answers = [
        {"answer": answer.id, "same": answer.same, "at": answer.created_at, "people": people_by_answer[answer.id]}
        for answer in answers
    ]
    output.result(lines or ["No answers yet."], {"answers": json_answers})


def take_back(output: TerminalOutput, settings: AppSettings, answers: Sequence[str]) -> None:
    """Take answers back, the last one first; what was sent stays sent."""
    with ExitStack() as stack:
        workspace = open_existing_workspace(stack, settings)
        if workspace is None:
            raise OutriderError("identity_answer_unknown")
        commands = workspace.commands(SystemClock()).people
        waiting = sum(commands.take_answer_back(answer_id).messages_waiting for answer_id in reversed(answers))
    lines = ["Taken back: the question is open again." + _waiting(waiting) + " What was sent stays sent."]
    output.result(lines, {"taken_back": list(answers), "messages_waiting": waiting})


def _questions(workspace: Workspace, campaign: str | None) -> list[SamePersonQuestion]:
    with workspace.database.read() as connection:
        if campaign is None:
            streams = [row.id for row in campaign_overview.overviews(connection)]
        else:
            streams = [campaign_status.find_campaign(connection, campaign).id]
        doubts = {
            (doubt.account, doubt.key): doubt
            for stream in streams
            for doubt in people.open_doubts(connection, stream, MOST_QUESTIONS)
        }
        return same_person_questions(connection, list(doubts.values())[:MOST_QUESTIONS])


def _people_lines(listed: Sequence[IdentifiedPerson]) -> list[str]:
    lines = []
    for letter, person in zip(ascii_uppercase, listed, strict=False):
        for lead in person.leads:
            details = (lead.company, lead.profile_url, lead.email, f"“{lead.campaign_name}”: {lead.contact.value}")
            lines.append(f"   {letter}  {lead.full_name} · {' · '.join(filter(None, details))}")
    return lines


def _named(connection: DatabaseConnection, member_keys: Sequence[str]) -> list[str]:
    listed, _ = known_people(connection, people.leads_of_members(connection, member_keys))
    return [f"{lead.full_name} (“{lead.campaign_name}”)" for person in listed for lead in person.leads]


def _lead_ids(question: SamePersonQuestion, letters: str) -> list[str]:
    """The leads of the people with these letters; raises `identity_not_asked` for one that is not there."""
    by_letter = dict(zip(ascii_uppercase, question.people, strict=False))
    chosen_letters = [letter.strip().upper() for letter in letters.split(",")]
    if len(set(chosen_letters)) < 2 or not set(chosen_letters) <= by_letter.keys():  # noqa: PLR2004 - it takes two to be one
        raise OutriderError("identity_not_asked")
    return [lead.lead_id for letter in chosen_letters for lead in by_letter[letter].leads]


def _name(question: SamePersonQuestion) -> str:
    return question.shown[:_SHORT]


def _is_named(question: SamePersonQuestion, name: str) -> bool:
    return len(name) >= _SHORT and question.shown.startswith(name.lower())


def _waiting(messages: int) -> str:
    if not messages:
        return ""
    return f" {messages:,} approved {'message waits' if messages == 1 else 'messages wait'} in Review again."
