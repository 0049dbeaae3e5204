"""Response rates: how many of each group of contacted leads have answered, over a bounded number of the latest."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from backend.domain.model.days import OffsetAt, count_by_day, local_day
from backend.domain.model.lead import LeadStatus
from backend.domain.reports.attribution import OurMessage, ReplyTime, attribute
from backend.domain.values.errors import OutriderError
from backend.store.database import DatabaseConnection
from backend.store.queries.leads import leads
from backend.store.queries.people.person_leads import NOT_ERASED, in_touch
from backend.store.queries.reports import attributions
from backend.store.queries.reports.attributions import LeadConversation

COUNTED = 5_000
"""Contacted leads that a rate is taken over, the latest; at the usual limit that is more than a year."""
GROUPS = 8
SAMPLE = 200
MOST_FIELDS = 40

# A lead that was rejected unseen never belonged to those who could answer.
WAS_CONTACTED = f"(status IN ('contacted', 'responded') OR {in_touch()}) AND {NOT_ERASED}"
_LATEST = f"FROM leads WHERE campaign_id=:c AND status<>'pending' AND {WAS_CONTACTED} ORDER BY id DESC LIMIT :most"


class _Field(NamedTuple):
    title: str
    column: str
    sql: str  # the value as text; '' when there is none


_FIELDS = {
    "job_title": _Field("Job title", "job_title", "trim(job_title)"),
    "company": _Field("Company", "company", "trim(company)"),
    "score": _Field(
        "Score",
        "weight_score",
        "CASE WHEN weight_score IS NULL THEN '' WHEN weight_score>=80 THEN '80 to 100'"
        " ELSE (weight_score/20*20) || ' to ' || (weight_score/20*20+19) END",
    ),
    "tag": _Field("Tag", "tags", "tags"),
}
_EXTRA = "extra:"
"""A column of the lead file that has none of its own: `extra:Industry`."""

_EACH = {
    "tag": f"SELECT CAST(j.value AS TEXT) AS value, t.replied FROM (SELECT tags, replied_at IS NOT NULL AS replied {_LATEST}) t,"
    " json_each(t.tags) j",
    _EXTRA: "SELECT trim(coalesce((SELECT j.value FROM json_each(t.extra) j WHERE j.key=:name), '')) AS value, t.replied"
    f" FROM (SELECT extra, replied_at IS NOT NULL AS replied {_LATEST}) t",
}

_GROUPED = """
SELECT value, count(*) AS n, sum(replied), count(*) OVER (), sum(count(*)) OVER (), sum(sum(replied)) OVER ()
FROM ({rows}) GROUP BY value COLLATE NOCASE ORDER BY {order} LIMIT {limit}
"""


class GroupRates(NamedTuple):
    """`kind`: value, empty (they have none) or others (all values that are not listed)."""

    kind: str
    value: str
    contacted: int
    responded: int


class RatesBy(NamedTuple):
    """The groups, most contacted first, and how many values are among the others; `complete` if all leads were counted."""

    groups: tuple[GroupRates, ...]
    more: int
    counted: int
    complete: bool


def rates_by(connection: DatabaseConnection, campaign_id: str, field: str, *, most: int = COUNTED) -> RatesBy:
    """By a field's values, scores in their order, of the latest `most` leads; raises `field_unknown`."""
    name = field.removeprefix(_EXTRA)
    field_definition = _FIELDS.get(field)
    if field.startswith(_EXTRA):
        rows = _EACH[_EXTRA]
    elif field_definition is not None and field_definition.column in _columns(connection):
        rows = (
            _EACH.get(field) or f"SELECT {field_definition.sql} AS value, replied_at IS NOT NULL AS replied {_LATEST}"
        )
    else:
        raise OutriderError("field_unknown", field=field[:80])
    order = "value='', length(value), value" if field == "score" else "value='', n DESC, value"
    grouped_rows = connection.execute(
        _GROUPED.format(rows=rows, order=order, limit=GROUPS), {"c": campaign_id, "most": most, "name": name}
    ).fetchall()
    counted, complete = _counted(connection, campaign_id, most)
    groups = [GroupRates("value" if value else "empty", value, n, replied) for value, n, replied, *_ in grouped_rows]
    more = grouped_rows[0][3] - len(grouped_rows) if grouped_rows else 0
    if more:
        *_, contacted, responded = grouped_rows[0]
        groups.append(
            GroupRates(
                "others",
                "",
                contacted - sum(group.contacted for group in groups),
                responded - sum(group.responded for group in groups),
            )
        )
    return RatesBy(tuple(groups), more, counted, complete)


