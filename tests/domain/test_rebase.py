"""What may follow again on what another device recorded first."""

from copy import deepcopy
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.device.rebase import (
    UNIQUE_COLUMNS,
    ConflictKey,
    EventWithChanges,
    already_holds,
    bears_on_contact,
    can_reapply,
    conflict_keys,
    cost_events,
    is_done,
    is_on_record,
    outcome_of_act,
    parts_that_fit,
    reapply_units,
    rows_of_acts,
    still_news,
    takes_up_again,
    with_times_of,
)
from backend.domain.events.events import FENCED, WORKSPACE, Event, ProjectedRows, RowChange, Verb, row_changes, row_key
from backend.domain.model.send_word import LAST_WORD, GivenWord, SessionAsk, Word
from tests.fakes.clock import START
from tests.fakes.folds import fold
from tests.store.opening import CAMPAIGN, lead_imported, task_created
from tests.store.streams import Streams

LEAD = ("leads", (CAMPAIGN, "lead-1"))


def said(*events: Event, campaign: str = CAMPAIGN) -> list[EventWithChanges]:
    return [EventWithChanges(n, event, row_changes(campaign, START, event), 0) for n, event in enumerate(events, 1)]


def touched(*events: Event) -> set[ConflictKey]:
    return {key for event in said(*events) for key in conflict_keys(event.changes)}


def noted(text: str = "x") -> Event:
    return Event("LeadNoted", "lead-1", {"notes": text})


def advanced() -> Event:
    return Event("LeadAdvanced", "lead-1", {"status": "contacted"})


ACT = ("actions", (CAMPAIGN, "act"))


@pytest.mark.parametrize(
    ("stands", "outcome", "follows"),
    [
        ("intended", "sent", ["ActionSettled", "MessageSent"]),
        ("intended", "not_sent", ["ActionSettled", "MessageSent"]),
        ("outcome_unknown", "sent", ["ActionSettled", "MessageSent"]),
        ("not_sent", "sent", ["ActionSettled", "MessageSent"]),
        ("intended", "outcome_unknown", []),
        ("not_sent", "not_sent", []),
        ("sent", "sent", []),
        ("", "sent", []),
    ],
)
def test_what_came_of_an_act_on_record_follows_without_its_turn(stands: str, outcome: str, follows: list[str]) -> None:
    turn = said(
        Event("ActionSettled", "act", {"status": outcome}),
        Event("MessageSent", "message", {"status": "sent"}),
        Event("TurnCompleted", "7", {"history": "W", "steps": []}),
    )
    state: ProjectedRows = {ACT: {"status": stands}} if stands else {}
    state[("messages", (CAMPAIGN, "message"))] = {"status": "sending"}
    state |= {("runtime_snapshot", (CAMPAIGN,)): {}, ("execution_state", (CAMPAIGN,)): {}}  # the turn itself would fit
    assert [entry.event.kind for entry in outcome_of_act(turn, state)] == follows


def test_a_turn_without_an_act_has_no_outcome() -> None:
    state: ProjectedRows = {("messages", (CAMPAIGN, "message")): {}}
    assert outcome_of_act(said(Event("MessageEdited", "message", {"text": "Hi"})), state) == []


def test_of_a_turn_that_does_not_fit_what_it_made_itself_may_be_changed_by_it() -> None:
    made, changed, elsewhere = said(lead_imported(1), noted(), Event("LeadNoted", "lead-2", {"notes": "x"}))
    assert parts_that_fit([made, changed, elsewhere], set()) == [made, changed]
    assert parts_that_fit([made, changed, elsewhere], {LEAD}) == [changed]


