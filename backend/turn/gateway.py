"""The only way in which a tool runs: declared, asked of the gates before, observed afterwards, audited whatever happens.

A look may be repeated; an act is done once, and what it did is decided by looking at the world, never by what the page said.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from backend.domain.contact.conversation_check import is_as_seen
from backend.domain.device.agent_tools import ToolAnswer
from backend.domain.erasure.erasure import is_erased
from backend.domain.events.events import AuditEntry
from backend.domain.model.lead import Lead
from backend.domain.model.message import Message, Observation, SendOutcome, send_outcome, text_mark
from backend.domain.model.site import (
    RELATION_WORDS,
    Attempt,
    Evidence,
    IncidentKind,
    Profile,
    Relation,
    SelectorReport,
    Thread,
)
from backend.domain.model.tools import (
    TOOLS,
    CheckSelectors,
    OpenProfile,
    ReadProfile,
    ReadThread,
    Reconcile,
    WithdrawInvitation,
    sending_tool,
)
from backend.domain.values.errors import OutriderError
from backend.ports.site import (
    ActCalledOff,
    ActCheck,
    NobodyThere,
    PageChanged,
    ShownByAct,
    Site,
    SiteIncident,
    SiteUnavailable,
)

T = TypeVar("T")

OPEN_PROFILE, READ_PROFILE = OpenProfile.tool_name(), ReadProfile.tool_name()
READ_THREAD, CHECK_SELECTORS = ReadThread.tool_name(), CheckSelectors.tool_name()
WITHDRAW_INVITATION = WithdrawInvitation.tool_name()

OPEN_SITE, CLOSE_SITE = "browser.open", "browser.close"
NOTHING_MORE: Mapping[str, object] = {}
NO_ADDRESS = "There is no profile address to look at."
SUSPICIOUSLY_MANY = 3
"""So many people in a row without a page say something of the account, not of them."""


@dataclass(frozen=True, slots=True)
class SiteProblem:
    """The site showed an incident (`kind` set) or gave no answer; `detail` and the file `evidence` are what was seen of it."""

    kind: IncidentKind | None
    detail: str
    evidence: str = ""
    nobody_there: bool = False
    """The site has no page of this one person; the account is in no trouble."""
    called_off: bool = False
    """We refused it ourselves, before anything of it left."""
    shown: ShownByAct | None = None
    """What the page of the act showed that the look before it had not."""


@dataclass(frozen=True, slots=True)
class PreActObservation:
    """What was seen right before an act: how many copies of the text are there already, and the page itself."""

    copies: int
    seen: Profile | Thread


@dataclass(frozen=True, slots=True)
class ActResult:
    """An act with its observation: what the site said, what was then seen, and what that amounts to.

    `problem` is what kept anything from being seen; `relation` how the account then stood to the person.
    """

    attempt: Attempt
    seen: Observation
    outcome: SendOutcome
    problem: SiteProblem | None = None
    relation: Relation | None = None


@dataclass
class ToolGateway:
    """Runs tools on one site."""

    site: Site
    ticks: Callable[[], int]
    _audits: list[AuditEntry] = field(default_factory=list)
    _tried_to_open: bool = False
    _without_page: set[str] = field(default_factory=set)
    """The addresses of the last people, if none of them had a page."""

    @contextmanager
    def unrecorded_audits(self) -> Iterator[tuple[AuditEntry, ...]]:
        """The audit entries that are on no disk yet; forgotten only if the block, which records them, ends well.

        Open it around the transaction, so that entries of a transaction that failed are there for the next one.
        """
        entries = tuple(self._audits)
        yield entries
        del self._audits[: len(entries)]

    def add_reply(self, entry: AuditEntry) -> None:
        """Keep the audit entry of a raw reply for the turn's next transaction."""
        self._audits.append(entry)

    def open_site(self) -> None:
        """Open the browser and sign in; raises what the site raises, with the audit entry kept."""
        started = self.ticks()
        self._tried_to_open = True
        try:
            self.site.open()
        except Exception as error:
            self._ran(OPEN_SITE, None, started, f"{type(error).__name__}: {error}")
            raise
        self._ran(OPEN_SITE, None, started, "ok")

    def close_site(self) -> None:
        """Close the browser; with an audit entry if anything was opened. Never raises."""
        started = self.ticks()
        self.site.close()
        if self._tried_to_open:
            self._tried_to_open = False
            self._ran(CLOSE_SITE, None, started, "ok")

    def read_profile(self, lead: Lead) -> Profile | SiteProblem:
        """Look at the profile."""
        return self._look(READ_PROFILE, lead, lambda: self.site.read_profile(lead.person))

    def read_thread(self, lead: Lead) -> Thread | SiteProblem:
        """Look at the conversation."""
        return self._look(READ_THREAD, lead, lambda: self.site.read_thread(lead.person))

    def open_profile(self, lead: Lead) -> SiteProblem | None:
        """Show the profile to the user."""
        return self._look(OPEN_PROFILE, lead, lambda: self.site.open_profile(lead.person))

    def check_selectors(self) -> SelectorReport | SiteProblem:
        """Whether the site still looks as we know it."""
        return self._look(CHECK_SELECTORS, None, self.site.check_selectors)

    def observe_before(self, lead: Lead, message: Message) -> PreActObservation | SiteProblem:
        """Look before acting: what is there already, and whether they have written meanwhile."""
        page = self.read_profile(lead) if message.kind == "invitation" else self.read_thread(lead)
        return page if isinstance(page, SiteProblem) else PreActObservation(count_copies(page, message.text), page)

    def act(
        self, action_id: str, lead: Lead, message: Message, before: PreActObservation, check: Callable[[], None]
    ) -> ActResult | SiteProblem:
        """Send once unless the check or the page calls it off, then look. A problem means that nothing was sent."""
        send = self.site.send_invitation if message.kind == "invitation" else self.site.send_message
        checked = as_seen(before.seen, check)
        attempt = self._act(
            sending_tool(message.kind), action_id, lead, lambda: send(lead.person, message.text, checked)
        )
        if isinstance(attempt, SiteProblem):
            return attempt
        return self.observe(lead, message, before.copies, attempt, settled=not attempt.requested)

    def withdraw(
        self, action_id: str, lead: Lead, before: Profile, check: Callable[[], None]
    ) -> ActResult | SiteProblem:
        """Take the invitation back once unless the check or the page calls it off, then look; a problem: nothing was done."""
        checked = as_seen(before, check)
        attempt = self._act(
            WITHDRAW_INVITATION, action_id, lead, lambda: self.site.withdraw_invitation(lead.person, checked)
        )
        if isinstance(attempt, SiteProblem):
            return attempt
        return self.observe_withdrawal(lead, attempt, settled=not attempt.requested)

    def _act(self, tool: str, action_id: str, lead: Lead, act: Callable[[], Attempt]) -> Attempt | SiteProblem:
        started, action = self.ticks(), {"action_id": action_id}
        try:
            attempt = act()
        except ActCalledOff as off:
            self._ran(tool, lead, started, f"called off: {off}", action)
            shown = off.shown if isinstance(off, PageChanged) else None
            return SiteProblem(None, str(off), called_off=True, shown=shown)
        except (SiteIncident, SiteUnavailable) as error:
            return self._site_problem(tool, lead, error, started, action)
        files = [seen.file for seen in attempt.evidence if seen.file]
        evidence = {"evidence": files} if files else {}
        self._ran(tool, lead, started, f"{attempt.claim}: {attempt.detail}", {**action, **evidence})
        return attempt

    def add_act_without_try(self, tool: str, action_id: str, lead: Lead, why: str) -> None:
        """Complete the audit entry of an act whose intent is on disk and which was not tried after all."""
        self._ran(tool, lead, self.ticks(), f"not tried: {why}", {"action_id": action_id})

    def observe(self, lead: Lead, message: Message, seen_before: int, attempt: Attempt, *, settled: bool) -> ActResult:
        """Look at the world after an act; `settled` says that its request cannot be under way any more."""
        page = self.observe_before(lead, message)
        if isinstance(page, SiteProblem):
            observation = Observation.UNREADABLE
            return ActResult(attempt, observation, send_outcome(attempt.claim, observation, settled=settled), page)
        observation = Observation.PRESENT if page.copies > seen_before else Observation.ABSENT
        relation = RELATION_WORDS[page.seen.relation]
        words = relation if message.kind == "invitation" else f"{page.copies} of this message in the thread, {relation}"
        evidence = (Evidence("seen", sha256="", file="", quote=words), *page.seen.evidence)
        return ActResult(
            replace(attempt, evidence=(*attempt.evidence, *evidence)),
            observation,
            send_outcome(attempt.claim, observation, settled=settled),
        )

    def observe_withdrawal(self, lead: Lead, attempt: Attempt, *, settled: bool) -> ActResult:
        """Look whether the invitation still waits; whoever accepted it first keeps it, and nothing can change that later."""
        profile = self.read_profile(lead)
        if isinstance(profile, SiteProblem):
            observation = Observation.UNREADABLE
            return ActResult(attempt, observation, send_outcome(attempt.claim, observation, settled=settled), profile)
        observation = Observation.PRESENT if profile.relation is Relation.NONE else Observation.ABSENT
        evidence = Evidence("seen", sha256="", file="", quote=RELATION_WORDS[profile.relation])
        outcome = send_outcome(attempt.claim, observation, settled=settled)
        if profile.relation is Relation.CONNECTED:
            outcome = SendOutcome.NOT_SENT
        attempt = replace(attempt, evidence=(*attempt.evidence, evidence, *profile.evidence))
        return ActResult(attempt, observation, outcome, relation=profile.relation)

    def run_agent_tool(self, tool: str, parameters: Mapping[str, Any], call: Callable[[], ToolAnswer]) -> ToolAnswer:
        """Run a passive agent's tool, which only looks; raises what it raises, with the audit entry kept."""
        started, outcome = self.ticks(), ""
        try:
            answer = call()
            outcome = answer.outcome
        except Exception as error:
            outcome = error.code if isinstance(error, OutriderError) else f"{type(error).__name__}: {error}"
            raise
        finally:
            us = self.ticks() - started
            entry = {"parameters": dict(parameters), "us": us, "outcome": outcome[:500] or "interrupted"}
            self._audits.append(AuditEntry(tool, entry))
        return answer

    def _look(self, tool: str, lead: Lead | None, look: Callable[[], T]) -> T | SiteProblem:
        if TOOLS[tool].reconcile is not Reconcile.RETRY_SAFE:
            raise ValueError(f"{tool} has an effect outside: it needs an intent first")
        started = self.ticks()
        if lead is not None and not lead.profile_url:  # no page of the site is at fault
            self._ran(tool, lead, started, NO_ADDRESS)
            # No waiting brings an address. Whoever was erased is nobody to ask about, and their task ends by itself.
            return SiteProblem(None, NO_ADDRESS, nobody_there=not is_erased(lead.full_name))
        try:
            result = look()
        except (SiteIncident, SiteUnavailable) as error:
            return self._site_problem(tool, lead, error, started)
        self._without_page.clear()
        files = [seen.file for seen in getattr(result, "evidence", ()) if seen.file]
        self._ran(tool, lead, started, "ok", {"evidence": files} if files else NOTHING_MORE)
        return result

    def _site_problem(
        self,
        tool: str,
        lead: Lead | None,
        error: SiteIncident | SiteUnavailable,
        started: int,
        details: Mapping[str, object] = NOTHING_MORE,
    ) -> SiteProblem:
        kind, message, file = None, str(error), ""
        if lead is not None and isinstance(error, NobodyThere):
            self._without_page.add(lead.profile_url)
        else:
            self._without_page.clear()
        if isinstance(error, SiteIncident):
            kind, message, file = error.kind, error.said, error.evidence_file
        evidence = {"evidence": [file]} if file else {}
        self._ran(tool, lead, started, f"{kind or 'unavailable'}: {message}", {**details, **evidence})
        if nobody_there := 0 < len(self._without_page) < SUSPICIOUSLY_MANY:
            kind = None
        else:
            self._without_page.clear()
        return SiteProblem(kind, message[:500], file, nobody_there=nobody_there)

    def _ran(
        self,
        tool: str,
        lead: Lead | None,
        started: int,
        outcome: str,
        details: Mapping[str, object] = NOTHING_MORE,
    ) -> None:
        self.add_audit(tool, lead, {"us": self.ticks() - started, "outcome": outcome[:500], **details})

    def add_audit(self, action_type: str, lead: Lead | None, payload: dict[str, Any]) -> None:
        """Keep an audit entry for the turn's next transaction."""
        parameters = {} if lead is None else {"lead_id": lead.id}
        self._audits.append(AuditEntry(action_type, {"parameters": parameters, **payload}))


