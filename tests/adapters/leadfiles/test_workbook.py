"""Excel workbooks: what stands in a cell, which sheet is read, and the same people as from a file of text."""

import csv
import io
import re
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import openpyxl
import openpyxl.chart
import pytest

from backend.adapters.leadfiles import LeadFile, LeadRow, limits, read_leads, unknown_table
from backend.adapters.leadfiles.do_not_contact_file import read_do_not_contact_file
from backend.adapters.leadfiles.written_address import shown_by_formula
from backend.domain.people.lead_sheet import LeadSheet
from backend.domain.values.errors import OutriderError

from .test_quirks import BOTH, CONNECTIONS, HEADER, JON, JON_URL, ODA, ODA_URL, PEOPLE, rows_of, written
from .workbooks import Cell, Rows, Sheets, parts_of, write_parts, write_workbook

NAMES = tuple(HEADER.strip().split(","))
TABLE = (NAMES, ODA, JON)
ROWS = 3_000
Rewrite = Callable[[dict[str, str]], dict[str, str]]
PARTS = parts_of({"Leads": TABLE})
SHEET = "xl/worksheets/sheet1.xml"


def lead_file(path: Path) -> LeadFile:
    try:
        return read_leads(path)
    except OutriderError as unknown:
        if unknown.code != "lead_file_unknown_format":
            raise
    return read_leads(path, unknown_table(path).guessed)


def people(path: Path) -> list[tuple[str, str, str]]:
    return [(row.full_name, row.email or "", row.company or "") for row in rows_of(path) if isinstance(row, LeadRow)]


def refusal(path: Path) -> OutriderError:
    with pytest.raises(OutriderError) as refused:
        rows_of(path)
    return refused.value


def as_a_spreadsheet_reads_it(text: str) -> str | Cell:
    return Cell(shown_by_formula(text), "str", text[1:]) if text.startswith("=") else text


@pytest.mark.parametrize("quirk", PEOPLE)
def test_the_same_table_in_a_workbook_has_the_same_people(tmp_path: Path, quirk: str) -> None:
    content, expected = PEOPLE[quirk]
    table = written(tmp_path, content)
    split = unknown_table(table)
    lines = io.StringIO(table.read_bytes().decode(split.encoding), newline="")
    rows = [
        [as_a_spreadsheet_reads_it(cell) for cell in row]
        for row in csv.reader(lines, delimiter=split.delimiter, skipinitialspace=True)
    ]
    assert people(write_workbook(tmp_path / "people.xlsx", {"Leads": rows})) == expected


def test_an_export_saved_as_a_workbook_is_known_as_what_it_is(tmp_path: Path) -> None:
    rows = list(csv.reader(CONNECTIONS.splitlines()))
    read = lead_file(write_workbook(tmp_path / "people.xlsx", {"Connections": rows}))
    assert read.format.name == "linkedin_connections"
    assert [row.profile_url for row in read if isinstance(row, LeadRow)] == [row[2] for row in rows[1:]]


SHOWN: dict[str, tuple[str | float | Cell, str]] = {
    "text": ("Nordlys AS", "Nordlys AS"),
    "text with a line break": ("Nordlys\nAS", "Nordlys AS"),
    "text with a line break as some programs write it": ("Nordlys_x000D_\nAS", "Nordlys AS"),
    "text in the cell itself": (Cell(None, "inlineStr", more="<is><t>Nordlys</t></is>"), "Nordlys"),
    "text in several styles": (Cell(None, "inlineStr", more="<is><r><t>Nord</t></r><r><t>lys</t></r></is>"), "Nordlys"),
    "a number as text": ("0047123", "0047123"),
    "a whole number": (12, "12"),
    "a whole number with a point": (Cell("12.0"), "12"),
    "a telephone number": (4917012345678, "4917012345678"),
    "a telephone number as Excel keeps it": (Cell("4.917012345678E12"), "4917012345678"),
    "a number with zeros before it": (Cell("1067", format=3), "01067"),
    "a number shown with an exponent": (Cell("15000000", format=4), "15000000"),
    "a small number": (Cell("1.0E-5"), "0.00001"),
    "a number with a rounding error": (Cell("0.30000000000000004"), "0.3"),
    "a share": (Cell("0.25", format=5), "0.25"),
    "no number": (Cell("1E999"), ""),
    "yes": (Cell("1", "b"), "TRUE"),
    "no": (Cell("0", "b"), "FALSE"),
    "a day": (Cell("45366", format=1), "2024-03-15"),
    "a moment": (Cell("45366.4375", format=2), "2024-03-15 10:30:00"),
    "a day that no calendar has": (Cell("99999999", format=1), ""),
    "a day written out": (Cell("2024-03-15", "d"), "2024-03-15"),
    "an error": (Cell("#N/A", "e"), ""),
    "an error of a formula": (Cell("#REF!", "e", "A1"), ""),
    "what a formula shows": (Cell("Nordlys", "str", "A1&B1"), "Nordlys"),
    "a number that a formula shows": (Cell("12", formula="6+6"), "12"),
    "a formula that shows nothing": (Cell("", "str", 'IF(A1="","",B1)'), ""),
    "a formula without a result": (Cell(None, formula="A1&B1"), ""),
    "a link": (Cell("Oda", "str", 'HYPERLINK("https://x.example","Oda")'), "Oda"),
    "a link to where another cell says": (Cell("Oda", "str", 'HYPERLINK(A1,"Oda")'), "Oda"),
}  # fmt: skip


