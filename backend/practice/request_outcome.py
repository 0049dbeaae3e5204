"""What happens when a request meets the network and whatever faults are armed: the entries, and the answer."""

from dataclasses import dataclass, replace
from typing import Literal

from backend.practice.faults import SEND_POINTS, FaultKind, FaultPoint
from backend.practice.ledger import Disposition, Entry
from backend.practice.network import Network

PageVariant = Literal["plain", "changed_labels", "changed_layout"]
Answer = Literal["page", "sent", "failed", "error_500", "log_out", "unusual_activity", "invitation_limit"]
Crash = Literal["", "before", "after"]


@dataclass(frozen=True, slots=True)
class RequestOutcome:
    """Entries to record, in order and before anything else; then the answer, and how it looks or fails to come."""

    entries: tuple[Entry, ...]
    answer: Answer
    reason: str = ""
    look: PageVariant = "plain"
    slow_ms: int = 0
    crash: Crash = ""


@dataclass(frozen=True, slots=True)
class FaultEffect:
    """What a fault makes of a sending that would have been delivered, and of the answer."""

    disposition: Disposition | None
    answer: Answer | None


PAGE_VARIANTS: dict[FaultKind, PageVariant] = {"changed_labels": "changed_labels", "changed_layout": "changed_layout"}

FAULT_EFFECTS: dict[FaultKind, FaultEffect] = {
    "error_500": FaultEffect("dropped", "error_500"),
    "log_out": FaultEffect("refused", "log_out"),
    "unusual_activity": FaultEffect("refused", "unusual_activity"),
    "invitation_limit": FaultEffect("refused", "invitation_limit"),
    "accepts_but_says_failed": FaultEffect(None, "failed"),
    "says_sent_but_dropped": FaultEffect("dropped", "sent"),
    "crash": FaultEffect(None, None),
}


def handle_request(
    network: Network,
    moment: FaultPoint,
    now: int,
    *,
    slug: str = "",
    text: str = "",
    session: str = "",
    real_now: int = 0,
) -> RequestOutcome:
    """Decide a signed-in request; changes nothing. `real_now` (ms UTC) is what lateness is counted by."""
    applicable_faults = network.faults.applicable(moment, slug)
    fired = [network.fired(number, fault.kind, moment, slug, now) for number, fault in applicable_faults]
    deed, answer = outcome_without_faults(network, moment, now, slug, text)
    look: PageVariant = "plain"
    slow_ms = 0
    crash: Crash = ""
    logout_entries: list[Entry] = []
    for _, fault in applicable_faults:
        if fault.kind == "slow":
            slow_ms += fault.ms
        elif fault.kind in PAGE_VARIANTS:
            look = PAGE_VARIANTS[fault.kind]
        elif fault.kind == "carried_out_later":
            # As from a gateway that gave up waiting for what stands behind it.
            answer = "error_500"
            if deed and deed.disposition == "delivered":
                deed = network.postpone(moment, slug, text, now, due=real_now + fault.ms, ms=fault.ms)
        else:
            effect = FAULT_EFFECTS[fault.kind]
            answer = effect.answer or answer
            if fault.kind == "crash":
                crash = "before" if fault.before else "after"
            if fault.kind == "log_out":
                logout_entries = [network.logout(session, now, reason="log_out")]
            if deed and effect.answer:
                deed = with_fault(deed, effect, fault.kind)
    entries = fired + ([deed] if deed and crash != "before" else []) + logout_entries
    return RequestOutcome(
        entries=tuple(replace(entry, n=network.count + number) for number, entry in enumerate(entries, 1)),
        answer=answer,
        reason=deed.reason if deed else "",
        look=look,
        slow_ms=slow_ms,
        crash=crash,
    )


def refuse_signed_out(network: Network, moment: FaultPoint, now: int, slug: str, text: str) -> RequestOutcome:
    """Decide a sending by somebody who is not signed in: recorded, refused."""
    return RequestOutcome((network.receive(moment, slug, text, now, refuse="logged_out"),), "log_out", "logged_out")


def outcome_without_faults(
    network: Network, moment: FaultPoint, now: int, slug: str, text: str
) -> tuple[Entry | None, Answer]:
    """The entry and the answer when nothing goes wrong."""
    if moment in SEND_POINTS:
        deed = network.receive(moment, slug, text, now)
        return deed, "sent" if deed.disposition == "delivered" else "failed"
    return (network.view(slug, now) if moment == "profile_page" else None), "page"


def with_fault(deed: Entry, ending: FaultEffect, kind: FaultKind) -> Entry:
    """The deed as the fault leaves it; what the network itself refused stays refused, for its own reason."""
    if deed.disposition == "refused":
        return deed
    disposition = deed.disposition and (ending.disposition or deed.disposition)
    return replace(deed, disposition=disposition, reason=kind)
