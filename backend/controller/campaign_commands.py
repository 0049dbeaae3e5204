"""What a user decides about a campaign as a whole: making one, and changing what it is about and how much it may do."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from backend.controller import rescoring
from backend.controller.answers import wake
from backend.controller.deciding import Deciding
from backend.domain.artifact import Source
from backend.domain.campaign import Campaign, CampaignStatus, Limits, Settings, edited
from backend.domain.connection import SCRIPTED
from backend.domain.errors import OutriderError
from backend.domain.events import Event
from backend.domain.message import ApprovalStatus, Message, MessageStatus, move
from backend.domain.planning import scoring_task
from backend.domain.scoring import in_force
from backend.store import reading
from backend.store.journal import Transaction

PRACTICE = "practice"
CLOCK_AHEAD = "rehearsal_ahead"
"""How far the clock of a campaign on the practice network is ahead of real time, in ms."""

CREATION_KEY = "creation_key"


class Edited(NamedTuple):
    """The campaign's version after an edit, and how many approved texts wait in Review again because of it."""

    version: int
    again: int


@dataclass(frozen=True, slots=True)
class CampaignCommands(Deciding):
    """Campaigns as a whole."""

    def create(
        self,
        name: str,
        goal: str,
        *,
        site: str,
        account: str,
        settings: Settings,
        proposer: str = SCRIPTED,
        extra: Sequence[Event] = (),
    ) -> str:
        """A new campaign with its first task; it stays `initializing` until its environment is checked."""
        # Short, because people type it and every log entry bears it; 60 random bits are enough to be unique.
        campaign_id, now = self.journal.ids.new()[-12:], self.clock.now()
        blueprint = in_force(settings.blueprint, 1, now)
        settings = settings.model_copy(update={"blueprint": blueprint})
        created = {
            "name": name,
            "goal": goal,
            "status": CampaignStatus.INITIALIZING,
            "site": site,
            "account": account,
            "settings": settings.model_dump_json(),
            "created_at": now,
        } | ({} if proposer == SCRIPTED else {"proposer": proposer})
        with self.journal.transaction() as transaction:
            events = [
                Event("CampaignCreated", campaign_id, created),
                *rescoring.kept(transaction, campaign_id, blueprint, Source.USER, now),
                *scoring_task(now, transaction.new_id),
                *extra,
            ]
            self._record(transaction, campaign_id, events, "create")
        return campaign_id

    def create_on_practice(
        self,
        name: str,
        goal: str,
        settings: Settings,
        *,
        key: str = "",
        proposer: str = SCRIPTED,
        extra: Sequence[Event] = (),
    ) -> str:
        """A campaign against the practice network: an account and a clock of its own.

        A `key` that was used before names the campaign that it made: a repeated request makes no second one.
        """
        if key and (made := self._made_with(key)):
            return made
        marks = [Event("ConfigSet", CLOCK_AHEAD, {"value": "0"})]
        marks += [Event("ConfigSet", CREATION_KEY, {"value": key})] if key else []
        account = f"practice-{self.journal.ids.new()}"
        return self.create(
            name, goal, site=PRACTICE, account=account, settings=settings, proposer=proposer, extra=[*extra, *marks]
        )

    def _made_with(self, key: str) -> str | None:
        with self.journal.database.read() as connection:
            row = connection.execute(
                "SELECT campaign_id FROM config_kv WHERE id=? AND value=?", (CREATION_KEY, key)
            ).fetchone()
        return row[0] if row else None

    def edit(self, campaign_id: str, *, version: int, name: str, goal: str, limits: Limits) -> Edited:
        """Change what the campaign is about or may do; `version` is the one that was shown.

        Approvals are bound to the version, so what was approved waits in Review again.
        Raises `settings_changed`, `hours_empty`.
        """
        if not limits.work_days or limits.day_starts >= limits.day_ends:
            raise OutriderError("hours_empty")
        with self.journal.transaction() as transaction:
            campaign = self._campaign(transaction, campaign_id)
            if campaign.version != version:
                raise OutriderError("settings_changed")
            settings = campaign.settings.model_copy(update={"limits": limits})
            changes = edited(campaign, name=name, goal=goal, settings=settings)
            if not changes:
                return Edited(version, 0)
            after = replace(campaign, name=name, goal=goal, settings=settings, version=changes.get("version", version))
            self._record(transaction, campaign_id, [Event("CampaignEdited", campaign_id, changes)], "edit")
            approved = reading.approved(transaction.connection, campaign_id) if after.version != version else []
            for message in approved:
                self._record(transaction, campaign_id, self._to_review(transaction, after, message), "edit")
            return Edited(after.version, len(approved))

    def _to_review(self, transaction: Transaction, campaign: Campaign, message: Message) -> list[Event]:
        connection = transaction.connection
        draft = replace(message, status=move(message.status, MessageStatus.DRAFT))
        events = [Event("MessageWithdrawn", message.id, {"status": draft.status})]
        approval = reading.approval_of(connection, message.id)
        if approval is not None and approval.status is ApprovalStatus.OPEN:
            events.append(Event("ApprovalRevoked", approval.id, {"status": ApprovalStatus.REVOKED}))
        task, lead = (
            reading.task_of_lead(connection, message.lead_id),
            reading.lead(connection, campaign.id, message.lead_id),
        )
        if task is not None and lead is not None:
            events += wake(campaign, task, lead, draft, self.clock.now())
        return events
