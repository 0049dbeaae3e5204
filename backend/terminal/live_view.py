"""A running campaign in the terminal: one calm panel where somebody watches, plain lines where it is written down."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from backend.domain.model.days import OffsetAt
from backend.domain.model.lead import STATUS_WORDS, LeadStatus
from backend.domain.reports.campaign_state import StateName
from backend.terminal.keyboard import echo_disabled
from backend.terminal.live_view_state import (
    STEPS,
    LiveViewReader,
    LiveViewState,
    after_turn,
    turn_sentence,
    with_nothing_due,
)
from backend.turn.loop import NothingEligible, TurnReport
from backend.turn.recovery import RecoveredAction

if TYPE_CHECKING:
    from backend.terminal.output import TerminalOutput

WIDEST = 100
_LOOK_EVERY = 0.25
_RECOUNT_EVERY = 5.0
_SPEAK_EVERY = 50
_SELECTED, _CHECKED = 2, 4

_COLOURS = {StateName.ON: "green", StateName.PAUSED: "yellow", StateName.DONE: "green", StateName.STOPPED: "red"}
_MARKS = {"done": "✓", "now": "●", "later": "○", "current": "▸", "blocked": "!", "pending": "·"}


# --- the picture: a pure function of the scene -------------------------------------------------------------------------


def render(scene: LiveViewState, console: Console) -> RenderableType:
    """The panel."""
    parts: list[RenderableType] = [_stepper(scene), Text(scene.doing, style="dim", no_wrap=True), Text()]
    parts += [_tasks(scene), Text(), _progress(scene), Text()]
    parts += [_last(scene), _held(scene)]
    title = Text.assemble((scene.name, "bold"), "  ", (scene.state, _COLOURS.get(scene.state, "dim")))
    below = Text(f"step {scene.turn}   {scene.time}", style="dim")
    return Panel(
        Group(*parts), title=title, title_align="left", subtitle=below, subtitle_align="right", border_style="dim",
        padding=(1, 2, 0, 2), width=min(console.width, WIDEST),
    )  # fmt: skip


def _stepper(scene: LiveViewState) -> Text:
    line = Text(no_wrap=True)
    for at, name in enumerate(STEPS):
        kind, style = (
            ("done", "green") if at < scene.step else ("now", "bold cyan") if at == scene.step else ("later", "dim")
        )
        line.append(f"{_MARKS[kind]} {name}", style=style)
        line.append("  " if at < len(STEPS) - 1 else "")
    return line


def _tasks(scene: LiveViewState) -> RenderableType:
    grid = Table.grid(padding=(0, 1), expand=True)
    grid.add_column(width=1)
    grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    grid.add_column(justify="right", no_wrap=True, overflow="ellipsis", max_width=42)
    for row in scene.rows:
        kind = "current" if row.current else row.status if row.status in _MARKS else "later"
        style = (
            "cyan" if row.current else "yellow" if row.status == "blocked" else "dim" if row.status == "pending" else ""
        )
        grid.add_row(
            Text(_MARKS[kind], style=style), Text(row.description, style=style), Text(row.state_text, style="dim")
        )
    grid.add_row("", Text(f"and {scene.more} more" if scene.more > 0 else "", style="dim"), "")
    return grid


def _progress(scene: LiveViewState) -> RenderableType:
    counts = "  ".join(f"{n} {STATUS_WORDS[LeadStatus(status)]}" for status, n in sorted(scene.leads.items()))
    if scene.drafts:
        counts += f"  {scene.drafts} in review"
    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(width=24)
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", no_wrap=True, overflow="ellipsis", ratio=1)
    bar = ProgressBar(total=max(1, scene.total), completed=scene.done, complete_style="green", finished_style="green")
    grid.add_row(bar, Text(f"{scene.done} of {scene.total} leads"), Text(counts, style="dim"))
    return grid


def _last(scene: LiveViewState) -> Text:
    line = Text(no_wrap=True, overflow="ellipsis")
    if scene.proposal:
        accepted = scene.verdict == "accepted"
        line.append("proposed  ", style="dim").append(scene.proposal)
        line.append(f"  {scene.verdict}", style="green" if accepted else "yellow")
        line.append(f"  {scene.detail}" if scene.detail else "", style="dim")
    return line


def _held(scene: LiveViewState) -> Text:
    """Why nothing was due, or what the user must see now. Always two lines, so that nothing jumps."""
    verb = "Waiting" if scene.waiting else "Waited"
    wait = f"{verb} until {scene.until}." if scene.until else ""
    lines = [line for line in (scene.notice, wait, *scene.waiting_reasons) if line]
    style = "bold yellow" if scene.notice else "yellow" if scene.waiting else "dim"
    return Text("\n".join([*lines, "", ""][:2]), style=style, no_wrap=True, overflow="ellipsis")


# --- the views ---------------------------------------------------------------------------------------------------------


class PlainView:
    """Hears what the runner does and keeps the scene; by itself it writes a line for what happens in the world."""

    def __init__(self, output: "TerminalOutput", observer: LiveViewReader, offset_at: OffsetAt) -> None:
        self.output = output
        self.scene = LiveViewState()
        self._observer = observer
        self._offset_at = offset_at
        self._task = ""
        self._looked = self._counted = 0.0

    def __enter__(self) -> "PlainView":
        self.look()
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def step(self, _campaign_id: str, number: int, what: str) -> None:
        """A step of the turn is behind us; the second names the task, the fourth the proposal."""
        if number == _SELECTED:
            self._task = what
            self.scene = replace(self.scene, waiting=False)
        doing = {_SELECTED: self._task, _CHECKED: f"{self._task}: {what}"}.get(number, self.scene.doing)
        self.scene = replace(self.scene, step=number, doing=doing)

    def turn(self, report: TurnReport) -> None:
        """A turn is on disk."""
        self.scene = after_turn(self.scene, report)
        self.look(only_if_due=True)
        if report.effect or report.verdict != "accepted" or report.number % _SPEAK_EVERY == 0:
            self.line(turn_sentence(report))

    def nothing_due(self, nothing_eligible: NothingEligible) -> None:
        """Nothing is eligible now."""
        self.scene = with_nothing_due(self.scene, nothing_eligible, self._offset_at)
        self.look(only_if_due=True)

    def recovered(self, actions: list[RecoveredAction]) -> None:
        """What looking again at sends without an outcome has shown."""
        for action in actions:
            self.line(f"checked a send again: {action.outcome}")

    def notice(self, sentence: str) -> None:
        """Something the user must see now; safe in a signal handler where the view is drawn by a thread of its own."""
        self.scene = replace(self.scene, notice=sentence)

    def line(self, sentence: str) -> None:
        """One plain line."""
        self.output.note(sentence.strip())

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Make room for a question."""
        yield

    def look(self, *, only_if_due: bool = False) -> None:
        """Bring the scene up to date."""
        now = time.monotonic()
        if only_if_due and now - self._looked < _LOOK_EVERY:
            return
        self._looked = now
        if now - self._counted > _RECOUNT_EVERY:
            self._counted = now
            self._observer.count_unplannable()
        self.scene = self._observer.look(self.scene)


