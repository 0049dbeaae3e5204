"""What a user decides about a campaign as a whole: making one, and changing what it is about and how much it may do."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from backend.commands import lead_scoring
from backend.commands.command import SHOWN, FromEvent, column
from backend.commands.contact_memory import events_of_deleted
from backend.commands.handler import CommandHandler, command
from backend.commands.leads import reopening_for_unplanned
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.events.facts.campaign import (
    CampaignActivated,
    CampaignArchived,
    CampaignCompleted,
    CampaignContinued,
    CampaignCreated,
    CampaignDeleted,
    CampaignEdited,
    CampaignFailed,
    CampaignPaused,
    CampaignRecovered,
    CampaignReopened,
    CampaignUnarchived,
)
from backend.domain.events.facts.fact import OMITTED
from backend.domain.events.facts.message import (
    IncidentCleared,
)
from backend.domain.events.facts.workspace import ConfigSet
from backend.domain.model.artifact import BY_CONTROLLER, ArtifactContent, ArtifactType, text_content
from backend.domain.model.campaign import (
    Campaign,
    CampaignStatus,
    Limits,
    Settings,
    edited,
    refuse_archived,
    refuse_empty_hours,
)
from backend.domain.model.channel import PRACTICE, Channel, clicks, find_channel
from backend.domain.model.connection import SCRIPTED
from backend.domain.model.scoring import in_force
from backend.domain.model.task import ActionFamily, TaskStatus
from backend.domain.reports.campaign_files import CONTEXT_KEY
from backend.domain.sequence.sequence_change import as_first_version
from backend.domain.turn.artifacts import artifact_persisted
from backend.domain.turn.new_tasks import scoring_task
from backend.domain.turn.request import wants_turns
from backend.domain.turn.task_progress import advance
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import refuse_unsendable_topic
from backend.store.log.erasing_events import erasing_events
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaign_contents, tasks
from backend.store.queries.contact import actions, incidents
from backend.store.queries.device import configuration
from backend.store.queries.people import consents
from backend.store.queries.turn import artifacts
from backend.turn import planner

CLOCK_AHEAD = "rehearsal_ahead"
"""How far the clock of a campaign on the practice network is ahead of real time, in ms."""

DUPLICATE = "duplicate"
"""The format of an import that brings the people of another campaign."""

CREATION_KEY = "creation_key"

_LIMITS = FromEvent(("CampaignEdited",), lambda changes: json.loads(changes["settings"])["limits"])
_TOPIC = FromEvent(("CampaignEdited",), lambda changes: json.loads(changes["settings"])["topic"])


def _context(name: str, goal: str) -> ArtifactContent:
    """What the campaign is about, in the user's words: the artifact that context.md is written from (spec 000 §20.1.1)."""
    return text_content(ArtifactType.CONTEXT, CONTEXT_KEY, f"# {name}\n\n{goal}\n")


