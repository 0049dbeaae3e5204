"""A proposer that asks a real model: bounded in time, size, attempts and money, whatever the model and its server do."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from backend.domain.connection import PRESETS, Connection
from backend.domain.errors import OutriderError
from backend.domain.snapshot import Snapshot
from backend.llm.line import Billed, Ended, Line, Refused, Trouble
from backend.llm.listening import GLANCE, Surroundings, listen
from backend.llm.prompt import TOKENS, Prompt, compose, schema_text
from backend.llm.schema import proposal_schema
from backend.ports.credentials import Secret
from backend.ports.proposer import Hear, Meter, Usage, free, nobody

ATTEMPTS = 3
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 20.0
"""Seconds, also for a server that says how long to wait."""

LONGEST_REPLY = 1_048_576
"""Characters; nobody reads on after that."""

OVERHEAD = 512
"""Tokens that a provider may add to a prompt: its template, and how it spells a schema."""

Open = Callable[[Connection, Secret | None, Prompt], Line]
"""Prepares one request; nothing is sent before the line is listened to."""

Allow = Callable[[int, int], None]
"""Asked before each attempt with the most that the reply may then have cost, in tokens and micros; raises `model_budget_spent`."""


def boundless(_tokens: int, _micros: int) -> None:
    """Nobody limits what is spent."""


@dataclass
class ModelProposer:
    """One connection's model, asked through the line that speaks its provider's protocol."""

    name: str
    connection: Connection
    secret: Secret | None
    open: Open
    around: Surroundings = field(default_factory=Surroundings)
    allow: Allow = boundless

    def propose(self, snapshot: Snapshot, hear: Hear = nobody, meter: Meter = free) -> str:
        """The reply exactly as received. Raises `proposer_…` and `model_budget_spent`."""
        connection = self.connection
        schema = proposal_schema(snapshot, lengths=PRESETS[connection.provider].lengths)
        room = connection.context_tokens - connection.max_output_tokens - OVERHEAD
        return self.ask(compose(snapshot, schema, within=min(room, TOKENS)), hear, meter)

    def ask(self, prompt: Prompt, hear: Hear = nobody, meter: Meter = free) -> str:
        """The same for any prompt."""
        now = self.around.now
        deadline = now() + self.connection.whole_ms / 1_000
        spent: list[Usage] = []

        def count(usage: Usage) -> None:
            spent.append(usage)
            meter(usage)

        attempt = 0
        while True:
            attempt += 1
            self._refuse_unaffordable(prompt, spent)
            attempted = _Attempt(self, prompt, hear, count)
            try:
                return attempted.reply(deadline)
            except Trouble as trouble:
                pause = self._pause(attempt, trouble)
                again = trouble.passes and not attempted.said and attempt < ATTEMPTS and now() + pause < deadline
                if not again:
                    # Not from the library's exception: its notes may quote the request.
                    raise trouble.error from None
                self._sleep(pause)

    def worst(self, prompt: Prompt) -> tuple[int, int]:
        """Tokens in and out that one attempt takes at most: no tokenizer makes more tokens than there are bytes."""
        told = len(prompt.system.encode()) + len(prompt.state.encode()) + len(json.dumps(prompt.schema))
        return told + OVERHEAD, self.connection.max_output_tokens

    def _refuse_unaffordable(self, prompt: Prompt, spent: list[Usage]) -> None:
        most_in, most_out = self.worst(prompt)
        tokens = sum(usage.tokens_in + usage.tokens_out for usage in spent) + most_in + most_out
        self.allow(tokens, sum(usage.micros for usage in spent) + self.connection.cost(most_in, most_out))

    def _pause(self, attempt: int, trouble: Trouble) -> float:
        """Twice as long each time, with jitter, so that many who wait do not come back at once."""
        asked = trouble.retry_after
        waited: float = FIRST_PAUSE * 2 ** (attempt - 1) * (0.5 + self.around.chance())
        return min(max(waited, asked or 0.0), LONGEST_PAUSE)

    def _sleep(self, seconds: float) -> None:
        while seconds > 0:
            if self.around.stopped():
                raise OutriderError("proposer_stopped")
            self.around.sleep(min(seconds, GLANCE))
            seconds -= GLANCE


class _Attempt:
    """One request, and what came of it."""

    def __init__(self, model: ModelProposer, prompt: Prompt, hear: Hear, meter: Meter) -> None:
        self.model = model
        self.prompt = prompt
        self.hear = hear
        self.meter = meter
        self.said: list[str] = []
        self.refused = False
        self.ended: Ended | None = None
        self.bill: Billed | None = None

    def reply(self, deadline: float) -> str:
        """The whole reply; raises `Trouble`. What it cost is told in any case, and at its most where that is not known."""
        model = self.model
        asked = True
        try:
            try:
                self._listen(deadline)
            except Trouble:
                if self.ended is None:
                    raise  # else the reply was whole, and only what may follow it was missing
            return self._judged()
        except Trouble as trouble:
            asked = trouble.asked
            raise
        finally:
            if asked or self.bill:
                bill = self.bill or Billed(*model.worst(self.prompt))
                cost = model.connection.cost(bill.tokens_in, bill.tokens_out)
                self.meter(Usage(model.connection.model, bill.tokens_in, bill.tokens_out, cost))

    def _listen(self, deadline: float) -> None:
        model, length = self.model, 0
        line = model.open(model.connection, model.secret, self.prompt)
        for heard in listen(line, model.connection, deadline, model.around):
            match heard:
                case str():
                    length += self._take(heard, LONGEST_REPLY - length)
                case Refused(text):
                    self.refused = True
                    length += self._take(text, LONGEST_REPLY - length)
                case Billed():
                    self.bill = heard
                case Ended():
                    self.ended = heard
            if length >= LONGEST_REPLY:
                raise Trouble(OutriderError("proposer_cut_off", why="it was longer than one megabyte"), asked=True)

    def _take(self, text: str, room: int) -> int:
        kept = text[:room]
        if kept:
            self.said.append(kept)
            self.hear(kept)
        return len(kept)

    def _judged(self) -> str:
        if self.refused:
            raise Trouble(OutriderError("proposer_refused"), asked=True)
        if self.ended is None:
            raise Trouble(OutriderError("proposer_cut_off", why="the connection was closed"), passes=True, asked=True)
        if self.ended.cut:
            raise Trouble(OutriderError("proposer_cut_off", why=self.ended.cut), asked=True)
        if not self.said:
            raise Trouble(OutriderError("proposer_empty"), asked=True)
        return "".join(self.said)


def instructions(connection: Connection, prompt: Prompt) -> str:
    """The system's words, with the schema in them where the provider does not hold the model to it."""
    if connection.mode == "json_schema":
        return prompt.system
    told = "Answer with one JSON object that fits this JSON schema, and nothing around it:"
    return f"{prompt.system}\n\n# Schema\n{told}\n{schema_text(prompt.schema)}"
