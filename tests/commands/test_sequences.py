"""Changing the sequence of a campaign that runs: what falls, what stays, what is undone, and that nobody gets anything twice."""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from backend.adapters.llm.scripted import ScriptedProposer
from backend.commands.sequences import SequenceApplied, difference, previous_sequence
from backend.domain.gates.approval import approval_digest
from backend.domain.model.campaign import DAY, Limits, Settings
from backend.domain.model.days import in_utc
from backend.domain.model.sequence import Sequence, Step
from backend.domain.model.site import Attempt, SiteAnswer, SitePerson
from backend.domain.sequence.sequence_change import RequestedSequence, RequestedStep, RequestedVariant, as_request
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.runtime.run.campaign_runner import RunEnd
from backend.store.log import replay
from backend.store.queries.campaign import campaigns
from backend.store.queries.reports import response_rates
from tests.domain.test_sequence_change import changes
from tests.fakes.campaign import Killed, Noted, Stage
from tests.fakes.stages import Stages

TWO = Settings(
    sequence=Sequence(
        steps=(
            Step(key="visit", kind="visit"),
            Step(key="hello", kind="message", template="Hi {first_name}, shall we talk?"),
            Step(key="later", kind="message", template="Still there, {first_name}?", after_days=2),
        )
    ),
    limits=Limits(ramp_days=0, spacing_seconds=0),
)


def in_force(stage: Stage, campaign: str) -> RequestedSequence:
    stored_campaign = stage.database.query(campaigns.campaign, campaign)
    assert stored_campaign is not None
    return as_request(stored_campaign.settings.sequence)


def with_text(sequence: RequestedSequence, key: str, template: str) -> RequestedSequence:
    steps = [step.model_copy(update={"template": template}) if step.key == key else step for step in sequence.steps]
    return sequence.model_copy(update={"steps": tuple(steps)})


def without(sequence: RequestedSequence, key: str) -> RequestedSequence:
    return sequence.model_copy(update={"steps": tuple(step for step in sequence.steps if step.key != key)})


def change(stage: Stage, campaign: str, sequence: RequestedSequence) -> SequenceApplied:
    return stage.commands().sequences.change(campaign, requested_sequence=sequence, version=None)


def approve_all(stage: Stage, campaign: str) -> None:
    user = stage.commands()
    for (message,) in stage.query("SELECT id FROM messages WHERE status='draft'"):
        user.review.approve(campaign, message, shown_digest=user.review.digest(campaign, message))


@pytest.fixture
def drafted(stage: Stage) -> tuple[Stage, str]:
    """Three contacts; each has a draft of the first message."""
    campaign = stage.campaign(3, settings=TWO, connected=True)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    return stage, campaign


def statuses(stage: Stage, step: str) -> list[str]:
    return [status for (status,) in stage.query("SELECT status FROM messages WHERE step=? ORDER BY id", step)]


def test_a_changed_text_falls_with_its_approval_and_is_made_again(drafted: tuple[Stage, str]) -> None:
    stage, campaign = drafted
    user = stage.commands()
    first = stage.one("SELECT id FROM messages WHERE status='draft' ORDER BY id")
    user.review.approve(campaign, first, shown_digest=user.review.digest(campaign, first))
    new = with_text(in_force(stage, campaign), "hello", "Good morning {first_name}.")
    assert change(stage, campaign, new) == SequenceApplied(2, 3, 1, 0)
    assert statuses(stage, "hello") == ["cancelled"] * 3
    assert stage.query("SELECT status FROM approvals") == [("revoked",)]
    stage.run(campaign)
    texts = {entry.text for entry in stage.delivered()}
    assert sum(text.startswith("Good morning") for text in texts) == 3
    assert not any("shall we talk" in text for text in texts)
    assert stage.unapproved() == []
    assert replay.find_differences(stage.database) == []


def test_other_steps_keep_their_texts_and_approvals(drafted: tuple[Stage, str]) -> None:
    stage, campaign = drafted
    approve_all(stage, campaign)
    new = with_text(in_force(stage, campaign), "later", "Another time, {first_name}?")
    assert change(stage, campaign, new) == SequenceApplied(2, 0, 0, 0)
    assert statuses(stage, "hello") == ["approved"] * 3
    stage.run(campaign, approve=True)
    assert {entry.text.split(",")[0] for entry in stage.delivered()} >= {"Another time"}


