"""Proofs about the logs: the tables are what the event log says, and nobody edited either log."""

import getpass
import sys
from dataclasses import asdict
from itertools import count
from pathlib import Path

from backend.adapters.clocks import SystemClock
from backend.app.wiring import Workspace, evidence_store, instance_lock, open_workspace, signing_key_refusal
from backend.domain.events.events import AuditEntry
from backend.domain.events.signature import fingerprint
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.runtime.copies.portable_proof import PERSONAL_DATA, proof_page
from backend.runtime.copies.record_loss import RecordLoss
from backend.store.log import replay as replaying
from backend.store.log import verification
from backend.store.queries.device import logs
from backend.terminal import campaign_status
from backend.terminal.new_files import write_new_file
from backend.terminal.output import TerminalOutput, columns, one_line, progress_notes

LISTED = 20


def replay(output: TerminalOutput, settings: AppSettings, *, rebuild: bool) -> None:
    """Rebuild every projection in a scratch database and compare, or rebuild in place; raises `replay_differs`."""
    if rebuild:
        with instance_lock(settings), open_workspace(settings) as workspace:
            events = replaying.rebuild(workspace.database, SystemClock().now())
        output.result([f"Every table was rebuilt from {events:,} events."], {"rebuilt": True, "events": events})
        return
    with open_workspace(settings, despite_loss=True) as workspace:
        events = workspace.database.query(logs.count_events)
        progressed = progress_notes(output, f"of {events:,} events replayed")
        differences = replaying.find_differences(workspace.database, progressed)
        if not differences:
            RecordLoss(workspace.journal).refuse()  # what is there fits, and is not all that was
    for difference in differences[:LISTED]:
        output.note(f"{difference.table} {_key(difference.key)}: {_how(difference)}")
    if differences:
        first = differences[0]
        raise OutriderError("replay_differs", count=len(differences), table=first.table, key=_key(first.key))
    output.result(["Every row of every table matches the event log."], {"differences": 0})


def log_verify(output: TerminalOutput, settings: AppSettings, id_or_name: str | None) -> None:
    """Walk both hash chains and the signatures.

    Raises `log_broken`, `log_signature_broken` and `log_signature_missing` for the first that does not fit, `records_lost` for
    entries that are missing, and `heads_unreadable` where nobody can tell.
    """
    with open_workspace(settings, despite_loss=True) as workspace, workspace.database.read() as connection:
        refusal = RecordLoss(workspace.journal).refusal()
        campaign_id = campaign_status.find_campaign(connection, id_or_name).id if id_or_name else None
        progressed, done = (
            progress_notes(output, "entries verified"),
            count(verification.PROGRESS_EVERY, verification.PROGRESS_EVERY),
        )
        reports = verification.verify(connection, campaign_id, lambda _log, _seq: progressed(next(done)))
        signing = workspace.journal.signing
        signed = verification.verify_signatures(connection, signing.signer, campaign_id) if signing else []
    rows = [
        (report.campaign_id, report.log, f"{report.length:,}", f"{report.erased:,}",
         f"broken at {report.broken.seq}: {report.broken.detail}" if report.broken else "sound",
         _signed_up_to(report, signed))
        for report in reports
    ]  # fmt: skip
    nothing_signed = any(not signature_report.valid_count for signature_report in signed)
    why_not = ["", _why_not_signed(settings)] if nothing_signed else []
    lines = columns([("stream", "log", "entries", "erased", "", ""), *rows]) if rows else ["The logs are empty."]
    json_chains = [
        {"campaign": report.campaign_id, "log": report.log, "length": report.length, "erased": report.erased,
         "broken": report.broken and asdict(report.broken)}
        for report in reports
    ]  # fmt: skip
    broken = next((report for report in reports if report.broken), None)
    missing = refusal if broken is None else None
    unsigned = next(
        (signature_report for signature_report in signed if signature_report.broken or signature_report.missing), None
    )
    if not (broken or missing or unsigned) or not output.as_json:  # a machine gets one object: the chains, or the error
        output.result(
            [*lines, *why_not],
            {"chains": json_chains, "signatures": [_machine(signature_report) for signature_report in signed]},
        )
    if broken is not None and broken.broken is not None:
        raise OutriderError(
            "log_broken",
            log=broken.log,
            campaign=broken.campaign_id,
            seq=broken.broken.seq,
            detail=broken.broken.detail,
        )
    if missing is not None:
        raise missing
    if unsigned is not None and unsigned.broken:
        raise OutriderError("log_signature_broken", campaign=unsigned.campaign_id, **asdict(unsigned.broken))
    if unsigned is not None:
        raise OutriderError("log_signature_missing", campaign=unsigned.campaign_id, seq=unsigned.missing)


