"""The database that is measured: a campaign of a given size, written as ever, and a site that answers at once."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from backend.app.wiring import Workspace, build_turn_loop, open_workspace
from backend.domain.events.events import Event
from backend.domain.model.campaign import CampaignStatus, Limits, Settings
from backend.domain.model.scoring import DEFAULT_BLUEPRINT, score
from backend.domain.model.sequence import Sequence, Step
from backend.domain.model.site import Attempt, Profile, Relation, SelectorReport, SiteAnswer, SitePerson, Thread
from backend.domain.model.task import TaskStatus
from backend.machine.settings import AppSettings
from backend.ports.site import ActCheck, unguarded
from backend.store.queries.campaign import tasks
from backend.turn.presence import Presence
from backend.turn.verifier import verify_waiting

LOOKS = 9
TURNS_A_LEAD = LOOKS + 2
"""Selected, looked at nine times, drafted for: eleven turns without an outside effect."""
_BATCH = 5_000


class InstantSite:
    """A site that answers at once, so that only Outrider's own work is measured."""

    name = "practice"
    address = "https://practice.test"

    settle_seconds = 0.0

    def __init__(self) -> None:
        self._invited: set[str] = set()

    def open(self) -> None:
        """Nothing to open."""

    def close(self) -> None:
        """Nothing to close."""

    def check_selectors(self) -> SelectorReport:
        """Everything is there."""
        return SelectorReport()

    def open_profile(self, person: SitePerson) -> None:
        """Nothing to show."""

    def read_profile(self, person: SitePerson) -> Profile:
        """The same page for everybody."""
        relation = Relation.PENDING if person.profile_url in self._invited else Relation.NONE
        return Profile(person.name, "Head of Research", "Example", "Bern", "", (), relation)

    def read_thread(self, person: SitePerson) -> Thread:
        """An empty thread."""
        return Thread((), Relation.NONE)

    def send_invitation(self, person: SitePerson, note: str, check: ActCheck = unguarded) -> Attempt:
        """Invited."""
        self._invited.add(person.profile_url)
        return Attempt(SiteAnswer.CONFIRMED, "Invitation sent.")

    def send_message(self, person: SitePerson, text: str, check: ActCheck = unguarded) -> Attempt:
        """Never reached by the benchmark's sequence."""
        return Attempt(SiteAnswer.REFUSED, "not connected")

    def withdraw_invitation(self, person: SitePerson, check: ActCheck = unguarded) -> Attempt:
        """Never reached by the benchmark's sequence, either."""
        return Attempt(SiteAnswer.REFUSED, "none waits")


@contextmanager
def workspace_in(folder: Path | None) -> Iterator[Workspace]:
    with (
        tempfile.TemporaryDirectory(prefix="outrider-bench-", dir=folder) as made,
        open_workspace(AppSettings(Path(made), "", 10)) as workspace,
    ):
        yield workspace


def empty_campaign(workspace: Workspace, account: str = "bench") -> str:
    steps = tuple(Step(key=f"visit_{n}", kind="visit") for n in range(LOOKS))
    invite = Step(key="invite", kind="invitation", template="Hi {first_name}, I would like to stay in touch.")
    limits = Limits(
        invitations_a_day=100,
        invitations_a_week=400,
        ramp_days=0,
        spacing_seconds=0,
        day_starts=0,
        day_ends=24 * 60,
        work_days=tuple(range(7)),
        prepared_days=20,
    )
    settings = Settings(sequence=Sequence(steps=(*steps, invite)), limits=limits)
    return workspace.commands().campaigns.create(
        "Bench", "Measure.", site="practice", account=account, settings=settings
    )


def filled_campaign(workspace: Workspace, leads: int, events: int, account: str = "bench") -> str:
    """An active campaign with so many scored leads and so many more events in its log, all written as ever."""
    commands, new_id = workspace.commands(), workspace.journal.ids.new
    campaign_id = empty_campaign(workspace, account)
    points = score(DEFAULT_BLUEPRINT, {"job_title": "Head of Research", "company": "Example"})

    def lead(n: int) -> Event:
        url = f"https://www.linkedin.com/in/person-{n}"
        fields = {
            "full_name": f"Ada Person {n}",
            "profile_url": url,
            "member_key": url,
            "job_title": "Head of Research",
        }
        scored = {"company": "Example", "position": n, "weight_score": points}
        return Event("LeadImported", new_id(), fields | scored)

    fill(workspace, campaign_id, leads, lead)
    fill(workspace, campaign_id, events, lambda n: Event("RuntimeChanged", campaign_id, {"loop_enabled": n % 2}))
    loop = build_turn_loop(workspace, InstantSite(), commands.clock, Presence(attended=True))
    with workspace.journal.transaction() as transaction:
        now = commands.clock.now()
        active = [
            Event("CampaignActivated", campaign_id, {"status": CampaignStatus.ACTIVE}),
            Event("RuntimeChanged", campaign_id, {"state": "Idle"}),
        ]
        transaction.record(campaign_id, active, actor="user", cause="bench", at=now)
    # The one task before the leads' own: scoring, already done, is selected, claimed and verified.
    scoring = workspace.database.query(tasks.ready_tasks, campaign_id, now)[0]
    claimed = [
        Event("TaskStarted", scoring.id, {"status": TaskStatus.IN_PROGRESS}),
        Event("TaskClaimed", scoring.id, {"status": TaskStatus.VERIFYING}),
    ]
    workspace.journal.record(campaign_id, events=claimed, actor="user", cause="bench", at=now)
    verify_waiting(workspace.journal, loop.clock, campaign_id)
    return campaign_id


def fill(workspace: Workspace, campaign_id: str, count: int, event: Callable[[int], Event]) -> None:
    for start in range(0, count, _BATCH):
        made = [event(n) for n in range(start, min(start + _BATCH, count))]
        workspace.journal.record(
            campaign_id, events=made, actor="bench", cause="fill", at=workspace.commands().clock.now()
        )