@pytest.mark.parametrize("what", SHOWN)
def test_a_cell_says_what_it_shows(tmp_path: Path, what: str) -> None:
    cell, shown = SHOWN[what]
    path = write_workbook(tmp_path / "people.xlsx", {"Leads": [("Name", "Said"), ("Oda", cell)]})
    (row,) = read_leads(path, {"full_name": "Name"})
    assert isinstance(row, LeadRow)
    assert row.extra.get("Said", "") == shown
    assert lead_file(path).sheet.without_result == (what == "a formula without a result")


def test_a_strict_workbook_has_its_days_links_formulas_and_hidden_sheets(tmp_path: Path) -> None:
    rows: Rows = [
        ("Name", "LinkedIn", "Connected on"), ("Oda", "Profile", Cell("2024-03-15T00:00:00", "d")),
        ("Jon", "Profile", Cell("45366", formula="A1", format=1)),
    ]  # fmt: skip
    links = {"B2": ODA_URL, "B3": JON_URL}
    path = linked(tmp_path, {"Old": TABLE, "http://purl.oclc.org/ooxml/x": rows}, links, hidden=("Old",), write=strict)
    read = [row for row in rows_of(path) if isinstance(row, LeadRow)]
    assert [(row.full_name, row.profile_url, row.connected_on) for row in read] == [
        ("Oda", ODA_URL, "2024-03-15"), ("Jon", JON_URL, "2024-03-15")
    ]  # fmt: skip
    assert unknown_table(path).sheet == LeadSheet("http://purl.oclc.org/ooxml/x", (), ("Old",))


def linked(
    tmp_path: Path,
    sheets: Sheets,
    links: Mapping[str, str],
    hidden: Sequence[str] = (),
    write: Rewrite = dict,
) -> Path:
    """A workbook whose cells lead somewhere: where a cell is -> the address."""
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    tags = "".join(f'<hyperlink ref="{at}" r:id="r{n}"/>' for n, at in enumerate(links))
    related = "".join(
        f'<Relationship Id="r{n}" Type="{office}/hyperlink" Target="{address}" TargetMode="External"/>'
        for n, address in enumerate(links.values())
    )
    parts = parts_of(sheets, hidden, f'<hyperlinks xmlns:r="{office}">{tags}</hyperlinks>')
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    beside = {
        f"xl/worksheets/_rels/sheet{len(sheets)}.xml.rels": f'<Relationships xmlns="{package}">{related}</Relationships>'
    }
    return write_parts(tmp_path / "people.xlsx", write({**parts, **beside}))


def test_a_cell_that_leads_to_an_address_tells_it(tmp_path: Path) -> None:
    rows = [
        ("Name", "LinkedIn", "Email", "Site"),
        ("Oda", "Profile", "Write", "Home"),
        ("Jon", "Profile", "jon@x.example", ""),
    ]
    links = {
        "A1": "https://x.example", "B2": ODA_URL, "C2": "mailto:oda@x.example", "D2": "https://oda.example",
        "B3": JON_URL, "C3": "mailto:other@x.example", "D3:XFD1048576": "https://x.example",
    }  # fmt: skip
    read = [row for row in rows_of(linked(tmp_path, {"Leads": rows}, links)) if isinstance(row, LeadRow)]
    assert [(row.full_name, row.profile_url, row.email) for row in read] == [
        ("Oda", ODA_URL, "oda@x.example"), ("Jon", JON_URL, "jon@x.example")
    ]  # fmt: skip
    assert read[0].extra["Site"] == "Home"


