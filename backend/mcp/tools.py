"""The tools of the MCP server, one table: what a connected program may ask and propose. None approves, sends, or reads a secret."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from backend.commands.client_proposals import MOST_WAITING, ClientProposals
from backend.commands.servitors import ServitorCommands
from backend.domain.model.artifact import ArtifactType
from backend.domain.model.campaign import Campaign
from backend.domain.model.task import TaskStatus
from backend.domain.model.tools import Id, StrictModel
from backend.domain.turn.servitor import LONGEST_ASSIGNMENT, LONGEST_NAME, MOST, STATES
from backend.domain.values.canonical_json import canonical
from backend.domain.values.errors import OutriderError
from backend.ports.clock import Clock
from backend.situation.situations import TurnInputs
from backend.situation.state_of_campaign import needs_of, state_of
from backend.situation.wait_reasons import explain_lead
from backend.store.database import DatabaseConnection
from backend.store.log.journal import Journal
from backend.store.queries.campaign import campaigns, tasks
from backend.store.queries.leads import leads
from backend.store.queries.reports import campaign_overview
from backend.store.queries.turn import artifacts, servitors
from backend.store.queries.turn.artifacts import ArtifactQuery
from backend.store.queries.turn.servitors import ServitorRow

ACTOR = "mcp"
"""The actor in the logs for a connected program."""


@dataclass(frozen=True, slots=True)
class McpContext:
    """What the tools work with; `clock` gives the clock of a campaign."""

    journal: Journal
    clock: Callable[[str], Clock]
    transport: str = "stdio"
    program: str = ""
    """The name that the user gave the program, with its key or where it starts Outrider; "" if none."""
    launch: str = ""
    """This process, which serves one program if it has no name."""
    on_client: Callable[[str, str, str], None] = lambda *_: None
    """Called with the name and version that a program gives itself, and how it is connected."""

    def proposals(self, campaign_id: str) -> ClientProposals:
        """What a program may propose in a campaign."""
        return ClientProposals(self.journal, self.clock(campaign_id), ACTOR, program=self.program, launch=self.launch)

    def servitors(self, campaign_id: str) -> ServitorCommands:
        """What a program may do about servitors."""
        return ServitorCommands(self.journal, self.clock(campaign_id), ACTOR, most_working=MOST_WAITING)


class NoArguments(StrictModel):
    pass


class OneCampaign(StrictModel):
    campaign: Annotated[Id, Field(description="The campaign's id, as list_campaigns gives it.")]


class ArtifactWords(OneCampaign):
    words: Annotated[str, Field(max_length=200, description="Words of its key, type or text.")] = ""
    artifact_type: ArtifactType | None = None


class OneLead(OneCampaign):
    lead: Annotated[Id, Field(description="The lead's id.")]


class NewServitor(StrictModel):
    assignment: Annotated[str, Field(max_length=LONGEST_ASSIGNMENT, description="What it is to do.")] = ""
    name: Annotated[str, Field(max_length=LONGEST_NAME, description="Found if it is left out.")] = ""
    campaign: Annotated[Id, Field(description="Where it works; the newest that goes on if left out.")] | None = None


class OneServitor(StrictModel):
    id: Annotated[Id, Field(description="The servitor's id, as summon_servitor gave it.")]


class NewProposal(OneCampaign):
    key: Annotated[
        str,
        Field(
            min_length=1,
            max_length=100,
            description="Your own, new for each proposal; the same key is the same proposal.",
        ),
    ]
    type: Literal["generate_message", "persist_artifact", "analyze_leads"]
    params: dict[str, Any]


Handler = Callable[[McpContext, Any], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class McpTool:
    """A tool's row. One that is `read_only` changes nothing."""

    name: str
    description: str
    arguments: type[StrictModel]
    carry_out: Handler
    read_only: bool = True


def _list_campaigns(context: McpContext, _: NoArguments) -> dict[str, Any]:
    with context.journal.database.read() as connection:
        return {"campaigns": [_campaign(overview) for overview in campaign_overview.overviews(connection)]}


def _campaign(overview: campaign_overview.CampaignOverview) -> dict[str, Any]:
    fields = overview._asdict()
    del fields["account"]
    return fields


def _campaign_status(context: McpContext, arguments: OneCampaign) -> dict[str, Any]:
    with context.journal.database.read() as connection:
        overview = campaign_overview.overview(connection, arguments.campaign)
        counted: dict[str, int] = {}
        for (_, status), count in tasks.task_counts(connection, arguments.campaign).items():
            counted[status] = counted.get(status, 0) + count
        campaign = campaigns.existing_campaign(connection, arguments.campaign)
        return {
            **_campaign(overview),
            "state": _state(context, connection, campaign),
            "leads_by_status": leads.lead_counts(connection, arguments.campaign),
            "tasks": counted,
        }


def _state(context: McpContext, connection: DatabaseConnection, campaign: Campaign) -> dict[str, Any]:
    clock = context.clock(campaign.id)
    inputs = TurnInputs.at(clock, clock.now(), present=True)
    return state_of(connection, campaign, inputs, needs_of(connection, campaign, inputs)).model_dump(mode="json")


