"""When the user was last here: a visit goes on while Outrider is used, and ends when it was not for a while."""

from pydantic import Field

from backend.domain.model.campaign import MINUTE
from backend.domain.values.shapes import Shape

ABSENCE = 30 * MINUTE
"""Who did not use Outrider for longer has been away."""
KEPT_EVERY = 5 * MINUTE
"""How exactly a visit is kept while it lasts: no more often than this is anything written."""


class LastUse(Shape):
    """When Outrider was used (ms UTC of this machine), and the number of each campaign's last event then."""

    at: int
    events: dict[str, int]


class Visit(Shape):
    """The current visit, as far as it has come, and how the one before it ended."""

    last: LastUse
    before: LastUse | None = Field(default=None)


def end_of_last(visit: Visit | None, now: int) -> LastUse | None:
    """When the user was last here before this visit, which may be about to begin; None if that is not known."""
    if visit is None:
        return None
    return visit.last if now - visit.last.at > ABSENCE else visit.before


def is_worth_keeping(visit: Visit | None, at: int) -> bool:
    """Whether a use at that time (ms UTC) says something new; also after the clock was set back."""
    return visit is None or not 0 <= at - visit.last.at < KEPT_EVERY


def continued(visit: Visit | None, use: LastUse) -> Visit:
    """The visit with this use: the same one, or a new one after an absence."""
    return Visit(last=use, before=end_of_last(visit, use.at))