def test_names_that_lead_to_profiles_are_read_as_both(tmp_path: Path) -> None:
    path = linked(tmp_path, {"Leads": TABLE}, {"A2": ODA_URL, "A3": JON_URL})
    read = [row for row in rows_of(path) if isinstance(row, LeadRow)]
    assert [(row.full_name, row.profile_url) for row in read] == [(ODA[0], ODA_URL), (JON[0], JON_URL)]


def test_days_count_from_1904_where_the_workbook_says_so(tmp_path: Path) -> None:
    rows: Rows = [("Name", "Connected on"), ("Oda", Cell("43904", format=1))]
    (row,) = lead_file(write_workbook(tmp_path / "people.xlsx", {"Leads": rows}, epoch_1904=True))
    assert isinstance(row, LeadRow)
    assert row.connected_on == "2024-03-15"


def test_the_lines_of_rows_are_those_of_the_sheet(tmp_path: Path) -> None:
    read = rows_of(write_workbook(tmp_path / "people.xlsx", {"Leads": [(), NAMES, (), ODA, (), (), ("", "x"), JON]}))
    assert [row.line for row in read] == [4, 7, 8]


def test_columns_beyond_the_header_and_far_down_are_kept(tmp_path: Path) -> None:
    many = [(f"Jon {n}", f"jon{n}@x.example", "Vik AS") for n in range(400)]
    read = rows_of(write_workbook(tmp_path / "people.xlsx", {"Leads": [NAMES, *many, (*ODA, "met at the fair")]}))
    assert isinstance(read[-1], LeadRow)
    assert (len(read), read[-1].full_name, [*read[-1].extra.values()]) == (401, ODA[0], ["met at the fair"])


def test_of_merged_cells_the_first_has_the_text(tmp_path: Path) -> None:
    rows = [("Leads of the fair", None, None), NAMES, (*ODA[:2], "Vik AS"), (*JON[:2], None)]
    merged = '<mergeCells count="2"><mergeCell ref="A1:C1"/><mergeCell ref="C3:C4"/></mergeCells>'
    path = write_workbook(tmp_path / "people.xlsx", {"Leads": rows}, after_rows=merged)
    assert people(path) == [(*ODA[:2], "Vik AS"), (*JON[:2], "")]


NOTES = (("Read me first",), ("Updated", "by Kim"))
SHEETS: dict[str, tuple[Sheets, tuple[str, ...], LeadSheet]] = {
    "one": ({"Leads": TABLE}, (), LeadSheet("Leads")),
    "empty ones": ({"Sheet1": TABLE, "Sheet2": (), "Sheet3": ((None, ""),)}, (), LeadSheet("Sheet1")),
    "notes before": ({"Notes": NOTES, "Leads": TABLE}, (), LeadSheet("Leads", ("Notes",))),
    "a header without people before": ({"Empty": (NAMES,), "Leads": TABLE}, (), LeadSheet("Leads", ("Empty",))),
    "another table of people": ({"May": TABLE, "June": TABLE}, (), LeadSheet("May", ("June",))),
    "a hidden one before": ({"Old": TABLE, "Leads": TABLE}, ("Old",), LeadSheet("Leads", (), ("Old",))),
    "none that names people": ({"A": (("x", "y"), ("1", "2")), "B": NOTES}, (), LeadSheet("A", ("B",))),
}  # fmt: skip


@pytest.mark.parametrize("which", SHEETS)
def test_the_first_visible_sheet_with_people_is_read_and_the_others_are_told(tmp_path: Path, which: str) -> None:
    sheets, hidden, expected = SHEETS[which]
    path = write_workbook(tmp_path / "people.xlsx", sheets, hidden)
    assert unknown_table(path).sheet == expected
    sentences = " ".join(expected.sentences)
    assert all(f"“{name}”" in sentences for name in expected.others + expected.hidden)
    assert bool(sentences) == bool(expected.others + expected.hidden)


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("june ", LeadSheet("June", ("May",), ("Old",))),
        ("Old", LeadSheet("Old", ("May", "June"), (), is_hidden=True)),
    ],
)
def test_any_sheet_can_be_chosen_by_its_name_a_hidden_one_too(tmp_path: Path, name: str, read: LeadSheet) -> None:
    sheets: Sheets = {"May": (NAMES, ODA), "June": (NAMES, JON), "Old": (NAMES, JON)}
    path = write_workbook(tmp_path / "people.xlsx", sheets, ("Old",))
    table = unknown_table(path, sheet=name)
    assert table.sheet == read
    assert [row.full_name for row in read_leads(path, table.guessed, sheet=name) if isinstance(row, LeadRow)] == [
        JON[0]
    ]
    assert dict(read.all) == {"May": False, "June": False, "Old": True}


