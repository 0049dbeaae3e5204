"""Commands that change a campaign's sequence, also while it runs: shown as a difference first, then applied as a whole."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated

from backend.commands.command import SHOWN, FromEvent
from backend.commands.handler import CommandHandler, command
from backend.domain.events.events import Event
from backend.domain.events.facts.campaign import SequenceChanged
from backend.domain.events.facts.message import MessageRestored
from backend.domain.model.campaign import MINUTE, Campaign
from backend.domain.model.lead import Lead
from backend.domain.model.message import Message, MessageStatus
from backend.domain.model.sequence import Sequence, due_step
from backend.domain.model.task import ActionFamily, Task, TaskStatus
from backend.domain.sequence.sequence_change import (
    ConditionShare,
    GroupDifference,
    Position,
    RequestedSequence,
    Standing,
    TextFate,
    VariantShare,
    as_request,
    changed_sequence,
    condition_shares,
    differences,
    refuse_unknown_fields,
    text_falls,
    variant_shares,
    why_text_fell,
)
from backend.domain.sequence.template import refuse_unsendable
from backend.domain.turn.task_progress import advance, next_step_events, withdraw
from backend.domain.values.errors import OutriderError
from backend.store.database import DatabaseConnection
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaigns, tasks
from backend.store.queries.campaign import sequence_people as people
from backend.store.queries.campaign.corrected_times import with_corrected_times
from backend.store.queries.campaign.questions import withdrawn_questions
from backend.store.queries.contact import actions, approvals, messages
from backend.store.queries.leads import leads, scored_leads


def _requested(settings: str) -> object:
    return as_request(Sequence.model_validate(json.loads(settings)["sequence"], strict=False)).model_dump()


_REQUESTED = FromEvent(("SequenceChanged",), lambda changes: _requested(changes["settings"]))

_ACTIVE = (TaskStatus.PENDING, TaskStatus.IN_PROGRESS)


@dataclass(frozen=True, slots=True)
class SequenceDifference:
    """What a change of the sequence would do: the sequence before and after it, the people and the texts it affects."""

    before: Sequence
    after: Sequence
    groups: tuple[GroupDifference, ...]
    texts: tuple[TextFate, ...]
    in_flight: int
    """Sends that are under way or whose outcome is not known, which the change does not touch."""
    restored: tuple[tuple[str, str, str], ...] = ()
    """(id, lead, step) of the texts that come back to Review, when a change is undone."""
    variants: tuple[VariantShare, ...] = ()
    """For each step whose variants change: how many people get which."""
    conditions: tuple[ConditionShare, ...] = ()
    """For each step whose conditions change: to how many people it applies."""

    @property
    def falling(self) -> tuple[TextFate, ...]:
        """The texts that are cancelled and written again."""
        return tuple(text for text in self.texts if text.falls)


@dataclass(frozen=True, slots=True)
class SequenceApplied:
    """The version in force now, and how many texts are written again, lost their approval, and came back to Review."""

    version: int
    texts_again: int
    approvals_fell: int
    restored: int


def difference(
    connection: DatabaseConnection,
    campaign: Campaign,
    requested_sequence: RequestedSequence,
    *,
    takes_back: int | None = None,
) -> SequenceDifference:
    """What differs, and for whom. Raises `sequence_invalid`."""
    before = campaign.settings.sequence
    after = changed_sequence(before, requested_sequence)
    columns = scored_leads.column_names(connection, campaign.id)
    refuse_unsendable(after, campaign.settings, columns)
    refuse_unknown_fields(after, columns)
    stops = before.stop_on_reply
    texts = [
        (text, after is not before and text_falls(before, after, text, campaign.settings.topic))
        for text in people.open_texts(connection, campaign.id, stops=stops)
    ]
    groups = differences(before, after, people.positions(connection, campaign.id, stops=stops), texts)
    fates = tuple(TextFate(text.message_id, text.lead_id, text.step, text.status, falls) for text, falls in texts)
    in_flight = len(actions.open_actions(connection, campaign.id))
    restored = _restorable(connection, campaign, after, fates) if takes_back == before.version else ()
    stay = {(text.lead_id, text.step) for text in fates if not text.falls}
    begun = (
        (person.id, person.position)
        for standing in (Standing.UNPLANNED, Standing.RUNNING, Standing.HELD)
        for person in people.people_at(connection, campaign.id, standing, stops=stops)
    )
    variants = tuple(variant_shares(before, after, begun, stay))
    conditions = condition_shares(before, after, lambda: people.leads_ahead(connection, campaign.id, stops=stops))
    return SequenceDifference(before, after, tuple(groups), fates, in_flight, restored, variants, tuple(conditions))


def _restorable(
    connection: DatabaseConnection, campaign: Campaign, after: Sequence, fates: tuple[TextFate, ...]
) -> tuple[tuple[str, str, str], ...]:
    """The texts that the change cancelled, whose step is the next one again, and for which nothing else was written."""
    fell = people.cancelled_texts(connection, campaign.id, why_text_fell(campaign.settings.sequence.version))
    stays = {(text.lead_id, text.step) for text in fates if not text.falls}
    restorable: dict[tuple[str, str], tuple[str, str, str]] = {}
    for message_id, lead_id, step in fell:
        lead = leads.lead(connection, campaign.id, lead_id)
        if lead is None or lead.blocked or lead.finished or (lead_id, step) in stays:
            continue
        step_index, _, condition = after.way(lead.sequence_step, lead.relation, lead.answers)
        if step_index >= len(after.steps) or condition is not None or after.steps[step_index].key != step:
            continue
        current = messages.message_of_step(connection, lead_id, step)
        if current is None or current.status in (MessageStatus.DRAFT, MessageStatus.APPROVED):
            restorable[lead_id, step] = (message_id, lead_id, step)  # of several the latest
    return tuple(restorable.values())


@dataclass(frozen=True, slots=True)
class SequenceCommands(CommandHandler):
    """Decisions about a campaign's sequence; raises `campaign_unknown`."""

    @command("sequences.change", shows={"SequenceChanged": "settings"})
    def change(
        self,
        campaign_id: str,
        *,
        requested_sequence: Annotated[RequestedSequence, _REQUESTED],
        version: Annotated[int | None, SHOWN],
        takes_back: int | None = None,
    ) -> SequenceApplied:
        """Put these steps in force, whole; `version` is the one that was shown, None for the current one.

        What was sent, or has its intent, stays as it is. A text that says something else now is cancelled with its approval and
        made again. `takes_back` is the version that this undoes: its cancelled texts wait in Review again.
        Raises `sequence_invalid`, `settings_changed`.
        """
        with self.journal.transaction() as transaction:
            campaign = self._campaign(transaction, campaign_id)
            if version not in (None, campaign.settings.sequence.version):
                raise OutriderError("settings_changed")
            sequence_difference = difference(
                transaction.connection, campaign, requested_sequence, takes_back=takes_back
            )
            if sequence_difference.after is sequence_difference.before:
                return SequenceApplied(sequence_difference.before.version, 0, 0, 0)
            settings = campaign.settings.model_copy(update={"sequence": sequence_difference.after})
            sequence_back = as_request(sequence_difference.before).model_dump_json()
            events: list[Event] = [
                SequenceChanged(campaign_id, settings=settings.model_dump_json(), sequence_back=sequence_back),
                *_texts_fall(transaction, campaign_id, sequence_difference),
                *(MessageRestored(message_id) for message_id, _, _ in sequence_difference.restored),
            ]
            events += self._go_on(transaction, replace(campaign, settings=settings), sequence_difference)
            self._record(transaction, campaign_id, events)
            fell = sequence_difference.falling
            approvals_fell = sum(text.status is MessageStatus.APPROVED for text in fell)
            return SequenceApplied(
                sequence_difference.after.version, len(fell), approvals_fell, len(sequence_difference.restored)
            )

    def undo(self, campaign_id: str, *, version: int | None = None) -> SequenceApplied:
        """Put the sequence before the last change in force again. Raises `nothing_to_take_back`, `settings_changed`."""
        with self.journal.database.read() as connection:
            previous = previous_sequence(connection, campaign_id)
            campaign = campaigns.campaign(connection, campaign_id)
        if previous is None or campaign is None:
            raise OutriderError("sequence_unchanged")
        shown_version = campaign.settings.sequence.version if version is None else version
        return self.change(campaign_id, requested_sequence=previous, version=shown_version, takes_back=shown_version)

    def _go_on(
        self, transaction: Transaction, campaign: Campaign, sequence_difference: SequenceDifference
    ) -> list[Event]:
        """The events that set the tasks of everybody whose next step or text changed to what the new sequence asks for."""
        connection, now = transaction.connection, self.clock.now()
        texts = {text.lead_id for text in sequence_difference.falling} | {
            lead_id for _, lead_id, _ in sequence_difference.restored
        }
        restored = {lead_id: message_id for message_id, lead_id, _ in sequence_difference.restored}
        fallen = {text.message_id for text in sequence_difference.falling}
        acting = {action.lead_id for action in actions.open_actions(connection, campaign.id)}
        differs, after = _next_differs(sequence_difference), sequence_difference.after
        events: list[Event] = []
        for person in people.people_at(
            connection, campaign.id, Standing.RUNNING, stops=sequence_difference.before.stop_on_reply
        ):
            if person.id in acting or not (person.id in texts or differs(person.position)):
                continue
            task = tasks.task_of_lead(connection, person.id)
            lead = leads.lead(connection, campaign.id, person.id)
            if task is None or lead is None or task.status not in _ACTIVE:
                continue
            step_index = after.next_place(lead.sequence_step, lead.relation, lead.answers)
            step = after.steps[step_index].key if step_index < len(after.steps) else ""
            message = messages.message_of_step(connection, person.id, step) if step else None
            if person.id in restored:
                restored_message = messages.message(connection, campaign.id, restored[person.id])
                message = replace(restored_message, status=MessageStatus.DRAFT) if restored_message else None
            elif message is not None and message.id in fallen:
                message = None
            if task.needs is ActionFamily.INPUT:
                events += withdrawn_questions(connection, task.id, "the sequence was changed")
            events += _next(campaign, task, with_corrected_times(connection, lead, now), message, now, transaction)
        return events


