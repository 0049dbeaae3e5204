"""What the API is handed: everything concrete comes in here, put together in `backend.app.launch`."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from backend.api.server.auth import Caller
from backend.api.server.file_tickets import FileTickets
from backend.api.server.launch_token import LaunchToken
from backend.api.server.pairing import Pairing
from backend.api.server.program_keys import ProgramKeys
from backend.api.server.window_activation import WindowActivation
from backend.commands.keys import KeyCommands
from backend.commands.user_commands import Commands
from backend.domain.model.connection import Connection, ConnectionTest, ModelNames
from backend.domain.people.contact_archive import ContactArchive
from backend.domain.people.do_not_contact_file import DoNotContactRow, Role
from backend.domain.people.lead_row import LeadRow, ReadAs, RejectedRow, UnknownTable
from backend.domain.people.lead_sheet import LeadSheet
from backend.domain.people.past_contact import UnreadHistory
from backend.domain.turn.skill import SkillFolder
from backend.ports.blobs import Blobs
from backend.ports.clock import Clock
from backend.ports.credentials import ModelKeys, Secret
from backend.ports.egress import AllowedHost, RefusedHost
from backend.ports.mcp_hosts import McpHosts
from backend.runtime.copies.proofs import LogProofs
from backend.runtime.copies.record_loss import RecordLoss
from backend.runtime.copies.restoring import RestoreService
from backend.runtime.copies.time_travel import TimeTravel
from backend.runtime.feed.feed import LiveFeed
from backend.runtime.jobs.agent_runs import AgentRuns
from backend.runtime.jobs.agent_tasks import AgentTasks
from backend.runtime.jobs.importer import DoNotContactImporter, Importer
from backend.runtime.jobs.retention import Retention
from backend.runtime.jobs.script_service import ScriptService
from backend.runtime.machine_info import MachineInfo
from backend.runtime.run.assistant import AssistantService
from backend.runtime.run.dry_run import DryRuns
from backend.runtime.run.presence import PagePresence, Visits
from backend.runtime.run.run_service import RunService, turn_inputs
from backend.runtime.run.send_session import SendSession
from backend.runtime.run.wake_timers import WakeTimers
from backend.runtime.sync.sync_service import SyncService
from backend.runtime.workspace import Workspace
from backend.situation.situations import TurnInputs
from backend.store.database import Database

Row_co = TypeVar("Row_co", covariant=True)


class EgressView(Protocol):
    """Who may be called, and who was refused."""

    def listed(self) -> list[AllowedHost]:
        """Who may be called now."""
        ...

    def refused(self) -> list[RefusedHost]:
        """Who was refused in this launch, the latest first."""
        ...

    def proxies(self) -> Sequence[str]:
        """The user's own proxies, as "host:port"."""
        ...

    def write(self) -> None:
        """Have what was counted kept."""
        ...


class ReadableTable(Protocol[Row_co]):
    """A file of people that was recognised; iterating it yields each record once, in the order of the file."""

    @property
    def encoding(self) -> str:
        """Of its text."""
        ...

    @property
    def header(self) -> tuple[str, ...]:
        """The names of its columns; empty for a bare list."""
        ...

    @property
    def sheet(self) -> LeadSheet:
        """Which sheet of a workbook it is."""
        ...

    @property
    def most_rows(self) -> int:
        """No fewer than it has records."""
        ...

    def __iter__(self) -> Iterator[Row_co | RejectedRow]: ...


class LeadFormatName(Protocol):
    """A kind of lead file, by its stable name."""

    @property
    def name(self) -> str:
        """Stable."""
        ...


class ReadableLeads(ReadableTable[LeadRow], Protocol):
    """A lead file that was recognised."""

    @property
    def format(self) -> LeadFormatName:
        """What kind it is."""
        ...

    @property
    def has_headings(self) -> bool:
        """Whether the header stands in the file; if not, its columns are numbered."""
        ...

    @property
    def columns(self) -> dict[str, str]:
        """Field -> the column that it is read from."""
        ...

    @property
    def unread_history(self) -> UnreadHistory:
        """What it may say of that, and nobody can read."""
        ...

    @property
    def read_as(self) -> ReadAs:
        """How it is read, to be kept with its import."""
        ...

    def write_again(self) -> "ReadableLeads":
        """The same people, whoever was in touch with the user before."""
        ...