def test_a_sheet_that_is_not_there_is_refused_and_the_others_are_named(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "people.xlsx", {"May": TABLE, "Nothing": ()})
    with pytest.raises(OutriderError, match="Choose one that it has: “May”") as refused:
        unknown_table(path, sheet="Nothing")
    assert refused.value.code == "lead_file_sheet_unknown"
    with pytest.raises(OutriderError, match="no workbook") as refused:
        read_leads(written(tmp_path, "Name\nAda\n"), sheet="May")
    assert refused.value.code == "lead_file_without_sheets"


@pytest.mark.parametrize("sheet", ["Leads", "Old"])
def test_the_formulas_of_the_sheet_that_is_read_are_told_wherever_it_stands(tmp_path: Path, sheet: str) -> None:
    unfilled = [*TABLE, ("Kim Voss", Cell(None, formula="A1"), None)]
    sheets: Sheets = {"Empty": [], "Old": TABLE, "Nothing": [(None,)], "Leads": unfilled}
    read = read_leads(write_workbook(tmp_path / "people.xlsx", sheets), {"full_name": "Name"}, sheet=sheet)
    assert (read.sheet.name, read.sheet.without_result) == (sheet, int(sheet == "Leads"))


def test_formulas_without_a_result_are_told(tmp_path: Path) -> None:
    rows = [*TABLE, ("Kim Voss", Cell(None, formula="A1"), Cell(None, formula="A2"))]
    (sentence,) = lead_file(write_workbook(tmp_path / "people.xlsx", {"Leads": rows})).sheet.sentences
    assert sentence.startswith("2 formulas without a result in the file, read as empty.")


def _inline(parts: dict[str, str]) -> dict[str, str]:
    """Texts in their cells, and no part for shared ones."""
    texts = re.findall(r"<t [^>]*>(.*?)</t>", parts["xl/sharedStrings.xml"])
    sheet = re.sub(r't="s"><v>(\d+)</v>', lambda at: f't="inlineStr"><is><t>{texts[int(at[1])]}</t></is>', parts[SHEET])
    types = re.sub(r'<Override PartName="/xl/sharedStrings[^>]*>', "", parts["[Content_Types].xml"])
    whole = {**parts, SHEET: sheet, "[Content_Types].xml": types}
    return {name: part for name, part in whole.items() if name != "xl/sharedStrings.xml"}


def _in_sheet(pattern: str, text: str) -> Rewrite:
    return lambda parts: {**parts, SHEET: re.sub(pattern, text, parts[SHEET])}


def _prefixed(parts: dict[str, str]) -> dict[str, str]:
    prefixed = {
        name: re.sub(r"<(/?)(?=[a-z])", r"<\1x:", part) for name, part in parts.items() if name.startswith("xl/")
    }
    return parts | {
        name: part.replace("xmlns=", "xmlns:x=")
        for name, part in prefixed.items()
        if not name.endswith((".rels", "styles.xml"))
    }


def strict(parts: dict[str, str]) -> dict[str, str]:
    """As Excel writes what it calls Strict Open XML."""
    usual = re.compile(r"http://schemas\.openxmlformats\.org/(spreadsheetml|officeDocument)/2006/")
    return {name: usual.sub(r"http://purl.oclc.org/ooxml/\1/", part) for name, part in parts.items()}


