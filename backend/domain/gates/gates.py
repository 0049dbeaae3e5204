"""May this act happen now? An ordered table; the first refusal is the answer, and all are shown."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from backend.domain.gates.consent import NO_CONSENT
from backend.domain.gates.person import Person, with_campaign
from backend.domain.model.campaign import DAY, MINUTE, NOTE_DAYS, STATUS_WORDS, Limits
from backend.domain.model.days import (
    OffsetAt,
    day_and_month,
    day_start,
    local_date,
    local_day,
    local_time,
    moment_of,
    weekday,
)
from backend.domain.model.lead import LABEL_ENDS, LABELS, Label
from backend.domain.model.task import ACT_WORDS, ActionFamily, counted_family
from backend.domain.people.identity import DOUBT_SENTENCES, DoubtKind
from backend.domain.people.past_contact import BEFORE
from backend.domain.values.shapes import Shape


@dataclass(frozen=True, slots=True)
class Pass:
    """The gate is open."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The gate is shut: why, and when that may change (ms UTC; None when only a person can change it).

    `bare` is the same without another campaign's name: for the log, models and connected programs, who see one campaign only.
    """

    code: str
    sentence: str
    until: int | None = None
    bare: str = ""

    @property
    def recorded(self) -> str:
        """What the log keeps of it."""
        return self.bare or self.sentence


class AccountFacts(NamedTuple):
    """What holds for every act of the account, of one family that acts outside. Times are ms UTC."""

    now: int
    offset_at: OffsetAt
    family: ActionFamily
    campaign_status: str
    limits: Limits
    incident: str = ""
    consented: bool = True
    """The channel needs no written consent, or has it."""
    present: bool = True
    sync_status: str = "local"
    sent_today: int = 0
    sent_week: int = 0
    oldest_of_week: int | None = None
    week: tuple[int, ...] | None = None
    """When each of the last seven days was sent, the oldest first; read for forecasts alone."""
    first_ever: int | None = None
    last_any: int | None = None
    yields: bool = False
    """The account's last act was this campaign's, and another one that is on acts in the same browser."""


class LeadFacts(NamedTuple):
    """What holds for one lead and one message."""

    do_not_contact: bool = False
    replied: bool = False
    stop_on_reply: bool = True
    label: str = ""
    """What came of the conversation, in the user's words."""
    paused_until: int | None = None
    """Until when they are left in peace, by the user's word or a machine's answer (ms UTC)."""
    person: Person | None = None
    """What is known of them through all campaigns of the account."""
    doubt: DoubtKind | None = None
    """Why nobody knows yet whether they are the same person as another lead; None if they are told apart."""
    in_conflict: bool = False
    """A decision about them, made here, came after another device's, and the user has not chosen yet."""
    thread_read_at: int | None = None
    notes_used: int | None = None
    """How many invitations with a note the account sent in 30 days; None where none goes out now, or their number is free."""
    oldest_note: int | None = None
    approval: str = "missing"
    blocked: str = ""
    contacted: bool = True
    """Whether anything was sent to them before."""
    withdrawn_at: int | None = None
    """When the last invitation to them was taken back, by whichever campaign (ms UTC)."""
    withdraw_from: int | None = None
    """From when on their invitation may be withdrawn by Outrider (ms UTC); None if it may not, or there is none."""


Verdict = Pass | Refusal
PASS = Pass()
NOTE_PERIOD = NOTE_DAYS * DAY
YIELD_MS = 5_000
"""So much longer the campaign that acted last waits, so that another one on the same account has its turn."""
INVITED_AGAIN_AFTER = 21 * DAY
"""How long LinkedIn may refuse another invitation to somebody after one was taken back."""
NOTHING_TO_WITHDRAW = "There is no invitation for Outrider to withdraw."
CONTACTED_BEFORE = "You were in touch with them before, by a campaign that has been deleted."
ELSEWHERE = "The account is in touch with them elsewhere."
AWAY = "You are away. Automation runs only while you are here."
_SENDS = frozenset({ActionFamily.INVITE, ActionFamily.MESSAGE})
_BEGUN = _SENDS | {ActionFamily.LOOK}
_ANSWER = frozenset({ActionFamily.ANSWER})
"""What the user writes to somebody who wrote: hours, the ramp and their reply do not hold it back."""
_WITHDRAW = frozenset({ActionFamily.WITHDRAW})
_ACTS = _BEGUN | _ANSWER | _WITHDRAW
_IN_WORKING_HOURS = _BEGUN | _WITHDRAW


