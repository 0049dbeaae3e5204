"""A campaign on LinkedIn Assist in a running app, at any hour of the day."""

from pathlib import Path

from backend.adapters.clocks import SystemClock
from backend.adapters.leadfiles import read_leads
from backend.commands.lead_import import import_leads
from backend.domain.model.campaign import Limits
from backend.domain.model.channel import ASSIST, CHANNELS
from backend.domain.model.sequence import DEFAULT_SEQUENCE, Sequence
from backend.runtime.workspace import Workspace
from tests.api.app import App
from tests.api.runs import ask, follow

ANY_HOUR = Limits(ramp_days=0, spacing_seconds=0, day_starts=0, day_ends=24 * 60, work_days=(0, 1, 2, 3, 4, 5, 6))
PEOPLE = (
    "First Name,Last Name,Title,Company,Email,Person Linkedin Url\n"
    "Clara,Yilmaz,Chief Product Officer,Vantry Systems,,https://www.linkedin.com/in/clara-yilmaz\n"
    "Thandi,Holm,Founder,Fern,,https://www.linkedin.com/in/thandi-holm\n"
    "Elena,Okonkwo,Head of Data,Oak,,https://www.linkedin.com/in/elena-okonkwo\n"
)


OTHERS = (
    "First Name,Last Name,Title,Company,Email,Person Linkedin Url\n"
    "Iris,Novak,Founder,Elm,,https://www.linkedin.com/in/iris-novak\n"
    "Paulo,Reyes,Head of Sales,Ash,,https://www.linkedin.com/in/paulo-reyes\n"
)


def make(
    workspace: Workspace,
    folder: Path,
    sequence: Sequence = DEFAULT_SEQUENCE,
    *,
    name: str = "Talks",
    people: str = PEOPLE,
) -> str:
    """With three people, or with those of a table."""
    channel = CHANNELS[ASSIST]
    settings = channel.settings(sequence, limits=ANY_HOUR)
    made = workspace.commands().campaigns.create_on(channel, name, "I would like your view.", settings)
    file = folder / "people.csv"
    file.write_text(people, "utf-8")
    source = read_leads(file)
    import_leads(workspace.journal, SystemClock(), made, source, file=file.name, file_format=source.format.name)
    return made


def start_and_approve(app: App, campaign: str, texts: int = 3) -> None:
    """The run writes the texts; each is approved as it is shown."""
    assert app.ask(f"/api/campaigns/{campaign}/start", {}).status == 204
    follow(app, lambda: ask(app, f"/api/campaigns/{campaign}")["needs"]["approve"] >= texts)
    for draft in ask(app, f"/api/campaigns/{campaign}/drafts")["rows"]:
        shown = {"shown_digest": draft["digest"], "hidden_shown": []}
        answer = app.ask(f"/api/campaigns/{campaign}/drafts/{draft['id']}/approve", shown)
        assert answer.ok, answer.text
