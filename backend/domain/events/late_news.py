"""What late news about a lead still says: an act or a look that becomes known late sets back nothing that came after it.

Whoever records late asks here: a rebase, what was found out of an act, a user's answer, an export.
"""

import json
from collections.abc import Callable, Mapping

from backend.domain.events.facts.lead import LeadProgress
from backend.domain.model.lead import Lead, LeadStatus

_STATUSES = tuple(LeadStatus)
_SEEN_AT = ("visited_at", "invited_at", "accepted_at", "thread_read_at", "withdrawn_at")
"""The times of what tells how the account stands to somebody."""

Values = Mapping[str, object]


def _is_greater(recorded: object, news: object) -> bool:
    return isinstance(recorded, int) and isinstance(news, int) and recorded > news


def _is_less(recorded: object, news: object) -> bool:
    return _is_greater(news, recorded)


def _is_further(recorded: object, news: object) -> bool:
    return recorded in _STATUSES and news in _STATUSES and _place(recorded) > _place(news)


def _place(status: object) -> int:
    return _STATUSES.index(LeadStatus(str(status)))


def _has_more(recorded: object, news: object) -> bool:
    return _count(recorded) > _count(news)


def _count(answers: object) -> int:
    return len(json.loads(answers)) if isinstance(answers, str) else 0


_STANDS: Mapping[str, Callable[[object, object], bool]] = {
    **dict.fromkeys(
        (
            "invited_at",
            "last_sent_at",
            "replied_at",
            "visited_at",
            "thread_read_at",
            "withdrawn_at",
            "paused_until",
            "profile_updated_at",
            "sequence_step",
        ),
        _is_greater,
    ),
    **dict.fromkeys(("accepted_at", "claimed_at"), _is_less),
    "status": _is_further,
    "answers": _has_more,
}
"""By column: whether what is on record stands against the news."""

_LAST_SEEN_AT: Mapping[str, tuple[str, ...]] = {"relation": _SEEN_AT, "headline": ("profile_updated_at",)}
"""The columns that say how something stood when it was recorded, and those that tell when it was seen last."""

COLUMNS = frozenset({*_STANDS, *_LAST_SEEN_AT})
"""Those that may be told late."""


def outdated(news: Values, recorded: Values, at: int) -> set[str]:
    """The columns of a lead's news, told at a moment (ms UTC), that something later on record stands against."""
    return {name for name, value in news.items() if recorded.get(name) != value and _stands(name, news, recorded, at)}


def with_later_record(news: LeadProgress, lead: Lead, at: int) -> LeadProgress:
    """News of something earlier, told at `at`, with what is on record where it stands against them."""
    later = outdated(news, lead._asdict(), at)
    recorded: LeadProgress = {**news, **{name: getattr(lead, name) for name in later}}  # type: ignore[typeddict-item]
    return recorded


def _stands(name: str, news: Values, recorded: Values, at: int) -> bool:
    if (seen_at := _LAST_SEEN_AT.get(name)) is not None:
        return any(_is_greater(recorded.get(time), at) for time in seen_at)
    return name in _STANDS and _STANDS[name](recorded.get(name), news[name])
