"""A server of models on the loopback that speaks both protocols, streams, bills each attempt, and misbehaves on request."""

import json
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.bench.model import first_matching_value

TOKENS_IN = 400
Reply = Callable[[dict[str, Any]], str]


def schema_in(body: dict[str, Any]) -> Any:
    """The schema that the request bears, wherever its mode puts it."""
    if "tools" in body:
        return body["tools"][0]["input_schema"]
    form = body.get("response_format", {})
    if form.get("type") == "json_schema":
        return form["json_schema"]["schema"]
    system = body.get("system") or body["messages"][0]["content"]
    return json.loads(system.rpartition("\n")[2])


def names_listed(*names: str) -> tuple[int, dict[str, str], Iterable[bytes]]:
    """A list of models, as most servers give it."""
    return (
        200,
        {},
        [json.dumps({"object": "list", "data": [{"id": name, "object": "model"} for name in names]}).encode()],
    )


class Cut(Exception):  # noqa: N818
    """The connection ends here, in the middle."""


class ModelServer:
    """`acts` are what the coming requests get, in order; "ok" when there are no more. `reply` makes what is said.

    Acts: "ok", a status, (status, headers), (status, headers, error), "slow", "silent" (after a beginning), "cut",
    "garbled", "length", "refusal", "empty", "huge", "endless", "trickle", "line" (one without end), "error" (in the
    stream), "unbilled".
    `listing` is what it answers to who asks for its models.
    """

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.acts: deque[Any] = deque()
        self.reply: Reply = lambda body: json.dumps(
            first_matching_value(schema_in(body), f"Hello, shall we talk {len(self.requests)}?")
        )
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.listing: tuple[int, dict[str, str], Iterable[bytes]] = names_listed("tiny-1", "tiny-2")
        self.listed: list[tuple[str, dict[str, str]]] = []
        self.billed: list[tuple[int, int]] = []
        self.completed: list[str] = []
        self.sent = 0
        self.over = threading.Event()
        self.on_piece: Callable[[], None] = lambda: None
        server = self
        self.delay = 0.0

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                server._answer(self)

            def do_GET(self) -> None:
                server._list(self)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer((host, 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://{host}:{self._server.server_port}"

    def close(self) -> None:
        """Let everything go that waits, and stop."""
        self.over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    # --- one request ---

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        body = json.loads(request.rfile.read(int(request.headers["content-length"])))
        self.requests.append((request.path, dict(request.headers.items()), body))
        act = self.acts.popleft() if self.acts else "ok"
        status, headers, *error = act if isinstance(act, tuple) else (act, {})
        request.close_connection = True
        try:
            if isinstance(status, int):
                return self._refuse(request, status, headers, *error)
            if self.delay:
                self.over.wait(self.delay)
            if act == "slow":
                self.over.wait()
                return None
            request.send_response(200)
            request.send_header("content-type", "text/event-stream")
            request.send_header("transfer-encoding", "chunked")
            request.end_headers()
            self._stream(request, act, body)
            request.wfile.write(b"0\r\n\r\n")
        except (Cut, OSError):
            pass

    def _list(self, request: BaseHTTPRequestHandler) -> None:
        self.listed.append((request.path, {name.lower(): value for name, value in request.headers.items()}))
        status, headers, body = self.listing
        request.close_connection = True
        with suppress(OSError):
            request.send_response(status)
            for name, value in {"content-type": "application/json", "connection": "close", **headers}.items():
                request.send_header(name, value)
            request.end_headers()
            for piece in body:
                if self.over.is_set():
                    break
                request.wfile.write(piece)

    @staticmethod
    def _refuse(
        request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], error: dict[str, str] | None = None
    ) -> None:
        key = request.headers.get("authorization", "") + request.headers.get("x-api-key", "")
        error = error or {"type": "no", "message": f"No. You sent {key.removeprefix('Bearer ')}"}
        body = json.dumps({"error": error}).encode()
        request.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(body)), **headers}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(body)

    def _stream(self, request: BaseHTTPRequestHandler, act: Any, body: dict[str, Any]) -> None:
        anthropic = request.path.endswith("/messages")
        form: Callable[[Iterator[Any]], Iterator[bytes]] = _anthropic(body) if anthropic else _openai
        self.billed.append((TOKENS_IN, 0))
        for chunk in form(self._said(act, body)):
            data = b"x" * 65_536 if act == "line" else chunk
            while True:
                request.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.sent += len(data)
                self.on_piece()
                if act != "line" or self.over.is_set():
                    break

    def _said(self, act: Any, body: dict[str, Any]) -> Iterator[Any]:
        """Pieces of text, and words about them as tuples."""
        if act == "error":
            yield ("error",)
            return
        if act == "garbled":
            yield ("garbled",)
            return
        if act == "refusal":
            yield ("refusal", "I would rather not.")
            yield ("bill", TOKENS_IN, 5)
            return
        if act == "trickle":
            while not self.over.is_set():
                yield ""
        if act in ("huge", "endless"):
            left = 5 * 1_048_576 if act == "huge" else 1 << 60
            while left > 0 and not self.over.is_set():
                yield "x" * 4_096
                left -= 4_096
        text = "" if act == "empty" else self.reply(body)
        for number, at in enumerate(range(0, len(text), 8)):
            if number == 2 and act in ("cut", "silent"):
                if act == "silent":
                    self.over.wait()
                raise Cut
            yield text[at : at + 8]
            self.billed[-1] = (TOKENS_IN, number + 1)
        if text and act != "length":
            self.completed.append(text)
        yield ("end", "length" if act == "length" else "stop")
        if act != "unbilled":
            yield ("bill", *self.billed[-1])


