"""An artifact is shown to the agent only when the task names it or the work needs its type."""

from dataclasses import replace

import pytest

from backend.domain.model.task import TaskKind
from backend.domain.turn.artifacts import FOR_DRAFTING, MOST_NAMED, artifact_needs, named_in
from tests.domain.samples import task

CUSTOM = task(kind=TaskKind.CUSTOM, lead_id=None)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("compare research/acme with note/plan.md.", (("research", "acme"), ("note", "plan.md"))),
        ("see “job_posting/cto-2026”, then job_posting/cto-2026", (("job_posting", "cto-2026"),)),
        ("secret/acme, research acme, notes/plan, a/note/plan, note/", ()),
        ("note/Plan", ()),
    ],
)
def test_an_artifact_is_named_by_its_type_and_key(text: str, named: tuple[tuple[str, str], ...]) -> None:
    assert named_in(text) == named


def test_no_text_names_more_than_a_few() -> None:
    assert len(named_in(" ".join(f"note/n{n}" for n in range(1_000)))) == MOST_NAMED


def test_a_task_sees_what_it_names_and_drafting_what_a_writer_should_have_read() -> None:
    assert artifact_needs(CUSTOM, drafting=False) == ((), ())
    assert artifact_needs(replace(CUSTOM, description="sum up note/plan"), drafting=False) == ((("note", "plan"),), ())
    assert artifact_needs(CUSTOM, drafting=True).types == FOR_DRAFTING


def test_a_lead_s_name_selects_nothing() -> None:
    assert artifact_needs(task(description="Reach out to note/plan"), drafting=True).named == ()
