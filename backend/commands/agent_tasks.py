"""A passive agent as a task of a campaign: assigned by the user, and what became of its run."""

from dataclasses import dataclass

from backend.commands.handler import CommandHandler
from backend.domain.device.agent_task import ARTIFACT_TYPE, agent_task_events, report_key
from backend.domain.device.passive_agent import AgentInputs
from backend.domain.events.facts.task import TaskClaimed
from backend.domain.model.artifact import Maker, MakerKind, text_content
from backend.domain.model.campaign import CampaignStatus, not_active_error
from backend.domain.model.task import Task, TaskStatus
from backend.domain.turn.artifacts import artifact_persisted
from backend.domain.turn.task_progress import block
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import tasks
from backend.store.queries.device import agent_runs, erased_things
from backend.store.queries.device.agent_runs import AgentTask
from backend.store.queries.reports import campaign_overview
from backend.store.queries.turn import artifacts
from backend.turn.verifier import verify_waiting


@dataclass(frozen=True, slots=True)
class AgentTaskCommands(CommandHandler):
    """What a run leaves is one transaction, so a run that was cut off left nothing and is simply done again."""

    def assign(self, campaign_id: str, agent: str, inputs: AgentInputs) -> AgentTask:
        """Have the agent run as a task. Raises `campaign_unknown` and `campaign_not_active`."""
        with self.journal.transaction() as transaction:
            campaign, now = self._campaign(transaction, campaign_id), self.clock.now()
            if campaign.status is CampaignStatus.COMPLETED:
                raise not_active_error(campaign_id, campaign.status)
            task_id, home = transaction.new_id(), agent_runs.home(transaction.connection)
            events = agent_task_events(task_id, agent, inputs, home, now, transaction.new_id)
            transaction.record(campaign_id, events, actor=self.actor, cause=f"assign agent {agent}", at=now)
        return AgentTask(task_id, campaign_id, agent, inputs.directory, inputs.days)

    def erasures(self) -> int:
        """How many there were; to be asked before a run, for `finish`."""
        return self.journal.database.query(erased_things.erasure_count)

    def finish(self, done: AgentTask, text: str, erasures: int) -> bool:
        """Keep what was found and have it verified; whether the task is done now.

        Nothing if somebody was quicker, or if something was erased since the run began: what it read may have the words still.
        """
        with self.journal.transaction() as transaction:
            if self._open(transaction, done) is None or erased_things.erasure_count(transaction.connection) != erasures:
                return False
            key, now = report_key(done.agent, done.id), self.clock.now()
            latest = artifacts.latest_version(transaction.connection, done.campaign_id, ARTIFACT_TYPE, key)
            artifact = artifact_persisted(
                text_content(ARTIFACT_TYPE, key, text),
                transaction.new_id(),
                Maker(MakerKind.PROGRAM, done.agent),
                latest,
                now,
            )
            events = [artifact, TaskClaimed(done.id)]
            transaction.record(done.campaign_id, events, actor="controller", cause=f"agent {done.agent}", at=now)
        return (done.id, True) in verify_waiting(self.journal, self.clock, done.campaign_id)

    def fail(self, failed: AgentTask, reason: str) -> None:
        """The task is blocked with that reason, and the user asked. Nothing if somebody was quicker."""
        with self.journal.transaction() as transaction:
            task = self._open(transaction, failed)
            if task is not None:
                now = self.clock.now()
                events = block(now, task, reason, transaction.new_id)
                transaction.record(
                    failed.campaign_id, events, actor="controller", cause=f"agent {failed.agent}", at=now
                )

    @staticmethod
    def _open(transaction: Transaction, run: AgentTask) -> Task | None:
        connection = transaction.connection
        exists = campaign_overview.exists(connection, run.campaign_id)
        task = tasks.task(connection, run.campaign_id, run.id) if exists else None
        return task if task is not None and task.status is TaskStatus.IN_PROGRESS else None
