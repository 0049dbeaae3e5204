"""A proposer that asks a real model: bounded in time, size, attempts and money, whatever the model and its server do."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from backend.adapters.llm.prompt import TOKENS, Prompt, compose, schema_text
from backend.adapters.llm.reply_stream import ModelRefusal, ModelRequestError, ReplyStream, StreamEnd, TokenCount
from backend.adapters.llm.schema import proposal_schema
from backend.adapters.llm.stream_reader import POLL_SECONDS, StreamControl, read_with_deadlines
from backend.domain.device.request_form import RequestForm, form_after, usual_form
from backend.domain.model.connection import Connection
from backend.domain.model.providers import PRESETS, Mode
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.domain.values.json_in_text import object_text
from backend.ports.credentials import Secret
from backend.ports.proposer import ModelUsage, OnText, OnUsage, ignore_text, ignore_usage

ATTEMPTS = 3
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 20.0
"""Seconds, also for a server that says how long to wait."""

LONGEST_REPLY = 1_048_576
"""Characters after which a reply is cut off."""

OVERHEAD = 512
"""Tokens that a provider may add to a prompt: its template, and how it spells a schema."""

_SILENT_AFTER_REPLY = frozenset({"proposer_cut_off", "proposer_timeout"})
"""Errors that do not matter once the reply is whole: some servers do not close the stream."""

OpenStream = Callable[[Connection, Secret | None, Prompt, RequestForm], ReplyStream]
"""Prepares one request; it is sent when the stream is read."""

CheckBudget = Callable[[int, int], None]
"""Called before each attempt with the most that the reply may then cost, in tokens and micros; raises `model_budget_spent`."""


def unlimited_budget(_tokens: int, _micros: int) -> None:
    """Nobody limits what is spent."""


@dataclass
class AcceptedForms:
    """The form of request that each model accepted while a campaign runs, by the whole connection: an edited one is tried anew."""

    _forms: dict[Connection, RequestForm] = field(default_factory=dict)

    def form_for(self, connection: Connection) -> RequestForm:
        """The form that worked before, else the usual one."""
        return self._forms.get(connection) or usual_form(connection)

    def remember(self, connection: Connection, form: RequestForm) -> None:
        """Remember a form that was accepted."""
        if form != usual_form(connection):
            self._forms[connection] = form


@dataclass
class ModelProposer:
    """The model of one connection, asked by its provider's protocol."""

    name: str
    connection: Connection
    secret: Secret | None
    open_stream: OpenStream
    control: StreamControl = field(default_factory=StreamControl)
    check_budget: CheckBudget = unlimited_budget
    forms: AcceptedForms = field(default_factory=AcceptedForms)

    def is_slow(self, _: Snapshot) -> bool:
        """A model takes seconds."""
        return True

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        """The reply exactly as received. Raises `proposer_…` and `model_budget_spent`."""
        connection = self.connection
        lengths = PRESETS[connection.provider].lengths
        within = min(connection.context_tokens - connection.max_output_tokens - OVERHEAD, TOKENS)
        try:
            prompt = compose(snapshot, proposal_schema(snapshot, lengths=lengths), within=within)
        except OutriderError as error:
            if error.code != "prompt_too_long":
                raise
            prompt = compose(snapshot, proposal_schema(snapshot, lengths=lengths, beside=False), within=within)
        return self.ask(prompt, on_text, on_usage)

    def ask(self, prompt: Prompt, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        """The reply to any prompt, as from `propose`."""
        now = self.control.now
        deadline = now() + self.connection.total_timeout_ms / 1_000
        spent: list[ModelUsage] = []

        def count(usage: ModelUsage) -> None:
            spent.append(usage)
            on_usage(usage)

        attempt, form = 0, self.forms.form_for(self.connection)
        tried = {form}
        while True:
            attempt += 1
            self._refuse_unaffordable(prompt, spent)
            attempted = _Attempt(self, prompt, form, on_text, count)
            try:
                reply = attempted.reply(deadline)
            except ModelRequestError as failure:
                other = form_after(form, failure.refused_because, self.connection) if failure.refused_because else None
                if other is not None and other not in tried and now() < deadline:
                    tried.add(other)
                    attempt, form = attempt - 1, other
                    continue
                pause = self._pause(attempt, failure)
                retries = failure.retryable and not attempted.pieces and attempt < ATTEMPTS and now() + pause < deadline
                if not retries:
                    # Not from the library's exception: its notes may quote the request.
                    raise failure.error from None
                self._sleep(pause)
            else:
                self.forms.remember(self.connection, form)
                return reply

    def worst_case_tokens(self, prompt: Prompt) -> tuple[int, int]:
        """Tokens in and out that one attempt takes at most: no tokenizer makes more tokens than there are bytes."""
        prompt_bytes = len(prompt.system.encode()) + len(prompt.state.encode()) + len(json.dumps(prompt.schema))
        return prompt_bytes + OVERHEAD, self.connection.max_output_tokens

    def _refuse_unaffordable(self, prompt: Prompt, spent: list[ModelUsage]) -> None:
        most_in, most_out = self.worst_case_tokens(prompt)
        tokens = sum(usage.tokens_in + usage.tokens_out for usage in spent) + most_in + most_out
        self.check_budget(tokens, sum(usage.micros for usage in spent) + self.connection.cost(most_in, most_out))

    def _pause(self, attempt: int, failure: ModelRequestError) -> float:
        """Twice as long each time, with jitter, so that many clients do not retry at the same moment."""
        pause: float = FIRST_PAUSE * 2 ** (attempt - 1) * (0.5 + self.control.jitter())
        return min(max(pause, failure.retry_after or 0.0), LONGEST_PAUSE)

    def _sleep(self, seconds: float) -> None:
        while seconds > 0:
            if self.control.cancelled():
                raise OutriderError("proposer_stopped")
            self.control.sleep(min(seconds, POLL_SECONDS))
            seconds -= POLL_SECONDS


class _Attempt:
    """One request, and its reply as far as it arrived."""

    def __init__(
        self, model: ModelProposer, prompt: Prompt, form: RequestForm, on_text: OnText, on_usage: OnUsage
    ) -> None:
        self.model = model
        self.prompt = prompt
        self.form = form
        self.on_text = on_text
        self.on_usage = on_usage
        self.pieces: list[str] = []
        self.refused = False
        self.ended: StreamEnd | None = None
        self.tokens = TokenCount()

    def reply(self, deadline: float) -> str:
        """The whole reply; raises `ModelRequestError`. What it cost is reported in any case, at its most where not known."""
        model = self.model
        may_be_billed = True
        try:
            try:
                self._read(deadline)
            except ModelRequestError as failure:
                broken = failure.error.code in _SILENT_AFTER_REPLY and self._is_whole()
                if self.ended is None and not broken:
                    raise  # else the reply was whole, and only what may follow it was missing
            return self._checked()
        except ModelRequestError as failure:
            may_be_billed = failure.may_be_billed or bool(self.pieces)
            raise
        finally:
            if may_be_billed or self.tokens != TokenCount():
                most_in, most_out = model.worst_case_tokens(self.prompt)
                tokens_in, tokens_out = self.tokens.tokens_in or most_in, self.tokens.tokens_out or most_out
                cost = model.connection.cost(tokens_in, tokens_out)
                self.on_usage(ModelUsage(model.connection.model, tokens_in, tokens_out, cost))

    def _read(self, deadline: float) -> None:
        model, length = self.model, 0
        stream = model.open_stream(model.connection, model.secret, self.prompt, self.form)
        for event in read_with_deadlines(stream, model.connection, deadline, model.control):
            match event:
                case str():
                    length += self._take(event, LONGEST_REPLY - length)
                case ModelRefusal(text):
                    self.refused = True
                    length += self._take(text, LONGEST_REPLY - length)
                case TokenCount(tokens_in, tokens_out):
                    self.tokens = TokenCount(tokens_in or self.tokens.tokens_in, tokens_out or self.tokens.tokens_out)
                case StreamEnd():
                    self.ended = self.ended or event
            if length >= LONGEST_REPLY:
                raise _cut_off("it was longer than one megabyte")

    def _take(self, text: str, room: int) -> int:
        accepted = text[:room]
        if accepted:
            self.pieces.append(accepted)
            self.on_text(accepted)
        return len(accepted)

    def _checked(self) -> str:
        if self.refused:
            raise ModelRequestError(OutriderError("proposer_refused"), may_be_billed=True)
        if self.ended is None and not self._is_whole() and (self.pieces or self.tokens == TokenCount()):
            raise _cut_off("the connection was closed", retryable=True)
        if self.ended is not None and self.ended.cut_off_reason:
            raise _cut_off(self.ended.cut_off_reason)
        if not self.pieces:
            raise ModelRequestError(OutriderError("proposer_empty"), may_be_billed=True)
        return "".join(self.pieces)

    def _is_whole(self) -> bool:
        """Whether the one object is there: some servers do not say when a reply ends."""
        return object_text("".join(self.pieces)) is not None


def _cut_off(why: str, *, retryable: bool = False) -> ModelRequestError:
    return ModelRequestError(OutriderError("proposer_cut_off", why=why), retryable=retryable, may_be_billed=True)


def instructions(mode: Mode, prompt: Prompt) -> str:
    """The system prompt, with the schema in it unless the provider enforces the schema itself."""
    if mode == "json_schema":
        return prompt.system
    schema_instruction = "Answer with one JSON object that fits this JSON schema, and nothing around it:"
    return f"{prompt.system}\n\n# Schema\n{schema_instruction}\n{schema_text(prompt.schema)}"
