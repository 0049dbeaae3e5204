"""The site of the receipts: a process of its own that receives messages, has no idempotency keys and forgets nothing.

`python -m receipts.ledger FILE LATE_SECONDS` prints its address and serves until it is killed. Each event is a line of FILE
before anything is answered. One accepted `POST /send` is one effect, whoever asks and however often.
"""

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

MEETING_SECONDS = 3.0
"""So long the first of two processes waits at the same place for the other one."""


class Ledger:
    """What arrived, in an append-only file, and the fault that is armed."""

    def __init__(self, path: Path, late_seconds: float) -> None:
        self._late_seconds = late_seconds
        self._file = path.open("a", encoding="utf-8")
        self._lock = threading.Lock()
        self._fault = ""
        self._times = 0
        self._meetings = {place: threading.Barrier(2) for place in ("look", "send")}
        self.released = threading.Event()
        self.messages: list[tuple[str, str]] = []

    def note(self, event: str, person: str = "", text: str = "") -> None:
        """One line, on disk."""
        with self._lock:
            if event == "effect":
                self.messages.append((person, text))
            self._file.write(json.dumps({"event": event, "person": person, "text": text}) + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())

    def arm(self, fault: str, times: int) -> None:
        """From now on, so many times; "" is none."""
        with self._lock:
            self._fault, self._times = fault, times
            self.released.set()  # whoever was held is let go, unanswered
            self.released = threading.Event()

    def strikes(self, fault: str) -> bool:
        """Whether this fault is due now; counts it."""
        with self._lock:
            if self._fault != fault or self._times == 0:
                return False
            self._times -= 1
            return True

    def meet(self, place: str) -> None:
        """Wait a little for another process at the same place, so that two go on at the same moment."""
        if self._fault != "two at once":
            return
        meeting = self._meetings[place]
        try:
            meeting.wait(MEETING_SECONDS)
        except threading.BrokenBarrierError:
            with self._lock:
                if meeting.broken:
                    meeting.reset()

    def arrive_later(self, person: str, text: str) -> None:
        """The effect of a request that is still under way."""
        time.sleep(self._late_seconds)
        self.note("effect", person, text)
        self.note("arrived late", person, text)


class Requests(BaseHTTPRequestHandler):
    """What the site and its pretend model answer."""

    ledger: Ledger

    def do_GET(self) -> None:
        """A look at the conversation: the texts that have arrived."""
        person = parse_qs(urlsplit(self.path).query)["person"][0]
        texts = [text for to, text in self.ledger.messages if to == person]
        self.ledger.note("look", person)
        self.ledger.meet("look")
        self._answer(texts)

    def do_POST(self) -> None:
        """A message, a question to the model, or a fault to arm."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        {"/send": self._send, "/model": self._model, "/fault": self._arm}[self.path](body)

    def _send(self, body: dict[str, Any]) -> None:
        ledger, person, text = self.ledger, str(body["person"]), str(body["text"])
        ledger.meet("send")
        if ledger.strikes("late"):
            ledger.note("under way", person, text)
            threading.Thread(target=ledger.arrive_later, args=(person, text), daemon=True).start()
            return  # the connection closes without an answer
        released = ledger.released
        ledger.note("effect", person, text)
        if ledger.strikes("answer held"):
            released.wait()
        elif not ledger.strikes("answer lost"):
            self._answer("accepted")

    def _model(self, body: dict[str, Any]) -> None:
        released = self.ledger.released
        self.ledger.note("model asked", text=str(body["prompt"]))
        if self.ledger.strikes("model held"):
            released.wait()
        elif self.ledger.messages and self.ledger.strikes("model fails"):
            self._answer("overloaded", status=500)
        else:
            self._answer(body["prompt"])

    def _arm(self, body: dict[str, Any]) -> None:
        self.ledger.arm(str(body["fault"]), int(body["times"]))
        self._answer("armed")

    def _answer(self, value: object, status: int = 200) -> None:
        payload = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """The file is the log."""


class Quiet(ThreadingHTTPServer):
    """A caller that was killed is no error here."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing."""


def serve(path: Path, late_seconds: float) -> Quiet:
    """A ledger on a free port of loopback, not serving yet."""
    handler = type("RequestsOfLedger", (Requests,), {"ledger": Ledger(path, late_seconds)})
    return Quiet(("127.0.0.1", 0), handler)


if __name__ == "__main__":
    server = serve(Path(sys.argv[1]), float(sys.argv[2]))
    print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()
