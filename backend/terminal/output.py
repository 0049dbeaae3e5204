"""Where words go: results on stdout, everything else on stderr; with --json, stdout carries one JSON object and no more."""

import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import reveal

if TYPE_CHECKING:
    from rich.console import Console


def printable(text: str) -> str:
    """The text with everything that could hide, or fool a terminal, shown as its code point."""
    return reveal(text).replace("\t", "    ")


def one_line(text: str) -> str:
    """The same, on one line."""
    return " ".join(printable(text).split())


class TerminalOutput:
    """How a command speaks: `as_json` is its --json."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json
        self._consoles: dict[bool, Console] = {}
        for name in (
            "stdin",
            "stdout",
            "stderr",
        ):  # one closed before us: the next file to be opened would take its number
            if getattr(sys, name) is None:
                setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "r" if name == "stdin" else "w"))
        if isinstance(sys.stdout, io.TextIOWrapper):  # a name that this terminal cannot show must not end the command
            sys.stdout.reconfigure(errors="backslashreplace")

    @property
    def stderr_is_terminal(self) -> bool:
        """Whether somebody sees what goes to stderr as it comes."""
        return sys.stderr.isatty()

    @property
    def interactive(self) -> bool:
        """Whether there is somebody to ask."""
        return sys.stdin.isatty() and sys.stderr.isatty()

    def console(self, *, result: bool = False) -> "Console":
        """rich on stdout for results, on stderr for the rest."""
        if result not in self._consoles:
            from rich.console import Console  # noqa: PLC0415 - most commands print a few plain lines

            self._consoles[result] = Console(stderr=not result, highlight=False, soft_wrap=False)
        return self._consoles[result]

    def note(self, sentence: str) -> None:
        """Something by the way, on stderr."""
        sys.stderr.write(f"{printable(sentence)}\n")
        sys.stderr.flush()

    def result(self, lines: Iterable[str], json_result: Mapping[str, Any]) -> None:
        """What the command was asked for: lines for a person, or the object for a machine."""
        if self.as_json:
            sys.stdout.write(json.dumps(json_result) + "\n")  # in ASCII, which every terminal and pipe can carry
        else:
            sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))
        sys.stdout.flush()

    def error(self, error: OutriderError, beside: Mapping[str, Any] | None = None) -> None:
        """An error for a person on stderr, and for a machine as the last line of stdout, with whatever is told `beside` it."""
        if self.stderr_is_terminal:
            self._panel(error)
        else:
            sys.stderr.write(f"{printable(error.sentence)}\n{printable(error.remedy)}\n[{error.code}]\n")
        if self.as_json:
            error_fields = {"code": error.code, "sentence": error.sentence, "remedy": error.remedy}
            self.result((), {**(beside or {}), "error": error_fields})

    def _panel(self, error: OutriderError) -> None:
        from rich.panel import Panel  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        words = Text.assemble(
            printable(error.sentence), "\n", printable(error.remedy), "\n", (f"[{error.code}]", "dim")
        )
        self.console().print(Panel(words, border_style="yellow", padding=(0, 1)))


def columns(rows: Sequence[Sequence[object]], *, indent: str = "") -> list[str]:
    """Rows as aligned lines, two blanks apart; the last column is as long as it is."""
    cells = [[one_line(str(cell)) for cell in row] for row in rows]
    widths = [max(len(row[at]) for row in cells) for at in range(len(cells[0]))] if cells else []
    return [
        indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    ]


SAID_EVERY = 10_000
"""How many rows or entries pass between two words about progress."""


def progress_notes(output: TerminalOutput, done_of: str) -> Callable[[int], None]:
    """Tells on stderr how far it is, now and then; `done_of` is what is counted ("rows read")."""
    last_noted = 0

    def progressed(done: int) -> None:
        nonlocal last_noted
        if done - last_noted >= SAID_EVERY:
            last_noted = done
            output.note(f"{done:,} {done_of}")

    return progressed


def require_terminal(output: TerminalOutput, instead: str) -> None:
    """Raises `not_interactive` where nobody can be asked; `instead` says how this very decision is made otherwise."""
    if not output.interactive:
        raise OutriderError("not_interactive", instead=instead)


def exit_with(status: int) -> NoReturn:
    """End the command with this exit status."""
    import typer  # noqa: PLC0415 - whoever ends has long imported it

    raise typer.Exit(status)
