"""Promises are kept to people: whatever campaigns, rows and copies somebody stands in, they are written to from one of them."""

from collections.abc import Callable
from typing import Any

import pytest

from backend.adapters.sites.user_hands import UserHands
from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced
from backend.domain.gates.person import HELD
from backend.domain.model.campaign import DAY, CampaignStatus
from backend.domain.model.channel import ASSIST
from backend.domain.model.lead import Label
from backend.domain.model.send_word import Word
from backend.domain.people.past_contact import PAST_CONTACT
from backend.domain.values.errors import OutriderError
from backend.ports.sync_status import LocalOnly
from backend.store.log import replay
from backend.store.queries.leads import leads
from backend.store.queries.people import people
from backend.turn import planner
from tests.fakes.by_hand import by_hand
from tests.fakes.campaign import Stage
from tests.fakes.send_desk import EVERY_DAY, MESSAGES, Desk

ANNA, RENAMED, MAIL = (
    "https://www.linkedin.com/in/anna-berg",
    "https://www.linkedin.com/in/anna-b-77",
    "anna@acme.example",
)


CARL = "https://www.linkedin.com/in/carl-dahl"


def campaign_of(stage: Stage, name: str, **lead: Any) -> Desk:
    """A campaign by hand with this person, and with one in no other campaign who keeps it from being completed."""
    campaign = by_hand(stage, MESSAGES, people=0, limits=EVERY_DAY, name=name)
    values = {
        "full_name": "Anna Berg",
        "profile_url": ANNA,
        "position": 1,
        "import_id": "i1",
        "connected_on": "2024-03-15",
    }
    values |= lead
    values["member_key"] = values["profile_url"] or values["email"]
    jon = f"https://www.linkedin.com/in/jon-vik-{name.lower().replace(' ', '-')}"
    other = {"full_name": "Jon Vik", "profile_url": jon, "member_key": jon, "position": 2, "import_id": "i1"}
    stage.journal.record(
        campaign,
        events=[Event("LeadImported", stage.ids.new(), row) for row in (other, values)],
        actor="user",
        cause="import",
        at=stage.clock.now(),
    )
    return Desk(stage, campaign, LocalOnly())


def lead_of(desk: Desk) -> str:
    return str(desk.stage.one("SELECT id FROM leads WHERE campaign_id=? AND full_name<>'Jon Vik'", desk.campaign))


def jon(desk: Desk) -> str:
    return str(desk.stage.one("SELECT id FROM leads WHERE campaign_id=? AND full_name='Jon Vik'", desk.campaign))


def of_lead(desk: Desk, column: str) -> str:
    return str(desk.stage.one(f"SELECT {column} FROM leads WHERE id=?", lead_of(desk)))


def blocked(desk: Desk) -> str:
    return of_lead(desk, "blocked")


def drafts(desk: Desk) -> list[str]:
    return [text for (text,) in desk.stage.query("SELECT text FROM messages WHERE lead_id=?", lead_of(desk))]


def waiting(desk: Desk) -> list[str]:
    """Who waits for the user's hand, but the other person of the campaign."""
    return [person.lead.full_name for person in desk.state().people if person.lead.full_name != "Jon Vik"]


def write_by_hand(desk: Desk) -> None:
    desk.say(desk.hand_over(no_reply=True), Word.SENT)
    desk.leave()


def stored_words(stage: Stage) -> str:
    """All that the log, and the answers about who is who, still say."""
    stored = stage.query("SELECT change_payload FROM event_log UNION ALL SELECT member_keys FROM identity_answers")
    return "".join(text for (text,) in stored)


def assert_sound(stage: Stage) -> None:
    assert replay.find_differences(stage.database) == []


SAME_PERSON: list[dict[str, Any]] = [
    {},
    {"full_name": "Berg, Anna"},
    {"full_name": "Dr. Anna Berg"},
    {"profile_url": "", "email": MAIL},
]


