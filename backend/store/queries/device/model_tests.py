"""What the last test of each connection to a model showed on this machine; another one may reach other servers, so no events."""

from backend.domain.model.connection import Connection, ConnectionTest
from backend.store.database import DatabaseConnection


def remember(connection: DatabaseConnection, tested: Connection, test: ConnectionTest) -> None:
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
