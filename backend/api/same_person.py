"""Whether two leads are the same person: what is asked, the user's answers, and taking them back."""

from collections.abc import Iterable, Sequence
from hashlib import sha256

from pydantic import Field

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import After, Page
from backend.commands.people import IdentitySettled
from backend.commands.user_commands import Commands
from backend.domain.events.events import WORKSPACE
from backend.domain.gates.person import Contact
from backend.domain.leads.same_person import answers_of, together_of, what_decides
from backend.domain.people.identity import DOUBT_SENTENCES, DoubtKind
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import ErrorShape, Id, Shape
from backend.store.database import Database, DatabaseConnection
from backend.store.queries.people import do_not_contact, people, person_index
from backend.store.queries.people.people import OpenDoubt

MOST_QUESTIONS, MOST_PEOPLE, MOST_LEADS, MOST_ANSWERS = 30, 12, 5, 50

routes = Routes("same_person")


class IdentifiedLead(Shape):
    """One lead of somebody, with what tells namesakes apart and how far its campaign came with them."""

    lead_id: str
    campaign_id: str
    campaign_name: str
    full_name: str
    profile_url: str
    email: str
    company: str
    job_title: str
    contact: Contact


class IdentifiedPerson(Shape):
    """Leads that are one person, the first few of them; `more` are not listed.

    `decides`: what is known of them that whoever is the same has in common with them, such as a no.
    """

    leads: list[IdentifiedLead]
    more: int
    decides: list[str]


class SamePersonQuestion(Shape):
    """People of whom it is asked whether they are the same; `more` of them are not listed.

    `account` and `key` name the question, `shown` who was in it when it was read: an answer is bound to exactly these. With
    addresses in `on_list` it is asked whether this person is who is on the do-not-contact list by them.
    """

    account: str
    key: str
    shown: str
    kind: DoubtKind
    reason: str
    people: list[IdentifiedPerson]
    more: int
    on_list: list[str]


class SamePersonQuestions(Shape):
    """What is asked about a campaign's leads; `held` of them wait for an answer. `more`: there are further questions."""

    questions: list[SamePersonQuestion]
    more: bool
    held: int


class SamePersonAnswer(Shape):
    """The answer to one question, about exactly those who were shown.

    `same`: all are one person (true), or all are different people (false); null: each list of leads in `together` is one
    person, and everybody else is a person of their own.
    """

    account: str = Field(max_length=200)
    key: str = Field(max_length=3_000)
    shown: str = Field(max_length=64)
    same: bool | None
    together: list[list[Id]] = Field(default_factory=list, max_length=MOST_PEOPLE)


class GiveAnswers(Shape):
    """The answers to several questions."""

    answers: list[SamePersonAnswer] = Field(min_length=1, max_length=MOST_QUESTIONS)


class AnswersGiven(Shape):
    """What is on record now, to be taken back as a whole; `messages_waiting` approved messages wait in Review again.

    `forbidden`: leads, with their campaigns, whose people are on the do-not-contact list now. `error`: why one of several answers
    could not be given.
    """

    answers: list[str]
    messages_waiting: int
    forbidden: dict[str, str]
    error: ErrorShape | None


class TakeAnswersBack(Shape):
    """Answers to be taken back."""

    answers: list[Id] = Field(min_length=1, max_length=MOST_QUESTIONS * MOST_PEOPLE)


class GivenAnswerLine(Shape):
    """An answer that holds: whether these are the same person; `at` in ms UTC."""

    id: str
    same: bool
    at: int
    people: list[IdentifiedPerson]


@routes.get("/campaigns/<campaign_id>/same-person")
def view(connection: DatabaseConnection, campaign_id: str) -> SamePersonQuestions:
    """What is asked about the campaign's leads."""
    doubts = people.open_doubts(connection, campaign_id, MOST_QUESTIONS + 1)
    return SamePersonQuestions(
        questions=same_person_questions(connection, doubts[:MOST_QUESTIONS]),
        more=len(doubts) > MOST_QUESTIONS,
        held=people.count_in_doubt(connection, campaign_id),
    )


@routes.post("/same-person/answer")
def answer(services: Services, body: GiveAnswers) -> AnswersGiven:
    """Say who is the same person; approved messages of theirs wait in Review again.

    Raises `identity_not_asked` if somebody else is in the question by now, `identity_answered`, and `person_under_way`.
    """
    commands = services.commands(WORKSPACE)
    answers: list[str] = []
    forbidden: dict[str, str] = {}
    waiting, refused = 0, None
    for given_answer in body.answers:
        try:
            for settled in give_answer(services.database, commands, given_answer):
                answers += filter(None, [settled.answer_id])
                waiting += settled.messages_waiting
                forbidden |= settled.forbidden
        except OutriderError as error:
            refused = refused or error
    if refused is not None and not answers and not forbidden:
        raise refused
    return AnswersGiven(
        answers=answers,
        messages_waiting=waiting,
        forbidden=forbidden,
        error=ErrorShape.showing(refused) if refused else None,
    )


