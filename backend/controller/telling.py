"""The lines that a turn for a user's request leaves in the conversation, in the very transaction of the turn."""

from backend.controller.context import Context
from backend.controller.executor import Outcome
from backend.domain import request
from backend.domain.events import Event
from backend.domain.findings import Finding, Told
from backend.domain.progress import end_request
from backend.domain.reply import Action
from backend.domain.task import Task
from backend.store import requests
from backend.store.journal import Transaction


def tell(transaction: Transaction, context: Context, outcome: Outcome, action: Action) -> None:
    """The model's own words, then what came of its proposal, or what the user is asked."""
    turn, now, accepted = context.position.last_turn + 1, context.around.now, outcome.verdict == "accepted"
    line = _Lines(transaction, context)
    words = action.words if accepted else ()
    for said in words:
        line.add(request.said_by_model(transaction.new_id(), line.request_id, line.number, turn, said, now))
    for event in outcome.events:
        if event.kind == "RequestAsked":
            line.add(request.asked(transaction.new_id(), line.request_id, line.number, turn, event, now))
    for finding in _findings(transaction, line.request_id, outcome, action):
        line.add(request.result(transaction.new_id(), line.request_id, line.number, turn, finding, now))


def _findings(transaction: Transaction, request_id: str, outcome: Outcome, action: Action) -> list[Finding]:
    if outcome.verdict != "accepted":
        refused = Told(sentence=f"A proposal was refused: {outcome.said}", code=outcome.verdict)
        blocked = [event.changes["reason"] for event in outcome.events if event.kind == "RequestEnded"]
        return [refused, *(Told(sentence=f"Ended: {why}.", code="gave_up") for why in blocked)]
    if outcome.finding is not None:
        return [outcome.finding]
    if not action.follows and not action.words and not requests.results(transaction.connection, request_id):
        return [Told(sentence="The model had nothing to propose for this.", code="nothing_proposed")]
    return []


def tell_failure(transaction: Transaction, context: Context, outcome: Outcome) -> None:
    """There was no reply: the request ends here, and says so."""
    give_up(transaction, context.ready[0], outcome.said, outcome.verdict, context.around.now)


def give_up(transaction: Transaction, task: Task, why: str, code: str, now: int) -> None:
    """End a request without its being done, in its conversation, too."""
    cause = f"request {task.id}"
    told = request.result(
        transaction.new_id(),
        task.id,
        requests.next_line(transaction.connection, task.campaign_id),
        None,
        Told(sentence=why, code=code),
        now,
    )
    transaction.record(task.campaign_id, [end_request(task, why), told], actor="controller", cause=cause, at=now)


class _Lines:
    """Adds lines one after another, as part of the turn."""

    def __init__(self, transaction: Transaction, context: Context) -> None:
        self._transaction, self._context = transaction, context
        self.request_id = context.ready[0].id if context.ready else str(context.request_id)
        self.number = requests.next_line(transaction.connection, context.campaign.id)

    def add(self, line: Event) -> None:
        """Record it; the next has the next number."""
        turn = self._context.position.last_turn + 1
        self._transaction.record(
            self._context.campaign.id, [line], actor="controller", cause=f"t{turn}", at=self._context.around.now
        )
        self.number += 1
