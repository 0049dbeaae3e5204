"""Which sheet of a workbook is read as a lead file, and what a person has to know of how the file is read."""

from typing import NamedTuple

_MOST_NAMED = 8


class LeadSheet(NamedTuple):
    """The sheet; a file that is no workbook has none, and its name is empty."""

    name: str = ""
    others: tuple[str, ...] = ()
    """Further sheets with anything in them."""
    hidden: tuple[str, ...] = ()
    """The same of sheets that a spreadsheet program does not show."""
    is_hidden: bool = False
    """Whether it is itself one that is not shown."""
    without_result: int = 0
    """Formulas for which the file has no result, so that their cells are empty."""
    hidden_rows: int = 0
    """Rows with anything in them that a spreadsheet program does not show, because of a filter or by hand."""
    hidden_columns: tuple[str, ...] = ()
    """Letters of columns that it does not show."""
    quotation_marks: str = ""
    """Those around the cells of a text file, if they are not CSV's own: `'…'`."""

    @property
    def all(self) -> list[tuple[str, bool]]:
        """Every sheet with anything in it, that which is read first; and whether it is hidden."""
        if not self.name:
            return []
        return [
            (self.name, self.is_hidden),
            *((name, False) for name in self.others),
            *((name, True) for name in self.hidden),
        ]

    @property
    def sentences(self) -> list[str]:
        """What a person has to know of it."""
        named = [f"“{name}”" for name in self.others] + [f"“{name}” (hidden)" for name in self.hidden]
        rest = len(named) - _MOST_NAMED
        sentences: list[str] = []
        if named:
            shown = ", ".join(named[:_MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
            sentences.append(f"Only the sheet “{self.name}” is read, not {shown}.")
        if self.without_result:
            formulas = "formula" if self.without_result == 1 else "formulas"
            sentences.append(
                f"{self.without_result:,} {formulas} without a result in the file, read as empty. To fill them, open the file in a"
                " spreadsheet program and save it."
            )
        if self.hidden_rows:
            rows = "row that is" if self.hidden_rows == 1 else "rows that are"
            is_read = "is" if self.hidden_rows == 1 else "are"
            sentences.append(
                f"{self.hidden_rows:,} {rows} hidden in the sheet, by a filter or by hand, {is_read} read, too. To leave out what"
                " is hidden, copy what you see to a new workbook, and choose that."
            )
        if self.hidden_columns:
            letters = ", ".join(self.hidden_columns[:_MOST_NAMED]) + (
                " …" if len(self.hidden_columns) > _MOST_NAMED else ""
            )
            columns = "column is" if len(self.hidden_columns) == 1 else "columns are"
            sentences.append(f"{len(self.hidden_columns):,} hidden {columns} read, too: {letters}.")
        if self.quotation_marks:
            sentences.append(f"The cells stand between {self.quotation_marks}, which are read as quotation marks.")
        return sentences


NO_SHEET = LeadSheet()
