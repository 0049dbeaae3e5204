"""Conditions of steps: what is answered when, what the answer means for branches, and what holds whatever is changed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from backend.domain.events.facts.sentences import LogEntry, event_sentence
from backend.domain.model.campaign import DAY, HOUR, MINUTE
from backend.domain.model.condition import Condition, ConditionAnswer, Look, ask, read_recorded, told_recorded
from backend.domain.model.lead import Lead
from backend.domain.model.message import MessageStatus
from backend.domain.model.sequence import DEFAULT_SEQUENCE, DueAction, Sequence, Step, answered, due_step
from backend.domain.model.site import Relation
from backend.domain.model.variables import Recipient
from backend.domain.sequence.sequence_change import (
    Change,
    OpenText,
    Position,
    RequestedSequence,
    RequestedStep,
    Standing,
    as_request,
    changed_sequence,
    condition_shares,
    differences,
    refuse_unknown_fields,
    text_falls,
)
from backend.domain.turn.task_progress import next_step_events
from backend.domain.values.errors import OutriderError
from tests.domain import samples
from tests.domain.samples import NOON

NONE, PENDING, CONNECTED = Relation.NONE, Relation.PENDING, Relation.CONNECTED
FRESH = 10 * MINUTE
ACCEPTED = Condition(what="accepted", days=7)
VIP = Condition(what="tag", value="VIP")
ENERGY = Condition(what="field", name="industry", value="energy")
YES, NO, UNKNOWN = ConditionAnswer.YES, ConditionAnswer.NO, ConditionAnswer.UNKNOWN


def opposite(condition: Condition) -> Condition:
    return condition.model_copy(update={"negated": not condition.negated})


def lead(**changes: Any) -> Lead:
    return samples.lead(**changes)


INVITED = {"relation": PENDING, "invited_at": NOON}


@pytest.mark.parametrize(
    ("condition", "situation", "answer"),
    [
        (ACCEPTED, {"relation": CONNECTED}, YES),
        (ACCEPTED, {}, NO),
        (ACCEPTED, INVITED, Look(NOON + 72 * HOUR)),
        (ACCEPTED, {**INVITED, "visited_at": NOON + 5 * DAY}, Look(NOON + 7 * DAY)),
        (ACCEPTED, {**INVITED, "visited_at": NOON + 7 * DAY}, NO),
        (Condition(what="connected"), {"relation": CONNECTED}, YES),
        (Condition(what="connected"), {"relation": PENDING}, NO),
        (Condition(what="connected"), {"visited_at": NOON}, NO),
        (Condition(what="connected"), {}, Look(0)),
        (Condition(what="connected", unknown="skip"), {}, UNKNOWN),
        (VIP, {"tags": '["a", "vip"]'}, YES),
        (VIP, {"tags": '["vip guest"]'}, NO),
        (ENERGY, {"extra": '{"Industry": " Energy "}'}, YES),
        (ENERGY, {"extra": '{"Industry": "Energy and gas"}'}, NO),
        (ENERGY, {}, NO),
        (ENERGY.model_copy(update={"compare": "contains"}), {"extra": '{"Industry": "Green energy"}'}, YES),
        (Condition(what="field", name="industry", compare="empty"), {"extra": '{"Industry": " "}'}, YES),
        (Condition(what="field", name="degree", value="2"), {"extra": '{"Degree": "2"}'}, YES),
        (Condition(what="field", name="job_title", value="founder"), {}, YES),
    ],
)
def test_a_condition_is_answered_from_what_is_on_record(
    condition: Condition, situation: dict[str, Any], answer: ConditionAnswer | Look
) -> None:
    assert ask(condition, lead(**situation), 72) == answer


@pytest.mark.parametrize(
    "fields",
    [
        {"what": "accepted"},
        {"what": "connected", "days": 3},
        {"what": "tag", "value": " "},
        {"what": "field", "name": "industry"},
        {"what": "field", "name": "industry", "compare": "empty", "value": "x"},
        {"what": "tag", "value": "x", "compare": "contains"},
    ],
)
def test_a_condition_that_lacks_something_or_says_too_much_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Condition.model_validate(fields)


@pytest.mark.parametrize(
    ("condition", "words", "sentence"),
    [
        (ACCEPTED, "they accept within 7 days", "not accepted within 7 days"),
        (opposite(ACCEPTED), "they do not accept within 7 days", "not accepted within 7 days"),
        (Condition(what="connected"), "they are connected already", "not connected"),
        (VIP, "they have the tag “VIP”", "does not have the tag “VIP”"),
        (ENERGY, "{industry} is “energy”", "{industry} is not “energy”"),
        (Condition(what="field", name="industry", compare="empty"), "{industry} is empty", "{industry} is not empty"),
    ],
)
def test_a_condition_says_itself_and_its_answer_in_words(condition: Condition, words: str, sentence: str) -> None:
    assert (condition.words, condition.told(NO)) == (words, sentence)


def test_the_history_says_which_step_was_skipped_and_why() -> None:
    answer = "hello no accepted 7"
    assert told_recorded(answer) == "not accepted within 7 days (asked before “hello”)"
    assert read_recorded("hello no tag a b").question == "tag a b"
    entry = LogEntry("ConditionAnswered", "l", {"answers": ["hello yes connected", answer]}, lead="Ada")
    assert event_sentence(entry) == "Ada: not accepted within 7 days (asked before “hello”)"
    assert event_sentence(entry._replace(payload={"answers": []})) == "A condition answered for Ada"


def message(key: str, *only_if: Condition, days: int = 0) -> Step:
    return Step(key=key, kind="message", template=f"Hi, {key}.", after_days=days, only_if=only_if)


VISIT, INVITE = DEFAULT_SEQUENCE.steps[:2]
BRANCHES = Sequence(
    steps=(
        VISIT,
        INVITE,
        message("hello", ACCEPTED),
        message("again", ACCEPTED, days=3),
        Step(key="stop", kind="end", only_if=(opposite(ACCEPTED),)),
        message("last", days=2),
    )
)


def through(sequence: Sequence, person: Lead, now: int) -> tuple[Lead, DueAction, str, int]:
    """After the conditions that are put now: the lead, what it is owed, for which step, and when."""
    asked, due_step = answered(sequence, person, None, now, FRESH)
    return (asked or [person])[-1], due_step.due, due_step.step.key if due_step.step else due_step.reason, due_step.at


def test_who_accepts_in_time_goes_one_way_and_who_does_not_the_other() -> None:
    waits = lead(sequence_step=2, **INVITED)
    assert through(BRANCHES, waits, NOON)[1:] == (DueAction.CHECK, "hello", NOON + 72 * HOUR)
    came = waits._replace(relation=CONNECTED, accepted_at=NOON + DAY)
    answered_lead, due, step, _ = through(BRANCHES, came, NOON + DAY)
    assert (answered_lead.answers, due, step) == (("hello yes accepted 7",), DueAction.READ, "hello")
    sent = answered_lead._replace(sequence_step=3, last_sent_at=NOON + DAY)
    assert through(BRANCHES, sent, NOON + DAY)[1:] == (DueAction.READ, "again", NOON + 4 * DAY)
    after = answered_lead._replace(sequence_step=4, last_sent_at=NOON + 4 * DAY)
    assert through(BRANCHES, after, NOON + 5 * DAY)[2] == "last"
    late = waits._replace(visited_at=NOON + 7 * DAY)
    answered_lead, due, step, _ = through(BRANCHES, late, NOON + 7 * DAY)
    assert (answered_lead.answers, due, step) == (("hello no accepted 7",), DueAction.FINISH, "not accepted")


def test_an_answer_is_never_put_again_for_the_steps_that_hang_on_it() -> None:
    sequence = Sequence(steps=(VISIT, message("a", VIP), message("b", VIP, days=3), message("c", opposite(VIP))))
    person = lead(sequence_step=1, relation=CONNECTED, tags='["vip"]')
    answered_lead = through(sequence, person, NOON)[0]
    untagged = answered_lead._replace(sequence_step=2, last_sent_at=NOON, tags="[]")
    assert through(sequence, untagged, NOON)[2] == "b"
    done = untagged._replace(sequence_step=3, last_sent_at=NOON + 3 * DAY)
    assert due_step(sequence, done, None, NOON + 4 * DAY, FRESH).step is None


def test_a_condition_further_on_is_put_anew() -> None:
    sequence = Sequence(steps=(VISIT, message("a", VIP), message("b"), message("c", VIP)))
    person = lead(sequence_step=1, relation=CONNECTED)
    answered_lead, _, step, _ = through(sequence, person, NOON)
    assert step == "b"
    tagged = answered_lead._replace(sequence_step=3, last_sent_at=NOON, tags='["vip"]')
    assert through(sequence, tagged, NOON)[2] == "c"


def test_a_condition_waits_until_the_first_step_that_hangs_on_it_is_due() -> None:
    sequence = Sequence(steps=(VISIT, message("a"), message("b", VIP, days=5), message("c", opposite(VIP), days=2)))
    person = lead(sequence_step=2, relation=CONNECTED, last_sent_at=NOON)
    asked, due_step = answered(sequence, person, None, NOON + DAY, FRESH)
    assert (asked, due_step.due, due_step.at) == ([], DueAction.DECIDE, NOON + 2 * DAY)
    tagged = person._replace(tags='["vip"]')
    assert through(sequence, tagged, NOON + 2 * DAY)[1:] == (DueAction.READ, "b", NOON + 5 * DAY)
    assert through(sequence, person, NOON + 2 * DAY)[1:] == (DueAction.READ, "c", NOON + 2 * DAY)


def test_of_several_conditions_all_must_hold_and_the_first_that_fails_is_told() -> None:
    sequence = Sequence(steps=(VISIT, message("a", VIP, opposite(ENERGY)), message("b")))
    person = lead(sequence_step=1, relation=CONNECTED, tags='["vip"]', extra='{"industry": "Energy"}')
    answered_lead, _, step, _ = through(sequence, person, NOON)
    assert step == "b"
    assert sequence.fit(1, answered_lead.answers).skipped == "{industry} is “energy”"
    assert through(sequence, person._replace(extra="{}"), NOON)[2] == "a"


def test_who_is_not_known_to_be_connected_is_looked_up_or_skipped_as_the_condition_says() -> None:
    for unknown, due, step in (("find_out", DueAction.CHECK, "invite"), ("skip", DueAction.FINISH, "not connected")):
        condition = Condition.model_validate({"what": "connected", "negated": True, "unknown": unknown})
        invite = INVITE.model_copy(update={"only_if": (condition,)})
        sequence = Sequence(steps=(invite, message("hello")))
        assert through(sequence, lead(sequence_step=0), NOON)[1:3] == (due, step)


def test_the_controller_records_each_answer_before_it_goes_on() -> None:
    campaign = samples.campaign(settings=samples.campaign().settings.model_copy(update={"sequence": BRANCHES}))
    person = lead(sequence_step=2, relation=CONNECTED, accepted_at=NOON)
    events = next_step_events(campaign, samples.task(), person, None, NOON, lambda: "id")
    assert [event.kind for event in events] == ["ConditionAnswered", "TaskAdvanced"]
    assert events[0].changes == {"answers": ["hello yes accepted 7"]}


# --- changes of a running sequence ---


def wanted(*steps: RequestedStep) -> RequestedSequence:
    return RequestedSequence(steps=steps)


def conditioned(sequence: Sequence, key: str, *only_if: Condition) -> RequestedSequence:
    now = as_request(sequence)
    steps = (step.model_copy(update={"only_if": only_if}) if step.key == key else step for step in now.steps)
    return now.model_copy(update={"steps": tuple(steps)})


def test_a_new_condition_is_told_for_each_group_and_its_texts_fall_until_it_is_answered() -> None:
    after = changed_sequence(DEFAULT_SEQUENCE, conditioned(DEFAULT_SEQUENCE, "hello", VIP))
    ahead, past = Position(Standing.RUNNING, 2, CONNECTED), Position(Standing.RUNNING, 3, CONNECTED)
    groups = differences(DEFAULT_SEQUENCE, after, {ahead: 3, past: 2}, [])
    assert [(group.people, [change.change for change in group.changes]) for group in groups] == [
        (3, [Change.CONDITION]),
        (2, []),
    ]
    text = OpenText("m", "l", "hello", MessageStatus.APPROVED, ahead, Recipient("Ada"))
    assert text_falls(DEFAULT_SEQUENCE, after, text, "goal")
    met = text._replace(position=ahead._replace(answers=("hello yes tag vip",)))
    assert not text_falls(DEFAULT_SEQUENCE, after, met, "goal")
    back = changed_sequence(after, as_request(DEFAULT_SEQUENCE))
    assert as_request(back) == as_request(DEFAULT_SEQUENCE)


def test_the_difference_counts_for_whom_the_step_would_be() -> None:
    after = changed_sequence(DEFAULT_SEQUENCE, conditioned(DEFAULT_SEQUENCE, "hello", VIP, ACCEPTED))
    here = Position(Standing.RUNNING, 2, CONNECTED)
    people = [
        (lead(relation=CONNECTED, invited_at=1, tags='["vip"]'), here),
        (lead(relation=CONNECTED, invited_at=1), here),
        (lead(tags='["vip"]'), Position(Standing.UNPLANNED, None, NONE)),
        (lead(tags='["vip"]'), Position(Standing.RUNNING, 3, CONNECTED)),
    ]
    (share,) = condition_shares(DEFAULT_SEQUENCE, after, lambda: people)
    assert (share.step, share.yes, share.no, share.later) == ("hello", 1, 1, 1)
    assert condition_shares(after, after, lambda: pytest.fail("nobody is looked at")) == []


@pytest.mark.parametrize(
    ("step", "only_if", "why"),
    [
        ("visit", (VIP,), "for everybody"),
        ("invite", (ACCEPTED,), "only known after the invitation"),
        ("hello", (VIP, opposite(VIP)), "asks the same twice"),
    ],
)
def test_conditions_that_could_not_be_met_are_refused_in_words(
    step: str, only_if: tuple[Condition, ...], why: str
) -> None:
    with pytest.raises(OutriderError, match="sequence_invalid") as raised:
        changed_sequence(DEFAULT_SEQUENCE, conditioned(DEFAULT_SEQUENCE, step, *only_if))
    assert why in raised.value.sentence


def test_a_condition_on_a_column_that_is_not_there_is_refused() -> None:
    sequence = changed_sequence(DEFAULT_SEQUENCE, conditioned(DEFAULT_SEQUENCE, "hello", ENERGY))
    refuse_unknown_fields(sequence, ["industry"])
    with pytest.raises(OutriderError, match="sequence_invalid"):
        refuse_unknown_fields(sequence, ["country"])


# --- whatever is changed ---

conditions = st.sampled_from((VIP, opposite(VIP), ENERGY, opposite(ENERGY), ACCEPTED, opposite(ACCEPTED)))


@st.composite
def branching(draw: st.DrawFn, current: Sequence) -> RequestedSequence:
    """The steps with any conditions on them, some taken out, a new one sometimes."""
    steps: list[RequestedStep] = []
    for step in as_request(current).steps:
        if step.kind == "message":
            if len(steps) > 3 and not draw(st.integers(0, 3)):
                continue
            only_if = draw(st.lists(conditions, max_size=2, unique_by=lambda condition: condition.question))
            steps.append(step.model_copy(update={"only_if": tuple(only_if)}))
            continue
        steps.append(step)
    if len(steps) < 8 and draw(st.booleans()):
        only_if = draw(st.lists(conditions, max_size=1))
        steps.append(RequestedStep(kind="message", template="More.", only_if=tuple(only_if)))
    return RequestedSequence(steps=tuple(steps))


@given(st.data())
def test_whatever_is_changed_nobody_gets_a_step_whose_condition_does_not_hold(data: st.DataObject) -> None:
    """Judged by the person as they are at that moment, and where an answer holds already, by that."""
    sequence, now = DEFAULT_SEQUENCE, NOON
    person = lead(sequence_step=2, relation=CONNECTED, invited_at=NOON, accepted_at=NOON, thread_read_at=NOON)
    got = list[str]()
    for _ in range(data.draw(st.integers(2, 10))):
        if data.draw(st.booleans()):
            sequence = changed_sequence(sequence, data.draw(branching(sequence)))
        person = person._replace(
            tags=data.draw(st.sampled_from(("[]", '["vip"]'))),
            extra=data.draw(st.sampled_from(("{}", '{"Industry": "energy"}'))),
        )
        before = person.answers
        asked, due_step = answered(sequence, person, None, now, FRESH)
        for asked_lead in asked:
            recorded_answer = read_recorded(asked_lead.answers[-1])
            truth = {
                "tag vip": "vip" in person.tags,
                "field industry is energy": "energy" in person.extra,
                "accepted 7": True,
            }
            assert recorded_answer.answer == (YES if truth[recorded_answer.question] else NO)
        person = asked[-1] if asked else person
        assert person.answers[: len(before)] == before
        if due_step.step is None:
            continue
        position = sequence.place_of(due_step.step.key)
        answers = {answer.question: answer.answer for answer in map(read_recorded, person.answers)}
        if due_step.due is not DueAction.DECIDE:
            for condition in due_step.step.only_if:
                answer = sequence.answer(position, condition, [read_recorded(text) for text in person.answers])
                assert answer is not None
                assert condition.holds(answer)
                assert condition.question in answers
            got.append(due_step.step.key)
            person = person._replace(sequence_step=sequence.past(position), last_sent_at=now)
        now += 5 * DAY
    assert len(got) == len(set(got))
