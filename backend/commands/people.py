"""Erasing what is stored about a person, in every campaign; that they are not to be contacted is all that is kept."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Annotated, NamedTuple

from backend.commands.command import FromEntity, FromEvent, column
from backend.commands.contact_memory import remembering_events, secret_for_keys
from backend.commands.handler import CommandHandler, command
from backend.commands.leads import BLOCKED, forbidding_events, reopening_events, unlisted_events, with_reopening
from backend.commands.replies import resume
from backend.domain.erasure.erasure import ERASED
from backend.domain.erasure.mentions import PersonNames
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.events.facts.lead import LeadBlocked, LeadContactAllowed
from backend.domain.events.facts.workspace import DoNotContactAdded, IdentityAnswered, IdentityAnswerTakenBack
from backend.domain.gates.gates import ELSEWHERE, contact_refusal
from backend.domain.gates.person import HELD, IN_TOUCH_ELSEWHERE, MOVED_HERE, TAKEN_OVER, LeadOfPerson, Person
from backend.domain.leads.lead_merge import GONE
from backend.domain.model.campaign import Campaign
from backend.domain.model.lead import Lead
from backend.domain.model.task import NEVER, ActionFamily, TaskStatus
from backend.domain.people.contact_keys import forgotten_key
from backend.domain.people.identity import plain_key
from backend.domain.people.past_contact import BEFORE
from backend.domain.turn.task_progress import advance, waits_in_review
from backend.domain.values.errors import OutriderError
from backend.ports.ids import Ids
from backend.situation import situations
from backend.store.database import DatabaseConnection
from backend.store.log.erasing_events import erasing_events
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaigns, tasks
from backend.store.queries.device import erased_things
from backend.store.queries.leads import leads
from backend.store.queries.people import do_not_contact, people, person_entries, person_index
from backend.turn import planner

MOST_REASON = 200
"""Characters of a reason that are kept."""


SAME_AS_ERASED = "Said to be the same person as somebody whose data was erased"
"""Why somebody is on the do-not-contact list of whom a device said so before it heard of the erasure."""


@dataclass(frozen=True, slots=True)
class PersonErased:
    """How many leads and log entries lost their words, and how many pictures show the person, here or on another device."""

    leads: int
    entries: int
    pictures: int


@dataclass(frozen=True, slots=True)
class IdentitySettled:
    """The answer (empty if it had been given before), and how many approved messages wait in Review again.

    `forbidden`: the lead, with its campaign, that went on the do-not-contact list instead.
    """

    answer_id: str
    messages_waiting: int
    forbidden: Mapping[str, str] = field(default_factory=dict)


def forbidding_again(transaction: Transaction, campaign_id: str, now: int) -> list[Event]:
    """What ends the tasks and texts of whoever was erased, refused or left out, where another device's entries came before that.

    Who is being written to just now is left alone until that is on record.
    """
    connection = transaction.connection
    campaign, events = campaigns.campaign(connection, campaign_id), list[Event]()
    for lead_id in erased_things.left_alone_and_not_ended(connection, campaign_id):
        lead = leads.lead(connection, campaign_id, lead_id)
        if campaign is None or lead is None or person_entries.is_under_way(connection, campaign_id, [lead_id]):
            continue
        if why := BEFORE.get(lead.blocked):
            events += chain(*planner.stop_events(transaction, campaign, lead_id, now, text_reason=why, task_reason=why))
        else:
            events += forbidding_events(transaction, campaign, lead, now).events
    return events


def erase_mentions(transaction: Transaction, people: Sequence[PersonNames], now: int) -> dict[str, list[Event]]:
    """By stream: what takes their names and addresses out of what artifacts and conversations of all campaigns say.

    Out of what only this device keeps they are taken at once.
    """
    if not people:
        return {}
    person_entries.forget_on_this_device(transaction.connection, people)
    mentions = {
        stream: person_entries.mentions_left(transaction.connection, stream, people)
        for stream in (WORKSPACE, *campaigns.not_deleted(transaction.connection))
    }
    return {
        stream: erasing_events(transaction, stream, entries, now) for stream, entries in mentions.items() if entries
    }


RecordThere = Callable[[Sequence[Event]], None]
"""Puts events into the workspace's stream."""


class ForgottenKeys(NamedTuple):
    """What stands for each key by which people were known whose data goes; `current` are those that their rows have."""

    by_key: Mapping[str, str]
    current: frozenset[str] = frozenset()


