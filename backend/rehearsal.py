"""A rehearsal: a whole campaign against the practice network, which runs in a process of its own beside it."""

import csv
import hashlib
import json
import subprocess
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from backend import processes
from backend.clocks import RehearsalClock, SystemClock
from backend.controller.campaign_commands import CLOCK_AHEAD
from backend.controller.importing import import_leads
from backend.domain.campaign import CampaignStatus, Settings
from backend.domain.errors import OutriderError
from backend.domain.events import Event
from backend.ports.clock import Clock
from backend.store import reading
from backend.store.journal import Committed
from backend.wiring import Workspace, lead_file

GOAL = "I am inviting a small group to try a new tool for careful outreach, and your view would help us a lot."
_KEY = "rehearsal_key"
_PEOPLE_A_REQUEST = 1_000


class PracticeNetwork:
    """A practice network that is running at `url`."""

    def __init__(self, url: str) -> None:
        self.url = url

    def close(self) -> None:
        """Leave it running."""

    def tell(self, path: str, payload: Any) -> None:
        """Tell the control API something; raises `site_unreachable`."""
        request = urllib.request.Request(  # noqa: S310 - our own loopback address
            f"{self.url}/_practice/{path}", json.dumps(payload).encode(), {"Content-Type": "application/json"}
        )
        try:
            urllib.request.urlopen(request, timeout=10).close()  # noqa: S310
        except OSError as error:
            raise OutriderError("site_unreachable", site="The practice network", detail=error) from error


class PracticeProcess(PracticeNetwork):
    """The practice network as a child process; it ends when this process does, however that ends."""

    def __init__(self, ledger: Path, now: int) -> None:
        command = processes.command(
            processes.PRACTICE, "--ledger", str(ledger), "--now", str(now), "--exit-with-parent"
        )
        try:
            ledger.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                # Ctrl-C is for us alone: it means "stop after the current action", which still needs the network.
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError as error:
            raise OutriderError("practice_failed", detail=error) from error
        assert self._process.stdout is not None  # noqa: S101 - a pipe was asked for
        line = self._process.stdout.readline()
        if not line:
            _, said = self._process.communicate()
            raise OutriderError(
                "practice_failed", detail=said.strip() or f"it ended with status {self._process.returncode}"
            )
        super().__init__(json.loads(line)["url"])

    def close(self) -> None:
        """End it and wait for it."""
        self._process.terminate()
        self._process.communicate()


@dataclass(frozen=True)
class Rehearsal:
    """A rehearsal that is ready to run."""

    campaign_id: str
    clock: RehearsalClock
    ledger: Path
    url: str


@contextmanager
def rehearsal(
    workspace: Workspace, leads: Path | None, max_leads: int | None, *, fresh: bool = False
) -> Iterator[Rehearsal]:
    """Find or make the rehearsal of these leads, and open it."""
    with opened(workspace, prepared(workspace, leads, max_leads, fresh=fresh)) as ready:
        yield ready


def prepared(
    workspace: Workspace,
    leads: Path | None,
    max_leads: int | None,
    *,
    fresh: bool = False,
    on_progress: Callable[[int], None] = lambda _: None,
) -> str:
    """Find or make the rehearsal of these leads; its campaign's id.

    The same leads are the same rehearsal, so repeating the command after a crash does the rest and nothing again.
    """
    leads = leads or bundled_leads(workspace)
    source = lead_file(leads)
    key = f"{hashlib.sha256(leads.read_bytes()).hexdigest()[:32]}:{max_leads or 'all'}"
    campaign_id = None if fresh else _find(workspace, key)
    if campaign_id is None:
        campaign_id = _create(workspace, leads, key)
    with _read(workspace) as connection:
        row = connection.execute("SELECT status FROM campaigns WHERE id=?", (campaign_id,)).fetchone()
    if row[0] == CampaignStatus.INITIALIZING:  # an import cut off by a crash is simply repeated: it merges
        import_leads(
            workspace.journal,
            SystemClock(),
            campaign_id,
            source,
            file=leads.name,
            file_format=source.format.name,
            max_leads=max_leads,
            on_progress=on_progress,
        )
    return campaign_id


