"""A connected program proposes by the same rules as a model, and only the user decides."""

from dataclasses import replace
from typing import Any

import pytest

from backend.commands.client_proposals import MOST_REJECTED
from backend.domain.leads.blueprints import blueprint_for
from backend.domain.model.artifact import PROTECTED, Maker, MakerKind
from backend.domain.model.campaign import DAY
from backend.domain.model.sequence import DueAction
from backend.domain.values.errors import OutriderError
from backend.mcp.tools import McpContext, call
from backend.runtime.run.campaign_runner import RunEnd
from backend.situation import situations
from backend.store.log import replay
from backend.store.queries.campaign import campaigns
from tests.fakes.campaign import Stage


def context(stage: Stage) -> McpContext:
    return McpContext(stage.journal, lambda _: stage.clock)


def propose(stage: Stage, campaign: str, kind: str, params: dict[str, Any], key: str = "k1") -> dict[str, Any]:
    return call(context(stage), "propose", {"campaign": campaign, "key": key, "type": kind, "params": params})


def refused(stage: Stage, campaign: str, kind: str, params: dict[str, Any], key: str = "k1") -> str:
    with pytest.raises(OutriderError) as error:
        propose(stage, campaign, kind, params, key)
    return str(error.value.facts.get("rejection", error.value.code))


def waiting_for_a_text(stage: Stage) -> tuple[str, str, str]:
    """(campaign, lead, step) that owes a text nobody has written yet."""
    campaign = stage.campaign(1)
    lead = stage.one("SELECT id FROM leads")
    for _ in range(12):
        with stage.journal.database.read() as connection:
            row = campaigns.campaign(connection, campaign)
            assert row is not None
            situation = situations.lead_situation(connection, row, lead, stage.clock.now())
            task = stage.query("SELECT 1 FROM tasks WHERE lead_id=? AND status='in_progress'", lead)
        if (
            task
            and situation is not None
            and situation.due_step.due is DueAction.DRAFT
            and situation.due_step.step is not None
        ):
            return campaign, lead, situation.due_step.step.key
        stage.run(campaign, approve=False, stop_after=1)
    raise AssertionError("no text was ever owed")


NOTE = {"artifact_type": "note", "artifact_key": "plan", "content": "Call them on Monday."}


def test_a_proposed_text_waits_in_review_and_is_sent_only_after_the_users_approval(stage: Stage) -> None:
    campaign, lead, step = waiting_for_a_text(stage)
    receipt = propose(
        stage, campaign, "generate_message", {"lead_id": lead, "step": step, "text": "Hello from a program"}
    )
    assert receipt["decide_in"] == "Review"
    assert stage.query("SELECT text, status FROM messages") == [("Hello from a program", "draft")]
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    assert stage.query("SELECT 1 FROM approvals") == stage.query("SELECT 1 FROM actions WHERE family<>'look'") == []
    stage.run(campaign)
    sent = stage.query("SELECT text FROM messages WHERE status='sent' ORDER BY id LIMIT 1")
    assert sent == [("Hello from a program",)]
    assert stage.unapproved() == []
    assert replay.find_differences(stage.database) == []


def test_a_repeated_key_is_the_same_proposal(stage: Stage) -> None:
    campaign = stage.campaign(1)
    first = propose(stage, campaign, "persist_artifact", NOTE)
    again = propose(stage, campaign, "persist_artifact", {**NOTE, "content": "something else"})
    assert (again["proposal_id"], again["repeated"], first["repeated"]) == (first["proposal_id"], True, False)
    assert stage.one("SELECT count(*) FROM input_requests") == 1
    assert propose(stage, campaign, "persist_artifact", NOTE, "k2")["proposal_id"] != first["proposal_id"]


def test_a_key_is_the_programs_own_and_its_receipt_says_where_the_first_is_decided(stage: Stage) -> None:
    campaign, plain = stage.campaign(1), context(stage)
    programs = [replace(plain, program=name) for name in ("Claude", "Cursor", "Cursor:1")]
    programs += [replace(plain, launch=launch) for launch in ("Claude", "another process")]
    arguments = {"campaign": campaign, "key": "1", "type": "persist_artifact", "params": NOTE}

    def ask(program: McpContext, **changes: Any) -> dict[str, Any]:
        return call(program, "propose", arguments | changes)

    receipts = [ask(program) for program in programs]
    assert [receipt["repeated"] for receipt in receipts] == [False] * len(programs)
    assert stage.one("SELECT count(*) FROM input_requests WHERE status='open'") == len(programs)
    for program, receipt in zip(programs, receipts, strict=True):
        again = ask(replace(program, launch="a later process") if program.program else program)
        assert (again["repeated"], again["proposal_id"]) == (True, receipt["proposal_id"])
        assert ask(program, type="generate_message", params={})["decide_in"] == "Assistant"
    ask(replace(plain, program="Zoë's"), key="für Zoë")
    spelled_keys = stage.query(
        "SELECT 1 FROM conversations WHERE given_key LIKE '%für Zoë' AND given_key LIKE '%Zoë''s%'"
    )
    assert len(spelled_keys) == 1, "a name that is to be erased is found in a key as it is written"


def test_something_to_keep_is_kept_after_the_users_yes_and_not_before(stage: Stage) -> None:
    campaign = stage.campaign(1)
    receipt = propose(stage, campaign, "persist_artifact", NOTE)
    assert receipt["decide_in"] == "Assistant"
    mine = "SELECT content FROM artifacts WHERE artifact_key='plan'"
    assert stage.query(mine) == []
    question = stage.one("SELECT id FROM input_requests WHERE status='open'")
    stage.commands().questions.answer(campaign, question, "yes", hidden_shown=None)
    assert stage.query(mine) == [("Call them on Monday.",)]
    assert replay.find_differences(stage.database) == []


