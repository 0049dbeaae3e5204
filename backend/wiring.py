"""The only file that names concrete adapters: from settings to a workspace, from a workspace to something that runs."""

import platform
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from backend import processes
from backend.assistant.bounded import Bounded
from backend.assistant.loop import ContinuationLoop
from backend.clocks import SystemClock
from backend.controller import papers
from backend.controller.billing import allowance
from backend.controller.commands import Commands
from backend.controller.executor import Boundary
from backend.controller.key_commands import KeyCommands
from backend.controller.loop import TurnLoop
from backend.controller.presence import Presence
from backend.controller.runner import Runner
from backend.controller.tool_gateway import ToolGateway
from backend.controller.turnstile import Turnstile
from backend.credentials.device_key import DeviceKey
from backend.credentials.environment import Environment
from backend.credentials.keychain import Keychain
from backend.credentials.sealed_files import SealedFolder
from backend.credentials.vault import SealedVault
from backend.domain.connection import Connection, Trial
from backend.domain.errors import OutriderError
from backend.domain.request import MOST_SECONDS
from backend.domain.skill import SkillFolder
from backend.identity import SystemIds
from backend.instance import InstanceLock
from backend.leadfiles import LeadFile, guess, read_leads, table_header
from backend.leadfiles.layout import EMAIL
from backend.leadfiles.profile_url import normalise_profile_url
from backend.llm.connected import ConnectedProposer
from backend.llm.listening import Surroundings
from backend.llm.trial import try_out
from backend.outgoing import OutgoingCalls
from backend.ports.authority import Authority
from backend.ports.clock import Clock
from backend.ports.credentials import ModelKeys
from backend.ports.outgoing import Allowed, Outgoing, Register
from backend.ports.proposer import Proposer
from backend.ports.sealed import SealedFiles
from backend.ports.site import Site
from backend.ports.standing import Standing
from backend.settings import TABLE, AppSettings
from backend.skills.chosen import source_of
from backend.skills.shipped import BuiltinSource
from backend.store import outgoing_calls, reading
from backend.store.database import Database
from backend.store.journal import Journal
from backend.store.replica import Project
from backend.supabase.account import Account
from backend.sync.engine import Engine
from backend.sync.state import State
from backend.sync.tenure import Device
from backend.tools.blobs import BlobStore
from backend.tools.evidence import EvidenceStore
from backend.tools.no_site import NoSite

__all__ = [
    "LeadFile",
    "Workspace",
    "blob_store",
    "connected_proposer",
    "continuation",
    "device_name",
    "evidence_store",
    "guessed_columns",
    "lead_file",
    "member_key",
    "open_workspace",
    "practice_profile",
    "practice_site",
    "runner",
    "ship_skills",
    "skill_folder",
    "sole_instance",
    "supabase_account",
    "sync_engine",
    "try_model",
    "write_papers",
]

PRACTICE_SETTLE_SECONDS = 1.0
"""How long a request to the practice network may still be under way after its answer was lost."""


@dataclass(frozen=True)
class Workspace:
    """An open data folder: everything that can be read and decided without running a campaign."""

    settings: AppSettings
    database: Database
    journal: Journal
    outgoing: OutgoingCalls
    sealed: SealedFiles
    keys: KeyCommands
    turnstile: Turnstile = field(default_factory=Turnstile)

    def commands(self, clock: Clock | None = None, actor: str = "user") -> Commands:
        """What a user may decide."""
        return Commands(self.journal, clock or SystemClock(), actor)

    def close(self) -> None:
        """Have the register kept, and close the database."""
        self.outgoing.close()
        self.database.close()


@contextmanager
def open_workspace(settings: AppSettings) -> Iterator[Workspace]:
    """The data folder's database, opened and brought up to date; `database_*` errors."""
    database = Database(settings.database)
    journal, earlier = Journal(database, SystemIds()), Keychain()
    device = DeviceKey(settings.data_dir / "sealed", earlier)
    sealed = SealedFolder(device)
    vault, given = SealedVault(device, sealed), Environment(processes.with_keys())
    keys = KeyCommands(journal=journal, clock=SystemClock(), vault=vault, given=given, earlier=earlier)
    workspace = Workspace(settings, database, journal, _outgoing(database), sealed, keys)
    try:
        yield workspace
    finally:
        workspace.close()


def _outgoing(database: Database) -> OutgoingCalls:
    def listed() -> list[Allowed]:
        with database.read() as connection:
            return outgoing_calls.listed(connection)

    def keep(rows: Sequence[Register]) -> None:
        with database.write() as connection:
            outgoing_calls.add(connection, rows)

    return OutgoingCalls(SystemClock(), listed, keep)


def device_name() -> str:
    """What this machine is called, for the user's other devices."""
    return platform.node()[:80] or "This computer"


def supabase_account(workspace: Workspace, url: str, public_key: str) -> Account:
    """A project, and who is signed in to it here. Raises `project_address_refused` and `project_key_secret`."""
    return Account(url, public_key, workspace.outgoing, workspace.sealed)


def sync_engine(
    workspace: Workspace,
    project: Project,
    connect: Callable[[], Authority],
    *,
    on_change: Callable[[State], None],
    on_wanted: Callable[[str], None],
    used: Callable[[], bool],
) -> Engine:
    """What brings both stores into step, not begun yet."""
    return Engine(
        workspace.journal,
        blob_store(workspace.settings),
        Device(project.device_id, project.device_name),
        SystemClock(),
        connect=connect,
        turn=workspace.turnstile.turn,
        chance=random.random,
        on_change=on_change,
        on_wanted=on_wanted,
        used=used,
    )