@pytest.mark.parametrize(
    ("event", "there", "takes_up"),
    [
        (Event("LeadBlocked", "lead-1", {"blocked": "outcome_unknown"}), {"blocked": ""}, False),
        (Event("LeadUnblocked", "lead-1", {"blocked": ""}), {"blocked": "outcome_unknown"}, False),
        (Event("LeadUnblocked", "lead-1", {"blocked": ""}), {"blocked": "skipped"}, True),
        (Event("LeadFinished", "lead-1", {"finished": "replied"}), {"finished": ""}, False),
        (Event("LeadResumed", "lead-1", {"finished": ""}), {"finished": "no reply"}, True),
        (advanced(), {"blocked": "skipped", "finished": "no reply"}, False),  # what it leaves as it is
        *(
            (Event("TaskAdvanced", "task-1", {"status": "in_progress"}), {"status": status}, is_over)
            for status, is_over in {
                "pending": False, "in_progress": False, "verifying": False, "blocked": False, "done": True, "cancelled": True
            }.items()
        ),
    ],
)  # fmt: skip
def test_what_was_done_takes_up_nobody_whom_another_device_put_an_end_to(
    event: Event, there: dict[str, object], takes_up: bool
) -> None:
    (entry,) = said(event)
    row = row_key(entry.changes[0])
    assert takes_up_again(entry, touched(event), {row: there}) is takes_up
    assert not takes_up_again(entry, set(), {row: there}), "it was so before"


def test_a_decision_follows_when_nobody_else_touched_what_it_changes() -> None:
    assert can_reapply(said(noted()), touched(lead_imported(2)), {LEAD})


def test_a_decision_does_not_follow_when_the_same_was_changed_elsewhere() -> None:
    assert not can_reapply(said(noted("a")), touched(noted("b")), {LEAD})


@pytest.mark.parametrize(
    ("their_event", "follows"),
    [
        (noted(), True),
        (Event("MessageDrafted", "m1", {"lead_id": "lead-1", "status": "draft"}), False),
        (Event("TurnCompleted", "3", {"history": "x"}), False),
    ],
)
def test_a_change_of_the_sequence_is_decided_again_when_texts_or_turns_came_first(
    their_event: Event, follows: bool
) -> None:
    changed = Event("SequenceChanged", CAMPAIGN, {"settings": "{}", "sequence_back": "{}"})
    there = {("campaigns", (CAMPAIGN,))}
    assert can_reapply(said(changed), touched(their_event), there) is follows


@pytest.mark.parametrize(
    "changes",
    [
        {"notes": "x"},
        {"tags": ["a"]},
        {"priority_override": 7},
        {"greeting_name": "Ann"},
        {"snoozed_until": 2, "snoozed_at": 1},
    ],
)
def test_what_a_person_writes_on_a_lead_stands_beside_what_a_turn_does_to_it(changes: dict[str, object]) -> None:
    by_hand = Event("LeadNoted", "lead-1", changes)
    assert can_reapply(said(by_hand), touched(advanced()), {LEAD})
    assert can_reapply(said(advanced()), touched(by_hand), {LEAD})


def test_nothing_is_changed_that_is_not_there_and_nothing_made_that_is() -> None:
    assert not can_reapply(said(noted()), set(), set())
    assert not can_reapply(said(lead_imported(1)), set(), {LEAD})
    assert can_reapply(said(lead_imported(1), noted()), set(), set())
    assert not can_reapply(said(noted(), lead_imported(1)), set(), set())


@pytest.mark.parametrize("kind", sorted(FENCED))
def test_what_only_the_acting_device_may_record_never_follows(kind: str) -> None:
    event = Event(kind, "1", {"tool": "t"})
    there = {(change.table, tuple(change.key.values())) for change in said(event)[0].changes[1:]}
    assert not can_reapply(said(lead_imported(2), event), set(), there)


INTENDED, SENT, NOT_SENT = ("ActionIntended", "intended"), ("ActionSettled", "sent"), ("ActionSettled", "not_sent")
UNKNOWN = ("ActionSettled", "outcome_unknown")


@pytest.mark.parametrize(
    ("events", "acts"),
    [
        ([(INTENDED, "1"), (SENT, "1")], "1"),
        ([(("ActionHandedOver", "intended"), "1")], "1"),
        ([(INTENDED, "1"), (NOT_SENT, "1"), (SENT, "1")], "1"),
        ([(INTENDED, "1"), (NOT_SENT, "2")], "1"),
        ([(INTENDED, "1"), (INTENDED, "2"), (NOT_SENT, "1")], "2"),
        ([(INTENDED, "1"), (NOT_SENT, "1")], ""),
        ([(SENT, "1")], ""),
    ],
)
def test_something_may_have_been_sent_alone_unless_its_intent_is_elsewhere_or_came_to_nothing(
    events: list[tuple[tuple[str, str], str]], acts: str
) -> None:
    used = {"message_id": "text", "approval_id": None}
    entries = (Event(kind, action, {"status": status, **used}) for (kind, status), action in events)
    assert rows_of_acts(entries) == ({*acts, "text"} if acts else set())


