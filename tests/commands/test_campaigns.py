"""Editing a campaign: the version rises, what was approved waits in Review again, and nothing is sent on the old yes."""

import json

import pytest

from backend.domain.model.campaign import Limits
from backend.domain.model.condition import Condition
from backend.domain.model.variables import Recipient, fill
from backend.domain.sequence.sequence_change import RequestedStep
from backend.domain.sequence.template import PRESETS, refuse_unsendable, render, sequence_of
from backend.domain.values.errors import OutriderError
from backend.runtime.run.campaign_runner import RunEnd
from tests.fakes.campaign import MESSAGE_ONLY, ONE_STEP, Stage

LOOSE = ONE_STEP.limits


def edit(stage: Stage, campaign: str, *, limits: Limits = LOOSE, **changed: str) -> int:
    name, goal, version = stage.query("SELECT name, goal, version FROM campaigns WHERE id=?", campaign)[0]
    values = {"name": name, "goal": goal, **changed}
    return stage.commands().campaigns.edit(campaign, version=version, limits=limits, **values)


def approve_all(stage: Stage, campaign: str) -> None:
    user = stage.commands()
    for (message,) in stage.query("SELECT id FROM messages WHERE status='draft'"):
        user.review.approve(campaign, message, shown_digest=user.review.digest(campaign, message))


@pytest.fixture
def approved(stage: Stage) -> tuple[Stage, str]:
    campaign = stage.campaign(3, settings=MESSAGE_ONLY, connected=True)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    approve_all(stage, campaign)
    return stage, campaign


@pytest.mark.parametrize("proposer", ["scripted", "model:mine"])
def test_a_campaign_keeps_the_proposer_that_it_was_made_with(stage: Stage, proposer: str) -> None:
    stage.commands().campaigns.create(
        "Tea", "Learn", site="practice", account="me", settings=ONE_STEP, proposer=proposer
    )
    assert stage.one("SELECT proposer FROM campaigns") == proposer


OTHERWISE = {name: usual - 1 if usual else 1 for name, usual in LOOSE.model_dump().items() if isinstance(usual, int)}
"""Another value of each limit that is a number."""


@pytest.mark.parametrize("name", OTHERWISE)
def test_no_approval_rests_on_a_limit(approved: tuple[Stage, str], name: str) -> None:
    stage, campaign = approved
    edit(stage, campaign, limits=LOOSE.model_copy(update={name: OTHERWISE[name]}), goal="Another goal")
    assert stage.query("SELECT DISTINCT status FROM approvals") == [("open",)]
    stage.run(campaign, approve=False)
    assert len(stage.delivered()) == 3


def test_the_users_own_answer_outlives_another_limit(stage: Stage) -> None:
    campaign = stage.campaign(4, settings=MESSAGE_ONLY, connected=True, skip=16)
    stage.run(campaign)
    lead = stage.one("SELECT id FROM leads WHERE replied_at IS NOT NULL ORDER BY id LIMIT 1")
    stage.commands().replies.answer(campaign, lead, "Would Tuesday suit you?")
    edit(stage, campaign, limits=LOOSE.model_copy(update={"messages_a_day": 24}))
    stage.run(campaign)
    assert stage.query("SELECT status FROM messages WHERE step='answer:1'") == [("sent",)]


