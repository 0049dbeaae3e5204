"""Approval in a terminal: what is shown is what is approved, by whoever sits there."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import posix
from tests.cli.outrider import Outrider, Terminal, WithoutBrowser, until
from tests.patience import PATIENCE

pytestmark = pytest.mark.posix

PROMPT = "[s]top > "


@pytest.fixture
def editor(tmp_path: Path) -> str:
    """An editor that changes one word."""
    script = tmp_path / "editor"
    script.write_text('#!/bin/sh\nsed -i.before \'s/^Hi /Dear /\' "$1" && rm -f "$1.before"\n')
    script.chmod(0o755)
    return str(script)


@pytest.fixture
def outrider(tmp_path: Path) -> Outrider:
    return WithoutBrowser(tmp_path / "data")


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    opened: list[Terminal] = []
    yield opened
    for terminal in opened:
        terminal.close()


def test_an_edited_text_is_shown_again_and_exactly_that_is_sent(
    outrider: Outrider, editor: str, terminals: list[Terminal]
) -> None:
    terminal = Terminal(outrider, "rehearse", "--max-leads", "1", "--headless", EDITOR=editor, VISUAL="")
    terminals.append(terminal)
    shown = terminal.expect(PROMPT)
    assert "Hi " in shown
    assert "of 200 characters" in shown
    terminal.type("e\r")
    assert "Dear " in terminal.expect(PROMPT)
    assert outrider.delivered() == []
    terminal.type("a\r")
    (delivered, *_) = terminal.until("the invitation arrived", outrider.delivered)
    assert delivered["text"].startswith("Dear ")
    terminal.type("\x03")
    assert terminal.end() == 4
    assert "Paused" in terminal.seen
    assert len(outrider.delivered()) == 1


def test_what_is_decided_elsewhere_reaches_the_run_which_ends_as_asked(
    outrider: Outrider, terminals: list[Terminal]
) -> None:
    running = outrider.start("rehearse", "--max-leads", "2", "--headless", "--wait", "--json")
    (campaign,) = until("there are two drafts", lambda: [c for c in outrider.campaigns() if c["drafts"] == 2])
    assert outrider.delivered() == []

    terminal = Terminal(outrider, "approve", campaign["campaign"], "--all")
    terminals.append(terminal)
    shown = terminal.expect("[yes/no] ")
    assert shown.count("of 200 characters") == 2
    terminal.type("yes\r")
    assert terminal.end() == 0
    until("both invitations arrived", lambda: len(outrider.delivered()) >= 2)

    # At once: a run that has ended by the time of the second would be killed by it.
    posix.stop(running.pid)
    for number in (signal.SIGINT, signal.SIGTERM):
        running.send_signal(number)
    posix.go_on(running.pid)
    out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 4, err
    assert "current action" in err
    assert '"outcome_unknown": 0' in out
    assert '"duplicates": 0, "missing": 0' in out
