"""Reads a model's reply within the connection's deadlines, whether its server is silent, slow or never stops."""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from backend.adapters.llm.reply_stream import ModelRequestError, ReplyStream, StreamEvent
from backend.domain.model.connection import Connection, host_of
from backend.domain.values.errors import OutriderError

POLL_SECONDS = 0.1
"""Seconds after which it is checked again whether the user has stopped."""


@dataclass(frozen=True, slots=True)
class StreamControl:
    """Time in seconds, jitter from 0 to 1, and whether the user has stopped: inputs, so that tests can set them."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = lambda: 0.5
    cancelled: Callable[[], bool] = lambda: False


def read_with_deadlines(
    stream: ReplyStream, connection: Connection, deadline: float, stream_control: StreamControl
) -> Iterator[StreamEvent]:
    """The events of the stream, until it ends. Raises `ModelRequestError`, also for `proposer_timeout` and `proposer_stopped`.

    The stream is read in a thread of its own, because a blocking read has only one kind of time-out. Closing the stream ends
    that thread.
    """
    events: queue.SimpleQueue[StreamEvent | ModelRequestError | None] = queue.SimpleQueue()
    stopped = threading.Event()
    threading.Thread(target=_read, args=(stream, events, stopped), name="model", daemon=True).start()
    timeout_ms, stage = connection.first_token_timeout_ms, "to begin"
    try:
        while True:
            event = _next(events, connection, timeout_ms, stage, deadline, stream_control)
            if event is None:
                return
            if isinstance(event, ModelRequestError):
                raise event
            yield event
            timeout_ms, stage = connection.idle_timeout_ms, "to go on"
    finally:
        stopped.set()
        stream.close()


def _next(
    events: "queue.SimpleQueue[StreamEvent | ModelRequestError | None]",
    connection: Connection,
    timeout_ms: int,
    stage: str,
    deadline: float,
    stream_control: StreamControl,
) -> StreamEvent | ModelRequestError | None:
    begun = stream_control.now()
    end = min(begun + timeout_ms / 1_000, deadline)
    while True:
        if stream_control.cancelled():
            raise ModelRequestError(OutriderError("proposer_stopped"), may_be_billed=True)
        left = end - stream_control.now()
        if left <= 0:
            if end == deadline:
                timeout_ms, stage = connection.total_timeout_ms, "in all"
            facts = {"host": host_of(connection.base_url), "seconds": f"{timeout_ms / 1_000:g}", "what": stage}
            raise ModelRequestError(OutriderError("proposer_timeout", **facts), may_be_billed=True)
        try:
            return events.get(timeout=min(left, POLL_SECONDS))
        except queue.Empty:
            continue


def _read(
    stream: ReplyStream, events: "queue.SimpleQueue[StreamEvent | ModelRequestError | None]", stopped: threading.Event
) -> None:
    try:
        for event in stream.events():
            if stopped.is_set():
                return
            events.put(event)
        events.put(None)
    except ModelRequestError as failure:
        events.put(failure)
    except Exception as error:  # noqa: BLE001 - a thread's last resort: the reader raises it, if there still is one
        events.put(
            ModelRequestError(OutriderError("proposer_unavailable", why=type(error).__name__), may_be_billed=True)
        )
