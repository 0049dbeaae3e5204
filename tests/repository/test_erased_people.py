"""Who is erased is asked in one place: by `is_erased`, and in SQL by `IS_ERASED` and `NOT_ERASED`."""

import re
from pathlib import Path

BACKEND = Path(__file__).resolve().parents[2] / "backend"

ASKS = re.compile(r"(?:==|!=)\s*ERASED\b|\bfull_name[\"'\]]*\s*(?:==?|!=|<>)\s*(?:ERASED|\?|'\{ERASED\}'|'\(erased\))")


def test_nobody_compares_words_with_what_is_left_of_them() -> None:
    places = [
        str(path.relative_to(BACKEND))
        for path in sorted(BACKEND.rglob("*.py"))
        if ASKS.search(path.read_text(encoding="utf-8"))
    ]
    assert places == ["domain/erasure/erasure.py", "store/queries/people/person_leads.py"]
