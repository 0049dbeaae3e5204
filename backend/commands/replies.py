"""What the user decides about what somebody wrote: what it is, and what becomes of them."""

from dataclasses import dataclass
from typing import Annotated

from backend.commands.command import column
from backend.commands.handler import CommandHandler, command
from backend.domain.errors import OutriderError
from backend.domain.events import Event
from backend.domain.facts.lead import LeadAdvanced
from backend.domain.facts.message import ReplyClassified
from backend.domain.replies import progress
from backend.domain.reply_kind import BY_USER, ReplyKind, ends_sequence
from backend.domain.task import TaskStatus
from backend.domain.task_progress import next_step_events, withdraw
from backend.store.queries import messages, tasks
from backend.turn import load as loading


@dataclass(frozen=True, slots=True)
class ReplyCommands(CommandHandler):
    """Decisions about replies; raises `campaign_unknown` and `reply_unknown`."""

    @command("replies.classify", shows={"ReplyClassified": "reply_kind"})
    def classify(
        self, campaign_id: str, message_id: str, kind: Annotated[ReplyKind, column("ReplyClassified", "reply_kind")]
    ) -> None:
        """Say what a reply is. One that turns out to be an answer ends the sequence; nothing that has ended goes on by this."""
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            reply = messages.message(transaction.connection, campaign_id, message_id)
            about = loading.lead_situation(transaction.connection, campaign, reply.lead_id, now) if reply else None
            if reply is None or about is None or reply.kind != "reply":
                raise OutriderError("reply_unknown", message=message_id)
            events: list[Event] = [ReplyClassified(message_id, reply_kind=kind, reply_rule=BY_USER)]
            if ends_sequence([kind]) and about.lead.replied_at is None:
                changes = progress(about.lead, [kind], now, now)
                self._record(transaction, campaign_id, [*events, LeadAdvanced(about.lead.id, **changes)])
                about = loading.lead_situation(transaction.connection, campaign, reply.lead_id, now) or about
                task = tasks.task_of_lead(transaction.connection, reply.lead_id)
                events = []
                if task is not None and task.status is TaskStatus.IN_PROGRESS and not about.lead.blocked:
                    events += withdraw(about.message, about.approval, "they replied first")
                    events += next_step_events(campaign, task, about.lead, None, now, transaction.new_id)
            self._record(transaction, campaign_id, events)
