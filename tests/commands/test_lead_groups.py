"""What the user decides about several leads at once: one transaction, nothing for who stays as they are, and back again."""

from collections.abc import Callable

import pytest

from backend.commands.lead_groups import SKIPPED
from backend.commands.user_commands import Commands
from backend.domain.events.events import Event
from backend.domain.events.facts.lead import LeadAdvanced, LeadBlocked, LeadMerged
from backend.domain.gates.person import HELD
from backend.domain.leads.lead_merge import MOVED
from backend.domain.model.campaign import CampaignStatus, Settings
from backend.domain.model.lead import OUTCOME_UNKNOWN
from backend.domain.people.contact_keys import company_key
from backend.domain.people.past_contact import BEFORE
from backend.domain.values.errors import OutriderError
from backend.store.log import replay
from backend.store.queries.leads.lead_list import LeadListQuery, LeadQuery
from tests.commands.test_leads import leads, planned
from tests.fakes.campaign import Stage


def ids(stage: Stage) -> list[str]:
    return [id_ for id_, _ in leads(stage)]


def column(stage: Stage, name: str) -> list[object]:
    return [value for (value,) in stage.query(f"SELECT {name} FROM leads ORDER BY position, id")]


def listed(stage: Stage, campaign: str) -> int:
    return stage.database.query(LeadListQuery(campaign, LeadQuery()).count)[0]


def test_a_tag_is_given_to_those_who_lack_it_and_taken_back_from_exactly_these(stage: Stage) -> None:
    campaign = stage.campaign(3)
    people, groups = ids(stage), stage.commands().lead_groups
    stage.commands().leads.tag(campaign, people[0], ["vip", "old"])
    done = groups.tag(campaign, [*people, "nobody"], " vip ")
    assert [change.lead_id for change in done.changed] == people[1:]
    assert done.unchanged == 2
    assert column(stage, "tags") == ['["vip","old"]', '["vip"]', '["vip"]']
    groups.untag(campaign, [change.lead_id for change in done.changed], "VIP")
    assert column(stage, "tags") == ['["vip","old"]', "[]", "[]"]
    with pytest.raises(OutriderError, match="tag"):
        groups.tag(campaign, people, "  ")
    full = [f"t{n}" for n in range(20)]
    stage.commands().leads.tag(campaign, people[0], full)
    assert [change.lead_id for change in groups.tag(campaign, people[:2], "more").changed] == people[1:2]


def test_a_priority_for_several_tells_what_each_had_and_moves_their_tasks(stage: Stage) -> None:
    campaign = planned(stage, 3)
    people, groups = ids(stage), stage.commands().lead_groups
    stage.commands().leads.prioritise(campaign, people[1], 7)
    done = groups.prioritise(campaign, people, 60)
    assert {change.lead_id: change.before for change in done.changed} == {
        people[0]: None,
        people[1]: 7,
        people[2]: None,
    }
    assert stage.query("SELECT DISTINCT rank FROM tasks WHERE kind='reach_lead'") == [(-60,)]
    assert groups.prioritise(campaign, people, 60).unchanged == 3
    with pytest.raises(OutriderError):
        groups.prioritise(campaign, people, 101)


def test_who_is_skipped_gets_nothing_more_until_taken_up_again(stage: Stage) -> None:
    campaign = planned(stage, 3)
    people, groups = ids(stage), stage.commands().lead_groups
    stage.commands().leads.do_not_contact(campaign, people[2])
    done = groups.skip(campaign, people)
    assert [change.lead_id for change in done.changed] == people[:2]  # who is held already stays held by that
    assert column(stage, "blocked") == [SKIPPED, SKIPPED, "do_not_contact"]
    stage.runner(approve=True).run(campaign)
    assert column(stage, "invited_at") == [None] * 3
    assert [change.lead_id for change in groups.take_up(campaign, people).changed] == people[:2]
    assert column(stage, "blocked") == ["", "", "do_not_contact"]
    assert stage.query("SELECT DISTINCT status FROM tasks WHERE kind='reach_lead' AND lead_id=?", people[0]) != [
        ("cancelled",)
    ]