@contextmanager
def opened(workspace: Workspace, campaign_id: str, running: PracticeNetwork | None = None) -> Iterator[Rehearsal]:
    """Start a rehearsal's practice network where it ended, or use the `running` one, and keep both clocks together."""
    ledger = ledger_of(workspace, campaign_id)
    if running is None and not begun_here(workspace, campaign_id):
        raise OutriderError("rehearsal_elsewhere")
    ahead, remembers = _ahead(workspace, campaign_id), ledger.exists()
    network = running or PracticeProcess(ledger, SystemClock().now() + ahead)
    try:
        clock = RehearsalClock(ahead, lambda now, ahead: _jump(workspace, network, campaign_id, now, ahead))
        network.tell("clock", {"now": clock.now()})
        # Leads may be imported while it runs; heard within the commit, before any of them is planned.
        with _enrolling(workspace, network, campaign_id, ledger.with_suffix(".enrolled"), remembers=remembers):
            yield Rehearsal(campaign_id, clock, ledger, network.url)
    finally:
        network.close()


def ledger_of(workspace: Workspace, campaign_id: str) -> Path:
    """Where the rehearsal's practice network records what it receives."""
    return workspace.settings.data_dir / "practice" / f"{campaign_id}.jsonl"


def clock_of(workspace: Workspace, campaign_id: str) -> Clock:
    """The time by which the campaign lives, for deciding something about it while it runs elsewhere or not at all."""
    return RehearsalClock(_ahead(workspace, campaign_id), lambda *_: None)


def bundled_leads(workspace: Workspace) -> Path:
    """The practice network's own `Connections.csv`: a dozen of its people, written once into the data folder."""
    from backend.practice.people import People  # noqa: PLC0415 - only a first rehearsal needs it

    path = workspace.settings.data_dir / "practice" / "Connections.csv"
    if not path.exists():
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise OutriderError("practice_failed", detail=error) from error
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("First Name", "Last Name", "URL", "Email Address", "Company", "Position", "Connected On"))
            for card in list(People("fieldnote", 12).cards()):
                first, _, last = card.name.partition(" ")
                url = f"https://www.linkedin.com/in/{card.slug}"
                writer.writerow((first, last, url, "", card.company, card.headline, "15 Mar 2024"))
    return path


def witness(workspace: Workspace, campaign_id: str, ledger: Path) -> dict[str, int]:
    """What the practice network received, against what Outrider says it sent: the independent count."""
    entries = [json.loads(line) for line in ledger.read_text("utf-8").splitlines()] if ledger.exists() else []
    received = Counter(
        (entry["kind"], entry["to"], entry.get("text", ""))
        for entry in entries
        if entry["kind"] in ("invitation", "message") and entry.get("disposition") == "delivered"
    )
    with _read(workspace) as connection:
        sent = connection.execute(
            "SELECT m.kind, l.profile_url, m.text FROM messages m JOIN leads l ON l.id = m.lead_id"
            " WHERE m.campaign_id=? AND m.status='sent'",
            (campaign_id,),
        ).fetchall()
    missing = sum(1 for kind, url, text in sent if not received[(kind, _slug(url), text)])
    return {
        "received": sum(received.values()),
        "duplicates": sum(n - 1 for n in received.values()),
        "missing": missing,
    }


def summary(workspace: Workspace, campaign_id: str, ledger: Path) -> dict[str, Any]:
    """The whole campaign in one object."""
    with _read(workspace) as connection:

        def one(sql: str) -> Any:
            return connection.execute(sql, (campaign_id,)).fetchone()[0]

        result: dict[str, Any] = {
            "campaign": campaign_id,
            "status": one("SELECT status FROM campaigns WHERE id=?"),
            "turns": one("SELECT count(*) FROM turn_projection WHERE campaign_id=?"),
            "steps_skipped": one(
                "SELECT count(*) FROM turn_projection WHERE campaign_id=? AND faulted=0 AND json_array_length(steps)<>8"
            ),
            "leads": dict(
                connection.execute("SELECT status, n FROM lead_counts WHERE campaign_id=? AND n>0", (campaign_id,))
            ),
            "messages_sent": one("SELECT count(*) FROM messages WHERE campaign_id=? AND status='sent'"),
            "outcome_unknown": one("SELECT count(*) FROM messages WHERE campaign_id=? AND status='outcome_unknown'"),
            "rejected": one("SELECT count(*) FROM rejected_rows WHERE campaign_id=?"),
        }
    return {**result, "ledger": witness(workspace, campaign_id, ledger)}


