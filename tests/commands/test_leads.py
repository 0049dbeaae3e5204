"""What the user sets on a lead by hand, and that the agent follows it (spec 001, US3-3 and US3-4)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.commands import lead_scoring
from backend.commands.lead_import import import_leads
from backend.commands.leads import ContactRefused, GreetingKept, Prioritised
from backend.domain.leads import lead_edits
from backend.domain.model.campaign import CampaignStatus, Limits, Settings
from backend.domain.model.criteria import Complete, Criterion
from backend.domain.model.scoring import NewBlueprint
from backend.domain.model.sequence import Sequence, Step
from backend.domain.model.site import Attempt, SiteAnswer, SitePerson
from backend.domain.values.errors import OutriderError
from backend.ports.site import SiteUnavailable
from backend.runtime.run.campaign_runner import RunEnd
from backend.store.log import replay
from tests.commands.test_lead_import import person
from tests.fakes.campaign import Stage

_P = st.integers(0, 100)

TWO_MESSAGES = Settings(
    sequence=Sequence(
        steps=(
            Step(key="visit", kind="visit"),
            Step(key="hello", kind="message", template="Hi {first_name}, shall we talk?"),
            Step(key="again", kind="message", template="Hi {first_name}, or next week?"),
        )
    ),
    limits=Limits(ramp_days=0, spacing_seconds=0),
)
"""Two messages to people who are connected already."""


def order_of_tasks(stage: Stage) -> list[str]:
    """Who is begun, in that order."""
    return [
        name
        for (name,) in stage.query(
            "SELECT l.full_name FROM event_log e JOIN tasks t ON t.id = e.entity_id JOIN leads l ON l.id = t.lead_id"
            " WHERE e.kind='TaskStarted' ORDER BY e.seq"
        )
    ]


def leads(stage: Stage) -> list[tuple[str, str]]:
    return [(row[0], row[1]) for row in stage.query("SELECT id, full_name FROM leads ORDER BY position")]


def planned(stage: Stage, count: int) -> str:
    """A campaign that has scored its leads and planned the first of them, and has begun with none."""
    campaign = stage.campaign(count)

    def until_planned(_: object) -> None:
        if stage.one("SELECT count(*) FROM tasks WHERE kind='reach_lead'"):
            runner.stop.set()

    runner = stage.runner(approve=False, on_turn=until_planned)
    runner.run(campaign)
    return campaign


def test_an_override_is_kept_over_a_restart_and_over_scoring_again(stage: Stage) -> None:
    campaign = stage.campaign(3)
    (lead, _), *_ = leads(stage)
    stage.commands().leads.prioritise(campaign, lead, 77)
    stage.reopen()
    stage.run(campaign, stop_after=5)  # scores them
    assert stage.query("SELECT priority_override, weight_score IS NOT NULL FROM leads WHERE id=?", lead) == [(77, 1)]
    assert replay.find_differences(stage.database) == []


def test_scoring_again_leaves_a_planned_lead_where_the_user_put_it(stage: Stage) -> None:
    campaign = planned(stage, 4)
    lead, score = stage.query(
        "SELECT l.id, l.weight_score FROM tasks t JOIN leads l ON l.id = t.lead_id WHERE t.status='pending'"
    )[0]
    stage.commands().leads.prioritise(campaign, lead, 100)
    nobody = Criterion(name="x", weight=100, rule=Complete(fields=("email",)))
    stage.commands().scoring.adopt(campaign, NewBlueprint(criteria=(nobody,)), follows=1)
    lead_scoring.finish_scoring(stage.journal, stage.clock, campaign)
    assert stage.one("SELECT weight_score FROM leads WHERE id=?", lead) != score
    assert stage.query("SELECT rank FROM tasks WHERE lead_id=?", lead) == [(-100,)]


def test_the_agent_begins_with_whom_the_user_put_first(stage: Stage) -> None:
    campaign = stage.campaign(4)
    last, name = leads(stage)[-1]
    stage.commands().leads.prioritise(campaign, last, 100)
    stage.run(campaign, stop_after=12)
    assert order_of_tasks(stage)[0] == name


def test_a_lead_that_is_planned_already_takes_its_new_place_in_the_same_transaction(stage: Stage) -> None:
    campaign = planned(stage, 4)
    names = dict(leads(stage))
    waiting = [row[0] for row in stage.query("SELECT lead_id FROM tasks WHERE status='pending' AND kind='reach_lead'")]
    before = stage.journal.commits
    stage.commands().leads.prioritise(campaign, waiting[-1], 100)
    assert stage.journal.commits == before + 1
    assert stage.query("SELECT rank FROM tasks WHERE lead_id=?", waiting[-1]) == [(-100,)]
    begun = len(order_of_tasks(stage))
    stage.run(campaign, approve=False, stop_after=12)
    started = order_of_tasks(stage)[begun:]
    assert names[waiting[-1]] in started[:1] or order_of_tasks(stage)[begun - 1 : begun] == [names[waiting[-1]]]


def test_who_is_put_before_the_planned_ones_is_planned_at_once(stage: Stage) -> None:
    campaign = planned(stage, 30)
    (lead,) = stage.query("SELECT id FROM leads WHERE sequence_step IS NULL ORDER BY position DESC LIMIT 1")[0]
    stage.commands().leads.prioritise(campaign, lead, 100)
    assert stage.query("SELECT rank, status FROM tasks WHERE lead_id=?", lead) == [(-100, "pending")]
    (other,) = stage.query("SELECT id FROM leads WHERE sequence_step IS NULL ORDER BY position DESC LIMIT 1")[0]
    last = stage.one("SELECT max(rank) FROM tasks WHERE status='pending'")
    for priority in (0, -last):
        stage.commands().leads.prioritise(campaign, other, priority)
        assert stage.query("SELECT 1 FROM tasks WHERE lead_id=?", other) == [], "whoever is planned keeps their place"
    stage.commands().leads.prioritise(campaign, other, 1 - last)
    assert stage.query("SELECT status FROM tasks WHERE lead_id=?", other) == [("pending",)]


def test_clearing_the_override_gives_the_lead_back_to_its_score(stage: Stage) -> None:
    campaign = planned(stage, 3)
    lead, score = stage.query("SELECT id, weight_score FROM leads LIMIT 1")[0]
    user = stage.commands().leads
    assert user.prioritise(campaign, lead, 5) == Prioritised(lead, 5, None)
    assert user.prioritise(campaign, lead, None) == Prioritised(lead, None, 5)
    assert stage.query("SELECT priority_override FROM leads WHERE id=?", lead) == [(None,)]
    assert stage.query("SELECT rank FROM tasks WHERE lead_id=?", lead) == [(-score,)]


def test_the_same_priority_again_is_no_event(stage: Stage) -> None:
    campaign = stage.campaign(1)
    ((lead, _),) = leads(stage)
    user = stage.commands().leads
    user.prioritise(campaign, lead, 5)
    head = stage.head(campaign)
    user.prioritise(campaign, lead, 5)
    user.note(campaign, lead, "")
    user.tag(campaign, lead, [])
    assert stage.head(campaign) == head


def test_a_merged_profile_is_a_more_recent_one(stage: Stage) -> None:
    campaign = stage.campaign(0)
    import_leads(stage.journal, stage.clock, campaign, [person(1), person(2)], file="a", file_format="x")
    import_leads(stage.journal, stage.clock, campaign, [person(2, job_title="CTO")], file="b", file_format="x")
    updated = stage.query("SELECT profile_updated_at > 0 FROM leads ORDER BY position")
    assert updated == [(0,), (1,)]


@given(_P, st.none() | _P, st.none() | _P, st.booleans())
def test_a_move_never_leads_in_the_other_direction_and_stays_in_range(
    own: int, above: int | None, below: int | None, upwards: bool
) -> None:
    above, below = (
        (None if above is None else max(above, below or 0)),
        (None if below is None else min(below, above or 100)),
    )
    passed = below if upwards else above
    if passed is None or (own > passed if upwards else own < passed):
        return  # not a move past that neighbour
    placed = lead_edits.priority_between(own, above, below, upwards=upwards)
    assert 0 <= placed <= 100
    assert placed >= own if upwards else placed <= own


@pytest.mark.parametrize(
    ("own", "above", "below", "upwards", "placed"),
    [(10, 90, 50, True, 70), (10, 50, 50, True, 50), (50, 50, 50, True, 51), (10, None, 90, True, 91), (99, None, 100, True, 100),
     (90, 50, 10, False, 30), (50, 50, 50, False, 49), (50, 20, None, False, 19), (5, 0, None, False, 0), (10, 52, 50, True, 51)],
)  # fmt: skip
def test_between_two_leads(own: int, above: int | None, below: int | None, upwards: bool, placed: int) -> None:
    assert lead_edits.priority_between(own, above, below, upwards=upwards) == placed


def test_a_note_is_kept_as_it_is_now_and_the_same_note_again_is_no_event(stage: Stage) -> None:
    campaign = stage.campaign(1)
    ((lead, _),) = leads(stage)
    for text in ("Met in Leeds.", "Met in Leeds.", ""):
        stage.commands().leads.note(campaign, lead, text)
        assert stage.query("SELECT notes FROM leads") == [(text,)]
    assert stage.kinds(campaign)["LeadNoted"] == 2


@pytest.mark.parametrize("name", ["x" * 61, "A\u202enna", "{company}"])
def test_a_greeting_name_that_would_spoil_a_message_is_refused(stage: Stage, name: str) -> None:
    campaign = stage.campaign(1)
    ((lead, _),) = leads(stage)
    with pytest.raises(OutriderError, match="greeting_not_usable"):
        stage.commands().leads.choose_greeting(campaign, lead, name)


def test_a_greeting_name_goes_with_a_lead_that_is_moved_and_goes_when_the_person_is_erased(stage: Stage) -> None:
    first, second = stage.campaign(1), stage.campaign(0)
    ((lead, _),) = leads(stage)
    user = stage.commands()
    assert user.leads.choose_greeting(first, lead, "Annie") == GreetingKept(lead, "Annie", "")
    assert user.leads.choose_greeting(first, lead, "Annie") == GreetingKept(lead, "Annie", "Annie")
    assert stage.kinds(first)["GreetingChosen"] == 1
    (moved,) = user.lead_groups.move(first, [lead], second).changed
    assert stage.one("SELECT greeting_name FROM leads WHERE id=?", moved.moved_to) == "Annie"
    user.people.erase(second, moved.moved_to)
    assert stage.query("SELECT greeting_name FROM leads") == [("",), ("",)]
    assert "Annie" not in "".join(payload for (payload,) in stage.query("SELECT change_payload FROM event_log"))


def test_no_new_words_are_kept_of_whose_data_was_erased(stage: Stage) -> None:
    campaign = stage.campaign(1)
    ((lead, _),) = leads(stage)
    user = stage.commands()
    user.people.erase(campaign, lead)
    for decide in (
        lambda: user.leads.note(campaign, lead, "Ann from Leeds"),
        lambda: user.leads.tag(campaign, lead, ["Ann"]),
        lambda: user.leads.choose_greeting(campaign, lead, "Annie"),
    ):
        with pytest.raises(OutriderError, match="lead_erased"):
            decide()
    assert user.lead_groups.tag(campaign, [lead], "Ann").changed == []
    assert stage.query("SELECT notes, tags, greeting_name FROM leads") == [("", "[]", "")]


def test_who_has_no_address_is_nobody_erased(stage: Stage) -> None:
    campaign = stage.campaign(1)
    import_leads(
        stage.journal,
        stage.clock,
        campaign,
        [person(1, profile_url="", member_key="", email="ada@x.example")],
        file="a.csv",
        file_format="mapped",
    )
    _, (lead, _) = leads(stage)
    user = stage.commands()
    user.leads.note(campaign, lead, "Met in Leeds")
    user.lead_groups.tag(campaign, [lead], "warm")
    assert stage.query("SELECT notes, tags FROM leads WHERE id=?", lead) == [("Met in Leeds", '["warm"]')]


def test_do_not_contact_stops_the_task_and_withdraws_the_text_at_once(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.run(campaign, approve=False)
    assert stage.query("SELECT status FROM messages") == [("draft",)]
    ((lead, _),) = leads(stage)
    user = stage.commands().leads
    assert user.do_not_contact(campaign, lead, "asked") == ContactRefused(lead, True, 1)
    assert stage.query("SELECT status FROM messages") == [("cancelled",)]
    assert stage.query("SELECT status FROM tasks WHERE lead_id=?", lead) == [("cancelled",)]
    assert user.do_not_contact(campaign, lead, "again") == ContactRefused(lead, False, 0)
    assert stage.one("SELECT count(*) FROM do_not_contact") == 1
    user.contact_again(campaign, lead)
    assert stage.query("SELECT blocked FROM leads") == [("",)]
    stage.run(campaign)
    assert len(stage.delivered()) >= 1
    assert replay.find_differences(stage.database) == []


def forbidden_while_sending(
    stage: Stage, claim: SiteAnswer, *, arrives: bool, seen: bool = True, skipped: bool = False
) -> tuple[str, str]:
    """(campaign, lead): the user says not to contact them, or to skip them here, while their first text is being sent."""
    campaign = stage.campaign(1, settings=TWO_MESSAGES, connected=True)
    ((lead, _),) = leads(stage)
    real = stage.site.send_message

    def send(person: SitePerson, text: str, *_: object) -> Attempt:
        if skipped:
            stage.commands().lead_groups.skip(campaign, [lead])
        else:
            stage.commands().leads.do_not_contact(campaign, lead, "asked")
        if arrives:
            real(person, text)
        if not seen:
            stage.site.during = blind
        return Attempt(claim, "as told")

    def blind(_tool: str, _when: str) -> None:
        raise SiteUnavailable("nothing loads")

    stage.site.send_message = send  # type: ignore[method-assign, assignment]
    stage.run(campaign)
    stage.site.during = lambda _tool, _when: None
    stage.site.send_message = real  # type: ignore[method-assign]
    return campaign, lead


def test_whom_the_user_forbade_in_mid_send_stays_blocked_when_it_was_sent(stage: Stage) -> None:
    campaign, _ = forbidden_while_sending(stage, SiteAnswer.CONFIRMED, arrives=True)
    assert stage.query("SELECT status FROM messages WHERE kind='message'") == [("sent",)]
    assert stage.query("SELECT blocked FROM leads") == [("do_not_contact",)]
    assert stage.query("SELECT status FROM tasks WHERE kind='reach_lead'") == [("cancelled",)]
    assert stage.status(campaign) == "completed"
    assert replay.find_differences(stage.database) == []


def test_a_text_that_failed_while_its_reader_was_forbidden_is_not_approved_any_more(stage: Stage) -> None:
    campaign, lead = forbidden_while_sending(stage, SiteAnswer.REFUSED, arrives=False)
    assert stage.query("SELECT status FROM messages WHERE kind='message'") == [("cancelled",)]
    assert stage.query("SELECT status FROM approvals") == [("used",)]
    assert stage.query("SELECT blocked FROM leads") == [("do_not_contact",)]
    stage.commands().leads.contact_again(campaign, lead)
    stage.commands().campaigns.change_status(campaign, CampaignStatus.ACTIVE)
    stage.run(campaign, approve=False)
    assert stage.delivered() == []
    assert replay.find_differences(stage.database) == []


def test_an_unknown_outcome_of_a_send_to_somebody_forbidden_is_asked_about(stage: Stage) -> None:
    campaign, _ = forbidden_while_sending(stage, SiteAnswer.NO_ANSWER, arrives=True, seen=False)
    assert stage.query("SELECT blocked FROM leads") == [("do_not_contact",)]
    ((asked,),) = stage.query("SELECT id FROM input_requests WHERE kind='outcome_unknown' AND status='open'")
    stage.commands().questions.answer(campaign, asked, "it was sent")
    assert stage.query("SELECT status FROM messages WHERE kind='message'") == [("sent",)]
    assert stage.query("SELECT blocked FROM leads") == [("do_not_contact",)]
    assert replay.find_differences(stage.database) == []


@pytest.mark.parametrize("answer", ["it was sent", "it was not sent"])
def test_nobody_waits_for_whom_the_user_skipped_in_mid_send_once_they_say_what_became_of_it(
    stage: Stage, answer: str
) -> None:
    campaign, _ = forbidden_while_sending(stage, SiteAnswer.NO_ANSWER, arrives=False, seen=False, skipped=True)
    assert stage.query("SELECT blocked FROM leads") == [("skipped",)]
    ((asked,),) = stage.query("SELECT id FROM input_requests WHERE kind='outcome_unknown' AND status='open'")
    stage.commands().questions.answer(campaign, asked, answer)
    assert stage.query("SELECT status FROM tasks WHERE kind='reach_lead'") == [("cancelled",)]
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert replay.find_differences(stage.database) == []


def test_who_is_taken_off_the_list_in_settings_goes_on_like_who_is_by_their_lead(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.run(campaign, approve=False)
    ((lead, _),) = leads(stage)
    stage.commands().leads.do_not_contact(campaign, lead, "asked")
    stage.commands().workspace.remove_do_not_contact(stage.one("SELECT id FROM do_not_contact"))
    assert stage.query("SELECT blocked FROM leads") == [("",)]
    assert stage.query("SELECT status FROM tasks WHERE lead_id=?", lead) == [("in_progress",)]
    stage.run(campaign)
    assert len(stage.delivered()) >= 1
    assert replay.find_differences(stage.database) == []


def test_a_campaign_whose_last_lead_is_not_to_be_contacted_is_finished(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.run(campaign, approve=False)
    ((lead, _),) = leads(stage)
    stage.commands().leads.do_not_contact(campaign, lead, "")
    stage.run(campaign)
    assert stage.status(campaign) == "completed"
    assert stage.delivered() == []


@pytest.mark.parametrize("priority", [-1, 101, 10**20])
def test_a_priority_out_of_range_is_refused(stage: Stage, priority: int) -> None:
    campaign = stage.campaign(1)
    ((lead, _),) = leads(stage)
    with pytest.raises(OutriderError) as refused:
        stage.commands().leads.prioritise(campaign, lead, priority)
    assert refused.value.code == "priority_out_of_range"


def test_an_invitation_that_the_user_took_back_ends_the_sequence(stage: Stage) -> None:
    campaign = stage.campaign(1)
    stage.run(campaign, stop_after=6)
    ((lead, relation),) = stage.query("SELECT id, relation FROM leads")
    assert relation == "pending"
    stage.commands().leads.invitation_withdrawn(campaign, lead)
    assert stage.query("SELECT relation, finished FROM leads") == [("none", "invitation withdrawn")]
    stage.commands().leads.invitation_withdrawn(campaign, lead)  # said twice, it is said once
    assert stage.kinds(campaign)["InvitationWithdrawn"] == 1
    stage.run(campaign)
    assert [entry.kind for entry in stage.received()] == ["invitation"]


def test_a_lead_that_is_put_between_two_others_has_a_priority_between_theirs(stage: Stage) -> None:
    campaign = stage.campaign(3)
    (first, _), (second, _), (third, _) = leads(stage)
    commands = stage.commands().leads
    for lead, priority in ((first, 80), (second, 60), (third, 10)):
        commands.prioritise(campaign, lead, priority)
    placed = commands.place(campaign, third, first, second, upwards=True)
    assert (placed.before, 60 <= (placed.priority or 0) <= 80) == (10, True)
    names_in_order = stage.query("SELECT id FROM leads ORDER BY priority_override DESC")
    assert names_in_order == [(first,), (third,), (second,)]
    assert commands.place(campaign, third, None, first, upwards=True).priority == 81
