"""How a job reaches the site and the pretend model; the same for every engine, with the standard library alone."""

import json
import os
import urllib.parse
import urllib.request
from typing import Any

ADDRESS = os.environ.get("RECEIPTS_LEDGER", "")
ANSWER_SECONDS = 10.0

# The ledger is on this machine: nobody's proxy is asked.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _ask(path: str, body: dict[str, Any] | None = None, ledger: str = "") -> Any:
    address = (ledger or ADDRESS) + path
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    with _opener.open(request, timeout=ANSWER_SECONDS) as answer:
        return json.loads(answer.read())


def ask_model(prompt: str) -> str:
    """Its words: those of the prompt. Raises OSError when it fails."""
    return str(_ask("/model", {"prompt": prompt}))


def look(person: str) -> list[str]:
    """The texts that the conversation with the person shows."""
    return [str(text) for text in _ask(f"/thread?person={urllib.parse.quote(person)}")]


def send(person: str, text: str) -> str:
    """Write to the person. Raises OSError without an answer, which says nothing about whether the message arrived."""
    return str(_ask("/send", {"person": person, "text": text}))


def look_and_send(person: str, text: str) -> str:
    """Write to the person unless exactly this text is there already."""
    return "was there" if text in look(person) else send(person, text)


def arm(ledger: str, fault: str, times: int = 1) -> None:
    """From now on, this fault so many times; for the runner."""
    _ask("/fault", {"fault": fault, "times": times}, ledger)
