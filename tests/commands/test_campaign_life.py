"""A campaign is duplicated, archived and deleted: what goes with it, what stays, and that nothing runs meanwhile."""

import pytest

from backend.commands.lead_import import import_leads
from backend.domain.events.events import AuditEntry, Event
from backend.domain.values.errors import OutriderError
from backend.runtime.run.campaign_runner import RunEnd
from backend.store.log import replay, verification
from backend.store.queries.campaign import campaign_contents
from backend.store.queries.reports import campaign_overview, today
from tests.fakes.campaign import MESSAGE_ONLY, Killed, Stage
from tests.runtime.assistant.test_erasing import files_with

WORD = "Zebrafish"


@pytest.fixture
def sent(stage: Stage) -> tuple[Stage, str]:
    """Three contacts with one message each, a note and a tag, and two people who got nothing."""
    campaign = stage.campaign(3, settings=MESSAGE_ONLY, connected=True, name=f"{WORD} talks")
    lead = stage.one("SELECT id FROM leads ORDER BY position LIMIT 1")
    user = stage.commands()
    user.leads.note(campaign, lead, f"met at {WORD}")
    user.leads.tag(campaign, lead, [WORD])
    for key in ("first", "second"):
        user.requests.record_plain_command(campaign, f"pause {WORD}", key=key)
    stage.run(campaign)
    return stage, campaign


def listed(stage: Stage, *, archived: bool = False) -> list[str]:
    with stage.database.read() as connection:
        return [overview.id for overview in campaign_overview.overviews(connection, archived=archived)]


def test_a_duplicate_has_the_settings_and_begins_anew(stage: Stage) -> None:
    campaign = stage.campaign(3, settings=MESSAGE_ONLY)
    made = stage.commands().campaigns.duplicate(campaign, "Again", key="once")
    assert stage.commands().campaigns.duplicate(campaign, "Again", key="once") == made
    old, new = (
        stage.query("SELECT goal, site, settings, proposer FROM campaigns WHERE id=?", campaign_id)[0]
        for campaign_id in (campaign, made)
    )
    assert old == new
    assert stage.query("SELECT name, status, version FROM campaigns WHERE id=?", made) == [("Again", "initializing", 1)]
    assert stage.one("SELECT count(*) FROM leads WHERE campaign_id=?", made) == 0


def test_a_duplicate_gets_the_people_who_got_nothing(stage: Stage) -> None:
    campaign = stage.campaign(5, settings=MESSAGE_ONLY, connected=True)
    stage.runner(stop_after=16).run(campaign)
    reached = {key for (key,) in stage.query("SELECT member_key FROM leads WHERE status<>'pending'")}
    assert 0 < len(reached) < 5
    made = stage.commands().campaigns.duplicate(campaign, "The others")
    people = stage.database.query(campaign_contents.people_not_contacted, campaign)
    import_leads(stage.journal, stage.clock, made, people, file="Talk", file_format="duplicate")
    brought = {key for (key,) in stage.query("SELECT member_key FROM leads WHERE campaign_id=?", made)}
    assert brought.isdisjoint(reached)
    assert len(brought) == 5 - len(reached)


def test_nothing_runs_in_the_archive_and_all_of_it_comes_back(stage: Stage) -> None:
    campaign = stage.campaign(3, settings=MESSAGE_ONLY, connected=True)
    user = stage.commands()
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    before = stage.one("SELECT count(*) FROM messages")
    user.campaigns.archive(campaign)
    user.campaigns.archive(campaign)  # the second time changes nothing
    assert stage.kinds(campaign)["CampaignArchived"] == 1
    assert stage.status(campaign) == "paused"
    assert (listed(stage), listed(stage, archived=True)) == ([], [campaign])
    assert stage.database.query(today.newest_campaigns, 5) == []
    for refused in (
        lambda: stage.run(campaign),
        lambda: user.runtime.ask_to_wake(campaign, stage.clock.now()),
        lambda: user.requests.begin(campaign, "go on", (), key="k"),
        lambda: import_leads(stage.journal, stage.clock, campaign, [], file="f", file_format="x"),
    ):
        with pytest.raises(OutriderError) as error:
            refused()
        assert error.value.code == "campaign_archived"
    user.campaigns.unarchive(campaign)
    assert listed(stage) == [campaign]
    assert stage.one("SELECT count(*) FROM messages") == before
    stage.run(campaign)
    assert len(stage.delivered()) == 3
    assert replay.find_differences(stage.database) == []


def test_deleted_no_word_of_it_is_left_and_the_logs_verify(sent: tuple[Stage, str]) -> None:
    stage, campaign = sent
    other = stage.campaign(1, skip=10, name="Stays")
    folder = stage.database.path.parent
    names = [name for (name,) in stage.query("SELECT full_name FROM leads WHERE campaign_id=?", campaign)]
    stage.database.checkpoint()
    assert "outrider.db" in files_with(folder, WORD)
    rows = stage.one("SELECT count(*) FROM leads")
    assert stage.commands().campaigns.delete(campaign) > 10
    for word in (WORD, "shall we talk", *names):
        assert files_with(folder, word) == [], word
    assert stage.one("SELECT count(*) FROM leads") == rows, "every row keeps its place"
    assert listed(stage) == [other]
    assert stage.one("SELECT name FROM campaigns WHERE id=?", other) == "Stays"
    assert replay.find_differences(stage.database) == []
    with stage.database.read() as connection:
        assert [report for report in verification.verify(connection) if report.broken] == []
    assert stage.run(campaign).reasons == ("The campaign was deleted.",)


def test_what_a_deleted_campaign_sent_still_counts_against_the_account(sent: tuple[Stage, str]) -> None:
    stage, campaign = sent
    count = (
        "SELECT count(*), max(intended_at) FROM actions WHERE account='practice' AND family='message' AND status='sent'"
    )
    before = stage.query(count)
    stage.commands().campaigns.delete(campaign)
    assert stage.query(count) == before
    assert before[0][0] == 3


def test_what_was_still_at_work_brings_no_word_back(sent: tuple[Stage, str]) -> None:
    """An import, say, or a model that answers late."""
    stage, campaign = sent
    stage.commands().campaigns.delete(campaign)
    imported = {"full_name": WORD, "member_key": WORD, "profile_url": WORD, "position": 1, "import_id": ""}
    stage.journal.record(
        campaign,
        events=[Event("LeadImported", "late", imported), Event("CampaignEdited", campaign, {"name": WORD})],
        audits=[AuditEntry("file.read", {"parameters": {"path": WORD}})],
        actor="user",
        cause="import",
        at=stage.clock.now(),
    )
    assert stage.query("SELECT full_name, member_key FROM leads WHERE id='late'") == [("(erased)", "deleted-late")]
    assert files_with(stage.database.path.parent, WORD) == []
    assert replay.find_differences(stage.database) == []


def test_what_runs_or_is_being_sent_is_not_deleted(stage: Stage) -> None:
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    stage.activate(campaign)
    with pytest.raises(OutriderError) as runs:
        stage.commands().campaigns.delete(campaign)
    assert runs.value.code == "campaign_active"

    def killed(name: str) -> None:
        if name == "intent":
            raise Killed

    with pytest.raises(Killed):
        stage.run(campaign, boundary=killed)
    stage.commands().campaigns.change_status(campaign, "paused")  # type: ignore[arg-type]
    for refused in (stage.commands().campaigns.delete, stage.commands().campaigns.archive):
        with pytest.raises(OutriderError) as acts:
            refused(campaign)
        assert acts.value.code == "campaign_acts"
