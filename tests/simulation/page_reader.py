"""The page that reads: any endpoint at any moment, about whatever is there. Each must answer, and nothing may be written by it."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from enum import StrEnum
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from pydantic_core import to_json

from backend.adapters.sandbox.builtin_scripts import builtin_source
from backend.api.app import NOUNS
from backend.api.exports import Export
from backend.api.server.endpoint import Endpoint
from backend.api.server.services import Services
from backend.api.today import TodayQuery
from backend.commands.user_commands import Commands
from backend.domain.model.task import NEVER
from backend.domain.turn.agent_questions import APPROVE_BLUEPRINT, APPROVE_SCRIPT
from backend.domain.turn.assumption import Assumption
from backend.domain.values.errors import OutriderError
from backend.ports.clock import Clock
from backend.runtime.copies.proofs import LogProofs
from backend.runtime.copies.restoring import RestoreService
from backend.runtime.copies.time_travel import PastProgress, TimeTravel
from backend.runtime.feed.feed_messages import RunState
from backend.runtime.run.dry_run import DryRuns
from backend.store.database import DatabaseConnection
from tests.simulation.app import AppBackground
from tests.simulation.kept_files import blobs_of

if TYPE_CHECKING:
    from tests.simulation.machine import Launch

ABOUT_THE_MACHINE = frozenset({
    "session.view", "settings.view", "settings.browsers", "egress.view", "connect.view", "keys.view", "models.key", "models.view",
    "backup.export", "evidence.file", "sync.schema", "sync.view", "runs.proven",
})  # fmt: skip
"""Not asked: what is no part of a world, such as browsers, keys, programs that connect, and pictures."""
LOOKS = tuple(
    endpoint
    for noun in NOUNS
    for endpoint in noun.endpoints
    if endpoint.method == "GET"
    and endpoint.name not in ABOUT_THE_MACHINE
    and not (endpoint.query is not None and "ticket" in endpoint.query.model_fields)  # about a file that was chosen
)
NEEDS_KIND = {"scripts.state": "scripts", "agents.view": "agents"}
"""What can be looked at only in a world of that kind."""
NOT_IN_WORLD = {
    "soul.version": "nobody writes one",
    "skills.view": "none is installed",
    "do_not_contact.undo_forecast": "nobody imports a file of whom not to contact",
}
"""What is looked at, and is not there in any world, by why; every other variable of an address is filled."""
EXPECTED = frozenset({
    "signer_unavailable", "past_on_its_way", "not_sent_by_hand", "import_header_unknown",
    "campaign_not_active", "campaign_unknown", "turn_unknown", "script_result_erased",
})  # fmt: skip
"""What the page may be told instead of an answer."""
NO_DRY_RUN = EXPECTED | {"campaign_archived", "campaign_empty"}
"""And instead of a dry run: nothing is done with a campaign in the archive, nor with one whose last lead was moved to another."""
SIGNS = frozenset({"proof.export"})
"""What is asked for here is signed before it is given away."""
TELLS_EVENTS = frozenset({"timeline", "past", "proof"})
"""Nouns that tell events as they are on record."""
AS_IT_WAS = ("leads", "tasks", "messages", "approvals", "input_requests", "artifacts")
"""Tables of which a past at the last event must have the rows of the present."""

_IDS = {
    "lead_id": "SELECT id FROM leads WHERE campaign_id=? ORDER BY id",
    "task_id": "SELECT id FROM tasks WHERE campaign_id=? ORDER BY id",
    "turn": "SELECT number FROM turn_projection WHERE campaign_id=? ORDER BY number",
    "import_id": "SELECT id FROM imports WHERE campaign_id=? ORDER BY id",
    "seq": "SELECT seq FROM event_log WHERE campaign_id=? ORDER BY seq",
    "connection_id": "SELECT id FROM model_connections WHERE ?<>'' ORDER BY id",
    "sha256": "SELECT sha256 FROM artifacts WHERE campaign_id=? AND artifact_type='python_script' ORDER BY id",
    "result_id": "SELECT id FROM artifacts WHERE campaign_id=? AND artifact_type='analysis_result' AND content<>'' ORDER BY id",
    "skill_id": "SELECT id FROM skills WHERE ?<>'' ORDER BY id",
}
ASKED = {
    "scripts.proposed": APPROVE_SCRIPT,
    "scoring.proposed": APPROVE_BLUEPRINT,
    "artifacts.proposed": "save_artifact",
}
"""What kind of question each is about that is asked about one."""
_QUESTIONS = "SELECT id FROM input_requests WHERE campaign_id=? AND kind='{}' AND status='open' ORDER BY id"
_LISTED = "SELECT id FROM do_not_contact_imports WHERE ?<>'' ORDER BY id"
"""Files that were imported into the do-not-contact list."""
_ARTIFACTS = "SELECT artifact_type, artifact_key, version FROM artifacts WHERE campaign_id=? ORDER BY id"


class NotInWorldError(Exception):
    """What an endpoint needs is no part of a world."""


class _Parts(SimpleNamespace):
    """Some of a launch's services."""

    def __getattr__(self, name: str) -> Any:
        raise NotInWorldError(name)


