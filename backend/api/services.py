"""What the API is handed: everything concrete comes in here, built above the wiring (`backend.live_session`)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from backend.api.auth import LaunchToken
from backend.api.feed import LiveFeed
from backend.api.file_desk import FileDesk
from backend.api.importer import Importer
from backend.api.knock import Knock
from backend.api.looking_back import LookingBack
from backend.api.pairing import Pairing
from backend.api.proving import Proving
from backend.api.wire.diagnostics import Diagnosis
from backend.api.wire.runs import RunState
from backend.api.wire.settings import BrowserFacts, DataFacts, Version
from backend.api.wire.sync import AskCode, EnterCode, ProjectCheck, ProjectView, SignedIn, SignIn, SyncState
from backend.controller.commands import Commands
from backend.controller.context import Surroundings
from backend.controller.key_commands import KeyCommands
from backend.domain.connection import Connection, Trial
from backend.domain.lead_row import LeadRow, RejectedRow
from backend.domain.request import Given
from backend.domain.skill import SkillFolder
from backend.ports.blobs import Blobs
from backend.ports.credentials import ModelKeys
from backend.ports.outgoing import Allowed, Refused
from backend.store.database import Database


class Session(Protocol):
    """The one background runner, and the user's presence."""

    presence_minutes: int
    hidden_browser: bool

    def run_state(self) -> RunState:
        """What it does now."""
        ...

    def start_rehearsal(self) -> str:
        """Start or go on with the bundled rehearsal; a new one when the last is over. Its campaign id."""
        ...

    def start(self, campaign_id: str) -> None:
        """Start or continue, in the background; nothing if it runs already. Raises `run_elsewhere`, `run_not_possible`."""
        ...

    def start_again(self) -> None:
        """What could not begin because another device acts begins now; nothing if there is nothing."""
        ...

    def step(self, campaign_id: str) -> None:
        """One turn in the background, then it is paused. Raises what `start` does, and `turn_in_flight` if it runs."""
        ...

    def stop(self, campaign_id: str) -> None:
        """Stop after the current atomic action; nothing if it does not run. Does not wait."""
        ...

    def seen(self, page: str, idle_ms: int) -> None:
        """The page is visible and was used this long ago."""
        ...

    def hidden(self, page: str) -> None:
        """The page is not visible any more."""
        ...

    def leave(self) -> None:
        """No page is connected any more."""
        ...

    def returned(self) -> None:
        """The user is here and says that what runs may go on."""
        ...

    def close(self) -> None:
        """Stop after the current atomic action and wait for it, within reason."""
        ...

    def surroundings(self, campaign_id: str) -> Surroundings:
        """The time on the campaign's clock, and whether the user is here."""
        ...

    def bring_in(self, campaign_id: str, rows: Iterable[LeadRow | RejectedRow], *, file: str, file_format: str) -> None:
        """Import in the background. Raises `import_running`, `campaign_unknown`, `campaign_completed`."""
        ...

    def commands(self, campaign_id: str) -> Commands:
        """What the user may decide, at the campaign's time."""
        ...

    def clear_profile(self) -> None:
        """Remove the browser's profile. Raises `profile_in_use` while a campaign runs, and `profile_kept`."""
        ...


class Sync(Protocol):
    """The shared store. What people do with it raises `project_…`, `sign_in_…`, `not_attached`."""

    def state(self) -> SyncState:
        """How this machine and the project stand."""
        ...

    def view(self) -> ProjectView:
        """What is attached, and how it stands."""
        ...

    def check(self, url: str, public_key: str) -> ProjectCheck:
        """Look at a project; nothing is kept."""
        ...

    def sign_in(self, given: SignIn) -> SignedIn:
        """With a password; then the project is attached."""
        ...

    def ask_code(self, given: AskCode) -> SignedIn:
        """Have a code mailed."""
        ...

    def enter_code(self, given: EnterCode) -> SignedIn:
        """The code that came."""
        ...

    def sign_out(self) -> None:
        """End this device's session; the project stays attached."""
        ...

    def detach(self) -> None:
        """This store is its own authority again."""
        ...

    def take_over(self) -> None:
        """Whatever begins next asks the device that acts to hand over."""
        ...

    def now(self) -> None:
        """Come into step at once."""
        ...


