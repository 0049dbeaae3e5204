"""What the proposer sees: bounded, the same bytes for the same state, and no way to smuggle a conversation in."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.domain.model.campaign import Settings
from backend.domain.model.lead import Lead
from backend.domain.model.message import RejectedText
from backend.domain.model.sequence import DEFAULT_SEQUENCE, DueAction, DueStep, Sequence, Step
from backend.domain.model.task import ActionFamily, TaskKind, TaskStatus
from backend.domain.turn.snapshot import (
    MAX_AUDIT,
    MAX_LEADS,
    MAX_REJECTED,
    MAX_TASKS,
    RULES,
    Focus,
    LastTurn,
    NamedArtifact,
    RecentAction,
    Request,
    Snapshot,
)
from backend.domain.values.hidden_characters import hides, reveal
from tests.domain import samples

LIMIT = 85_000
HUGE = 100_000
MARK = "marked-by-the-test"


def snapshot(**changes: Any) -> Snapshot:
    need = DueStep(DueAction.DRAFT, ActionFamily.THINK, 0, DEFAULT_SEQUENCE.steps[1])
    plain = Snapshot(
        campaign=samples.campaign(),
        tasks=(samples.task(),),
        task_counts={"pending": 3, "done": 1},
        lead_counts={"pending": 7},
        top_leads=(("Ada King", 80), ("Grace Hopper", None)),
        recent_audit=(RecentAction("proposal", "t1", "ok", "accepted"),),
        other_tasks=(samples.task(status=TaskStatus.BLOCKED, reason="no"),),
        focus=Focus(samples.task(), samples.lead(), samples.message(), need),
        tools=("browser.read_profile",),
        last=LastTurn(1, "no_op", "rejected", "because"),
    )
    return replace(plain, **changes)


def hostile(letter: str) -> Snapshot:
    """Every text from outside as long as somebody could make it, and more of everything than there may be."""
    text = letter * HUGE
    step = Step(key="a" * 32, kind="message", template=(letter * 4_000)[:4_000])
    task = samples.task(description=text, reason=text)
    return Snapshot(
        campaign=samples.campaign(name=text, goal=text, settings=Settings(sequence=Sequence(steps=(step,)))),
        tasks=(task,) * 1_000,
        task_counts={f"{kind}/{status}": 2**53 for kind in TaskKind for status in TaskStatus},
        lead_counts=dict.fromkeys(("pending", "contacted", "responded", "rejected"), 2**53),
        top_leads=((text, 100),) * 1_000,
        recent_audit=(RecentAction("browser.send_invitation", "t123456789", text, text, text),) * 1_000,
        other_tasks=(task,) * 1_000,
        focus=Focus(
            task,
            samples.lead(full_name=text, job_title=text, company=text, profile_url=text, member_key=text),
            samples.message(text=text),
            DueStep(DueAction.DRAFT, ActionFamily.THINK, 0, step),
            rejected=(RejectedText(text, text),) * 100,
        ),
        tools=("browser.send_invitation",) * 6,
        last=LastTurn(2**53, "generate_message", "rejected", text),
        artifacts=(NamedArtifact("research", "a" * 64, 2**53, text),) * 100,
        request=Request(text, ((text, text),) * 100, (text,) * 100),
    )


def texts(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """(where, text) of every text inside."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from texts(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for inner in value:
            yield from texts(inner, path)


def test_equal_state_gives_the_same_bytes_whatever_the_order_it_was_put_together_in() -> None:
    first = snapshot(task_counts={"a": 1, "b": 2}, lead_counts={"x": 1, "y": 2})
    other = snapshot(task_counts={"b": 2, "a": 1}, lead_counts={"y": 2, "x": 1})
    assert first.to_json() == other.to_json()
    assert first.to_json() == first.to_json()


