"""A do-not-contact file: the header decides what a cell is, else the value; what is doubtful is refused, and nothing is lost."""

import csv
import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.adapters.leadfiles.csv_records import DELIMITERS
from backend.adapters.leadfiles.do_not_contact_file import DoNotContactFile, read_do_not_contact_file
from backend.domain.people.do_not_contact_file import COLUMN_NAMES, DoNotContactRow
from backend.domain.people.lead_row import RejectedRow
from backend.domain.values.errors import OutriderError

ADA = "https://www.linkedin.com/in/ada"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "list.csv"


def read(path: Path, content: str | bytes) -> DoNotContactFile:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_do_not_contact_file(path)


def meanings(source: DoNotContactFile) -> list[str | tuple[str, ...]]:
    """The keys of each row, or the code of its rejection."""
    return [row.code if isinstance(row, RejectedRow) else row.keys for row in source]


def test_a_table_of_which_every_line_is_in_quotes_is_read_and_a_list_in_quotes_stays_one(file: Path) -> None:
    table = read(file, '"Name,Email"\n"Ada Lovelace,ada@acme.com"\n"Jon Vik,jon@vik.example"\n')
    assert meanings(table) == [("ada@acme.com",), ("jon@vik.example",)]
    values = read(file, '"ada@acme.com, ada@home.example"\n"jon@vik.example, jon@home.example"\n')
    assert meanings(values) == [("ada@acme.com", "ada@home.example"), ("jon@vik.example", "jon@home.example")]


@pytest.mark.parametrize(
    ("value", "meaning"),
    [
        ("Ada@Acme.com", ("ada@acme.com",)),
        ("mailto:ada@acme.com", ("ada@acme.com",)),
        ("Ada Lovelace <ada@acme.com>", ("ada@acme.com",)),
        ("o'brien@acme.ie", ("o'brien@acme.ie",)),
        ("ada@acme.com; ada@home.example", ("ada@acme.com", "ada@home.example")),
        ("linkedin.com/in/Ada/", (ADA,)),
        ("https://www.linkedin.com/in/ada?trk=x", (ADA,)),
        ("acme.com", ("domain:acme.com",)),
        ("@acme.com", ("domain:acme.com",)),
        ("*@acme.com", ("domain:acme.com",)),
        ("*.acme.com", ("domain:acme.com",)),
        ("https://www.acme.com/", ("domain:acme.com",)),
        ("https://acme.com/team/ada", "page_unclear"),
        ("linkedin.com/company/acme", "profile_unclear"),
        ("gmail.com", "domain_shared"),
        ("10.0.0.1", "value_unclear"),
        ("3.5", "value_unclear"),
        ("Ada Lovelace", "value_unclear"),
        ("Acme GmbH", "value_unclear"),
        ("ada@", "value_unclear"),
        ("ada@acme", "value_unclear"),
        ("N/A", "row_empty"),
        ("=1+1", "value_unclear"),
    ],
)
def test_in_a_bare_list_the_value_decides(file: Path, value: str, meaning: str | tuple[str, ...]) -> None:
    assert meanings(read(file, f"first@of.example\n{value}\n"))[1:] == [meaning]