def _texts_fall(transaction: Transaction, campaign_id: str, sequence_difference: SequenceDifference) -> list[Event]:
    events: list[Event] = []
    for text in sequence_difference.falling:
        message = messages.message(transaction.connection, campaign_id, text.message_id)
        approval = approvals.approval_of(transaction.connection, text.message_id)
        events += withdraw(message, approval, why_text_fell(sequence_difference.after.version))
    return events


def _next(
    campaign: Campaign, task: Task, lead: Lead, message: Message | None, now: int, transaction: Transaction
) -> list[Event]:
    if task.status is TaskStatus.IN_PROGRESS:
        return next_step_events(campaign, task, lead, message, now, transaction.new_id)
    # A task that was not begun can only have another first step.
    fresh_ms = campaign.settings.limits.thread_fresh_minutes * MINUTE
    step_due = due_step(campaign.settings.sequence, lead, message, now, fresh_ms)
    return (
        advance(task, step_due.family, step_due.at)
        if step_due.family in (ActionFamily.LOOK, ActionFamily.THINK)
        else []
    )


def _next_differs(sequence_difference: SequenceDifference) -> Callable[[Position], bool]:
    """Whether the next step from a position is another one, waits longer or shorter, or has another text."""
    before, after = sequence_difference.before, sequence_difference.after
    waits = (before.accept_within_days, before.final_wait_days) != (after.accept_within_days, after.final_wait_days)

    def next_step(sequence: Sequence, position: Position) -> object:
        index, waited, _ = sequence.way(position.sequence_step, position.relation, position.answers)
        step = sequence.steps[index] if index < len(sequence.steps) else None
        return step and (step.key, step.after_days + waited, step.texts, step.only_if)

    @cache
    def differs(position: Position) -> bool:
        return waits or next_step(before, position) != next_step(after, position)

    return differs


def previous_sequence(connection: DatabaseConnection, campaign_id: str) -> RequestedSequence | None:
    """What was in force before the last change; None before the first."""
    stored_sequence = campaigns.sequence_back(connection, campaign_id)
    return RequestedSequence.model_validate_json(stored_sequence) if stored_sequence else None
