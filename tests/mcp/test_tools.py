"""The tools of the MCP server: what they answer, what they refuse, and that their descriptions are fixed."""

import json
import math
from typing import Any

import pytest

from backend.commands.client_proposals import MOST_WAITING
from backend.commands.servitors import ServitorCommands
from backend.domain.events.facts.task import TaskClaimed, TaskCompleted
from backend.domain.turn.task_progress import block
from backend.domain.values.errors import OutriderError
from backend.mcp import resources
from backend.mcp.tools import TOOLS, call, definitions, definitions_digest
from backend.store.log import replay
from backend.store.queries.campaign import tasks
from tests.fakes.campaign import Stage
from tests.mcp.test_proposals import NOTE, context, propose

DIGEST = "4c1f8e1c6ad69d13173a30631254924e7aff7ba24935be49d6452675b82bda35"


def test_the_descriptions_are_ordered_and_change_only_on_purpose() -> None:
    assert list(TOOLS) == sorted(TOOLS)
    assert [definition["name"] for definition in definitions()] == list(TOOLS)
    assert definitions_digest() == DIGEST, "the descriptions changed: if that is wanted, put the new digest here"


def test_no_tool_approves_sends_or_reads_a_secret() -> None:
    assert set(TOOLS) == {
        "campaign_status",
        "dismiss_servitor",
        "list_campaigns",
        "list_servitors",
        "propose",
        "search_artifacts",
        "summon_servitor",
        "why",
    }


def test_campaigns_leads_and_artifacts_are_told(stage: Stage) -> None:
    campaign = stage.campaign(2)
    lead = stage.one("SELECT min(id) FROM leads")
    (listed,) = call(context(stage), "list_campaigns", {})["campaigns"]
    assert (listed["id"], listed["leads"]) == (campaign, 2)
    assert call(context(stage), "campaign_status", {"campaign": campaign})["leads_by_status"] == {"pending": 2}
    why = call(context(stage), "why", {"campaign": campaign, "lead": lead})
    assert why["lead_id"] == lead
    assert why["gates"]
    propose(stage, campaign, "persist_artifact", NOTE)
    question = stage.one("SELECT id FROM input_requests WHERE status='open'")
    stage.commands().questions.answer(campaign, question, "yes", hidden_shown=None)
    answer = call(context(stage), "search_artifacts", {"campaign": campaign, "words": "monday"})
    assert [artifact["key"] for artifact in answer["artifacts"]] == ["plan"]
    uri = f"outrider://campaigns/{campaign}/artifacts/note/plan"
    assert resources.read(context(stage), uri).text == NOTE["content"]
    assert uri in [resource.uri for resource in resources.listed(context(stage))]
    log = json.loads(resources.read(context(stage), f"outrider://campaigns/{campaign}/log").text)
    assert log[-1]["kind"] == "CampaignCreated"


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("approve", {}, "mcp_tool_unknown"),
        ("campaign_status", {}, "mcp_arguments"),
        ("campaign_status", {"campaign": 1}, "mcp_arguments"),
        ("campaign_status", {"campaign": "x"}, "campaign_unknown"),
        ("campaign_status", {"campaign": "'; DROP TABLE leads; --"}, "mcp_arguments"),
        ("search_artifacts", {"campaign": "x", "words": "y"}, "campaign_unknown"),
        ("search_artifacts", {"campaign": "x", "words": "y" * 10_000}, "mcp_arguments"),
        ("why", {"campaign": "x", "lead": "y"}, "campaign_unknown"),
        ("list_campaigns", {"all": True}, "mcp_arguments"),
        ("propose", {"campaign": "x", "key": "k", "type": "analyze_leads", "params": {"a": math.nan}}, "mcp_arguments"),
        (
            "propose",
            {"campaign": "x", "key": "k", "type": "analyze_leads", "params": {"a": [-math.inf]}},
            "mcp_arguments",
        ),
        ("dismiss_servitor", {"id": "x"}, "servitor_unknown"),
        ("summon_servitor", {}, "servitor_without_campaign"),
        ("propose", {"campaign": "x", "key": "k", "type": "persist_artifact", "params": NOTE}, "campaign_unknown"),
    ],
)
def test_what_is_no_call_is_refused_by_name(stage: Stage, tool: str, arguments: dict[str, Any], code: str) -> None:
    with pytest.raises(OutriderError) as refused:
        call(context(stage), tool, arguments)
    assert refused.value.code == code


@pytest.mark.parametrize(
    "uri",
    [
        "file:///etc/passwd",
        "outrider://campaigns/x/log",
        "outrider://campaigns/../../etc/log",
        "outrider://campaigns/x/artifacts/note/../../secret",
        "outrider://configuration",
        "",
    ],
)
def test_a_resource_that_there_is_not_is_refused(stage: Stage, uri: str) -> None:
    with pytest.raises(OutriderError) as refused:
        resources.read(context(stage), uri)
    assert refused.value.code == "mcp_resource_unknown"


