"""Faults on request: what can go wrong, at which step, how often; each a row of a table."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

FaultKind = Literal[
    "slow",
    "error_500",
    "log_out",
    "unusual_activity",
    "invitation_limit",
    "changed_labels",
    "changed_layout",
    "accepts_but_says_failed",
    "says_sent_but_dropped",
    "arrives_late",
    "carried_out_later",
    "crash",
]
Step = Literal["profile", "invite", "message", "withdraw", "thread", "any"]
FaultPoint = Literal[
    "profile_page", "invite_page", "invite_send", "thread_page", "message_send", "withdraw_send", "other_page"
]

SEND_POINTS: frozenset[FaultPoint] = frozenset({"invite_send", "message_send", "withdraw_send"})
PAGE_POINTS: frozenset[FaultPoint] = frozenset({"profile_page", "invite_page", "thread_page"})
ALL_POINTS: frozenset[FaultPoint] = SEND_POINTS | PAGE_POINTS | {"other_page"}

# A fault "on" invite or message strikes the sending itself, except one of looks, which strikes the form.
POINTS_OF_STEP: dict[Step, frozenset[FaultPoint]] = {
    "profile": frozenset({"profile_page"}),
    "invite": frozenset({"invite_page", "invite_send"}),
    "message": frozenset({"thread_page", "message_send"}),
    "withdraw": frozenset({"withdraw_send"}),
    "thread": frozenset({"thread_page"}),
    "any": ALL_POINTS,
}
APPEARANCE_FAULTS: frozenset[FaultKind] = frozenset({"changed_labels", "changed_layout"})
POINTS_OF_KIND: dict[FaultKind, frozenset[FaultPoint]] = {
    "slow": ALL_POINTS,
    "error_500": ALL_POINTS,
    "log_out": ALL_POINTS,
    "unusual_activity": ALL_POINTS,
    "invitation_limit": frozenset({"invite_send"}),
    "changed_labels": PAGE_POINTS,
    "changed_layout": PAGE_POINTS,
    "accepts_but_says_failed": SEND_POINTS,
    "says_sent_but_dropped": SEND_POINTS,
    "arrives_late": SEND_POINTS,
    "carried_out_later": SEND_POINTS,
    "crash": ALL_POINTS,
}
LATE_FAULTS: frozenset[FaultKind] = frozenset({"arrives_late", "carried_out_later"})
LONGEST_MS = 120_000
LATEST_MS = 50_000
"""Nothing is carried out later than this after it was sent; Outrider counts on it (`PRACTICE_SETTLE_SECONDS`)."""


def fault_points(kind: FaultKind, step: Step) -> frozenset[FaultPoint]:
    """When a fault of this kind, armed on this step, can strike."""
    shared_points = POINTS_OF_STEP[step] & POINTS_OF_KIND[kind]
    if step in ("invite", "message") and kind not in APPEARANCE_FAULTS:
        return shared_points & SEND_POINTS
    return shared_points


class Fault(BaseModel):
    """One armed fault; times None means always, before says that a crash comes before the delivery is written.

    `ms` is how long slow keeps the answer back, arrives_late the request, and carried_out_later what was asked for.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    kind: FaultKind
    on: Step = "any"
    times: int | None = Field(default=1, ge=1)
    slug: str | None = Field(default=None, max_length=200)
    ms: int = Field(default=0, ge=0, le=LONGEST_MS)
    before: bool = False

    @model_validator(mode="after")
    def _can_strike(self) -> "Fault":
        if not fault_points(self.kind, self.on):
            raise ValueError(f"{self.kind} never happens on {self.on}")
        if self.kind == "slow" and not self.ms:
            raise ValueError("slow needs ms")
        if self.kind in LATE_FAULTS and not 0 < self.ms <= LATEST_MS:
            raise ValueError(f"{self.kind} needs ms, at most {LATEST_MS}")
        return self

    def applies_to(self, moment: FaultPoint, slug: str) -> bool:
        return moment in fault_points(self.kind, self.on) and self.slug in (None, slug)


class ArmedFaults:
    """The faults that wait, oldest first; a fold over the ledger's fault entries. A fault's id is its entry's n."""

    def __init__(self) -> None:
        self._waiting: dict[int, tuple[Fault, int | None]] = {}

    def fold(self, n: int, detail: dict[str, Any]) -> None:
        match detail:
            case {"action": "armed", "fault": fault}:
                armed = Fault.model_validate(fault)
                self._waiting[n] = (armed, armed.times)
            case {"action": "fired", "id": int(number)} if number in self._waiting:
                armed, remaining = self._waiting[number]
                self._waiting[number] = (armed, None if remaining is None else remaining - 1)
                if remaining == 1:
                    del self._waiting[number]
            case {"action": "cleared"}:
                self._waiting.clear()

    def waiting(self) -> list[dict[str, Any]]:
        return [{"id": n, **fault.model_dump(), "left": remaining} for n, (fault, remaining) in self._waiting.items()]

    def holding(self, moment: FaultPoint, slug: str) -> tuple[int, Fault] | None:
        """The oldest fault that holds this request back."""
        waiting = ((n, fault) for n, (fault, _) in self._waiting.items())
        return next(((n, f) for n, f in waiting if f.kind == "arrives_late" and f.applies_to(moment, slug)), None)

    def applicable(self, moment: FaultPoint, slug: str) -> list[tuple[int, Fault]]:
        """Those that strike now: every delay and change of looks, but only the oldest that decides the answer.

        What holds a request back strikes before it arrives: `holding`.
        """
        applicable_faults: list[tuple[int, Fault]] = []
        decided = False
        for n, (fault, _) in self._waiting.items():
            if fault.kind == "arrives_late":
                continue
            decides = fault.kind != "slow" and fault.kind not in APPEARANCE_FAULTS
            if fault.applies_to(moment, slug) and not (decides and decided):
                applicable_faults.append((n, fault))
                decided = decided or decides
        return applicable_faults
