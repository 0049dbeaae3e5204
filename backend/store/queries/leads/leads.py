"""A campaign's leads: one of them, also as other tools are given it, how many there are, and those that wait for their task."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from backend.domain.leads.lead_merge import GONE, MergeFields
from backend.domain.model.lead import BELOW_LEAST_SCORE, Lead, LeadStatus
from backend.domain.model.site import Relation
from backend.domain.model.variables import GREETING, Recipient, more_of
from backend.domain.turn.snapshot import MAX_LEADS
from backend.domain.values.errors import OutriderError
from backend.store.database import DatabaseConnection
from backend.store.rows import batched, marks

LEAD_COLUMNS = (
    "id, campaign_id, full_name, profile_url, member_key, job_title, company, status, weight_score, sequence_step,"
    " relation, invited_at, accepted_at, last_sent_at, thread_read_at, replied_at, visited_at, finished, blocked, headline,"
    " paused_until, label, answers, email, extra, tags, claimed_at, withdrawn_at, priority_override"
)


def lead(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> Lead | None:
    """The lead, if it is this campaign's."""
    row = connection.execute(
        f"SELECT {LEAD_COLUMNS} FROM leads WHERE id=? AND campaign_id=?", (lead_id, campaign_id)
    ).fetchone()
    return _lead(row) if row else None