@pytest.mark.parametrize("row", SAME_PERSON)
def test_a_second_campaign_writes_to_nobody_whom_the_first_one_is_in_touch_with(
    stage: Stage, row: dict[str, Any]
) -> None:
    first = campaign_of(stage, "Water founders", email=MAIL)
    second = campaign_of(stage, "Pumps", **row)
    first.run()
    second.run()
    assert len(waiting(first)) == 1
    assert waiting(second) == []
    assert drafts(second) == []
    assert blocked(second) == "in_touch_elsewhere"
    assert_sound(stage)


def test_of_two_drafts_only_the_first_that_is_approved_may_go(stage: Stage) -> None:
    first, second = campaign_of(stage, "Water founders"), campaign_of(stage, "Pumps")
    for desk in (first, second):
        stage.site = UserHands(ASSIST)  # type: ignore[assignment]
        stage.run(desk.campaign, approve=False)
    ids = [
        (desk.campaign, stage.one("SELECT id FROM messages WHERE lead_id=?", lead_of(desk))) for desk in (first, second)
    ]
    user = stage.commands()
    user.review.approve(*ids[0], shown_digest=user.review.digest(*ids[0]))
    with pytest.raises(OutriderError, match="Water founders") as refused:
        user.review.approve(*ids[1], shown_digest=user.review.digest(*ids[1]))
    assert refused.value.code == "person_held"


@pytest.mark.parametrize("others", [0, 1])
def test_a_draft_to_whom_another_campaign_has_by_now_waits_for_nobody(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, others: int
) -> None:
    """No turn comes to its task, and nobody can approve it: the campaign would be told as on, with nothing planned, for good.

    However many drafts come before it that do wait for the user.
    """
    monkeypatch.setattr(planner, "MOST_RELEASED", 1)
    first, second = campaign_of(stage, "Water founders"), campaign_of(stage, "Pumps")
    if not others:
        other = stage.one("SELECT id FROM leads WHERE campaign_id=? AND full_name='Jon Vik'", second.campaign)
        stage.commands().lead_groups.skip(second.campaign, [other])
    for desk in (first, second):
        stage.site = UserHands(ASSIST)  # type: ignore[assignment]
        stage.run(desk.campaign, approve=False)
    message = stage.one("SELECT id FROM messages WHERE lead_id=?", lead_of(first))
    review = stage.commands().review
    review.approve(first.campaign, message, shown_digest=review.digest(first.campaign, message))
    stage.run(second.campaign, approve=False)
    assert blocked(second) == "in_touch_elsewhere"
    assert stage.query("SELECT status FROM messages WHERE lead_id=?", lead_of(second)) == [("cancelled",)]
    status = stage.one("SELECT status FROM campaigns WHERE id=?", second.campaign)
    assert status == (CampaignStatus.ACTIVE if others else CampaignStatus.COMPLETED)
    stage.commands().people.move_here(second.campaign, lead_of(second))
    stage.run(second.campaign, approve=False)
    assert stage.one("SELECT count(*) FROM messages WHERE lead_id=? AND status='draft'", lead_of(second)) == 1
    assert_sound(stage)


@pytest.mark.parametrize("by_user", [True, False])
def test_who_is_put_off_by_one_lead_is_left_in_peace_by_every_other(stage: Stage, by_user: bool) -> None:
    """Whoever says "later" in the list of one campaign says it of the person, though another campaign has them; so does an
    automatic answer."""
    first, second = campaign_of(stage, "Water founders", email=MAIL), campaign_of(stage, "Pumps")
    first.run()
    second.run()
    assert (len(waiting(first)), blocked(second)) == (1, "in_touch_elsewhere")
    until = stage.clock.now() + 4 * DAY
    if by_user:
        stage.commands().replies.label(second.campaign, lead_of(second), Label.LATER, until)
    else:
        paused = [LeadAdvanced(lead_of(second), paused_until=until)]
        stage.journal.record(second.campaign, events=paused, actor="controller", cause="turn", at=stage.clock.now())
    assert waiting(first) == []
    stage.clock.advance(4 * DAY)
    assert len(waiting(first)) == 1
    assert_sound(stage)