def keys_to_forget(
    transaction: Transaction,
    ids: Ids,
    leads_by_stream: Mapping[str, Sequence[str]],
    record: RecordThere,
    event_seq: int = 0,
) -> ForgottenKeys:
    """By what these leads are known, or were by any entry behind that number, before their words go."""
    connection = transaction.connection
    keys = person_entries.keys_of_leads(connection, leads_by_stream, event_seq)
    if not keys.recorded:
        return ForgottenKeys({})
    secret, events = secret_for_keys(transaction, ids)
    record(events)
    return ForgottenKeys({key: forgotten_key(secret, key) for key in sorted(keys.recorded)}, keys.current)


def forget_keys(transaction: Transaction, keys: ForgottenKeys, record: RecordThere, now: int) -> int:
    """Take these keys out of the do-not-contact list and of answers, and list who they are; how many entries lost words."""
    connection, by_key = transaction.connection, keys.by_key
    left = person_entries.listed_left(connection, by_key) | person_entries.answers_left(connection, by_key)
    record(erasing_events(transaction, WORKSPACE, left, now))
    current = {by_key[key] for key in keys.current}
    listed = do_not_contact.listed_for_good(connection, current)
    missing = [key for key in sorted(current) if key not in listed or not do_not_contact.erased_at(connection, [key])]
    record(
        [
            DoNotContactAdded(transaction.new_id(), member_key=key, name=ERASED, reason="", created_at=now)
            for key in missing
        ]
    )
    return len(left)


def list_same_as_forgotten(transaction: Transaction, record: RecordThere, now: int) -> None:
    """List whoever is said to be the same person as somebody erased, before that answer loses them.

    Only an answer that crossed the erasure names both: who is erased after it is erased with all their leads.
    """
    connection = transaction.connection
    record(
        [
            DoNotContactAdded(transaction.new_id(), member_key=key, name="", reason=SAME_AS_ERASED, created_at=now)
            for key in sorted(people.same_as_forgotten(connection))
        ]
    )


