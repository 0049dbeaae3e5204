"""What is shown fits and cannot be fooled."""

import io
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from rich.console import Console

from backend.domain.reports.campaign_state import StateName
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings, read_settings
from backend.store.log import replay, verification
from backend.terminal import output, proofs
from backend.terminal.crash import write_crash
from backend.terminal.live_view import LiveView, render
from backend.terminal.live_view_state import LiveViewState, LiveViewTask
from backend.terminal.output import TerminalOutput, columns, printable
from tests.fakes.campaign import MESSAGE_ONLY, Stage

SCENE = LiveViewState(
    name="Rehearsal with a file of a really long name, longer than any terminal would like.csv",
    state=StateName.ON, turn=1_234, step=4, doing="Reach out to Ada: execute_tool: valid", time="Mon 23 Nov 2026, 09:00",
    rows=(
        LiveViewTask(True, "in_progress", "Reach out to Ada Byron", "inviting"),
        LiveViewTask(False, "blocked", "Reach out to a person of a very long name " * 3, "blocked: three unproductive turns " * 3),
        LiveViewTask(False, "pending", "Reach out to Grace", "next"),
    ),
    more=90_000, done=50_000, total=100_000, leads={"pending": 50_000, "contacted": 40_000, "responded": 10_000},
    drafts=12, proposal="browser.send_invitation", verdict="accepted", detail="Invitation sent. " * 9,
    waiting_reasons=("Day 1 of the ramp allows 2.",), until="Tue 24 Nov 2026, 09:00", waiting=True,
)  # fmt: skip


@pytest.mark.parametrize("name", ["stdin", "stdout", "stderr"])
def test_a_stream_that_was_closed_before_us_ends_no_command(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(sys, name, None)
    spoken = TerminalOutput()
    spoken.note("By the way.")
    spoken.result(["Done."], {})
    assert not spoken.interactive
    with getattr(sys, name) as stream:
        assert name != "stdin" or stream.read() == ""


@pytest.mark.parametrize("variable", ["OUTRIDER_DATA_DIR", "OUTRIDER_ACCOUNTS_DIR"])
def test_a_folder_below_home_is_found_where_no_shell_has_read_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str
) -> None:
    for home in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(home, str(tmp_path))
    environment = {"OUTRIDER_DATA_DIR": str(tmp_path), variable: "~/there"}
    settings = read_settings(environment)
    there = settings.data_dir if variable == "OUTRIDER_DATA_DIR" else settings.accounts_dir
    assert there == (tmp_path / "there").resolve()
    assert read_settings(environment, Path("~/here")).data_dir == (tmp_path / "here").resolve()


@pytest.mark.parametrize(
    ("work", "words"),
    [
        (lambda output, settings: proofs.replay(output, settings, rebuild=False), "events replayed"),
        (lambda output, settings: proofs.log_verify(output, settings, None), "entries verified"),
    ],
)
def test_work_that_grows_with_the_logs_says_how_far_it_is(
    work: Callable[[TerminalOutput, AppSettings], None],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    stage = Stage(tmp_path)
    stage.run(stage.campaign(2, settings=MESSAGE_ONLY, connected=True))
    stage.close()
    monkeypatch.setattr(replay, "PROGRESS_EVERY", 5)
    monkeypatch.setattr(verification, "PROGRESS_EVERY", 5)
    monkeypatch.setattr(output, "SAID_EVERY", 10)
    work(TerminalOutput(as_json=True), read_settings({}, tmp_path))
    lines = [line for line in capsys.readouterr().err.splitlines() if words in line]
    assert len(lines) > 1
    assert lines[0].startswith("10 ")


def drawn() -> list[str]:
    file = io.StringIO()
    console = Console(file=file, width=80, force_terminal=True, color_system=None, legacy_windows=False)
    console.print(render(SCENE, console))
    return file.getvalue().splitlines()


def test_the_picture_fits_80_columns_and_24_lines() -> None:
    lines = drawn()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 24


def test_the_picture_says_where_it_stands() -> None:
    text = "\n".join(drawn())
    for words in (
        "● act",
        "○ log",
        "▸ Reach out to Ada",
        "50000 of 100000",
        "Waiting until Tue 24 Nov",
        "Day 1 of the ramp",
    ):
        assert words in text


@pytest.mark.parametrize("trick", ["\x1b[2J", "\x07", "\r", "\u202e", "\u2066", "\x9b", "\ud800"])
def test_a_text_cannot_move_the_cursor_or_turn_a_line_around(trick: str) -> None:
    shown = printable(f"Hello {trick}there")
    assert trick not in shown
    assert shown.isprintable()
    assert f"[U+{ord(trick[0]):04X}]" in shown


@pytest.mark.parametrize(
    "text", ["Grüße,\n\nbis bald \\", "\u05e9\u05dc\u05d5\u05dd", "\U0001f44b\U0001f3fd", "\U0001f469\u200d\U0001f52c"]
)
def test_an_exact_text_keeps_its_lines_and_letters(text: str) -> None:
    assert printable(text) == text


def test_columns_are_aligned_and_one_line_each() -> None:
    assert columns([("a", "b"), ("long", "with\nbreak")]) == ["a     b", "long  with break"]


def test_a_crash_report_has_types_places_and_versions_and_no_message(tmp_path: Path) -> None:
    def reading(value: str) -> None:
        try:
            int(value)
        except ValueError as error:
            raise OutriderError("practice_failed", detail=f"Ada Lovelace {value}") from error

    with pytest.raises(OutriderError) as caught:
        reading("ada@example.org")
    report = write_crash(caught.value, "status", tmp_path)
    lines = report.read_text().splitlines()
    assert "OutriderError practice_failed" in lines
    assert "ValueError" in lines
    assert any("test_terminal.py" in line and line.endswith(" reading") for line in lines)
    assert [line.partition(":")[0] for line in lines[:3]] == ["command", "outrider", "python"]
    assert "ada" not in report.read_text().lower()
    assert report.stat().st_mode & 0o077 == 0


def test_the_panel_makes_room_while_something_else_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn over a question, neither the panel nor the question could be read."""
    shown: list[str] = []
    view = LiveView.__new__(LiveView)
    view._shown = ExitStack()
    view._shown.callback(shown.append, "closed")
    monkeypatch.setattr(view, "_show", lambda: shown.append("drawn again"))
    with view.suspended():
        assert shown == ["closed"]
    assert shown == ["closed", "drawn again"]
