"""The proposer of every campaign: looks up which one it uses, anew at each turn, so that a change needs no restart."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from backend.adapters.llm.model import AcceptedForms, CheckBudget, ModelProposer, unlimited_budget
from backend.adapters.llm.reply_stream import ReplyStream
from backend.adapters.llm.scripted import ScriptedProposer
from backend.adapters.llm.stream_reader import StreamControl
from backend.domain.model.campaign import Campaign
from backend.domain.model.connection import SCRIPTED, Connection
from backend.domain.model.providers import PRESETS, Provider
from backend.domain.model.sequence import DueAction
from backend.domain.model.task import TaskKind, TaskStatus
from backend.domain.turn.snapshot import Snapshot
from backend.domain.values.errors import OutriderError
from backend.ports.credentials import VARIABLE, ModelKeys, Secret
from backend.ports.egress import EgressPolicy
from backend.ports.proposer import OnText, OnUsage, Proposer, ignore_text, ignore_usage


@dataclass
class CampaignProposer:
    """`find` gives a connection by its id (raises `model_unknown`), `allowance` what a campaign may still spend."""

    find: Callable[[str], Connection]
    credentials: ModelKeys
    outgoing: EgressPolicy
    allowance: Callable[[str], CheckBudget]
    control: StreamControl = field(default_factory=StreamControl)
    forms: AcceptedForms = field(default_factory=AcceptedForms)
    name: str = "connected"

    def is_slow(self, snapshot: Snapshot) -> bool:
        """The script answers at once, a model may not."""
        if snapshot.campaign.proposer == SCRIPTED:
            return False
        return snapshot.campaign.settings.model_alone or needs_judgement(snapshot)

    def reads_overview(self, snapshot: Snapshot) -> bool:
        """The script reads the focus alone, a model everything."""
        return self.is_slow(snapshot)

    def asks_model(self, campaign: Campaign) -> bool:
        """Whether one is connected."""
        return campaign.proposer != SCRIPTED

    def check_ready(self, campaign: Campaign) -> str:
        """Whether the connection is there, with its key and its library; nobody is called. Raises what is missing."""
        if campaign.proposer == SCRIPTED:
            return "the built-in script; no model is asked"
        model = self._model(campaign)
        return f"{model.connection.name} ({model.connection.model})"

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        """By the script, by both, or by the model alone, as the campaign has it now."""
        campaign = snapshot.campaign
        if campaign.proposer == SCRIPTED:
            return ScriptedProposer().propose(snapshot, on_text, on_usage)
        if campaign.settings.model_alone:
            return self._model(campaign).propose(snapshot, on_text, on_usage)
        return CompositeProposer(lambda: self._model(campaign)).propose(snapshot, on_text, on_usage)

    def _model(self, campaign: Campaign) -> ModelProposer:
        check_budget = self.allowance(campaign.id)
        connection = self.find(campaign.proposer)
        return build_model_proposer(connection, self.credentials, self.outgoing, self.control, check_budget, self.forms)


def build_model_proposer(
    connection: Connection,
    credentials: ModelKeys,
    outgoing: EgressPolicy,
    stream_control: StreamControl,
    check_budget: CheckBudget = unlimited_budget,
    forms: AcceptedForms | None = None,
) -> ModelProposer:
    """Ready to be asked. Raises `proposer_key_missing`, `key_not_for_host`, `proposer_not_installed` and what the keychain says."""
    secret = find_secret(connection, credentials)
    name, protocol = _protocol(connection.provider)
    open_stream = partial(protocol, outgoing=outgoing)
    return ModelProposer(name, connection, secret, open_stream, stream_control, check_budget, forms or AcceptedForms())


def find_secret(connection: Connection, credentials: ModelKeys) -> Secret | None:
    """Its key, None if it needs none. Raises `proposer_key_missing`, `key_not_for_host`, and what the keychain says."""
    if not connection.key:
        return None
    secret = credentials.get_for(connection.key, connection.base_url)
    if secret is None:
        variable = VARIABLE + connection.key.upper()
        raise OutriderError("proposer_key_missing", key=connection.key, variable=variable)
    return secret


def _protocol(provider: Provider) -> tuple[str, Callable[..., ReplyStream]]:
    """A provider's library is loaded when it is first needed: a start need not wait for it."""
    if PRESETS[provider].protocol == "openai":
        from backend.adapters.llm import openai  # noqa: PLC0415

        return "openai", openai.OpenAIStream
    try:
        from backend.adapters.llm import anthropic  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name != "anthropic":
            raise
        raise OutriderError("proposer_not_installed", provider="Anthropic", extra="anthropic") from None
    return "anthropic", anthropic.AnthropicStream


MOST_UNUSABLE_TEXTS = 2
"""Turns in vain after which the template gives a person's text; one more would block the task."""

_BEFORE_JUDGING_THE_SCORING = frozenset({"", "select_next_task", "request_user_input"})


@dataclass(frozen=True)
class CompositeProposer:
    """`model` gives the model, and is called only when it is asked."""

    model: Callable[[], Proposer]
    name: str = "composite"

    def is_slow(self, snapshot: Snapshot) -> bool:
        """The script answers at once, a model may not."""
        return needs_judgement(snapshot)

    def propose(self, snapshot: Snapshot, on_text: OnText = ignore_text, on_usage: OnUsage = ignore_usage) -> str:
        """By the model if it takes judgement, else by the script."""
        proposer = self.model() if needs_judgement(snapshot) else ScriptedProposer()
        return proposer.propose(snapshot, on_text, on_usage)


def needs_judgement(snapshot: Snapshot) -> bool:
    """Whether the step does not simply follow from the state."""
    focus = snapshot.focus
    if snapshot.request is not None:
        return True
    if focus.task.status is TaskStatus.PENDING:
        return False
    match focus.task.kind:
        case TaskKind.REACH_LEAD:
            drafting = focus.need is not None and focus.need.due is DueAction.DRAFT
            without_note = focus.need is not None and focus.need.step is not None and focus.need.step.without_note
            return drafting and not without_note and focus.task.strikes < MOST_UNUSABLE_TEXTS
        case TaskKind.ANSWER | TaskKind.WITHDRAW:
            return False  # an answer's words are the user's own, a withdrawal has none
        case TaskKind.SCORE_LEADS:
            # Once, before the first lead is scored; whatever comes of it, the scoring itself is arithmetic.
            before = snapshot.last.proposal if snapshot.last is not None else ""
            return before in _BEFORE_JUDGING_THE_SCORING and focus.task.strikes == 0
        case _:
            return True
