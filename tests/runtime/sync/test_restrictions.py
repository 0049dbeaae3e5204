"""What a user forbade on one device holds on every device, whatever another one recorded first."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.commands import conflict_description, conflicts
from backend.commands.lead_import import import_leads
from backend.commands.user_commands import Commands
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.events.facts.lead import LeadAdvanced, LeadContactAllowed
from backend.domain.gates.consent import CONSENT_SENTENCE
from backend.domain.model.campaign import DAY, CampaignStatus
from backend.domain.model.lead import Label
from backend.domain.people.lead_row import LeadRow
from backend.domain.turn.commitments import LeadsScored
from backend.domain.values.canonical_json import canonical
from backend.domain.values.errors import OutriderError
from backend.store.queries.contact import approvals, messages
from backend.store.queries.people import consents
from backend.store.queries.turn import requests
from backend.store.replication import rebase_queue, replica
from tests.fakes.campaign import ONE_STEP, Stage
from tests.fakes.pair import Pair


class Invited(Pair):
    """With one approved invitation."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, self._begin)

    def _begin(self, desk: Stage) -> str:
        self.campaign = desk.campaign(1, settings=ONE_STEP)
        desk.run(self.campaign, approve=False)
        with desk.database.read() as connection:
            (self.message,) = (draft.id for draft in messages.drafts(connection, self.campaign))
        self.approve(desk)
        return self.campaign

    def approve(self, stage: Stage) -> None:
        user = stage.commands()
        user.review.approve(self.campaign, self.message, shown_digest=user.review.digest(self.campaign, self.message))

    def statuses(self) -> list[tuple[str | None, str | None]]:
        """What both devices say of the text and of its approval."""
        statuses: list[tuple[str | None, str | None]] = []
        for stage in self.stages:
            with stage.database.read() as connection:
                message = messages.message(connection, self.campaign, self.message)
                approval = approvals.approval_of(connection, self.message)
            statuses.append((message.status.value if message else None, approval.status.value if approval else None))
        return statuses


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Invited]:
    made = Invited(tmp_path)
    yield made
    made.close()


def test_an_approval_taken_back_here_is_taken_back_everywhere(pair: Invited) -> None:
    pair.laptop.review.withdraw(pair.campaign, pair.message)
    pair.desk.review.withdraw(pair.campaign, pair.message)
    pair.desk.review.edit(pair.campaign, pair.message, "Another text.")
    pair.approve(pair.stages[0])
    pair.synchronise()
    assert pair.conflicts() == []
    assert [status for status, _ in pair.statuses()] == ["draft", "draft"]
    pair.stages[0].run(pair.campaign, approve=False)
    assert pair.stages[0].received() == []


def test_what_a_revoked_device_approved_and_no_other_heard_of_waits_in_review_again(pair: Invited) -> None:
    desk, laptop = pair.stages
    joined = Event("DeviceJoined", "laptop", {"name": "Laptop", "created_at": 1})
    desk.note_elsewhere(WORKSPACE, joined)
    pair.synchronise()
    assert unheard_at(laptop) == []
    pair.laptop.review.withdraw(pair.campaign, pair.message)
    pair.approve(laptop)
    desk.note_elsewhere(WORKSPACE, Event("DeviceRevoked", "laptop", {"revoked_at": 2}))
    pair.synchronise()
    assert pair.statuses() == [("approved", "open"), ("approved", "open")]
    problem = pair.engines[1].report.state().problem
    assert problem is not None
    assert problem.code == "device_revoked"
    assert unheard_at(laptop) == [(pair.campaign, pair.message)]
    conflicts.ask_about_approvals(lambda _: pair.laptop, laptop.database)
    assert pair.statuses() == [("approved", "open"), ("draft", "revoked")]


def unheard_at(stage: Stage) -> list[tuple[str, str]]:
    """What waits there that no other device heard of."""
    return stage.database.query(replica.unacknowledged_approvals)


