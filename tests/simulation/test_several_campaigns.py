"""Each campaign's steps bear a mark of their own, and what the disk was not asked to keep is lost."""

from backend.store.database import Database
from tests.simulation.machine import commits_wait_for_disk
from tests.simulation.oracle import letter_of, step_of
from tests.simulation.planting import wrapped
from tests.simulation.several_campaigns import relettered, with_letter
from tests.simulation.world import SEQUENCE


def test_a_copy_of_a_campaign_has_texts_of_its_own_mark() -> None:
    copy = with_letter(SEQUENCE, "b")
    texts = [step.template for step in copy.steps if step.template]
    assert [step_of(text) for text in texts] == ["step 1b", "step 2b", "step 3b"]
    assert {letter_of(text) for text in texts} == {"b"}
    assert relettered("step 2b: Hi, step 1: no", "c") == "step 2c: Hi, step 1: no"
    assert letter_of("step 12: Hi") == letter_of("by hand: hi") == ""


def test_a_commit_that_does_not_wait_for_the_disk_is_noticed() -> None:
    assert commits_wait_for_disk()

    def hurried(connect, database, **how):  # type: ignore[no-untyped-def]
        connection = connect(database, **how)
        connection.execute("PRAGMA synchronous=NORMAL")
        return connection

    with wrapped(Database, "_connect", hurried)():
        assert not commits_wait_for_disk()
