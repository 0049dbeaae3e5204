"""What a lead is owed: a table over the situations of the default sequence, and what holds in every situation."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.model.campaign import DAY, HOUR, MINUTE
from backend.domain.model.lead import Lead
from backend.domain.model.message import Message, MessageStatus
from backend.domain.model.sequence import (
    DEFAULT_SEQUENCE,
    DueAction,
    DueStep,
    Sequence,
    Step,
    StepKind,
    Variant,
    due_step,
    one_step_on,
    step_after_visit,
)
from backend.domain.model.site import Relation
from backend.domain.model.task import NEVER, ActionFamily
from tests.domain import samples
from tests.domain.samples import NOON

FRESH = 10 * MINUTE
VISIT, INVITE, HELLO, FOLLOW_UP, END = range(5)
NONE, PENDING, CONNECTED = Relation.NONE, Relation.PENDING, Relation.CONNECTED
DRAFT, APPROVED, CANCELLED = MessageStatus.DRAFT, MessageStatus.APPROVED, MessageStatus.CANCELLED


def owed(lead: Lead, message: Message | None = None, now: int = NOON) -> DueStep:
    return due_step(DEFAULT_SEQUENCE, lead, message, now, FRESH)


def lead(step: int | None, relation: Relation = NONE, **changes: Any) -> Lead:
    return samples.lead(sequence_step=step, relation=relation, **changes)


def message(status: MessageStatus) -> Message:
    return samples.message(status=status)


def test_the_default_sequence_is_visit_invite_wait_message_wait_follow_up_and_stops_on_reply() -> None:
    assert [(step.key, step.kind, step.after_days) for step in DEFAULT_SEQUENCE.steps] == [
        ("visit", "visit", 0),
        ("invite", "invitation", 0),
        ("hello", "message", 0),
        ("follow_up", "message", 3),
    ]
    assert DEFAULT_SEQUENCE.stop_on_reply


INVITED = NOON - 5 * DAY
ACCEPTED = NOON - DAY
SENT = NOON - 4 * DAY
MET = {"invited_at": INVITED, "accepted_at": ACCEPTED}

# (situation, lead, message of the step) -> what is owed, which family of acts, from when on
TABLE: list[tuple[str, Lead, Message | None, DueAction, ActionFamily, int]] = [
    ("not planned yet", lead(None), None, DueAction.VISIT, ActionFamily.LOOK, 0),
    ("to be visited", lead(VISIT), None, DueAction.VISIT, ActionFamily.LOOK, 0),
    ("visited", lead(INVITE), None, DueAction.DRAFT, ActionFamily.THINK, 0),
    ("note drafted", lead(INVITE), message(DRAFT), DueAction.APPROVE, ActionFamily.APPROVAL, NEVER),
    ("note approved", lead(INVITE), message(APPROVED), DueAction.SEND, ActionFamily.INVITE, 0),
    ("note cancelled", lead(INVITE), message(CANCELLED), DueAction.DRAFT, ActionFamily.THINK, 0),
    ("note sending", lead(INVITE), message(MessageStatus.SENDING), DueAction.STUCK, ActionFamily.INPUT, NEVER),
    ("note unknown", lead(INVITE), message(MessageStatus.OUTCOME_UNKNOWN), DueAction.STUCK, ActionFamily.INPUT, NEVER),
    ("note failed", lead(INVITE), message(MessageStatus.FAILED), DueAction.STUCK, ActionFamily.INPUT, NEVER),
    ("note sent", lead(INVITE), message(MessageStatus.SENT), DueAction.STUCK, ActionFamily.INPUT, NEVER),
    (
        "invited",
        lead(HELLO, PENDING, invited_at=INVITED),
        None,
        DueAction.CHECK,
        ActionFamily.LOOK,
        INVITED + 3 * DAY,
    ),
    (
        "invited and looked at",
        lead(HELLO, PENDING, invited_at=INVITED, visited_at=INVITED + 3 * DAY),
        None,
        DueAction.CHECK,
        ActionFamily.LOOK,
        INVITED + 6 * DAY,
    ),
    (
        "not accepted in time",
        lead(HELLO, PENDING, invited_at=INVITED, visited_at=INVITED + 21 * DAY),
        None,
        DueAction.FINISH,
        ActionFamily.THINK,
        0,
    ),
    (
        "looked at just before the time is over",
        lead(HELLO, PENDING, invited_at=INVITED, visited_at=INVITED + 21 * DAY - 1),
        None,
        DueAction.CHECK,
        ActionFamily.LOOK,
        INVITED + 24 * DAY - 1,
    ),
    ("declined", lead(HELLO, NONE), None, DueAction.FINISH, ActionFamily.THINK, 0),
    ("accepted", lead(HELLO, CONNECTED, **MET), None, DueAction.READ, ActionFamily.LOOK, ACCEPTED),
    (
        "accepted, read before",
        lead(HELLO, CONNECTED, **MET, thread_read_at=ACCEPTED - 1),
        None,
        DueAction.READ,
        ActionFamily.LOOK,
        ACCEPTED,
    ),
    (
        "accepted and read",
        lead(HELLO, CONNECTED, **MET, thread_read_at=ACCEPTED),
        None,
        DueAction.DRAFT,
        ActionFamily.THINK,
        ACCEPTED,
    ),
    ("hello drafted", lead(HELLO, CONNECTED, **MET), message(DRAFT), DueAction.APPROVE, ActionFamily.APPROVAL, NEVER),
    (
        "hello approved, never read",
        lead(HELLO, CONNECTED, **MET),
        message(APPROVED),
        DueAction.READ,
        ActionFamily.MESSAGE,
        ACCEPTED,
    ),
    (
        "hello approved, read long ago",
        lead(HELLO, CONNECTED, **MET, thread_read_at=NOON - FRESH - 1),
        message(APPROVED),
        DueAction.READ,
        ActionFamily.MESSAGE,
        ACCEPTED,
    ),
    (
        "hello approved, just read",
        lead(HELLO, CONNECTED, **MET, thread_read_at=NOON - FRESH),
        message(APPROVED),
        DueAction.SEND,
        ActionFamily.MESSAGE,
        ACCEPTED,
    ),
    (
        "hello sent",
        lead(FOLLOW_UP, CONNECTED, **MET, last_sent_at=SENT, thread_read_at=SENT),
        None,
        DueAction.READ,
        ActionFamily.LOOK,
        SENT + 3 * DAY,
    ),
    (
        "hello sent, read after the wait",
        lead(FOLLOW_UP, CONNECTED, **MET, last_sent_at=SENT, thread_read_at=SENT + 3 * DAY),
        None,
        DueAction.DRAFT,
        ActionFamily.THINK,
        SENT + 3 * DAY,
    ),
    (
        "follow-up sent",
        lead(END, CONNECTED, **MET, last_sent_at=SENT, thread_read_at=SENT),
        None,
        DueAction.READ,
        ActionFamily.LOOK,
        SENT + 5 * DAY,
    ),
    (
        "nothing came",
        lead(END, CONNECTED, **MET, last_sent_at=SENT, thread_read_at=SENT + 5 * DAY),
        None,
        DueAction.FINISH,
        ActionFamily.THINK,
        0,
    ),
    (
        "replied",
        lead(FOLLOW_UP, CONNECTED, replied_at=NOON),
        message(APPROVED),
        DueAction.FINISH,
        ActionFamily.THINK,
        0,
    ),
    (
        "blocked",
        lead(FOLLOW_UP, CONNECTED, blocked="outcome_unknown"),
        message(APPROVED),
        DueAction.STUCK,
        ActionFamily.INPUT,
        NEVER,
    ),
]


@pytest.mark.parametrize(("who", "text", "due", "family", "at"), [c[1:] for c in TABLE], ids=[c[0] for c in TABLE])
def test_a_lead_is_owed_what_its_situation_says(
    who: Lead, text: Message | None, due: DueAction, family: ActionFamily, at: int
) -> None:
    due_action = owed(who, text)
    assert (due_action.due, due_action.family, due_action.at) == (due, family, at)


REASONS = {
    "replied": lead(HELLO, replied_at=NOON),
    "not accepted": lead(HELLO, PENDING, invited_at=0, visited_at=21 * DAY),
    "not connected": lead(HELLO, NONE),
    "no reply": lead(END, CONNECTED, last_sent_at=0, thread_read_at=5 * DAY),
    "invited": lead(END, PENDING),
}


@pytest.mark.parametrize("reason", REASONS)
def test_an_ending_says_why(reason: str) -> None:
    assert owed(REASONS[reason]) == DueStep(DueAction.FINISH, ActionFamily.THINK, reason=reason)


@pytest.mark.parametrize("status", ["sending", "outcome_unknown", "failed", "sent", "received"])
def test_a_step_whose_message_left_the_drawer_is_never_written_again(status: str) -> None:
    due_action = owed(lead(INVITE), message(MessageStatus(status)))
    assert (due_action.due, due_action.reason) == (DueAction.STUCK, status)


# --- in every situation -----------------------------------------------------------------------------------------------

_TIMES = st.none() | st.integers(NOON - 40 * DAY, NOON)


@st.composite
def sequences(draw: Callable[..., Any]) -> Sequence:
    kinds = draw(st.lists(st.sampled_from(["visit", "invitation", "message"]), min_size=1, max_size=6))
    steps = tuple(Step(key=f"step_{n}", kind=kind, after_days=draw(st.integers(0, 10))) for n, kind in enumerate(kinds))
    return Sequence(
        steps=steps,
        accept_within_days=draw(st.integers(1, 30)),
        check_every_hours=draw(st.integers(1, 168)),
        final_wait_days=draw(st.integers(1, 10)),
        stop_on_reply=draw(st.booleans()),
    )


@st.composite
def situations(draw: Callable[..., Any]) -> tuple[Sequence, Lead, Message | None, int, int]:
    sequence = draw(st.just(DEFAULT_SEQUENCE) | sequences())
    who = samples.lead(
        sequence_step=draw(st.none() | st.integers(0, len(sequence.steps))),
        relation=draw(st.sampled_from(Relation)),
        invited_at=draw(_TIMES),
        accepted_at=draw(_TIMES),
        last_sent_at=draw(_TIMES),
        thread_read_at=draw(_TIMES),
        replied_at=draw(_TIMES),
        visited_at=draw(_TIMES),
        blocked=draw(st.sampled_from(["", "outcome_unknown"])),
    )
    status = draw(st.none() | st.sampled_from(MessageStatus))
    text = None if status is None else samples.message(status=status)
    return sequence, who, text, NOON + draw(st.integers(0, DAY)), draw(st.integers(1, 120)) * MINUTE


@given(situations())
def test_a_message_is_never_owed_to_be_sent_without_its_approved_text(
    situation: tuple[Sequence, Lead, Message | None, int, int],
) -> None:
    sequence, who, text, now, fresh = situation
    due_action = due_step(sequence, who, text, now, fresh)
    if due_action.due is DueAction.SEND:
        assert text is not None
        assert text.status is APPROVED
        assert due_action.step is not None
        assert due_action.step == sequence.steps[who.sequence_step or 0]
        assert due_action.family is (
            ActionFamily.INVITE if due_action.step.kind == "invitation" else ActionFamily.MESSAGE
        )


@given(situations())
def test_after_a_reply_nothing_is_owed_but_the_end(
    situation: tuple[Sequence, Lead, Message | None, int, int],
) -> None:
    sequence, who, text, now, fresh = situation
    due_action = due_step(sequence, who._replace(replied_at=NOON - 1), text, now, fresh)
    if sequence.stop_on_reply:
        assert due_action.due is (DueAction.STUCK if who.blocked else DueAction.FINISH)
    if not who.blocked and sequence.stop_on_reply:
        assert due_action.reason == "replied"


@given(situations())
def test_a_message_is_sent_only_right_after_the_thread_was_read(
    situation: tuple[Sequence, Lead, Message | None, int, int],
) -> None:
    sequence, who, text, now, fresh = situation
    due_action = due_step(sequence, who, text, now, fresh)
    if due_action.due is DueAction.SEND and due_action.step is not None and due_action.step.kind == "message":
        assert who.thread_read_at is not None
        assert now - who.thread_read_at <= fresh
        assert who.relation is CONNECTED


@given(situations())
def test_a_stale_thread_is_read_before_the_approved_message_goes_out(
    situation: tuple[Sequence, Lead, Message | None, int, int],
) -> None:
    sequence, who, text, now, fresh = situation
    reread = due_step(sequence, who._replace(thread_read_at=now), text, now, fresh)
    if reread.due is DueAction.SEND and reread.step is not None and reread.step.kind == "message":
        for stale in (None, now - fresh - 1):
            due_action = due_step(sequence, who._replace(thread_read_at=stale), text, now, fresh)
            assert (due_action.due, due_action.family) == (DueAction.READ, ActionFamily.MESSAGE)


@given(situations())
def test_a_blocked_lead_is_owed_nothing_but_a_person(
    situation: tuple[Sequence, Lead, Message | None, int, int],
) -> None:
    sequence, who, text, now, fresh = situation
    if who.blocked:
        assert due_step(sequence, who, text, now, fresh) == DueStep(
            DueAction.STUCK, ActionFamily.INPUT, NEVER, reason=who.blocked
        )


@given(situations())
def test_somebody_who_is_not_connected_never_gets_a_message(
    situation: tuple[Sequence, Lead, Message | None, int, int],
) -> None:
    sequence, who, text, now, fresh = situation
    due_action = due_step(sequence, who, text, now, fresh)
    writes = due_action.due in (DueAction.SEND, DueAction.DRAFT, DueAction.APPROVE) and due_action.step is not None
    if writes and due_action.step is not None and due_action.step.kind == "message":
        assert who.relation is CONNECTED


@given(sequences() | st.just(DEFAULT_SEQUENCE), st.integers(0, 5), st.sampled_from(Relation))
def test_after_a_visit_the_lead_moves_on_and_is_not_invited_twice(
    sequence: Sequence, index: int, relation: Relation
) -> None:
    index = min(index, len(sequence.steps) - 1)
    after = step_after_visit(sequence, index, relation)
    assert index < after <= len(sequence.steps)
    skipped = sequence.steps[index + 1 : after]
    assert all(step.kind == "invitation" for step in skipped)
    if relation is NONE:
        assert after == index + 1
    elif after < len(sequence.steps):
        assert sequence.steps[after].kind != "invitation"


# --- a lead's whole life ----------------------------------------------------------------------------------------------


class World:
    """A lead with somebody who always does the same: drafts are approved, and what is due is done at its time."""

    def __init__(self, sequence: Sequence, *, accepts_after: int | None, replies_after: int | None) -> None:
        self.sequence = sequence
        self.accepts_after, self.replies_after = accepts_after, replies_after
        self.now = NOON
        self.lead = samples.lead(sequence_step=0)
        self.message: Message | None = None
        self.sent: list[tuple[str, int]] = []
        self.drafted = 0

    def need(self) -> DueStep:
        return due_step(self.sequence, self.lead, self.message, self.now, FRESH)

    def step(self, due: DueStep) -> None:
        if due.at != NEVER:
            self.now = max(self.now, due.at)
        self.now += MINUTE
        match due.due:
            case DueAction.VISIT | DueAction.CHECK:
                self._look()
            case DueAction.READ:
                self._read()
            case DueAction.DRAFT:
                self.drafted += 1
                self.message = samples.message(status=DRAFT, step=due.step.key if due.step else "")
            case DueAction.APPROVE:
                assert self.message is not None
                self.now += HOUR  # a person takes their time, so the thread is stale by now
                self.message = replace(self.message, status=APPROVED)
            case DueAction.SEND:
                self._send(due)
            case _:
                raise AssertionError(due)

    def _relation(self) -> Relation:
        invited = self.lead.invited_at
        if invited is None:
            return self.lead.relation
        accepted = self.accepts_after is not None and self.now >= invited + self.accepts_after
        return CONNECTED if accepted else PENDING

    def _look(self) -> None:
        relation, at = self._relation(), self.lead.sequence_step or 0
        position = self.sequence.next_place(self.lead.sequence_step, self.lead.relation)
        if self.sequence.steps[position].kind == "visit":
            at = step_after_visit(self.sequence, position, relation)
        accepted = self.now if relation is CONNECTED and self.lead.accepted_at is None else self.lead.accepted_at
        self.lead = self.lead._replace(visited_at=self.now, relation=relation, sequence_step=at, accepted_at=accepted)

    def _read(self) -> None:
        first = self.sent[0][1] if self.sent else None
        answered = self.replies_after is not None and first is not None and self.now >= first + self.replies_after
        self.lead = self.lead._replace(
            thread_read_at=self.now, replied_at=self.now if answered else self.lead.replied_at
        )

    def _send(self, due: DueStep) -> None:
        assert due.step is not None
        self.sent.append((due.step.key, self.now))
        self.message = None
        at = one_step_on(self.sequence, self.lead)
        if due.step.kind == "invitation":
            self.lead = self.lead._replace(sequence_step=at, invited_at=self.now, relation=PENDING)
        else:
            self.lead = self.lead._replace(sequence_step=at, last_sent_at=self.now)


def live(world: World, at_most: int = 200) -> str:
    for _ in range(at_most):
        due = world.need()
        if due.due is DueAction.FINISH:
            return due.reason
        world.step(due)
    raise AssertionError(f"still not finished after {at_most} steps: {world.need()}")


@pytest.mark.parametrize(
    ("accepts", "replies", "sent", "ending"),
    [
        (None, None, ["invite"], "not accepted"),
        (2 * DAY, None, ["invite", "hello", "follow_up"], "no reply"),
        (2 * DAY, 5 * DAY, ["invite", "hello"], "replied"),
        (2 * DAY, 9 * DAY, ["invite", "hello", "follow_up"], "replied"),
        (2 * DAY, 30 * DAY, ["invite", "hello", "follow_up"], "no reply"),
        (0, None, ["invite", "hello", "follow_up"], "no reply"),
        (19 * DAY, None, ["invite", "hello", "follow_up"], "no reply"),
        (60 * DAY, None, ["invite"], "not accepted"),
    ],
)
def test_the_default_sequence_ends_whatever_the_lead_does(
    accepts: int | None, replies: int | None, sent: list[str], ending: str
) -> None:
    world = World(DEFAULT_SEQUENCE, accepts_after=accepts, replies_after=replies)
    assert live(world) == ending
    assert [key for key, _ in world.sent] == sent


@given(sequences(), st.none() | st.integers(0, 40 * DAY), st.none() | st.integers(0, 40 * DAY))
def test_every_sequence_ends_after_finitely_many_steps_and_sends_no_step_twice(
    sequence: Sequence, accepts: int | None, replies: int | None
) -> None:
    world = World(sequence, accepts_after=accepts, replies_after=replies)
    live(world, 2_000)
    keys = [key for key, _ in world.sent]
    assert len(keys) == len(set(keys))
    order = [step.key for step in sequence.steps if step.kind != "visit"]
    assert keys == [key for key in order if key in set(keys)]
    assert world.drafted == len(keys)


@given(
    st.lists(st.tuples(st.sampled_from(["message", "visit"]), st.integers(0, 10)), max_size=4),
    st.lists(st.integers(0, 10), min_size=2, max_size=2),
    st.integers(0, 20 * DAY),
)
def test_two_messages_are_never_closer_than_the_sequence_says(
    between: list[tuple[StepKind, int]], pauses: list[int], accepts: int
) -> None:
    first, last = pauses
    kinds: list[tuple[StepKind, int]] = [("invitation", 0), ("message", first), *between, ("message", last)]
    steps = {f"step_{n}": Step(key=f"step_{n}", kind=kind, after_days=days) for n, (kind, days) in enumerate(kinds)}
    world = World(Sequence(steps=tuple(steps.values())), accepts_after=accepts, replies_after=None)
    live(world, 2_000)
    messages = [(key, at) for key, at in world.sent if steps[key].kind == "message"]
    assert [key for key, _ in messages] == [key for key, step in steps.items() if step.kind == "message"]
    for (_, before), (key, at) in pairwise(messages):
        assert at - before >= steps[key].after_days * DAY


def test_a_sequence_has_one_to_twelve_steps_with_usable_keys() -> None:
    step = Step(key="a", kind="visit")
    for steps in ((), (step,) * 13):
        with pytest.raises(ValueError, match="steps"):
            Sequence(steps=steps)
    for key, days in product(("A", "", "1a", "a b", "a" * 33), (0,)):
        with pytest.raises(ValueError, match="key"):
            Step(key=key, kind="visit", after_days=days)


VARIED = Step(
    key="hello", kind="message", template="A", variants=(Variant(key="b", template="B"), Variant(key="c", template="C"))
)


@given(st.integers(0, 10**9), st.sampled_from("bc"))
def test_taking_a_variant_out_moves_only_those_who_had_it(lead: int, gone: str) -> None:
    who = f"lead-{lead}"
    before = VARIED.variant_of(who)
    left = tuple(variant.model_copy(update={"removed": variant.key == gone}) for variant in VARIED.variants)
    after = VARIED.model_copy(update={"variants": left}).variant_of(who)
    assert after == before if before != gone else after in VARIED.texts
    assert after != gone
    assert VARIED.with_variant(before).template == before.upper()


def test_variants_are_given_to_about_as_many_people_each_and_by_step() -> None:
    given_ = Counter(VARIED.variant_of(f"lead-{number}") for number in range(3_000))
    assert given_.keys() == {"a", "b", "c"}
    assert min(given_.values()) > 900
    other = VARIED.model_copy(update={"key": "later"})
    assert any(VARIED.variant_of(f"l{n}") != other.variant_of(f"l{n}") for n in range(20))


def test_a_text_that_was_written_keeps_its_variant() -> None:
    sequence = Sequence(steps=(VARIED,), user_reads=True)
    who = lead(0, CONNECTED)._replace(id="lead-1")
    hashed = VARIED.variant_of(who.id)
    for key in "abc":
        text = Message("m", who.id, "t", "hello", "message", "?", MessageStatus.DRAFT, key)
        due_action = due_step(sequence, who, text, NOON, FRESH)
        assert (due_action.variant, due_action.step and due_action.step.template) == (key, key.upper())
    gone = Message("m", who.id, "t", "hello", "message", "?", MessageStatus.DRAFT, "z")
    assert due_step(sequence, who, gone, NOON, FRESH).variant == hashed


def test_steps_in_force_have_titles_that_tell_messages_apart() -> None:
    steps = DEFAULT_SEQUENCE.steps
    assert DEFAULT_SEQUENCE.titles == {
        "visit": "Profile view",
        "invite": "Invitation",
        "hello": "Message 1",
        "follow_up": "Message 2",
    }
    shorter = DEFAULT_SEQUENCE.model_copy(
        update={"steps": (*steps[:-1], steps[-1].model_copy(update={"removed": True}))}
    )
    assert shorter.titles["hello"] == "Message"
    assert "follow_up" not in shorter.titles