@pytest.mark.parametrize(("recorded", "billed"), [({}, 1), ({"cost_micros": 5}, 1), ({"cost_micros": 7}, 0)])
def test_a_reply_whose_turn_does_not_stand_is_billed_unless_another_device_recorded_that_turn(
    recorded: dict[str, int], billed: int
) -> None:
    (turn,) = said(Event("TurnCompleted", "4", {"task_id": None, "model": "m", "cost_micros": 7}))
    made = turn.changes[0]
    state = {row_key(made): {**made.values, **recorded}} if recorded else {}
    bills = cost_events([turn], state, lambda: "1")
    assert [bill.changes["cost_micros"] for bill in bills] == [7] * billed


@pytest.mark.parametrize(
    ("recorded", "event", "is_known"),
    [
        (None, INTENDED, False),
        ("intended", INTENDED, True),
        ("intended", SENT, False),
        ("outcome_unknown", NOT_SENT, False),
        ("not_sent", UNKNOWN, True),
        ("not_sent", SENT, False),
        ("sent", NOT_SENT, True),
        ("sent", UNKNOWN, True),
    ],
)
def test_of_an_act_on_record_only_its_outcome_is_news_and_that_it_was_sent_after_all(
    recorded: str | None, event: tuple[str, str], is_known: bool
) -> None:
    state: ProjectedRows = {("actions", (CAMPAIGN, "1")): {"status": recorded}} if recorded else {}
    kind, status = event
    assert is_on_record(said(Event(kind, "1", {"status": status})), state) is is_known


def without(entry: EventWithChanges, column: str) -> EventWithChanges:
    changes = {name: value for name, value in entry.event.changes.items() if name != column}
    event = entry.event._replace(changes=changes)
    return entry._replace(event=event, changes=row_changes(CAMPAIGN, START, event))


@pytest.mark.parametrize(
    ("sent", "sent_later", "outdated"), [(1, 2, True), (2, 2, False), (2, 1, False), (2, None, False)]
)
def test_of_what_an_act_did_only_a_later_contact_is_not_taken_back(
    sent: int, sent_later: int | None, outdated: bool
) -> None:
    (entry,) = said(Event("LeadAdvanced", "lead-1", {"last_sent_at": sent, "sequence_step": 2}))
    (looked,) = said(Event("LeadAdvanced", "lead-1", {"thread_read_at": 1}))
    state: ProjectedRows = {LEAD: {"last_sent_at": sent_later, "thread_read_at": 2}}
    assert still_news(entry, state) == (entry if not outdated else without(entry, "last_sent_at"))
    assert still_news(looked, state) is None
    turn = said(Event("ActionSettled", "act", {"status": "sent"}), entry.event)
    follows = outcome_of_act(turn, state | {ACT: {"status": "intended"}})
    assert [follower.event.kind for follower in follows] == ["ActionSettled", "LeadAdvanced"]
    assert ("last_sent_at" in follows[1].event.changes) is not outdated


def test_what_says_nothing_without_a_column_that_is_outdated_is_no_news() -> None:
    """It could not be recorded without it."""
    (withdrawn,) = said(Event("InvitationWithdrawn", "lead-1", {"withdrawn_at": 5, "relation": "none"}))
    assert still_news(withdrawn, {LEAD: {"relation": "pending", "visited_at": 0}}) is withdrawn
    assert still_news(withdrawn, {LEAD: {"relation": "connected", "visited_at": 1}}) is None


def test_only_what_changes_a_lead_can_be_late_news() -> None:
    """Columns of other rows are called the same: a task's `status`, too."""
    imported, advanced_task = said(lead_imported(1), Event("TaskAdvanced", "task-1", {"status": "pending"}))
    state: ProjectedRows = {row_key(entry.changes[0]): {"status": "rejected"} for entry in (imported, advanced_task)}
    for entry in (imported, advanced_task):
        assert still_news(entry, state) is entry


