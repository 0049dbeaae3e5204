"""What must hold, told from what the network received, what the shared store was given, and what the user clicked.

No code of the product is used here: who judges by the product's own rules finds its own mistakes right.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.simulation.contact_oracle import Contact, ContactOracle, device_of

DAY = 86_400_000
HOUR = 3_600_000
PRESENCE_MS = 600_000
"""A page that nobody used for so long is nobody's."""
SURE_MS = 180_000
"""What was so for as long as this before a request left must have been known: longer than an act may take."""

INVITED_AGAIN_DAYS = 21
"""So long LinkedIn may refuse another invitation to whom one was taken back from."""
LATE_INTENT_MS = 45_000
"""How much later than its intent an act may be seen to begin."""

ONLY_WITH_O = "And now, with an O in your name?"
"""What only people get whose name has that letter."""


class Click(NamedTuple):
    """What the user decided about somebody: asked at a moment (ms of true time) in a launch."""

    what: str
    person: str
    kind: str
    text: str
    at: int
    launch: str


class Asked(NamedTuple):
    """What the user said to the assistant, and was told that it is on record."""

    key: str
    request: str
    launch: str


class ErasedPerson(NamedTuple):
    """Somebody of whom all was erased, on a device; `entries` are the ids of what its log says of that."""

    name: str
    device: str
    entries: frozenset[str]


class Act(NamedTuple):
    """A text that was handed to the user."""

    id: str
    message: str


class Said(NamedTuple):
    """What the user said of an act on a device."""

    word: str
    device: str


class Sent(NamedTuple):
    """A request that left."""

    person: str
    kind: str
    text: str
    at: int
    launch: str
    name: str
    company: str = ""
    looks: frozenset[int] = frozenset()
    """When this person was looked at, as the device that sends has it on record."""
    campaign: str = ""
    by_hand: bool = False
    """The user sends it, as it was handed to them."""


class InvitedByHand(NamedTuple):
    """The user invited somebody outside of Outrider."""

    at: int
    looks: frozenset[int]
    """When devices had looked at this person before, and found them not invited."""


class Paused(NamedTuple):
    """The user paused a campaign in a launch, at a moment (ms of true time)."""

    at: int
    launch: str


class Hours(NamedTuple):
    """The hours that the user gave a campaign on a device, at a moment (ms of true time)."""

    at: int
    device: str
    starts: int
    ends: int


Received = tuple[str, str, str]
"""(kind, person, text) of something that the network delivered."""


class Violation(AssertionError):  # noqa: N818 - it is what was found
    """A rule was broken."""


@dataclass
class Rules:
    """What the user set, and in which kinds of world a rule cannot be told from outside."""

    invitations_a_day: int
    messages_a_day: int
    withdrawals_a_day: int
    withdraw_after_days: int
    day_starts: int
    day_ends: int
    clocks_are_right: bool
    """Limits and hours are by the device's own clock."""
    logs_are_whole: bool
    """Counts are by the device's own logs."""
    looks_are_whole: bool = True
    """Whoever was looked at is known to have been, on every device."""
    invitations_a_week: int = 400
    notes_a_month: int = 1_000
    ramp_days: int = 0
    costs_are_whole: bool = True
    """No process ends between a reply and its record, and no other device pays for one."""
    spacing_seconds: int = 0
    thread_fresh_minutes: int = 10
    days_before_step: Mapping[str, int] = field(default_factory=dict)
    """How long after the message before it a step may be sent, by its mark."""


