"""A run in the terminal: the campaign goes on until it is finished, stopped, or somebody is needed."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from backend.controller.commands import AUTO_APPROVE
from backend.controller.presence import Presence
from backend.controller.runner import Ended, Halt, OnDrafts, Runner
from backend.domain.campaign import CampaignStatus
from backend.domain.errors import OutriderError
from backend.domain.message import Message
from backend.live_sync import LiveSync
from backend.rehearsal import Rehearsal, ledger_of, opened, prepared, summary
from backend.settings import AppSettings
from backend.terminal import standing
from backend.terminal.live_view import View, view_for
from backend.terminal.review import Answer, Review, ask_in_terminal
from backend.terminal.scene import Observer
from backend.terminal.speech import Speech, columns, need_terminal
from backend.terminal.unlocking import unlock_for
from backend.wiring import (
    Workspace,
    open_workspace,
    practice_site,
    runner,
    ship_skills,
    sole_instance,
    supabase_account,
)

STOPPING = "Stopping after the current action."
FINISHING = "Still finishing the current action, so that no send is left half done."


class Status(IntEnum):
    """How a command ends, beside click's 2 for a wrong call; README has the table."""

    COMPLETED = 0
    FAILED = 1
    NEEDS_YOU = 3
    STOPPED = 4
    DEFECT = 70
    INTERRUPTED = 130


_STATUS = {Halt.COMPLETED: Status.COMPLETED, Halt.STOPPED: Status.STOPPED}
_SENTENCE = {
    Halt.COMPLETED: "Completed.",
    Halt.STOPPED: "Stopped. Continue with `outrider run {id}`.",
    Halt.NEEDS_APPROVAL: "Drafts wait for your approval: `outrider approve {id}`, then `outrider run {id}`.",
    Halt.NEEDS_YOU: "A decision of yours is needed: `outrider status {id}` says which.",
    Halt.HANDED_OVER: "Another device acts now; `outrider run {id}` goes on here when it has finished.",
    Halt.HELD: "Held back until you decide: `outrider status {id}` says why, `outrider clear {id}` goes on.",
}
_DECIDED_ELSEWHERE = frozenset({"approval_unknown", "approval_text_changed"})
_REVIEW = (Answer.APPROVE, Answer.EDIT, Answer.REJECT, Answer.STOP)


@dataclass(frozen=True, slots=True)
class Manner:
    """How a run is conducted; without `auto_approve` or `wait` each text is asked for in this terminal."""

    auto_approve: bool = False
    headless: bool = False
    wait: bool = False

    @property
    def asks(self) -> bool:
        """Whether somebody must be there to be asked."""
        return not (self.auto_approve or self.wait)


def rehearse(
    speech: Speech, settings: AppSettings, manner: Manner, *, leads: Path | None, max_leads: int | None, fresh: bool
) -> Status:
    """Find or make the rehearsal of these leads and run it to its end."""
    if manner.asks:
        need_terminal(speech)
    with sole_instance(settings), open_workspace(settings) as workspace:
        ship_skills(workspace)
        told = _Counting(speech)
        campaign_id = prepared(workspace, leads, max_leads, fresh=fresh, on_progress=told.rows)
        told.finish()
        return _conduct(speech, workspace, campaign_id, manner)


def carry_on(speech: Speech, settings: AppSettings, manner: Manner, campaign: str) -> Status:
    """Run a campaign from where it stands."""
    if manner.asks:
        need_terminal(speech)
    with sole_instance(settings), open_workspace(settings) as workspace:
        ship_skills(workspace)
        with workspace.database.read() as connection:
            found = standing.campaign(connection, campaign)
            standing.complete_import(connection, found.id)
        if found.site != "practice":
            raise OutriderError("not_a_rehearsal", site=found.site)
        return _conduct(speech, workspace, found.id, manner)


def _conduct(speech: Speech, workspace: Workspace, campaign_id: str, manner: Manner) -> Status:
    with workspace.database.read() as connection:
        found = standing.campaign(connection, campaign_id)
    if found.status == CampaignStatus.ERROR:
        raise OutriderError("campaign_in_error", reason=found.reason, campaign=campaign_id)
    if found.status == CampaignStatus.COMPLETED:
        speech.note("This campaign is completed already; nothing was done. Its summary:")
        return _finish(speech, workspace, campaign_id, Ended(Halt.COMPLETED))
    unlock_for(speech, workspace, campaign_id)
    with _in_step(workspace) as sync, sync.acting(), opened(workspace, campaign_id) as ready:
        site = practice_site(workspace.settings, ready.url, headless=manner.headless)
        run = runner(workspace, site, ready.clock, Presence(attended=True), standing=sync)
        _hand_over_when_asked(run, sync)
        offset = ready.clock.offset(ready.clock.now())
        view = view_for(speech, Observer(workspace.database, campaign_id, ready.clock), offset)
        with _CtrlC(run, view, speech) as ctrl_c:
            try:
                with view:
                    _listen(run, view)
                    run.stay = manner.wait
                    run.on_drafts = _reviewer(speech, workspace, ready, run, view, ctrl_c, manner)
                    ended = run.run(campaign_id)
            finally:
                site.close()
    return _finish(speech, workspace, campaign_id, ended)


