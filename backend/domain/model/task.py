"""A task: its lifecycle, what it waits for and how that is called, and when it is blocked because proposals lead nowhere."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

NEVER = 2**53
"""`ready_at` of a task that only a person or another task can wake."""

MAX_STRIKES = 3
"""Unproductive turns in a row after which a task is blocked and the user is asked."""

PLAN_AHEAD = 10
"""How many pending lead tasks are kept ready; the rest of the leads wait unplanned, so a turn costs the same at any size."""


class TaskStatus(StrEnum):
    """Spec 000 §4.2, plus `verifying` (spec 004) and `cancelled`: the user decided that it is not to be done."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    VERIFYING = "verifying"
    DONE = "done"
    BLOCKED = "blocked"
    CANCELLED = "cancelled"


STATUS_WORDS: dict[TaskStatus, str] = {
    TaskStatus.IN_PROGRESS: "under way",
    TaskStatus.VERIFYING: "being checked",
    TaskStatus.BLOCKED: "blocked",
    TaskStatus.PENDING: "to come",
    TaskStatus.DONE: "done",
    TaskStatus.CANCELLED: "cancelled",
}
"""For people, and in the order of a list: what is worked on, what needs somebody, what comes next, and what is over."""

SETTLED = (TaskStatus.DONE, TaskStatus.CANCELLED)
"""What a completed campaign's tasks are; a blocked one waits for the user and holds it (spec 001 FR-057)."""

ENDED = (*SETTLED, TaskStatus.VERIFYING)
"""What news of an earlier act does not take up again: another device may have ended the task without knowing of the act."""


class TaskKind(StrEnum):
    """What a task is about."""

    SCORE_LEADS = "score_leads"
    REACH_LEAD = "reach_lead"
    CUSTOM = "custom"
    ANSWER = "answer"  # the user's own words to somebody who wrote
    WITHDRAW = "withdraw"  # an invitation that nobody accepted for long
    ASSIST = "assist"  # a request of the user; no part of the campaign's own work


class ActionFamily(StrEnum):
    """What a task waits for or would do next, so that tasks whose family of acts is held back are not even offered.

    In the order in which a campaign takes them up: sends first, because they are what waits longest.
    """

    ANSWER = "answer"  # a message, too, but in the user's own words, to somebody who wrote
    MESSAGE = "message"
    INVITE = "invite"
    THINK = "think"
    LOOK = "look"
    WITHDRAW = "withdraw"
    APPROVAL = "approval"
    INPUT = "input"
    ASSIST = "assist"  # turns of the assistant: never offered to the campaign's own


ActKind = Literal["invitation", "message", "withdrawal"]


class FamilyTraits(NamedTuple):
    """What sets a family of acts apart: what it does outside, if anything; whether a campaign's own turns do it, or a task
    begins with it."""

    outside: ActKind | Literal["look"] | None = None
    in_turns: bool = False
    begins: bool = False


def traits(family: ActionFamily) -> FamilyTraits:
    """The one row of each family; whatever is asked of families in general is derived from it."""
    match family:
        case ActionFamily.ANSWER | ActionFamily.MESSAGE:
            return FamilyTraits(outside="message", in_turns=True)
        case ActionFamily.INVITE:
            return FamilyTraits(outside="invitation", in_turns=True)
        case ActionFamily.THINK:
            return FamilyTraits(in_turns=True, begins=True)
        case ActionFamily.LOOK:
            return FamilyTraits(outside="look", in_turns=True, begins=True)
        case ActionFamily.WITHDRAW:
            return FamilyTraits(outside="withdrawal", in_turns=True)
        case ActionFamily.APPROVAL | ActionFamily.INPUT | ActionFamily.ASSIST:
            return FamilyTraits()


IN_TURNS = tuple(family for family in ActionFamily if traits(family).in_turns)
"""What a campaign's own turns do, in the order in which they take it up."""
ACTING = tuple(family for family in ActionFamily if traits(family).outside is not None)
"""What is looked at or done outside."""
BEGINNING = tuple(family for family in ActionFamily if traits(family).begins)
"""What a task begins with."""


def counted_family(family: ActionFamily) -> ActionFamily:
    """As what an act counts in the account: to the site an answer is a message like any other."""
    return ActionFamily.MESSAGE if family is ActionFamily.ANSWER else family


@dataclass(frozen=True, slots=True)
class Task:
    """A task as loaded."""

    id: str
    campaign_id: str
    kind: TaskKind
    description: str
    status: TaskStatus
    needs: ActionFamily
    ready_at: int
    strikes: int = 0
    lead_id: str | None = None
    reason: str = ""
    preconditions: tuple[str, ...] = ()

    @property
    def begins_with(self) -> str:
        """The lead for whom this task would do the first thing; empty once it was begun, and if it is about no lead."""
        return self.lead_id or "" if self.status is TaskStatus.PENDING else ""

    def eligible(self, now: int, blocked_families: frozenset[ActionFamily]) -> bool:
        """Whether the task may be worked on at `now` (ms UTC) while the `blocked_families` must wait."""
        return (
            self.status in (TaskStatus.PENDING, TaskStatus.IN_PROGRESS)
            and self.ready_at <= now
            and self.needs not in blocked_families
            and self.needs not in (ActionFamily.APPROVAL, ActionFamily.INPUT)
        )


def tasks_to_plan(pending_lead_tasks: int) -> int:
    """How many lead tasks to plan now. Topping up by half a window keeps the average cost at one row a lead."""
    return PLAN_AHEAD - pending_lead_tasks if pending_lead_tasks <= PLAN_AHEAD // 2 else 0


class ActWords(NamedTuple):
    """The words of a family.

    `title` stands over a limit or a gate, `does` after "Next:", `about` before a name ("" where it is about nobody), and `doing`
    says that it is being done, or waited for.
    """

    title: str
    does: str
    about: str
    doing: str


ACT_WORDS: dict[ActionFamily, ActWords] = {
    ActionFamily.THINK: ActWords("Decisions", "plan the next step", "Next step for", "deciding"),
    ActionFamily.LOOK: ActWords("Profiles", "view profile", "View the profile of", "viewing the profile"),
    ActionFamily.INVITE: ActWords("Invitations", "send invitation", "Invitation to", "sending the invitation"),
    ActionFamily.MESSAGE: ActWords("Messages", "send message", "Message to", "sending the message"),
    ActionFamily.ANSWER: ActWords("Answers", "send your answer", "Your answer to", "sending your answer"),
    ActionFamily.WITHDRAW: ActWords(
        "Withdrawals", "withdraw the invitation", "Withdraw the invitation to", "withdrawing the invitation"
    ),
    ActionFamily.ASSIST: ActWords("Your questions", "answer you", "", "answering you"),
    ActionFamily.APPROVAL: ActWords("Approvals", "your approval", "", "waits for your approval"),
    ActionFamily.INPUT: ActWords("Questions", "your answer", "", "waits for your answer"),
}
