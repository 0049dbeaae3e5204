"""What csv can write in any encoding, delimiter and line ending comes back the same."""

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from backend.adapters.leadfiles import LeadRow, limits, read_leads
from backend.adapters.leadfiles.column_layout import NOTHING
from backend.adapters.leadfiles.csv_records import DELIMITERS, cell_text
from backend.adapters.leadfiles.written_address import shown_by_formula
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import as_it_looks

from .accounting import HEADER_LINE, assert_accounted, connections, one, read_whole
from .generate import HEADER, NOTES

ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "cp1252"]
NEWLINES = ["\n", "\r\n", "\r"]

_CP1252 = "".join(
    c for c in map(chr, range(1, 0x2123)) if c.encode("cp1252", "ignore") and c not in "\x1a"
)  # every character that it has


def _cells(encoding: str) -> st.SearchStrategy[str]:
    if encoding == "cp1252":
        return st.text(alphabet=_CP1252, max_size=20)
    return st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20)


@st.composite
def _tables(draw: st.DrawFn) -> tuple[str, str, str, bool, list[list[str]]]:
    encoding = draw(st.sampled_from(ENCODINGS))
    cell = _cells(encoding)
    rows = draw(st.lists(st.lists(cell, min_size=7, max_size=7), min_size=1, max_size=8))
    return encoding, draw(st.sampled_from(DELIMITERS)), draw(st.sampled_from(NEWLINES)), draw(st.booleans()), rows


@given(_tables())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_what_was_written_is_read(tmp_path: Path, table: tuple[str, str, str, bool, list[list[str]]]) -> None:
    encoding, delimiter, newline, notes, rows = table
    # The name makes every row good, and the euro sign makes sure that UTF-8 and Windows-1252 differ.
    rows = [["€" + row[0], *row[1:]] for row in rows]
    text = io.StringIO(newline="")
    text.write(NOTES.replace("\n", newline) if notes else "")
    # csv.writer leaves a line break unquoted when it is another than its own.
    broken = any({"\r", "\n"} & set(cell) for row in rows for cell in row)
    out = csv.writer(
        text,
        delimiter=delimiter,
        lineterminator=newline,
        quoting=csv.QUOTE_ALL if broken else csv.QUOTE_MINIMAL,
    )
    out.writerow(HEADER)
    out.writerows(rows)
    data = text.getvalue().encode(encoding)
    # With more control characters it is no text. Every other byte of UTF-16 looks like one.
    assume(encoding == "utf-16" or sum(byte < 32 or byte == 127 for byte in data) * 10 < len(data))
    path = tmp_path / "leads.csv"
    path.write_bytes(data)

    # What a text of random letters is nobody can guess.
    lead_file = read_leads(path, encoding=encoding if encoding == "cp1252" else None)
    read = list(lead_file)
    assert lead_file.encoding == encoding
    assert lead_file.delimiter == delimiter
    assert_accounted(lead_file, read)
    assert lead_file.preamble + "".join(row.raw for row in read) == text.getvalue()
    assert len(read) == len(rows)
    for row, cells in zip(read, rows, strict=True):
        assert isinstance(row, LeadRow)
        shown = [shown_by_formula(cell_text(cell)) for cell in cells]
        expected = ["" if text in NOTHING else text for text in shown]
        assert [row.first_name, row.last_name] == expected[:2]
        assert [row.company or "", row.job_title or ""] == expected[4:6]
        # An address is kept as people see it, whatever is hidden in it; what is none is kept as it stands.
        assert (row.email or row.extra.get("Email Address", "")) in (expected[3], as_it_looks(expected[3]))
        assert (row.profile_url is None) == ("URL" in row.extra or not expected[2])


def test_one_byte_that_is_no_utf8_at_the_very_end_makes_the_file_windows_1252(tmp_path: Path) -> None:
    path = connections(tmp_path, "Zoë,Lee\n" * 60_000 + "Chloé,Lee\n", encoding="cp1252")
    accepted, rejected = read_whole(path)
    assert (accepted[0].first_name, accepted[-1].first_name, len(rejected)) == ("Zoë", "Chloé", 0)


