"""The channels by which people are reached: what can be looked at and done on each, by whose hand, and within which limits.

One table. Whatever asks "who sends?", "who reads?" or "how is an act without an outcome settled?" asks it here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Literal, NamedTuple

from backend.domain.model.campaign import Limits, Settings
from backend.domain.model.scoring import Blueprint
from backend.domain.model.sequence import Sequence
from backend.domain.model.task import ACTING, ActionFamily, ActKind, traits
from backend.domain.values.errors import OutriderError


class Hand(StrEnum):
    """Whose hand does it."""

    OUTRIDER = "outrider"
    USER = "user"


class Settlement(StrEnum):
    """How an intent without an outcome is settled: by looking at the world, or by the user's word."""

    OBSERVED = "observed"
    TOLD = "told"


class Act(NamedTuple):
    """Something that can be done: by whose hand, how it is settled, and how long its text may be (as the site counts)."""

    performer: Hand
    settlement: Settlement
    most_characters: int


LookKind = Literal["profile", "thread"]


@dataclass(frozen=True, slots=True)
class Channel:
    """One way to people. `limits` are what a campaign on it begins with.

    `account` names the account that all campaigns on it share, empty if each has its own; `address` is its network's, empty if
    it is served at another one each time. `needs_consent`: nothing is read or
    clicked, and no campaign made, before the user consented in writing (`domain/gates/consent.py`). `settle_seconds` is how long a
    request may still be under way after its act.
    """

    id: str
    title: str
    description: str
    looks: Mapping[LookKind, Hand]
    acts: Mapping[ActKind, Act]
    limits: Limits
    account: str = ""
    address: str = ""
    settle_seconds: float = 0.0
    needs_consent: bool = False

    @property
    def user_families(self) -> frozenset[ActionFamily]:
        """The acts and looks that are the user's: the controller never begins one by itself."""
        return frozenset(family for family in ACTING if self._is_users(traits(family).outside))

    def _is_users(self, outside: ActKind | Literal["look"] | None) -> bool:
        return (
            self.user_reads if outside == "look" else outside is not None and self.acts[outside].performer is Hand.USER
        )

    @property
    def user_reads(self) -> bool:
        """Whether the user reads profiles and conversations, and says what stands there."""
        return Hand.USER in self.looks.values()

    @property
    def is_settled_by_user(self) -> bool:
        """Whether only the user's word says what became of an act."""
        return any(act.settlement is Settlement.TOLD for act in self.acts.values())

    def settings(
        self, sequence: Sequence, blueprint: Blueprint | None = None, limits: Limits | None = None, *, topic: str = ""
    ) -> Settings:
        """What a campaign on this channel begins with. Raises `sequence_invalid` if nothing of the sequence can be done."""
        adapted = self.adapted(sequence)
        if not adapted.live:
            raise OutriderError("sequence_invalid", why=f"{self.title} can do none of its steps")
        return Settings().model_copy(
            update={
                "sequence": adapted,
                "limits": limits or self.limits,
                "topic": topic,
                "note_limit": self.acts["invitation"].most_characters,
                "message_limit": self.acts["message"].most_characters,
                **({} if blueprint is None else {"blueprint": blueprint}),
            }
        )

    def adapted(self, sequence: Sequence) -> Sequence:
        """The sequence as it goes on this channel: where the user reads, opening the profile is part of each act."""
        if not self.user_reads:
            return sequence
        steps = tuple(step for step in sequence.steps if step.kind != "visit")
        return sequence.model_copy(update={"steps": steps, "user_reads": True})


PRACTICE, ASSIST, DRIVE = "practice", "linkedin_assist", "linkedin_drive"
LINKEDIN_ACCOUNT = "linkedin"
"""The account that every campaign on LinkedIn shares, by whosever hand."""
LINKEDIN_ADDRESS = "https://www.linkedin.com"
_OBSERVED, _TOLD = Settlement.OBSERVED, Settlement.TOLD
_NOTE, _MESSAGE = 200, 1_900
"""A free account's note; of a message the site states no limit, so it is the user's to change."""
_NOTES = 5
"""How many invitations with a note a free account has in a month; who pays for more raises it."""


def _all(performer: Hand, settlement: Settlement) -> tuple[Mapping[LookKind, Hand], Mapping[ActKind, Act]]:
    looks: Mapping[LookKind, Hand] = {"profile": performer, "thread": performer}
    acts: Mapping[ActKind, Act] = {
        "invitation": Act(performer, settlement, _NOTE),
        "message": Act(performer, settlement, _MESSAGE),
        "withdrawal": Act(performer, settlement, 0),
    }
    return looks, acts


CHANNELS: Mapping[str, Channel] = {
    channel.id: channel
    for channel in (
        Channel(
            ASSIST,
            "LinkedIn, sent by you",
            "Outrider writes and keeps track; you paste and send in your own browser. No page is read or clicked.",
            *_all(Hand.USER, _TOLD),
            # A person who pastes and sends has a pace of their own; the counts and the hours hold as for any act.
            limits=Limits(spacing_seconds=0, notes_a_month=_NOTES),
            account=LINKEDIN_ACCOUNT,
            address=LINKEDIN_ADDRESS,
        ),
        Channel(
            PRACTICE,
            "The practice network",
            "A fictional network that Outrider serves itself. Nobody real is contacted.",
            *_all(Hand.OUTRIDER, _OBSERVED),
            limits=Limits(),
            settle_seconds=60.0,
        ),
        Channel(
            DRIVE,
            "LinkedIn, driven by Outrider",
            "Outrider reads pages and clicks in a visible browser. LinkedIn's terms forbid it: your account may be restricted"
            " or closed. Needs your written consent.",
            *_all(Hand.OUTRIDER, _OBSERVED),
            limits=Limits(
                invitations_a_day=10,
                invitations_a_week=50,
                messages_a_day=15,
                spacing_seconds=120,
                notes_a_month=_NOTES,
            ),
            account=LINKEDIN_ACCOUNT,
            address=LINKEDIN_ADDRESS,
            settle_seconds=60.0,
            needs_consent=True,
        ),
    )
}
"""In the order in which they are offered: the default for real people first."""


def find_channel(channel_id: str) -> Channel:
    """The channel of that name; raises `channel_unknown`."""
    channel = CHANNELS.get(channel_id)
    if channel is None:
        raise OutriderError("channel_unknown", channel=channel_id[:80], channels=", ".join(CHANNELS))
    return channel


def needs_consent(site: str) -> bool:
    """Whether nothing may be read or clicked there before the user consented in writing."""
    channel = CHANNELS.get(site)
    return channel is not None and channel.needs_consent


@cache  # each turn asks it
def user_families(site: str) -> frozenset[ActionFamily]:
    """What is done by the user's hand in a campaign on that site; nothing where the site is no channel of this version."""
    channel = CHANNELS.get(site)
    return channel.user_families if channel else frozenset()


def clicks(site: str) -> bool:
    """Whether Outrider itself reads pages there in its browser."""
    channel = CHANNELS.get(site)
    return channel is not None and not channel.user_reads


def is_settled_by_user(site: str) -> bool:
    """Whether only the user can say what became of an act on that site."""
    channel = CHANNELS.get(site)
    return channel is not None and channel.is_settled_by_user
