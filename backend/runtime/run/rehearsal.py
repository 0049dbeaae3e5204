"""A rehearsal: a whole campaign against the practice network, which runs in a process of its own beside it."""

import csv
import hashlib
import io
import json
import secrets
import subprocess
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from backend.adapters import processes
from backend.adapters.child_processes import own_group
from backend.adapters.clocks import RehearsalClock, StoppedClock
from backend.adapters.files.content_files import path_inside
from backend.adapters.leadfiles import LeadFile, read_leads
from backend.adapters.machine_identity import machine_identity
from backend.commands.campaigns import CLOCK_AHEAD
from backend.commands.lead_import import import_leads
from backend.domain.events.events import WORKSPACE
from backend.domain.events.facts.workspace import ConfigChanged, ConfigSet
from backend.domain.model.campaign import CampaignStatus, Settings
from backend.domain.model.channel import PRACTICE
from backend.domain.model.message import MessageStatus
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.machine.durable_files import replace_file
from backend.ports.clock import Clock
from backend.practice.launch_secrets import TOKEN_HEADER, LaunchSecrets
from backend.runtime.workspace import Workspace
from backend.store.log import verification
from backend.store.log.transaction import Committed
from backend.store.queries.campaign import campaign_answers
from backend.store.queries.contact import messages
from backend.store.queries.device import configuration, logs
from backend.store.queries.leads import imports
from backend.store.queries.leads import leads as lead_queries
from backend.store.queries.reports import attributions, campaign_overview
from backend.store.queries.turn import turns
from backend.turn.recovery import ask_about_all

GOAL = "Find people who would try a new tool for careful outreach."
TOPIC = "I am inviting a small group to try a new tool for careful outreach, and your view would help us a lot."
BUNDLED = "Connections.csv"
PRACTICE_ADDRESS = "https://practice.outrider.example"
"""Of the practice network's own people. Names under .example are reserved: nobody is there, wherever the network is served."""
_KEY = "rehearsal_key"
_NETWORK = "rehearsal_network"
_PEOPLE_A_REQUEST = 1_000


class PracticeClient:
    """A practice network that is running at `url`, started with these secrets."""

    def __init__(self, url: str, secrets: LaunchSecrets) -> None:
        self.url = url
        self.password = secrets.password
        self._headers = {"Content-Type": "application/json", TOKEN_HEADER: secrets.control_token}
        # It is on this machine: what is told to it goes through nobody's proxy.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def close(self) -> None:
        """Leave it running."""

    def post_control(self, path: str, payload: Any) -> None:
        """Tell the control API something; raises `practice_gone`."""
        request = urllib.request.Request(  # noqa: S310 - our own loopback address
            f"{self.url}/_practice/{path}", json.dumps(payload).encode(), self._headers
        )
        try:
            self._opener.open(request, timeout=10).close()
        except OSError as error:
            raise OutriderError("practice_gone") from error


class PracticeProcess(PracticeClient):
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
                encoding="utf-8",
                errors="replace",
                # Ctrl-C is for us alone: it means "stop after the current action", which still needs the network.
                **own_group(),
            )
        except OSError as error:
            raise OutriderError("practice_failed", detail=error) from error
        assert self._process.stdin is not None  # noqa: S101 - pipes were asked for
        assert self._process.stdout is not None  # noqa: S101
        launch = LaunchSecrets.new()
        with suppress(OSError):  # it ended already: what it says follows
            self._process.stdin.write(launch.to_line())
            self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._process.communicate()
            raise OutriderError("practice_failed", detail=f"it ended with status {self._process.returncode}")
        super().__init__(json.loads(line)["url"], launch)

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
    password: str


def find_or_create_rehearsal(
    workspace: Workspace,
    leads: Path | None,
    max_leads: int | None,
    *,
    fresh: bool = False,
    read: Callable[[Path], LeadFile] = read_leads,
    read_as: Sequence[str] = (),
    on_progress: Callable[[int], None] = lambda _: None,
) -> str:
    """Find or make these leads' rehearsal; its campaign's id. Repeating the command after a crash does only the rest.

    `read_as` is how the user wants the file read: in another way it is another rehearsal.
    """
    leads = leads or bundled_leads(workspace)
    source = read(leads)
    key = ":".join((hashlib.sha256(leads.read_bytes()).hexdigest()[:32], str(max_leads or "all"), *read_as))
    campaign_id = None if fresh else _find(workspace, key)
    if campaign_id is None:
        campaign_id = _create(workspace, leads, key)
    with _read(workspace) as connection:
        state = campaign_overview.state(connection, campaign_id)
    if state is not None and state.status == CampaignStatus.INITIALIZING:
        # An import cut off by a crash is simply repeated: it merges.
        import_leads(
            workspace.journal,
            workspace.clock,
            campaign_id,
            source,
            file=leads.name,
            file_format=source.format.name,
            max_leads=max_leads,
            read_as=source.read_as,
            on_progress=on_progress,
        )
    return campaign_id


