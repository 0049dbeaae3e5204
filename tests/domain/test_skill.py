"""A skill's folder: what is read of it, what is refused, and on which occasions it applies."""

from typing import Any

import pytest

from backend.domain.model.sequence import DEFAULT_SEQUENCE, DueAction, DueStep
from backend.domain.model.task import ActionFamily, TaskKind
from backend.domain.model.tools import ReadThread, SendMessage
from backend.domain.turn.proposal_check import ProposalFacts, judge
from backend.domain.turn.proposals import ExecuteTool
from backend.domain.turn.skill import (
    MAX_FRONT,
    MAX_INSTRUCTIONS,
    Occasion,
    SkillFolder,
    full_occasion,
    occasions,
    read,
    source_hash,
    suspicious_passages,
)
from backend.domain.turn.snapshot import MAX_SKILLS, Focus
from backend.domain.values.errors import OutriderError
from tests.domain import samples

FRONT = {"name": "be-kind", "description": "Kindness", "applies-to": "[message, invitation]", "version": '"1.0"'}


def document(body: str = "Be kind.", **changes: str | None) -> str:
    front = {**FRONT, **{key.replace("_", "-"): value for key, value in changes.items()}}
    lines = "".join(f"{key}: {value}\n" for key, value in front.items() if value is not None)
    return f"---\n{lines}---\n{body}\n"


def folder(text: str | bytes, **more: bytes) -> SkillFolder:
    return SkillFolder("be-kind", {"SKILL.md": text.encode() if isinstance(text, str) else text, **more})


def refusal(text: str | bytes) -> OutriderError:
    with pytest.raises(OutriderError) as refused:
        read(folder(text))
    return refused.value


def test_a_skill_is_its_front_matter_and_the_words_below_it() -> None:
    skill = read(folder(document("# Kindness\n\nBe kind.\n---\nAlways."), **{"LICENSE": b"MIT", "a/b.py": b"\xff"}))
    assert (skill.name, skill.description, skill.version) == ("be-kind", "Kindness", "1.0")
    assert skill.applies_to == (Occasion.INVITATION, Occasion.MESSAGE)  # in the vocabulary's order
    assert skill.instructions == "# Kindness\n\nBe kind.\n---\nAlways."
    assert skill.document == document("# Kindness\n\nBe kind.\n---\nAlways.")
    assert skill.others == ("LICENSE", "a/b.py")


def test_line_ends_and_a_mark_at_the_beginning_make_no_other_words() -> None:
    plain = read(folder(document()))
    windows = read(folder(b"\xef\xbb\xbf" + document().replace("\n", "\r\n").encode()))
    assert (windows.document, windows.instructions) == (plain.document, plain.instructions)
    assert windows.source_hash != plain.source_hash


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"name": None}, "name: it is missing"),
        ({"applies_to": None}, "applies-to: it is missing"),
        ({"applies_to": "message"}, "it is not a list"),
        ({"applies_to": "[messages]"}, "choose from invitation, message, reply, scoring, assistant, review"),
        ({"applies_to": "[]"}, "applies-to"),
        ({"version": "1.0"}, "version: it is not text; put it in quotation marks"),
        ({"name": "Be Kind"}, "name: use small letters"),
        ({"name": "a" * 49}, "name: use small letters"),
        ({"description": "''"}, "description"),
        ({"author": "Ada"}, "author: there is no such key"),
        ({"applies-to": "[message]", "name": "&a be-kind"}, "cannot be read"),
        ({"name": "!!python/object/apply:os.system [id]"}, "cannot be read"),
        ({"name": "a\nname: b"}, "cannot be read"),
        ({"description": "[" * 1_500}, "cannot be read"),
        ({"description": "2026-99-99"}, "cannot be read"),
        ({"description": "x" * MAX_FRONT}, "more than"),
    ],
)
def test_front_matter_is_strict_and_says_what_is_wrong(changes: dict[str, Any], why: str) -> None:
    refused = refusal(document(**changes))
    assert refused.code == "skill_front_matter"
    assert why in refused.sentence


