"""Whatever is approved can go out while its approval lives: the forecast behind its end, against the gates themselves."""

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from backend.domain.contact.send_forecast import MOST_DAYS, goes_out_at, note_allowed_at
from backend.domain.gates.approval import approval_ends
from backend.domain.gates.gates import NOTE_PERIOD, AccountFacts, LeadFacts, refusal
from backend.domain.model.campaign import DAY, MINUTE, Limits
from backend.domain.model.days import OffsetAt, local_day
from backend.domain.model.task import ActionFamily
from tests.fakes.clock import always

MONDAY = 1_780_272_000_000  # 1 June 2026, 00:00 UTC
HOUR = 60 * MINUTE

LIMITS = st.builds(
    Limits,
    invitations_a_day=st.integers(1, 20),
    invitations_a_week=st.integers(1, 80),
    notes_a_month=st.integers(0, 40),
    messages_a_day=st.integers(1, 30),
    ramp_days=st.integers(0, 20),
    spacing_seconds=st.sampled_from([0, 90, 3_600]),
    work_days=st.sampled_from([(0, 1, 2, 3, 4), (0, 2), (5,), (0, 1, 2, 3, 4, 5, 6)]),
    approval_working_days=st.integers(1, 6),
)


class Account:
    """Counts as the store does what an account sent, all of one family."""

    def __init__(self, limits: Limits, family: ActionFamily, offset_at: OffsetAt) -> None:
        self.limits, self.family, self.offset_at = limits, family, offset_at
        self.sent: list[int] = []

    def facts(self, now: int) -> AccountFacts:
        today, week = local_day(now, self.offset_at), [at for at in self.sent if at > now - 7 * DAY]
        return AccountFacts(
            now=now,
            offset_at=self.offset_at,
            family=self.family,
            campaign_status="active",
            limits=self.limits,
            sent_today=sum(local_day(at, self.offset_at) == today for at in self.sent),
            sent_week=len(week),
            oldest_of_week=min(week, default=None),
            first_ever=min(self.sent, default=None),
            last_any=max(self.sent, default=None),
        )

    def notes(self, now: int) -> list[int]:
        return [at for at in self.sent if at > now - NOTE_PERIOD]

    def may_go(self, now: int) -> int | None:
        """When the next one may go out, from this moment on, by the gates."""
        end = now + 2 * MOST_DAYS * DAY
        while now < end:
            notes = self.notes(now)
            lead = LeadFacts(
                approval="open",
                thread_read_at=now,
                notes_used=len(notes) if self.family is ActionFamily.INVITE else None,
                oldest_note=min(notes, default=None),
            )
            shut = refusal(self.facts(now), lead)
            if shut is None:
                return now
            if shut.until is None:
                return None
            now = shut.until
        return None


@settings(max_examples=150, deadline=None)
@given(
    LIMITS,
    st.sampled_from([ActionFamily.INVITE, ActionFamily.MESSAGE]),
    st.integers(0, 7 * 24).map(lambda hours: MONDAY + hours * HOUR),
    st.integers(0, 25),
    st.integers(1, 130),
    st.sampled_from([0, 2 * HOUR, -8 * HOUR]),
)
def test_what_is_approved_goes_out_before_its_approval_ends(
    limits: Limits, family: ActionFamily, now: int, earlier: int, approved: int, offset: int
) -> None:
    account = Account(limits, family, always(offset))
    at: int | None = now - 40 * DAY
    for _ in range(earlier):
        at = account.may_go(at if at is not None else now)
        if at is None or at >= now:
            break
        account.sent.append(at)
    facts, notes = account.facts(now), account.notes(now)
    ends: list[int] = []
    for ahead in range(approved):
        allowed = note_allowed_at(limits.notes_a_month, notes, ahead) if family is ActionFamily.INVITE else 0
        planned = None if allowed is None else goes_out_at(facts, ahead, allowed)
        if planned is None:
            break  # it is not approved
        ends.append(approval_ends(limits, planned, account.offset_at))
    assume(ends)
    for end in ends:
        went = account.may_go(now)
        assert went is not None
        assert went < end, f"{len(account.sent)} went before it"
        account.sent.append(went)
        now = went
