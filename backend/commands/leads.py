"""What the user decides about one lead: its priority, notes and tags, and that it is not to be contacted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from backend.commands.answers import answer_events, load_answer
from backend.commands.command import column
from backend.commands.handler import CommandHandler, command
from backend.domain.erasure.erasure import is_erased
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.events.facts.campaign import CampaignReopened
from backend.domain.events.facts.lead import (
    GreetingChosen,
    LeadBlocked,
    LeadContactAllowed,
    LeadNoted,
    LeadPrioritised,
    LeadTagged,
)
from backend.domain.events.facts.statuses import QuestionStatus
from backend.domain.events.facts.task import InputAnswered, TaskAdvanced
from backend.domain.events.facts.workspace import DoNotContactAdded, DoNotContactRemoved
from backend.domain.leads import lead_edits
from backend.domain.model.campaign import Campaign, CampaignStatus
from backend.domain.model.lead import Lead
from backend.domain.model.message import MessageStatus
from backend.domain.model.site import Relation
from backend.domain.model.task import Task, TaskStatus
from backend.domain.people.contact_keys import contact_keys, listed_as, person_keys
from backend.domain.people.past_contact import BEFORE
from backend.domain.turn.agent_questions import OWN_WORDS, names_variable
from backend.domain.turn.task_progress import answer_stopped, invitation_withdrawn
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Reason
from backend.situation import situations
from backend.situation.situations import TurnInputs
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaigns, questions, tasks
from backend.store.queries.campaign.questions import QuestionRow
from backend.store.queries.contact import messages
from backend.store.queries.leads import leads
from backend.store.queries.people import do_not_contact as do_not_contact_queries
from backend.turn import planner
from backend.turn.planner import contact_again_events

BLOCKED = "do_not_contact"
LET_AGAIN = "you chose to contact them again"
"""Why a campaign may write to somebody whom a file knows from before, where the user gives no reason."""
_NOT_SENT_YET = (MessageStatus.DRAFT, MessageStatus.APPROVED)


@dataclass(frozen=True, slots=True)
class Prioritised:
    """The priority as it is now, and as it was before; None: by the score."""

    lead_id: str
    priority: int | None
    before: int | None


@dataclass(frozen=True, slots=True)
class GreetingKept:
    """The greeting name as it is now, and as it was before."""

    lead_id: str
    name: str
    before: str


@dataclass(frozen=True, slots=True)
class TagsKept:
    """The tags as they were kept."""

    lead_id: str
    tags: list[str]


@dataclass(frozen=True, slots=True)
class ContactRefused:
    """What that stopped: whether a task was ended, and how many texts were withdrawn."""

    lead_id: str
    task_stopped: bool
    texts_withdrawn: int


@dataclass(frozen=True, slots=True)
class LeadCommands(CommandHandler):
    """Decisions about leads; raises `campaign_unknown` and `lead_unknown`."""

    @command("leads.prioritise", shows={"LeadPrioritised": "priority_override"})
    def prioritise(
        self,
        campaign_id: str,
        lead_id: str,
        priority: Annotated[int | None, column("LeadPrioritised", "priority_override")],
    ) -> Prioritised:
        """Set the priority by hand, or give it back to the score (None). Raises `priority_out_of_range`."""
        new_priority = None if priority is None else lead_edits.priority(priority)
        with self.journal.transaction() as transaction:
            lead = self._lead(transaction, campaign_id, lead_id)
            before = leads.edits(transaction.connection, lead_id).priority_override
            if new_priority != before:
                rank_lead(transaction, lead, new_priority, self._record, self.clock.now())
            return Prioritised(lead_id, new_priority, before)

    @command("leads.place", shows={"LeadPrioritised": "priority_override"})
    def place(
        self, campaign_id: str, lead_id: str, above: str | None, below: str | None, *, upwards: bool
    ) -> Prioritised:
        """Put the lead between two others (None: the end of the list), from below or from above."""
        with self.journal.transaction() as transaction:
            lead = self._lead(transaction, campaign_id, lead_id)
            before = leads.edits(transaction.connection, lead_id).priority_override
            own_priority = lead.weight_score or 0 if before is None else before
            neighbours = [self._priority(transaction, campaign_id, other) for other in (above, below)]
            new_priority = lead_edits.priority_between(own_priority, neighbours[0], neighbours[1], upwards=upwards)
            if new_priority != before:
                rank_lead(transaction, lead, new_priority, self._record, self.clock.now())
            return Prioritised(lead_id, new_priority, before)

    @command("leads.note", shows={"LeadNoted": "notes"})
    def note(self, campaign_id: str, lead_id: str, text: Annotated[str, column("LeadNoted", "notes")]) -> None:
        """Keep the notes as they are now; raises `note_too_long`, `lead_erased`."""
        text = lead_edits.note(text)
        with self.journal.transaction() as transaction:
            self._refuse_erased(transaction, campaign_id, lead_id)
            if leads.edits(transaction.connection, lead_id).notes != text:
                self._record(transaction, campaign_id, [LeadNoted(lead_id, notes=text)])

    @command("leads.tag", shows={"LeadTagged": "tags"})
    def tag(self, campaign_id: str, lead_id: str, tags: Annotated[list[str], column("LeadTagged", "tags")]) -> TagsKept:
        """Keep exactly these tags, tidied; raises `tags_not_usable`, `lead_erased`."""
        new_tags = lead_edits.tags(tags)
        with self.journal.transaction() as transaction:
            self._refuse_erased(transaction, campaign_id, lead_id)
            if leads.edits(transaction.connection, lead_id).tags != new_tags:
                self._record(transaction, campaign_id, [LeadTagged(lead_id, tags=new_tags)])
        return TagsKept(lead_id, new_tags)

    @command("leads.choose_greeting", shows={"GreetingChosen": "greeting_name"})
    def choose_greeting(
        self, campaign_id: str, lead_id: str, name: Annotated[str, column("GreetingChosen", "greeting_name")]
    ) -> GreetingKept:
        """What to call them in a greeting from now on, "" to leave it to their name.

        Whoever was asked for it is answered by that: their task goes on. Raises `greeting_not_usable`, `lead_erased`.
        """
        greeting_name = lead_edits.greeting_name(name)
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            self._refuse_erased(transaction, campaign_id, lead_id)
            before = leads.edits(transaction.connection, lead_id).greeting_name
            if greeting_name != before:
                self._record(transaction, campaign_id, [GreetingChosen(lead_id, greeting_name=greeting_name)])
            task = tasks.task_of_lead(transaction.connection, lead_id) if greeting_name else None
            for question in _asking_for_greeting(transaction, task):
                inputs = TurnInputs.at(self.clock, now, present=True)
                kind, answer = load_answer(transaction, campaign, question.id, greeting_name, inputs)
                answered = InputAnswered(question.id, status=QuestionStatus.ANSWERED, answer=greeting_name)
                self._record(transaction, campaign_id, [answered, *answer_events(transaction, kind, answer)])
            return GreetingKept(lead_id, greeting_name, before)

    @command("leads.invitation_withdrawn", shows={"InvitationWithdrawn": "relation"}, on_conflict="repeat")
    def invitation_withdrawn(self, campaign_id: str, lead_id: str) -> None:
        """The user took the invitation back on the site: nothing more goes to them. Raises `nothing_pending`."""
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            self._lead(transaction, campaign_id, lead_id)
            situation = situations.lead_situation(transaction.connection, campaign, lead_id, now)
            assert situation is not None  # noqa: S101 - the lead above is this campaign's
            if situation.lead.relation is Relation.CONNECTED:
                raise OutriderError("nothing_pending", lead=situation.lead.full_name)
            if situation.lead.relation is Relation.NONE:
                return  # it was said before, of whichever of the person's leads
            task = tasks.task_of_lead(transaction.connection, lead_id)
            events = invitation_withdrawn(
                task, situation.lead, messages.waiting_texts(transaction.connection, lead_id), now
            )
            self._record(transaction, campaign_id, events)

    @command(
        "leads.do_not_contact", shows={"LeadBlocked": "blocked", "DoNotContactAdded": "status"}, on_conflict="repeat"
    )
    def do_not_contact(
        self, campaign_id: str, lead_id: str, reason: Annotated[Reason, column("DoNotContactAdded", "reason")] = ""
    ) -> ContactRefused:
        """Never contact this person, in any campaign. Here their task ends and their texts are withdrawn at once, elsewhere
        before the next act."""
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            lead = self._lead(transaction, campaign_id, lead_id)
            self._record(transaction, WORKSPACE, listing_events(transaction, lead, reason, now))
            forbidding = forbidding_events(transaction, campaign, lead, now)
            self._record(transaction, campaign_id, forbidding.events)
            return ContactRefused(lead_id, forbidding.stopped, forbidding.withdrawn)

    @command("leads.contact_again", shows={"LeadUnblocked": "blocked", "DoNotContactRemoved": "status"})
    def contact_again(self, campaign_id: str, lead_id: str) -> None:
        """Take the person off the do-not-contact list; their task goes on, a withdrawn text has to be written again.

        Raises `company_listed` while the list has the company or a domain of theirs, and `lead_erased`.
        """
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            self._refuse_erased(transaction, campaign_id, lead_id)
            lead = self._lead(transaction, campaign_id, lead_id)
            for stream, removed in unlisting_events(transaction, lead):
                self._record(transaction, stream, [removed])
            if is_held(lead):
                released = released_events(transaction, campaign, lead, now)
                self._record(transaction, campaign_id, with_reopening(transaction, campaign_id, released))

    def _lead(self, transaction: Transaction, campaign_id: str, lead_id: str) -> Lead:
        self._campaign(transaction, campaign_id)
        return leads.existing_lead(transaction.connection, campaign_id, lead_id)

    def _priority(self, transaction: Transaction, campaign_id: str, lead_id: str | None) -> int | None:
        if lead_id is None:
            return None
        lead = self._lead(transaction, campaign_id, lead_id)
        override = leads.edits(transaction.connection, lead_id).priority_override
        return lead.weight_score or 0 if override is None else override


def _asking_for_greeting(transaction: Transaction, task: Task | None) -> list[QuestionRow]:
    """Open questions about that task for what stands in place of `{first_name}`."""
    open_questions = questions.list_open_of_task(transaction.connection, task.id) if task is not None else []
    return [
        question
        for question in open_questions
        if question.kind in OWN_WORDS and not question.choices and names_variable(question.text, "first_name")
    ]


def rank_lead(
    transaction: Transaction,
    lead: Lead,
    priority_override: int | None,
    record: Callable[[Transaction, str, Sequence[Event]], None],
    now: int,
) -> None:
    """Record the priority, and let the agent's order follow it in the same transaction."""
    priority = lead.weight_score or 0 if priority_override is None else priority_override
    events: list[Event] = [LeadPrioritised(lead.id, priority_override=priority_override)]
    task = tasks.task_of_lead(transaction.connection, lead.id)
    if task is not None and task.status is not TaskStatus.DONE:
        events.append(TaskAdvanced(task.id, rank=-priority))
    record(transaction, lead.campaign_id, events)
    if task is None and not planner.plan_sooner(transaction, lead.campaign_id, lead.id, cause="priority", at=now):
        record(transaction, lead.campaign_id, reopening_for_unplanned(transaction, lead.campaign_id, now))


