"""Takes an import back: the leads that it brought, as far as nothing was sent to them, and what it changed of others."""

import json
from dataclasses import dataclass

from backend.commands import lead_scoring
from backend.commands.leads import unlisted_events, with_reopening
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.events.facts.lead import ImportUndone, LeadBlocked, MergedColumns, MergeUndone
from backend.domain.events.facts.workspace import DoNotContactRemoved
from backend.domain.leads.lead_merge import TAKEN_BACK, MergeFields, fields_before
from backend.domain.model.campaign import Campaign
from backend.domain.model.lead import Lead
from backend.domain.people.past_contact import BEFORE
from backend.domain.values.errors import OutriderError
from backend.ports.clock import Clock
from backend.store.database import DatabaseConnection
from backend.store.log.journal import Journal
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaigns
from backend.store.queries.leads import imports, leads
from backend.store.queries.people import do_not_contact, do_not_contact_imports
from backend.store.rows import MOST_AT_ONCE
from backend.turn import planner
from backend.turn.planner import contact_again_events


@dataclass(frozen=True, slots=True)
class UndoneImport:
    """How many leads go, how many stay because something was sent to them or the user put them on the do-not-contact list, and of
    how many others the fields go back.

    `unlisted` entries leave the do-not-contact list, because nobody but the file had put them there.
    """

    taken_back: int
    kept: int
    restored: int
    unlisted: int


def undo_forecast(connection: DatabaseConnection, campaign_id: str, import_id: str) -> UndoneImport:
    """What undoing would do; raises `import_unknown` and `import_already_undone`."""
    _undoable(connection, campaign_id, import_id)
    taken_back, staying = imports.count_brought(connection, campaign_id, import_id)
    unlisted = do_not_contact_imports.count_entries_to_remove(connection, import_id)
    return UndoneImport(taken_back, staying, imports.count_merged(connection, import_id), unlisted)


def undo_import(journal: Journal, clock: Clock, campaign_id: str, import_id: str) -> UndoneImport:
    """Undo in batches; one that is cut off is simply repeated, and counts what it had done before, too.

    Importing the file again brings the same leads back.

    Raises `import_unknown` and `import_already_undone`.
    """
    campaign = journal.database.query(_undoable, campaign_id, import_id)
    cause, after = f"undo import {import_id}", ""
    while True:
        with journal.transaction() as transaction:
            lead_ids = imports.leads_to_take_back(transaction.connection, campaign_id, import_id, after)
            events = [
                event for lead_id in lead_ids for event in _take_back(transaction, campaign, lead_id, clock.now())
            ]
            transaction.record(campaign_id, events, actor="user", cause=cause, at=clock.now())
        if not lead_ids:
            break
        after = lead_ids[-1]
    _restore_fields(journal, clock, campaign, import_id, cause)
    _unlist(journal, clock, import_id, cause)
    with journal.database.read() as connection:
        taken_back, restored, unlisted = imports.undone_so_far(connection, campaign_id, import_id, cause)
        _, staying = imports.count_brought(connection, campaign_id, import_id)
    undone = ImportUndone(
        import_id, taken_back=taken_back, kept=staying, restored=restored, unlisted=unlisted, undone_at=clock.now()
    )
    journal.record(campaign_id, events=[undone], actor="user", cause=cause, at=clock.now())
    return UndoneImport(taken_back, staying, restored, unlisted)


def _unlist(journal: Journal, clock: Clock, import_id: str, cause: str) -> None:
    """Take what the import put on the do-not-contact list off it; leads that nobody else forbids may be contacted again."""
    while True:
        with journal.transaction() as transaction:
            entries = do_not_contact_imports.entries_to_remove(transaction.connection, import_id, MOST_AT_ONCE)
            removed = [DoNotContactRemoved(entry.id) for entry in entries]
            transaction.record(WORKSPACE, removed, actor="user", cause=cause, at=clock.now())
            keys = {entry.key for entry in entries}
            for campaign_id, lead_id in do_not_contact.blocked_by(transaction.connection, keys) if keys else ():
                release_events = unlisted_events(transaction, campaign_id, lead_id, clock.now())
                transaction.record(campaign_id, release_events, actor="user", cause=cause, at=clock.now())
        if not entries:
            return