@contextmanager
def _in_step(workspace: Workspace) -> Iterator[LiveSync]:
    """The shared store, if a project is attached; at the end it is given what waits."""
    sync = LiveSync(workspace, partial(supabase_account, workspace))
    sync.open()
    try:
        yield sync
    finally:
        sync.close()


def _hand_over_when_asked(run: Runner, sync: LiveSync) -> None:
    def wanted(device: str) -> None:
        run.handed_to = lambda: device
        run.stop.set()
        run.wake.set()

    sync.on_wanted.append(wanted)
    sync.on_change.append(run.wake.set)


def _listen(run: Runner, view: View) -> None:
    run.on_turn = view.turn
    run.on_sleep = view.asleep
    run.on_recovered = view.recovered
    run.loop.on_step = view.step


def _reviewer(
    speech: Speech, workspace: Workspace, ready: Rehearsal, run: Runner, view: View, ctrl_c: "_CtrlC", manner: Manner
) -> OnDrafts | None:
    if manner.wait:
        return None
    if manner.auto_approve:
        return _approve_all(workspace, ready)
    review = Review(speech, workspace.database, workspace.commands(ready.clock), ask_in_terminal)

    def ask(campaign_id: str, messages: list[Message]) -> bool:
        with view.aside(), ctrl_c.breaks_questions():
            try:
                decided, stop = review.go_through(campaign_id, [message.id for message in messages], _REVIEW)
            except KeyboardInterrupt:
                speech.note("")
                decided, stop = 0, True
        if stop:
            run.stop.set()
        return stop or decided > 0

    return ask


def _approve_all(workspace: Workspace, ready: Rehearsal) -> OnDrafts:
    commands = workspace.commands(ready.clock, AUTO_APPROVE)

    def approve(campaign_id: str, messages: list[Message]) -> bool:
        for message in messages:
            try:
                commands.approve(campaign_id, message.id, shown_digest=commands.digest(campaign_id, message.id))
            except OutriderError as error:
                if error.code not in _DECIDED_ELSEWHERE:
                    raise
        return True

    return approve


def _finish(speech: Speech, workspace: Workspace, campaign_id: str, ended: Ended) -> Status:
    told = summary(workspace, campaign_id, ledger_of(workspace, campaign_id))
    machine = {**told, "ended": ended.halt, "because": list(ended.because)}
    speech.result(_lines(told, ended), machine)
    return _STATUS.get(ended.halt, Status.NEEDS_YOU)


def _lines(told: dict[str, Any], ended: Ended) -> list[str]:
    leads = ", ".join(f"{n} {status}" for status, n in sorted(told["leads"].items())) or "none"
    ledger = told["ledger"]
    rows = [
        ("campaign", told["campaign"]),
        ("status", told["status"]),
        ("turns", f"{told['turns']}, steps skipped: {told['steps_skipped']}"),
        ("leads", leads),
        ("sent", f"{told['messages_sent']}, outcome unknown: {told['outcome_unknown']}"),
        ("rejected rows", told["rejected"]),
        ("ledger", f"{ledger['received']} received, {ledger['duplicates']} twice, {ledger['missing']} missing"),
    ]
    return [*columns(rows), "", _SENTENCE[ended.halt].format(id=told["campaign"]), *ended.because]


class _CtrlC:
    """While it holds, Ctrl-C (or a request to end) means Stop: after the current atomic action, never within it."""

    def __init__(self, run: Runner, view: View, speech: Speech) -> None:
        self._run, self._view, self._speech = run, view, speech
        self._asking = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "_CtrlC":
        if threading.current_thread() is threading.main_thread():
            wanted = (signal.SIGINT, signal.SIGTERM)
            self._before = {number: signal.signal(number, self._heard) for number in wanted}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextmanager
    def breaks_questions(self) -> Iterator[None]:
        """Within it a question is broken off."""
        self._asking = True
        try:
            yield
        finally:
            self._asking = False

    def _heard(self, _number: int, _frame: FrameType | None) -> None:
        sentence = FINISHING if self._run.stop.is_set() else STOPPING
        self._run.stop.set()
        self._run.wake.set()
        self._view.notice(sentence)
        if self._asking:
            self._asking = False
            raise KeyboardInterrupt
        if not self._speech.watched:
            # The handler may have interrupted a write to the same stream, which must not be entered twice.
            os.write(sys.stderr.fileno(), f"{sentence}\n".encode())


class _Counting:
    """Says how far an import is, a line at a time, when it takes long enough to matter."""

    def __init__(self, speech: Speech) -> None:
        self._speech = speech
        self._rows = 0

    def rows(self, done: int) -> None:
        """So many rows are on disk."""
        if self._speech.watched and done // 10_000 != self._rows // 10_000:
            self._speech.note(f"{done:,} rows read")
        self._rows = done

    def finish(self) -> None:
        """Nothing more will come."""
        if self._rows:
            self._speech.note(f"{self._rows:,} rows read.")
