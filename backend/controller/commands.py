"""What a user decides, each in one transaction: checked against the state of that moment, recorded as the user's act."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from backend.controller import context as loading
from backend.controller.answers import consequences, load_answer, resumed, wake
from backend.controller.artifact_commands import ArtifactCommands
from backend.controller.campaign_commands import CampaignCommands
from backend.controller.context import Subject, Surroundings
from backend.controller.deciding import Deciding
from backend.controller.lead_commands import LeadCommands
from backend.controller.model_commands import ModelCommands
from backend.controller.request_commands import RequestCommands
from backend.controller.scoring_commands import ScoringCommands
from backend.controller.skill_commands import SkillCommands
from backend.controller.soul_commands import SoulCommands
from backend.controller.workspace_commands import WorkspaceCommands
from backend.domain.campaign import DAY, Campaign, CampaignStatus, Settings
from backend.domain.campaign import move as move_campaign
from backend.domain.errors import OutriderError
from backend.domain.events import Event
from backend.domain.judgement import clean_text, text_length, text_limit
from backend.domain.lead import Lead
from backend.domain.message import ApprovalStatus, Message, MessageStatus, move
from backend.domain.progress import withdraw
from backend.domain.task import TaskStatus
from backend.store import reading
from backend.store.journal import Transaction

AUTO_APPROVE = "auto_approve"


@dataclass(frozen=True, slots=True)
class Commands(Deciding):
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
    def models(self) -> ModelCommands:
        """Connections to models, and who uses which."""
        return ModelCommands(self.journal, self.clock, self.actor)

    @property
    def requests(self) -> RequestCommands:
        """What is said to the assistant."""
        return RequestCommands(self.journal, self.clock, self.actor)

    @property
    def workspace(self) -> WorkspaceCommands:
        """What holds for every campaign."""
        return WorkspaceCommands(self.journal, self.clock, self.actor)

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
    def scoring(self) -> ScoringCommands:
        """By what the leads are scored."""
        return ScoringCommands(self.journal, self.clock, self.actor)

    # --- campaigns ---

    def create_campaign(
        self, name: str, goal: str, *, site: str, account: str, settings: Settings, extra: Sequence[Event] = ()
    ) -> str:
        """A new campaign with its first task; it stays `initializing` until its environment is checked."""
        return self.campaigns.create(name, goal, site=site, account=account, settings=settings, extra=extra)

    def change_status(self, campaign_id: str, target: CampaignStatus, reason: str = "") -> None:
        """Move the campaign; raises `illegal_status`. Repeating the status it has is not an error and changes nothing."""
        with self.journal.transaction() as transaction:
            campaign = self._campaign(transaction, campaign_id)
            if campaign.status is target:
                return
            move_campaign(campaign.status, target)
            kind = _STATUS_EVENTS.get((campaign.status, target)) or _STATUS_KINDS[target]
            moved = Event(kind, campaign_id, {"status": target, "status_reason": reason[:500]})
            self._record(transaction, campaign_id, [moved], target.value)

    # --- review ---

    def approve(self, campaign_id: str, message_id: str, *, shown_digest: str) -> None:
        """Approve exactly what was shown: `shown_digest` binds recipient, text and campaign version (see `digest`)."""
        with self.journal.transaction() as transaction:
            campaign, lead, message = self._draft(transaction, campaign_id, message_id)
            if self.actor == AUTO_APPROVE and campaign.site != "practice":
                raise OutriderError("auto_approve_forbidden")
            digest = loading.digest_of(campaign, lead, message)
            if not digest or digest != shown_digest:
                raise OutriderError("approval_text_changed")
            now = self.clock.now()
            approval = {
                "message_id": message_id,
                "digest": digest,
                "status": ApprovalStatus.OPEN,
                "given_by": self.actor,
                "expires_at": now + campaign.settings.limits.approval_days * DAY,
                "created_at": now,
            }
            approved = replace(message, status=move(message.status, MessageStatus.APPROVED))
            events = [
                Event("ApprovalGiven", transaction.new_id(), approval),
                Event("MessageApproved", message_id, {"status": approved.status}),
                *self._wake(transaction, campaign, lead, approved, now),
            ]
            self._record(transaction, campaign_id, events, f"approve {message_id}")

    def reject(self, campaign_id: str, message_id: str) -> None:
        """Discard a draft; the sequence owes another text, and this one is not proposed again. It stays in the log."""
        with self.journal.transaction() as transaction:
            campaign, lead, message = self._draft(transaction, campaign_id, message_id)
            events = withdraw(message, None, reading.REJECTED_BY_USER)
            events += self._wake(transaction, campaign, lead, None, self.clock.now())
            self._record(transaction, campaign_id, events, f"reject {message_id}")

    def restore(self, campaign_id: str, message_id: str) -> None:
        """Take a rejection back: the text waits in Review again. Raises `rejection_final` once the sequence went on."""
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            message = reading.message(transaction.connection, campaign_id, message_id)
            about = loading.subject(transaction.connection, campaign, message.lead_id, now) if message else None
            if message is None or about is None:
                raise OutriderError("approval_unknown", message=message_id)
            if why := self._final(transaction, message, about):
                raise OutriderError("rejection_final", why=why)
            draft = replace(message, status=move(message.status, MessageStatus.DRAFT))
            task = reading.task_of_lead(transaction.connection, about.lead.id)
            restored = Event("MessageRestored", message_id, {"status": draft.status, "reason": ""})
            events = [restored, *resumed(transaction, campaign, task, about.lead, draft, now)]
            self._record(transaction, campaign_id, events, f"restore {message_id}")

    def withdraw(self, campaign_id: str, message_id: str) -> None:
        """Take an approval back: the text waits in Review again. Too late once it is being sent (`illegal_status`)."""
        with self.journal.transaction() as transaction:
            campaign = self._campaign(transaction, campaign_id)
            message = reading.message(transaction.connection, campaign_id, message_id)
            lead = reading.lead(transaction.connection, campaign_id, message.lead_id) if message else None
            if message is None or lead is None or message.status is MessageStatus.CANCELLED:
                raise OutriderError("approval_unknown", message=message_id)
            draft = replace(message, status=move(message.status, MessageStatus.DRAFT))
            events = [Event("MessageWithdrawn", message_id, {"status": draft.status})]
            approval = reading.approval_of(transaction.connection, message_id)
            if approval is not None and approval.status is ApprovalStatus.OPEN:
                events.append(Event("ApprovalRevoked", approval.id, {"status": ApprovalStatus.REVOKED}))
            events += self._wake(transaction, campaign, lead, draft, self.clock.now())
            self._record(transaction, campaign_id, events, f"withdraw {message_id}")

    def edit(self, campaign_id: str, message_id: str, text: str) -> None:
        """Replace a draft's text; it still needs approval. Raises `text_too_long` or `text_empty`."""
        with self.journal.transaction() as transaction:
            campaign, _, message = self._draft(transaction, campaign_id, message_id)
            limit = text_limit(campaign, message.kind)
            if text_length(text) > limit:
                raise OutriderError("text_too_long", length=text_length(text), kind=message.kind, limit=limit)
            if refused := clean_text(text, limit):
                raise OutriderError("text_not_sendable", why=refused.sentence)
            self._record(
                transaction, campaign_id, [Event("MessageEdited", message_id, {"text": text})], f"edit {message_id}"
            )

    def digest(self, campaign_id: str, message_id: str) -> str:
        """What an approval of this draft, as it stands now, would be bound to."""
        with self.journal.database.read() as connection:
            campaign = reading.campaign(connection, campaign_id)
            message = reading.message(connection, campaign_id, message_id)
            lead = reading.lead(connection, campaign_id, message.lead_id) if message else None
        if campaign is None or message is None or lead is None:
            raise OutriderError("approval_unknown", message=message_id)
        return loading.digest_of(campaign, lead, message)

    # --- questions, incidents, people ---

    def answer(self, campaign_id: str, request_id: str, answer: str) -> None:
        """Answer what a task waits for; the task goes on, an artifact is kept only on yes."""
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            around = Surroundings(now, self.clock.offset(now), present=True)  # they are: they answer
            kind, answered = load_answer(transaction, campaign, request_id, answer, around)
            events = [
                Event("InputAnswered", request_id, {"status": "answered", "answer": answer}),
                *consequences(transaction, kind, answered),
            ]
            self._record(transaction, campaign_id, events, f"answer {request_id}")

    def clear_incident(self, campaign_id: str, reason: str) -> int:
        """The user looked at the site and says why it is safe to go on; how many incidents that clears."""
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            rows = transaction.connection.execute(
                "SELECT campaign_id, id FROM incidents WHERE account=? AND status='open'", (campaign.account,)
            ).fetchall()
            for stream, incident_id in rows:
                cleared = {"status": "cleared", "reason": reason, "cleared_at": now}
                self._record(transaction, stream, [Event("IncidentCleared", incident_id, cleared)], "clear")
            return len(rows)

    def do_not_contact(self, member_key: str, name: str, reason: str) -> None:
        """Never contact this person, in any campaign."""
        self.workspace.forbid(member_key, name, reason)

    # --- shared ---

    def _draft(self, transaction: Transaction, campaign_id: str, message_id: str) -> tuple[Campaign, Lead, Message]:
        campaign = self._campaign(transaction, campaign_id)
        message = reading.message(transaction.connection, campaign_id, message_id)
        lead = reading.lead(transaction.connection, campaign_id, message.lead_id) if message else None
        if message is None or lead is None or message.status is not MessageStatus.DRAFT:
            raise OutriderError("approval_unknown", message=message_id)
        return campaign, lead, message

    @staticmethod
    def _final(transaction: Transaction, message: Message, about: Subject) -> str:
        """Why this rejection stands; empty while nothing has come of it."""
        if not reading.is_rejected(transaction.connection, message.id):
            return "the text was not rejected"
        if about.message is not None:
            return "another text was written"
        if about.need.step is None or about.need.step.key != message.step:
            return "the sequence went on"
        return ""

    def _wake(
        self, transaction: Transaction, campaign: Campaign, lead: Lead, message: Message | None, now: int
    ) -> list[Event]:
        task = reading.task_of_lead(transaction.connection, lead.id)
        if task is None or task.status is not TaskStatus.IN_PROGRESS:
            return []
        return wake(campaign, task, lead, message, now)


_STATUS_KINDS = {
    CampaignStatus.PAUSED: "CampaignPaused",
    CampaignStatus.COMPLETED: "CampaignCompleted",
    CampaignStatus.ERROR: "CampaignFailed",
}
_STATUS_EVENTS = {
    (CampaignStatus.INITIALIZING, CampaignStatus.ACTIVE): "CampaignActivated",
    (CampaignStatus.PAUSED, CampaignStatus.ACTIVE): "CampaignContinued",
    (CampaignStatus.ERROR, CampaignStatus.PAUSED): "CampaignRecovered",
}
