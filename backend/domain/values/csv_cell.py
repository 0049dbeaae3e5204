"""A cell of an exported table that no spreadsheet takes for a formula, and the way back to what it was.

What is written here, and what the page copies (by the constants, which are generated for it), follows this one rule.

An apostrophe goes before every sign that begins a formula where a cell may begin: at the start, and after whatever another
program may split at. What stands there already is not lost: one more is put, and exactly one is taken away again.
"""

import re
from collections.abc import Callable
from functools import cache

from backend.domain.values.hidden_characters import hidden_class

SIGNS = "=+-@＝﹦⁼₌⩵⩶＋﹢⁺₊﬩－﹣＠﹫"  # noqa: RUF001 - look-alikes are the point
"""What begins a formula, in every spelling of which a program may make that (NFKC)."""

SEPARATORS = ";,\t|\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""What another program may split a cell at."""

MARKS = '";,|'
"""Of what may stand between the beginning of a cell and its first sign: all that is neither blank nor hidden."""

_SIGN = f"[{re.escape(SIGNS)}]"
_ANY_SIGN = re.compile(_SIGN)


@cache
def _before_a_sign() -> re.Pattern[str]:
    """Compiled at the first export: that takes long."""
    # Between the beginning of a cell and its first sign: what programs trim, quotes, what nobody sees, further separators.
    before = rf"[\s{MARKS}{hidden_class()[1:]}"
    # A run is looked at once, from its first character: the time taken grows with the length of the cell and not faster.
    return re.compile(rf"(?:^|(?<!{before})(?={before}))({before}*+)('*+)(?={_SIGN})")


def neutralised(cell: str) -> str:
    """The cell with an apostrophe before each sign that could begin a formula."""
    return _changed(cell, lambda apostrophes: f"{apostrophes}'")


def restored(cell: str) -> str:
    """The cell as it was before it was `neutralised`."""
    return _changed(cell, lambda apostrophes: apostrophes[:-1])


def _changed(cell: str, change: Callable[[str], str]) -> str:
    if not _ANY_SIGN.search(cell):
        return cell

    def put(match: re.Match[str]) -> str:
        begins_a_cell = match.start() == 0 or any(character in SEPARATORS for character in match[1])
        return match[1] + (change(match[2]) if begins_a_cell else match[2])

    return _before_a_sign().sub(put, cell)