def as_seen(before: Profile | Thread, check: Callable[[], None]) -> ActCheck:
    """The check of an act that rests on this look: the page of the act must show the same."""

    def checked(shown: ShownByAct | None = None) -> None:
        if shown is not None and not is_as_seen(before, shown):
            raise PageChanged("the page shows what was not there at the look before; nothing was sent", shown)
        check()

    return checked


def act_started(tool: str, action_id: str, lead: Lead, **more: str) -> AuditEntry:
    """The audit entry that is on disk with the intent; the tool's own entry completes it with duration and outcome."""
    details = {"tool": tool, "action_id": action_id, "parameters": {"lead_id": lead.id, **more}}
    return AuditEntry("action.started", details)


def act_cut_off(tool: str, action_id: str, lead: Lead, outcome: SendOutcome) -> AuditEntry:
    """Completes the audit entry of an act whose process ended before its outcome was recorded."""
    sentence = f"the process ended before the outcome was recorded; found afterwards: {outcome}"
    completed = {"action_id": action_id, "parameters": {"lead_id": lead.id}, "outcome": sentence}
    return AuditEntry(tool, completed)


def count_copies(seen: Profile | Thread, text: str) -> int:
    """How often a text of ours is there already; of an invitation a profile shows only whether there is one."""
    if isinstance(seen, Profile):
        return int(seen.relation is not Relation.NONE)
    return count_marked(seen, text_mark(text))


def count_marked(thread: Thread, mark: str) -> int:
    """How many of our messages in a thread have this mark."""
    return sum(1 for written in thread.messages if written.author == "you" and text_mark(written.text) == mark)
