"""What the user decides about a conversation: what a reply is, what came of it, when it comes back, and what is answered."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from backend.commands.command import SHOWN, FromEntity, column
from backend.commands.handler import CommandHandler, command
from backend.commands.leads import reopening_events, with_reopening
from backend.domain.contact.conversation_check import new_replies
from backend.domain.contact.inbox import is_begun, label_events
from backend.domain.contact.reconciliation_events import replied
from backend.domain.contact.replies import Reply, no_reply_after_all, progress
from backend.domain.events.events import Event
from backend.domain.events.facts.campaign import CampaignReopened
from backend.domain.events.facts.lead import (
    LeadAdvanced,
    LeadBlocked,
    LeadFinished,
    LeadResumed,
    LeadSnoozed,
    RepliesRead,
)
from backend.domain.events.facts.message import ReplyClassified
from backend.domain.gates.approval import approval_ends
from backend.domain.gates.gates import reply_refusal
from backend.domain.model.campaign import Campaign, CampaignStatus
from backend.domain.model.lead import ENDS_BY_WORD, Label, Lead
from backend.domain.model.message import MessageStatus
from backend.domain.model.reply_kind import BY_USER, ReplyKind, ends_sequence
from backend.domain.model.sequence import DueAction
from backend.domain.model.site import Thread, ThreadMessage
from backend.domain.model.task import TaskStatus
from backend.domain.turn.new_tasks import answer_events
from backend.domain.turn.proposal_check import clean_text, text_length, text_limit
from backend.domain.turn.task_progress import answer_stopped, next_step_events, resumed, wake_events, withdraw_all
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import refuse_unshown
from backend.domain.values.shapes import Moment
from backend.situation import situations
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaigns, tasks
from backend.store.queries.campaign.questions import withdrawn_questions
from backend.store.queries.contact import messages, threads
from backend.store.queries.leads import leads
from backend.store.queries.people import do_not_contact, people, person_entries
from backend.store.queries.reports import attributions
from backend.turn.known_elsewhere import CAUSE
from backend.turn.planner import NOT_BEGUN_WITH, contact_again_events, why_held

READ = "conversation opened"
_END_SEQUENCE = tuple(kind for kind in ReplyKind if ends_sequence([kind]))


@dataclass(frozen=True, slots=True)
class ReplyCommands(CommandHandler):
    """Decisions about conversations; raises `campaign_unknown`, `lead_unknown` and `reply_unknown`."""

    @command(
        "replies.classify",
        shows={"ReplyClassified": "reply_kind"},
        on_conflict="repeat",
        with_values={"kind": _END_SEQUENCE},
    )
    def classify(self, campaign_id: str, message_id: str, kind: ReplyKind) -> None:
        """Say what a reply is. One that turns out to be a person's ends the sequence.

        One that turns out to be a machine's counts as none, but nothing that has ended goes on by it.
        """
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            reply = messages.message(transaction.connection, campaign_id, message_id)
            situation = (
                situations.lead_situation(transaction.connection, campaign, reply.lead_id, now) if reply else None
            )
            if reply is None or situation is None or reply.kind != "reply":
                raise OutriderError("reply_unknown", message=message_id)
            events: list[Event] = [ReplyClassified(message_id, reply_kind=kind, reply_rule=BY_USER)]
            if ends_sequence([kind]) and situation.lead.replied_at is None:
                changes = progress(situation.lead, [kind], now, now)
                self._record(transaction, campaign_id, [*events, LeadAdvanced(situation.lead.id, **changes)])
                events = going_on(transaction, campaign, reply.lead_id, now, withdrawn="they replied first")
            elif not ends_sequence([kind]) and situation.lead.replied_at is not None:
                self._record(transaction, campaign_id, events)
                events = []
                if not attributions.has_replied(transaction.connection, reply.lead_id):
                    events = [LeadAdvanced(situation.lead.id, **no_reply_after_all(situation.lead, now))]
            self._record(transaction, campaign_id, events)

    @command("replies.found", on_conflict="repeat")
    def found(
        self,
        campaign_id: str,
        lead_id: str,
        text: Annotated[str, column("ReplyReceived", "text")],
        *,
        at: int,
        answers: bool,
    ) -> None:
        """They wrote this at a time (ms UTC), by an export, once; unless it `answers`, it belongs to an old conversation."""
        with self.journal.transaction() as transaction:
            campaign, lead = self._campaign_and_lead(transaction, campaign_id, lead_id)
            thread = Thread((ThreadMessage("them", text, at),), lead.relation)
            if new_replies(thread, messages.replies(transaction.connection, lead_id)):
                record = partial(self._record, transaction, campaign_id)
                record_found(transaction, campaign, lead_id, Reply(text, at), self.clock.now(), record, answers=answers)

    @command("replies.answer", shows={"MessageDrafted": "text"})
    def answer(
        self,
        campaign_id: str,
        lead_id: str,
        text: Annotated[str, column("MessageDrafted", "text")],
        *,
        hidden_shown: Annotated[Sequence[str] | None, SHOWN] = (),
    ) -> None:
        """Send the user's own words to somebody who wrote; giving them is the approval of exactly these words.

        They are sent as every text is: by the controller, or by the user's hand in a send session. A completed campaign has
        something to do again, and waits to be continued. Raises `nothing_to_answer`, `answer_waiting`, `answer_forbidden`,
        `text_too_long`, `text_not_sendable` and `text_hides`.
        """
        with self.journal.transaction() as transaction:
            connection, now = transaction.connection, self.clock.now()
            campaign, lead = self._campaign_and_lead(transaction, campaign_id, lead_id)
            self._may_answer(transaction, lead)
            limit = text_limit(campaign, "message")
            if text_length(text) > limit:
                raise OutriderError("text_too_long", length=text_length(text), kind="message", limit=limit)
            if refused := clean_text(text, limit):
                raise OutriderError("text_not_sendable", why=refused.sentence)
            refuse_unshown(text, hidden_shown)
            ends = approval_ends(campaign.settings.limits, now, self.clock.offset)
            number = messages.count_answers(connection, lead_id) + 1
            events = answer_events(campaign, lead, text, number, self.actor, now, ends, transaction.new_id)
            if campaign.status is CampaignStatus.COMPLETED:
                events = [CampaignReopened(campaign_id, status_reason="an answer waits to be sent"), *events]
            self._record(transaction, campaign_id, events)

    @command("replies.take_back", shows={"MessageCancelled": "status"}, on_conflict="repeat")
    def take_back(
        self,
        campaign_id: str,
        lead_id: str,
        message_id: Annotated[str | None, FromEntity(("MessageCancelled",))] = None,
    ) -> str:
        """The answer that waits, or exactly that one, is not sent; its text. Raises `answer_not_waiting` once it is being
        sent."""
        with self.journal.transaction() as transaction:
            campaign, lead = self._campaign_and_lead(transaction, campaign_id, lead_id)
            for task in tasks.open_answers(transaction.connection, lead_id):
                situation = situations.task_situation(transaction.connection, campaign, task, self.clock.now())
                if situation is None or situation.message is None or message_id not in (None, situation.message.id):
                    continue
                if situation.message.status is MessageStatus.APPROVED:
                    events = answer_stopped(task, situation.message, situation.approval, "taken back by the user")
                    self._record(transaction, campaign_id, events)
                    return situation.message.text
            raise OutriderError("answer_not_waiting", name=lead.full_name)

    @command("replies.label", shows={"LeadLabelled": "label"}, on_conflict="yield", with_values={"label": tuple(Label)})
    def label(self, campaign_id: str, lead_id: str, label: Label | None, until: Moment | None = None) -> None:
        """Say what came of the conversation, None: nothing; "later" takes when it comes back. Raises `date_has_passed`."""
        with self.journal.transaction() as transaction:
            now = self.clock.now()
            campaign, lead = self._campaign_and_lead(transaction, campaign_id, lead_id)
            if label is Label.LATER and (until is None or until <= now):
                raise OutriderError("date_has_passed")
            situation = situations.lead_situation(transaction.connection, campaign, lead_id, now)
            task = tasks.task_of_lead(transaction.connection, lead_id)
            if situation is None:
                raise OutriderError("lead_unknown", lead=lead_id)
            waiting = messages.waiting_texts(transaction.connection, lead_id)
            under_way = person_entries.is_under_way(transaction.connection, campaign_id, [lead_id])
            events = label_events(lead, label, until, now, task=task, texts=waiting, under_way=under_way)
            is_paused = any("paused_until" in event.changes for event in events)
            if task is not None and any(event.kind == "LeadFinished" for event in events):
                events += withdrawn_questions(transaction.connection, task.id, "the conversation was labelled")
            elif task is not None and is_paused and is_begun(lead, task):
                paused_lead = situation.lead._replace(paused_until=until)
                events += wake_events(campaign, task, paused_lead, situation.message, now)
            self._record(transaction, campaign_id, events)
            if lead.label != (label or ""):
                self._ask_again(transaction, campaign, lead_id)

    def _ask_again(self, transaction: Transaction, campaign: Campaign, lead_id: str) -> None:
        """What another word on the conversation means for the sequences that the last one had ended, in other campaigns, too."""
        resume(transaction, campaign, lead_id, self.clock.now(), partial(self._record, transaction, campaign.id))
        person = people.several(transaction.connection, lead_id)
        for other in person.others if person is not None else ():
            other_campaign = campaigns.campaign(transaction.connection, other.campaign_id)
            if other_campaign is not None and not other_campaign.archived:
                record = partial(
                    transaction.record, other_campaign.id, actor=self.actor, cause=CAUSE, at=self.clock.now()
                )
                resume(transaction, other_campaign, other.lead_id, self.clock.now(), record)

    @command("replies.snooze", shows={"LeadSnoozed": "snoozed_until"})
    def snooze(self, campaign_id: str, lead_id: str, until: Moment | None) -> None:
        """Put the conversation out of the way until then, or (None) bring it back. Raises `date_has_passed`."""
        with self.journal.transaction() as transaction:
            now = self.clock.now()
            _, lead = self._campaign_and_lead(transaction, campaign_id, lead_id)
            if until is not None and until <= now:
                raise OutriderError("date_has_passed")
            head = threads.thread_head(transaction.connection, campaign_id, lead.id, now)
            if head is not None and head.snoozed_until == until:
                return
            snoozed = LeadSnoozed(lead_id, snoozed_until=until, snoozed_at=None if until is None else now)
            self._record(transaction, campaign_id, [snoozed])

    def read(self, campaign_id: str, lead_id: str) -> None:
        """The user has opened the conversation, all of it. No decision, so that it never conflicts with one."""
        with self.journal.transaction() as transaction:
            now = self.clock.now()
            self._campaign_and_lead(transaction, campaign_id, lead_id)
            for unread_campaign, unread_lead in messages.unread(transaction.connection, lead_id, now):
                read = RepliesRead(unread_lead, replies_read_at=now)
                transaction.record(unread_campaign, [read], actor=self.actor, cause=READ, at=now)

    @staticmethod
    def _may_answer(transaction: Transaction, lead: Lead) -> None:
        connection = transaction.connection
        if do_not_contact.is_do_not_contact(connection, lead.id):
            raise OutriderError("answer_forbidden", name=lead.full_name)
        if not messages.has_replied(connection, lead.id):
            raise OutriderError("nothing_to_answer", name=lead.full_name)
        if messages.is_answer_waiting(connection, lead.id):
            raise OutriderError("answer_waiting", name=lead.full_name)


def record_found(
    transaction: Transaction,
    campaign: Campaign,
    lead_id: str,
    reply: Reply,
    now: int,
    record: Callable[[Sequence[Event]], None],
    *,
    answers: bool,
) -> None:
    """What they wrote is on record from now on, and their sequence goes on by it, or ends."""
    lead = leads.lead(transaction.connection, campaign.id, lead_id)
    if lead is None:
        return
    record(replied(lead, reply, now, transaction.new_id, answers=answers))
    if answers:
        record(going_on(transaction, campaign, lead_id, now, withdrawn="they replied first"))


def going_on(transaction: Transaction, campaign: Campaign, lead_id: str, now: int, *, withdrawn: str) -> list[Event]:
    """What is due for them now, and what is due no more withdrawn; while something is being sent, its outcome decides."""
    if person_entries.is_under_way(transaction.connection, campaign.id, [lead_id]):
        return []
    situation = situations.lead_situation(transaction.connection, campaign, lead_id, now)
    task = tasks.task_of_lead(transaction.connection, lead_id)
    if situation is None or situation.lead.blocked or task is None or task.status is not TaskStatus.IN_PROGRESS:
        return []
    next_events = next_step_events(campaign, task, situation.lead, situation.message, now, transaction.new_id)
    ends = any(event.kind == "LeadFinished" for event in next_events)
    texts = messages.waiting_texts(transaction.connection, lead_id) if ends else ()
    return [*withdraw_all(texts, withdrawn), *next_events]


def resume(
    transaction: Transaction, campaign: Campaign, lead_id: str, now: int, record: Callable[[Sequence[Event]], object]
) -> None:
    """A sequence that ended by what was said of a conversation goes on where it stood, unless it is over by that still, or by
    anything else: a reply, the do-not-contact list, another campaign that is in touch with them."""
    connection = transaction.connection
    situation = situations.lead_situation(connection, campaign, lead_id, now)
    if situation is None or not (situation.lead.blocked == NOT_BEGUN_WITH or situation.lead.finished in ENDS_BY_WORD):
        return
    person = people.several(connection, lead_id)
    hold_reason = why_held(connection, lead_id, person, now)
    if situation.lead.blocked == NOT_BEGUN_WITH:
        if reply_refusal(person) is None:
            released = contact_again_events(transaction, campaign, situation.lead, now)
            events: list[Event] = [LeadBlocked(lead_id, blocked=hold_reason)] if hold_reason else released
            record(with_reopening(transaction, campaign.id, events))
        return
    if situation.due_step.due is DueAction.FINISH:
        if situation.due_step.reason != situation.lead.finished:
            record([LeadFinished(lead_id, finished=situation.due_step.reason)])
        return
    record([LeadResumed(lead_id)])
    if hold_reason and not situation.lead.blocked:
        record([LeadBlocked(lead_id, blocked=hold_reason)])
    lead = situation.lead._replace(finished="", blocked=situation.lead.blocked or hold_reason)
    if not lead.blocked:
        record(reopening_events(campaign))
    task = tasks.task_of_lead(connection, lead_id)
    if task is not None:
        record(resumed(campaign, task, lead, situation.message, now, transaction.new_id))