WRITTEN_BY: dict[str, Rewrite] = {
    "a size without columns (xlrd, report 107)": _in_sheet('ref="A1"', 'ref="1:49"'),
    "no size": _in_sheet("<dimension[^>]*>", ""),
    "cells without their places": _in_sheet(r' r="[A-Z]*\d+"', ""),
    "texts in their cells": _inline,
    "texts in their cells, with formulas (xlrd, report 81)": lambda parts: _in_sheet("<is>", "<f>A1</f><is>")(
        _inline(parts)
    ),
    "a thousand empty rows (rexcel, report 6)": _in_sheet(
        "</sheetData>", "".join(f'<row r="{number}"/>' for number in range(4, 1_001)) + "</sheetData>"
    ),
    "empty cells with a format in the last row": _in_sheet(
        "</sheetData>", '<row r="1048576"><c r="A1048576" s="1"/></row></sheetData>'
    ),
    "styles that are not there (PyExcelerate, report 105)": _in_sheet('s="0"', 's="99"'),
    "names of elements with a prefix": _prefixed,
    "places from the root": lambda parts: {
        name: part.replace('Target="worksheets', 'Target="/xl/worksheets') for name, part in parts.items()
    },
    "Strict Open XML (QXlsx, report 68; ExcelDataReader, report 498)": strict,
    "Strict Open XML, its elements with a prefix": lambda parts: strict(_prefixed(parts)),
    "Strict Open XML, behind a comment": lambda parts: strict(
        {**parts, SHEET: parts[SHEET].replace("<worksheet", "<!-- <made> by hand --><worksheet", 1)}
    ),
}
"""What programs do otherwise than Excel; some of it they were reported for."""


@pytest.mark.parametrize("how", WRITTEN_BY)
def test_a_workbook_of_another_program_has_the_same_people(tmp_path: Path, how: str) -> None:
    assert people(write_parts(tmp_path / "people.xlsx", WRITTEN_BY[how](PARTS))) == [ODA, JON]


HEAD = '<cols><col min="2" max="16384" {}/></cols><sheetData>'
HIDES: dict[str, tuple[tuple[str, str], int, tuple[str, ...]]] = {
    "rows that a filter leaves out": (('<row r="3"', '<row r="3" hidden="1"'), 1, ()),
    "rows, in words": (("<row ", "<row hidden='true' "), 3, ()),
    "rows without their numbers": (('<row r="3"', '<row hidden="1"'), 1, ()),
    "rows with nothing in them": (("</sheetData>", '<row r="4" hidden="1"><c r="A4" s="1"/></row></sheetData>'), 0, ()),
    "columns, and those behind the table": (("<sheetData>", HEAD.format('hidden="1"')), 0, ("B", "C")),
    "nothing, in words (LibreOffice)": (("<row ", '<row hidden="false" '), 0, ()),
    "no column, in words": (("<sheetData>", HEAD.format('hidden="0"')), 0, ()),
}
"""What is put into a sheet, how many hidden rows are told then, and which columns."""


@pytest.mark.parametrize("write", [dict, strict])
@pytest.mark.parametrize("what", HIDES)
def test_what_a_sheet_hides_is_read_and_told(tmp_path: Path, what: str, write: Rewrite) -> None:
    (old, new), rows, columns = HIDES[what]
    path = write_parts(tmp_path / "people.xlsx", write(PARTS | {SHEET: PARTS[SHEET].replace(old, new)}))
    assert people(path) == [ODA, JON]
    sheet = unknown_table(path).sheet
    assert (sheet.hidden_rows, sheet.hidden_columns) == (rows, columns)
    assert ["hidden" in sentence for sentence in sheet.sentences] == [True] * (bool(rows) + bool(columns))


LINES: dict[str, Rows] = {
    **{f"split by {mark!r}": [(mark.join(row),) for row in TABLE] for mark in ",;\t|"},
    "in quotes": [(",".join(f'"{cell}"' for cell in row),) for row in TABLE],
    "below a title": [("Leads of the fair",), (), *((";".join(row),) for row in TABLE)],
    "of which a comma split one": [
        (";".join(NAMES),), (";".join(ODA[:2]) + ";Nordlys", " Oslo"), (";".join(JON),),
    ],
}  # fmt: skip


@pytest.mark.parametrize("how", LINES)
def test_lines_left_whole_in_one_column_are_split(tmp_path: Path, how: str) -> None:
    oda = (*ODA[:2], "Nordlys, Oslo") if "comma split" in how else ODA
    assert people(write_workbook(tmp_path / "people.xlsx", {"Leads": LINES[how]})) == [oda, JON]


def test_a_column_of_names_with_commas_stays_one(tmp_path: Path) -> None:
    rows = [("Name",), ("Brandvik, Oda",), ("Vik; Jon",)]
    path = write_workbook(tmp_path / "people.xlsx", {"Leads": rows})
    assert [name for name, _, _ in people(path)] == ["Brandvik, Oda", "Vik; Jon"]


