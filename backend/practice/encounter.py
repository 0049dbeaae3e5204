"""What happens when a request meets the network and whatever faults are armed: the entries, and the answer."""

from dataclasses import dataclass, replace
from typing import Literal

from backend.practice.entry import Disposition, Entry
from backend.practice.faults import SENDS, FaultKind, Moment
from backend.practice.network import Network

Look = Literal["plain", "changed_labels", "changed_layout"]
Answer = Literal["page", "sent", "failed", "error_500", "log_out", "unusual_activity", "invitation_limit"]
Crash = Literal["", "before", "after"]


@dataclass(frozen=True, slots=True)
class Encounter:
    """Entries to record, in order and before anything else; then the answer, and how it looks or fails to come."""

    entries: tuple[Entry, ...]
    answer: Answer
    reason: str = ""
    look: Look = "plain"
    slow_ms: int = 0
    crash: Crash = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """What a fault makes of a sending that would have been delivered, and of the answer."""

    disposition: Disposition | None
    answer: Answer | None


LOOKS: dict[FaultKind, Look] = {"changed_labels": "changed_labels", "changed_layout": "changed_layout"}

ENDINGS: dict[FaultKind, Ending] = {
    "error_500": Ending("dropped", "error_500"),
    "log_out": Ending("refused", "log_out"),
    "unusual_activity": Ending("refused", "unusual_activity"),
    "invitation_limit": Ending("refused", "invitation_limit"),
    "accepts_but_says_failed": Ending(None, "failed"),
    "says_sent_but_dropped": Ending("dropped", "sent"),
    "crash": Ending(None, None),
}


def meet(network: Network, moment: Moment, now: int, *, slug: str = "", text: str = "", session: str = "") -> Encounter:
    """Decide a signed-in request; changes nothing."""
    striking = network.faults.striking(moment, slug)
    fired = [
        network.entry("fault", now, to=slug, action="fired", id=number, fault=fault.kind, moment=moment)
        for number, fault in striking
    ]
    deed, answer = natural(network, moment, now, slug, text)
    look: Look = "plain"
    slow_ms = 0
    crash: Crash = ""
    parting: list[Entry] = []
    for _, fault in striking:
        if fault.kind == "slow":
            slow_ms += fault.ms
        elif fault.kind in LOOKS:
            look = LOOKS[fault.kind]
        else:
            ending = ENDINGS[fault.kind]
            answer = ending.answer or answer
            if fault.kind == "crash":
                crash = "before" if fault.before else "after"
            if fault.kind == "log_out":
                parting = [network.logout(session, now, reason="log_out")]
            if deed and ending.answer:
                deed = spoiled(deed, ending, fault.kind)
    entries = fired + ([deed] if deed and crash != "before" else []) + parting
    return Encounter(
        entries=tuple(replace(entry, n=network.count + place) for place, entry in enumerate(entries, 1)),
        answer=answer,
        reason=deed.reason if deed else "",
        look=look,
        slow_ms=slow_ms,
        crash=crash,
    )


def turn_away(network: Network, moment: Moment, now: int, slug: str, text: str) -> Encounter:
    """Decide a sending by somebody who is not signed in: recorded, refused."""
    decide = network.invite if moment == "invite_send" else network.message
    return Encounter((decide(slug, text, now, refuse="logged_out"),), "log_out", "logged_out")


def natural(network: Network, moment: Moment, now: int, slug: str, text: str) -> tuple[Entry | None, Answer]:
    """The entry and the answer when nothing goes wrong."""
    if moment in SENDS:
        decide = network.invite if moment == "invite_send" else network.message
        deed = decide(slug, text, now)
        return deed, "sent" if deed.disposition == "delivered" else "failed"
    return (network.view(slug, now) if moment == "profile_page" else None), "page"


def spoiled(deed: Entry, ending: Ending, kind: FaultKind) -> Entry:
    """The deed as the fault leaves it; what the network itself refused stays refused, for its own reason."""
    if deed.disposition == "refused":
        return deed
    disposition = deed.disposition and (ending.disposition or deed.disposition)
    return replace(deed, disposition=disposition, reason=kind)
