"""Who is the same person, in the terminal, with the answers to that; and whose greeting is unsure."""

from collections.abc import Sequence
from contextlib import ExitStack
from itertools import islice
from string import ascii_uppercase

from backend.adapters.clocks import SystemClock
from backend.api.same_person import (
    KnownPerson,
    SamePersonAnswer,
    SamePersonQuestion,
    give_answer,
    known_people,
    same_person_questions,
)
from backend.domain.days import iso_day
from backend.domain.errors import OutriderError
from backend.domain.hidden_characters import reveal
from backend.runtime.workspace import Workspace
from backend.settings import AppSettings
from backend.store.database import DatabaseConnection
from backend.store.queries import campaign_overview, lead_list, leads, people
from backend.store.queries.lead_list import LeadQuery
from backend.terminal import campaign_status
from backend.terminal.output import TerminalOutput, one_line
from backend.wiring import open_workspace

MOST_UNSURE = 200
MOST_QUESTIONS, MOST_ANSWERS = 200, 200
_SHORT = 8
"""Characters by which a question is named."""


def show_questions(output: TerminalOutput, settings: AppSettings, campaign: str | None) -> None:
    """What is asked, each question with its name and its people by letters."""
    with ExitStack() as held:
        workspace = _open(held, settings)
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
        {"questions": [{"question": _name(one), **one.model_dump(mode="json", exclude={"key"})} for one in asked]},
    )


def show_unsure(output: TerminalOutput, settings: AppSettings, campaign: str) -> None:
    """Whom a greeting may call wrongly, in the order in which they are written to."""
    with ExitStack() as held:
        workspace = _open(held, settings)
        if workspace is None:
            raise OutriderError("campaign_unknown", campaign=one_line(campaign))
        with workspace.database.read() as connection:
            campaign_id = campaign_status.find_campaign(connection, campaign).id
            found = islice(lead_list.all_lead_ids(connection, campaign_id, LeadQuery(unsure=True)), MOST_UNSURE + 1)
            people_found = [leads.lead(connection, campaign_id, lead_id) for lead_id in found]
    unsure = [{"lead": one.id, "name": one.full_name, "profile_url": one.profile_url} for one in people_found if one]
    shown, more = unsure[:MOST_UNSURE], len(unsure) > MOST_UNSURE
    lines = [f"{reveal(one_line(one['name']))}  {one['profile_url'] or one['lead']}" for one in shown]
    if more:
        lines.append("and more")
    ending = ["", "Settle one with `outrider person greet PERSON CAMPAIGN NAME`."] if lines else []
    output.result([*lines, *ending] or ["Every name says what a greeting calls them."], {"unsure": shown, "more": more})


def answer(output: TerminalOutput, settings: AppSettings, name: str, said: str, letters: str) -> None:
    """Answer one question: `same`, `different`, or `together` with the letters of those who are one person."""
    with ExitStack() as held:
        workspace = _open(held, settings)
        found = [] if workspace is None else [one for one in _questions(workspace, None) if _is_named(one, name)]
        if workspace is None or len(found) != 1:
            raise OutriderError("identity_not_asked")
        (question,) = found
        together = [_lead_ids(question, letters)] if said == "together" else []
        given = SamePersonAnswer(
            account=question.account,
            key=question.key,
            shown=question.shown,
            same=None if together else said == "same",
            together=together,
        )
        settled = list(give_answer(workspace.database, workspace.commands(SystemClock()), given))
    answers = [one.answer_id for one in settled if one.answer_id]
    waiting = sum(one.messages_waiting for one in settled)
    listed = any(one.forbidden for one in settled)
    lines = [("On the do-not-contact list now." if listed else "Answered.") + _waiting(waiting)]
    if answers:
        lines.append(f"To take it back: outrider people take-back {' '.join(answers)}")
    output.result(lines, {"answers": answers, "messages_waiting": waiting})


def show_answers(output: TerminalOutput, settings: AppSettings) -> None:
    """The answers that hold, the latest first."""
    with ExitStack() as held:
        workspace = _open(held, settings)
        if workspace is None:
            output.result(["No answers yet."], {"answers": []})
            return
        with workspace.database.read() as connection:
            given = people.given_answers(connection, "", MOST_ANSWERS)
            about = {one.id: _named(connection, one.member_keys) for one in given}
    lines = [
        f"{one.id}  {iso_day(one.created_at)}  {'the same person' if one.same else 'different people'}: "
        + ", ".join(about[one.id])
        for one in given
    ]
    told = [{"answer": one.id, "same": one.same, "at": one.created_at, "people": about[one.id]} for one in given]
    output.result(lines or ["No answers yet."], {"answers": told})


def take_back(output: TerminalOutput, settings: AppSettings, answers: Sequence[str]) -> None:
    """Take answers back, the last one first; what was sent stays sent."""
    with ExitStack() as held:
        workspace = _open(held, settings)
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


def _people_lines(listed: Sequence[KnownPerson]) -> list[str]:
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
    wanted = [letter.strip().upper() for letter in letters.split(",")]
    if len(set(wanted)) < 2 or not set(wanted) <= by_letter.keys():  # noqa: PLR2004 - it takes two to be one
        raise OutriderError("identity_not_asked")
    return [lead.lead_id for letter in wanted for lead in by_letter[letter].leads]


def _name(question: SamePersonQuestion) -> str:
    return question.shown[:_SHORT]


def _is_named(question: SamePersonQuestion, name: str) -> bool:
    return len(name) >= _SHORT and question.shown.startswith(name.lower())


def _waiting(messages: int) -> str:
    if not messages:
        return ""
    return f" {messages:,} approved {'message waits' if messages == 1 else 'messages wait'} in Review again."


def _open(held: ExitStack, settings: AppSettings) -> Workspace | None:
    """The workspace; None if there is none yet, which asking does not make."""
    return held.enter_context(open_workspace(settings)) if settings.database.exists() else None