@contextmanager
def open_rehearsal(
    workspace: Workspace, campaign_id: str, running: PracticeClient | None = None
) -> Iterator[Rehearsal]:
    """Start a rehearsal's practice network where it ended, or use the `running` one, and keep both clocks together."""
    ledger = ledger_of(workspace, campaign_id)
    local_network = network_id(ledger) if running is None else ""
    moved = running is None and _has_moved(workspace, campaign_id, local_network, ledger)
    # It goes on where it stood: the time in which it did not run, or the user read, is no time of its world.
    ahead = clock_of(workspace, campaign_id).now() - workspace.clock.now()
    remembers = ledger.exists()
    # Only the network that may have received it knows: here it would be missing, and sent twice.
    if moved and ask_about_all(workspace.journal, clock_of(workspace, campaign_id), campaign_id):
        raise OutriderError("rehearsal_elsewhere")
    network = running or PracticeProcess(ledger, workspace.clock.now() + ahead)
    try:
        clock = RehearsalClock(ahead, lambda now, ahead: _jump(workspace, network, campaign_id, now, ahead))
        network.post_control("clock", {"now": clock.now()})
        # Leads may be imported while it runs; heard within the commit, before any of them is planned.
        with _enrolling(workspace, network, campaign_id, ledger.with_suffix(".enrolled"), remembers=remembers):
            if moved:
                _restore(workspace, network, campaign_id)
            if running is None:
                _note_network(workspace, campaign_id, local_network, clock.now())
            yield Rehearsal(campaign_id, clock, ledger, network.url, network.password)
    finally:
        network.close()


def ledger_of(workspace: Workspace, campaign_id: str) -> Path:
    """Where the rehearsal's practice network records what it receives."""
    return path_inside(workspace.settings.data_dir / "practice", f"{campaign_id}.jsonl")


def clock_of(workspace: Workspace, campaign_id: str) -> Clock:
    """The time by which the campaign lives, for deciding something about it while it runs elsewhere or not at all.

    That of a rehearsal on the practice network, which stands where its log ends from its first start on; this machine's own for
    any other campaign and for the workspace. Raises `campaign_unknown`.
    """
    if campaign_id == WORKSPACE:
        return workspace.clock
    with workspace.database.read() as connection:
        state = campaign_overview.state(connection, campaign_id)
        last = logs.last_event_at(connection, campaign_id)
    if state is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    if state.site != PRACTICE:
        return workspace.clock
    if state.status != CampaignStatus.INITIALIZING and last is not None:
        return StoppedClock(last)
    return RehearsalClock(int(_config(workspace, campaign_id, CLOCK_AHEAD) or 0), lambda *_: None)


def bundled_leads(workspace: Workspace) -> Path:
    """The practice network's own `Connections.csv`: a dozen of its people, written once into the data folder."""
    from backend.practice.people import People  # noqa: PLC0415 - only a first rehearsal needs it

    path = workspace.settings.data_dir / "practice" / BUNDLED
    if not path.exists():
        table = io.StringIO(newline="")
        writer = csv.writer(table)
        writer.writerow(("First Name", "Last Name", "URL", "Email Address", "Company", "Position", "Connected On"))
        for card in list(People("fieldnote", 12).cards()):
            first, _, last = card.name.partition(" ")
            url = f"{PRACTICE_ADDRESS}/in/{card.slug}"
            writer.writerow((first, last, url, "", card.company, card.headline, "15 Mar 2024"))
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(path, table.getvalue().encode())
        except OSError as error:
            raise OutriderError("practice_failed", detail=error) from error
    return path


