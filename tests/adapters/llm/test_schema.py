"""The schema a model is given: closed, small, accepted by strict providers, and exactly what `parse` and the judge accept."""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import settings as examples
from hypothesis import strategies as some

from backend.adapters.llm.schema import Schema, proposal_schema
from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.model.sequence import DueAction, DueStep, Step
from backend.domain.model.task import ActionFamily, TaskKind, TaskStatus
from backend.domain.turn import proposals as shapes
from backend.domain.turn.proposals import Proposal, Rejection, parse
from backend.domain.turn.snapshot import Focus, Request, Snapshot
from backend.turn.load import TOOLS_FOR
from tests.domain import samples
from tests.fakes.campaign import Noted, Stage

KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "anyOf", "enum", "items",
    "minLength", "maxLength", "pattern", "minItems", "maxItems", "minimum", "maximum",
}  # fmt: skip


def fits(schema: Schema, value: Any) -> bool:
    """A validator of the few keywords that our schemas use."""
    if "anyOf" in schema:
        return any(fits(option, value) for option in schema["anyOf"])
    match schema["type"]:
        case "object":
            properties = schema["properties"]
            return (
                isinstance(value, dict)
                and set(value) == set(properties)
                and all(fits(properties[name], member) for name, member in value.items())
            )
        case "array":
            most, least = schema.get("maxItems", len(value)), schema.get("minItems", 0)
            return (
                isinstance(value, list) and least <= len(value) <= most and all(fits(schema["items"], v) for v in value)
            )
        case "string":
            longest = schema.get("maxLength", 10**9)
            return isinstance(value, str) and value in schema.get("enum", [value]) and len(value) <= longest
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case _:
            return isinstance(value, int) and schema.get("minimum", value) <= value <= schema.get("maximum", value)


def values(schema: Schema) -> some.SearchStrategy[Any]:
    """Everything that the schema accepts."""
    if "anyOf" in schema:
        return some.one_of([values(option) for option in schema["anyOf"]])
    if "enum" in schema:
        return some.sampled_from(schema["enum"])
    match schema["type"]:
        case "object":
            return some.fixed_dictionaries(
                {name: values(property_schema) for name, property_schema in schema["properties"].items()}
            )
        case "array":
            return some.lists(
                values(schema["items"]), min_size=schema.get("minItems", 0), max_size=min(schema.get("maxItems", 3), 3)
            )
        case "string" if "{4}-" in schema.get("pattern", ""):  # no schema can say which days a month has
            return some.dates().map(str)
        case "string" if "pattern" in schema:
            matching: some.SearchStrategy[str] = some.from_regex(str(schema["pattern"]), fullmatch=True)
            # Regular expressions differ in what a word's letter is: "²" is one here and none to pydantic.
            return matching.filter(
                lambda text: len(text) <= schema["maxLength"] and text.isprintable() and any(map(_plain, text))
            )
        case "string":
            texts = some.text(min_size=schema.get("minLength", 0), max_size=min(schema["maxLength"], 200))
            return texts.filter(lambda text: not text or any(map(str.isalnum, text)))
        case "boolean":
            return some.booleans()
        case "null":
            return some.none()
        case "integer":
            return some.integers(schema.get("minimum"), schema.get("maximum"))
        case kind:
            raise AssertionError(kind)


def _plain(letter: str) -> bool:
    return letter.isalpha() or letter.isdecimal()


def parts(schema: Any) -> Iterator[Schema]:
    if isinstance(schema, dict):
        if "type" in schema or "anyOf" in schema:
            yield schema
        for name, value in schema.items():
            yield from (
                (part for child in value.values() for part in parts(child)) if name == "properties" else parts(value)
            )
    elif isinstance(schema, list):
        for element in schema:
            yield from parts(element)


@pytest.fixture(scope="module")
def shown() -> Iterator[list[Snapshot]]:
    """Every snapshot of a whole campaign."""
    with tempfile.TemporaryDirectory() as folder:
        stage = Stage(Path(folder))
        snapshots: list[Snapshot] = []
        stage.run(stage.campaign(8), proposer=Noted(ScriptedProposer(), snapshots.append))
        stage.close()
        yield snapshots


def snapshot(focus: Focus, tools: tuple[str, ...] = ()) -> Snapshot:
    return Snapshot(samples.campaign(), (focus.task,), {}, focus, tools)


def focuses() -> Iterator[Snapshot]:
    """One snapshot of each kind of focus."""
    step = Step(key="hello", kind="message", template="Hi {first_name}")
    browser = ("browser.open_profile", "browser.read_profile", "browser.read_thread", "browser.send_message")
    lead, message = samples.lead(), samples.message()
    yield snapshot(Focus(samples.task(status=TaskStatus.PENDING)))
    scoring = snapshot(Focus(samples.task(kind=TaskKind.SCORE_LEADS, lead_id=None)))
    yield replace(scoring, lead_fields=("job_title", "company_size"))
    yield snapshot(Focus(samples.task(kind=TaskKind.CUSTOM, lead_id=None)), ("browser.check_selectors",))
    asked = snapshot(Focus(samples.task(kind=TaskKind.ASSIST, lead_id=None)), TOOLS_FOR[TaskKind.ASSIST])
    yield replace(asked, request=Request("Keep this", (("a.txt", "A"),)), lead_fields=("job_title",))
    for due in DueAction:
        due_step = DueStep(due, ActionFamily.THINK, 0, step)
        yield snapshot(Focus(samples.task(), lead, message, due_step), browser)
        yield snapshot(Focus(samples.task(), lead, None, due_step), browser)


