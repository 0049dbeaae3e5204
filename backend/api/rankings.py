"""Rank these ten: leads to put in order, how far the scoring agrees with the user, and weights that would agree better."""

from typing import Annotated, Literal

from pydantic import Field

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.domain.leads import agreement
from backend.domain.leads.agreement import DEALT, FEWEST_DEALT, ROUNDS, Agreement, Dealable, Pair
from backend.domain.model.campaign import Campaign
from backend.domain.model.criteria import BASE_FIELDS, Criterion, LeadFields, label
from backend.domain.model.scoring import Blueprint, explain, score
from backend.domain.values.shapes import Shape
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign.campaigns import existing_campaign
from backend.store.queries.leads import leads as lead_queries
from backend.store.queries.leads import rankings, scored_leads
from backend.store.queries.leads.rankings import RankedPerson, RankingRow

MOST_KNOWN = 8
MOST_DISAGREEMENTS = 6
_UNTOLD = frozenset({"profile_url", "profile_updated_at"})

routes = Routes("rankings", "/campaigns/<campaign_id>/rankings")


class KnownField(Shape):
    """A field of a lead as people read it."""

    field: str
    value: str


class DealtLead(Shape):
    """Somebody to be put in order, with what is known of them and without their score."""

    lead_id: str
    name: str
    known: list[KnownField]


class AgreementView(Shape):
    """Pairs in the user's order, in the other order, and of the same score.

    `share` is that of the ordered pairs, `low` and `high` bound it with 95 % confidence, `tau` is Kendall's; null without pairs.
    """

    agree: int
    disagree: int
    same: int
    share: float | None
    low: float
    high: float
    tau: float | None


class RoundView(Shape):
    """A round that the user put in order; one that was taken back does not count."""

    id: str
    number: int
    created_at: int
    counts: bool
    agreement: AgreementView


class PairReason(Shape):
    """What a criterion gave both people of a pair, and why."""

    name: str
    first_points: int
    first_why: str
    second_points: int
    second_why: str


class DisagreementView(Shape):
    """The user put `first` before `second`, and the scoring the other way round; reasons that differ, widest gap first."""

    first_id: str
    first_name: str
    first_score: int
    second_id: str
    second_name: str
    second_score: int
    reasons: list[PairReason]


class SuggestedWeights(Shape):
    """Whether other weights would agree better; `before` and `after` are of pairs that had no part in finding them."""

    status: Literal["few", "one_criterion", "no_better", "better"]
    pairs: int
    fewest_pairs: int
    fewest_rounds: int
    names: list[str]
    weights_now: list[int]
    criteria: list[Criterion]
    before: AgreementView
    after: AgreementView


class RankingsView(Shape):
    """The next round and what came of the earlier ones; `deal` is empty when there are too few leads.

    `version` is the blueprint's in force, `goal` the share of pairs that should agree.
    """

    number: int
    deal: list[DealtLead]
    fewest: int
    goal: float
    version: int
    rounds: list[RoundView]
    agreement: AgreementView
    disagreements: list[DisagreementView]
    suggestion: SuggestedWeights


class SaveRanking(Shape):
    """The leads of round `number`, the first one first."""

    number: int
    lead_ids: Annotated[list[str], Field(min_length=FEWEST_DEALT, max_length=DEALT)]


class RankingSaved(Shape):
    """The round that was kept."""

    campaign_id: str
    ranking_id: str


@routes.get()
def view(connection: DatabaseConnection, campaign_id: str) -> RankingsView:
    """The next ten, and all that the rounds so far amount to; raises `campaign_unknown`."""
    return overview(connection, existing_campaign(connection, campaign_id))


@routes.post(status=201)
def save(services: Services, campaign_id: str, body: SaveRanking) -> RankingSaved:
    """Keep an order."""
    commands = services.commands(campaign_id).rankings
    return RankingSaved(
        campaign_id=campaign_id, ranking_id=commands.save(campaign_id, body.lead_ids, number=body.number)
    )


routes.command("/<ranking_id>/take-back", "rankings.take_back")
routes.command("/<ranking_id>/put-back", "rankings.put_back")


