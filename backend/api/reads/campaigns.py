"""The list of campaigns, page by page: each with where it stands, what waits for the user, and what it still needs."""

import sqlite3
from collections.abc import Callable
from typing import Literal, NamedTuple

from backend.api.wire.campaigns import CampaignList, CampaignSummary
from backend.api.wire.runs import RunState
from backend.controller.campaign_commands import CLOCK_AHEAD
from backend.domain.campaign import CampaignStatus
from backend.domain.lead import LeadStatus
from backend.store import reading

A_PAGE = 50
LONGEST_SEARCH = 120
COUNTED_DRAFTS = 1_000

_LIST = f"""
SELECT c.id, c.name, c.status, c.status_reason, c.site, c.created_at, r.last_turn, e.last_action_timestamp,
       CAST(coalesce(k.value, '0') AS INTEGER),
       (SELECT count(*) FROM input_requests q WHERE q.campaign_id = c.id AND q.status = 'open' AND {reading.OF_THE_CAMPAIGN}),
       (SELECT i.finished_at IS NULL FROM imports i WHERE i.campaign_id = c.id ORDER BY i.id DESC LIMIT 1)
FROM campaigns c JOIN runtime_snapshot r ON r.campaign_id = c.id JOIN execution_state e ON e.campaign_id = c.id
LEFT JOIN config_kv k ON k.campaign_id = c.id AND k.id = :clock
WHERE (c.created_at, c.id) < (:at, :id) AND (:words = '' OR instr(lower(c.name), lower(:words)) > 0)
ORDER BY c.created_at DESC, c.id DESC LIMIT :limit
"""

_END = 2**62


class Page(NamedTuple):
    """Where the page begins, as the page before it said (empty: at the beginning), and what the names must hold."""

    after: str = ""
    search: str = ""


def campaign_list(
    connection: sqlite3.Connection, page: Page, run: RunState, *, now: int, importing: Callable[[str], bool]
) -> CampaignList:
    """Campaigns, newest first; `now` is real time, `importing` says whether a file is on its way into a campaign."""
    at, _, after = page.after.partition("-")
    asked = {
        "clock": CLOCK_AHEAD,
        "at": int(at) if at.isdecimal() and len(at) < len(str(_END)) else _END,
        "id": after,
        "words": page.search.strip(),
        "limit": A_PAGE + 1,
    }
    rows = connection.execute(_LIST, asked).fetchall()
    campaigns = []
    for id_, name, status, why, site, created_at, turns, acted_at, ahead, questions, cut_off in rows[:A_PAGE]:
        leads = {LeadStatus(one): n for one, n in reading.lead_counts(connection, id_).items()}
        campaigns.append(
            CampaignSummary(
                id=id_,
                name=name,
                status=CampaignStatus(status),
                status_reason=why,
                site=site,
                created_at=created_at,
                turns=turns,
                leads=leads,
                drafts=reading.open_drafts(connection, id_, COUNTED_DRAFTS),
                questions=questions,
                now=now + ahead,
                last_action_at=acted_at,
                missing=_missing(bool(leads), bool(cut_off), importing(id_)),
            )
        )
    last = campaigns[-1] if len(rows) > A_PAGE else None
    return CampaignList(campaigns=campaigns, next=f"{last.created_at}-{last.id}" if last else None, run=run)


def _missing(leads: bool, cut_off: bool, importing: bool) -> Literal["", "leads", "import", "importing"]:
    if importing:
        return "importing"
    if cut_off:
        return "import"
    return "" if leads else "leads"
