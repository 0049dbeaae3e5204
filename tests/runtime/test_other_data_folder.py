"""No run and no send session acts by an account by which another data folder of the user acts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.adapters.account_locks import ACTED, HOLDER, FileAccountLocks
from backend.domain.model.channel import LINKEDIN_ACCOUNT, LINKEDIN_ADDRESS
from backend.domain.model.send_word import Word
from backend.domain.values.errors import OutriderError
from backend.ports.account_locks import SenderAccount
from backend.ports.sync_status import LocalOnly
from backend.runtime.run.campaign_runner import AWAITS_OTHER_FOLDER, CampaignRunner, RunEnd
from backend.turn.loop import NothingEligible
from tests.fakes.by_hand import by_hand as campaign_by_hand
from tests.fakes.campaign import MESSAGE_ONLY, Killed, Stage
from tests.fakes.send_desk import Desk, desk

LINKEDIN = SenderAccount(LINKEDIN_ADDRESS, LINKEDIN_ACCOUNT)


@pytest.fixture
def other(tmp_path: Path) -> Iterator[FileAccountLocks]:
    """The locks of another data folder."""
    locks = FileAccountLocks(tmp_path / "accounts", tmp_path / "other")
    yield locks
    locks.close()


def refusal(act: object) -> OutriderError:
    with pytest.raises(OutriderError) as refused:
        act()  # type: ignore[operator]
    return refused.value


# --- runs ---


def account(stage: Stage) -> SenderAccount:
    return SenderAccount(stage.site.address, stage.one("SELECT account FROM campaigns"))


def runner(stage: Stage, tmp_path: Path) -> CampaignRunner:
    made = stage.runner()
    made.loop.accounts = FileAccountLocks(tmp_path / "accounts", tmp_path / "here")
    return made


def test_a_run_begins_nothing_while_another_folder_acts_and_runs_once_that_has_stopped(
    stage: Stage, other: FileAccountLocks, tmp_path: Path
) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    other.take(account(stage), "run")
    before = stage.query("SELECT * FROM event_log")
    refused = refusal(lambda: runner(stage, tmp_path).run(campaign))
    assert refused.code == "account_in_use"
    assert str(tmp_path / "other") in refused.sentence
    assert stage.site.calls == []
    assert stage.query("SELECT * FROM event_log") == before

    other.release(account(stage), "run")
    assert runner(stage, tmp_path).run(campaign).halt is RunEnd.COMPLETED
    assert stage.query("SELECT status FROM actions") == [("sent",), ("sent",)]


def test_an_account_is_another_ones_however_the_run_ended(
    stage: Stage, other: FileAccountLocks, tmp_path: Path
) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    run = runner(stage, tmp_path)

    def looks(tool: str, when: str) -> None:
        assert refusal(lambda: other.take(account(stage), "run")).code == "account_in_use"
        raise OutriderError("closing")

    stage.site.during = looks
    refusal(lambda: run.run(campaign))
    other.take(account(stage), "run")


def cut_off(tmp_path: Path, account: SenderAccount) -> None:
    """What a killed process of another data folder leaves."""
    place = tmp_path / "accounts" / account.lock_name
    place.mkdir(parents=True)
    (place / HOLDER).write_text(str(tmp_path / "other"))
    (place / ACTED).touch()


def test_what_a_folder_that_was_cut_off_sent_last_is_waited_for_before_the_first_look(
    stage: Stage, tmp_path: Path
) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    cut_off(tmp_path, account(stage))
    calls: list[int] = []
    stage.clock.on_wait = lambda: calls.append(len(stage.site.calls))
    sleeps: list[NothingEligible] = []
    made = stage.runner(on_sleep=sleeps.append)
    made.loop.accounts = FileAccountLocks(tmp_path / "accounts", tmp_path / "here")
    assert made.run(campaign).halt is RunEnd.COMPLETED
    assert stage.site.settle_seconds - 1 <= sum(stage.clock.waits) <= stage.site.settle_seconds
    assert set(calls) == {0}
    assert sleeps[0].held_reasons == (AWAITS_OTHER_FOLDER,)


def test_stop_ends_that_wait(stage: Stage, tmp_path: Path) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    cut_off(tmp_path, account(stage))
    run = runner(stage, tmp_path)
    stage.clock.on_wait = run.stop.set
    assert run.run(campaign).halt is RunEnd.STOPPED
    assert len(stage.clock.waits) == 1
    assert stage.query("SELECT * FROM actions") == []


@pytest.mark.parametrize("boundary", ["intent", "acted"])
def test_who_is_cut_off_during_an_act_leaves_word_of_it(
    stage: Stage, other: FileAccountLocks, tmp_path: Path, boundary: str
) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)

    def stop(name: str) -> None:
        if name == boundary:
            raise Killed

    made = stage.runner(boundary=stop)
    made.loop.accounts = FileAccountLocks(tmp_path / "accounts", tmp_path / "here")
    with pytest.raises(Killed):
        made.run(campaign)
    assert 0 <= other.take(account(stage), "run") < 60
    stage.reopen()


# --- by hand ---


def by_hand(stage: Stage, tmp_path: Path) -> Desk:
    made = desk(stage)
    made.accounts = FileAccountLocks(tmp_path / "accounts", tmp_path / "here")
    return made


def test_no_text_is_handed_over_while_another_folder_acts(
    stage: Stage, other: FileAccountLocks, tmp_path: Path
) -> None:
    it = by_hand(stage, tmp_path)
    other.take(LINKEDIN, "run")
    assert refusal(it.hand_over).code == "account_in_use"
    assert stage.query("SELECT * FROM actions") == []
    other.release(LINKEDIN, "run")
    it.hand_over()


def test_the_account_is_held_until_the_user_leaves_and_has_said_what_became_of_each_text(
    stage: Stage, other: FileAccountLocks, tmp_path: Path
) -> None:
    it = by_hand(stage, tmp_path)
    lead = it.hand_over()
    it.leave()
    assert refusal(lambda: other.take(LINKEDIN, "run")).code == "account_in_use", "they may still paste it"
    it.say(lead, Word.SENT)
    it.leave()
    other.take(LINKEDIN, "run")


def test_the_account_is_held_while_a_text_of_another_campaign_on_it_is_out(
    stage: Stage, other: FileAccountLocks, tmp_path: Path
) -> None:
    it = by_hand(stage, tmp_path)
    second = Desk(stage, campaign_by_hand(stage, name="Other"), LocalOnly(), accounts=it.accounts)
    stage.contact_anyway(second.campaign)
    second.run()
    lead = second.hand_over()
    it.leave()
    assert refusal(lambda: other.take(LINKEDIN, "run")).code == "account_in_use", "that text may still be pasted"
    second.say(lead, Word.SENT)
    second.leave()
    other.take(LINKEDIN, "run")


def test_a_text_that_could_not_be_handed_over_holds_no_account(
    stage: Stage, other: FileAccountLocks, tmp_path: Path
) -> None:
    it = by_hand(stage, tmp_path)
    assert refusal(lambda: it.session.hand_over(it.campaign, "nobody", it.clock, shown_digest="", no_reply=True)).code
    other.take(LINKEDIN, "run")
