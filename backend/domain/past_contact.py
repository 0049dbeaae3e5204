"""What a lead file says of how the user and a person were in touch before: who is left aside unless asked for."""

from typing import NamedTuple

ANSWERED, WRITTEN_TO, INVITED = "answered_before", "written_to_before", "invited_before"
BEFORE = {
    ANSWERED: "By the file they came with, they have already written to you.",
    WRITTEN_TO: "By the file they came with, you have already written to them.",
    INVITED: "By the file they came with, they have already been invited, or have invited you.",
}
"""What a lead is blocked by that was in touch before, and what is said of it."""


class PastContact(NamedTuple):
    """When each last happened, as an ISO date; empty when it did not, or nobody says when."""

    answered: str | None = None
    written_to: str | None = None
    invited: str | None = None

    @property
    def kind(self) -> str:
        """The closest that they came."""
        if self.answered is not None:
            return ANSWERED
        return WRITTEN_TO if self.written_to is not None else INVITED

    @property
    def words(self) -> str:
        """All of it, for a person."""
        said = (("they wrote", self.answered), ("you wrote", self.written_to), ("invited", self.invited))
        return "; ".join(f"{what} {day}".strip() for what, day in said if day is not None)

    def and_also(self, other: "PastContact") -> "PastContact":
        """Both together; of two days the later one."""
        return PastContact(*(max(mine or "", its or "") if mine is not None or its is not None else None
                             for mine, its in zip(self, other, strict=True)))  # fmt: skip