@pytest.mark.parametrize(
    ("header", "cell", "meaning"),
    [
        ("E-Mail-Adresse", "ada@acme.de", ("ada@acme.de",)),
        ("Courriel", "ada@acme.fr", ("ada@acme.fr",)),
        ("Correo electrónico", "ada@acme.es", ("ada@acme.es",)),
        ("E-mailadres", "ada@acme.nl", ("ada@acme.nl",)),
        ("Endereço de e-mail", "ada@acme.pt", ("ada@acme.pt",)),
        ("emailAddress", "@acme.com", ("domain:acme.com",)),
        ("Email", "acme.com", "email_unclear"),
        ("Email", "Ada", "email_unclear"),
        ("Unternehmen", "Acme, Inc.", ("company:acme",)),
        ("Raison sociale", "Société Générale SA", ("company:societe generale",)),
        ("Empresa", "Booking.com", ("company:bookingcom",)),
        ("Bedrijfsnaam", "Bakker B.V.", ("company:bakker",)),
        ("Company", "...", "company_unclear"),
        ("Webseite", "https://www.acme.de/impressum", ("domain:acme.de",)),
        ("Site web", "acme.fr", ("domain:acme.fr",)),
        ("Dominio", "acme.es", ("domain:acme.es",)),
        ("Domain", "ada@acme.com", "domain_unclear"),
        ("Website", "facebook.com", "domain_shared"),
        ("Website", "https://www.linkedin.com/company/acme", "domain_shared"),
        ("LinkedIn-Profil", "linkedin.com/in/ada", (ADA,)),
        ("URL du profil", "https://xing.com/profile/Ada", ("https://xing.com/profile/Ada",)),
        ("Profile", "Ada Lovelace", "profile_unclear"),
        ("Name", "Ada Lovelace", "name_only"),
        ("Name", "ada@acme.com", ("ada@acme.com",)),
        ("Blacklist", "acme.com", ("domain:acme.com",)),
        ("Do not contact", "ada@acme.com", ("ada@acme.com",)),
    ],
)
def test_the_header_decides_what_a_cell_is(file: Path, header: str, cell: str, meaning: str | tuple[str, ...]) -> None:
    assert meanings(read(file, f"{header}\n{cell}\n")) == [meaning]


@pytest.mark.parametrize(
    ("table", "meaning"),
    [
        ("Name,Email,Company\nAda,ada@acme.com,Acme\n", [("ada@acme.com",)]),
        ("Name,Email,Company\nAda,,Acme\n", ["name_only"]),
        ("Name,Email,Company\n,,Acme\n", [("company:acme",)]),
        ("Name,Email,Company\nAda,not known,Acme\n", ["email_unclear"]),
        ("Company,Website\nAcme,acme.com\n", [("company:acme", "domain:acme.com")]),
        ("Company,Website\nAcme,linkedin.com/company/acme\n", [("company:acme",)]),
        ("Name,Website\nAcme,acme.com\n", [("domain:acme.com",)]),
        ("First name,Last name,Website\nAda,Lovelace,acme.com\n", ["name_only"]),
        (
            "Art;Wert\nUnternehmen;Acme GmbH\nPerson;Ada\nDomäne;gmail.com\n",
            [("company:acme",), "person_unclear", ("domain:gmail.com",)],
        ),
        ("Kind\tName\ncompany\tAcme\nperson\tAda\n", [("company:acme",), "name_only"]),
        (
            "Email,Do Not Contact\na@x.io,TRUE\nb@x.io,FALSE\nc@x.io,\nd@x.io,nein\n",
            [("a@x.io",), "not_marked", "not_marked", "not_marked"],
        ),
        ("Email,LinkedIn\nada@acme.com,linkedin.com/in/ada\n", [(ADA, "ada@acme.com")]),
    ],
)  # fmt: skip
def test_a_company_is_listed_only_where_the_row_is_about_it(file: Path, table: str, meaning: list[object]) -> None:
    assert meanings(read(file, table)) == meaning


def test_of_two_columns_that_say_whether_one_yes_is_enough(file: Path) -> None:
    source = read(file, "Email,Unsubscribed,Do Not Contact\na@x.de,no,yes\nb@x.de,yes,no\nc@x.de,no,no\n")
    assert meanings(source) == [("a@x.de",), ("b@x.de",), "not_marked"]


def test_no_name_of_a_column_stands_for_two_things() -> None:
    names = [name for some in COLUMN_NAMES.values() for name in some]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("separator", DELIMITERS)
def test_encodings_and_delimiters_are_read_as_in_lead_files(file: Path, encoding: str, separator: str) -> None:
    text = f'Firma{separator}Begründung\r\n"Müller & Söhne"{separator}"sagte ""nein"", zweimal"\r\n'
    (row,) = read(file, text.encode(encoding))
    assert isinstance(row, DoNotContactRow)
    assert (row.keys, row.name, row.reason) == (("company:muller sohne",), "Müller & Söhne", 'sagte "nein", zweimal')