def next_midnight(facts: AccountFacts) -> int:
    """The next local midnight, ms UTC."""
    return day_start(local_day(facts.now, facts.offset_at) + 1, facts.offset_at)


def working_time(limits: Limits, at: int, offset_at: OffsetAt) -> int | None:
    """The first moment within working hours from `at` on (ms UTC); None if there are none at all."""
    today = local_day(at, offset_at)
    for day in range(today, today + 8):
        if weekday(day) in limits.work_days:
            opens, closes = working_hours(limits, day, offset_at)
            if at < closes and opens < closes:
                return max(at, opens)
    return None


def working_hours(limits: Limits, day: int, offset_at: OffsetAt) -> tuple[int, int]:
    """From when until when (ms UTC) a local day has working hours, if it has any."""
    midnight = day * DAY
    opens, closes = midnight + limits.day_starts * MINUTE, midnight + limits.day_ends * MINUTE
    return moment_of(opens, offset_at), moment_of(closes, offset_at)


def working_days_later(limits: Limits, at: int, offset_at: OffsetAt, days: int) -> int:
    """The end (ms UTC) of the day that is so many working days after `at`. Without a working day in the week, every day counts."""
    day = local_day(at, offset_at)
    while days:
        day += 1
        days -= not limits.work_days or weekday(day) in limits.work_days
    return moment_of(day * DAY + max(limits.day_ends, 1) * MINUTE, offset_at)


def not_before(limits: Limits, family: ActionFamily, due: int, offset_at: OffsetAt) -> int:
    """The earliest that an act due then (ms UTC) may be done: within working hours, if they hold its family back."""
    opens = working_time(limits, due, offset_at) if family in _IN_WORKING_HOURS else due
    return due if opens is None else opens


