"""What a send comes to is decided by looking at the world: each fault of the practice network, and what is done about it."""

import json

import pytest

from backend.domain.events.events import Event
from backend.domain.model.campaign import DAY, CampaignStatus
from backend.domain.model.site import SelectorReport
from backend.domain.values.errors import OutriderError
from backend.ports.site import SiteUnavailable
from backend.practice.faults import FaultKind
from backend.practice.faults import Step as FaultStep
from backend.runtime.run.campaign_runner import RunEnd
from tests.fakes.campaign import MESSAGE_ONLY, ONE_STEP, QUICK, Stage
from tests.fakes.stages import Stages


def messaging(stage: Stage, leads: int = 1) -> str:
    return stage.campaign(leads, settings=MESSAGE_ONLY, connected=True)


def sends(stage: Stage) -> int:
    return sum(call.startswith("send_") for call in stage.site.calls)


# --- the page lies, or says nothing ---


@pytest.mark.parametrize("on", ["message", "invite"])
def test_what_the_site_says_failed_but_is_there_counts_as_sent(stage: Stage, on: FaultStep) -> None:
    campaign = messaging(stage) if on == "message" else stage.campaign(1, settings=ONE_STEP)
    stage.arm("accepts_but_says_failed", on)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert (len(stage.received()), stage.duplicates()) == (1, 0)
    assert stage.query("SELECT status, claim FROM actions") == [("sent", "refused")]
    assert stage.query("SELECT status FROM messages") == [("sent",)]


@pytest.mark.parametrize("on", ["message", "invite"])
def test_what_the_site_says_was_sent_but_is_not_there_is_unknown_and_never_sent_again_by_itself(
    stage: Stage, on: FaultStep
) -> None:
    campaign = messaging(stage) if on == "message" else stage.campaign(1, settings=ONE_STEP)
    stage.arm("says_sent_but_dropped", on)
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert stage.query("SELECT status, attempts FROM messages") == [("outcome_unknown", 0)] or stage.query(
        "SELECT status FROM messages"
    ) == [("outcome_unknown",)]
    assert stage.query("SELECT blocked FROM leads") == [("outcome_unknown",)]
    assert stage.query("SELECT status FROM tasks WHERE kind='reach_lead'") == [("blocked",)]
    ((question,),) = stage.query("SELECT question FROM input_requests WHERE status='open'")
    assert "it is not known whether" in question
    for _ in range(4):
        stage.reopen()
        stage.clock.advance(3 * DAY)
        stage.run(campaign)
    assert sends(stage) == 1
    assert stage.delivered() == []
    assert stage.query("SELECT status FROM messages") == [("outcome_unknown",)]
    assert stage.status(campaign) != "completed"


def test_the_user_is_asked_what_became_of_it_and_only_no_other_answer_is_taken(stage: Stage) -> None:
    campaign = messaging(stage)
    stage.arm("says_sent_but_dropped", "message")
    stage.run(campaign)
    ((question, choices),) = stage.query("SELECT id, choices FROM input_requests WHERE status='open'")
    assert json.loads(choices) == ["it was sent", "it was not sent"]
    with pytest.raises(OutriderError) as error:
        stage.commands().questions.answer(campaign, question, "try again")
    assert error.value.code == "answer_not_offered"
    stage.run(campaign)
    assert sends(stage) == 1
    assert stage.query("SELECT id FROM input_requests WHERE status='open'") == [(question,)], (
        "somebody still has to decide"
    )


def test_what_the_user_says_was_sent_is_not_sent_again(stage: Stage) -> None:
    campaign = messaging(stage)
    stage.arm("says_sent_but_dropped", "message")
    stage.run(campaign)
    stage.commands().questions.answer(
        campaign, stage.one("SELECT id FROM input_requests WHERE status='open'"), "it was sent"
    )
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert sends(stage) == 1
    assert stage.query("SELECT status FROM messages") == [("sent",)]