@pytest.mark.parametrize("separator", [",", ";", "|"])
def test_the_separator_that_a_file_names_is_obeyed(file: Path, separator: str) -> None:
    table = f"sep={separator}\r\nEmail{separator}Reason\r\nada@acme.com{separator}asked\r\n"
    (row,) = read(file, table)
    assert isinstance(row, DoNotContactRow)
    assert (row.line, row.keys, row.reason) == (3, ("ada@acme.com",), "asked")


def test_notes_above_the_header_and_a_header_in_the_middle_lose_no_row(file: Path) -> None:
    assert meanings(read(file, "Exported by us\n\nEmail\nada@acme.com\nEmail\nbob@acme.com\n")) == [
        ("ada@acme.com",), "email_unclear", ("bob@acme.com",),
    ]  # fmt: skip
    assert meanings(read(file, "ada@acme.com\nemail\nbob@acme.com\n")) == [
        ("ada@acme.com",), "value_unclear", ("bob@acme.com",),
    ]  # fmt: skip


HOSTILE: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "lead_file_empty"),
    "blank": (b" \n\n", "lead_file_empty"),
    "header only": (b"Email\n", "lead_file_no_rows"),
    "no column that is understood": (b"Foo,Bar\n1,2\n", "do_not_contact_file_unknown"),
    "two columns without a header": (b"ada@acme.com,Ada\nbob@acme.com,Bob\n", "do_not_contact_file_unknown"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(100), "lead_file_binary"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_cannot_be_read_is_refused_with_a_code(file: Path, name: str) -> None:
    content, code = HOSTILE[name]
    with pytest.raises(OutriderError) as refused:
        read(file, content)
    assert refused.value.code == code


def test_a_workbook_that_is_called_csv_is_named(file: Path) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    with pytest.raises(OutriderError) as refused:
        read_do_not_contact_file(file)
    assert refused.value.code == "lead_file_binary"
    assert "workbook" in refused.value.sentence


def test_nul_bytes_formulas_and_a_huge_cell_hurt_nobody_else(file: Path) -> None:
    huge = "x" * 1_000_000
    source = read(file, f'Email,Reason\nad\0a@acme.com,"=HYPERLINK(""x"")"\n{huge}@acme.com,\nbob@acme.com,ok\n')
    assert meanings(source) == [("ada@acme.com",), "cell_too_long", ("bob@acme.com",)]
    first = next(iter(source))
    assert isinstance(first, DoNotContactRow)
    assert first.reason == '=HYPERLINK("x")'


CELLS = st.one_of(
    st.sampled_from(
        ["", "ada@acme.com", "acme.com", "@acme.com", "Acme", "linkedin.com/in/ada", "no", "person", "company"]
    ),
    # A file of little but control characters is not taken for a text at all.
    st.text(st.characters(exclude_categories=["Cc"], include_characters="\t"), max_size=12),
)


@settings(max_examples=150, deadline=None)
@given(
    header=st.lists(st.sampled_from(sorted(name for some in COLUMN_NAMES.values() for name in some)), min_size=1, max_size=4),
    rows=st.lists(st.lists(CELLS, min_size=1, max_size=5), min_size=1, max_size=12),
    delimiter=st.sampled_from(DELIMITERS),
)  # fmt: skip
def test_every_row_is_read_or_refused_once(
    tmp_path_factory: pytest.TempPathFactory, header: list[str], rows: list[list[str]], delimiter: str
) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerow(["email", *header])
    writer.writerows([["x@y.example", *row] for row in rows])
    path = tmp_path_factory.mktemp("rows") / "list.csv"
    path.write_bytes(out.getvalue().encode("utf-8", "replace"))
    raws = [row.raw if isinstance(row, RejectedRow) else "" for row in read_do_not_contact_file(path)]
    assert len(raws) == len(rows)
