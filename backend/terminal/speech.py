"""Where words go: results on stdout, everything else on stderr; with --json, stdout carries one JSON object and no more."""

import io
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from backend.domain.errors import OutriderError

if TYPE_CHECKING:
    from rich.console import Console

# Controls but line feed, bidirectional marks and overrides, lone surrogates: names and texts come from strangers, and
# none of them shall move the cursor, colour the screen or turn a line around.
_UNPRINTABLE = re.compile(
    r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def printable(text: str) -> str:
    """The text with everything that could fool a terminal written out as an escape."""
    return _UNPRINTABLE.sub(lambda found: found.group().encode("unicode_escape").decode(), text)


def one_line(text: str) -> str:
    """The same, on one line."""
    return printable(" ".join(text.split()))


class Speech:
    """How a command speaks: `as_json` is its --json."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json
        self._consoles: dict[bool, Console] = {}
        if isinstance(sys.stdout, io.TextIOWrapper):  # a name that this terminal cannot show must not end the command
            sys.stdout.reconfigure(errors="backslashreplace")

    @property
    def watched(self) -> bool:
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

    def result(self, lines: Iterable[str], machine: Mapping[str, Any]) -> None:
        """What the command was asked for: lines for a person, or the object for a machine."""
        if self.as_json:
            sys.stdout.write(json.dumps(machine) + "\n")  # in ASCII, which every terminal and pipe can carry
        else:
            sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))
        sys.stdout.flush()

    def refuse(self, error: OutriderError) -> None:
        """An error for a person on stderr, and for a machine as the last line of stdout."""
        if self.watched:
            self._panel(error)
        else:
            sys.stderr.write(f"{printable(error.sentence)}\n{printable(error.remedy)}\n[{error.code}]\n")
        if self.as_json:
            told = {"code": error.code, "sentence": error.sentence, "remedy": error.remedy}
            self.result((), {"error": told})

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


def need_terminal(speech: Speech) -> None:
    """Raises `not_interactive` where nobody can be asked."""
    if not speech.interactive:
        raise OutriderError("not_interactive")


def end(status: int) -> NoReturn:
    """End the command with this exit status."""
    import typer  # noqa: PLC0415 - whoever ends has long imported it

    raise typer.Exit(status)
