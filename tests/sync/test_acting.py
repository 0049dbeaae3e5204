"""One device acts at a time, and no act without its intent's acknowledgement."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.controller.loop import TurnLoop
from backend.controller.runner import Halt
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE, Event
from backend.ports.authority import AuthorityUnreachableError
from backend.ports.standing import IN_STEP, Alone, Standing
from backend.store import reading, replay, replica, verification
from backend.sync.engine import Engine
from backend.sync.tenure import ACT_SECONDS, TERM_SECONDS, Device
from backend.tools.blobs import BlobStore
from tests.fakes.authority import FakeAuthority, FakeProject
from tests.fakes.campaign import ONE_STEP, Killed, Stage
from tests.sync.conftest import Machine

# --- the lease ---


def test_one_device_acts_and_the_other_says_who(desk: Machine, laptop: Machine) -> None:
    with desk.engine.acting():
        assert desk.engine.state().acting == "here"
        with pytest.raises(OutriderError, match="“Desk” is acting now"), laptop.engine.acting():
            pass
        state = laptop.engine.state()
        assert (state.acting, state.acting_name) == ("elsewhere", "Desk")
        assert "used by “Desk”" in laptop.engine.word()
    desk.engine.step()  # gives it back
    with laptop.engine.acting():
        assert laptop.engine.word() == IN_STEP


def test_nobody_acts_before_everything_that_the_former_holder_recorded_is_here(desk: Machine, laptop: Machine) -> None:
    with desk.engine.acting():
        desk.campaign()
        desk.turn(1)
    desk.engine.step()
    with laptop.engine.acting():
        assert laptop.logs() == desk.logs()


def test_the_holder_hears_once_who_wants_it_and_it_is_never_taken_away(
    desk: Machine, laptop: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.sync.engine.ASK_AGAIN_SECONDS", 0.01)
    with desk.engine.acting():
        laptop.engine.take_over()
        asked = 0

        def stopped() -> bool:
            nonlocal asked
            asked += 1
            desk.engine.renew()
            return asked == 2

        with pytest.raises(OutriderError, match="proposer_stopped"), laptop.engine.acting(stopped):
            pass
        assert desk.wanted == ["Laptop"]
        assert desk.engine.tenure.fence is not None
    desk.engine.step()
    with pytest.raises(OutriderError, match="acting_elsewhere"), desk.engine.acting():
        pass  # nothing here is quicker than the device that asked
    with laptop.engine.acting():
        pass


def test_by_either_clock_a_lease_is_over(desk: Machine, laptop: Machine) -> None:
    with desk.engine.acting():
        desk.clock.time += round(TERM_SECONDS * 1_000)  # the machine slept: one clock went on, the other stood still
        assert desk.engine.tenure.fence is None
        assert not desk.engine.acknowledged(WORKSPACE)
        desk.clock.time -= 86_400_000
        assert desk.engine.tenure.fence is not None
        desk.clock.microseconds += round(TERM_SECONDS * 1e6)
        assert desk.engine.tenure.fence is None


def test_a_lease_counts_from_before_it_was_asked_for(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    given = desk.authority.acquire_lease

    def slowly(*what: Any, **how: Any) -> Any:
        lease = given(*what, **how)
        desk.clock.advance(20_000)
        return lease

    monkeypatch.setattr(desk.authority, "acquire_lease", slowly)
    with desk.engine.acting():
        assert desk.engine.tenure.seconds() == TERM_SECONDS - 20


def test_what_ran_out_comes_back_by_itself_if_nobody_else_acted(desk: Machine) -> None:
    with desk.engine.acting():
        desk.authority.offline = True
        desk.engine.step()
        desk.clock.advance(200_000)
        assert "out of reach" in desk.engine.word()
        assert not desk.engine.acknowledged(WORKSPACE)
        desk.authority.offline = False
        desk.engine.step()
        assert desk.engine.word() == IN_STEP
        assert desk.wanted == []


def test_what_ran_out_is_handed_over_if_another_device_has_it_by_then(desk: Machine, laptop: Machine) -> None:
    with desk.engine.acting():
        desk.authority.offline = True
        desk.engine.step()
        desk.clock.advance(200_000)
        with laptop.engine.acting():
            desk.authority.offline = False
            desk.engine.step()
            assert desk.wanted == ["Laptop"]


def test_a_lease_given_back_so_late_that_it_is_ours_again_stays_ours(desk: Machine, laptop: Machine) -> None:
    with desk.engine.acting():
        given_back = desk.engine.tenure.fence
        assert given_back is not None
    desk.authority.faults.append("before")  # it is on its way, and its answer is not waited for
    with pytest.raises(AuthorityUnreachableError):
        desk.engine.tenure.release(desk.authority)
    with desk.engine.acting():
        desk.authority.release_lease("dev-Desk", given_back)
        with pytest.raises(OutriderError, match="“Desk” is acting now"), laptop.engine.acting():
            pass


def test_a_second_act_beside_the_first_leaves_it_its_fence(desk: Machine) -> None:
    with desk.engine.acting():
        fence = desk.engine.tenure.fence
        with desk.engine.acting():
            assert desk.engine.tenure.fence == fence


def test_turns_that_wait_are_recorded_with_a_lease_of_the_moment(desk: Machine) -> None:
    desk.campaign()
    desk.turn(1)
    desk.engine.step()
    assert desk.waiting() == 0
    assert not desk.engine.tenure.held


def test_turns_wait_while_another_device_acts_and_decisions_do_not(desk: Machine, laptop: Machine) -> None:
    desk.campaign()
    desk.engine.step()
    with laptop.engine.acting():
        desk.turn(1)
        desk.configure("theme", "dark")
        desk.engine.step()
        assert desk.waiting() == 1
        assert desk.engine.state().phase == "pushing"
    laptop.engine.step()
    desk.engine.step()
    assert desk.waiting() == 0


# --- acts ---


class Acts:
    """A campaign on a stage whose store has a project, and its engine between both."""

    def __init__(self, folder: Path, clocked: Callable[[Stage], FakeProject]) -> None:
        self.stage = Stage(folder)
        self.project = clocked(self.stage)
        self.authority = FakeAuthority(self.project)
        self.blobs = BlobStore(folder / "artifacts")
        with self.stage.journal.transaction() as transaction:
            replica.attach(transaction, replica.Project("http://x", "key", "ada", "a@b.c", "dev-a", "Desk", 1))
        self.engine = self.begin()

    def begin(self, device: Device = Device("dev-a", "Desk")) -> Engine:  # noqa: B008 - a tuple
        """A process's engine."""
        self.engine = Engine(
            self.stage.journal,
            self.blobs,
            device,
            self.stage.clock,
            connect=lambda: self.authority,
            turn=self.stage.turnstile.turn,
            chance=lambda: 1.0,
        )
        self.stage.standing = self.engine
        return self.engine

    def drafted(self, leads: int = 1) -> str:
        """A campaign whose invitations are approved, up to the send."""
        self.stage.standing = Alone()
        campaign_id = self.stage.campaign(leads, settings=ONE_STEP)
        self.stage.run(campaign_id, approve=False)
        with self.stage.database.read() as connection:
            self.stage.approve(campaign_id, reading.drafts(connection, campaign_id))
        self.stage.standing = self.engine
        self.engine.step()
        return campaign_id

    def turn(self, campaign_id: str, **how: Any) -> Any:
        return self.stage.loop(**how).run_turn(campaign_id)

    def until_acted(self, campaign_id: str, **how: Any) -> Any:
        """Turns until one has an effect."""
        for _ in range(5):
            turn = self.turn(campaign_id, **how)
            if getattr(turn, "effect", False):
                return turn
        raise AssertionError("nothing was sent")


