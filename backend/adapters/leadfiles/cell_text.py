"""What is kept of a cell: all of it, on one line."""

import re

# What does not break is seen as a blank, and stands wherever text was copied from a page.
_BREAKS = re.compile(r"[\t\n\r\u00a0\u2007\u202f]+")
_ENDS = " \t\n\r"


def cell_text(cell: str) -> str:
    """The cell on one line, without blanks at its ends, of whatever kind; nothing else is taken from it, however odd.

    Whoever shows it shows what is hidden in it (`backend.domain.values.hidden_characters`). NUL is left out: no database keeps it.
    """
    if cell.isprintable():  # nearly every cell; nothing that is changed below is printable
        return cell.strip(_ENDS)
    return _BREAKS.sub(" ", cell.replace("\0", "")).strip(_ENDS)
