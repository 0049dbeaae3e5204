"""Excel workbooks, written part by part, so that a test can put into one whatever a program or an attacker could."""

import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_CONTENT = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
FORMATS = ("General", "yyyy-mm-dd", "dd.mm.yyyy hh:mm", "00000", "0.00E+00", "0%")
"""Of numbers; a cell names its own by its place here."""


class Cell(NamedTuple):
    """A cell as it stands in the file: its kind (`n`, `s`, `str`, `b`, `e`), its result, its formula, its format."""

    result: str | None
    kind: str = "n"
    formula: str | None = None
    format: int = 0
    more: str = ""


Rows = Iterable[Sequence[str | float | Cell | None]]
Sheets = Mapping[str, Rows]
"""Name -> what stands in it."""


def parts_of(
    sheets: Sheets, hidden: Sequence[str] = (), after_rows: str = "", *, epoch_1904: bool = False
) -> dict[str, str]:
    """Name -> content of each part of the workbook."""
    texts: dict[str, int] = {}
    pages = [_sheet(rows, texts, after_rows) for rows in sheets.values()]
    numbers = range(1, len(pages) + 1)
    named = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{n}"{_state(name, hidden)} r:id="rId{n}"/>'
        for n, name in zip(numbers, sheets, strict=True)
    )
    related = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
    )
    overrides = {f"/xl/worksheets/sheet{n}.xml": "worksheet" for n in numbers} | {
        "/xl/workbook.xml": "sheet.main", "/xl/styles.xml": "styles", "/xl/sharedStrings.xml": "sharedStrings"
    }  # fmt: skip
    formats = "".join(f'<numFmt numFmtId="{164 + n}" formatCode={quoteattr(code)}/>' for n, code in enumerate(FORMATS))
    styles = "".join(f'<xf numFmtId="{164 + n if n else 0}" fontId="0"/>' for n in range(len(FORMATS)))
    return {
        "[Content_Types].xml": f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml" '
        'ContentType="application/xml"/><Default Extension="rels" ContentType="application/'
        'vnd.openxmlformats-package.relationships+xml"/>'
        + "".join(f'<Override PartName="{at}" ContentType="{_CONTENT}.{kind}+xml"/>' for at, kind in overrides.items())
        + "</Types>",
        "_rels/.rels": f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'{_HEAD}<workbook {_MAIN} xmlns:r="{_OFFICE}"><workbookPr date1904="{int(epoch_1904)}"/>'
        f"<sheets>{named}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{related}</Relationships>',
        "xl/styles.xml": f"{_HEAD}<styleSheet {_MAIN}><numFmts>{formats}</numFmts><fonts><font/></fonts>"
        f"<cellXfs>{styles}</cellXfs></styleSheet>",
        "xl/sharedStrings.xml": f"{_HEAD}<sst {_MAIN}>"
        + "".join(f'<si><t xml:space="preserve">{escape(text)}</t></si>' for text in texts)
        + "</sst>",
        **{f"xl/worksheets/sheet{n}.xml": page for n, page in zip(numbers, pages, strict=True)},
    }


def write_parts(path: Path, parts: Mapping[str, str | bytes]) -> Path:
    """The file of these parts."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return path


def write_workbook(
    path: Path,
    sheets: Sheets,
    hidden: Sequence[str] = (),
    after_rows: str = "",
    *,
    epoch_1904: bool = False,
) -> Path:
    """A workbook with these sheets."""
    return write_parts(path, parts_of(sheets, hidden, after_rows, epoch_1904=epoch_1904))


def _state(name: str, hidden: Sequence[str]) -> str:
    return ' state="hidden"' if name in hidden else ""


def _sheet(rows: Rows, texts: dict[str, int], after_rows: str) -> str:
    written = "".join(
        f'<row r="{n}">{"".join(_cell(cell, f"{_letters(at)}{n}", texts) for at, cell in enumerate(row))}</row>'
        for n, row in enumerate(rows, 1)
        if row
    )
    # What it says of its own size is wrong, as it is in the files of several programs.
    return f'{_HEAD}<worksheet {_MAIN}><dimension ref="A1"/><sheetData>{written}</sheetData>{after_rows}</worksheet>'


def _cell(value: str | float | Cell | None, reference: str, texts: dict[str, int]) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        value = Cell(str(texts.setdefault(value, len(texts))), "s")
    elif not isinstance(value, Cell):
        value = Cell(str(value))
    formula = "" if value.formula is None else f"<f>{escape(value.formula)}</f>"
    result = "" if value.result is None else f"<v>{escape(value.result)}</v>"
    return f'<c r="{reference}" s="{value.format}" t="{value.kind}">{formula}{result}{value.more}</c>'


def _letters(at: int) -> str:
    return (_letters(at // 26 - 1) if at >= 26 else "") + chr(ord("A") + at % 26)
