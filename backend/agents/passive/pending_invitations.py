"""Lists the invitations that were sent long ago and that nobody has accepted yet, in every campaign."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from backend.domain.device.passive_agent import AgentContext, Completed, Failed, PassiveAgent, StepResult, ToolRequest


class PendingInvitationsState(StrEnum):
    """It asks once."""

    INIT = "Init"
    REQUEST_INVITATIONS = "RequestInvitations"
    COMPLETED = "Completed"
    FAILED = "Failed"


@dataclass(frozen=True, slots=True)
class PendingInvitationsContext(AgentContext):
    """Who has not answered, a line a person."""

    people: tuple[str, ...] = ()


_S = PendingInvitationsState


class PendingInvitationsAgent(PassiveAgent[PendingInvitationsState, PendingInvitationsContext]):
    """One tool, then the end."""

    name = "pending-invitations"
    does = "Lists the invitations that were sent at least so many days ago and that nobody has accepted yet."
    states = PendingInvitationsState
    context = PendingInvitationsContext
    results: ClassVar = {"PendingInvitationsTool": "people"}
    inputs = ("days",)
    transitions: ClassVar = {
        _S.INIT: (_S.REQUEST_INVITATIONS,),
        _S.REQUEST_INVITATIONS: (_S.COMPLETED, _S.FAILED),
    }

    def step(self, context: PendingInvitationsContext) -> StepResult:
        """Ask, then end."""
        if self.state is _S.INIT:
            self.enter(_S.REQUEST_INVITATIONS)
            return ToolRequest("PendingInvitationsTool", {"older_than_days": self.given.days})
        if context.failure:
            self.enter(_S.FAILED)
            return Failed(context.failure)
        self.enter(_S.COMPLETED)
        return Completed()