def fields(connection: DatabaseConnection, campaign_id: str) -> list[tuple[str, str]]:
    """(id, title) of the fields of every lead, and the further columns that the latest leads came with.

    Those of the latest who were contacted, too: a later file may lack a column that counts. And nobody need have been contacted.
    """
    columns = _columns(connection)
    own = [(id_, field.title) for id_, field in _FIELDS.items() if field.column in columns]
    extra = connection.execute(
        "SELECT DISTINCT j.key FROM"
        f" (SELECT extra FROM (SELECT extra FROM leads WHERE campaign_id=:c AND status<>'pending' ORDER BY id DESC LIMIT {SAMPLE})"
        f" UNION ALL SELECT extra FROM (SELECT extra FROM leads WHERE campaign_id=:c ORDER BY id DESC LIMIT {SAMPLE})) l,"
        f" json_each(l.extra) j ORDER BY j.key LIMIT {MOST_FIELDS}",
        {"c": campaign_id},
    )
    return own + [(f"{_EXTRA}{name}", name) for (name,) in extra]


def field_named(connection: DatabaseConnection, campaign_id: str, name: str) -> str | None:
    """The field of that id or title, upper case or not; None when the leads have no such field."""
    normalized_name = " ".join(name.replace("_", " ").lower().split())
    for id_, title in fields(connection, campaign_id):
        if normalized_name in (id_.replace("_", " ").lower(), " ".join(title.replace("_", " ").lower().split())):
            return id_
    return None


def _counted(connection: DatabaseConnection, campaign_id: str, most: int) -> tuple[int, bool]:
    (counted,) = connection.execute(
        f"SELECT count(*) FROM (SELECT 1 {_LATEST})", {"c": campaign_id, "most": most}
    ).fetchone()
    return counted, counted < most


def _columns(connection: DatabaseConnection) -> set[str]:
    return {name for (name,) in connection.execute("SELECT name FROM pragma_table_info('leads')")}


def latest_exchanges(connection: DatabaseConnection, campaign_id: str) -> list[LeadConversation]:
    """The conversations with the leads that were contacted last, COUNTED at most."""
    return list(attributions.lead_exchanges(connection, _LATEST, {"c": campaign_id, "most": COUNTED}))


class StepCounts(NamedTuple):
    """What came of a step, or of one `variant` of its text: to how many it was sent, who accepted (an invitation), and whose
    reply it earned."""

    step: str
    kind: str
    variant: str
    sent: int
    accepted: int
    replied: int


class SentOnDay(NamedTuple):
    """Texts of a step that went out on one day, and how many of them earned a reply."""

    sent: int
    replied: int


_Key = TypeVar("_Key")
_SENT_KINDS = frozenset({"invitation", "message"})


@dataclass(frozen=True, slots=True)
class SentTexts:
    """What went out to the latest contacted leads, and what came of it, by step and by local day.

    Steps are in the order in which they were first sent. `first_at` is when the first of it went out (ms UTC), `first_contacts`
    counts people by the day of their first text, or of what else made them contacted (`WAS_CONTACTED`): an invitation by hand, or
    a reply to nothing that we sent. `first_replies` counts them by the day on which they first replied. `by_day` has the texts of
    each step by day. `reply_times` is how long (ms) each took for the first reply to a step; not among them are those of whom
    nobody knows when they wrote (`undated`), and those who replied to no step (`unprompted`).
    """

    steps: list[StepCounts]
    variants: list[StepCounts]
    first_at: int | None
    first_contacts: dict[int, int]
    first_replies: dict[int, int]
    by_day: dict[str, dict[int, SentOnDay]]
    reply_times: list[int]
    undated: int
    unprompted: int


class _SentText(NamedTuple):
    """A text of a step, whether it is an invitation that was accepted, and whether it earned a reply."""

    message: OurMessage
    accepted: bool
    replied: bool


class _Outcome(NamedTuple):
    """What came of one conversation; times in ms."""

    texts: list[_SentText]
    contacted_at: int | None
    first_reply: ReplyTime | None
    reply_wait: int | None


def sent_texts(exchanges: Iterable[LeadConversation], offset_at: OffsetAt) -> SentTexts:
    """Counted over these conversations."""
    outcomes = [_outcome(lead) for lead in exchanges]
    texts = sorted((text for outcome in outcomes for text in outcome.texts), key=lambda text: text.message.sent_at)
    replied = [outcome for outcome in outcomes if outcome.first_reply is not None]
    untimed = [
        outcome.first_reply for outcome in replied if outcome.first_reply is not None and outcome.reply_wait is None
    ]
    return SentTexts(
        steps=_step_counts(texts, lambda _: ""),
        variants=sorted(each for each in _step_counts(texts, lambda message: message.variant) if each.variant),
        first_at=texts[0].message.sent_at if texts else None,
        first_contacts=_by_day(
            (outcome.contacted_at for outcome in outcomes if outcome.contacted_at is not None), offset_at
        ),
        first_replies=_by_day(
            (outcome.first_reply.at for outcome in replied if outcome.first_reply is not None), offset_at
        ),
        by_day=_texts_by_day(texts, offset_at),
        reply_times=[outcome.reply_wait for outcome in replied if outcome.reply_wait is not None],
        undated=sum(not reply.exact for reply in untimed),
        unprompted=sum(reply.exact for reply in untimed),
    )