class Page:
    """The page of one launch."""

    def __init__(self, launch: "Launch") -> None:
        self.launch = launch
        background, database = launch.background, launch.database
        if isinstance(background, AppBackground):
            self._past, self._proofs, self._dry_runs = background.past, background.proofs, background.dry_runs
            self._visits: Any = background.visits
        else:
            self._past = TimeTravel(launch.journal, launch.workers)
            self._proofs = LogProofs(database, launch.workers, launch.signer)
            self._dry_runs = DryRuns(database, launch.workers)
            self._visits = _Parts(before=lambda: None)
        kinds = launch.device.world.kinds
        parts: dict[str, Any] = {
            "workspace": _Parts(
                database=database,
                journal=launch.journal,
                clock=launch.device.clock,
                commands=self._commands,
                open_signer=self._open_signer,
            ),
            "run_service": _Parts(
                run_state=self._run_state,
                run_states=lambda: [self._run_state(self._campaign_id)],
                is_running=lambda id_: launch.running and id_ == self._campaign_id,
                clock=lambda _: launch.device.clock,
            ),
            "presence": background.presence,
            "visits": self._visits,
            "record_loss": launch.loss,
            "restoring": RestoreService(database.path, None),
            "send_session": background.send_session,
            "assistant": background.assistant,
            "importer": background.importer,
            "feed": background.feed,
            "sync": background.sync,
            "time_travel": self._past,
            "proving": self._proofs,
            "dry_runs": self._dry_runs,
            "wake_timers": background.timers,
            "evidence": launch.device.pictures.read,
            "blobs": blobs_of(launch.device),
            "builtin_script": builtin_source,
        }
        if "scripts" in kinds:
            parts["scripts"] = background.scripts
        if "agents" in kinds:
            parts["agent_runs"] = background.agents.runs
        missing: dict[str, Any] = {field.name: _Parts() for field in fields(Services) if field.name not in parts}
        self._services = Services(**parts, **missing)

    @property
    def _campaign_id(self) -> str:
        return self.launch.device.world.campaign_id

    @property
    def _chance(self) -> random.Random:
        return self.launch.device.world.chance

    def look(self, endpoints: int) -> None:
        """At so many things, one after the other."""
        for _ in range(endpoints):
            endpoint = self._chance.choice(LOOKS)
            if endpoint.name in SIGNS:
                self.ask(endpoint)
            else:
                with self._nothing_is_written(endpoint.name):
                    self.ask(endpoint)

    def compare_past(self) -> None:
        """The campaign as it was after its last event is the campaign as it is."""
        tables = {table: f"SELECT * FROM {table} WHERE campaign_id=? ORDER BY id" for table in AS_IT_WAS}
        with self.launch.database.read() as connection, self._nothing_is_written("past"):
            last = "SELECT max(seq) FROM event_log WHERE campaign_id=?"
            (seq,) = connection.execute(last, (self._campaign_id,)).fetchone()
            if seq is None:
                return

            def rows(of: DatabaseConnection) -> dict[str, list[Any]]:
                return {table: of.execute(sql, (self._campaign_id,)).fetchall() for table, sql in tables.items()}

            past = self._past.at(self._campaign_id, seq, rows)
            if not isinstance(past, PastProgress) and past != rows(connection):
                self._broken(f"the past after event {seq} is not the present")

    def begin_dry_run(self) -> None:
        """What the next days would bring."""
        days, assumption = self._chance.randint(1, 7), Assumption(self._chance.random(), self._chance.random())
        self._dry_runs.start(self._campaign_id, self.launch.device.clock, days, assumption)

    def begin_proof(self) -> None:
        """Walk over the logs."""
        self._proofs.begin(self._campaign_id)

    def judge(self) -> None:
        """What the walks and runs in the background came to."""
        proof, dry = self._proofs.last(self._campaign_id), self._dry_runs.of(self._campaign_id)
        if not proof.running and (proof.error or any(line.broken for line in proof.chains)):
            self._broken(f"the proof says {proof}")
        if proof.replay is not None and not proof.replay.equal:
            self._broken(f"the proof finds rows that differ: {proof.replay}")
        if dry is not None and dry.error is not None and dry.error.code not in NO_DRY_RUN:
            self._broken(f"the dry run failed: {dry.error}")

    def ask(self, endpoint: Endpoint) -> bytes:
        """What it answers, as the page would get it; b"" where there is nothing to ask about."""
        with self.launch.database.read() as connection:
            arguments = self._variables(connection, endpoint)
            if arguments is None:
                return b""
            if "services" in endpoint._takes():
                arguments["services"] = self._services
            if endpoint.query is not None:
                arguments["query"] = endpoint.query.model_validate_strings(self._query(connection, endpoint.query))
            if "connection" in endpoint._takes():
                arguments["connection"] = connection
            try:
                answer = endpoint.handler(**arguments)
                content = b"".join(answer.chunks) if isinstance(answer, Export) else to_json(answer)
            except NotInWorldError as missing:
                if endpoint.name not in NEEDS_KIND or NEEDS_KIND[endpoint.name] in self.launch.device.world.kinds:
                    self._broken(f"{endpoint.name} is not looked at, for want of {missing}")
                return b""
            except OutriderError as error:
                if not self._is_expected(endpoint, error):
                    self._broken(f"{endpoint.name} is answered with {error.code}: {error.sentence}")
                return b""
        self._tells_of_nobody_erased(endpoint, content)
        if f":{NEVER}".encode() in content and endpoint.noun not in TELLS_EVENTS:
            self._broken(f"{endpoint.name} tells a time that no page can show")
        return content

    def _tells_of_nobody_erased(self, endpoint: Endpoint, content: bytes) -> None:
        """Nothing that is kept beside the database, as a forecast is, names whom it does not name any more."""
        world, device = self.launch.device.world, self.launch.device
        others = {card.name for card in world.people if card.slug not in world.oracle.erased_people}
        for slug, (name, *_) in world.oracle.erased_people.items():
            words = [word for word in (slug, name) if word not in others]
            if any(word.encode() in content for word in words) and not any(
                word in text for _, text in device.words() for word in words
            ):
                self._broken(f"{endpoint.name} still tells of {slug}, who was erased")

    def _is_expected(self, endpoint: Endpoint, error: OutriderError) -> bool:
        world = self.launch.device.world
        deleted = self.launch.device.status(self._campaign_id) == "deleted"
        if error.code == "script_result_unreadable":  # an answer that lost a name is another
            return deleted or bool(world.oracle.erased_people)
        if deleted and error.code.endswith("_unknown"):
            return True
        if error.code == "import_already_undone":  # a world undoes imports, and the page still names them
            return endpoint.name == "imports.undo_forecast"
        if error.code == "artifact_damaged":
            return bool(world.files.spoiled)
        return error.code in EXPECTED or (endpoint.name in SIGNS and error.code.startswith("database_"))

    def _variables(self, connection: DatabaseConnection, endpoint: Endpoint) -> dict[str, Any] | None:
        variables: dict[str, Any] = {}
        names = endpoint.variables()
        for name in names:
            if sql := _statement(endpoint, name):
                values = [row[0] for row in connection.execute(sql, (self._campaign_id,))]
                if not values:
                    return None
                variables[name] = self._chance.choice(values)
        if "campaign_id" in names:
            if not connection.execute("SELECT 1 FROM campaigns WHERE id=?", (self._campaign_id,)).fetchone():
                return None
            variables["campaign_id"] = self._campaign_id
        if "artifact_type" in names:
            artifacts = connection.execute(_ARTIFACTS, (self._campaign_id,)).fetchall()
            if not artifacts:
                return None
            variables |= dict(zip(("artifact_type", "key", "version"), self._chance.choice(artifacts), strict=True))
        if "log" in names:
            variables["log"] = "events"
        if (unknown := names.keys() - variables.keys()) and endpoint.name not in NOT_IN_WORLD:
            self._broken(f"{endpoint.name} is not looked at: nobody gives it {', '.join(sorted(unknown))}")
        return None if unknown else variables

    def _query(self, connection: DatabaseConnection, shape: type[Any]) -> dict[str, str]:
        """Some of its fields, each with something that it may be."""
        fields: dict[str, str] = {}
        for name, declared in shape.model_fields.items():
            kinds = [choice for choice in _choices(declared.annotation) if choice]
            if kinds and self._chance.random() < 0.5:
                fields[name] = str(self._chance.choice(kinds))
        if shape is TodayQuery and self._chance.random() < 0.5:
            row = connection.execute("SELECT 1 FROM campaigns WHERE id=?", (self._campaign_id,)).fetchone()
            fields |= {"campaign": self._campaign_id} if row else {}
        if "limit" in shape.model_fields:
            fields["limit"] = str(self._chance.choice((1, 2, 50)))
        for name in ("text", "search", "words", "name"):
            field = shape.model_fields.get(name)
            if field is not None and (field.is_required() or self._chance.random() < 0.3):
                fields[name] = self._chance.choice(self.launch.device.world.people).name.split()[0]
        return fields

    @contextmanager
    def _nothing_is_written(self, name: str) -> Iterator[None]:
        before = self.launch.database.version()
        yield
        if self.launch.database.version() != before:
            self._broken(f"{name} only reads, and something was written")

    def _run_state(self, campaign_id: str) -> RunState:
        runs = self.launch.running and campaign_id == self._campaign_id
        return RunState(phase="running" if runs else "idle", campaign_id=campaign_id)

    def _commands(self, clock: Clock | None = None, actor: str = "user") -> Commands:
        return Commands(self.launch.journal, clock or self.launch.device.clock, actor)

    def _open_signer(self) -> None:
        if self.launch.signer is None:
            raise OutriderError("signer_unavailable", detail="it signs nothing.")

    def _broken(self, what: str) -> None:
        self.launch.device.world.judge_broken(f"{self.launch.name}: {what}")


def _statement(endpoint: Endpoint, variable: str) -> str:
    """What reads the ids that may stand there; empty if it is no id."""
    if variable == "question_id":
        return _QUESTIONS.format(ASKED[endpoint.name])
    if variable == "import_id" and endpoint.noun == "do_not_contact":
        return _LISTED
    return _IDS.get(variable, "")


def _choices(annotation: Any) -> list[Any]:
    """What a field of that type may be, of those types that say so."""
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return [str(choice) for choice in annotation]
    if annotation is bool:
        return ["true", "false"]
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [choice for part in get_args(annotation) for choice in _choices(part)]