@dataclass
class Oracle:
    """Hears of everything from outside, and raises at the first rule that was broken."""

    in_force: list[Rules]
    """One; while the user changes them either may hold."""
    approval_ends: dict[tuple[str, str, str], int] = field(default_factory=dict)
    """Until when an approval was said to hold, when it was given: by person, kind and text."""
    clicks: dict[str, list[Click]] = field(default_factory=lambda: defaultdict(list))
    """By whom they are about."""
    asked: list[Asked] = field(default_factory=list)
    erased: bool = False
    """The user erased the conversation."""
    approved: Counter[str] = field(default_factory=Counter)
    """How often the user was told that their approval of a text, by its id, is on record."""
    words: dict[Act, list[Said]] = field(default_factory=dict)
    """What the user said of the acts that they carried out, and was told that it is on record."""
    away: dict[str, int] = field(default_factory=dict)
    """Since when (ms of true time) the user of a launch has not been there."""
    sent: list[Sent] = field(default_factory=list)
    of_day: dict[tuple[str, int], list[Sent]] = field(default_factory=lambda: defaultdict(list))
    """What was sent, by kind and day."""
    to: dict[str, list[Sent]] = field(default_factory=lambda: defaultdict(list))
    """And by person."""
    erased_people: dict[str, ErasedPerson] = field(default_factory=dict)
    """Everybody of whom all was erased, by the network's name of them."""
    renamed: dict[str, int] = field(default_factory=dict)
    """Since when (ms of true time) somebody's page shows another name."""
    closed: dict[str, int] = field(default_factory=dict)
    """Since when (ms of true time) somebody has no page."""
    invited_by_hand: dict[str, InvitedByHand] = field(default_factory=dict)
    """Whom the user invited outside of Outrider, and has not been asked about yet."""
    invited_outside: set[str] = field(default_factory=set)
    """Everybody whom the user ever invited so; what Outrider tried in the same moment counts as sent."""
    begun_by_hand: dict[str, int] = field(default_factory=dict)
    """And who was asked, and said that Outrider is to go on from there."""
    first_contact_until: int | None = None
    ends_at: int | None = None
    """The latest of all last days that the user ever set (ms UTC)."""
    most_micros: int | None = None
    """The most that the user ever allowed the model to cost in a campaign."""
    spent: Counter[str] = field(default_factory=Counter)
    """What the model has cost, by campaign."""
    contacts: ContactOracle = field(default_factory=ContactOracle)
    replies_read: dict[tuple[str, str], int] = field(default_factory=dict)
    """Up to when (ms of true time) the user read in a question what somebody wrote, and said that a campaign goes on."""
    hours: dict[str, Hours] = field(default_factory=dict)
    """Of campaigns whose hours the user changed, on one device alone."""
    looks: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """When somebody's conversation was read (ms of true time), by whichever device."""
    paused: dict[str, Paused] = field(default_factory=dict)
    """Campaigns that the user paused, until one of them presses Start."""
    begun_at: dict[str, int] = field(default_factory=dict)
    """When a device last came with an act to the network."""
    first_begun: dict[str, int] = field(default_factory=dict)
    """When an act of each kind was first begun: from then on the first days count, whatever came of it."""

    def limits_edited(self, campaign: str, device: str, hours: Hours | None = None) -> None:
        """The user changes a campaign's limits on a device; with the hours of another device, of which nobody knows any more."""
        before = self.hours.pop(campaign, None)
        if before is None or before.device == device:
            here = hours or before
            if here is not None:
                self.hours[campaign] = here

    def looked(self, person: str, at: int) -> None:
        """A conversation was read."""
        self.looks[person].append(at)

    def acts(self, device: str, at: int) -> None:
        """The act goes on to the site; an intent that the shared store did not confirm may leave the log again."""
        self.begun_at[device] = at

    def begins(self, device: str, kind: str, at: int) -> None:
        """An act begins on a device: its intent is on record there, and nothing was asked or clicked yet."""
        self.first_begun.setdefault(kind, at)
        before, rules = self.begun_at.get(device), self.in_force[-1]
        if before is None or not (rules.clocks_are_right and rules.logs_are_whole):
            return
        if at - before < min(rule.spacing_seconds for rule in self.in_force) * 1_000 - LATE_INTENT_MS:
            raise Violation(f"an act begins {at - before} ms after another one")

    def heard(self, click: Click) -> None:
        """The user clicked; for an approval before it is carried out, for what takes one back when that was acknowledged."""
        self.clicks[click.person].append(click)

    def last_days(self, first_contact_until: int | None, ends_at: int | None) -> None:
        """The user sets them, before that is carried out; where two devices do, it may be the later ones that hold."""
        self.first_contact_until = _later(self.first_contact_until, first_contact_until)
        self.ends_at = _later(self.ends_at, ends_at)

    def may_spend(self, cents: int) -> None:
        """The user allows so much in all; before that is carried out."""
        self.most_micros = max(self.most_micros or 0, cents * 10_000)

    def paid(self, campaign: str, micros: int, on_record: int) -> None:
        """A model has been asked, and costs so much; so much was on record of the campaign on that device before."""
        self.spent[campaign] += micros
        cost = max(on_record + micros, self.spent[campaign] if self.in_force[-1].costs_are_whole else 0)
        if self.most_micros is not None and cost > self.most_micros:
            raise Violation(f"the model has cost {cost} of {self.most_micros} millionths of a dollar")

    def leaves(self, sent: Sent, *, replied_at: int | None, received: Collection[Received]) -> None:
        """A request leaves now; `received` is what the network has delivered so far."""
        if sent.kind == "withdraw":
            self._wanted_back(sent)
        else:
            self._approved(sent)
        self._not_forbidden(sent)
        self._as_the_page_says(sent)
        taken_back = any(withdrawal.campaign == sent.campaign for withdrawal in self._of(sent, "withdraw"))
        if sent.kind == "invitation" and taken_back and self.in_force[-1].logs_are_whole:
            raise Violation(f"{sent.person} is invited again after a withdrawal")
        self._long_after_a_withdrawal(sent, received)
        if sent.kind == "message" and not sent.by_hand:
            self._looked_at(sent)
        if ONLY_WITH_O in sent.text and "o" not in sent.name.casefold():
            raise Violation(f"{sent.name} got what is not for them: {sent.text!r}")
        clocks_are_right = self.in_force[-1].clocks_are_right
        away = self.away.get(sent.launch)
        if away is not None and sent.at - away > PRESENCE_MS + SURE_MS and clocks_are_right:
            raise Violation(f"{sent.kind} to {sent.person}, {sent.at - away} ms after the user was last there")
        if sent.kind == "message" and replied_at is not None and replied_at < sent.at - SURE_MS:
            raise Violation(f"{sent.kind} to {sent.person}, who had replied {sent.at - replied_at} ms before")
        if clocks_are_right:
            if sent.kind != "withdraw":
                self._before_last_day(sent)
            broken = [self._broken(rules, sent, received) for rules in self.in_force]
            if all(broken):
                raise Violation(broken[-1])
            self._long_after_the_step_before(sent)
            self._within_its_hours(sent)
        if sent.kind != "withdraw":
            contact = Contact(sent.person, sent.campaign, sent.kind, sent.text, sent.at, sent.launch, sent.by_hand)
            if wrong := self.contacts.leaves(contact, received):
                raise Violation(wrong)
        self.sent.append(sent)
        self.of_day[sent.kind, sent.at // DAY].append(sent)
        self.to[sent.person].append(sent)

    def judge_received(self, entries: Collection[Received]) -> None:
        """Nobody gets the same step twice, or an invitation taken back twice, or a message after that."""
        # Nothing on a page tells of an invitation that was withdrawn: who lost the record of that invites again.
        whole = self.in_force[-1].logs_are_whole
        unknown = set[str]() if whole else {person for kind, person, _ in entries if kind == "withdraw"}
        marked = ((kind, person, step_of(text) or kind) for kind, person, text in entries if kind != "withdraw")
        steps = Counter(mark for mark in marked if mark[2] != "message")  # a message without a mark was written by hand
        for (kind, person, step), times in steps.items():
            if times > 1 and (kind == "message" or person not in unknown):
                raise Violation(f"{person} got {kind} {step} {times} times")
        invited_by, taken_back = dict[str, str](), set[tuple[str, str]]()
        for kind, person, text in entries:
            campaign = invited_by.get(person, "") if kind == "withdraw" else letter_of(text)
            if (person, campaign) in taken_back:  # a second withdrawal, too
                raise Violation(f"{person} got {kind} after their invitation was withdrawn")
            if kind == "withdraw" and person not in unknown:
                taken_back.add((person, campaign))
            elif kind == "invitation":
                invited_by[person] = campaign
        if wrong := self.contacts.judge_delivered(entries):
            raise Violation(wrong)

    def judge_end(self, people: Collection[str], received: Collection[Received], kinds: Collection[str]) -> None:
        """Where nothing went wrong nobody is forgotten, unless the user said so."""
        if kinds:
            return
        asked = (click for clicks in self.clicks.values() for click in clicks)
        left = {click.person for click in asked if click.what in ("do not contact", "reject")}
        for person in sorted(set(people) - left - {person for _, person, _ in received}):
            raise Violation(f"{person} was forgotten")

    def said(self, act: Act, statement: Said) -> None:
        """Of what was handed over; nobody says it again where they have said it."""
        before = self.words.setdefault(act, [])
        if statement in before:
            raise Violation(f"{statement.word} had to be said again on {statement.device}")
        before.append(statement)

    def put_back(self, device: str) -> None:
        """Nobody can expect that this device still knows what was said there."""
        for words in self.words.values():
            words[:] = [statement for statement in words if statement.device != device]

    def judge_words(self, settled: Mapping[Act, tuple[str, int]], of_deleted: Collection[Act] = ()) -> None:
        """What the user said on every device alike is on record, once; `settled` has how an act ended, and how often.

        An intent that no store confirmed gives way to another one with the same text, and that one is on record. Of those of a
        campaign that another device deleted just then the word may have gone with it: its contacts are remembered without it.
        """
        sent = Counter(act.message for act, (status, _) in settled.items() if status == "sent")
        for act, words in self.words.items():
            gave_way = settled.get(act, ("not_sent", 1)) == ("not_sent", 1) and sent[act.message] == 1
            gave_way |= act in of_deleted and settled[act] == ("intended", 0)
            if {statement.word for statement in words} == {"sent"} and settled.get(act) != ("sent", 1) and not gave_way:
                raise Violation(f"{act.id} was sent, as the user said; on record is {settled.get(act)}")

    def _approved(self, sent: Sent) -> None:
        clicks = [click for click in self.clicks[sent.person] if (click.kind, click.text) == sent[1:3]]
        if not any(click.what == "approve" for click in clicks):
            raise Violation(f"{sent.kind} to {sent.person} was never approved: {sent.text!r}")
        # Another device's decision counts when it got here, which the ledger cannot tell.
        here = [click for click in clicks if click.launch == sent.launch]
        taken_back = bool(here) and here[-1].what == "revoke"
        if taken_back and not any(click.what == "approve" and click.at >= here[-1].at for click in clicks):
            raise Violation(f"{sent.kind} to {sent.person}: the approval had been taken back here")
        ends = self.approval_ends.get((sent.person, sent.kind, sent.text))
        if self.in_force[-1].clocks_are_right and ends is not None and ends < sent.at - SURE_MS:
            raise Violation(f"{sent.kind} to {sent.person}: the approval had expired")

    def _of(self, sent: Sent, kind: str) -> Iterable[Sent]:
        return (other for other in self.to[sent.person] if other.kind == kind)

    def _wanted_back(self, sent: Sent) -> None:
        """Only one of ours that is old enough, by the device's own clock.

        Who lost a record may know of an earlier try only, which may never have left.
        """
        by_hand, rules = self.begun_by_hand.get(sent.person), self.in_force[-1]
        invited = max((invitation.at for invitation in self._of(sent, "invitation")), default=by_hand)
        if invited is not None and not rules.logs_are_whole:
            allowed = (
                click.at for click in self.clicks[sent.person] if (click.what, click.kind) == ("approve", "invitation")
            )
            invited = min(allowed, default=invited)
        if invited is None:
            raise Violation(f"withdrawal from {sent.person}, whom nobody invited here")
        if rules.clocks_are_right and sent.at - invited < rules.withdraw_after_days * DAY - SURE_MS:
            raise Violation(f"withdrawal from {sent.person}, {sent.at - invited} ms after the invitation")

    def _not_forbidden(self, sent: Sent) -> None:
        """What was decided in this launch, and where no record is ever lost on this device, whichever launch it was."""
        remembers = self.in_force[-1].looks_are_whole
        here = any(
            click.launch == sent.launch
            or (remembers and device_of(click.launch) == device_of(sent.launch) and sent.at - click.at > SURE_MS)
            for click in (*self.clicks[sent.person], *self.clicks[sent.company])
            if click.what == "do not contact"
        )
        if here:
            raise Violation(f"{sent.kind} to {sent.person}, who is not to be contacted")
        paused = self.paused.get(sent.campaign)
        if paused is not None and paused.launch == sent.launch and sent.at - paused.at > SURE_MS:
            raise Violation(f"{sent.kind} to {sent.person} from a campaign that the user paused")

    def _long_after_a_withdrawal(self, sent: Sent, received: Collection[Received]) -> None:
        """Whichever campaign took an invitation back, nobody is invited again for three weeks."""
        rules = self.in_force[-1]
        if sent.kind != "invitation" or not (rules.logs_are_whole and rules.clocks_are_right):
            return
        for withdrawal in self._of(sent, "withdraw"):
            since = sent.at - withdrawal.at
            if ("withdraw", sent.person, withdrawal.text) in received and since < INVITED_AGAIN_DAYS * DAY - SURE_MS:
                raise Violation(f"{sent.person} is invited again {since / DAY:.1f} days after a withdrawal")

    def _within_its_hours(self, sent: Sent) -> None:
        """Within the hours that the user gave this campaign on this very device."""
        hours, rules = self.hours.get(sent.campaign), self.in_force[-1]
        if hours is None or hours.device != device_of(sent.launch) or not rules.looks_are_whole:
            return
        minute = sent.at % DAY // 60_000
        after = minute * 60_000 - hours.ends * 60_000
        if sent.at - hours.at > SURE_MS and (minute < hours.starts or after > SURE_MS):
            raise Violation(
                f"{sent.kind} to {sent.person} outside of its campaign's hours, at minute {minute} of the day"
            )

    def _looked_at(self, sent: Sent) -> None:
        """The conversation was read when it was decided that this is due, and again right before the act."""
        rules = self.in_force[-1]
        looks = self.looks[sent.person]
        if not looks or sent.at - looks[-1] > SURE_MS:
            raise Violation(f"{sent.kind} to {sent.person}, whose conversation was not read right before")
        fresh = max(rule.thread_fresh_minutes for rule in self.in_force) * 60_000 + 2 * SURE_MS
        if rules.clocks_are_right and (len(looks) == 1 or sent.at - looks[-2] > fresh):
            raise Violation(f"{sent.kind} to {sent.person}, decided by an old look at the conversation")

    def _long_after_the_step_before(self, sent: Sent) -> None:
        """The days that a sequence waits between two messages."""
        step = step_of(sent.text).rstrip("bcdefgh")
        days, rules = self.in_force[-1].days_before_step.get(step, 0), self.in_force[-1]
        if not days or not rules.logs_are_whole:
            return
        before = [other.at for other in self._of(sent, "message") if other.campaign == sent.campaign]
        steps = {step_of(other.text) for other in self._of(sent, "message") if other.campaign == sent.campaign}
        if before and step_of(sent.text) not in steps and sent.at - before[0] < days * DAY - SURE_MS:
            raise Violation(f"{step} to {sent.person} {sent.at - before[0]} ms after the message before it")

    def asked_about(self, person: str) -> bool:
        """The user is asked about their own invitation, and says that it goes on; False if there is none."""
        by_hand = self.invited_by_hand.pop(person, None)
        if by_hand is not None:
            self.begun_by_hand[person] = by_hand.at
        return by_hand is not None

    def _as_the_page_says(self, sent: Sent) -> None:
        """Nothing leaves to a page of somebody else, nor to whom Outrider did not invite before the user was asked."""
        if sent.at - self.renamed.get(sent.person, sent.at) > SURE_MS:
            raise Violation(f"{sent.kind} to {sent.person}, whose page shows another name")
        if sent.at - self.closed.get(sent.person, sent.at) > SURE_MS:
            raise Violation(f"{sent.kind} to {sent.person}, who has no page any more")
        by_hand = self.invited_by_hand.get(sent.person)
        if by_hand is None or not self.in_force[-1].looks_are_whole:
            return
        if by_hand.looks & sent.looks and sent.at - by_hand.at > SURE_MS:
            raise Violation(f"{sent.kind} to {sent.person}, whom the user invited by hand, and nobody asked")
        del self.invited_by_hand[sent.person]  # they met

    def _before_last_day(self, sent: Sent) -> None:
        begun = self.to[sent.person] or sent.person in self.begun_by_hand
        if self.ends_at is not None and sent.at >= self.ends_at:
            raise Violation(f"{sent.kind} to {sent.person} after the campaign's end")
        if self.first_contact_until is not None and sent.at >= self.first_contact_until and not begun:
            raise Violation(f"{sent.kind} to {sent.person}, the first one, after the last day for that")

    def _broken(self, rules: Rules, sent: Sent, received: Collection[Received]) -> str:
        """Which of these rules it breaks, in words; "" for none."""
        hour = sent.at % DAY // HOUR
        weekday = (sent.at // DAY + 3) % 7  # 1 January 1970 was a Thursday
        if weekday > 4 or not rules.day_starts <= hour < rules.day_ends:
            return f"{sent.kind} to {sent.person} at {hour}:00 on weekday {weekday}"
        # With a store that was put back, what another device sent is not known until that one comes again.
        return self._beyond_limits(rules, sent, received) if rules.looks_are_whole else ""

    def _beyond_limits(self, rules: Rules, sent: Sent, received: Collection[Received]) -> str:
        """Of what arrived: what the site refused is no invitation."""
        most = {
            "invitation": rules.invitations_a_day,
            "message": rules.messages_a_day,
            "withdraw": rules.withdrawals_a_day,
        }[sent.kind]
        first = next((other.at for other in self.sent if other.kind == sent.kind), sent.at)
        first = min(first, self.first_begun.get(sent.kind, first))
        if (since := sent.at // DAY - first // DAY) < rules.ramp_days:
            most = min(most, max(1, math.ceil(most * (since + 1) / rules.ramp_days)))
        if self._reached(sent, 1, received) >= most:
            return f"more than {most} {sent.kind}s on one day"
        if sent.kind == "invitation" and self._reached(sent, 7, received) >= rules.invitations_a_week:
            return f"more than {rules.invitations_a_week} invitations in a week"
        noted = sent.kind == "invitation" and sent.text != "" and len(self.sent) >= rules.notes_a_month
        if noted and self._reached(sent, 30, received, with_text=True) >= rules.notes_a_month:
            return f"more than {rules.notes_a_month} invitations with a note in a month"
        return ""

    def _reached(self, sent: Sent, days: int, received: Collection[Received], *, with_text: bool = False) -> int:
        """How many others got something of that kind on this day, or in so many times 24 hours."""
        since = sent.at // DAY * DAY if days == 1 else sent.at - days * DAY + SURE_MS
        people = set()
        for day in range(since // DAY, sent.at // DAY + 1):
            for other in self.of_day.get((sent.kind, day), ()):
                if (
                    other.at >= since
                    and (other.text or not with_text)
                    and (other.kind, other.person, other.text) in received
                ):
                    people.add(other.person)
        return len(people - {sent.person})


def _later(first: int | None, second: int | None) -> int | None:
    return max((day for day in (first, second) if day is not None), default=None)


def step_of(text: str) -> str:
    """The mark that each step's template bears; "" for what was written by hand."""
    mark, _, _ = text.partition(":")
    return mark if mark.startswith("step ") else ""


def letter_of(text: str) -> str:
    """The letter of the campaign whose step this is; the first campaign has none."""
    return "".join(filter(str.isalpha, step_of(text).removeprefix("step ")))


def profile_of(slug: str) -> str:
    """The address of somebody's profile, by which they are known."""
    return f"https://www.linkedin.com/in/{slug}"


def slug_of(profile: str) -> str:
    """Whose profile it is, as the network calls them."""
    return profile.rstrip("/").rsplit("/", 1)[-1]
