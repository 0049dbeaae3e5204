"""Proofs about the logs: the tables are what the event log says, and nobody edited either log."""

from dataclasses import asdict

from backend.adapters.clocks import SystemClock
from backend.domain.errors import OutriderError
from backend.runtime.record_loss import RecordLoss
from backend.settings import AppSettings
from backend.store.log import replay as replaying
from backend.store.log import verification
from backend.terminal import campaign_status
from backend.terminal.output import TerminalOutput, columns, one_line
from backend.wiring import instance_lock, open_workspace

LISTED = 20


def replay(speech: TerminalOutput, settings: AppSettings, *, rebuild: bool) -> None:
    """Rebuild every projection in a scratch database and compare, or rebuild in place; raises `replay_differs`."""
    if rebuild:
        with instance_lock(settings), open_workspace(settings) as workspace:
            events = replaying.rebuild(workspace.database, SystemClock().now())
        speech.result([f"Every table was rebuilt from {events:,} events."], {"rebuilt": True, "events": events})
        return
    with open_workspace(settings, despite_loss=True) as workspace:
        differences = replaying.find_differences(workspace.database)
        if not differences:
            RecordLoss(workspace.journal).refuse()  # what is there fits, and is not all that was
    for difference in differences[:LISTED]:
        speech.note(f"{difference.table} {_key(difference.key)}: {_how(difference)}")
    if differences:
        first = differences[0]
        raise OutriderError("replay_differs", count=len(differences), table=first.table, key=_key(first.key))
    speech.result(["Every row of every table is what the event log says."], {"differences": 0})


def log_verify(speech: TerminalOutput, settings: AppSettings, wanted: str | None) -> None:
    """Walk both hash chains; raises `log_broken` for the first entry that does not fit."""
    with open_workspace(settings, despite_loss=True) as workspace, workspace.database.read() as connection:
        loss = RecordLoss(workspace.journal).state()
        campaign_id = campaign_status.find_campaign(connection, wanted).id if wanted else None
        reports = verification.verify(connection, campaign_id)
    rows = [
        (report.campaign_id, report.log, f"{report.length:,}", f"{report.redacted:,}",
         f"broken at {report.broken.seq}: {report.broken.detail}" if report.broken else "sound")
        for report in reports
    ]  # fmt: skip
    lines = columns([("stream", "log", "entries", "redacted", ""), *rows]) if rows else ["The logs are empty."]
    machine = [
        {"campaign": report.campaign_id, "log": report.log, "length": report.length, "redacted": report.redacted,
         "broken": report.broken and asdict(report.broken)}
        for report in reports
    ]  # fmt: skip
    broken = next((report for report in reports if report.broken), None)
    missing = broken is None and (loss.missing or loss.unreadable)
    if not (broken or missing) or not speech.as_json:  # a machine gets one object: the chains, or the error
        speech.result(lines, {"chains": machine})
    if broken is not None and broken.broken is not None:
        raise OutriderError(
            "log_broken",
            log=broken.log,
            campaign=broken.campaign_id,
            seq=broken.broken.seq,
            detail=broken.broken.detail,
        )
    if missing:
        raise OutriderError("records_lost", what="; ".join(loss.missing) or loss.unreadable)


def _key(key: tuple[object, ...]) -> str:
    return one_line(" ".join(map(str, key)))


def _how(difference: replaying.Difference) -> str:
    if difference.stored is None:
        return "missing"
    return "not in the log" if difference.replayed is None else "differs"
