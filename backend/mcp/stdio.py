"""This process's input and output as the protocol's wire: lines in, answers out, neither without a bound.

The SDK's own transport reads on however long a line is and whether or not anybody reads its answers, and is silent on what it
cannot parse.
"""

import json
import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Thread
from typing import BinaryIO, NamedTuple

import mcp_types as types
from anyio import to_thread

from backend.domain.values.json_in_text import repeated_key

LONGEST_LINE = 4 * 1024 * 1024
MOST_UNREAD = 1024 * 1024
"""Bytes of answers; while more wait for the program to read them, no request of its is read."""
_LAST_ANSWERS_SECONDS = 10.0
_PART = 65_536
_NO_REQUEST = "no request of the protocol in well-formed Unicode with each key once"


class Answers:
    """What is written to the program, in its order, by a thread of its own; for the SDK an asynchronous file."""

    def __init__(self, wire: BinaryIO) -> None:
        self._wire = wire
        self._unread: deque[bytes] = deque()
        self._size = 0
        self._ended = False
        self._gone = False
        self._changed = Condition()
        self._thread = Thread(target=self._write_all, name="mcp answers", daemon=True)
        self._thread.start()

    async def write(self, text: str) -> None:
        """Keep it until the program reads; nothing once it reads no more."""
        self.add(text)

    async def flush(self) -> None:
        """Nothing: what is kept is written as soon as it can be."""

    def add(self, text: str) -> None:
        """The same for whoever does not wait."""
        with self._changed:
            if self._gone:
                return
            self._unread.append(text.encode())
            self._size += len(self._unread[-1])
            self._changed.notify_all()

    def wait_for_room(self) -> bool:
        """Until the program has read enough of them; False once it reads no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._size <= MOST_UNREAD or self._gone)
            return not self._gone

    def close(self) -> None:
        """Give a program that has said its last the time to read what it asked for."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        self._thread.join(_LAST_ANSWERS_SECONDS)

    def _write_all(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._unread or self._ended)
                if not self._unread:
                    return
                answer = self._unread.popleft()
            try:
                self._wire.write(answer)
                self._wire.flush()
            except OSError:
                with self._changed:
                    self._gone = True
                    self._changed.notify_all()
                return
            with self._changed:
                self._size -= len(answer)
                self._changed.notify_all()


class Requests:
    """The lines that are messages of the protocol; any other is answered here."""

    def __init__(self, wire: BinaryIO, answers: Answers) -> None:
        self._wire = wire
        self._answers = answers

    def __aiter__(self) -> "Requests":
        return self

    async def __anext__(self) -> str:
        line = await to_thread.run_sync(self._next, abandon_on_cancel=True)
        if line is None:
            raise StopAsyncIteration
        return line

    def _next(self) -> str | None:
        while self._answers.wait_for_room() and (line := self._wire.readline(LONGEST_LINE)):
            if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                self._skip_rest()
                self._answers.add(_refusal(None, types.INVALID_REQUEST, f"longer than {LONGEST_LINE} bytes"))
                continue
            text = decoded(line)
            if not text.strip():
                continue
            if is_message(text):
                return text
            if answer := answer_to_unreadable(text):
                self._answers.add(answer)
        return None

    def _skip_rest(self) -> None:
        while (part := self._wire.readline(_PART)) and not part.endswith(b"\n"):
            pass


def decoded(line: bytes) -> str:
    """Bytes that are no UTF-8 stay no text, so that no message is read with other words than were sent."""
    return line.decode(errors="surrogateescape")


def is_message(text: str) -> bool:
    """Not what says two things, of which the SDK would take the last; nor what it takes for a notification although it waits for
    an answer, by an id of another type."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(text, by_name=False)
        is_one = not isinstance(message, types.JSONRPCNotification) or "id" not in json.loads(text)
        return is_one and repeated_key(text) is None
    except (ValueError, RecursionError):
        return False


def answer_to_unreadable(text: str) -> str | None:
    """None for what nobody waits for: a notification, and an answer to what was never asked."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return _refusal(None, types.PARSE_ERROR, "no JSON that can be read")
    if not isinstance(message, dict):
        return _refusal(None, types.INVALID_REQUEST, "one message a line")
    if "method" not in message or "id" not in message:
        return None
    request_id = message["id"] if type(message["id"]) in (int, str) else None
    return _refusal(request_id, types.INVALID_REQUEST, _NO_REQUEST)


def _refusal(request_id: int | str | None, code: int, why: str) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": why}}) + "\n"


class Wire(NamedTuple):
    """Both ends."""

    requests: Requests
    answers: Answers


@contextmanager
def own_wire() -> Iterator[Wire]:
    """Both ends for as long as it is served; whatever else this process reads is empty, and what it prints is no answer."""
    originals = os.dup(0), os.dup(1)
    try:
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        # A thread may still wait at either when this ends: they are not closed under it.
        answers = Answers(os.fdopen(originals[1], "wb", closefd=False))
        try:
            yield Wire(Requests(os.fdopen(originals[0], "rb", closefd=False), answers), answers)
        finally:
            answers.close()
    finally:
        for number, original in enumerate(originals):
            os.dup2(original, number)
