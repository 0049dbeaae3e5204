"""What every action handler promises the loop, in its own format; the stored reply is what was received, byte for byte."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.domain.turn.proposals import NoOp, Rejection, parse
from backend.domain.turn.reply_parser import FencedReplyParser, JsonReplyParser, ParsedReply, ReplyParser
from backend.turn.turn_record import KEPT_REPLY
from tests.domain.proposal_texts import LOOK_UPS, VALID, look_up
from tests.fakes.stages import stage, stages
from tests.runtime.assistant.conftest import Saying, Talk

__all__ = ["stage", "stages"]


def bare(proposal: str) -> str:
    return proposal


def fenced(proposal: str) -> str:
    return f"Let me see {{}}.\r\n\n```json\n{proposal}\n```\nThat is all “I” do.\t"


def backwards(proposal: str) -> str:
    return proposal[::-1]


class BackwardsParser:
    """A format that nobody but a test knows."""

    name = "backwards"

    def read(self, raw: str) -> ParsedReply:
        return JsonReplyParser().read(raw[::-1])


FORMATS: dict[str, tuple[ReplyParser, Callable[[str], str]]] = {
    "json": (JsonReplyParser(), bare),
    "fenced": (FencedReplyParser(), fenced),
    "backwards": (BackwardsParser(), backwards),
}
PROPOSALS = {**VALID, **{name: look_up(name) for name in LOOK_UPS}}
each = pytest.mark.parametrize("format_", FORMATS)


@pytest.fixture
def talk(stage: Any) -> Talk:
    return Talk(stage, stage.campaign(3))


@each
@pytest.mark.parametrize("name", PROPOSALS)
def test_a_proposal_in_its_format_is_the_proposal(format_: str, name: str) -> None:
    handler, spell = FORMATS[format_]
    text = json.dumps(PROPOSALS[name])
    assert handler.read(spell(text)).proposal == parse(text)


@each
@pytest.mark.parametrize("name", PROPOSALS)
def test_only_a_no_op_is_followed_by_nothing(format_: str, name: str) -> None:
    handler, spell = FORMATS[format_]
    action = handler.read(spell(json.dumps(PROPOSALS[name])))
    assert action.wants_another_turn is not isinstance(action.proposal, NoOp)


@each
@given(raw=st.text())
def test_no_text_makes_it_raise_and_what_is_no_proposal_wants_another(format_: str, raw: str) -> None:
    handler, spell = FORMATS[format_]
    for text in (raw, spell(raw)):
        action = handler.read(text)
        assert isinstance(action.proposal, Rejection)
        assert (action.wants_another_turn, action.words) == (True, ())


@each
@pytest.mark.parametrize(
    "raw", ["", "\n ", "\ud800", "\x00", "```json\n```", "null", "{" * 9_000, "a" * 70_000, "ä" * 40_000]
)
def test_what_is_wrong_has_its_code(format_: str, raw: str) -> None:
    handler, _ = FORMATS[format_]
    rejection = handler.read(raw).proposal
    assert isinstance(rejection, Rejection)
    assert rejection.code in ("reply_missing", "reply_not_json", "reply_too_large")


@each
def test_the_words_are_those_that_were_said(format_: str) -> None:
    handler, spell = FORMATS[format_]
    words_said = "  “Yes”\r\n\u2028 ok\t"
    raw = spell(json.dumps({"type": "no_op", "task_id": "t", "params": {"say": words_said}}))
    words = handler.read(raw).words
    assert words[-1] == words_said
    assert all(part in raw for part in words[:-1])
    assert words[:-1] == (("Let me see {}.\r\n\n", "That is all “I” do.\t") if format_ == "fenced" else ())


@pytest.mark.parametrize(
    "raw",
    [
        json.dumps(VALID["no_op"]),
        "Only words.",
        f"```json\n{json.dumps(VALID['no_op'])}\n```\n```json\n{json.dumps(VALID['no_op'])}\n```",
        f"```\n{json.dumps(VALID['no_op'])}\n```",
        f"say ```json\n{json.dumps(VALID['no_op'])}\n```",
        f"```json\n{json.dumps(VALID['no_op'])}",
    ],
)
def test_a_fenced_reply_has_exactly_one_block(raw: str) -> None:
    action = FencedReplyParser().read(raw)
    assert isinstance(action.proposal, Rejection)
    assert action.proposal.code == "reply_not_json"
    assert action.words == ()


@each
def test_the_loop_is_the_same_with_either(talk: Talk, format_: str) -> None:
    handler, spell = FORMATS[format_]
    talk.handler = handler
    model = Saying(
        [
            lambda snapshot: spell(json.dumps({**look_up("artifacts.search"), "task_id": snapshot.focus.task.id})),
            lambda snapshot: spell(json.dumps({"type": "no_op", "task_id": snapshot.focus.task.id})),
        ]
    )
    request = talk.tell("list them", proposer=model)
    assert talk.status(request)[0] == "done"
    assert [result["kind"] for result in talk.results(request)] == ["artifacts"]
    texts = [text for author, _, text, _ in talk.lines(request) if author == "model"]
    assert texts == (["Let me see {}.\r\n\n", "That is all “I” do.\t"] * 2 if format_ == "fenced" else [])


WEIRD = [
    "a\r\nb\rc\n\n",
    "\x00\x01\x7f\x85",
    "\ud800 half \udfff",
    "\ufeff{}",
    "ä" * 9,
    "\U0001d4b3" * 9,
    "x" * (KEPT_REPLY - 1),
]


@each
@pytest.mark.parametrize("raw", WEIRD, ids=range(len(WEIRD)))
def test_the_reply_on_record_is_the_one_received(talk: Talk, format_: str, raw: str) -> None:
    talk.handler = FORMATS[format_][0]
    request = talk.tell("go", proposer=Saying([raw]))
    asked = 1 if talk.status(request)[0] == "done" else 3  # words are said once; all else is refused three times
    assert talk.raw(request) == [raw] * asked == talk.replies


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(raw=st.text(st.characters(exclude_categories=())))
def test_any_reply_is_on_record_as_received(talk: Talk, raw: str) -> None:
    request = talk.tell("go", proposer=Saying([raw]))
    assert set(talk.raw(request)) == {raw}
