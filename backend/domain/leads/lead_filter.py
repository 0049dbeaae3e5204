"""Which people of a lead file a campaign takes: by title, company, tag, and contact with other campaigns."""

from pydantic import Field

from backend.domain.people.lead_row import LeadRow
from backend.domain.values.latin import as_typed
from backend.domain.values.shapes import Shape

LONGEST_FILTER = 200


class LeadFilter(Shape):
    """A person must meet every condition that is not empty. Case and accents do not count.

    Whoever refused according to the file is always taken, for the do-not-contact list.
    """

    title: str = Field(default="", max_length=LONGEST_FILTER)
    """Part of the job title."""
    company: str = Field(default="", max_length=LONGEST_FILTER)
    """Part of the company's name."""
    tag: str = Field(default="", max_length=LONGEST_FILTER)
    """A whole tag."""
    not_in_touch: bool = False
    """No other campaign is or was in touch with the person."""

    def matches(self, row: LeadRow, *, in_touch: bool) -> bool:
        """Whether the campaign takes the person of this row; `in_touch`: another campaign is or was in touch with them."""
        return bool(row.refused) or (
            not (self.not_in_touch and in_touch)
            and _contains(row.job_title, self.title)
            and _contains(row.company, self.company)
            and (not self.tag.strip() or _plain(self.tag) in map(_plain, row.tags))
        )


EVERYBODY = LeadFilter()


def _contains(text: str | None, part: str) -> bool:
    return not part or _plain(part) in _plain(text or "")


def _plain(text: str) -> str:
    return as_typed(text.strip())
