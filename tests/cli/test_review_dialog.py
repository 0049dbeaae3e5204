"""Review in the terminal: what is hidden is shown, and approved only by itself."""

import pytest

from backend.domain.events.events import Event
from backend.runtime.run.campaign_runner import RunEnd
from backend.terminal.output import TerminalOutput
from backend.terminal.review import ReviewChoice, ReviewDialog, draft_ids
from tests.fakes.campaign import MESSAGE_ONLY, Stage

CHOICES = (ReviewChoice.APPROVE, ReviewChoice.REJECT, ReviewChoice.STOP)


def dialog(stage: Stage, *answers: str) -> tuple[ReviewDialog, list[str]]:
    left, asked = list(answers), list[str]()

    def ask(prompt: str) -> str | None:
        asked.append(prompt)
        return left.pop(0) if left else None

    return ReviewDialog(TerminalOutput(), stage.database, stage.commands(), ask), asked


def test_all_leaves_out_what_hides_something_and_each_alone_shows_it(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    odd, plain = draft_ids(stage.database, campaign)
    stage.commands().review.edit(campaign, odd, "Hi \U0001f600\u200b\u200b\n\u00adthere")

    review, asked = dialog(stage, "yes")
    assert review.approve_all(campaign, [odd, plain]) == 1
    assert len(asked) == 1
    assert "[U+200B" not in capsys.readouterr().err, "what is not asked about is not shown among the rest"
    assert stage.query("SELECT id, status FROM messages ORDER BY id") == [(odd, "draft"), (plain, "approved")]

    review, _ = dialog(stage, "approve")
    assert review.review_each(campaign, [odd], CHOICES) == (1, False)
    shown = capsys.readouterr().err
    assert "[U+200B x2]" in shown
    assert "[U+00AD]there" in shown
    assert "U+200B, U+00AD" in " ".join(shown.split())
    assert stage.one(f"SELECT status FROM messages WHERE id='{odd}'") == "approved"


def test_all_leaves_out_what_may_be_a_placeholder_and_each_alone_names_it(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    odd, plain = draft_ids(stage.database, campaign)
    stage.commands().review.edit(campaign, odd, "Hi [Team], and <Te\u200bam>")

    review, _ = dialog(stage, "yes")
    assert review.approve_all(campaign, [odd, plain]) == 1
    assert "1 message has hidden characters, or what may be a placeholder" in capsys.readouterr().err
    review, _ = dialog(stage, "approve")
    assert review.review_each(campaign, [odd], CHOICES) == (1, False)
    assert "This may be a placeholder: [Team]" in capsys.readouterr().err
    assert stage.one(f"SELECT status FROM messages WHERE id='{odd}'") == "approved"


def test_an_answer_that_is_none_is_told_which_there_are(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    review, asked = dialog(stage, "yes", "", "s")
    assert review.review_each(campaign, draft_ids(stage.database, campaign), CHOICES) == (0, True)
    assert len(asked) == 3
    assert capsys.readouterr().err.count("Please answer a, r or s.") == 2


@pytest.mark.parametrize("by_model", [True, False])
def test_whoever_rejects_a_models_text_may_say_why(stage: Stage, by_model: bool) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    if by_model:
        stage.note_elsewhere(campaign, Event("CampaignEdited", campaign, {"proposer": "model:mine"}))
    review, asked = dialog(stage, "reject", "Too formal")
    assert review.review_each(campaign, draft_ids(stage.database, campaign), CHOICES) == (1, False)
    rejections = stage.query("SELECT status, rejection_reason FROM messages")
    assert (len(asked), rejections) == ((2, [("cancelled", "Too formal")]) if by_model else (1, [("cancelled", "")]))


def test_a_text_that_fell_back_to_the_template_is_marked(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    (own,) = draft_ids(stage.database, campaign)
    written = {"task_id": "t", "step": "hello", "kind": "message", "text": "Hello", "status": "draft", "created_at": 1}
    lead = stage.one("SELECT id FROM leads")
    stage.note_elsewhere(
        campaign, Event("MessageDrafted", "fallback", {**written, "lead_id": lead, "from_template": True})
    )
    for draft in (own, "fallback"):
        review, _ = dialog(stage, "stop")
        review.review_each(campaign, [draft], CHOICES)
        assert ("From the template" in capsys.readouterr().err) is (draft == "fallback")


def test_all_takes_what_can_go_out_soon_enough_says_when_the_rest_can_and_nothing_expires(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = stage.campaign(12, settings=MESSAGE_ONLY, connected=True)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    waiting = draft_ids(stage.database, campaign)
    assert len(waiting) == 12
    slow = MESSAGE_ONLY.limits.model_copy(update={"messages_a_day": 2, "prepared_days": 1, "approval_working_days": 2})
    stage.commands().campaigns.edit(campaign, version=None, limits=slow)

    review, _ = dialog(stage, "yes")
    assert review.approve_all(campaign, waiting) == 6, "today and the next two working days"
    assert "6 approved; 6 more can be approved on" in capsys.readouterr().err

    stage.run(campaign, approve=False)
    assert stage.one("SELECT count(*) FROM messages WHERE status='sent'") == 6
    assert stage.one("SELECT count(*) FROM approvals WHERE status='expired'") == 0
    review, _ = dialog(stage, "yes")
    assert review.approve_all(campaign, draft_ids(stage.database, campaign)) == 6


def test_what_the_limits_never_let_out_is_not_approved_among_others(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = stage.campaign(2, settings=MESSAGE_ONLY, connected=True)
    stage.run(campaign, approve=False)
    none = MESSAGE_ONLY.limits.model_copy(update={"messages_a_day": 0})
    stage.commands().campaigns.edit(campaign, version=None, limits=none)
    review, _ = dialog(stage, "yes")
    assert review.approve_all(campaign, draft_ids(stage.database, campaign)) == 0
    assert "0 approved; 2 can't go out within two months" in " ".join(capsys.readouterr().err.split())
    assert {status for (status,) in stage.query("SELECT status FROM messages")} == {"draft"}