def test_what_the_user_says_was_not_sent_is_sent_once(stage: Stage) -> None:
    campaign = messaging(stage)
    stage.arm("says_sent_but_dropped", "message")
    stage.run(campaign)
    stage.commands().questions.answer(
        campaign, stage.one("SELECT id FROM input_requests WHERE status='open'"), "it was not sent"
    )
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert (sends(stage), len(stage.delivered())) == (2, 1)


def test_other_leads_go_on_while_one_is_blocked(stage: Stage) -> None:
    campaign = messaging(stage, 4)
    slug = stage.cards(1)[0].slug
    stage.arm("says_sent_but_dropped", "message", slug=slug)
    stage.run(campaign)
    assert stage.query("SELECT status, count(*) FROM messages GROUP BY 1 ORDER BY 1") == [
        ("outcome_unknown", 1),
        ("sent", 3),
    ]
    assert {entry.to for entry in stage.delivered()} == {card.slug for card in stage.cards(4)} - {slug}


def test_an_unknown_outcome_is_looked_at_again_and_settled_when_it_can_be_seen(stage: Stage) -> None:
    campaign = messaging(stage)

    def blind(tool: str, when: str) -> None:
        if tool == "read_thread" and when == "before" and sends(stage):
            raise SiteUnavailable("the thread does not load")

    stage.site.during = blind
    stage.run(campaign)
    assert stage.query("SELECT status FROM messages") == [("outcome_unknown",)]
    stage.site.during = lambda _tool, _when: None
    stage.reopen()
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.query("SELECT status FROM messages") == [("sent",)]
    assert stage.query("SELECT blocked, status FROM leads") == [("", "contacted")]
    assert (sends(stage), len(stage.delivered())) == (1, 1)


def test_every_look_of_a_recovery_is_audited_even_if_it_brought_nothing_new(stage: Stage) -> None:
    campaign = messaging(stage)
    stage.arm("says_sent_but_dropped", "message")
    stage.run(campaign)
    stage.run(campaign)
    looks = [kind for kind, _ in stage.audits(campaign, "browser.%") if kind != "browser.open"]
    assert len(looks) == len(stage.site.calls)


@pytest.mark.parametrize("on", ["message", "invite"])
def test_a_crash_of_the_site_before_it_wrote_is_retried_and_delivered_once(stage: Stage, on: FaultStep) -> None:
    campaign = messaging(stage) if on == "message" else stage.campaign(1, settings=ONE_STEP)
    stage.arm("crash", on, before=True)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert [row[0] for row in stage.query("SELECT status FROM actions ORDER BY id")] == ["not_sent", "sent"]
    assert (len(stage.delivered()), stage.duplicates()) == (1, 0)
    assert sum(stage.clock.waits) == 60.0, "retried only when nothing could be under way any more"


@pytest.mark.parametrize("on", ["message", "invite"])
def test_a_crash_of_the_site_after_it_wrote_counts_as_sent(stage: Stage, on: FaultStep) -> None:
    campaign = messaging(stage) if on == "message" else stage.campaign(1, settings=ONE_STEP)
    stage.arm("crash", on)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.query("SELECT status, claim FROM actions") == [("sent", "no_answer")]
    assert (len(stage.received()), sends(stage)) == (1, 1)


@pytest.mark.parametrize("on", ["message", "invite"])
def test_a_server_error_is_retried_after_looking_and_delivered_once(stage: Stage, on: FaultStep) -> None:
    campaign = messaging(stage) if on == "message" else stage.campaign(1, settings=ONE_STEP)
    stage.arm("error_500", on)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert (len(stage.delivered()), stage.duplicates(), stage.missing()) == (1, 0, [])


@pytest.mark.parametrize("on", ["message", "invite"])
def test_an_answer_slower_than_the_timeout_is_none_and_the_world_decides(stage: Stage, on: FaultStep) -> None:
    campaign = messaging(stage) if on == "message" else stage.campaign(1, settings=ONE_STEP)
    stage.arm("slow", on, ms=30_000)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.query("SELECT status, claim FROM actions") == [("sent", "no_answer")]
    assert len(stage.received()) == 1