def test_the_limit_that_was_set_is_the_one_that_holds(approved: tuple[Stage, str]) -> None:
    stage, campaign = approved
    edit(stage, campaign, limits=LOOSE.model_copy(update={"messages_a_day": 2}))
    stage.run(campaign)
    days = [entry.at // 86_400_000 for entry in stage.delivered()]
    assert sorted(days.count(day) for day in set(days)) == [1, 2]


def test_another_name_is_only_a_label(approved: tuple[Stage, str]) -> None:
    stage, campaign = approved
    assert edit(stage, campaign, name="Another name") == 1
    assert stage.query("SELECT DISTINCT status FROM messages") == [("approved",)]
    stage.run(campaign)
    assert len(stage.delivered()) == 3


def test_what_stays_as_it_is_is_no_event(approved: tuple[Stage, str]) -> None:
    stage, campaign = approved
    before = stage.one("SELECT count(*) FROM event_log")
    assert edit(stage, campaign) == 1
    assert stage.one("SELECT count(*) FROM event_log") == before


def test_settings_that_changed_meanwhile_are_not_overwritten(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    edit(stage, campaign, goal="Another goal")
    with pytest.raises(OutriderError, match="settings_changed"):
        stage.commands().campaigns.edit(campaign, version=1, name="x", goal="y", limits=Limits())
    assert stage.one("SELECT goal FROM campaigns") == "Another goal"


@pytest.mark.parametrize("hours", [{"work_days": ()}, {"day_starts": 600, "day_ends": 600}])
def test_hours_in_which_nothing_could_ever_happen_are_refused(stage: Stage, hours: dict[str, object]) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP)
    with pytest.raises(OutriderError, match="hours_empty"):
        edit(stage, campaign, limits=Limits.model_validate({**LOOSE.model_dump(), **hours}))
    settings = ONE_STEP.model_copy(update={"limits": Limits.model_validate({**LOOSE.model_dump(), **hours})})
    with pytest.raises(OutriderError, match="hours_empty"):
        stage.commands().campaigns.create_on_practice("Talks", "A goal", settings)


def test_what_no_message_may_hold_is_refused_where_it_is_said_what_the_campaign_is_about(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=ONE_STEP.model_copy(update={"topic": "As before\u202e"}))
    edit(stage, campaign, topic="As before\u202e", goal="What was there before is no obstacle")
    edit(stage, campaign, topic="A zero-width\u200b space is shown, and approved with its message")
    settings = ONE_STEP.model_copy(update={"topic": "Talks \u202ein May"})
    with pytest.raises(OutriderError, match="topic_not_clean"):
        edit(stage, campaign, topic=settings.topic)
    with pytest.raises(OutriderError, match="topic_not_clean"):
        stage.commands().campaigns.create_on_practice("Talks", "A goal", settings)


def test_a_campaign_on_the_practice_network_has_its_own_account_and_clock(stage: Stage) -> None:
    ids = [stage.commands().campaigns.create_on_practice(name, "A goal", ONE_STEP) for name in ("one", "two")]
    accounts = {account for (account,) in stage.query("SELECT account FROM campaigns")}
    assert len(accounts) == 2
    assert sorted(stage.query("SELECT campaign_id, value FROM config_kv")) == sorted((id_, "0") for id_ in ids)


# --- the workspace's own decisions ---


def test_configuration_is_set_once_and_then_changed(stage: Stage) -> None:
    keep = stage.commands().workspace.keep
    for theme in ("dark", "dark", "light"):
        keep("appearance", {"theme": theme})
    kinds = [kind for (kind,) in stage.query("SELECT kind FROM event_log WHERE campaign_id='workspace' ORDER BY seq")]
    assert kinds == ["ConfigSet", "ConfigChanged"]
    assert json.loads(stage.one("SELECT value FROM config_kv WHERE campaign_id='workspace'")) == {"theme": "light"}


def test_whoever_is_taken_off_the_list_is_planned_again(stage: Stage) -> None:
    campaign = stage.campaign(2, settings=ONE_STEP)
    first = stage.cards(1)[0]
    stage.commands().workspace.add_do_not_contact(first.slug, first.name, "asked us")
    stage.commands().workspace.add_do_not_contact(first.slug, first.name, "asked us twice")
    stage.run(campaign)
    assert len(stage.delivered()) == 1
    assert stage.one("SELECT count(*) FROM do_not_contact") == 1
    stage.commands().workspace.remove_do_not_contact(stage.one("SELECT id FROM do_not_contact"))
    assert stage.one("SELECT count(*) FROM leads WHERE blocked<>''") == 0
    with pytest.raises(OutriderError, match="person_not_listed"):
        stage.commands().workspace.remove_do_not_contact(stage.one("SELECT id FROM do_not_contact"))


# --- templates and sequences ---


def test_a_variable_s_value_is_not_filled_again() -> None:
    filled = fill("{company}: {topic}", Recipient("Ada Smith", "{topic} Pumps"), "{first_name}")
    assert filled == ("{topic} Pumps: {first_name}", ())


def test_a_variable_that_is_not_known_is_named() -> None:
    rendered = render(RequestedStep(kind="message", template="Hi {firstname}"), Recipient("Ada Lane"), ONE_STEP)
    assert "{firstname}" in rendered.problem
    assert "{first_name}" in rendered.problem


def test_lengths_count_as_a_site_counts_them() -> None:
    rendered = render(RequestedStep(kind="invitation", template="🙂" * 101), Recipient("Ada"), ONE_STEP)
    assert (rendered.length, rendered.limit, bool(rendered.problem)) == (202, 200, True)


def test_every_preset_can_be_sent() -> None:
    for preset in PRESETS:
        refuse_unsendable(sequence_of(preset.steps), ONE_STEP)


@pytest.mark.parametrize(
    "writings",
    [
        [],
        [RequestedStep(kind="message", template="a"), RequestedStep(kind="invitation", template="b")],
        [RequestedStep(kind="invitation", template="a", after_days=3)],
        [RequestedStep(kind="message", template="a")] * 12,
    ],
)
def test_a_sequence_that_makes_no_sense_is_refused(writings: list[RequestedStep]) -> None:
    with pytest.raises(OutriderError, match="sequence_invalid"):
        sequence_of(writings)


def test_steps_have_keys_of_their_own() -> None:
    for preset in PRESETS:
        keys = [step.key for step in sequence_of(preset.steps).steps]
        assert len(set(keys)) == len(keys)
    keys = [step.key for step in sequence_of([*PRESETS[0].steps, RequestedStep(kind="message", template="Hi")]).steps]
    assert keys == ["visit", "invite", "hello", "follow_up", "message_1"]


def test_a_new_sequence_has_conditions_and_both_branches() -> None:
    tagged = Condition(what="tag", value="VIP")
    others = tagged.model_copy(update={"negated": True})
    steps = [
        RequestedStep(kind="message", template="Dear {first_name}", only_if=(tagged,)),
        RequestedStep(kind="message", template="Hi {first_name}", only_if=(others,)),
        RequestedStep(kind="end", only_if=(others,)),
        RequestedStep(kind="message", template="Still there?", after_days=3),
    ]
    made = sequence_of(steps)
    assert [step.only_if for step in made.steps] == [(), (tagged,), (others,), (others,), ()]
    assert (made.version, {step.number for step in made.steps}) == (1, {None})
    accepted = Condition(what="accepted", days=7)
    with pytest.raises(OutriderError, match="only known after the invitation"):
        sequence_of([RequestedStep(kind="message", template="Hi", only_if=(accepted,))])
    with pytest.raises(OutriderError, match="asks the same twice"):
        sequence_of([RequestedStep(kind="message", template="Hi", only_if=(tagged, others))])
    with pytest.raises(OutriderError, match="step 1"):
        refuse_unsendable(sequence_of([RequestedStep(kind="invitation", template="x" * 201)]), ONE_STEP)
