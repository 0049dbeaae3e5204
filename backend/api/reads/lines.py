"""Small things that several screens show alike."""

import json

from backend.api.wire.campaigns import GateLine, Question
from backend.domain.gates import Checked, Refusal


def gate_lines(checklist: tuple[Checked, ...]) -> list[GateLine]:
    """A checklist, open and shut."""
    return [
        GateLine(code=line.code, passes=False, sentence=line.verdict.sentence, until=line.verdict.until)
        if isinstance(line.verdict, Refusal)
        else GateLine(code=line.code, passes=True)
        for line in checklist
    ]


def question(row: tuple[str, str, str, str, int]) -> Question:
    """(id, kind, question, choices, created at) as stored."""
    id_, kind, asked, choices, at = row
    return Question(id=id_, kind=kind, question=asked, choices=json.loads(choices), created_at=at)


def occupation(headline: str, title: str, company: str) -> str:
    """The headline, or "Title, company"; the company only if the title does not name it."""
    return headline or ", ".join(part for part in (title, "" if company in title else company) if part)
