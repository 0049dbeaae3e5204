"""What a user decides, each in one transaction: checked against the state of that moment, recorded as the user's act."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from backend.commands.answers import answer_events, load_answer, resume_events, text_to_approve
from backend.commands.artifacts import ArtifactCommands
from backend.commands.campaigns import CampaignCommands
from backend.commands.command import SHOWN, FromEvent, column
from backend.commands.consents import ConsentCommands
from backend.commands.handler import CommandHandler, command
from backend.commands.lead_groups import LeadGroupCommands
from backend.commands.lead_table import LeadTableCommands
from backend.commands.leads import LeadCommands
from backend.commands.models import ModelCommands
from backend.commands.people import PeopleCommands, forbidding_erased
from backend.commands.rankings import RankingCommands
from backend.commands.replies import ReplyCommands
from backend.commands.requests import RequestCommands
from backend.commands.runtime import RuntimeCommands
from backend.commands.scoring import ScoringCommands
from backend.commands.send_words import SendWordCommands
from backend.commands.sequences import SequenceCommands
from backend.commands.skills import SkillCommands
from backend.commands.soul import SoulCommands
from backend.commands.tasks import TaskCommands
from backend.commands.workspace import WorkspaceCommands
from backend.domain.contact.send_forecast import MOST_DAYS
from backend.domain.events.events import Event
from backend.domain.events.facts.campaign import (
    CampaignActivated,
    CampaignCompleted,
    CampaignContinued,
    CampaignFailed,
    CampaignPaused,
    CampaignRecovered,
)
from backend.domain.events.facts.lead import LeadClaimed
from backend.domain.events.facts.message import (
    ApprovalGiven,
    ApprovalRevoked,
    IncidentCleared,
    MessageApproved,
    MessageEdited,
    MessageRestored,
    MessageWithdrawn,
)
from backend.domain.events.facts.statuses import QuestionStatus
from backend.domain.events.facts.task import InputAnswered
from backend.domain.gates.approval import ApprovalStatus, approval_ends
from backend.domain.model.answer import is_answer
from backend.domain.model.campaign import DAY, Campaign, CampaignStatus, Settings, refuse_archived
from backend.domain.model.days import local_time, named_day
from backend.domain.model.lead import Lead
from backend.domain.model.message import MOST_REJECTION_REASON, Message, MessageStatus
from backend.domain.model.task import TaskStatus
from backend.domain.turn.proposal_check import ProposalFacts, clean_text, text_length, text_limit
from backend.domain.turn.task_progress import answer_stopped, gate_refused, wake_events, withdraw
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import refuse_unshown
from backend.domain.values.placeholders import refuse_unshown_placeholders
from backend.store.log.journal import Transaction
from backend.store.queries.campaign import campaigns as campaign_queries
from backend.store.queries.campaign import tasks
from backend.store.queries.contact import approvals, incidents, messages
from backend.store.queries.leads import leads as lead_queries
from backend.turn import load as loading
from backend.turn import outlook
from backend.turn.load import LeadSituation, TurnInputs

AUTO_APPROVE = "auto_approve"

_STATUS_TARGETS = {
    CampaignStatus.ACTIVE: CampaignContinued,
    CampaignStatus.PAUSED: CampaignPaused,
    CampaignStatus.COMPLETED: CampaignCompleted,
    CampaignStatus.ERROR: CampaignFailed,
}
_STATUS_CHANGES = {
    (CampaignStatus.INITIALIZING, CampaignStatus.ACTIVE): CampaignActivated,
    (CampaignStatus.ERROR, CampaignStatus.PAUSED): CampaignRecovered,
}
_ENDS = (CampaignStatus.PAUSED, CampaignStatus.COMPLETED)
_STATUS_KINDS = tuple(fact.__name__ for fact in (*_STATUS_TARGETS.values(), *_STATUS_CHANGES.values()))
_STATUS_REASON = FromEvent(_STATUS_KINDS, lambda changes: changes["status_reason"])


@dataclass(frozen=True, slots=True)
class Commands(CommandHandler):
    """The user's side of the controller."""

    @property
    def artifacts(self) -> ArtifactCommands:
        """What the user keeps."""
        return ArtifactCommands(self.journal, self.clock, self.actor)

    @property
    def campaigns(self) -> CampaignCommands:
        """Making campaigns and changing them."""
        return CampaignCommands(self.journal, self.clock, self.actor)

    @property
    def consents(self) -> ConsentCommands:
        """Written consent to have a real site read and clicked."""
        return ConsentCommands(self.journal, self.clock, self.actor)

    @property
    def models(self) -> ModelCommands:
        """Connections to models, and who uses which."""
        return ModelCommands(self.journal, self.clock, self.actor)

    @property
    def sequences(self) -> SequenceCommands:
        """The sequence of a campaign, also while it runs."""
        return SequenceCommands(self.journal, self.clock, self.actor)

    @property
    def requests(self) -> RequestCommands:
        """What is said to the assistant."""
        return RequestCommands(self.journal, self.clock, self.actor)

    @property
    def workspace(self) -> WorkspaceCommands:
        """What holds for every campaign."""
        return WorkspaceCommands(self.journal, self.clock, self.actor)

    @property
    def runtime(self) -> RuntimeCommands:
        """When a campaign is woken, and that a fault is over."""
        return RuntimeCommands(self.journal, self.clock, self.actor)

    @property
    def soul(self) -> SoulCommands:
        """How the agent writes."""
        return SoulCommands(self.journal, self.clock, self.actor)

    @property
    def skills(self) -> SkillCommands:
        """What the agent is told on which occasion."""
        return SkillCommands(self.journal, self.clock, self.actor)

    @property
    def leads(self) -> LeadCommands:
        """What is decided about one lead."""
        return LeadCommands(self.journal, self.clock, self.actor)

    @property
    def lead_groups(self) -> LeadGroupCommands:
        """What is decided about several leads at once."""
        return LeadGroupCommands(self.journal, self.clock, self.actor)

    @property
    def lead_table(self) -> LeadTableCommands:
        """How the campaign's list of leads is shown."""
        return LeadTableCommands(self.journal, self.clock, self.actor)

    @property
    def replies(self) -> ReplyCommands:
        """What is decided about what somebody wrote."""
        return ReplyCommands(self.journal, self.clock, self.actor)

    @property
    def send_words(self) -> SendWordCommands:
        """What is said of people in a send session."""
        return SendWordCommands(self.journal, self.clock, self.actor)

    @property
    def people(self) -> PeopleCommands:
        """What is stored about a person."""
        return PeopleCommands(self.journal, self.clock, self.actor)

    @property
    def tasks(self) -> TaskCommands:
        """What is decided about a task that does not go on."""
        return TaskCommands(self.journal, self.clock, self.actor)

    @property
    def scoring(self) -> ScoringCommands:
        """By what the leads are scored."""
        return ScoringCommands(self.journal, self.clock, self.actor)

    @property
    def rankings(self) -> RankingCommands:
        """In which order the leads should come, by the user's own judgement."""
        return RankingCommands(self.journal, self.clock, self.actor)

    # --- campaigns ---

    def create_campaign(
        self, name: str, goal: str, *, site: str, account: str, settings: Settings, extra: Sequence[Event] = ()
    ) -> str:
        """A new campaign with its first task; it stays `initializing` until its environment is checked."""
        return self.campaigns.create(name, goal, site=site, account=account, settings=settings, extra=extra)

    @command(
        "change_status",
        shows=dict.fromkeys(_STATUS_KINDS, "status"),
        on_conflict="repeat",
        with_values={"target": _ENDS},
    )
    def change_status(
        self, campaign_id: str, target: CampaignStatus, reason: Annotated[str, _STATUS_REASON] = ""
    ) -> None:
        """Move the campaign; raises `illegal_status`. Repeating the status it has is not an error and changes nothing."""
        with self.journal.transaction() as transaction:
            campaign = self._campaign(transaction, campaign_id)
            if campaign.status is target and not (target is CampaignStatus.ACTIVE and campaign.is_held):
                return
            if target is CampaignStatus.ACTIVE:
                refuse_archived(campaign)
            fact = _STATUS_CHANGES.get((campaign.status, target)) or _STATUS_TARGETS.get(target)
            if fact is None:
                raise OutriderError("illegal_status", noun="campaign", state=campaign.status, target=target)
            moved = fact(campaign_id, status_reason=reason[:500])
            self._record(transaction, campaign_id, [moved])

    # --- review ---

    @command("approve", shows={"MessageApproved": "status"})
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
            digest = loading.digest_of(campaign, lead, message)
            if not digest or digest != shown_digest:
                raise OutriderError("approval_text_changed")
            limit = text_limit(campaign, message.kind)
            if refused := clean_text(message.text, limit, may_be_empty=message.kind == "invitation"):
                raise OutriderError("text_not_sendable", why=refused.sentence)
            refuse_unshown(message.text, hidden_shown)
            refuse_unshown_placeholders(message.text, placeholders_shown)
            now = self.clock.now()
            inputs = TurnInputs.at(self.clock, now, present=True)
            if (refusal := loading.hold_refusal(transaction.connection, lead.id, inputs)) is not None:
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

    @command("reject", shows={"MessageCancelled": "status"}, on_conflict="repeat")
    def reject(
        self,
        campaign_id: str,
        message_id: str,
        *,
        reason: Annotated[str, column("MessageCancelled", "rejection_reason")] = "",
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

    @command("restore", shows={"MessageRestored": "status"})
    def restore(self, campaign_id: str, message_id: str) -> None:
        """Take a rejection back: the text waits in Review again. Raises `rejection_final` once the sequence went on."""
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            message = messages.message(transaction.connection, campaign_id, message_id)
            situation = (
                loading.lead_situation(transaction.connection, campaign, message.lead_id, now) if message else None
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

    @command("withdraw", shows={"MessageWithdrawn": "status"}, on_conflict="repeat")
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

    @command("edit", shows={"MessageEdited": "text"})
    def edit(self, campaign_id: str, message_id: str, text: Annotated[str, column("MessageEdited", "text")]) -> None:
        """Replace a draft's text; it still needs approval. Raises `text_too_long` or `text_empty`."""
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
        return loading.digest_of(campaign, lead, message)

    # --- questions, incidents, people ---

    @command("answer", shows={"InputAnswered": "answer"})
    def answer(
        self,
        campaign_id: str,
        request_id: str,
        answer: Annotated[str, column("InputAnswered", "answer")],
        *,
        hidden_shown: Annotated[Sequence[str] | None, SHOWN] = (),
    ) -> None:
        """Answer what a task waits for; the task goes on, an artifact is kept only on yes.

        A yes to a text with hidden characters names those that were shown, as `approve` does.
        """
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            inputs = TurnInputs.at(self.clock, now, present=True)  # they are: they answer
            kind, answered = load_answer(transaction, campaign, request_id, answer, inputs)
            if answer == "yes":
                refuse_unshown(text_to_approve(transaction.connection, kind, answered), hidden_shown)
            events = [
                InputAnswered(request_id, status=QuestionStatus.ANSWERED, answer=answer),
                *answer_events(transaction, kind, answered),
            ]
            self._record(transaction, campaign_id, events)
            self._record(transaction, campaign_id, forbidding_erased(transaction, campaign_id, now))

    @command("clear_incident", shows={"IncidentCleared": "status"})
    def clear_incident(self, campaign_id: str, reason: Annotated[str, column("IncidentCleared", "reason")]) -> int:
        """The user looked at the site and says why it is safe to go on; how many incidents that clears."""
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            open_incidents = incidents.open_incidents(transaction.connection, campaign.account)
            for incident in open_incidents:
                cleared = IncidentCleared(incident.id, reason=reason, cleared_at=now)
                self._record(transaction, incident.stream, [cleared])
            return len(open_incidents)

    def do_not_contact(self, member_key: str, name: str, reason: str) -> None:
        """Never contact this person, in any campaign."""
        self.workspace.add_do_not_contact(member_key, name, reason)

    # --- shared ---

    def _text(self, transaction: Transaction, campaign_id: str, message_id: str) -> tuple[Campaign, Lead, Message]:
        campaign = self._campaign(transaction, campaign_id)
        message = messages.message(transaction.connection, campaign_id, message_id)
        lead = loading.known_lead(transaction.connection, campaign_id, message.lead_id) if message else None
        if message is None or lead is None:
            raise OutriderError("approval_unknown", message=message_id)
        return campaign, lead, message

    def _draft(self, transaction: Transaction, campaign_id: str, message_id: str) -> tuple[Campaign, Lead, Message]:
        campaign, lead, message = self._text(transaction, campaign_id, message_id)
        if message.status is not MessageStatus.DRAFT:
            raise OutriderError("approval_unknown", message=message_id)
        return campaign, lead, message

    def _refuse_held(self, campaign_id: str, message_id: str) -> None:
        """A draft to somebody who is with another campaign by now waits in Review no more, as after a turn that met that gate.

        Raises `person_held`.
        """
        with self.journal.transaction() as transaction:
            campaign, lead, message = self._draft(transaction, campaign_id, message_id)
            inputs = TurnInputs.at(self.clock, self.clock.now(), present=True)
            refusal = loading.hold_refusal(transaction.connection, lead.id, inputs)
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
