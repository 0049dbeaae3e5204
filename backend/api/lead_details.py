"""One lead with all that is known of it: its score, its sequence, its history, and its texts."""

import json
from collections.abc import Mapping
from typing import Literal

from backend.api.imports import field_changes
from backend.api.leads import LeadLine, lead_summary
from backend.api.new_campaign import PreviewedSteps, render_previews
from backend.api.same_person import IdentifiedLead, SamePersonQuestion, known_leads, same_person_questions
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.domain.contact.conversation import SOURCE_WORDS, ConversationMessage
from backend.domain.erasure.erasure import is_erased
from backend.domain.events.facts.sentences import LogEntry, event_sentence
from backend.domain.model.campaign import Campaign
from backend.domain.model.criteria import described
from backend.domain.model.scoring import explain
from backend.domain.model.sequence import Step
from backend.domain.people.past_contact import BEFORE
from backend.domain.turn.assistant_results import LeadExplained
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.situation import situations, wait_reasons
from backend.situation.situations import LeadSituation
from backend.situation.wait_reasons import WaitReason, explain_lead
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import tasks
from backend.store.queries.campaign.campaigns import existing_campaign
from backend.store.queries.contact import messages
from backend.store.queries.contact.messages import WrittenText
from backend.store.queries.device import logs
from backend.store.queries.leads import imports, leads, scored_leads
from backend.store.queries.leads.leads import LeadRecord
from backend.store.queries.people import do_not_contact, people

MOST_HAPPENINGS, MOST_LOOKED_BACK = 60, 3_000

MOST_TEXTS, LONGEST_TEXT = 60, 20_000
MOST_ASKED = 5

_FIELDS = {
    "job_title": "Title", "company": "Company", "email": "E-mail", "connected_on": "Connected",
    "profile_url": "Profile address", "tags": "Tags",
}  # fmt: skip

# Of a bounded part of the log: what was done to a lead long ago by hand is in the timeline.
_HISTORY = (
    "LeadScored",
    "LeadPrioritised",
    "LeadNoted",
    "LeadTagged",
    "LeadBlocked",
    "LeadUnblocked",
)

routes = Routes("lead_details", "/campaigns/<campaign_id>/leads/<lead_id>")


class ScorePart(Shape):
    """What one criterion of the blueprint gave: `points` of its `weight`, and why."""

    name: str
    asks: str
    weight: int
    points: int
    why: str


class SequenceLine(Shape):
    """One step of the sequence, as it stands for this lead; `because` is on what it depends, or why it was skipped."""

    key: str
    kind: str
    state: Literal["done", "now", "ahead", "left_out", "skipped"]
    because: str


class Happening(Shape):
    """Something that happened with this lead; `at` is null when only its order is known."""

    at: int | None
    what: str
    said: str = ""


class LeadDetail(Shape):
    """One lead with all that is known of it."""

    line: LeadLine
    profile_url: str
    email: str
    connected_on: str | None
    headline: str
    extra: dict[str, str]
    notes: str
    origin: str
    task_status: str
    do_not_contact: bool
    erased: bool
    """Whether everything about them was erased: nothing is left that could be done for them."""
    in_touch_before: bool
    """Whether it is left aside because of what an export says of earlier contact."""
    with_lead: IdentifiedLead | None
    """The other lead that keeps this campaign from writing, and that the person could be moved here from."""
    moved_from: IdentifiedLead | None
    moved_to: IdentifiedLead | None
    same_person: list[SamePersonQuestion]
    """What is asked about who they are."""
    score: list[ScorePart]
    score_stale: bool
    """Whether the score is one by other rules than those that explain it: the leads are to be scored again."""
    sequence: list[SequenceLine]
    waiting: WaitReason | None
    history: list[Happening]