def test_a_send_that_failed_three_times_is_given_up_and_the_user_asked(stage: Stage) -> None:
    campaign = messaging(stage)
    stage.arm("error_500", "message", times=None)
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert sends(stage) == 3
    assert stage.query("SELECT status FROM messages") == [("failed",)]
    assert "3 attempts failed" in stage.one("SELECT question FROM input_requests WHERE status='open'")
    stage.disarm()
    stage.commands().questions.answer(
        campaign, stage.one("SELECT id FROM input_requests WHERE status='open'"), "try again"
    )
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.query("SELECT status FROM messages ORDER BY id") == [("cancelled",), ("sent",)]
    assert (len(stage.delivered()), stage.one("SELECT count(*) FROM approvals")) == (1, 2)


# --- incidents ---

INCIDENTS: list[tuple[FaultKind, FaultStep, str]] = [
    ("unusual_activity", "message", "unusual_activity"),
    ("unusual_activity", "profile", "unusual_activity"),
    ("unusual_activity", "thread", "unusual_activity"),
    ("log_out", "message", "logged_out"),
    ("log_out", "profile", "logged_out"),
    ("invitation_limit", "invite", "invitation_limit"),
    ("changed_layout", "profile", "unknown_page"),
    ("changed_layout", "thread", "unknown_page"),
    ("changed_labels", "invite", "unknown_page"),
]


@pytest.mark.parametrize(("kind", "on", "incident"), INCIDENTS, ids=[f"{kind}-{on}" for kind, on, _ in INCIDENTS])
def test_an_incident_latches_survives_a_restart_and_ends_only_with_a_reason(
    stage: Stage, kind: FaultKind, on: FaultStep, incident: str
) -> None:
    campaign = stage.campaign(3) if on == "invite" else messaging(stage, 3)
    stage.arm(kind, on)
    assert stage.run(campaign).halt is RunEnd.HELD
    assert stage.query("SELECT kind, status FROM incidents WHERE status='open'")[0] == (incident, "open")
    assert stage.one("SELECT count(*) FROM incidents WHERE lead_id IS NULL") == 0, "whose page it was is on record"
    for _ in range(3):
        stage.reopen()
        stage.clock.advance(DAY)
        calls = len(stage.site.calls)
        ended = stage.run(campaign)
        assert ended.halt is RunEnd.HELD
        assert "Everything is stopped" in ended.reasons[0]
        tried = set(stage.site.calls[calls:]) - {"check_selectors"}
        # Recovery may look at what is open; no lead is worked on.
        assert tried <= {"read_thread", "read_profile"}
        assert len(stage.site.calls) - calls <= 3
    sent = sends(stage)
    assert stage.commands().campaigns.clear_incident(campaign, "I looked: it was a drill") >= 1
    assert stage.query("SELECT DISTINCT status, reason FROM incidents") == [("cleared", "I looked: it was a drill")]
    stage.run(campaign)
    assert sends(stage) > sent
    assert (stage.duplicates(), stage.missing()) == (0, [])


def test_an_incident_seen_only_when_looking_after_a_send_latches_too(stage: Stage) -> None:
    """The send went well; the page that should show it is the restriction notice."""
    campaign = messaging(stage, 3)

    def then(tool: str, when: str) -> None:
        if (tool, when) == ("send_message", "after") and sends(stage) == 1:
            stage.arm("unusual_activity", "thread")

    stage.site.during = then
    assert stage.run(campaign).halt is RunEnd.HELD
    assert sends(stage) == 1
    assert stage.query("SELECT kind, status FROM incidents") == [("unusual_activity", "open")]


def test_an_incident_at_the_start_of_a_run_latches_too(stage: Stage) -> None:
    campaign = messaging(stage, 2)
    stage.arm("unusual_activity", "any")
    with pytest.raises(OutriderError):
        stage.run(campaign)
    assert stage.query("SELECT kind, status FROM incidents") == [("unusual_activity", "open")]
    assert stage.run(campaign).halt is RunEnd.HELD
    assert sends(stage) == 0