def test_do_not_contact_wins_over_a_text_approved_anew(pair: Invited) -> None:
    lead = pair.stages[0].database.query(messages.message, pair.campaign, pair.message)
    assert lead is not None
    pair.laptop.leads.do_not_contact(pair.campaign, lead.lead_id, "Asked me not to")
    pair.desk.review.withdraw(pair.campaign, pair.message)
    pair.approve(pair.stages[0])
    pair.synchronise()
    assert pair.conflicts() == []
    assert [status for status, _ in pair.statuses()] == ["cancelled", "cancelled"]


@pytest.mark.parametrize("refuses", [0, 1])
def test_do_not_contact_wins_over_an_answer_given_on_another_device(pair: Invited, refuses: int) -> None:
    lead_id = str(pair.stages[0].one("SELECT lead_id FROM messages WHERE id=?", pair.message))
    pair.desk.replies.found(pair.campaign, lead_id, "Tell me more.", at=pair.stages[0].clock.now(), answers=True)
    pair.synchronise()
    users = pair.desk, pair.laptop
    users[refuses].leads.do_not_contact(pair.campaign, lead_id, "Asked me not to")
    users[1 - refuses].replies.answer(pair.campaign, lead_id, "With pleasure.")
    pair.synchronise()
    assert pair.conflicts() == []
    answers = "SELECT status FROM messages WHERE step LIKE 'answer:%'"
    assert [stage.query(answers) for stage in pair.stages] == [[("cancelled",)]] * 2
    pair.desk.leads.contact_again(pair.campaign, lead_id)
    pair.stages[0].run(pair.campaign, approve=False)
    assert pair.stages[0].received() == []


def test_consent_that_was_withdrawn_is_not_there_again_because_another_device_withdrew_it_too_and_gave_it_anew(
    pair: Invited,
) -> None:
    pair.desk.consents.give(CONSENT_SENTENCE)
    pair.synchronise()
    pair.laptop.consents.withdraw()
    pair.desk.consents.withdraw()
    pair.desk.consents.give(CONSENT_SENTENCE)
    pair.synchronise()
    assert pair.conflicts() == []
    for stage in pair.stages:
        assert stage.database.query(consents.consent, "linkedin") is None


def test_no_consent_holds_after_it_was_withdrawn_here_nor_one_that_another_device_gave_apart(pair: Invited) -> None:
    pair.laptop.consents.give(CONSENT_SENTENCE)
    pair.desk.consents.give(CONSENT_SENTENCE)
    pair.laptop.consents.withdraw()
    pair.synchronise()
    assert pair.conflicts() == []
    for stage in pair.stages:
        assert stage.database.query(consents.active_consents, "linkedin") == []


def test_what_was_sent_meanwhile_is_shown_and_not_hidden(pair: Invited) -> None:
    pair.laptop.review.withdraw(pair.campaign, pair.message)
    pair.stages[0].run(pair.campaign, approve=False)
    assert len(pair.stages[0].delivered()) == 1
    pair.synchronise()
    assert len(pair.conflicts()) == 1
    assert [status for status, _ in pair.statuses()] == ["sent", "sent"]


@pytest.mark.parametrize("ended", [CampaignStatus.PAUSED, CampaignStatus.COMPLETED])
def test_a_campaign_that_was_stopped_here_is_stopped_although_another_device_changed_it(
    pair: Invited, ended: CampaignStatus
) -> None:
    pair.laptop.campaigns.change_status(pair.campaign, ended)
    pair.desk.campaigns.edit(pair.campaign, version=None, name="Another name")
    pair.synchronise()
    assert pair.conflicts() == []
    assert [stage.status(pair.campaign) for stage in pair.stages] == [ended, ended]


def advanced(pair: Invited) -> str:
    """The desk's run has looked at the lead meanwhile; who that is."""
    lead = str(pair.stages[0].one("SELECT id FROM leads"))
    pair.stages[0].note_elsewhere(pair.campaign, Event("LeadAdvanced", lead, {"headline": "CTO"}))
    return lead


