"""The first stage of validation: whatever text arrives, it is exactly one of eight proposals or a rejection by name."""

import gc
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from backend.domain.turn.proposals import MAX_REPLY_BYTES, PROPOSAL, REJECTIONS, Rejection, parse
from tests.domain.proposal_texts import (
    LOOK_UPS,
    OPTIONAL,
    TOOLS,
    VALID,
    get,
    having,
    look_up,
    places,
    tool_call,
    without,
)

SHAPE_CODES = {
    "reply_missing",
    "reply_too_large",
    "reply_not_json",
    "key_repeated",
    "unknown_proposal",
    "unknown_tool",
    "task_reference",
    "wrong_shape",
}


def code_of(proposal: Any) -> str:
    """The rejection's code, or "" if it was accepted."""
    answer = parse(proposal if isinstance(proposal, str) else json.dumps(proposal))
    return answer.code if isinstance(answer, Rejection) else ""


# --- the eight --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VALID)
def test_each_of_the_eight_proposals_is_accepted_and_reads_back_as_written(name: str) -> None:
    proposal = parse(json.dumps(VALID[name]))
    assert not isinstance(proposal, Rejection)
    assert proposal.type == name
    assert json.loads(PROPOSAL.dump_json(proposal, exclude_unset=True)) == VALID[name]
    assert parse(PROPOSAL.dump_json(proposal).decode()) == proposal


def test_there_are_eight_proposal_types_and_no_other() -> None:
    schema = PROPOSAL.json_schema()
    assert set(schema["discriminator"]["mapping"]) == set(VALID)
    assert len(VALID) == 8


@pytest.mark.parametrize("tool", TOOLS)
def test_each_tool_is_called_with_ids_and_nothing_else(tool: str) -> None:
    assert code_of(tool_call(tool)) == ""
    for intruder in ("url", "profile_url", "text", "recipient", "message_id", "lead_id"):
        if intruder not in TOOLS[tool]:
            assert code_of(having(tool_call(tool), ("params", intruder), "x")) == "wrong_shape"


def test_the_schema_that_models_get_allows_nothing_extra_anywhere() -> None:
    for name, part in PROPOSAL.json_schema()["$defs"].items():
        if part.get("type") == "object":
            assert part["additionalProperties"] is False, name


# --- every rejection by name ------------------------------------------------------------------------------------------