def take_off_the_list(user: Commands, _campaign: str, _people: list[str]) -> None:
    with user.journal.database.read() as connection:
        entries = connection.execute("SELECT id FROM do_not_contact").fetchall()
    for (entry,) in entries:
        user.workspace.remove_do_not_contact(entry)


def contact_each_again(user: Commands, campaign: str, people: list[str]) -> None:
    for person in people:
        user.leads.contact_again(campaign, person)


@pytest.mark.parametrize(
    ("hold", "let"),
    [
        ("forbid", contact_each_again),
        ("forbid", lambda user, campaign, people: user.lead_groups.contact_again(campaign, people)),
        ("forbid", take_off_the_list),
        ("skip", lambda user, campaign, people: user.lead_groups.take_up(campaign, people)),
    ],
)
def test_a_campaign_that_is_done_is_there_again_once_somebody_may_be_contacted(
    stage: Stage, hold: str, let: Callable[[Commands, str, list[str]], object]
) -> None:
    campaign, user = planned(stage, 2), stage.commands()
    people = ids(stage)
    getattr(user.lead_groups, hold)(campaign, people)
    stage.run(campaign)
    assert stage.status(campaign) == "completed"
    let(user, campaign, people)
    assert stage.status(campaign) == "paused", "the user continues it"
    user.campaigns.change_status(campaign, CampaignStatus.ACTIVE)
    stage.run(campaign)
    assert column(stage, "invited_at").count(None) == 0
    assert replay.find_differences(stage.database) == []


def test_a_campaign_that_is_done_stays_done_while_nobody_may_be_contacted(stage: Stage) -> None:
    campaign, user = planned(stage, 1), stage.commands()
    (person,) = ids(stage)
    user.lead_groups.skip(campaign, [person])
    stage.run(campaign)
    user.lead_groups.contact_again(campaign, [person])
    user.leads.note(campaign, person, "Met in Oslo")
    assert stage.status(campaign) == "completed"


def test_several_are_never_contacted_in_one_decision_and_taken_off_the_list_again(stage: Stage) -> None:
    campaign = planned(stage, 3)
    people, user = ids(stage), stage.commands()
    user.leads.do_not_contact(campaign, people[0], "Asked before")
    done = user.lead_groups.forbid(campaign, [*people, "nobody"], "A rival")
    assert ([change.lead_id for change in done.changed], done.unchanged) == (people[1:], 2)
    assert column(stage, "blocked") == ["do_not_contact"] * 3
    assert stage.query("SELECT reason FROM do_not_contact ORDER BY id") == [
        ("Asked before",),
        ("A rival",),
        ("A rival",),
    ]
    again = user.lead_groups.contact_again(campaign, people[1:])
    assert [change.lead_id for change in again.changed] == people[1:]
    company = str(stage.one("SELECT company FROM leads WHERE id=?", people[0]))
    user.workspace.add_do_not_contact(company_key(company) or "", company, "")
    assert user.lead_groups.contact_again(campaign, people).changed == []
    assert column(stage, "blocked") == ["do_not_contact", "", ""]
    assert replay.find_differences(stage.database) == []


