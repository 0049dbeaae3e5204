"""A reply holds a proposal where exactly one whole JSON object is in it, whatever the model says around it."""

import json
import time

import pytest

from backend.domain.turn.proposals import Rejection, parse
from backend.domain.values.json_in_text import object_in, object_text, without_thoughts
from tests.domain.proposal_texts import VALID

ONE = json.dumps(VALID["no_op"])

FOUND = {
    "bare": ONE,
    "byte order mark": f"\ufeff{ONE}",
    "thoughts": f"<think>Perhaps {{\"type\": 1}}?</think>\n{ONE}",
    "thoughts, only their end": f"Perhaps this.\n</think>\n\n{ONE}",
    "thoughts twice": f"<think>a</think><think>b</think>{ONE}",
    "thinking": f"<thinking>Hm.</thinking>{ONE}",
    "empty thoughts": f"<think>\n\n</think>\n\n{ONE}",
    "fence": f"```json\n{ONE}\n```",
    "fence without a language": f"```\n{ONE}\n```",
    "fence that is not closed": f"```json\n{ONE}",
    "leading words": f"Here is the JSON you asked for:\n{ONE}",
    "trailing words": f"{ONE}\nLet me know!",
    "a placeholder in the words": f"I keep {{name}} as it is: {ONE}",
    "thoughts in brackets": f"[THINK]Perhaps {{\"type\": 1}}?[/THINK]{ONE}",
    "thoughts of Seed": f"<seed:think>Perhaps {{\"type\": 1}}?</seed:think>{ONE}",
    "thoughts of Kimi": f"\u25c1think\u25b7{{\"type\": 1}}\u25c1/think\u25b7{ONE}",
    "a fence in a fence": f"````md\n```json\n{ONE}\n```\n````",
    "the end of a turn": f"{ONE}<|im_end|>",
    "thoughts of OpenThinker": f"<|begin_of_thought|>{{\"type\": 1}}<|end_of_thought|>{ONE}",
    "channels": (
        '<|channel|>analysis<|message|>{"type": 1}<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>'
        f"{ONE}<|return|>"
    ),
    "thoughts, words, fence": f"<think>x</think>Sure!\n```json\n{ONE}\n```\nDone.",
}  # fmt: skip

NOT_FOUND = {
    "two": f"{ONE}\n{ONE}",
    "two in fences": f"```json\n{ONE}\n```\n```json\n{ONE}\n```",
    "cut off": ONE[:-1],
    "cut off, with a whole one inside": f'{{"proposal": {ONE}, ',
    "a list": f"[{ONE}]",
    "a text": json.dumps(ONE),
    "thoughts without an end": f"<think>Perhaps {ONE}",
    "thoughts in brackets without an end": f"[THINK]Perhaps {ONE}",
    "only the channel of thoughts": f"<|channel|>analysis<|message|>Perhaps {ONE}",
    "comments": ONE[:-1] + " // yes\n}",
    "a comma too many": ONE[:-1] + ",}",
    "single quotes": ONE.replace('"', "'"),
    "quotes of a word processor": ONE.replace('"', "\u201d"),
    "words of Python": ONE[:-1] + ', "score": None}',
    "thoughts of Kimi without an end": f"\u25c1think\u25b7Perhaps {ONE}",
    "words": "I would rather not.",
    "nothing": "",
    "deep": '{"a":' * 10_000,
}


@pytest.mark.parametrize("raw", FOUND.values(), ids=FOUND)
def test_one_object_is_the_proposal(raw: str) -> None:
    assert parse(raw) == parse(ONE)
    assert not isinstance(parse(raw), Rejection)


@pytest.mark.parametrize("raw", [raw.replace(ONE, f'{{"proposal": {ONE}}}') for raw in FOUND.values()], ids=FOUND)
def test_so_it_is_in_its_envelope(raw: str) -> None:
    assert parse(raw) == parse(ONE)


def test_a_line_break_within_a_text_is_read_as_written() -> None:
    raw = '{"word": "Hello,\n\tAda", "other": 1}'
    text = object_text(raw)
    assert text is not None
    assert json.loads(text) == object_in(raw) == {"word": "Hello,\n\tAda", "other": 1}
    assert object_text('{"word": "Hello,\n') is None, "one that is not whole is none"


@pytest.mark.parametrize("raw", NOT_FOUND.values(), ids=NOT_FOUND)
def test_anything_else_is_refused(raw: str) -> None:
    assert object_text(raw) is None
    assert object_in(raw) is None
    refused = parse(raw)
    assert isinstance(refused, Rejection)
    assert refused.code in ("reply_not_json", "reply_missing")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Hello.", "Hello."),
        ("<think>Hm.</think>Hello.", "Hello."),
        ("Hm.</think>Hello.", "Hello."),
        ("<think>Hm.", ""),
        ("<think>Hm.</think>So: <think>No.</think>Hello.", "Hello."),
    ],
)
def test_thoughts_are_not_said(raw: str, expected: str) -> None:
    assert without_thoughts(raw) == expected


def test_what_is_no_number_is_no_json() -> None:
    assert object_text('Sure: {"score": NaN}') is None
    assert object_text('Sure: {"score": 1, "text": "a\nb"}') is not None


@pytest.mark.parametrize(
    "part",
    [
        "<|channel|>final",
        "<|channel|> \n",
        "<|channel|>analysis",
        "</think",
        "</ ",
        "<think>",
        "[/THINK",
        "{",
        '{"',
        '{"a":',
        "{}",
        "[",
        '"',
        "\\",
        "`",
        " ",
    ],
)
def test_a_model_that_repeats_itself_for_a_megabyte_is_read_at_once(part: str) -> None:
    reply = part * (1_000_000 // len(part))
    began = time.process_time()
    object_text(reply)
    object_text(f"x{reply}{ONE}")
    assert time.process_time() - began < 5, "nothing interrupts it, and the whole app waits"