def test_every_scripted_proposal_of_a_campaign_fits_the_schema_of_its_moment(shown: list[Snapshot]) -> None:
    kinds = set()
    for snapshot_ in shown:
        proposal = json.loads(ScriptedProposer().propose(snapshot_))
        schema = proposal_schema(snapshot_)
        spelled = parse(json.dumps(proposal))
        assert not isinstance(spelled, Rejection)
        kinds.add(spelled.type)
        whole = spelled.model_dump(mode="json", exclude={"rationale"})
        assert fits(schema, {"proposal": whole}), (whole, schema)
    assert kinds >= {"select_next_task", "analyze_leads", "execute_tool", "generate_message"}


@pytest.mark.hypothesis
@pytest.mark.parametrize("snapshot_", list(focuses()))
def test_whatever_fits_the_schema_is_a_proposal(snapshot_: Snapshot) -> None:
    @examples(max_examples=60)
    @given(values(proposal_schema(snapshot_)))
    def each(value: Any) -> None:
        assume(all(_possible(rule) for rule in _ranges(value)))
        read = parse(json.dumps(value))
        assert not isinstance(read, Rejection), read
        assert parse(json.dumps(value["proposal"])) == read

    each()


def _ranges(value: Any) -> list[dict[str, Any]]:
    criteria = ((value["proposal"].get("params") or {}).get("blueprint") or {}) if isinstance(value, dict) else {}
    rules = [criterion["rule"] for criterion in criteria.get("criteria", [])] if isinstance(criteria, dict) else []
    return [rule for rule in rules if rule["rule"] == "range"]


def _possible(rule: dict[str, Any]) -> bool:
    """No schema can say that one of two bounds is there and that they are in order; `parse` does."""
    low, high = rule["low"], rule["high"]
    return (low, high) != (None, None) and (low is None or high is None or low <= high)


def test_it_is_closed_bounded_and_of_a_few_keywords(shown: list[Snapshot]) -> None:
    for snapshot_ in (*shown, *focuses()):
        schema = proposal_schema(snapshot_)
        assert schema["type"] == "object"
        for part in parts(schema):
            assert set(part) <= KEYWORDS
            if part.get("type") == "object":
                assert part["additionalProperties"] is False
                assert part["required"] == list(part["properties"])
            if part.get("type") == "string":
                assert "enum" in part or part["maxLength"] <= 8_000
        assert len(json.dumps(schema)) < (10_000 if snapshot_.lead_fields else 4_500)


def test_without_lengths_no_text_is_bounded_and_everything_else_is_as_it_was() -> None:
    for snapshot_ in focuses():
        plain = json.dumps(proposal_schema(snapshot_, lengths=False))
        assert "maxLength" not in plain
        assert "minLength" not in plain
        assert proposal_schema(snapshot_, lengths=False).keys() == proposal_schema(snapshot_).keys()


def test_it_names_only_what_is_known_and_allowed_now(shown: list[Snapshot]) -> None:
    for snapshot_ in shown:
        schema = json.dumps(proposal_schema(snapshot_))
        if snapshot_.focus.task.status is TaskStatus.PENDING:
            assert "execute_tool" not in schema
            assert "select_next_task" in schema
        else:
            assert "select_next_task" not in schema
        assert "send_" not in schema or (
            snapshot_.focus.need is not None and snapshot_.focus.need.due is DueAction.SEND
        )


def test_for_a_request_a_blueprint_is_proposed_or_nothing() -> None:
    asked = snapshot(Focus(samples.task(kind=TaskKind.ASSIST, lead_id=None)))
    asked = replace(asked, request=Request("Score"))
    assert "analyze_leads" not in json.dumps(proposal_schema(asked))
    schema = json.dumps(proposal_schema(replace(asked, lead_fields=("job_title",))))
    assert "analyze_leads" in schema
    assert '"current"' not in schema


def test_a_tool_that_is_not_offered_is_not_in_it() -> None:
    step = Step(key="hello", kind="message", template="Hi")
    focus = Focus(
        samples.task(), samples.lead(), samples.message(), DueStep(DueAction.SEND, ActionFamily.MESSAGE, 0, step)
    )
    assert "execute_tool" not in json.dumps(proposal_schema(snapshot(focus)))
    assert "browser.send_message" in json.dumps(proposal_schema(snapshot(focus, ("browser.send_message",))))


def test_every_proposal_there_is_can_be_told_to_a_model() -> None:
    """An open map or an unknown kind of field would be found here, not when a model is asked."""
    kinds = {kind.model_fields["type"].annotation.__args__[0] for kind in Proposal.__args__}
    schemas = "".join(json.dumps(proposal_schema(snapshot_)) for snapshot_ in focuses())
    assert {kind for kind in kinds if f'"{kind}"' not in schemas} == set()


def test_an_envelope_holds_a_proposal_and_nothing_else() -> None:
    inner = '{"type":"select_next_task","task_id":"t","params":{}}'
    assert not isinstance(parse(f'{{"proposal":{inner}}}'), Rejection)
    for broken in (f'{{"proposal":{inner},"more":1}}', f'{{"proposal":[{inner}]}}', '{"proposal":{"type":"shout"}}'):
        assert isinstance(parse(broken), Rejection)
    assert parse('{"proposal":{"type":"shout"}}') == shapes.reject("unknown_proposal")
    assert parse('{"proposal":{"type":"no_op"}}') == shapes.reject("task_reference")
