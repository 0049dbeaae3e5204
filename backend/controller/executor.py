"""Step 5: an accepted proposal carried out. Gates are asked, looks are taken, sends go intent, act, observe, outcome."""

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from backend.controller import context as loading
from backend.controller.context import Context, Subject, Surroundings
from backend.controller.lookups import Ask, look_up
from backend.controller.open_actions import load_sending
from backend.controller.tool_gateway import Acted, Before, ToolGateway, Trouble, copies, marked
from backend.domain import gates
from backend.domain.campaign import Campaign
from backend.domain.decisions import SCORING_BATCH, decide
from backend.domain.events import AuditEntry, Event
from backend.domain.findings import Finding
from backend.domain.gates import Checked, Refusal
from backend.domain.judgement import Facts
from backend.domain.lead import Lead
from backend.domain.looks import incident, profile_seen, thread_seen
from backend.domain.message import ApprovalStatus, MessageStatus, Seen, Settlement
from backend.domain.progress import advance, ask, block, defer, follow, gate_refused, unproductive, withdraw
from backend.domain.proposals import AnalyzeLeads, CreateTask, ExecuteTool, GenerateMessage, LookUp, Proposal
from backend.domain.scoring import score
from backend.domain.sends import Sending, intend, settled
from backend.domain.site import Attempt, Claim, IncidentKind, Profile, Relation, Thread
from backend.domain.task import Needs, Task
from backend.domain.tools import TOOLS, Reconcile
from backend.ports.clock import Clock
from backend.ports.standing import Standing
from backend.store import reading, scored_leads
from backend.store.journal import Journal, StaleStateError
from backend.store.projections import LostRowError

_Row = TypeVar("_Row")

RETRY_UNAVAILABLE_MS = 30_000

UNACKNOWLEDGED = "the shared store did not confirm that this device may act; nothing was sent"

Boundary = Callable[[str], None]
"""Called at the named boundaries of a turn; crash tests kill the process there."""


@dataclass(slots=True)
class Outcome:
    """What a turn's proposal came to. `effect` is True once something may have happened in the world."""

    verdict: str
    said: str = ""
    events: list[Event] = field(default_factory=list)
    task_id: str | None = None
    lead_id: str | None = None
    effect: bool = False
    finding: Finding | None = None
    """What a turn for the user's request found out."""


