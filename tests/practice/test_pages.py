"""The accessible contract, in a real browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from .running import DAY, START, Running

TEXT = '\n  Hello 🙂 <html> & "you"\n\n\tindented, and a space at the end '


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Not pytest-playwright's own: that one asks for base_url, whose plugin warns under pytest 9.2."""
    page = browser.new_page()
    yield page
    page.close()


@pytest.fixture
def visitor(page: Page, running: Running) -> Page:
    """Signed in through the form, on the page that was asked for."""
    page.goto(f"{running.url}/in/ben")
    expect(page.get_by_role("heading", name="Sign in", level=1)).to_be_visible()
    page.get_by_role("textbox", name="Email").fill("you@example.org")
    page.get_by_label("Password").fill(running.secrets.password)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{running.url}/in/ben")
    return page


def test_from_a_profile_to_a_conversation_by_roles_and_names(visitor: Page, running: Running) -> None:
    page, name = visitor, "Ben <b>Bold</b>"
    actions = page.get_by_role("region", name="Profile actions")
    relationship = page.get_by_role("status", name="Relationship")
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(relationship).to_have_text("Not connected")
    expect(page.get_by_role("region", name="About")).to_be_visible()
    expect(page.get_by_role("region", name="Activity")).to_be_visible()
    expect(actions.locator("a, button")).to_have_count(1)

    actions.get_by_role("button", name="Connect", exact=True).click()
    expect(page.get_by_role("heading", name=f"Invite {name} to connect")).to_be_visible()
    note = page.get_by_role("textbox", name="Add a note (optional)")
    expect(note).to_have_attribute("maxlength", "200")
    note.press_sequentially("Hello")
    expect(page.get_by_text("5 of 200 characters")).to_be_visible()
    page.get_by_role("link", name="Cancel").click()
    actions.get_by_role("button", name="Connect").click()
    note.fill(TEXT)
    page.get_by_role("button", name="Send invitation").click()
    expect(page.get_by_text(f"Invitation sent to {name}.", exact=True)).to_have_role("status")
    expect(relationship).to_have_text("Invitation pending")
    actions.get_by_role("button", name="Pending").click()
    expect(page.get_by_role("heading", name=f"Withdraw your invitation to {name}")).to_be_visible()
    page.get_by_role("link", name="Cancel").click()
    expect(relationship).to_have_text("Invitation pending")
    assert running.entries("invitation")[-1]["text"] == TEXT

    running.ask("/people", [{"slug": "ben", "name": name, "headline": "Planner", "company": "M", "connected": True}])
    running.ask("/clock", {"now": START + 30 * DAY})
    page.reload()
    expect(relationship).to_have_text("Connected")
    actions.get_by_role("link", name="Message").click()
    expect(page).to_have_url(f"{running.url}/messaging/ben")
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    page.get_by_role("textbox", name="Write a message").fill(TEXT)
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("status")).to_have_text("Message sent.")
    mine = page.get_by_role("list", name="Messages").get_by_role("listitem").get_by_role("article", name="You").last
    assert mine.locator(".message-text").text_content() == TEXT
    assert (mine.locator("time").get_attribute("datetime") or "").endswith("Z")
    assert running.entries("message")[-1]["text"] == TEXT


def test_a_reply_is_an_article_named_after_the_person(visitor: Page, running: Running) -> None:
    running.ask("/people", [{"slug": f"p{k}", "name": f"Person {k}", "connected": True} for k in range(12)])
    for k in range(12):
        running.open(f"/messaging/p{k}", {"text": "Hello"})
    running.ask("/clock", {"now": START + 9 * DAY})
    visitor.goto(f"{running.url}/notifications")
    visitor.get_by_role("list", name="Notifications").get_by_role("link").first.click()
    name = visitor.get_by_role("heading", level=1).inner_text()
    expect(visitor.get_by_role("article", name=name)).to_have_count(1)
    expect(visitor.get_by_role("article", name="You")).to_have_count(1)


def test_failures_and_restrictions_have_their_roles(visitor: Page, running: Running) -> None:
    page = visitor
    running.arm("accepts_but_says_failed", "message")
    page.goto(f"{running.url}/messaging/ada")
    page.get_by_role("textbox", name="Write a message").fill("Hi")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_role("alert")).to_have_text("Your message could not be sent.")
    expect(page.get_by_role("article", name="You")).to_have_count(1)

    running.arm("unusual_activity", "profile")
    page.goto(f"{running.url}/in/ben")
    expect(page.get_by_role("heading", name="We noticed unusual activity")).to_be_visible()

    running.arm("invitation_limit", "invite")
    page.goto(f"{running.url}/in/ben/invite")
    page.get_by_role("button", name="Send invitation").click()
    expect(page.get_by_role("heading", name="You've reached the weekly invitation limit")).to_be_visible()

    running.arm("changed_labels", "profile")
    page.goto(f"{running.url}/in/ben")
    expect(page.get_by_role("button", name="Link up")).to_be_visible()
    running.arm("changed_layout", "profile")
    page.reload()
    expect(page.get_by_role("region", name="Profile actions")).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_have_count(0)


def test_search_and_paging_work_by_keyboard(visitor: Page, running: Running) -> None:
    visitor.goto(running.url)
    visitor.get_by_role("searchbox", name="Search people").fill("engineer")
    visitor.keyboard.press("Enter")
    expect(visitor.get_by_role("list", name="People").get_by_role("listitem")).to_have_count(20)
    visitor.get_by_role("link", name="Next").focus()
    visitor.keyboard.press("Enter")
    expect(visitor.get_by_role("link", name="Previous")).to_be_visible()


def test_nothing_on_the_pages_is_blocked_or_fetched_from_elsewhere(visitor: Page, running: Running) -> None:
    visitor.wait_for_load_state()  # leaving a page breaks off what it still fetches, which is no complaint
    complaints: list[str] = []
    visitor.on("console", lambda message: complaints.append(message.text))
    # An icon that the next page's opening broke off was not refused.
    visitor.on("requestfailed", lambda r: None if r.failure == "net::ERR_ABORTED" else complaints.append(r.url))
    visitor.on("request", lambda r: None if r.url.startswith(running.url) else complaints.append(r.url))
    for path in ("/", "/search", "/in/ada", "/in/ben/invite", "/messaging", "/messaging/ada", "/notifications"):
        visitor.goto(running.url + path)
        visitor.wait_for_load_state("networkidle")
    assert complaints == []