def compare_with_ledger(workspace: Workspace, campaign_id: str, ledger: Path) -> dict[str, int]:
    """What the practice network received, against what is on record, both ways: the independent count.

    `from_record`: so many it knows from the record alone, because another device's network received them. Of people whose data
    was erased there is nothing to compare: what they got counts as not on record.
    """
    received: Counter[tuple[str, str, str]] = Counter()
    from_record = 0
    for line in ledger.read_text("utf-8").splitlines() if ledger.exists() else []:
        entry = json.loads(line)
        if entry["kind"] in ("invitation", "message") and entry.get("disposition") == "delivered":
            received[entry["kind"], entry["to"], entry.get("text", "")] += 1
        elif entry["kind"] == "restored":
            before = received.total()
            received |= _restored(entry["detail"]["people"])  # of each text the more: some may have come here
            from_record += received.total() - before
    with _read(workspace) as connection:
        recorded = {
            status: Counter(
                (message.kind, _slug(message.profile_url), message.text)
                for message in messages.addressed(connection, campaign_id, status)
                if message.profile_url
            )
            for status in (MessageStatus.SENT, MessageStatus.OUTCOME_UNKNOWN, MessageStatus.FOUND)
        }
    known_texts = set().union(*recorded.values())
    return {
        "received": sum(received.values()),
        "duplicates": sum(n - 1 for n in received.values()),
        "missing": sum((recorded[MessageStatus.SENT] - received).values()),
        "not_on_record": sum(n for text, n in received.items() if text not in known_texts),
        "from_record": from_record,
    }


def _restored(people: Iterable[Mapping[str, Any]]) -> "Counter[tuple[str, str, str]]":
    return Counter(
        (contact["kind"], person["slug"], contact["text"])
        for person in people
        for contact in person["past"]
        if contact["kind"] != "reply"
    )


def rehearsal_summary(workspace: Workspace, campaign_id: str, ledger: Path) -> dict[str, Any]:
    """The whole campaign in one object."""
    with _read(workspace) as connection:
        state = campaign_overview.state(connection, campaign_id)
        result: dict[str, Any] = {
            "campaign": campaign_id,
            "status": state.status if state else "",
            "turns": turns.count(connection, campaign_id),
            "steps_skipped": turns.count_with_skipped_steps(connection, campaign_id),
            "leads": lead_queries.lead_counts(connection, campaign_id),
            "messages_sent": messages.count_of_status(connection, campaign_id, MessageStatus.SENT),
            "outcome_unknown": messages.count_of_status(connection, campaign_id, MessageStatus.OUTCOME_UNKNOWN),
            "rejected": imports.count_rejected(connection, campaign_id),
        }
    return {**result, "ledger": compare_with_ledger(workspace, campaign_id, ledger)}


class WhatWasProven(Shape):
    """What a rehearsal proves, counted by the practice network's own ledger and by the logs.

    `delivered` texts reached it, `duplicates` a second time; `missing` are on record as sent and not there. `unapproved` went out
    without an approval, `after_reply` are texts of the sequence to somebody who had replied. The `entries` of both logs chain,
    unless `broken` says where not. Not `counted`: the ledger is no longer kept, so nothing is known of what reached the network.
    """

    counted: bool
    delivered: int
    duplicates: int
    missing: int
    unapproved: int
    replied: int
    after_reply: int
    entries: int
    broken: str


def what_was_proven(workspace: Workspace, campaign_id: str) -> WhatWasProven:
    """Count it afresh; reads the whole log of the campaign. Raises `campaign_unknown`."""
    ledger_path = ledger_of(workspace, campaign_id)
    ledger = compare_with_ledger(workspace, campaign_id, ledger_path)
    with _read(workspace) as connection:
        state = campaign_overview.state(connection, campaign_id)
        if state is None:
            raise OutriderError("campaign_unknown", campaign=campaign_id)
        chains = verification.verify(connection, campaign_id)
        unapproved = messages.count_unapproved(connection, campaign_id)
        after_reply = attributions.count_steps_after_reply(connection, campaign_id)
        replied = len(campaign_answers.replied(connection, campaign_id))
    broken = next(
        (f"{chain.log}, entry {chain.broken.seq}: {chain.broken.detail}" for chain in chains if chain.broken), ""
    )
    return WhatWasProven(
        counted=ledger_path.exists(),
        delivered=ledger["received"],
        duplicates=ledger["duplicates"],
        missing=ledger["missing"],
        unapproved=unapproved,
        replied=replied,
        after_reply=after_reply,
        entries=sum(chain.length for chain in chains),
        broken=broken,
    )


def _create(workspace: Workspace, leads: Path, key: str) -> str:
    with _read(workspace) as connection:
        number = configuration.count_with(connection, _KEY) + 1
    whose = "" if leads == workspace.settings.data_dir / "practice" / BUNDLED else f" with {leads.name}"
    return workspace.commands().campaigns.create_on_practice(
        f"Rehearsal {number}{whose}", GOAL, Settings(topic=TOPIC), extra=[ConfigSet(_KEY, value=key)]
    )


