"""What users are told when nothing happens: every refusal and every rest has its reason, and a time that is told is kept."""

from collections.abc import Collection
from typing import NamedTuple

from backend.domain.model.days import in_utc
from backend.domain.reports.campaign_state import StateName
from backend.domain.values.errors import OutriderError
from backend.runtime.run.campaign_runner import RunEnd, RunResult
from backend.situation.situations import TurnInputs
from backend.situation.state_of_campaign import needs_of, state_of
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns
from backend.turn.loop import NothingEligible
from tests.simulation.oracle import DAY, Violation

EXPLAINED_BY_ITSELF = frozenset({RunEnd.COMPLETED, RunEnd.STOPPED, RunEnd.STEPPED})
"""The user did it, or sees that all is done."""
MOST_PUT_OFF = 2
"""A day on which limits begin anew, or after which nobody new is written to, may bring nothing."""
IN_DOUBT = """
    SELECT 1 FROM identity_doubts d JOIN leads l ON l.id = d.lead_id
    WHERE l.campaign_id=:campaign AND l.blocked NOT IN ('import_undone', 'moved')
"""
WAITS_FOR_USER = f"""
    SELECT 1 FROM messages WHERE campaign_id=:campaign AND status='draft'
    UNION ALL SELECT 1 FROM input_requests WHERE campaign_id=:campaign AND status='open'
    UNION ALL SELECT 1 FROM rebase_queue WHERE status='conflict'
    UNION ALL {IN_DOUBT}
"""
OVERTAKEN = """
    SELECT 1 FROM leads l JOIN leads o ON o.member_key = l.member_key AND o.campaign_id <> l.campaign_id
    WHERE l.id = m.lead_id AND l.claimed_at IS NULL AND o.claimed_at IS NOT NULL
"""
"""Of a text `m`: its person is with another campaign since, so that nobody can approve it."""
TO_DECIDE = f"""
    SELECT 1 FROM messages m WHERE campaign_id=:campaign AND status='draft' AND NOT (:held AND EXISTS ({OVERTAKEN}))
    UNION ALL {IN_DOUBT}
"""
"""What waits in the campaign itself, and nowhere else. A run takes back what was overtaken; one that is held records nothing."""
PAUSED_BY_ITSELF = "SELECT 1 FROM event_log WHERE campaign_id=? AND kind='CampaignPaused' AND actor<>'user'"
HIDES_WHAT_WAITS = frozenset({StateName.WAITING, StateName.DONE, StateName.NOT_STARTED})
BOOKKEEPING = ("RuntimeChanged", "CampaignPaused", "CampaignHeld", "CampaignActivated", "CampaignContinued")
HAPPENED = f"SELECT count(*) FROM event_log WHERE campaign_id=? AND kind NOT IN ({', '.join('?' * len(BOOKKEEPING))})"
"""In a campaign; what another one uses up of a day's limit is a reason to wait."""


class Rest(NamedTuple):
    """A run rested: until when (ms UTC), as it said, how much had happened by then, and how many such times had passed before
    without anything happening."""

    until: int
    happened: int
    put_off: int


class Explanations:
    """What the users of one device are told of the account's campaigns, each by its id."""

    def __init__(self, campaigns: Collection[str], *, clocks_are_right: bool) -> None:
        self._campaigns = campaigns
        self._clocks_are_right = clocks_are_right
        self._rests: dict[str, Rest] = {}
        self._waited_for_user: set[str] = set()
        """In which campaigns, when a run last rested; they may have decided before it ended."""
        self._said_something = 0
        """When a run last did (ticks of the device, in µs, which stand still while it sleeps)."""

    def refused(self, error: OutriderError) -> None:
        """The user was refused something."""
        for text in (error.sentence, error.remedy):
            if not text.strip() or "{" in text:
                raise Violation(f"{error.code} is told as {text!r}")

    def run_began(self, campaign_id: str, ticks: int) -> None:
        """The user pressed Start."""
        self._said_something = ticks
        self._waited_for_user.discard(campaign_id)

    def run_ended(self, connection: DatabaseConnection, campaign_id: str, ended: RunResult) -> None:
        """The user looks at how it ended."""
        explained = ended.halt in EXPLAINED_BY_ITSELF or any(reason.strip() for reason in ended.reasons)
        waited = campaign_id in self._waited_for_user or waits_for_user(connection, campaign_id)
        if not explained and ended.until is None and not waited:
            raise Violation(f"a run ended with {ended.halt}, and nobody is told why")
        if connection.execute(PAUSED_BY_ITSELF, (campaign_id,)).fetchone():
            raise Violation("a campaign was paused by somebody other than the user (spec 001 FR-056)")

    def run_rests(
        self, connection: DatabaseConnection, campaign_id: str, nothing: NothingEligible, now: int, ticks: int
    ) -> None:
        """A run has nothing to do before some time, or before somebody acts."""
        self._said_something = ticks
        self._waited_for_user.discard(campaign_id)
        if waits_for_user(connection, campaign_id):
            self._waited_for_user.add(campaign_id)
        self._look_at_state(connection, campaign_id, now, rests_held=bool(nothing.held_reasons))
        last = self._rests.pop(campaign_id, None)
        if nothing.until is None or nothing.held_reasons or not self._clocks_are_right:
            return
        if nothing.until <= now:  # the lid was closed while it was about to say so; a run that never waits the hub sees
            return
        happened = sum(
            connection.execute(HAPPENED, (campaign, *BOOKKEEPING)).fetchone()[0] for campaign in self._campaigns
        )
        still = last is not None and happened == last.happened
        put_off = last.put_off + (last.until <= now) if last is not None and still else 0
        if put_off > MOST_PUT_OFF:
            raise Violation(f"a run was to go on {put_off} times and did nothing; it rests until {nothing.until}")
        self._rests[campaign_id] = Rest(nothing.until, happened, put_off)

    def _look_at_state(self, connection: DatabaseConnection, campaign_id: str, now: int, *, rests_held: bool) -> None:
        """The state that every surface shows agrees with what lies in the tables."""
        campaign = campaigns.campaign(connection, campaign_id)
        if campaign is None:
            return
        inputs = TurnInputs(now, in_utc, present=True)
        state = state_of(connection, campaign, inputs, needs_of(connection, campaign, inputs))
        waits = connection.execute(TO_DECIDE, {"campaign": campaign_id, "held": rests_held}).fetchone() is not None
        if waits and state.name in HIDES_WHAT_WAITS:
            raise Violation(f"something waits for the user, and the campaign is told as {state.sentence!r}")
        if state.name is StateName.WAITING_FOR_YOU and not state.detail:
            raise Violation("a campaign waits for the user, and nobody is told for what")

    def run_goes_on(self, ticks: int) -> None:
        """The user sees that it still runs."""
        if (silent := ticks - self._said_something) > DAY * 1_000:
            raise Violation(f"a run has said nothing for {silent // 3_600_000_000} hours")


def waits_for_user(connection: DatabaseConnection, campaign_id: str) -> bool:
    """Whether anything of the campaign waits for the user, by its tables alone."""
    return connection.execute(WAITS_FOR_USER, {"campaign": campaign_id}).fetchone() is not None