@dataclass
class Executor:
    """Carries out proposals for one turn; `reply` is the audit entry of the raw reply, on disk with an intent at the latest."""

    journal: Journal
    gateway: ToolGateway
    clock: Clock
    boundary: Boundary
    around: Callable[[], Surroundings]
    standing: Standing
    _looked: dict[str, Profile | Thread | Trouble | None] = field(default_factory=dict)

    def execute(self, context: Context, proposal: Proposal, facts: Facts, reply: AuditEntry) -> Outcome:
        """Raises `StaleStateError` if the state moved before an intent was on disk; nothing has happened then."""
        if not isinstance(proposal, ExecuteTool):
            return self._decided(context, proposal, facts)
        task = _present(facts.task)
        tool = TOOLS[proposal.params.tool]
        if isinstance(proposal.params, LookUp):
            return self._look_up(context, task, proposal.params)
        if refusal := self._refused(context, facts, tool.family):
            events = gate_refused(facts, task, refusal, self.journal.ids.new)
            return _outcome(task, f"gate:{refusal.code}", refusal.sentence, events)
        if tool.reconcile is Reconcile.OBSERVE:
            return self._send(context, facts, tool.name, reply)
        return self._look(context, facts, tool.name)

    def _look_up(self, context: Context, task: Task, call: LookUp) -> Outcome:
        """Found out for the user's request; what fits in several ways is asked, never guessed."""
        started = self.clock.ticks()
        with self.journal.database.read() as connection:
            found = look_up(connection, context, call)
        parameters = call.model_dump(mode="json", exclude={"tool"}, exclude_none=True)
        kind = "choose" if isinstance(found, Ask) else found.finding.kind
        taken = {"parameters": parameters, "us": self.clock.ticks() - started, "outcome": kind}
        self.gateway.note(call.tool, None, taken)
        if isinstance(found, Ask):
            events = ask(
                context.around.now,
                task,
                self.journal.ids.new,
                kind=found.kind,
                question=found.question,
                choices=found.choices,
                payload=found.payload,
            )
            return _outcome(task, "accepted", "", events)
        events = [*found.events, *advance(task, Needs.ASSIST, task.ready_at)]
        return replace(_outcome(task, "accepted", "", events), finding=found.finding)

    def _decided(self, context: Context, proposal: Proposal, facts: Facts) -> Outcome:
        if isinstance(proposal, GenerateMessage) and (refusal := self._unwanted(_present(facts.lead))):
            events = gate_refused(facts, _present(facts.task), refusal, self.journal.ids.new)
            return _outcome(_present(facts.task), f"gate:{refusal.code}", refusal.sentence, events)
        leads: list[tuple[str, Mapping[str, str]]] = []
        if isinstance(proposal, AnalyzeLeads) and proposal.params.blueprint == "current":
            with self.journal.database.read() as connection:
                leads = scored_leads.unscored(connection, context.campaign.id, SCORING_BATCH)
        events = decide(proposal, facts, leads, self.journal.ids.new)
        if isinstance(proposal, CreateTask):
            return Outcome("accepted", events=events, task_id=events[0].entity_id)
        return _outcome(_present(facts.task), "accepted", "", events)

    # --- gates ---

    def _refused(self, context: Context, facts: Facts, family: Needs) -> Refusal | None:
        """The whole checklist for this act is asked and, where it refuses, audited; the first refusal is the answer."""
        with self.journal.database.read() as connection:
            checklist = _checklist(connection, context.campaign, context.around, facts, family)
        refusals = [line.verdict for line in checklist if isinstance(line.verdict, Refusal)]
        if not refusals:
            return None
        shown = [{"gate": shut.code, "said": shut.sentence, "until": shut.until} for shut in refusals]
        self.gateway.note("gates", facts.lead, {"refused": shown})
        return refusals[0]

    def _unwanted(self, lead: Lead) -> Refusal | None:
        """Nothing is even drafted for somebody on the do-not-contact list."""
        with self.journal.database.read() as connection:
            if not reading.is_do_not_contact(connection, lead.member_key):
                return None
        return Refusal("not_on_do_not_contact", "This person is on the do-not-contact list.")

    # --- looks ---

    def _look(self, context: Context, facts: Facts, tool: str) -> Outcome:
        task, new_id = _present(facts.task), self.journal.ids.new
        if tool not in self._looked:  # after a stale commit the page is not asked again
            self._looked[tool] = self._run_look(tool, facts.lead)
        seen = self._looked[tool]
        if isinstance(seen, Trouble):
            return self._troubled(context, task, seen)
        if isinstance(seen, Profile):
            events = profile_seen(context.campaign, task, _present(facts.lead), seen, context.around.now, new_id)
            events += self._scored_again(context.campaign, _present(facts.lead), seen)
        elif isinstance(seen, Thread):
            if late := self._arrived_late(context, facts, seen):
                return late
            events = self._read(context, facts, seen)
        else:
            events = unproductive(facts, task, f"{tool} changes nothing", new_id)
        return _outcome(task, "accepted", "", events)

    def _scored_again(self, campaign: Campaign, lead: Lead, seen: Profile) -> list[Event]:
        """A headline that was not known before may change the score, where the blueprint asks for it."""
        blueprint = campaign.settings.blueprint
        if not seen.headline or "headline" not in blueprint.fields:
            return []
        with self.journal.database.read() as connection:
            known = scored_leads.one(connection, campaign.id, lead.id)
        if known is None or known.score is None:
            return []
        points = score(blueprint, {**known.fields, "headline": seen.headline})
        return [] if points == known.score else [Event("LeadScored", lead.id, {"weight_score": points})]

    def _run_look(self, tool: str, lead: Lead | None) -> Profile | Thread | Trouble | None:
        if lead is None:
            report = self.gateway.check_selectors()
            return report if isinstance(report, Trouble) else None
        looks: dict[str, Callable[[Lead], Profile | Thread | Trouble | None]] = {
            "browser.open_profile": self.gateway.open_profile,
            "browser.read_profile": self.gateway.read_profile,
            "browser.read_thread": self.gateway.read_thread,
        }
        return looks[tool](lead)

    def _read(self, context: Context, facts: Facts, thread: Thread) -> list[Event]:
        """What a read thread changes: replies kept, a draft withdrawn if they answered first, and what is owed now."""
        new_id, now = self.journal.ids.new, context.around.now
        known = self._replies_known(_present(facts.lead))
        lead, events = thread_seen(_present(facts.lead), thread, known, now, new_id)
        after = follow(context.campaign, _present(facts.task), lead, facts.message, now, new_id)
        if any(event.kind == "LeadFinished" for event in after):
            why = "they replied first" if lead.replied_at is not None else "not connected any more"
            events += withdraw(facts.message, facts.approval, why)
        return [*events, *after]

    def _replies_known(self, lead: Lead) -> int:
        with self.journal.database.read() as connection:
            return reading.replies_known(connection, lead.id)

    def _troubled(self, context: Context, task: Task, trouble: Trouble) -> Outcome:
        """The site is in the way: an incident latches, a silence is tried again later."""
        if trouble.kind is None:
            later = context.around.now + RETRY_UNAVAILABLE_MS
            return _outcome(task, "unavailable", trouble.said, [defer(task, later)])
        now, new_id = context.around.now, self.journal.ids.new
        opened = incident(context.campaign, trouble.kind, trouble.said, now, new_id, evidence=trouble.evidence)
        # What one person's page showed must not stop everybody again once the user has cleared it.
        about_one = trouble.kind in (IncidentKind.WRONG_PERSON, IncidentKind.UNKNOWN_PAGE) and task.lead_id
        asked = block(now, task, trouble.said, new_id) if about_one else []
        return _outcome(task, f"incident:{trouble.kind}", trouble.said, [opened, *asked])

    # --- sends ---

    def _send(self, context: Context, facts: Facts, tool: str, reply: AuditEntry) -> Outcome:
        task, lead, message = _present(facts.task), _present(facts.lead), _present(facts.message)
        before = self.gateway.before(lead, message)
        if isinstance(before, Trouble):
            return self._troubled(context, task, before)
        if late := self._arrived_late(context, facts, before.seen):
            return late
        if overtaken := self._overtaken(context, facts, before):
            return overtaken
        with self.journal.database.read() as connection:
            attempts = reading.attempts(connection, message.id)
        approval = _present(facts.approval)
        sending = Sending(self.journal.ids.new(), context.campaign, task, lead, message, approval.id, attempts)
        self._intend(context, facts, sending, tool, before, reply)
        self.boundary("intent")
        confirmed = self.standing.acknowledged(context.campaign.id)
        if not confirmed:
            acted: Acted | Trouble = Trouble(None, UNACKNOWLEDGED)  # another device may be acting: nothing was clicked
        elif refusal := self._unwanted(lead):
            acted = Trouble(None, refusal.sentence)  # decided since the gates were asked, here or elsewhere
        else:
            acted = self.gateway.act(lead, message, before.copies)
        self.boundary("acted")
        return self._settle(context, sending, acted, tried=confirmed)

    def _arrived_late(self, context: Context, facts: Facts, seen: Profile | Thread) -> Outcome | None:
        """An attempt that was believed not sent may be there by now: then it was sent, and is not sent again."""
        task, message, approval = _present(facts.task), facts.message, facts.approval
        if message is None or approval is None or message.status is not MessageStatus.APPROVED:
            return None
        with self.journal.database.read() as connection:
            lost = reading.lost_attempt(connection, message.id)
        if lost is None or copies(seen, message.text) <= lost[1]:
            return None
        sending = Sending(lost[0], context.campaign, task, _present(facts.lead), message, approval.id, 0)
        found = Attempt(Claim.NO_ANSWER, "it had arrived after all", evidence=seen.evidence)
        events = [
            Event("ApprovalUsed", approval.id, {"status": ApprovalStatus.USED}),
            *settled(sending, Settlement.SENT, found, context.around.now, self.journal.ids.new),
        ]
        return _outcome(task, "overtaken", found.said, events)

    def _overtaken(self, context: Context, facts: Facts, before: Before) -> Outcome | None:
        """The look before the act may show that it is not owed any more: they answered, or it is there already."""
        task, lead = _present(facts.task), _present(facts.lead)
        if isinstance(before.seen, Thread):
            theirs = sum(1 for written in before.seen.messages if written.author == "them")
            if theirs > self._replies_known(lead):
                return _outcome(task, "overtaken", "they wrote meanwhile", self._read(context, facts, before.seen))
            return (
                self._said_already(context, facts) if before.copies else self._lost_arrived(context, facts, before.seen)
            )
        if before.seen.relation is Relation.NONE:
            return None
        now, new_id = context.around.now, self.journal.ids.new
        changes: dict[str, Any] = {
            "relation": before.seen.relation,
            "visited_at": now,
            "invited_at": now,
            "sequence_step": (lead.sequence_step or 0) + 1,
        }
        if before.seen.relation is Relation.CONNECTED:
            changes["accepted_at"] = now
        events = withdraw(facts.message, facts.approval, "invited or connected already")
        events.append(Event("LeadAdvanced", lead.id, changes))
        events += follow(context.campaign, task, replace(lead, **changes), None, now, new_id)
        return _outcome(task, "overtaken", "invited or connected already", events)

    def _said_already(self, context: Context, facts: Facts) -> Outcome:
        """Another campaign or the user's own hand sent this very text: nobody gets it twice."""
        task, why = _present(facts.task), "this exact text is already in the conversation"
        events = withdraw(facts.message, facts.approval, why)
        return _outcome(task, "overtaken", why, [*events, *block(context.around.now, task, why, self.journal.ids.new)])

    def _lost_arrived(self, context: Context, facts: Facts, thread: Thread) -> Outcome | None:
        """A text that seemed lost, and was changed since, is there after all: they do not get the new one beside it."""
        task, now = _present(facts.task), context.around.now
        with self.journal.database.read() as connection:
            lost = reading.lost_texts(connection, _present(facts.lead).id)
        arrived = [action for action, before, mark in lost if mark and marked(thread, mark) > before]
        if not arrived:
            return None
        why = "an earlier version of this text, which seemed lost, has arrived after all"
        sent = {"status": Settlement.SENT, "said": why, "settled_at": now}
        events = [Event("ActionSettled", action, sent) for action in arrived]
        events += withdraw(facts.message, facts.approval, why)
        return _outcome(task, "overtaken", why, [*events, *block(now, task, why, self.journal.ids.new)])

    def _intend(
        self, context: Context, facts: Facts, sending: Sending, tool: str, before: Before, reply: AuditEntry
    ) -> None:
        """The first of the two transactions; the state must still be the one that was judged."""
        campaign_id, now, turn = context.campaign.id, self.clock.now(), context.position.last_turn + 1
        family = TOOLS[tool].family
        events = intend(sending, turn=turn, tool=tool, family=family, seen_before=before.copies, now=now)
        looked = "visited_at" if isinstance(before.seen, Profile) else "thread_read_at"
        events.append(Event("LeadAdvanced", sending.lead.id, {looked: now}))
        with self.journal.transaction() as transaction:
            transaction.expect(campaign_id, context.position.seq, context.position.event_hash)
            # The look took time, and not all that can stop a send is in this stream: a gate that has shut meanwhile
            # means that the proposal is judged again, and then refused by its name.
            checklist = _checklist(transaction.connection, context.campaign, self.around(), facts, family)
            if gates.first_refusal(checklist) is not None:
                raise StaleStateError(campaign_id)
            audits = [reply, *self.gateway.take_audits()]
            transaction.audit(campaign_id, audits, actor="agent", cause=f"t{turn}", at=now)
            transaction.record(campaign_id, events, actor="controller", cause=f"t{turn}", at=now)

    def _settle(self, context: Context, sending: Sending, acted: Acted | Trouble, *, tried: bool) -> Outcome:
        """The outcome's events, from rows read after the act: the user may have decided something meanwhile."""
        trouble = acted if isinstance(acted, Trouble) else None
        if isinstance(acted, Trouble):
            # By the port's promise nothing was clicked, so nothing was sent.
            acted = Acted(Attempt(Claim.NO_ANSWER, acted.said), Seen.ABSENT, Settlement.NOT_SENT)
        with self.journal.database.read() as connection:
            sending = load_sending(
                connection,
                context.campaign.id,
                action_id=sending.action_id,
                task_id=sending.task.id,
                lead_id=sending.lead.id,
                message_id=sending.message.id,
                approval_id=sending.approval_id,
            )
        now = self.clock.now()
        events = settled(sending, acted.settlement, acted.attempt, now, self.journal.ids.new, tried=tried)
        kind, said = (trouble.kind if trouble else acted.attempt.incident), acted.attempt.said
        shown = trouble.evidence if trouble else next((seen.file for seen in acted.attempt.evidence if seen.file), "")
        if kind is None and acted.in_the_way is not None:
            kind, said, shown = acted.in_the_way.kind, acted.in_the_way.said, acted.in_the_way.evidence
        if kind is not None:
            events.append(incident(context.campaign, kind, said, now, self.journal.ids.new, evidence=shown))
        verdict = "accepted" if acted.settlement is Settlement.SENT else acted.settlement.value
        if kind is not None:
            verdict = f"incident:{kind}"
        elif trouble is not None and tried:
            verdict = "unavailable"
        return replace(_outcome(sending.task, verdict, acted.attempt.said, events), effect=True)


def _checklist(
    connection: sqlite3.Connection, campaign: Campaign, around: Surroundings, facts: Facts, family: Needs
) -> tuple[Checked, ...]:
    """Every gate that guards this act, asked by what is so at this moment."""
    said = reading.open_incident(connection, campaign.account)
    account = loading.account_facts(connection, campaign, around, family, said)
    lead = None
    if facts.lead is not None and facts.need is not None:
        about = Subject(facts.lead, facts.message, facts.approval, facts.need)
        lead = loading.lead_facts(connection, campaign, about, around.now)
    return gates.check(account, lead)


def _outcome(task: Task, verdict: str, said: str, events: list[Event]) -> Outcome:
    return Outcome(verdict, said, events, task.id, task.lead_id)


def _present(thing: _Row | None) -> _Row:
    """What judgement has established to be there; its absence is a defect, not a case."""
    if thing is None:
        raise LostRowError("a proposal was executed without what it was judged by")
    return thing
