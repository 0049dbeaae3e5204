"""A run in the terminal: the campaign goes on until it is finished, stopped, or somebody is needed."""

import getpass
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import IntEnum
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from backend.adapters import processes
from backend.app.wiring import (
    Workspace,
    build_turn_loop,
    erase_in_restored,
    fetch_signing_key,
    install_builtin_skills,
    instance_lock,
    machine_identity,
    open_account,
    open_workspace,
    practice_site,
    published_workers,
    sync_engine,
)
from backend.commands.review import AUTO_APPROVE
from backend.domain.model.campaign import CampaignStatus
from backend.domain.model.channel import find_channel
from backend.domain.model.lead import STATUS_WORDS, LeadStatus
from backend.domain.model.message import Message
from backend.domain.reports.campaign_state import STATE_OF_STATUS
from backend.domain.values.errors import OutriderError
from backend.domain.values.health_check import FAIL, NOT_CHECKED, HealthCheck
from backend.machine.settings import AppSettings
from backend.runtime.run.campaign_runner import MODEL_PATIENCE_SECONDS, CampaignRunner, OnDrafts, RunEnd, RunResult
from backend.runtime.run.rehearsal import (
    Rehearsal,
    find_or_create_rehearsal,
    ledger_of,
    open_rehearsal,
    rehearsal_summary,
)
from backend.runtime.sync.sync_service import SyncService
from backend.store.backup import restore_scheduled
from backend.store.queries.campaign import campaigns
from backend.store.queries.device import models
from backend.terminal import campaign_status
from backend.terminal.backup import erased_again
from backend.terminal.lead_tables import read_lead_table
from backend.terminal.live_view import PlainView, view_for
from backend.terminal.live_view_state import LiveViewReader
from backend.terminal.output import TerminalOutput, columns, require_terminal
from backend.terminal.review import ReviewChoice, ReviewDialog, ask_in_terminal
from backend.turn.loop import TurnCallbacks
from backend.turn.presence import Presence

MOVED = "This data folder comes from another computer, “{device}”. Here it is a device of its own from now on."
STOPPING = "Stopping after the current action."
SHORT_MODEL_PATIENCE_SECONDS = 1_800.0
"""How long a run in the terminal asks a silent model again before it ends; with --wait as long as in the window."""
FINISHING = "Still finishing the current action, so that no send is left half done."


class ExitStatus(IntEnum):
    """How a command ends, beside click's 2 for a wrong call."""

    COMPLETED = 0
    FAILED = 1
    NEEDS_YOU = 3
    STOPPED = 4
    LEDGER_DIFFERS = 5
    DEFECT = 70
    INTERRUPTED = 130


