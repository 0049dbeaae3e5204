"""Compares a later export of LinkedIn's with what is on record of its people, and records what it settles or contradicts."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice

from backend.commands.command import COMMANDS
from backend.commands.replies import going_on, record_found
from backend.domain.contact import reconciliation
from backend.domain.contact import reconciliation_events as consequences
from backend.domain.contact.conversation_check import (
    Differences,
    ask_about_messages,
    found_events,
    new_replies,
    their_latest_words,
)
from backend.domain.contact.reconciliation import (
    CHANGES,
    CONTRADICTED,
    MOST_NAMED,
    Change,
    Finding,
    ReconciledPerson,
    Reconciliation,
    ReconciliationCounts,
    Verdict,
)
from backend.domain.contact.replies import Reply
from backend.domain.contact.sends import outcome_events
from backend.domain.events.events import WORKSPACE, AuditEntry, Event
from backend.domain.events.facts.lead import LeadBlocked
from backend.domain.model.campaign import Campaign
from backend.domain.model.channel import LINKEDIN_ACCOUNT
from backend.domain.model.days import OffsetAt
from backend.domain.model.lead import NOT_ON_RECORD, Lead, LeadStatus
from backend.domain.model.message import MessageSource, SendOutcome
from backend.domain.model.site import Relation, Thread, ThreadMessage
from backend.domain.model.task import TaskStatus
from backend.domain.people.contact_archive import ArchivedMessage, ContactArchive, PersonInArchive
from backend.domain.people.past_contact import WRITTEN_TO
from backend.ports.clock import Clock
from backend.situation import situations
from backend.situation.unsettled_acts import load_sending
from backend.store.log.journal import Journal
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaigns, questions, tasks
from backend.store.queries.contact import account_record, messages
from backend.store.queries.contact.account_record import AccountLead, LeadAct
from backend.store.queries.leads import leads
from backend.store.queries.people import people
from backend.turn.verifier import verify_waiting

BATCH = 100
"""People a transaction."""
_CAUSE = "export compared"
_OPEN = (TaskStatus.PENDING, TaskStatus.IN_PROGRESS)


Read = Callable[[frozenset[str]], ContactArchive]
"""Reads an export, given the addresses of the people who matter."""


def compare_export(journal: Journal, clock: Clock, read: Read, *, file: str) -> Reconciliation:
    """Compare an export with what is on record of the LinkedIn account; raises what reading it raises."""
    profile_urls = frozenset(journal.database.query(account_record.leads_of_account, LINKEDIN_ACCOUNT))
    return reconcile(journal, clock, LINKEDIN_ACCOUNT, read(profile_urls), file=file)


def reconcile(journal: Journal, clock: Clock, account: str, archive: ContactArchive, *, file: str) -> Reconciliation:
    """Record what the export shows of the account's people, batch by batch; the same export again changes nothing."""
    people = journal.database.query(account_record.leads_of_account, account)
    people_in_archive = iter([(as_leads, archive.of(url)) for url, as_leads in people.items() if url in archive.people])
    changed: list[ReconciledPerson] = []
    looked_at = 0
    while batch := list(islice(people_in_archive, BATCH)):
        with journal.transaction() as transaction:
            for as_leads, person in batch:
                compared_person = _Person(transaction, as_leads, person, archive, clock.now(), clock.offset)
                compared_person.compare()
                changed += compared_person.changed
        looked_at += len(batch)
    for campaign_id in sorted({person.campaign_id for person in changed}):
        verify_waiting(journal, clock, campaign_id, None)
    counts_by_change = Counter(person.change for person in changed)
    counts = ReconciliationCounts(people=looked_at, **{change: counts_by_change[change] for change in CHANGES})
    parameters = {"file": file, "format": "linkedin_export"}
    outcome = "; left out: ".join(filter(None, (counts.sentence, archive.left_out.sentence)))
    read = AuditEntry("file.read", {"parameters": parameters, "outcome": outcome})
    journal.record(WORKSPACE, events=[], audits=[read], actor="user", cause=_CAUSE, at=clock.now())
    changed.sort(key=lambda person: CHANGES.index(person.change))
    return Reconciliation(counts=counts, people=changed[:MOST_NAMED], left_out=archive.left_out.sentence)