def test_a_workbook_of_openpyxl_is_read(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in TABLE:
        book.worksheets[0].append(row)
    chart = openpyxl.chart.BarChart()
    chart.add_data(openpyxl.chart.Reference(book.worksheets[0], min_col=1, min_row=1, max_row=3))
    book.create_chartsheet("Chart", 0).add_chart(chart)
    book.save(tmp_path / "people.xlsx")
    assert people(tmp_path / "people.xlsx") == [ODA, JON]


def test_content_counts_whatever_the_file_is_called(tmp_path: Path) -> None:
    (tmp_path / "text.xlsx").write_text(BOTH)
    assert people(tmp_path / "text.xlsx") == [ODA, JON]
    assert people(write_workbook(tmp_path / "workbook.csv", {"Leads": TABLE})) == [ODA, JON]


def test_a_do_not_contact_list_is_read_from_a_workbook(tmp_path: Path) -> None:
    listed = read_do_not_contact_file(write_workbook(tmp_path / "no.xlsx", {"No": TABLE, "More": TABLE}))
    assert (len(list(listed)), listed.header, listed.sheet.others) == (2, NAMES, ("More",))
    more = read_do_not_contact_file(
        write_workbook(tmp_path / "no.xlsx", {"No": TABLE, "More": TABLE[:2]}), sheet="More"
    )
    assert (len(list(more)), more.sheet.name) == (1, "More")
    with pytest.raises(OutriderError, match="Other"):
        read_do_not_contact_file(tmp_path / "no.xlsx", sheet="Other")
    bare = read_do_not_contact_file(
        write_workbook(tmp_path / "bare.xlsx", {"No": [("Vik, Inc.",), ("oda@x.example",)]})
    )
    assert len(list(bare)) == 2
    lines = {"No": [("Email;Reason",), ("oda@x.example;asked",), ("jon@x.example;bounced",)]}
    assert read_do_not_contact_file(write_workbook(tmp_path / "lines.xlsx", lines)).header == ("Email", "Reason")


def test_the_library_is_loaded_for_a_workbook_only(tmp_path: Path) -> None:
    script = (
        "import sys; from backend.adapters.leadfiles import unknown_table; unknown_table(sys.argv[1]);"
        "print('openpyxl' in sys.modules)"
    )
    for path, loaded in (
        (written(tmp_path, BOTH), "False"),
        (write_workbook(tmp_path / "p.xlsx", {"L": TABLE}), "True"),
    ):
        ran = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, check=True)
        assert ran.stdout.strip() == loaded


# What is refused, and how much is held.