def test_an_incident_seen_by_recovery_latches_too(stage: Stage) -> None:
    campaign = messaging(stage, 2)
    stage.arm("says_sent_but_dropped", "message", slug=stage.cards(1)[0].slug)
    stage.run(campaign)
    stage.reopen()
    stage.arm("unusual_activity", "thread")
    stage.run(campaign)
    assert stage.query("SELECT kind, status FROM incidents") == [("unusual_activity", "open")]


def test_an_incident_stops_every_campaign_of_the_account_and_no_other(stages: Stages) -> None:
    stage = stages()
    first = messaging(stage, 2)
    second = stage.campaign(2, settings=MESSAGE_ONLY, connected=True, skip=10)
    apart = stage.campaign(2, settings=MESSAGE_ONLY, connected=True, skip=20, account="another account")
    stage.arm("unusual_activity", "message")
    assert stage.run(first).halt is RunEnd.HELD
    sent = sends(stage)
    assert stage.run(second).halt is RunEnd.HELD
    assert sends(stage) == sent
    assert stage.run(apart).halt is RunEnd.COMPLETED
    assert stage.commands().campaigns.clear_incident(apart, "nothing of this account's") == 0
    assert stage.run(second).halt is RunEnd.HELD
    assert stage.commands().campaigns.clear_incident(second, "cleared from the other campaign") == 1
    assert stage.run(second).halt is RunEnd.COMPLETED


# --- the environment ---


def test_a_page_that_lacks_a_control_fails_closed_and_the_run_does_not_start(stage: Stage) -> None:
    campaign = messaging(stage, 2)
    stage.site.check_selectors = lambda: SelectorReport(missing=("Message box",))  # type: ignore[method-assign]
    before = stage.head(campaign)
    with pytest.raises(OutriderError) as error:
        stage.run(campaign)
    assert (error.value.code, "Message box" in error.value.sentence) == ("selectors_changed", True)
    assert stage.status(campaign) == "initializing"
    assert stage.head(campaign)[0] - before[0] <= 1, "only the machine's own start"
    assert stage.received() == []


@pytest.mark.parametrize("kind", ["error_500", "slow"])
def test_a_site_that_cannot_be_reached_is_a_coded_error_and_the_next_run_continues(
    stage: Stage, kind: FaultKind
) -> None:
    campaign = messaging(stage, 2)
    stage.run(campaign, stop_after=4)
    before = stage.dump(skip=("audit_log", "log_heads", "event_log", "runtime_snapshot"))
    stage.arm(kind, "any", times=None, ms=60_000)
    with pytest.raises(OutriderError) as error:
        stage.run(campaign)
    assert error.value.code == "site_unreachable"
    assert error.value.remedy
    assert stage.dump(skip=("audit_log", "log_heads", "event_log", "runtime_snapshot")) == before
    stage.disarm()
    stage.reopen()
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert (len(stage.delivered()), stage.duplicates()) == (2, 0)


def test_a_site_that_falls_silent_in_mid_campaign_ends_the_run_with_an_error_and_loses_nothing(stage: Stage) -> None:
    campaign = stage.campaign(8, settings=QUICK)

    def silence(turn: object) -> None:
        if len(stage.turns) == 30:
            stage.arm("error_500", "any", times=None)

    with pytest.raises(OutriderError) as error:
        stage.run(campaign, on_turn=silence)
    assert error.value.code == "site_unreachable"
    assert stage.one("SELECT loop_enabled FROM runtime_snapshot") == 0
    stage.disarm()
    stage.reopen()
    assert stage.run(campaign).halt in (RunEnd.COMPLETED, RunEnd.NEEDS_YOU)
    assert (stage.duplicates(), stage.missing()) == (0, [])