@dataclass(frozen=True, slots=True)
class PeopleCommands(CommandHandler):
    """Decisions about a person's data; raises `campaign_unknown` and `lead_unknown`."""

    @command("people.erase", only=())
    def erase(self, campaign_id: str, lead_id: str) -> PersonErased:
        """Erase every word about this person for good, in every campaign and in the do-not-contact list.

        What artifacts and the assistant's conversation say of them loses their name and addresses, and a table in there all the
        words of each row that names them. Ids, times and states stay, so that both logs verify; what waits is withdrawn. Of who
        they are a keyed hash stays: on the do-not-contact list, which tells them when they are imported again, and of when each
        account last contacted them. Files of evidence are noted for removal. Raises `person_under_way` while something is being
        sent to them.
        """
        with self.journal.transaction() as transaction:
            connection, now = transaction.connection, self.clock.now()
            self._campaign(transaction, campaign_id)
            leads.existing_lead(connection, campaign_id, lead_id)
            leads_by_stream = person_entries.leads_of_person(connection, lead_id)
            if any(person_entries.is_under_way(connection, stream, ids) for stream, ids in leads_by_stream.items()):
                raise OutriderError("person_under_way")
            record = partial(self._record, transaction, WORKSPACE)
            keys = keys_to_forget(transaction, self.journal.ids, leads_by_stream, record)
            named = person_entries.named(connection, [id_ for ids in leads_by_stream.values() for id_ in ids])
            files: set[str] = set()
            entries = 0
            for stream, ids in leads_by_stream.items():
                campaign = self._campaign(transaction, stream)
                remembered = remembering_events(transaction, self.journal.ids, campaign, now, ids)
                self._record(transaction, WORKSPACE, remembered)
                for id_ in ids:
                    lead = leads.lead(connection, stream, id_)
                    if lead is not None:
                        self._record(transaction, stream, forbidding_events(transaction, campaign, lead, now).events)
                files |= person_entries.evidence_files(connection, stream, ids)
                entries_left = person_entries.what_is_left(connection, stream, ids)
                self._record(transaction, stream, erasing_events(transaction, stream, entries_left, now))
                entries += len(entries_left)
            for stream, events in erase_mentions(transaction, named, now).items():
                self._record(transaction, stream, events)
                entries += sum(len(event.changes["entries"]) for event in events)
            entries += forget_keys(transaction, keys, record, now)
            return PersonErased(sum(len(ids) for ids in leads_by_stream.values()), entries, len(files))

    # --- who is who ---

    @command("people.answer_same", shows={"IdentityAnswered": "same"})
    def answer_same(
        self,
        member_keys: Annotated[list[str], column("IdentityAnswered", "member_keys")],
        same: Annotated[bool, FromEvent(("IdentityAnswered",), lambda changes: bool(changes["same"]))],
    ) -> IdentitySettled:
        """Say whether the leads with these identities are one person, or all different people; approvals of theirs are revoked.

        Raises `identity_not_asked` for fewer than two or about somebody erased, `identity_answered` for what was answered the other
        way, and `person_under_way` while something is being sent to one of them.
        """
        with self.journal.transaction() as transaction:
            connection, now = transaction.connection, self.clock.now()
            keys = sorted(set(member_keys))
            lead_ids = people.leads_of_members(connection, keys)
            forgotten = do_not_contact.forgotten_among(connection, map(plain_key, keys))
            is_about_erased = not all(people.leads_of_members(connection, [key]) for key in forgotten)
            if len(keys) < 2 or is_about_erased:  # noqa: PLR2004 - it takes two to be one
                raise OutriderError("identity_not_asked")
            earlier = people.answers_about(connection, keys)
            if any(answer.same is not same for answer in earlier):
                raise OutriderError("identity_answered")
            if any(set(keys) <= set(answer.member_keys) for answer in earlier):
                return IdentitySettled("", 0)
            self._refuse_under_way(connection, lead_ids)
            answer_id = transaction.new_id()
            answered = IdentityAnswered(answer_id, member_keys=keys, same=int(same), created_at=now)
            self._record(transaction, WORKSPACE, [answered])
            return IdentitySettled(answer_id, self._reconsider(transaction, lead_ids))

    @command("people.take_answer_back", shows={"IdentityAnswerTakenBack": "status"})
    def take_answer_back(self, answer_id: Annotated[str, FromEntity(("IdentityAnswerTakenBack",))]) -> IdentitySettled:
        """Whether they are one person is open again; approvals of theirs are revoked. What was sent stays sent.

        Raises `identity_answer_unknown`, and `person_under_way` while something is being sent to one of them.
        """
        with self.journal.transaction() as transaction:
            answer = people.answer(transaction.connection, answer_id)
            if answer is None:
                raise OutriderError("identity_answer_unknown")
            lead_ids = people.leads_of_members(transaction.connection, answer.member_keys)
            self._refuse_under_way(transaction.connection, lead_ids)
            self._record(transaction, WORKSPACE, [IdentityAnswerTakenBack(answer_id)])
            return IdentitySettled(answer_id, self._reconsider(transaction, lead_ids))

    def _reconsider(self, transaction: Transaction, lead_ids: Iterable[str]) -> int:
        """Another person is another recipient: approved messages wait in Review again (how many). Whoever was held, or left
        alone for what somebody else had said, may go on."""
        connection, now = transaction.connection, self.clock.now()
        person_index.index_people(connection)
        waiting = 0
        for name in people.names(connection, lead_ids):
            campaign = campaigns.campaign(connection, name.campaign_id)
            lead = leads.lead(connection, name.campaign_id, name.lead_id)
            if campaign is None or lead is None:
                continue
            situation = situations.lead_situation(connection, campaign, lead.id, now)
            events = waits_in_review(situation.message, situation.approval) if situation else []
            waiting += bool(events)
            if events:
                task = tasks.task_of_lead(connection, lead.id)
                if task is not None and task.status is TaskStatus.IN_PROGRESS:
                    events += advance(task, ActionFamily.APPROVAL, NEVER)
            if lead.blocked in HELD:
                events += with_reopening(
                    transaction, campaign.id, planner.hold_events(transaction, campaign, lead, now)
                )
            elif lead.blocked == BLOCKED:
                events += unlisted_events(transaction, campaign.id, lead.id, now)
            self._record(transaction, campaign.id, events)
            resume(transaction, campaign, lead.id, now, partial(self._record, transaction, campaign.id))
        return waiting

    def _refuse_under_way(self, connection: DatabaseConnection, lead_ids: Iterable[str]) -> None:
        for name in people.names(connection, lead_ids):
            if person_entries.is_under_way(connection, name.campaign_id, [name.lead_id]):
                raise OutriderError("person_under_way")

    # --- with which campaign they are ---

    @command("people.contact_anyway", shows={"LeadContactAllowed": "contact_anyway"})
    def contact_anyway(
        self, campaign_id: str, lead_id: str, reason: Annotated[str, column("LeadContactAllowed", "contact_anyway")]
    ) -> None:
        """Let this campaign write to somebody who is with another one, or was in touch before; the reason goes into the log.

        Raises `contact_reason_missing`, `person_not_elsewhere` if nothing keeps the campaign from writing, and
        `person_here_twice` if it writes to them already, by another lead.
        """
        reason = " ".join(reason.split())[:MOST_REASON]
        if not reason:
            raise OutriderError("contact_reason_missing")
        with self.journal.transaction() as transaction:
            campaign, lead = self._campaign_and_lead(transaction, campaign_id, lead_id)
            person = people.several(transaction.connection, lead_id)
            if lead.blocked not in BEFORE and contact_refusal(person, self.clock.now(), self.clock.offset) is None:
                raise OutriderError("person_not_elsewhere", name=lead.full_name)
            _refuse_here_twice(lead, person)
            self._record(transaction, campaign_id, self._allowed(transaction, campaign, lead, reason))

    @command("people.leave", shows={"LeadContactAllowed": "contact_anyway"}, on_conflict="repeat")
    def leave(self, campaign_id: str, lead_id: Annotated[str, FromEntity(("LeadContactAllowed",))]) -> None:
        """Leave somebody to the other campaign after all: what waits to be sent here is withdrawn; what was sent stays sent.

        Raises `person_under_way` while something is being sent to them here.
        """
        with self.journal.transaction() as transaction:
            campaign, lead = self._campaign_and_lead(transaction, campaign_id, lead_id)
            person = people.person(transaction.connection, lead_id)
            if person is None or not person.lead.contact_anyway:
                return
            self._refuse_under_way(transaction.connection, [lead_id])
            now = self.clock.now()
            changed_person = person._replace(lead=person.lead._replace(contact_anyway="", claimed_at=None))
            events: list[Event] = [LeadContactAllowed(lead_id, contact_anyway="")]
            if contact_refusal(changed_person, now, self.clock.offset) is not None and not lead.blocked:
                events += self._left(
                    transaction, campaign, lead, changed_person.lead.past or IN_TOUCH_ELSEWHERE, ELSEWHERE
                )
            self._record(transaction, campaign_id, events)

    @command("people.move_here", shows={"LeadContactAllowed": "contact_anyway"})
    def move_here(
        self, campaign_id: str, lead_id: Annotated[str, FromEntity(("LeadContactAllowed", "LeadUnblocked"))]
    ) -> None:
        """Take somebody over from the campaign they are with: there their sequence ends, here it may begin.

        To undo it, move them back from there. What was sent stays sent, and replies count everywhere. Raises
        `person_not_elsewhere`, `person_here_twice`, and `person_under_way` while something is being sent to them there.
        """
        with self.journal.transaction() as transaction:
            campaign, lead = self._campaign_and_lead(transaction, campaign_id, lead_id)
            person, now = people.several(transaction.connection, lead_id), self.clock.now()
            holder = None if person is None else person.moved_to or person.elsewhere(now)
            if holder is None:
                raise OutriderError("person_not_elsewhere", name=lead.full_name)
            _refuse_here_twice(lead, person)
            self._refuse_under_way(transaction.connection, [holder.lead_id])
            self._record(transaction, holder.campaign_id, self._taken_over(transaction, holder))
            self._record(transaction, campaign_id, self._allowed(transaction, campaign, lead, MOVED_HERE))

    def _taken_over(self, transaction: Transaction, holder: LeadOfPerson) -> list[Event]:
        """The end of the sequence that they are taken out of."""
        campaign, lead = self._campaign_and_lead(transaction, holder.campaign_id, holder.lead_id)
        not_here = [LeadContactAllowed(lead.id, contact_anyway="")] if holder.contact_anyway else []
        return [*not_here, *self._left(transaction, campaign, lead, TAKEN_OVER, "Moved to another campaign.")]

    def _allowed(self, transaction: Transaction, campaign: Campaign, lead: Lead, reason: str) -> list[Event]:
        allowed = [*reopening_events(campaign), LeadContactAllowed(lead.id, contact_anyway=reason)]
        in_doubt = people.doubt_about(transaction.connection, lead.id) is not None
        if in_doubt or lead.blocked not in HELD | BEFORE.keys() | GONE | {TAKEN_OVER}:
            return allowed
        contact_events = planner.contact_again_events(transaction, campaign, lead, self.clock.now(), anyway=True)
        return [*allowed, *contact_events]

    def _left(self, transaction: Transaction, campaign: Campaign, lead: Lead, blocked: str, why: str) -> list[Event]:
        messages, stopping = planner.stop_events(
            transaction, campaign, lead.id, self.clock.now(), text_reason=why, task_reason=why
        )
        leaving = [LeadBlocked(lead.id, blocked=blocked)] if lead.blocked in HELD | {""} else []
        return [*messages, *leaving, *stopping]


def _refuse_here_twice(lead: Lead, person: Person | None) -> None:
    """Nobody gets one campaign's sequence twice because they are in it by two leads."""
    if person is not None and person.other_lead_here is not None:
        raise OutriderError("person_here_twice", name=lead.full_name)
