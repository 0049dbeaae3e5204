"""What acts on a site goes through the browser that the user sees, or by the user's own hand; no other module can send."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.adapters.browser.session import BrowserSession
from backend.adapters.sites.user_hands import UserHands
from backend.domain.model.channel import CHANNELS, LINKEDIN_ADDRESS, PRACTICE, Hand
from backend.domain.model.site import SitePerson
from backend.domain.values.errors import OutriderError
from backend.ports.site import SiteUnavailable, unguarded

ROOT = Path(__file__).resolve().parents[2]

DRIVES = {
    "backend/adapters/browser/session.py",
    "backend/adapters/sites/linkedin.py",
    "backend/adapters/sites/page_evidence.py",
    "backend/adapters/sites/practice.py",
}
"""The visible browser, the sites that are used through it, and the pictures of what they showed."""
SITES = {"backend.adapters.sites.practice.PracticeSite", "backend.adapters.sites.linkedin.DriveSite"}
SENDS = {
    "backend/turn/gateway.py": "the one place where a turn acts",
    "backend/runtime/run/dry_run.py": "on an assumed site, which is no site at all",
}
ACTS = {"send_invitation", "send_message", "withdraw_invitation"}


def sources() -> Iterator[tuple[str, ast.Module]]:
    for folder in ("backend", "bridge"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def imports(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_a_browser_is_driven_by_the_visible_session_alone_and_a_site_is_made_by_the_wiring_alone() -> None:
    driving, making = set(), set()
    for name, tree in sources():
        imported = imports(tree)
        if any(name == "playwright" or name.startswith(("playwright.", "selenium", "pyppeteer")) for name in imported):
            driving.add(name)
        if SITES & imported:
            making.add(name)
    assert driving == DRIVES
    assert making == {"backend/app/wiring.py"}


def test_no_other_module_asks_a_site_to_send() -> None:
    asking = {
        name
        for name, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in ACTS and isinstance(node.ctx, ast.Load)
    }
    assert asking == set(SENDS)


def test_every_channel_acts_in_the_visible_browser_or_by_the_users_own_hand(tmp_path: Path) -> None:
    person = SitePerson("Ada", "https://www.linkedin.com/in/ada")
    for channel in CHANNELS.values():
        hands = {act.performer for act in channel.acts.values()} | set(channel.looks.values())
        if hands == {Hand.USER}:
            site = UserHands(channel.id)
            for act in (site.send_invitation, site.send_message):
                with pytest.raises(SiteUnavailable):
                    act(person, "Hi", unguarded)
            with pytest.raises(SiteUnavailable):
                site.withdraw_invitation(person, unguarded)
            with pytest.raises(SiteUnavailable):
                site.read_thread(person)
        else:
            assert hands == {Hand.OUTRIDER}
            assert channel.id == PRACTICE or channel.needs_consent
    for channel_id in CHANNELS:  # what this machine serves itself may be hidden: fictional people, or a test's pages
        with pytest.raises(OutriderError) as refused:
            BrowserSession(channel_id, tmp_path / "profile", LINKEDIN_ADDRESS, headless=True)
        assert refused.value.code == "headless_forbidden"