@pytest.mark.parametrize("named", ["", "My Claude"])
def test_what_a_program_proposed_is_called_that_programs(stage: Stage, named: str) -> None:
    campaign = stage.campaign(1)
    program = replace(context(stage), program=named)
    blueprint = blueprint_for("recruiters", ("job_title",)).model_dump(mode="json")
    for kind, params in (("persist_artifact", NOTE), ("analyze_leads", {"blueprint": blueprint})):
        call(program, "propose", {"campaign": campaign, "key": kind, "type": kind, "params": params})
        question = stage.one("SELECT id FROM input_requests WHERE status='open'")
        stage.commands().questions.answer(campaign, question, "yes", hidden_shown=None)
    query = "SELECT artifact_type, made_by FROM artifacts WHERE source='agent' AND made_by<>'controller' ORDER BY 1"
    made_by = str(Maker(MakerKind.PROGRAM, named))
    assert stage.query(query) == [(type_, made_by) for type_ in ("lead_scoring_config", "note", "scoring_algorithm")]


def test_a_no_keeps_nothing(stage: Stage) -> None:
    campaign = stage.campaign(1)
    propose(stage, campaign, "persist_artifact", NOTE)
    question = stage.one("SELECT id FROM input_requests WHERE status='open'")
    stage.commands().questions.answer(campaign, question, "no", hidden_shown=None)
    assert stage.query("SELECT 1 FROM artifacts WHERE artifact_key='plan'") == []


def test_what_breaks_a_rule_is_refused_by_the_same_code_as_a_models_and_logged(stage: Stage) -> None:
    campaign, lead, step = waiting_for_a_text(stage)
    text = {"lead_id": lead, "step": step, "text": "Hello"}
    before = stage.query("SELECT count(*) FROM event_log")
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("generate_message", {**text, "text": ""}, "text_empty"),
        ("generate_message", {**text, "text": "x" * 5_000}, "text_too_long"),
        ("generate_message", {**text, "text": "Hi {first_name}"}, "text_placeholder"),
        ("generate_message", {**text, "step": "other"}, "out_of_sequence"),
        ("generate_message", {**text, "lead_id": "nobody"}, "lead_not_in_campaign"),
        ("generate_message", {**text, "approved": True}, "wrong_shape"),
        ("generate_message", {}, "wrong_shape"),
        *(("persist_artifact", {**NOTE, "artifact_type": type_}, "artifact_protected") for type_ in PROTECTED),
        ("persist_artifact", {**NOTE, "artifact_key": "../etc"}, "wrong_shape"),
        ("persist_artifact", {**NOTE, "content": "x" * 60_000}, "wrong_shape"),
        ("persist_artifact", {**NOTE, "content": "x" * 70_000}, "reply_too_large"),
        ("analyze_leads", {}, "tool_not_allowed"),
    ]
    for number, (kind, params, code) in enumerate(wrong):
        assert refused(stage, campaign, kind, params, f"k{number}") == code, (kind, params)
    assert stage.query("SELECT count(*) FROM event_log") == before
    logged = stage.query(
        "SELECT json_extract(payload, '$.outcome') FROM audit_log WHERE action_type='mcp.proposal' ORDER BY seq"
    )
    assert [outcome for (outcome,) in logged] == [code for _, _, code in wrong]


def test_who_is_on_the_do_not_contact_list_is_not_written_to(stage: Stage) -> None:
    campaign, lead, step = waiting_for_a_text(stage)
    stage.commands().workspace.add_do_not_contact(stage.one("SELECT member_key FROM leads"), "Vera", "asked")
    params = {"lead_id": lead, "step": step, "text": "Hello"}
    assert refused(stage, campaign, "generate_message", params) == "not_on_do_not_contact"
    assert stage.query("SELECT 1 FROM messages") == []


def test_no_more_than_a_few_questions_of_programs_wait_at_once(stage: Stage) -> None:
    campaign = stage.campaign(1)
    for number in range(20):
        propose(stage, campaign, "persist_artifact", NOTE, f"k{number}")
    assert refused(stage, campaign, "persist_artifact", NOTE, "one more") == "proposals_waiting"


def test_what_is_rejected_again_and_again_makes_the_audit_log_no_longer(stage: Stage) -> None:
    campaign, other = stage.campaign(1), stage.campaign(1, skip=9)
    wrong = NOTE | {"artifact_key": "../etc"}
    codes = [refused(stage, campaign, "persist_artifact", wrong, f"k{number}") for number in range(MOST_REJECTED)]
    assert set(codes) == {"wrong_shape"}
    logged = stage.one("SELECT count(*) FROM audit_log")
    assert refused(stage, campaign, "persist_artifact", NOTE, "a good one") == "proposals_rejected"
    assert stage.one("SELECT count(*) FROM audit_log") == logged
    assert refused(stage, other, "persist_artifact", wrong) == "wrong_shape", "each campaign by itself"
    stage.clock.jump(DAY + 1)
    assert propose(stage, campaign, "persist_artifact", NOTE, "a good one")["decide_in"] == "Assistant"


@pytest.mark.parametrize(
    "kind", ["execute_tool", "create_task", "no_op", "select_next_task", "request_user_input", "approve"]
)
def test_nothing_that_acts_can_be_proposed(stage: Stage, kind: str) -> None:
    campaign = stage.campaign(1)
    assert refused(stage, campaign, kind, {}) == "mcp_arguments"