EXIT_WORDS: dict[int, str] = {
    ExitStatus.COMPLETED: "success; for `rehearse` and `run`, the campaign is complete",
    ExitStatus.FAILED: "an error: what happened, what to do, and its code",
    2: "wrong usage",
    ExitStatus.NEEDS_YOU: "the run ended because it needs you: messages to approve, a question, a blocked task or an incident",
    ExitStatus.STOPPED: "the run was stopped",
    ExitStatus.LEDGER_DIFFERS: "the practice network's ledger shows a duplicate or missing delivery (`ledger_differs`)",
    ExitStatus.DEFECT: "a defect in Outrider; a report without your data is in the data folder under `crashes`",
    ExitStatus.INTERRUPTED: "interrupted before the run began",
}
"""What each means, for the reference."""
_STATUS = {RunEnd.COMPLETED: ExitStatus.COMPLETED, RunEnd.STOPPED: ExitStatus.STOPPED}
_SENTENCE = {
    RunEnd.COMPLETED: "Completed.",
    RunEnd.STOPPED: "Stopped. Continue with `outrider run {id}`.",
    RunEnd.NEEDS_APPROVAL: "Drafts wait for your approval: `outrider approve {id}`, then `outrider run {id}`.",
    RunEnd.NEEDS_YOU: "A decision of yours is needed: `outrider status {id}` says which.",
    RunEnd.HANDED_OVER: "Another device acts now; `outrider run {id}` goes on here when it has finished.",
    RunEnd.HELD: "Held back until you decide: `outrider status {id}` says why, `outrider clear {id}` goes on.",
}
_INSTEAD = "add --wait and decide elsewhere (`outrider approve`), or --auto-approve"
_DECIDED_ELSEWHERE = frozenset({"approval_unknown", "approval_text_changed", "person_held"})
_REVIEW = (ReviewChoice.APPROVE, ReviewChoice.EDIT, ReviewChoice.REJECT, ReviewChoice.STOP)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is conducted; without `auto_approve` or `wait` each text is asked for in this terminal."""

    auto_approve: bool = False
    headless: bool = False
    wait: bool = False

    @property
    def asks(self) -> bool:
        """Whether somebody must be there to be asked."""
        return not (self.auto_approve or self.wait)


def rehearse_campaign(
    output: TerminalOutput,
    settings: AppSettings,
    options: RunOptions,
    *,
    leads: Path | None,
    max_leads: int | None,
    fresh: bool,
    encoding: str | None,
    sheet: str,
    mapped: Sequence[str],
) -> ExitStatus:
    """Find or make the rehearsal of these leads and run it to its end."""
    if options.asks:
        require_terminal(output, _INSTEAD)
    with _opened(output, settings) as workspace:
        install_builtin_skills(workspace)
        progress = _Counting(output)
        campaign_id = find_or_create_rehearsal(
            workspace,
            leads,
            max_leads,
            fresh=fresh,
            read=lambda path: read_lead_table(output, workspace.database, path, encoding, mapped, sheet),
            read_as=[
                *sorted(mapped),
                *(f"{name}={value}" for name, value in (("encoding", encoding), ("sheet", sheet)) if value),
            ],
            on_progress=progress.rows,
        )
        progress.finish()
        return _run(output, workspace, campaign_id, options)


def run_campaign(output: TerminalOutput, settings: AppSettings, options: RunOptions, id_or_name: str) -> ExitStatus:
    """Run a campaign from where it stands."""
    with _opened(output, settings) as workspace:
        install_builtin_skills(workspace)
        with workspace.database.read() as connection:
            campaign = campaign_status.find_campaign(connection, id_or_name)
            campaign_status.require_complete_import(connection, campaign.id)
        if campaign.site != "practice":
            raise OutriderError("not_a_rehearsal", channel=find_channel(campaign.site).title, campaign=campaign.id)
        if options.asks:
            require_terminal(output, _INSTEAD)
        return _run(output, workspace, campaign.id, options)


@contextmanager
def _opened(output: TerminalOutput, settings: AppSettings) -> Iterator[Workspace]:
    """The data folder, held; a backup that was scheduled in the page is put back first."""
    with instance_lock(settings) as finished:
        if restored := finished or restore_scheduled(settings.database, erase_in_restored()):
            what = "restore that was cut off was finished" if finished else "scheduled backup was restored"
            output.note(f"The {what}; the previous database is now {restored.previous_database}.")
            if restored.erased_again:
                output.note(erased_again(restored.erased_again))
        with open_workspace(settings) as workspace:
            yield workspace


def _run(output: TerminalOutput, workspace: Workspace, campaign_id: str, options: RunOptions) -> ExitStatus:
    campaign = workspace.database.query(campaign_status.find_campaign, campaign_id)
    if campaign.status == CampaignStatus.ERROR:
        raise OutriderError("campaign_in_error", reason=campaign.reason, campaign=campaign_id)
    if campaign.status == CampaignStatus.COMPLETED:
        output.note("This campaign is completed already; nothing was done. Its summary:")
        return _finish(output, workspace, campaign_id, RunResult(RunEnd.COMPLETED))
    unlock_vault(output, workspace, campaign_id)
    fetch_signing_key(workspace)
    with (
        _sync_service(workspace, output) as sync,
        sync.hold_lease(campaign_id=campaign_id),
        open_rehearsal(workspace, campaign_id) as ready,
    ):
        site = practice_site(workspace.settings, ready.url, ready.password, headless=options.headless)
        control = _RunControl()
        _hand_over_when_asked(control, sync)
        view = view_for(output, LiveViewReader(workspace.database, campaign_id, ready.clock), ready.clock.offset)
        loop = build_turn_loop(
            workspace,
            site,
            ready.clock,
            Presence(attended=True),
            callbacks=TurnCallbacks(on_step=view.step, stopped=control.stop.is_set),
            sync_status=sync,
        )
        with _CtrlC(control, view, output) as ctrl_c:
            run = CampaignRunner(
                loop,
                stop=control.stop,
                wake=control.wake,
                on_turn=view.turn,
                on_drafts=_reviewer(output, workspace, ready, control, view, ctrl_c, options),
                on_recovered=view.recovered,
                on_sleep=view.nothing_due,
                on_checked=partial(_tell_checks, output, view),
                stay=options.wait,
                model_patience=MODEL_PATIENCE_SECONDS if options.wait else SHORT_MODEL_PATIENCE_SECONDS,
                handed_over_to=lambda: control.handed_over_to,
                stopped_by_user=lambda: control.by_user,
            )
            try:
                with view:
                    ended = run.run(campaign_id)
            finally:
                run.close_site(campaign_id)
    return _finish(output, workspace, campaign_id, ended)


@contextmanager
def _sync_service(workspace: Workspace, output: TerminalOutput) -> Iterator[SyncService]:
    """The shared store, if a project is attached; at the end it is given what waits."""
    sync = SyncService(
        workspace, partial(open_account, workspace), sync_engine, install_builtin_skills, machine=machine_identity()
    )
    with published_workers(workspace):
        sync.open()
        if sync.moved_from:
            output.note(MOVED.format(device=sync.moved_from))
        try:
            yield sync
        finally:
            sync.close()


@dataclass
class _RunControl:
    """How others end a run or wake it, and why: a device that asked for it, the user, or the system."""

    stop: threading.Event = field(default_factory=threading.Event)
    wake: threading.Event = field(default_factory=threading.Event)
    handed_over_to: str = ""
    by_user: bool = True

    def end(self) -> None:
        """After the current atomic action."""
        self.stop.set()
        self.wake.set()


def _hand_over_when_asked(control: _RunControl, sync: SyncService) -> None:
    def hand_over(device: str) -> None:
        control.handed_over_to = device
        control.end()

    sync.on_handover_requested.append(hand_over)
    sync.on_change.append(control.wake.set)


def _reviewer(
    output: TerminalOutput,
    workspace: Workspace,
    ready: Rehearsal,
    control: _RunControl,
    view: PlainView,
    ctrl_c: "_CtrlC",
    options: RunOptions,
) -> OnDrafts | None:
    if options.wait:
        return None
    if options.auto_approve:
        return _approve_all(workspace, ready)
    review = ReviewDialog(output, workspace.database, workspace.commands(ready.clock), ask_in_terminal)

    def ask(campaign_id: str, messages: list[Message]) -> bool:
        with view.suspended():
            try:
                with ctrl_c.breaks_questions():
                    decided, stop = review.review_each(campaign_id, [message.id for message in messages], _REVIEW)
            except KeyboardInterrupt:
                output.note("")
                decided, stop = 0, True
        if stop:
            control.stop.set()
        return stop or decided > 0

    return ask


def _approve_all(workspace: Workspace, ready: Rehearsal) -> OnDrafts:
    commands = workspace.commands(ready.clock, AUTO_APPROVE)

    def approve(campaign_id: str, messages: list[Message]) -> bool:
        decided = 0
        for message in messages:
            try:
                commands.review.approve(
                    campaign_id, message.id, shown_digest=commands.review.digest(campaign_id, message.id)
                )
                decided += 1
            except OutriderError as error:
                # Nobody saw what a text hides, or what may be a placeholder: it waits.
                if error.code not in (*_DECIDED_ELSEWHERE, "text_hides", "text_doubtful"):
                    raise
                decided += error.code in _DECIDED_ELSEWHERE
        return decided > 0

    return approve


def _finish(output: TerminalOutput, workspace: Workspace, campaign_id: str, ended: RunResult) -> ExitStatus:
    summary = rehearsal_summary(workspace, campaign_id, ledger_of(workspace, campaign_id))
    json_result = {**summary, "ended": ended.halt, "because": list(ended.reasons)}
    differs = ledger_error(summary["ledger"])
    if differs is None or not output.as_json:
        output.result(_lines(summary, ended), json_result)
    if differs is not None:
        output.error(differs, json_result)
        return ExitStatus.LEDGER_DIFFERS
    return _STATUS.get(ended.halt, ExitStatus.NEEDS_YOU)


def ledger_error(ledger: Mapping[str, int]) -> OutriderError | None:
    """What is wrong if the network's own count says that something was delivered twice, or never; None if nothing is."""
    doubled, lost = ledger["duplicates"], ledger["missing"]
    return OutriderError("ledger_differs", doubled=doubled, lost=lost) if doubled or lost else None


