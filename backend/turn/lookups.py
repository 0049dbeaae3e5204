"""What a turn for the user's request may find out or do: each tool a typed call, a typed finding, or a question to the user."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from time import gmtime, strftime
from typing import Any

from backend.domain.model.artifact import ArtifactType
from backend.domain.model.campaign import STATUS_WORDS, CampaignStatus
from backend.domain.model.days import OffsetAt, day_range, local_time
from backend.domain.model.tools import (
    CampaignFacts,
    ContinueCampaign,
    ExplainLead,
    PauseCampaign,
    ResponseRates,
    SearchArtifacts,
    ShowArtifact,
)
from backend.domain.turn.assistant_results import (
    ArtifactsFound,
    AssistantResult,
    FoundArtifact,
    RateLine,
    RatesShown,
    StatusLine,
)
from backend.domain.turn.request import CONTINUE, NOT_NOW, PAUSE
from backend.situation.wait_reasons import explain_lead
from backend.store.database import DatabaseConnection
from backend.store.queries.leads import lead_index
from backend.store.queries.leads.lead_index import NamedLead
from backend.store.queries.reports import response_rates
from backend.store.queries.turn import artifacts, requests
from backend.store.queries.turn.artifacts import ArtifactQuery
from backend.turn import campaign_facts
from backend.turn.load import TurnContext

MOST_CHOICES = 8
LONGEST_CHOICE = 200
_WORD = re.compile(r"[^\W_]+")
_OF_TYPES = {word for kind in ArtifactType for word in _WORD.findall(kind)}


@dataclass(frozen=True, slots=True)
class LookupResult:
    """What was found; a lookup changes nothing."""

    finding: AssistantResult


@dataclass(frozen=True, slots=True)
class ChoiceRequest:
    """Only the user can say which: a question with choices made by the controller, and what each stands for."""

    kind: str
    question: str
    choices: tuple[str, ...]
    payload: dict[str, Any] = field(default_factory=dict)


def _search(connection: DatabaseConnection, context: TurnContext, call: SearchArtifacts) -> LookupResult:
    total, newest = artifacts.newest(connection, context.campaign.id, _wanted(context, call))
    return LookupResult(ArtifactsFound(total=total, found=tuple(newest)))


def _show(connection: DatabaseConnection, context: TurnContext, call: ShowArtifact) -> LookupResult | ChoiceRequest:
    total, newest = artifacts.newest(connection, context.campaign.id, _wanted(context, call))
    if not newest:
        return LookupResult(StatusLine(sentence="There is no such artifact.", code="nothing_found"))
    named_artifacts = newest if total == 1 else _called(connection, context, newest)
    if len(named_artifacts) == 1:
        (artifact,) = named_artifacts
        chosen = artifact if call.version is None else artifact.model_copy(update={"version": call.version})
        return LookupResult(show_artifact(connection, context.campaign.id, chosen))
    labels = _distinct(tuple(_artifact_label(artifact, context.inputs.offset_at) for artifact in newest[:MOST_CHOICES]))
    more = f"; these are the {MOST_CHOICES} newest" if total > MOST_CHOICES else ""
    stands_for = {
        label: [artifact.artifact_type, artifact.key, artifact.version]
        for label, artifact in zip(labels, newest, strict=False)
    }
    return ChoiceRequest("choose_artifact", f"{total} artifacts fit{more}. Which one?", labels, {"choices": stands_for})


def _called(
    connection: DatabaseConnection, context: TurnContext, candidates: Iterable[FoundArtifact]
) -> list[FoundArtifact]:
    """Those that the user named: “the beta posting” is the one with the key `beta`; what it is says nothing of which it is."""
    if context.request_id is None:
        return []
    words = set(_WORD.findall(requests.request(connection, context.request_id).text.casefold()))
    keys = ((candidate, set(_WORD.findall(candidate.key.casefold()))) for candidate in candidates)
    return [candidate for candidate, key in keys if key <= words and not key <= _OF_TYPES]


def show_artifact(connection: DatabaseConnection, campaign_id: str, artifact: FoundArtifact) -> AssistantResult:
    """That version, direct from the store."""
    shown = artifacts.shown(connection, campaign_id, artifact.artifact_type, artifact.key, artifact.version)
    return shown or StatusLine(sentence="There is no such artifact.", code="nothing_found")


def _explain(connection: DatabaseConnection, context: TurnContext, call: ExplainLead) -> LookupResult | ChoiceRequest:
    candidates = lead_index.find_by_name(connection, context.campaign.id, call.words)
    if not candidates:
        return LookupResult(
            StatusLine(sentence=f"No lead of this campaign is called “{call.words}”.", code="nothing_found")
        )
    if len(candidates) == 1:
        return LookupResult(explain_lead(connection, context.campaign, context.inputs, candidates[0].id))
    labels = _distinct(tuple(_lead_label(lead) for lead in candidates[:MOST_CHOICES]))
    stands_for = {label: lead.id for label, lead in zip(labels, candidates, strict=False)}
    more = f"; these are the first {MOST_CHOICES}" if len(candidates) > MOST_CHOICES else ""
    return ChoiceRequest(
        "choose_lead", f"Several leads fit “{call.words}”{more}. Who is meant?", labels, {"choices": stands_for}
    )


def _rates(connection: DatabaseConnection, context: TurnContext, call: ResponseRates) -> LookupResult:
    campaign_id = context.campaign.id
    field = response_rates.field_named(connection, campaign_id, call.field)
    if field is None:
        titles = ", ".join(title for _, title in response_rates.fields(connection, campaign_id))
        sentence = f"Your leads have no field “{call.field}”. They have: {titles}."
        return LookupResult(StatusLine(sentence=sentence, code="field_unknown"))
    rates = response_rates.rates_by(connection, campaign_id, field)
    rows = [
        RateLine(value=_GROUP_NAMES.get(group.kind, group.value), contacted=group.contacted, responded=group.responded)
        for group in rates.groups
    ]
    title = dict(response_rates.fields(connection, campaign_id))[field]
    return LookupResult(RatesShown(field=title, rows=tuple(rows)))


_GROUP_NAMES = {"empty": "none", "others": "others"}


def _facts(connection: DatabaseConnection, context: TurnContext, call: CampaignFacts) -> LookupResult:
    return LookupResult(campaign_facts.answer(connection, context.campaign, call.topic, context.inputs, call.day))


def _pause(connection: DatabaseConnection, context: TurnContext, _: PauseCampaign) -> LookupResult | ChoiceRequest:
    """A model may have misunderstood: only the user's own words or click pause anything."""
    campaign = context.campaign
    if campaign.status is not CampaignStatus.ACTIVE:
        return LookupResult(StatusLine(sentence=f"The campaign {STATUS_WORDS[campaign.status]}, so it does not run."))
    return ChoiceRequest("pause_campaign", f"Pause “{campaign.name}”?", (PAUSE, NOT_NOW))