PROVOKED: dict[str, list[Any]] = {
    "reply_missing": ["", " ", "\n\t \r\n", "\u2003"],
    "reply_too_large": ["x" * (MAX_REPLY_BYTES + 1), " " * MAX_REPLY_BYTES + "{}", "é" * (MAX_REPLY_BYTES // 2 + 1)],
    "reply_not_json": [
        "Sure! Here is my proposal:",
        '{"type":"no_op","task_id":"t"',
        '{"type":"no_op","task_id":"t"} {}',
        "{'type':'no_op'}",
        "\x00",
        "[]",
        "1",
        "null",
        "true",
        "NaN",
        '"no_op"',
        [VALID["no_op"]],
        f'"{json.dumps(VALID["no_op"])}" is what I would say.',
        "[" * 5_000,
        '{"a":' * 10_000,
        "\ud800",
        '{"type":"no_op","task_id":"\\ud800"}',
        '{"type":"no_op",\n"reason":"a line\nbreak","task_id":"t","task_id":"other"}',
    ],
    "key_repeated": [
        '{"type":"no_op","task_id":"t","task_id":"other"}',
        '{"type":"no_op","type":"no_op","task_id":"t"}',
        '{"proposal":{"type":"no_op","task_id":"t","task_id":"other"}}',
        'Here it is: {"type":"execute_tool","task_id":"t","params":'
        '{"tool":"browser.open_profile","lead_id":"first","lead_id":"second"}}',
    ],
    "unknown_proposal": [
        {},
        {"task_id": "t"},
        {"type": "send_message", "task_id": "t"},
        {"type": "NO_OP", "task_id": "t"},
        {"type": "no_op ", "task_id": "t"},
        {"type": None, "task_id": "t"},
        {"type": ["no_op"], "task_id": "t"},
        {"type": 1},
    ],
    "unknown_tool": [
        {"type": "execute_tool", "task_id": "t", "params": {"tool": "shell.run"}},
        {"type": "execute_tool", "task_id": "t", "params": {"tool": "browser.send_message\n", "lead_id": "l"}},
        {"type": "execute_tool", "task_id": "t", "params": {"tool": "Browser.open_profile", "lead_id": "l"}},
        {"type": "execute_tool", "task_id": "t", "params": {"tool": None}},
        {"type": "execute_tool", "task_id": "t", "params": {}},
    ],
    "task_reference": [
        {"type": "no_op"},
        {**VALID["no_op"], "justification": "a new one"},
        {**VALID["create_task"], "task_id": "task-1"},
        without(VALID["create_task"], ("justification",)),
        without(VALID["execute_tool"], ("task_id",)),
    ],
    "wrong_shape": [
        {**VALID["no_op"], "task_id": 7},
        {**VALID["no_op"], "task_id": ""},
        {**VALID["no_op"], "task_id": "../etc"},
        {**VALID["no_op"], "task_id": "task-1\n"},
        {**VALID["no_op"], "task_id": "task-é"},
        {**VALID["no_op"], "extra": 1},
        {**VALID["no_op"], "params": None},
        having(VALID["create_task"], ("params", "commitments"), []),
        having(VALID["create_task"], ("params", "commitments", 0, "type"), "i_promise"),
        having(VALID["create_task"], ("params", "commitments", 0, "extra"), 1),
        having(VALID["create_task"], ("params", "commitments", 2, "step"), 7),
        having(VALID["persist_artifact"], ("params", "artifact_type"), "virus"),
        having(VALID["persist_artifact"], ("params", "artifact_key"), "../../key"),
        having(VALID["persist_artifact"], ("params", "attachment"), 1),  # not beside a content
        having(VALID["persist_artifact"], ("params",), {"artifact_type": "note", "artifact_key": "k", "attachment": 6}),
        having(VALID["no_op"], ("params", "say"), "x" * 4_001),
        *(look_up("artifacts.search", **{"since": day}) for day in ("2026-13-01", "2026-02-30", "today", "26-1-1")),
        look_up("artifacts.search", day="tomorrow"),
        look_up("artifacts.search", artifact_type="virus"),
        look_up("artifacts.show", version=0),
        look_up("leads.explain", words=""),
        look_up("leads.explain", lead_id="lead-1"),
        look_up("leads.response_rates", field="x" * 81),
        look_up("facts.look_up", topic="secrets"),
        look_up("campaign.pause", campaign_id="another"),
        look_up("campaign.continue", now=True),
        having(VALID["request_user_input"], ("params", "kind"), "password"),
    ],
}


def test_every_rejection_of_the_shape_is_provoked_here() -> None:
    assert set(PROVOKED) == SHAPE_CODES
    assert set(REJECTIONS) >= SHAPE_CODES


@pytest.mark.parametrize(
    ("code", "reply"),
    [
        pytest.param(code, reply, id=f"{code}-{n}")
        for code, replies in PROVOKED.items()
        for n, reply in enumerate(replies)
    ],
)
def test_a_bad_reply_is_rejected_by_its_name(code: str, reply: Any) -> None:
    answer = parse(reply if isinstance(reply, str) else json.dumps(reply))
    assert isinstance(answer, Rejection)
    assert answer.code == code
    assert answer.sentence


def test_a_rejection_of_the_shape_says_where_and_stays_short() -> None:
    answer = parse(json.dumps({**VALID["no_op"], "x" * 5_000: 1}))
    assert isinstance(answer, Rejection)
    assert "xxx" in answer.sentence
    assert len(answer.sentence) < 500


# --- any text ---------------------------------------------------------------------------------------------------------

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from(list(VALID)),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["type", "task_id", "params", "tool", "lead_id", "x"]), inner, max_size=5)
    ),
    max_leaves=12,
)
_ANY_CHARACTER = st.text(st.characters(codec=None))


@given(_ANY_CHARACTER)
@example("\ud800")
@example("{" * 100_000)
@example('{"type":"no_op","task_id":"t","rationale":"\udcff"}')
def test_no_text_at_all_breaks_the_reading(raw: str) -> None:
    answer = parse(raw)
    if isinstance(answer, Rejection):
        assert answer.code in SHAPE_CODES
    else:
        assert answer.type in VALID


@given(_JSON)
def test_no_json_value_breaks_the_reading(value: Any) -> None:
    answer = parse(json.dumps(value))
    if isinstance(answer, Rejection):
        assert answer.code in SHAPE_CODES
    else:
        # what was accepted says the same as what was written: nothing was dropped or turned into something else
        written = json.loads(PROPOSAL.dump_json(answer, exclude_unset=True))
        assert written == value


