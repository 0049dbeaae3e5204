"""Models: the connections to them, their keys (which only come in), one call to try them, and what they cost."""

from typing import Literal

from pydantic import Field

from backend.api.wire.base import Id, Wire
from backend.domain.connection import Connection, Mode, Provider


class ModelPreset(Wire):
    """What is usual for a provider, to begin with; `hosted` ones cost money."""

    provider: Provider
    title: str
    about: str
    base_url: str
    model: str
    mode: Mode
    key: str
    hosted: bool


class ModelConnection(Wire):
    """A connection, who serves it, and how many campaigns use it."""

    connection: Connection
    provider: str
    host: str
    campaigns: int


class ModelsView(Wire):
    """Connections by name, and what a new one can begin with; a new one has the id `fresh`."""

    connections: list[ModelConnection]
    presets: list[ModelPreset]
    fresh: str


class SaveModel(Wire):
    """A connection as it shall be."""

    connection: Connection


class ModelKey(Wire):
    """Whether there is a key, and where it is or would be; `problem` is the keychain's, in words. Never the key."""

    name: str
    state: Literal["none", "kept", "given", "missing", "unknown"]
    where: str
    problem: str


class SetModelKey(Wire):
    """A key, to be kept under the name that the connection gives."""

    secret: str = Field(min_length=1, max_length=2_000, pattern=r"^[\x21-\x7e]+$")


class ModelTrial(Wire):
    """What one tiny call showed; `code` is empty when there was a reply."""

    code: str
    sentence: str
    remedy: str
    first_ms: int
    whole_ms: int
    structured: bool
    said: str
    tokens_in: int
    tokens_out: int
    micros: int


class ModelSpend(Wire):
    """What one model has cost a campaign."""

    model: str
    replies: int
    tokens_in: int
    tokens_out: int
    micros: int


class ModelChoice(Wire):
    """Something that can propose."""

    id: str
    title: str


class CampaignModel(Wire):
    """Who proposes in a campaign, what that has cost, and what it may; money in millionths of a US dollar."""

    proposer: str
    title: str
    known: bool
    choices: list[ModelChoice]
    spent: list[ModelSpend]
    tokens: int
    micros: int
    most_tokens: int
    most_micros: int


class ChooseModel(Wire):
    """Who proposes from the next turn on."""

    proposer: Id