def _create(workspace: Workspace, leads: Path, key: str) -> str:
    return workspace.commands().campaigns.create_on_practice(
        f"Rehearsal with {leads.name}", GOAL, Settings(), extra=[Event("ConfigSet", _KEY, {"value": key})]
    )


def _find(workspace: Workspace, key: str) -> str | None:
    with _read(workspace) as connection:
        rows = connection.execute(
            "SELECT c.id FROM config_kv k JOIN campaigns c ON c.id = k.campaign_id WHERE k.id=? AND k.value=?"
            " ORDER BY c.created_at DESC",
            (_KEY, key),
        ).fetchall()
    return next((id_ for (id_,) in rows if begun_here(workspace, id_)), None)


def begun_here(workspace: Workspace, campaign_id: str) -> bool:
    """Whether its practice network is on this machine, or was never needed yet."""
    if ledger_of(workspace, campaign_id).exists():
        return True
    with _read(workspace) as connection:
        return (
            connection.execute(
                "SELECT 1 FROM turn_projection WHERE campaign_id=? AND request_id IS NULL", (campaign_id,)
            ).fetchone()
            is None
        )


def _config(workspace: Workspace, campaign_id: str, name: str) -> str | None:
    with _read(workspace) as connection:
        row = connection.execute(
            "SELECT value FROM config_kv WHERE campaign_id=? AND id=?", (campaign_id, name)
        ).fetchone()
    return row[0] if row else None


def _ahead(workspace: Workspace, campaign_id: str) -> int:
    return int(_config(workspace, campaign_id, CLOCK_AHEAD) or 0)


def _jump(workspace: Workspace, network: PracticeNetwork, campaign_id: str, now: int, ahead: int) -> None:
    # Durable first: after a crash time goes on from here and never back.
    event = Event("ConfigChanged", CLOCK_AHEAD, {"value": str(ahead)})
    workspace.journal.record(campaign_id, events=[event], actor="controller", cause="rehearsal clock", at=now)
    network.tell("clock", {"now": now})


@contextmanager
def _enrolling(
    workspace: Workspace, network: PracticeNetwork, campaign_id: str, noted: Path, *, remembers: bool
) -> Iterator[None]:
    """The campaign's leads are people of the network, under the names that their profiles must show.

    Its ledger `remembers` them, so they are told once: how many were told is noted beside it, after they were.
    """

    def imported(committed: Committed) -> None:
        events = [recorded.event for recorded in committed.events if recorded.event.kind == "LeadImported"]
        if committed.campaign_id == campaign_id and events:
            with suppress(OutriderError):  # the network is gone: the run itself will say so
                _enrol(network, (event.changes for event in events))

    unsubscribe = workspace.journal.subscribe(imported)
    try:
        with _read(workspace) as connection:
            leads = str(sum(reading.lead_counts(connection, campaign_id).values()))
            told = remembers and noted.exists() and noted.read_text("ascii") == leads
            rows = [] if told else connection.execute(_CARDS, (campaign_id,)).fetchall()
        _enrol(network, (dict(zip(_CARD, row, strict=True)) for row in rows))
        noted.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        noted.write_text(leads, "ascii")
        yield
    finally:
        unsubscribe()


_CARD = ("profile_url", "full_name", "job_title", "company")
_CARDS = "SELECT profile_url, full_name, job_title, company FROM leads WHERE campaign_id=?"


def _enrol(network: PracticeNetwork, leads: Iterable[Mapping[str, Any]]) -> None:
    people = [
        {
            "slug": _slug(lead["profile_url"]),
            "name": lead["full_name"],
            "headline": lead.get("job_title", ""),
            "company": lead.get("company", ""),
        }
        for lead in leads
        if lead["profile_url"]
    ]
    for start in range(0, len(people), _PEOPLE_A_REQUEST):
        network.tell("people", people[start : start + _PEOPLE_A_REQUEST])


def _slug(profile_url: str) -> str:
    return unquote(urlsplit(profile_url).path).rstrip("/").rpartition("/")[2]


def _read(workspace: Workspace) -> Any:
    return workspace.database.read()
