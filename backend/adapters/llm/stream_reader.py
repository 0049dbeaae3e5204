"""Listens to a model without ever waiting longer than agreed, whatever it does: silence, a trickle, a flood."""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from backend.adapters.llm.reply_stream import ModelRequestError, ReplyStream, StreamEvent
from backend.domain.model.connection import Connection, host_of
from backend.domain.values.errors import OutriderError

POLL_SECONDS = 0.1
"""Seconds between two looks at whether the user has stopped."""


@dataclass(frozen=True, slots=True)
class StreamControl:
    """Time in seconds, chance from 0 to 1, and whether the user has stopped: recorded inputs, so that tests decide them."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = lambda: 0.5
    cancelled: Callable[[], bool] = lambda: False


def read_with_deadlines(
    line: ReplyStream, connection: Connection, deadline: float, stream_control: StreamControl
) -> Iterator[StreamEvent]:
    """What the line says, until it ends. Raises `ModelRequestError`, or `proposer_timeout` and `proposer_stopped` in one.

    The line is read in a thread of its own, because a blocking read knows only one kind of time-out. When we are done
    with it, it is hung up, and the thread ends with it.
    """
    events: queue.SimpleQueue[StreamEvent | ModelRequestError | None] = queue.SimpleQueue()
    stopped = threading.Event()
    threading.Thread(target=_read, args=(line, events, stopped), name="model", daemon=True).start()
    patience, stage = connection.first_token_timeout_ms, "to begin"
    try:
        while True:
            event = _next(events, connection, patience, stage, deadline, stream_control)
            if event is None:
                return
            if isinstance(event, ModelRequestError):
                raise event
            yield event
            patience, stage = connection.idle_timeout_ms, "to go on"
    finally:
        stopped.set()
        line.close()


def _next(
    events: "queue.SimpleQueue[StreamEvent | ModelRequestError | None]",
    connection: Connection,
    patience_ms: int,
    stage: str,
    deadline: float,
    stream_control: StreamControl,
) -> StreamEvent | ModelRequestError | None:
    begun = stream_control.now()
    end = min(begun + patience_ms / 1_000, deadline)
    while True:
        if stream_control.cancelled():
            raise ModelRequestError(OutriderError("proposer_stopped"), asked=True)
        left = end - stream_control.now()
        if left <= 0:
            if end == deadline:
                patience_ms, stage = connection.total_timeout_ms, "in all"
            facts = {"host": host_of(connection.base_url), "seconds": f"{patience_ms / 1_000:g}", "what": stage}
            raise ModelRequestError(OutriderError("proposer_timeout", **facts), asked=True)
        try:
            return events.get(timeout=min(left, POLL_SECONDS))
        except queue.Empty:
            continue


def _read(
    line: ReplyStream, events: "queue.SimpleQueue[StreamEvent | ModelRequestError | None]", stopped: threading.Event
) -> None:
    try:
        for event in line.events():
            if stopped.is_set():
                return
            events.put(event)
        events.put(None)
    except ModelRequestError as failure:
        events.put(failure)
    except Exception as error:  # noqa: BLE001 - a thread's last resort: told to who listens, or to nobody if all is over
        events.put(ModelRequestError(OutriderError("proposer_unavailable", why=type(error).__name__), asked=True))
