"""Models: connections, their keys, one call to try them, and what they cost a campaign. A key comes in and never goes out."""

from typing import Literal

from pydantic import Field

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import Choice
from backend.domain.events.events import WORKSPACE
from backend.domain.model.connection import (
    SCRIPTED,
    Connection,
    ConnectionTest,
    KeyName,
    host_of,
    is_loopback,
    refuse_address,
)
from backend.domain.model.providers import LOOKED_UP, MODEL_PRICES, PRESETS, Mode, ModelPrice, Provider
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import ErrorShape, Id, Shape
from backend.ports.credentials import Secret
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns as campaign_queries
from backend.store.queries.campaign import tasks
from backend.store.queries.device import models as model_queries
from backend.store.queries.device.models import ModelSpending
from backend.store.queries.reports import campaign_overview

SCRIPT = "Built-in script"
NAMES_TIMEOUT_MS = 20_000

routes = Routes("models")


class ModelPreset(Shape):
    """What is usual for a provider, to begin with; `hosted` ones may cost money."""

    provider: Provider
    title: str
    about: str
    base_url: str
    model: str
    mode: Mode
    key: str
    key_page: str
    model_hint: str
    hosted: bool


class ModelConnection(Shape):
    """A connection, who serves it, how many campaigns use it, and why it counts as not tested, "" if it works."""

    connection: Connection
    provider: str
    host: str
    campaigns: int
    untested: str


class ModelsView(Shape):
    """Connections by name, and what a new one can begin with; a new one has the id `fresh`.

    `prices` are proposed, in US dollars per million tokens as on the day `priced_on` (YYYY-MM-DD).
    """

    connections: list[ModelConnection]
    presets: list[ModelPreset]
    prices: list[ModelPrice]
    priced_on: str
    fresh: str


class SaveModel(Shape):
    """A connection as it shall be."""

    connection: Connection


class AskNames(Shape):
    """A server to be asked which models it offers; `secret` is a key that is not saved yet, "" for the one named `key`."""

    provider: Provider
    base_url: str = Field(min_length=1, max_length=300)
    plain_http: bool
    key: KeyName
    secret: str = Field(max_length=2_000, pattern=r"^[\x21-\x7e]*$")


class OfferedModels(Shape):
    """The names of what a server offers, and how many `more` are left out; or what kept it from saying so."""

    names: list[str]
    more: int
    problem: ErrorShape | None


class ModelKey(Shape):
    """Whether there is a key, and where it is or would be; `problem` is the keychain's, in words. Never the key."""

    name: str
    state: Literal["none", "kept", "given", "missing", "unknown"]
    where: str
    problem: str


class SetModelKey(Shape):
    """A key, to be kept under the name that the connection gives."""

    secret: str = Field(min_length=1, max_length=2_000, pattern=r"^[\x21-\x7e]+$")


class CampaignModel(Shape):
    """Who proposes in a campaign, what that has cost, and what it may; money in millionths of a US dollar.

    `alone`: the model also takes the steps that take no judgement. `people` were begun with so far.
    """

    proposer: str
    alone: bool
    calls: int
    people: int
    title: str
    known: bool
    choices: list[Choice]
    spent: list[ModelSpending]
    tokens: int
    micros: int
    most_tokens: int
    most_micros: int


class ChooseModel(Shape):
    """Who proposes from the next turn on; `alone` also the steps that take no judgement."""

    proposer: Id
    alone: bool = False


PRESET_SHAPES = [
    ModelPreset.showing(preset, about=preset.description, hosted=not is_loopback(preset.base_url))
    for preset in PRESETS.values()
]


@routes.get("/models")
def view(services: Services, connection: DatabaseConnection) -> ModelsView:
    """Every connection, and the presets."""
    return ModelsView(
        connections=[
            _connection(connection, model_connection)
            for model_connection in model_queries.model_connections(connection)
        ],
        presets=PRESET_SHAPES,
        prices=list(MODEL_PRICES),
        priced_on=LOOKED_UP,
        fresh=services.commands(WORKSPACE).models.fresh_id(),
    )


@routes.post("/models")
def save(services: Services, body: SaveModel) -> ModelConnection:
    """Keep a connection; its key may go to its host from now on."""
    model_connection = body.connection
    services.commands(WORKSPACE).models.save(model_connection)
    if model_connection.key:
        services.credentials.allow(model_connection.key, model_connection.base_url)
    return services.database.query(_connection, model_connection)


@routes.post("/models/names")
def names(services: Services, body: AskNames) -> OfferedModels:
    """Ask a server at the user's word which models it offers; an error is an answer, too."""
    refuse_address(body.base_url, plain_http=body.plain_http)
    # No model of it is asked, so it needs none.
    server = Connection(
        id="names",
        name="names",
        provider=body.provider,
        base_url=body.base_url,
        model="none",
        key=body.key,
        first_token_timeout_ms=NAMES_TIMEOUT_MS,
        total_timeout_ms=NAMES_TIMEOUT_MS,
    )
    try:
        offered = services.list_models(server, Secret(body.secret) if body.secret else None)
    except OutriderError as error:
        problem = ErrorShape.showing(error)
        return OfferedModels(names=[], more=0, problem=problem)
    return OfferedModels(names=offered.names, more=offered.more, problem=None)


