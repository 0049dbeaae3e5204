"""What a question would be about: as long as that is the same, nothing has changed for the task."""

from backend.domain.turn.agent_questions import situation
from tests.domain.samples import lead, task


def test_where_nothing_is_due_with_a_person_the_task_says_what_it_is_about() -> None:
    waiting = task(reason="a file is missing")
    assert situation(waiting, None, None, 0) == situation(waiting, lead(), None, 0) == "a file is missing"