def test_who_is_put_off_once_a_sequence_has_ended_is_left_in_peace_by_the_next_one(stage: Stage) -> None:
    first = campaign_of(stage, "Water founders")
    first.run()
    write_by_hand(first)
    stage.commands().lead_groups.skip(first.campaign, [lead_of(first)])
    second = campaign_of(stage, "Pumps")
    stage.clock.advance(61 * DAY)
    second.run()
    assert (of_lead(first, "finished") or of_lead(first, "blocked"), len(waiting(second))) == ("skipped", 1)
    until = stage.clock.now() + 4 * DAY
    stage.commands().replies.label(first.campaign, lead_of(first), Label.LATER, until)
    assert waiting(second) == []
    stage.clock.advance(4 * DAY)
    assert len(waiting(second)) == 1
    stage.commands().replies.label(first.campaign, lead_of(first), Label.LATER, until + DAY)
    assert waiting(second) == []
    stage.commands().replies.label(first.campaign, lead_of(first), None)
    assert len(waiting(second)) == 1
    assert_sound(stage)


def test_the_person_is_free_again_some_time_after_the_last_message(stage: Stage) -> None:
    first = campaign_of(stage, "Water founders")
    first.run()
    write_by_hand(first)
    second = campaign_of(stage, "Pumps")
    second.run()
    assert blocked(second) == "in_touch_elsewhere"
    stage.commands().lead_groups.skip(first.campaign, [lead_of(first)])
    stage.clock.advance(59 * DAY)
    second.run()
    assert blocked(second) == "in_touch_elsewhere"
    stage.clock.advance(2 * DAY)
    second.run()
    assert blocked(second) == ""
    assert len(drafts(second)) == 1
    assert_sound(stage)


def test_whoever_is_on_the_list_by_one_address_gets_nothing_by_another_one_of_theirs(stage: Stage) -> None:
    first, second = (
        campaign_of(stage, "Water founders", email=MAIL),
        campaign_of(stage, "Pumps", profile_url=RENAMED, email=MAIL),
    )
    stage.commands().people.answer_same([ANNA, RENAMED], same=True)
    stage.commands().workspace.add_do_not_contact(ANNA, "Anna Berg", "asked")
    for desk in (second, first):
        desk.run()
        assert drafts(desk) == []
    assert_sound(stage)


def test_a_changed_address_is_asked_about_and_both_wait_until_then(stage: Stage) -> None:
    first, second = (
        campaign_of(stage, "Water founders", email=MAIL),
        campaign_of(stage, "Pumps", profile_url=RENAMED, email=MAIL),
    )
    first.run()
    second.run()
    assert (blocked(first), blocked(second)) == ("in_doubt", "in_doubt")
    assert drafts(first) + drafts(second) == []
    answered = stage.commands().people.answer_same([ANNA, RENAMED], same=True)
    assert (blocked(first), blocked(second)) == ("", "")
    first.run()
    second.run()
    assert (len(drafts(first)), drafts(second), blocked(second)) == (1, [], "in_touch_elsewhere")
    stage.commands().people.take_answer_back(answered.answer_id)
    assert waiting(first) == [], "another person is another recipient: approvals are revoked"
    stage.commands().people.answer_same([ANNA, RENAMED], same=False)
    first.run()
    second.run()
    assert (len(waiting(first)), len(waiting(second))) == (1, 1)
    assert_sound(stage)