class Assistant(Protocol):
    """What works on the user's requests, in the background."""

    def say(self, campaign_id: str, text: str, attached: Sequence[Given], *, key: str) -> str:
        """What the user says; the request's id, the same for the same `key`. Raises `campaign_unknown`."""
        ...

    def working(self, campaign_id: str) -> str | None:
        """The request that turns run for now."""
        ...

    def stop(self, campaign_id: str) -> None:
        """No turn follows the one in flight. Does not wait."""
        ...


class Machine(Protocol):
    """What Settings shows of this machine."""

    def data(self) -> DataFacts:
        """The data folder and its room."""
        ...

    def browser(self) -> BrowserFacts:
        """The browser that campaigns run in, and its profile."""
        ...

    def versions(self) -> list[Version]:
        """What is installed."""
        ...

    def examine(self) -> Diagnosis:
        """Every finding of the doctor; takes seconds."""
        ...


class Outgoing(Protocol):
    """Who may be called, and who was refused."""

    def listed(self) -> list[Allowed]:
        """Who may be called now."""
        ...

    def refused(self) -> list[Refused]:
        """Who was refused in this launch, the latest first."""
        ...

    def proxies(self) -> Sequence[str]:
        """The user's own proxies, as "host:port"."""
        ...

    def write(self) -> None:
        """Have what was counted kept."""
        ...


class LeadFormatName(Protocol):
    """A kind of lead file, by its stable name."""

    @property
    def name(self) -> str:
        """Stable."""
        ...


class ReadableLeads(Protocol):
    """A lead file that was recognised; iterating it yields each record once."""

    @property
    def format(self) -> LeadFormatName:
        """What kind it is."""
        ...

    @property
    def encoding(self) -> str:
        """Of its text."""
        ...

    @property
    def delimiter(self) -> str:
        """Between two cells."""
        ...

    @property
    def header(self) -> tuple[str, ...]:
        """The names of its columns."""
        ...

    @property
    def columns(self) -> dict[str, str]:
        """Field -> the column that it is read from."""
        ...

    def __iter__(self) -> Iterator[LeadRow | RejectedRow]:
        """The records, in the order of the file."""
        ...


class LeadFiles(Protocol):
    """What reads lead files."""

    def read(self, path: Path, mapping: Mapping[str, str] | None) -> ReadableLeads:
        """Recognise the file, or read it by a mapping of fields to columns; `lead_file_*` errors."""
        ...

    def guess(self, path: Path) -> tuple[tuple[str, ...], dict[str, str]]:
        """The header of a file that is not recognised, and which of its columns are probably which fields."""
        ...


@dataclass(frozen=True, kw_only=True)
class Services:
    """One launch's services; `authority` is "127.0.0.1:port", known once the server listens.

    `evidence` reads a file of the evidence store, verified against its name; raises `evidence_damaged`. `skill_folder` reads
    the skill that the user chose; raises `skill_source_…`.
    `papers` writes a campaign's files for people and says where; raises `campaign_unknown`, `export_failed`.
    """

    database: Database
    session: Session
    assistant: Assistant
    sync: Sync
    feed: LiveFeed
    token: LaunchToken
    pairing: Pairing
    knock: Knock
    files: FileDesk
    looking_back: LookingBack
    proving: Proving
    machine: Machine
    member_key: Callable[[str], str | None]
    evidence: Callable[[str], bytes]
    blobs: Blobs
    papers: Callable[[str], Path]
    lead_files: LeadFiles
    credentials: ModelKeys
    keys: KeyCommands
    try_model: Callable[[Connection], Trial]
    outgoing: Outgoing
    skill_folder: Callable[[Path], SkillFolder]
    importer: Importer
    page: Path
    version: str
    authority: Callable[[], str]
