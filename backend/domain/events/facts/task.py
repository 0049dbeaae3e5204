"""What happens to a task, its promises, and the questions that it asks."""

from collections.abc import Mapping, Sequence
from typing import Literal

from backend.domain.events.facts.fact import OMITTED, Fact, Verb, column
from backend.domain.events.facts.statuses import CommitmentStatus, QuestionStatus
from backend.domain.model.task import ActionFamily, TaskKind, TaskStatus
from backend.domain.values.canonical_json import Json

_T, _Q, _P = TaskStatus, QuestionStatus, CommitmentStatus
_NEW, _CHANGE = Verb.CREATES, Verb.CHANGES


class TaskCreated(Fact, entity="task", verb=_NEW):
    """There is something to do; what the user asked of the assistant is begun by being said."""

    task_kind: TaskKind = column(alias="kind")
    description: str
    status: Literal[TaskStatus.PENDING, TaskStatus.IN_PROGRESS]
    needs: ActionFamily
    created_at: int
    ready_at: int = OMITTED
    rank: int = OMITTED
    source: str = OMITTED
    lead_id: str = OMITTED
    preconditions: Sequence[str] = OMITTED
    metadata: Mapping[str, Json] = OMITTED


class TaskStarted(Fact, entity="task", verb=_CHANGE, moves={_T.PENDING: _T.IN_PROGRESS}):
    """It was selected for the first time."""

    strikes: int = OMITTED


class TaskAdvanced(Fact, entity="task", verb=_CHANGE):
    """It goes on: what it needs next, when, in which order, and how many turns were unproductive."""

    needs: ActionFamily = OMITTED
    ready_at: int = OMITTED
    rank: int = OMITTED
    strikes: int = OMITTED


class TaskDeferred(Fact, entity="task", verb=_CHANGE):
    """It is tried again at `ready_at`."""

    ready_at: int


class TaskClaimed(Fact, entity="task", verb=_CHANGE, moves={_T.IN_PROGRESS: _T.VERIFYING}):
    """Somebody says that it is done; its promises are checked next."""


class TaskCompleted(Fact, entity="task", verb=_CHANGE, moves={_T.VERIFYING: _T.DONE}, sets={"reason": ""}):
    """Every promise was checked and kept."""


class TaskReopened(
    Fact,
    entity="task",
    verb=_CHANGE,
    moves=dict.fromkeys((_T.VERIFYING, _T.DONE), _T.IN_PROGRESS),
    sets={"reason": "", "strikes": 0},
):
    """What had ended it was taken back."""


class TaskReturned(Fact, entity="task", verb=_CHANGE, moves={_T.VERIFYING: _T.IN_PROGRESS}):
    """A promise is not kept yet."""

    reason: str
    strikes: int


class TaskBlocked(
    Fact,
    entity="task",
    verb=_CHANGE,
    # One that is blocked may be blocked for another reason: what became of its send is not known, for example.
    moves=dict.fromkeys((_T.PENDING, _T.IN_PROGRESS, _T.VERIFYING, _T.BLOCKED, _T.CANCELLED), _T.BLOCKED),
    sets={"strikes": 0},
):
    """It does not go on unless the user says so."""

    reason: str


class TaskCancelled(
    Fact,
    entity="task",
    verb=_CHANGE,
    moves=dict.fromkeys((_T.PENDING, _T.IN_PROGRESS, _T.VERIFYING, _T.BLOCKED), _T.CANCELLED),
    sets={"strikes": 0},
):
    """The user decided that it is not to be done."""

    reason: str


class ServitorDismissed(Fact, entity="task", verb=_CHANGE, moves={_T.DONE: _T.CANCELLED}):
    """The user has no more use for a servitor that was done."""


class TaskUnblocked(
    Fact,
    entity="task",
    verb=_CHANGE,
    moves=dict.fromkeys((_T.BLOCKED, _T.CANCELLED), _T.IN_PROGRESS),
    sets={"reason": "", "strikes": 0},
):
    """It goes on."""


class RequestEnded(
    Fact,
    entity="task",
    verb=_CHANGE,
    moves=dict.fromkeys((_T.IN_PROGRESS, _T.VERIFYING), _T.BLOCKED),
    sets={"strikes": 0},
):
    """What was asked of the assistant ended without being done."""

    reason: str


class CommitmentMade(Fact, entity="commitment", verb=_NEW):
    """A task promises something that can be checked."""

    task_id: str
    params: Mapping[str, Json]
    source: str


_LOOKED_AT = (_P.OPEN, _P.PASSED, _P.FAILED)


class CommitmentChecked(
    Fact, entity="commitment", verb=_CHANGE, moves=dict.fromkeys(_LOOKED_AT, (_P.PASSED, _P.FAILED))
):
    """A promise was looked at; it is looked at again as often as its task claims to be done."""

    status: Literal[CommitmentStatus.PASSED, CommitmentStatus.FAILED]
    detail: str
    checked_at: int


class CommitmentWithdrawn(Fact, entity="commitment", verb=_CHANGE, moves=dict.fromkeys(_LOOKED_AT, _P.WITHDRAWN)):
    """The user took back a condition that they had added."""


class _Question(Fact):
    """The columns of every question to the user."""

    task_id: str
    question_kind: str = column(alias="kind")
    question: str
    choices: Sequence[str]
    payload: Mapping[str, Json]
    created_at: int


class InputRequested(_Question, entity="input_request", verb=_NEW, starts=_Q.OPEN):
    """The campaign asked the user."""


class RequestAsked(_Question, entity="input_request", verb=_NEW, starts=_Q.OPEN):
    """The assistant asked the user."""


class InputAnswered(Fact, entity="input_request", verb=_CHANGE, moves={_Q.OPEN: (_Q.ANSWERED, _Q.WITHDRAWN)}):
    """The user answered, or the question is moot."""

    status: Literal[QuestionStatus.ANSWERED, QuestionStatus.WITHDRAWN]
    answer: str
