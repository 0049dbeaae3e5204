"""How a campaign stands, in the words of every surface: the page, the terminal and connected programs.

One pure function decides (spec: one vocabulary of states); nothing else says what a campaign is doing or waiting for.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from backend.domain.model.campaign import STOPPED_BY_USER, CampaignStatus
from backend.domain.model.days import OffsetAt, day_and_time
from backend.domain.values.shapes import Shape


class StateName(StrEnum):
    """What a campaign is said to be."""

    NOT_STARTED = "Not started"
    ON = "On"
    WAITING_FOR_YOU = "Waiting for you"
    WAITING = "Waiting"
    PAUSED = "Paused"
    STOPPED = "Stopped"
    DONE = "Done"
    ARCHIVED = "Archived"


STATE_OF_STATUS = {
    CampaignStatus.INITIALIZING: StateName.NOT_STARTED,
    CampaignStatus.ACTIVE: StateName.ON,
    CampaignStatus.PAUSED: StateName.PAUSED,
    CampaignStatus.COMPLETED: StateName.DONE,
    CampaignStatus.ERROR: StateName.STOPPED,
}
"""What a campaign is called where no more than its recorded status is known, as in a look at the past."""


class Need(StrEnum):
    """What only the user can do."""

    APPROVE = "approve"
    SEND = "send"
    READ = "read"
    ANSWER = "answer"
    TELL_APART = "tell_apart"
    ADD_LEADS = "add_leads"
    IMPORT_AGAIN = "import_again"


NEED_WORDS: dict[Need, tuple[str, str]] = {
    Need.APPROVE: ("{n} message to approve", "{n} messages to approve"),
    Need.SEND: ("{n} person to write to", "{n} people to write to"),
    Need.READ: ("{n} reply to read", "{n} replies to read"),
    Need.ANSWER: ("{n} question to answer", "{n} questions to answer"),
    Need.TELL_APART: ("{n} question about who is who", "{n} questions about who is who"),
    Need.ADD_LEADS: ("no leads yet", "no leads yet"),
    Need.IMPORT_AGAIN: ("an interrupted import", "an interrupted import"),
}
"""How one and several of them are said."""


class StateFacts(NamedTuple):
    """What the state of a campaign is derived from; times are ms UTC.

    `needs` counts what waits for the user. `next_at` is when the next thing is done by itself, None if nothing is;
    `wait_reason` says what keeps it from being done sooner. `incident` says what stopped the account. `unreachable` says what
    blocks most of its people where nobody can be written to, now or later.
    """

    status: CampaignStatus
    now: int
    offset_at: OffsetAt
    status_reason: str = ""
    is_archived: bool = False
    incident: str = ""
    needs: Mapping[Need, int] = MappingProxyType({})
    next_at: int | None = None
    wait_reason: str = ""
    unreachable: str = ""


class CampaignState(Shape):
    """What a campaign is doing or waiting for: `detail` says more, `remedy` what the user can do about it; either may be empty.

    `until` (ms UTC): when it goes on by itself.
    """

    name: StateName
    detail: str
    remedy: str
    until: int | None

    @property
    def sentence(self) -> str:
        """All of it, for a line of text."""
        return ": ".join(part for part in (self.name, " ".join(filter(None, (self.detail, self.remedy)))) if part)


_CONTINUE = "Continue it when you want it to go on."


def campaign_state(facts: StateFacts) -> CampaignState:
    """The one state that a campaign is in: what stopped it, else what waits for the user, else what comes by itself."""
    needs = needs_said(facts.needs)
    if facts.is_archived:
        return _state(StateName.ARCHIVED, "", "Bring it back to go on.")
    if facts.incident:
        return _state(StateName.STOPPED, _sentence(facts.incident), "Check the site, then clear it with a reason.")
    if facts.status is CampaignStatus.ERROR:
        return _state(StateName.STOPPED, _sentence(facts.status_reason), "Say why it is safe to continue.")
    if facts.status is CampaignStatus.INITIALIZING and not needs:
        return _state(StateName.NOT_STARTED, "", "Start it; nothing is sent until you approve it.")
    if facts.status is CampaignStatus.PAUSED:
        by = "By you." if facts.status_reason == STOPPED_BY_USER else _sentence(facts.status_reason)
        return _state(StateName.PAUSED, " ".join(filter(None, (by, needs))), _CONTINUE)
    if facts.status is CampaignStatus.COMPLETED and not needs:
        return _state(StateName.DONE, "", "")
    if facts.status is CampaignStatus.ACTIVE and facts.status_reason:
        return _state(
            StateName.WAITING_FOR_YOU, " ".join(filter(None, (_sentence(facts.status_reason), needs))), _CONTINUE
        )
    if facts.status is CampaignStatus.ACTIVE and facts.next_at is not None and facts.next_at <= facts.now:
        return _state(StateName.ON, needs, "")
    if needs:
        return _state(StateName.WAITING_FOR_YOU, needs, "")
    if facts.next_at is None and facts.unreachable:
        return _state(
            StateName.WAITING_FOR_YOU, f"Nobody can be written to: {facts.unreachable}.", "Look at them in Leads."
        )
    if facts.next_at is None:
        return _state(StateName.ON, "Nothing is planned now.", "")
    until = f"Until {day_and_time(facts.next_at, facts.now, facts.offset_at)}"
    return _state(
        StateName.WAITING, f"{until}: {facts.wait_reason}" if facts.wait_reason else f"{until}.", "", facts.next_at
    )


def needs_said(needs: Mapping[Need, int]) -> str:
    """What waits for the user, as a sentence: "2 replies to read, 1 question to answer."; empty if nothing does."""
    phrases = [NEED_WORDS[need][count > 1].format(n=count) for need, count in needs.items() if count]
    return f"{', '.join(phrases)}." if phrases else ""


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}." if words else ""


def _state(name: StateName, detail: str, remedy: str, until: int | None = None) -> CampaignState:
    return CampaignState(name=name, detail=detail, remedy=remedy, until=until)