@given(st.sampled_from(sorted(VALID)), st.integers(0, 500), st.integers(1, 30), _ANY_CHARACTER)
def test_a_valid_proposal_with_a_hole_or_a_stain_never_breaks_the_reading(
    name: str, at: int, length: int, stain: str
) -> None:
    text = json.dumps(VALID[name])
    at = min(at, len(text))
    answer = parse(text[:at] + stain + text[at + length :])
    assert isinstance(answer, Rejection) or answer.type in VALID


# --- any single mutation of a valid proposal --------------------------------------------------------------------------

_PLACES = [(name, path) for name, value in VALID.items() for path in places(value)]
_OBJECTS = [(name, ()) for name in VALID] + [(n, p) for n, p in _PLACES if isinstance(get(VALID[n], p), dict)]


def _is_optional(name: str, path: tuple[str | int, ...]) -> bool:
    dotted = ".".join(map(str, path))
    return dotted in OPTIONAL or f"{name}/{dotted}" in OPTIONAL


@pytest.mark.parametrize(("name", "path"), _PLACES)
def test_a_proposal_that_lacks_a_required_field_is_rejected(name: str, path: tuple[str | int, ...]) -> None:
    spoiled = without(VALID[name], path)
    if isinstance(path[-1], int):  # one of a list's items: the list may be shorter
        assert code_of(spoiled) == ""
    else:
        assert bool(code_of(spoiled)) != _is_optional(name, path)


@pytest.mark.parametrize(("name", "path"), _OBJECTS)
@pytest.mark.parametrize("field", ["extra", "Type", "url", "", "__class__", "status"])
def test_a_proposal_with_a_field_nobody_knows_is_rejected(name: str, path: tuple[str | int, ...], field: str) -> None:
    if field not in get(VALID[name], path):
        assert code_of(having(VALID[name], (*path, field), "x"))


_CALLS = VALID | {name: look_up(name) for name in LOOK_UPS}


@pytest.mark.parametrize(("name", "path"), [(name, path) for name, call in _CALLS.items() for path in places(call)])
def test_a_proposal_with_a_value_of_another_type_is_rejected_and_never_coerced(
    name: str, path: tuple[str | int, ...]
) -> None:
    now = get(_CALLS[name], path)
    others: list[Any] = [None, True, 1, 0, 1.5, "true", "1", "", [], {}, [now], {"value": now}, str(now).upper()]
    for other in others:
        same_kind = type(other) is type(now)
        nothing = other is None and (path == ("rationale",) or name in LOOK_UPS)
        if same_kind or nothing:
            continue
        assert code_of(having(_CALLS[name], path, other)), f"{path} = {other!r}"


@given(st.sampled_from(_PLACES), st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False))
def test_no_number_null_or_truth_value_stands_in_for_a_text(
    field: tuple[str, tuple[str | int, ...]], other: bool | float | None
) -> None:
    name, path = field
    if isinstance(get(VALID[name], path), bool) or (path == ("rationale",) and other is None):
        return
    assert code_of(having(VALID[name], path, other))


@pytest.mark.parametrize("claim", ["true", "yes", 1, 0, "1", None, [True], 1.0])
def test_a_claim_of_completion_is_a_truth_value_and_nothing_that_resembles_one(claim: Any) -> None:
    assert code_of(having(VALID["no_op"], ("params", "claims_done"), claim)) == "wrong_shape"


@pytest.mark.parametrize("name", [name for name in VALID if name != "create_task"])
def test_a_proposal_names_a_task_and_does_not_justify_another(name: str) -> None:
    assert code_of(without(VALID[name], ("task_id",))) == "task_reference"
    assert code_of({**VALID[name], "justification": "new"}) == "task_reference"
    assert code_of({**without(VALID[name], ("task_id",)), "justification": "new"}) == "task_reference"


def test_a_new_task_is_justified_and_names_no_other() -> None:
    assert code_of(without(VALID["create_task"], ("justification",))) == "task_reference"
    assert code_of({**VALID["create_task"], "justification": ""}) == "wrong_shape"
    assert code_of({**VALID["create_task"], "task_id": "task-1"}) == "task_reference"


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("other", TOOLS)
def test_a_tool_does_not_take_the_parameters_of_another(tool: str, other: str) -> None:
    call = having(tool_call(other), ("params", "tool"), tool)
    assert (code_of(call) == "") == (TOOLS[tool] == TOOLS[other])