def test_whoever_was_labelled_here_gets_nothing_although_a_run_had_looked_at_them(pair: Invited) -> None:
    pair.laptop.replies.label(pair.campaign, advanced(pair), Label.WRONG_PERSON)
    pair.synchronise()
    assert pair.conflicts() == []
    assert [status for status, _ in pair.statuses()] == ["cancelled", "cancelled"]


def test_a_label_does_not_take_the_place_of_another_devices(pair: Invited) -> None:
    lead = pair.stages[0].one("SELECT id FROM leads")
    pair.laptop.replies.label(pair.campaign, lead, Label.NO)
    pair.desk.replies.label(pair.campaign, lead, Label.INTERESTED)
    pair.synchronise()
    assert [conflict.cause.split()[0] for conflict in pair.conflicts()] == ["replies.label"]
    assert [stage.one("SELECT label FROM leads") for stage in pair.stages] == ["interested", "interested"]


@pytest.mark.parametrize("meanwhile", ["nothing", "a look", "a reply"])
def test_a_label_that_is_taken_back_here_lets_the_sequence_go_on_everywhere(pair: Invited, meanwhile: str) -> None:
    """Unless the other device knew by then that they had replied."""
    lead = str(pair.stages[0].one("SELECT id FROM leads"))
    pair.desk.replies.label(pair.campaign, lead, Label.NO)
    pair.synchronise()
    if meanwhile == "a look":
        advanced(pair)
    if meanwhile == "a reply":
        pair.desk.replies.found(pair.campaign, lead, "Call me.", at=pair.stages[0].clock.now(), answers=True)
    pair.laptop.replies.label(pair.campaign, lead, None)
    pair.synchronise()
    for conflict in pair.conflicts():
        assert meanwhile != "nothing"
        conflicts.resolve(lambda _: pair.laptop, conflict, "mine")
    pair.synchronise()
    goes_on = meanwhile != "a reply"
    for stage in pair.stages:
        assert stage.query("SELECT label, finished FROM leads") == [("", "" if goes_on else "replied")]
        reaching = stage.one("SELECT status FROM tasks WHERE kind='reach_lead'")
        assert (reaching == "in_progress") is goes_on
    assert [status for status, _ in pair.statuses()] == ["cancelled", "cancelled"]


def test_an_invitation_that_was_withdrawn_on_the_site_is_so_although_a_run_had_looked(pair: Invited) -> None:
    pair.stages[0].run(pair.campaign, approve=False)
    pair.synchronise()
    pair.laptop.leads.invitation_withdrawn(pair.campaign, advanced(pair))
    pair.synchronise()
    assert pair.conflicts() == []
    assert [stage.one("SELECT relation FROM leads") for stage in pair.stages] == ["none", "none"]


def test_whoever_was_left_to_another_campaign_here_gets_nothing_although_a_run_had_looked_at_them(
    pair: Invited,
) -> None:
    desk, (lead,) = pair.stages[0], pair.stages[0].query("SELECT id FROM leads")[0]
    desk.note_elsewhere(pair.campaign, LeadContactAllowed(lead, contact_anyway="she asked for both"))
    other = desk.campaign(1, name="Other")
    theirs = desk.one("SELECT id FROM leads WHERE campaign_id=?", other)
    desk.note_elsewhere(other, LeadAdvanced(theirs, last_sent_at=desk.clock.now()))
    pair.synchronise()
    pair.laptop.people.leave(pair.campaign, lead)
    desk.note_elsewhere(pair.campaign, LeadAdvanced(lead, headline="CTO"))
    pair.synchronise()
    assert pair.conflicts() == []
    assert [status for status, _ in pair.statuses()] == ["cancelled", "cancelled"]
    for stage in pair.stages:
        assert stage.query("SELECT blocked, contact_anyway FROM leads WHERE id=?", lead) == [("in_touch_elsewhere", "")]