def export_proof(output: TerminalOutput, settings: AppSettings, id_or_name: str, file: Path, *, accepted: bool) -> None:
    """Write a campaign's portable proof into a new file.

    Raises `proof_not_accepted` unless the user accepts that it holds personal data, `signer_unavailable`, `export_failed`.
    """
    with open_workspace(settings) as workspace:
        campaign_id = workspace.database.query(campaign_status.find_campaign, id_or_name).id
        output.note(PERSONAL_DATA)
        if not accepted and not (output.interactive and _yes()):
            raise OutriderError("proof_not_accepted")
        _open_signer(output, workspace)
        page = b"".join(proof_page(workspace.journal, campaign_id, evidence_store(settings).read, SystemClock().now()))
        write_new_file(settings.data_dir, file, page)
        written = AuditEntry("file.write", {"parameters": {"files": [file.name], "bytes": len(page)}, "outcome": "ok"})
        now = SystemClock().now()
        workspace.journal.record(campaign_id, events=(), audits=(written,), actor="user", cause="proof", at=now)
    output.result(
        [f"{file}: {len(page):,} bytes. Open it in any browser, or check it with docs/verify_proof.py."],
        {"file": str(file), "bytes": len(page)},
    )


def _yes() -> bool:
    sys.stderr.write("Go on? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _open_signer(output: TerminalOutput, workspace: Workspace) -> None:
    """Fetch the key; where a passphrase protects it and somebody is there, ask for that until it is right."""
    while True:
        try:
            workspace.open_signer()
        except OutriderError as error:
            why = error.__cause__
            if not (output.interactive and isinstance(why, OutriderError) and why.code == "vault_locked"):
                raise
            output.note(error.sentence)
        else:
            return
        try:
            workspace.keys.unlock(getpass.getpass("Passphrase: ", sys.stderr), None)
        except OutriderError as error:
            output.note(f"{error.sentence} {error.remedy}")


def _machine(report: verification.SignatureReport) -> dict[str, object]:
    up_to = {"events": report.event_seq, "audits": report.audit_seq}
    return {"campaign": report.campaign_id, "held": report.valid_count, **up_to, "key": fingerprint(report.key_id)}


def _signed_up_to(report: verification.ChainReport, signed: list[verification.SignatureReport]) -> str:
    """How far the log's entries are covered by signatures, for people."""
    signature_report = next((signature for signature in signed if signature.campaign_id == report.campaign_id), None)
    if signature_report is None or not signature_report.valid_count:
        return "not signed"
    up_to = signature_report.event_seq if report.log == "event_log" else signature_report.audit_seq
    return "signed" if up_to >= report.length else f"signed up to {up_to:,}"


def _why_not_signed(settings: AppSettings) -> str:
    """Why a log has no signature, and what to do about it."""
    if (refused := signing_key_refusal(settings)) is not None:
        return f"Not signed: {refused.sentence} {refused.remedy} What is there is signed once there is a key."
    return "Not signed yet: what is there is signed when Outrider's window is opened and closed, or a campaign is run."


def _key(key: tuple[object, ...]) -> str:
    return one_line(" ".join(map(str, key)))


def _how(difference: replaying.Difference) -> str:
    if difference.stored is None:
        return "missing"
    return "not in the log" if difference.replayed is None else "differs"
