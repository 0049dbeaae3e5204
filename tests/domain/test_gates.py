"""The gates: each passes and refuses by its rule, in the order of the contract, and `until` is exactly when it opens."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from backend.domain.gates import gates
from backend.domain.gates.gates import (
    GATES,
    AccountFacts,
    GateCheck,
    HandVerdict,
    LeadFacts,
    Pass,
    Refusal,
    allowance_today,
    check_gates,
    first_refusal,
    next_midnight,
    not_before,
    ramp_allowance,
    verdict_by_hand,
    working_time,
)
from backend.domain.gates.person import LeadOfPerson, Person
from backend.domain.model.campaign import DAY, HOUR, MINUTE, Limits
from backend.domain.model.days import in_utc, iso_day, local_day, local_time
from backend.domain.model.task import ActionFamily
from backend.domain.people.identity import DoubtKind
from tests.domain.samples import NOON
from tests.fakes.clock import START, always

ORDER = """
campaign_active no_incident consent_given user_present in_sync within_working_hours not_ended first_contact_allowed
not_on_do_not_contact not_replied not_put_off not_in_touch_elsewhere same_person_settled no_open_conflict
may_be_invited_again thread_fresh approved daily_limit
weekly_limit note_quota ramp minimum_spacing lead_not_blocked
""".split()  # noqa: SIM905 - reads like the contract

OF_INVITATIONS = {"may_be_invited_again", "weekly_limit", "note_quota"}

LOOKING = """
campaign_active no_incident consent_given user_present in_sync within_working_hours not_on_do_not_contact lead_not_blocked
""".split()  # noqa: SIM905 - reads like the contract


WITHDRAWING = """
campaign_active no_incident consent_given user_present in_sync within_working_hours not_ended not_on_do_not_contact not_replied
no_open_conflict withdrawal_due daily_limit minimum_spacing lead_not_blocked
""".split()  # noqa: SIM905 - reads like the contract

ASKS_THE_HAND = {"daily_limit", "weekly_limit", "note_quota"}
ADVISES_THE_HAND = {"within_working_hours", "ramp", "minimum_spacing"}
SILENT_TO_THE_HAND = {"user_present"}

ELSEWHERE = Person(
    LeadOfPerson("L1", "C1", "Here", "Ada", False, 60),
    (LeadOfPerson("L2", "C2", "Spring", "Ada", False, 60, claimed_at=NOON - DAY, replied_at=NOON),),
)
"""Somebody who is with another campaign and has replied there."""
WITH_ANOTHER = ELSEWHERE._replace(others=(ELSEWHERE.others[0]._replace(replied_at=None),))
"""Somebody who is with another campaign."""


NEXT_MORNING = START + DAY + 9 * HOUR
HELD_BY_HOURS = next(gate.families for gate in GATES if gate.code == "within_working_hours")


def account(**changes: Any) -> AccountFacts:
    """An account that may act: noon on a Monday, nothing used, past its ramp."""
    return AccountFacts(NOON, in_utc, ActionFamily.MESSAGE, "active", Limits(), first_ever=NOON - 60 * DAY)._replace(
        **changes
    )


def lead(**changes: Any) -> LeadFacts:
    """A lead that may be written to: its thread was just read and its text is approved."""
    return LeadFacts(thread_read_at=NOON, approval="open")._replace(**changes)


def verdict(code: str, a: AccountFacts, lead_facts: LeadFacts | None) -> Pass | Refusal:
    verdicts = [line.verdict for line in check_gates(a, lead_facts) if line.code == code]
    assert len(verdicts) == 1
    return verdicts[0]


def test_the_gates_stand_in_the_order_of_the_contract() -> None:
    assert [gate.code for gate in GATES if gate.families & {ActionFamily.INVITE, ActionFamily.MESSAGE}] == ORDER


@pytest.mark.parametrize("family", [ActionFamily.INVITE, ActionFamily.MESSAGE])
def test_every_gate_guards_every_send(family: ActionFamily) -> None:
    assert [line.code for line in check_gates(account(family=family), lead())] == ORDER


def test_a_look_passes_the_gates_that_are_about_acting_at_all() -> None:
    assert [line.code for line in check_gates(account(family=ActionFamily.LOOK), lead())] == LOOKING


def test_a_withdrawal_is_asked_whether_it_is_wanted_and_old_enough_and_has_a_limit_of_its_own() -> None:
    limits = Limits(withdrawals_a_day=3)
    asking = account(family=ActionFamily.WITHDRAW, limits=limits)
    assert [line.code for line in check_gates(asking, LeadFacts(withdraw_from=NOON))] == WITHDRAWING
    assert gates.refusal(asking, LeadFacts(withdraw_from=NOON)) is None
    young = gates.refusal(asking, LeadFacts(withdraw_from=NOON + DAY))
    assert young == Refusal("withdrawal_due", "The invitation is less than 21 days old.", NOON + DAY)
    assert gates.refusal(asking, LeadFacts()) == Refusal("withdrawal_due", gates.NOTHING_TO_WITHDRAW)
    full = gates.refusal(asking._replace(sent_today=3), LeadFacts(withdraw_from=NOON))
    assert full == Refusal("daily_limit", "Today's limit of 3 withdrawals leaves no room for more.", NEXT_MORNING)
    off = asking._replace(limits=Limits(), sent_today=0)
    assert gates.refusal(off, None) is None, "switched off, each task is still asked, and so ends"


def test_of_a_person_a_look_asks_nothing_but_what_is_read_for_it() -> None:
    not_read = LeadFacts(
        replied=True, person=ELSEWHERE, doubt=DoubtKind.SAME_NAME, in_conflict=True, approval="missing"
    )
    assert first_refusal(check_gates(account(family=ActionFamily.LOOK), not_read)) is None


@pytest.mark.parametrize("family", [ActionFamily.LOOK, ActionFamily.INVITE, ActionFamily.MESSAGE])
@pytest.mark.parametrize("lead_facts", [lead(), None], ids=["lead", "account"])
def test_an_act_against_which_nothing_speaks_passes_every_gate(
    family: ActionFamily, lead_facts: LeadFacts | None
) -> None:
    checklist = check_gates(account(family=family), lead_facts)
    assert all(isinstance(line.verdict, Pass) for line in checklist)
    assert first_refusal(checklist) is None


# What shuts each gate, and when that gate opens by itself (None: only a person can open it).
SHUT: dict[str, tuple[dict[str, Any], dict[str, Any], int | None]] = {
    "campaign_active": ({"campaign_status": "paused"}, {}, None),
    "no_incident": ({"incident": "unusual_activity: verify"}, {}, None),
    "consent_given": ({"consented": False}, {}, None),
    "user_present": ({"present": False}, {}, None),
    "in_sync": ({"sync_status": "behind"}, {}, None),
    "within_working_hours": ({"limits": Limits(day_starts=13 * 60)}, {}, START + 13 * HOUR),
    "not_ended": ({"limits": Limits(ends_at=NOON)}, {}, None),
    "first_contact_allowed": ({"limits": Limits(first_contact_until=NOON)}, {"contacted": False}, None),
    "not_on_do_not_contact": ({}, {"do_not_contact": True}, None),
    "not_replied": ({}, {"replied": True}, None),
    "not_put_off": ({}, {"paused_until": NOON + DAY}, NOON + DAY),
    "not_in_touch_elsewhere": ({}, {"person": WITH_ANOTHER}, None),
    "same_person_settled": ({}, {"doubt": DoubtKind.TWO_ADDRESSES}, None),
    "no_open_conflict": ({}, {"in_conflict": True}, None),
    "may_be_invited_again": (
        {"family": ActionFamily.INVITE},
        {"withdrawn_at": NOON - 20 * DAY},
        NOON + DAY,
    ),
    "thread_fresh": ({}, {"thread_read_at": NOON - 10 * MINUTE - 1}, None),
    "approved": ({}, {"approval": "expired"}, None),
    "daily_limit": ({"sent_today": 25}, {}, NEXT_MORNING),
    "weekly_limit": (
        {"family": ActionFamily.INVITE, "sent_week": 80, "oldest_of_week": NOON - 6 * DAY},
        {},
        NOON + DAY,
    ),
    "note_quota": (
        {"family": ActionFamily.INVITE, "limits": Limits(notes_a_month=5)},
        {"notes_used": 5, "oldest_note": NOON - 29 * DAY},
        NOON + DAY,
    ),
    "ramp": ({"first_ever": None, "sent_today": 2}, {}, NEXT_MORNING),
    "minimum_spacing": ({"last_any": NOON - 89_999}, {}, NOON + 1),
    "lead_not_blocked": ({}, {"blocked": "outcome_unknown"}, None),
}


def shut(code: str) -> tuple[AccountFacts, LeadFacts]:
    a, b, _ = SHUT[code]
    return account(**a), lead(**b)


def test_every_gate_has_its_example() -> None:
    assert list(SHUT) == ORDER


@pytest.mark.parametrize("code", ORDER)
def test_each_gate_refuses_by_its_own_name_and_says_when_it_opens(code: str) -> None:
    refusal = verdict(code, *shut(code))
    assert isinstance(refusal, Refusal)
    assert refusal.code == code
    assert refusal.sentence.endswith(".")
    assert refusal.until == SHUT[code][2]
    assert first_refusal(check_gates(*shut(code))) == gates.refusal(*shut(code)) == refusal


@pytest.mark.parametrize("code", ORDER)
def test_limits_ask_the_users_hand_and_pace_advises_it_and_any_other_gate_refuses(code: str) -> None:
    shut_by = verdict(code, *shut(code))
    assert isinstance(shut_by, Refusal)
    by_hand = verdict_by_hand(check_gates(*shut(code)))
    refuses = code not in ASKS_THE_HAND | ADVISES_THE_HAND | SILENT_TO_THE_HAND
    assert by_hand == HandVerdict(
        shut_by if refuses else None,
        (shut_by,) if code in ASKS_THE_HAND else (),
        (shut_by,) if code in ADVISES_THE_HAND else (),
    )
    assert by_hand.now == (code in SILENT_TO_THE_HAND)


@pytest.mark.parametrize("first", ORDER)
@pytest.mark.parametrize("second", ORDER)
def test_of_two_shut_gates_the_first_in_the_table_is_the_answer(first: str, second: str) -> None:
    a, b, _ = SHUT[first]
    c, d, _ = SHUT[second]
    if set(a) & set(c) or set(b) & set(d):
        return  # both turn the same knob
    family = {"family": ActionFamily.INVITE} if OF_INVITATIONS & {first, second} else {}
    if family and "thread_fresh" in (first, second):
        return  # an invitation has no thread
    both = check_gates(
        account(**{**a, **c, **family, "limits": a.get("limits", c.get("limits", Limits()))}), lead(**b, **d)
    )
    answer = first_refusal(both)
    assert answer is not None
    refused = [line.code for line in both if isinstance(line.verdict, Refusal)]
    assert {first, second} <= set(refused)
    assert answer.code == refused[0] == min(refused, key=ORDER.index)


def test_all_gates_are_shown_even_when_the_first_refuses() -> None:
    everything = check_gates(
        account(
            campaign_status="paused", incident="x", consented=False, present=False, sync_status="away", sent_today=99,
            first_ever=NOON, last_any=NOON, limits=Limits(work_days=(), ends_at=NOON),
        ),
        LeadFacts(
            contacted=False, do_not_contact=True, replied=True, person=ELSEWHERE, doubt=DoubtKind.SAME_NAME, in_conflict=True,
            blocked="x", paused_until=NOON + DAY,
        ),
    )  # fmt: skip
    refused = [line.code for line in everything if isinstance(line.verdict, Refusal)]
    assert refused == [code for code in ORDER if code not in OF_INVITATIONS]


def test_the_quota_of_notes_is_only_about_invitations_with_one() -> None:
    a = account(family=ActionFamily.INVITE, limits=Limits(notes_a_month=5))
    assert isinstance(verdict("note_quota", a, lead(notes_used=4)), Pass)
    assert isinstance(verdict("note_quota", a, lead()), Pass)
    none = verdict("note_quota", a._replace(limits=Limits(notes_a_month=0)), lead(notes_used=0))
    assert isinstance(none, Refusal)
    assert none.until is None


@pytest.mark.parametrize("late", [-1, 0, 1])
def test_a_last_day_ends_in_its_last_millisecond_and_is_named_in_the_user_s_zone(late: int) -> None:
    ends, offset = NOON - late, 2 * HOUR
    first = Limits(first_contact_until=ends)
    new, contacted = lead(contacted=False), lead()
    for family in (ActionFamily.INVITE, ActionFamily.MESSAGE):
        over = account(family=family, offset_at=always(offset), limits=Limits(ends_at=ends))
        for lead_facts in (new, contacted):
            assert isinstance(verdict("not_ended", over, lead_facts), Refusal) == (late >= 0)
        allowed = account(family=family, offset_at=always(offset), limits=first)
        assert isinstance(verdict("first_contact_allowed", allowed, new), Refusal) == (late >= 0)
        assert isinstance(verdict("first_contact_allowed", allowed, contacted), Pass)
        assert isinstance(verdict("not_ended", allowed, new), Pass)
    midnight = Limits(ends_at=next_midnight(account(offset_at=always(offset))))
    refusal = verdict("not_ended", account(now=NOON + DAY, offset_at=always(offset), limits=midnight), None)
    assert isinstance(refusal, Refusal)
    assert iso_day(NOON) in refusal.sentence
    assert first.next_end(ends - 1) == ends
    assert first.next_end(ends) is None


def test_nothing_refused_is_no_refusal() -> None:
    assert first_refusal(()) is None
    assert first_refusal((GateCheck("x", Pass()), GateCheck("y", Refusal("y", "Y.")))) == Refusal("y", "Y.")


# --- gate by gate -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["initializing", "paused", "completed", "error", "", "Active"])
@pytest.mark.parametrize("family", [ActionFamily.LOOK, ActionFamily.INVITE, ActionFamily.MESSAGE])
def test_nothing_is_done_for_a_campaign_that_is_not_active(status: str, family: ActionFamily) -> None:
    assert isinstance(verdict("campaign_active", account(campaign_status=status, family=family), None), Refusal)


@pytest.mark.parametrize("family", [ActionFamily.LOOK, ActionFamily.INVITE, ActionFamily.MESSAGE])
def test_an_incident_stops_everything(family: ActionFamily) -> None:
    assert isinstance(verdict("no_incident", account(incident="logged_out: x", family=family), None), Refusal)


@pytest.mark.parametrize("family", [ActionFamily.LOOK, ActionFamily.INVITE, ActionFamily.MESSAGE])
def test_nothing_is_automated_while_the_user_is_away(family: ActionFamily) -> None:
    assert isinstance(verdict("user_present", account(present=False, family=family), None), Refusal)


@pytest.mark.parametrize(("sync_status", "open_"), [("local", True), ("in_sync", True), ("behind", False), ("", False)])
def test_an_act_waits_until_the_shared_store_has_its_intent(sync_status: str, open_: bool) -> None:
    assert isinstance(verdict("in_sync", account(sync_status=sync_status), None), Pass) == open_


@pytest.mark.parametrize("family", [ActionFamily.LOOK, ActionFamily.INVITE, ActionFamily.MESSAGE])
def test_somebody_on_the_do_not_contact_list_is_not_even_looked_at(family: ActionFamily) -> None:
    assert isinstance(verdict("not_on_do_not_contact", account(family=family), lead(do_not_contact=True)), Refusal)


@pytest.mark.parametrize(("replied", "stop", "open_"), [(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_nobody_who_replied_gets_another_message_while_the_sequence_stops_on_reply(
    replied: int, stop: int, open_: int
) -> None:
    lead_facts = lead(replied=bool(replied), stop_on_reply=bool(stop))
    assert isinstance(verdict("not_replied", account(), lead_facts), Pass) == bool(open_)


@given(st.integers(1, 120), st.integers(-2, 2))
def test_a_message_goes_out_only_on_a_thread_that_was_just_read(minutes: int, late: int) -> None:
    lead_facts = lead(thread_read_at=NOON - minutes * MINUTE - late)
    a = account(limits=Limits(thread_fresh_minutes=minutes))
    assert isinstance(verdict("thread_fresh", a, lead_facts), Pass) == (late <= 0)


def test_a_message_never_goes_out_on_a_thread_that_was_never_read() -> None:
    assert isinstance(verdict("thread_fresh", account(), lead(thread_read_at=None)), Refusal)


def test_an_invitation_needs_no_thread_because_there_is_none() -> None:
    assert isinstance(verdict("thread_fresh", account(family=ActionFamily.INVITE), lead(thread_read_at=None)), Pass)


@pytest.mark.parametrize(
    "approval", ["missing", "used", "expired", "revoked", "for another text", "", "OPEN", "opened"]
)
@pytest.mark.parametrize("family", [ActionFamily.INVITE, ActionFamily.MESSAGE])
def test_a_message_is_never_sent_without_an_open_approval(approval: str, family: ActionFamily) -> None:
    assert isinstance(verdict("approved", account(family=family), lead(approval=approval)), Refusal)


@given(
    st.integers(0, 100),
    st.integers(0, 200),
    st.integers(0, 250),
    st.sampled_from([ActionFamily.INVITE, ActionFamily.MESSAGE]),
)
def test_no_more_a_day_than_the_daily_limit_of_that_family(
    invitations: int, messages: int, sent: int, family: ActionFamily
) -> None:
    limits = Limits(invitations_a_day=invitations, messages_a_day=messages)
    answer = verdict("daily_limit", account(family=family, limits=limits, sent_today=sent), lead())
    assert isinstance(answer, Pass) == (sent < (invitations if family is ActionFamily.INVITE else messages))


@given(st.integers(0, 400), st.integers(0, 500))
def test_no_more_invitations_in_seven_days_than_the_weekly_limit(limit: int, sent: int) -> None:
    a = account(
        family=ActionFamily.INVITE, limits=Limits(invitations_a_week=limit), sent_week=sent, oldest_of_week=NOON - 1
    )
    assert isinstance(verdict("weekly_limit", a, lead()), Pass) == (sent < limit)
    assert isinstance(verdict("weekly_limit", a._replace(family=ActionFamily.MESSAGE), lead()), Pass)


def test_a_weekly_limit_of_nothing_opens_never() -> None:
    a = account(family=ActionFamily.INVITE, limits=Limits(invitations_a_week=0))
    assert verdict("weekly_limit", a, lead()) == Refusal(
        "weekly_limit", "The limit of 0 invitations in seven days leaves no room for more."
    )


@pytest.mark.parametrize("family", [ActionFamily.LOOK, ActionFamily.INVITE, ActionFamily.MESSAGE])
def test_a_blocked_lead_is_left_alone(family: ActionFamily) -> None:
    assert isinstance(verdict("lead_not_blocked", account(family=family), lead(blocked="do_not_contact")), Refusal)


# --- the ramp ---------------------------------------------------------------------------------------------------------

_LIMIT, _RAMP = st.integers(1, 200), st.integers(0, 60)


@example(limit=5, days=0, day=-1)
@given(_LIMIT, _RAMP, st.integers(-3, 80))
def test_the_ramp_never_shrinks_never_passes_the_limit_and_reaches_it(limit: int, days: int, day: int) -> None:
    limits = Limits(ramp_days=days)
    today, tomorrow = (ramp_allowance(limits, limit, d) for d in (day, day + 1))
    assert 1 <= today <= tomorrow <= limit
    assert ramp_allowance(limits, limit, days) == limit
    assert ramp_allowance(limits, limit, max(0, days - 1)) == limit


@given(_LIMIT, st.integers(1, 60), st.integers(0, 59))
def test_the_ramp_grows_evenly(limit: int, days: int, day: int) -> None:
    assume(day < days)
    even = limit * (day + 1) / days
    assert even <= ramp_allowance(Limits(ramp_days=days), limit, day) < even + 1


@given(_RAMP, st.integers(0, 80))
def test_a_limit_of_nothing_stays_nothing_on_every_day_of_the_ramp(days: int, day: int) -> None:
    assert ramp_allowance(Limits(ramp_days=days), 0, day) == 0


def test_the_first_day_of_a_fresh_account_allows_two_messages_and_the_first_invitations() -> None:
    fresh = account(first_ever=None)
    assert isinstance(verdict("ramp", fresh._replace(sent_today=1), lead()), Pass)
    assert isinstance(verdict("ramp", fresh._replace(sent_today=2), lead()), Refusal)
    inviting = fresh._replace(family=ActionFamily.INVITE)
    assert isinstance(verdict("ramp", inviting._replace(sent_today=1), lead()), Pass)
    assert isinstance(verdict("ramp", inviting._replace(sent_today=2), lead()), Refusal)


@pytest.mark.parametrize("days", [0, 14])
def test_after_the_clock_was_set_back_it_is_the_first_day_of_the_ramp(days: int) -> None:
    back = account(first_ever=NOON + 2 * DAY, limits=Limits(ramp_days=days))
    assert isinstance(verdict("ramp", back._replace(sent_today=1), lead()), Pass)
    assert allowance_today(back) == allowance_today(back._replace(first_ever=NOON))


@given(st.integers(-14 * 60, 14 * 60), st.integers(0, 60 * DAY), st.integers(0, 30 * DAY), st.integers(1, 60))
def test_the_days_of_the_ramp_begin_at_local_midnight(offset: int, now: int, ago: int, days: int) -> None:
    first = START + now
    a = account(now=first + ago, first_ever=first, offset_at=always(offset * MINUTE), limits=Limits(ramp_days=days))
    day = (first + ago + offset * MINUTE) // DAY - (first + offset * MINUTE) // DAY
    allowance = ramp_allowance(a.limits, 25, day)
    assert isinstance(verdict("ramp", a._replace(sent_today=allowance - 1), lead()), Pass)
    full = verdict("ramp", a._replace(sent_today=allowance), lead())
    assert isinstance(full, Refusal) == (day < days)  # then there is only the day's limit


# --- until ------------------------------------------------------------------------------------------------------------


def _as_it_will_be(a: AccountFacts, now: int) -> AccountFacts:
    """The same account at another moment, if nothing is sent meanwhile: counts of a past day or week are forgotten."""
    day_changed = local_day(now, a.offset_at) != local_day(a.now, a.offset_at)
    aged = a.oldest_of_week is not None and now >= a.oldest_of_week + 7 * DAY
    return a._replace(
        now=now,
        sent_today=0 if day_changed else a.sent_today,
        sent_week=a.sent_week - 1 if aged else a.sent_week,
        oldest_of_week=None if aged else a.oldest_of_week,
    )


@st.composite
def accounts(draw: Callable[..., Any]) -> AccountFacts:
    now = START + draw(st.integers(0, 30 * DAY))
    limits = Limits(
        invitations_a_day=draw(st.integers(1, 100)),
        invitations_a_week=draw(st.integers(1, 400)),
        messages_a_day=draw(st.integers(1, 200)),
        ramp_days=draw(st.integers(0, 60)),
        spacing_seconds=draw(st.integers(0, 3_600)),
        day_starts=draw(st.integers(0, 1_440)),
        day_ends=draw(st.integers(0, 1_440)),
        work_days=tuple(sorted(draw(st.sets(st.integers(0, 6))))),
    )
    return AccountFacts(
        now=now,
        offset_at=always(draw(st.integers(-14 * 60, 14 * 60)) * MINUTE),
        family=draw(st.sampled_from([ActionFamily.INVITE, ActionFamily.MESSAGE])),
        campaign_status="active",
        limits=limits,
        sent_today=draw(st.integers(0, 250)),
        sent_week=draw(st.integers(0, limits.invitations_a_week)),
        oldest_of_week=now - draw(st.integers(0, 7 * DAY - 1)),
        first_ever=now - draw(st.integers(0, 80 * DAY)),
        last_any=now - draw(st.integers(0, 2 * HOUR)),
    )


@given(accounts())
def test_a_gate_that_opens_by_itself_says_exactly_when(a: AccountFacts) -> None:
    for line in check_gates(a, lead()):
        if not isinstance(line.verdict, Refusal) or line.verdict.until is None:
            continue
        until = line.verdict.until
        has_hours = working_time(a.limits, a.now, a.offset_at) is not None
        assert until > a.now, line.code
        asked = {line.code, "within_working_hours"} if has_hours and a.family in HELD_BY_HOURS else {line.code}
        before = [verdict(code, _as_it_will_be(a, until - 1), lead()) for code in asked]
        assert any(isinstance(answer, Refusal) for answer in before), line.code
        then = [verdict(code, _as_it_will_be(a, until), lead()) for code in asked]
        assert all(isinstance(answer, Pass) for answer in then), line.code


@given(accounts())
def test_working_hours_are_the_local_ones(a: AccountFacts) -> None:
    local = local_time(a.now, a.offset_at)
    minute, weekday = local // MINUTE % 1_440, (local // DAY + 3) % 7
    open_ = weekday in a.limits.work_days and a.limits.day_starts <= minute < a.limits.day_ends
    answer = verdict("within_working_hours", a, lead())
    assert isinstance(answer, Pass) == open_


@pytest.mark.parametrize(
    ("after", "open_"),
    [(8 * HOUR - 1, False), (8 * HOUR, True), (18 * HOUR - 1, True), (18 * HOUR, False), (18 * HOUR + MINUTE, False)],
)
def test_work_begins_with_its_first_minute_and_ends_with_its_last(after: int, open_: bool) -> None:
    now = START + after
    a = account(now=now, limits=Limits(day_starts=8 * 60, day_ends=18 * 60))
    assert isinstance(verdict("within_working_hours", a, lead()), Pass) is open_
    opens = now if open_ else (START if after < 8 * HOUR else START + DAY) + 8 * HOUR
    assert working_time(a.limits, now, in_utc) == opens


@given(accounts())
def test_working_time_is_the_first_that_there_is_and_the_gate_opens_then(a: AccountFacts) -> None:
    """Independently: walk minute by minute over the next eight days and take the first one inside working hours."""
    opening = working_time(a.limits, a.now, a.offset_at)
    answer = verdict("within_working_hours", a, lead())
    assert (opening == a.now) is isinstance(answer, Pass)
    if isinstance(answer, Pass):
        return
    assert answer.until == opening
    minutes = range(a.now // MINUTE + 1, a.now // MINUTE + 8 * 1_440 + 1)
    days, starts, ends = set(a.limits.work_days), a.limits.day_starts, a.limits.day_ends
    offset = a.offset_at(a.now) // MINUTE
    walked = next(
        (
            m * MINUTE
            for m in minutes
            if ((m + offset) // 1_440 + 3) % 7 in days and starts <= (m + offset) % 1_440 < ends
        ),
        None,
    )
    assert opening == walked


SATURDAY = START + 5 * DAY


@pytest.mark.parametrize("family", list(ActionFamily))
def test_what_is_due_on_a_free_day_is_done_on_the_next_working_day_if_working_hours_hold_it_back(
    family: ActionFamily,
) -> None:
    is_held_back = any(gate.code == "within_working_hours" and family in gate.families for gate in GATES)
    due = SATURDAY + 15 * HOUR
    assert not_before(Limits(), family, due, in_utc) == (SATURDAY + 2 * DAY + 9 * HOUR if is_held_back else due)
    assert not_before(Limits(work_days=()), family, due, in_utc) == due, (
        "with no working hours at all nothing is put off"
    )


@given(accounts())
def test_midnight_is_the_local_one_and_lies_ahead(a: AccountFacts) -> None:
    at = next_midnight(a)
    assert local_time(at, a.offset_at) % DAY == 0
    assert a.now < at <= a.now + DAY


@pytest.mark.parametrize(("day", "open_"), [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (5, 0), (6, 0)])
def test_the_default_working_week_is_monday_to_friday(day: int, open_: int) -> None:
    assert isinstance(verdict("within_working_hours", account(now=NOON + day * DAY), None), Pass) == bool(open_)


def test_the_default_limits_are_the_conservative_ones_of_the_design() -> None:
    limits = Limits()
    assert (limits.invitations_a_day, limits.invitations_a_week, limits.messages_a_day) == (15, 80, 25)
    assert (limits.ramp_days, limits.thread_fresh_minutes) == (14, 10)
    assert limits.spacing_seconds > 0


def test_with_one_working_day_a_week_the_next_opening_is_a_week_away() -> None:
    assert working_time(Limits(work_days=(0,)), START + 20 * HOUR, in_utc) == START + 7 * DAY + 9 * HOUR
