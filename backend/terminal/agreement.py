"""How far the scoring agrees with the order in which the user put people."""

from backend.api import rankings
from backend.api.rankings import AgreementView, RankingsView
from backend.app.wiring import open_workspace
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.store.queries.campaign.campaigns import existing_campaign
from backend.terminal import campaign_status
from backend.terminal.output import TerminalOutput, one_line


def print_agreement(output: TerminalOutput, settings: AppSettings, id_or_name: str) -> None:
    """Print the agreement, the pairs that differ most, and weights that would agree better; raises `campaign_unknown`."""
    if not settings.has_database():
        raise OutriderError("campaign_unknown", campaign=one_line(id_or_name))
    with open_workspace(settings) as workspace, workspace.database.read() as connection:
        campaign = existing_campaign(connection, campaign_status.find_campaign(connection, id_or_name).id)
        view = rankings.overview(connection, campaign)
    json_result = view.model_dump(mode="json", exclude={"deal"})
    output.result(_lines(view), {"campaign": campaign.id, **json_result})


def _lines(view: RankingsView) -> list[str]:
    counted = sum(ranking_round.counts for ranking_round in view.rounds)
    if not counted:
        return ["No people were put in order yet: in the app, Leads, Scoring, “Rank these 10”."]
    lines = [
        f"Rounds: {counted}",
        f"{_share(view.agreement)} (goal: over {view.goal:.0%})",
        *(
            f"  {one_line(pair.first_name)} ({pair.first_score}) before {one_line(pair.second_name)} ({pair.second_score})"
            for pair in view.disagreements
        ),
    ]
    return lines + _suggested(view)


def _share(agreement: AgreementView) -> str:
    if agreement.share is None or agreement.tau is None:
        return f"The scoring tells none of {agreement.same} pairs apart."
    same = f"; {agreement.same} more have the same score" if agreement.same else ""
    return (
        f"{agreement.agree} of {agreement.agree + agreement.disagree} pairs agree"
        f" ({agreement.share:.0%}, {agreement.low:.0%} to {agreement.high:.0%}){same}; Kendall's tau {agreement.tau:.2f}"
    )


def _suggested(view: RankingsView) -> list[str]:
    suggestion = view.suggestion
    match suggestion.status:
        case "few":
            return [
                f"Too little for a suggestion: {suggestion.pairs} pairs that the criteria tell apart, at least"
                f" {suggestion.fewest_pairs} in {suggestion.fewest_rounds} rounds are needed."
            ]
        case "one_criterion":
            return ["A single criterion leaves no weights to adjust."]
        case "no_better":
            return ["No other weights would match better."]
    weights = zip(suggestion.names, suggestion.weights_now, suggestion.criteria, strict=True)
    return [
        f"Other weights would match better. On pairs held out: {_share(suggestion.before)}; with them: {_share(suggestion.after)}",
        *(f"  {one_line(name)}: {now} to {criterion.weight}" for name, now, criterion in weights),
        "Apply them in the app: Leads, Scoring, “Rank these 10”.",
    ]