def listing_events(transaction: Transaction, lead: Lead, reason: str, now: int) -> list[Event]:
    """Put the person on the do-not-contact list, by each of their addresses; none if they are on it.

    An entry that came with an import does not count: undoing the import takes it back, but not what the user says of a person.
    Of whoever is erased a keyed hash is on it, and nothing else would tell them.
    """
    if is_erased(lead.full_name):
        return []
    person_details = do_not_contact_queries.details_of_person(transaction.connection, lead.id)
    keys = dict.fromkeys(key for details in person_details for key in listed_as(details))
    listed_keys = do_not_contact_queries.listed_for_good(transaction.connection, keys)
    return [
        DoNotContactAdded(transaction.new_id(), member_key=key, name=lead.full_name, reason=reason, created_at=now)
        for key in keys
        if key not in listed_keys
    ]


def unlisting_events(transaction: Transaction, lead: Lead) -> list[tuple[str, Event]]:
    """Take the person off the do-not-contact list; raises `company_listed` while the company or a domain of theirs is on it."""
    person_details = do_not_contact_queries.details_of_person(transaction.connection, lead.id)
    own_keys = {key for details in person_details for key in person_keys(details)}
    shared_keys = {key for details in person_details for key in contact_keys(details)} - own_keys
    if listed_keys := do_not_contact_queries.listed(transaction.connection, shared_keys):
        raise OutriderError("company_listed", entry=min(listed_keys).partition(":")[2])
    entries = do_not_contact_queries.entries_of(transaction.connection, own_keys)
    return [(entry.stream, DoNotContactRemoved(entry.id)) for entry in entries]