def overview(connection: DatabaseConnection, campaign: Campaign) -> RankingsView:
    """The same for whoever has no running app."""
    blueprint = campaign.settings.blueprint
    rounds = rankings.rounds(connection, campaign.id, ROUNDS)
    number = rounds[0].number + 1 if rounds else 1
    dealt = _deal(connection, campaign, number, rounds)
    named = {id_ for ranking_round in rounds for id_ in ranking_round.lead_ids} | set(dealt)
    people = rankings.people(connection, campaign.id, sorted(named)) if named else {}
    fields_by_id = {id_: person.fields for id_, person in people.items()}
    orders = {ranking_round.id: [id_ for id_ in ranking_round.lead_ids if id_ in people] for ranking_round in rounds}
    counted = [orders[ranking_round.id] for ranking_round in reversed(rounds) if ranking_round.counts]
    pairs = [pair for order in counted for pair in agreement.pairs_of(order)]
    return RankingsView(
        number=number,
        deal=[_dealt(id_, people[id_]) for id_ in dealt if id_ in people],
        fewest=FEWEST_DEALT,
        goal=agreement.GOAL,
        version=blueprint.version,
        rounds=[
            RoundView.showing(
                ranking_round,
                agreement=_agreement(
                    agreement.agreement(blueprint, fields_by_id, agreement.pairs_of(orders[ranking_round.id]))
                ),
            )
            for ranking_round in rounds
        ],
        agreement=_agreement(agreement.agreement(blueprint, fields_by_id, pairs)),
        disagreements=[
            _disagreement(blueprint, people, pair)
            for pair in agreement.disagreements(blueprint, fields_by_id, pairs, MOST_DISAGREEMENTS)
        ],
        suggestion=_suggestion(blueprint, fields_by_id, counted),
    )


def _deal(connection: DatabaseConnection, campaign: Campaign, number: int, rounds: list[RankingRow]) -> tuple[str, ...]:
    lead_count = sum(lead_queries.lead_counts(connection, campaign.id).values())
    sample = [Dealable(lead.id, lead.fields) for lead in scored_leads.sample(connection, campaign.id, lead_count)]
    people = rankings.people(connection, campaign.id, [lead.id for lead in sample]) if sample else {}
    seen = {id_ for ranking_round in rounds if ranking_round.counts for id_ in ranking_round.lead_ids}
    return agreement.deal(
        f"{campaign.id}:{number}", campaign.settings.blueprint, [lead for lead in sample if lead.id in people], seen
    )


def _dealt(lead_id: str, person: RankedPerson) -> DealtLead:
    names = [name for name in dict.fromkeys([*BASE_FIELDS, *person.fields]) if name not in _UNTOLD]
    fields = [
        KnownField(field=label(name), value=value[:200]) for name in names if (value := person.fields.get(name, ""))
    ]
    return DealtLead(lead_id=lead_id, name=person.name, known=fields[:MOST_KNOWN])


def _agreement(measured_agreement: Agreement) -> AgreementView:
    return AgreementView.showing(
        measured_agreement, low=measured_agreement.interval.low, high=measured_agreement.interval.high
    )


def _disagreement(blueprint: Blueprint, people: dict[str, RankedPerson], pair: Pair) -> DisagreementView:
    first, second = people[pair.first], people[pair.second]
    reasons = [
        PairReason(
            name=first_part.criterion.name,
            first_points=first_part.points,
            first_why=first_part.why,
            second_points=second_part.points,
            second_why=second_part.why,
        )
        for first_part, second_part in zip(
            explain(blueprint, first.fields), explain(blueprint, second.fields), strict=True
        )
        if first_part.points != second_part.points
    ]
    return DisagreementView(
        first_id=pair.first,
        first_name=first.name,
        first_score=score(blueprint, first.fields),
        second_id=pair.second,
        second_name=second.name,
        second_score=score(blueprint, second.fields),
        reasons=sorted(reasons, key=lambda reason: -abs(reason.first_points - reason.second_points)),
    )


def _suggestion(blueprint: Blueprint, fields_by_id: dict[str, LeadFields], rounds: list[list[str]]) -> SuggestedWeights:
    suggestion = agreement.suggest_weights(blueprint, fields_by_id, rounds)
    weights = [criterion.weight for criterion in blueprint.criteria]
    suggested_blueprint = agreement.with_weights(blueprint, suggestion.weights) if suggestion.weights else None
    return SuggestedWeights(
        status=suggestion.status,
        pairs=suggestion.pairs,
        fewest_pairs=agreement.FEWEST_PAIRS,
        fewest_rounds=agreement.FEWEST_ROUNDS,
        names=[criterion.name for criterion in blueprint.criteria],
        weights_now=weights,
        criteria=list(suggested_blueprint.criteria) if suggested_blueprint else [],
        before=_agreement(suggestion.before),
        after=_agreement(suggestion.after),
    )
