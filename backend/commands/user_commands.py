"""What a user decides, each in one transaction: checked against the state of that moment, recorded as the user's act."""

from dataclasses import dataclass
from typing import Generic, TypeVar, overload

from backend.commands.artifacts import ArtifactCommands
from backend.commands.campaigns import CampaignCommands
from backend.commands.consents import ConsentCommands
from backend.commands.handler import CommandHandler
from backend.commands.lead_groups import LeadGroupCommands
from backend.commands.lead_table import LeadTableCommands
from backend.commands.leads import LeadCommands
from backend.commands.models import ModelCommands
from backend.commands.people import PeopleCommands
from backend.commands.questions import QuestionCommands
from backend.commands.rankings import RankingCommands
from backend.commands.replies import ReplyCommands
from backend.commands.requests import RequestCommands
from backend.commands.review import ReviewCommands
from backend.commands.runtime import RuntimeCommands
from backend.commands.scoring import ScoringCommands
from backend.commands.send_words import SendWordCommands
from backend.commands.sequences import SequenceCommands
from backend.commands.skills import SkillCommands
from backend.commands.soul import SoulCommands
from backend.commands.tasks import TaskCommands
from backend.commands.workspace import WorkspaceCommands

Handler = TypeVar("Handler", bound=CommandHandler)


class _Group(Generic[Handler]):
    """Makes the commands of one noun of those of all; of the class it is the noun's class."""

    def __init__(self, handler: type[Handler]) -> None:
        self._handler = handler

    @overload
    def __get__(self, commands: None, _: object) -> type[Handler]: ...
    @overload
    def __get__(self, commands: CommandHandler, _: object) -> Handler: ...
    def __get__(self, commands: CommandHandler | None, _: object) -> Handler | type[Handler]:
        return self._handler if commands is None else self._handler(commands.journal, commands.clock, commands.actor)


@dataclass(frozen=True, slots=True)
class Commands(CommandHandler):
    """The user's side of the controller."""

    artifacts = _Group(ArtifactCommands)
    review = _Group(ReviewCommands)
    questions = _Group(QuestionCommands)
    campaigns = _Group(CampaignCommands)
    consents = _Group(ConsentCommands)
    models = _Group(ModelCommands)
    sequences = _Group(SequenceCommands)
    requests = _Group(RequestCommands)
    workspace = _Group(WorkspaceCommands)
    runtime = _Group(RuntimeCommands)
    soul = _Group(SoulCommands)
    skills = _Group(SkillCommands)
    leads = _Group(LeadCommands)
    lead_groups = _Group(LeadGroupCommands)
    lead_table = _Group(LeadTableCommands)
    replies = _Group(ReplyCommands)
    send_words = _Group(SendWordCommands)
    people = _Group(PeopleCommands)
    tasks = _Group(TaskCommands)
    scoring = _Group(ScoringCommands)
    rankings = _Group(RankingCommands)
