"""No library, no redirect and no look-alike gets past the list: refused by our own code, before a packet is sent."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backend.adapters.browser.chromium import find_browser
from backend.domain.values.errors import OutriderError
from tests import forked
from tests.adapters.outgoing.entries import ENTRIES
from tests.adapters.outgoing.far import FAR, NEAR, available, far
from tests.patience import PATIENCE

far_only = pytest.mark.skipif(not available(), reason="this system lets nobody have a network of their own")

LOCAL = {"loopback", "localhost", "Unix socket"}


@pytest.fixture(scope="module")
def strays() -> Any:
    return far("strays")


@far_only
def test_outside_of_a_call_nothing_reaches_another_machine(strays: Any) -> None:
    assert {name for name, outcome in strays["outside"].items() if outcome != "refused"} == LOCAL
    assert {outcome for name, outcome in strays["outside"].items() if name in LOCAL} == {"ok"}
    assert strays["before"] == []
    assert strays["after"] == "refused"


@far_only
def test_in_a_call_only_its_host_is_reached_by_the_addresses_that_its_name_has(strays: Any) -> None:
    reached = {name for name, outcome in strays["inside"].items() if outcome == "ok"}
    assert reached == LOCAL | {"allowed name", "address", "raw address"}
    assert set(strays["asked"]) == {"api.example /"}


@far_only
def test_another_thread_is_not_in_the_call(strays: Any) -> None:
    assert strays["thread"] == "refused"


@far_only
def test_who_was_refused_is_counted(strays: Any) -> None:
    assert set(strays["refused"]) >= {FAR, NEAR, "stray.example", "xapi.example", "api.example.evil.example"}
    assert all(times > 1 for times in strays["refused"].values())


@far_only
def test_a_name_is_refused_before_anybody_is_asked_for_its_address() -> None:
    outcomes = far("names")
    by_way = {
        way: words for way, words in outcomes["said"].items() if not way.startswith("getfqdn")
    }  # which keeps it to itself
    assert set(by_way.values()) == {"refused", "TypeError"}
    assert {by_way[way] for way in by_way if way.endswith("text") or way.startswith(("connect", "bind", "send"))} == {
        "refused"
    }
    assert {name.partition("\x07")[0] for name in outcomes["asked"]} == {"heard"}


@far_only
def test_what_is_no_host_of_the_internet_is_refused() -> None:
    assert set(far("families").values()) <= {"refused", "OSError"}, "OSError: this kernel has none of it"


@far_only
def test_a_redirect_to_another_host_is_refused_though_that_may_be_called_too() -> None:
    outcomes = far("redirected")
    assert outcomes["said"] == "host_not_allowed stray.example"
    assert set(outcomes["asked"]) == {"api.example"}


@far_only
def test_a_host_named_for_one_call_is_reached_in_it_and_nobody_else_or_later() -> None:
    assert far("once") == {
        "named": "ok",
        "stray": "host_not_allowed stray.example",
        "unencrypted": "host_not_allowed 192.88.99.1",
        "after": "refused",
        "listed": "host_not_allowed api.example",
        "asked": ["api.example"],
    }


def test_a_call_may_go_by_the_users_own_proxy_and_nothing_else_may() -> None:
    outcomes = far("proxied")
    assert outcomes["without"] == "host_not_allowed proxy.example"
    assert outcomes["with"] == "ok"
    assert outcomes["outside"] == "refused"
    assert outcomes["asked"] == [f"api.example http://api.example:{outcomes['port']}/"]
    assert outcomes["told"] == [f"Proxy.example:{outcomes['port']}"]  # without who uses it


def test_the_controlled_browser_sends_nothing_past_its_proxy_and_asks_for_no_name() -> None:
    if not browser_here() or not available():
        pytest.skip("needs a browser, and a network of its own for it")
    unheld = far("unconfined_browser")
    assert unheld["heard"] == ["connection", "datagram"], "what a browser by itself would let through"
    assert {"fetched", "stunned"} <= set(unheld["names"])
    # The profile of a controlled browser forbids these by itself.
    assert {"prefetched", "preconnected"}.isdisjoint(unheld["names"])
    assert far("confined_browser") == {"heard": [], "names": [], "candidates": []}


def browser_here() -> bool:
    try:
        find_browser()
    except OutriderError:
        return False
    return True


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.__name__)
def test_the_guard_is_there_once_outrider_runs(entry: Callable[[str], None], tmp_path: Path) -> None:
    done = forked.run(f"{entry.__module__}:{entry.__name__}", str(tmp_path), timeout=PATIENCE)
    assert (done.returncode, done.stdout.splitlines()[-2:]) == (
        0,
        ["host_not_allowed: 192.0.2.1", "host_not_allowed: 2001:db8::1"],
    ), done.stderr