def _lines(summary: dict[str, Any], ended: RunResult) -> list[str]:
    counts = sorted((STATUS_WORDS[LeadStatus(status)], n) for status, n in summary["leads"].items())
    leads = ", ".join(f"{n} {status}" for status, n in counts) or "none"
    ledger = summary["ledger"]
    rows = [
        ("campaign", summary["campaign"]),
        ("status", STATE_OF_STATUS[CampaignStatus(summary["status"])]),
        ("steps", f"{summary['turns']}, skipped: {summary['steps_skipped']}"),
        ("leads", leads),
        ("sent", f"{summary['messages_sent']}, outcome unknown: {summary['outcome_unknown']}"),
        ("rejected rows", summary["rejected"]),
        (
            "ledger",
            f"Delivered {ledger['received']}, duplicates {ledger['duplicates']}, missing {ledger['missing']},"
            f" {ledger['not_on_record']} not on record"
            + (f", {ledger['from_record']} by another device" if ledger["from_record"] else ""),
        ),
    ]
    return [*columns(rows), "", _SENTENCE[ended.halt].format(id=summary["campaign"]), *ended.reasons]


def _tell_checks(output: TerminalOutput, view: PlainView, checks: tuple[HealthCheck, ...]) -> None:
    """The checklist before a run, once it is complete or a line of it fails."""
    if checks[-1].status == NOT_CHECKED and all(check.status != FAIL for check in checks):
        return
    rows = [(check.status, check.code, " ".join(filter(None, (check.said, check.remedy)))) for check in checks]
    with view.suspended():
        for line in columns(rows):
            output.note(line)


