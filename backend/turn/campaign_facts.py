"""Answers to plain questions about a campaign, from its data alone: no model is asked, and the same data gives the same words."""

from collections.abc import Callable, Sequence

from backend.domain.gates.gates import GateLine
from backend.domain.model.campaign import STATUS_WORDS, Campaign, CampaignStatus
from backend.domain.model.days import RelativeDay, day_range
from backend.domain.model.lead import LeadStatus
from backend.domain.model.task import ACT_WORDS, NEVER, ActionFamily
from backend.domain.model.tools import Topic
from backend.domain.turn.assistant_results import FactRow, FactsShown
from backend.situation import wait_reasons
from backend.situation.situations import TurnInputs
from backend.situation.state_of_campaign import count_approvable
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaign_answers, questions
from backend.store.queries.campaign.campaign_answers import PersonSince, Stretch
from backend.store.queries.campaign.tasks import ListedTask
from backend.store.queries.leads import leads
from backend.store.queries.reports import response_rates, today

MOST_ROWS = 12
_COUNTED = 1_000

_People = Callable[[DatabaseConnection, str, Stretch], list[PersonSince]]
_PEOPLE: dict[Topic, tuple[_People, str, str]] = {
    "invited": (campaign_answers.invited, "was invited{when}", "were invited{when}"),
    "contacted": (campaign_answers.contacted, "was contacted{when}", "were contacted{when}"),
    "accepted": (campaign_answers.accepted, "accepted your invitation{when}", "accepted your invitation{when}"),
    "replied": (campaign_answers.replied, "replied{when}", "replied{when}"),
    "silent": (
        campaign_answers.silent,
        "was contacted{when} and has not replied",
        "were contacted{when} and have not replied",
    ),
}
"""Of a topic: who it is, and the words after one person or several; `{when}` is the days that were asked about."""


def answer(
    connection: DatabaseConnection, campaign: Campaign, topic: Topic, inputs: TurnInputs, day: RelativeDay | None
) -> FactsShown:
    """One sentence, and the people or numbers behind it; `day` narrows it to what happened then, by the campaign's clock."""
    if topic in _PEOPLE:
        find, singular, plural = _PEOPLE[topic]
        during = Stretch(*day_range(day, None, None, inputs.now, inputs.offset_at))
        return _people(find(connection, campaign.id, during), singular, plural, day)
    if topic == "next":
        return _next(connection, campaign, inputs)
    if topic == "waiting":
        return _waiting(connection, campaign, inputs)
    return _counts(connection, campaign) if day is None else _counts_of(connection, campaign, day, inputs)


def _people(people: Sequence[PersonSince], singular: str, plural: str, day: RelativeDay | None) -> FactsShown:
    when = f" {_words(day)}" if day else ""
    if not people:
        return FactsShown(sentence=f"Nobody {singular.format(when=when)}{'' if day else ' so far'}.", rows=())
    more = f" The latest {MOST_ROWS} of them:" if len(people) > MOST_ROWS else ""
    who = f"1 person {singular}." if len(people) == 1 else f"{len(people)} people {plural}."
    sentence = f"{who.format(when=when)}{more}"
    rows = (FactRow(label=person.name, lead_id=person.lead_id, at=person.at) for person in people[:MOST_ROWS])
    return FactsShown(sentence=sentence, rows=tuple(rows))


def _counts(connection: DatabaseConnection, campaign: Campaign) -> FactsShown:
    counts = leads.lead_counts(connection, campaign.id)
    contacted, replied, *_ = response_rates.reached(connection, campaign.id)
    total = sum(counts.values())
    accepted = len(campaign_answers.accepted(connection, campaign.id))
    lines = (
        ("Leads", total),
        ("Not contacted yet", counts.get(LeadStatus.PENDING, 0)),
        ("Contacted", contacted),
        ("Accepted your invitation", accepted),
        ("Replied", replied),
        ("Declined", counts.get(LeadStatus.REJECTED, 0)),
    )
    sentence = f"{_number(total, 'lead')}: {contacted} contacted, {accepted} accepted, {replied} replied."
    if total == 0:
        sentence = "This campaign has no leads yet: import a lead file on the Leads screen."
    rows = tuple(FactRow(label=label, value=str(n)) for label, n in lines if total)
    return FactsShown(sentence=sentence, rows=rows)


def _counts_of(connection: DatabaseConnection, campaign: Campaign, day: RelativeDay, inputs: TurnInputs) -> FactsShown:
    """What happened in those days."""
    during = Stretch(*day_range(day, None, None, inputs.now, inputs.offset_at))
    invited, accepted, replied = (
        len(find(connection, campaign.id, during))
        for find in (campaign_answers.invited, campaign_answers.accepted, campaign_answers.replied)
    )
    sentence = f"{_words(day).capitalize()}: {invited} invited, {accepted} accepted, {replied} replied."
    lines = (("Invited", invited), ("Accepted your invitation", accepted), ("Replied", replied))
    return FactsShown(sentence=sentence, rows=tuple(FactRow(label=label, value=str(n)) for label, n in lines))


def _next(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs) -> FactsShown:
    shut = wait_reasons.shut_gates(connection, campaign, inputs)
    upcoming = wait_reasons.coming(connection, campaign, inputs, MOST_ROWS // 2)
    rows = tuple(_coming(task, shut.get(ActionFamily(task.needs)), inputs.now) for task in upcoming)
    if campaign.status is CampaignStatus.COMPLETED:
        return FactsShown(sentence="Nothing: the campaign is done.", rows=())
    drafts = count_approvable(connection, campaign, inputs, _COUNTED)
    if not rows:
        if drafts:
            return FactsShown(sentence=f"Nothing until you approve: {_number(drafts, 'text')} in Review.", rows=())
        return FactsShown(sentence="Nothing is planned now.", rows=())
    status_sentence = (
        "" if campaign.status is CampaignStatus.ACTIVE else f" The campaign {STATUS_WORDS[campaign.status]}."
    )
    waits = f" {_number(drafts, 'text')} in Review until you approve." if drafts else ""
    first = rows[0]
    description = first.value if not first.lead_id else f"{first.value}, {first.label}"
    return FactsShown(sentence=f"Next: {description[0].lower()}{description[1:]}.{status_sentence}{waits}", rows=rows)


def _coming(task: ListedTask, shut: GateLine | None, now: int) -> FactRow:
    """Not before the task is due, nor before the account may do it."""
    earliest = task.ready_at if shut is None else max(task.ready_at, shut.until or NEVER)
    does = ACT_WORDS[ActionFamily(task.needs)].does.capitalize()
    return FactRow(
        label=task.lead_name or task.description,
        value=f"{does}, waits for you" if earliest >= NEVER else does,
        lead_id=task.lead_id or "",
        earliest=earliest if now < earliest < NEVER else None,
    )


def _waiting(connection: DatabaseConnection, campaign: Campaign, inputs: TurnInputs) -> FactsShown:
    lines = (
        ("Messages to approve", count_approvable(connection, campaign, inputs, _COUNTED)),
        ("Replies to read", today.count_unread_replies(connection, campaign.id, _COUNTED)),
        ("Questions to answer", len(questions.list_open(connection, campaign.id, _COUNTED, own=True))),
    )
    rows = tuple(FactRow(label=label, value=str(n)) for label, n in lines if n)
    sentence = "This waits for you:" if rows else "Nothing waits for you now."
    return FactsShown(sentence=sentence, rows=rows)


def _words(day: RelativeDay) -> str:
    return day.replace("_", " ")


def _number(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