LEFT_ALONE: dict[str, Callable[[Stage, Desk], object]] = {
    "a no": lambda stage, desk: stage.commands().replies.label(desk.campaign, lead_of(desk), Label.NO),
    "a reply": lambda stage, desk: stage.commands().replies.found(
        desk.campaign, lead_of(desk), "Tell me more.", at=stage.clock.now(), answers=True
    ),
    "the list": lambda stage, desk: stage.commands().leads.do_not_contact(desk.campaign, lead_of(desk)),
    "another campaign's text": lambda _, desk: write_by_hand(desk),
}
"""Why nobody writes any more to whoever is the same person."""


@pytest.mark.parametrize("drafted", [False, True], ids=["new", "drafted"])
@pytest.mark.parametrize("reason", LEFT_ALONE)
def test_whoever_turns_out_to_be_somebody_else_is_written_to_again(stage: Stage, reason: str, *, drafted: bool) -> None:
    """Also where the campaign was done meanwhile, because nobody else was left to write to."""
    first, second = (
        campaign_of(stage, "Water founders"),
        campaign_of(stage, "Pumps", profile_url=CARL, full_name="Carl Dahl"),
    )
    stage.commands().lead_groups.skip(first.campaign, [jon(first)])
    stage.commands().lead_groups.skip(second.campaign, [jon(second)])
    first.run()
    if drafted:
        second.run()
        assert waiting(second) == ["Carl Dahl"]
    LEFT_ALONE[reason](stage, first)
    answered = stage.commands().people.answer_same([ANNA, CARL], same=True)
    second.run()
    assert waiting(second) == []
    stage.commands().people.take_answer_back(answered.answer_id)
    second.run()
    assert waiting(second) == ["Carl Dahl"]
    assert_sound(stage)


def test_contact_anyway_lifts_it_for_that_person_and_can_be_taken_back(stage: Stage) -> None:
    first, second = campaign_of(stage, "Water founders"), campaign_of(stage, "Pumps")
    first.run()
    second.run()
    people, lead = stage.commands().people, lead_of(second)
    with pytest.raises(OutriderError) as missing:
        people.contact_anyway(second.campaign, lead, "  ")
    assert missing.value.code == "contact_reason_missing"
    people.contact_anyway(second.campaign, lead, "they asked for it at the fair")
    second.run()
    assert len(waiting(second)) == 1
    assert len(waiting(first)) == 1, "the first campaign goes on"
    people.leave(second.campaign, lead)
    assert waiting(second) == []
    assert blocked(second) == "in_touch_elsewhere"
    assert_sound(stage)


def test_nobody_needs_to_be_contacted_anyway_who_is_free(stage: Stage) -> None:
    only = campaign_of(stage, "Pumps")
    with pytest.raises(OutriderError) as refused:
        stage.commands().people.contact_anyway(only.campaign, lead_of(only), "because")
    assert refused.value.code == "person_not_elsewhere"


def test_somebody_moved_here_is_written_to_from_here_alone_and_can_be_moved_back(stage: Stage) -> None:
    first, second = campaign_of(stage, "Water founders"), campaign_of(stage, "Pumps")
    first.run()
    second.run()
    people = stage.commands().people
    people.move_here(second.campaign, lead_of(second))
    first.run()
    second.run()
    assert (waiting(first), len(waiting(second))) == ([], 1)
    people.move_here(first.campaign, lead_of(first))
    first.run()
    second.run()
    assert (len(waiting(first)), waiting(second)) == (1, [])
    assert_sound(stage)


def test_nobody_is_moved_while_something_is_being_sent_to_them(stage: Stage) -> None:
    first, second = campaign_of(stage, "Water founders"), campaign_of(stage, "Pumps")
    first.run()
    second.run()
    first.hand_over(no_reply=True)
    with pytest.raises(OutriderError) as refused:
        stage.commands().people.move_here(second.campaign, lead_of(second))
    assert refused.value.code == "person_under_way"


def skip(desk: Desk) -> None:
    desk.stage.commands().lead_groups.skip(desk.campaign, [lead_of(desk)])


def complete(desk: Desk) -> None:
    desk.stage.commands().campaigns.change_status(desk.campaign, CampaignStatus.COMPLETED)


