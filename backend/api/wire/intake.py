"""A lead file that was chosen, and one on its way into a campaign."""

from typing import Literal

from backend.api.wire.base import ErrorShape, Wire


class ChosenColumn(Wire):
    """A column of the file and the field it fills; none: its values are kept beside the lead."""

    column: str
    field: str


class ChosenRow(Wire):
    """One of the first people in the file."""

    name: str
    company: str
    job_title: str
    profile_url: str


class RefusedRow(Wire):
    """A row that cannot become a lead, and why."""

    line: int
    code: str
    reason: str


class ChosenFile(Wire):
    """What a lead file holds, before anything is imported; a few rows of each kind."""

    name: str
    format: str
    columns: list[ChosenColumn]
    good: int
    rejected: int
    rows: list[ChosenRow]
    refused: list[RefusedRow]


class IntakeState(Wire):
    """An import; `rows` were read so far, the counts are known at its end."""

    file: str
    phase: Literal["running", "done", "failed"]
    rows: int
    accepted: int = 0
    merged: int = 0
    unchanged: int = 0
    rejected: int = 0
    error: ErrorShape | None = None
