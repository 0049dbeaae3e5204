"""What a turn for the user's request may find out or do: each tool a typed call, a typed finding, or a question to the user."""

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import gmtime, strftime
from typing import Any

from backend.controller import context as loading
from backend.controller import lead_standing
from backend.controller.context import Context, Subject, Surroundings
from backend.controller.lead_standing import Waits
from backend.domain.calendar import span
from backend.domain.campaign import Campaign, CampaignStatus, move
from backend.domain.events import Event
from backend.domain.findings import (
    ArtifactsFound,
    Finding,
    FoundArtifact,
    GateSaid,
    LeadExplained,
    RateLine,
    RatesShown,
    Told,
)
from backend.domain.gates import Checked, Refusal
from backend.domain.proposals import (
    ContinueCampaign,
    ExplainLead,
    LookUp,
    PauseCampaign,
    ResponseRates,
    SearchArtifacts,
    ShowArtifact,
)
from backend.domain.request import CONTINUE, NOT_NOW
from backend.domain.task import Task
from backend.store import artifact_search, lead_search, reading, response_rates
from backend.store.artifact_search import Wanted
from backend.store.lead_search import NamedLead

MOST_CHOICES = 8
LONGEST_CHOICE = 200


@dataclass(frozen=True, slots=True)
class Found:
    """What was found, and the events of what was done."""

    finding: Finding
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Ask:
    """Only the user can say which: a question with choices made by the controller, and what each stands for."""

    kind: str
    question: str
    choices: tuple[str, ...]
    payload: dict[str, Any] = field(default_factory=dict)


def look_up(connection: sqlite3.Connection, context: Context, call: LookUp) -> Found | Ask:
    """Carry the call out on this moment's state."""
    return _LOOKUPS[call.tool](connection, context, call)


def _search(connection: sqlite3.Connection, context: Context, call: SearchArtifacts) -> Found:
    total, found = artifact_search.newest(connection, context.campaign.id, _wanted(context, call))
    return Found(ArtifactsFound(total=total, found=tuple(found)))


def _show(connection: sqlite3.Connection, context: Context, call: ShowArtifact) -> Found | Ask:
    total, found = artifact_search.newest(connection, context.campaign.id, _wanted(context, call))
    if not found:
        return Found(Told(sentence="There is no such artifact.", code="nothing_found"))
    if total == 1:
        named = found[0] if call.version is None else found[0].model_copy(update={"version": call.version})
        return Found(shown(connection, context.campaign.id, named))
    labels = _distinct(tuple(_artifact_label(one, context.around.offset) for one in found[:MOST_CHOICES]))
    more = f"; these are the {MOST_CHOICES} newest" if total > MOST_CHOICES else ""
    stands_for = {label: [one.artifact_type, one.key, one.version] for label, one in zip(labels, found, strict=False)}
    return Ask("choose_artifact", f"{total} artifacts fit{more}. Which one?", labels, {"choices": stands_for})


def shown(connection: sqlite3.Connection, campaign_id: str, one: FoundArtifact) -> Finding:
    """That version, direct from the store."""
    found = artifact_search.shown(connection, campaign_id, one.artifact_type, one.key, one.version)
    return found or Told(sentence="There is no such artifact.", code="nothing_found")


def _explain(connection: sqlite3.Connection, context: Context, call: ExplainLead) -> Found | Ask:
    found = lead_search.named(connection, context.campaign.id, call.words)
    if not found:
        return Found(Told(sentence=f"No lead of this campaign is called “{call.words}”.", code="nothing_found"))
    if len(found) == 1:
        return Found(explained(connection, context.campaign, context.around, found[0].id))
    labels = _distinct(tuple(_lead_label(lead) for lead in found[:MOST_CHOICES]))
    stands_for = {label: lead.id for label, lead in zip(labels, found, strict=False)}
    more = f"; these are the first {MOST_CHOICES}" if len(found) > MOST_CHOICES else ""
    return Ask("choose_lead", f"Several leads fit “{call.words}”{more}. Who is meant?", labels, {"choices": stands_for})


