"""Outrider: the product's own workspace, lock, turns and recovery; only the site is the ledger instead of a browser.

The user's part is played by `approve`, who approves each draft as it is shown.
"""

import threading

from backend.adapters.clocks import SystemClock
from backend.adapters.llm.scripted import ScriptedProposer
from backend.app.wiring import build_turn_loop, instance_lock, open_workspace
from backend.commands.review import AUTO_APPROVE
from backend.domain.events.events import Event
from backend.domain.model.campaign import CampaignStatus, Limits, Settings
from backend.domain.model.message import Message
from backend.domain.model.sequence import Sequence, Step
from backend.domain.model.site import (
    Attempt,
    Profile,
    Relation,
    SelectorReport,
    SiteAnswer,
    SitePerson,
    Thread,
    ThreadMessage,
)
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.machine.settings import read_settings
from backend.ports.proposer import OnText, OnUsage, ignore_text, ignore_usage
from backend.ports.site import ActCheck, SiteUnavailable
from backend.runtime.run.campaign_runner import CampaignRunner, RunEnd
from backend.runtime.workspace import Workspace
from backend.store.queries.campaign import campaigns
from backend.turn.loop import NothingEligible, TurnCallbacks
from backend.turn.presence import Presence
from receipts import job as command
from receipts import site as ledger

ADDRESS = "https://www.linkedin.com/in/"
EVERY_MINUTE = Limits(ramp_days=0, spacing_seconds=0, day_starts=0, day_ends=24 * 60, work_days=(0, 1, 2, 3, 4, 5, 6))


class LedgerSite:
    """The `Site` port over the ledger's three requests."""

    name = "practice"
    address = ledger.ADDRESS
    settle_seconds = 60.0

    def open(self) -> None:
        """Nothing to sign in to."""

    def close(self) -> None:
        """Nothing to close."""

    def check_selectors(self) -> SelectorReport:
        return SelectorReport()

    def open_profile(self, person: SitePerson) -> None:
        self._shown(person)

    def read_profile(self, person: SitePerson) -> Profile:
        self._shown(person)
        return Profile(person.name, "", "", "", "", (), Relation.CONNECTED)

    def read_thread(self, person: SitePerson) -> Thread:
        # The ledger keeps no times; the order is what counts.
        now = SystemClock().now()
        return Thread(tuple(ThreadMessage("you", text, now) for text in self._shown(person)), Relation.CONNECTED)

    def send_message(self, person: SitePerson, text: str, check: ActCheck) -> Attempt:
        check(self.read_thread(person))
        check(self.read_thread(person))
        check()
        try:
            ledger.send(_slug(person), text)
        except OSError as error:
            return Attempt(SiteAnswer.NO_ANSWER, f"The site gave no answer ({error}).")
        return Attempt(SiteAnswer.CONFIRMED, "accepted")

    def send_invitation(self, person: SitePerson, note: str, check: ActCheck) -> Attempt:
        raise NotImplementedError

    def withdraw_invitation(self, person: SitePerson, check: ActCheck) -> Attempt:
        raise NotImplementedError

    def _shown(self, person: SitePerson) -> list[str]:
        try:
            return ledger.look(_slug(person))
        except OSError as error:
            raise SiteUnavailable(str(error)) from error


class AskedModel:
    """The scripted proposer, which asks the pretend model first and fails when it does."""

    name = "asked"

    def __init__(self) -> None:
        self._scripted = ScriptedProposer()

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, meter: OnUsage = ignore_usage) -> str:
        try:
            ledger.ask_model("What next?")
        except OSError as error:
            raise OutriderError("proposer_unreachable", host="the pretend model") from error
        return self._scripted.propose(snapshot)


def _slug(person: SitePerson) -> str:
    return person.profile_url.rstrip("/").rsplit("/", 1)[-1]


def _campaign(workspace: Workspace, job: command.Job) -> str:
    """The campaign of this workflow, made with its one person if it is not there."""
    with workspace.database.read() as connection:
        row = connection.execute("SELECT id FROM campaigns WHERE name=?", (job.workflow,)).fetchone()
    if row is not None:
        return str(row[0])
    steps = (Step(key="visit", kind="visit"), Step(key="hello", kind="message", template=job.text))
    settings = Settings(sequence=Sequence(steps=steps), limits=EVERY_MINUTE)
    campaign_id = workspace.commands().campaigns.create(
        job.workflow, "Write to one person.", site="practice", account="receipts", settings=settings
    )
    journal, now = workspace.journal, workspace.clock.now()
    import_id = journal.ids.new()
    lead = {"import_id": import_id, "full_name": job.person, "profile_url": ADDRESS + job.person}
    events = [
        Event("ImportStarted", import_id, {"file": "people.csv", "format": "mapped", "created_at": now}),
        Event("LeadImported", journal.ids.new(), lead | {"member_key": job.person, "position": 1}),
    ]
    journal.record(campaign_id, events=events, actor="user", cause="import", at=now)
    return campaign_id


def _is_sent(workspace: Workspace, campaign_id: str) -> bool:
    sql = "SELECT 1 FROM messages WHERE campaign_id=? AND status='sent'"
    with workspace.database.read() as connection:
        return connection.execute(sql, (campaign_id,)).fetchone() is not None


def _work_on(workspace: Workspace, job: command.Job) -> None:
    campaign_id = _campaign(workspace, job)
    with workspace.database.read() as connection:
        campaign = campaigns.campaign(connection, campaign_id)
    if _is_sent(workspace, campaign_id) or (campaign is not None and campaign.status is CampaignStatus.COMPLETED):
        return
    user = workspace.commands(actor=AUTO_APPROVE)

    def approve(_: str, drafts: list[Message]) -> bool:
        for draft in drafts:
            user.review.approve(campaign_id, draft.id, shown_digest=user.review.digest(campaign_id, draft.id))
        return bool(drafts)

    stop, wake = threading.Event(), threading.Event()

    def rest(_: NothingEligible) -> None:
        """Once the message is sent only a reply is waited for, for days: the job is done."""
        if _is_sent(workspace, campaign_id):
            stop.set()
            wake.set()

    callbacks = TurnCallbacks(stopped=stop.is_set)
    presence = Presence(attended=True)
    loop = build_turn_loop(
        workspace, LedgerSite(), workspace.clock, presence, proposer=AskedModel(), callbacks=callbacks
    )
    ended = CampaignRunner(loop, stop=stop, wake=wake, on_drafts=approve, on_sleep=rest).run(campaign_id)
    if ended.halt not in {RunEnd.COMPLETED, RunEnd.STOPPED}:
        raise command.Asked(f"{ended.halt}: {' '.join(ended.reasons)}")


def work(job: command.Job) -> None:
    settings = read_settings(data_dir=job.folder)
    try:
        with instance_lock(settings), open_workspace(settings) as workspace:
            _work_on(workspace, job)
    except OutriderError as error:
        if error.code in {"records_lost", "heads_unreadable"}:
            raise command.Asked(str(error)) from error
        raise


command.run(work)
