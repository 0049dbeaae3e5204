"""The continuation loop: turn after turn for one request, each seeing what came of those before; it always ends (spec 004).

An iteration is one ordinary turn. Between two of them nothing is remembered here: the next turn's snapshot is read from the
database. What is counted here only ends the loop.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from backend.commands.requests import RequestCommands
from backend.domain.turn.request import MOST_TOKENS, MOST_TURNS
from backend.domain.values.errors import OutriderError
from backend.runtime.run.deadline_proposer import DeadlineProposer
from backend.turn.loop import NothingEligible, TurnLoop
from backend.turn.verifier import verify_waiting


class ContinuationEnd(StrEnum):
    """Why no turn follows."""

    OVER = "over"  # settled, given up, or waiting for the user's answer
    FAILED = "failed"
    CLOSED = "closed"
    STOPPED = "stopped"
    TURNS = "turns"
    TIME = "time"
    TOKENS = "tokens"
    MAY_NOT = "may_not"


_SAID = {
    ContinuationEnd.STOPPED: "Stopped by you.",
    ContinuationEnd.MAY_NOT: "Ended because this device may not act any more; say it again when it may.",
    ContinuationEnd.TURNS: f"Ended after {MOST_TURNS} steps; say what to do next.",
    ContinuationEnd.TIME: "Ended because it took too long; say what to do next.",
    ContinuationEnd.TOKENS: "Ended because it took too many tokens; say what to do next.",
}


@dataclass(frozen=True, slots=True)
class ContinuationLoop:
    """`turns` makes the loop of one turn anew, with what holds at that moment; its proposer is `proposer`."""

    turns: Callable[[], TurnLoop]
    proposer: DeadlineProposer
    commands: Callable[[], RequestCommands]

    def run(
        self, campaign_id: str, request_id: str, halted: Callable[[], ContinuationEnd | None] = lambda: None
    ) -> ContinuationEnd:
        """Until nothing follows, or the user is asked, or it was halted, or has used up what it may; whatever is proposed.

        Halted by `CLOSED` it stays as it is, for the next start; otherwise the request does not run any more afterwards.
        """
        for _ in range(MOST_TURNS):
            spent = halted() or self._spent()
            if spent is ContinuationEnd.CLOSED:
                return spent
            if spent is not None:
                return self._end(campaign_id, request_id, spent)
            turns = self.turns()
            try:
                turn = turns.run_turn(campaign_id, "request", request_id)
            except OutriderError as error:
                if halted() is ContinuationEnd.CLOSED:
                    return ContinuationEnd.CLOSED
                if error.code == "proposer_stopped" and halted() is ContinuationEnd.STOPPED:
                    return self._end(campaign_id, request_id, ContinuationEnd.STOPPED)
                # Usually the turn has told it already, and then this changes nothing.
                self.commands().abandon(campaign_id, request_id, error.sentence, error.code)
                return ContinuationEnd.FAILED
            # What claims to be settled is, or comes back and has its remaining turns.
            verify_waiting(turns.journal, turns.clock, campaign_id)
            if isinstance(turn, NothingEligible):
                return ContinuationEnd.OVER
        return self._end(campaign_id, request_id, ContinuationEnd.TURNS)

    def _spent(self) -> ContinuationEnd | None:
        if self.proposer.expired:
            return ContinuationEnd.TIME
        return ContinuationEnd.TOKENS if self.proposer.tokens > MOST_TOKENS else None

    def _end(self, campaign_id: str, request_id: str, halt: ContinuationEnd) -> ContinuationEnd:
        self.commands().abandon(campaign_id, request_id, _SAID[halt], halt.value)
        return halt
