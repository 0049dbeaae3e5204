"""What the oracle calls a second unsolicited contact, and what it leaves free."""

import pytest

from tests.simulation.contact_oracle import CLAIM_DAYS, DAY, MARGIN_MS, Contact, ContactOracle, PutOff, SeenBefore

NOON = 20_000 * DAY
FIRST = Contact("ann", "water", "invitation", "step 1: Hi Ann", NOON, "desk 1")
SECOND = Contact("ann", "wind", "invitation", "step 1b: Hi Ann", NOON + DAY, "laptop 1")
ARRIVED = [("invitation", "ann", FIRST.text)]


def test_a_second_campaign_may_not_write_to_somebody_within_the_claims_time() -> None:
    oracle = ContactOracle()
    assert oracle.leaves(FIRST, []) == ""
    assert oracle.leaves(SECOND, ARRIVED) == "ann got a invitation of a second campaign 1.0 days after the first's"


def test_the_claims_time_begins_anew_with_every_contact_of_the_first_campaign() -> None:
    oracle = ContactOracle()
    later = FIRST._replace(kind="message", text="step 2: Hi", at=NOON + 30 * DAY)
    oracle.leaves(FIRST, [])
    oracle.leaves(later, ARRIVED)
    arrived = [*ARRIVED, ("message", "ann", later.text)]
    assert oracle.leaves(SECOND._replace(at=NOON + CLAIM_DAYS * DAY), arrived)
    assert oracle.leaves(SECOND._replace(at=later.at + CLAIM_DAYS * DAY), arrived) == ""


def test_the_steps_of_one_campaign_are_one_contact() -> None:
    oracle = ContactOracle()
    oracle.leaves(FIRST, [])
    assert oracle.leaves(FIRST._replace(kind="message", text="step 2: Hi", at=NOON + DAY), ARRIVED) == ""


def test_what_did_not_arrive_holds_nobody_back() -> None:
    oracle = ContactOracle()
    oracle.leaves(FIRST, [])
    assert oracle.leaves(SECOND, []) == ""
    assert oracle.judge_delivered([("invitation", "ann", SECOND.text)]) == ""


def test_what_arrives_late_counts_when_all_is_over() -> None:
    oracle = ContactOracle()
    oracle.leaves(FIRST, [])
    oracle.leaves(SECOND, [])
    assert "second campaign" in oracle.judge_delivered([*ARRIVED, ("invitation", "ann", SECOND.text)])


def test_whom_the_user_allowed_a_campaign_to_contact_anyway_is_free_for_that_campaign_alone() -> None:
    oracle = ContactOracle()
    oracle.leaves(FIRST, [])
    oracle.allows("ann", "wind", SECOND.at)
    assert oracle.leaves(SECOND, ARRIVED) == ""
    assert oracle.leaves(SECOND._replace(campaign="sun", text="step 1c: Hi"), ARRIVED)


def test_the_campaign_that_was_there_first_goes_on_beside_one_that_was_allowed() -> None:
    oracle = ContactOracle()
    oracle.leaves(FIRST, [])
    oracle.allows("ann", "wind", SECOND.at)
    oracle.leaves(SECOND, ARRIVED)
    next_step = FIRST._replace(kind="message", text="step 2: Hi", at=SECOND.at + DAY)
    assert oracle.leaves(next_step, [*ARRIVED, ("invitation", "ann", SECOND.text)]) == ""


def test_somebody_who_declined_gets_nothing_from_any_campaign() -> None:
    oracle = ContactOracle(one_log=True)
    oracle.declines("ann", NOON, "desk 1")
    assert "declined" in oracle.leaves(SECOND, [])


@pytest.mark.parametrize(
    ("one_log", "launch", "is_known"), [(True, "x", True), (False, "x", False), (False, "desk 1", True)]
)
def test_a_no_counts_where_it_must_have_been_heard(one_log: bool, launch: str, is_known: bool) -> None:
    oracle = ContactOracle(one_log=one_log)
    oracle.declines("ann", NOON, "desk 1")
    contact = SECOND._replace(launch=launch)
    assert bool(oracle.leaves(contact, [])) is is_known