@pytest.fixture
def acts(tmp_path: Path) -> Iterator[Acts]:
    made = Acts(tmp_path, lambda stage: FakeProject(lambda: stage.clock.ticks() / 1e6))
    yield made
    assert made.stage.duplicates() == 0
    assert replay.check(made.stage.database) == []
    with made.stage.database.read() as connection:
        assert [report for report in verification.verify(connection) if report.broken] == []
    made.stage.close()


def test_a_turn_with_an_effect_costs_one_round_trip_more_and_no_other_turn_any(acts: Acts) -> None:
    with acts.engine.acting():
        campaign_id = acts.drafted()
        before = acts.authority.calls
        calls = {True: set[int](), False: set[int]()}
        while not acts.stage.delivered():
            turn = acts.turn(campaign_id)
            calls[turn.effect].add(acts.authority.calls - before)
            before = acts.authority.calls
        assert calls[True] == {1}
        assert calls[False] <= {0}


def test_the_intent_is_there_before_the_act(acts: Acts) -> None:
    there: list[bool] = []

    def during(tool: str, when: str) -> None:
        if tool == "send_invitation" and when == "before":
            (stream,) = [log for name, log in acts.project.users["ada"].events.items() if name != WORKSPACE]
            there.append(any(event.kind == "ActionIntended" for event in stream))

    acts.stage.site.during = during
    with acts.engine.acting():
        acts.until_acted(acts.drafted())
    assert there == [True]