def test_no_fault_whatever_makes_a_second_delivery_or_loses_one(stages: Stages) -> None:
    """All faults at once, over and over; incidents are cleared, runs are repeated."""
    stage = stages(people=30)
    campaign = stage.campaign(12, settings=QUICK)
    kinds: list[tuple[FaultKind, FaultStep]] = [
        ("error_500", "any"), ("crash", "invite"), ("crash", "message"), ("slow", "any"), ("log_out", "any"),
        ("accepts_but_says_failed", "invite"), ("accepts_but_says_failed", "message"), ("unusual_activity", "any"),
        ("invitation_limit", "invite"), ("changed_layout", "any"), ("changed_labels", "any"),
    ]  # fmt: skip

    def trouble(_: object) -> None:
        n = len(stage.turns)
        if n % 5 == 0:
            kind, on = kinds[(n // 5) % len(kinds)]
            stage.arm(kind, on, ms=20_000, before=n % 2 == 0)

    for _ in range(150):
        try:
            ended = stage.run(campaign, on_turn=trouble)
        except OutriderError as error:
            assert error.code == "site_unreachable"  # noqa: PT017
            stage.commands().campaigns.clear_incident(campaign, "a drill")
            continue
        if ended.halt is RunEnd.COMPLETED:
            break
        stage.commands().campaigns.clear_incident(campaign, "a drill")
        for (question,) in stage.query("SELECT id FROM input_requests WHERE status='open'"):
            offered = json.loads(stage.one("SELECT choices FROM input_requests WHERE id=?", question))
            stage.commands().questions.answer(campaign, question, offered[0])
    assert stage.duplicates() == 0
    assert stage.missing() == []
    assert stage.unapproved() == []
    assert len(stage.delivered()) >= 12


def test_evidence_of_a_send_is_kept_with_its_action_and_its_message(stage: Stage) -> None:
    campaign = messaging(stage)
    stage.run(campaign)
    ((action, message),) = stage.query(
        "SELECT a.evidence, m.evidence FROM actions a JOIN messages m ON m.id=a.message_id"
    )
    assert json.loads(action) == json.loads(message)
    assert "1 of this message in the thread, connected" in [evidence["quote"] for evidence in json.loads(action)]


def test_a_send_is_waited_for_only_when_it_was_not_seen_at_once(stage: Stage) -> None:
    campaign = messaging(stage, 3)
    stage.run(campaign)
    assert stage.clock.waits == []
    assert CampaignStatus(stage.status(campaign)) is CampaignStatus.COMPLETED


def test_one_wrong_profile_blocks_only_its_own_lead_once_the_incident_is_cleared(stage: Stage) -> None:
    campaign = stage.campaign(3, settings=ONE_STEP)
    ((lead,), *_) = stage.query("SELECT id FROM leads ORDER BY position")
    slug = stage.cards(1, skip=9)[0].slug
    stage.note_elsewhere(campaign, Event("LeadMerged", lead, {"profile_url": f"https://www.linkedin.com/in/{slug}"}))
    ended = stage.run(campaign)
    assert ended.halt in (RunEnd.HELD, RunEnd.NEEDS_YOU)
    assert stage.query("SELECT status, lead_id FROM incidents") == [("open", lead)]
    before = len(stage.received())
    assert stage.run(campaign).halt is RunEnd.HELD, "until it is cleared, nothing at all"
    assert len(stage.received()) == before
    stage.commands().campaigns.clear_incident(campaign, "I looked")
    assert stage.run(campaign).halt is RunEnd.NEEDS_YOU
    assert {entry.to for entry in stage.delivered()} == {card.slug for card in stage.cards(3)[1:]}
    assert stage.query("SELECT status FROM tasks WHERE lead_id=?", lead) == [("blocked",)]
    assert stage.query("SELECT status FROM incidents") == [("cleared",)], "it did not come back"
    ((question,),) = stage.query("SELECT id FROM input_requests WHERE status='open'")
    stage.commands().questions.answer(campaign, question, "leave it")
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert stage.one("SELECT count(*) FROM incidents") == 1
