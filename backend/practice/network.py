"""The state of the network: a fold over ledger entries, looked at from a moment called now.

The decisions (`invite`, `message`, …) return the entry to record and change nothing; `fold` applies an entry.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from backend.practice.contact_history import ContactHistory, Invitation, PastContact, PracticeMessage, PracticeRelation
from backend.practice.faults import ArmedFaults, Fault
from backend.practice.ledger import Disposition, Entry, Kind
from backend.practice.people import People, PersonCard, PracticePerson
from backend.practice.virtual_time import DAY

NOTE_LIMIT = 200
MESSAGE_LIMIT = 8_000
REINVITE_AFTER = 21 * DAY

# Why an invitation or a message was refused, in a sentence for the page.
REFUSALS = {
    "logged_out": "You were signed out.",
    "unknown_person": "There is no such person.",
    "note_too_long": f"A note can have at most {NOTE_LIMIT} characters.",
    "already_pending": "An invitation to this person is already pending.",
    "already_connected": "You are already connected.",
    "withdrawn_recently": "You withdrew an invitation to this person less than three weeks ago.",
    "not_pending": "There is no pending invitation to withdraw.",
    "not_connected": "You can write to each other once you are connected.",
    "empty": "The message is empty.",
    "too_long": f"A message can have at most {MESSAGE_LIMIT:,} characters.",
}


@dataclass(frozen=True, slots=True)
class Notification:
    at: int
    slug: str
    kind: Literal["accepted", "replied"]


class Network:
    """Everything that is so, for the one account: relations, threads, sessions, armed faults, the virtual clock."""

    def __init__(self, people: People, entries: Iterable[Entry] = ()) -> None:
        self.people = people
        self.count = 0
        self.now = 0
        self.sessions: set[str] = set()
        self.faults = ArmedFaults()
        self.postponed: dict[int, Entry] = {}
        self._histories: dict[str, ContactHistory] = {}
        for entry in entries:
            self.fold(entry)

    # What is so.

    def person(self, slug: str) -> PracticePerson | None:
        return self.people.find(slug)

    def history(self, slug: str) -> ContactHistory:
        return self._histories.get(slug) or ContactHistory(self.people.seed, slug)

    def relation(self, slug: str, now: int) -> PracticeRelation:
        return self.history(slug).relation(now)

    def thread(self, slug: str, now: int) -> tuple[PracticeMessage, ...]:
        return self.history(slug).thread(now)

    def pending(self, now: int) -> list[tuple[str, Invitation]]:
        """Sent and not yet answered, newest first."""
        waiting = [(slug, sent) for slug, history in self._histories.items() if (sent := history.pending(now))]
        return sorted(waiting, key=lambda pair: -pair[1].n)

    def accepted(self, now: int) -> list[tuple[str, int]]:
        """Who accepted and when, newest first."""
        accepted = [
            (slug, sent.accepted_at)
            for slug, history in self._histories.items()
            for sent in history.invitations
            if sent.accepted_at is not None and sent.accepted_at <= now
        ]
        return sorted(accepted, key=lambda pair: -pair[1])

    def inbox(self, now: int) -> list[tuple[str, PracticeMessage]]:
        """Each thread's last message, newest first."""
        threads = ((slug, history.thread(now)) for slug, history in self._histories.items())
        return sorted(((slug, thread[-1]) for slug, thread in threads if thread), key=lambda pair: -pair[1].at)

    def notifications(self, now: int) -> list[Notification]:
        """Newest first."""
        replies = (
            Notification(reply.at, slug, "replied")
            for slug, history in self._histories.items()
            for reply in history.replies
            if reply.at <= now
        )
        accepted = (Notification(at, slug, "accepted") for slug, at in self.accepted(now))
        return sorted([*replies, *accepted], key=lambda notification: -notification.at)

    # What would be recorded.

    def entry(
        self,
        kind: Kind,
        now: int,
        *,
        to: str = "",
        text: str = "",
        disposition: Disposition = "",
        reason: str = "",
        **detail: object,
    ) -> Entry:
        return Entry(self.count + 1, now, kind, to, text, disposition, reason, detail)

    def invite(self, slug: str, note: str, now: int, *, refuse: str = "") -> Entry:
        """The entry for a received invitation; `refuse` is a reason that comes before all others."""
        reason = refuse or self._why_not_invite(slug, note, now)
        return self.entry(
            "invitation", now, to=slug, text=note, disposition="refused" if reason else "delivered", reason=reason
        )

    def message(self, slug: str, text: str, now: int, *, refuse: str = "") -> Entry:
        """The entry for a received message; the same text again is delivered again."""
        reason = refuse or self._why_not_message(slug, text, now)
        return self.entry(
            "message", now, to=slug, text=text, disposition="refused" if reason else "delivered", reason=reason
        )

    def postpone(self, moment: str, slug: str, text: str, now: int, *, due: int, ms: int) -> Entry:
        """The entry for a sending that is carried out later, at `due` in real time, whoever restarts meanwhile."""
        return self.entry("postponed", now, to=slug, text=text, moment=moment, due=due, ms=ms)

    def carry_out(self, postponed: Entry, now: int) -> Entry:
        """The entry for a postponed sending whose time has come."""
        received = self.receive(postponed.detail["moment"], postponed.to, postponed.text, now)
        return replace(received, detail={"postponed": postponed.n})

    def receive(self, moment: str, slug: str, text: str, now: int, *, refuse: str = "") -> Entry:
        """The entry for a sending, whether anybody waits for its answer or not; `refuse` comes before all other reasons."""
        if moment == "withdraw_send":
            return self.withdraw(slug, now, refuse=refuse)
        receive = self.invite if moment == "invite_send" else self.message
        return receive(slug, text, now, refuse=refuse)

    def withdraw(self, slug: str, now: int, *, refuse: str = "") -> Entry:
        reason = refuse or ("" if self.relation(slug, now) is PracticeRelation.PENDING else "not_pending")
        return self.entry("withdraw", now, to=slug, disposition="refused" if reason else "delivered", reason=reason)

    def view(self, slug: str, now: int, *, reason: str = "") -> Entry:
        return self.entry("profile_view", now, to=slug, reason=reason)

    def login(self, email: str, session: str, now: int) -> Entry:
        """The session is named by a hash of its secret."""
        return self.entry("login", now, text=email, session=session)

    def logout(self, session: str, now: int, *, reason: str = "") -> Entry:
        """An empty session means all of them."""
        return self.entry("logout", now, reason=reason, session=session)

    def advance(self, to: int) -> Entry | None:
        """The clock entry, or None when it would not go forwards."""
        return self.entry("clock", to) if to > self.now else None

    def enrol(self, cards: Iterable[PersonCard], now: int) -> Entry | None:
        """One entry for all that are new or changed, or None when there is none."""
        news = {card.slug: card for card in cards if not self._knows(card, now)}
        if not news:
            return None
        people = [
            {"slug": card.slug, "name": card.name, "headline": card.headline, "company": card.company}
            | ({"connected": True} if card.connected else {})
            for card in news.values()
        ]
        return self.entry("roster", now, people=people)

    def restore(self, people: Iterable[Mapping[str, Any]], now: int) -> Entry:
        """The entry for what passed on another machine's network: from it on these people's histories are these."""
        return self.entry("restored", now, people=list(people))

    def arm(self, fault: Fault, now: int) -> Entry:
        return self.entry("fault", now, action="armed", fault=fault.model_dump())

    def fired(self, number: int, kind: str, moment: str, slug: str, now: int) -> Entry:
        """The entry for a fault that strikes."""
        return self.entry("fault", now, to=slug, action="fired", id=number, fault=kind, moment=moment)

    def clear_faults(self, now: int) -> Entry | None:
        return self.entry("fault", now, action="cleared") if self.faults.waiting() else None

    def _why_not_invite(self, slug: str, note: str, now: int) -> str:
        if self.people.card(slug) is None:
            return "unknown_person"
        if len(note) > NOTE_LIMIT:
            return "note_too_long"
        history = self.history(slug)
        relation = history.relation(now)
        if relation is PracticeRelation.WITHDRAWN:
            withdrawn = history.invitations[-1].withdrawn_at or 0
            return "withdrawn_recently" if now - withdrawn < REINVITE_AFTER else ""
        return {PracticeRelation.PENDING: "already_pending", PracticeRelation.CONNECTED: "already_connected"}.get(
            relation, ""
        )

    def _why_not_message(self, slug: str, text: str, now: int) -> str:
        if self.people.card(slug) is None:
            return "unknown_person"
        if self.relation(slug, now) is not PracticeRelation.CONNECTED:
            return "not_connected"
        if not text.strip():
            return "empty"
        return "too_long" if len(text) > MESSAGE_LIMIT else ""

    def _knows(self, card: PersonCard, now: int) -> bool:
        roster_card = self.people.roster.get(card.slug)
        if roster_card is None:
            return False
        same = (roster_card.name, roster_card.headline, roster_card.company) == (card.name, card.headline, card.company)
        return same and not (card.connected and self.relation(card.slug, now) is not PracticeRelation.CONNECTED)

    # What an entry changes.

    def fold(self, entry: Entry) -> None:
        self.count = entry.n
        self.now = max(self.now, entry.at)
        self.postponed.pop(entry.detail.get("postponed", 0), None)
        change = self._CHANGES.get(entry.kind)
        if change and entry.disposition not in ("refused", "dropped"):
            change(self, entry)

    def _person_history(self, slug: str) -> ContactHistory:
        return self._histories.setdefault(slug, ContactHistory(self.people.seed, slug))

    def _fold_view(self, entry: Entry) -> None:
        self._person_history(entry.to).viewed += 1

    def _fold_invitation(self, entry: Entry) -> None:
        self._person_history(entry.to).receive_invitation(entry.n, entry.at, entry.text)

    def _fold_message(self, entry: Entry) -> None:
        self._person_history(entry.to).receive_message(entry.n, entry.at, entry.text)

    def _fold_withdraw(self, entry: Entry) -> None:
        self._person_history(entry.to).withdraw(entry.at)

    def _fold_login(self, entry: Entry) -> None:
        self.sessions.add(entry.detail["session"])

    def _fold_logout(self, entry: Entry) -> None:
        if entry.detail["session"]:
            self.sessions.discard(entry.detail["session"])
        else:
            self.sessions.clear()

    def _fold_roster(self, entry: Entry) -> None:
        for row in entry.detail["people"]:
            card = PersonCard(**row)
            self.people.enrol(card)
            history = self._person_history(card.slug)
            if card.connected and history.connected_at is None:
                history.connected_at = entry.at

    def _fold_restored(self, entry: Entry) -> None:
        for row in entry.detail["people"]:
            past = [PastContact(**contact) for contact in row["past"]]
            self._person_history(row["slug"]).restore(entry.n, row["connected_at"], past)

    def _fold_fault(self, entry: Entry) -> None:
        self.faults.fold(entry.n, dict(entry.detail))

    def _fold_postponed(self, entry: Entry) -> None:
        self.postponed[entry.n] = entry

    _CHANGES: Mapping[Kind, Any] = {
        "profile_view": _fold_view,
        "invitation": _fold_invitation,
        "message": _fold_message,
        "withdraw": _fold_withdraw,
        "login": _fold_login,
        "logout": _fold_logout,
        "roster": _fold_roster,
        "fault": _fold_fault,
        "postponed": _fold_postponed,
        "restored": _fold_restored,
    }