def _outcome(lead: LeadConversation) -> _Outcome:
    attributed = attribute(lead.conversation)
    accepted = lead.accepted_at is not None
    texts = [
        _SentText(message, accepted and message.kind == "invitation", message.id in attributed.earned)
        for message in lead.conversation.our_messages
        if message.kind in _SENT_KINDS and message.is_step
    ]
    reply = attributed.first_reply
    contacts = [text.message.sent_at for text in texts] or [*lead.contacts, *([] if reply is None else [reply.at])]
    return _Outcome(texts, min(contacts, default=None), reply, attributed.reply_wait)


def _by_day(times: Iterable[int], offset_at: OffsetAt) -> dict[int, int]:
    return dict(count_by_day(times, offset_at))


def _grouped(texts: Iterable[_SentText], key: Callable[[OurMessage], _Key]) -> dict[_Key, list[_SentText]]:
    groups: dict[_Key, list[_SentText]] = {}
    for text in texts:
        groups.setdefault(key(text.message), []).append(text)
    return groups


def _step_counts(texts: Iterable[_SentText], variant: Callable[[OurMessage], str]) -> list[StepCounts]:
    groups = _grouped(texts, lambda message: (message.step, message.kind, variant(message)))
    return [
        StepCounts(*key, len(group), sum(text.accepted for text in group), sum(text.replied for text in group))
        for key, group in groups.items()
    ]


def _texts_by_day(texts: Iterable[_SentText], offset_at: OffsetAt) -> dict[str, dict[int, SentOnDay]]:
    by_step = _grouped(texts, lambda message: message.step)
    return {
        step: {
            day: SentOnDay(len(sent), sum(text.replied for text in sent))
            for day, sent in _grouped(group, lambda message: local_day(message.sent_at, offset_at)).items()
        }
        for step, group in by_step.items()
    }


class Reached(NamedTuple):
    """How many leads were contacted, and how many of them replied, whatever became of them; those of `contacted_now` and
    `responded_now` stand there still."""

    contacted: int
    responded: int
    contacted_now: int
    responded_now: int


# By their status, rejected leads may have been contacted or have replied before; and what was taken for a reply may have turned out
# to be a machine's.
_BEHIND_STATUS = f"""
SELECT count(*) FILTER (WHERE status='rejected' AND {WAS_CONTACTED}),
  count(*) FILTER (WHERE status='rejected' AND replied_at IS NOT NULL),
  count(*) FILTER (WHERE status='responded' AND replied_at IS NULL)
FROM leads WHERE campaign_id=? AND status<>'pending' AND {NOT_ERASED}
"""


def reached(connection: DatabaseConnection, campaign_id: str) -> Reached:
    """Counted over all leads."""
    counts = leads.lead_counts(connection, campaign_id)
    contacted, responded = counts.get(LeadStatus.CONTACTED, 0), counts.get(LeadStatus.RESPONDED, 0)
    lost, lost_responded, automatic = connection.execute(_BEHIND_STATUS, (campaign_id,)).fetchone()
    return Reached(
        contacted=contacted + responded + lost,
        responded=responded - automatic + lost_responded,
        contacted_now=contacted + automatic,
        responded_now=responded - automatic,
    )


class InterestedLeads(NamedTuple):
    """Leads that the user labelled as interested, and those of them whose status is still that they have responded, by a reply."""

    leads: int
    responded: int


def interested_leads(connection: DatabaseConnection, campaign_id: str) -> InterestedLeads:
    """Counted over all leads with that label."""
    row = connection.execute(
        "SELECT count(*), coalesce(sum(status='responded' AND replied_at IS NOT NULL), 0)"
        f" FROM leads WHERE campaign_id=? AND {NOT_ERASED} AND label<>'' AND label='interested'",
        (campaign_id,),
    ).fetchone()
    return InterestedLeads(*row)


def interested_by_day(
    connection: DatabaseConnection, campaign_id: str, since: int, offset_at: OffsetAt
) -> dict[int, int]:
    """How many were labelled as interested since then, and still are, by local day; `since` in ms."""
    rows = connection.execute(
        "SELECT labelled_at FROM leads"
        f" WHERE campaign_id=:c AND {NOT_ERASED} AND label<>'' AND label='interested' AND labelled_at>=:since",
        {"c": campaign_id, "since": since},
    )
    return dict(count_by_day((at for (at,) in rows), offset_at))