@routes.get()
def view(services: Services, connection: DatabaseConnection, campaign_id: str, lead_id: str) -> LeadDetail:
    """Everything about one lead; raises `campaign_unknown` and `lead_unknown`."""
    inputs = services.turn_inputs(campaign_id)
    campaign = existing_campaign(connection, campaign_id)
    line = lead_summary(connection, campaign_id, lead_id, inputs)
    situation = situations.lead_situation(connection, campaign, lead_id, inputs.now)
    assert situation is not None  # noqa: S101 - the line above is this campaign's
    task = tasks.task_of_lead(connection, lead_id)
    record = leads.record(connection, lead_id)
    scored_lead = scored_leads.scored_lead(connection, campaign_id, lead_id)
    assert record is not None  # noqa: S101 - for the same reason
    assert scored_lead is not None  # noqa: S101 - for the same reason
    parts = explain(campaign.settings.blueprint, scored_lead.fields) if line.weight_score is not None else ()
    checks = wait_reasons.checklist(connection, campaign, situation, inputs)
    person = people.several(connection, lead_id)
    other_leads = known_leads(connection, [other.lead_id for other in person.others] if person else [])
    holder = person.elsewhere(inputs.now) if person else None
    return LeadDetail.showing(
        record,
        line=line,
        with_lead=other_leads.get(holder.lead_id) if holder else None,
        moved_from=other_leads.get(person.moved_from.lead_id) if person and person.moved_from else None,
        moved_to=other_leads.get(person.moved_to.lead_id) if person and person.moved_to else None,
        same_person=same_person_questions(connection, people.doubts_about(connection, lead_id)[:MOST_ASKED]),
        extra=json.loads(record.extra),
        origin=f"{record.file}, line {record.position:,}" if record.file else "",
        task_status=task.status.value if task else "",
        in_touch_before=situation.lead.blocked in BEFORE,
        erased=is_erased(line.full_name),
        do_not_contact=do_not_contact.is_do_not_contact(connection, situation.lead.id),
        score=[
            ScorePart(
                name=part.criterion.name,
                asks=described(part.criterion.rule),
                weight=part.criterion.weight,
                points=part.points,
                why=part.why,
            )
            for part in parts
        ],
        score_stale=line.weight_score is not None and line.weight_score != sum(part.points for part in parts),
        sequence=_sequence(campaign, situation),
        waiting=wait_reasons.wait_reason(campaign, inputs, situation, task, checks),
        history=_history(connection, campaign, lead_id, line.full_name, record),
    )


@routes.get("/why")
def why(services: Services, connection: DatabaseConnection, campaign_id: str, lead_id: str) -> LeadExplained:
    """Every gate's answer for what is due next; raises `campaign_unknown` and `lead_unknown`."""
    campaign = existing_campaign(connection, campaign_id)
    explained = explain_lead(connection, campaign, services.turn_inputs(campaign_id), lead_id, to_user=True)
    if not isinstance(explained, LeadExplained):
        raise OutriderError("lead_unknown", lead=lead_id)
    return explained


