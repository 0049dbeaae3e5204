"""Models: connections, their keys, one call to try them, and what they cost a campaign. A key comes in and never goes out."""

from dataclasses import asdict

from flask import Blueprint, Response

from backend.api.exchange import body, reply
from backend.api.reads import models as reads
from backend.api.services import Services
from backend.api.wire.base import Done, Nothing
from backend.api.wire.models import ChooseModel, ModelKey, ModelTrial, SaveModel, SetModelKey
from backend.domain.connection import Connection
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE
from backend.ports.credentials import Secret


def blueprint(services: Services) -> Blueprint:
    """`/api/models…` and `/api/campaigns/<id>/model`."""
    routes = Blueprint("models", __name__, url_prefix="/api")

    def connection_of(connection_id: str) -> Connection:
        with services.database.read() as connection:
            return reads.found(connection, connection_id)

    @routes.get("/models")
    def models() -> Response:
        with services.database.read() as connection:
            return reply(reads.models(connection, services.session.commands(WORKSPACE).models.fresh_id()))

    @routes.post("/models")
    def save() -> Response:
        wanted = body(SaveModel).connection
        services.session.commands(WORKSPACE).models.save(wanted)
        if wanted.key:
            services.credentials.allow(wanted.key, wanted.base_url)
        with services.database.read() as connection:
            return reply(reads.shown(connection, wanted))

    @routes.post("/models/<connection_id>/delete")
    def delete(connection_id: str) -> Response:
        body(Nothing)
        services.session.commands(WORKSPACE).models.remove(connection_id)
        return reply(Done(campaign_id=WORKSPACE))

    @routes.post("/models/<connection_id>/test")
    def test(connection_id: str) -> Response:
        body(Nothing)
        return reply(ModelTrial(**asdict(services.try_model(connection_of(connection_id)))))

    @routes.get("/models/<connection_id>/key")
    def key(connection_id: str) -> Response:
        return reply(_key(services, connection_of(connection_id).key))

    @routes.post("/models/<connection_id>/key")
    def set_key(connection_id: str) -> Response:
        secret = Secret(body(SetModelKey).secret)
        connection = connection_of(connection_id)
        name = connection.key
        if not name:
            raise OutriderError("bad_request", detail="this connection names no key")
        services.credentials.put(name, secret)
        services.credentials.allow(name, connection.base_url)
        return reply(_key(services, name))

    @routes.post("/models/<connection_id>/key/forget")
    def forget_key(connection_id: str) -> Response:
        body(Nothing)
        name = connection_of(connection_id).key
        if name:
            services.credentials.forget(name)
        return reply(_key(services, name))

    @routes.get("/campaigns/<campaign_id>/model")
    def campaign_model(campaign_id: str) -> Response:
        with services.database.read() as connection:
            return reply(reads.campaign_model(connection, campaign_id))

    @routes.post("/campaigns/<campaign_id>/model")
    def choose(campaign_id: str) -> Response:
        services.session.commands(campaign_id).models.choose(campaign_id, body(ChooseModel).proposer)
        with services.database.read() as connection:
            return reply(reads.campaign_model(connection, campaign_id))

    return routes


def _key(services: Services, name: str) -> ModelKey:
    if not name:
        return ModelKey(name="", state="none", where="", problem="")
    try:
        there, where = services.credentials.get(name) is not None, services.credentials.where(name)
    except OutriderError as error:
        return ModelKey(name=name, state="unknown", where="", problem=f"{error.sentence} {error.remedy}")
    given = there and where.startswith("the environment")
    return ModelKey(name=name, state="given" if given else "kept" if there else "missing", where=where, problem="")
