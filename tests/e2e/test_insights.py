"""Insights in a real browser: what the pictures say is what the database holds."""

import re
import sqlite3
import time
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from backend.domain.model.campaign import DAY, Settings
from tests.e2e.conftest import Start
from tests.fakes.campaign import Stage


def ran(data: Path, leads: int) -> str:
    """A campaign that was run to its end in this process, without a browser; its people answered as they do."""
    data.mkdir()
    stage = Stage(data, now=int(time.time() * 1_000) - 20 * DAY)
    campaign = stage.campaign(leads, settings=Settings())
    stage.run(campaign)
    stage.close()
    return campaign


def ask(data: Path, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(data / "outrider.db")) as connection:
        return connection.execute(sql).fetchall()


def local(at: int) -> str:
    """The day of a moment by a rehearsal's clock, which is the same everywhere: "Mon 23 Nov"."""
    day = datetime.fromtimestamp(at / 1_000, UTC)
    return f"{day:%a} {day.day} {day:%b}"


def table(page: Page, title: str, of: str) -> list[list[str]]:
    """The rows behind a picture; `of` is what its first column holds, or another one's numbers could still be shown."""
    page.get_by_role("button", name=f"{title} as a table").click()
    rows = page.get_by_role("region", name=f"Table: {title}").get_by_role("row")
    expect(rows.first.get_by_role("columnheader").first).to_have_text(of)
    expect(rows.nth(1)).to_be_visible()
    return [row.locator("th, td").all_inner_texts() for row in rows.all()[1:]]


def test_the_pictures_and_their_tables_show_what_is_in_the_database(start: Start, sheet: Page, tmp_path: Path) -> None:
    data = tmp_path / "data"
    campaign = ran(data, 30)
    contacted, responded = ask(
        data, "SELECT sum(status<>'pending'), sum(replied_at IS NOT NULL) FROM leads WHERE status<>'rejected'"
    )[0]
    assert responded >= 3, "the practice network's people must answer, or this proves little"
    outrider = start()
    outrider.enter(sheet, f"/#/campaigns/{campaign}/insights")

    sentence = (
        f"Of 30 leads, {contacted} were contacted, {responded} of them replied, 0 are interested, and 0 declined."
    )
    expect(sheet.get_by_role("img", name=sentence)).to_be_visible()
    here = dict(ask(data, "SELECT status, count(*) FROM leads GROUP BY status"))
    assert table(sheet, "Funnel", "Stage") == [
        ["All leads", "30", str(here.get("pending", 0))],
        ["Contacted", str(contacted), str(here.get("contacted", 0))],
        ["Replied", str(responded), str(here.get("responded", 0))],
        ["Interested", "0", "0"],
        ["Declined", "0", "0"],
    ]
    trend = sheet.get_by_role("button", name=re.compile("^(Day by day|Week by week) as a table$"))
    trend.click()
    rows = sheet.get_by_role("region", name=re.compile("^Table: (Day|Week) by")).get_by_role("row")
    cells = [row.locator("th, td").all_inner_texts() for row in rows.all()[1:]]
    assert (sum(int(row[1]) for row in cells), sum(int(row[2]) for row in cells)) == (contacted, responded)
    trend.click()

    sent = Counter(
        local(at) for (at,) in ask(data, "SELECT intended_at FROM actions WHERE family='invite' AND status<>'not_sent'")
    )
    days = table(sheet, "Activity against limits", "Day")
    assert {day: int(n) for day, n, *_ in days} == {day: sent[day] for day, *_ in days}
    assert sum(int(n) for _, n, *_ in days) > 0

    assert sum(int(row[1]) for row in table(sheet, "Time to reply", "Time to reply")) == responded

    sheet.get_by_label("Group by").select_option("company")
    expect(sheet).to_have_url(f"{outrider.url}/#/campaigns/{campaign}/insights/company")
    groups = table(sheet, "Who replies", "Company")
    biggest = ask(
        data, "SELECT company, count(*) FROM leads WHERE status<>'pending' GROUP BY 1 ORDER BY 2 DESC LIMIT 1"
    )[0]
    assert int(groups[0][1]) == biggest[1]
    assert (sum(int(row[1]) for row in groups), sum(int(row[2]) for row in groups)) == (contacted, responded)
    assert {row[5] for row in groups if int(row[1]) < 20} == {"few"}

    with sheet.expect_download() as saved:
        sheet.get_by_role("button", name="Save as CSV…").click()
    assert f"Funnel,Contacted,Got this far,{contacted},30," in saved.value.path().read_text("utf-8")
    assert outrider.end() == 0