def existing_lead(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> Lead:
    """The campaign's lead; raises `lead_unknown`."""
    record = lead(connection, campaign_id, lead_id)
    if record is None:
        raise OutriderError("lead_unknown", lead=lead_id)
    return record


@lru_cache(maxsize=64)  # a turn reads its lead several times
def _lead(row: tuple[Any, ...]) -> Lead:
    return read_lead(row)


def read_lead(row: Sequence[Any]) -> Lead:
    """A lead from its columns (`LEAD_COLUMNS`)."""
    fields = list(row)
    fields[7], fields[10], fields[22] = LeadStatus(row[7]), Relation(row[10]), read_answers(row[22])
    return Lead(*fields)


def read_answers(column: str) -> tuple[str, ...]:
    """What came of the conditions of a lead's sequence, as its column has it."""
    return () if column == "[]" else tuple(json.loads(column))


class KnownLead(NamedTuple):
    """A lead as far as a lead file may say more of it; `extra` and `tags` in JSON."""

    id: str
    full_name: str
    member_key: str
    profile_url: str
    job_title: str
    company: str
    email: str
    connected_on: str | None
    extra: str
    tags: str
    blocked: str
    status: str

    def merge_fields(self) -> MergeFields:
        """What it has of what a file can change."""
        return MergeFields(
            self.job_title,
            self.company,
            self.email,
            self.connected_on or "",
            self.profile_url,
            self.member_key,
            json.loads(self.extra),
            tuple(json.loads(self.tags)),
        )


_KNOWN = ", ".join(KnownLead._fields)


def leads_of_members(connection: DatabaseConnection, campaign_id: str, keys: Iterable[str]) -> dict[str, KnownLead]:
    """Identity -> the lead that has it."""
    leads_by_key: dict[str, KnownLead] = {}
    for batch in batched(keys):
        rows = connection.execute(
            f"SELECT {_KNOWN} FROM leads WHERE campaign_id=? AND member_key IN ({marks(batch)})", (campaign_id, *batch)
        )
        leads_by_key |= {row[2]: KnownLead(*row) for row in rows}
    return leads_by_key


def leads_of_emails(
    connection: DatabaseConnection, campaign_id: str, emails: Iterable[str]
) -> dict[str, list[KnownLead]]:
    """E-mail address in lower case -> the leads that have it."""
    leads_by_email: dict[str, list[KnownLead]] = {}
    for batch in batched(emails):
        rows = connection.execute(
            f"SELECT {_KNOWN}, lower(email) FROM leads WHERE lower(email) IN ({marks(batch)})"
            " AND email<>'' AND campaign_id=?",
            (*batch, campaign_id),
        )
        for row in rows:
            leads_by_email.setdefault(row[-1], []).append(KnownLead(*row[:-1]))
    return leads_by_email


def merge_fields(connection: DatabaseConnection, lead_id: str) -> MergeFields:
    """What that lead has of what a file can change."""
    row = connection.execute(f"SELECT {_KNOWN} FROM leads WHERE id=?", (lead_id,)).fetchone()
    return KnownLead(*row).merge_fields()


def in_other_campaigns(connection: DatabaseConnection, campaign_id: str, keys: Collection[str]) -> set[str]:
    """Those of the identities that are leads of another campaign."""
    others = [row[0] for row in connection.execute("SELECT id FROM campaigns WHERE id<>?", (campaign_id,))]
    leads_of_others = (leads_of_members(connection, other, keys) for other in others)
    return {key for leads in leads_of_others for key, lead in leads.items() if lead.blocked not in GONE}


def recipient(connection: DatabaseConnection, lead_id: str) -> Recipient | None:
    """What templates may say of this lead."""
    row = connection.execute(
        "SELECT full_name, company, job_title, email, extra, greeting_name FROM leads WHERE id=?", (lead_id,)
    ).fetchone()
    if row is None:
        return None
    name, company, title, email, extra, greeting_name = row
    return Recipient(name, company, title, email, more_of(extra, greeting_name))


def lead_counts(connection: DatabaseConnection, campaign_id: str) -> dict[str, int]:
    """Leads by status."""
    return dict(connection.execute("SELECT status, n FROM lead_counts WHERE campaign_id=? AND n>0", (campaign_id,)))


def has_uncounted_leads(connection: DatabaseConnection, campaign_id: str) -> bool:
    """Whether any lead was taken back with its import, moved to another campaign, or erased."""
    row = connection.execute("SELECT 1 FROM leads WHERE campaign_id=? AND NOT is_counted LIMIT 1", (campaign_id,))
    return row.fetchone() is not None


_PRIORITY = "coalesce(priority_override, weight_score)"
_LEAST = "coalesce((SELECT c.settings ->> '$.limits.least_score' FROM campaigns c WHERE c.id = leads.campaign_id), 0)"
_BELOW = f"{_PRIORITY} < {_LEAST}"
"""Whoever is not begun with for their score; the same as `Limits.begin_with`, for as many leads as there are."""


class NextLead(NamedTuple):
    """A lead that waits for its task."""

    id: str
    full_name: str
    member_key: str
    profile_url: str
    priority: int
    connected_on: str
    """As the lead file says it, `CONNECTED_DATE_UNKNOWN` if only that they are, empty if it does not."""


def unplanned_leads(connection: DatabaseConnection, campaign_id: str, limit: int) -> list[NextLead]:
    """The next leads to plan: highest priority first, ties by the most recently updated profile, then as imported.

    Nobody below the campaign's least score; without a score last.
    """
    least = connection.execute(
        "SELECT coalesce(settings ->> '$.limits.least_score', 0) FROM campaigns WHERE id=?", (campaign_id,)
    ).fetchone()
    leads: list[NextLead] = []
    scored, unscored = (
        (f"{_PRIORITY} >= ?", f"{_PRIORITY} DESC, ", least[0] if least else 0),
        (f"{_PRIORITY} IS ?", "", None),
    )
    for condition, order, value in (scored, unscored):  # SQLite would sort those without a score, too
        rows = connection.execute(
            f"SELECT id, full_name, member_key, profile_url, {_PRIORITY}, coalesce(connected_on, '') FROM leads"
            f" WHERE campaign_id=? AND sequence_step IS NULL AND blocked='' AND {condition}"
            f" ORDER BY {order}profile_updated_at DESC, position, id LIMIT ?",
            (campaign_id, value, limit - len(leads)),
        )
        leads += [NextLead(id_, name, key, url, priority or 0, on) for id_, name, key, url, priority, on in rows]
    return leads


def held_leads(connection: DatabaseConnection, campaign_id: str) -> Iterator[Lead]:
    """Leads that are held back until their person is free, or it is settled who they are."""
    rows = connection.execute(
        f"SELECT {LEAD_COLUMNS} FROM leads WHERE campaign_id=? AND blocked IN ('in_doubt', 'in_touch_elsewhere')"
        " ORDER BY id",
        (campaign_id,),
    )
    return map(read_lead, rows)


def leads_with_drafts(connection: DatabaseConnection, campaign_id: str) -> Iterator[Lead]:
    """Leads that nothing blocks and of whose sequence a text waits to be approved."""
    rows = connection.execute(
        f"SELECT {LEAD_COLUMNS} FROM leads WHERE blocked='' AND id IN (SELECT lead_id FROM messages"
        " WHERE campaign_id=? AND status='draft' AND step NOT LIKE 'answer:%') ORDER BY id",
        (campaign_id,),
    )
    return map(read_lead, rows)


def unplanned_lead(connection: DatabaseConnection, campaign_id: str, lead_id: str) -> NextLead | None:
    """That lead, if it waits for its task."""
    row = connection.execute(
        f"SELECT id, full_name, member_key, profile_url, {_PRIORITY}, coalesce(connected_on, '') FROM leads"
        f" WHERE id=? AND campaign_id=? AND sequence_step IS NULL AND blocked='' AND ({_BELOW}) IS NOT TRUE",
        (lead_id, campaign_id),
    ).fetchone()
    return NextLead(row[0], row[1], row[2], row[3], row[4] or 0, row[5]) if row else None


def top_leads(connection: DatabaseConnection, campaign_id: str) -> tuple[tuple[str, int | None], ...]:
    """Names and scores of the next leads."""
    return tuple((lead.full_name, lead.priority) for lead in unplanned_leads(connection, campaign_id, MAX_LEADS))


def full_name(connection: DatabaseConnection, lead_id: str) -> str | None:
    """The lead's name, in whatever campaign."""
    row = connection.execute("SELECT full_name FROM leads WHERE id=?", (lead_id,)).fetchone()
    return row[0] if row else None


class LeadEdits(NamedTuple):
    """What the user has set on a lead by hand: columns of it, by their names."""

    notes: str
    tags: list[str]
    priority_override: int | None
    greeting_name: str


def edits(connection: DatabaseConnection, lead_id: str) -> LeadEdits:
    """What the user has set on this lead."""
    row = connection.execute(f"SELECT {', '.join(LeadEdits._fields)} FROM leads WHERE id=?", (lead_id,)).fetchone()
    values = dict(zip(LeadEdits._fields, row, strict=True))
    return LeadEdits(**values | {"tags": json.loads(values["tags"])})


def has_unscored(connection: DatabaseConnection, campaign_id: str) -> bool:
    """Whether a lead has no score yet."""
    row = connection.execute("SELECT 1 FROM leads WHERE campaign_id=? AND weight_score IS NULL LIMIT 1", (campaign_id,))
    return row.fetchone() is not None


def count_unplannable(connection: DatabaseConnection, campaign_id: str) -> int:
    """How many leads will never have a task; looks at every lead."""
    row = connection.execute(
        "SELECT count(*) FROM leads WHERE campaign_id=? AND sequence_step IS NULL AND is_counted"
        f" AND (blocked<>'' OR {_BELOW})",
        (campaign_id,),
    )
    return int(row.fetchone()[0])


class LeadProfile(NamedTuple):
    """What a lead's profile shows."""

    profile_url: str
    full_name: str
    job_title: str
    company: str


def profiles(connection: DatabaseConnection, campaign_id: str) -> list[LeadProfile]:
    """The profiles of all leads; its cost grows with the campaign."""
    rows = connection.execute(
        "SELECT profile_url, full_name, job_title, company FROM leads WHERE campaign_id=?", (campaign_id,)
    )
    return [LeadProfile(*row) for row in rows]


class LeadRecord(NamedTuple):
    """What is recorded of a lead beside what the list shows; `extra` in JSON, times in ms UTC.

    `file` and `imported_at` are of the import it came with, which is empty and None where there was none.
    """

    profile_url: str
    email: str
    connected_on: str
    headline: str
    extra: str
    notes: str
    position: int
    visited_at: int | None
    invited_at: int | None
    accepted_at: int | None
    replied_at: int | None
    file: str
    imported_at: int | None


_RECORD = """
SELECT l.profile_url, l.email, l.connected_on, l.headline, l.extra, l.notes, l.position, l.visited_at, l.invited_at,
       l.accepted_at, l.replied_at, coalesce(i.file, ''), i.created_at
FROM leads l LEFT JOIN imports i ON i.id = l.import_id WHERE l.id = ?
"""


def record(connection: DatabaseConnection, lead_id: str) -> LeadRecord | None:
    """What is recorded of that lead."""
    row = connection.execute(_RECORD, (lead_id,)).fetchone()
    return LeadRecord(*row) if row else None


class ExportedLead(NamedTuple):
    """A lead as it is exported; `tags` and `extra` in JSON."""

    full_name: str
    job_title: str
    company: str
    email: str
    profile_url: str
    connected_on: str
    status: str
    weight_score: int | None
    priority_override: int | None
    headline: str
    blocked: str
    finished: str
    notes: str
    tags: str
    extra: str


WITH_GREETING = f"CASE greeting_name WHEN '' THEN extra ELSE json_set(extra, '$.{GREETING}', greeting_name) END"
"""The further columns as they are exported: with the user's greeting name, so that it comes back with them."""
_EXPORTED = f"SELECT {', '.join(ExportedLead._fields[:-1])}, {WITH_GREETING} FROM leads WHERE id=?"


def exported(connection: DatabaseConnection, lead_id: str) -> ExportedLead:
    """That lead as it is exported."""
    return ExportedLead(*connection.execute(_EXPORTED, (lead_id,)).fetchone())


def of_person(
    connection: DatabaseConnection, campaign_ids: Iterable[str], lead_id: str, member_key: str
) -> list[tuple[str, str]]:
    """(campaign, lead) of the lead with that id, or of that person in each of these campaigns."""
    by_key = "SELECT campaign_id, id FROM leads WHERE campaign_id=:c AND member_key=:k"
    by_id = "SELECT campaign_id, id FROM leads WHERE id=:id AND campaign_id=:c"
    rows = (
        connection.execute(f"{by_key} UNION {by_id}", {"c": campaign_id, "k": member_key, "id": lead_id}).fetchone()
        for campaign_id in campaign_ids
    )
    return [row for row in rows if row is not None]


def member_key(connection: DatabaseConnection, lead_id: str) -> str | None:
    """By what the lead's person is known, in whatever campaign."""
    row = connection.execute("SELECT member_key FROM leads WHERE id=?", (lead_id,)).fetchone()
    return row[0] if row else None


def leads_by_profile(connection: DatabaseConnection, campaign_id: str) -> dict[str, tuple[str, str]]:
    """The lead with each profile address, and since when the file says that they are connected; looks at all leads."""
    rows = connection.execute(
        "SELECT profile_url, id, coalesce(connected_on, '') FROM leads WHERE campaign_id=?", (campaign_id,)
    )
    return {url: (lead_id, connected_on) for url, lead_id, connected_on in rows}


def finished_counts(connection: DatabaseConnection, campaign_id: str) -> dict[str, int]:
    """How many sequences ended, by the reason; looks at all leads."""
    rows = connection.execute(
        "SELECT finished, count(*) FROM leads WHERE campaign_id=? AND is_counted AND finished<>'' GROUP BY 1 ORDER BY 1",
        (campaign_id,),
    )
    return dict(rows.fetchall())


def left_out_counts(connection: DatabaseConnection, campaign_id: str) -> dict[str, int]:
    """How many get nothing, by what is in the way; looks at all leads."""
    rows = connection.execute(
        f"SELECT iif(blocked='', '{BELOW_LEAST_SCORE}', blocked), count(*) FROM leads"
        " WHERE campaign_id=? AND is_counted AND finished=''"
        f" AND (blocked<>'' OR sequence_step IS NULL AND {_BELOW}) GROUP BY 1 ORDER BY 1",
        (campaign_id,),
    )
    return dict(rows.fetchall())


def answer_counts(connection: DatabaseConnection, campaign_id: str) -> Counter[str]:
    """How many have each answer to a condition, as it is recorded; looks at all leads."""
    counts: Counter[str] = Counter()
    for answers, people in connection.execute(
        "SELECT answers, count(*) FROM leads WHERE campaign_id=? AND is_counted AND answers<>'[]' GROUP BY 1",
        (campaign_id,),
    ):
        for answer in json.loads(answers):
            counts[answer] += people
    return counts


def count_unplanned(connection: DatabaseConnection, campaign_id: str) -> int:
    """How many are still to be begun with."""
    row = connection.execute(
        "SELECT count(*) FROM leads WHERE campaign_id=? AND sequence_step IS NULL AND blocked=''"
        f" AND ({_BELOW}) IS NOT TRUE",
        (campaign_id,),
    )
    return int(row.fetchone()[0])


class ExchangedText(NamedTuple):
    """A text that was sent, or a reply; `at` in ms UTC, None when nobody knows."""

    theirs: bool
    text: str
    at: int | None


class LeadExchange(NamedTuple):
    """A lead and its texts, oldest first; times in ms UTC."""

    email: str
    full_name: str
    company: str
    job_title: str
    profile_url: str
    reason: str
    id: str
    score: int | None
    status: str
    tags: list[str]
    extra: dict[str, str]
    connected_on: str | None
    invited_at: int | None
    accepted_at: int | None
    last_sent_at: int | None
    replied_at: int | None
    texts: list[ExchangedText]


_COLUMNS = LeadExchange._fields[:-1]
_SPELLED = {"extra": WITH_GREETING, "reason": "coalesce(nullif(blocked, ''), finished)", "score": "weight_score"}
_LEAD = f"SELECT {', '.join(_SPELLED.get(name, name) for name in _COLUMNS)} FROM leads WHERE id=?"
_TEXTS = (
    "SELECT kind = 'reply', text, sent_at FROM messages WHERE lead_id=? AND (status IN ('sent', 'found') OR kind = 'reply')"
    " ORDER BY coalesce(sent_at, created_at), id"
)


def lead_exchange(connection: DatabaseConnection, lead_id: str) -> LeadExchange:
    """That lead, which is there."""
    row = dict(zip(_COLUMNS, connection.execute(_LEAD, (lead_id,)).fetchone(), strict=True))
    texts = [ExchangedText(bool(theirs), text, at) for theirs, text, at in connection.execute(_TEXTS, (lead_id,))]
    return LeadExchange(**{**row, "tags": json.loads(row["tags"]), "extra": json.loads(row["extra"]), "texts": texts})