routes.command("/models/<connection_id>/delete", "models.remove")


@routes.post("/models/<connection_id>/test")
def test(services: Services, connection_id: str) -> ConnectionTest:
    """Try a connection with one tiny call."""
    model_connection = _saved(services, connection_id)
    connection_test = services.try_model(model_connection)
    with services.database.write() as connection:
        model_queries.remember_test(connection, model_connection, connection_test)
    return connection_test


@routes.get("/models/<connection_id>/key")
def key(services: Services, connection_id: str) -> ModelKey:
    """Whether there is a key, and where."""
    return _key(services, _saved(services, connection_id).key)


@routes.post("/models/<connection_id>/key")
def set_key(services: Services, connection_id: str, body: SetModelKey) -> ModelKey:
    """Keep a key under the name that the connection gives."""
    connection = _saved(services, connection_id)
    name = connection.key
    if not name:
        raise OutriderError("bad_request", detail="this connection names no key")
    services.credentials.put(name, Secret(body.secret))
    services.credentials.allow(name, connection.base_url)
    return _key(services, name)


@routes.post("/models/<connection_id>/key/forget")
def forget_key(services: Services, connection_id: str) -> ModelKey:
    """Forget the key of a connection."""
    name = _saved(services, connection_id).key
    if name:
        services.credentials.forget(name)
    return _key(services, name)


@routes.get("/campaigns/<campaign_id>/model")
def of_campaign(connection: DatabaseConnection, campaign_id: str) -> CampaignModel:
    """Who proposes in the campaign, and its costs; raises `campaign_unknown`."""
    return _campaign_model(connection, campaign_id)


@routes.post("/campaigns/<campaign_id>/model")
def choose(services: Services, campaign_id: str, body: ChooseModel) -> CampaignModel:
    """Choose who proposes from the next turn on."""
    services.commands(campaign_id).models.choose(campaign_id, body.proposer, alone=body.alone)
    return services.database.query(_campaign_model, campaign_id)


def _saved(services: Services, connection_id: str) -> Connection:
    return services.database.query(find_model, connection_id)


def _key(services: Services, name: str) -> ModelKey:
    if not name:
        return ModelKey(name="", state="none", where="", problem="")
    try:
        is_stored, where = services.credentials.get(name) is not None, services.credentials.where(name)
    except OutriderError as error:
        return ModelKey(name=name, state="unknown", where="", problem=f"{error.sentence} {error.remedy}")
    from_environment = is_stored and where.startswith("the environment")
    return ModelKey(
        name=name, state="given" if from_environment else "kept" if is_stored else "missing", where=where, problem=""
    )


def _connection(connection: DatabaseConnection, model_connection: Connection) -> ModelConnection:
    """A connection with its use."""
    campaigns = campaign_overview.count_using_model(connection, model_connection.id)
    return ModelConnection(
        connection=model_connection,
        provider=PRESETS[model_connection.provider].title,
        host=host_of(model_connection.base_url),
        campaigns=campaigns,
        untested=model_queries.why_untested(connection, model_connection),
    )


def find_model(connection: DatabaseConnection, connection_id: str) -> Connection:
    """The connection; raises `model_unknown`."""
    model_connection = model_queries.model_connection(connection, connection_id)
    if model_connection is None:
        raise OutriderError("model_unknown", connection=connection_id)
    return model_connection


def _campaign_model(connection: DatabaseConnection, campaign_id: str) -> CampaignModel:
    """Who proposes in the campaign, and its costs; raises `campaign_unknown`."""
    campaign = campaign_queries.existing_campaign(connection, campaign_id)
    connected = model_queries.model_connections(connection)
    title = {SCRIPTED: SCRIPT, **{model_connection.id: model_connection.name for model_connection in connected}}.get(
        campaign.proposer
    )
    choices = [Choice(id=SCRIPTED, title=SCRIPT)]
    for model_connection in connected:
        untested = " (not tested)" if model_queries.why_untested(connection, model_connection) else ""
        choices.append(Choice(id=model_connection.id, title=model_connection.name + untested))
    spent = model_queries.spending_by_model(connection, campaign_id)
    limits = campaign.settings.limits
    return CampaignModel(
        proposer=campaign.proposer,
        alone=campaign.settings.model_alone,
        calls=sum(spending.replies for spending in spent),
        people=tasks.people_begun(connection, campaign_id),
        title=title or campaign.proposer,
        known=title is not None,
        choices=choices,
        spent=spent,
        tokens=sum(spending.tokens_in + spending.tokens_out for spending in spent),
        micros=sum(spending.micros for spending in spent),
        most_tokens=limits.model_kilotokens * 1_000,
        most_micros=limits.model_cents * 10_000,
    )