def test_undone_the_same_texts_wait_in_review_again(drafted: tuple[Stage, str]) -> None:
    stage, campaign = drafted
    before, texts = in_force(stage, campaign), stage.query("SELECT id, text FROM messages ORDER BY id")
    change(stage, campaign, with_text(before, "hello", "Good morning {first_name}."))
    undone = stage.commands().sequences.undo(campaign)
    assert (undone.version, undone.restored) == (3, 3)
    assert in_force(stage, campaign) == before
    assert stage.query("SELECT id, text FROM messages WHERE status='draft' ORDER BY id") == texts
    stage.run(campaign)
    assert stage.duplicates() == 0
    assert stage.unapproved() == []
    assert replay.find_differences(stage.database) == []


def test_undone_twice_is_the_change_again(drafted: tuple[Stage, str]) -> None:
    stage, campaign = drafted
    new = with_text(in_force(stage, campaign), "hello", "Good morning {first_name}.")
    change(stage, campaign, new)
    for _ in range(2):
        stage.commands().sequences.undo(campaign)
    assert in_force(stage, campaign) == new
    assert stage.database.query(previous_sequence, campaign) != new


def test_there_is_nothing_to_undo_before_the_first_change(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=TWO)
    with pytest.raises(OutriderError, match="sequence_unchanged"):
        stage.commands().sequences.undo(campaign)


def test_what_changes_nothing_is_no_event_and_a_stale_version_is_refused(drafted: tuple[Stage, str]) -> None:
    stage, campaign = drafted
    head = stage.head(campaign)
    assert change(stage, campaign, in_force(stage, campaign)).version == 1
    with pytest.raises(OutriderError, match="settings_changed"):
        stage.commands().sequences.change(
            campaign, requested_sequence=without(in_force(stage, campaign), "later"), version=7
        )
    with pytest.raises(OutriderError, match="sequence_invalid"):
        change(stage, campaign, with_text(in_force(stage, campaign), "hello", "x" * 3_000))
    assert stage.head(campaign) == head


def test_a_step_that_is_taken_out_is_passed_over(drafted: tuple[Stage, str]) -> None:
    stage, campaign = drafted
    change(stage, campaign, without(in_force(stage, campaign), "hello"))
    stage.run(campaign)
    assert {entry.text.split(",")[0] for entry in stage.delivered()} == {"Still there"}
    assert stage.status(campaign) == "completed"


def test_a_step_is_taken_out_while_it_is_being_sent(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=TWO, connected=True)

    def during(tool: str, when: str) -> None:
        if tool == "send_message" and when == "click" and not stage.kinds(campaign)["SequenceChanged"]:
            sequence = without(in_force(stage, campaign), "hello")
            stage.elsewhere(lambda user: user.sequences.change(campaign, requested_sequence=sequence, version=None))

    stage.site.during = during
    stage.run(campaign)
    assert [message.text.split(",")[0] for message in stage.delivered()][-1] in ("Hi", "Still there")
    assert stage.duplicates() == 0
    assert stage.missing() == []
    assert stage.status(campaign) == "completed"
    assert stage.kinds(campaign)["SequenceChanged"] == 1


def test_a_text_that_failed_while_its_step_was_taken_out_is_not_tried_again(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=TWO, connected=True)
    real = stage.site.send_message

    def send(_person: SitePerson, _text: str, *_: object) -> Attempt:
        change(stage, campaign, without(in_force(stage, campaign), "hello"))
        stage.site.send_message = real  # type: ignore[method-assign]
        return Attempt(SiteAnswer.REFUSED, "as told")

    stage.site.send_message = send  # type: ignore[method-assign, assignment]
    stage.run(campaign)
    assert stage.query("SELECT status FROM messages WHERE step='hello'") == [("cancelled",)]
    assert [message.text.split(",")[0] for message in stage.delivered()] == ["Still there"]


def test_a_text_that_was_being_written_by_the_old_words_is_not_kept(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=TWO, connected=True)

    def before(snapshot: Snapshot) -> None:
        need = snapshot.focus.need
        if need is not None and need.due == "draft" and not stage.kinds(campaign)["SequenceChanged"]:
            sequence = with_text(in_force(stage, campaign), "hello", "Good morning {first_name}.")
            stage.elsewhere(lambda user: user.sequences.change(campaign, requested_sequence=sequence, version=None))

    stage.run(campaign, proposer=Noted(ScriptedProposer(), before), approve=False)
    assert [text.split()[0] for (text,) in stage.query("SELECT text FROM messages")] == ["Good"]


