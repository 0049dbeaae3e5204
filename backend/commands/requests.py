"""What the user says to the assistant, and what they do with the conversation; none of it decides anything else."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.commands.handler import CommandHandler, command
from backend.domain.events.events import Event
from backend.domain.events.facts.campaign import ConversationDeleted, ConversationRestored
from backend.domain.events.facts.statuses import QuestionStatus
from backend.domain.events.facts.task import InputAnswered
from backend.domain.model.campaign import refuse_archived
from backend.domain.turn import request
from backend.domain.turn.assistant_results import StatusLine
from backend.domain.turn.request import GO_ON, LEAVE, Attachment, is_worked_on, wants_turns
from backend.domain.turn.task_progress import ask, claim_done
from backend.domain.values.errors import OutriderError
from backend.store.log.erasing_events import erasing_events
from backend.store.queries.campaign import tasks
from backend.store.queries.turn import requests
from backend.turn.conversation import abandon_request


@dataclass(frozen=True, slots=True)
class RequestCommands(CommandHandler):
    """The user's side of the conversation."""

    @command("requests.begin", shows={"RequestAsked": "question"}, only=())
    def begin(self, campaign_id: str, text: str, attached: Sequence[Attachment], *, key: str) -> str:
        """What the user said becomes a request; its id, and the same one for a repeated `key`."""
        with self.journal.transaction() as transaction:
            refuse_archived(self._campaign(transaction, campaign_id))
            if earlier_id := requests.request_with_key(transaction.connection, campaign_id, key):
                return earlier_id
            request_id, line = transaction.new_id(), requests.next_line(transaction.connection, campaign_id)
            events = request.request_events(request_id, text, attached, key, line, self.clock.now(), transaction.new_id)
            self._record(transaction, campaign_id, events)
            return request_id

    @command("requests.record_plain_command", only=())
    def record_plain_command(self, campaign_id: str, text: str, *, key: str) -> tuple[str, bool]:
        """A plain command of the user, which needs no turn; its id, and False if it was given before."""
        with self.journal.transaction() as transaction:
            self._campaign(transaction, campaign_id)
            if earlier_id := requests.request_with_key(transaction.connection, campaign_id, key):
                return earlier_id, False
            request_id, line = transaction.new_id(), requests.next_line(transaction.connection, campaign_id)
            event = request.said_by_user(transaction.new_id(), request_id, line, text, (), key, self.clock.now())
            self._record(transaction, campaign_id, [event])
            return request_id, True

    def add_result(self, campaign_id: str, request_id: str, sentence: str, code: str = "") -> None:
        """What came of it."""
        with self.journal.transaction() as transaction:
            line, now = requests.next_line(transaction.connection, campaign_id), self.clock.now()
            event = request.result(
                transaction.new_id(), request_id, line, None, StatusLine(sentence=sentence, code=code), now
            )
            transaction.record(campaign_id, [event], actor="controller", cause=f"request {request_id}", at=now)

    def finish(self, campaign_id: str, request_id: str, sentence: str, code: str = "") -> None:
        """The last thing that came of it: nothing more is to be done, which is then verified."""
        with self.journal.transaction() as transaction:
            task = tasks.task(transaction.connection, campaign_id, request_id)
            if task is None or not wants_turns(task):
                return
            line, now = requests.next_line(transaction.connection, campaign_id), self.clock.now()
            event = request.result(
                transaction.new_id(), request_id, line, None, StatusLine(sentence=sentence, code=code), now
            )
            cause = f"request {request_id}"
            transaction.record(campaign_id, [event, claim_done(task)], actor="controller", cause=cause, at=now)

    def abandon(self, campaign_id: str, request_id: str, sentence: str, code: str) -> None:
        """End it without its being done, and say so; nothing if it is over or waits for the user."""
        with self.journal.transaction() as transaction:
            task = tasks.task(transaction.connection, campaign_id, request_id)
            if task is not None and is_worked_on(task):
                abandon_request(transaction, task, sentence, code, self.clock.now())

    def interrupted(self, campaign_id: str, request_id: str) -> None:
        """Outrider ended in the middle of it: the user says whether it goes on."""
        with self.journal.transaction() as transaction:
            task, now = tasks.task(transaction.connection, campaign_id, request_id), self.clock.now()
            if task is None or not wants_turns(task):
                return
            events = ask(
                now,
                task,
                transaction.new_id,
                kind="resume_request",
                question="This was interrupted when Outrider ended. Go on with it?",
                choices=(GO_ON, LEAVE),
            )
            line = requests.next_line(transaction.connection, campaign_id)
            events.append(request.asked(transaction.new_id(), request_id, line, None, events[0], now))
            transaction.record(campaign_id, events, actor="controller", cause=f"request {request_id}", at=now)

    @command("requests.delete", shows={"ConversationDeleted": "conversation_from"})
    def delete(self, campaign_id: str) -> None:
        """Hide every line there is. Changes nothing else; nothing at all when there is none."""
        with self.journal.transaction() as transaction:
            self._campaign(transaction, campaign_id)
            hidden, _ = requests.hidden(transaction.connection, campaign_id)
            last = requests.next_line(transaction.connection, campaign_id) - 1
            if last != hidden:
                deleted = ConversationDeleted(campaign_id, conversation_from=last, conversation_back=hidden)
                self._record(transaction, campaign_id, [deleted])

    @command("requests.erase", only=())
    def erase(self, campaign_id: str) -> int:
        """Erase every word of the conversation for good, and of its requests, turns and questions; how many log entries that is.

        What was kept as an artifact stays. Requests that wait for the user end. Raises `assistant_works`.
        """
        with self.journal.transaction() as transaction:
            self._campaign(transaction, campaign_id)
            connection, now = transaction.connection, self.clock.now()
            for task in tasks.open_requests(connection, campaign_id):
                if is_worked_on(task):
                    raise OutriderError("assistant_works")
                moot = [
                    InputAnswered(question, status=QuestionStatus.WITHDRAWN, answer="")
                    for question in requests.open_questions(connection, task.id)
                ]
                self._record(transaction, campaign_id, moot)
                abandon_request(transaction, task, "The conversation was erased.", "erased", now)
            last, hidden = requests.next_line(connection, campaign_id) - 1, requests.hidden(connection, campaign_id)
            entries_left = requests.what_is_left(connection, campaign_id)
            events: list[Event] = erasing_events(transaction, campaign_id, entries_left, now)
            if hidden != (last, last):
                events.append(ConversationDeleted(campaign_id, conversation_from=last, conversation_back=last))
            if events:
                self._record(transaction, campaign_id, events)
            return len(entries_left)

    @command("requests.restore", shows={"ConversationRestored": "conversation_from"})
    def restore(self, campaign_id: str) -> None:
        """Take the last deletion back; nothing when that was done."""
        with self.journal.transaction() as transaction:
            self._campaign(transaction, campaign_id)
            hidden, previously_hidden = requests.hidden(transaction.connection, campaign_id)
            if hidden != previously_hidden:
                restored = ConversationRestored(campaign_id, conversation_from=previously_hidden)
                self._record(transaction, campaign_id, [restored])
