"""Who stands where in a campaign's sequence, and the texts that wait: counted by the database, whatever the number of leads."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from backend.domain.model.lead import Lead
from backend.domain.model.message import MessageStatus
from backend.domain.model.site import Relation
from backend.domain.model.variables import Recipient, more_of
from backend.domain.sequence.sequence_change import OpenText, Position, Standing
from backend.store.database import DatabaseConnection
from backend.store.queries.leads.leads import LEAD_COLUMNS, read_answers, read_lead
from backend.store.queries.people.person_leads import IS_ERASED

# A lead whose task is blocked or cancelled is held; one that answered is over, where an answer ends it.
_STANDING = """
CASE WHEN l.finished<>'' OR (l.replied_at IS NOT NULL AND :stops) OR t.status IN ('done', 'cancelled', 'verifying') THEN 'over'
     WHEN l.blocked<>'' OR t.status='blocked' THEN 'held'
     WHEN l.sequence_step IS NULL THEN 'unplanned' ELSE 'running' END"""
_LEADS = "FROM leads l LEFT JOIN tasks t ON t.lead_id = l.id AND t.kind='reach_lead'"


def positions(connection: DatabaseConnection, campaign_id: str, *, stops: bool) -> dict[Position, int]:
    """How many leads stand where; looks at all of them. `stops` is whether an answer ends the sequence."""
    rows = connection.execute(
        f"SELECT {_STANDING}, l.sequence_step, l.relation, l.answers, count(*) {_LEADS} WHERE l.campaign_id=:c AND l.is_counted"
        " GROUP BY 1, 2, 3, 4",
        {"c": campaign_id, "stops": stops},
    )
    return {Position(Standing(row[0]), row[1], Relation(row[2]), read_answers(row[3])): row[4] for row in rows}


class PersonAt(NamedTuple):
    """A lead and where it stands."""

    id: str
    name: str
    position: Position


def people_at(
    connection: DatabaseConnection, campaign_id: str, standing: Standing, *, stops: bool
) -> Iterator[PersonAt]:
    """The leads of one standing, in no order of note."""
    rows = connection.execute(
        f"SELECT l.id, l.full_name, l.sequence_step, l.relation, l.answers {_LEADS}"
        f" WHERE l.campaign_id=:c AND l.is_counted AND {_STANDING} = :standing ORDER BY l.id",
        {"c": campaign_id, "stops": stops, "standing": standing},
    )
    for id_, name, step, relation, answers in rows:
        yield PersonAt(id_, name, Position(standing, step, Relation(relation), read_answers(answers)))


def leads_ahead(connection: DatabaseConnection, campaign_id: str, *, stops: bool) -> Iterator[tuple[Lead, Position]]:
    """Every lead that has something before it, whole, and where it stands; looks at all of them."""
    columns = ", ".join(f"l.{name.strip()}" for name in LEAD_COLUMNS.split(","))
    rows = connection.execute(
        f"SELECT {_STANDING}, {columns} {_LEADS} WHERE l.campaign_id=:c AND {_STANDING} <> 'over'",
        {"c": campaign_id, "stops": stops},
    )
    for row in rows:
        lead = read_lead(row[1:])
        yield lead, Position(Standing(row[0]), lead.sequence_step, lead.relation, lead.answers)


_TEXTS = (
    f"SELECT m.id, m.lead_id, m.step, m.status, {_STANDING}, l.sequence_step, l.relation, l.full_name, l.company, l.job_title,"
    f" l.email, l.extra, l.greeting_name, m.variant, l.answers FROM messages m JOIN leads l ON l.id = m.lead_id"
    " LEFT JOIN tasks t ON t.lead_id = l.id AND t.kind='reach_lead' WHERE m.campaign_id=:c AND m.status=:status AND m.step<>''"
    " AND m.step NOT LIKE 'answer:%'"
)


def open_texts(connection: DatabaseConnection, campaign_id: str, *, stops: bool) -> list[OpenText]:
    """What waits for the user or to be sent; what is being sent, or may have been, is not among it."""
    texts = []
    for status in (MessageStatus.DRAFT, MessageStatus.APPROVED):
        # Spelled out, so that the partial index of each is used.
        sql = _TEXTS.replace(":status", f"'{status}'")
        for row in connection.execute(sql, {"c": campaign_id, "stops": stops}):
            position = Position(Standing(row[4]), row[5], Relation(row[6]), read_answers(row[14]))
            to = Recipient(row[7], row[8], row[9], row[10], more_of(row[11], row[12]))
            texts.append(OpenText(row[0], row[1], row[2], MessageStatus(row[3]), position, to, row[13]))
    return texts


def cancelled_texts(connection: DatabaseConnection, campaign_id: str, reason: str) -> list[tuple[str, str, str]]:
    """(id, lead, step) of the texts that were cancelled for that reason, oldest first."""
    rows = connection.execute(
        "SELECT id, lead_id, step FROM messages WHERE campaign_id=? AND status='cancelled' AND reason=? ORDER BY id",
        (campaign_id, reason),
    )
    return [(id_, lead_id, step) for id_, lead_id, step in rows]


class StepCount(NamedTuple):
    """How many of a step's texts went out, and how many wait in Review or are approved."""

    sent: int
    drafts: int
    approved: int


def texts_by_step(connection: DatabaseConnection, campaign_id: str) -> dict[str, StepCount]:
    """Looks at all texts of the campaign."""
    rows = connection.execute(
        "SELECT step, sum(status='sent'), sum(status='draft'), sum(status='approved') FROM messages"
        " WHERE campaign_id=?1 AND step<>'' AND lead_id NOT IN"
        f" (SELECT id FROM leads WHERE campaign_id=?1 AND NOT is_counted AND {IS_ERASED}) GROUP BY step",
        (campaign_id,),
    )
    return {row[0]: StepCount(*row[1:]) for row in rows}


def replies_after(connection: DatabaseConnection, campaign_id: str) -> dict[int, int]:
    """How many have answered, by their `sequence_step`."""
    rows = connection.execute(
        "SELECT sequence_step, count(*) FROM leads WHERE campaign_id=? AND is_counted AND replied_at IS NOT NULL"
        " AND sequence_step IS NOT NULL"
        " GROUP BY 1",
        (campaign_id,),
    )
    return dict(rows.fetchall())


def recipients(
    connection: DatabaseConnection, campaign_id: str, *, with_columns: bool
) -> Iterable[tuple[str, str, str, str, str, str]]:
    """(name, company, job title, email, further columns in JSON, greeting name) of every lead."""
    extra = "extra, greeting_name" if with_columns else "'{}', ''"
    return connection.execute(
        f"SELECT full_name, company, job_title, email, {extra} FROM leads WHERE campaign_id=? AND is_counted",
        (campaign_id,),
    )