@routes.get("/texts")
def texts(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> PreviewedSteps:
    """The texts of the campaign's own sequence for one of its leads; raises `campaign_unknown`, `lead_unknown`."""
    campaign = existing_campaign(connection, campaign_id)
    recipient = leads.recipient(connection, lead_id) if leads.lead(connection, campaign_id, lead_id) else None
    if recipient is None:
        raise OutriderError("lead_unknown", lead=lead_id)
    steps = [step for step in campaign.settings.sequence.live if step.writes]
    return render_previews(steps, recipient, campaign.settings)


def _sequence(campaign: Campaign, situation: LeadSituation) -> list[SequenceLine]:
    lead, lines, sequence = situation.lead, [], campaign.settings.sequence
    next_index = sequence.next_place(lead.sequence_step, lead.relation, lead.answers)
    for index, step in enumerate(sequence.steps):
        state: Literal["done", "now", "ahead", "left_out", "skipped"] = "ahead"
        if step.removed:
            continue
        if lead.sequence_step is not None and index < next_index:
            state = "done"
        elif lead.finished or lead.blocked:
            state = "left_out"
        elif index == next_index and lead.sequence_step is not None:
            state = "now"
        skipped = sequence.fit(index, lead.answers).skipped
        if state == "done" and step.kind == "invitation" and lead.invited_at is None:
            skipped = "they were a connection already"
        if skipped:
            state = "skipped"
        because = f"Skipped: {skipped}" if skipped else _conditions(step)
        lines.append(SequenceLine(key=step.key, kind=step.kind, state=state, because=because))
    return lines


def _conditions(step: Step) -> str:
    return f"Only if {' and '.join(condition.words for condition in step.only_if)}" if step.only_if else ""


def _step(text: WrittenText, titles: Mapping[str, str]) -> str:
    title = titles.get(text.step, text.kind.capitalize())
    return f"{title}, variant {text.variant.upper()}" if text.variant else title


def _known_by(message: ConversationMessage) -> str:
    words = SOURCE_WORDS[message.source]
    return f" ({words})" if words else ""


def _through_another(message: ConversationMessage) -> tuple[int | None, str, str]:
    """What passed with the same person as a lead of another campaign."""
    what = "Wrote" if message.author == "them" else "You invited them" if message.kind == "invitation" else "You wrote"
    return message.at, f"In “{message.campaign}”: {what}{_known_by(message)}", message.text


def _history(
    connection: DatabaseConnection, campaign: Campaign, lead_id: str, name: str, record: LeadRecord
) -> list[Happening]:
    """What is on record, the latest first; each source is read by its index."""
    titles = campaign.settings.sequence.titles
    happenings: list[tuple[int | None, str, str]] = [
        (record.imported_at, f"Imported from {record.file}", ""),
        (record.visited_at, "Profile last looked at", ""),
        (record.invited_at, "Invited", ""),
        (record.accepted_at, "Accepted the invitation", ""),
        (record.replied_at, "Reply noticed", ""),
    ]
    conversation = messages.last_exchanged(connection, lead_id, MOST_TEXTS, LONGEST_TEXT)
    sources = {message.id: _known_by(message) for message in conversation}
    happenings += [_through_another(message) for message in conversation if message.lead_id != lead_id]
    for text in messages.texts_of_lead(connection, lead_id, MOST_TEXTS):
        known_by = sources.get(text.id, "")
        if text.kind == "reply":
            what = f"Wrote{known_by}" if text.text else "Replied, as you reported"
            happenings.append((text.sent_at or text.created_at, what, text.text))
        elif text.status == "sent":
            happenings.append((text.sent_at, f"Sent: {_step(text, titles)}{known_by}", text.text))
        elif text.status == "found":
            happenings.append((text.sent_at, f"You wrote{known_by}", text.text))
        else:
            happenings.append(
                (text.created_at, f"Message for {_step(text, titles)}: {text.status.replace('_', ' ')}", text.text)
            )
    for update in imports.field_history(connection, lead_id, MOST_TEXTS):
        changes = [
            f"{_FIELDS.get(change.field, change.field)}: {change.earlier or 'nothing'} → {change.later or 'nothing'}"
            for change in field_changes(update.earlier, update.later)
        ]
        what = f"Updated from {update.file}, line {update.line:,} (matched by {update.matched})"
        happenings.append((update.at, what, "\n".join(changes)))
    for event in logs.recent_events_of(connection, campaign.id, lead_id, _HISTORY, MOST_LOOKED_BACK):
        entry = LogEntry(event.kind, lead_id, json.loads(event.payload or "{}"), lead=name)
        happenings.append((event.at, event_sentence(entry), ""))
    dated = sorted(
        ((at, what, detail) for at, what, detail in happenings if at is not None),
        key=lambda happening: happening[0],
        reverse=True,
    )
    return [Happening(at=at, what=what, said=detail) for at, what, detail in dated[:MOST_HAPPENINGS]]