def lose_track(desk: Desk) -> None:
    """What became of the text is not known, and the user has them left alone."""
    lead, action = lead_of(desk), desk.stage.one("SELECT id FROM actions WHERE status='intended'")
    unknown = [
        Event("ActionSettled", action, {"status": "outcome_unknown", "said": "", "settled_at": desk.clock.now()}),
        Event("LeadBlocked", lead, {"blocked": "outcome_unknown"}),
    ]
    desk.stage.journal.record(desk.campaign, events=unknown, actor="controller", cause="t", at=desk.clock.now())
    complete(desk)


@pytest.mark.parametrize("ends", [skip, complete, lose_track])
def test_whoever_may_have_been_written_to_is_kept_until_that_is_settled_however_it_ended(
    stage: Stage, ends: Callable[[Desk], None]
) -> None:
    first = campaign_of(stage, "Water founders")
    first.run()
    first.hand_over(no_reply=True)
    ends(first)
    second = campaign_of(stage, "Pumps")
    second.run()
    assert (waiting(second), blocked(second)) == ([], "in_touch_elsewhere")
    action = stage.one("SELECT id FROM actions")
    settled = [Event("ActionSettled", action, {"status": "not_sent", "said": "", "settled_at": stage.clock.now()})]
    stage.journal.record(first.campaign, events=settled, actor="controller", cause="t", at=stage.clock.now())
    second.run()
    assert len(waiting(second)) == 1
    assert_sound(stage)


def test_whoever_turns_out_to_be_one_person_while_a_text_is_out_gets_no_second_one(stage: Stage) -> None:
    """A file can join two people by itself, and the campaign whose text nobody has yet may have claimed them first."""
    number = "ACoAABcDeFgHiJkLmNoP"
    second = campaign_of(stage, "Pumps", profile_url=f"https://www.linkedin.com/in/{number}")
    second.run()
    stage.clock.advance(1)
    first = campaign_of(stage, "Water founders")
    first.run()
    first.hand_over(no_reply=True)
    assert len(waiting(second)) == 1
    joining = campaign_of(stage, "Fair", extra={"member id": number})
    assert waiting(second) == []
    stage.commands().campaigns.delete(joining.campaign)
    assert waiting(second) == [], "what connects them goes, and what was learned by it stays"
    assert_sound(stage)


def test_a_no_in_one_campaign_ends_what_another_one_had_planned(stage: Stage) -> None:
    first, second = campaign_of(stage, "Water founders"), campaign_of(stage, "Pumps")
    first.run()
    write_by_hand(first)
    second.run()
    stage.commands().people.contact_anyway(second.campaign, lead_of(second), "another matter")
    second.run()
    assert len(waiting(second)) == 1
    stage.commands().replies.label(first.campaign, lead_of(first), Label.NO)
    assert waiting(second) == []
    second.leave()
    assert of_lead(second, "finished") != ""
    assert_sound(stage)


def test_a_copy_of_a_campaign_hands_out_nothing_that_the_original_did(stage: Stage) -> None:
    first = campaign_of(stage, "Water founders")
    first.run()
    lead = first.hand_over(no_reply=True)
    copied = campaign_of(stage, "Water founders 2").campaign
    first.say(lead, Word.SENT)
    first.leave()
    copy = Desk(stage, copied, LocalOnly())
    copy.run()
    assert waiting(copy) == []
    assert blocked(copy) == "in_touch_elsewhere"


def test_the_same_person_twice_in_a_campaign_gets_one_message(stage: Stage) -> None:
    desk = campaign_of(stage, "Pumps", email=MAIL)
    second = {"full_name": "Anna Berg", "profile_url": RENAMED, "member_key": RENAMED, "email": MAIL, "position": 3}
    second |= {"import_id": "i1", "connected_on": "2024-03-15"}
    stage.journal.record(
        desk.campaign,
        events=[Event("LeadImported", stage.ids.new(), second)],
        actor="user",
        cause="t",
        at=stage.clock.now(),
    )
    stage.commands().people.answer_same([ANNA, RENAMED], same=True)
    desk.run()
    assert len(waiting(desk)) == 1


