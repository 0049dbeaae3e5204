"""What waits for the user's yes, and what was approved and waits for its time: keyset pages, oldest first."""

import sqlite3
from collections.abc import Callable
from functools import cache

from backend.api.reads.conversation import last_said
from backend.api.reads.lines import gate_lines, occupation, question
from backend.api.wire.campaigns import GateLine, Question
from backend.api.wire.review import Draft, DraftPage, Outgoing, OutgoingPage
from backend.controller import context as loading
from backend.controller.context import Subject, Surroundings
from backend.domain import gates
from backend.domain.campaign import Campaign
from backend.domain.errors import OutriderError
from backend.domain.judgement import text_length, text_limit
from backend.domain.message import Message, MessageStatus
from backend.domain.task import NEVER, Needs
from backend.store import reading

_DRAFTS = "status='draft'"
_OUTGOING = "status IN ('approved', 'outcome_unknown')"
_PAGE = "SELECT id, lead_id FROM messages WHERE campaign_id=? AND {} AND id>? ORDER BY id LIMIT ?"
_REST = """
SELECT l.headline, m.created_at, m.reason, a.given_by, a.created_at, a.expires_at
FROM messages m JOIN leads l ON l.id = m.lead_id LEFT JOIN approvals a ON a.id = ? WHERE m.id = ?
"""
_QUESTION = (
    "SELECT id, kind, question, choices, created_at FROM input_requests"
    " WHERE task_id=? AND kind='outcome_unknown' AND status='open' LIMIT 1"
)


def draft_page(
    connection: sqlite3.Connection, campaign_id: str, around: Surroundings, after: str, limit: int
) -> DraftPage:
    """What waits in Review; raises `campaign_unknown`."""
    campaign = _campaign(connection, campaign_id)
    ids, following = _page(connection, campaign_id, _DRAFTS, after, limit)
    checks = _checks(connection, campaign, around)
    return DraftPage(rows=[_draft(connection, campaign, around, id_, checks) for id_ in ids], next=following)


def outgoing_page(
    connection: sqlite3.Connection, campaign_id: str, around: Surroundings, after: str, limit: int
) -> OutgoingPage:
    """What was approved and has not been sent; raises `campaign_unknown`."""
    campaign = _campaign(connection, campaign_id)
    ids, following = _page(connection, campaign_id, _OUTGOING, after, limit)
    checks = _checks(connection, campaign, around)
    return OutgoingPage(rows=[_outgoing(connection, campaign, around, id_, checks) for id_ in ids], next=following)


def _campaign(connection: sqlite3.Connection, campaign_id: str) -> Campaign:
    campaign = reading.campaign(connection, campaign_id)
    if campaign is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    return campaign


def _page(
    connection: sqlite3.Connection, campaign_id: str, which: str, after: str, limit: int
) -> tuple[list[str], str | None]:
    """The ids of one page, and the cursor of the next."""
    rows = connection.execute(_PAGE.format(which), (campaign_id, after, limit + 1)).fetchall()
    ids = [id_ for id_, _ in rows[:limit]]
    return ids, ids[-1] if len(rows) > limit else None


_Checks = Callable[[Needs, Subject], list[GateLine]]


def _checks(connection: sqlite3.Connection, campaign: Campaign, around: Surroundings) -> _Checks:
    """Every gate of an act for a lead; what holds for the whole account is read once for the page."""
    incident = reading.open_incident(connection, campaign.account)

    @cache
    def account(family: Needs) -> gates.AccountFacts:
        return loading.account_facts(connection, campaign, around, family, incident)

    def check(family: Needs, about: Subject) -> list[GateLine]:
        return gate_lines(gates.check(account(family), loading.lead_facts(connection, campaign, about, around.now)))

    return check


def _family(message: Message) -> Needs:
    return Needs.INVITE if message.kind == "invitation" else Needs.MESSAGE


def _loaded(
    connection: sqlite3.Connection, campaign: Campaign, around: Surroundings, message_id: str
) -> tuple[Message, Subject, tuple[str, int, str, str | None, int | None, int | None]]:
    message = reading.message(connection, campaign.id, message_id)
    about = loading.subject(connection, campaign, message.lead_id, around.now) if message else None
    assert message is not None and about is not None  # noqa: S101, PT018 - of one transaction, and rows are never deleted
    approval = reading.approval_of(connection, message.id)
    rest = connection.execute(_REST, (approval.id if approval else "", message.id)).fetchone()
    return message, Subject(about.lead, message, approval, about.need), rest


def _draft(
    connection: sqlite3.Connection, campaign: Campaign, around: Surroundings, message_id: str, checks: _Checks
) -> Draft:
    message, about, (headline, created_at, *_) = _loaded(connection, campaign, around, message_id)
    lead = about.lead
    return Draft(
        id=message.id,
        lead_id=lead.id,
        kind=message.kind,
        step=message.step,
        recipient=lead.full_name,
        headline=occupation(headline, lead.job_title, lead.company),
        profile_url=lead.profile_url,
        text=message.text,
        length=text_length(message.text),
        limit=text_limit(campaign, message.kind),
        digest=loading.digest_of(campaign, lead, message),
        created_at=created_at,
        gates=checks(_family(message), about),
        thread=last_said(connection, lead.id),
        read_at=lead.thread_read_at,
    )


def _outgoing(
    connection: sqlite3.Connection, campaign: Campaign, around: Surroundings, message_id: str, checks: _Checks
) -> Outgoing:
    message, about, (headline, _, reason, by, at, expires_at) = _loaded(connection, campaign, around, message_id)
    lead = about.lead
    unknown = message.status is MessageStatus.OUTCOME_UNKNOWN
    task = None if unknown else reading.task_of_lead(connection, lead.id)
    return Outgoing(
        id=message.id,
        lead_id=lead.id,
        kind=message.kind,
        step=message.step,
        recipient=lead.full_name,
        headline=occupation(headline, lead.job_title, lead.company),
        profile_url=lead.profile_url,
        text=message.text,
        status=message.status,
        reason=reason,
        approved_by=by or "",
        approved_at=at,
        expires_at=expires_at,
        ready_at=task.ready_at if task and around.now < task.ready_at < NEVER else None,
        gates=[] if unknown else checks(_family(message), about),
        question=_question(connection, message) if unknown else None,
    )


def _question(connection: sqlite3.Connection, message: Message) -> Question | None:
    row = connection.execute(_QUESTION, (message.task_id,)).fetchone()
    return question(row) if row else None
