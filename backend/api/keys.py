"""Keys and the vault that seals them: what is secret comes in here and never goes out; only a recovery code does, once."""

import re

from flask import Blueprint, Response

from backend.api.exchange import body, reply
from backend.api.reads import keys as reads
from backend.api.services import Services
from backend.api.wire.base import Nothing
from backend.api.wire.keys import KEY_NAME, KeepKey, MakeKit, RecoveryKit, Revoke, Unlock
from backend.domain.errors import OutriderError
from backend.ports.credentials import Secret
from backend.store import reading


def blueprint(services: Services) -> Blueprint:
    """`/api/keys…` and `/api/vault…`."""
    routes = Blueprint("keys", __name__, url_prefix="/api")

    def view() -> Response:
        with services.database.read() as connection:
            return reply(reads.keys(connection, services.keys))

    def kit(code: str) -> Response:
        with services.database.read() as connection:
            row = connection.execute("SELECT email, url FROM project").fetchone()
        email, url = row or ("", "")
        return reply(RecoveryKit(code=code, email=email, url=url))

    @routes.get("/keys")
    def keys() -> Response:
        return view()

    @routes.post("/keys/<name>")
    def keep(name: str) -> Response:
        wanted = body(KeepKey)
        services.keys.keep(_named(name), Secret(wanted.secret), wanted.kind)
        with services.database.read() as connection:
            users = [one.base_url for one in reading.model_connections(connection) if one.key == name]
        services.keys.allow(name, *users)  # the page shows them beside the key
        return view()

    @routes.post("/keys/<name>/forget")
    def forget(name: str) -> Response:
        body(Nothing)
        services.keys.forget(_named(name))
        return view()

    @routes.post("/vault/unlock")
    def unlock() -> Response:
        wanted = body(Unlock)
        services.keys.unlock(wanted.passphrase, wanted.code)
        return view()

    @routes.post("/vault/kit")
    def make_kit() -> Response:
        return kit(services.keys.make_kit(body(MakeKit).passphrase))

    @routes.post("/vault/revoke")
    def revoke() -> Response:
        wanted = body(Revoke)
        return kit(services.keys.revoke(wanted.device_id, wanted.passphrase))

    return routes


def _named(name: str) -> str:
    if not re.fullmatch(KEY_NAME, name):
        raise OutriderError("bad_request", detail="a key's name has small letters, digits and underscores")
    return name
