"""Two devices whose shared store answers, now and then, in another shape or with values of other types: a proxy in between, a page
in its place, another version. Each answer is none, and nothing of it is believed or remembered."""

import json
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import pytest

from backend.adapters.supabase import log_codec
from backend.adapters.supabase.auth_session import AuthSession
from backend.adapters.supabase.project import SupabaseProject
from backend.adapters.supabase.shared_store import SupabaseSharedStore
from backend.domain.events.events import EVENT_KINDS, WORKSPACE, Event
from backend.domain.values.errors import OutriderError
from backend.ports.shared_store import Batch, LoggedAudit, LoggedEvent, SharedStoreUnreachableError, StreamHeads
from backend.store.log.chain import link_entries
from tests.fakes.clock import FakeClock
from tests.fakes.shared_store import FakeProject, FakeSharedStore
from tests.runtime.sync.conftest import CAMPAIGN, Machine

VALUES: tuple[Any, ...] = (None, "", "x", -1, 10**30, 1.5, float("nan"), True, [], {}, "AAAA", "\ud800")
SHAPES: tuple[Any, ...] = (None, [], {}, "x", 5, True, [None], [[]], {"message": "no"})


class StrangeProject:
    """The schema's functions over a shared store in memory; as often as `rate` says, the answer is another one."""

    host = "project.test"

    def __init__(self, shared_store: FakeSharedStore, chance: random.Random) -> None:
        self._shared_store, self._chance = shared_store, chance
        self.rate = 0.0

    def rpc(self, function: str, arguments: dict[str, Any], _token: str) -> Any:
        answer = json.loads(json.dumps(self._answer(function, arguments)))
        return self._strange(answer) if self._chance.random() < self.rate else answer

    def _answer(self, function: str, arguments: dict[str, Any]) -> Any:
        store = self._shared_store
        match function:
            case "list_campaigns":
                hashes = ("event_hash", "audit_hash")
                return [
                    head._asdict() | {name: log_codec.encode_bytes(getattr(head, name)) for name in hashes}
                    for head in store.streams()
                ]
            case "append_events":
                events = log_codec.decode_entries(LoggedEvent, arguments["events"])
                audits = log_codec.decode_entries(LoggedAudit, arguments["audits"])
                place, audit_place = arguments["expected_seq"], arguments["expected_audit_seq"]
                batch = Batch(arguments["device_id"], arguments["campaign"], place, (*events,), audit_place, (*audits,))
                return store.append(batch, arguments["fence"])._asdict()
            case "pull_events" | "pull_audits":
                pull = getattr(store, function)
                return log_codec.encode_entries(pull(arguments["campaign"], arguments["after_seq"], arguments["limit"]))
            case "release_lease":
                return store.release_lease(**arguments)
        return getattr(store, function)(**arguments)._asdict()

    def _strange(self, answer: Any) -> Any:
        chance = self._chance
        how = chance.choice(["value", "less", "more", "shape", "reversed", "twice", "half"])
        if isinstance(answer, list) and how in ("reversed", "twice", "half"):
            return {"reversed": answer[::-1], "twice": answer + answer, "half": answer[: len(answer) // 2]}[how]
        row = chance.choice(answer) if isinstance(answer, list) and answer else answer
        if how == "shape" or not isinstance(row, dict):
            return chance.choice(SHAPES)
        name = chance.choice(list(row))
        if how == "less":
            del row[name]
        else:
            row["strange" if how == "more" else name] = chance.choice(VALUES)
        return answer


class SignedIn:
    def token(self) -> str:
        return "token"


def through(shared_store: FakeSharedStore, chance: random.Random) -> tuple[StrangeProject, SupabaseSharedStore]:
    project = StrangeProject(shared_store, chance)
    return project, SupabaseSharedStore(cast(SupabaseProject, project), cast(AuthSession, SignedIn()))


@pytest.mark.parametrize("seed", range(20))
def test_answers_of_another_shape_or_type_are_none_and_leave_nothing_behind(tmp_path: Path, seed: int) -> None:
    chance, clock = random.Random(seed), FakeClock()
    memory = FakeProject(lambda: clock.ticks() / 1e6)
    machines, projects = [], []
    for name in ("Desk", "Laptop"):
        (tmp_path / name).mkdir()
        machine = Machine(tmp_path / name, name, memory, clock)
        project, machine.engine._shared_store = through(machine.shared_store, chance)
        machines.append(machine)
        projects.append(project)
    machines[0].campaign()
    for machine in machines:
        machine.engine.run_round()
    for step in range(10):
        machine = chance.choice(machines)
        machine.configure(f"{machine.name}-{step}", "x")
        machine.record(CAMPAIGN, Event("CampaignEdited", CAMPAIGN, {"goal": f"{step}"}))
        for project in projects:
            project.rate = 0.25
        with suppress(OutriderError), machine.engine.hold_lease(campaign_id=CAMPAIGN):
            machine.engine.push_and_confirm(CAMPAIGN)
            machine.engine.renew()
        machine.engine.run_round()
        for project in projects:
            project.rate = 0.0
        clock.advance(200_000)
    for machine in machines * 3:
        machine.engine.run_round()
    assert [machine.engine.report.state().phase for machine in machines] == ["in_sync", "in_sync"]
    assert machines[0].logs() == machines[1].logs()
    for machine in machines:
        machine.check()
        machine.close()


@pytest.mark.parametrize("value", VALUES, ids=ascii)
@pytest.mark.parametrize("name", ["fence", "device_id", "device_name", "seconds", "wanted_by"])
def test_no_lease_is_believed_that_has_a_value_of_another_type(name: str, value: Any) -> None:
    project, shared_store = through(FakeSharedStore(FakeProject()), random.Random(0))
    lease = shared_store.acquire_lease("desk", "Desk", "desk 1", 60)
    right = type(value) is type(getattr(lease, name)) or (name == "seconds" and type(value) is int)
    possible = right and value in ("", "x", "AAAA", -1, 1.5)
    project.rpc = lambda *_: lease._asdict() | {name: value}  # type: ignore[method-assign]
    if possible:
        assert getattr(shared_store.read_lease("desk 1"), name) == value
        return
    with pytest.raises(SharedStoreUnreachableError, match="in a form of its own"):
        shared_store.read_lease("desk 1")


class _OneAnswer:
    """Says the same to everything; nobody needs to sign in."""

    host = "project.test"

    def __init__(self, answer: object) -> None:
        self._answer = answer

    def rpc(self, *_: object) -> object:
        return self._answer

    def token(self) -> str:
        return ""


HEALTHY: dict[str, Any] = {"schema_version": 1, "bytes": 1, "unprotected": ["public.leads"]}


@pytest.mark.parametrize(
    "answer", [*SHAPES, *(HEALTHY | {name: value} for name in HEALTHY for value in VALUES)], ids=repr
)
def test_a_schema_of_no_version_is_none(answer: object) -> None:
    """It is looked at where no other answer is: in Settings and by the doctor, which would fail on another type."""
    project = _OneAnswer(answer)
    shared_store = SupabaseSharedStore(cast("SupabaseProject", project), cast("AuthSession", project))
    with suppress(SharedStoreUnreachableError):
        health = shared_store.health()
        assert (type(health.version), type(health.bytes)) == (int, int)
        assert all(type(table) is str for table in health.unprotected)


LISTS: dict[str, Callable[[SupabaseSharedStore], object]] = {
    "streams": lambda store: store.streams(),
    "events": lambda store: store.pull_events(CAMPAIGN, 0, 10),
    "audits": lambda store: store.pull_audits(CAMPAIGN, 0, 10),
    "signatures": lambda store: store.pull_signatures(StreamHeads(CAMPAIGN), StreamHeads(CAMPAIGN, 9)),
    "parts": lambda store: store.blob_digests("a" * 64),
}


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("answer", [[], {}, "", None, 0, False], ids=repr)
def test_what_is_empty_in_another_form_does_not_say_that_there_is_nothing(name: str, answer: object) -> None:
    """Of a project without streams a device would push all that it has."""
    project = _OneAnswer(answer)
    shared_store = SupabaseSharedStore(cast("SupabaseProject", project), cast("AuthSession", project))
    if type(answer) is (dict if name == "parts" else list):
        assert not LISTS[name](shared_store)
        return
    with pytest.raises(SharedStoreUnreachableError, match="in a form of its own"):
        LISTS[name](shared_store)


UNREADABLE = {
    "too deep": '{"goal":' + "[" * 100_000 + "]" * 100_000 + "}",
    "deep": '{"goal":' + '{"a":' * 150 + "1" + "}" * 152,
    "cut": '{"goal":',
    "nothing": "",
    "a list": "[]",
    "a number": "5",
    "a number of too many digits": '{"version":' + "9" * 5_000 + "}",
}
KINDS = [
    (CAMPAIGN, "CampaignEdited", CAMPAIGN),
    (CAMPAIGN, "EntriesErased", "erasure-1"),
    (CAMPAIGN, "ArtifactPersisted", "artifact-1"),
    (WORKSPACE, "SigningKeyIntroduced", "key-1"),
    (WORKSPACE, "DoNotContactAdded", "listed-1"),
]


UNREADABLE_ENTRIES = {
    **{f"{name}, {kind[1]}": (payload, *kind) for name, payload in UNREADABLE.items() for kind in KINDS},
    "a number of more than 64 bits": ('{"version":99999999999999999999999}', *KINDS[0]),
    "a number for words": ('{"goal":5}', *KINDS[0]),
    "no settings": ('{"settings":"none"}', *KINDS[0]),
    "settings out of bounds": ('{"settings":"{\\"note_limit\\":-1}"}', *KINDS[0]),
    "no list of tags": ('{"tags":"x"}', CAMPAIGN, "LeadTagged", "lead-1"),
    "no remains": ('{"created_at":1,"entries":{"ab":"x"}}', *KINDS[1]),
}


def chain(memory: FakeProject, stream: str, kind: str, entity: str, payload: str) -> list[LoggedEvent]:
    """What the project has of a stream, after another device's next entry that says this."""
    (user,) = memory.users.values()
    log = user.events[stream]
    raw = LoggedEvent(
        log[-1].seq + 1, 1, kind, EVENT_KINDS[kind].entity, entity, payload, "user", "", b"salt", None, b""
    )
    log += link_entries(stream, log[-1].seq, log[-1].hash, [raw])
    return log


@pytest.mark.parametrize(("payload", "stream", "kind", "entity"), UNREADABLE_ENTRIES.values(), ids=UNREADABLE_ENTRIES)
def test_an_entry_that_nobody_can_read_is_refused_by_name_and_forgotten_once_it_is_gone(
    desk: Machine, memory: FakeProject, payload: str, stream: str, kind: str, entity: str
) -> None:
    """Whoever can write to the shared store can chain any entry."""
    desk.campaign()
    desk.configure("a", "x")
    desk.engine.run_round()
    log = chain(memory, stream, kind, entity, payload)
    desk.engine.run_round()
    state = desk.engine.report.state()
    assert (state.phase, state.problem.code if state.problem else "") == ("refused", "shared_store_log_broken")
    log.pop()
    desk.clock.advance(200_000)
    desk.engine.run_round()
    assert desk.engine.report.state().phase == "in_sync"


def test_an_entry_of_another_type_stops_its_stream_and_no_other(desk: Machine, memory: FakeProject) -> None:
    desk.campaign()
    desk.configure("a", "x")
    desk.engine.run_round()
    refused = chain(memory, CAMPAIGN, "CampaignEdited", CAMPAIGN, '{"settings":"none"}')
    sound = chain(memory, WORKSPACE, "ConfigSet", "from-elsewhere", '{"value":"x"}')
    desk.engine.run_round()
    adopted = {(stream, seq) for stream, seq, _ in desk.logs()}
    assert (CAMPAIGN, refused[-1].seq) not in adopted
    assert (WORKSPACE, sound[-1].seq) in adopted
