"""Connected programs (MCP) and servitors: how a program is connected, who was, what they propose, and what works by itself."""

from collections.abc import Mapping

from pydantic import Field

from backend.api import tasks as task_lines
from backend.api.questions import Question, question
from backend.api.server.auth import MCP, TOKEN_HEADER
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.tasks import Commitment
from backend.commands.client_proposals import SOURCE
from backend.commands.servitors import ServitorCommands
from backend.domain.model.task import TaskStatus
from backend.domain.turn.servitor import MOST, STATES
from backend.domain.values.shapes import Shape
from backend.ports.mcp_hosts import HostConfig
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import questions
from backend.store.queries.reports import campaign_overview
from backend.store.queries.turn import mcp_clients, servitors
from backend.store.queries.turn.mcp_clients import McpClient
from backend.store.queries.turn.servitors import ServitorRow

MOST_SHOWN = 1_000
MOST_PROPOSALS = 100

routes = Routes("connect", "/connect")


class ProgramAccess(Shape):
    """The key of one program, by the name that the user gave it."""

    name: str
    key: str


class HttpAccess(Shape):
    """Where programs of this machine speak MCP over HTTP in this launch, and in which header each shows its key for that."""

    url: str
    header: str
    programs: list[ProgramAccess]


class ProgramName(Shape):
    """A program, as the user calls it."""

    name: str


class ServitorLine(Shape):
    """A servitor: Working, Verifying or what it promised, and what the last verification found."""

    servitor: ServitorRow
    campaign: str
    state: str
    commitments: list[Commitment]


class WaitingProposal(Shape):
    """What a connected program proposes and the user decides."""

    campaign_id: str
    campaign: str
    question: Question


class ConnectView(Shape):
    """All of it; nothing is written before its button is pressed."""

    hosts: list[HostConfig]
    http: HttpAccess
    clients: list[McpClient]
    servitors: list[ServitorLine]
    proposals: list[WaitingProposal]


class ShownConfig(Shape):
    """The file's whole text as the user saw it."""

    shown: str = Field(max_length=1_200_000)


@routes.get()
def view(services: Services, connection: DatabaseConnection) -> ConnectView:
    """What is connected, and what waits."""
    heads = {head.id: head.name for head in campaign_overview.overviews(connection)}
    return ConnectView(
        hosts=services.mcp_hosts.listed(),
        http=HttpAccess(
            url=f"http://{services.authority()}{MCP}",
            header=TOKEN_HEADER,
            programs=[
                ProgramAccess(name=program_key.name, key=program_key.token.value)
                for program_key in services.program_keys.listed()
            ],
        ),
        clients=mcp_clients.listed(connection),
        servitors=servitor_lines(connection, heads),
        proposals=[
            WaitingProposal(campaign_id=campaign_id, campaign=heads[campaign_id], question=question(row))
            for campaign_id, row in questions.open_from_source(connection, SOURCE, MOST_PROPOSALS)
            if campaign_id in heads
        ],
    )


def servitor_lines(connection: DatabaseConnection, campaigns: Mapping[str, str]) -> list[ServitorLine]:
    """The servitors of these campaigns (id -> name): those at work before those that are done."""
    rows = [row for id_ in campaigns for row in servitors.servitors(connection, id_, MOST)]
    rows.sort(key=lambda row: row.status == TaskStatus.DONE)
    del rows[MOST_SHOWN:]
    promised = task_lines.commitments_of(connection, [row.id for row in rows])
    return [
        ServitorLine(
            servitor=row,
            campaign=campaigns[row.campaign_id],
            state=STATES[TaskStatus(row.status)],
            commitments=promised.get(row.id, []),
        )
        for row in rows
    ]


@routes.post("/programs/add")
def add_program(services: Services, body: ProgramName) -> None:
    """Make a key for a program; it ends with this launch. Raises `program_name_invalid` and `program_key_taken`."""
    services.program_keys.add(body.name)


@routes.post("/programs/renew")
def renew_program(services: Services, body: ProgramName) -> None:
    """Give a program another key; the earlier one opens nothing any more. Raises `program_key_unknown`."""
    services.program_keys.renew(body.name)


@routes.post("/programs/revoke")
def revoke_program(services: Services, body: ProgramName) -> None:
    """From now on the program is refused. Raises `program_key_unknown`."""
    services.program_keys.revoke(body.name)


@routes.post("/hosts/<host>/write")
def write(services: Services, host: str, body: ShownConfig) -> None:
    """Write a program's configuration exactly as it was shown, with a copy of what was there; raises `host_…`."""
    services.mcp_hosts.write(host, body.shown)


@routes.post("/hosts/<host>/undo")
def undo(services: Services, host: str) -> None:
    """Put back what was there before; raises `host_config_edited` when Outrider's entry was changed since."""
    services.mcp_hosts.undo(host)


@routes.post("/campaigns/<campaign_id>/servitors/<servitor_id>/dismiss")
def dismiss(services: Services, campaign_id: str, servitor_id: str) -> None:
    """End a servitor; raises `servitor_unknown`."""
    journal, clock = services.workspace.journal, services.clock(campaign_id)
    ServitorCommands(journal, clock).dismiss(servitor_id)
