"""About when a text goes out: behind the others, by hours, days, limits, ramp and spacing; and what comes after it."""

from backend.domain.contact.send_forecast import goes_out_at, note_allowed_at, steps_ahead
from backend.domain.gates.gates import NOTE_PERIOD, AccountFacts
from backend.domain.model.campaign import DAY, MINUTE, Limits
from backend.domain.model.days import in_utc
from backend.domain.model.sequence import Sequence, Step
from backend.domain.model.task import ActionFamily
from tests.fakes.clock import always

MONDAY = 1_780_272_000_000  # 1 June 2026, 00:00 UTC
HOUR = 60 * MINUTE
LIMITS = Limits(ramp_days=0, spacing_seconds=60, invitations_a_day=3, invitations_a_week=10, messages_a_day=2)
FACTS = AccountFacts(
    now=MONDAY + 12 * HOUR, offset_at=in_utc, family=ActionFamily.INVITE, campaign_status="active", limits=LIMITS
)


def at(facts: AccountFacts, ahead: int) -> tuple[int, int]:
    """(Days after that Monday, minutes of the day)."""
    sent_at = goes_out_at(facts, ahead)
    assert sent_at is not None
    return (sent_at - MONDAY) // DAY, (sent_at - MONDAY) % DAY // MINUTE


def test_one_after_the_other_and_what_the_day_has_no_room_for_the_next_day() -> None:
    assert [at(FACTS, ahead) for ahead in range(5)] == [(0, 720), (0, 721), (0, 722), (1, 540), (1, 541)]
    assert at(FACTS._replace(sent_today=3), 0) == (1, 540)
    assert at(FACTS._replace(last_any=FACTS.now), 0) == (0, 721)


def test_the_last_place_of_a_day_is_taken_as_long_as_the_hours_last() -> None:
    limits = LIMITS.model_copy(update={"messages_a_day": 20, "spacing_seconds": 3_600, "day_ends": 18 * 60})
    messages = FACTS._replace(family=ActionFamily.MESSAGE, limits=limits)
    late = messages._replace(now=MONDAY + 16 * HOUR + 30 * MINUTE)
    assert [at(late, ahead) for ahead in range(3)] == [(0, 990), (0, 1_050), (1, 540)]
    whole = messages._replace(now=MONDAY + 16 * HOUR)
    assert [at(whole, ahead) for ahead in range(3)] == [(0, 960), (0, 1_020), (1, 540)], "at 18:00 they are over"


def test_not_outside_hours_nor_on_free_days() -> None:
    assert at(FACTS._replace(now=MONDAY + 5 * HOUR), 0) == (0, 540)
    assert at(FACTS._replace(now=MONDAY + 4 * DAY + 20 * HOUR), 0) == (7, 540)
    assert at(FACTS._replace(now=MONDAY + 4 * DAY + 20 * HOUR, offset_at=always(-3 * HOUR)), 0) == (4, 20 * 60)


def test_the_week_and_the_ramp_hold_back() -> None:
    used = FACTS._replace(sent_week=10, oldest_of_week=MONDAY - 2 * DAY)
    assert at(used, 0)[0] == 7  # five days later it is Saturday
    ramp = FACTS._replace(limits=LIMITS.model_copy(update={"ramp_days": 3}), first_ever=FACTS.now)
    assert [at(ramp, ahead)[0] for ahead in range(4)] == [0, 1, 1, 2]
    assert goes_out_at(FACTS._replace(limits=LIMITS.model_copy(update={"invitations_a_day": 0})), 0) is None


def test_the_quota_of_notes_holds_back_until_the_oldest_note_leaves_the_thirty_days() -> None:
    sent = [MONDAY - 20 * DAY, MONDAY - 10 * DAY]
    assert [note_allowed_at(3, sent, ahead) for ahead in range(4)] == [
        0,
        sent[0] + NOTE_PERIOD,
        sent[1] + NOTE_PERIOD,
        None,  # the next one depends on a note that waits itself
    ]
    assert note_allowed_at(1, sent, 0) == sent[1] + NOTE_PERIOD  # the limit was lowered
    assert note_allowed_at(0, sent, 0) is None
    allowed = goes_out_at(FACTS, 4, sent[0] + NOTE_PERIOD)
    assert allowed == MONDAY + 10 * DAY + 9 * HOUR
    assert goes_out_at(FACTS, 4, MONDAY) == goes_out_at(FACTS, 4)


def test_what_comes_after_a_step_says_on_what_it_depends() -> None:
    steps = (
        Step(key="invite", kind="invitation"),
        Step(key="hello", kind="message", template="Hi"),
        Step(key="gone", kind="message", template="Gone", removed=True, number=2),
        Step(key="again", kind="message", template="Again", after_days=3),
    )
    ahead = steps_ahead(Sequence(steps=steps), "invite")
    assert [(step.key, step.after_days, step.condition) for step in ahead] == [
        ("hello", 0, "accepted"),
        ("again", 3, "no_reply"),
    ]
    assert steps_ahead(Sequence(steps=steps), "again") == []
    assert steps_ahead(Sequence(steps=steps), "nowhere") == []
