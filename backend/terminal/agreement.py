"""How far the scoring agrees with the order in which the user put people."""

from backend.api import rankings
from backend.api.lookup import find_campaign
from backend.api.rankings import AgreementView, RankingsView
from backend.domain.errors import OutriderError
from backend.settings import AppSettings
from backend.terminal import campaign_status
from backend.terminal.output import TerminalOutput, one_line
from backend.wiring import open_workspace


def print_agreement(output: TerminalOutput, settings: AppSettings, wanted: str) -> None:
    """Print the agreement, the pairs that differ most, and weights that would agree better; raises `campaign_unknown`."""
    if not settings.database.exists():
        raise OutriderError("campaign_unknown", campaign=one_line(wanted))
    with open_workspace(settings) as workspace, workspace.database.read() as connection:
        campaign = find_campaign(connection, campaign_status.find_campaign(connection, wanted).id)
        view = rankings.overview(connection, campaign)
    told = view.model_dump(mode="json", exclude={"deal"})
    output.result(_lines(view), {"campaign": campaign.id, **told})


def _lines(view: RankingsView) -> list[str]:
    counted = sum(one.counts for one in view.rounds)
    if not counted:
        return ["No people were put in order yet: in the app, Leads, Scoring, “Rank these 10”."]
    lines = [
        f"Rounds: {counted}",
        f"{_said(view.agreement)} (goal: over {view.goal:.0%})",
        *(
            f"  {one_line(one.first_name)} ({one.first_score}) before {one_line(one.second_name)} ({one.second_score})"
            for one in view.disagreements
        ),
    ]
    return lines + _suggested(view)


def _said(found: AgreementView) -> str:
    if found.share is None or found.tau is None:
        return f"The scoring tells none of {found.same} pairs apart."
    same = f"; {found.same} more have the same score" if found.same else ""
    return (
        f"{found.agree} of {found.agree + found.disagree} pairs agree"
        f" ({found.share:.0%}, {found.low:.0%} to {found.high:.0%}){same}; Kendall's tau {found.tau:.2f}"
    )


def _suggested(view: RankingsView) -> list[str]:
    found = view.suggestion
    match found.status:
        case "few":
            return [
                f"Too little for a suggestion: {found.pairs} pairs that the criteria tell apart, at least"
                f" {found.fewest_pairs} in {found.fewest_rounds} rounds are needed."
            ]
        case "one_criterion":
            return ["A single criterion leaves no weights to adjust."]
        case "no_better":
            return ["No other weights would match better."]
    weights = zip(found.names, found.weights_now, found.criteria, strict=True)
    return [
        f"Other weights would match better. On pairs held out: {_said(found.before)}; with them: {_said(found.after)}",
        *(f"  {one_line(name)}: {now} to {other.weight}" for name, now, other in weights),
        "Apply them in the app: Leads, Scoring, “Rank these 10”.",
    ]
