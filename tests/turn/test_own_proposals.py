"""In a campaign's own turns a model that follows the schema it was sent can plan tasks and keep what it found out."""

import json
from typing import Any

from backend.runtime.run.campaign_runner import RunEnd
from backend.store.log import replay
from tests.bench.model import first_matching_value
from tests.commands.test_models import connected, connection
from tests.fakes.campaign import ONE_STEP, Stage
from tests.fakes.model_server import ModelServer, schema_in


def variants(schema: Any) -> dict[str, Any]:
    """What the schema lets be proposed, by type."""
    proposal = schema["properties"]["proposal"]
    return {variant["properties"]["type"]["enum"][0]: variant for variant in proposal.get("anyOf", [proposal])}


def prefers(server: ModelServer, proposal_type: str) -> list[str]:
    """Let the model propose that as soon as the schema of a request allows it, once; where it was allowed."""
    allowed: list[str] = []

    def reply(body: dict[str, Any]) -> str:
        schema = schema_in(body)
        offered = variants(schema)
        if proposal_type in offered:
            allowed.append(json.dumps(body["messages"]))
            if len(allowed) == 1:
                return json.dumps({"proposal": first_matching_value(offered[proposal_type], "tea-notes")})
        return json.dumps(first_matching_value(schema, f"Hello, shall we talk {len(server.requests)}?"))

    server.reply = reply
    return allowed


def campaign_of(stage: Stage, server: ModelServer) -> str:
    campaign = stage.campaign(1, settings=ONE_STEP)
    stage.commands().models.save(connection(server, max_output_tokens=1_024))
    stage.commands().models.choose(campaign, "tiny")
    return campaign


def test_a_model_that_follows_its_schema_can_make_a_task(stage: Stage, server: ModelServer) -> None:
    campaign = campaign_of(stage, server)
    allowed = prefers(server, "create_task")
    stage.run(campaign, proposer=connected(stage))
    assert allowed
    made = stage.query("SELECT kind, source, description FROM tasks WHERE kind='custom'")
    assert made == [("custom", "agent", "tea-notes")]
    promised = "SELECT count(*) FROM commitments WHERE task_id=(SELECT id FROM tasks WHERE kind='custom')"
    assert stage.one(promised) >= 1
    assert stage.one("SELECT count(*) FROM turn_projection WHERE proposal='create_task' AND verdict='accepted'") == 1
    assert replay.find_differences(stage.database) == []


def test_a_model_that_follows_its_schema_can_keep_an_artifact_once_the_user_says_yes(
    stage: Stage, server: ModelServer
) -> None:
    campaign = campaign_of(stage, server)
    allowed = prefers(server, "persist_artifact")
    assert stage.run(campaign, proposer=connected(stage)).halt is RunEnd.NEEDS_YOU
    assert allowed
    query = "SELECT content FROM artifacts WHERE made_by='model'"
    assert stage.query(query) == []
    stage.commands().questions.answer(
        campaign, stage.one("SELECT id FROM input_requests WHERE kind='save_artifact'"), "yes"
    )
    assert stage.query(query) == [("tea-notes",)]
    assert stage.run(campaign, proposer=connected(stage)).halt is RunEnd.COMPLETED


def test_what_would_be_refused_is_not_offered(stage: Stage, server: ModelServer) -> None:
    campaign = campaign_of(stage, server)
    offered: list[set[str]] = []

    def asks(body: dict[str, Any]) -> str:
        choices = variants(schema_in(body))
        offered.append(set(choices))
        question_schema = choices.get("request_user_input") if "generate_message" in choices else None
        return json.dumps(
            {"proposal": first_matching_value(question_schema or next(iter(choices.values())), "What now?")}
        )

    server.reply = asks
    assert stage.run(campaign, proposer=connected(stage)).halt is RunEnd.NEEDS_YOU
    stage.commands().questions.answer(
        campaign, stage.one("SELECT id FROM input_requests WHERE status='open'"), "Be brief."
    )

    def writes(body: dict[str, Any]) -> str:
        offered.append(set(variants(schema_in(body))))
        return json.dumps(first_matching_value(schema_in(body), "Hi, a word?"))

    server.reply = writes
    assert stage.run(campaign, proposer=connected(stage)).halt is RunEnd.COMPLETED
    drafting = [choices for choices in offered if "generate_message" in choices]
    assert "request_user_input" in drafting[0]
    assert not drafting[-1] & {"request_user_input", "persist_artifact"}
