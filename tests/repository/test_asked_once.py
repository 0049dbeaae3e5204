"""What is asked about a person is asked in one place: in SQL by the fragments of `person_leads.py`, in Python by a function."""

import re
from pathlib import Path

import pytest

BACKEND = Path(__file__).resolve().parents[2] / "backend"
FRAGMENTS = "store/queries/people/person_leads.py"

_ANY = r"(?:\w+\.|\{lead\})?"
QUESTIONS = {
    "what an erasure left": (
        r"(?:==|!=)\s*ERASED\b|\bfull_name[\"'\]]*\s*(?:==?|!=|<>)\s*(?:ERASED|\?|'\{ERASED\}'|'\(erased\))",
        {"domain/erasure/erasure.py", FRAGMENTS},
    ),
    "who is in touch": (
        rf"{_ANY}last_sent_at IS (?:NOT )?NULL\W+(?:f?\")?\W*(?:OR|AND) {_ANY}replied_at IS (?:NOT )?NULL",
        {
            FRAGMENTS,
            *(
                f"adapters/sandbox/builtin/{name}.py"
                for name in ("response_rate_by_title", "response_rate_by_industry")
            ),
        },
    ),
    "when they were last in touch": (
        rf"coalesce\({_ANY}last_sent_at, 0\), coalesce\({_ANY}replied_at, 0\)",
        {FRAGMENTS},
    ),
}
"""What asks it, and where that may stand; a built-in script reads the tables that scripts read, and imports nothing."""


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_asked_about_people_stands_in_one_place(question: str) -> None:
    asks, places = QUESTIONS[question]
    asking = re.compile(asks)
    files = {path.relative_to(BACKEND).as_posix(): path.read_text(encoding="utf-8") for path in BACKEND.rglob("*.py")}
    assert {name for name, source in files.items() if asking.search(source)} == places
