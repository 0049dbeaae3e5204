"""The only way in which a tool runs: declared, asked of the gates before, observed afterwards, audited whatever happens.

A look may be repeated; an act is done once, and what it did is decided by looking at the world, never by what the page said.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from backend.domain.events import AuditEntry
from backend.domain.lead import Lead
from backend.domain.message import Message, Seen, Settlement, settle, text_mark
from backend.domain.site import Attempt, Evidence, IncidentKind, Profile, Relation, SelectorReport, Thread
from backend.ports.site import Site, SiteIncident, SiteUnavailable

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Trouble:
    """The site showed an incident (`kind` set) or gave no answer; `said` and the file `evidence` are what was seen of it."""

    kind: IncidentKind | None
    said: str
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class Before:
    """What was seen right before an act: how many copies of the text are there already, and the page itself."""

    copies: int
    seen: Profile | Thread


@dataclass(frozen=True, slots=True)
class Acted:
    """An act with its observation: what the site said, what was then seen, and what that amounts to.

    `in_the_way` is what kept anything from being seen.
    """

    attempt: Attempt
    seen: Seen
    settlement: Settlement
    in_the_way: Trouble | None = None


@dataclass
class ToolGateway:
    """Runs tools on one site. `settle_seconds` is how long a request may still be under way after its answer was lost."""

    site: Site
    settle_seconds: float
    pause: Callable[[float], None]
    ticks: Callable[[], int]
    _audits: list[AuditEntry] = field(default_factory=list)

    def take_audits(self) -> list[AuditEntry]:
        """The audit entries of every call since the last time, for the transaction that records its outcome."""
        taken, self._audits = self._audits, []
        return taken

    def read_profile(self, lead: Lead) -> Profile | Trouble:
        """Look at the profile."""
        return self._look("browser.read_profile", lead, lambda: self.site.read_profile(lead.person))

    def read_thread(self, lead: Lead) -> Thread | Trouble:
        """Look at the conversation."""
        return self._look("browser.read_thread", lead, lambda: self.site.read_thread(lead.person))

    def open_profile(self, lead: Lead) -> Trouble | None:
        """Show the profile to the user."""
        return self._look("browser.open_profile", lead, lambda: self.site.open_profile(lead.person))

    def check_selectors(self) -> SelectorReport | Trouble:
        """Whether the site still looks as we know it."""
        return self._look("browser.check_selectors", None, self.site.check_selectors)

    def before(self, lead: Lead, message: Message) -> Before | Trouble:
        """Look before acting: what is there already, and whether they have written meanwhile."""
        page = self.read_profile(lead) if message.kind == "invitation" else self.read_thread(lead)
        return page if isinstance(page, Trouble) else Before(copies(page, message.text), page)

    def act(self, lead: Lead, message: Message, seen_before: int) -> Acted | Trouble:
        """Send once, then look. Trouble means that nothing was clicked."""
        started = self.ticks()
        tool = f"browser.send_{message.kind}"
        try:
            send = self.site.send_invitation if message.kind == "invitation" else self.site.send_message
            attempt = send(lead.person, message.text)
        except (SiteIncident, SiteUnavailable) as error:
            return self._trouble(tool, lead, error, started)
        self._ran(tool, lead, started, f"{attempt.claim}: {attempt.said}")
        return self.observe(lead, message, seen_before, attempt)

    def observe(self, lead: Lead, message: Message, seen_before: int, attempt: Attempt) -> Acted:
        """Look at the world after an act, twice if it seems not to have happened: its request may still be under way."""
        now = self.before(lead, message)
        if isinstance(now, Before) and now.copies <= seen_before:
            self.pause(self.settle_seconds)
            now = self.before(lead, message)
        if isinstance(now, Trouble):
            return Acted(attempt, Seen.UNREADABLE, settle(attempt.claim, Seen.UNREADABLE), now)
        seen = Seen.PRESENT if now.copies > seen_before else Seen.ABSENT
        relation = f"relation {now.seen.relation}"
        words = relation if message.kind == "invitation" else f"{now.copies} of this text in the thread, {relation}"
        evidence = (Evidence("seen", sha256="", file="", quote=words), *now.seen.evidence)
        return Acted(replace(attempt, evidence=(*attempt.evidence, *evidence)), seen, settle(attempt.claim, seen))

    def _look(self, tool: str, lead: Lead | None, look: Callable[[], T]) -> T | Trouble:
        started = self.ticks()
        try:
            result = look()
        except (SiteIncident, SiteUnavailable) as error:
            return self._trouble(tool, lead, error, started)
        self._ran(tool, lead, started, "ok")
        return result

    def _trouble(self, tool: str, lead: Lead | None, error: SiteIncident | SiteUnavailable, started: int) -> Trouble:
        kind, said = (error.kind, error.said) if isinstance(error, SiteIncident) else (None, str(error))
        self._ran(tool, lead, started, f"{kind or 'unavailable'}: {said}")
        return Trouble(kind, said[:500], error.evidence_file if isinstance(error, SiteIncident) else "")

    def _ran(self, tool: str, lead: Lead | None, started: int, outcome: str) -> None:
        self.note(tool, lead, {"us": self.ticks() - started, "outcome": outcome[:500]})

    def note(self, action_type: str, lead: Lead | None, payload: dict[str, Any]) -> None:
        """Keep an audit entry for the turn's next transaction."""
        parameters = {} if lead is None else {"lead_id": lead.id}
        self._audits.append(AuditEntry(action_type, {"parameters": parameters, **payload}))


def copies(seen: Profile | Thread, text: str) -> int:
    """How often a text of ours is there already; of an invitation a profile shows only whether there is one."""
    if isinstance(seen, Profile):
        return int(seen.relation is not Relation.NONE)
    return marked(seen, text_mark(text))


def marked(thread: Thread, mark: str) -> int:
    """How many of our messages in a thread have this mark."""
    return sum(1 for written in thread.messages if written.author == "you" and text_mark(written.text) == mark)