def test_a_character_on_the_edge_of_a_chunk_is_not_torn(tmp_path: Path) -> None:
    accepted, _ = read_whole(connections(tmp_path, "🚀é,Lee\n" * 20_000))
    assert {row.first_name for row in accepted} == {"🚀é"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("name", ["Bo", '"Bo"'])
def test_the_mark_of_a_joined_file_is_no_part_of_its_first_name(tmp_path: Path, encoding: str, name: str) -> None:
    path = tmp_path / "leads.csv"
    path.write_bytes(f"{HEADER_LINE}Ada,Lee\n".encode(encoding) + f"{name},Kim\n".encode(encoding))
    accepted, rejected = read_whole(path)
    assert ([row.first_name for row in accepted], rejected) == (["Ada", "Bo"], [])


@pytest.mark.parametrize("mark", ["utf-16-le", "utf-16-be"])
def test_both_byte_orders_of_utf16_are_read(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "leads.csv"
    path.write_bytes("\ufeffFirst Name\tLast Name\tConnected On\r\nŁucja\tBąk\t1 May 2020\r\n".encode(mark))
    (row,), _ = read_whole(path)
    assert row.full_name == "Łucja Bąk"


def test_other_line_separators_are_text(tmp_path: Path) -> None:
    row = one(tmp_path, "Ann,Lee,,,A\u2028B\x0bC\x85D,,\n")
    assert row.company == "A\u2028B\x0bC\x85D"


def test_the_header_is_found_below_ten_records_at_most(tmp_path: Path) -> None:
    header = "First Name,Last Name,Connected On\n"
    assert one(tmp_path, "Ann,Lee,\n", header="note\n\n" * (limits.HEADER_RECORDS - 1) + header).first_name == "Ann"


def test_a_spreadsheets_separator_line_is_a_note(tmp_path: Path) -> None:
    assert one(tmp_path, "Ann;Lee;\n", header="sep=;\nFirst Name;Last Name;Connected On\n").full_name == "Ann Lee"


def test_delimiters_inside_notes_do_not_matter(tmp_path: Path) -> None:
    header = NOTES + "First Name;Last Name;Company;Connected On\n"
    row = one(tmp_path, 'Ann;Lee;"A, B; C";1 May 2020\n', header=header)
    assert (row.line, row.company) == (5, "A, B; C")


def test_a_note_with_a_stray_quote_does_not_hide_the_table(tmp_path: Path) -> None:
    row = one(tmp_path, "Ann,Lee,\n", header='Notes:\n"never closed\n\nFirst Name,Last Name,Connected On\n')
    assert row.line == 5


PEOPLE = {
    "cp1252": ("Zoë,Müller", "François,Lefèvre", "Søren,Ångström", "José,Núñez"),
    "cp1250": ("Łukasz,Wiśniewski", "Świętosława,Żółkiewska", "Jiří,Dvořák", "Małgorzata,Dąbrowska"),
    "cp1251": ("Иван,Петров", "Ольга,Смирнова", "Дмитрий,Кузнецов", "Екатерина,Соколова"),
    "cp1253": ("Γιώργος,Παπαδόπουλος", "Ελένη,Γεωργίου", "Νίκος,Ιωάννου", "Μαρία,Βασιλείου"),
    "cp932": ("太郎,山田", "花子,佐藤", "ケンジ,タナカ", "さくら,鈴木"),
    "cp949": ("민준,김", "서연,이", "지훈,박", "하은,최"),
    "gb18030": ("伟,王", "芳,李", "秀英,张", "建国,刘"),
    "big5": ("志明,陳", "淑芬,林", "家豪,黃", "雅婷,張"),
}


@pytest.mark.parametrize("encoding", PEOPLE)
def test_names_are_read_in_the_encoding_they_were_written_in(tmp_path: Path, encoding: str) -> None:
    path = connections(tmp_path, "".join(f"{name}\n" for name in PEOPLE[encoding]), encoding=encoding)
    lead_file = read_leads(path)
    assert lead_file.encoding == encoding
    read = [f"{row.first_name},{row.last_name}" for row in lead_file if isinstance(row, LeadRow)]
    assert read == list(PEOPLE[encoding])


BY_THEMSELVES = {
    "cp1252": (
        "Müller", "José", "Þór", "Ñ", "Núñez", "Peña", "Zoë", "João", "Simões", "Gonçalves", "Guðrún", "Þórður", "Sigurður",
        "Søren",
        "Bjørn", "Jørgensen", "Møller", "Åse", "Håkon", "Mærsk", "Strauß", "Lefèvre", "Hélène", "Noël", "Íñigo", "Lluïsa", "Øyvind",
        "Forlì", "Cantù", "Nicolò", "Bùi", "Jérôme", "Bœuf", "Goût", "Fañch", "Kõiv",
    ),
    "cp1250": (
        "Łukasz", "Świętosława", "Wiśniewski", "Miłość", "Zieliński", "Jędrzej", "Dębski", "Gałązka", "Bąk", "Łódź", "Jiří",
        "Dvořák", "Čapek", "Ondřej", "Němec", "Růžička", "Březina", "Szőke", "Győr", "Erdős", "Petőfi", "Hűvös", "Gyűrű", "Đorđe",
        "Petrović", "Frančič", "Băsescu", "Răzvan", "Cătălin", "Păun", "Ľuboš",
    ),
}  # fmt: skip
"""Names that tell the encoding of a file in which nothing else does."""


@pytest.mark.parametrize(("encoding", "name"), [(code, name) for code in BY_THEMSELVES for name in BY_THEMSELVES[code]])
def test_a_single_name_is_read_as_it_was_written(tmp_path: Path, encoding: str, name: str) -> None:
    path = connections(tmp_path, f"Ann,Lee\n{name},Lee\n", encoding=encoding)
    accepted, _ = read_whole(path)
    assert accepted[-1].first_name == name


@pytest.mark.parametrize("odd", ["Société©", "µTorrent", "Gmb±", "ÉÈÊ", "ÅØÅ", "Nestlé®"])
def test_an_odd_word_among_names_changes_no_other(tmp_path: Path, odd: str) -> None:
    names = ("Müller", "José", "Núñez", odd)
    accepted, _ = read_whole(connections(tmp_path, "".join(f"{name},Lee\n" for name in names), encoding="cp1252"))
    assert [row.first_name for row in accepted] == list(names)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_its_mark_is_read(tmp_path: Path, encoding: str) -> None:
    path = connections(tmp_path, "Zoë,Lee\n", encoding=encoding)
    for named in (None, "utf-16"):
        rows = read_leads(path, encoding=named)
        assert [row.full_name for row in rows if isinstance(row, LeadRow)] == ["Zoë Lee"]
    with pytest.raises(OutriderError, match="lead_file_wrong_encoding"):
        read_leads(path, encoding="utf-8")


def test_a_guess_can_be_overruled(tmp_path: Path) -> None:
    path = connections(tmp_path, "Иван,Петров\n", encoding="cp1251")
    (row,) = read_leads(path, encoding="cp1252")
    assert isinstance(row, LeadRow)
    assert row.full_name == "Èâàí Ïåòðîâ"
    for wrong in ("rot13", "utf-7", "", "../x"):
        with pytest.raises(OutriderError) as refused:
            read_leads(path, encoding=wrong)
        assert refused.value.code == "lead_file_encoding_unknown"
    for wrong in ("utf-8", "utf-16"):
        with pytest.raises(OutriderError) as unreadable:
            read_leads(path, encoding=wrong)
        assert unreadable.value.code == "lead_file_wrong_encoding"
