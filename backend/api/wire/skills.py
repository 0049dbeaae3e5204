"""Skills: the list, one with its exact text, and what is decided about it."""

from pydantic import Field

from backend.api.wire.base import Wire
from backend.api.wire.files import Ticket
from backend.domain.skill import Occasion, ReviewState, SkillSource


class SkillLine(Wire):
    """A skill in the store; used while it is reviewed and enabled."""

    id: str
    name: str
    description: str
    version: str
    applies_to: list[Occasion]
    source: SkillSource
    review_state: ReviewState
    enabled: bool
    updated_at: int


class SkillList(Wire):
    """All that are installed, by name."""

    rows: list[SkillLine]


class Passage(Wire):
    """A passage that whoever reviews should look at twice, and why; its line from 1."""

    line: int
    quote: str
    why: str


class SkillView(Wire):
    """A skill with SKILL.md as it is kept. `others` are files of its folder that are never used."""

    skill: SkillLine
    document: str
    source_hash: str
    others: list[str]
    passages: list[Passage]


class InstallSkill(Wire):
    """Install what lies behind this ticket: a folder, a zip, or a SKILL.md."""

    ticket: Ticket


class SkillInstalled(Wire):
    """The skill that was installed or updated; it waits for a review."""

    id: str


class ApproveSkill(Wire):
    """Exactly the content with this hash was read."""

    source_hash: str = Field(pattern=r"^[0-9a-f]{64}$")