class LiveView(PlainView):
    """The panel, drawn a few times a second by rich's thread from the latest scene."""

    def __init__(self, output: "TerminalOutput", observer: LiveViewReader, offset_at: OffsetAt) -> None:
        super().__init__(output, observer, offset_at)
        self._console = output.console()
        self._shown = ExitStack()

    def _show(self) -> None:
        live = Live(
            get_renderable=lambda: render(self.scene, self._console),
            console=self._console,
            refresh_per_second=8,
            redirect_stdout=False,
            redirect_stderr=False,
            transient=True,
        )
        self._shown.enter_context(echo_disabled())
        self._shown.enter_context(live)

    def __enter__(self) -> "PlainView":
        super().__enter__()
        self._show()
        return self

    def __exit__(self, *_: object) -> None:
        self._shown.close()

    def line(self, sentence: str) -> None:
        """The panel says it already."""

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """The panel makes room: drawn over a question, neither could be read."""
        self._shown.close()
        try:
            yield
        finally:
            self._show()


def view_for(output: "TerminalOutput", observer: LiveViewReader, offset_at: OffsetAt) -> PlainView:
    """The panel where somebody watches and it can be drawn, lines elsewhere."""
    if output.stderr_is_terminal:
        console = output.console()
        if console.encoding.lower().startswith("utf") and not console.is_dumb_terminal:
            return LiveView(output, observer, offset_at)
    return PlainView(output, observer, offset_at)
