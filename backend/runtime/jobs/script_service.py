"""The app's scripts: one runs at a time in the background, its progress told over the feed, and it can be cancelled."""

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Literal

from backend.commands.scripts import give_answer, give_up
from backend.domain.device.script import ScriptOutcome, ScriptStatus
from backend.domain.turn.assistant_results import ScriptAnswered
from backend.domain.values.errors import OutriderError, as_told
from backend.domain.values.shapes import ErrorShape
from backend.runtime.feed.feed import LiveFeed
from backend.runtime.feed.feed_messages import ScriptProgress
from backend.runtime.jobs.script_runs import ScriptRun, ScriptRunner, Verification
from backend.runtime.worker import Workers
from backend.store.log.journal import Journal
from backend.store.log.transaction import Committed
from backend.store.queries.device import erased_things
from backend.store.queries.turn import scripts
from backend.store.queries.turn.scripts import ApprovedProposal

Phase = Literal["waiting", "first", "second", "ended"]
CLOSE_SECONDS = 5.0
TOLD = 1_000
"""Characters of an answer that its task is told at once; all of it is kept."""


@dataclass(frozen=True, slots=True)
class ScriptTask:
    """A run of a script, or the check of a kept result (`verifies`), and how far it is; replaced as a whole."""

    id: str
    campaign_id: str
    key: str
    sha256: str
    began: int
    erasures: int
    """So many there were then."""
    verifies: str = ""
    phase: Phase = "waiting"
    run: ScriptRun | None = None
    verification: Verification | None = None
    error: ErrorShape | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self.phase == "ended"