@pytest.mark.parametrize(
    ("kind", "by_user", "done"),
    [("ApprovalGiven", True, True), ("ApprovalRevoked", True, False), ("ApprovalRevoked", False, True)],
)
def test_of_what_a_user_did_only_what_an_act_used_is_done(kind: str, by_user: bool, done: bool) -> None:
    unit = said(Event(kind, "yes", {"status": "x"}))
    assert is_done(unit, by_user, {"act", "yes"}) is done
    assert not is_done(unit, by_user, set())


def test_the_file_that_brought_somebody_is_read_row_by_row_whoever_was_written_to_since() -> None:
    assert not is_done(said(lead_imported(1), lead_imported(2)), by_user=True, acted={"lead-1"})


def test_a_turn_of_theirs_stands_against_what_our_runner_recorded() -> None:
    turn = Event("TurnCompleted", "4", {"task_id": None})
    runtime = Event("RuntimeChanged", CAMPAIGN, {"loop_enabled": 1})
    there = {("runtime_snapshot", (CAMPAIGN,))}
    assert can_reapply(said(runtime), set(), there)
    assert not can_reapply(said(runtime), touched(turn), there)


def test_a_condition_does_not_follow_when_another_device_changed_its_task() -> None:
    own_event = Event("CommitmentMade", "c1", {"task_id": "t1", "params": {"type": "leads_scored"}, "source": "user"})
    done, another = (Event("TaskCompleted", task, {"status": "done"}) for task in ("t1", "t2"))
    assert can_reapply(said(own_event), touched(another), set())
    assert not can_reapply(said(own_event), touched(done), set())


NAMED = {
    "leads": lambda i: lead_imported(i, member_key="x/1"),
    "messages": lambda i: Event("MessageDrafted", f"m{i}", {"lead_id": "lead-1", "step": "answer:1"}),
    "artifacts": lambda i: Event(
        "ArtifactPersisted", f"a{i}", {"artifact_type": "note", "artifact_key": "k", "version": 2}
    ),
    "souls": lambda i: Event("SoulChanged", f"s{i}", {"version": 3}),
    "skills": lambda i: Event("SkillInstalled", f"k{i}", {"name": "tone"}),
    "conversations": lambda i: Event("ConversationSaid", f"l{i}", {"given_key": "k"}),
    "attachments": lambda i: Event("AttachmentGiven", f"t{i}", {"request_id": "r", "place": 0}),
}


def test_two_rows_without_a_name_are_both_made() -> None:
    own_event, their_event = (
        Event("ReplyReceived", f"m{n}", {"lead_id": "lead-1", "step": None, "text": "Hi"}) for n in (1, 2)
    )
    assert can_reapply(said(own_event), touched(their_event), set())


def test_every_table_with_names_has_an_example_here() -> None:
    assert NAMED.keys() == UNIQUE_COLUMNS.keys()


@pytest.mark.parametrize("table", sorted(NAMED))
def test_two_rows_of_one_name_are_not_both_made(table: str) -> None:
    own_event, their_event = NAMED[table](1), NAMED[table](2)
    assert can_reapply(said(own_event), set(), set())
    assert not can_reapply(said(own_event), touched(their_event), set())


@pytest.mark.parametrize(("made", "follows"), [(lead_imported(1), False), (lead_imported(2), True), (advanced(), True)])
def test_what_refers_to_a_person_follows_unless_they_were_made_and_did_not(made: Event, follows: bool) -> None:
    ranked = Event("LeadsRanked", "r1", {"number": 1, "lead_ids": ["lead-0", "lead-1"], "created_at": 1})
    drafted = Event("MessageDrafted", "m1", {"lead_id": "lead-1", "step": "hello"})
    for own_event in (ranked, drafted):
        assert can_reapply(said(own_event), touched(made), set()) is follows


@pytest.mark.parametrize(
    ("column", "made"),
    [("task_id", task_created(1)), ("message_id", Event("MessageDrafted", "task-1", {"lead_id": "lead-2"}))],
)
def test_what_refers_to_a_row_does_not_follow_without_it(column: str, made: Event) -> None:
    own_event = Event("ActionSettled", "act", {"status": "sent"})
    created = RowChange(Verb.CREATES, "actions", {"campaign_id": CAMPAIGN, "id": "act"}, {column: "task-1"})
    assert not can_reapply([EventWithChanges(1, own_event, [created], START)], touched(made), set())