def test_a_longer_wait_holds_for_whoever_is_in_it(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=TWO, connected=True)
    stage.run(campaign, stop_after=9)
    assert len(stage.delivered()) == 1
    ready = "SELECT ready_at FROM tasks WHERE kind='reach_lead'"
    before = stage.one(ready)
    now = in_force(stage, campaign)
    later = now.steps[2].model_copy(update={"after_days": 9})
    change(stage, campaign, now.model_copy(update={"steps": (*now.steps[:2], later)}))
    assert stage.one(ready) == before + 7 * 86_400_000


def test_a_question_about_words_that_are_gone_is_moot(stage: Stage) -> None:
    first, *rest = TWO.sequence.steps[1:]
    asks = TWO.sequence.model_copy(
        update={"steps": (TWO.sequence.steps[0], first.model_copy(update={"template": "About {email}, hi."}), *rest)}
    )
    campaign = stage.campaign(1, settings=TWO.model_copy(update={"sequence": asks}), connected=True)
    stage.run(campaign, approve=False)
    assert stage.query("SELECT status FROM input_requests") == [("open",)]
    change(stage, campaign, with_text(in_force(stage, campaign), "hello", "Good morning {first_name}."))
    assert stage.query("SELECT status FROM input_requests") == [("withdrawn",)]
    stage.run(campaign)
    assert any(entry.text.startswith("Good morning") for entry in stage.delivered())


def test_the_difference_is_what_is_applied(drafted: tuple[Stage, str]) -> None:
    stage, campaign = drafted
    approve_all(stage, campaign)
    sequence = without(with_text(in_force(stage, campaign), "hello", "Hello {first_name}."), "later")
    with stage.database.read() as connection:
        stored_campaign = campaigns.campaign(connection, campaign)
        assert stored_campaign is not None
        shown = difference(connection, stored_campaign, sequence)
    (group,) = [group for group in shown.groups if group.concerned]
    assert (group.people, group.texts_again, group.approvals_fall) == (3, 3, 3)
    assert stage.kinds(campaign)["SequenceChanged"] == 0
    applied = change(stage, campaign, sequence)
    assert (applied.texts_again, applied.approvals_fell) == (3, 3)
    payload = json.loads(stage.events(campaign, "SequenceChanged")[0][2])
    assert payload.keys() == {"settings", "sequence_back"}


def check(stage: Stage, campaign: str) -> None:
    """Nobody got a step twice, and each text that went out had an approval of exactly it."""
    twice = "SELECT lead_id, step FROM messages WHERE status='sent' GROUP BY lead_id, step HAVING count(*)>1"
    assert stage.query(twice) == []
    assert stage.duplicates() == 0
    assert stage.missing() == []
    sent: list[tuple[Any, ...]] = stage.query(
        "SELECT m.id, m.step, m.kind, m.text, l.profile_url FROM messages m JOIN leads l ON l.id=m.lead_id WHERE m.status='sent'"
    )
    for message_id, step, kind, text, url in sent:
        used = stage.query("SELECT digest FROM approvals WHERE message_id=? AND status='used'", message_id)
        digest = approval_digest(
            campaign_id=campaign, channel="practice", step=step, kind=kind, profile_url=url, text=text
        )
        assert used == [(digest,)]


