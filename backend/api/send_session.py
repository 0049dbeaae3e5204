"""The send session: the people of the day one after the other, each text handed over once, and what the user says of it."""

from pydantic import Field

from backend.api.endpoint import Noun
from backend.api.person_note import PersonNote, person_note
from backend.api.services import Services
from backend.api.shapes import Done, Id
from backend.api.threads import Said, last_said
from backend.domain.lead import occupation
from backend.domain.message import MessageStatus
from backend.domain.record_loss import RECORDS_LOST, accepted_at
from backend.domain.send_session import LONGEST_REPLY, Person, SessionAsk, Word, skipped_until
from backend.domain.shapes import Wire
from backend.runtime.send_session import Allowance
from backend.store.database import DatabaseConnection
from backend.store.queries import configuration, leads
from backend.turn import load as loading
from backend.turn.load import TurnInputs

routes = Noun("send_session", "/campaigns/<campaign_id>/send-session")


class SessionPerson(Wire):
    """Somebody who waits for the user's hand: what is asked, and what may be said.

    `text` is what would be sent, bound by `digest`; empty where nothing is. `action_id` is the act whose text they have, or "".
    `thread` are the last messages on record. `look_first`: entries of the log are missing, and nobody has looked at this person
    since, so that the text may be there already. `skipped_until` is when they come back if they are skipped now (ms UTC).
    """

    lead_id: str
    action_id: str
    name: str
    occupation: str
    profile_url: str
    score: int | None
    ask: SessionAsk
    kind: str
    step: str
    text: str
    digest: str
    words: list[Word]
    thread: list[Said]
    look_first: bool
    skipped_until: int
    note: PersonNote


class LastWord(Wire):
    """What was said last, which can still be taken back."""

    lead_id: str
    name: str
    word: Word


class SendSessionView(Wire):
    """The people of the day in their order, why others wait, and the counters of the account; times on the campaign's clock."""

    now: int
    utc_offset_ms: int
    people: list[SessionPerson]
    held: list[str]
    used: list[Allowance]
    last: LastWord | None


class HandOver(Wire):
    """Take the text that was shown; `no_reply`: the conversation was looked at, and nothing new stands there."""

    lead_id: Id
    digest: str = Field(max_length=128)
    no_reply: bool = False


class HandedOver(Wire):
    """The exact text, for the clipboard; its intent is on disk."""

    text: str
    profile_url: str
    kind: str


class GivenAnswer(Wire):
    """What the user says of a person, who was shown with this question about this act; `reply` is what they wrote, word by word."""

    lead_id: Id
    ask: SessionAsk
    action_id: str = Field(default="", max_length=64)
    word: Word
    reply: str = Field(default="", max_length=LONGEST_REPLY)


@routes.get()
def view(services: Services, connection: DatabaseConnection, campaign_id: str) -> SendSessionView:
    """Who waits for the user's hand now; raises `campaign_unknown` and `not_sent_by_hand`."""
    clock, around = services.session.clock(campaign_id), services.session.conditions(campaign_id)
    state = services.session.send_session.state(connection, campaign_id, clock, withdrawals=True)
    now = clock.now()
    offset = clock.offset(now)
    last, lost_at = state.last, accepted_at(configuration.campaign_value(connection, campaign_id, RECORDS_LOST))
    return SendSessionView(
        now=now,
        utc_offset_ms=offset,
        people=[
            _person(connection, person, lost_at, skipped_until(person, now, offset), around) for person in state.people
        ],
        held=list(state.held),
        used=list(state.allowances),
        last=None
        if last is None
        else LastWord(lead_id=last.lead_id, name=leads.full_name(connection, last.lead_id) or "", word=last.word),
    )


@routes.post("/hand-over")
def hand_over(services: Services, campaign_id: str, body: HandOver) -> HandedOver:
    """Hand a text over, its intent first; called again it hands over the same text, and intends nothing new."""
    services.session.user_returned()
    services.session.record_loss.refuse()
    handed = services.session.send_session.hand_over(
        campaign_id,
        body.lead_id,
        services.session.clock(campaign_id),
        shown_digest=body.digest,
        no_reply=body.no_reply,
    )
    return HandedOver(text=handed.message.text, profile_url=handed.lead.profile_url, kind=handed.message.kind)


@routes.post("/answer")
def answer(services: Services, campaign_id: str, body: GivenAnswer) -> Done:
    """Say what happened; the word before it takes effect.

    Raises `person_not_waiting` if something else is asked by now, such as in another window.
    """
    services.session.user_returned()
    words, now = services.session.commands(campaign_id).send_words, services.session.clock(campaign_id).now()
    words.say(campaign_id, body.lead_id, body.word, ask=body.ask, action_id=body.action_id, at=now, reply=body.reply)
    return Done(campaign_id=campaign_id)


@routes.post("/take-back")
def take_back(services: Services, campaign_id: str) -> Done:
    """Take the last word back."""
    services.session.send_session.take_back(campaign_id, services.session.clock(campaign_id))
    return Done(campaign_id=campaign_id)


@routes.post("/leave")
def leave(services: Services, campaign_id: str) -> Done:
    """The last word takes effect."""
    services.session.send_session.settle(campaign_id, services.session.clock(campaign_id))
    return Done(campaign_id=campaign_id)


def _person(
    connection: DatabaseConnection, person: Person, lost_at: int | None, back: int, around: TurnInputs
) -> SessionPerson:
    lead, message = person.lead, person.message
    seen_at = lead.visited_at if person.ask is SessionAsk.INVITE else lead.thread_read_at
    shown = (
        message if message is not None and message.status in (MessageStatus.APPROVED, MessageStatus.SENDING) else None
    )
    return SessionPerson(
        lead_id=lead.id,
        action_id=person.action_id,
        name=lead.full_name,
        occupation=occupation(lead.headline, lead.job_title, lead.company),
        profile_url=lead.profile_url,
        score=lead.weight_score,
        ask=person.ask,
        kind=shown.kind if shown else "",
        step=shown.step if shown else "",
        text=shown.text if shown else "",
        digest=loading.digest_of(person.campaign, lead, shown) if shown else "",
        words=list(person.words),
        thread=last_said(connection, lead.id),
        look_first=lost_at is not None and bool(shown) and not person.action_id and (seen_at or 0) < lost_at,
        skipped_until=back,
        note=person_note(connection, lead.id, around),
    )