def _search_artifacts(context: McpContext, arguments: ArtifactWords) -> dict[str, Any]:
    query = ArtifactQuery(tuple(arguments.words.split()), arguments.artifact_type or "")
    with context.journal.database.read() as connection:
        campaigns.existing_campaign(connection, arguments.campaign)
        total, newest = artifacts.newest(connection, arguments.campaign, query)
    return {"total": total, "artifacts": [artifact.model_dump(mode="json") for artifact in newest]}


def _why(context: McpContext, arguments: OneLead) -> dict[str, Any]:
    clock = context.clock(arguments.campaign)
    now = clock.now()
    with context.journal.database.read() as connection:
        campaign = campaigns.existing_campaign(connection, arguments.campaign)
        inputs = TurnInputs.at(clock, now, present=False)
        return explain_lead(connection, campaign, inputs, arguments.lead).model_dump(mode="json")


def _propose(context: McpContext, arguments: NewProposal) -> dict[str, Any]:
    commands = context.proposals(arguments.campaign)
    receipt = commands.propose(arguments.campaign, arguments.type, arguments.params, key=arguments.key)
    decide = f"The user decides in Outrider's window, on the screen {receipt.decide_in}. Nothing is done before."
    return {
        "proposal_id": receipt.proposal_id,
        "repeated": receipt.repeated,
        "decide_in": receipt.decide_in,
        "next": decide,
    }


def _summon(context: McpContext, arguments: NewServitor) -> dict[str, Any]:
    campaign_id = arguments.campaign
    if campaign_id is None:
        campaign_id = context.journal.database.query(servitors.newest_open_campaign)
    if campaign_id is None:
        raise OutriderError("servitor_without_campaign")
    return _servitor(context.servitors(campaign_id).summon(campaign_id, arguments.assignment, arguments.name))


def _dismiss(context: McpContext, arguments: OneServitor) -> dict[str, Any]:
    servitor = context.journal.database.query(servitors.servitor_by_id, arguments.id)
    if servitor is None:
        raise OutriderError("servitor_unknown", servitor=arguments.id)
    dismissed = context.servitors(servitor.campaign_id).dismiss(arguments.id)
    return {"dismissed": dismissed.id, "name": dismissed.name}


def _list_servitors(context: McpContext, _: NoArguments) -> dict[str, Any]:
    with context.journal.database.read() as connection:
        all_campaigns = campaign_overview.overviews(connection)
        rows = [row for head in all_campaigns for row in servitors.servitors(connection, head.id, MOST)]
    return {"servitors": [_servitor(row) for row in rows]}


def _servitor(row: ServitorRow) -> dict[str, Any]:
    fields = asdict(row)
    return {**fields, "state": STATES[TaskStatus(fields.pop("status"))]}


TOOLS: Mapping[str, McpTool] = {
    tool.name: tool
    for tool in (
        McpTool(
            "campaign_status",
            "Where one campaign stands: counts of its leads and tasks.",
            OneCampaign,
            _campaign_status,
        ),
        McpTool(
            "dismiss_servitor",
            "End a servitor. It works no more, and what it asked is withdrawn.",
            OneServitor,
            _dismiss,
            read_only=False,
        ),
        McpTool(
            "list_campaigns", "Every campaign, the newest first, and where it stands.", NoArguments, _list_campaigns
        ),
        McpTool(
            "list_servitors",
            "Every servitor and whether it works, is verified or is done.",
            NoArguments,
            _list_servitors,
        ),
        McpTool(
            "propose",
            "Propose a text for a person (generate_message), something to keep (persist_artifact) or other scoring rules"
            " (analyze_leads). It is judged by Outrider's rules, and then the user decides in Outrider's window. No program"
            " can approve or send anything.",
            NewProposal,
            _propose,
            read_only=False,
        ),
        McpTool(
            "search_artifacts",
            "The newest artifacts of a campaign that fit the words.",
            ArtifactWords,
            _search_artifacts,
        ),
        McpTool(
            "summon_servitor",
            "Begin a piece of work in a campaign. The servitor is done when what it promised is verified, not when it says so.",
            NewServitor,
            _summon,
            read_only=False,
        ),
        McpTool(
            "why",
            "How a person stands, what is owed to them next, and what keeps it from being done now.",
            OneLead,
            _why,
        ),
    )
}
"""In the order of their names, which is the order in which they are listed."""


def definitions() -> list[dict[str, Any]]:
    """What `tools/list` says; the same bytes in every launch."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "input_schema": tool.arguments.model_json_schema(),
            "read_only": tool.read_only,
        }
        for tool in TOOLS.values()
    ]


def definitions_digest() -> str:
    """SHA-256 of all that `tools/list` says, so that a changed description is seen to be changed."""
    return hashlib.sha256(canonical(definitions()).encode()).hexdigest()


def call(context: McpContext, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Carry out one call; raises `mcp_tool_unknown`, `mcp_arguments`, and what the tool raises."""
    tool = TOOLS.get(name)
    if tool is None:
        raise OutriderError("mcp_tool_unknown", tool=name[:100])
    try:
        canonical(dict(arguments))
    except (ValueError, RecursionError) as error:  # no number, or deeper than anybody reads
        raise OutriderError("mcp_arguments", tool=name, detail="they are no JSON that can be stored") from error
    try:
        parsed_arguments = tool.arguments.model_validate(dict(arguments))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        detail = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"[:300]
        raise OutriderError("mcp_arguments", tool=name, detail=detail) from error
    return tool.carry_out(context, parsed_arguments)