@pytest.mark.parametrize("part", [name for name in PARTS if name not in ("_rels/.rels", "xl/styles.xml")])
@pytest.mark.parametrize("how", ["cut off", "no XML", "empty"])
def test_a_damaged_workbook_says_so(tmp_path: Path, part: str, how: str) -> None:
    whole = PARTS[part]
    broken = {"cut off": whole[: len(whole) * 2 // 3], "no XML": "\0\1\2", "empty": ""}[how]
    error = refusal(write_parts(tmp_path / "people.xlsx", PARTS | {part: broken}))
    assert (error.code, "people.xlsx" in error.sentence) == ("lead_file_workbook_damaged", True)


@pytest.mark.parametrize("prefix", ["", "x:"])
@pytest.mark.parametrize(
    "rows",
    [
        '<row r="2">{0}</row><row r="2">{1}</row>',
        '<row r="3">{0}</row><row r="2">{1}</row>',
        '<row r="3.0">{0}</row><row spans="1:9" r = \'2\'>{1}</row>',
        '<row r="7">{0}</row>' + "<row/>" * 3 + '<row r="8">{1}</row><row r="4">{0}</row>',
        '<row r="2"><c r="A2" t="str"><v>Kim</v></c><c r="A2" t="str"><v>Oda</v></c></row>',
        '<row r="2"><c r="AA2" t="str"><v>Kim</v></c><c r="B2" t="str"><v>Oda</v></c></row>',
        '<row r="2"><c r="A3" t="str"><v>Kim</v></c></row><row r="3"><c r="A2" t="str"><v>Oda</v></c></row>',
    ],
)
def test_rows_and_cells_that_stand_twice_or_out_of_order_are_damage(tmp_path: Path, rows: str, prefix: str) -> None:
    cells = ['<c t="str"><v>Kim</v></c>', '<c t="str"><v>Oda</v></c>']
    padding = "<row/>" * 15_000  # the second row is in another piece of the file
    sheet = _in_sheet(
        '<row r="2".*(?=</sheetData>)', rows.format(*cells).replace("</row><row ", f"</row>{padding}<row ", 1)
    )
    parts = sheet(PARTS)
    parts[SHEET] = re.sub(r"<(/?)(row|c|v)(?=[\s>/])", rf"<\1{prefix}\2", parts[SHEET]).replace(
        "<worksheet ", '<worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    )
    assert refusal(write_parts(tmp_path / "people.xlsx", parts)).code == "lead_file_workbook_damaged"


@pytest.mark.parametrize("part", [name for name in PARTS if name not in ("_rels/.rels", "[Content_Types].xml")])
def test_a_workbook_without_one_of_its_parts_is_read_or_says_so(tmp_path: Path, part: str) -> None:
    path = write_parts(tmp_path / "people.xlsx", {name: text for name, text in PARTS.items() if name != part})
    if part == "xl/styles.xml":
        assert people(path) == [ODA, JON]
    else:
        assert refusal(path).code.startswith(("lead_file_workbook_damaged", "lead_file_binary", "lead_file_empty"))


@pytest.mark.parametrize("share", [0.2, 0.6, 0.95, 0.999])
def test_a_workbook_cut_off_on_its_way_is_refused(tmp_path: Path, share: float) -> None:
    path = write_workbook(tmp_path / "people.xlsx", {"Leads": TABLE})
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    assert refusal(path).code == "lead_file_workbook_damaged"
    assert refusal(path.rename(tmp_path / "people.zip")).code == "lead_file_zip_damaged"


def test_an_empty_workbook_is_empty(tmp_path: Path) -> None:
    assert refusal(write_workbook(tmp_path / "people.xlsx", {"Leads": ()})).code == "lead_file_empty"
    assert refusal(write_workbook(tmp_path / "people.xlsx", {"Leads": TABLE}, ["Leads"])).code == "lead_file_empty"


@pytest.mark.parametrize("part", ["xl/styles.xml", "xl/sharedStrings.xml", SHEET])
def test_a_part_that_unpacks_to_too_much_is_refused_unread(
    tmp_path: Path, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MAX_WORKBOOK_PART_BYTES", "MAX_SHARED_TEXT_BYTES", "MAX_FILE_BYTES"):
        monkeypatch.setattr(limits, name, 2_000_000)
    error = refusal(write_parts(tmp_path / "people.xlsx", PARTS | {part: PARTS[part] + " " * 3_000_000}))
    assert (error.code, error.facts["limit"]) == ("lead_file_workbook_too_large", 2)
    assert part in error.sentence


def test_a_text_that_is_repeated_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", 2_000_000)
    rows = [NAMES, *(("Oda " + "x" * 30_000, "", ""),) * 100]
    error = refusal(write_workbook(tmp_path / "people.xlsx", {"Leads": rows}))
    assert (error.code, "“Leads”" in error.sentence) == ("lead_file_workbook_too_large", True)


def one_far_cell(tmp_path: Path, reference: str, row: str) -> Path:
    cell = f'<row r="{row}"><c r="{reference}" t="n"><v>1</v></c></row></sheetData>'
    return write_parts(tmp_path / "people.xlsx", PARTS | {SHEET: PARTS[SHEET].replace("</sheetData>", cell)})


def test_a_cell_far_below_the_table_costs_nothing(tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        assert people(one_far_cell(tmp_path, "C100000", "100000")) == [ODA, JON]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000


def test_a_cell_far_to_the_right_is_a_column_too_many(tmp_path: Path) -> None:
    assert refusal(one_far_cell(tmp_path, "XFD4", "4")).code == "lead_file_too_many_columns"


@pytest.mark.parametrize("row", ["1048577", "99999999999"])
def test_a_row_that_no_sheet_can_have_ends_the_reading(tmp_path: Path, row: str) -> None:
    error = refusal(one_far_cell(tmp_path, f"A{row}", row))
    assert (error.code, error.facts["limit"]) == ("lead_file_too_many_rows", limits.MAX_ROWS)


@pytest.mark.parametrize("write", [dict, strict])
def test_entities_are_not_unfolded_without_end(tmp_path: Path, write: Rewrite) -> None:
    entities = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    bomb = PARTS[SHEET].replace("<worksheet", f'<!DOCTYPE x [<!ENTITY e0 "xxxxxxxxxx">{entities}]><worksheet', 1)
    bomb = bomb.replace("</sheetData>", '<row><c t="str"><v>&e9;</v></c></row></sheetData>')
    assert (
        refusal(write_parts(tmp_path / "people.xlsx", write(PARTS | {SHEET: bomb}))).code
        == "lead_file_workbook_damaged"
    )


@pytest.mark.parametrize("between", ["<c t='str'><v>{0}</v></c>", "{0}"], ids=["a cell", "blanks between rows"])
def test_a_stretch_without_a_tag_takes_time_by_its_length(tmp_path: Path, between: str) -> None:
    """It packs to a thousandth: a small file took minutes."""
    people(write_parts(tmp_path / "people.xlsx", PARTS))  # loads the library
    times = list[float]()
    for megabytes in (2, 32):
        stretch = between.format(" " * megabytes * 1_000_000)
        rows = f"<row>{stretch}</row></sheetData>" if "<" in between else f"{stretch}</sheetData>"
        path = write_parts(tmp_path / "people.xlsx", PARTS | {SHEET: PARTS[SHEET].replace("</sheetData>", rows)})
        began = time.process_time()
        assert people(path) == [ODA, JON]
        times.append(time.process_time() - began)
    assert times[1] < 64 * times[0], "16 times as long, not 256 times"


@pytest.mark.parametrize(
    ("names", "code", "kind"),
    [
        (("[Content_Types].xml", "word/document.xml"), "lead_file_binary", "office document"),
        (("[Content_Types].xml", "xl/workbook.bin", "xl/worksheets/sheet1.bin"), "lead_file_binary", "office document"),
        (("mimetype", "content.xml"), "lead_file_open_document", "OpenDocument"),
        (("Index/Document.iwa", "Metadata/Properties.plist", "preview.jpg"), "lead_file_numbers", "Numbers"),
    ],
)
def test_what_else_an_office_program_writes_is_refused_by_what_it_is(
    tmp_path: Path, names: tuple[str, ...], code: str, kind: str
) -> None:
    error = refusal(write_parts(tmp_path / "people.xlsx", dict.fromkeys(names, "<x/>")))
    assert (error.code, kind in error.sentence) == (code, True)


FORMATTED = '<row r="{0}" spans="1:2" s="1" customFormat="1"><c r="A{0}" s="1"/><c r="B{0}" s="1"/></row>'


def test_an_empty_row_without_a_number_counts_for_those_below_it(tmp_path: Path) -> None:
    rows = '<row/><row ht="15"></row><row><c t="str"><v>Kim</v></c></row>'
    path = write_parts(tmp_path / "people.xlsx", _in_sheet('<row r="2".*(?=</sheetData>)', rows)(PARTS))
    assert [(row.line, row.full_name) for row in rows_of(path) if isinstance(row, LeadRow)] == [(4, "Kim")]


@pytest.mark.parametrize("row", [FORMATTED, '<row r="{0}" ht="15.75" customHeight="1"/>'])
def test_rows_of_nothing_but_formats_cost_nothing(tmp_path: Path, row: str) -> None:
    many = (
        "".join(row.format(number) for number in range(2, 20_000))
        + '<row r="20000"><c r="A20000" t="str"><v>Kim</v></c></row>'
    )
    people(write_parts(tmp_path / "people.xlsx", PARTS))  # loads the library
    path = write_parts(tmp_path / "people.xlsx", _in_sheet('<row r="2".*(?=</sheetData>)', many)(PARTS))
    tracemalloc.start()
    try:
        read = rows_of(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [row.full_name for row in read if isinstance(row, LeadRow)] == ["Kim"]
    assert peak < 4_000_000, "a row that is held takes 500 bytes"


@pytest.mark.parametrize(
    ("write", "row"),
    [(dict, "<row r"), (strict, '<row hidden="1" r'), (dict, '<row ht="15" x14ac:dyDescent="0.25" r')],
    ids=["usual", "strict, hidden", "of a certain height"],
)
def test_many_rows_are_read_in_little_memory(tmp_path: Path, write: Rewrite, row: str) -> None:
    parts = parts_of({"Leads": [("Name", *"abcdefghi"), *(("Oda", *range(9)),) * ROWS]})
    sheet = parts[SHEET].replace("<worksheet ", '<worksheet xmlns:x14ac="urn:x" ').replace("<row r", row)
    path = write_parts(tmp_path / "people.xlsx", write({**parts, SHEET: sheet}))
    tracemalloc.start()
    try:
        assert sum(1 for _ in lead_file(path)) == ROWS
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4_000_000, "a cell that is held takes 200 bytes"