def _undoable(connection: DatabaseConnection, campaign_id: str, import_id: str) -> Campaign:
    stored_import = imports.find(connection, campaign_id, import_id)
    campaign = campaigns.campaign(connection, campaign_id)
    if stored_import is None or campaign is None:
        raise OutriderError("import_unknown", import_id=import_id)
    if stored_import.undone_at is not None:
        raise OutriderError("import_already_undone", file=stored_import.file)
    return campaign


def _take_back(transaction: Transaction, campaign: Campaign, lead_id: str, now: int) -> list[Event]:
    lead = leads.lead(transaction.connection, campaign.id, lead_id)
    blocked = LeadBlocked(lead_id, blocked=TAKEN_BACK)
    if lead is None or lead.sequence_step is None:
        return [blocked]
    texts, stopping = planner.stop_events(
        transaction, campaign, lead_id, now,
        text_reason="the import was undone", task_reason="The import that brought this person was undone.",
    )  # fmt: skip
    return [*texts, blocked, *stopping]


def _restore_fields(journal: Journal, clock: Clock, campaign: Campaign, import_id: str, cause: str) -> None:
    before = (2**62, "")
    while True:
        with journal.transaction() as transaction:
            merges = imports.merges_backwards(transaction.connection, import_id, before)
            for merge in merges:  # one by one: what a later row changed is taken back before what an earlier one did
                current = leads.merge_fields(transaction.connection, merge.lead_id)
                earlier_fields = fields_before(current, json.loads(merge.earlier), json.loads(merge.later))
                if _keeps_address(transaction.connection, campaign, import_id, merge.lead_id, current, earlier_fields):
                    earlier_fields = {
                        **earlier_fields,
                        "member_key": current.member_key,
                        "profile_url": current.profile_url,
                    }
                if not earlier_fields:
                    continue
                changed = MergeUndone(merge.lead_id, profile_updated_at=clock.now(), **earlier_fields)
                transaction.record(campaign.id, [changed], actor="user", cause=cause, at=clock.now())
                lead = leads.lead(transaction.connection, campaign.id, merge.lead_id)
                if lead is not None and lead.blocked in BEFORE:  # which the file may have been alone to say
                    contact_events = contact_again_events(transaction, campaign, lead, clock.now())
                    contact_events = with_reopening(transaction, campaign.id, contact_events)
                    transaction.record(campaign.id, contact_events, actor="user", cause=cause, at=clock.now())
                elif lead is not None and current.profile_url and not lead.profile_url:
                    left_alone = _without_address(transaction, campaign, lead, clock.now())
                    transaction.record(campaign.id, left_alone, actor="user", cause=cause, at=clock.now())
            lead_scoring.rescore_leads(
                transaction, campaign, dict.fromkeys(merge.lead_id for merge in merges), cause, clock.now()
            )
        if not merges:
            return
        before = (merges[-1].line, merges[-1].id)


def _keeps_address(
    connection: DatabaseConnection,
    campaign: Campaign,
    import_id: str,
    lead_id: str,
    current: MergeFields,
    earlier: MergedColumns,
) -> bool:
    """Whether a lead stays known by the address that it has now: another lead has its earlier one by now, or at this one somebody
    was reached, whose sequence goes on there and who is to be known again by it."""
    key = earlier.get("member_key", current.member_key)
    if key == current.member_key and earlier.get("profile_url", current.profile_url) == current.profile_url:
        return False
    if imports.is_touched(connection, import_id, lead_id):
        return True
    return key != current.member_key and bool(leads.leads_of_members(connection, campaign.id, [key]))


def _without_address(transaction: Transaction, campaign: Campaign, lead: Lead, now: int) -> list[Event]:
    """Whom the campaign had begun with is left alone, as they would be had they never had an address."""
    if lead.sequence_step is None or lead.blocked or lead.finished:
        return []
    texts, stopping = planner.stop_events(
        transaction, campaign, lead.id, now,
        text_reason="the import was undone",
        task_reason="The import that told this person's profile address was undone.",
    )  # fmt: skip
    return [*texts, LeadBlocked(lead.id, blocked=planner.NO_PROFILE), *stopping]
