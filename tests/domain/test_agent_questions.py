"""What a question would be about: as long as that is the same, nothing has changed for the task."""

import pytest

from backend.domain.model.variables import in_words
from backend.domain.turn.agent_questions import situation
from tests.domain.samples import lead, task


def test_where_nothing_is_due_with_a_person_the_task_says_what_it_is_about() -> None:
    waiting = task(reason="a file is missing")
    assert situation(waiting, None, None, 0) == situation(waiting, lead(), None, 0) == "a file is missing"


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (
            "“Invite” uses their first name ({first_name}), which is unsure.",
            "“Invite” uses their first name, which is unsure.",
        ),
        (
            "What should “Invite” say for {job_title}?",
            "What should “Invite” say for “job title”?",
        ),
        ("What is new ({neue Stelle})?", "What is new (“neue Stelle”)?"),
        ("Shown ({na\u200bme})?", "Shown (“na\u200bme”)?"),
        (
            "For {topic}? Not this: {topic} is left.",
            "For “topic”? Not this: {topic} is left.",
        ),
        ("Yes or no?", "Yes or no?"),
    ],
)
def test_a_question_is_shown_in_words_without_the_name_by_which_its_answer_is_found(question: str, words: str) -> None:
    assert in_words(question) == words
