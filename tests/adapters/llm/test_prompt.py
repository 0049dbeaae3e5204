"""The prompt: the same state the same bytes, complete in itself, bounded, and what is left out goes in a fixed order."""

import itertools
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from backend.adapters.llm.prompt import TOKENS, Prompt, compose, tokens
from backend.domain.model.message import RejectedText
from backend.domain.model.sequence import DEFAULT_SEQUENCE, DueAction, DueStep
from backend.domain.model.task import ActionFamily, TaskKind, TaskStatus
from backend.domain.turn.snapshot import RULES, Focus, Instruction, NamedArtifact, Request, Snapshot
from backend.domain.values.errors import OutriderError
from tests.domain import samples
from tests.domain.test_snapshot import hostile, snapshot

GOLDEN = Path(__file__).parent / "prompts"
SCHEMA = {"type": "object"}
SOUL = "I am careful and short."
SKILLS = (
    Instruction("invitations", "1.0", "Name one thing you share."),
    Instruction("tone", "2.1", "No exclamation marks."),
)
POSTING = NamedArtifact("job_posting", "acme", 2, "Backend engineer,\nBerlin")
_, INVITE, HELLO, _ = DEFAULT_SEQUENCE.steps
REJECTED = (RejectedText("Hi Ada!", ""), RejectedText("Dear Ada", "Too formal"))


def about(due: DueAction, step: object = INVITE) -> Focus:
    return Focus(samples.task(), samples.lead(), samples.message(), DueStep(due, ActionFamily.THINK, 0, step))  # type: ignore[arg-type]


MOMENTS = {
    "select": snapshot(focus=Focus(samples.task(status=TaskStatus.PENDING))),
    "visit": snapshot(focus=about(DueAction.VISIT)),
    "draft_note": snapshot(focus=about(DueAction.DRAFT), soul=SOUL, skills=SKILLS, artifacts=(POSTING,)),
    "draft_message": snapshot(focus=about(DueAction.DRAFT, HELLO), soul=SOUL),
    "draft_another": snapshot(focus=about(DueAction.DRAFT)._replace(rejected=REJECTED)),
    "send": snapshot(focus=about(DueAction.SEND)),
    "score": snapshot(focus=Focus(samples.task(kind=TaskKind.SCORE_LEADS, lead_id=None))),
    "custom": snapshot(focus=Focus(samples.task(kind=TaskKind.CUSTOM, lead_id=None)), last=None),
    "request": snapshot(
        focus=Focus(samples.task(kind=TaskKind.CUSTOM, lead_id=None)),
        request=Request("Save this posting.", (("posting.txt", "Backend engineer"),), ('{"kind":"status"}',)),
    ),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_prompt_is_the_one_that_was_reviewed(moment: str) -> None:
    """After a wanted change: `python -m tests.adapters.llm.test_prompt` writes the files again, and the diff is read."""
    assert rendered(MOMENTS[moment]) == (GOLDEN / f"{moment}.txt").read_text("utf-8")


def rendered(shown: Snapshot) -> str:
    prompt = compose(shown, SCHEMA)
    state = json.dumps(json.loads(prompt.state), indent=2, sort_keys=True, ensure_ascii=False)
    return f"{prompt.system}\n\n=== state ===\n{state}\n"


def test_the_same_state_gives_the_same_bytes_in_another_process() -> None:
    program = (
        "from tests.adapters.llm.test_prompt import *; import sys;"
        "p = compose(MOMENTS['draft_note'], SCHEMA); print(p.system + p.state, end='')"
    )
    mine = compose(MOMENTS["draft_note"], SCHEMA)
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True,
            cwd=Path(__file__).resolve().parents[3],
        )  # fmt: skip
        assert run.stdout == mine.system + mine.state


@pytest.mark.parametrize("moment", MOMENTS)
def test_each_prompt_has_all_rules_whatever_came_before(moment: str) -> None:
    """REQ-DET-001: nothing is left to be remembered."""
    first = compose(MOMENTS[moment], SCHEMA)
    for other in MOMENTS.values():
        compose(other, SCHEMA)
    again = compose(MOMENTS[moment], SCHEMA)
    assert first == again
    shown = MOMENTS[moment]
    assert all(words in again.system for words in (*RULES, shown.soul, *(skill.text for skill in shown.skills)))
    assert MOMENTS[moment].focus.task.id in again.system + again.state


@pytest.mark.parametrize("letter", ["a", '"', "é", "漢", "😀"])
def test_it_stays_in_its_bound_whatever_the_campaign_holds(letter: str) -> None:
    huge = hostile(letter)
    skills = tuple(Instruction(f"skill {n}", "1", letter * 3_000) for n in range(4))
    for within in (TOKENS, 20_000):
        try:
            prompt = compose(_with(huge, skills), SCHEMA, within=within)
        except OutriderError as error:
            assert error.code == "prompt_too_long"  # noqa: PT017
        else:
            assert prompt.tokens <= within
    assert compose(_with(huge, skills), SCHEMA, within=210_000).left_out == ()


def _with(shown: Snapshot, skills: tuple[Instruction, ...]) -> Snapshot:
    return replace(shown, skills=skills, soul=SOUL)


def test_what_is_too_much_is_left_out_in_the_order_that_is_stated() -> None:
    request = Request("What now?", (), tuple(f'{{"n":{n}}}' + "x" * 900 for n in range(3)))
    artifacts = (POSTING, NamedArtifact("research", "market", 1, "y" * 1_400))
    shown = snapshot(soul=SOUL, skills=SKILLS, artifacts=artifacts, request=request, tasks=(samples.task(),) * 3)
    prompts: list[Prompt] = []
    whole = compose(shown, SCHEMA).tokens
    for within in range(whole, 0, -5):
        try:
            prompt = compose(shown, SCHEMA, within=within)
        except OutriderError:
            break
        if not prompts or prompts[-1].left_out != prompt.left_out:
            prompts.append(prompt)
    order = [prompt.left_out for prompt in prompts]
    assert order[-1] == (
        "recent audit", "next leads", "what is not to be done now", "other tasks", "an earlier result", "an earlier result",
        "artifact research/market", "artifact job_posting/acme", "skill tone", "skill invitations",
    )  # fmt: skip
    assert all(less[: len(more)] == more for more, less in itertools.pairwise(order))
    (newest,) = json.loads(prompts[-1].state)["request"]["results"]
    assert newest["data"].startswith('{"n":2}')


def test_rules_voice_task_and_request_are_never_left_out() -> None:
    shown = snapshot(soul=SOUL, skills=SKILLS, request=Request("Look at this", results=("1", "2", "3")))
    least = min(n for n in range(1, 4_000) if _fits(shown, n))
    prompt = compose(shown, SCHEMA, within=least)
    assert SOUL in prompt.system
    assert "Look at this" in prompt.state
    assert json.loads(prompt.state)["focus"]["task_id"] == shown.focus.task.id
    with pytest.raises(OutriderError, match="tokens"):
        compose(shown, SCHEMA, within=least - 1)


def _fits(shown: Snapshot, within: int) -> bool:
    try:
        compose(shown, SCHEMA, within=within)
    except OutriderError:
        return False
    return True


@pytest.mark.parametrize(("text", "most"), [("", 0), ("abc", 1), ("abcd", 2), ("漢", 3), ("a漢", 4), ("😀", 4)])
def test_tokens_are_never_underestimated(text: str, most: int) -> None:
    assert tokens(text) == most


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, shown in MOMENTS.items():
        (GOLDEN / f"{name}.txt").write_text(rendered(shown), "utf-8")
