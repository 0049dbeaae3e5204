"""What each tool declares: in which family it acts, and how an outcome that was lost is reconciled."""

from enum import StrEnum
from typing import NamedTuple

from backend.domain.task import Needs


class Reconcile(StrEnum):
    """How an intent without an outcome is settled: by doing it again, or only by looking at the world."""

    RETRY_SAFE = "retry_safe"
    OBSERVE = "observe"


class ToolSpec(NamedTuple):
    """A tool's declaration; `family` says which gates guard it. One to be observed gets an intent before it acts."""

    name: str
    reconcile: Reconcile
    family: Needs


TOOLS: dict[str, ToolSpec] = {
    spec.name: spec
    for spec in (
        ToolSpec("browser.open_profile", Reconcile.RETRY_SAFE, Needs.LOOK),
        ToolSpec("browser.read_profile", Reconcile.RETRY_SAFE, Needs.LOOK),
        ToolSpec("browser.read_thread", Reconcile.RETRY_SAFE, Needs.LOOK),
        ToolSpec("browser.check_selectors", Reconcile.RETRY_SAFE, Needs.LOOK),
        ToolSpec("browser.send_invitation", Reconcile.OBSERVE, Needs.INVITE),
        ToolSpec("browser.send_message", Reconcile.OBSERVE, Needs.MESSAGE),
        ToolSpec("artifacts.search", Reconcile.RETRY_SAFE, Needs.ASSIST),
        ToolSpec("artifacts.show", Reconcile.RETRY_SAFE, Needs.ASSIST),
        ToolSpec("leads.explain", Reconcile.RETRY_SAFE, Needs.ASSIST),
        ToolSpec("leads.response_rates", Reconcile.RETRY_SAFE, Needs.ASSIST),
        ToolSpec("campaign.pause", Reconcile.RETRY_SAFE, Needs.ASSIST),
        ToolSpec("campaign.continue", Reconcile.RETRY_SAFE, Needs.ASSIST),
    )
}
