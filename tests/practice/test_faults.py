"""Each fault: what the page says, what the ledger says, and what is true afterwards."""

import http.client
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import get_args

import pytest
from pydantic import ValidationError

from backend.adapters.sites.practice_pages import PRACTICE_SETTLE_SECONDS
from backend.practice.faults import LATE_FAULTS, LATEST_MS, Fault, FaultKind, FaultPoint, Step, fault_points
from backend.practice.network_store import CRASH_STATUS, NetworkStore, real_now
from backend.practice.people import PersonCard
from tests.cli.outrider import until

from .conftest import Start
from .running import Page, Running

LATER = Fault(kind="carried_out_later", on="message", ms=5_000)


def invite(running: Running, note: str = "Hello") -> Page:
    return running.open("/in/ben/invite", {"note": note})


def write(running: Running, text: str = "Hi") -> Page:
    return running.open("/messaging/ada", {"text": text})


def outcome(running: Running, kind: str) -> tuple[str, str]:
    entry = running.entries(kind)[-1]
    return entry["disposition"], entry["reason"]


def test_without_a_fault_a_sending_is_delivered_and_the_page_says_so(running: Running) -> None:
    assert "Invitation sent to Ben &lt;b&gt;Bold&lt;/b&gt;." in invite(running).text
    assert "Message sent." in write(running).text
    assert outcome(running, "invitation") == outcome(running, "message") == ("delivered", "")


def test_a_notice_is_said_once(running: Running) -> None:
    write(running)
    assert "Message sent." not in running.open("/messaging/ada").text


def test_slow_delivers_while_its_answer_is_awaited(apart: Running) -> None:
    apart.arm("slow", "message", ms=60_000)
    with ThreadPoolExecutor() as other:
        asked = other.submit(apart.open, "/messaging/ada", {"text": "Hi"})
        while not apart.entries("message"):
            assert not asked.done()
        assert outcome(apart, "message") == ("delivered", "")
        assert not asked.done()
        apart.kill()
        assert isinstance(asked.exception(), OSError | http.client.HTTPException)


def test_slow_answers_in_the_end(running: Running) -> None:
    running.arm("slow", "message", ms=300)
    begun = time.monotonic()
    assert "Message sent." in write(running).text
    assert time.monotonic() - begun >= 0.3


@pytest.mark.parametrize(
    ("kind", "status", "says", "disposition"),
    [
        ("error_500", 500, "Something went wrong", "dropped"),
        ("unusual_activity", 200, "We noticed unusual activity", "refused"),
        ("log_out", 200, "<h1>Sign in</h1>", "refused"),
    ],
)
def test_a_fault_that_ends_a_sending(running: Running, kind: str, status: int, says: str, disposition: str) -> None:
    running.arm(kind, "message")
    page = write(running)
    assert page.status == status
    assert says in page.text
    assert outcome(running, "message") == (disposition, kind)
    if kind == "log_out":
        assert running.open("/").url.endswith("/login?next=/")
        running.sign_in()
    assert "Message sent." in write(running).text  # times is one
    assert [entry["disposition"] for entry in running.entries("message")] == [disposition, "delivered"]


@pytest.mark.parametrize("kind", ["error_500", "unusual_activity", "log_out"])
def test_a_fault_that_ends_a_page_view(running: Running, kind: str) -> None:
    running.arm(kind, "profile", slug="ben")
    assert running.open("/in/ada").status == 200
    assert "Ben" not in running.open("/in/ben").text
    assert [(view["to"], view["reason"]) for view in running.entries("profile_view")] == [("ada", ""), ("ben", kind)]


def test_the_invitation_limit_refuses_until_it_is_cleared(running: Running) -> None:
    running.arm("invitation_limit", "any", times=None)
    for _ in range(2):
        page = invite(running)
        assert "You&#39;ve reached the weekly invitation limit" in page.text or "You've reached the weekly" in page.text
        assert outcome(running, "invitation") == ("refused", "invitation_limit")
    assert "Not connected" in running.open("/in/ben").text
    assert running.ask("/faults", method="DELETE") == {"faults": []}
    assert "Invitation sent" in invite(running).text


@pytest.mark.parametrize(
    ("kind", "says", "disposition", "appears"),
    [
        ("accepts_but_says_failed", "Your message could not be sent.", "delivered", True),
        ("says_sent_but_dropped", "Message sent.", "dropped", False),
    ],
)
def test_a_page_that_lies_about_a_message(
    running: Running, kind: str, says: str, disposition: str, appears: bool
) -> None:
    running.arm(kind, "message")
    page = write(running, "A rare text")
    assert says in page.text
    assert outcome(running, "message") == (disposition, kind)
    assert ("A rare text" in page.text) is appears


