"""What the user decides about texts in Review: each is approved as it was shown, changed, or not sent."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from backend.commands.answers import resume_events
from backend.commands.command import SHOWN, column
from backend.commands.handler import CommandHandler, command
from backend.domain.contact.send_forecast import MOST_DAYS
from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadClaimed
from backend.domain.events.facts.message import (
    ApprovalGiven,
    ApprovalRevoked,
    MessageApproved,
    MessageEdited,
    MessageRestored,
    MessageWithdrawn,
)
from backend.domain.gates.approval import ApprovalStatus, approval_ends
from backend.domain.model.answer import is_answer
from backend.domain.model.campaign import DAY, Campaign
from backend.domain.model.days import local_time, named_day
from backend.domain.model.lead import Lead
from backend.domain.model.message import MOST_REJECTION_REASON, Message, MessageStatus
from backend.domain.model.task import TaskStatus
from backend.domain.turn.proposal_check import ProposalFacts, clean_text, text_length, text_limit
from backend.domain.turn.task_progress import answer_stopped, gate_refused, wake_events, withdraw
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import refuse_unshown
from backend.domain.values.placeholders import refuse_unshown_placeholders
from backend.situation import outlook, situations
from backend.situation.situations import LeadSituation, TurnInputs
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaigns as campaign_queries
from backend.store.queries.campaign import tasks
from backend.store.queries.contact import approvals, messages
from backend.store.queries.leads import leads as lead_queries

AUTO_APPROVE = "auto_approve"
RejectionReason = Annotated[str, Field(max_length=MOST_REJECTION_REASON)]


@dataclass(frozen=True, slots=True)
class ReviewCommands(CommandHandler):
    """Decisions about texts; raises `campaign_unknown`, and `approval_unknown` for a text that is not what is decided about."""

    @command("review.approve", shows={"MessageApproved": "status"})
    def approve(
        self,
        campaign_id: str,
        message_id: str,
        *,
        shown_digest: Annotated[str, column("ApprovalGiven", "digest")],
        hidden_shown: Annotated[Sequence[str] | None, SHOWN] = (),
        placeholders_shown: Annotated[Sequence[str] | None, SHOWN] = (),
    ) -> None:
        """Approve exactly what was shown: `shown_digest` binds recipient, words, channel and step (see `digest`).

        `hidden_shown` are the code points of the text's hidden characters, `placeholders_shown` what in it may be a placeholder,
        that the user was shown in a decision about this text alone. Whoever approves several at once has shown none, and gets
        `text_hides` or `text_doubtful`. Raises `person_held` for somebody
        who is with another campaign by now, or of whom it is asked who they are.
        """
        self._refuse_held(campaign_id, message_id)
        with self.journal.transaction() as transaction:
            campaign, lead, message = self._draft(transaction, campaign_id, message_id)
            if self.actor == AUTO_APPROVE and campaign.site != "practice":
                raise OutriderError("auto_approve_forbidden")
            digest = situations.digest_of(campaign, lead, message)
            if not digest or digest != shown_digest:
                raise OutriderError("approval_text_changed")
            limit = text_limit(campaign, message.kind)
            if refused := clean_text(message.text, limit, may_be_empty=message.kind == "invitation"):
                raise OutriderError("text_not_sendable", why=refused.sentence)
            refuse_unshown(message.text, hidden_shown)
            refuse_unshown_placeholders(message.text, placeholders_shown)
            now = self.clock.now()
            inputs = TurnInputs.at(self.clock, now, present=True)
            if (refusal := situations.hold_refusal(transaction.connection, lead.id, inputs)) is not None:
                raise OutriderError("person_held", name=lead.full_name, why=refusal.sentence)
            approved = replace(message, status=MessageStatus.APPROVED)
            planned = outlook.planned_at(transaction.connection, campaign, lead, approved, inputs)
            if planned is None:  # the user wants it all the same, and may raise a limit
                planned = now + MOST_DAYS * DAY
            approval = ApprovalGiven(
                transaction.new_id(),
                message_id=message_id,
                digest=digest,
                given_by=self.actor,
                expires_at=approval_ends(campaign.settings.limits, planned, inputs.offset_at),
                created_at=now,
            )
            events = [
                approval,
                MessageApproved(message_id),
                *([LeadClaimed(lead.id, claimed_at=now)] if lead.claimed_at is None else []),
                *self._wake(transaction, campaign, lead, approved, now),
            ]
            self._record(transaction, campaign_id, events)

    def refuse_too_early(self, campaign_id: str, message_id: str) -> None:
        """Asked before each of several is approved by one yes, so that no more are approved than will soon go out.

        Raises `approval_too_early` for what goes out only much later, and `approval_no_room` for what limits keep back
        altogether. A text that is decided about by itself may be approved all the same.
        """
        with self.journal.database.read() as connection:
            campaign = campaign_queries.campaign(connection, campaign_id)
            message = messages.message(connection, campaign_id, message_id)
            lead = lead_queries.lead(connection, campaign_id, message.lead_id) if message else None
            if campaign is None or message is None or lead is None or message.status is not MessageStatus.DRAFT:
                return  # `approve` says what is wrong
            inputs = TurnInputs.at(self.clock, self.clock.now(), present=True)
            approved = replace(message, status=MessageStatus.APPROVED)
            planned = outlook.planned_at(connection, campaign, lead, approved, inputs)
        if planned is None:
            raise OutriderError("approval_no_room", name=lead.full_name)
        if (begins := outlook.approvable_from(campaign.settings.limits, planned, inputs)) > inputs.now:
            day = named_day(local_time(begins, inputs.offset_at))
            raise OutriderError("approval_too_early", name=lead.full_name, day=day)

    @command("review.reject", shows={"MessageCancelled": "status"}, on_conflict="repeat")
    def reject(
        self,
        campaign_id: str,
        message_id: str,
        *,
        reason: Annotated[RejectionReason, column("MessageCancelled", "rejection_reason")] = "",
    ) -> None:
        """Discard a text that is not being sent, and its approval if another device gave one meanwhile; the sequence owes
        another text, and this one is not proposed again. It stays in the log. Nothing if it was rejected before.

        The model that writes the other text is told the reason, if there is one.
        """
        rejection_reason = " ".join(reason.split())[:MOST_REJECTION_REASON]
        with self.journal.transaction() as transaction:
            campaign, lead, message = self._text(transaction, campaign_id, message_id)
            if messages.is_rejected(transaction.connection, message_id):
                return
            if is_answer(message) or message.status not in (MessageStatus.DRAFT, MessageStatus.APPROVED):
                raise OutriderError("approval_unknown", message=message_id)
            approval = approvals.approval_of(transaction.connection, message_id)
            events = withdraw(message, approval, messages.REJECTED_BY_USER, rejection_reason=rejection_reason)
            events += self._wake(transaction, campaign, lead, None, self.clock.now())
            self._record(transaction, campaign_id, events)

    @command("review.restore", shows={"MessageRestored": "status"})
    def restore(self, campaign_id: str, message_id: str) -> None:
        """Take a rejection back: the text waits in Review again. Raises `rejection_final` once the sequence went on."""
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            message = messages.message(transaction.connection, campaign_id, message_id)
            situation = (
                situations.lead_situation(transaction.connection, campaign, message.lead_id, now) if message else None
            )
            if message is None or situation is None:
                raise OutriderError("approval_unknown", message=message_id)
            if why := self._final(transaction, message, situation):
                raise OutriderError("rejection_final", why=why)
            draft = replace(message, status=MessageStatus.DRAFT)
            task = tasks.task_of_lead(transaction.connection, situation.lead.id)
            restored = MessageRestored(message_id)
            events = [restored, *resume_events(transaction, campaign, task, situation.lead, draft, now)]
            self._record(transaction, campaign_id, events)

    @command("review.withdraw", shows={"MessageWithdrawn": "status"}, on_conflict="repeat")
    def withdraw(self, campaign_id: str, message_id: str) -> None:
        """Take an approval back: the text waits in Review again. Too late once it is being sent (`approval_used`)."""
        with self.journal.transaction() as transaction:
            campaign, lead, message = self._text(transaction, campaign_id, message_id)
            if message.status is MessageStatus.CANCELLED:
                raise OutriderError("approval_unknown", message=message_id)
            draft = replace(message, status=MessageStatus.DRAFT)
            events: list[Event] = [MessageWithdrawn(message_id)]
            if message.status not in (MessageStatus.APPROVED, MessageStatus.DRAFT):
                raise OutriderError("approval_used", name=lead.full_name)
            approval = approvals.approval_of(transaction.connection, message_id)
            task = tasks.task(transaction.connection, campaign_id, message.task_id) if is_answer(message) else None
            if task is not None:  # it goes back to where it was written, not into Review
                if message.status is not MessageStatus.APPROVED:
                    raise OutriderError("approval_unknown", message=message_id)
                events = answer_stopped(task, message, approval, "taken back by the user")
                self._record(transaction, campaign_id, events)
                return
            if approval is not None and approval.status is ApprovalStatus.OPEN:
                events.append(ApprovalRevoked(approval.id))
            events += self._wake(transaction, campaign, lead, draft, self.clock.now())
            self._record(transaction, campaign_id, events)

    @command("review.edit", shows={"MessageEdited": "text"})
    def edit(self, campaign_id: str, message_id: str, text: Annotated[str, column("MessageEdited", "text")]) -> None:
        """Replace a draft's text; it still needs approval. Raises `text_too_long` or `text_not_sendable`."""
        with self.journal.transaction() as transaction:
            campaign, _, message = self._draft(transaction, campaign_id, message_id)
            limit = text_limit(campaign, message.kind)
            if text_length(text) > limit:
                raise OutriderError("text_too_long", length=text_length(text), kind=message.kind, limit=limit)
            if refused := clean_text(text, limit, may_be_empty=message.kind == "invitation"):
                raise OutriderError("text_not_sendable", why=refused.sentence)
            self._record(transaction, campaign_id, [MessageEdited(message_id, text=text)])

    def digest(self, campaign_id: str, message_id: str) -> str:
        """What an approval of this draft, as it stands now, would be bound to."""
        with self.journal.database.read() as connection:
            campaign = campaign_queries.campaign(connection, campaign_id)
            message = messages.message(connection, campaign_id, message_id)
            lead = lead_queries.lead(connection, campaign_id, message.lead_id) if message else None
        if campaign is None or message is None or lead is None:
            raise OutriderError("approval_unknown", message=message_id)
        return situations.digest_of(campaign, lead, message)

    def _text(self, transaction: Transaction, campaign_id: str, message_id: str) -> tuple[Campaign, Lead, Message]:
        campaign = self._campaign(transaction, campaign_id)
        message = messages.message(transaction.connection, campaign_id, message_id)
        now = self.clock.now()
        lead = situations.known_lead(transaction.connection, campaign_id, message.lead_id, now) if message else None
        if message is None or lead is None:
            raise OutriderError("approval_unknown", message=message_id)
        return campaign, lead, message

    def _draft(self, transaction: Transaction, campaign_id: str, message_id: str) -> tuple[Campaign, Lead, Message]:
        campaign, lead, message = self._text(transaction, campaign_id, message_id)
        if message.status is not MessageStatus.DRAFT:
            raise OutriderError("approval_unknown", message=message_id)
        return campaign, lead, message

    def _refuse_held(self, campaign_id: str, message_id: str) -> None:
        """A draft to somebody who is with another campaign by now waits in Review no more. Raises `person_held`."""
        with self.journal.transaction() as transaction:
            campaign, lead, message = self._draft(transaction, campaign_id, message_id)
            inputs = TurnInputs.at(self.clock, self.clock.now(), present=True)
            refusal = situations.hold_refusal(transaction.connection, lead.id, inputs)
            if refusal is None:
                return
            task = tasks.task_of_lead(transaction.connection, lead.id)
            if task is not None and task.status is TaskStatus.IN_PROGRESS:
                facts = ProposalFacts(campaign, inputs.now, frozenset(), task=task, lead=lead, message=message)
                events = gate_refused(facts, task, refusal, transaction.new_id)
                transaction.record(campaign_id, events, actor="controller", cause="person held", at=inputs.now)
        raise OutriderError("person_held", name=lead.full_name, why=refusal.sentence)

    @staticmethod
    def _final(transaction: Transaction, message: Message, situation: LeadSituation) -> str:
        """Why this rejection stands; empty while nothing has come of it."""
        if not messages.is_rejected(transaction.connection, message.id):
            return "the message was not rejected"
        if situation.message is not None:
            return "another message was written"
        if situation.due_step.step is None or situation.due_step.step.key != message.step:
            return "the sequence went on"
        return ""

    def _wake(
        self, transaction: Transaction, campaign: Campaign, lead: Lead, message: Message | None, now: int
    ) -> list[Event]:
        task = tasks.task_of_lead(transaction.connection, lead.id)
        if task is None or task.status is not TaskStatus.IN_PROGRESS:
            return []
        return wake_events(campaign, task, lead, message, now)