@pytest.mark.parametrize("their_event", [advanced(), Event("ActionSettled", "act", {"status": "sent"})])
def test_a_word_that_waits_does_not_follow_once_its_person_or_its_act_was_changed(their_event: Event) -> None:
    given_word = GivenWord("lead-1", SessionAsk.OUTCOME, Word.SENT, "act", START)
    own_event = Event("ConfigChanged", LAST_WORD, {"value": given_word.stored})
    there = {row_key(said(own_event)[0].changes[0])}
    assert can_reapply(said(own_event), touched(Event("LeadAdvanced", "lead-2", {"status": "contacted"})), there)
    assert not can_reapply(said(own_event), touched(their_event), there)


@pytest.mark.parametrize(
    "own_event", [Event("ConsentGiven", "c1", {"channel": "x"}), Event("ConsentWithdrawn", "c2", {"withdrawn_at": 1})]
)
def test_no_consent_follows_on_another_decision_about_any_consent(own_event: Event) -> None:
    there = {("consents", (WORKSPACE, "c2"))} | {
        row_key(change) for change in said(own_event, campaign=WORKSPACE)[0].changes if change.verb is Verb.CHANGES
    }
    theirs = said(Event("ConsentWithdrawn", "c3", {"withdrawn_at": 1}), noted(), campaign=WORKSPACE)
    taken = {key for entry in theirs for key in conflict_keys(entry.changes)}
    unit = said(own_event, campaign=WORKSPACE)
    assert can_reapply(unit, conflict_keys(theirs[1].changes), there)
    assert not can_reapply(unit, taken, there)


def test_a_change_of_nothing_is_still_a_word_about_its_row() -> None:
    change = RowChange(Verb.CHANGES, "tasks", {"campaign_id": CAMPAIGN, "id": "task-1"}, {})
    assert conflict_keys([change]) == {ConflictKey("tasks", (CAMPAIGN, "task-1"))}


def deleted(at: int) -> Event:
    return Event("CampaignDeleted", CAMPAIGN, {"deleted_at": at})


@pytest.mark.parametrize(
    ("their_event", "follows"), [(Event("CampaignEdited", CAMPAIGN, {"name": "Another"}), True), (deleted(1), False)]
)
def test_a_campaign_is_deleted_whatever_else_another_device_changed_of_it(their_event: Event, follows: bool) -> None:
    assert can_reapply(said(deleted(2)), touched(their_event), {("campaigns", (CAMPAIGN,))}) is follows


@pytest.mark.parametrize(("lead", "follows"), [("lead-1", False), ("lead-2", True)])
def test_an_answer_does_not_follow_another_one_to_the_same_person(lead: str, follows: bool) -> None:
    own_event, their_event = (
        Event("MessageDrafted", f"m{n}", {"lead_id": person, "step": f"answer:{n}"})
        for n, person in ((2, "lead-1"), (1, lead))
    )
    assert can_reapply(said(own_event), touched(their_event), set()) is follows


@pytest.mark.parametrize("another", [{"artifact_type": "research"}, {"artifact_key": "l"}, {"version": 3}])
def test_two_artifacts_are_one_only_by_type_key_and_version(another: dict[str, object]) -> None:
    own_event = NAMED["artifacts"](1)
    their_event = Event("ArtifactPersisted", "a2", {**own_event.changes, **another})
    assert can_reapply(said(own_event), touched(their_event), set())


def test_the_same_person_put_on_do_not_contact_twice_is_on_it() -> None:
    """The one direction in which a decision must never get lost."""
    own_event, their_event = (Event("DoNotContactAdded", f"d{n}", {"member_key": "x/1"}) for n in (1, 2))
    assert can_reapply(said(own_event), touched(their_event), set())