class ReadableDoNotContactFile(ReadableTable[DoNotContactRow], Protocol):
    """A do-not-contact file that was recognised."""

    @property
    def roles(self) -> Mapping[int, Role]:
        """What the cells of the columns are that are understood."""
        ...


class LeadFiles(Protocol):
    """What reads lead files."""

    def read(
        self, path: Path, mapping: Mapping[str, str] | None, encoding: str | None, sheet: str = ""
    ) -> ReadableLeads:
        """Recognise the file, or read it by a mapping of fields to columns, an encoding or both; `lead_file_*` errors."""
        ...

    def guess(self, path: Path, encoding: str | None, sheet: str = "") -> UnknownTable:
        """A table that is not recognised, with which of its columns are probably which fields; `lead_file_*` errors."""
        ...

    def contacts(self, path: Path, addresses: Collection[str]) -> ContactArchive:
        """What LinkedIn's export says passed with the people of these addresses; `export_*` and `lead_file_*` errors."""
        ...


@dataclass(frozen=True, kw_only=True)
class Services:
    """One launch's services; `authority` is "127.0.0.1:port", known once the server listens.

    `evidence` reads a file of the evidence store, verified against its name; raises `evidence_damaged`; `remove_erased_files`
    removes the files of what is erased. `skill_folder` reads the skill that the user chose; raises `skill_source_…`.
    `builtin_script` has the text of a script that comes with Outrider.
    `program_keys` open the address of connected programs and nothing else; `answer_mcp` answers there the program of that name
    (status, headers, body).
    `delete_campaign` deletes a campaign with its files and says how many log entries lost their words.
    `do_not_contact_file` reads a do-not-contact file (its encoding None: guessed); raises `lead_file_…`.
    `write_campaign_files` writes a campaign's files for people and says where; raises `campaign_unknown`, `export_failed`.
    """

    workspace: Workspace
    run_service: RunService
    presence: PagePresence
    visits: Visits
    record_loss: RecordLoss
    restoring: RestoreService
    send_session: SendSession
    assistant: AssistantService
    sync: SyncService
    feed: LiveFeed
    token: LaunchToken
    program_keys: ProgramKeys
    mcp_hosts: McpHosts
    answer_mcp: Callable[[str, str, Mapping[str, str], bytes], tuple[int, dict[str, str], bytes]]
    pairing: Pairing
    window_activation: WindowActivation
    files: FileTickets
    time_travel: TimeTravel
    wake_timers: WakeTimers
    agent_runs: AgentRuns
    agent_tasks: AgentTasks
    proving: LogProofs
    machine: MachineInfo
    retention: Retention
    member_key: Callable[[str], str | None]
    evidence: Callable[[str], bytes]
    remove_erased_files: Callable[[], None]
    blobs: Blobs
    write_campaign_files: Callable[[str], Path]
    delete_campaign: Callable[[str], int]
    lead_files: LeadFiles
    credentials: ModelKeys
    keys: KeyCommands
    try_model: Callable[[Connection], ConnectionTest]
    list_models: Callable[[Connection, Secret | None], ModelNames]
    outgoing: EgressView
    skill_folder: Callable[[Path], SkillFolder]
    importer: Importer
    do_not_contact_importer: DoNotContactImporter
    do_not_contact_file: Callable[[Path, str | None, str], ReadableDoNotContactFile]
    scripts: ScriptService
    builtin_script: Callable[[str], str | None]
    dry_runs: DryRuns
    page: Path
    authority: Callable[[], str]

    @property
    def database(self) -> Database:
        """The workspace's."""
        return self.workspace.database

    def clock(self, campaign_id: str) -> Clock:
        """The clock that the campaign lives by at this moment; raises `campaign_unknown`."""
        return self.run_service.clock(campaign_id)

    def commands(self, campaign_id: str) -> Commands:
        """What the user may decide, at the campaign's time."""
        return self.workspace.commands(self.clock(campaign_id))

    def turn_inputs(self, campaign_id: str) -> TurnInputs:
        """The time on the campaign's clock, and whether the user is here."""
        return turn_inputs(self.clock(campaign_id), self.presence, self.sync)

    def caller_of(self, shown: str) -> Caller:
        """Who shows this token, and is served accordingly."""
        if self.token.matches(shown):
            return "page"
        return "stranger" if self.program_keys.program(shown) is None else "program"
