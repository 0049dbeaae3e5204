"""The queue of the user's hand over all campaigns, each message handed over once, and what the user says of it."""

from collections.abc import Iterable
from functools import partial

from pydantic import Field

from backend.api.people import PersonNote, person_note
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import Named
from backend.api.threads import Said, last_said
from backend.domain.contact.send_session import MOST_REPLY_CHARACTERS, QueuedPerson, QueueGroup, skipped_until
from backend.domain.events.record_loss import RECORDS_LOST, accepted_at
from backend.domain.gates.gates import HandVerdict, not_active
from backend.domain.model.campaign import CampaignStatus
from backend.domain.model.days import OffsetSince
from backend.domain.model.lead import occupation
from backend.domain.model.message import MessageStatus
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.values.shapes import Id, Shape
from backend.situation import send_people, situations
from backend.situation.send_queue import Allowance, handed_again, people_by_hand
from backend.situation.situations import TurnInputs
from backend.situation.wait_reasons import WaitReason
from backend.store.database import DatabaseConnection
from backend.store.queries.contact import messages
from backend.store.queries.device import configuration
from backend.store.queries.leads import leads

queue = Routes("send_queue", "/send")
routes = Routes("send_session", "/campaigns/<campaign_id>/send-session")


class SessionPerson(Shape):
    """Somebody who waits for the user's hand: what is asked, and what may be said.

    `text` is what would be sent, bound by `digest`; empty where nothing is. `action_id` is the act whose text they have, or "".
    `thread` are the last messages on record. `look_first`: entries of the log are missing, and nobody has looked at this person
    since, so that the text may be there already. `skipped_until` is when they come back if they are skipped now (ms UTC). `held` is
    why a text that they have is not handed over once more, or "".
    """

    campaign_id: str
    campaign: str
    group: QueueGroup
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
    advice: list[WaitReason]
    """What speaks against sending it now, unless the user goes beyond it."""
    held: str


class LastWord(Shape):
    """What was said last, which can still be taken back."""

    campaign_id: str
    lead_id: str
    name: str
    word: Word


class PausedWork(Shape):
    """A paused campaign, and how many approved messages wait in it."""

    id: str
    name: str
    approved: int


class SendQueueView(Shape):
    """Whom the user writes to now, in their order; who better waits; why others must wait; and the counters of the account.

    `campaigns` are all that feed the queue, whichever was asked for.
    """

    now: int
    utc_offsets: list[OffsetSince]
    campaigns: list[Named]
    people: list[SessionPerson]
    later: list[SessionPerson]
    held: list[str]
    paused: list[PausedWork]
    used: list[Allowance]
    last: LastWord | None


class QueueQuery(Shape):
    """The queue of one campaign, or of all."""

    campaign: Id | None = None


class HandOver(Shape):
    """Take the text that was shown; `no_reply`: the conversation was looked at, and nothing new stands there.

    `action_id` is the act whose text they have already, and take once more. `despite` are the codes of the advice that was shown,
    and that the user goes beyond.
    """

    lead_id: Id
    action_id: str = Field(default="", max_length=64)
    digest: str = Field(max_length=128)
    no_reply: bool = False
    despite: list[Id] = Field(default=[], max_length=20)


class HandedOver(Shape):
    """The exact text, for the clipboard; its intent is on disk."""

    text: str
    profile_url: str
    kind: str


class HandReport(Shape):
    """What the user says of a person, who was shown with this question about this act; `reply` is what they wrote, word by word."""

    lead_id: Id
    ask: SessionAsk
    action_id: str = Field(default="", max_length=64)
    word: Word
    reply: str = Field(default="", max_length=MOST_REPLY_CHARACTERS)


