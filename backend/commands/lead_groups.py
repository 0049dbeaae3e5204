"""What the user decides about several leads at once: tags, a priority, to skip, to move or never to contact them.

One decision is one transaction, so that it is applied, or in conflict with another device's, as a whole. Of thousands the page
sends some at a time. What a decision does not change is not recorded.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated

from backend.commands.command import FromEntities, FromEvent, column
from backend.commands.handler import CommandHandler, command
from backend.commands.lead_import import open_for_leads, scoring_again
from backend.commands.leads import (
    forbidding_events,
    is_held,
    listing_events,
    rank_lead,
    released_events,
    unlisting_events,
    with_reopening,
)
from backend.domain.erasure.erasure import is_erased
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.events.facts.fact import OMITTED
from backend.domain.events.facts.lead import (
    GreetingChosen,
    ImportFinished,
    ImportStarted,
    LeadAdvanced,
    LeadBlocked,
    LeadImported,
    LeadNoted,
    LeadTagged,
)
from backend.domain.leads import lead_edits
from backend.domain.leads.lead_merge import MOVED
from backend.domain.model.campaign import Campaign
from backend.domain.model.lead import Lead, LeadStatus
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Reason
from backend.store.log.transaction import Transaction
from backend.store.queries.contact import actions
from backend.store.queries.leads import imports, leads
from backend.turn import planner
from backend.turn.planner import contact_again_events

MOST = 500
"""Leads of one decision: few enough that a turn or an approval never waits long."""
SKIPPED = "skipped"
"""What a lead is blocked by that the user left out of the campaign."""


@dataclass(frozen=True, slots=True)
class LeadChange:
    """A lead that a decision changed; `before` is the priority that it had, `moved_to` its id in the other campaign."""

    lead_id: str
    before: int | None = None
    moved_to: str = ""


@dataclass(frozen=True, slots=True)
class GroupDecided:
    """What became of several leads: those that changed, how many stay as they are, and how many texts were withdrawn."""

    changed: list[LeadChange]
    unchanged: int
    texts_withdrawn: int = 0


@dataclass(frozen=True, slots=True)
class LeadGroupCommands(CommandHandler):
    """Decisions about several leads; raises `campaign_unknown`, and leaves out who is not in the campaign."""

    @command("lead_groups.tag", shows={"LeadTagged": "tags"})
    def tag(
        self,
        campaign_id: str,
        lead_ids: Annotated[list[str], FromEntities(("LeadTagged",))],
        tag: Annotated[str, FromEvent(("LeadTagged",), lambda changes: changes["tags"][-1])],
    ) -> GroupDecided:
        """Give each of them this tag, as far as they have room for it and were not erased; raises `tags_not_usable`."""
        new_tags = lead_edits.tags([tag])
        if not new_tags:
            raise OutriderError("tags_not_usable", why="a tag has at least one character")
        return self._retag(
            campaign_id,
            lead_ids,
            lambda old_tags: (
                lead_edits.tags([*old_tags, *new_tags]) if len(old_tags) < lead_edits.MOST_TAGS else old_tags
            ),
        )

    @command("lead_groups.untag", shows={"LeadTagged": "tags"}, only=())  # no event has the tag, and no cause may
    def untag(
        self, campaign_id: str, lead_ids: Annotated[list[str], FromEntities(("LeadTagged",))], tag: str
    ) -> GroupDecided:
        """Take this tag from each of them."""
        return self._retag(
            campaign_id,
            lead_ids,
            lambda old_tags: [old_tag for old_tag in old_tags if old_tag.casefold() != tag.casefold()],
        )

    def _retag(self, campaign_id: str, lead_ids: list[str], tags: Callable[[list[str]], list[str]]) -> GroupDecided:
        with self.journal.transaction() as transaction:
            events: list[Event] = []
            for lead in self._leads(transaction, campaign_id, lead_ids):
                old_tags = leads.edits(transaction.connection, lead.id).tags
                if (new_tags := tags(old_tags)) != old_tags and not is_erased(lead.full_name):
                    events.append(LeadTagged(lead.id, tags=new_tags))
            self._record(transaction, campaign_id, events)
            return _decided(lead_ids, [LeadChange(event.entity_id) for event in events])

    @command("lead_groups.prioritise", shows={"LeadPrioritised": "priority_override"})
    def prioritise(
        self,
        campaign_id: str,
        lead_ids: Annotated[list[str], FromEntities(("LeadPrioritised",))],
        priority: Annotated[int | None, column("LeadPrioritised", "priority_override")],
    ) -> GroupDecided:
        """Set the priority of each by hand, or give them back to their scores (None). Raises `priority_out_of_range`."""
        new_priority = None if priority is None else lead_edits.priority(priority)
        with self.journal.transaction() as transaction:
            changed = []
            for lead in self._leads(transaction, campaign_id, lead_ids):
                before = leads.edits(transaction.connection, lead.id).priority_override
                if before != new_priority:
                    rank_lead(transaction, lead, new_priority, self._record, self.clock.now())
                    changed.append(LeadChange(lead.id, before))
            return _decided(lead_ids, changed)

    @command("lead_groups.skip", shows={"LeadBlocked": "blocked"}, on_conflict="repeat")
    def skip(self, campaign_id: str, lead_ids: Annotated[list[str], FromEntities(("LeadBlocked",))]) -> GroupDecided:
        """Do nothing more about them in this campaign: their tasks end, and texts that wait are withdrawn."""
        with self.journal.transaction() as transaction:
            campaign, events = self._campaign(transaction, campaign_id), []
            changed, withdrawn = [], 0
            for lead in self._leads(transaction, campaign_id, lead_ids):
                if lead.blocked:
                    continue
                stopping = self._stopped(transaction, campaign, lead, SKIPPED, "You skipped this person.")
                withdrawn += sum(event.kind == "MessageCancelled" for event in stopping)
                events += stopping
                changed.append(LeadChange(lead.id))
            self._record(transaction, campaign_id, events)
            return _decided(lead_ids, changed, withdrawn)

    @command("lead_groups.take_up", shows={"LeadUnblocked": "blocked"})
    def take_up(
        self, campaign_id: str, lead_ids: Annotated[list[str], FromEntities(("LeadUnblocked",))]
    ) -> GroupDecided:
        """Go on with those who were skipped; a text that was withdrawn is written again."""
        with self.journal.transaction() as transaction:
            campaign, events, changed = self._campaign(transaction, campaign_id), [], []
            for lead in self._leads(transaction, campaign_id, lead_ids):
                if lead.blocked == SKIPPED:
                    events += contact_again_events(transaction, campaign, lead, self.clock.now())
                    changed.append(LeadChange(lead.id))
            self._record(transaction, campaign_id, with_reopening(transaction, campaign_id, events))
            return _decided(lead_ids, changed)

    @command(
        "lead_groups.forbid", shows={"LeadBlocked": "blocked", "DoNotContactAdded": "status"}, on_conflict="repeat"
    )
    def forbid(
        self,
        campaign_id: str,
        lead_ids: Annotated[list[str], FromEntities(("LeadBlocked",))],
        reason: Annotated[Reason, column("DoNotContactAdded", "reason")] = "",
    ) -> GroupDecided:
        """Never contact these people, in any campaign; here their tasks end, and texts that wait are withdrawn."""
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            changed, withdrawn = [], 0
            for lead in self._leads(transaction, campaign_id, lead_ids):
                added = listing_events(transaction, lead, reason, now)
                self._record(transaction, WORKSPACE, added)
                forbidding = forbidding_events(transaction, campaign, lead, now)
                self._record(transaction, campaign_id, forbidding.events)
                withdrawn += forbidding.withdrawn
                if added or forbidding.events:
                    changed.append(LeadChange(lead.id))
            return _decided(lead_ids, changed, withdrawn)

    @command("lead_groups.contact_again", shows={"LeadUnblocked": "blocked", "DoNotContactRemoved": "status"})
    def contact_again(
        self, campaign_id: str, lead_ids: Annotated[list[str], FromEntities(("LeadUnblocked",))]
    ) -> GroupDecided:
        """Take these people off the do-not-contact list; who is on it by their company or a domain stays."""
        with self.journal.transaction() as transaction:
            campaign, changed = self._campaign(transaction, campaign_id), []
            for lead in self._leads(transaction, campaign_id, lead_ids):
                if is_erased(lead.full_name):
                    continue
                try:
                    unlisted = unlisting_events(transaction, lead)
                except OutriderError:
                    continue
                for stream, removed in unlisted:
                    self._record(transaction, stream, [removed])
                if is_held(lead):
                    released = released_events(transaction, campaign, lead, self.clock.now())
                    self._record(transaction, campaign_id, with_reopening(transaction, campaign_id, released))
                if unlisted or is_held(lead):
                    changed.append(LeadChange(lead.id))
            return _decided(lead_ids, changed)

    @command("lead_groups.move", shows={"LeadBlocked": "blocked"}, on_conflict="repeat")
    def move(
        self, campaign_id: str, lead_ids: Annotated[list[str], FromEntities(("LeadBlocked",))], target: str
    ) -> GroupDecided:
        """Move those to whom nothing was sent to another campaign, with tags and notes; who was moved from there goes back.

        Who is there already, or is held here, stays; who came there by a move is left out here.
        Raises `campaign_archived`, `campaign_completed`, `leads_stay`.
        """
        if target == campaign_id:
            raise OutriderError("leads_stay")
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            target_campaign = open_for_leads(transaction.connection, target)
            acting = {action.lead_id for action in actions.open_actions(transaction.connection, campaign_id)}
            movable = [
                lead
                for lead in self._leads(transaction, campaign_id, lead_ids)
                if lead.id not in acting and lead.blocked in ("", SKIPPED) and _is_untouched(lead)
            ]
            leads_in_target = leads.leads_of_members(
                transaction.connection, target, [lead.member_key for lead in movable]
            )
            import_id, withdrawn = transaction.new_id(), 0
            events_here: list[Event] = []
            events_there: list[Event] = []
            changed: list[LeadChange] = []
            arrived: list[Event]
            for lead in movable:
                existing = leads_in_target.get(lead.member_key)
                if (
                    existing is not None
                    and not existing.blocked
                    and imports.is_by_move(transaction.connection, existing.id)
                ):
                    # The half of a move that no other device's decision stood against.
                    arrived, new_id = [], existing.id
                elif existing is not None and existing.blocked != MOVED:
                    continue
                elif existing is not None:
                    returning_lead, new_id = leads.lead(transaction.connection, target, existing.id), existing.id
                    arrived = _paused(lead, new_id)
                    if returning_lead is not None:
                        returning_lead = returning_lead._replace(
                            paused_until=lead.paused_until or returning_lead.paused_until
                        )
                        arrived += contact_again_events(transaction, target_campaign, returning_lead, now)
                else:
                    new_id = transaction.new_id()
                    arrived = [
                        _imported(transaction, lead, new_id, import_id, len(changed) + 1),
                        *_paused(lead, new_id),
                    ]
                    edits = leads.edits(transaction.connection, lead.id)
                    if edits.notes:
                        arrived.append(LeadNoted(new_id, notes=edits.notes))
                    if edits.greeting_name:
                        arrived.append(GreetingChosen(new_id, greeting_name=edits.greeting_name))
                stopping = self._stopped(transaction, campaign, lead, MOVED, f"Moved to “{target_campaign.name}”.")
                withdrawn += sum(event.kind == "MessageCancelled" for event in stopping)
                events_here += stopping
                events_there += arrived
                changed.append(LeadChange(lead.id, moved_to=new_id))
            self._record(transaction, campaign_id, events_here)
            imported = sum(event.kind == "LeadImported" for event in events_there)
            if imported:
                started = ImportStarted(import_id, file=campaign.name, format=MOVED, created_at=now)
                counts = ImportFinished(
                    import_id, accepted=imported, merged=0, unchanged=0, rejected=0, finished_at=now
                )
                events_there = [started, *events_there, counts, *scoring_again(transaction, target, now)]
            self._record(transaction, target, events_there)
            return _decided(lead_ids, changed, withdrawn)

    def _leads(self, transaction: Transaction, campaign_id: str, lead_ids: list[str]) -> Iterator[Lead]:
        self._campaign(transaction, campaign_id)
        if len(lead_ids) > MOST:
            raise OutriderError("leads_too_many", most=MOST)
        for lead_id in dict.fromkeys(lead_ids):
            lead = leads.lead(transaction.connection, campaign_id, lead_id)
            if lead is not None:
                yield lead

    def _stopped(self, transaction: Transaction, campaign: Campaign, lead: Lead, code: str, why: str) -> list[Event]:
        texts, stopping = planner.stop_events(
            transaction, campaign, lead.id, self.clock.now(), text_reason=why, task_reason=why
        )  # fmt: skip
        return [*texts, LeadBlocked(lead.id, blocked=code), *stopping]


def _is_untouched(lead: Lead) -> bool:
    """Whether nothing was sent to them, and they sent nothing."""
    return lead.status is LeadStatus.PENDING and not (lead.invited_at or lead.last_sent_at or lead.replied_at)


def _paused(lead: Lead, new_id: str) -> list[Event]:
    """Whom nothing may be begun about for a time is left in peace there, too."""
    return [] if lead.paused_until is None else [LeadAdvanced(new_id, paused_until=lead.paused_until)]


def _imported(transaction: Transaction, lead: Lead, new_id: str, import_id: str, position: int) -> LeadImported:
    record = leads.merge_fields(transaction.connection, lead.id)
    known_since = imports.known_since(transaction.connection, lead.id)
    return LeadImported(
        new_id,
        full_name=lead.full_name,
        profile_url=lead.profile_url,
        member_key=lead.member_key,
        position=position,
        import_id=import_id,
        job_title=record.job_title or OMITTED,
        company=record.company or OMITTED,
        email=record.email or OMITTED,
        connected_on=record.connected_on or OMITTED,
        extra=record.extra or OMITTED,
        tags=record.tags or OMITTED,
        known_since=OMITTED if known_since is None else known_since,
    )


def _decided(lead_ids: list[str], changed: list[LeadChange], withdrawn: int = 0) -> GroupDecided:
    return GroupDecided(changed, len(set(lead_ids)) - len(changed), withdrawn)