@pytest.mark.parametrize(
    ("kind", "says", "disposition", "relation"),
    [
        ("accepts_but_says_failed", "Your invitation could not be sent.", "delivered", "Invitation pending"),
        ("says_sent_but_dropped", "Invitation sent to", "dropped", "Not connected"),
    ],
)
def test_a_page_that_lies_about_an_invitation(
    running: Running, kind: str, says: str, disposition: str, relation: str
) -> None:
    running.arm(kind, "invite")
    page = invite(running)
    assert says in page.text
    assert relation in page.text
    assert outcome(running, "invitation") == (disposition, kind)


def test_changed_labels_rename_the_controls_and_nothing_else(running: Running) -> None:
    for on, path, new, old in [
        ("profile", "/in/ben", ">Link up<", ">Connect<"),
        ("profile", "/in/ada", ">Write<", ">Message<"),
        ("invite", "/in/ben/invite", ">Off it goes<", ">Send invitation<"),
        ("message", "/messaging/ada", ">Post it<", ">Send<"),
        ("thread", "/messaging/ada", ">Your words<", ">Write a message<"),
    ]:
        running.arm("changed_labels", on)
        changed, usual = running.open(path).text, running.open(path).text
        assert (new in changed, old in changed) == (True, False)
        assert (new in usual, old in usual) == (False, True)


def test_a_changed_layout_has_no_names_to_hold_on_to(running: Running) -> None:
    for path in ("/in/ben", "/in/ben/invite", "/messaging/ada"):
        running.arm("changed_layout", "any")
        main = running.open(path).text.partition("<main")[2].partition("</main>")[0]
        assert "Bold" in main or "Ada" in main
        assert not any(mark in main for mark in ("<h1", "<label", "aria-label", "role=", "<section"))


@pytest.mark.parametrize(("before", "received"), [(True, 0), (False, 1)])
def test_a_crash_before_or_after_the_ledger_write(start: Start, apart: Running, before: bool, received: int) -> None:
    apart.arm("crash", "message", before=before)
    with pytest.raises((http.client.RemoteDisconnected, ConnectionError)):
        write(apart)
    assert apart.end()[0] == CRASH_STATUS
    again = start()
    assert len(again.entries("message")) == received
    assert again.ask("/faults") == {"faults": []}  # it fired once, and a restart does not fire it again
    again.sign_in()
    assert "Message sent." in write(again).text


def test_a_fault_is_for_one_person_and_a_number_of_times(running: Running) -> None:
    running.arm("error_500", "profile", slug="ben", times=2)
    assert [running.open(f"/in/{slug}").status for slug in ("ada", "ben", "ben", "ben")] == [200, 500, 500, 200]
    assert [entry["detail"]["action"] for entry in running.entries("fault")] == ["armed", "fired", "fired"]


def test_armed_faults_outlive_a_restart(start: Start, apart: Running) -> None:
    apart.arm("error_500", "profile", times=3)
    apart.open("/in/ben")
    armed = apart.ask("/faults")
    apart.kill()
    assert start().ask("/faults") == armed
    assert armed["faults"][0]["left"] == 2


def test_any_strikes_the_other_pages_too(running: Running) -> None:
    running.arm("unusual_activity", "any", times=None)
    for path in ("/", "/search", "/messaging", "/network/invitations", "/notifications", "/in/ada"):
        assert "We noticed unusual activity" in running.open(path).text


def test_a_delay_and_a_failure_can_strike_together_but_one_failure_at_a_time(running: Running) -> None:
    running.arm("says_sent_but_dropped", "message")
    running.arm("error_500", "message")
    running.arm("slow", "message", ms=1)
    assert "Message sent." in write(running).text
    assert [fault["kind"] for fault in running.ask("/faults")["faults"]] == ["error_500"]


def test_what_the_network_itself_refuses_stays_refused(running: Running) -> None:
    invite(running)
    running.arm("says_sent_but_dropped", "invite")
    assert "Invitation sent" in invite(running).text
    assert outcome(running, "invitation") == ("refused", "already_pending")


