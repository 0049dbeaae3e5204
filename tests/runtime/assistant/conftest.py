"""A campaign, somebody who asks, and the continuation loop in this process: real SQLite, no site that could be reached."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.adapters.sites.user_hands import NoSite
from backend.domain.turn.reply_parser import ReplyParser
from backend.domain.turn.request import Attachment
from backend.domain.turn.snapshot import Snapshot
from backend.ports.proposer import Proposer
from backend.ports.script_sandbox import ScriptChecks
from backend.runtime.run.continuation import ContinuationEnd, ContinuationLoop
from backend.runtime.run.deadline_proposer import DeadlineProposer
from backend.store.queries.turn.requests import runnable_requests
from backend.turn.execute.execution import Failpoint
from backend.turn.gateway import ToolGateway
from backend.turn.loop import TurnCallbacks, TurnLoop
from backend.turn.reply_cost import late_bills
from tests.fakes.campaign import Stage
from tests.fakes.stages import Stages, stage, stages

__all__ = ["Stages", "stage", "stages"]


@dataclass
class Talk:
    """One campaign's conversation."""

    stage: Stage
    campaign: str
    asked: int = 0
    handler: ReplyParser | None = None
    replies: list[str] = field(default_factory=list)
    boundary: Failpoint = lambda _: None
    scripts: ScriptChecks | None = None

    def ask(self, text: str, *attachments: Attachment) -> str:
        """Say it; the request's id."""
        self.asked += 1
        return self.stage.commands().requests.begin(self.campaign, text, attachments, key=f"key{self.asked}")

    def work(
        self,
        request: str,
        proposer: Proposer | None = None,
        *,
        seconds: float = 60.0,
        halted: Callable[[], ContinuationEnd | None] = lambda: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> ContinuationEnd:
        """The continuation loop for that request, to its end."""
        stage = self.stage
        late = late_bills(stage.journal, stage.clock.now)
        bounded = DeadlineProposer(proposer or ScriptedProposer(), seconds, late=late)

        def turns() -> TurnLoop:
            gateway = ToolGateway(NoSite(), stage.clock.ticks)
            return TurnLoop(
                stage.journal,
                bounded,
                gateway,
                stage.clock,
                stage.presence,
                callbacks=TurnCallbacks(
                    on_text=lambda _c, _t, text, whole: self.replies.append(text) if whole else None,
                    stopped=stopped,
                    boundary=self.boundary,
                ),
                reply_parser=self.handler,
                scripts=self.scripts,
            )

        return ContinuationLoop(turns, bounded, lambda: stage.commands().requests).run(self.campaign, request, halted)

    def answer(self, text: str) -> None:
        """Answer the one open question, with everything before one's eyes."""
        question = self.stage.one("SELECT id FROM input_requests WHERE status='open'")
        self.stage.commands().questions.answer(self.campaign, question, text, hidden_shown=None)

    def tell(self, text: str, *attachments: Attachment, proposer: Proposer | None = None) -> str:
        """Say it and let it be worked on; the request's id."""
        request = self.ask(text, *attachments)
        self.work(request, proposer)
        return request

    # --- what is so, from outside ---

    def lines(self, request: str) -> list[tuple[str, str, str, dict[str, Any]]]:
        """(author, kind, text, payload) of what is on record for it."""
        rows = self.stage.query(
            "SELECT role, kind, content, payload FROM conversations WHERE request_id=? ORDER BY line", request
        )
        return [(author, kind, text, json.loads(payload)) for author, kind, text, payload in rows]

    def results(self, request: str) -> list[dict[str, Any]]:
        return [payload for _, kind, _, payload in self.lines(request) if kind == "result"]

    def codes(self, request: str) -> list[str]:
        return [result.get("code", "") for result in self.results(request)]

    def status(self, request: str) -> tuple[str, str]:
        """(status, reason) of the request's task."""
        row: tuple[str, str] = self.stage.query("SELECT status, reason FROM tasks WHERE id=?", request)[0]
        return row

    def turns(self, request: str) -> int:
        return int(self.stage.one("SELECT count(*) FROM turn_projection WHERE request_id=?", request))

    def runs(self) -> list[str]:
        """The requests that turns would run for."""
        with self.stage.database.read() as connection:
            return [request.request_id for request in runnable_requests(connection)]

    def raw(self, request: str) -> list[str]:
        """The replies on record for its turns."""
        turns = [f"t{n}" for (n,) in self.stage.query("SELECT number FROM turn_projection WHERE request_id=?", request)]
        rows = self.stage.query("SELECT cause, payload FROM audit_log WHERE action_type='proposal' ORDER BY seq")
        return [json.loads(payload)["raw"] for cause, payload in rows if cause in turns]


class Saying:
    """A model that says what it is told to, over and over."""

    name = "saying"

    def __init__(self, replies: Sequence[str | Callable[[Snapshot], str]]) -> None:
        self._replies = replies
        self.asked = 0
        self.seen: list[Snapshot] = []

    def propose(self, snapshot: Snapshot, on_text: Any = None, on_usage: Any = None) -> str:
        self.seen.append(snapshot)
        reply = self._replies[self.asked % len(self._replies)]
        self.asked += 1
        return reply if isinstance(reply, str) else reply(snapshot)


def proposal(kind: str, snapshot: Snapshot, /, **params: Any) -> str:
    """A well-formed proposal for the request in focus."""
    return json.dumps({"type": kind, "task_id": snapshot.focus.task.id, "params": params})


def saying(kind: str, /, **params: Any) -> Callable[[Snapshot], str]:
    return lambda snapshot: proposal(kind, snapshot, **params)


@pytest.fixture
def talk(stage: Stage) -> Talk:
    return Talk(stage, stage.campaign(3))
