"""The proposer of every campaign: looks up which one it uses, anew at each turn, so that a change needs no restart."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from backend.domain.connection import SCRIPTED, Connection, Provider
from backend.domain.errors import OutriderError
from backend.domain.snapshot import Snapshot
from backend.llm.line import Line
from backend.llm.listening import Surroundings
from backend.llm.model import Allow, ModelProposer, boundless
from backend.llm.scripted import ScriptedProposer
from backend.ports.credentials import VARIABLE, ModelKeys
from backend.ports.outgoing import Outgoing
from backend.ports.proposer import Hear, Meter, free, nobody


@dataclass
class ConnectedProposer:
    """`find` gives a connection by its id (raises `model_unknown`), `allowance` what a campaign may still spend."""

    find: Callable[[str], Connection]
    credentials: ModelKeys
    outgoing: Outgoing
    allowance: Callable[[str], Allow]
    around: Surroundings = field(default_factory=Surroundings)
    name: str = "connected"

    def propose(self, snapshot: Snapshot, hear: Hear = nobody, meter: Meter = free) -> str:
        """By the script, or by the model that the campaign names now."""
        chosen = snapshot.campaign.proposer
        if chosen == SCRIPTED:
            return ScriptedProposer().propose(snapshot, hear, meter)
        allow = self.allowance(snapshot.campaign.id)
        asked = model(self.find(chosen), self.credentials, self.outgoing, self.around, allow)
        return asked.propose(snapshot, hear, meter)


def model(
    connection: Connection, credentials: ModelKeys, outgoing: Outgoing, around: Surroundings, allow: Allow = boundless
) -> ModelProposer:
    """Ready to be asked. Raises `proposer_key_missing`, `key_not_for_host`, `proposer_not_installed` and what the keychain says."""
    secret = credentials.get_for(connection.key, connection.base_url) if connection.key else None
    if connection.key and secret is None:
        variable = VARIABLE + connection.key.upper()
        raise OutriderError("proposer_key_missing", key=connection.key, variable=variable)
    name, protocol = _protocol(connection.provider)
    return ModelProposer(name, connection, secret, partial(protocol, outgoing=outgoing), around, allow)


def _protocol(provider: Provider) -> tuple[str, Callable[..., Line]]:
    """A provider's library is loaded when it is first needed: a start need not wait for it."""
    if provider is not Provider.ANTHROPIC:
        from backend.llm import openai  # noqa: PLC0415

        return "openai", openai.line
    try:
        from backend.llm import anthropic  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name != "anthropic":
            raise
        raise OutriderError("proposer_not_installed", provider="Anthropic", extra="anthropic") from None
    return "anthropic", anthropic.line