def test_what_one_campaign_sees_of_the_relation_is_known_to_the_next(stage: Stage) -> None:
    first = campaign_of(stage, "Water founders", connected_on=None)
    stage.journal.record(
        first.campaign,
        events=[Event("LeadAdvanced", lead_of(first), {"relation": "connected", "accepted_at": stage.clock.now()})],
        actor="controller", cause="t", at=stage.clock.now(),
    )  # fmt: skip
    second = campaign_of(stage, "Pumps", connected_on=None)
    second.run()
    assert len(waiting(second)) == 1, "a message, for a contact needs no invitation"


def test_whoever_was_contacted_from_a_deleted_campaign_gets_no_second_first_contact(stage: Stage) -> None:
    first = campaign_of(stage, "Water founders", email=MAIL)
    first.run()
    write_by_hand(first)
    stage.commands().campaigns.change_status(first.campaign, CampaignStatus.PAUSED)
    stage.commands().campaigns.delete(first.campaign)
    second = campaign_of(stage, "Pumps", email=MAIL)
    second.run()
    assert (waiting(second), blocked(second)) == ([], "in_touch_elsewhere")
    stage.commands().people.contact_anyway(second.campaign, lead_of(second), "another matter")
    second.run()
    assert len(waiting(second)) == 1
    assert_sound(stage)


def test_an_erased_person_stands_in_no_answer_about_who_is_who(stage: Stage) -> None:
    first, second = (
        campaign_of(stage, "Water founders", email=MAIL),
        campaign_of(stage, "Pumps", profile_url=RENAMED, email=MAIL),
    )
    stage.commands().people.answer_same([ANNA, RENAMED], same=True)
    stage.commands().people.erase(first.campaign, lead_of(first))
    stored = stored_words(stage)
    for trace in (ANNA, RENAMED, MAIL, "Anna Berg"):
        assert trace not in stored
    assert (waiting(first), waiting(second)) == ([], [])
    assert stage.query("SELECT * FROM people") == stage.query("SELECT * FROM identity_doubts") == []
    assert_sound(stage)


@pytest.mark.parametrize("reason", ["in_touch_elsewhere", "in_doubt"])
def test_an_erased_person_who_was_held_back_stays_left_alone_when_what_held_them_ends(
    stage: Stage, reason: str
) -> None:
    only = campaign_of(stage, "Water founders")
    blocked_by = [Event("LeadBlocked", lead_of(only), {"blocked": reason})]
    stage.journal.record(only.campaign, events=blocked_by, actor="controller", cause="t", at=stage.clock.now())
    lead = lead_of(only)
    stage.commands().people.erase(only.campaign, lead)
    only.run()
    assert only.lead(lead, "blocked") == "do_not_contact"
    assert stage.query("SELECT * FROM tasks WHERE lead_id=?", lead) == []
    assert_sound(stage)


def test_of_an_answer_about_two_each_can_be_erased(stage: Stage) -> None:
    first = campaign_of(stage, "Water founders", email=MAIL)
    second = campaign_of(stage, "Pumps", profile_url=RENAMED, email=MAIL)
    stage.commands().people.answer_same([ANNA, RENAMED], same=False)
    stage.commands().people.erase(first.campaign, lead_of(first))
    stage.commands().people.erase(second.campaign, lead_of(second))
    stored = stored_words(stage)
    for trace in (ANNA, RENAMED, MAIL, "Anna Berg"):
        assert trace not in stored
    assert_sound(stage)


