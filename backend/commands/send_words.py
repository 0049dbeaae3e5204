"""What the user says of a person in a send session: kept as the last word, taken back, or in force.

The last word takes effect with the next one, so that a slip can be taken back; whoever starts finds it there. After a conflict
each is repeated without asking: what happened does not depend on which device recorded something first. A word is recorded
again only if the same is still asked about the same act; what is on record anyway is not said twice.
"""

from dataclasses import dataclass, replace
from typing import Annotated

from backend.commands.answers import contradicting_events
from backend.commands.command import column, parse_command
from backend.commands.handler import CommandHandler, command
from backend.domain.contact.conversation_check import is_ours
from backend.domain.contact.send_session import (
    AT_ONCE,
    MOST_REPLY_CHARACTERS,
    UNASKED,
    QueuedPerson,
    is_on_record,
    word_events,
)
from backend.domain.device.rebase import RebaseStatus
from backend.domain.events.facts.workspace import ConfigChanged, ConfigSet
from backend.domain.model.campaign import Campaign
from backend.domain.model.send_word import LAST_WORD, GivenWord, SessionAsk, Word, taken_back
from backend.domain.model.site import Relation
from backend.domain.values.errors import OutriderError
from backend.situation import send_people
from backend.store.log.transaction import Transaction
from backend.store.queries.contact import account_record, actions, messages
from backend.store.queries.device import configuration
from backend.store.queries.leads import leads
from backend.store.replication import rebase_queue
from backend.turn.verifier import verify_waiting

SAY = "send_words.say"
_KEPT = {"ConfigSet": "value", "ConfigChanged": "value"}


