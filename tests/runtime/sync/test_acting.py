"""One device acts at a time, and no act without its intent's acknowledgement."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.adapters.browser.session import BrowserSession
from backend.adapters.files.content_files import BlobStore
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.values.errors import OutriderError
from backend.ports.shared_store import SharedStoreRefusedError, SharedStoreUnreachableError, StreamHeads
from backend.ports.site import ACT_SECONDS, MAX_STEPS, STEP_SECONDS
from backend.ports.sync_status import IN_SYNC, LocalOnly, SyncStatus
from backend.runtime.run.campaign_runner import RunEnd
from backend.runtime.sync.engine import LEASE_RETRY_SECONDS, PollTimes, SyncEngine
from backend.runtime.sync.lease import LeaseTimes, ThisDevice
from backend.store.log import replay, verification
from backend.store.queries.contact import messages
from backend.store.replication import replica
from backend.turn.loop import TurnLoop
from tests.fakes.campaign import ONE_STEP, Killed, Stage
from tests.fakes.clock import FakeClock
from tests.fakes.shared_store import FakeProject, FakeSharedStore
from tests.runtime.sync.conftest import CAMPAIGN, Machine, run_rounds

TIMES = LeaseTimes()

# --- the lease ---


def test_one_device_acts_and_the_other_says_who(desk: Machine, laptop: Machine) -> None:
    with desk.engine.hold_lease():
        assert desk.engine.report.state().acting == "here"
        lease = desk.engine.lease
        assert lease.until == desk.clock.real_time().wall + lease.times.whole * 1_000
        with pytest.raises(OutriderError, match="“Desk” has this account open"), laptop.engine.hold_lease():
            pass
        state = laptop.engine.report.state()
        assert (state.acting, state.acting_name) == ("elsewhere", "Desk")
        assert "in use by “Desk”" in laptop.engine.describe()
    desk.engine.run_round()  # gives it back
    with laptop.engine.hold_lease():
        assert laptop.engine.describe() == IN_SYNC


def test_each_poll_hears_that_another_device_began_or_stopped(desk: Machine, laptop: Machine) -> None:
    def acting() -> tuple[str, str]:
        laptop.engine.run_round()
        return laptop.heard[-1].acting, laptop.heard[-1].acting_name

    assert acting() == ("nobody", "")
    with desk.engine.hold_lease():
        assert acting() == ("elsewhere", "Desk")
        desk.clock.advance(round(TIMES.whole * 1_000) - 1)
        desk.engine.renew()
        desk.clock.advance(2)
        assert acting() == ("elsewhere", "Desk"), "it goes on"
        assert not desk.wanted, "looking asks for nothing"
    desk.engine.run_round()
    assert acting() == ("nobody", "")
    assert PollTimes().used <= 5


def test_a_lease_that_was_given_up_unheard_is_nobody_else_s(desk: Machine) -> None:
    with desk.engine.hold_lease():
        pass
    desk.shared_store.offline = True
    desk.engine.run_round()
    desk.engine.lease.mark_lost()
    desk.shared_store.offline = False
    desk.engine.run_round()
    assert desk.engine.report.state().acting == "nobody"


def test_nobody_acts_before_everything_that_the_former_holder_recorded_is_here(desk: Machine, laptop: Machine) -> None:
    with desk.engine.hold_lease():
        desk.campaign()
        desk.turn(1)
    desk.engine.run_round()
    with laptop.engine.hold_lease():
        assert laptop.logs() == desk.logs()


def test_the_holder_hears_once_who_wants_it_and_it_is_never_taken_away(desk: Machine, laptop: Machine) -> None:
    with desk.engine.hold_lease():
        laptop.engine.take_over()
        laptop.clock.on_wait = desk.engine.renew
        before = len(laptop.clock.waits)

        def stopped() -> bool:
            return len(laptop.clock.waits) == before + 2

        with pytest.raises(OutriderError, match="proposer_stopped"), laptop.engine.hold_lease(stopped):
            pass
        assert laptop.clock.waits[before:] == [LEASE_RETRY_SECONDS] * 2
        assert not laptop.engine.report.state().asked  # who was stopped does not want it any more
        assert desk.wanted == ["Laptop"]
        assert desk.engine.lease.fence is not None
    desk.engine.run_round()
    with pytest.raises(OutriderError, match="lease_held_elsewhere"), desk.engine.hold_lease():
        pass  # nothing here is quicker than the device that asked
    with laptop.engine.hold_lease():
        pass


def _given_to_another(desk: Machine, laptop: Machine, memory: FakeProject) -> None:
    """By the shared store's time the lease is over, and another device has it; this one believes that it has it still."""
    memory.advance(TIMES.whole)
    assert laptop.engine.lease.acquire(laptop.shared_store)
    assert desk.engine.lease.fence is not None