@given(st.data())
@settings(
    max_examples=8,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_whenever_the_sequence_is_changed_nobody_gets_a_step_twice_nor_a_text_unapproved(
    stages: Stages, data: st.DataObject
) -> None:
    stage = stages(people=4)
    campaign = stage.campaign(3, connected=data.draw(st.booleans()))
    for _ in range(data.draw(st.integers(1, 3))):
        if stage.status(campaign) == "completed":
            break
        stage.turns = []
        stop_after = data.draw(st.integers(1, 12))
        stage.run(campaign, stop_after=stop_after, approve=data.draw(st.booleans()))
        stored_campaign = stage.database.query(campaigns.campaign, campaign)
        assert stored_campaign is not None
        before = as_request(stored_campaign.settings.sequence)
        applied = change(stage, campaign, data.draw(changes(stored_campaign.settings.sequence)))
        if applied.version != stored_campaign.settings.sequence.version and data.draw(st.booleans()):
            stage.commands().sequences.undo(campaign)
            assert in_force(stage, campaign) == before
    if stage.status(campaign) != "completed":
        stage.run(campaign)
    check(stage, campaign)
    assert replay.find_differences(stage.database) == []


@pytest.mark.parametrize("boundary", ["before-commit", "after-commit", "intent", "acted"])
def test_a_process_that_ends_around_a_change_leaves_it_whole_or_not_there(stage: Stage, boundary: str) -> None:
    campaign = stage.campaign(2, settings=TWO, connected=True)
    sequence = RequestedSequence(
        steps=(*in_force(stage, campaign).steps, RequestedStep(kind="message", template="Bye."))
    )
    changed = False

    def at(name: str) -> None:
        nonlocal changed
        if name == boundary and len(stage.turns) > 3 and not changed:
            changed = True
            raise Killed

    with pytest.raises(Killed):
        stage.run(campaign, boundary=at)
    stage.reopen()
    change(stage, campaign, sequence)
    stage.run(campaign)
    check(stage, campaign)
    assert replay.find_differences(stage.database) == []


def test_an_invitation_goes_out_without_a_note_and_a_wait_puts_off_what_follows(stage: Stage) -> None:
    steps = (
        Step(key="visit", kind="visit"),
        Step(key="pause", kind="wait", after_days=2),
        Step(key="invite", kind="invitation"),
        Step(key="later", kind="wait", after_days=3),
        Step(key="hello", kind="message", template="Hi {first_name}, shall we talk?", after_days=1),
        Step(key="over", kind="end"),
    )
    campaign = stage.campaign(6, settings=TWO.model_copy(update={"sequence": Sequence(steps=steps)}))
    stage.run(campaign)
    invited = {entry.to: entry.at for entry in stage.delivered() if entry.kind == "invitation"}
    assert len(invited) == 6
    assert {entry.text for entry in stage.delivered() if entry.kind == "invitation"} == {""}
    looked = stage.one("SELECT min(timestamp) FROM event_log WHERE kind='LeadAdvanced'")
    assert min(invited.values()) >= looked + 2 * DAY
    accepted = dict(stage.query("SELECT member_key, accepted_at FROM leads WHERE accepted_at IS NOT NULL"))
    written = {entry.to: entry.at for entry in stage.delivered() if entry.kind == "message"}
    assert written
    for person, at in written.items():
        assert at >= accepted[person] + 4 * DAY, person
    assert stage.unapproved() == []
    assert stage.status(campaign) == "completed"
    assert replay.find_differences(stage.database) == []


def test_each_person_gets_one_variant_and_each_is_counted_by_itself(stage: Stage) -> None:
    campaign = stage.campaign(8, settings=TWO, connected=True)
    now = in_force(stage, campaign)
    variants = (RequestedVariant(template="Good day {first_name}."), RequestedVariant(template="Dear {first_name}."))
    steps = [step.model_copy(update={"variants": variants}) if step.key == "hello" else step for step in now.steps]
    change(stage, campaign, now.model_copy(update={"steps": tuple(steps)}))
    stage.run(campaign, approve=False)
    written = stage.query("SELECT lead_id, variant, text FROM messages WHERE step='hello'")
    begins = {"a": "Hi ", "b": "Good day ", "c": "Dear "}
    assert {text.startswith(begins[variant]) for _, variant, text in written} == {True}
    assert len({variant for _, variant, _ in written}) > 1
    change(stage, campaign, without(in_force(stage, campaign), "later"))
    assert stage.query("SELECT lead_id, variant, text FROM messages WHERE step='hello'") == written, "kept once drafted"
    stage.run(campaign)
    with stage.database.read() as connection:
        counted = response_rates.sent_texts(response_rates.latest_exchanges(connection, campaign), in_utc).variants
    sent = Counter(
        variant for (variant,) in stage.query("SELECT variant FROM messages WHERE status='sent' AND step='hello'")
    )
    assert {variant.variant: variant.sent for variant in counted} == sent
    assert sum(variant.replied for variant in counted) == stage.one(
        "SELECT count(*) FROM leads WHERE replied_at IS NOT NULL"
    )
    assert stage.unapproved() == []
    assert replay.find_differences(stage.database) == []