@dataclass(frozen=True, slots=True)
class SendWordCommands(CommandHandler):
    """What the user says of people; raises `campaign_unknown` and `not_sent_by_hand`."""

    @command(SAY, shows=_KEPT, on_conflict="repeat")
    def say(
        self,
        campaign_id: str,
        lead_id: str,
        word: Word,
        *,
        ask: SessionAsk,
        action_id: str,
        at: int,
        reply: Annotated[str, column("ReplyReceived", "text")] = "",
    ) -> None:
        """Say what happened when they were asked `ask` about an act ("" for none) at a time (ms UTC); the word before it
        takes effect. Nothing new is recorded if the same is on record.

        Raises `person_not_waiting`, `answer_not_offered`, `reply_too_long` and `reply_is_yours`.
        """
        if len(reply) > MOST_REPLY_CHARACTERS:
            raise OutriderError("reply_too_long", length=len(reply), limit=MOST_REPLY_CHARACTERS)
        given_word = GivenWord(lead_id, ask, word, action_id, at)
        with self.journal.transaction() as transaction:
            campaign = send_people.campaign_by_hand(transaction.connection, campaign_id)
            if self._is_known(transaction, campaign, given_word, reply):
                return
            self._settle(transaction, campaign, given_word)
            person = self._person(transaction, campaign, given_word)
            if person is None and self._ask_which(transaction, campaign, given_word):
                return
            if person is None:
                raise OutriderError("person_not_waiting")
            if word not in person.words:
                raise OutriderError("answer_not_offered", answer=word, choices=", ".join(person.words))
            texts = [row.text for row in account_record.texts_to(transaction.connection, lead_id)] if reply else []
            if is_ours(reply, texts):
                raise OutriderError("reply_is_yours", name=person.lead.full_name)
            # What nobody asked about takes effect at once: there is no next question with which it would.
            at_once = word in AT_ONCE or self._asked(transaction, campaign, given_word) is None
            if at_once:
                self._apply(transaction, person, given_word, reply)
            # Even if none is to be kept: by this one row two devices' words are in conflict, whoever they are about.
            self._keep(transaction, campaign_id, None if at_once else given_word)
        verify_waiting(self.journal, self.clock, campaign_id, None)

    @command("send_words.take_back", shows=_KEPT, on_conflict="repeat")
    def take_back(
        self, campaign_id: str, lead_id: str, word: Word, *, ask: SessionAsk, action_id: str, at: int
    ) -> None:
        """The word counts as not said, also after a conflict; raises `nothing_to_take_back` once it has taken effect."""
        with self.journal.transaction() as transaction:
            campaign = send_people.campaign_by_hand(transaction.connection, campaign_id)
            last = send_people.last_word(transaction.connection, campaign_id)
            if last is not None and (last.lead_id, last.at) == (lead_id, at):
                self._record(transaction, campaign_id, [ConfigChanged(LAST_WORD, value=taken_back(last))])
                return
            given_word = GivenWord(lead_id, ask, word, action_id, at)
            is_put_off = word is Word.SKIP and not action_id  # which changes nothing, and is over by itself
            if (
                not self._forget(transaction, given_word)
                and not is_put_off
                and self._holds(transaction, campaign, given_word)
            ):
                raise OutriderError("nothing_to_take_back")

    @command("send_words.settle", shows=_KEPT, on_conflict="repeat")
    def settle(self, campaign_id: str, lead_id: str, *, at: int) -> None:
        """The word that was said then takes effect, unless it was taken back, or did so before."""
        with self.journal.transaction() as transaction:
            campaign = send_people.campaign_by_hand(transaction.connection, campaign_id)
            last = send_people.last_word(transaction.connection, campaign_id)
            if last is None or (last.lead_id, last.at) != (lead_id, at):
                return
            self._settle(transaction, campaign)
            self._keep(transaction, campaign_id, None)
        verify_waiting(self.journal, self.clock, campaign_id, None)

    # --- inside ---

    def _settle(self, transaction: Transaction, campaign: Campaign, following: GivenWord | None = None) -> None:
        last = send_people.last_word(transaction.connection, campaign.id)
        if last is None or (following is not None and self._is_replaced(last, following)):
            return
        person = self._asked(transaction, campaign, last)
        # What the user decided about this person meanwhile (do not contact, dropped) holds, and the word is moot.
        if person is not None and last.word in person.words:
            self._apply(transaction, person, last)

    def _ask_which(self, transaction: Transaction, campaign: Campaign, given_word: GivenWord) -> bool:
        """Whether the opposite is on record. The user is asked, on every device: who has the text must not get it again."""
        if given_word.word not in (Word.SENT, Word.NOT_SENT):
            return False
        word = given_word.lead_id, given_word.action_id, given_word.at
        sent = given_word.word is Word.SENT
        events = contradicting_events(transaction, campaign.id, *word, self.clock, sent=sent)
        if events is None:
            return False
        self._record(transaction, campaign.id, events)
        return True

    def _forget(self, transaction: Transaction, given_word: GivenWord) -> bool:
        """Whether the word was one that waits for the user's choice; it does not any more."""
        for conflict in rebase_queue.open_conflicts(transaction.connection):
            command = parse_command(conflict.cause, conflict.campaign_id)
            arguments = command.arguments if command is not None and command.name == SAY else {}
            if (arguments.get("lead_id"), arguments.get("at")) == (given_word.lead_id, given_word.at):
                return rebase_queue.set_status(
                    transaction.connection, conflict.id, RebaseStatus.THEIRS, self.clock.now()
                )
        return False

    def _is_known(self, transaction: Transaction, campaign: Campaign, given_word: GivenWord, reply: str) -> bool:
        last = send_people.last_word(transaction.connection, campaign.id)
        if last is not None and replace(last, at=given_word.at) == given_word:
            return not self._is_replaced(last, given_word)
        if reply:
            recorded = messages.reply_times(transaction.connection, given_word.lead_id, reply)
            return (
                given_word.at in recorded
                if self._asked(transaction, campaign, given_word) is not None
                else bool(recorded)
            )
        return self._holds(transaction, campaign, given_word)

    def _is_replaced(self, last: GivenWord, following: GivenWord) -> bool:
        """Whether the last word was to skip the same person, on a day that is over, so that they are asked about again."""
        return last.lead_id == following.lead_id and last.is_over(following.at, self.clock.offset)

    def _holds(self, transaction: Transaction, campaign: Campaign, given_word: GivenWord) -> bool:
        """Whether the word answers nothing any more, and what it says is on record."""
        connection = transaction.connection
        lead = leads.lead(connection, campaign.id, given_word.lead_id)
        if lead is None or self._asked(transaction, campaign, given_word) is not None:
            return False
        sent_later = actions.is_sent_later(connection, given_word.action_id)
        return is_on_record(given_word, lead, *actions.outcome(connection, given_word.action_id), sent_later=sent_later)

    def _person(self, transaction: Transaction, campaign: Campaign, given_word: GivenWord) -> QueuedPerson | None:
        """Whom the word is about, if the same is asked. That they replied, or accepted the invitation that waits, is said of
        anybody to whom nothing is being sent."""
        person = self._asked(transaction, campaign, given_word)
        ask = UNASKED.get(given_word.word)
        if person is not None or ask is None or (given_word.word is Word.CONNECTED and given_word.ask is not ask):
            return person
        connection, now = transaction.connection, self.clock.now()
        person = send_people.person(connection, campaign, given_word.lead_id, now)
        if person is None:
            person = send_people.anybody(connection, campaign, given_word.lead_id, now, ask)
        if person is None or person.sending is not None:
            return None
        return None if given_word.word is Word.CONNECTED and person.lead.relation is not Relation.PENDING else person

    def _asked(self, transaction: Transaction, campaign: Campaign, given_word: GivenWord) -> QueuedPerson | None:
        """The person, if the same is asked about them as when the word was said."""
        connection, now = transaction.connection, self.clock.now()
        if given_word.ask is SessionAsk.WITHDRAW:
            return send_people.invited_long_ago(connection, campaign, given_word.lead_id, now)
        person = send_people.person(connection, campaign, given_word.lead_id, now)
        if person is None or not person.is_asked(given_word):
            return None
        if given_word.word is Word.ALREADY_SENT and person.message is not None:
            written_at = messages.written_at(connection, person.message.id)
            return person if written_at <= given_word.at else None  # later texts are not the one that they saw
        return person

    def _apply(self, transaction: Transaction, person: QueuedPerson, given_word: GivenWord, reply: str = "") -> None:
        events = word_events(
            person, given_word.word, given_word.at, transaction.new_id, offset_at=self.clock.offset, reply=reply
        )
        self._record(transaction, person.campaign.id, events)

    def _keep(self, transaction: Transaction, campaign_id: str, given_word: GivenWord | None) -> None:
        stored_value = configuration.campaign_value(transaction.connection, campaign_id, LAST_WORD)
        fact = ConfigSet if stored_value is None else ConfigChanged
        value = configuration.REMOVED if given_word is None else given_word.stored
        self._record(transaction, campaign_id, [fact(LAST_WORD, value=value)])