def sole_instance(settings: AppSettings) -> InstanceLock:
    """The lock under which turns may run."""
    return InstanceLock(settings.data_dir)


def lead_file(path: Path, mapping: Mapping[str, str] | None = None) -> LeadFile:
    """A lead file, recognised, or read by a mapping of fields to columns; `lead_file_*` errors."""
    return read_leads(path, mapping)


def guessed_columns(path: Path) -> tuple[tuple[str, ...], dict[str, str]]:
    """The header of a table that is not recognised, and which of its columns are probably which fields."""
    header = table_header(path)
    return header, guess(header)


def skill_folder(path: Path) -> SkillFolder:
    """The skill that the user chose: a folder, a zip or the document alone; `skill_source_*` errors."""
    return next(source_of(path).folders())


def ship_skills(workspace: Workspace) -> None:
    """Bring the built-in skills of an open workspace up to date; for whoever holds the data folder."""
    workspace.commands(actor="controller").skills.ship(BuiltinSource().folders())


def practice_profile(settings: AppSettings) -> Path:
    """Where the practice network's browser keeps its profile."""
    return settings.data_dir / "browser" / "practice"


def member_key(person: str) -> str | None:
    """Who is meant by the address of a profile or an e-mail address, spelled as imported leads are; None: nobody."""
    given = person.strip()
    if "@" in given and not given.lower().startswith("http"):
        return given.lower() if EMAIL.fullmatch(given) else None
    return normalise_profile_url(given)


def evidence_store(settings: AppSettings) -> EvidenceStore:
    """Where what was seen is kept."""
    return EvidenceStore(settings.data_dir / "evidence")


def blob_store(settings: AppSettings) -> BlobStore:
    """Where artifacts are kept that are no small text."""
    return BlobStore(settings.data_dir / "artifacts")


def write_papers(workspace: Workspace, campaign_id: str) -> Path:
    """Write the campaign's files for people again; the folder that they are in. Raises `campaign_unknown`, `export_failed`."""
    with workspace.database.read() as connection:
        files = papers.written(connection, campaign_id, [setting.variable for setting in TABLE])
    folder = workspace.settings.data_dir / "campaigns" / campaign_id
    papers.write(folder, files)
    return folder


def practice_site(settings: AppSettings, base_url: str, *, headless: bool) -> Site:
    """The practice network in a real browser, in a profile of its own."""
    # Only a run needs a browser; importing its driver takes longer than everything else together.
    from backend.tools.browser import BrowserSession  # noqa: PLC0415
    from backend.tools.sites.practice import PracticeSite  # noqa: PLC0415

    executable = Path(settings.browser) if settings.browser else None
    session = BrowserSession("practice", practice_profile(settings), base_url, headless=headless, executable=executable)
    return PracticeSite(session, base_url, evidence_store(settings))


def runner(
    workspace: Workspace,
    site: Site,
    clock: Clock,
    presence: Presence,
    *,
    proposer: Proposer | None = None,
    settle_seconds: float = PRACTICE_SETTLE_SECONDS,
    boundary: Boundary = lambda _: None,
    standing: Standing | None = None,
) -> Runner:
    """Everything that a campaign needs to run; what it names proposes, unless another is given."""
    gateway = ToolGateway(site, settle_seconds, time.sleep, clock.ticks)

    def stopped() -> bool:  # the runner says so once it runs
        return loop.stopped()

    proposes = proposer or connected_proposer(workspace, stopped)
    turnstile = workspace.turnstile
    loop = TurnLoop(
        workspace.journal,
        proposes,
        gateway,
        clock,
        presence,
        boundary=boundary,
        turnstile=turnstile,
        standing=standing,
    )
    return Runner(loop)


def continuation(
    workspace: Workspace,
    clock: Callable[[], Clock],
    presence: Presence,
    *,
    proposer: Proposer | None = None,
    on_text: Callable[[str, int, str, bool], None] = lambda *_: None,
    on_step: Callable[[str, int, str], None] = lambda *_: None,
    boundary: Boundary = lambda _: None,
) -> ContinuationLoop:
    """What works on one request of the user; it reaches no site. `clock` is asked anew for each turn."""
    over = threading.Event()
    bounded = Bounded(proposer or connected_proposer(workspace, over.is_set), MOST_SECONDS, over=over)

    def turns() -> TurnLoop:
        now = clock()
        gateway = ToolGateway(NoSite(), 0.0, time.sleep, now.ticks)
        turnstile = workspace.turnstile
        loop = TurnLoop(workspace.journal, bounded, gateway, now, presence, boundary=boundary, turnstile=turnstile)
        loop.on_text, loop.on_step = on_text, on_step
        return loop

    return ContinuationLoop(turns, bounded, lambda: workspace.commands(clock()).requests)


def connected_proposer(
    workspace: Workspace, stopped: Callable[[], bool] = lambda: False, keys: ModelKeys | None = None
) -> ConnectedProposer:
    """Whatever each campaign names; `stopped` ends a reply that is under way."""
    database = workspace.database

    def find(connection_id: str) -> Connection:
        with database.read() as connection:
            found = reading.model_connection(connection, connection_id)
        if found is None:
            raise OutriderError("model_unknown", connection=connection_id)
        return found

    around = Surroundings(chance=random.random, stopped=stopped)
    budget = partial(allowance, database)
    return ConnectedProposer(find, keys or workspace.keys, workspace.outgoing, budget, around)


def try_model(connection: Connection, keys: ModelKeys, outgoing: Outgoing) -> Trial:
    """One tiny real call."""
    return try_out(connection, keys, outgoing, Surroundings(chance=random.random))