DELETED: dict[str, Callable[[Commands, str, str], object]] = {
    "renamed": lambda user, campaign, lead: user.campaigns.edit(campaign, version=None, name="Sherpa"),
    "noted": lambda user, campaign, lead: user.leads.note(campaign, lead, "Sherpa"),
    "deleted": lambda user, campaign, lead: user.campaigns.delete(campaign),
}


@pytest.mark.parametrize("deletes", ["desk", "laptop"])
@pytest.mark.parametrize("meanwhile", DELETED)
def test_of_a_deleted_campaign_no_word_is_left_whatever_another_device_did_with_it(
    pair: Invited, meanwhile: str, deletes: str
) -> None:
    lead = pair.stages[0].one("SELECT id FROM leads")
    pair.desk.campaigns.change_status(pair.campaign, CampaignStatus.PAUSED)
    pair.synchronise()
    deleting, other = (pair.desk, pair.laptop) if deletes == "desk" else (pair.laptop, pair.desk)
    DELETED[meanwhile](other, pair.campaign, lead)
    deleting.campaigns.delete(pair.campaign)
    pair.synchronise()
    assert pair.conflicts() == []
    for stage in pair.stages:
        assert stage.query("SELECT name FROM campaigns WHERE deleted_at IS NOT NULL") == [("(erased)",)]
        rows = stage.query("SELECT change_payload FROM event_log UNION ALL SELECT payload FROM rebase_queue_entries")
        assert [payload for (payload,) in rows if "Sherpa" in payload or "shall we talk" in payload] == []


def test_what_only_another_device_kept_of_a_deleted_campaign_goes_too(pair: Invited) -> None:
    pair.desk.campaigns.change_status(pair.campaign, CampaignStatus.PAUSED)
    pair.synchronise()
    laptop = pair.stages[1]
    pair.laptop.runtime.ask_to_wake(pair.campaign, laptop.clock.now() + DAY, "say hello to Sherpa", "timer")
    assert len(laptop.query("SELECT input FROM wake_requests")) == 1
    pair.desk.campaigns.delete(pair.campaign)
    pair.synchronise()
    assert laptop.query("SELECT input FROM wake_requests") == []


def test_nobody_works_on_a_request_of_a_campaign_that_another_device_deleted(pair: Invited) -> None:
    pair.desk.campaigns.change_status(pair.campaign, CampaignStatus.PAUSED)
    pair.synchronise()
    laptop = pair.stages[1]
    pair.laptop.requests.begin(pair.campaign, "who is Sherpa?", (), key="asked")
    assert len(laptop.database.query(requests.runnable_requests)) == 1
    pair.desk.campaigns.delete(pair.campaign)
    pair.synchronise()
    assert laptop.database.query(requests.runnable_requests) == []


def test_what_allows_is_left_for_the_user_to_choose(pair: Invited) -> None:
    pair.laptop.campaigns.change_status(pair.campaign, CampaignStatus.PAUSED)
    pair.laptop.campaigns.change_status(pair.campaign, CampaignStatus.ACTIVE)
    pair.desk.campaigns.change_status(pair.campaign, CampaignStatus.PAUSED)
    pair.synchronise()
    assert pair.conflicts()


def test_what_holds_by_chance_waits_for_a_choice_with_the_decision_before_it(pair: Invited) -> None:
    (lead,) = pair.stages[0].query("SELECT id FROM leads")[0]
    pair.laptop.leads.note(pair.campaign, lead, "First")
    pair.stages[0].clock.advance(1_000)
    pair.laptop.leads.note(pair.campaign, lead, "Last")
    pair.desk.leads.note(pair.campaign, lead, "Last")
    pair.synchronise()
    assert [conflict.events[0].changes["notes"] for conflict in pair.conflicts()] == ["First", "Last"]


