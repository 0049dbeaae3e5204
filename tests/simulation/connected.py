"""A program that is connected (MCP): asks, proposes, summons servitors and dismisses them, sometimes with nonsense."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from backend.domain.leads.blueprints import blueprint_for
from backend.domain.turn.commitments import SqlHolds
from backend.domain.values.errors import OutriderError
from backend.mcp import tools
from tests.simulation.oracle import Violation
from tests.stored_rows import all_rows, first_row

if TYPE_CHECKING:
    from tests.simulation.machine import Launch
    from tests.simulation.world import World

MAY_BE_TOLD = frozenset({
    "campaign_not_active", "campaign_archived", "campaign_unknown", "mcp_arguments", "mcp_tool_unknown", "proposal_rejected",
    "proposals_rejected", "proposals_waiting", "servitor_name_taken", "servitor_unknown", "servitor_without_campaign",
    "setting_invalid",
})  # fmt: skip
"""What a program may hear instead of an answer, beside what is wrong with the disk."""
QUERIES = (
    "SELECT count(*) FROM leads WHERE campaign_id=:campaign AND status='unheard of'",
    "SELECT count(*) FROM messages WHERE campaign_id=:campaign",
    "SELECT count(*) FROM event_log",
    "DELETE FROM leads",
)
"""What the user makes a condition of a servitor's end: true, mostly not, and refused."""
STEPS = (("invite", 1), ("hello", 2), ("again", 3))
_SERVITORS = (
    "SELECT id FROM tasks WHERE campaign_id=? AND source='servitor' AND status {} ('done', 'cancelled') ORDER BY id"
)
_PROMISES = (
    "SELECT t.description, c.status='passed' AND (json_extract(c.params, '$.type') <> 'artifact_exists'"
    " OR EXISTS (SELECT 1 FROM artifacts a WHERE a.campaign_id = t.campaign_id AND a.artifact_type='note'"
    " AND a.artifact_key = json_extract(c.params, '$.artifact_key'))) FROM tasks t JOIN commitments c ON c.task_id = t.id"
    " WHERE t.source='servitor' AND t.status='done' AND c.status<>'withdrawn'"
)
_ADDED = "SELECT id FROM commitments WHERE task_id=? AND source='user' AND status<>'withdrawn' ORDER BY id"


class Program:
    """One that is connected to a launch."""

    def __init__(self, launch: "Launch") -> None:
        self._launch, self._world = launch, launch.device.world
        self._context = tools.McpContext(launch.journal, lambda _: launch.device.clock)

    def whim(self) -> None:
        """One call, or the user demands more of a servitor; runs within the launch."""
        if self._world.chance.random() < 0.15:
            self._demand()
            return
        name = self._world.chance.choice((*tools.TOOLS, "propose", "propose", "summon_servitor", "send_message"))
        self._call(name, self._arguments(name))

    def end_servitors(self) -> None:
        """Those that are not done, so that the campaign can end."""
        for servitor in self._ids(_SERVITORS.format("NOT IN")):
            self._call("dismiss_servitor", {"id": servitor})

    def _demand(self) -> None:
        """The user adds a condition, and takes it back the next time."""
        servitors = self._ids(_SERVITORS.format("NOT IN"))
        if servitors:
            promise = SqlHolds(type="sql", select=self._world.chance.choice(QUERIES), expected=0)
            added = self._launch.database.query(first_row, _ADDED, servitors[0])
            user_tasks = self._launch.commands().tasks
            if added is None:
                user_tasks.add_commitment(self._world.campaign_id, servitors[0], promise)
            else:
                user_tasks.remove_commitment(self._world.campaign_id, servitors[0], added[0])

    def _call(self, name: str, arguments: Mapping[str, Any]) -> None:
        launch, world = self._launch, self._world
        tool, before = tools.TOOLS.get(name), launch.database.version()
        try:
            tools.call(self._context, name, arguments)
        except OutriderError as error:
            if error.code not in MAY_BE_TOLD and not error.code.startswith("database_"):
                world.judge_broken(f"{launch.name}: {name} is answered with {error.code}: {error.sentence}")
            return
        if tool is None or (tool.read_only and launch.database.version() != before):
            world.judge_broken(f"{launch.name}: {name} was carried out, or wrote something")
        world.tell(f"{launch.name}: a program calls {name}")

    def _arguments(self, name: str) -> dict[str, Any]:
        chance, campaign = self._world.chance, self._world.campaign_id
        if chance.random() < 0.1:
            return {"campaign": chance.choice(("", "another", campaign)), "key": "'; DROP TABLE leads; --"}
        match name:
            case "campaign_status":
                return {"campaign": campaign}
            case "search_artifacts":
                return {"campaign": campaign, "words": chance.choice(("", "note", "talk before"))}
            case "why":
                return {"campaign": campaign, "lead": self._lead()}
            case "summon_servitor":
                return {"campaign": campaign, "assignment": chance.choice(("", "look after the silent ones"))}
            case "dismiss_servitor":
                return {"id": chance.choice(self._ids(_SERVITORS.format("NOT IN")) or ["nobody"])}
            case "propose":
                return {"campaign": campaign, "key": f"{chance.randrange(100)}", **self._proposal()}
        return {}

    def _proposal(self) -> dict[str, Any]:
        chance = self._world.chance
        how = chance.choice(("text", "note", "report", "rules"))
        if how == "text":
            step, number = chance.choice(STEPS)
            text = f"step {number}: Hi, a program wrote this"
            return {"type": "generate_message", "params": {"lead_id": self._lead(), "step": step, "text": text}}
        if how == "rules":
            rules = blueprint_for("rank the CTOs in fintech", ()).model_dump(mode="json")
            return {"type": "analyze_leads", "params": {"blueprint": rules}}
        promised = self._ids(
            "SELECT json_extract(params, '$.artifact_key') FROM commitments WHERE campaign_id=? ORDER BY id"
        )
        keys = [key for key in promised if key] if how == "report" else []
        note = {"artifact_type": "note", "artifact_key": chance.choice(keys or ["program"]), "content": "All is well."}
        return {"type": "persist_artifact", "params": note}

    def _lead(self) -> str:
        return str(
            self._world.chance.choice(self._ids("SELECT id FROM leads WHERE campaign_id=? ORDER BY id") or ["nobody"])
        )

    def _ids(self, sql: str) -> list[str]:
        return [row[0] for row in self._launch.database.query(all_rows, sql, self._world.campaign_id)]


def check_servitors(world: "World") -> None:
    """None is done without what it promised."""
    for device in world.devices:
        with device.launch.database.read() as connection:
            for description, is_kept in connection.execute(_PROMISES):
                if not is_kept:
                    raise Violation(f"{device.name}: {description!r} is done without what it promised")
