"""Every proposer keeps the port's promise: a string, or `proposer_unavailable`, and nothing else whatever it is shown."""

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.turn.proposals import Rejection, parse
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.ports.proposer import Proposer
from tests.fakes.campaign import Noted, Stage
from tests.fakes.hostile import HostileProposer, World
from tests.fakes.proposers import MockProposer, StubProposer

NOBODY = World((), ("01LEAD",), (), (), ("01THEIRTASK",), ("01THEIRLEAD",), ("01THEIRMESSAGE",))

PROPOSERS: dict[str, Callable[[], Proposer]] = {
    "scripted": ScriptedProposer,
    "mock": lambda: MockProposer(["", "\ud800", lambda snapshot: snapshot.to_json()] * 10),
    "stub": StubProposer,
    "hostile": lambda: HostileProposer(7, lambda: NOBODY),
}


@pytest.fixture(scope="module")
def snapshots() -> Iterator[list[Snapshot]]:
    """Every snapshot of a whole small campaign."""
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(Path(folder))
        shown: list[Snapshot] = []
        stage.run(stage.campaign(3), proposer=Noted(ScriptedProposer(), shown.append))
        stage.close()
        yield shown


@pytest.fixture(params=PROPOSERS)
def proposer(request: pytest.FixtureRequest) -> Proposer:
    return PROPOSERS[request.param]()


def test_it_has_a_name(proposer: Proposer) -> None:
    assert proposer.name
    assert proposer.name.isidentifier()


def test_it_answers_with_text_or_says_that_it_is_unavailable(proposer: Proposer, snapshots: list[Snapshot]) -> None:
    assert len(snapshots) > 20
    for snapshot in snapshots:
        try:
            raw = proposer.propose(snapshot)
        except OutriderError as error:
            assert error.code == "proposer_unavailable"  # noqa: PT017
            assert error.sentence + error.remedy  # noqa: PT017
        else:
            assert isinstance(raw, str)


def test_it_leaves_the_snapshot_as_it_was(proposer: Proposer, snapshots: list[Snapshot]) -> None:
    before = [snapshot.to_json() for snapshot in snapshots]
    for snapshot in snapshots:
        try:
            proposer.propose(snapshot)
        except OutriderError:
            continue
    assert [snapshot.to_json() for snapshot in snapshots] == before


def test_whatever_it_answers_the_controller_can_parse_or_refuse(proposer: Proposer, snapshots: list[Snapshot]) -> None:
    for snapshot in snapshots:
        try:
            raw = proposer.propose(snapshot)
        except OutriderError:
            continue
        parsed = parse(raw)
        assert isinstance(parsed, Rejection) or parsed.type


def test_two_of_a_kind_answer_alike(snapshots: list[Snapshot]) -> None:
    for make in (PROPOSERS["scripted"], PROPOSERS["mock"], PROPOSERS["hostile"]):
        first, other = make(), make()
        assert [first.propose(each) for each in snapshots[:25]] == [other.propose(each) for each in snapshots[:25]]


def test_the_scripted_one_has_no_memory(snapshots: list[Snapshot]) -> None:
    proposer = ScriptedProposer()
    forwards = [proposer.propose(snapshot) for snapshot in snapshots]
    backwards = [proposer.propose(snapshot) for snapshot in reversed(snapshots)]
    assert forwards == backwards[::-1]
    assert vars(proposer) == {}


def test_the_scripted_one_is_always_well_formed_and_about_the_task_in_focus(snapshots: list[Snapshot]) -> None:
    for snapshot in snapshots:
        raw = ScriptedProposer().propose(snapshot)
        assert not isinstance(parse(raw), Rejection)
        assert json.loads(raw)["task_id"] == snapshot.focus.task.id


def test_the_stub_says_why_and_what_to_do(snapshots: list[Snapshot]) -> None:
    with pytest.raises(OutriderError) as error:
        StubProposer().propose(snapshots[0])
    assert error.value.code == "proposer_unavailable"
    assert error.value.sentence == "The model gave no answer: no model is set up."
    assert error.value.remedy


def test_the_mock_gives_its_replies_in_order_remembers_what_it_saw_and_then_ends(snapshots: list[Snapshot]) -> None:
    mock = MockProposer(["one", lambda snapshot: snapshot.focus.task.id])
    assert mock.propose(snapshots[0]) == "one"
    assert mock.propose(snapshots[1]) == snapshots[1].focus.task.id
    with pytest.raises(OutriderError, match="proposer_unavailable"):
        mock.propose(snapshots[2])
    assert mock.seen == snapshots[:3]


def test_the_hostile_one_says_what_it_expects_and_other_seeds_do_other_things(snapshots: list[Snapshot]) -> None:
    first, other = HostileProposer(1, lambda: NOBODY), HostileProposer(2, lambda: NOBODY)
    answers = [(first.propose(each), first.expected) for each in snapshots]
    assert all(expected for _, expected in answers)
    assert [raw for raw, _ in answers] != [other.propose(each) for each in snapshots]