class _CtrlC:
    """While it holds, Ctrl-C, a request to end or the end of the terminal mean Stop: after the current atomic action."""

    def __init__(self, control: _RunControl, view: PlainView, output: TerminalOutput) -> None:
        self._control, self._view, self._output = control, view, output
        self._asking = False
        self._before: dict[int, Any] = {}
        self._terminals = [descriptor for descriptor in (1, 2) if os.isatty(descriptor)]

    def __enter__(self) -> "_CtrlC":
        if threading.current_thread() is threading.main_thread():
            self._before = {number: signal.signal(number, self._heard) for number in processes.stop_signals()}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextmanager
    def breaks_questions(self) -> Iterator[None]:
        """Within it a question is broken off, and none is begun once a stop was asked for."""
        self._asking = True
        try:
            if self._control.stop.is_set():
                raise KeyboardInterrupt
            yield
        finally:
            self._asking = False

    def _heard(self, number: int, _frame: FrameType | None) -> None:
        if number not in (signal.SIGINT, signal.SIGTERM):
            self._write_nowhere()
        if not self._control.stop.is_set():
            self._control.by_user = number == signal.SIGINT  # other signals are the system's, or another program's
        sentence = FINISHING if self._control.stop.is_set() else STOPPING
        self._control.end()
        self._view.notice(sentence)
        if self._asking:
            self._asking = False
            raise KeyboardInterrupt
        if not self._output.stderr_is_terminal:
            # The handler may have interrupted a write to the same stream, which must not be entered twice.
            os.write(sys.stderr.fileno(), f"{sentence}\n".encode())

    def _write_nowhere(self) -> None:
        """The terminal is gone: what is still to be said must not fail in the middle of an action."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for descriptor in self._terminals:
            os.dup2(nowhere, descriptor)
        os.close(nowhere)


class _Counting:
    """Says how far an import is, a line at a time, when it takes long enough to matter."""

    def __init__(self, output: TerminalOutput) -> None:
        self._output = output
        self._rows = 0

    def rows(self, done: int) -> None:
        """So many rows are on disk."""
        if self._output.stderr_is_terminal and done // 10_000 != self._rows // 10_000:
            self._output.note(f"{done:,} rows read")
        self._rows = done

    def finish(self) -> None:
        """Nothing more will come."""
        if self._rows:
            self._output.note(f"{self._rows:,} rows read.")


def unlock_vault(output: TerminalOutput, workspace: Workspace, campaign_id: str) -> None:
    """Ask until the vault gives the key of the campaign's model. Raises `vault_locked` where there is nobody to ask."""
    with workspace.database.read() as connection:
        campaign = campaigns.campaign(connection, campaign_id)
        model = models.model_connection(connection, campaign.proposer) if campaign else None
    if model is None or not model.key:
        return
    while True:
        try:
            workspace.keys.get(model.key)
        except OutriderError as error:
            needs = workspace.keys.vault_status().needs
            if needs == "nothing" or not output.interactive:
                raise
            output.note(error.sentence)
        else:
            return
        passphrase = getpass.getpass("Passphrase: ", sys.stderr)
        code = getpass.getpass("Recovery code: ", sys.stderr) if needs == "passphrase_and_code" else None
        try:
            workspace.keys.unlock(passphrase, code)
        except OutriderError as error:
            output.note(f"{error.sentence} {error.remedy}")