def test_an_answer_loses_whoever_is_in_no_campaign_any_more(stage: Stage) -> None:
    first, second = (
        campaign_of(stage, "Water founders", email=MAIL),
        campaign_of(stage, "Pumps", profile_url=RENAMED, email=MAIL),
    )
    stage.commands().people.answer_same([ANNA, RENAMED], same=True)

    stage.commands().campaigns.delete(first.campaign)
    assert ANNA not in stored_words(stage)
    assert RENAMED in stored_words(stage)
    stage.commands().campaigns.delete(second.campaign)
    assert RENAMED not in stored_words(stage)
    assert_sound(stage)


def test_whoever_is_free_again_goes_on_in_the_run_that_finds_it(stage: Stage) -> None:
    first, second = campaign_of(stage, "Water founders"), campaign_of(stage, "Pumps")
    for desk in (first, second):  # both are planned, and the first that is approved has them
        stage.site = UserHands(ASSIST)  # type: ignore[assignment]
        stage.run(desk.campaign, approve=False)
    lead, message = lead_of(first), stage.one("SELECT id FROM messages WHERE lead_id=?", lead_of(first))
    user = stage.commands()
    user.review.approve(first.campaign, message, shown_digest=user.review.digest(first.campaign, message))
    second.run()
    assert (blocked(second), drafts(second) == []) == ("in_touch_elsewhere", False)
    stage.commands().lead_groups.skip(first.campaign, [lead])
    with stage.journal.transaction() as transaction:
        assert planner.plan(transaction, second.campaign, cause="test", at=stage.clock.now()) == 1
    assert blocked(second) == ""
    assert_sound(stage)


def test_whoever_is_free_again_goes_on_however_many_before_them_stay_held(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planner, "MOST_RELEASED", 1)
    desks = first, second = campaign_of(stage, "Water founders"), campaign_of(stage, "Pumps")
    carl = {"full_name": "Carl Dahl", "profile_url": CARL, "member_key": CARL, "position": 3, "import_id": "i1"}
    for desk in desks:
        imported = [Event("LeadImported", stage.ids.new(), carl)]
        stage.journal.record(desk.campaign, events=imported, actor="user", cause="import", at=stage.clock.now())
    for desk in desks:
        stage.site = UserHands(ASSIST)  # type: ignore[assignment]
        stage.run(desk.campaign, approve=False)
    user = stage.commands()
    shared = "SELECT l.id, m.id FROM leads l JOIN messages m ON m.lead_id = l.id WHERE l.campaign_id=? AND full_name<>'Jon Vik'"
    for _, message in (rows := stage.query(f"{shared} ORDER BY l.id", first.campaign)):
        user.review.approve(first.campaign, message, shown_digest=user.review.digest(first.campaign, message))
    stage.run(second.campaign, approve=False)
    blocked_names = "SELECT full_name FROM leads WHERE campaign_id=? AND blocked='in_touch_elsewhere' ORDER BY id"
    assert stage.query(blocked_names, second.campaign) == [("Anna Berg",), ("Carl Dahl",)]
    user.lead_groups.skip(first.campaign, [rows[1][0]])
    with stage.journal.transaction() as transaction:
        assert planner.plan(transaction, second.campaign, cause="test", at=stage.clock.now()) == 1
    assert stage.query(blocked_names, second.campaign) == [("Anna Berg",)]
    assert_sound(stage)


def hold_until_nothing_changes(stage: Stage, campaign_id: str) -> list[int]:
    """What each round says it recorded, the last one nothing; as a run asks."""
    counts: list[int] = []
    while not counts or counts[-1]:
        assert len(counts) < 5, counts
        with stage.journal.transaction() as transaction:
            at, connection = stage.clock.now(), transaction.connection
            changed = planner.held_otherwise(connection, campaign_id, at)
            changed += planner.drafted_in_vain(connection, campaign_id, at)
            before = transaction.head(campaign_id).event_seq
            counts.append(planner.hold(transaction, campaign_id, changed, cause="test", at=at))
            assert bool(counts[-1]) == (transaction.head(campaign_id).event_seq > before)
    return counts


