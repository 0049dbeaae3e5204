"""Tables of no known kind: what their columns hold, by name and by what stands in them."""

from pathlib import Path

import pytest

from backend.adapters.leadfiles import LeadRow, read_leads, unknown_table
from backend.adapters.leadfiles.csv_records import DELIMITERS
from backend.domain.values.errors import OutriderError

from .accounting import assert_accounted

ANN, BEN, CY = (f"https://www.linkedin.com/in/{name}" for name in ("ann-lee", "ben-low", "cy-roe"))


def guessed(tmp_path: Path, text: str) -> dict[str, str]:
    return dict(unknown_table(table(tmp_path, text)).guessed)


def table(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(text, "utf-8")
    return path


def people(path: Path, **chosen: str) -> list[tuple[str, str | None, str | None]]:
    rows = [row for row in read_leads(path, {**unknown_table(path).guessed, **chosen}) if isinstance(row, LeadRow)]
    return [(row.full_name, row.profile_url, row.email) for row in rows]


@pytest.mark.parametrize(
    "heading",
    [
        "Profil-URL", "Profil", "LinkedIn-Profil", "LinkedIn-Adresse", "Profile link", "Profile", "URL du profil", "Lien du profil",
        "URL del perfil", "Enlace del perfil", "Perfil", "URL do perfil", "Profiel-URL", "Profiel",
    ],
)  # fmt: skip
def test_a_profile_address_is_known_by_the_name_of_its_column(tmp_path: Path, heading: str) -> None:
    assert guessed(tmp_path, f"Name;{heading}\nAnn Lee;\n")["profile_url"] == heading


@pytest.mark.parametrize(
    "heading",
    ["Vernetzt am", "Verbunden seit", "Connecté(e) le", "Conectado el", "Conectado em", "Collegato il", "Verbonden op"],
)
def test_the_day_of_a_connection_is_known_in_other_languages(tmp_path: Path, heading: str) -> None:
    path = table(tmp_path, f"Name,URL,{heading}\nAnn Lee,{ANN},15 Mar 2024\n")
    (row,) = read_leads(path, unknown_table(path).guessed)
    assert isinstance(row, LeadRow)
    assert (row.connected_on, row.is_connected) == ("2024-03-15", True)


@pytest.mark.parametrize(
    ("heading", "field"),
    [
        ("Rolle/Position", "job_title"),
        ("Firma / Unternehmen", "company"),
        ("E-Mail | Mail", "email"),
        ("Funktion;Rolle", "job_title"),
        ("Name/Vorname", None),
        ("E-Mail/Telefon", None),
    ],
)
def test_a_heading_of_several_names_is_the_field_of_all_of_them(
    tmp_path: Path, heading: str, field: str | None
) -> None:
    columns = guessed(tmp_path, f"Nachname,{heading}\nLee,\nLow,\n")
    assert columns == {"last_name": "Nachname"} | ({field: heading} if field else {})


def test_of_several_headings_of_a_field_its_own_name_counts_and_then_the_first(tmp_path: Path) -> None:
    assert guessed(tmp_path, "Nachname,Position/Rolle,Position\nLee,x,y\n")["job_title"] == "Position"
    assert guessed(tmp_path, "Nachname,Position/Rolle,Position/Funktion\nLee,x,y\n")["job_title"] == "Position/Rolle"


def test_a_header_with_names_tells_how_rows_are_split_whose_cells_hold_lists(tmp_path: Path) -> None:
    path = table(tmp_path, "Pr\u00e9nom;Nom;Langues\nAnn;Lee;a, b, c, d, e\nBen;Low;f, g, h, i, j\n")
    assert unknown_table(path).header == ("Pr\u00e9nom", "Nom", "Langues")


def test_an_address_on_xing_is_known_by_the_name_of_its_column(tmp_path: Path) -> None:
    path = table(tmp_path, "Name,XING-Profil\nAnn Lee,https://www.xing.com/profile/Ann_Lee\n")
    assert people(path) == [("Ann Lee", "https://www.xing.com/profile/Ann_Lee", None)]


@pytest.mark.parametrize("heading", ["Enlace", "Seite", "Wo", "\u30d7\u30ed\u30d5\u30a3\u30fc\u30eb", ""])
def test_a_profile_address_is_known_by_what_stands_in_its_column(tmp_path: Path, heading: str) -> None:
    path = table(tmp_path, f"Name;{heading};Wie\nAnn Lee;{ANN};ann@fern.example\nBen Low;linkedin.com/in/ben-low;\n")
    assert unknown_table(path).guessed == {"full_name": "Name", "profile_url": heading}
    assert [address for _, address, _ in people(path)] == [ANN, BEN]


def test_an_e_mail_address_is_known_by_what_stands_in_its_column(tmp_path: Path) -> None:
    path = table(tmp_path, "Name;Post\nAnn Lee;ann@fern.example\nBen Low;mailto:ben@fern.example\nCy Roe;\n")
    assert people(path) == [
        ("Ann Lee", None, "ann@fern.example"),
        ("Ben Low", None, "ben@fern.example"),
        ("Cy Roe", None, None),
    ]


def test_what_stands_in_a_column_tells_more_than_its_name(tmp_path: Path) -> None:
    text = f"Name,URL,Contact,Seite\nAnn Lee,https://fern.example,ann@fern.example,{ANN}\nBen Low,https://low.example,b@low.example,{BEN}\n"
    assert guessed(tmp_path, text) == {"full_name": "Name", "profile_url": "Seite", "email": "Contact"}


def test_a_column_called_an_address_that_holds_one_stays_it(tmp_path: Path) -> None:
    text = f"Name,LinkedIn,Colleague\nAnn Lee,{ANN},{BEN}\nBen Low,,{CY}\n"
    assert guessed(tmp_path, text)["profile_url"] == "LinkedIn"


def test_the_only_person_of_a_file_has_an_address(tmp_path: Path) -> None:
    assert guessed(tmp_path, f"Name,Seite\nAnn Lee,{ANN}\n")["profile_url"] == "Seite"


@pytest.mark.parametrize(
    "values",
    [
        pytest.param([ANN, "", ""], id="a single one among many rows"),
        pytest.param([ANN, ANN, ANN], id="the same for all"),
        pytest.param([ANN, BEN, "met in Rome"], id="less than nine in ten"),
        pytest.param(["https://fern.example", "https://low.example", "https://roe.example"], id="any websites"),
        pytest.param(
            ["https://www.linkedin.com/company/fern", "https://www.linkedin.com/company/low", ""], id="companies"
        ),
    ],
)
def test_a_column_that_may_hold_something_else_is_left_to_the_user(tmp_path: Path, values: list[str]) -> None:
    rows = "".join(f"Person {n},{value}\n" for n, value in enumerate(values))
    assert "profile_url" not in guessed(tmp_path, f"Name,Seite\n{rows}")


def test_a_stray_value_among_many_addresses_does_not_matter(tmp_path: Path) -> None:
    rows = "".join(f"Person {n},https://www.linkedin.com/in/person-{n}\n" for n in range(9))
    assert guessed(tmp_path, f"Name,Seite\n{rows}Person 9,unknown\n")["profile_url"] == "Seite"


def test_a_table_shows_its_first_rows_and_how_it_is_read(tmp_path: Path) -> None:
    read = unknown_table(table(tmp_path, "Who;Works for\nAnn Lee;Fern\n"))
    assert (read.header, read.rows, read.encoding, read.delimiter) == (
        ("Who", "Works for"),
        (("Ann Lee", "Fern"),),
        "utf-8",
        ";",
    )


def test_a_table_is_split_by_what_splits_most_of_its_rows(tmp_path: Path) -> None:
    text = "Name;Roles, past, present, next\n" + "Ann Lee;CTO\n" * 9
    assert unknown_table(table(tmp_path, text)).delimiter == ";"


BARE = f"Ann Lee,CTO / Founder,{ANN},ann@fern.example\nBen Low,Sales,{BEN},ben@low.example\n"


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_a_file_without_headings_keeps_its_first_row_as_a_person(tmp_path: Path, delimiter: str) -> None:
    path = table(tmp_path, "\n" + BARE.replace(",", delimiter))
    read = unknown_table(path)
    assert (read.has_headings, read.header) == (False, ("Column 1", "Column 2", "Column 3", "Column 4"))
    assert (read.delimiter, read.guessed) == (delimiter, {"profile_url": "Column 3", "email": "Column 4"})
    leads = read_leads(path, {**read.guessed, "full_name": "Column 1"})
    rows = list(leads)
    assert_accounted(leads, rows)
    assert [(row.line, row.full_name, row.profile_url) for row in rows if isinstance(row, LeadRow)] == [
        (2, "Ann Lee", ANN),
        (3, "Ben Low", BEN),
    ]
    assert not leads.has_headings


@pytest.mark.parametrize("first", [f"Ann Lee,{ANN}", "Ann Lee,ann@fern.example", "Ann Lee,linkedin.com/in/ann-lee"])
def test_a_single_person_is_a_file_without_headings(tmp_path: Path, first: str) -> None:
    path = table(tmp_path, first)
    assert [name for name, _, _ in people(path, full_name="Column 1")] == ["Ann Lee"]


@pytest.mark.parametrize(
    "header", ["Name,E-mail", "Name,https://linkedin.com/in/your-name", "Name,Owner (ann@fern.example)"]
)
def test_headings_are_headings_whatever_they_speak_of(tmp_path: Path, header: str) -> None:
    assert unknown_table(table(tmp_path, f"{header}\nAnn Lee,{ANN}\n")).has_headings


def test_a_file_without_headings_is_not_read_by_names_that_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(OutriderError) as refused:
        read_leads(table(tmp_path, BARE), {"full_name": "Name"})
    assert refused.value.code == "lead_file_unknown_format"


def test_rows_to_mend_of_a_file_without_headings_stand_below_its_numbers(tmp_path: Path) -> None:
    read_as = read_leads(table(tmp_path, BARE), {"full_name": "Column 1"}).read_as
    assert read_as.preamble == "Column 1,Column 2,Column 3,Column 4\n"


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_a_table_is_read_whatever_stands_between_its_cells(tmp_path: Path, delimiter: str) -> None:
    path = table(tmp_path, f"Name,LinkedIn\nAnn Lee,{ANN}\n".replace(",", delimiter))
    assert people(path) == [("Ann Lee", ANN, None)]


def test_the_bars_of_a_headline_split_no_table(tmp_path: Path) -> None:
    bare = f"Ann Lee,CTO | Founder | Speaker | Author | Mother,{ANN}\n"
    headed = "Name,Headline\nAnn Lee,CTO | Founder | Speaker\n"
    assert [unknown_table(table(tmp_path, text)).delimiter for text in (bare, headed)] == [",", ","]