def is_held(lead: Lead) -> bool:
    """Whether the lead is left alone because the person is not to be contacted, or was contacted before."""
    return lead.blocked == BLOCKED or lead.blocked in BEFORE


class Forbidding(NamedTuple):
    """What ends with a person whom nobody may contact: their task, and how many texts were withdrawn."""

    events: list[Event]
    stopped: bool
    withdrawn: int


def released_events(transaction: Transaction, campaign: Campaign, lead: Lead, now: int) -> list[Event]:
    """What lets a lead go on that is held back, by the user's word: whom a file knows from before is contacted all the same."""
    if lead.blocked not in BEFORE:
        return contact_again_events(transaction, campaign, lead, now)
    allowed = LeadContactAllowed(lead.id, contact_anyway=LET_AGAIN)
    return [allowed, *contact_again_events(transaction, campaign, lead, now, anyway=True)]


def with_reopening(transaction: Transaction, campaign_id: str, events: list[Event]) -> list[Event]:
    """These events; if they let somebody go on in a campaign that is done, it is there again for the user to continue."""
    if not any(event.kind == "LeadUnblocked" for event in events):
        return events
    campaign = campaigns.campaign(transaction.connection, campaign_id)
    return [*reopening_events(campaign), *events] if campaign is not None else events


def reopening_for_unplanned(transaction: Transaction, campaign_id: str, now: int) -> list[Event]:
    """What makes a campaign that is done go on if somebody is to be begun with after all, as by another least score."""
    campaign = campaigns.campaign(transaction.connection, campaign_id)
    if campaign is None or campaign.settings.limits.begin_nobody(now):
        return []
    return reopening_events(campaign) if leads.unplanned_leads(transaction.connection, campaign_id, 1) else []