def _offline(acts: Acts) -> None:
    acts.authority.offline = True


def _over_soon(acts: Acts) -> None:
    acts.stage.clock.advance(round((TERM_SECONDS - ACT_SECONDS) * 1_000))


def _slow_answer(acts: Acts) -> None:
    append = acts.authority.append

    def slowly(*what: Any) -> Any:
        told = append(*what)
        acts.stage.clock.advance(round((TERM_SECONDS - ACT_SECONDS) * 1_000))
        acts.authority.append = append  # type: ignore[method-assign]
        return told

    acts.authority.append = slowly  # type: ignore[method-assign, assignment]


def _another_decision(acts: Acts) -> None:
    _elsewhere(acts, WORKSPACE, Event("ConfigSet", "other", {"value": "1"}))


def _another_decision_in_the_campaign(acts: Acts) -> None:
    (campaign_id,) = (name for name in acts.project.users["ada"].events if name != WORKSPACE)
    _elsewhere(acts, campaign_id, Event("ConfigSet", "other", {"value": "1"}))


def _signed_out(acts: Acts) -> None:
    acts.authority.signed_out = True


def _elsewhere(acts: Acts, stream: str, event: Event) -> None:
    """Another device of the user decided something."""
    import tempfile  # noqa: PLC0415

    folder = Path(tempfile.mkdtemp(dir=acts.stage.path.parent))
    other = Machine(folder, "Laptop", acts.project, acts.stage.clock)
    other.engine.step()
    other.record(stream, event)
    other.engine.step()
    assert other.waiting() == 0
    other.close()


@pytest.mark.parametrize(
    "happens", [_offline, _over_soon, _slow_answer, _another_decision, _another_decision_in_the_campaign, _signed_out]
)
def test_without_acknowledgement_nothing_is_sent_and_later_it_is_sent_once(
    acts: Acts, happens: Callable[[Acts], None]
) -> None:
    with acts.engine.acting():
        campaign_id = acts.drafted()
        sent = len(acts.stage.site.calls)

        def boundary(name: str) -> None:
            if name == "intent":
                happens(acts)

        turn = acts.until_acted(campaign_id, boundary=boundary)
        assert turn.verdict == "not_sent"
        assert "send_invitation" not in acts.stage.site.calls[sent:]
        assert acts.stage.delivered() == []
        assert acts.stage.one("SELECT status FROM actions") == "not_sent"

        acts.authority.offline = acts.authority.signed_out = False
        acts.engine.step()
        acts.engine.step()
        assert acts.engine.word() == IN_STEP
        acts.stage.clock.advance(600_000)
        acts.engine.step()
        acts.until_acted(campaign_id)
        assert len(acts.stage.delivered()) == 1
    acts.engine.step()
    assert acts.stage.one("SELECT count(*) FROM actions WHERE status='sent'") == 1


