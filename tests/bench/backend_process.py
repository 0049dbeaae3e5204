"""What the backend takes as a process of its own: CPU time until it serves, and memory, before and after an import (Linux)."""

import json
import os
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Annotated

import typer

from backend.app.wiring import open_workspace
from backend.machine.settings import AppSettings
from tests import posix
from tests.bench.connections_file import write_connections
from tests.bench.page import PATIENCE, App, running_app
from tests.bench.reporting import report
from tests.bench.sample_campaign import empty_campaign

_IMPORT_PATIENCE = 600.0


def backend(
    rows: Annotated[int, typer.Option(min=1, help="Rows of the lead file.")] = 100_000,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """The backend without a window: its start, an import as the page asks for it, and its memory after each."""
    with tempfile.TemporaryDirectory(prefix="outrider-bench-", dir=folder) as made:
        with open_workspace(AppSettings(Path(made), "", 10)) as workspace:
            campaign_id = empty_campaign(workspace)
        file = Path(made, "Connections.csv")
        write_connections(file, rows)
        with running_app(Path(made)) as app:
            pid, token = app.process.pid, app.token()
            start_ms, after_start = _cpu_ms(pid), _status_mb(pid, "VmRSS")
            _import(app, token, campaign_id, file)
            figures = {
                "start_cpu_ms": start_ms,
                "after_start_mb": after_start,
                "after_import_mb": _status_mb(pid, "VmRSS"),
                "peak_mb": _status_mb(pid, "VmHWM"),
            }
    report({"rows": rows, **figures}, json_)


def _import(app: App, token: str, campaign_id: str, file: Path) -> None:
    """As the page does it: uploaded, begun, waited for."""
    headers = {"X-Outrider-Token": token, "Origin": app.url.rstrip("/"), "Content-Type": "application/octet-stream"}
    upload = urllib.request.Request(f"{app.url}api/server/uploads?name={file.name}", file.read_bytes(), headers)
    with urllib.request.urlopen(upload, timeout=PATIENCE) as answer:
        ticket = json.load(answer)["ticket"]
    path = f"campaigns/{campaign_id}/imports"
    app.send(path, {"ticket": ticket}, token)
    deadline = time.monotonic() + _IMPORT_PATIENCE
    while time.monotonic() < deadline:
        rows = json.loads(app.get(path, token))["rows"]
        if rows and rows[0]["finished_at"] is not None:
            return
        time.sleep(0.2)
    raise RuntimeError("the import did not end")


def _cpu_ms(pid: int) -> int:
    posix.needed()
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return round(1_000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))


def _status_mb(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    kilobytes = next(line.split()[1] for line in lines if line.startswith(f"{name}:"))
    return int(kilobytes) // 1_024