def test_what_is_under_way_when_somebody_declines_may_still_arrive() -> None:
    oracle = ContactOracle(one_log=True)
    oracle.declines("ann", SECOND.at - MARGIN_MS + 1, "desk 1")
    assert oracle.leaves(SECOND, []) == ""


def test_where_nothing_can_be_known_nothing_is_judged() -> None:
    oracle = ContactOracle(judges=False, one_log=True)
    oracle.declines("ann", NOON, "desk 1")
    oracle.leaves(FIRST, [])
    assert oracle.leaves(SECOND, ARRIVED) == ""


def test_of_a_campaign_on_the_practice_network_that_was_deleted_nothing_is_remembered() -> None:
    oracle = ContactOracle(forgotten={"water"})
    assert oracle.leaves(FIRST, []) == ""
    assert oracle.leaves(SECOND, ARRIVED) == ""


@pytest.mark.parametrize("again", ["water", "wind"])
def test_nor_who_declined_through_it_unless_they_did_so_again_elsewhere(again: str) -> None:
    oracle = ContactOracle(one_log=True, forgotten={"water"})
    for campaign in ("water", again):
        oracle.declines("ann", NOON, "desk 1", campaign)
    assert bool(oracle.leaves(SECOND, [])) is (again == "wind")


@pytest.mark.parametrize(
    ("remembers", "launch", "is_known"), [(True, "desk 2", True), (False, "desk 2", False), (True, "laptop 1 1", False)]
)
def test_where_no_record_is_lost_a_device_knows_what_was_said_on_it(
    remembers: bool, launch: str, is_known: bool
) -> None:
    oracle = ContactOracle(remembers=remembers)
    oracle.declines("ann", NOON, "desk 1")
    assert bool(oracle.leaves(SECOND._replace(launch=launch), [])) is is_known


@pytest.mark.parametrize("campaign", ["wind", "water"])
def test_who_was_put_off_gets_nothing_of_any_campaign_until_then(campaign: str) -> None:
    oracle = ContactOracle(one_log=True)
    oracle.puts_off("ann", PutOff(NOON, NOON + 3 * DAY, "desk 1", "wind"))
    oracle.puts_off("ann", PutOff(NOON + DAY // 2, NOON + DAY, "desk 1", "water"))
    contact = SECOND._replace(campaign=campaign, at=NOON + 2 * DAY)
    assert "put off" in oracle.leaves(contact, [])
    assert oracle.leaves(contact._replace(person="bo"), []) == ""
    assert oracle.leaves(contact._replace(at=NOON + 3 * DAY), []) == ""
    oracle.forgotten.add("wind")
    assert oracle.leaves(contact, []) == ""


def test_a_later_day_is_no_no_and_what_the_user_lets_go_holds_no_more() -> None:
    oracle = ContactOracle(one_log=True)
    oracle.declines("ann", NOON, "desk 1")
    oracle.puts_off("ann", PutOff(NOON, NOON + 3 * DAY, "desk 1", "wind"))
    assert oracle.leaves(SECOND._replace(at=NOON + 4 * DAY), []) == ""
    oracle.lets_go("desk 2")
    assert oracle.leaves(SECOND, []) == ""


def test_a_campaign_does_not_begin_with_whom_a_file_knows_from_before() -> None:
    oracle = ContactOracle(remembers=True, seen_before={"ann": SeenBefore(NOON, "desk")})
    there = SECOND._replace(launch="desk 2")
    assert "knew before" in oracle.leaves(there, [])
    assert oracle.leaves(there._replace(text="step 2b: Hi"), []) == "", "it had begun"
    assert oracle.leaves(there._replace(campaign="sun", launch="laptop 1 1"), []) == "", "it may not have heard of it"
    oracle.allows("ann", "sun", NOON)
    assert oracle.leaves(there._replace(campaign="sun"), []) == ""
