"""The user of a campaign on Assist: goes through the people of the day, looks, pastes, and says what happened."""

import random
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from backend.commands.reconciliation import compare_export
from backend.domain.contact.send_session import QueuedPerson
from backend.domain.contact.sends import SendContext
from backend.domain.model.lead import Lead
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.people.contact_archive import ArchivedMessage, ContactArchive, PersonInArchive
from backend.situation.situations import digest_of
from tests.fakes.send_desk import session_state
from tests.simulation.machine import Launch
from tests.simulation.oracle import Act, Said, profile_of

if TYPE_CHECKING:
    from tests.simulation.world import World

MOST_AT_ONCE = 3
_REPLIES = "SELECT text FROM messages WHERE lead_id=? AND status='received'"
_ALL_REPLIES = "SELECT m.text, l.member_key FROM messages m JOIN leads l ON l.id = m.lead_id WHERE m.status='received'"


class SendDesk:
    """The people of the day, and what the user does next. They look at a conversation before they write there."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._met: set[str] = set()
        """In which campaigns there was anybody since their last word took effect."""

    @property
    def _chance(self) -> random.Random:
        return self._world.chance

    def next_person(self, launch: Launch) -> bool:
        """Do what is asked about the first person of the day; whether there was one. Runs within the launch."""
        world, session, clock = self._world, launch.background.send_session, launch.device.clock
        campaign_id = launch.device.campaign_id
        launch.user_returned()
        people = session_state(launch.database, session, [campaign_id], clock, MOST_AT_ONCE).people
        if not people:
            if campaign_id in self._met:
                self._met.discard(campaign_id)
                session.settle(campaign_id, clock)
            return False
        self._met.add(campaign_id)
        person = self._chance.choice(people)
        slug = world.who.slug(person.lead.profile_url)
        if world.hub.now < world.busy_with.get(slug, 0):
            return True  # they sit at the other device, with this very text in their hands
        world.network_time()
        connected = str(world.exchange.read(lambda network: network.relation(slug, network.now))) == "connected"
        their_texts = [message.text for message in self._thread(slug) if message.by_them]
        reported = self._told(launch, person.lead, slug)
        answer, reply = self._word(person, slug, connected=connected), ""
        if not reported.issuperset(their_texts) and Word.REPLIED in person.words and answer is not Word.SENT:
            answer, reply = Word.REPLIED, their_texts[-1]
        if world.exchange.read(lambda network: network.person(slug)) is None and Word.WRONG_PERSON in person.words:
            answer = Word.WRONG_PERSON  # the address was cut off with its file
        if answer is None:
            self._paste(launch, person, slug)
            return True
        if self._chance.random() < 0.05:  # the wrong key, and back
            session.answer(campaign_id, person.lead.id, clock, Word.SKIP)
            session.take_back(campaign_id, clock)
        session.answer(campaign_id, person.lead.id, clock, answer, reply)
        if person.sending is not None:
            self._heard(launch, person.sending, answer)
        world.tell(f"{launch.name}: the user says {answer} of {slug}")
        return True

    def _told(self, launch: Launch, lead: Lead, slug: str) -> set[str]:
        """What they wrote and Outrider was told of; nobody says that again because another campaign has them, too."""
        world = self._world
        with launch.database.read() as connection:
            if len(world.campaigns) == 1:
                return {text for (text,) in connection.execute(_REPLIES, (lead.id,))}
            rows = connection.execute(_ALL_REPLIES).fetchall()
        return {text for text, member_key in rows if world.who.slug(member_key) == slug}

    def _word(self, person: QueuedPerson, slug: str, *, connected: bool) -> Word | None:
        """None: they take the text."""
        if person.ask is SessionAsk.OUTCOME:
            message = person.sending.message if person.sending else None
            there = message is not None and (message.kind, slug, message.text) in self._world.received()
            return Word.SENT if there else Word.NOT_SENT
        if person.ask in (SessionAsk.ACCEPTED, SessionAsk.CONNECTED):
            return Word.CONNECTED if connected else Word.NOT_CONNECTED
        if person.ask is SessionAsk.REPLIED:
            return Word.NO_REPLY if connected else Word.NOT_CONNECTED
        if not connected and person.ask is SessionAsk.WRITE:
            return Word.NOT_CONNECTED
        if connected and person.ask is SessionAsk.INVITE:
            return Word.CONNECTED
        if person.ask is SessionAsk.INVITE and self._is_invited_elsewhere(slug):
            return Word.ALREADY_SENT
        return Word.ALREADY_SENT if self._is_there(person, slug) else None

    def _is_invited_elsewhere(self, slug: str) -> bool:
        """Whether their page shows an invitation that another campaign sent; half of the users see that in time."""
        world = self._world
        if len(world.campaigns) == 1 or self._chance.random() < 0.5:
            return False
        return str(world.exchange.read(lambda network: network.relation(slug, network.now))) == "pending"

    def _is_there(self, person: QueuedPerson, slug: str) -> bool:
        """Whether this step's text stands there already, as it may after an older database was put back."""
        message, world = person.message, self._world
        if message is None:
            return False
        step = message.text.partition(":")[0]
        there = any(
            received[:2] == (message.kind, slug) and received[2].partition(":")[0] == step
            for received in world.received()
        )
        if there and world.oracle.in_force[-1].logs_are_whole:
            if not world.shared:
                world.judge_broken(f"{slug} is shown for {step}, which is there already")
            # A device that has not heard of it yet may show it, but does not hand it over: half of the users try.
            return self._chance.random() < 0.5
        return there

    def _paste(self, launch: Launch, person: QueuedPerson, slug: str) -> None:
        world, session, clock = self._world, launch.background.send_session, launch.device.clock
        if person.message is None:
            return
        world.busy_with[slug] = world.hub.now + 120_000_000
        digest = digest_of(person.campaign, person.lead, person.message)
        campaign_id = person.campaign.id
        shown = {"shown_digest": digest, "action_id": person.action_id}
        acquaintances = world.acquaintances(launch)  # what another device says of them while they write, comes too late
        handed = session.hand_over(campaign_id, person.lead.id, clock, **shown, no_reply=True)
        world.oracle.first_begun.setdefault(handed.message.kind, world.now())
        world.hub.pause(5 + 40 * self._chance.random())
        if self._chance.random() < 0.05 or world.hub.now >= world.busy_with[slug]:
            return  # something came between, or the machine stood still
        kind, text = handed.message.kind, handed.message.text
        world.network_time()
        world.sent(launch, kind, slug, text, by_hand_for=handed.campaign.id, acquaintances=acquaintances)
        if kind == "invitation":
            world.exchange.record(lambda network: network.invite(slug, text, network.now))
        else:
            world.exchange.record(lambda network: network.message(slug, text, network.now))
        world.hub.pause(3)
        if self._chance.random() < 0.9:
            there = (kind, slug, text) in world.received()
            answer = Word.SENT if there else Word.NOT_SENT
            session.answer(campaign_id, person.lead.id, clock, answer)
            self._heard(launch, handed, answer)

    def _heard(self, launch: Launch, handed: SendContext, answer: Word) -> None:
        act, statement = Act(handed.action_id, handed.message.id), Said(answer.value, launch.device.name)
        self._world.judge(lambda: self._world.oracle.said(act, statement))

    def import_archive(self, launch: Launch) -> None:
        """LinkedIn's own export, a few days old, is compared with what is on record."""
        world, clock = self._world, launch.device.clock
        until = world.now() - self._chance.choice((0, 1, 3)) * 86_400_000
        people = {profile_of(card.slug): self._in_archive(card.slug, until) for card in world.people}
        newest = max((message.at for person in people.values() for message in person.messages), default=None)
        archive = ContactArchive({url: person for url, person in people.items() if person != PersonInArchive()}, newest)
        world.tell(f"{launch.name}: the user imports LinkedIn's export")

        launch.background.importer.start(
            launch.device.campaign_id,
            (),
            clock,
            file="export.zip",
            file_format="linkedin",
            compare=lambda: compare_export(launch.journal, clock, lambda _: archive, file="export.zip"),
        )

    def _thread(self, slug: str) -> list[ArchivedMessage]:
        messages = self._world.exchange.read(lambda network: network.thread(slug, network.now))
        return [
            ArchivedMessage(message.author != "you", message.text, message.at // 1_000 * 1_000) for message in messages
        ]

    def _in_archive(self, slug: str, until: int) -> PersonInArchive:
        pending = dict(self._world.exchange.read(lambda network: network.pending(until)))
        accepted = dict(self._world.exchange.read(lambda network: network.accepted(until)))
        return PersonInArchive(
            _day(pending[slug].at) if slug in pending else "",
            _day(accepted[slug]) if slug in accepted else "",
            tuple(message for message in self._thread(slug) if message.at <= until),
        )


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1_000, UTC).date().isoformat()