def test_a_lease_that_its_renewal_finds_lost_is_given_up_at_once(
    desk: Machine, laptop: Machine, memory: FakeProject
) -> None:
    with desk.engine.hold_lease():
        desk.configure("theme", "dark")
        assert desk.engine.push_and_confirm(WORKSPACE)
        _given_to_another(desk, laptop, memory)
        desk.engine.renew()
        assert (desk.engine.lease.fence, desk.engine.lease.held) == (None, False)
        assert not desk.engine.may_still_act()


def test_a_lease_that_was_found_lost_does_not_come_back_by_a_renewal_that_answers_late(
    desk: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    renew = desk.shared_store.renew_lease

    def late(*what: Any) -> Any:
        lease = renew(*what)
        desk.engine.lease.mark_lost()  # by a push that the shared store refused
        return lease

    with desk.engine.hold_lease():
        desk.configure("theme", "dark")
        assert desk.engine.push_and_confirm(WORKSPACE)
        monkeypatch.setattr(desk.shared_store, "renew_lease", late)
        assert not desk.engine.lease.renew(desk.shared_store)
        assert (desk.engine.lease.fence, desk.engine.may_still_act()) == (None, False)


def test_a_renewal_that_is_refused_for_another_reason_does_not_give_the_lease_up(desk: Machine) -> None:
    with desk.engine.hold_lease():
        fence = desk.engine.lease.fence
        desk.shared_store.signed_out = True
        with pytest.raises(SharedStoreRefusedError, match="signed_out"):
            desk.engine.lease.renew(desk.shared_store)
        assert desk.engine.lease.fence == fence is not None


def test_a_lease_that_a_push_finds_lost_is_given_up_at_once(
    desk: Machine, laptop: Machine, memory: FakeProject
) -> None:
    desk.campaign()
    with desk.engine.hold_lease():
        _given_to_another(desk, laptop, memory)
        desk.turn(1)
        assert not desk.engine.push_and_confirm(CAMPAIGN)
        assert desk.engine.lease.fence is None


def test_what_refuses_an_intent_is_shown_at_once(desk: Machine) -> None:
    with desk.engine.hold_lease():
        desk.shared_store.signed_out = True
        desk.configure("theme", "dark")
        assert not desk.engine.push_and_confirm(WORKSPACE)
        assert desk.engine.report.state().phase == "signed_out"
        assert "not signed in" in desk.engine.describe()


def test_a_lease_is_over_when_its_time_is(desk: Machine) -> None:
    with desk.engine.hold_lease():
        desk.clock.advance(round(TIMES.whole * 1_000))
        assert desk.engine.lease.fence is None
        desk.engine.run_round()
        desk.configure("theme", "dark")
        assert desk.engine.push_and_confirm(WORKSPACE)


@pytest.mark.parametrize(
    "happens",
    [
        lambda clock: clock.sleep(1_100),
        lambda clock: clock.sleep(1_100, announced=False),
        lambda clock: clock.set_forward(-1_100),
        lambda clock: clock.set_forward(86_400_000),
        lambda clock: clock.stands_still(1_100),
    ],
    ids=["slept", "slept, untold", "set back", "set forward", "the wall's stands still"],
)
def test_if_the_clocks_disagree_nothing_is_begun_before_the_lease_was_asked_for_again(
    desk: Machine, happens: Callable[[FakeClock], None]
) -> None:
    with desk.engine.hold_lease():
        happens(desk.clock)
        assert desk.engine.lease.fence is None
        assert "not sure" in desk.engine.describe()
        assert not desk.engine.push_and_confirm(WORKSPACE)
        desk.engine.run_round()
        assert desk.engine.describe() == IN_SYNC
        desk.configure("theme", "dark")
        assert desk.engine.push_and_confirm(WORKSPACE)


def test_an_act_fits_into_what_the_lease_must_have_left() -> None:
    """Eight steps of ten seconds, and the bytes' own way, even if no renewal succeeds from its beginning on."""
    assert TIMES.act == MAX_STEPS * STEP_SECONDS == ACT_SECONDS
    assert TIMES.to_begin - TIMES.act >= 2 * STEP_SECONDS
    assert TIMES.whole - TIMES.renew > TIMES.to_begin, "a renewal that fails does not end everything"
    assert TIMES.whole <= 300, "no shared store gives it for longer"
    assert BrowserSession("practice", Path("unused"), "http://127.0.0.1:1").act_seconds <= TIMES.act
    hurried = LeaseTimes(act=1.0, arrive=0.5, renew=0.2)
    assert hurried.whole > hurried.to_begin > hurried.act


def test_another_launch_of_the_same_device_waits_and_says_what_it_may_be(desk: Machine, laptop: Machine) -> None:
    laptop.engine.lease.device = desk.engine.lease.device._replace(launch="the copy's")
    with desk.engine.hold_lease():
        with pytest.raises(OutriderError, match="a copy of its data folder"), laptop.engine.hold_lease():
            pass
        assert "a copy of its data folder" in laptop.engine.describe()
    desk.engine.run_round()
    with laptop.engine.hold_lease():
        assert laptop.engine.describe() == IN_SYNC


def test_after_a_kill_the_next_launch_waits_for_the_end_of_the_last_one_s_lease(desk: Machine) -> None:
    with desk.engine.hold_lease():
        desk.restart()
        with pytest.raises(OutriderError, match="an earlier start here"), desk.engine.hold_lease():
            pass
    desk.clock.advance(round(TIMES.whole * 1_000))
    with desk.engine.hold_lease():
        assert desk.engine.describe() == IN_SYNC


def test_a_lease_counts_from_before_it_was_asked_for(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    acquire = desk.shared_store.acquire_lease

    def slowly(*what: Any, **how: Any) -> Any:
        lease = acquire(*what, **how)
        desk.clock.advance(20_000)
        return lease

    monkeypatch.setattr(desk.shared_store, "acquire_lease", slowly)
    with desk.engine.hold_lease():
        assert desk.engine.lease.seconds() == TIMES.whole - 20


def test_what_ran_out_comes_back_by_itself_if_nobody_else_acted(desk: Machine) -> None:
    with desk.engine.hold_lease():
        desk.shared_store.offline = True
        desk.engine.run_round()
        desk.clock.advance(200_000)
        assert "out of reach" in desk.engine.describe()
        assert not desk.engine.push_and_confirm(WORKSPACE)
        desk.shared_store.offline = False
        desk.engine.run_round()
        assert desk.engine.describe() == IN_SYNC
        assert desk.wanted == []


def test_what_ran_out_is_handed_over_if_another_device_has_it_by_then(desk: Machine, laptop: Machine) -> None:
    with desk.engine.hold_lease():
        desk.shared_store.offline = True
        desk.engine.run_round()
        desk.clock.advance(200_000)
        with laptop.engine.hold_lease():
            desk.shared_store.offline = False
            desk.engine.run_round()
            assert desk.wanted == ["Laptop"]


def test_a_lease_given_back_so_late_that_it_is_ours_again_stays_ours(desk: Machine, laptop: Machine) -> None:
    with desk.engine.hold_lease():
        given_back = desk.engine.lease.fence
        assert given_back is not None
    desk.shared_store.faults.append("before")  # it is on its way, and its answer is not waited for
    with pytest.raises(SharedStoreUnreachableError):
        desk.engine.lease.release(desk.shared_store)
    with desk.engine.hold_lease():
        desk.shared_store.release_lease("dev-Desk", given_back)
        with pytest.raises(OutriderError, match="“Desk” has this account open"), laptop.engine.hold_lease():
            pass


def test_a_second_act_beside_the_first_leaves_it_its_fence(desk: Machine) -> None:
    with desk.engine.hold_lease():
        fence = desk.engine.lease.fence
        with desk.engine.hold_lease():
            assert desk.engine.lease.fence == fence


def test_turns_that_wait_are_recorded_with_a_lease_of_the_moment(desk: Machine) -> None:
    desk.campaign()
    desk.turn(1)
    desk.engine.run_round()
    assert desk.waiting() == 0
    assert not desk.engine.lease.held


def test_turns_wait_while_another_device_acts_and_decisions_do_not(desk: Machine, laptop: Machine) -> None:
    desk.campaign()
    desk.engine.run_round()
    with laptop.engine.hold_lease():
        desk.turn(1)
        desk.configure("theme", "dark")
        desk.engine.run_round()
        assert desk.waiting() == 1
        assert desk.engine.report.state().phase == "pushing"
    run_rounds(laptop, desk)
    assert desk.waiting() == 0


# --- acts ---


class Acts:
    """A campaign on a stage whose store has a project, and its engine between both."""

    def __init__(self, folder: Path, clocked: Callable[[Stage], FakeProject]) -> None:
        self.stage = Stage(folder)
        self.project = clocked(self.stage)
        self.shared_store = FakeSharedStore(self.project)
        self.blobs = BlobStore(folder / "artifacts")
        with self.stage.journal.transaction() as transaction:
            replica.attach(transaction, replica.AttachedProject("http://x", "key", "ada", "a@b.c", "dev-a", "Desk", 1))
        self.engine = self.begin()

    def begin(self, device: ThisDevice = ThisDevice("dev-a", "Desk", "desk 1")) -> SyncEngine:  # noqa: B008 - a tuple
        """A process's engine."""
        self.engine = SyncEngine(
            self.stage.journal,
            self.blobs,
            device,
            self.stage.clock,
            shared_store=self.shared_store,
            turn=self.stage.turn_queue.turn,
            chance=lambda: 1.0,
        )
        self.stage.sync_status = self.engine
        return self.engine

    def drafted(self, leads: int = 1) -> str:
        """A campaign whose invitations are approved, up to the send."""
        self.stage.sync_status = LocalOnly()
        campaign_id = self.stage.campaign(leads, settings=ONE_STEP)
        self.stage.run(campaign_id, approve=False)
        self.stage.approve(campaign_id, self.stage.database.query(messages.drafts, campaign_id))
        self.stage.sync_status = self.engine
        self.engine.run_round()
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
    assert replay.find_differences(made.stage.database) == []
    with made.stage.database.read() as connection:
        assert [report for report in verification.verify(connection) if report.broken] == []
    made.stage.close()


def test_a_turn_with_an_effect_costs_one_round_trip_more_and_no_other_turn_any(acts: Acts) -> None:
    with acts.engine.hold_lease():
        campaign_id = acts.drafted()
        before = acts.shared_store.calls
        calls = {True: set[int](), False: set[int]()}
        while not acts.stage.delivered():
            turn = acts.turn(campaign_id)
            calls[turn.effect].add(acts.shared_store.calls - before)
            before = acts.shared_store.calls
        assert calls[True] == {1}
        assert calls[False] <= {0}


def test_the_intent_is_there_before_the_act(acts: Acts) -> None:
    there: list[bool] = []

    def during(tool: str, when: str) -> None:
        if tool == "send_invitation" and when == "before":
            (stream,) = [log for name, log in acts.project.users["ada"].events.items() if name != WORKSPACE]
            there.append(any(event.kind == "ActionIntended" for event in stream))

    acts.stage.site.during = during
    with acts.engine.hold_lease():
        acts.until_acted(acts.drafted())
    assert there == [True]


def _offline(acts: Acts) -> None:
    acts.shared_store.offline = True


def _over_soon(acts: Acts) -> None:
    acts.stage.clock.advance(round((TIMES.whole - TIMES.to_begin) * 1_000))


def _slow_answer(acts: Acts) -> None:
    append = acts.shared_store.append

    def slowly(*what: Any) -> Any:
        answer = append(*what)
        acts.stage.clock.advance(round((TIMES.whole - TIMES.to_begin) * 1_000))
        acts.shared_store.append = append  # type: ignore[method-assign]
        return answer

    acts.shared_store.append = slowly  # type: ignore[method-assign, assignment]


def _another_decision(acts: Acts) -> None:
    _elsewhere(acts, WORKSPACE, Event("ConfigSet", "other", {"value": "1"}))


def _another_decision_in_the_campaign(acts: Acts) -> None:
    (campaign_id,) = (name for name in acts.project.users["ada"].events if name != WORKSPACE)
    _elsewhere(acts, campaign_id, Event("ConfigSet", "other", {"value": "1"}))


def _signed_out(acts: Acts) -> None:
    acts.shared_store.signed_out = True


def _elsewhere(acts: Acts, stream: str, event: Event) -> None:
    """Another device of the user decided something."""
    import tempfile  # noqa: PLC0415

    folder = Path(tempfile.mkdtemp(dir=acts.stage.path.parent))
    other = Machine(folder, "Laptop", acts.project, acts.stage.clock)
    other.engine.run_round()
    other.record(stream, event)
    other.engine.run_round()
    assert other.waiting() == 0
    other.close()


@pytest.mark.parametrize(
    "happens", [_offline, _over_soon, _slow_answer, _another_decision, _another_decision_in_the_campaign, _signed_out]
)
def test_without_acknowledgement_nothing_is_sent_and_later_it_is_sent_once(
    acts: Acts, happens: Callable[[Acts], None]
) -> None:
    with acts.engine.hold_lease():
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

        acts.shared_store.offline = acts.shared_store.signed_out = False
        acts.engine.run_round()
        acts.engine.run_round()
        assert acts.engine.describe() == IN_SYNC
        acts.stage.clock.advance(600_000)
        acts.engine.run_round()
        acts.until_acted(campaign_id)
        assert len(acts.stage.delivered()) == 1
    acts.engine.run_round()
    assert acts.stage.one("SELECT count(*) FROM actions WHERE status='sent'") == 1


@pytest.mark.parametrize("taken", [False, True], ids=["kept, and heard late", "another device has it"])
@pytest.mark.parametrize("moment", ["before", "click", "bytes"])
def test_nothing_leaves_once_the_lease_ran_out_in_mid_act_however_late_its_renewal_answers(
    acts: Acts, moment: str, monkeypatch: pytest.MonkeyPatch, *, taken: bool
) -> None:
    renew, answered = acts.shared_store.renew_lease, list[bool]()

    def late(*what: Any) -> Any:
        lease = None if taken else renew(*what)
        acts.stage.clock.advance(round(TIMES.whole * 1_000))
        if taken:
            acts.shared_store.acquire_lease("dev-b", "Laptop", "laptop 1", TIMES.whole)
        return lease or renew(*what)

    def during(tool: str, when: str) -> None:
        if (tool, when) == ("send_invitation", moment) and not answered:
            with monkeypatch.context() as patch:
                patch.setattr(acts.shared_store, "renew_lease", late)
                answered.append(acts.engine.lease.renew(acts.shared_store))

    with acts.engine.hold_lease():
        campaign_id = acts.drafted()
        acts.stage.site.during = during
        assert acts.until_acted(campaign_id).verdict == "not_sent"
        assert (answered, acts.stage.delivered()) == ([not taken], [])
        for _ in range(3):
            acts.stage.clock.advance(round(TIMES.whole * 1_000) + 1)  # until the other device's is over
            acts.engine.run_round()
        acts.until_acted(campaign_id)
        assert len(acts.stage.delivered()) == 1


def test_whoever_is_put_on_the_do_not_contact_list_after_the_intent_hears_nothing(acts: Acts) -> None:
    with acts.engine.hold_lease():
        campaign_id = acts.drafted()
        key = acts.stage.one("SELECT member_key FROM leads")

        def boundary(name: str) -> None:
            if name == "intent":
                added = {"member_key": key, "reason": "asked", "created_at": 1, "status": "active"}
                acts.stage.note_elsewhere(WORKSPACE, Event("DoNotContactAdded", "dnc-1", added))

        acts.until_acted(campaign_id, boundary=boundary)
        assert acts.stage.delivered() == []


def test_a_lost_answer_is_asked_for_again_and_the_act_happens_once(acts: Acts) -> None:
    with acts.engine.hold_lease():
        campaign_id = acts.drafted()

        def boundary(name: str) -> None:
            if name == "intent":
                acts.shared_store.faults.append("after")

        acts.until_acted(campaign_id, boundary=boundary)
        assert len(acts.stage.delivered()) == 1


@pytest.mark.parametrize("late", [False, True])
def test_an_outcome_that_was_rolled_back_is_found_out_again_in_the_same_run(
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
    acts.stage.sync_status = Stepping(acts.engine)
    run_turn = TurnLoop.run_turn

    def after_news(loop: TurnLoop, *which: Any) -> Any:
        acts.engine.run_round()
        return run_turn(loop, *which)

    with acts.engine.hold_lease(), monkeypatch.context() as patch:
        if late:
            patch.setattr(TurnLoop, "run_turn", after_news)
        ended = acts.stage.run(campaign_id, on_turn=lambda _: None if late else acts.engine.run_round())
    assert decided
    assert ended.halt is RunEnd.COMPLETED
    assert acts.stage.one("SELECT count(*) FROM rebase_queue WHERE status='dropped'") > 0
    assert acts.stage.one("SELECT status FROM actions") == "sent"
    assert len(acts.stage.delivered()) == 1


def test_a_lease_that_was_got_for_pushing_is_none_to_act_under(acts: Acts) -> None:
    """It may have been another device's in between, and what that recorded is not here yet."""
    with acts.engine.hold_lease():
        campaign_id = acts.drafted()
        acts.stage.clock.advance(round(TIMES.whole * 1_000))
        _elsewhere(acts, WORKSPACE, Event("ConfigSet", "other", {"value": "1"}))
        assert acts.engine.lease.acquire(acts.shared_store)
        assert acts.engine.lease.seconds() > TIMES.to_begin
        assert not acts.engine.push_and_confirm(campaign_id)
        assert acts.engine.describe() != IN_SYNC
        acts.engine.run_round()
        assert acts.engine.describe() == IN_SYNC


def test_a_lease_that_is_another_one_after_the_pull_is_none_to_act_under(acts: Acts) -> None:
    """What was recorded under the lease in between came after the pull had asked where the streams end."""
    campaign_id, asked = acts.drafted(), acts.shared_store.streams
    heard = list[object]()

    def lost_right_after() -> list[StreamHeads]:
        ends = asked()
        if not heard:
            heard.append(ends)
            acts.stage.clock.advance(round(TIMES.whole * 1_000))
            _elsewhere(acts, campaign_id, Event("CampaignEdited", campaign_id, {"name": "Elsewhere"}))
            assert acts.engine.lease.acquire(acts.shared_store)
        return ends

    acts.shared_store.streams = lost_right_after  # type: ignore[method-assign]
    with acts.engine.hold_lease():
        assert heard
        assert acts.engine.describe() != IN_SYNC
        assert not acts.engine.push_and_confirm(campaign_id)
        acts.engine.run_round()
        assert acts.engine.describe() == IN_SYNC


def test_killed_in_the_act_the_next_device_finds_out_and_does_not_send_again(acts: Acts, tmp_path: Path) -> None:
    def killed(name: str) -> None:
        if name == "acted":
            raise Killed

    with acts.engine.hold_lease():
        campaign_id = acts.drafted()
        with pytest.raises(Killed):
            acts.until_acted(campaign_id, boundary=killed)
    assert len(acts.stage.delivered()) == 1
    acts.project.advance(TIMES.whole)
    # The same site, another data folder.
    elsewhere = Stage(_made(tmp_path / "other"), seed="other")
    elsewhere.exchange, elsewhere.site, elsewhere.clock = acts.stage.exchange, acts.stage.site, acts.stage.clock
    other = Acts.__new__(Acts)
    other.stage, other.project, other.shared_store = elsewhere, acts.project, FakeSharedStore(acts.project)
    other.blobs = BlobStore(tmp_path / "other" / "artifacts")
    with elsewhere.journal.transaction() as transaction:
        replica.attach(transaction, replica.AttachedProject("http://x", "key", "ada", "a@b.c", "dev-b", "Laptop", 1))
    engine = other.begin(ThisDevice("dev-b", "Laptop", "laptop 1"))
    elsewhere.sync_status = Stepping(engine)
    with engine.hold_lease():
        ended = elsewhere.run(campaign_id)
    assert ended.halt in (RunEnd.COMPLETED, RunEnd.NEEDS_YOU)
    assert len(elsewhere.delivered()) == 1
    assert elsewhere.one("SELECT status FROM actions") == "sent"
    engine.run_round()
    acts.stage.reopen()
    acts.begin().run_round()
    acts.engine.run_round()
    assert acts.stage.one("SELECT status FROM actions") == "sent"
    elsewhere.close()


class Stepping:
    """An engine whose thread would have made its round by the time that anybody asks: this clock jumps."""

    def __init__(self, engine: SyncEngine) -> None:
        self.engine = engine

    def describe(self) -> str:
        if self.engine.describe() != IN_SYNC:
            self.engine.run_round()
        return self.engine.describe()

    def push_and_confirm(self, campaign_id: str) -> bool:
        return self.engine.push_and_confirm(campaign_id)

    def may_still_act(self) -> bool:
        return self.engine.may_still_act()


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


# --- a run ---


class Word:
    """A sync status that is what the test says."""

    def __init__(self, *words: str) -> None:
        self.words = list(words)

    def describe(self) -> str:
        return self.words.pop(0) if len(self.words) > 1 else self.words[0]

    def push_and_confirm(self, _: str) -> bool:
        return self.words[0] == IN_SYNC

    def may_still_act(self) -> bool:
        return True


def test_a_run_rests_while_it_may_not_act_records_nothing_and_goes_on_by_itself(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    campaign_id = stage.campaign(1, settings=ONE_STEP)
    rested: list[object] = []
    sync_status: SyncStatus = Word(*["out of reach since 10:02"] * 3, IN_SYNC)
    stage.sync_status = sync_status

    def asleep(nothing_eligible: Any) -> None:
        if nothing_eligible.held_reasons and "out of reach" in nothing_eligible.held_reasons[0]:
            rested.append(stage.head(campaign_id))
            runner.wake.set()

    runner = stage.runner(on_sleep=asleep)
    runner.wake.set()
    runner.run(campaign_id)
    assert len(rested) == 2
    assert rested[0] == rested[1]
    assert len(stage.delivered()) == 1
    stage.close()


class Hesitant:
    """In sync, but the first few intents are not confirmed."""

    def __init__(self, refusals: int) -> None:
        self.refusals = refusals

    def describe(self) -> str:
        return IN_SYNC

    def push_and_confirm(self, _: str) -> bool:
        self.refusals -= 1
        return self.refusals < 0

    def may_still_act(self) -> bool:
        return True


def test_an_act_that_was_never_confirmed_is_no_failure_of_the_site(tmp_path: Path) -> None:
    """Nobody is asked what to do about a lead because the line was bad, however long it was."""
    stage = Stage(tmp_path)
    campaign_id = stage.campaign(1, settings=ONE_STEP)
    stage.sync_status = Hesitant(10)
    ended = stage.run(campaign_id)
    assert ended.halt == RunEnd.COMPLETED
    assert len(stage.delivered()) == 1
    assert stage.one("SELECT count(*) FROM actions WHERE status='not_sent'") == 10
    assert stage.one("SELECT attempts FROM messages") == 0
    stage.close()


def test_a_run_that_is_handed_over_ends_and_records_nothing_more(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    campaign_id = stage.campaign(3, settings=ONE_STEP)
    heads: list[object] = []

    def handed(_: Any) -> None:
        asked_by.append("Laptop")
        runner.stop.set()
        heads.append(stage.head(campaign_id))

    asked_by: list[str] = []
    runner = stage.runner(on_turn=handed, handed_over_to=lambda: "".join(asked_by))
    ended = runner.run(campaign_id)
    assert (ended.halt, ended.reasons) == (RunEnd.HANDED_OVER, ("Handed over to “Laptop”.",))
    assert stage.status(campaign_id) == "active"
    assert len(heads) == 1
    stage.close()


def test_alone_nothing_is_asked() -> None:
    assert LocalOnly().push_and_confirm("anything")