@pytest.mark.parametrize("reason", sorted(HELD))
@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("planned", [False, True])
@pytest.mark.parametrize("row", [{}, {"extra": {PAST_CONTACT: "they wrote on 2024-01-01"}}, {"full_name": "(erased)"}])
def test_holding_comes_to_an_end_whatever_a_held_lead_is(
    stage: Stage, reason: str, *, elsewhere: bool, planned: bool, row: dict[str, Any]
) -> None:
    first, second = campaign_of(stage, "Water founders"), campaign_of(stage, "Pumps", **row)
    if planned:
        stage.site = UserHands(ASSIST)  # type: ignore[assignment]
        stage.run(second.campaign, approve=False)
    if elsewhere:
        first.run()
        claimed = [Event("LeadClaimed", lead_of(first), {"claimed_at": stage.clock.now()})]
        stage.journal.record(first.campaign, events=claimed, actor="user", cause="t", at=stage.clock.now())
    blocking = [Event("LeadBlocked", lead_of(second), {"blocked": reason})]
    stage.journal.record(second.campaign, events=blocking, actor="controller", cause="t", at=stage.clock.now())
    hold_until_nothing_changes(stage, second.campaign)
    with stage.database.read() as connection:
        assert planner.held_otherwise(connection, second.campaign, stage.clock.now()) == []
    assert_sound(stage)


def test_who_stays_as_they_are_is_not_counted_as_held_or_let_go(stage: Stage) -> None:
    """Of several, the first may have settled it for the others."""
    only = campaign_of(stage, "Water founders")
    with stage.journal.transaction() as transaction:
        lead = leads.lead(transaction.connection, only.campaign, lead_of(only))
        assert lead is not None
        for stale in (lead, lead._replace(blocked="do_not_contact", full_name="(erased)")):
            before = transaction.head(only.campaign)
            assert planner.hold(transaction, only.campaign, [stale, stale], cause="test", at=stage.clock.now()) == 0
            assert transaction.head(only.campaign) == before


@pytest.mark.parametrize("family", ["invite", "message"])
def test_the_latest_send_of_unknown_outcome_counts_as_contact_whatever_it_sends(stage: Stage, family: str) -> None:
    first, second = campaign_of(stage, "Water founders"), campaign_of(stage, "Pumps")
    now = stage.clock.now()
    act = {
        "turn": 1, "task_id": "t", "lead_id": lead_of(first), "message_id": "m", "approval_id": "a", "account": "me",
        "family": family, "tool": "x", "params": {}, "seen_before": 0, "status": "intended",
    }  # fmt: skip
    began = {"act-1": now - 2 * DAY, "act-2": now - DAY, "act-3": now - 3 * DAY}
    intents = [Event("ActionIntended", name, act | {"intended_at": at}) for name, at in began.items()]
    stage.journal.record(first.campaign, events=intents, actor="user", cause="t", at=now)
    with stage.database.read() as connection:
        person = people.several(connection, lead_of(second), now)
    assert person is not None
    assert [other.act_at for other in person.others] == [now - DAY]


def test_a_send_of_unknown_outcome_that_lies_ahead_counts_as_now(stage: Stage) -> None:
    """A clock was wrong when it began; nobody is kept until that day."""
    first, second = campaign_of(stage, "Water founders"), campaign_of(stage, "Pumps")
    now = stage.clock.now()
    act = {
        "turn": 1, "task_id": "t", "lead_id": lead_of(first), "message_id": "m", "approval_id": "a", "account": "me",
        "family": "message", "tool": "x", "params": {}, "seen_before": 0, "status": "intended", "intended_at": now + 90 * DAY,
    }  # fmt: skip
    intents = [Event("ActionIntended", "act-1", act)]
    stage.journal.record(first.campaign, events=intents, actor="user", cause="t", at=now)
    with stage.database.read() as connection:
        person = people.several(connection, lead_of(second), now)
    assert person is not None
    assert [other.act_at for other in person.others] == [now]