@pytest.mark.parametrize("kind", get_args(FaultKind))
@pytest.mark.parametrize("on", get_args(Step))
def test_a_fault_that_could_never_strike_cannot_be_armed(kind: FaultKind, on: Step) -> None:
    strikes: frozenset[FaultPoint] = fault_points(kind, on)
    if strikes:
        fault = Fault(kind=kind, on=on, ms=1)
        assert {m for m in get_args(FaultPoint) if fault.applies_to(m, "anyone")} == strikes
    else:
        with pytest.raises(ValidationError, match="never happens"):
            Fault(kind=kind, on=on, ms=1)


# --- late ---


def test_a_request_that_is_held_back_arrives_after_its_sender_gave_up(running: Running) -> None:
    running.arm("arrives_late", "message", ms=3_000)
    with pytest.raises(OSError, match="timed out"):
        running.open("/messaging/ada", {"text": "Hi"}, timeout=0.3)
    assert running.entries("message") == []
    until("it arrived", lambda: running.entries("message"))
    assert outcome(running, "message") == ("delivered", "")
    assert [entry["disposition"] for entry in running.entries("message")] == ["delivered"]


def test_a_request_that_is_held_back_is_answered_when_somebody_still_waits(running: Running) -> None:
    running.arm("arrives_late", "invite", ms=200)
    assert "Invitation sent" in invite(running).text


def test_a_request_that_is_held_back_is_gone_with_the_process(start: Start, apart: Running) -> None:
    apart.arm("arrives_late", "message", ms=LATEST_MS)
    with pytest.raises(OSError, match="timed out"):
        apart.open("/messaging/ada", {"text": "Hi"}, timeout=0.3)
    apart.kill()
    assert start().entries("message") == []


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize(("on", "kind"), [("message", "message"), ("invite", "invitation")])
def test_what_is_carried_out_later_is_so_after_a_restart_too(
    start: Start, apart: Running, on: str, kind: str, restart: bool
) -> None:
    apart.arm("carried_out_later", on, ms=1_500)
    page = write(apart) if on == "message" else invite(apart)
    assert page.status == 500
    assert [entry["kind"] for entry in apart.entries()][-1] == "postponed"
    network = apart
    if restart:
        apart.kill()
        network = start()
    # Also when nobody asks: the ledger file itself is the witness.
    until("it was carried out", lambda: f'"kind":"{kind}"' in network.ledger.read_text("utf-8"))
    (entry,) = network.entries(kind)
    assert (entry["disposition"], entry["reason"]) == ("delivered", "")
    network.kill()
    again = NetworkStore.open(network.ledger)
    again.carry_out_due()
    assert len([entry for entry in again.entries() if entry.kind == kind]) == 1, "once"
    again.close()


def test_what_was_due_while_the_network_was_down_is_there_before_anybody_can_look(
    ledger_path: Path, exchange: NetworkStore
) -> None:
    exchange.record(lambda network: network.enrol([PersonCard("ada", "Ada", "", "", True)], network.now))
    exchange.record(lambda network: network.arm(LATER, network.now))
    exchange.handle_request("message_send", slug="ada", text="Hi")
    assert exchange.read(lambda network: network.thread("ada", network.now)) == ()
    exchange.close()
    later = NetworkStore.open(ledger_path, real_now=lambda: real_now() + 60_000)
    try:
        assert [message.text for message in later.read(lambda network: network.thread("ada", network.now))] == ["Hi"]
    finally:
        later.close()


def test_a_clock_that_was_set_back_makes_nothing_later_than_it_was_to_be(
    ledger_path: Path, exchange: NetworkStore
) -> None:
    exchange.record(lambda network: network.enrol([PersonCard("ada", "Ada", "", "", True)], network.now))
    exchange.record(lambda network: network.arm(LATER, network.now))
    exchange.handle_request("message_send", slug="ada", text="Hi")
    exchange.close()
    clock = [0]
    again = NetworkStore.open(ledger_path, real_now=lambda: clock[0])
    try:
        assert again.read(lambda network: network.thread("ada", network.now)) == ()
        clock[0] += LATER.ms
        assert len(again.read(lambda network: network.thread("ada", network.now))) == 1
    finally:
        again.close()


def test_nothing_is_later_than_what_outrider_waits_for() -> None:
    assert LATEST_MS < PRACTICE_SETTLE_SECONDS * 1_000
    for kind in LATE_FAULTS:
        for ms in (0, LATEST_MS + 1):
            with pytest.raises(ValidationError, match="needs ms"):
                Fault(kind=kind, on="message", ms=ms)
