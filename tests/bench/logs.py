"""What verifying long logs costs: all of it, and what is new at a start."""

import time
from pathlib import Path
from typing import Annotated

import typer

from backend.adapters.clocks import SystemClock
from backend.adapters.signing.ed25519 import Ed25519Signer
from backend.app.wiring import Workspace
from backend.domain.events.events import AuditEntry, Event
from backend.runtime.jobs.log_check import LogCheck
from backend.runtime.worker import Workers
from backend.store.log import verification
from backend.store.log.log_signer import LogSigner
from tests.bench.reporting import report
from tests.bench.sample_campaign import empty_campaign, workspace_in
from tests.fakes.sealed import OpenFiles

_BATCH = 100
"""Entries of each log between two signatures: as many as there are around an act outside."""
_NEW = 2_000
"""Entries since the last start: a day of work."""


def log_(
    entries: Annotated[int, typer.Option(min=10_000)] = 1_000_000,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Both chains and every signature, as `outrider log verify` walks them; and at a start, what is new since the last one."""
    with workspace_in(folder) as workspace:
        signer = Ed25519Signer(OpenFiles())
        signer.open()
        signing = LogSigner(signer)
        campaign_id = empty_campaign(workspace)
        _fill(workspace, campaign_id, entries // 2, signing)
        started = time.perf_counter()
        with workspace.database.read() as connection:
            chains = verification.verify(connection)
            chained = time.perf_counter()
            signatures = verification.verify_signatures(connection, signer)
        ended = time.perf_counter()
        if any(chain.broken for chain in chains) or any(chain.broken for chain in signatures):
            raise RuntimeError("the logs do not verify")
        _check(workspace).verify_new()
        _fill(workspace, campaign_id, _NEW // 2, signing)
        before = time.perf_counter()
        _check(workspace).verify_new()
        new = time.perf_counter() - before
    figures = {
        "entries": sum(chain.length for chain in chains),
        "signatures": sum(chain.valid_count for chain in signatures),
        "chains_s": round(chained - started, 2),
        "signatures_s": round(ended - chained, 2),
        "verify_s": round(ended - started, 2),
        "new_entries": _NEW,
        "start_ms": round(1_000 * new, 1),
    }
    report(figures, json_)


def _check(workspace: Workspace) -> LogCheck:
    return LogCheck(workspace.journal, Workers(SystemClock()))


def _fill(workspace: Workspace, campaign_id: str, count: int, signing: LogSigner) -> None:
    now = SystemClock().now()
    for start in range(0, count, _BATCH * 50):
        with workspace.journal.transaction() as transaction:
            for first in range(start, min(start + _BATCH * 50, count), _BATCH):
                numbers = range(first, min(first + _BATCH, count))
                events = [Event("RuntimeChanged", campaign_id, {"loop_enabled": n % 2}) for n in numbers]
                looks = [AuditEntry("browser.read_profile", {"lead_id": f"l{n}", "outcome": "ok"}) for n in numbers]
                transaction.audit(campaign_id, looks, actor="agent", cause=f"t{first}", at=now)
                transaction.record(campaign_id, events, actor="agent", cause=f"t{first}", at=now)
                signing.sign(transaction, [campaign_id], now)
