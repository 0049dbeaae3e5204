"""A practice network in a process of its own, and a visitor that keeps cookies."""

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

from backend.practice.launch_secrets import TOKEN_HEADER, LaunchSecrets
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[2]
START = 1_790_000_000_000  # a fixed virtual start, in September 2026
HOUR = 3_600_000
DAY = 24 * HOUR


@dataclass(frozen=True)
class Page:
    status: int
    url: str
    text: str


def visitor() -> urllib.request.OpenerDirector:
    """Goes through no proxy and keeps cookies."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(CookieJar()))


class Running:
    """`secrets` as an earlier launch had them, or new ones."""

    def __init__(self, ledger: Path, *more: str, secrets: LaunchSecrets | None = None) -> None:
        command = [sys.executable, "-m", "backend.practice", "--ledger", str(ledger), "--now", str(START)]
        self.secrets = secrets or LaunchSecrets.new()
        self.ledger = ledger
        self.process = subprocess.Popen(
            [*command, "--exit-with-parent", *more],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
        )
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(self.secrets.to_line().encode())
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        self.ready: dict[str, Any] = json.loads(line) if line else {}
        self.url: str = self.ready.get("url", "")
        self.opener = visitor()

    @classmethod
    def attached(cls, ready: dict[str, Any]) -> "Running":
        """One that somebody else started, by the line that it printed."""
        attached = cls.__new__(cls)
        attached.ready, attached.url = ready, ready["url"]
        attached.secrets = LaunchSecrets(ready["control_token"], ready["password"])
        attached.opener = visitor()
        return attached

    def open(self, path: str, form: dict[str, str] | None = None, timeout: float = 20) -> Page:
        data = None if form is None else urllib.parse.urlencode(form).encode()
        return self._send(urllib.request.Request(self.url + path, data=data), timeout)

    def ask(self, path: str, body: object = None, *, method: str | None = None, **headers: str) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + "/_practice" + path,
            data=data,
            method=method,
            headers={"Content-Type": "application/json", TOKEN_HEADER: self.secrets.control_token, **headers},
        )
        page = self._send(request, 20)
        answer = json.loads(page.text)
        return answer if page.status == 200 else {"status": page.status, **answer}

    def _send(self, request: urllib.request.Request, timeout: float) -> Page:
        try:
            with self.opener.open(request, timeout=timeout) as answer:
                return Page(answer.status, answer.url, answer.read().decode())
        except urllib.error.HTTPError as answer:
            with answer:
                return Page(answer.code, answer.url, answer.read().decode())

    def sign_in(self) -> None:
        assert (
            self.open("/login", {"email": "you@example.org", "password": self.secrets.password}).url == self.url + "/"
        )

    def arm(self, kind: str, on: str, **more: object) -> None:
        answer = self.ask("/faults", {"kind": kind, "on": on, **more})
        assert answer["faults"][-1]["kind"] == kind

    def entries(self, kind: str = "", after: int = 0) -> list[dict[str, Any]]:
        entries: list[dict[str, Any]] = self.ask(f"/ledger?after={after}")["entries"]
        return [entry for entry in entries if kind in ("", entry["kind"])]

    def kill(self) -> None:
        self.process.kill()
        self.end()

    def stop(self) -> int:
        if os.name == "posix":
            self.process.send_signal(signal.SIGTERM)
        elif self.process.stdin:
            self.process.stdin.close()
        return self.end()[0]

    def end(self) -> tuple[int, str]:
        """The exit status and what was said on stderr."""
        _, stderr = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, stderr.decode()