def explained(connection: sqlite3.Connection, campaign: Campaign, around: Surroundings, lead_id: str) -> Finding:
    """How that lead stands, what it is owed, and every gate with its sentence."""
    about = loading.subject(connection, campaign, lead_id, around.now)
    if about is None:
        return Told(sentence="This lead is not in the campaign any more.", code="nothing_found")
    task = reading.task_of_lead(connection, lead_id)
    asked = lead_standing.checklist(connection, campaign, about, around)
    waits = lead_standing.waits(about, task, asked)
    return LeadExplained(
        lead_id=lead_id,
        name=about.lead.full_name,
        status=about.lead.status,
        sentences=tuple(_sentences(about, task, waits)),
        gates=tuple(_gate_said(line) for line in asked),
    )


def _sentences(about: Subject, task: Task | None, waits: Waits | None) -> Iterator[str]:
    if waits is not None:
        yield waits.sentence
    if task is not None:
        yield f"The task “{task.description}” is {task.status.replace('_', ' ')}."
    step = about.need.step
    if step is not None and not about.lead.finished:
        yield f"Owed next: {about.need.due.replace('_', ' ')}, for the step “{step.key}”."
    if waits is None:
        yield "Nothing is in the way."


def _gate_said(line: Checked) -> GateSaid:
    if isinstance(line.verdict, Refusal):
        return GateSaid(code=line.code, passes=False, sentence=line.verdict.sentence, until=line.verdict.until)
    return GateSaid(code=line.code, passes=True)


def _rates(connection: sqlite3.Connection, context: Context, call: ResponseRates) -> Found:
    campaign_id = context.campaign.id
    field = response_rates.field_named(connection, campaign_id, call.field)
    if field is None:
        titles = ", ".join(title for _, title in response_rates.fields(connection, campaign_id))
        sentence = f"Your leads have no field “{call.field}”. They have: {titles}."
        return Found(Told(sentence=sentence, code="field_unknown"))
    found = response_rates.by(connection, campaign_id, field)
    rows = [
        RateLine(value=_GROUP_NAMES.get(group.kind, group.value), contacted=group.contacted, responded=group.responded)
        for group in found.groups
    ]
    title = dict(response_rates.fields(connection, campaign_id))[field]
    return Found(RatesShown(field=title, rows=tuple(rows)))


_GROUP_NAMES = {"empty": "none", "others": "others"}


def _pause(connection: sqlite3.Connection, context: Context, _: PauseCampaign) -> Found:
    campaign = context.campaign
    if campaign.status is not CampaignStatus.ACTIVE:
        return Found(Told(sentence=f"The campaign does not run: it is {campaign.status}."))
    paused = {"status": move(campaign.status, CampaignStatus.PAUSED), "status_reason": "asked of the assistant"}
    sentence = "The campaign is paused; an action that is under way ends first."
    return Found(Told(sentence=sentence), (Event("CampaignPaused", campaign.id, paused),))


def _continue(connection: sqlite3.Connection, context: Context, _: ContinueCampaign) -> Found | Ask:
    status = context.campaign.status
    if status in (CampaignStatus.COMPLETED, CampaignStatus.ERROR):
        return Found(Told(sentence=f"The campaign is {status}, so it does not run.", code="campaign_not_active"))
    return Ask("continue_campaign", f"Continue “{context.campaign.name}”?", (CONTINUE, NOT_NOW))


def _artifact_label(one: FoundArtifact, offset: int) -> str:
    when = strftime("%Y-%m-%d %H:%M", gmtime((one.created_at + offset) // 1_000))
    return f"{one.artifact_type} “{one.key}”, version {one.version}, {when}"


def _lead_label(lead: NamedLead) -> str:
    return ", ".join(part for part in (lead.name, lead.job_title, lead.company) if part)[:LONGEST_CHOICE]


def _distinct(labels: tuple[str, ...]) -> tuple[str, ...]:
    """Two that read alike are numbered: a click must mean one of them."""
    return tuple(f"{label} ({n})" if labels.count(label) > 1 else label for n, label in enumerate(labels, 1))


def _wanted(context: Context, call: SearchArtifacts | ShowArtifact) -> Wanted:
    after, before = span(call.day, call.since, call.until, context.around.now, context.around.offset)
    words = tuple(call.words.split())
    want = Wanted(words, call.artifact_type or "", after=after, before=before)
    if isinstance(call, ShowArtifact):
        want = want._replace(key=call.artifact_key or "", version=call.version)
    return want


_LOOKUPS: dict[str, Callable[[sqlite3.Connection, Context, Any], Found | Ask]] = {
    "artifacts.search": _search,
    "artifacts.show": _show,
    "leads.explain": _explain,
    "leads.response_rates": _rates,
    "campaign.pause": _pause,
    "campaign.continue": _continue,
}