def test_a_secret_that_was_sealed_under_another_vault_does_not_follow() -> None:
    secret = said(Event("SecretKept", "model:a", {"key_name": "model:a"}), campaign=WORKSPACE)
    vault = said(Event("ConfigChanged", "vault:wrap", {"value": "{}"}), campaign=WORKSPACE)
    other = said(Event("SecretKept", "model:b", {"key_name": "model:b"}), campaign=WORKSPACE)
    assert can_reapply(secret, conflict_keys(other[0].changes), set())
    assert not can_reapply(secret, conflict_keys(vault[0].changes), set())


def test_a_transaction_follows_whole_and_a_file_row_by_row() -> None:
    decision = said(Event("ApprovalGiven", "a", {}), Event("MessageApproved", "m", {"status": "approved"}))
    assert reapply_units(decision) == [decision]
    rows = said(lead_imported(1), Event("RowRejected", "r", {}), Event("TaskCreated", "t", {}))
    assert reapply_units(rows) == [[row] for row in rows]


@pytest.mark.parametrize("kind", ["LeadImported", "LeadMerged", "RowRejected"])
def test_a_file_of_rows_of_whichever_kind_is_reapplied_row_by_row(kind: str) -> None:
    rows = said(Event(kind, "lead-1", {}), Event(kind, "lead-2", {}))
    assert reapply_units(rows) == [[row] for row in rows]


def test_what_is_so_anyway_needs_no_choice() -> None:
    state: ProjectedRows = {LEAD: {"notes": "x", "status": "pending"}}
    assert already_holds(said(noted("x")), state)
    assert not already_holds(said(noted("y")), state)
    assert not already_holds(said(noted("x")), {})
    assert already_holds(said(noted("y"), noted("x")), state)
    assert not already_holds(said(noted("y"), Event("LeadAdvanced", "lead-1", {"status": "pending"})), state)


def test_a_consent_that_is_withdrawn_already_is_withdrawn_again() -> None:
    """Or one given meanwhile, by somebody who did not know of it, would hold."""
    withdrawn = said(Event("ConsentWithdrawn", "c1", {"withdrawn_at": 1}), campaign=WORKSPACE)
    state = {row_key(change): {**change.values} for change in withdrawn[0].changes}
    assert not already_holds(withdrawn, state)


def test_a_row_of_the_same_name_is_the_same_whenever_it_was_made() -> None:
    (made,) = said(Event("SkillInstalled", "k1", {"name": "tone", "text": "new", "installed_at": 2}))[0].changes
    theirs = {"name": "tone", "text": "old", "installed_at": 1}
    assert with_times_of(made, theirs) == {"name": "tone", "text": "old", "installed_at": 2}


def test_a_decision_bears_on_contact_unless_it_is_all_remarks() -> None:
    (remark,), (progress,) = said(noted())[0].changes, said(advanced())[0].changes
    assert not bears_on_contact([remark])
    assert bears_on_contact([progress])
    assert bears_on_contact([remark, progress])


@given(st.builds(Random, st.integers(0, 2**32)), st.integers(1, 25), st.integers(0, 25), st.integers(0, 25))
def test_what_may_follow_can_be_folded_and_takes_nothing_of_theirs_back(
    random: Random, before: int, own_count: int, their_count: int
) -> None:
    """For any history: our events, allowed one by one, fold onto theirs, and every row of theirs keeps what they gave it."""
    base: ProjectedRows = {}
    common = Streams(random, campaigns=1)
    for campaign, at, event in common.take(before):
        base = fold(base, campaign, at, event)
    elsewhere = deepcopy(common, {id(random): Random(random.random())})
    own_events = common.take(own_count)
    state, taken, given_by_them = base, set[ConflictKey](), dict[ConflictKey, object]()
    for campaign, at, event in elsewhere.take(their_count):
        state = fold(state, campaign, at, event)
        for change in row_changes(campaign, at, event):
            taken |= conflict_keys([change])
            given_by_them |= {ConflictKey(*row_key(change), name): value for name, value in change.values.items()}
    for n, (campaign, at, event) in enumerate(own_events):
        own_event = EventWithChanges(n, event, row_changes(campaign, at, event), at)
        if can_reapply([own_event], taken, set(state)):
            state = fold(state, campaign, at, event)  # raises if it does not fit
        else:
            taken |= conflict_keys(own_event.changes)
    for (table, key, name), value in given_by_them.items():
        assert state[table, key][name] == value