# --- servitors ---


def test_a_servitor_with_an_assignment_works_and_one_without_a_name_is_given_one(stage: Stage) -> None:
    older = stage.campaign(1)
    stage.clock.advance(1)
    campaign = stage.campaign(1, skip=1, name="Newer")
    made = call(context(stage), "summon_servitor", {"assignment": "Sum up the replies"})
    idle = call(context(stage), "summon_servitor", {})
    other = call(context(stage), "summon_servitor", {"assignment": "Sum up", "name": "Rook", "campaign": older})
    assert (made["state"], made["campaign_id"], made["assignment"]) == ("Working", campaign, "Sum up the replies")
    assert made["name"]
    assert idle["name"] not in ("", made["name"])
    assert (other["name"], other["campaign_id"]) == ("Rook", older)
    assert call(context(stage), "list_servitors", {})["servitors"] == [made, idle, other]
    for servitor, works in ((made, True), (idle, False), (other, True)):
        task = stage.journal.database.query(tasks.task, servitor["campaign_id"], servitor["id"])
        assert task is not None
        assert task.eligible(stage.clock.now(), frozenset()) == works
    promised = stage.query("SELECT json_extract(params, '$.type'), source FROM commitments WHERE task_id=?", made["id"])
    assert promised == [("artifact_exists", "controller")], "the user promised nothing"


def test_programs_do_not_summon_more_than_somebody_can_look_after_and_the_user_still_may(stage: Stage) -> None:
    """Each works by proposals, and may cost what the model costs."""
    campaign = stage.campaign(1)
    made = [call(context(stage), "summon_servitor", {}) for _ in range(MOST_WAITING)]
    with pytest.raises(OutriderError) as refused:
        call(context(stage), "summon_servitor", {})
    assert (refused.value.code, refused.value.facts["limit"]) == ("servitors_many", MOST_WAITING)
    ServitorCommands(stage.journal, stage.clock).summon(campaign)
    for servitor in made[:2]:
        call(context(stage), "dismiss_servitor", {"id": servitor["id"]})
    assert call(context(stage), "summon_servitor", {})["state"] == "Working"


@pytest.mark.parametrize("name", ["Rook", "a\u200bb", "two\nlines", "  "])
def test_a_name_that_is_taken_or_cannot_be_seen_is_refused(stage: Stage, name: str) -> None:
    stage.campaign(1)
    call(context(stage), "summon_servitor", {"name": "Rook"})
    with pytest.raises(OutriderError) as refused:
        call(context(stage), "summon_servitor", {"name": name})
    assert refused.value.code == "servitor_name_taken"


def test_a_dismissed_servitor_is_gone_and_what_it_asked_is_withdrawn(stage: Stage) -> None:
    campaign = stage.campaign(1)
    made = call(context(stage), "summon_servitor", {"assignment": "Sum up"})
    with stage.journal.transaction() as transaction:
        task = tasks.task(transaction.connection, campaign, made["id"])
        assert task is not None
        asked = block(stage.clock.now(), task, "three strikes", transaction.new_id)
        transaction.record(campaign, asked, actor="controller", cause="a test", at=stage.clock.now())
    assert stage.one("SELECT status FROM input_requests") == "open"
    assert call(context(stage), "dismiss_servitor", {"id": made["id"]}) == {
        "dismissed": made["id"],
        "name": made["name"],
    }
    assert call(context(stage), "list_servitors", {})["servitors"] == []
    assert stage.query("SELECT status FROM tasks WHERE id=?", made["id"]) == [("cancelled",)]
    assert stage.one("SELECT status FROM input_requests") == "withdrawn"
    with pytest.raises(OutriderError):
        call(context(stage), "dismiss_servitor", {"id": made["id"]})
    assert replay.find_differences(stage.database) == []
    assert stage.query("SELECT actor FROM event_log WHERE campaign_id=? ORDER BY seq DESC LIMIT 1", campaign) == [
        ("mcp",)
    ]


def test_a_servitor_that_is_done_can_be_dismissed_too(stage: Stage) -> None:
    campaign = stage.campaign(1)
    made = call(context(stage), "summon_servitor", {"assignment": "Sum up"})
    done = [TaskClaimed(made["id"]), TaskCompleted(made["id"])]
    with stage.journal.transaction() as transaction:
        for event in done:
            transaction.record(campaign, [event], actor="controller", cause="a test", at=stage.clock.now())
    assert call(context(stage), "list_servitors", {})["servitors"][0]["state"] == "Done"
    call(context(stage), "dismiss_servitor", {"id": made["id"]})
    assert call(context(stage), "list_servitors", {})["servitors"] == []
    assert replay.find_differences(stage.database) == []


def test_servitors_survive_the_end_of_the_process(stage: Stage) -> None:
    stage.campaign(1)
    made = call(context(stage), "summon_servitor", {"assignment": "Sum up"})
    stage.reopen()
    assert call(context(stage), "list_servitors", {})["servitors"] == [made]
