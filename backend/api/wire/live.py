"""The Run screen, live."""

from backend.api.wire.base import Wire
from backend.api.wire.campaigns import FamilyGates, GateLine
from backend.api.wire.tasks import TaskRow
from backend.api.wire.turns import TurnDetail, TurnPage
from backend.domain.task import Needs


class Act(Wire):
    """What the current task would do next for its lead, not before `at` (null: not before somebody decides), and its gates."""

    task_id: str
    lead_id: str
    lead_name: str
    what: str
    family: Needs
    at: int | None
    gates: list[GateLine]


class RunView(Wire):
    """What is done now, what may be done, what comes next and what was done, as of event `seq`; every list is bounded."""

    seq: int
    act: Act | None
    families: list[FamilyGates]
    next: list[TaskRow]
    turns: TurnPage
    last: TurnDetail | None
