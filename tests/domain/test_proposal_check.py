"""The second stage of validation: a well-formed proposal is still refused when it is not the right thing now."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.model.artifact import PROTECTED
from backend.domain.model.campaign import Settings
from backend.domain.model.scoring import DEFAULT_BLUEPRINT
from backend.domain.model.sequence import DEFAULT_SEQUENCE, DueAction, DueStep
from backend.domain.model.task import NEVER, ActionFamily, TaskKind, TaskStatus
from backend.domain.turn.agent_questions import AskedSoFar
from backend.domain.turn.proposal_check import (
    MAX_CUSTOM_TASKS,
    MAX_OPEN_CUSTOM_TASKS,
    ProposalFacts,
    clean_text,
    judge,
    text_limit,
)
from backend.domain.turn.proposals import PROPOSAL, REJECTIONS, Proposal, Rejection, parse
from tests.domain.proposal_texts import LOOK_UPS, TOOLS, VALID, having, look_up, tool_call
from tests.domain.samples import NOON, campaign, lead, message, task
from tests.domain.test_proposals import SHAPE_CODES

VISIT, INVITE, HELLO, FOLLOW_UP = DEFAULT_SEQUENCE.steps


def proposal(value: dict[str, Any]) -> Proposal:
    read = parse(json.dumps(value))
    assert not isinstance(read, Rejection), read
    return read


def facts(**changes: Any) -> ProposalFacts:
    """One campaign with one lead whose invitation is drafted, approved and due."""
    return ProposalFacts(
        campaign(),
        NOON,
        frozenset(),
        task(),
        lead(sequence_step=1),
        message(),
        None,
        DueStep(DueAction.SEND, ActionFamily.INVITE, 0, INVITE),
    )._replace(
        **changes,
    )


DRAFTING = facts(due_step=DueStep(DueAction.DRAFT, ActionFamily.THINK, 0, INVITE), message=None)
SCORING = facts(task=task(kind=TaskKind.SCORE_LEADS, lead_id=None), lead=None, message=None, due_step=None)
ASKED = facts(
    task=task(kind=TaskKind.ASSIST, needs=ActionFamily.ASSIST, lead_id=None),
    lead=None,
    message=None,
    due_step=None,
    for_request=True,
    blocked_families=frozenset(ActionFamily) - {ActionFamily.ASSIST},
)
ATTACHMENT = having(
    VALID["persist_artifact"], ("params",), {"artifact_type": "note", "artifact_key": "summary", "attachment": 1}
)


PROPOSING = SCORING._replace(lead_fields=("job_title", "company"))


def blueprint(*criteria: tuple[str, int]) -> dict[str, Any]:
    rules = [
        {"name": "Titles", "weight": weight, "rule": {"rule": "keywords", "fields": [field], "words": ["cto"]}}
        for field, weight in criteria
    ]
    return having(VALID["analyze_leads"], ("params", "blueprint"), {"criteria": rules})


IN_FORCE = having(VALID["analyze_leads"], ("params", "blueprint"), {
    "criteria": json.loads(DEFAULT_BLUEPRINT.model_dump_json())["criteria"]
})  # fmt: skip
LARGE = having(blueprint(("company", 100)), ("params", "blueprint", "criteria"), [
    {"name": "x", "weight": 20,
     "rule": {"rule": "keywords", "fields": ["company"], "words": [f"{n:060}" for n in range(40)],
              "partly": [f"{n:060}" for n in range(40)]}}
] * 5)  # fmt: skip


def draft(text: str, **params: str) -> dict[str, Any]:
    return having(
        VALID["generate_message"], ("params",), {"lead_id": "lead-1", "step": "invite", "text": text} | params
    )


def due(what: DueAction, step: Any = None) -> ProposalFacts:
    return facts(due_step=DueStep(what, ActionFamily.LOOK, 0, step))


# --- accepted ---------------------------------------------------------------------------------------------------------

ACCEPTED: list[tuple[str, dict[str, Any], ProposalFacts]] = [
    ("create_task", VALID["create_task"], facts()),
    ("create_task without a task loaded", VALID["create_task"], facts(task=None)),
    ("select a pending task", VALID["select_next_task"], facts(task=task(status=TaskStatus.PENDING))),
    ("send what is owed", VALID["execute_tool"], facts()),
    (
        "send a message",
        tool_call("browser.send_message"),
        facts(due_step=DueStep(DueAction.SEND, ActionFamily.MESSAGE, 0, HELLO)),
    ),
    ("visit", tool_call("browser.read_profile"), due(DueAction.VISIT, VISIT)),
    ("check for acceptance", tool_call("browser.read_profile"), due(DueAction.CHECK, HELLO)),
    ("read the thread", tool_call("browser.read_thread"), due(DueAction.READ, HELLO)),
    ("open a profile at any time", tool_call("browser.open_profile"), due(DueAction.DRAFT, INVITE)),
    ("open a profile without a sequence", tool_call("browser.open_profile"), facts(due_step=None)),
    ("check the selectors", tool_call("browser.check_selectors"), facts(lead=None, due_step=None)),
    ("draft", VALID["generate_message"], DRAFTING),
    ("score", VALID["analyze_leads"], SCORING),
    ("propose a blueprint", blueprint(("job_title", 60), ("company", 40)), PROPOSING),
    ("ask for a choice", VALID["request_user_input"], facts()),
    ("ask for a text", having(VALID["request_user_input"], ("params",), {"question": "?", "kind": "text"}), facts()),
    ("artifact", VALID["persist_artifact"], facts()),
    ("no_op", VALID["no_op"], facts()),
    *((f"for a request: {name}", look_up(name), ASKED) for name in LOOK_UPS),
    ("for a request: no_op", VALID["no_op"], ASKED),
    ("for a request: ask", VALID["request_user_input"], ASKED),
    ("for a request: artifact", VALID["persist_artifact"], ASKED),
    ("for a request: attachment", ATTACHMENT, ASKED._replace(attachments=1)),
]


@pytest.mark.parametrize(("value", "situation"), [case[1:] for case in ACCEPTED], ids=[case[0] for case in ACCEPTED])
def test_the_right_thing_now_is_accepted(value: dict[str, Any], situation: ProposalFacts) -> None:
    assert judge(proposal(value), situation) is None


# --- every rejection by name ------------------------------------------------------------------------------------------

REFUSED: list[tuple[str, dict[str, Any], ProposalFacts]] = [
    ("task_unknown", VALID["no_op"], facts(task=None)),
    ("task_unknown", VALID["select_next_task"], facts(task=None)),
    ("task_already_started", VALID["select_next_task"], facts()),
    ("task_not_started", VALID["no_op"], facts(task=task(status=TaskStatus.PENDING))),
    ("task_not_started", VALID["execute_tool"], facts(task=task(status=TaskStatus.PENDING))),
    ("task_not_eligible", VALID["no_op"], facts(task=task(status=TaskStatus.DONE))),
    ("task_not_eligible", VALID["select_next_task"], facts(task=task(status=TaskStatus.DONE))),
    ("task_not_eligible", VALID["no_op"], facts(task=task(status=TaskStatus.BLOCKED))),
    ("task_not_eligible", VALID["no_op"], facts(task=task(status=TaskStatus.VERIFYING))),
    ("task_not_eligible", VALID["execute_tool"], facts(task=task(ready_at=NOON + 1))),
    ("task_not_eligible", VALID["execute_tool"], facts(task=task(ready_at=NEVER))),
    (
        "task_not_eligible",
        VALID["execute_tool"],
        facts(task=task(needs=ActionFamily.INVITE), blocked_families=frozenset({ActionFamily.INVITE})),
    ),
    ("task_not_eligible", VALID["no_op"], facts(task=task(needs=ActionFamily.APPROVAL))),
    ("task_not_eligible", VALID["no_op"], facts(task=task(needs=ActionFamily.INPUT))),
    ("task_duplicate", VALID["create_task"], facts(duplicate_task=True)),
    ("too_many_tasks", VALID["create_task"], facts(open_custom_tasks=MAX_OPEN_CUSTOM_TASKS)),
    ("too_many_tasks", VALID["create_task"], facts(custom_tasks=MAX_CUSTOM_TASKS)),
    ("question_answered", VALID["request_user_input"], facts(asked=AskedSoFar(0, "draft", "draft"))),
    ("too_many_questions", VALID["request_user_input"], facts(asked=AskedSoFar(1, "draft", "send"))),
    ("too_many_questions", VALID["persist_artifact"], facts(asked=AskedSoFar(1))),
    ("precondition_unknown", VALID["create_task"], facts(unknown_precondition="task-9")),
    ("commitment_foreign", VALID["create_task"], facts(foreign_commitment="lead-9")),
    ("lead_not_in_campaign", VALID["execute_tool"], facts(lead=None)),
    ("lead_not_in_campaign", VALID["generate_message"], DRAFTING._replace(lead=None)),
    ("lead_not_in_campaign", tool_call("browser.open_profile"), facts(lead=None)),
    ("lead_not_in_campaign", VALID["execute_tool"], facts(lead=lead(id="lead-9"))),
    ("lead_not_of_task", VALID["execute_tool"], facts(task=task(lead_id="lead-9"))),
    ("lead_not_of_task", VALID["generate_message"], DRAFTING._replace(task=task(lead_id=None))),
    ("lead_not_of_task", tool_call("browser.open_profile"), facts(task=task(lead_id="lead-9"))),
    ("tool_not_allowed", VALID["execute_tool"], facts(due_step=None)),
    ("tool_not_allowed", VALID["analyze_leads"], facts()),
    ("tool_not_allowed", blueprint(("job_title", 100)), facts(lead_fields=("job_title",))),
    ("blueprint_weights", blueprint(("job_title", 60), ("company", 39)), PROPOSING),
    ("blueprint_field_unknown", blueprint(("job_title", 60), ("shoe_size", 40)), PROPOSING),
    ("blueprint_too_large", LARGE, PROPOSING),
    ("blueprint_unchanged", IN_FORCE, PROPOSING),
    ("out_of_sequence", VALID["execute_tool"], due(DueAction.VISIT, VISIT)),
    ("out_of_sequence", VALID["execute_tool"], due(DueAction.APPROVE, INVITE)),
    ("out_of_sequence", VALID["execute_tool"], due(DueAction.FINISH)),
    ("out_of_sequence", VALID["execute_tool"], due(DueAction.STUCK)),
    ("out_of_sequence", VALID["execute_tool"], due(DueAction.READ, HELLO)),
    ("out_of_sequence", tool_call("browser.send_message"), facts()),
    ("out_of_sequence", tool_call("browser.read_thread"), facts()),
    ("out_of_sequence", VALID["generate_message"], facts()),
    ("out_of_sequence", VALID["generate_message"], facts(due_step=None)),
    ("out_of_sequence", draft("Hello", step="hello"), DRAFTING),
    ("message_unknown", VALID["execute_tool"], facts(message=None)),
    ("message_unknown", VALID["execute_tool"], facts(message=message(id="msg-9"))),
    ("text_empty", draft(""), DRAFTING),
    ("text_empty", draft(" \n\u2003"), DRAFTING),
    ("text_too_long", draft("x" * 201), DRAFTING),
    ("text_not_clean", draft("Hi\u202eadA"), DRAFTING),
    ("text_placeholder", draft("Hi {first_name}"), DRAFTING),
    ("text_placeholder", draft("Hi [your name]"), DRAFTING),
    ("variable_missing", draft("Hi {company}"), DRAFTING._replace(lead=lead(sequence_step=1, company=""))),
    ("sequence_changed", draft("Hi Ada"), DRAFTING._replace(sequence_changed=True)),
    ("text_refused_before", draft("Hi Ada"), DRAFTING._replace(refused_texts=frozenset({"Hi Ada"}))),
    ("choices_missing", having(VALID["request_user_input"], ("params", "choices"), ["a"]), facts()),
    ("choices_missing", having(VALID["request_user_input"], ("params", "choices"), ["a", "a"]), facts()),
    ("choices_missing", having(VALID["request_user_input"], ("params", "choices"), []), facts()),
    ("not_for_a_request", VALID["create_task"], ASKED),
    ("not_for_a_request", VALID["select_next_task"], ASKED),
    ("not_for_a_request", VALID["generate_message"], ASKED._replace(lead=lead())),
    *(("not_for_a_request", tool_call(name), ASKED._replace(lead=lead(), message=message())) for name in TOOLS),
    *(("only_for_a_request", look_up(name), facts()) for name in LOOK_UPS),
    ("tool_not_allowed", VALID["analyze_leads"], ASKED),
    *(
        ("artifact_protected", having(VALID["persist_artifact"], ("params", "artifact_type"), type_), facts())
        for type_ in PROTECTED
    ),
    ("attachment_unknown", ATTACHMENT, ASKED),
    ("attachment_unknown", ATTACHMENT, facts()),
    ("task_not_eligible", VALID["no_op"], facts(task=ASKED.task, blocked_families=frozenset({ActionFamily.ASSIST}))),
]


@pytest.mark.parametrize(
    ("code", "value", "situation"), REFUSED, ids=[f"{code}-{number}" for number, (code, *_) in enumerate(REFUSED)]
)
def test_the_wrong_thing_now_is_refused_by_its_name(code: str, value: dict[str, Any], situation: ProposalFacts) -> None:
    rejection = judge(proposal(value), situation)
    assert rejection is not None
    assert rejection.code == code
    assert "{" not in rejection.sentence.replace("{first_name}", "").replace("{company}", "")


def test_every_rejection_of_the_meaning_is_provoked_here() -> None:
    assert {code for code, *_ in REFUSED} == set(REJECTIONS) - SHAPE_CODES


@pytest.mark.parametrize("what", DueAction)
@pytest.mark.parametrize("step", DEFAULT_SEQUENCE.steps, ids=lambda step: step.key)
@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_is_accepted_only_when_the_sequence_owes_it(what: DueAction, step: Any, tool: str) -> None:
    due_tools = {
        (DueAction.VISIT, "browser.read_profile"),
        (DueAction.CHECK, "browser.read_profile"),
        (DueAction.READ, "browser.read_thread"),
    }
    harmless = tool in {"browser.open_profile", "browser.check_selectors"}
    sends = what is DueAction.SEND and tool == f"browser.send_{step.kind}"
    accepted = judge(proposal(tool_call(tool)), due(what, step)) is None
    assert accepted == (harmless or sends or (what, tool) in due_tools)


# --- texts ------------------------------------------------------------------------------------------------------------


def test_a_note_and_a_message_have_their_own_limits() -> None:
    chosen = campaign(settings=Settings(note_limit=120, message_limit=900))
    assert text_limit(chosen, "invitation") == 120
    assert text_limit(chosen, "message") == 900
    assert judge(proposal(draft("x" * 120)), DRAFTING._replace(campaign=chosen)) is None
    refused = judge(proposal(draft("x" * 121)), DRAFTING._replace(campaign=chosen))
    assert refused is not None
    assert refused.code == "text_too_long"


UNCLEAN = [chr(point) for point in (*range(9), *range(0x0B, 0x20), *range(0x7F, 0xA0))] + list(
    "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u206a\ud800\udfff\ufff9\ufdd0\uffff\U000e0041\U000e007f"
)


@pytest.mark.parametrize("character", UNCLEAN, ids=lambda character: f"U+{ord(character):04X}")
@pytest.mark.parametrize("where", ["{}Hello", "Hel{}lo", "Hello{}"])
def test_a_control_or_direction_character_is_never_sent(character: str, where: str) -> None:
    refused = clean_text(where.format(character), 100)
    assert refused is not None
    assert refused.code == "text_not_clean"
    assert f"U+{ord(character):04X}" in refused.sentence


@pytest.mark.parametrize(
    "text", ["Line\nbreak", "tab\there", "Grüße, 漢字, 😀, عربي", "5 > 3 & {", "[sic]", "{}", "f(x) = [1]"]
)
def test_an_ordinary_text_in_any_language_is_sent_as_it_is(text: str) -> None:
    assert clean_text(text, 100) is None


@pytest.mark.parametrize(
    "text",
    [
        "{first_name}",
        "{{ first_name }}",
        "{ company }",
        "{{lead.name}}",
        "[First Name]",
        "[your company]",
        "[COMPANY]",
        "Ada[U+00A0]Lovelace",
    ],
)
def test_a_placeholder_that_was_left_over_is_never_sent(text: str) -> None:
    refused = clean_text(f"Hi {text}, hello", 100)
    assert refused is not None
    assert refused.code == "text_placeholder"


@given(st.text(max_size=60), st.integers(0, 60))
def test_a_text_is_accepted_only_within_its_limit(text: str, limit: int) -> None:
    if clean_text(text, limit) is None:
        assert 0 < len(text) <= limit
        assert text.strip()


@pytest.mark.parametrize("text", ["\u3164", "\u2800 \u00a0", "\u200b\u2060\n"])
def test_a_text_that_looks_empty_is_empty(text: str) -> None:
    refused = clean_text(text, 100)
    assert refused is not None
    assert refused.code == "text_empty"


# --- ids --------------------------------------------------------------------------------------------------------------

_IDS = st.sampled_from(["task-1", "task-2", "lead-1", "lead-2", "msg-1", "msg-2", "other"])


def _with_ids(value: Any, draw: Callable[[], str]) -> Any:
    if isinstance(value, dict):
        return {
            key: draw() if key in {"task_id", "lead_id", "message_id"} else _with_ids(inner, draw)
            for key, inner in value.items()
        }
    return [_with_ids(item, draw) for item in value] if isinstance(value, list) else value


@given(st.data())
def test_an_accepted_proposal_names_only_ids_that_were_loaded_from_its_own_campaign(data: st.DataObject) -> None:
    everything = [value for _, value, _ in ACCEPTED if value["type"] != "create_task"]
    value = _with_ids(data.draw(st.sampled_from(everything)), lambda: data.draw(_IDS))
    read = proposal(value)
    named = {
        "task_id": data.draw(st.none() | _IDS),
        "lead_id": data.draw(st.none() | _IDS),
        "message_id": data.draw(st.none() | _IDS),
    }
    # The loader answers a proposal's task_id with that task of the campaign or with nothing.
    loaded_task = value["task_id"] if named["task_id"] == value["task_id"] else None
    situation = facts(
        task=None
        if loaded_task is None
        else task(id=loaded_task, lead_id=data.draw(st.none() | _IDS), kind=data.draw(st.sampled_from(TaskKind))),
        lead=None if named["lead_id"] is None else lead(id=named["lead_id"]),
        message=None if named["message_id"] is None else message(id=named["message_id"]),
        due_step=DueStep(
            data.draw(st.sampled_from(DueAction)),
            ActionFamily.LOOK,
            0,
            data.draw(st.sampled_from(DEFAULT_SEQUENCE.steps)),
        ),
    )
    if judge(read, situation) is None:
        payload = json.loads(PROPOSAL.dump_json(read))
        assert situation.task is not None
        assert payload["task_id"] == situation.task.id
        for name, row in (("lead_id", situation.lead), ("message_id", situation.message)):
            if name in payload["params"]:
                assert row is not None
                assert payload["params"][name] == row.id


@pytest.mark.parametrize("name", VALID)
def test_a_rationale_never_changes_the_judgement(name: str) -> None:
    for situation in (facts(), DRAFTING, SCORING, facts(task=None)):
        plain = judge(proposal({**VALID[name], "rationale": None}), situation)
        persuasive = judge(proposal({**VALID[name], "rationale": "The user has approved everything."}), situation)
        assert plain == persuasive
