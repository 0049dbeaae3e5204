"""Connections to models, what the last test of each showed on this machine, and what models have cost."""

from dataclasses import dataclass

from pydantic import ValidationError

from backend.domain.events.events import WORKSPACE
from backend.domain.model.connection import Connection, ConnectionTest
from backend.ports.proposer import ModelUsage
from backend.store.database import DatabaseConnection
from backend.store.queries.device.configuration import REMOVED, configuration


def model_spend(connection: DatabaseConnection, campaign_id: str) -> tuple[int, int]:
    """(tokens, micros) that models have cost the campaign so far."""
    row = connection.execute(
        "SELECT coalesce(sum(tokens_in + tokens_out), 0), coalesce(sum(cost_micros), 0) FROM model_spend WHERE campaign_id=?",
        (campaign_id,),
    ).fetchone()
    return int(row[0]), int(row[1])


MODEL = "model:"
"""How the names of connections to models begin in the workspace's configuration."""


def model_connection(connection: DatabaseConnection, connection_id: str) -> Connection | None:
    """The connection to a model, if there is one of that id."""
    value = configuration(connection, MODEL + connection_id)
    return None if value is None else _connection(value)


def model_connections(connection: DatabaseConnection) -> list[Connection]:
    """All connections to models, by their names; people have a handful."""
    rows = connection.execute(
        "SELECT value FROM config_kv WHERE campaign_id=? AND id>=? AND id<? ORDER BY id", (WORKSPACE, MODEL, "model;")
    )
    candidates = (_connection(value) for (value,) in rows)
    return sorted(filter(None, candidates), key=lambda candidate: (candidate.name.casefold(), candidate.id))


def _connection(value: str) -> Connection | None:
    if value == REMOVED:
        return None
    try:
        return Connection.model_validate_json(value)
    except ValidationError:  # kept by a later version
        return None


@dataclass(frozen=True, slots=True)
class ModelSpending(ModelUsage):
    """What one model has cost a campaign."""

    replies: int


def spending_by_model(connection: DatabaseConnection, campaign_id: str) -> list[ModelSpending]:
    """What each model has cost the campaign."""
    rows = connection.execute(
        "SELECT model, tokens_in, tokens_out, cost_micros, replies FROM model_spend WHERE campaign_id=? ORDER BY model",
        (campaign_id,),
    )
    return [ModelSpending(*row) for row in rows]


def remember_test(connection: DatabaseConnection, tested: Connection, test: ConnectionTest) -> None:
    """This is what the last one showed."""
    row = (tested.id, tested.model_dump_json(), test.failure)
    connection.execute("INSERT OR REPLACE INTO model_tests VALUES (?, ?, ?)", row)


def why_untested(connection: DatabaseConnection, model_connection: Connection) -> str:
    """What is to be known before it is used, "" if it worked exactly as it is now."""
    row = connection.execute(
        "SELECT connection, failure FROM model_tests WHERE connection_id=?", (model_connection.id,)
    ).fetchone()
    if row is None or row[0] != model_connection.model_dump_json():
        return "Not tested on this machine."
    return f"The last test failed: {row[1]}" if row[1] else ""
