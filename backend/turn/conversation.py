"""The lines that a turn for a user's request leaves in the conversation, in the very transaction of the turn."""

from backend.domain.events.events import Event
from backend.domain.model.task import Task
from backend.domain.turn import request
from backend.domain.turn.assistant_results import AssistantResult, StatusLine
from backend.domain.turn.proposals import COULD_NOT_BE_READ, UNREADABLE
from backend.domain.turn.reply_parser import ParsedReply
from backend.domain.turn.task_progress import end_request
from backend.store.log.transaction import Transaction
from backend.store.queries.turn import requests
from backend.turn.execute.execution import TurnOutcome
from backend.turn.load import TurnContext


def add_turn_lines(
    transaction: Transaction, context: TurnContext, outcome: TurnOutcome, action: ParsedReply, *, by_model: bool
) -> None:
    """The words of the reply, as a model's only if they are `by_model`; then what came of it, or what the user is asked."""
    turn, now, accepted = context.position.last_turn + 1, context.inputs.now, outcome.verdict == "accepted"
    line = _Lines(transaction, context)
    words = action.words if accepted else ()
    role = "model" if by_model else "outrider"
    for text in words:
        line.add(request.said_in_turn(transaction.new_id(), line.request_id, line.number, turn, role, text, now))
    for event in outcome.events:
        if event.kind == "RequestAsked":
            line.add(request.asked(transaction.new_id(), line.request_id, line.number, turn, event, now))
    for finding in _findings(transaction, line.request_id, outcome, action):
        line.add(request.result(transaction.new_id(), line.request_id, line.number, turn, finding, now))


def _findings(
    transaction: Transaction, request_id: str, outcome: TurnOutcome, action: ParsedReply
) -> list[AssistantResult]:
    if outcome.verdict != "accepted":
        unreadable = outcome.verdict in UNREADABLE
        sentence = COULD_NOT_BE_READ if unreadable else f"The model's answer was not used: {outcome.detail}"
        refused = StatusLine(sentence=sentence, code=outcome.verdict)
        blocked = [event.changes["reason"] for event in outcome.events if event.kind == "RequestEnded"]
        return [refused, *(StatusLine(sentence=f"Ended: {why.removesuffix('.')}.", code="gave_up") for why in blocked)]
    if outcome.finding is not None:
        return [outcome.finding]
    if not action.wants_another_turn and not action.words and not requests.results(transaction.connection, request_id):
        return [StatusLine(sentence="The model had nothing to propose for this.", code="nothing_proposed")]
    return []


def add_failure_line(transaction: Transaction, context: TurnContext, outcome: TurnOutcome) -> None:
    """There was no reply: the request ends here, and says so."""
    abandon_request(transaction, context.ready[0], outcome.detail, outcome.verdict, context.inputs.now)


def abandon_request(transaction: Transaction, task: Task, why: str, code: str, now: int) -> None:
    """End a request without its being done, in its conversation, too."""
    cause = f"request {task.id}"
    result = request.result(
        transaction.new_id(),
        task.id,
        requests.next_line(transaction.connection, task.campaign_id),
        None,
        StatusLine(sentence=why, code=code),
        now,
    )
    transaction.record(task.campaign_id, [end_request(task, why), result], actor="controller", cause=cause, at=now)


class _Lines:
    """Adds lines one after another, as part of the turn."""

    def __init__(self, transaction: Transaction, context: TurnContext) -> None:
        self._transaction, self._context = transaction, context
        self.request_id = context.ready[0].id if context.ready else str(context.request_id)
        self.number = requests.next_line(transaction.connection, context.campaign.id)

    def add(self, line: Event) -> None:
        """Record it; the next has the next number."""
        turn = self._context.position.last_turn + 1
        self._transaction.record(
            self._context.campaign.id, [line], actor="controller", cause=f"t{turn}", at=self._context.inputs.now
        )
        self.number += 1