def test_nobody_gets_a_text_that_another_device_approved_while_it_waits_which_text_they_get(pair: Invited) -> None:
    pair.desk.review.withdraw(pair.campaign, pair.message)
    pair.synchronise()
    pair.laptop.review.edit(pair.campaign, pair.message, "Another text.")
    pair.approve(pair.stages[0])
    pair.synchronise()
    assert [conflict.cause.split()[0] for conflict in pair.conflicts()] == ["review.edit"]
    assert [status for status, _ in pair.statuses()] == ["approved", "approved"]
    lead = pair.stages[1].one("SELECT id FROM leads")
    assert pair.stages[1].database.query(rebase_queue.is_person_in_conflict, pair.campaign, lead)


@pytest.mark.parametrize("done", [False, True])
def test_a_condition_is_added_behind_another_devices_entries_unless_its_task_is_done_by_then(
    pair: Invited, done: bool
) -> None:
    desk = pair.stages[0]
    task = {"kind": "custom", "description": "x", "status": "in_progress", "needs": "think", "source": "user"}
    desk.note_elsewhere(pair.campaign, Event("TaskCreated", "T", {**task, "created_at": 1}))
    pair.synchronise()
    pair.laptop.tasks.add_commitment(pair.campaign, "T", LeadsScored(type="leads_scored"))
    desk.note_elsewhere(pair.campaign, Event("TaskClaimed", "T", {"status": "verifying"}))
    if done:
        desk.note_elsewhere(pair.campaign, Event("TaskCompleted", "T", {"status": "done", "reason": ""}))
    pair.synchronise()
    made = [
        stage.query("SELECT json_extract(params, '$.type') FROM commitments WHERE task_id='T'") for stage in pair.stages
    ]
    assert made == [[] if done else [("leads_scored",)]] * 2
    waiting = pair.conflicts()
    assert len(waiting) == done
    for conflict in waiting:
        with pytest.raises(OutriderError, match="task_settled"):
            conflicts.resolve(lambda _: pair.laptop, conflict, "mine")


