"""Another sequence put together with the one in force: what is kept, who is past what, and what differs for whom."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.model.message import MessageStatus
from backend.domain.model.sequence import DEFAULT_SEQUENCE, Sequence
from backend.domain.model.site import Relation
from backend.domain.model.variables import Recipient
from backend.domain.sequence.sequence_change import (
    Change,
    OpenText,
    Position,
    RequestedSequence,
    RequestedStep,
    RequestedVariant,
    Standing,
    as_request,
    changed_sequence,
    differences,
    next_for,
    text_falls,
    variant_shares,
)
from backend.domain.values.errors import OutriderError

NONE, PENDING, CONNECTED = Relation.NONE, Relation.PENDING, Relation.CONNECTED
KEYS = ["visit", "invite", "hello", "follow_up"]


def wanted(*steps: str | RequestedStep, **waits: int) -> RequestedSequence:
    """The default steps of these keys, and new ones."""
    steps_by_key = {step.key: step for step in as_request(DEFAULT_SEQUENCE).steps}
    return RequestedSequence(
        steps=tuple(steps_by_key[step] if isinstance(step, str) else step for step in steps), **waits
    )


def message(text: str = "Hi {first_name}.", *, key: str = "", days: int = 0) -> RequestedStep:
    return RequestedStep(key=key, kind="message", template=text, after_days=days)


def varied(step: str, text: str, *new: str, **texts: str) -> RequestedStep:
    """A message with variants: known ones by their key, and new ones."""
    variants = [RequestedVariant(key=key, template=words) for key, words in texts.items()]
    variants += [RequestedVariant(template=words) for words in new]
    return message(text, key=step).model_copy(update={"variants": tuple(variants)})


def live(sequence: Sequence) -> list[str]:
    return [step.key for step in sequence.live]


def running(step: int, relation: Relation = CONNECTED) -> Position:
    return Position(Standing.RUNNING, step, relation)


def test_what_is_in_force_asked_for_again_changes_nothing() -> None:
    assert changed_sequence(DEFAULT_SEQUENCE, as_request(DEFAULT_SEQUENCE)) is DEFAULT_SEQUENCE


def test_a_new_step_comes_next_for_whoever_is_before_it_and_never_for_who_is_past_it() -> None:
    after = changed_sequence(DEFAULT_SEQUENCE, wanted("visit", "invite", "hello", message(), "follow_up"))
    assert live(after) == ["visit", "invite", "hello", "message_1", "follow_up"]
    assert [next_for(after, running(n)) for n in range(5)] == ["visit", "hello", "hello", "message_1", ""]
    assert next_for(DEFAULT_SEQUENCE, running(4)) == next_for(after, running(4)) == ""


def test_a_step_that_is_taken_out_is_nobodys_next_and_its_number_is_never_given_again() -> None:
    without = changed_sequence(DEFAULT_SEQUENCE, wanted("visit", "invite", "follow_up"))
    assert [next_for(without, running(n)) for n in (2, 3, 4)] == ["follow_up", "follow_up", ""]
    again = changed_sequence(without, wanted("visit", "invite", "follow_up", message()))
    assert live(again)[-1] == "message_1"
    assert [next_for(again, running(n)) for n in (2, 3, 4)] == ["follow_up", "follow_up", "message_1"]


def test_a_step_in_the_place_of_another_is_not_for_those_who_had_that_one() -> None:
    after = changed_sequence(DEFAULT_SEQUENCE, wanted("visit", "invite", message("New."), "follow_up"))
    assert next_for(after, running(2)) == "message_1"
    assert next_for(after, running(3)) == "follow_up"


def test_taking_a_change_back_puts_every_step_where_it_was() -> None:
    after = changed_sequence(DEFAULT_SEQUENCE, wanted("visit", "invite", message("New.")))
    back = changed_sequence(after, as_request(DEFAULT_SEQUENCE))
    assert as_request(back) == as_request(DEFAULT_SEQUENCE)
    assert [next_for(back, running(n)) for n in range(5)] == ["visit", "hello", "hello", "follow_up", ""]
    assert back.version == 3


def test_nobody_is_invited_twice() -> None:
    after = changed_sequence(
        changed_sequence(DEFAULT_SEQUENCE, wanted("visit", "hello")),
        wanted("visit", RequestedStep(kind="invitation", template="Hi."), "hello"),
    )
    assert next_for(after, running(1, NONE)) == "invitation_1"
    assert {next_for(after, running(1, relation)) for relation in (PENDING, CONNECTED)} == {"hello"}


@pytest.mark.parametrize(
    ("requested", "why"),
    [
        (wanted("visit", "hello", "invite"), "before the messages"),
        (wanted("invite", "hello"), "a look at the profile"),
        (wanted("visit", "hello", RequestedStep(kind="invitation", template="Hi.")), "one invitation"),
        (wanted("visit", "invite", RequestedStep(kind="invitation", template="Hi.")), "one invitation"),
        (wanted("visit", RequestedStep(kind="invitation", template="Hi.", after_days=2)), "cannot wait"),
        (wanted("visit", "hello", "hello"), "there twice"),
        (wanted("visit", message(key="invite")), "another kind"),
        (wanted("visit"), "writes nothing"),
        (wanted("visit", varied("hello", "Hi.", "Hi.")), "say the same"),
        (wanted("visit", "hello", varied("follow_up", "A.", z="Z.")), "never there"),
        (wanted("visit", "hello", RequestedStep(kind="wait", after_days=2)), "nothing follows the wait"),
        (wanted("visit", RequestedStep(kind="wait"), "hello"), "at least a day"),
        (wanted("visit", RequestedStep(kind="end"), "hello"), "after the end"),
        (wanted("visit", RequestedStep(kind="wait", after_days=2, template="Hm."), "hello"), "say nothing"),
    ],
)
def test_what_could_not_be_done_is_refused_in_words(requested: RequestedSequence, why: str) -> None:
    with pytest.raises(OutriderError, match="sequence_invalid") as raised:
        changed_sequence(DEFAULT_SEQUENCE, requested)
    assert why in raised.value.sentence


def test_where_the_user_reads_no_step_is_a_look() -> None:
    by_hand = Sequence(steps=DEFAULT_SEQUENCE.steps[2:], user_reads=True)
    with pytest.raises(OutriderError, match="you open each profile yourself"):
        changed_sequence(by_hand, wanted("visit", "hello"))


def test_the_difference_says_for_each_group_what_they_get_instead() -> None:
    new = wanted("visit", "invite", message("New text.", key="hello"), message("One more."))
    after = changed_sequence(DEFAULT_SEQUENCE, new)
    people = {
        Position(Standing.UNPLANNED, None, NONE): 70,
        running(1, NONE): 5,
        running(2, PENDING): 12,
        running(3): 4,
        running(4): 2,
        Position(Standing.OVER, 4, CONNECTED): 26,
    }
    text = OpenText("m1", "l1", "hello", MessageStatus.APPROVED, running(2, PENDING), Recipient("Ada"))
    groups = differences(DEFAULT_SEQUENCE, after, people, [(text, True)])
    changes_by_group = {
        (group.standing.value, group.next): (
            group.people,
            [(change.key, change.change.value) for change in group.changes],
        )
        for group in groups
    }
    ahead = [("follow_up", "removed"), ("hello", "text"), ("message_1", "added")]
    assert changes_by_group == {
        ("unplanned", "visit"): (70, ahead),
        ("running", "invite"): (5, ahead),
        ("running", "hello"): (12, ahead),
        ("running", "follow_up"): (4, [("follow_up", "removed"), ("message_1", "added")]),
        ("running", ""): (2, []),
        ("over", ""): (26, []),
    }
    invited = next(group for group in groups if group.next == "hello")
    assert (invited.texts_again, invited.approvals_fall) == (1, 1)
    assert not next(group for group in groups if group.standing is Standing.OVER).concerned
    assert sum(group.people for group in groups) == sum(people.values())


def test_only_a_longer_last_wait_concerns_those_who_are_still_in_it() -> None:
    after = changed_sequence(DEFAULT_SEQUENCE, wanted(*KEYS, final_wait_days=9))
    groups = differences(DEFAULT_SEQUENCE, after, {running(4): 1, Position(Standing.OVER, 4, CONNECTED): 1}, [])
    assert [group.concerned for group in groups] == [True, False]


@pytest.mark.parametrize(
    ("template", "name", "falls"),
    [
        ("Hi {first_name}, hello.", "Ada King", True),
        ("Hi {first_name|there}!", "Ada King", False),
        ("Hi {first_name|there}!", "", True),
    ],
)
def test_a_text_is_made_again_only_where_it_says_something_else_to_this_person(
    template: str, name: str, falls: bool
) -> None:
    before = changed_sequence(DEFAULT_SEQUENCE, wanted("visit", message("Hi {first_name}!")))
    after = changed_sequence(before, wanted("visit", message(template, key="message_1")))
    text = OpenText("m", "l", "message_1", MessageStatus.DRAFT, running(1), Recipient(name))
    assert text_falls(before, after, text, "goal") is falls


def test_the_text_of_a_step_that_is_gone_falls() -> None:
    after = changed_sequence(DEFAULT_SEQUENCE, wanted("visit", "invite", "follow_up"))
    text = OpenText("m", "l", "hello", MessageStatus.DRAFT, running(2), Recipient("Ada"))
    assert text_falls(DEFAULT_SEQUENCE, after, text, "goal")


texts = st.sampled_from(("A.", "B {first_name}.", "C."))


@st.composite
def changes(draw: st.DrawFn, current: Sequence) -> RequestedSequence:
    """Any change of these steps: some taken out, some with other words, new ones between them, old ones put back."""
    steps: list[RequestedStep] = []
    for step in current.steps:
        if step.kind == "visit":
            steps.append(RequestedStep(key=step.key, kind="visit"))
        elif step.kind == "invitation" and any(other.kind != "visit" for other in steps):
            continue
        elif draw(st.integers(0, 3)):
            text = draw(texts) if draw(st.booleans()) else step.template
            days = 0 if step.kind == "invitation" else draw(st.integers(0, 3))
            steps.append(RequestedStep(key=step.key, kind=step.kind, template=text, after_days=days))
        if len(steps) < 9 and step.kind == "message" and draw(st.integers(0, 3)) == 0:
            steps.append(RequestedStep(kind="message", template=draw(texts)))
    steps = steps[:10]
    if draw(st.booleans()):
        fixed = [step for step in steps if step.kind != "message"]
        steps = [*fixed, *draw(st.permutations([step for step in steps if step.kind == "message"]))]
    if not any(step.kind != "visit" for step in steps):
        steps.append(RequestedStep(kind="message", template="Last."))
    return RequestedSequence(steps=tuple(steps))


@given(st.data())
def test_whatever_is_changed_nobody_is_ever_sent_back(data: st.DataObject) -> None:
    sequence, done, at = DEFAULT_SEQUENCE, list[str](), 0
    for _ in range(data.draw(st.integers(1, 8))):
        if data.draw(st.booleans()):
            before = as_request(sequence)
            sequence = changed_sequence(sequence, data.draw(changes(sequence)))
            if data.draw(st.booleans()):
                sequence = changed_sequence(sequence, before)
                assert as_request(sequence) == before
        position = sequence.next_place(at, NONE)
        if position < len(sequence.steps):
            done.append(sequence.steps[position].key)
            at = sequence.past(position)
    assert len(done) == len(set(done))
    numbers = [sequence.number_of(position) for position in range(len(sequence.steps))]
    assert len(numbers) == len(set(numbers))
    assert len({step.key for step in sequence.steps}) == len(sequence.steps)


def test_every_kind_of_change_is_told() -> None:
    later = wanted("visit", "invite", message(as_request(DEFAULT_SEQUENCE).steps[2].template, key="hello", days=4))
    after = changed_sequence(DEFAULT_SEQUENCE, later)
    (group,) = differences(DEFAULT_SEQUENCE, after, {running(2): 1}, [])
    assert {(change.key, change.change, change.days_before, change.days) for change in group.changes} == {
        ("hello", Change.WAIT, 0, 4),
        ("follow_up", Change.REMOVED, 3, 3),
    }


def test_a_wait_is_counted_before_what_follows_and_told_as_a_wait() -> None:
    after = changed_sequence(
        DEFAULT_SEQUENCE, wanted("visit", "invite", RequestedStep(kind="wait", after_days=4), "hello", "follow_up")
    )
    assert [after.way(n, CONNECTED)[:2] for n in (2, 3)] == [(3, 4), (4, 0)]
    groups = differences(DEFAULT_SEQUENCE, after, {running(2): 1, running(3): 1}, [])
    assert [(group.concerned, [change.kind for change in group.changes]) for group in groups] == [
        (True, ["wait"]),
        (False, []),
    ]


def test_an_end_lets_nothing_follow() -> None:
    after = changed_sequence(DEFAULT_SEQUENCE, wanted("visit", "invite", "hello", RequestedStep(kind="end")))
    assert next_for(after, running(3)) == next_for(after, running(4)) == ""
    assert next_for(after, running(2)) == "hello"


def test_a_new_variant_gets_a_key_that_none_of_the_step_ever_had() -> None:
    two = changed_sequence(DEFAULT_SEQUENCE, wanted("visit", "invite", varied("hello", "A.", "B.", "C.")))
    assert two.steps[2].texts == {"a": "A.", "b": "B.", "c": "C."}
    reduced = changed_sequence(two, wanted("visit", "invite", varied("hello", "A.", b="B.")))
    assert reduced.steps[2].texts == {"a": "A.", "b": "B."}
    again = changed_sequence(reduced, wanted("visit", "invite", varied("hello", "A.", "D.", b="B.")))
    assert again.steps[2].texts == {"a": "A.", "b": "B.", "d": "D."}
    assert changed_sequence(again, as_request(again)) is again


def test_a_text_falls_with_its_own_variant_alone() -> None:
    before = changed_sequence(DEFAULT_SEQUENCE, wanted("visit", "invite", varied("hello", "A.", "B.", "C.")))
    after = changed_sequence(before, wanted("visit", "invite", varied("hello", "A.", "D.", b="Other.")))
    texts = [
        OpenText("m", "l", "hello", MessageStatus.DRAFT, running(2), Recipient("Ada"), key)
        for key in ("", "a", "b", "c")
    ]
    assert [text_falls(before, after, text, "goal") for text in texts] == [False, False, True, True]
    (group,) = differences(before, after, {running(2): 1}, [])
    assert [(change.key, change.change) for change in group.changes] == [("hello", Change.TEXT)]


def test_a_moved_step_keeps_its_key_and_goes_to_nobody_who_had_it() -> None:
    after = changed_sequence(DEFAULT_SEQUENCE, wanted("visit", "invite", "follow_up", "hello"))
    assert live(after) == ["visit", "invite", "follow_up", "hello"]
    assert [next_for(after, running(n)) for n in (2, 3, 4)] == ["follow_up", "", ""]
    moved = after.number_of(after.place_of("follow_up"))
    assert next_for(after, running(moved + 1)) == "hello"
    back = changed_sequence(after, as_request(DEFAULT_SEQUENCE))
    assert as_request(back) == as_request(DEFAULT_SEQUENCE)
    assert [next_for(back, running(n)) for n in (2, 3, 4)] == ["hello", "", ""]
    assert next_for(back, running(moved + 1)) == ""


def test_a_move_is_told_and_a_text_falls_for_who_is_past_its_new_place() -> None:
    after = changed_sequence(DEFAULT_SEQUENCE, wanted("visit", "invite", "follow_up", "hello"))
    groups = differences(DEFAULT_SEQUENCE, after, {running(2): 3, running(3): 2}, [])
    changes_by_people = {group.people: [(change.key, change.change) for change in group.changes] for group in groups}
    assert changes_by_people == {3: [("follow_up", Change.MOVED)], 2: [("follow_up", Change.REMOVED)]}
    texts = [
        OpenText("m", "l", step, MessageStatus.DRAFT, running(at), Recipient("Ada"))
        for step, at in (("hello", 2), ("follow_up", 3))
    ]
    assert [text_falls(DEFAULT_SEQUENCE, after, text, "goal") for text in texts] == [False, True]


@given(st.integers(1, 60))
def test_the_shares_of_variants_are_exact_and_leave_out_who_keeps_a_text(people: int) -> None:
    before = changed_sequence(DEFAULT_SEQUENCE, wanted("visit", "invite", varied("hello", "A.", "B.")))
    after = changed_sequence(before, wanted("visit", "invite", varied("hello", "A.", "C.", b="B.")))
    who = [(f"lead-{number}", running(2)) for number in range(people)]
    who.append(("past", running(3)))
    old, new = before.steps[2], after.steps[after.place_of("hello")]
    shares = {share.variant: share for share in variant_shares(before, after, who, {("lead-0", "hello")})}
    assert sum(share.people for share in shares.values()) == people - 1
    for key, share in shares.items():
        got = [lead for lead, at in who[1:-1] if new.variant_of(lead) == key]
        assert share.people == len(got)
        assert share.others == sum(old.variant_of(lead) != key for lead in got)
    assert shares["a"].others == shares["b"].others == 0, "a new variant moves only those who get it"
    assert variant_shares(after, after, who, ()) == []