def test_moved_leads_are_in_the_other_campaign_alone_and_go_back_as_they_were(stage: Stage) -> None:
    campaign = planned(stage, 3)
    commands = stage.commands()
    other = commands.campaigns.create("Other", "g", site="practice", account="a", settings=Settings())
    people = ids(stage)
    commands.leads.tag(campaign, people[0], ["vip"])
    commands.leads.note(campaign, people[0], "prefers tea")
    stage.journal.record(
        campaign, events=[Event("LeadAdvanced", people[2], {"status": "contacted", "invited_at": 5})],
        actor="user", cause="test", at=0,
    )  # fmt: skip
    done = commands.lead_groups.move(campaign, people, other)
    assert [change.lead_id for change in done.changed] == people[:2]  # something was sent to the third
    assert (listed(stage, campaign), listed(stage, other)) == (1, 2)
    rows = "SELECT full_name, tags, notes, profile_url, member_key FROM leads WHERE id=?"
    for change in done.changed:
        assert stage.query(rows, change.lead_id) == stage.query(rows, change.moved_to)
    assert stage.query("SELECT blocked FROM leads WHERE id=?", people[0]) == [(MOVED,)]
    again = commands.lead_groups.move(other, [change.moved_to for change in done.changed], campaign)
    assert [change.moved_to for change in again.changed] == people[:2]
    assert (listed(stage, campaign), listed(stage, other)) == (3, 0)
    with pytest.raises(OutriderError, match="already"):
        commands.lead_groups.move(campaign, people, campaign)
    assert replay.find_differences(stage.database) == []


@pytest.mark.parametrize("blocked", ["do_not_contact", *BEFORE, *sorted(HELD), OUTCOME_UNKNOWN])
def test_whoever_is_held_in_a_campaign_is_not_let_go_by_a_move(stage: Stage, blocked: str) -> None:
    campaign = planned(stage, 3)
    people, commands = ids(stage), stage.commands()
    stage.note_elsewhere(campaign, LeadBlocked(people[0], blocked=blocked))
    other = commands.campaigns.create("Other", "g", site="practice", account="a", settings=Settings())
    done = commands.lead_groups.move(campaign, people, other)
    assert [change.lead_id for change in done.changed] == people[1:]
    assert stage.query("SELECT blocked FROM leads WHERE id=?", people[0]) == [(blocked,)]


def test_whoever_is_being_written_to_just_now_stays_where_that_is_on_record(stage: Stage) -> None:
    campaign = planned(stage, 3)
    people, commands = ids(stage), stage.commands()
    intended = {
        "turn": 1, "lead_id": people[0], "tool": "t", "params": {}, "status": "intended", "intended_at": 1,
        "family": "message", "account": "a", "approval_id": "", "message_id": "",
    }  # fmt: skip
    stage.note_elsewhere(campaign, Event("ActionIntended", "act-1", intended))
    other = commands.campaigns.create("Other", "g", site="practice", account="a", settings=Settings())
    done = commands.lead_groups.move(campaign, people, other)
    assert [change.lead_id for change in done.changed] == people[1:]


def test_a_move_and_the_way_back_take_along_what_tells_who_somebody_is_and_until_when_they_are_left_in_peace(
    stage: Stage,
) -> None:
    campaign = planned(stage, 3)
    people, commands = ids(stage), stage.commands()
    merged = LeadMerged(
        people[0], profile_updated_at=1, email="ada@x.example", company="Engines", job_title="CTO",
        connected_on="2024-03-15", extra={"Second mail": "ada@y.example", "Website": "engines.example"},
    )  # fmt: skip
    for event in (merged, LeadAdvanced(people[0], paused_until=4_000_000_000_000)):
        stage.note_elsewhere(campaign, event)
    other = commands.campaigns.create("Other", "g", site="practice", account="a", settings=Settings())
    columns = "full_name, profile_url, member_key, email, company, job_title, connected_on, extra, paused_until"
    before = stage.query(f"SELECT {columns} FROM leads WHERE id=?", people[0])
    (there, *_) = commands.lead_groups.move(campaign, people[:1], other).changed
    assert stage.query(f"SELECT {columns} FROM leads WHERE id=?", there.moved_to) == before
    later = LeadAdvanced(there.moved_to, paused_until=4_000_000_000_001)
    stage.note_elsewhere(other, later)
    commands.lead_groups.move(other, [there.moved_to], campaign)
    assert stage.query("SELECT paused_until FROM leads WHERE id=?", people[0]) == [(4_000_000_000_001,)]
