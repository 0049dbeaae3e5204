"""An approval rests on recipient, exact words, channel and step; it serves once, for a while, and can be lost."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from backend.domain.events.events import Event
from backend.domain.model.campaign import DAY, CampaignStatus
from backend.domain.model.message import MOST_REJECTION_REASON
from backend.domain.model.sequence import Sequence, Step
from backend.domain.values.errors import OutriderError
from backend.runtime.run.campaign_runner import RunEnd
from backend.store.log import replay
from backend.store.queries.contact import messages
from backend.turn.loop import TurnReport
from tests.fakes.campaign import MESSAGE_ONLY, ONE_STEP, QUICK, Noted, Stage
from tests.fakes.proposers import MockProposer
from tests.fakes.send_desk import EVERY_DAY, MESSAGES, desk


@pytest.fixture
def drafted(stage: Stage) -> tuple[Stage, str, str]:
    """A stage with one lead whose message waits in Review: (stage, campaign, message)."""
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    return stage, campaign, stage.one("SELECT id FROM messages")


Drafted = tuple[Stage, str, str]


def refused(code: str, act: Callable[[], object]) -> None:
    with pytest.raises(OutriderError) as error:
        act()
    assert error.value.code == code


def approve(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    user = stage.commands()
    user.review.approve(campaign, message, shown_digest=user.review.digest(campaign, message))


def ends(stage: Stage) -> int:
    return int(stage.one("SELECT expires_at FROM approvals ORDER BY created_at DESC LIMIT 1"))


def turn(stage: Stage, campaign: str) -> TurnReport:
    ran = stage.loop().run_turn(campaign)
    assert isinstance(ran, TurnReport)
    return ran


def test_nothing_is_sent_without_an_approval_however_often_it_is_run(drafted: Drafted) -> None:
    stage, campaign, _ = drafted
    for _ in range(3):
        stage.reopen()
        assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
        stage.clock.advance(DAY)
    assert stage.received() == []


def test_an_approved_text_is_sent_exactly_as_approved(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    text = "Grüß Gott,\n\n„Zeilen“ und 🙂 bleiben,  auch   Leerzeichen.\n"
    stage.commands().review.edit(campaign, message, text)
    approve(drafted)
    stage.run(campaign)
    assert [entry.text for entry in stage.delivered()] == [text]


def test_an_approval_of_what_is_no_longer_shown_is_refused(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    shown = stage.commands().review.digest(campaign, message)
    stage.commands().review.edit(campaign, message, "Another text.")
    refused("approval_text_changed", lambda: stage.commands().review.approve(campaign, message, shown_digest=shown))
    refused("approval_text_changed", lambda: stage.commands().review.approve(campaign, message, shown_digest=""))
    assert stage.query("SELECT status FROM messages") == [("draft",)]
    assert stage.one("SELECT count(*) FROM approvals") == 0


@pytest.mark.parametrize("contacted", ["invited_at", "last_sent_at", ""])
def test_after_the_last_day_for_first_contacts_only_who_was_contacted_is_approved_among_others(
    drafted: Drafted, contacted: str
) -> None:
    stage, campaign, message = drafted
    now = stage.clock.now()
    if contacted:
        lead = stage.one("SELECT id FROM leads")
        stage.note_elsewhere(campaign, Event("LeadAdvanced", lead, {contacted: now - DAY}))
    limits = MESSAGE_ONLY.limits.model_copy(update={"first_contact_until": now})
    stage.commands().campaigns.edit(campaign, version=None, limits=limits)
    if contacted:
        stage.commands().review.refuse_too_early(campaign, message)
    else:
        refused("approval_no_room", lambda: stage.commands().review.refuse_too_early(campaign, message))


def test_invitations_without_a_note_take_no_place_of_those_with_one(stage: Stage) -> None:
    few = ONE_STEP.limits.model_copy(update={"notes_a_month": 1})
    campaign = stage.campaign(2, settings=ONE_STEP.model_copy(update={"limits": few}))
    stage.run(campaign, approve=False)
    (bare,), (noted,) = stage.query("SELECT id FROM messages WHERE kind='invitation' ORDER BY id")
    stage.commands().review.edit(campaign, bare, "")
    stage.commands().review.edit(campaign, noted, "Hello")
    approve((stage, campaign, bare))
    stage.commands().review.refuse_too_early(campaign, noted)


@pytest.mark.parametrize("how", ["archived", "deleted", "too old"])
def test_what_was_approved_and_cannot_go_out_any_more_takes_no_place(stage: Stage, how: str) -> None:
    few = ONE_STEP.model_copy(update={"limits": ONE_STEP.limits.model_copy(update={"notes_a_month": 1})})
    ours, others = stage.campaign(1, settings=few, name="Ours"), stage.campaign(1, settings=few, skip=1, name="Others")
    for campaign in (ours, others):
        stage.run(campaign, approve=False)
        stage.commands().campaigns.change_status(campaign, CampaignStatus.PAUSED)
    ((mine, _), (theirs, _)) = (
        stage.query("SELECT id, text FROM messages WHERE campaign_id=?", c)[0] for c in (ours, others)
    )
    approve((stage, others, theirs))
    refused("approval_no_room", lambda: stage.commands().review.refuse_too_early(ours, mine))
    match how:
        case "archived":
            stage.commands().campaigns.archive(others)
        case "deleted":
            stage.commands().campaigns.delete(others)
        case _:
            stage.clock.advance(ends(stage) - stage.clock.now())
    stage.commands().review.refuse_too_early(ours, mine)


def test_an_approved_text_cannot_be_edited_any_more(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    approve(drafted)
    refused("approval_unknown", lambda: stage.commands().review.edit(campaign, message, "Changed behind your back"))
    refused("approval_unknown", lambda: approve(drafted))
    assert stage.one("SELECT count(*) FROM approvals") == 1


@pytest.mark.parametrize(
    "changed",
    [("messages", "text", "Tampered with."), ("leads", "profile_url", "https://www.linkedin.com/in/somebody-else")],
    ids=["text", "recipient"],
)
def test_a_text_or_recipient_changed_after_approval_by_whatever_means_is_not_sent(
    drafted: Drafted, changed: tuple[str, str, str]
) -> None:
    stage, campaign, _ = drafted
    approve(drafted)
    table, column, value = changed
    with stage.database.write() as connection:
        connection.execute(f"UPDATE {table} SET {column}=?", (value,))
    stage.commands().campaigns.change_status(campaign, CampaignStatus.ACTIVE)
    ran = turn(stage, campaign)
    assert (ran.verdict, ran.detail) == ("gate:approved", "This message has changed since you approved it.")
    assert stage.query("SELECT status FROM messages") == [("draft",)]
    assert stage.query("SELECT status FROM approvals") == [("revoked",)]
    assert stage.received() == []


def test_an_approval_that_expired_leads_back_to_review(drafted: Drafted) -> None:
    stage, campaign, _ = drafted
    approve(drafted)
    stage.clock.advance(ends(stage) - stage.clock.now())
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    assert stage.query("SELECT status FROM messages") == [("draft",)]
    assert stage.query("SELECT status FROM approvals") == [("expired",)]
    assert stage.received() == []
    approve(drafted)
    stage.run(campaign, approve=False)
    assert len(stage.delivered()) == 1


def test_an_approval_a_millisecond_before_it_expires_still_serves(drafted: Drafted) -> None:
    stage, campaign, _ = drafted
    approve(drafted)
    stage.clock.advance(ends(stage) - 1 - stage.clock.now())
    stage.run(campaign, approve=False)
    assert len(stage.delivered()) == 1


def test_an_approval_serves_once(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    approve(drafted)
    stage.run(campaign, approve=False)
    assert stage.query("SELECT status FROM approvals") == [("used",)]
    refused("approval_unknown", lambda: approve(drafted))
    assert stage.kinds(campaign)["ApprovalUsed"] == 1
    assert len(stage.delivered()) == 1
    assert stage.one("SELECT count(*) FROM actions WHERE message_id=?", message) == 1


def test_an_approval_is_opened_again_only_after_it_was_observed_that_nothing_was_sent(drafted: Drafted) -> None:
    stage, campaign, _ = drafted
    approve(drafted)
    stage.arm("error_500", "message")
    stage.run(campaign, approve=False)
    kinds = [kind for kind, _, _ in stage.events(campaign)]
    reopened = kinds.index("ApprovalReopened")
    assert kinds.index("ActionSettled") < reopened
    settled = [json.loads(payload)["status"] for _, _, payload in stage.events(campaign, "ActionSettled")]
    assert settled == ["outcome_unknown", "not_sent", "sent"]
    assert kinds.index("MessageNotSent") < reopened
    assert sum(stage.clock.waits) == 60.0, "looked again until nothing could be under way any more"
    assert stage.kinds(campaign)["ApprovalGiven"] == 1
    assert len(stage.delivered()) == 1


def test_a_rejected_draft_is_never_sent_and_another_text_is_owed(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    lead, text = stage.query("SELECT lead_id, text FROM messages")[0]
    task = stage.one("SELECT task_id FROM messages")
    stage.commands().review.reject(campaign, message)
    refused("approval_unknown", lambda: approve(drafted))
    stage.commands().campaigns.change_status(campaign, CampaignStatus.ACTIVE)
    params = {"lead_id": lead, "step": "hello", "text": text}
    same = json.dumps({"type": "generate_message", "task_id": task, "params": params})
    other = json.dumps({"type": "generate_message", "task_id": task, "params": {**params, "text": "Something better."}})
    stage.note_elsewhere(campaign, Event("CampaignEdited", campaign, {"proposer": "model:mine"}))
    loop = stage.loop(MockProposer([same, other]))
    verdicts = [
        ran.verdict for ran in (loop.run_turn(campaign), loop.run_turn(campaign)) if isinstance(ran, TurnReport)
    ]
    assert verdicts == ["text_refused_before", "accepted"]
    assert stage.query("SELECT text, status FROM messages ORDER BY id") == [
        (text, "cancelled"),
        ("Something better.", "draft"),
    ]
    assert stage.received() == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "text_not_sendable"),
        ("   \n", "text_not_sendable"),
        ("Hi {first_name}", "text_not_sendable"),
        ("Hi\x00", "text_not_sendable"),
        ("x" * 1_901, "text_too_long"),
    ],
)
def test_a_users_own_edit_is_held_to_the_same_rules(drafted: Drafted, text: str, code: str) -> None:
    stage, campaign, message = drafted
    before = stage.query("SELECT text FROM messages")
    refused(code, lambda: stage.commands().review.edit(campaign, message, text))
    assert stage.query("SELECT text FROM messages") == before


def test_automatic_approval_works_on_the_practice_network_only(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    stage.note_elsewhere(campaign, Event("CampaignEdited", campaign, {"site": "linkedin"}))
    auto = stage.commands("auto_approve")
    refused(
        "auto_approve_forbidden",
        lambda: auto.review.approve(campaign, message, shown_digest=auto.review.digest(campaign, message)),
    )


def test_who_approved_is_on_record(drafted: Drafted) -> None:
    stage, campaign, _ = drafted
    approve(drafted)
    approval: dict[str, Any] = json.loads(stage.events(campaign, "ApprovalGiven")[0][2])
    assert approval["given_by"] == "user"
    assert stage.query("SELECT DISTINCT actor FROM event_log WHERE kind IN ('ApprovalGiven', 'MessageApproved')") == [
        ("user",)
    ]


def test_a_reply_right_before_the_send_withdraws_the_draft(stage: Stage) -> None:
    """They accepted and wrote by themselves between approval and send: nothing more is sent to them."""
    exchange = stage.exchange
    writers = [
        card
        for card in stage.cards(60)
        if stage.behaviour(card.slug).answers_from == 0 and stage.behaviour(card.slug).accepts != "never"
    ]
    position = stage.cards(60).index(writers[0])
    campaign = stage.campaign(1, skip=position, settings=QUICK)
    replied: list[int] = []

    def reply_arrives(tool: str, when: str) -> None:
        # The message is approved and due; the answer to the note comes while the page is being opened.
        if (
            tool == "read_thread"
            and when == "before"
            and not replied
            and stage.one("SELECT count(*) FROM messages WHERE status='approved' AND kind='message'")
        ):
            replied.append(1)
            history = exchange.read(lambda network: network.history(writers[0].slug))
            history.replies[:] = [type(old)(stage.clock.now(), old.text, old.tone) for old in history.replies]

    def hold_replies(turn: TurnReport) -> None:
        history = exchange.read(lambda network: network.history(writers[0].slug))
        if not replied:
            history.replies[:] = [
                type(old)(stage.clock.now() + 900 * DAY, old.text, old.tone) for old in history.replies
            ]

    stage.site.during = reply_arrives
    stage.run(campaign, on_turn=hold_replies)
    assert replied
    assert [entry.kind for entry in stage.delivered()] == ["invitation"]
    assert stage.query("SELECT status, reason FROM messages WHERE kind='message'") == [
        ("cancelled", "they replied first")
    ]
    assert stage.query("SELECT status, finished FROM leads") == [("responded", "replied")]
    assert stage.query("SELECT status FROM approvals ORDER BY id") == [("used",), ("revoked",)]
    assert stage.query("SELECT count(*) FROM messages WHERE kind='reply' AND status='received'") == [(1,)]
    assert "superseded" in {turn.verdict for turn in stage.turns}
    assert stage.status(campaign) == "completed"


def test_an_approval_can_be_taken_back_and_nothing_is_sent_until_it_is_given_again(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    approve(drafted)
    stage.commands().review.withdraw(campaign, message)
    assert stage.query("SELECT status FROM messages") == [("draft",)]
    assert stage.query("SELECT status FROM approvals") == [("revoked",)]
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    assert stage.received() == []
    approve(drafted)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    refused("approval_used", lambda: stage.commands().review.withdraw(campaign, message))


def test_a_campaign_is_completed_when_the_user_leaves_what_is_blocked(drafted: Drafted) -> None:
    """The scripted proposer knows one text only: rejected, it is refused, and the user is asked."""
    stage, campaign, message = drafted
    stage.commands().review.reject(campaign, message)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_YOU
    assert stage.query("SELECT verdict FROM turn_projection ORDER BY number DESC LIMIT 1") == [("text_refused_before",)]
    question = stage.one("SELECT id FROM input_requests WHERE status='open'")
    refused("answer_not_offered", lambda: stage.commands().questions.answer(campaign, question, "perhaps"))
    stage.commands().questions.answer(campaign, question, "leave it")
    assert stage.run(campaign, approve=False).halt is RunEnd.COMPLETED
    assert stage.received() == []


def test_leaving_a_task_withdraws_its_approved_text_and_the_approval(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    approve(drafted)
    stage.run(campaign, proposer=MockProposer(["nonsense"] * 3), approve=False, stop_after=len(stage.turns) + 3)
    assert stage.query("SELECT status FROM messages") == [("approved",)]
    ((question,),) = stage.query("SELECT id FROM input_requests WHERE status='open'")
    stage.commands().questions.answer(campaign, question, "leave it")
    assert stage.query("SELECT id, status, reason FROM messages") == [(message, "cancelled", "left by the user")]
    assert stage.query("SELECT status FROM approvals") == [("revoked",)]
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.received() == []


def test_a_text_that_is_not_there_is_refused_by_name(drafted: Drafted) -> None:
    stage, campaign, _ = drafted
    for decide in (
        stage.commands().review.restore,
        stage.commands().review.digest,
        stage.commands().review.withdraw,
        stage.commands().review.reject,
    ):
        refused("approval_unknown", lambda decide=decide: decide(campaign, "none"))  # type: ignore[misc]


def test_a_rejected_text_can_be_had_back_while_nothing_was_written_in_its_place(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    stage.commands().review.reject(campaign, message)
    refused("approval_unknown", lambda: stage.commands().review.withdraw(campaign, message))
    assert stage.query("SELECT status FROM messages") == [("cancelled",)]
    stage.commands().review.restore(campaign, message)
    assert stage.query("SELECT status, reason FROM messages") == [("draft", "")]
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    approve(drafted)
    assert stage.run(campaign, approve=False).halt is RunEnd.COMPLETED
    assert len(stage.delivered()) == 1


def test_why_a_text_was_rejected_is_told_to_the_model_that_writes_another(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    lead, text, task = stage.query("SELECT lead_id, text, task_id FROM messages")[0]
    stage.note_elsewhere(campaign, Event("CampaignEdited", campaign, {"proposer": "model:mine"}))
    stage.commands().review.reject(campaign, message, reason="  Too\nformal,\u200b \u202eand long " + "x" * 300)
    stage.commands().review.reject(campaign, message, reason="What is said of a rejected text changes nothing")
    ((reason, rejection_reason),) = stage.query("SELECT reason, rejection_reason FROM messages")
    assert (reason, rejection_reason[:15], len(rejection_reason)) == (
        "rejected by the user",
        "Too formal,\u200b \u202ea",
        MOST_REJECTION_REASON,
    )

    stage.commands().campaigns.change_status(campaign, CampaignStatus.ACTIVE)
    params = {"lead_id": lead, "step": "hello", "text": "Something better."}
    written = json.dumps({"type": "generate_message", "task_id": task, "params": params})
    proposer = Noted(MockProposer([written]))
    stage.loop(proposer).run_turn(campaign)
    (rejected,) = json.loads(proposer.shown[0])["focus"]["rejected"]
    assert (rejected["source"], rejected["data"]["text"]) == ("rejected by the user", text)
    assert rejected["data"]["reason"].startswith("Too formal,[U+200B] [U+202E]and long xxx")
    assert len(rejected["data"]["reason"]) == MOST_REJECTION_REASON
    assert replay.find_differences(stage.database) == []


def test_a_rejection_that_is_taken_back_takes_its_reason_back(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    stage.commands().review.reject(campaign, message, reason="Too formal")
    stage.commands().review.restore(campaign, message)
    assert stage.query("SELECT status, reason, rejection_reason FROM messages") == [("draft", "", "")]
    stage.commands().review.reject(campaign, message)
    with stage.database.read() as connection:
        lead = stage.one("SELECT lead_id FROM messages")
        assert [text.reason for text in messages.rejected_texts(connection, lead, "hello")] == [""]


def test_a_rejection_is_final_once_another_text_was_written(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    refused("rejection_final", lambda: stage.commands().review.restore(campaign, message))
    stage.commands().review.reject(campaign, message)
    written = {"lead_id": stage.one("SELECT lead_id FROM messages"), "step": "hello", "kind": "message"}
    written |= {"text": "Another", "status": "draft", "created_at": 1}
    stage.note_elsewhere(campaign, Event("MessageDrafted", "other", written))
    refused("rejection_final", lambda: stage.commands().review.restore(campaign, message))
    assert stage.query("SELECT count(*) FROM messages WHERE status='draft'") == [(1,)]


def test_a_rejected_text_can_be_had_back_even_after_nothing_else_could_be_written(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    stage.commands().review.reject(campaign, message)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_YOU, "the scripted proposer has only the one text"
    stage.commands().review.restore(campaign, message)
    assert stage.query("SELECT status FROM input_requests") == [("withdrawn",)]
    approve(drafted)
    assert stage.run(campaign, approve=False).halt is RunEnd.COMPLETED
    assert len(stage.delivered()) == 1


def test_a_rejection_is_final_once_the_sequence_has_ended(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    stage.commands().review.reject(campaign, message)
    lead = stage.one("SELECT id FROM leads")
    stage.note_elsewhere(campaign, Event("LeadAdvanced", lead, {"replied_at": 1, "status": "responded"}))
    refused("rejection_final", lambda: stage.commands().review.restore(campaign, message))


def test_a_rejection_is_final_once_the_sequence_went_on_to_another_step(stage: Stage) -> None:
    it = desk(stage, MESSAGES, limits=EVERY_DAY, people=1)
    ((message, lead),) = stage.query("SELECT id, lead_id FROM messages")
    stage.commands().review.reject(it.campaign, message)
    counted = {"sequence_step": 1, "last_sent_at": stage.clock.now()}
    stage.note_elsewhere(it.campaign, Event("LeadAdvanced", lead, counted))
    refused("rejection_final", lambda: stage.commands().review.restore(it.campaign, message))
    assert stage.query("SELECT status FROM messages") == [("cancelled",)]


# --- what cannot be seen ---

HIDES = "Hi\u200b Ada,\u00a0shall we talk?"


def hiding(stage: Stage, campaign: str, message: str) -> None:
    stage.commands().review.edit(campaign, message, HIDES)


@pytest.mark.parametrize("actor", ["user", "auto_approve"])
def test_a_text_with_hidden_characters_is_approved_by_nobody_who_was_not_shown_them(
    drafted: Drafted, actor: str
) -> None:
    stage, campaign, message = drafted
    hiding(stage, campaign, message)
    commands = stage.commands(actor)
    digest = commands.review.digest(campaign, message)
    refused("text_hides", lambda: commands.review.approve(campaign, message, shown_digest=digest))
    refused(
        "text_hides", lambda: commands.review.approve(campaign, message, shown_digest=digest, hidden_shown=("U+200B",))
    )
    assert stage.query("SELECT status FROM messages") == [("draft",)]
    assert stage.one("SELECT count(*) FROM approvals") == 0


@pytest.mark.parametrize("actor", ["user", "auto_approve"])
def test_what_may_be_a_placeholder_is_approved_by_nobody_who_was_not_shown_it(drafted: Drafted, actor: str) -> None:
    stage, campaign, message = drafted
    stage.commands().review.edit(campaign, message, "Hi Ada, how is [Team]?")
    commands = stage.commands(actor)
    digest = commands.review.digest(campaign, message)
    refused("text_doubtful", lambda: commands.review.approve(campaign, message, shown_digest=digest))
    assert stage.query("SELECT status FROM messages") == [("draft",)]
    commands.review.approve(campaign, message, shown_digest=digest, placeholders_shown=("[Team]",))
    assert stage.query("SELECT status FROM messages") == [("approved",)]


def test_a_text_that_no_message_may_be_is_approved_by_nobody(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    odd = Event("MessageEdited", message, {"text": "Hi \u202eadA"})
    stage.journal.record(campaign, events=[odd], actor="user", cause="another version", at=stage.clock.now())
    user = stage.commands()
    digest = user.review.digest(campaign, message)
    refused(
        "text_not_sendable",
        lambda: user.review.approve(campaign, message, shown_digest=digest, hidden_shown=("U+202E",)),
    )


def test_whoever_was_shown_them_approves_the_exact_text(drafted: Drafted) -> None:
    stage, campaign, message = drafted
    hiding(stage, campaign, message)
    user = stage.commands()
    user.review.approve(
        campaign, message, shown_digest=user.review.digest(campaign, message), hidden_shown=("U+200B", "U+00A0")
    )
    stage.run(campaign, approve=False)
    assert [entry.text for entry in stage.delivered()] == [HIDES]


def test_what_is_hidden_in_a_leads_name_is_not_sent_before_it_was_seen(stage: Stage) -> None:
    whole_name = Step(key="hello", kind="message", template="Hi {full_name}, shall we talk?")
    sequence = Sequence(steps=(MESSAGE_ONLY.sequence.steps[0], whole_name))
    settings = MESSAGE_ONLY.model_copy(update={"sequence": sequence})
    campaign = stage.campaign(1, settings=settings, connected=True)
    lead = stage.one("SELECT id FROM leads")
    name = stage.one("SELECT full_name FROM leads")
    first, _, rest = name.partition(" ")
    odd = Event("LeadMerged", lead, {"full_name": f"{first[:1]}\u00ad{first[1:]} {rest}"})
    stage.journal.record(campaign, events=[odd], actor="user", cause="import", at=stage.clock.now())
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    message, text = stage.query("SELECT id, text FROM messages")[0]
    assert "\u00ad" in text
    user = stage.commands()
    digest = user.review.digest(campaign, message)
    refused("text_hides", lambda: user.review.approve(campaign, message, shown_digest=digest))
    user.review.approve(campaign, message, shown_digest=digest, hidden_shown=("U+00AD",))
    stage.run(campaign, approve=False)
    assert [entry.text for entry in stage.delivered()] == [text]