@routes.post("/same-person/take-back")
def take_back(services: Services, body: TakeAnswersBack) -> AnswersGiven:
    """The answers count no more, the last one first; raises `identity_answer_unknown`, `person_under_way`."""
    commands = services.commands(WORKSPACE).people
    settlements = [commands.take_answer_back(answer_id) for answer_id in reversed(body.answers)]
    waiting = sum(settlement.messages_waiting for settlement in settlements)
    return AnswersGiven(answers=[], messages_waiting=waiting, forbidden={}, error=None)


@routes.get("/same-person/answers")
def answers(connection: DatabaseConnection, query: After) -> Page[GivenAnswerLine]:
    """The answers that hold, in all campaigns, the latest first."""
    given_answers = people.given_answers(connection, query.after, MOST_ANSWERS + 1)
    rows = [
        GivenAnswerLine(
            id=given_answer.id,
            same=given_answer.same,
            at=given_answer.created_at,
            people=known_people(connection, people.leads_of_members(connection, given_answer.member_keys))[0],
        )
        for given_answer in given_answers[:MOST_ANSWERS]
    ]
    return Page(rows=rows, next=rows[-1].id if len(given_answers) > MOST_ANSWERS else None)


def same_person_questions(connection: DatabaseConnection, doubts: Iterable[OpenDoubt]) -> list[SamePersonQuestion]:
    """What is asked, as it is shown."""
    return [_question(connection, doubt) for doubt in doubts]


def _question(connection: DatabaseConnection, doubt: OpenDoubt) -> SamePersonQuestion:
    listed, more = known_people(connection, doubt.lead_ids)
    return SamePersonQuestion(
        account=doubt.account,
        key=doubt.key,
        shown=_shown(doubt.lead_ids),
        kind=doubt.kind,
        reason=DOUBT_SENTENCES[doubt.kind],
        people=listed,
        more=more,
        on_list=_on_list(connection, doubt),
    )


def _on_list(connection: DatabaseConnection, doubt: OpenDoubt) -> list[str]:
    """By which addresses somebody is on the do-not-contact list who may be they; none if that is not what is asked."""
    return person_index.addresses_on_list(connection, doubt.lead_ids) if doubt.kind is DoubtKind.ON_LIST else []


def known_people(connection: DatabaseConnection, lead_ids: Iterable[str]) -> tuple[list[IdentifiedPerson], int]:
    """These leads by person, the first few; and how many people more there are."""
    persons = _by_person(connection, lead_ids)
    listed = [person_lead_ids[:MOST_LEADS] for person_lead_ids in persons[:MOST_PEOPLE]]
    shown = [lead_id for ids in listed for lead_id in ids]
    lines = known_leads(connection, shown)
    shown_people = [
        IdentifiedPerson(
            leads=[lines[lead_id] for lead_id in ids],
            more=len(person_lead_ids) - len(ids),
            decides=_what_decides(connection, ids[0]),
        )
        for ids, person_lead_ids in zip(listed, persons, strict=False)
    ]
    return shown_people, len(persons) - len(listed)


def _what_decides(connection: DatabaseConnection, lead_id: str) -> list[str]:
    person = people.person(connection, lead_id)
    is_listed = do_not_contact.is_do_not_contact(connection, lead_id)
    return [] if person is None else what_decides(person, is_listed=is_listed)


def known_leads(connection: DatabaseConnection, lead_ids: Sequence[str]) -> dict[str, IdentifiedLead]:
    """These leads, as they are shown."""
    contacts = people.leads_by_id(connection, lead_ids)
    return {
        name.lead_id: IdentifiedLead(**name._asdict(), contact=contacts[name.lead_id].contact)
        for name in people.names(connection, lead_ids)
    }


def _by_person(connection: DatabaseConnection, lead_ids: Iterable[str]) -> list[list[str]]:
    persons: dict[str, list[str]] = {}
    for lead_id, person_id in sorted(people.person_ids(connection, lead_ids).items()):
        persons.setdefault(person_id, []).append(lead_id)
    return list(persons.values())


def _shown(lead_ids: Sequence[str]) -> str:
    return sha256("\n".join(sorted(lead_ids)).encode()).hexdigest()[:32]


def give_answer(database: Database, commands: Commands, given_answer: SamePersonAnswer) -> Iterable[IdentitySettled]:
    """Record it, answer by answer; raises `identity_not_asked` if it is about others than were shown."""
    with database.read() as connection:
        doubt = people.open_doubt(connection, given_answer.account, given_answer.key)
        if doubt is None or _shown(doubt.lead_ids) != given_answer.shown:
            raise OutriderError("identity_not_asked")
        identities = people.identities(connection, doubt.lead_ids)
        persons = [[identities[lead_id] for lead_id in ids] for ids in _by_person(connection, doubt.lead_ids)]
        on_list = _on_list(connection, doubt)
        names = people.names(connection, doubt.lead_ids)
    if doubt.kind is not DoubtKind.ON_LIST:
        for identity_answer in answers_of(persons, together_of(persons, given_answer.same, given_answer.together)):
            yield commands.people.answer_same(list(identity_answer.member_keys), identity_answer.same)
    elif given_answer.same:
        for lead in names:
            commands.leads.do_not_contact(lead.campaign_id, lead.lead_id)
            yield IdentitySettled("", 0, {lead.lead_id: lead.campaign_id})
    else:
        for address in on_list:
            yield commands.people.answer_same([identities[doubt.lead_ids[0]].member_key, address], same=False)
