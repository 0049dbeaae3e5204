"""How the list of leads is shown: which columns, in which order, sorted by what, and the filters that were saved by name."""

from typing import Annotated, Literal

from pydantic import Field

from backend.domain.model.lead import LeadStatus
from backend.domain.values.shapes import Shape

LeadSort = Literal["priority", "name", "company", "title", "status", "activity", "position", "step", "next", "tag"]

Column = Annotated[str, Field(pattern=r"^(title|company|status|step|next|activity|score|tags|email|field:.{1,200})$")]
"""A column beside the name; `field:NAME` is a custom field."""

COLUMNS = ("title", "company", "step", "next", "activity", "score", "tags")
MOST_COLUMNS, MOST_VIEWS = 20, 30


class LeadListFilter(Shape):
    """Which leads are listed; empty means not asked for."""

    status: LeadStatus | None = None
    manual: bool = False
    blocked: bool = False
    person: Literal["", "elsewhere", "in_doubt"] = ""
    """Only people who are with another campaign, or who may be somebody that is a lead already."""
    unsure: bool = False
    """Only people of whom it is not sure what a greeting calls them."""
    company: str = Field(default="", max_length=1_000)
    tag: str = Field(default="", max_length=100)
    field: str = Field(default="", max_length=200)
    """A custom field, whose value is exactly `value`."""
    value: str = Field(default="", max_length=1_000)
    text: str = Field(default="", max_length=200)


class LeadView(LeadListFilter):
    """A filter and an order that the user saved by name."""

    name: str = Field(min_length=1, max_length=60, pattern=r"\S")
    sort: LeadSort = "priority"
    backwards: bool = False


class LeadTable(Shape):
    """The columns from left to right, the order, and the saved views."""

    columns: list[Column] = Field(default=list(COLUMNS), max_length=MOST_COLUMNS)
    sort: LeadSort = "priority"
    backwards: bool = False
    views: list[LeadView] = Field(default=[], max_length=MOST_VIEWS)