def test_whoever_is_put_on_the_do_not_contact_list_after_the_intent_hears_nothing(acts: Acts) -> None:
    with acts.engine.acting():
        campaign_id = acts.drafted()
        key = acts.stage.one("SELECT member_key FROM leads")

        def boundary(name: str) -> None:
            if name == "intent":
                added = {"member_key": key, "reason": "asked", "created_at": 1, "status": "active"}
                acts.stage.note_elsewhere(WORKSPACE, Event("DoNotContactAdded", "dnc-1", added))

        acts.until_acted(campaign_id, boundary=boundary)
        assert acts.stage.delivered() == []


def test_a_lost_answer_is_asked_for_again_and_the_act_happens_once(acts: Acts) -> None:
    with acts.engine.acting():
        campaign_id = acts.drafted()

        def boundary(name: str) -> None:
            if name == "intent":
                acts.authority.faults.append("after")

        acts.until_acted(campaign_id, boundary=boundary)
        assert len(acts.stage.delivered()) == 1


@pytest.mark.parametrize("late", [False, True])
def test_an_outcome_that_was_overtaken_is_found_out_again_in_the_same_run(
    acts: Acts, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    """Another device decides something in the very campaign while the message is under way: its entry comes first.

    `late`: it arrives when the run has already looked whether it may go on.
    """
    campaign_id = acts.drafted()
    decided: list[str] = []

    def during(tool: str, when: str) -> None:
        if tool == "send_invitation" and when == "after" and not decided:
            decided.append(tool)
            _elsewhere(acts, campaign_id, Event("ConfigSet", "other", {"value": "1"}))

    acts.stage.site.during = during
    acts.stage.standing = Stepping(acts.engine)
    run_turn = TurnLoop.run_turn

    def after_news(loop: TurnLoop, *which: Any) -> Any:
        acts.engine.step()
        return run_turn(loop, *which)

    with acts.engine.acting(), monkeypatch.context() as patch:
        if late:
            patch.setattr(TurnLoop, "run_turn", after_news)
        ended = acts.stage.run(campaign_id, on_turn=lambda _: None if late else acts.engine.step())
    assert decided
    assert ended.halt is Halt.COMPLETED
    assert acts.stage.one("SELECT count(*) FROM set_aside WHERE status='noted'") > 0
    assert acts.stage.one("SELECT status FROM actions") == "sent"
    assert len(acts.stage.delivered()) == 1


def test_a_lease_that_was_got_for_pushing_is_none_to_act_under(acts: Acts) -> None:
    """It may have been another device's in between, and what that recorded is not here yet."""
    with acts.engine.acting():
        campaign_id = acts.drafted()
        acts.stage.clock.advance(round(TERM_SECONDS * 1_000))
        _elsewhere(acts, WORKSPACE, Event("ConfigSet", "other", {"value": "1"}))
        assert acts.engine.tenure.acquire(acts.authority)
        assert acts.engine.tenure.seconds() > ACT_SECONDS
        assert not acts.engine.acknowledged(campaign_id)
        assert acts.engine.word() != IN_STEP
        acts.engine.step()
        assert acts.engine.word() == IN_STEP


def test_killed_in_the_act_the_next_device_finds_out_and_does_not_send_again(acts: Acts, tmp_path: Path) -> None:
    def killed(name: str) -> None:
        if name == "acted":
            raise Killed

    with acts.engine.acting():
        campaign_id = acts.drafted()
        with pytest.raises(Killed):
            acts.until_acted(campaign_id, boundary=killed)
    assert len(acts.stage.delivered()) == 1
    acts.project.advance(TERM_SECONDS)
    # The same site, another data folder.
    elsewhere = Stage(_made(tmp_path / "other"), seed="other")
    elsewhere.exchange, elsewhere.site, elsewhere.clock = acts.stage.exchange, acts.stage.site, acts.stage.clock
    other = Acts.__new__(Acts)
    other.stage, other.project, other.authority = elsewhere, acts.project, FakeAuthority(acts.project)
    other.blobs = BlobStore(tmp_path / "other" / "artifacts")
    with elsewhere.journal.transaction() as transaction:
        replica.attach(transaction, replica.Project("http://x", "key", "ada", "a@b.c", "dev-b", "Laptop", 1))
    engine = other.begin(Device("dev-b", "Laptop"))
    elsewhere.standing = Stepping(engine)
    with engine.acting():
        ended = elsewhere.run(campaign_id)
    assert ended.halt in (Halt.COMPLETED, Halt.NEEDS_YOU)
    assert len(elsewhere.delivered()) == 1
    assert elsewhere.one("SELECT status FROM actions") == "sent"
    engine.step()
    acts.stage.reopen()
    acts.begin().step()
    acts.engine.step()
    assert acts.stage.one("SELECT status FROM actions") == "sent"
    elsewhere.close()


class Stepping:
    """An engine whose thread would have made its round by the time that anybody asks: this clock jumps."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def word(self) -> str:
        if self.engine.word() != IN_STEP:
            self.engine.step()
        return self.engine.word()

    def acknowledged(self, campaign_id: str) -> bool:
        return self.engine.acknowledged(campaign_id)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


# --- a run ---


class Word:
    """A standing that says what the test says."""

    def __init__(self, *words: str) -> None:
        self.words = list(words)

    def word(self) -> str:
        return self.words.pop(0) if len(self.words) > 1 else self.words[0]

    def acknowledged(self, _: str) -> bool:
        return self.words[0] == IN_STEP


def test_a_run_rests_while_it_may_not_act_records_nothing_and_goes_on_by_itself(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    campaign_id = stage.campaign(1, settings=ONE_STEP)
    rested: list[object] = []
    runner = stage.runner()
    runner.wake.set()
    standing: Standing = Word(*["out of reach since 10:02"] * 3, IN_STEP)
    runner.loop.standing = standing

    def asleep(said: Any) -> None:
        if said.held and "out of reach" in said.held[0]:
            rested.append(stage.head(campaign_id))
            runner.wake.set()

    runner.on_sleep = asleep
    runner.run(campaign_id)
    assert len(rested) == 2
    assert rested[0] == rested[1]
    assert len(stage.delivered()) == 1
    stage.close()


class Hesitant:
    """In step, but the first few intents are not confirmed."""

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals

    def word(self) -> str:
        return IN_STEP

    def acknowledged(self, _: str) -> bool:
        self.refusals -= 1
        return self.refusals < 0


def test_an_act_that_was_never_confirmed_is_no_failure_of_the_site(tmp_path: Path) -> None:
    """Nobody is asked what to do about a lead because the line was bad, however long it was."""
    stage = Stage(tmp_path)
    campaign_id = stage.campaign(1, settings=ONE_STEP)
    runner = stage.runner()
    runner.loop.standing = Hesitant(10)
    ended = runner.run(campaign_id)
    assert ended.halt == Halt.COMPLETED
    assert len(stage.delivered()) == 1
    assert stage.one("SELECT count(*) FROM actions WHERE status='not_sent'") == 10
    assert stage.one("SELECT attempts FROM messages") == 0
    stage.close()


def test_a_run_that_is_handed_over_ends_and_records_nothing_more(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    campaign_id = stage.campaign(3, settings=ONE_STEP)
    heads: list[object] = []

    def handed(_: Any) -> None:
        runner.handed_to = lambda: "Laptop"
        runner.stop.set()
        heads.append(stage.head(campaign_id))

    runner = stage.runner(on_turn=handed)
    ended = runner.run(campaign_id)
    assert (ended.halt, ended.because) == (Halt.HANDED_OVER, ("Handed over to “Laptop”.",))
    assert stage.status(campaign_id) == "active"
    assert len(heads) == 1
    stage.close()


def test_alone_nothing_is_asked() -> None:
    assert Alone().acknowledged("anything")
