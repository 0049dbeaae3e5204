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
    "crash",
]
Step = Literal["profile", "invite", "message", "thread", "any"]
Moment = Literal["profile_page", "invite_page", "invite_send", "thread_page", "message_send", "other_page"]

SENDS: frozenset[Moment] = frozenset({"invite_send", "message_send"})
FACES: frozenset[Moment] = frozenset({"profile_page", "invite_page", "thread_page"})
EVERYWHERE: frozenset[Moment] = SENDS | FACES | {"other_page"}

# A fault "on" invite or message strikes the sending itself, except one of looks, which strikes the form.
MOMENTS_OF_STEP: dict[Step, frozenset[Moment]] = {
    "profile": frozenset({"profile_page"}),
    "invite": frozenset({"invite_page", "invite_send"}),
    "message": frozenset({"thread_page", "message_send"}),
    "thread": frozenset({"thread_page"}),
    "any": EVERYWHERE,
}
LOOKS: frozenset[FaultKind] = frozenset({"changed_labels", "changed_layout"})
MOMENTS_OF_KIND: dict[FaultKind, frozenset[Moment]] = {
    "slow": EVERYWHERE,
    "error_500": EVERYWHERE,
    "log_out": EVERYWHERE,
    "unusual_activity": EVERYWHERE,
    "invitation_limit": frozenset({"invite_send"}),
    "changed_labels": FACES,
    "changed_layout": FACES,
    "accepts_but_says_failed": SENDS,
    "says_sent_but_dropped": SENDS,
    "crash": EVERYWHERE,
}
LONGEST_MS = 120_000


def moments(kind: FaultKind, step: Step) -> frozenset[Moment]:
    """When a fault of this kind, armed on this step, can strike."""
    both = MOMENTS_OF_STEP[step] & MOMENTS_OF_KIND[kind]
    if step in ("invite", "message") and kind not in LOOKS:
        return both & SENDS
    return both


class Fault(BaseModel):
    """One armed fault; times None means always, before says that a crash comes before the delivery is written."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    kind: FaultKind
    on: Step = "any"
    times: int | None = Field(default=1, ge=1)
    slug: str | None = Field(default=None, max_length=200)
    ms: int = Field(default=0, ge=0, le=LONGEST_MS)
    before: bool = False

    @model_validator(mode="after")
    def _can_strike(self) -> "Fault":
        if not moments(self.kind, self.on):
            raise ValueError(f"{self.kind} never happens on {self.on}")
        if self.kind == "slow" and not self.ms:
            raise ValueError("slow needs ms")
        return self

    def strikes(self, moment: Moment, slug: str) -> bool:
        return moment in moments(self.kind, self.on) and self.slug in (None, slug)


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
                armed, left = self._waiting[number]
                self._waiting[number] = (armed, None if left is None else left - 1)
                if left == 1:
                    del self._waiting[number]
            case {"action": "cleared"}:
                self._waiting.clear()

    def waiting(self) -> list[dict[str, Any]]:
        return [{"id": n, **fault.model_dump(), "left": left} for n, (fault, left) in self._waiting.items()]

    def striking(self, moment: Moment, slug: str) -> list[tuple[int, Fault]]:
        """Those that strike now: every delay and change of looks, but only the oldest that decides the answer."""
        striking: list[tuple[int, Fault]] = []
        decided = False
        for n, (fault, _) in self._waiting.items():
            decides = fault.kind != "slow" and fault.kind not in LOOKS
            if fault.strikes(moment, slug) and not (decides and decided):
                striking.append((n, fault))
                decided = decided or decides
        return striking
