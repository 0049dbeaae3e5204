"""A command is a value: what is stored of it, what is read again, and what never gets into a log."""

import inspect
import re
from collections.abc import Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import pytest

import backend.commands.keys  # noqa: F401  its commands enter themselves
from backend.commands.command import (
    COMMANDS,
    Command,
    FromEntities,
    FromEntity,
    FromEvent,
    complete_arguments,
    parse_command,
)
from backend.commands.user_commands import Commands
from backend.domain.events.events import EVENT_KINDS, WORKSPACE, Event
from backend.domain.model.artifact import BY_USER, ArtifactContent, text_content
from backend.domain.model.campaign import CampaignStatus, Limits
from backend.domain.model.connection import Connection
from backend.domain.model.lead import Label
from backend.domain.model.reply_kind import ReplyKind
from backend.domain.model.scoring import NewBlueprint
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.sequence.sequence_change import RequestedSequence
from backend.domain.turn.artifacts import artifact_persisted
from backend.domain.turn.commitments import (
    ArtifactExists,
    CommandSucceeds,
    FileContains,
    FileExists,
    LeadsScored,
    SqlHolds,
)
from tests.fakes.campaign import Stage

ROOT = Path(__file__).parents[2]
REPEATABLE = [name for name, definition in COMMANDS.items() if definition.only is None]
IN_CAUSE = {str, int, bool, NoneType, CampaignStatus, ReplyKind, Label, SessionAsk, Word}
PROMISES = {ArtifactExists, CommandSucceeds, FileContains, FileExists, LeadsScored, SqlHolds}
IN_EVENT = PROMISES | {
    RequestedSequence,
    NewBlueprint,
    ArtifactContent,
    Connection,
    Limits,
    list,
    Mapping,
    Sequence,
    Any,
}
"""What an argument may be: values that hold neither a secret nor the bytes of a file."""


@pytest.mark.parametrize("name", REPEATABLE)
def test_a_command_that_can_be_repeated_is_found_by_its_name(name: str) -> None:
    commands = Commands(None, None)  # type: ignore[arg-type]  # nothing is called
    method = attrgetter(name)(commands)
    assert list(inspect.signature(method).parameters) == list(COMMANDS[name].parameters)


@pytest.mark.parametrize("name", REPEATABLE)
def test_neither_a_secret_nor_the_bytes_of_a_file_are_stored(name: str) -> None:
    for parameter in COMMANDS[name].parameters.values():
        assert _types(parameter.type) <= (IN_CAUSE if parameter.source is None else IN_CAUSE | IN_EVENT)


def test_what_cannot_be_repeated_stores_names_only() -> None:
    stored = {name: definition.only for name, definition in COMMANDS.items() if definition.only}
    assert set(stored) == {"keys.allow", "keys.keep", "keys.forget", "keys.revoke"}
    assert {argument for only in stored.values() for argument in only} == {"name", "device_id"}


def test_the_page_knows_where_every_command_leads() -> None:
    table = (ROOT / "frontend/src/features/settings/sync/conflicts.ts").read_text("utf-8").partition("const LINKS")[2]
    rows = set(re.findall(r'^  "?([a-z_.]+)"?[:,]', table, re.MULTILINE))
    assert {row for row in rows if "." in row} <= COMMANDS.keys()
    linkless = [name for name in COMMANDS if name not in rows and name.partition(".")[0] not in rows]
    assert not linkless, f"add to `LINKS` in conflicts.ts where the page shows {linkless}"


def test_every_command_is_given_by_a_test_of_its_own() -> None:
    """Beside the matrix of conflicts, which gives all of them without looking at what each is for."""
    paths = [path for path in (ROOT / "tests").rglob("*.py") if path.name != "test_command_matrix.py"]
    methods = {method for path in paths for method in re.findall(r"\.(\w+)\(", path.read_text("utf-8"))}
    untested = [name for name in COMMANDS if name.rpartition(".")[2] not in methods]
    assert not untested, f"write a test in tests/commands/test_<noun>.py that gives {untested}"


def test_every_event_that_a_command_names_exists() -> None:
    for definition in COMMANDS.values():
        sources = [parameter.source for parameter in definition.parameters.values()]
        read = [source.kinds for source in sources if isinstance(source, FromEvent | FromEntities | FromEntity)]
        named = {*definition.shows, *(kind for kinds in read for kind in kinds)}
        assert named <= EVENT_KINDS.keys(), definition.name


@pytest.mark.parametrize(
    ("cause", "command"),
    [
        ("scoring.again", Command("scoring.again", {"campaign_id": "c1"})),
        ('review.approve {"message_id":"m1"}', Command("review.approve", {"campaign_id": "c1", "message_id": "m1"})),
        (
            'questions.answer {"campaign_id":"c2","request_id":"q"}',
            Command("questions.answer", {"campaign_id": "c2", "request_id": "q"}),
        ),
        ("t12", None),
        ("import i1", None),
        ("review.approve {", None),
        ("review.approve []", None),
    ],
)
def test_a_cause_names_the_command_or_none(cause: str, command: Command | None) -> None:
    assert parse_command(cause, "c1") == command


def test_a_command_is_written_as_it_is_read() -> None:
    command = Command("leads.note", {"campaign_id": "c1", "lead_id": "l1"})
    assert command.cause("c1") == 'leads.note {"lead_id":"l1"}'
    assert parse_command(command.cause("c1"), "c1") == command
    assert parse_command(command.cause(WORKSPACE), WORKSPACE) == command


def test_a_text_stands_in_the_event_alone() -> None:
    command = Command("leads.note", {"campaign_id": "c1", "lead_id": "l1"})
    noted = Event("LeadNoted", "l1", {"notes": "Met in Leeds."})
    assert complete_arguments(command, [noted]) == {"campaign_id": "c1", "lead_id": "l1", "text": "Met in Leeds."}
    assert complete_arguments(command, [Event("LeadNoted", "l1", {})]) is None  # its payload was erased


def test_what_another_version_wrote_is_not_repeated() -> None:
    status = Command("campaigns.change_status", {"campaign_id": "c1", "target": "sleeping"})
    assert complete_arguments(status, []) is None


def test_content_is_repeated_as_it_was_kept() -> None:
    content = text_content("note", "k", '{"a": 1}')
    event = artifact_persisted(content, "a1", BY_USER, 4, 1)
    command = Command("artifacts.keep", {"campaign_id": "c1", "artifact_type": "note", "key": "k"})
    arguments = complete_arguments(command, [event])
    assert arguments is not None
    assert (arguments["content"], arguments["follows"]) == (content, None)


def test_events_are_recorded_by_a_command_alone(stage: Stage) -> None:
    campaign, handler = stage.campaign(1), stage.commands()
    with stage.journal.transaction() as transaction, pytest.raises(TypeError):
        handler._record(transaction, campaign, [Event("LeadNoted", "l1", {"notes": "x"})])


def _types(annotation: Any) -> set[Any]:
    """The types that an annotation consists of."""
    inner, origin = get_args(annotation), get_origin(annotation)
    if origin is Annotated:
        return _types(inner[0])
    types = {inner_type for part in inner for inner_type in _types(part)}
    if not inner:
        return {annotation}
    return types if origin in (UnionType, Union) else {origin, *types}
