"""What a program outside may propose (MCP): judged like any proposal, and then the user decides; it decides nothing itself."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from backend.commands.handler import CommandHandler
from backend.domain.events.events import AuditEntry, Event
from backend.domain.model.artifact import Maker, MakerKind
from backend.domain.model.campaign import DAY
from backend.domain.model.task import ActionFamily, Task, TaskKind, TaskStatus
from backend.domain.turn import request
from backend.domain.turn.proposal_check import ProposalFacts, judge
from backend.domain.turn.proposal_effects import proposal_events
from backend.domain.turn.proposals import (
    AnalyzeLeads,
    GenerateMessage,
    PersistArtifact,
    Proposal,
    Rejection,
    parse,
    reject,
)
from backend.domain.values.canonical_json import canonical
from backend.domain.values.errors import OutriderError
from backend.situation import situations
from backend.situation.situations import TurnInputs
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaigns, tasks
from backend.store.queries.leads import scored_leads
from backend.store.queries.turn import requests
from backend.turn import load as loading

MOST_WAITING = 20
"""Questions of programs that wait for the user in a campaign: more would be noise."""

MOST_REJECTED = 100
"""Proposals of programs that are rejected in a campaign within a day: each leaves an entry in the audit log for good."""

REVIEW, ASSISTANT = "Review", "Assistant"


class ProposalReceipt(NamedTuple):
    """A proposal that waits for the user; `decide_in` is the screen of the window on which they do."""

    proposal_id: str
    decide_in: str
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class ClientProposals(CommandHandler):
    """A program's side: every accepted proposal leads to a draft in Review or to a question, and to nothing else."""

    program: str = ""
    """What the user called the program; empty if they gave it no name."""
    launch: str = ""
    """The process that speaks for a program without a name: what it calls itself, another may call itself, too."""

    def propose(self, campaign_id: str, kind: str, params: Mapping[str, Any], *, key: str) -> ProposalReceipt:
        """Judge and keep it; the same receipt for a `key` that this program repeats.

        Raises `campaign_unknown`, `proposal_rejected` with the reason, `proposals_waiting` and `proposals_rejected`. A rejection is
        in the audit log; after too many of them nothing is judged.
        """
        given_key = self._own_key(key)
        with self.journal.transaction() as transaction:
            position = campaigns.existing_position(transaction.connection, campaign_id)
            if earlier_id := requests.request_with_key(transaction.connection, campaign_id, given_key):
                asked = tasks.task(transaction.connection, campaign_id, earlier_id) is not None
                return ProposalReceipt(earlier_id, ASSISTANT if asked else REVIEW, repeated=True)
            now, proposal_id = self.clock.now(), transaction.new_id()
            if requests.rejected_since(transaction.connection, campaign_id, now - DAY) >= MOST_REJECTED:
                raise OutriderError("proposals_rejected", limit=MOST_REJECTED)
            judged = _judged(transaction, position, proposal_id, kind, params, TurnInputs.at(self.clock, now, False))
            parameters = {"proposal": kind, "id": proposal_id, "bytes": len(canonical(dict(params)))}
            outcome = judged.code if isinstance(judged, Rejection) else requests.WAITS
            entry = AuditEntry(requests.PROPOSED, {"parameters": parameters, "outcome": outcome})
            cause = f"mcp {proposal_id}"
            transaction.audit(campaign_id, [entry], actor=self.actor, cause=cause, at=now)
            if not isinstance(judged, Rejection):
                line = requests.next_line(transaction.connection, campaign_id)
                facts = judged.facts._replace(maker=Maker(MakerKind.PROGRAM, self.program))
                events = _kept(transaction, judged._replace(facts=facts), proposal_id, line, given_key)
                transaction.record(campaign_id, events, actor=self.actor, cause=cause, at=now)
        if isinstance(judged, Rejection):
            raise OutriderError("proposal_rejected", rejection=judged.code, sentence=judged.sentence)
        return ProposalReceipt(proposal_id, REVIEW if kind == "generate_message" else ASSISTANT)

    def _own_key(self, key: str) -> str:
        """No key of another program, whatever it calls itself; spelled as it is, so that an erased name is found in it."""
        by, name = ("user", self.program) if self.program else ("launch", self.launch)
        return f"mcp:{by}:{len(name)}:{name}:{key}"


class _Judged(NamedTuple):
    """An accepted proposal, and the facts by which it is."""

    proposal: Proposal
    facts: ProposalFacts
    task: Task


def _judged(
    transaction: Transaction,
    position: campaigns.CampaignPosition,
    proposal_id: str,
    kind: str,
    params: Mapping[str, Any],
    inputs: TurnInputs,
) -> _Judged | Rejection:
    connection, campaign = transaction.connection, position.campaign
    own_task = Task(proposal_id, campaign.id, TaskKind.ASSIST, "", TaskStatus.IN_PROGRESS, ActionFamily.ASSIST, 0)
    lead_id = params.get("lead_id")
    of_lead = (
        tasks.task_of_lead(connection, lead_id) if kind == "generate_message" and isinstance(lead_id, str) else None
    )
    task = own_task if of_lead is None else of_lead
    proposal = parse(json.dumps({"type": kind, "task_id": task.id, "params": dict(params)}))
    match proposal:
        case Rejection():
            return proposal
        case GenerateMessage() if of_lead is None or of_lead.campaign_id != campaign.id:
            return reject("lead_not_in_campaign", id=proposal.params.lead_id)
        case GenerateMessage():
            facts = loading.facts_for(connection, loading.load(connection, position, inputs), proposal, 0)
            if facts.lead is not None and (refusal := situations.person_refusal(connection, facts.lead.id, inputs)):
                return Rejection(refusal.code, refusal.recorded)
        case PersistArtifact() | AnalyzeLeads():
            facts = ProposalFacts(
                campaign,
                inputs.now,
                blocked_families=frozenset(ActionFamily) - {ActionFamily.ASSIST},
                task=own_task,
                lead_fields=scored_leads.scorable_fields(connection, campaign.id),
                for_request=True,
            )
            if requests.waiting_from(connection, campaign.id, SOURCE) >= MOST_WAITING:
                raise OutriderError("proposals_waiting", limit=MOST_WAITING)
        case _:
            return reject("not_for_a_request", proposal=proposal.type)
    return judge(proposal, facts) or _Judged(proposal, facts, task)


SOURCE = "mcp"
_SAID = "A connected program proposes this. Nothing more is to be done for it."


def _kept(transaction: Transaction, judged: _Judged, proposal_id: str, line: int, key: str) -> Sequence[Event]:
    """A draft, or a task of its own with the question; either way a line says in the conversation that it is there."""
    new_id, now, facts = transaction.new_id, judged.facts.now, judged.facts
    events = proposal_events(judged.proposal, facts, (), new_id)
    if isinstance(judged.proposal, GenerateMessage):
        recipient = facts.lead.full_name if facts.lead is not None else ""
        sentence = f"A connected program proposes a message for {recipient}; it waits in Review."
        return [request.proposed(new_id(), proposal_id, line, sentence, key, now), *events]
    sentence = "A connected program proposes something; nothing is done before you decide."
    return [
        request.proposed(new_id(), proposal_id, line, sentence, key, now),
        *request.begun(proposal_id, "Proposed by a connected program", _SAID, SOURCE, now, new_id),
        *events,
        request.asked(new_id(), proposal_id, line + 1, None, events[0], now),
    ]