def _find(workspace: Workspace, key: str) -> str | None:
    with _read(workspace) as connection:
        campaign_ids = configuration.campaigns_with(connection, _KEY, key)
    # Another device's goes on here when it is started by name, not by chance.
    return next(
        (
            id_
            for id_ in campaign_ids
            if _config(workspace, id_, _NETWORK) is None or ledger_of(workspace, id_).exists()
        ),
        None,
    )


def network_id(ledger: Path) -> str:
    """Which practice network this is, of all that the devices of a user have for one campaign.

    A new ledger is a new one, and so is a copied folder on another machine. Raises `practice_failed`.
    """
    noted = ledger.with_suffix(".network")
    try:
        if not ledger.exists() or not noted.exists():
            noted.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(noted, secrets.token_hex(8).encode())
        mark = noted.read_text("ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise OutriderError("practice_failed", detail=error) from error
    return hashlib.sha256(f"{mark}:{machine_identity()}".encode()).hexdigest()[:16]


def _has_moved(workspace: Workspace, campaign_id: str, local_network: str, ledger: Path) -> bool:
    """Whether another device's practice network was the latest to receive something."""
    latest = _config(workspace, campaign_id, _NETWORK)
    if latest is None and ledger.exists():
        return False
    with _read(workspace) as connection:
        return latest != local_network and turns.has_own_turn(connection, campaign_id)


def _note_network(workspace: Workspace, campaign_id: str, local_network: str, now: int) -> None:
    # In the campaign's own log, before whatever the network receives: so the next device knows whose network that was.
    latest = _config(workspace, campaign_id, _NETWORK)
    if latest != local_network:
        event = (
            ConfigSet(_NETWORK, value=local_network) if latest is None else ConfigChanged(_NETWORK, value=local_network)
        )
        workspace.journal.record(campaign_id, events=[event], actor="controller", cause="practice network", at=now)


def _restore(workspace: Workspace, network: PracticeClient, campaign_id: str) -> None:
    with _read(workspace) as connection:
        contacts = messages.past_contacts(connection, campaign_id)
    people = [
        {
            "slug": _slug(profile_url),
            "connected_at": connected_at,
            "past": [
                {"kind": contact.kind, "at": contact.at, "text": contact.text} for contact in past if contact.kind
            ],
        }
        for (profile_url, connected_at), past in groupby(
            contacts, key=lambda contact: (contact.profile_url, contact.connected_at)
        )
        if profile_url
    ]
    for start in range(0, len(people), _PEOPLE_A_REQUEST):
        network.post_control("histories", people[start : start + _PEOPLE_A_REQUEST])


def _config(workspace: Workspace, campaign_id: str, name: str) -> str | None:
    with _read(workspace) as connection:
        return configuration.campaign_value(connection, campaign_id, name)


def _jump(workspace: Workspace, network: PracticeClient, campaign_id: str, now: int, ahead: int) -> None:
    # Durable first: after a crash time goes on from here and never back.
    event = ConfigChanged(CLOCK_AHEAD, value=str(ahead))
    workspace.journal.record(campaign_id, events=[event], actor="controller", cause="rehearsal clock", at=now)
    network.post_control("clock", {"now": now})


@contextmanager
def _enrolling(
    workspace: Workspace, network: PracticeClient, campaign_id: str, noted: Path, *, remembers: bool
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
            leads = str(sum(lead_queries.lead_counts(connection, campaign_id).values()))
            already_enrolled = remembers and noted.exists() and noted.read_text("ascii") == leads
            profiles = [] if already_enrolled else lead_queries.profiles(connection, campaign_id)
        _enrol(network, (profile._asdict() for profile in profiles))
        try:
            noted.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            replace_file(noted, leads.encode())
        except OSError as error:
            raise OutriderError("practice_failed", detail=error) from error
        yield
    finally:
        unsubscribe()


def _enrol(network: PracticeClient, leads: Iterable[Mapping[str, Any]]) -> None:
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
        network.post_control("people", people[start : start + _PEOPLE_A_REQUEST])


def _slug(profile_url: str) -> str:
    return unquote(urlsplit(profile_url).path).rstrip("/").rpartition("/")[2]


def _read(workspace: Workspace) -> Any:
    return workspace.database.read()