def reopening_events(campaign: Campaign) -> list[Event]:
    """What makes a campaign that is done one that the user can continue; nothing if it is not done."""
    if campaign.status is not CampaignStatus.COMPLETED:
        return []
    return [CampaignReopened(campaign.id, status_reason="somebody may be contacted after all")]


def unlisted_events(transaction: Transaction, campaign_id: str, lead_id: str, now: int) -> list[Event]:
    """What lets a lead go on whose entry left the do-not-contact list; nothing if another entry is about that person."""
    campaign = campaigns.campaign(transaction.connection, campaign_id)
    lead = leads.lead(transaction.connection, campaign_id, lead_id)
    if campaign is None or lead is None or do_not_contact_queries.is_do_not_contact(transaction.connection, lead_id):
        return []
    return with_reopening(transaction, campaign_id, contact_again_events(transaction, campaign, lead, now))


def forbidding_events(transaction: Transaction, campaign: Campaign, lead: Lead, now: int) -> Forbidding:
    """Nothing more is done for this lead: its texts are withdrawn, its task and its answers end."""
    connection = transaction.connection
    texts, stopping = planner.stop_events(
        transaction, campaign, lead.id, now,
        text_reason="on the do-not-contact list", task_reason="You said not to contact this person.",
    )  # fmt: skip
    events = [*texts, *([] if lead.blocked else [LeadBlocked(lead.id, blocked=BLOCKED)]), *stopping]
    for answering in tasks.open_answers(connection, lead.id):
        answer = situations.task_situation(connection, campaign, answering, now)
        if answer is not None and answer.message is not None and answer.message.status in _NOT_SENT_YET:
            events += answer_stopped(answering, answer.message, answer.approval, "on the do-not-contact list")
    return Forbidding(events, bool(stopping), sum(event.kind == "MessageCancelled" for event in texts))
