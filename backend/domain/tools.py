"""What each tool declares: whether it touches the outside world, in which family, and how a lost outcome is reconciled."""

from enum import StrEnum
from typing import NamedTuple

from backend.domain.task import Needs


class Effect(StrEnum):
    """What a tool does to the world."""

    LOOKS = "looks"
    ACTS = "acts"


class Reconcile(StrEnum):
    """How an intent without an outcome is settled after a crash."""

    RETRY_SAFE = "retry_safe"
    OBSERVE = "observe"


class ToolSpec(NamedTuple):
    """A tool's declaration; `family` says which gates guard it."""

    name: str
    effect: Effect
    reconcile: Reconcile
    family: Needs
    timeout_seconds: float


TOOLS: dict[str, ToolSpec] = {
    spec.name: spec
    for spec in (
        ToolSpec("browser.open_profile", Effect.LOOKS, Reconcile.RETRY_SAFE, Needs.LOOK, 15),
        ToolSpec("browser.read_profile", Effect.LOOKS, Reconcile.RETRY_SAFE, Needs.LOOK, 15),
        ToolSpec("browser.read_thread", Effect.LOOKS, Reconcile.RETRY_SAFE, Needs.LOOK, 15),
        ToolSpec("browser.check_selectors", Effect.LOOKS, Reconcile.RETRY_SAFE, Needs.LOOK, 30),
        ToolSpec("browser.send_invitation", Effect.ACTS, Reconcile.OBSERVE, Needs.INVITE, 30),
        ToolSpec("browser.send_message", Effect.ACTS, Reconcile.OBSERVE, Needs.MESSAGE, 30),
    )
}