def ramp_allowance(limits: Limits, limit: int, days_since_first: int) -> int:
    """How many a day the ramp allows: it grows evenly to the full limit over `ramp_days`, from at least one.

    A first day that is still to come, by a clock that was set back or by another device's, counts as today.
    """
    day = max(0, days_since_first)
    if day >= limits.ramp_days:
        return limit
    return min(limit, max(1, -(-limit * (day + 1) // limits.ramp_days)))


def _campaign_active(a: AccountFacts, _: LeadFacts | None) -> Verdict:
    if a.campaign_status == "active":
        return PASS
    return Refusal("campaign_active", not_active(a.campaign_status))


def incident_open(description: str) -> str:
    """What people are told while an incident is open."""
    return f"Everything is stopped: {description}. Check the site, then clear it with a reason."


def _no_incident(a: AccountFacts, _: LeadFacts | None) -> Verdict:
    return Refusal("no_incident", incident_open(a.incident)) if a.incident else PASS


def _consent_given(a: AccountFacts, _: LeadFacts | None) -> Verdict:
    return PASS if a.consented else Refusal("consent_given", NO_CONSENT)


def _user_present(a: AccountFacts, _: LeadFacts | None) -> Verdict:
    return PASS if a.present else Refusal("user_present", AWAY)


def not_active(status: str) -> str:
    """Why nothing goes out of a campaign with that status."""
    return f"The campaign {STATUS_WORDS.get(status, 'is not active')}."


def not_in_sync(sync_status: str) -> str:
    """What people are told while this device may not act."""
    return f"The shared store is {sync_status}; nothing is sent until it is ready and this device may send."


def _in_sync(a: AccountFacts, _: LeadFacts | None) -> Verdict:
    if a.sync_status in ("local", "in_sync"):
        return PASS
    return Refusal("in_sync", not_in_sync(a.sync_status))


def _within_working_hours(a: AccountFacts, _: LeadFacts | None) -> Verdict:
    opens = working_time(a.limits, a.now, a.offset_at)
    return PASS if opens == a.now else Refusal("within_working_hours", "It is outside working hours.", opens)


def _last_day(at: int, offset_at: OffsetAt) -> str:
    return local_date(at - 1, offset_at)


def _not_ended(a: AccountFacts, _: LeadFacts | None) -> Verdict:
    if a.limits.ends_at is None or not a.limits.are_over(a.now):
        return PASS
    sentence = f"The campaign's last day was {_last_day(a.limits.ends_at, a.offset_at)}; every sequence has ended."
    return Refusal("not_ended", sentence)


def _first_contact_allowed(a: AccountFacts, lead: LeadFacts | None) -> Verdict:
    if lead is None or lead.contacted or not a.limits.begin_nobody(a.now):
        return PASS
    ended = min(at for at in (a.limits.first_contact_until, a.limits.ends_at) if at is not None)
    return Refusal("first_contact_allowed", f"The last day for a first contact was {_last_day(ended, a.offset_at)}.")


def _not_on_do_not_contact(_: AccountFacts, lead: LeadFacts | None) -> Verdict:
    if lead is None or not lead.do_not_contact:
        return PASS
    return Refusal("not_on_do_not_contact", "This person is on the do-not-contact list.")


def reply_refusal(person: Person | None) -> Refusal | None:
    """Why a reply or a no that they gave through any campaign ends what is unsolicited; None if they gave none."""
    if person is None:
        return None
    if (refused := person.refused_in) is not None:
        reason = f"They {refused.refusal}"
        where = "" if refused is person.lead else f" in the campaign “{refused.campaign_name}”"
        return Refusal("not_replied", f"{reason}{where}.", bare=f"{reason}.")
    if (replied := person.replied_elsewhere) is None:
        return None
    sentence = f"They have replied in the campaign “{replied.campaign_name}”; one reply ends every campaign's sequence."
    return Refusal("not_replied", sentence, bare="They have replied in another campaign.")


def _not_replied(_: AccountFacts, lead: LeadFacts | None) -> Verdict:
    if lead is None:
        return PASS
    if (refusal := reply_refusal(lead.person)) is not None:
        return refusal
    if lead.label in LABEL_ENDS:
        return Refusal("not_replied", f"They {LABELS[Label(lead.label)].they}; the sequence has ended.")
    if not (lead.replied and lead.stop_on_reply):
        return PASS
    return Refusal("not_replied", "They have replied; the sequence has stopped.")


def contact_refusal(person: Person | None, now: int, offset_at: OffsetAt) -> Refusal | None:
    """Why a person who is with another campaign, or was in touch before, is left alone; None if this one may write."""
    if person is None:
        return None
    if (holder := person.in_touch_elsewhere(now)) is not None:
        until = None if holder is person.other_lead_here else holder.claim_ends()
        return Refusal("not_in_touch_elsewhere", with_campaign(holder, person.lead, offset_at), until, ELSEWHERE)
    if (undecided := person.undecided) is not None:
        where = f"“{undecided.campaign_name}” found a conversation with them that is not on record, and you have not let it go on."
        return Refusal("not_in_touch_elsewhere", where, bare=ELSEWHERE)
    if person.is_contacted_before:
        return Refusal("not_in_touch_elsewhere", CONTACTED_BEFORE)
    if (before := person.known_from_before) is not None:
        where = "" if before is person.lead else f" (“{before.campaign_name}”)"
        return Refusal("not_in_touch_elsewhere", f"{BEFORE[before.past]}{where}", bare=ELSEWHERE)
    return None


def _not_put_off(a: AccountFacts, lead: LeadFacts | None) -> Verdict:
    if lead is None or lead.paused_until is None or a.now >= lead.paused_until:
        return PASS
    until = day_and_month(local_time(lead.paused_until, a.offset_at))
    return Refusal("not_put_off", f"This person is left in peace until {until}.", lead.paused_until)


def _not_in_touch_elsewhere(a: AccountFacts, lead: LeadFacts | None) -> Verdict:
    return PASS if lead is None else contact_refusal(lead.person, a.now, a.offset_at) or PASS


def doubt_refusal(doubt: DoubtKind | None) -> Refusal | None:
    """Why nothing goes to somebody of whom nobody knows whether they are the same person as another lead."""
    if doubt is None:
        return None
    return Refusal("same_person_settled", f"{DOUBT_SENTENCES[doubt]} Say first whether they are the same person.")


def _same_person_settled(_: AccountFacts, lead: LeadFacts | None) -> Verdict:
    return PASS if lead is None else doubt_refusal(lead.doubt) or PASS


def _may_be_invited_again(a: AccountFacts, lead: LeadFacts | None) -> Verdict:
    if lead is None or a.family is not ActionFamily.INVITE or lead.withdrawn_at is None:
        return PASS
    until = lead.withdrawn_at + INVITED_AGAIN_AFTER
    if a.now >= until:
        return PASS
    withdrawn = day_and_month(local_time(lead.withdrawn_at, a.offset_at))
    sentence = f"The invitation was withdrawn on {withdrawn}; LinkedIn allows another only three weeks after that."
    return Refusal("may_be_invited_again", sentence, until)


def _no_open_conflict(_: AccountFacts, lead: LeadFacts | None) -> Verdict:
    if lead is None or not lead.in_conflict:
        return PASS
    sentence = (
        "A decision about this person came after another device's. Choose which one holds in Settings, Sync & devices."
    )
    return Refusal("no_open_conflict", sentence)


def _thread_fresh(a: AccountFacts, lead: LeadFacts | None) -> Verdict:
    if lead is None or a.family is not ActionFamily.MESSAGE:
        return PASS  # before the connection there is no thread
    limit = a.limits.thread_fresh_minutes
    if lead.thread_read_at is not None and a.now - lead.thread_read_at <= limit * MINUTE:
        return PASS
    return Refusal("thread_fresh", f"The conversation was not read in the last {limit} minutes.")


_NOT_APPROVED = {
    "expired": "Your approval of this message has expired.",
    "revoked": "The approval of this message was withdrawn.",
    "used": "The approval of this message was used already.",
    "for another text": "This message has changed since you approved it.",
}
"""By how an approval stands: what is told of it (`backend.domain.gates.approval.approval_state`)."""


def _approved(_: AccountFacts, lead: LeadFacts | None) -> Verdict:
    return PASS if lead is None else approval_verdict(lead.approval)


def approval_verdict(state: str) -> Verdict:
    """What an approval that stands so says to sending."""
    if state == "open":
        return PASS
    return Refusal("approved", _NOT_APPROVED.get(state, "You have not approved this message yet."))


def _withdrawal_due(a: AccountFacts, lead: LeadFacts | None) -> Verdict:
    if lead is None:
        return PASS
    if lead.withdraw_from is None:
        return Refusal("withdrawal_due", NOTHING_TO_WITHDRAW)
    if a.now >= lead.withdraw_from:
        return PASS
    sentence = f"The invitation is less than {a.limits.withdraw_after_days} days old."
    return Refusal("withdrawal_due", sentence, lead.withdraw_from)


def _limit_of(a: AccountFacts) -> int:
    if a.family is ActionFamily.WITHDRAW:
        return max(1, a.limits.withdrawals_a_day)  # that none are wanted is `withdrawal_due`'s to say, of each person
    return limit_a_day(a.limits, a.family)


def limit_a_day(limits: Limits, family: ActionFamily) -> int:
    """How many invitations a day, or else messages, the limits allow."""
    return limits.invitations_a_day if family is ActionFamily.INVITE else limits.messages_a_day


def _so_many(a: AccountFacts, number: int) -> str:
    plural = ACT_WORDS[counted_family(a.family)].title.lower()
    return f"{number} {plural.removesuffix('s') if number == 1 else plural}"


def _daily_limit(a: AccountFacts, _: LeadFacts | None) -> Verdict:
    if a.sent_today < _limit_of(a):
        return PASS
    sentence = f"Today's limit of {_so_many(a, _limit_of(a))} leaves no room for more."
    return Refusal("daily_limit", sentence, next_midnight(a) if _limit_of(a) else None)


def _weekly_limit(a: AccountFacts, _: LeadFacts | None) -> Verdict:
    limit = a.limits.invitations_a_week
    if a.family is not ActionFamily.INVITE or a.sent_week < limit:
        return PASS
    until = None if a.oldest_of_week is None else a.oldest_of_week + 7 * DAY
    sentence = f"The limit of {limit} invitations in seven days leaves no room for more."
    return Refusal("weekly_limit", sentence, until)


def _note_quota(a: AccountFacts, lead: LeadFacts | None) -> Verdict:
    limit = a.limits.notes_a_month
    if a.family is not ActionFamily.INVITE or lead is None or lead.notes_used is None or lead.notes_used < limit:
        return PASS
    sentence = (
        f"{lead.notes_used} of {limit} invitations with a note in 30 days are used; one without a note may go out."
    )
    until = None if lead.oldest_note is None or not limit else lead.oldest_note + NOTE_PERIOD
    return Refusal("note_quota", sentence, until)


def _day_of_ramp(a: AccountFacts) -> int:
    first = a.now if a.first_ever is None else a.first_ever
    return max(
        0, local_day(a.now, a.offset_at) - local_day(first, a.offset_at)
    )  # the clock may have been set back since


def allowance_today(a: AccountFacts) -> int:
    """How many of the family the day's limit and the ramp allow."""
    return min(_limit_of(a), ramp_allowance(a.limits, _limit_of(a), _day_of_ramp(a)))


def _ramp(a: AccountFacts, _: LeadFacts | None) -> Verdict:
    day = _day_of_ramp(a)
    allowance = ramp_allowance(a.limits, _limit_of(a), day)
    if day >= a.limits.ramp_days or a.sent_today < allowance:
        return PASS
    sentence = f"Your ramp-up allows {_so_many(a, allowance)} today (day {day + 1} of {a.limits.ramp_days})."
    return Refusal("ramp", sentence, next_midnight(a))


def _minimum_spacing(a: AccountFacts, _: LeadFacts | None) -> Verdict:
    spaced = 0 if a.last_any is None else a.last_any + a.limits.spacing_seconds * 1_000
    until = spaced + YIELD_MS if a.yields else spaced
    if a.now >= until:
        return PASS
    sentence = f"The last one was less than {a.limits.spacing_seconds} seconds ago."
    return Refusal("minimum_spacing", sentence if a.now < spaced else "Another campaign comes first.", until)


def _lead_not_blocked(_: AccountFacts, lead: LeadFacts | None) -> Verdict:
    if lead is None or not lead.blocked:
        return PASS
    return Refusal("lead_not_blocked", f"This person is left out: {lead.blocked.replace('_', ' ')}.")


class ByHand(StrEnum):
    """What a shut gate means where the user's own hand acts; a machine is always refused."""

    REFUSES = "refuses"
    ASKS = "asks"
    """Once more, with the reason; a yes is recorded."""
    ADVISES = "advises"
    """The user may go on without being asked; that they did is recorded."""
    SILENT = "silent"


class Gate(NamedTuple):
    """A gate: its stable code, what it checks in words, the families it guards, and its check (lead None: of the whole account).

    `again`: asked once more in the last moment, because it may shut between the intent and the act; of what is counted, without
    the act itself. The others are shut by the intent, or say that nothing new is to be begun. `by_hand`: what it means where the
    user acts.
    """

    code: str
    title: str
    families: frozenset[ActionFamily]
    check: Callable[[AccountFacts, LeadFacts | None], Verdict]
    again: bool = False
    by_hand: ByHand = ByHand.REFUSES


GATES: tuple[Gate, ...] = (
    Gate("campaign_active", "the campaign is on", _ACTS, _campaign_active, again=True),
    Gate("no_incident", "no incident", _ACTS, _no_incident, again=True),
    Gate("consent_given", "your consent", _ACTS, _consent_given, again=True),
    Gate("user_present", "you are here", _ACTS, _user_present, again=True, by_hand=ByHand.SILENT),
    Gate("in_sync", "devices in sync", _ACTS, _in_sync),
    Gate(
        "within_working_hours",
        "working hours",
        _IN_WORKING_HOURS,
        _within_working_hours,
        again=True,
        by_hand=ByHand.ADVISES,
    ),
    Gate("not_ended", "the last day", _SENDS | _WITHDRAW, _not_ended, again=True),
    Gate("first_contact_allowed", "the last day for a first contact", _SENDS, _first_contact_allowed, again=True),
    Gate("not_on_do_not_contact", "do-not-contact list", _ACTS, _not_on_do_not_contact, again=True),
    Gate("not_replied", "no reply yet", _SENDS | _WITHDRAW, _not_replied, again=True),
    Gate("not_put_off", "nobody put this off", _SENDS, _not_put_off, again=True),
    Gate("not_in_touch_elsewhere", "no other campaign", _SENDS, _not_in_touch_elsewhere, again=True),
    Gate("same_person_settled", "who this person is", _SENDS, _same_person_settled, again=True),
    Gate(
        "no_open_conflict", "no conflict between devices", _SENDS | _ANSWER | _WITHDRAW, _no_open_conflict, again=True
    ),
    Gate("may_be_invited_again", "no invitation withdrawn lately", _SENDS, _may_be_invited_again, again=True),
    Gate("withdrawal_due", "age of the invitation", _WITHDRAW, _withdrawal_due, again=True),
    Gate("thread_fresh", "conversation read lately", _SENDS, _thread_fresh),
    Gate("approved", "your approval", _SENDS | _ANSWER, _approved),
    Gate("daily_limit", "daily limit", _SENDS | _ANSWER | _WITHDRAW, _daily_limit, again=True, by_hand=ByHand.ASKS),
    Gate("weekly_limit", "weekly limit", _SENDS, _weekly_limit, again=True, by_hand=ByHand.ASKS),
    Gate("note_quota", "note allowance", _SENDS, _note_quota, again=True, by_hand=ByHand.ASKS),
    Gate("ramp", "ramp-up", _SENDS, _ramp, again=True, by_hand=ByHand.ADVISES),
    Gate(
        "minimum_spacing",
        "pause between actions",
        _SENDS | _ANSWER | _WITHDRAW,
        _minimum_spacing,
        by_hand=ByHand.ADVISES,
    ),
    Gate("lead_not_blocked", "this person is not left out", _ACTS, _lead_not_blocked, again=True),
)


_GUARDING = {family: tuple(gate for gate in GATES if family in gate.families) for family in ActionFamily}
_ASKED_AGAIN = {family: tuple(gate for gate in gates if gate.again) for family, gates in _GUARDING.items()}


_BY_HAND = {gate.code: gate.by_hand for gate in GATES}
GATE_WORDS = {gate.code: gate.title for gate in GATES}
"""What each gate checks, as people are told."""


class GateCheck(NamedTuple):
    """One line of the checklist."""

    code: str
    verdict: Verdict


class HandVerdict(NamedTuple):
    """What a checklist means for the user's own hand: what refuses, what asks once more, and what only advises."""

    refusal: Refusal | None
    asks: tuple[Refusal, ...]
    advises: tuple[Refusal, ...]

    @property
    def now(self) -> bool:
        """Whether nothing is to be said before it is done."""
        return self.refusal is None and not self.asks and not self.advises


def verdict_by_hand(checklist: tuple[GateCheck, ...]) -> HandVerdict:
    """The one place where a shut gate is told apart by whose hand acts (design: contracts, "Gates")."""

    def shut(meaning: ByHand) -> tuple[Refusal, ...]:
        return tuple(
            line.verdict for line in checklist if isinstance(line.verdict, Refusal) and _BY_HAND[line.code] is meaning
        )

    return HandVerdict(next(iter(shut(ByHand.REFUSES)), None), shut(ByHand.ASKS), shut(ByHand.ADVISES))


def without_other_campaigns(checklist: tuple[GateCheck, ...]) -> tuple[GateCheck, ...]:
    """A checklist as models and connected programs may see it, who see one campaign only."""
    return tuple(
        line._replace(verdict=replace(line.verdict, sentence=line.verdict.recorded))
        if isinstance(line.verdict, Refusal)
        else line
        for line in checklist
    )


class GateLine(Shape):
    """One gate, open or shut: why, and when that may change (ms UTC; null: only when somebody acts)."""

    code: str
    passes: bool
    sentence: str = ""
    until: int | None = None


def gate_lines(checklist: tuple[GateCheck, ...]) -> list[GateLine]:
    """A checklist as it is shown."""
    return [
        GateLine(code=line.code, passes=False, sentence=line.verdict.sentence, until=line.verdict.until)
        if isinstance(line.verdict, Refusal)
        else GateLine(code=line.code, passes=True)
        for line in checklist
    ]


def check_gates(account: AccountFacts, lead: LeadFacts | None) -> tuple[GateCheck, ...]:
    """Every gate that guards this family, in order. Without a lead, only what holds for the whole account can refuse."""
    verdicts = [(gate.code, gate.check(account, lead)) for gate in _GUARDING[account.family]]
    return tuple(
        [
            GateCheck(code, _in_hours(verdict, account) if isinstance(verdict, Refusal) else verdict)
            for code, verdict in verdicts
        ]
    )


def _in_hours(shut: Refusal, account: AccountFacts) -> Refusal:
    """What opens at midnight, say, opens for this act when the working hours of that day do."""
    if shut.until is None:
        return shut
    return replace(shut, until=not_before(account.limits, account.family, shut.until, account.offset_at))


def refusal(account: AccountFacts, lead: LeadFacts | None) -> Refusal | None:
    """The answer: the first gate that refuses, in the order of `check_gates`, or None when the act may happen."""
    return _first(_GUARDING[account.family], account, lead)


def _first(gates: tuple[Gate, ...], account: AccountFacts, lead: LeadFacts | None) -> Refusal | None:
    for gate in gates:
        verdict = gate.check(account, lead)
        if isinstance(verdict, Refusal):
            return _in_hours(verdict, account)
    return None


def first_refusal(checklist: tuple[GateCheck, ...]) -> Refusal | None:
    """The answer of a checklist: its first refusal, or None."""
    return next((line.verdict for line in checklist if isinstance(line.verdict, Refusal)), None)


def without_this_act(account: AccountFacts, lead: LeadFacts) -> tuple[AccountFacts, LeadFacts]:
    """The facts that were read behind an act's intent, which counts already, as they were without it."""
    today, week = max(0, account.sent_today - 1), max(0, account.sent_week - 1)
    notes = None if lead.notes_used is None else max(0, lead.notes_used - 1)
    return account._replace(sent_today=today, sent_week=week), lead._replace(notes_used=notes)


def last_moment_refusal(account: AccountFacts, lead: LeadFacts) -> Refusal | None:
    """Why an act whose intent is on disk must not be done after all; None while it may."""
    return _first(_ASKED_AGAIN[account.family], account, lead)


def handed_again_verdict(account: AccountFacts, lead: LeadFacts) -> HandVerdict:
    """What the gates mean for handing a text once more to the user who has it: days may lie between, unlike before a click.

    The facts are `without_this_act`; `lead.approval` is how the approval that the act spent would stand if it were open.
    """
    gates = [gate for gate in _GUARDING[account.family] if gate.again or gate.code in ("approved", "in_sync")]
    return verdict_by_hand(tuple(GateCheck(gate.code, gate.check(account, lead)) for gate in gates))
