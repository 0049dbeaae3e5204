"""Runs the official MCP conformance suite against a running Outrider: `python -m tests.mcp.conformance COMMAND …`.

COMMAND starts the suite (docs/mcp.md has it whole). The suite knows no token, so what it sends goes through a proxy that adds ours
and leaves everything else as it is. A scenario that fails and is not listed here, or passes and is, fails the run.
"""

import http.client
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from backend.runtime.run.rehearsal import find_or_create_rehearsal
from tests.api.app import App, running
from tests.mcp.http_key import key_of

REVISIONS = ("2026-07-28", "2025-11-25", "2025-06-18")

NOT_OURS = [
    "tools-call-simple-text",
    "tools-call-image",
    "tools-call-audio",
    "tools-call-embedded-resource",
    "tools-call-mixed-content",
    "tools-call-error",
    "tools-call-with-logging",
    "tools-call-with-progress",
    "json-schema-2020-12",
    "resources-read-text",
    "resources-read-binary",
    "resources-templates-read",
    "http-custom-header-server-validation",
    "server-stateless",
    "input-required-result-missing-input-response",
    "input-required-result-ignore-extra-params",
]
"""They use a tool or a resource of the suite's own example server; of `server-stateless`, 23 of 25 checks pass without."""

NOTHING_ASKED = [
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
    "input-required-result-basic-elicitation",
    "input-required-result-basic-sampling",
    "input-required-result-basic-list-roots",
    "input-required-result-request-state",
    "input-required-result-multiple-input-requests",
    "input-required-result-multi-round",
    "input-required-result-non-tool-request",
    "input-required-result-result-type",
    "input-required-result-tampered-state",
    "input-required-result-capability-check",
]
"""A server would ask the host for something in them. Ours never does: an "accept" of the host's is no person's word."""

NOT_OFFERED = [
    "logging-set-level",
    "completion-complete",
    "resources-subscribe",
    "resources-unsubscribe",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "prompts-get-embedded-resource",
    "prompts-get-with-image",
    "caching",
]
"""Optional parts that our server does not declare; of `caching`, 7 of 8 checks pass, and the last one asks for prompts."""

NO_STREAM = ["server-sse-polling", "server-sse-multiple-streams"]
"""Warnings, up to 2025-11-25: there is no session, and every answer is JSON."""

_HOP = {"connection", "keep-alive", "transfer-encoding", "content-length", "date", "server"}


@contextmanager
def token_proxy(app: App) -> Iterator[str]:
    """An address that hands every request on to the app's MCP server, with its token."""
    token = key_of(app)

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _hand_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            with closing(http.client.HTTPConnection(app.authority, timeout=60)) as connection:
                connection.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    if name.lower() not in _HOP:
                        connection.putheader(name, value.replace(here, app.authority))
                connection.putheader("X-Outrider-Token", token)
                connection.putheader("Content-Length", str(len(body)))
                connection.endheaders(body)
                answer = connection.getresponse()
                content = answer.read()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in _HOP:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = do_OPTIONS = _hand_on  # noqa: N815 - the library's names

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            """Silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as server:
        here = f"127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://{here}/mcp"
        server.shutdown()
        thread.join()


def main(command: list[str]) -> int:
    """Run the suite for each revision beside an app with a campaign in it; 1 if anything is not as listed."""
    with tempfile.TemporaryDirectory(prefix="outrider-conformance-") as made:
        page, listed = Path(made) / "page", Path(made) / "expected.yml"
        page.mkdir()
        (page / "index.html").write_text("<!doctype html><title>Outrider</title>")
        failed = False
        with running(Path(made) / "data", page) as app, token_proxy(app) as url:
            find_or_create_rehearsal(app.workspace, None, None)
            for revision in REVISIONS:
                expected = NOT_OURS + NOTHING_ASKED + NOT_OFFERED + (NO_STREAM if revision < "2026" else [])
                listed.write_text("server:\n" + "".join(f"  - {scenario}\n" for scenario in expected))
                how = ["--suite", "all", "--spec-version", revision, "--expected-failures", str(listed)]
                ended = subprocess.run([*command, "server", "--url", url, *how], check=False)
                failed |= ended.returncode != 0
        return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