def _continue(
    connection: DatabaseConnection, context: TurnContext, _: ContinueCampaign
) -> LookupResult | ChoiceRequest:
    status = context.campaign.status
    if status in (CampaignStatus.COMPLETED, CampaignStatus.ERROR):
        return LookupResult(
            StatusLine(sentence=f"The campaign {STATUS_WORDS[status]}, so it does not run.", code="campaign_not_active")
        )
    return ChoiceRequest("continue_campaign", f"Continue “{context.campaign.name}”?", (CONTINUE, NOT_NOW))


def _artifact_label(artifact: FoundArtifact, offset_at: OffsetAt) -> str:
    when = strftime("%Y-%m-%d %H:%M", gmtime(local_time(artifact.created_at, offset_at) // 1_000))
    return f"{artifact.artifact_type} “{artifact.key}”, version {artifact.version}, {when}"


def _lead_label(lead: NamedLead) -> str:
    return ", ".join(part for part in (lead.name, lead.job_title, lead.company) if part)[:LONGEST_CHOICE]


def _distinct(labels: tuple[str, ...]) -> tuple[str, ...]:
    """Two that read alike are numbered: a click must mean one of them."""
    return tuple(f"{label} ({n})" if labels.count(label) > 1 else label for n, label in enumerate(labels, 1))


def _wanted(context: TurnContext, call: SearchArtifacts | ShowArtifact) -> ArtifactQuery:
    after, before = day_range(call.day, call.since, call.until, context.inputs.now, context.inputs.offset_at)
    words = tuple(call.words.split())
    want = ArtifactQuery(words, call.artifact_type or "", after=after, before=before)
    if isinstance(call, ShowArtifact):
        want = want._replace(key=call.artifact_key or "", version=call.version)
    return want


Lookup = Callable[[DatabaseConnection, TurnContext, Any], LookupResult | ChoiceRequest]

LOOKUPS: dict[str, Lookup] = {
    "search_artifacts": _search,
    "show_artifact": _show,
    "explain_lead": _explain,
    "response_rates": _rates,
    "campaign_facts": _facts,
    "pause_campaign": _pause,
    "continue_campaign": _continue,
}
"""What carries a lookup out, by the name of the handler in its tool's row."""