class _Person:
    """One person of the export, with all the leads that they are."""

    def __init__(
        self,
        transaction: Transaction,
        as_leads: Sequence[AccountLead],
        person: PersonInArchive,
        archive: ContactArchive,
        now: int,
        offset_at: OffsetAt,
    ) -> None:
        self.transaction, self.leads, self.person, self.archive = transaction, as_leads, person, archive
        self.now, self.offset_at = now, offset_at
        self.changed: list[ReconciledPerson] = []

    def compare(self) -> None:
        """Acts first: what they explain is no unknown message, and whom they concern is who replied."""
        connection = self.transaction.connection
        acts = {
            lead_act.act.id: (lead, lead_act)
            for lead in self.leads
            for lead_act in account_record.acts_to(connection, lead.lead_id)
        }
        # The clock may have been set back before them.
        start_times = [lead_act.act.intended_at for _, lead_act in acts.values()]
        since = min([*(lead.since for lead in self.leads), *start_times])
        ids = [lead.lead_id for lead in self.leads]
        comparison = reconciliation.compare_acts(
            [lead_act.act for _, lead_act in acts.values()],
            self.person,
            self.archive,
            since=since,
            now=self.now,
            other_marks=account_record.marks_found(connection, ids),
        )
        for finding in comparison.findings:
            self._act(*acts[finding.act.id], finding)
        for lead in self.leads:
            self._acceptance(lead)
        thread_messages = (
            reconciliation.as_thread_message(message) for message in self.person.messages if message.at >= since
        )
        their_messages = tuple(message for message in thread_messages if message.author == "them")
        main_lead = (
            max(acts.values(), key=lambda lead_and_act: lead_and_act[1].act.intended_at)[0]
            if acts
            else self._answering(their_messages)
        )
        persons = {people.lead_ids(connection, lead_id)[0] for lead_id in ids}
        recorded_replies = [reply for lead_id in sorted(persons) for reply in messages.replies(connection, lead_id)]
        self._replies(main_lead, new_replies(Thread(their_messages, Relation.CONNECTED), recorded_replies))
        self._unrecorded(main_lead, comparison.unrecorded)

    def _answering(self, their_messages: Sequence[ThreadMessage]) -> AccountLead:
        """The latest of the leads as which they wrote something that is no old conversation; the latest of all if there is none."""
        answering = (lead for lead in reversed(self.leads) if self._answers(lead, their_messages))
        return next(answering, self.leads[-1])

    def _answers(self, account_lead: AccountLead, their_messages: Sequence[ThreadMessage]) -> list[ThreadMessage]:
        connection = self.transaction.connection
        lead = leads.lead(connection, account_lead.campaign_id, account_lead.lead_id)
        if lead is None:
            return []
        since = account_record.in_touch_since(connection, lead.id)
        return [message for message in their_messages if message.at >= since]

    def _record(self, campaign_id: str, events: Sequence[Event], cause: str = "") -> None:
        """By a cause for each person: another device's entries about one do not stand against the others."""
        cause = cause or f"{_CAUSE} {self.leads[0].lead_id}"
        self.transaction.record(campaign_id, events, actor="user", cause=cause, at=self.now)

    def _changed(self, lead: Lead, change: Change) -> None:
        person = ReconciledPerson(campaign_id=lead.campaign_id, lead_id=lead.id, name=lead.full_name, change=change)
        self.changed.append(person)

    def _campaign(self, lead: AccountLead) -> Campaign:
        campaign = campaigns.campaign(self.transaction.connection, lead.campaign_id)
        assert campaign is not None  # noqa: S101 - its leads were read in this transaction
        return campaign

    def _act(self, account_lead: AccountLead, lead_act: LeadAct, finding: Finding) -> None:
        connection, new_id = self.transaction.connection, self.transaction.new_id
        sending = load_sending(
            connection,
            account_lead.campaign_id,
            action_id=lead_act.act.id,
            task_id=lead_act.task_id,
            lead_id=lead_act.lead_id,
            message_id=lead_act.message_id,
            approval_id=lead_act.approval_id,
        )
        if finding.verdict is Verdict.CONFIRMED:
            self._record(account_lead.campaign_id, [consequences.confirmed(finding, lead_act.evidence)])
            self._changed(sending.lead, "confirmed")
            return
        if finding.verdict in (Verdict.SENT, Verdict.NOT_SENT):
            outcome = SendOutcome.SENT if finding.verdict is Verdict.SENT else SendOutcome.NOT_SENT
            attempt = consequences.shown_attempt(finding)
            self._record(
                account_lead.campaign_id, outcome_events(sending, outcome, attempt, self.now, new_id, tried=False)
            )
            self._changed(sending.lead, "settled")
            return
        if self._was_asked(lead_act):
            return
        question_events = consequences.contradiction(
            finding, sending.lead, sending.task, lead_act.step, lead_act.message_id, self.now, new_id, self.offset_at
        )
        self._record(account_lead.campaign_id, question_events)
        self._changed(sending.lead, "contradictions")

    def _was_asked(self, lead_act: LeadAct) -> bool:
        """Whether the user was asked about this act, and has decided or will."""
        connection = self.transaction.connection
        for kind in (CONTRADICTED, NOT_ON_RECORD):
            payloads = [row.payload for row in questions.list_open_of_task(connection, lead_act.task_id, kind)]
            payloads += questions.answered_payloads(connection, lead_act.task_id, kind)
            if any(payload.get("action_id") == lead_act.act.id for payload in payloads):
                return True
        return False

    def _acceptance(self, account_lead: AccountLead) -> None:
        campaign = self._campaign(account_lead)
        situation = situations.lead_situation(self.transaction.connection, campaign, account_lead.lead_id, self.now)
        if situation is None or situation.lead.relation is Relation.CONNECTED:
            return
        if not reconciliation.has_accepted(situation.lead.invited_at, self.person):
            return
        self._record(
            account_lead.campaign_id, [consequences.accepted(situation.lead, self.person.connected_on, self.now)]
        )
        self._changed(situation.lead, "accepted")
        events = going_on(self.transaction, campaign, account_lead.lead_id, self.now, withdrawn="")
        self._record(account_lead.campaign_id, events)

    def _replies(self, account_lead: AccountLead, new_messages: list[ThreadMessage]) -> None:
        """Each by a command of its own, which is given again if another device's entries came first."""
        campaign, command = self._campaign(account_lead), COMMANDS["replies.found"]
        lead = leads.lead(self.transaction.connection, account_lead.campaign_id, account_lead.lead_id)
        if lead is None:
            return
        answers = self._answers(account_lead, new_messages)
        for message in new_messages:
            reply_command = command.stored({"lead_id": lead.id, "at": message.at, "answers": message in answers})
            record = partial(self._record, campaign.id, cause=reply_command.cause(campaign.id))
            reply = Reply(message.text, message.at)
            record_found(self.transaction, campaign, lead.id, reply, self.now, record, answers=message in answers)
            if message in answers:
                self._changed(lead, "replies")

    def _unrecorded(self, account_lead: AccountLead, shown: Sequence[ArchivedMessage]) -> None:
        """What the user wrote by hand is on record from now on; before anything more goes out, they are asked about it."""
        if not shown:
            return
        connection, new_id = self.transaction.connection, self.transaction.new_id
        campaign = self._campaign(account_lead)
        situation = situations.lead_situation(connection, campaign, account_lead.lead_id, self.now)
        if situation is None:
            return
        thread_messages = [reconciliation.as_thread_message(message) for message in shown]
        events = found_events(situation.lead, thread_messages, self.now, new_id, MessageSource.EXPORT)
        task = tasks.task_of_lead(connection, account_lead.lead_id)
        if not situation.lead.blocked and not situation.lead.finished:
            if task is not None and task.status in _OPEN:
                step = situation.due_step.step
                key = step.key if step is not None and step.kind == "message" else ""
                conversation = map(reconciliation.as_thread_message, self.person.messages)
                differences = Differences(tuple(thread_messages), their_words=their_latest_words(conversation))
                events += ask_about_messages(situation.lead, task, differences, key, self.now, new_id)
                self._changed(situation.lead, "contradictions")
            elif task is None and situation.lead.status is LeadStatus.PENDING:
                events.append(LeadBlocked(situation.lead.id, blocked=WRITTEN_TO))
        self._record(account_lead.campaign_id, events)