class MadeApart(Pair):
    """Each device makes the same thing before it hears of the other's: the desk's comes first."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, lambda desk: desk.campaign(1, settings=ONE_STEP))

    def drafted(self, stage: Stage) -> str:
        """The text for the one lead, written there."""
        stage.run(self.campaign, approve=False)
        (draft,) = stage.database.query(messages.drafts, self.campaign)
        return draft.id

    def imported(self, stage: Stage, people: int = 1) -> str:
        """More leads, from a file that was read there; the first of them."""
        rows = [
            LeadRow(
                line,
                "",
                card.name,
                "",
                "",
                f"https://www.linkedin.com/in/{card.slug}",
                card.slug,
                None,
                None,
                None,
                None,
                {},
            )
            for line, card in enumerate(stage.cards(people, skip=1), 2)
        ]
        import_leads(stage.journal, stage.clock, self.campaign, rows, file="people.csv", file_format="linkedin")
        return str(stage.one("SELECT id FROM leads WHERE member_key=?", rows[0].member_key))

    def messages(self) -> list[list[tuple[str, str]]]:
        return [stage.query("SELECT id, status FROM messages ORDER BY id") for stage in self.stages]


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[MadeApart]:
    made = MadeApart(tmp_path)
    yield made
    made.close()


def approve(user: Commands, campaign_id: str, message_id: str) -> None:
    user.review.approve(campaign_id, message_id, shown_digest=user.review.digest(campaign_id, message_id))


def test_an_approval_taken_back_is_that_of_the_same_text_which_another_device_drafted_first(apart: MadeApart) -> None:
    here, there = (apart.drafted(stage) for stage in apart.stages)
    assert here != there
    approve(apart.desk, apart.campaign, here)
    approve(apart.laptop, apart.campaign, there)
    apart.laptop.review.withdraw(apart.campaign, there)
    apart.synchronise()
    assert apart.messages() == [[(here, "draft")]] * 2
    assert apart.conflicts() == []  # the approval was given there, too, before it was taken back


def test_a_text_rejected_here_is_rejected_where_another_device_drafted_it_first(apart: MadeApart) -> None:
    here, there = (apart.drafted(stage) for stage in apart.stages)
    apart.laptop.review.reject(apart.campaign, there)
    apart.synchronise()
    assert apart.conflicts() == []
    assert apart.messages() == [[(here, "cancelled")]] * 2


@pytest.mark.parametrize("drafted_apart", [True, False])
def test_a_text_rejected_here_is_not_sent_although_another_device_approved_it(
    apart: MadeApart, drafted_apart: bool
) -> None:
    here = there = apart.drafted(apart.stages[0])
    if drafted_apart:
        there = apart.drafted(apart.stages[1])
    else:
        apart.synchronise()
    apart.laptop.review.reject(apart.campaign, there)
    approve(apart.desk, apart.campaign, here)
    apart.synchronise()
    assert apart.conflicts() == []
    assert apart.messages() == [[(here, "cancelled")]] * 2
    apart.stages[0].run(apart.campaign, approve=False)
    assert apart.stages[0].received() == []


def test_another_text_than_the_one_taken_back_stays_as_it_was_decided_and_waits_for_the_choice(
    apart: MadeApart,
) -> None:
    here, there = (apart.drafted(stage) for stage in apart.stages)
    apart.desk.review.edit(apart.campaign, here, "Another text.")
    approve(apart.desk, apart.campaign, here)
    apart.laptop.review.reject(apart.campaign, there)
    apart.synchronise()
    assert [conflict.cause.split()[0] for conflict in apart.conflicts()] == ["review.reject"]
    assert apart.messages() == [[(here, "approved")]] * 2
    lead = apart.stages[1].one("SELECT id FROM leads")
    assert apart.stages[1].database.query(rebase_queue.is_person_in_conflict, apart.campaign, lead)


def test_whoever_is_skipped_here_is_skipped_where_another_device_imported_them_first(apart: MadeApart) -> None:
    here, there = (apart.imported(stage) for stage in apart.stages)
    assert here != there
    apart.laptop.lead_groups.skip(apart.campaign, [there])
    apart.laptop.leads.note(apart.campaign, there, "Met in Oslo")
    apart.synchronise()
    blocked = [stage.one("SELECT blocked FROM leads WHERE id=?", here) for stage in apart.stages]
    assert blocked == ["skipped", "skipped"]
    (noted,) = apart.conflicts()
    conflicts.resolve(lambda _: apart.laptop, noted, "mine")
    assert apart.stages[1].one("SELECT notes FROM leads WHERE id=?", here) == "Met in Oslo"


def test_whoever_is_forbidden_on_both_devices_is_forbidden_once(apart: MadeApart) -> None:
    here, there = (apart.imported(stage) for stage in apart.stages)
    apart.laptop.leads.do_not_contact(apart.campaign, there, "Asked me not to")
    apart.desk.leads.do_not_contact(apart.campaign, here, "Asked me not to")
    apart.synchronise()
    assert apart.conflicts() == []
    for stage in apart.stages:
        assert stage.query("SELECT id, blocked FROM leads WHERE blocked<>''") == [(here, "do_not_contact")]


Said = Callable[[Commands, str, str], object]
"""What a user decides in a campaign about a person or a text."""

ABOUT_A_PERSON: dict[str, tuple[Said, Said, str, dict[str, object]]] = {
    "note": (
        lambda user, campaign, lead: user.leads.note(campaign, lead, "Met in Oslo"),
        lambda user, campaign, lead: user.leads.note(campaign, lead, "Met in Rome"),
        "notes",
        {"notes": "Met in Rome"},
    ),
    "tags": (
        lambda user, campaign, lead: user.lead_groups.tag(campaign, [lead], "vip"),
        lambda user, campaign, lead: user.leads.tag(campaign, lead, ["late"]),
        "tags",
        {"tags": ["late"]},
    ),
    "priority": (
        lambda user, campaign, lead: user.leads.prioritise(campaign, lead, 50),
        lambda user, campaign, lead: user.lead_groups.prioritise(campaign, [lead], 10),
        "priority_override",
        {"priority_override": 10},
    ),
}


def decided_apart(apart: MadeApart, mine: Said, theirs: Said) -> str:
    """Each device imports them and decides, the laptop and the desk; the lead that stands."""
    here, there = (apart.imported(stage) for stage in apart.stages)
    mine(apart.laptop, apart.campaign, there)
    theirs(apart.desk, apart.campaign, here)
    apart.synchronise()
    return here


@pytest.mark.parametrize("name", ABOUT_A_PERSON)
def test_what_both_devices_decided_about_whom_each_imported_is_asked_only_if_they_differ(
    apart: MadeApart, name: str
) -> None:
    decide, _, column, _ = ABOUT_A_PERSON[name]
    here = decided_apart(apart, decide, decide)
    assert apart.conflicts() == []
    assert apart.stages[1].one(f"SELECT {column} FROM leads WHERE id=?", here) not in (None, "", "[]")


@pytest.mark.parametrize("name", ABOUT_A_PERSON)
def test_what_another_device_decided_about_whom_it_imported_is_shown_before_the_choice(
    apart: MadeApart, name: str
) -> None:
    mine, theirs, _, shown = ABOUT_A_PERSON[name]
    here = decided_apart(apart, mine, theirs)
    (conflict,) = apart.stages[1].database.query(conflict_description.open_conflicts)
    assert (conflict.theirs, conflict.subject) == (
        shown,
        apart.stages[1].one("SELECT full_name FROM leads WHERE id=?", here),
    )
    again = conflicts.repeat_unasked(lambda _: apart.laptop, apart.stages[1].database)
    assert not again, "what waits for a choice is no work: a round with nothing else to do is the last one"


def edit(user: Commands, campaign_id: str, message_id: str) -> None:
    user.review.edit(campaign_id, message_id, "Another text.")


def reject(user: Commands, campaign_id: str, message_id: str) -> None:
    user.review.reject(campaign_id, message_id)


@pytest.mark.parametrize(
    ("decided", "status"),
    [((approve,), "approved"), ((reject,), "cancelled"), ((edit,), "draft"), ((edit, approve), "approved")],
)
def test_what_both_devices_decided_about_the_text_that_each_drafted_is_not_asked(
    apart: MadeApart, decided: tuple[Said, ...], status: str
) -> None:
    drafts = [apart.drafted(stage) for stage in apart.stages]
    for say in decided:
        for user, message_id in zip((apart.desk, apart.laptop), drafts, strict=True):
            say(user, apart.campaign, message_id)
        apart.stages[0].clock.advance(1_000)
    apart.synchronise()
    assert apart.conflicts() == []
    assert apart.messages() == [[(drafts[0], status)]] * 2


def test_a_text_that_was_sent_as_it_was_approved_here_is_not_asked_about(apart: MadeApart) -> None:
    here, there = (apart.drafted(stage) for stage in apart.stages)
    approve(apart.desk, apart.campaign, here)
    approve(apart.laptop, apart.campaign, there)
    apart.stages[0].run(apart.campaign, approve=False)
    apart.synchronise()
    assert [conflict.cause.split()[0] for conflict in apart.conflicts()] == ["campaigns.change_status"]
    assert apart.messages() == [[(here, "sent")]] * 2


@pytest.mark.parametrize(
    ("decided", "text", "status"),
    [((edit, approve), "Another text.", "approved"), ((edit, reject), "Another text.", "cancelled")],
)
def test_a_text_that_was_edited_here_is_edited_again_where_another_device_drafted_it(
    apart: MadeApart, decided: tuple[Said, ...], text: str, status: str
) -> None:
    here, there = (apart.drafted(stage) for stage in apart.stages)
    for say in decided:
        say(apart.laptop, apart.campaign, there)
        apart.stages[0].clock.advance(1_000)
    apart.synchronise()
    assert len(apart.conflicts()) == len(decided)
    for conflict in apart.conflicts():
        conflicts.resolve(lambda _: apart.laptop, conflict, "mine")
    assert apart.stages[1].query("SELECT id, text, status FROM messages") == [(here, text, status)]


def test_a_rejection_that_was_taken_back_here_is_offered_where_another_device_drafted_the_text(
    apart: MadeApart,
) -> None:
    here, there = (apart.drafted(stage) for stage in apart.stages)
    apart.laptop.review.reject(apart.campaign, there)
    apart.laptop.review.restore(apart.campaign, there)
    apart.synchronise()
    (restored,) = apart.conflicts()
    conflicts.resolve(lambda _: apart.laptop, restored, "mine")
    assert apart.messages()[1] == [(here, "draft")]


def test_what_would_be_repeated_for_nobody_waits_on(apart: MadeApart) -> None:
    here, there = (apart.imported(stage) for stage in apart.stages)
    apart.laptop.lead_groups.skip(apart.campaign, [there])
    apart.laptop.lead_groups.take_up(apart.campaign, [there])
    apart.desk.leads.do_not_contact(apart.campaign, here, "Asked me not to")
    apart.synchronise()
    (taken_up,) = apart.conflicts()
    with pytest.raises(OutriderError, match="decision_not_repeatable"):
        conflicts.resolve(lambda _: apart.laptop, taken_up, "mine")
    assert apart.conflicts() == [taken_up]


@pytest.mark.parametrize("imported_apart", [True, False])
def test_whoever_was_moved_here_is_in_the_other_campaign_alone(apart: MadeApart, imported_apart: bool) -> None:
    other = apart.desk.campaigns.create("Other", "g", site="practice", account="practice", settings=ONE_STEP)
    apart.synchronise()
    here = there = apart.imported(apart.stages[0])
    if imported_apart:
        there = apart.imported(apart.stages[1])
    else:
        apart.synchronise()
    apart.laptop.lead_groups.move(apart.campaign, [there], other)
    apart.desk.lead_groups.skip(apart.campaign, [here])
    apart.desk.lead_groups.take_up(apart.campaign, [here])
    apart.synchronise()
    assert apart.conflicts() == []
    for stage in apart.stages:
        key = stage.one("SELECT member_key FROM leads WHERE id=?", here)
        where = stage.query("SELECT campaign_id, blocked FROM leads WHERE member_key=?", key)
        assert sorted(where) == sorted([(apart.campaign, "moved"), (other, "")])


def test_a_round_of_people_whom_another_device_imported_first_is_put_in_order_again(apart: MadeApart) -> None:
    rounds = []
    for stage in apart.stages:
        apart.imported(stage, people=3)
        rounds.append([lead for (lead,) in stage.query("SELECT id FROM leads ORDER BY full_name")])
    apart.laptop.rankings.save(apart.campaign, rounds[1])
    apart.synchronise()
    (ranked,) = apart.conflicts()
    conflicts.resolve(lambda _: apart.laptop, ranked, "mine")
    assert apart.stages[1].query("SELECT lead_ids FROM rankings") == [(canonical(rounds[0]),)]


@pytest.mark.parametrize("both", [True, False])
def test_a_task_dropped_here_is_that_of_the_same_person_which_another_device_planned_first(
    apart: MadeApart, both: bool
) -> None:
    planned = []
    for stage in apart.stages:
        apart.drafted(stage)
        planned.append(stage.one("SELECT id FROM tasks WHERE kind='reach_lead'"))
        stage.note_elsewhere(apart.campaign, Event("TaskBlocked", planned[-1], {"status": "blocked", "reason": "x"}))
    apart.laptop.tasks.cancel(apart.campaign, planned[1])
    if both:
        apart.desk.tasks.cancel(apart.campaign, planned[0])
    apart.synchronise()
    assert apart.conflicts() == [], "it only forbids"
    tasks = apart.stages[1].query("SELECT id, status FROM tasks WHERE kind='reach_lead'")
    assert tasks == [(planned[0], "cancelled")]