class ScriptService:
    """Runs what was approved; the last run of each campaign, with its answer, stays in memory until the next one."""

    def __init__(
        self, journal: Journal, feed: LiveFeed, workers: Workers, runner_of: Callable[[str], ScriptRunner]
    ) -> None:
        """`runner_of` has a campaign's runner, with the campaign's own clock."""
        self.runner_of = runner_of
        self._journal = journal
        self._feed = feed
        self._lock = workers.scheduler.lock()
        self._last: dict[str, ScriptTask] = {}
        self._queue: deque[str] = deque()
        self._worker = workers.add("scripts", self._work)
        self._unsubscribe: Callable[[], None] = lambda: None

    def open(self) -> None:
        """What was approved and had not run when Outrider ended does not run by itself: it is told, and its task ends."""
        error = OutriderError("script_interrupted")
        for proposal in self._approved():
            self._give_up(proposal, f"{error.sentence} {error.remedy}", error.code)
        self._unsubscribe = self._journal.subscribe(self._committed)

    def last(self, campaign_id: str) -> ScriptTask | None:
        """The run that is under way, or the last one of this launch; none once something was erased that it may still tell."""
        task = self._last.get(campaign_id)
        return None if task is not None and task.ended and task.erasures != self._erasures() else task

    def begin(self, campaign_id: str, key: str, sha256: str) -> ScriptTask:
        """Run an approved script; raises `script_running` and `closing`. That it was approved is asked when it runs."""
        return self._begin(campaign_id, key, sha256, "")

    def verify(self, campaign_id: str, key: str, sha256: str, result_id: str) -> ScriptTask:
        """Run the script of a kept result again, on the data as it was; raises `script_running` and `closing`."""
        return self._begin(campaign_id, key, sha256, result_id)

    def cancel(self, campaign_id: str) -> None:
        """End the campaign's run; nothing of it is kept."""
        task = self._last.get(campaign_id)
        if task is not None:
            task.cancelled.set()

    def save(self, campaign_id: str, run_id: str) -> ScriptTask:
        """Keep the last run's answer as an artifact; once. Raises `script_no_result`."""
        with self._lock:
            task = self._last.get(campaign_id)
            if task is None or task.id != run_id or task.run is None or task.run.answer is None:
                raise OutriderError("script_no_result")
            if not task.run.result_id:
                result_id = self.runner_of(campaign_id).keep_result(campaign_id, task.key, task.run.answer)
                task = self._last[campaign_id] = replace(task, run=replace(task.run, result_id=result_id))
            return task

    def close(self) -> None:
        """End what runs, and wait for it."""
        unsubscribe, self._unsubscribe = self._unsubscribe, lambda: None
        unsubscribe()
        self._worker.stop()
        for task in list(self._last.values()):
            task.cancelled.set()
        self._worker.join(CLOSE_SECONDS)

    def _begin(self, campaign_id: str, key: str, sha256: str, verifies: str) -> ScriptTask:
        with self._lock:  # the worker looks at what is wanted only when this is over
            if any(not task.ended for task in self._last.values()):
                raise OutriderError("script_running")
            self._worker.start()
            now = self.runner_of(campaign_id).clock.now()
            task = ScriptTask(self._journal.ids.new(), campaign_id, key, sha256, now, self._erasures(), verifies)
            self._last[campaign_id] = task
            self._queue.append(campaign_id)
        self._tell(task)
        return task

    # --- in the background ---

    def _committed(self, committed: Committed) -> None:
        if committed.adopted:  # what was approved at another device runs there
            return
        if any(recorded.event.kind == "InputAnswered" for recorded in committed.events) and self._approved():
            with suppress(OutriderError):  # closing: it is told at the next start
                self._worker.start()

    def _erasures(self) -> int:
        return self._journal.database.query(erased_things.erasure_count)

    def _approved(self) -> list[ApprovedProposal]:
        return self._journal.database.query(scripts.approved_proposals)

    def _work(self) -> float | None:
        with self._lock:
            if self._queue:
                task, proposal = self._last[self._queue.popleft()], None
            elif approved := self._approved():
                proposal = approved[0]
                now = self.runner_of(proposal.campaign_id).clock.now()
                task = ScriptTask(
                    proposal.question_id, proposal.campaign_id, proposal.key, proposal.sha256, now, self._erasures()
                )
                self._last[task.campaign_id] = task
            else:
                return None
        self._do(task)
        if proposal is not None and not self._worker.stopping.is_set():  # else it is told at the next start
            self._settle(proposal, self._last[task.campaign_id])
        return 0.0  # another may have been wanted meanwhile

    def _do(self, task: ScriptTask) -> None:
        self._worker.doing = f"running a script of campaign {task.campaign_id}"
        try:
            if task.verifies:
                self._verify(task)
            else:
                self._run(task)
        except OutriderError as error:
            self._failed(task, error)
        except BaseException as defect:
            self._failed(task, as_told(defect))
            raise

    def _run(self, task: ScriptTask) -> None:
        self._say(task, phase="first")

        def first(outcome: ScriptOutcome) -> None:
            if outcome.status is ScriptStatus.OK:
                self._say(task, phase="second")

        runner = self.runner_of(task.campaign_id)
        run = runner.run(task.campaign_id, task.key, task.sha256, cancelled=task.cancelled, on_first=first)
        self._say(task, phase="ended", run=run)

    def _settle(self, proposal: ApprovedProposal, ended: ScriptTask) -> None:
        """What was proposed has run: its answer is kept and given to its task, or the task ends with the reason."""
        run = ended.run
        if ended.error is not None:
            self._give_up(proposal, f"{ended.error.sentence} {ended.error.remedy}", ended.error.code)
        elif run is None or run.answer is None:
            outcome = run.outcome if run else ScriptOutcome(ScriptStatus.FAILED, "script_failed")
            self._give_up(proposal, f"The script came to nothing. {outcome.told}".strip(), outcome.code)
        else:
            saved = self.save(proposal.campaign_id, ended.id).run
            answer = ScriptAnswered(
                key=proposal.key,
                script_sha256=proposal.sha256,
                result_id=saved.result_id if saved else "",
                result_sha256=run.result_sha256,
                told=run.answer.result[:TOLD],
            )
            now = self.runner_of(proposal.campaign_id).clock.now()
            with self._journal.transaction() as transaction:
                give_answer(transaction, proposal.campaign_id, proposal.task_id, answer, now)

    def _give_up(self, proposal: ApprovedProposal, why: str, code: str) -> None:
        now = self.runner_of(proposal.campaign_id).clock.now()
        with self._journal.transaction() as transaction:
            give_up(transaction, proposal.campaign_id, proposal.task_id, why, code, now)

    def _verify(self, task: ScriptTask) -> None:
        self._say(task, phase="first")
        verification = self.runner_of(task.campaign_id).verify(task.verifies, task.cancelled)
        self._say(task, phase="ended", verification=verification)

    def _failed(self, task: ScriptTask, error: OutriderError) -> None:
        with suppress(Exception):
            self._say(task, phase="ended", error=ErrorShape.showing(error))

    def _say(
        self,
        task: ScriptTask,
        phase: Phase,
        run: ScriptRun | None = None,
        verification: Verification | None = None,
        error: ErrorShape | None = None,
    ) -> None:
        now = replace(task, phase=phase, run=run, verification=verification, error=error)
        self._last[task.campaign_id] = now
        self._tell(now)

    def _tell(self, task: ScriptTask) -> None:
        self._feed.announce("script", ScriptProgress(campaign_id=task.campaign_id, run_id=task.id, phase=task.phase))