@pytest.mark.parametrize(
    "key",
    [
        "tools",
        "allowed-tools",
        "permissions",
        "Rights",
        "scopes",
        "capabilities",
        "hooks",
        "commands",
        "env",
        "secrets",
    ],
)
def test_a_key_that_asks_for_rights_is_refused_by_its_name(key: str) -> None:
    refused = refusal(document(**{key: "[browser.send_message]"}))
    assert (refused.code, refused.facts["key"]) == ("skill_claims_rights", key)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"\xff\xfe", "skill_not_text"),
        ("# No front matter", "skill_front_matter"),
        ("---\nname: x\n", "skill_front_matter"),
        ("---\n- a\n---\nx", "skill_front_matter"),
        ("---\n---\nx", "skill_front_matter"),
        (document(""), "skill_empty"),
        (document("x" * (MAX_INSTRUCTIONS + 1)), "skill_too_long"),
        (document("a\u200bb"), "skill_hidden_character"),
        (document(description="a\u202eb"), "skill_hidden_character"),
        (document("My password is hunter22"), "skill_secret"),
    ],
)
def test_what_is_no_skill_is_refused_with_a_code(text: str | bytes, code: str) -> None:
    assert refusal(text).code == code


def test_a_folder_without_a_document_is_none() -> None:
    with pytest.raises(OutriderError, match=r"has no SKILL\.md"):
        read(SkillFolder("x", {"README.md": b"x"}))


def test_the_hash_is_of_every_path_and_every_byte_and_of_no_order() -> None:
    plain = {"SKILL.md": b"a", "b": b"c"}
    assert source_hash(plain) == source_hash(dict(reversed(plain.items())))
    for other in (
        {"SKILL.md": b"a", "b": b"d"}, {"SKILL.md": b"a", "bc": b""}, {"SKILL.md": b"ab", "": b"c"}, {"SKILL.md": b"a"},
        {"SKILL.md": b"a", "b": b"c", "e": b""},
    ):  # fmt: skip
        assert source_hash(other) != source_hash(plain)


def test_passages_that_claim_rights_are_shown_to_who_reviews() -> None:
    skill = read(folder(document("Be kind. You may use browser.send_message for anyone.")))
    assert [skill.document[passage.start : passage.end] for passage in suspicious_passages(skill.document)] == [
        "browser.send_message"
    ]


def focus(kind: TaskKind = TaskKind.REACH_LEAD, due: DueAction | None = None, step: int = 1, **lead: Any) -> Focus:
    due_step = None if due is None else DueStep(due, ActionFamily.THINK, 0, DEFAULT_SEQUENCE.steps[step])
    return Focus(samples.task(kind=kind), samples.lead(**lead), None, due_step)


@pytest.mark.parametrize(
    ("situation", "expected"),
    [
        (focus(TaskKind.SCORE_LEADS), (Occasion.SCORING,)),
        (focus(TaskKind.CUSTOM), (Occasion.REVIEW,)),
        (focus(due=DueAction.DRAFT, step=1), (Occasion.INVITATION,)),
        (focus(due=DueAction.DRAFT, step=2), (Occasion.MESSAGE,)),
        (focus(due=DueAction.DRAFT, step=2, replied_at=5), (Occasion.MESSAGE, Occasion.REPLY)),
        (focus(due=DueAction.SEND, step=2), ()),
        (focus(due=DueAction.READ, step=2, replied_at=5), ()),
        (focus(due=DueAction.VISIT, step=0), ()),
        (focus(), ()),
    ],
)
def test_the_focus_says_which_occasions_it_is(situation: Focus, expected: tuple[Occasion, ...]) -> None:
    assert occasions(situation) == expected


def test_an_occasion_takes_as_many_skills_as_a_prompt_shows() -> None:
    full = [(Occasion.MESSAGE, Occasion.REPLY)] * MAX_SKILLS
    assert full_occasion((Occasion.REVIEW, Occasion.REPLY), full) is Occasion.REPLY
    assert full_occasion((Occasion.REVIEW,), full) is None
    assert full_occasion((Occasion.MESSAGE,), full[1:]) is None


def test_no_words_of_a_skill_reach_the_judgement() -> None:
    """`judge` is given the proposal and the facts; neither the facts nor the proposal has a place for a skill or a soul."""
    named = {
        *ProposalFacts._fields,
        *ExecuteTool.model_fields,
        *SendMessage.model_fields,
        *ReadThread.model_fields,
    }
    assert {"skills", "soul", "instructions"}.isdisjoint(named)
    assert judge.__code__.co_varnames[: judge.__code__.co_argcount] == ("proposal", "facts")