def _sse(data: Any, event: str = "") -> bytes:
    spelled = data if isinstance(data, str) else json.dumps(data)
    return f"event: {event}\ndata: {spelled}\n\n".encode() if event else f"data: {spelled}\n\n".encode()


def _openai(parts: Iterator[Any]) -> Iterator[bytes]:
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return _sse({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    yield chunk({"role": "assistant", "content": ""})
    for part in parts:
        match part:
            case str():
                yield chunk({"content": part})
            case ("error",):
                yield _sse({"error": {"message": "overloaded"}})
            case ("garbled",):
                yield _sse('{"id": ')
            case ("refusal", text):
                yield chunk({"refusal": text})
                yield chunk({}, "stop")
            case ("end", reason):
                yield chunk({}, reason)
            case ("bill", tokens_in, tokens_out):
                usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": 0}
                yield _sse({**head, "choices": [], "usage": usage})
    yield _sse("[DONE]")


def _anthropic(body: dict[str, Any]) -> Callable[[Iterator[Any]], Iterator[bytes]]:
    def stream(parts: Iterator[Any]) -> Iterator[bytes]:
        def event(kind: str, **more: Any) -> bytes:
            return _sse({"type": kind, **more}, kind)

        usage = {"input_tokens": TOKENS_IN, "output_tokens": 1}
        message = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "m", "usage": usage}
        yield event("message_start", message={**message, "stop_reason": None, "stop_sequence": None})
        tool = "tools" in body
        block = (
            {"type": "tool_use", "id": "t", "name": "propose", "input": {}} if tool else {"type": "text", "text": ""}
        )
        yield event("content_block_start", index=0, content_block=block)
        reason = "tool_use" if tool else "end_turn"
        for part in parts:
            match part:
                case str():
                    delta = (
                        {"type": "input_json_delta", "partial_json": part}
                        if tool
                        else {"type": "text_delta", "text": part}
                    )
                    yield event("content_block_delta", index=0, delta=delta)
                case ("error",):
                    yield event("error", error={"type": "overloaded_error", "message": "overloaded"})
                case ("garbled",):
                    yield _sse('{"type": ', "content_block_delta")
                case ("refusal", text):
                    yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": text})
                    reason = "refusal"
                case ("end", "length"):
                    reason = "max_tokens"
                case ("bill", _, tokens_out):
                    yield event("content_block_stop", index=0)
                    yield event(
                        "message_delta",
                        delta={"stop_reason": reason, "stop_sequence": None},
                        usage={"output_tokens": tokens_out},
                    )
        yield event("message_stop")

    return stream