# --- sizes ------------------------------------------------------------------------------------------------------------

LIMITS: list[tuple[str, tuple[str | int, ...], int]] = [
    ("no_op", ("task_id",), 40),
    ("no_op", ("rationale",), 1_000),
    ("create_task", ("justification",), 500),
    ("create_task", ("rationale",), 1_000),
    ("create_task", ("params", "description"), 500),
    ("create_task", ("params", "preconditions", 0), 40),
    ("create_task", ("params", "commitments", 0, "artifact_key"), 64),
    ("create_task", ("params", "commitments", 0, "artifact_type"), 40),
    ("create_task", ("params", "commitments", 1, "lead_id"), 40),
    ("create_task", ("params", "commitments", 2, "step"), 32),
    ("execute_tool", ("params", "lead_id"), 40),
    ("execute_tool", ("params", "message_id"), 40),
    ("generate_message", ("params", "lead_id"), 40),
    ("generate_message", ("params", "step"), 32),
    ("generate_message", ("params", "text"), 8_000),
    ("request_user_input", ("params", "question"), 500),
    ("request_user_input", ("params", "choices", 0), 500),
    ("persist_artifact", ("params", "artifact_key"), 64),
    ("persist_artifact", ("params", "content"), 50_000),
]


@pytest.mark.parametrize(("name", "path", "limit"), LIMITS, ids=str)
def test_a_text_may_be_as_long_as_its_limit_and_not_one_longer(
    name: str, path: tuple[str | int, ...], limit: int
) -> None:
    assert code_of(having(VALID[name], path, "a" * limit)) == ""
    assert code_of(having(VALID[name], path, "a" * (limit + 1))) == "wrong_shape"


@pytest.mark.parametrize(
    ("name", "path", "limit"),
    [
        ("create_task", ("params", "preconditions"), 20),
        ("create_task", ("params", "commitments"), 10),
        ("request_user_input", ("params", "choices"), 10),
    ],
)
def test_a_list_may_be_as_long_as_its_limit_and_not_one_longer(
    name: str, path: tuple[str | int, ...], limit: int
) -> None:
    item = get(VALID[name], path)[0]
    assert code_of(having(VALID[name], path, [item] * limit)) == ""
    assert code_of(having(VALID[name], path, [item] * (limit + 1))) == "wrong_shape"


@pytest.mark.parametrize("path", [path for name, path in _PLACES if name == "no_op" and path != ("params",)])
def test_an_empty_text_is_not_an_id(path: tuple[str | int, ...]) -> None:
    if path != ("rationale",):
        assert code_of(having(VALID["no_op"], path, ""))


@pytest.mark.parametrize("letter", ["a", "é", "漢", "😀"])
def test_the_size_of_a_reply_is_counted_in_bytes_of_utf_8(letter: str) -> None:
    frame = '{"type":"no_op","task_id":"t"}'
    content = letter * ((MAX_REPLY_BYTES - len(frame)) // len(letter.encode()))
    padded = frame.replace("{", "{" + " " * (MAX_REPLY_BYTES - len(frame)), 1)
    assert len(padded.encode()) == MAX_REPLY_BYTES
    assert code_of(padded) == ""
    assert code_of(padded + " ") == "reply_too_large"
    assert code_of(content + frame) != "reply_too_large"
    assert code_of(content + letter + frame) == "reply_too_large"


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Nothing that other tests left is collected at the deepest point, where its finalizers would have no room."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("depth", [10, 100, 1_000, 10_000])
@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_deep_nesting_is_a_wrong_shape_or_no_json_and_never_an_exception(depth: int, pair: str) -> None:
    opening = "[" if pair == "[]" else '{"a":'
    closing = "]" if pair == "[]" else "}"
    nest = opening * depth + "1" + closing * depth
    assert code_of(f'{{"type":"no_op","task_id":"t","params":{nest}}}') in {"wrong_shape", "reply_not_json"}


@given(st.sampled_from(sorted(VALID)))
@settings(max_examples=20)
def test_a_proposal_cannot_be_altered_once_it_was_read(name: str) -> None:
    proposal = parse(json.dumps(VALID[name]))
    assert not isinstance(proposal, Rejection)
    with pytest.raises(ValueError, match="frozen"):
        proposal.rationale = "another"  # type: ignore[misc]
