"""Wake requests of this device: armed ones are timers, settled ones say what came of them."""

from dataclasses import dataclass
from typing import Literal

from backend.store.database import DatabaseConnection
from backend.store.rows import TableReader

WakeReason = Literal["manual", "timer"]
WakeStatus = Literal["armed", "woken", "cancelled", "refused"]

MOST_KEPT = 50


@dataclass(frozen=True, slots=True)
class WakeRequest:
    """Somebody wanted the campaign woken at `due_at` (ms UTC); `said` is why it was refused."""

    id: int
    campaign_id: str
    reason: WakeReason
    input: str
    asked_at: int
    due_at: int
    status: WakeStatus
    settled_at: int | None
    said: str


_REQUESTS = TableReader(f"SELECT {', '.join(WakeRequest.__annotations__)} FROM wake_requests", WakeRequest)


def arm(
    connection: DatabaseConnection, campaign_id: str, reason: WakeReason, text: str, asked_at: int, due_at: int
) -> int:
    """Keep one; its id. The oldest settled ones beyond the bound go."""
    cursor = connection.execute(
        "INSERT INTO wake_requests (campaign_id, reason, input, asked_at, due_at, status) VALUES (?,?,?,?,?,'armed')",
        (campaign_id, reason, text, asked_at, due_at),
    )
    connection.execute(
        "DELETE FROM wake_requests WHERE campaign_id=:c AND status<>'armed' AND id <="
        " (SELECT id FROM wake_requests WHERE campaign_id=:c ORDER BY id DESC LIMIT 1 OFFSET :most)",
        {"c": campaign_id, "most": MOST_KEPT},
    )
    return int(cursor.lastrowid or 0)


def settle(connection: DatabaseConnection, request_id: int, status: WakeStatus, at: int, reason: str = "") -> bool:
    """What came of an armed one; its words go. False if it is not armed any more."""
    cursor = connection.execute(
        "UPDATE wake_requests SET status=?, settled_at=?, said=?, input='' WHERE id=? AND status='armed'",
        (status, at, reason, request_id),
    )
    return cursor.rowcount == 1


def armed(connection: DatabaseConnection) -> list[WakeRequest]:
    """Those that wait, the next one first."""
    return _REQUESTS.every(connection, "WHERE status='armed' ORDER BY due_at, id")


def recent(connection: DatabaseConnection, campaign_id: str, limit: int) -> list[WakeRequest]:
    """The campaign's, the latest first."""
    return _REQUESTS.every(connection, "WHERE campaign_id=? ORDER BY id DESC LIMIT ?", (campaign_id, limit))


def armed_of(connection: DatabaseConnection, campaign_id: str, request_id: int) -> WakeRequest | None:
    """That armed one of the campaign."""
    return _REQUESTS.first(connection, "WHERE id=? AND campaign_id=? AND status='armed'", (request_id, campaign_id))
