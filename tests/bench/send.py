"""What it costs to open the day by hand: Send over all campaigns, one of them, Today, and the list of campaigns."""

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from backend.app.wiring import Workspace
from backend.domain.events.events import Event
from backend.domain.model.channel import ASSIST, CHANNELS
from tests.bench.leads import varied_lead
from tests.bench.reporting import report, spread
from tests.bench.sample_campaign import fill

if TYPE_CHECKING:
    from tests.api.app import App

CAMPAIGNS = 10
APPROVED = 15
"""Messages that wait for the user's hand in each campaign."""
TIMES = 50


def send_(
    leads: Annotated[int, typer.Option(min=CAMPAIGNS * APPROVED, help="Leads in all campaigns together.")] = 100_000,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Opening the screens of a day by hand with ten campaigns that are on: CPU time of each request, client included."""
    from tests.api.app import running  # noqa: PLC0415 - the other benchmarks measure processes without the API
    from tests.api.by_hand import start_and_approve  # noqa: PLC0415 - as above

    with tempfile.TemporaryDirectory(prefix="outrider-bench-", dir=folder) as made, running(Path(made)) as app:
        campaigns = [_campaign(app.workspace, n, leads // CAMPAIGNS) for n in range(CAMPAIGNS)]
        for campaign in campaigns:
            start_and_approve(app, campaign, texts=APPROVED)
        first = f"/api/campaigns/{campaigns[0]}"
        screens = {
            "send": "/api/send",
            "send_one_campaign": f"/api/send?campaign={campaigns[0]}",
            "today": "/api/today",
            "campaign": first,
            "campaigns": "/api/campaigns",
        }
        people = len(app.ask("/api/send").json["people"])
        spent = {f"{name}_cpu_ms": _asked(app, path) for name, path in screens.items()}
        report({"leads": leads, "people_in_send": people, **spent}, json_)


def _campaign(workspace: Workspace, number: int, leads: int) -> str:
    """One of existing contacts, who are written to without an invitation."""
    from tests.api.by_hand import ANY_HOUR  # noqa: PLC0415 - as above
    from tests.fakes.send_desk import MESSAGES  # noqa: PLC0415 - as above

    limits = ANY_HOUR.model_copy(update={"messages_a_day": 200, "prepared_days": 1})
    channel = CHANNELS[ASSIST]
    made = workspace.commands().campaigns.create_on(
        channel, f"Talks {number}", "Talk", channel.settings(MESSAGES, limits=limits)
    )

    def contact(n: int) -> Event:
        url = f"https://www.linkedin.com/in/contact-{number}-{n}"
        event = varied_lead(workspace, number * leads + n)
        profile = {"profile_url": url, "member_key": url, "connected_on": "2024-03-15"}
        return event._replace(changes={**event.changes, **profile})

    fill(workspace, made, leads, contact)
    return made


def _asked(app: "App", path: str) -> dict[str, Any]:
    app.ask(path)
    spent = []
    for _ in range(TIMES):
        started = time.process_time()
        assert app.ask(path).status == 200
        spent.append(time.process_time() - started)
    return spread(spent)