@queue.get()
def view(services: Services, connection: DatabaseConnection, query: QueueQuery) -> SendQueueView:
    """Who waits for the user's hand now; raises `campaign_unknown` and `not_sent_by_hand` for the one that was asked for."""
    clock = services.workspace.clock
    campaigns = send_people.campaigns_by_hand(connection)
    requested_campaign = None if query.campaign is None else send_people.campaign_by_hand(connection, query.campaign)
    among = campaigns if requested_campaign is None else [requested_campaign]
    inputs, refusals = services.send_session.turn_inputs(clock), services.send_session.refusals()
    state = people_by_hand(connection, among, inputs, refusals, withdrawals=True)
    card = partial(_card, connection, inputs, refused=min(refusals, default=""))
    last = state.last
    paused = [
        PausedWork(id=campaign.id, name=campaign.name, approved=approved)
        for campaign in among
        if campaign.status is CampaignStatus.PAUSED
        and (approved := messages.count_approved(connection, campaign.id, inputs.now))
    ]
    return SendQueueView(
        now=inputs.now,
        utc_offsets=inputs.utc_offsets,
        campaigns=[Named(id=campaign.id, name=campaign.name) for campaign in campaigns],
        people=[
            card(person, handed_again(connection, person, inputs) if person.sending else None)
            for person in state.people
        ],
        later=[card(person, verdict) for person, verdict in state.later],
        held=[reason for reason in state.hold_reasons if not _is_told_as_paused(reason, paused)],
        paused=paused,
        used=list(state.allowances),
        last=None
        if last is None
        else LastWord(
            campaign_id=last.campaign_id,
            lead_id=last.word.lead_id,
            name=leads.full_name(connection, last.word.lead_id) or "",
            word=last.word.word,
        ),
    )


@routes.post("/hand-over")
def hand_over(services: Services, campaign_id: str, body: HandOver) -> HandedOver:
    """Hand a text over, its intent first; asked for again as one that the user has, it is the same, and nothing new is intended."""
    services.presence.resume()
    handed = services.send_session.hand_over(
        campaign_id,
        body.lead_id,
        services.clock(campaign_id),
        shown_digest=body.digest,
        no_reply=body.no_reply,
        action_id=body.action_id,
        despite=body.despite,
    )
    return HandedOver(text=handed.message.text, profile_url=handed.lead.profile_url, kind=handed.message.kind)


@routes.post("/answer")
def answer(services: Services, campaign_id: str, body: HandReport) -> None:
    """Say what happened; the word before it takes effect. Raises `person_not_waiting` if something else is asked by now."""
    services.presence.resume()
    words, now = services.commands(campaign_id).send_words, services.clock(campaign_id).now()
    words.say(campaign_id, body.lead_id, body.word, ask=body.ask, action_id=body.action_id, at=now, reply=body.reply)


@routes.post("/take-back")
def take_back(services: Services, campaign_id: str) -> None:
    """Take the last word back."""
    services.send_session.take_back(campaign_id, services.clock(campaign_id))


@routes.post("/leave")
def leave(services: Services, campaign_id: str) -> None:
    """The last word of each campaign takes effect."""
    services.send_session.leave(campaign_id, services.clock(campaign_id))


def _is_told_as_paused(reason: str, paused: Iterable[PausedWork]) -> bool:
    """With how many messages wait and how to go on, instead of as the bare reason."""
    sentence = not_active(CampaignStatus.PAUSED)
    return any(reason in (sentence, f"{work.name}: {sentence}") for work in paused)


def _card(
    connection: DatabaseConnection,
    inputs: TurnInputs,
    person: QueuedPerson,
    verdict: HandVerdict | None = None,
    *,
    refused: str,
) -> SessionPerson:
    campaign, lead, message = person.campaign, person.lead, person.message
    lost_at = accepted_at(configuration.campaign_value(connection, campaign.id, RECORDS_LOST))
    seen_at = lead.visited_at if person.ask is SessionAsk.INVITE else lead.thread_read_at
    shown = (
        message if message is not None and message.status in (MessageStatus.APPROVED, MessageStatus.SENDING) else None
    )
    advice = () if verdict is None else (*verdict.asks, *verdict.advises)
    return SessionPerson(
        campaign_id=campaign.id,
        campaign=campaign.name,
        group=person.group,
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
        digest=situations.digest_of(campaign, lead, shown) if shown else "",
        words=list(person.words),
        thread=last_said(connection, lead.id),
        look_first=lost_at is not None and bool(shown) and not person.action_id and (seen_at or 0) < lost_at,
        skipped_until=skipped_until(person, inputs.now, inputs.offset_at),
        note=person_note(connection, lead.id, inputs),
        advice=[WaitReason(shut.code, shut.sentence, shut.until) for shut in advice],
        held="" if verdict is None else refused or (verdict.refusal.sentence if verdict.refusal else ""),
    )
