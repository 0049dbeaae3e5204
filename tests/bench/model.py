"""What Outrider adds to a model: the controller's time over the model's own, and the way of the first token to the screen."""

import json
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer

from backend.app.wiring import Workspace, build_turn_loop, open_workspace
from backend.domain.model.connection import Connection
from backend.domain.model.providers import Provider
from backend.machine.settings import AppSettings
from backend.runtime.run.rehearsal import find_or_create_rehearsal
from backend.turn.presence import Presence
from tests.bench.page import WATCH, Folder, Json, chromium, enter, running_app
from tests.bench.reporting import report, spread
from tests.bench.sample_campaign import InstantSite, filled_campaign, workspace_in

THINKING = 0.5
"""Seconds until its first token."""

HOLDING = 0.4
"""Seconds between the first token and the rest, in which it is to be seen."""


def model(
    turns: Annotated[int, typer.Option(min=2, help="Turns to measure.")] = 40,
    leads: Annotated[int, typer.Option(min=1, help="Leads in the database.")] = 10_000,
    times: Annotated[int, typer.Option(min=1, help="First tokens to follow to the screen.")] = 20,
    folder: Folder = None,
    json_: Json = False,
) -> None:
    """A model that answers after half a second: how much longer a turn takes, and how soon its first token is seen."""
    report({**_overhead(folder, leads, turns), **_first_token(folder, times)}, json_)


def _overhead(folder: Path | None, leads: int, turns: int) -> dict[str, Any]:
    ended: list[float] = []
    with serve_model(HOLDING / 4) as served_by, workspace_in(folder) as workspace:
        campaign_id = filled_campaign(workspace, leads, 0)
        _connect(workspace, campaign_id, served_by.url)
        clock = workspace.commands().clock
        loop = build_turn_loop(workspace, InstantSite(), clock, Presence(attended=True))
        while len(ended) < turns:
            loop.run_turn(campaign_id)
            ended.append(time.perf_counter())
    whole = [after - before for before, after in pairwise(ended)]
    extra = [mine - theirs for mine, theirs in zip(whole, served_by.took[1:], strict=False)]
    share = statistics.median(extra) / statistics.median(served_by.took[1:])
    return {"turn_ms": spread(whole), "overhead_ms": spread(extra), "overhead_percent": round(100 * share, 2)}


def _first_token(folder: Path | None, times: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="outrider-bench-", dir=folder) as made, serve_model(HOLDING) as served_by:
        with open_workspace(AppSettings(Path(made), "", 10)) as workspace:
            campaign_id = find_or_create_rehearsal(workspace, None, None)
            _connect(workspace, campaign_id, served_by.url)
        with running_app(Path(made)) as app, chromium() as page:
            token = enter(page, app, f"#/campaigns/{campaign_id}/run")
            page.evaluate(WATCH)
            app.send(f"campaigns/{campaign_id}/start", {}, token)
            seen = [page.evaluate("text => window.seen(text)", mark(n)) / 1_000 for n in range(times)]
            app.send(f"campaigns/{campaign_id}/stop", {}, token)
    spent = [at - sent for at, sent in zip(seen, served_by.first, strict=False)]
    return {"first_token_visible_ms": spread(spent)}


def _connect(workspace: Workspace, campaign_id: str, url: str) -> None:
    models = workspace.commands().models
    connection = Connection(
        id="bench", name="Bench", provider=Provider.LLAMA_CPP, base_url=f"{url}/v1", model="bench", key=""
    )
    models.save(connection)
    models.choose(campaign_id, connection.id)


def mark(number: int) -> str:
    """By which a reply is known on the screen."""
    return f"mark-{number:04}-here"


def first_matching_value(schema: dict[str, Any], text: str) -> Any:
    """The first value that fits the schema: what brings the task on stands first in ours. `text` is its every text."""
    if "anyOf" in schema:
        return first_matching_value(schema["anyOf"][0], text)
    if "enum" in schema:
        return schema["enum"][0]
    match schema["type"]:
        case "object":
            return {name: first_matching_value(value, text) for name, value in schema["properties"].items()}
        case "array":
            return [first_matching_value(schema["items"], text)] * schema.get("minItems", 0)
        case "string":
            return text
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return schema.get("minimum", 0)


class ModelServer:
    """Where the model is; when each first token was sent (seconds since 1970), and how long each request took it."""

    def __init__(self) -> None:
        self.url = ""
        self.first: list[float] = []
        self.took: list[float] = []


@contextmanager
def serve_model(holding: float) -> Iterator[ModelServer]:
    """A model on the loopback that thinks, says its first token, waits, and says the rest."""
    model_server = ModelServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            with suppress(OSError):  # whoever asked was stopped
                self._answer()

        def _answer(self) -> None:
            began = time.perf_counter()
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            number = len(model_server.first)
            value = first_matching_value(
                body["response_format"]["json_schema"]["schema"], f"Hello, shall we talk {number}?"
            )
            rest = json.dumps(value["proposal"])[1:]
            time.sleep(THINKING)
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("connection", "close")
            self.end_headers()
            self.close_connection = True
            model_server.first.append(time.time())
            self._say({"content": f'{{"proposal": {{"rationale": "{mark(number)}", '})
            time.sleep(holding)
            self._say({"content": rest + "}"})
            self._say({}, "stop")
            self.wfile.write(b"data: [DONE]\n\n")
            model_server.took.append(time.perf_counter() - began)

        def _say(self, delta: dict[str, str], reason: str | None = None) -> None:
            choice = {"index": 0, "delta": delta, "finish_reason": reason}
            chunk = {"id": "b", "object": "chat.completion.chunk", "created": 1, "model": "bench", "choices": [choice]}
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())

        log_message: Callable[..., None] = lambda *_: None

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    model_server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield model_server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