def test_equal_state_gives_the_same_bytes_in_another_process() -> None:
    program = "from tests.domain.test_snapshot import snapshot; print(snapshot().to_json(), end='')"
    root = Path(__file__).resolve().parents[2]
    for seed in ("1", "2"):
        process = subprocess.run(
            [sys.executable, "-c", program],
            cwd=root,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert process.stdout == snapshot().to_json()


def test_a_difference_that_matters_is_in_the_bytes() -> None:
    plain = snapshot().to_json()
    for other in (
        snapshot(campaign=samples.campaign(goal="Another")),
        snapshot(tasks=()),
        snapshot(lead_counts={"pending": 8}),
        snapshot(last=None),
        snapshot(tools=()),
        snapshot(focus=Focus(samples.task(reason="the promise was not kept"))),
    ):
        assert other.to_json() != plain


@pytest.mark.parametrize("letter", ["a", '"', "\\", "\n"])
def test_the_snapshot_stays_small_whatever_the_campaign_holds(letter: str) -> None:
    size = len(hostile(letter).to_json())
    assert size < LIMIT


@pytest.mark.parametrize("letter", ["é", "漢", "\0", "😀"])
def test_the_snapshot_stays_small_in_every_script_and_with_every_character(letter: str) -> None:
    size = len(hostile(letter).to_json())
    assert size < LIMIT


def test_lists_in_the_snapshot_are_bounded() -> None:
    shown = json.loads(hostile("a").to_json())
    assert len(shown["tasks"]) == MAX_TASKS
    assert len(shown["top_leads"]) == MAX_LEADS
    assert len(shown["recent_audit"]) == MAX_AUDIT
    assert len(shown["focus"]["rejected"]) == MAX_REJECTED


def test_of_many_rejected_texts_the_last_are_shown() -> None:
    before = hostile("a")
    assert before.focus is not None
    texts = [f"text {number}" for number in range(2 * MAX_REJECTED)]
    focus = before.focus._replace(rejected=tuple(RejectedText(text, "") for text in texts))
    shown = json.loads(replace(before, focus=focus).to_json())["focus"]["rejected"]
    assert [entry["data"]["text"] for entry in shown] == texts[-MAX_REJECTED:]


@given(st.text(st.characters(codec=None), max_size=300))
@settings(max_examples=50)
def test_any_text_from_outside_can_be_shown(text: str) -> None:
    task = samples.task(description=text, reason=text)
    shown = snapshot(
        tasks=(task,),
        top_leads=((text, 1),),
        focus=Focus(task, samples.lead(full_name=text)),
        last=LastTurn(1, "", "", text),
    )
    seen = json.loads(shown.to_json().encode())["top_leads"][0]["data"]  # encoded: nothing in it that is no text
    assert len(seen) <= 100
    assert not hides(seen)
    assert seen == reveal(text[:100])[:100].replace("\t", " ")


def test_there_is_no_place_for_a_conversation() -> None:
    assert {field.name for field in fields(Snapshot)} == {
        "campaign", "tasks", "other_tasks", "task_counts", "lead_counts", "top_leads", "recent_audit", "focus", "tools",
        "last", "soul", "skills", "artifacts", "request", "lead_fields",
    }  # fmt: skip
    shown = json.loads(snapshot().to_json())
    assert set(shown) == {
        "rules", "campaign", "tasks", "other_tasks", "task_counts", "lead_counts", "top_leads", "recent_audit", "focus", "tools",
        "last", "soul", "skills", "artifacts", "request", "scoring",
    }  # fmt: skip
    forbidden = {"conversation", "messages", "history", "chat", "transcript", "summary", "thread", "memory"}
    keys = {part for where, _ in texts(shown) for part in where.split(".")}
    assert not forbidden & keys


def test_what_the_agent_is_told_are_the_state_the_tasks_the_leads_summary_and_the_recent_audit() -> None:
    shown = json.loads(snapshot().to_json())
    assert shown["rules"] == list(RULES)
    assert shown["campaign"] == {"id": "camp-1", "name": "Research", "goal": "Learn", "topic": "", "status": "active"}
    assert shown["tasks"] == [
        {
            "id": "task-1",
            "kind": "reach_lead",
            "source": "task list",
            "data": "Reach out to Ada",
            "status": "in_progress",
        }
    ]
    assert shown["lead_counts"] == {"pending": 7}
    assert shown["recent_audit"] == [
        {"action": "proposal", "cause": "t1", "verdict": "accepted", "lead_id": "", "source": "audit log", "data": "ok"}
    ]
    assert shown["focus"]["owed"] == {"due": "draft", "step": "invite"}
    assert shown["last"] == {
        "proposal": "no_op", "verdict": "rejected", "source": "the turn before", "data": "because",
    }  # fmt: skip


def test_what_a_page_or_a_file_says_of_a_lead_stands_under_data_and_nowhere_else() -> None:
    outside = {"full_name": MARK, "job_title": MARK, "company": MARK}
    focus = Focus(samples.task(), samples.lead(**outside), samples.message(), None)
    shown = json.loads(snapshot(focus=focus, top_leads=((MARK, 1),)).to_json())
    places = {where for where, text in texts(shown) if MARK in text}
    assert places == {"focus.lead.data.name", "focus.lead.data.title", "focus.lead.data.company", "top_leads.data"}


def test_every_data_field_says_where_it_is_from() -> None:
    def sourceless(value: Any) -> list[Any]:
        if isinstance(value, list):
            return [field for inner in value for field in sourceless(inner)]
        if not isinstance(value, dict):
            return []
        own = [value] if "data" in value and not value.get("source") else []
        return own + [field for inner in value.values() for field in sourceless(inner)]

    assert sourceless(json.loads(hostile("a").to_json())) == []


@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\u2066", "\ufeff", "\U000e0041", "\x00", "\ud800"])
def test_a_hidden_character_reaches_the_prompt_as_its_code_point(hidden: str) -> None:
    shown = snapshot(tasks=(samples.task(description=f"a{hidden}b"),)).to_json()
    assert hidden not in shown
    assert f"a[U+{ord(hidden):04X}]b" in shown


def test_the_name_of_a_lead_in_its_tasks_description_stands_under_data_too() -> None:
    """`plan_lead` writes the name from the lead file into the description: it comes from outside like the name itself."""
    shown = json.loads(snapshot(tasks=(samples.task(description=f"Reach out to {MARK}"),)).to_json())
    places = [where for where, text in texts(shown) if MARK in text]
    assert places
    assert all("data" in where.split(".") for where in places)


def test_what_the_site_and_the_lead_never_need_to_know_of_is_not_shown() -> None:
    secret = {"profile_url": MARK, "member_key": MARK}
    focus = Focus(samples.task(), samples.lead(**secret), samples.message(text=MARK))
    shown = snapshot(focus=focus, campaign=samples.campaign(account=MARK))
    assert MARK not in shown.to_json()


def test_a_snapshot_without_a_lead_says_so() -> None:
    shown = json.loads(snapshot(focus=Focus(samples.task()), last=None).to_json())
    assert shown["focus"]["lead"] is None
    assert shown["focus"]["owed"] is None
    assert shown["last"] is None


def test_the_sample_lead_is_a_whole_lead() -> None:
    assert isinstance(samples.lead(), Lead)
