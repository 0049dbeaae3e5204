"""A walk through every screen, with a campaign in the middle of its life: for pictures and for accessibility."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from playwright.sync_api import Page, expect

SOON = 60_000


class Stop(NamedTuple):
    """A screen: its name, its address below `#/` (`{id}` is the campaign), and what is there once it is loaded."""

    name: str
    address: str
    shows: str


STOPS = (
    Stop("campaigns", "", "Campaigns"),
    Stop("wizard", "new", "New campaign"),
    Stop("run", "campaigns/{id}/run", "Last proposal"),
    Stop("review", "campaigns/{id}/review", "Approve"),
    Stop("tasks", "campaigns/{id}/tasks", "Reach out to"),
    Stop("leads", "campaigns/{id}/leads", "Clara Yilmaz"),
    Stop("inbox", "campaigns/{id}/inbox", ""),
    Stop("artifacts", "campaigns/{id}/artifacts", "blueprint"),
    Stop("timeline", "campaigns/{id}/timeline", ""),
    Stop("insights", "campaigns/{id}/insights", ""),
    Stop("settings", "settings", "Settings"),
)


def live_through(page: Page) -> str:
    """From the first screen to a stopped rehearsal with replies, sent messages and drafts that wait; the campaign's id."""
    page.get_by_role("button", name="Start the rehearsal").first.click()
    page.wait_for_url(re.compile("#/campaigns/"), timeout=SOON)
    campaign_id = page.url.partition("#/campaigns/")[2].partition("/")[0]
    visit(page, STOPS[3], campaign_id)
    replies = page.get_by_role("progressbar", name="Leads reached")
    for approved in range(60):
        approve = page.get_by_role("button", name=re.compile("^Approve")).first
        approve.wait_for(timeout=SOON)
        if approved % 6 == 5 and replied(page, campaign_id) >= 2:
            break
        approve.click()
    assert replies.count() >= 0
    visit(page, STOPS[3], campaign_id)
    page.get_by_role("button", name=re.compile("^Approve")).first.wait_for(timeout=SOON)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_role("button", name="Continue")).to_be_enabled(timeout=SOON)
    return campaign_id


def replied(page: Page, campaign_id: str) -> int:
    """How many have answered, as the run screen shows it."""
    visit(page, STOPS[2], campaign_id)
    shown = page.locator("dt", has_text="responded").locator("xpath=following-sibling::dd").first.inner_text()
    visit(page, STOPS[3], campaign_id)
    return int(shown)


def visit(page: Page, stop: Stop, campaign_id: str) -> None:
    """Go to a screen and wait until it has loaded."""
    page.evaluate("hash => { location.hash = hash }", f"#/{stop.address.format(id=campaign_id)}")
    main = page.get_by_role("main")
    if stop.shows:
        main.get_by_text(stop.shows).first.wait_for(timeout=SOON)
    expect(main.get_by_role("status", name="Loading")).to_have_count(0, timeout=SOON)


def tour(page: Page, campaign_id: str) -> Iterator[Stop]:
    """Each screen, once it is loaded."""
    for stop in STOPS:
        visit(page, stop, campaign_id)
        yield stop
