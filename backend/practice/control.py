"""The control API under /_practice/: JSON, loopback only; for the program that started the network, not for pages."""

from typing import Any, Literal

from flask import Blueprint, Response, jsonify, request
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from werkzeug.exceptions import BadRequest, Forbidden, HTTPException, UnsupportedMediaType

from backend.practice.faults import Fault
from backend.practice.launch_secrets import TOKEN_HEADER, same
from backend.practice.network_store import NetworkStore
from backend.practice.people import PersonCard

SLUG = r"^[^\s/\\?#%\x00-\x1f]{1,120}$"
LINE = r"^[^\x00-\x1f]*$"


class NewPerson(BaseModel):
    """A person added at run time; connected is for one who already was a contact."""

    model_config = ConfigDict(strict=True, extra="forbid")

    slug: str = Field(pattern=SLUG)
    name: str = Field(min_length=1, max_length=200, pattern=LINE)
    headline: str = Field(default="", max_length=400, pattern=LINE)
    company: str = Field(default="", max_length=200, pattern=LINE)
    connected: bool = False


class RestoredContact(BaseModel):
    """One thing that passed; `reply` is theirs."""

    model_config = ConfigDict(strict=True, extra="forbid")

    kind: Literal["invitation", "message", "reply"]
    at: int = Field(ge=0)
    text: str


class RestoredPerson(BaseModel):
    """What passed with a person on another machine's network, oldest first."""

    model_config = ConfigDict(strict=True, extra="forbid")

    slug: str = Field(pattern=SLUG)
    connected_at: int | None
    past: list[RestoredContact]


class ClockSetting(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")

    now: int = Field(ge=0, le=32_503_680_000_000)  # the year 3000


NEWCOMERS = TypeAdapter(list[NewPerson])
RESTORED = TypeAdapter(list[RestoredPerson])


def create_control(exchange: NetworkStore, token: str) -> Blueprint:
    """Whoever shows the launch's `token` may read the ledger and change what happens; the app checks the Host."""
    control = Blueprint("control", __name__, url_prefix="/_practice")

    @control.before_request
    def guard() -> None:
        if not same(request.headers.get(TOKEN_HEADER, ""), token):
            raise Forbidden("The control API is for the program that started the network.")
        origin = request.headers.get("Origin")
        if origin and origin != f"http://{request.host}":
            raise Forbidden("The control API is not for other sites.")
        if request.method == "POST" and not request.is_json:
            raise UnsupportedMediaType("The control API takes application/json.")

    @control.errorhandler(HTTPException)
    def refuse(error: HTTPException) -> tuple[Response, int]:
        return jsonify(error=error.name, message=error.description), error.code or 500

    @control.errorhandler(ValidationError)
    def reject(error: ValidationError) -> tuple[Response, int]:
        problems = [f"{'.'.join(map(str, row['loc']))}: {row['msg']}".lstrip(": ") for row in error.errors()]
        return jsonify(error="Bad Request", message="; ".join(problems)), 400

    @control.get("/health")
    def health() -> dict[str, Any]:
        return exchange.read(
            lambda network: {"ok": True, "now": network.now, "people": len(network.people), "entries": network.count}
        )

    @control.post("/people")
    def people() -> dict[str, Any]:
        newcomers = NEWCOMERS.validate_json(request.data)
        cards = [PersonCard(row.slug, row.name, row.headline, row.company, row.connected) for row in newcomers]
        entry = exchange.record(lambda network: network.enrol(cards, network.now))
        total = exchange.read(lambda network: len(network.people))
        return {"added": len(entry.detail["people"]) if entry else 0, "people": total}

    @control.post("/histories")
    def histories() -> dict[str, Any]:
        restored = [row.model_dump() for row in RESTORED.validate_json(request.data)]
        exchange.record(lambda network: network.restore(restored, network.now))
        return {"restored": len(restored)}

    @control.post("/clock")
    def clock() -> dict[str, int]:
        setting = ClockSetting.model_validate_json(request.data)
        exchange.record(lambda network: network.advance(setting.now))
        return {"now": exchange.read(lambda network: network.now)}

    @control.post("/faults")
    def arm() -> dict[str, Any]:
        fault = Fault.model_validate_json(request.data)
        exchange.record(lambda network: network.arm(fault, network.now))
        return {"faults": exchange.read(lambda network: network.faults.waiting())}

    @control.get("/faults")
    def armed() -> dict[str, Any]:
        return {"faults": exchange.read(lambda network: network.faults.waiting())}

    @control.delete("/faults")
    def disarm() -> dict[str, Any]:
        exchange.record(lambda network: network.clear_faults(network.now))
        return {"faults": []}

    @control.get("/ledger")
    def ledger() -> dict[str, Any]:
        try:
            after = int(request.args.get("after", "0"))
        except ValueError as error:
            raise BadRequest("after must be a number.") from error
        return {"entries": [entry.as_dict() for entry in exchange.entries(after)]}

    return control