def _context_follows(transaction: Transaction, before: Campaign, after: Campaign, now: int) -> list[Event]:
    """Another name or goal is another version of the context, unless the user keeps a context of their own."""
    new_context = _context(after.name, after.goal)
    latest = artifacts.latest_version(transaction.connection, before.id, ArtifactType.CONTEXT, CONTEXT_KEY)
    stored_context = artifacts.stored(transaction.connection, before.id, ArtifactType.CONTEXT, CONTEXT_KEY, latest)
    is_generated = stored_context is not None and stored_context.sha256 == _context(before.name, before.goal).sha256
    if not is_generated or new_context.text == _context(before.name, before.goal).text:
        return []
    return [artifact_persisted(new_context, transaction.new_id(), BY_CONTROLLER, latest, now)]


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
class CampaignCommands(CommandHandler):
    """Campaigns as a whole."""

    @command("campaigns.create", shows={"CampaignCreated": "name"}, only=())
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
        created = CampaignCreated(
            campaign_id,
            name=name,
            goal=goal,
            site=site,
            account=account,
            settings=settings.model_dump_json(),
            created_at=now,
            proposer=OMITTED if proposer == SCRIPTED else proposer,
        )
        with self.journal.transaction() as transaction:
            events = [
                created,
                artifact_persisted(_context(name, goal), transaction.new_id(), BY_CONTROLLER, 0, now),
                *lead_scoring.blueprint_artifact_events(transaction, campaign_id, blueprint, BY_CONTROLLER, now),
                *scoring_task(now, transaction.new_id),
                *extra,
            ]
            self._record(transaction, campaign_id, events)
        return campaign_id

    def create_on_practice(
        self, name: str, goal: str, settings: Settings, *, key: str = "", extra: Sequence[Event] = ()
    ) -> str:
        """A campaign against the practice network."""
        return self.create_on(find_channel(PRACTICE), name, goal, settings, key=key, extra=extra)

    def create_on(
        self,
        channel: Channel,
        name: str,
        goal: str,
        settings: Settings,
        *,
        key: str = "",
        proposer: str = SCRIPTED,
        extra: Sequence[Event] = (),
    ) -> str:
        """A campaign on that channel, with the account that all campaigns on it share, or one of its own and its own clock.

        A `key` that was used before names the campaign that it made: a repeated request makes no second one.
        Raises `channel_needs_consent`, `hours_empty` and `topic_not_clean`.
        """
        refuse_empty_hours(settings.limits)
        refuse_unsendable_topic(settings.topic)
        if key and (existing_id := self._made_with(key)):
            return existing_id
        if channel.needs_consent:
            with self.journal.database.read() as connection:
                if consents.consent(connection, channel.account) is None:
                    raise OutriderError("channel_needs_consent", channel=channel.title)
        marks = [] if channel.account else [ConfigSet(CLOCK_AHEAD, value="0")]
        marks += [ConfigSet(CREATION_KEY, value=key)] if key else []
        account = channel.account or f"{channel.id}-{self.journal.ids.new()}"
        return self.create(
            name, goal, site=channel.id, account=account, settings=settings, proposer=proposer, extra=[*extra, *marks]
        )

    def _made_with(self, key: str) -> str | None:
        return next(iter(self.journal.database.query(configuration.campaigns_with, CREATION_KEY, key)), None)

    @command("campaigns.edit", shows={"CampaignEdited": "settings"})
    def edit(
        self,
        campaign_id: str,
        *,
        version: Annotated[int | None, SHOWN],
        name: Annotated[str | None, column("CampaignEdited", "name")] = None,
        goal: Annotated[str | None, column("CampaignEdited", "goal")] = None,
        topic: Annotated[str | None, _TOPIC] = None,
        limits: Annotated[Limits | None, _LIMITS] = None,
    ) -> int:
        """Change what the campaign is about or may do; `version` is the one that was shown, None for the current one.

        What is approved stays so: limits and hours are gates of each act, and what waited for the next note that the old limits
        allow waits no more. The version after it.
        Raises `settings_changed`, `hours_empty`, and `topic_not_clean` for a new one.
        """
        if limits is not None:
            refuse_empty_hours(limits)
        with self.journal.transaction() as transaction:
            campaign = self._campaign(transaction, campaign_id)
            if version not in (None, campaign.version):
                raise OutriderError("settings_changed")
            version = campaign.version
            name = campaign.name if name is None else name
            goal = campaign.goal if goal is None else goal
            current = campaign.settings
            if topic not in (None, current.topic):
                refuse_unsendable_topic(topic)
            updates = {"limits": limits or current.limits, "topic": current.topic if topic is None else topic}
            settings = current.model_copy(update=updates)
            changes = edited(campaign, name=name, goal=goal, settings=settings)
            if not changes:
                return version
            after = replace(campaign, name=name, goal=goal, settings=settings, version=changes.get("version", version))
            events: list[Event] = [CampaignEdited(campaign_id, **changes)]
            events += _context_follows(transaction, campaign, after, self.clock.now())
            if settings.limits.notes_a_month > current.limits.notes_a_month and clicks(campaign.site):
                waiting = tasks.kept_from_noting(transaction.connection, campaign_id, self.clock.now())
                events += [event for task in waiting for event in advance(task, ActionFamily.INVITE, self.clock.now())]
            withdrawals_wait = planner.next_withdrawal(transaction.connection, after, self.clock.now()) is not None
            if withdrawals_wait and campaign.status is CampaignStatus.COMPLETED:
                events.append(CampaignReopened(campaign_id, status_reason="invitations wait to be withdrawn"))
            self._record(transaction, campaign_id, events)
            self._record(transaction, campaign_id, reopening_for_unplanned(transaction, campaign_id, self.clock.now()))
            return after.version

    def duplicate(self, campaign_id: str, name: str, *, key: str = "") -> str:
        """Another campaign with the same goal, channel, limits, sequence, scoring and proposer, and without people; its id.

        A `key` that was used before names the campaign that it made. Raises `campaign_unknown`.
        """
        with self.journal.transaction() as transaction:
            campaign = self._campaign(transaction, campaign_id)
        settings = campaign.settings.model_copy(update={"sequence": as_first_version(campaign.settings.sequence)})
        channel = find_channel(campaign.site)
        return self.create_on(channel, name, campaign.goal, settings, key=key, proposer=campaign.proposer)

    @command(
        "campaigns.change_status",
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

    @command("campaigns.clear_incident", shows={"IncidentCleared": "status"})
    def clear_incident(self, campaign_id: str, reason: Annotated[str, column("IncidentCleared", "reason")]) -> int:
        """The user looked at the site and says why it is safe to go on; how many incidents that clears."""
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            open_incidents = incidents.open_incidents(transaction.connection, campaign.account)
            for incident in open_incidents:
                cleared = IncidentCleared(incident.id, reason=reason, cleared_at=now)
                self._record(transaction, incident.stream, [cleared])
            return len(open_incidents)

    @command("campaigns.archive", shows={"CampaignArchived": "archived_at"}, on_conflict="repeat")
    def archive(self, campaign_id: str) -> None:
        """Take it out of the lists, and pause it. Raises `campaign_acts` while a send is under way or its outcome is unknown."""
        with self.journal.transaction() as transaction:
            campaign = self._campaign(transaction, campaign_id)
            if campaign.archived:
                return
            _refuse_acting(transaction, campaign)
            events: list[Event] = [CampaignArchived(campaign_id, archived_at=self.clock.now())]
            if campaign.status is CampaignStatus.ACTIVE:
                events.insert(0, CampaignPaused(campaign_id, status_reason="archived by the user"))
            self._record(transaction, campaign_id, events)

    @command("campaigns.unarchive", shows={"CampaignUnarchived": "archived_at"})
    def unarchive(self, campaign_id: str) -> None:
        """Bring it back as it was, paused if it ran; nothing if it is not in the archive."""
        with self.journal.transaction() as transaction:
            if self._campaign(transaction, campaign_id).archived:
                self._record(transaction, campaign_id, [CampaignUnarchived(campaign_id)])

    @command("campaigns.delete", only=())
    def delete(self, campaign_id: str) -> int:
        """Delete it for good: every word of its people, texts, replies and notes leaves the logs, and how many entries that is.

        What is left of it are times, counts and states: its sends still count against the account's limits. The do-not-contact
        list stays, and everybody who refused comes on it; whom the account contacted is remembered, both by a keyed hash.
        Raises `campaign_active`, `campaign_acts`, `assistant_works`.
        """
        with self.journal.transaction() as transaction:
            connection, now = transaction.connection, self.clock.now()
            campaign = self._campaign(transaction, campaign_id)
            if campaign.status is CampaignStatus.ACTIVE:
                raise OutriderError("campaign_active", campaign=campaign.name)
            _refuse_acting(transaction, campaign)
            for task in tasks.open_requests(connection, campaign_id):
                if wants_turns(task) or task.status is TaskStatus.VERIFYING:
                    raise OutriderError("assistant_works")
            entries_left = campaign_contents.what_is_left(connection, campaign_id)
            deleted = CampaignDeleted(campaign_id, deleted_at=now)
            self._record(transaction, WORKSPACE, events_of_deleted(transaction, self.journal.ids, campaign, now))
            erased = erasing_events(transaction, campaign_id, entries_left, now)
            self._record(transaction, campaign_id, [deleted, *erased])
            return len(entries_left)


def _refuse_acting(transaction: Transaction, campaign: Campaign) -> None:
    if actions.open_actions(transaction.connection, campaign.id):
        raise OutriderError("campaign_acts", campaign=campaign.name)
