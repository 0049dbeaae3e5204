"""Who is one person and who are two, by the addresses in whole lead files."""

from pathlib import Path

import pytest

from backend.adapters.leadfiles import LeadRow, read_leads, unknown_table

PERSON = "https://www.linkedin.com/in/"


def rows_of(tmp_path: Path, text: str) -> list[LeadRow]:
    """The rows, read by the usual column names."""
    path = tmp_path / "people.csv"
    path.write_text(text, "utf-8")
    return [row for row in read_leads(path, unknown_table(path).guessed) if isinstance(row, LeadRow)]


def people(tmp_path: Path, text: str) -> list[tuple[str, str | None, str | None]]:
    """Name, address and company of each row."""
    return [(row.full_name, row.profile_url, row.company) for row in rows_of(tmp_path, text)]


def test_people_with_their_identity_in_the_query_are_different_people(tmp_path: Path) -> None:
    assert people(
        tmp_path,
        """Name,Profile URL,Company
Oda Brandvik,https://scholar.google.com/citations?user=AbCdEfGh1,Nordlys AS
Jon Vik,https://scholar.google.com/citations?user=ZyXwVuTs2,Vik AS
Lea Roussel,https://www.google.com/url?q=https://www.linkedin.com/in/lea-roussel-3&sa=D,Roussel
Kim Voss,https://www.google.com/url?q=https://www.linkedin.com/in/kim-voss-9&sa=D,Voss
Ana Prats,https://www.facebook.com/profile.php?id=1001,Prats
Gro Dahl,https://www.facebook.com/profile.php?id=1002,Dahl
""",
    ) == [
        ("Oda Brandvik", "https://scholar.google.com/citations?user=AbCdEfGh1", "Nordlys AS"),
        ("Jon Vik", "https://scholar.google.com/citations?user=ZyXwVuTs2", "Vik AS"),
        ("Lea Roussel", f"{PERSON}lea-roussel-3", "Roussel"),
        ("Kim Voss", f"{PERSON}kim-voss-9", "Voss"),
        ("Ana Prats", "https://www.facebook.com/profile.php?id=1001", "Prats"),
        ("Gro Dahl", "https://www.facebook.com/profile.php?id=1002", "Dahl"),
    ]


def test_addresses_of_phones_and_e_mails_are_one_person(tmp_path: Path) -> None:
    rows = people(
        tmp_path,
        """Name,LinkedIn URL,Company
Oda Brandvik,https://www.linkedin.com/in/oda-brandvik-77,Nordlys AS
Oda Brandvik,https://www.linkedin.com/mwlite/in/oda-brandvik-77,Nordlys AS
Oda Brandvik,https://www.linkedin.com/comm/in/oda-brandvik-77?trk=eml,Nordlys AS
Oda Brandvik,"(https://no.linkedin.com/in/oda-brandvik-77/),",Nordlys AS
""",
    )
    assert {address for _, address, _ in rows} == {f"{PERSON}oda-brandvik-77"}


def test_an_address_is_taken_out_of_formulas_and_links(tmp_path: Path) -> None:
    assert people(
        tmp_path,
        """Name,LinkedIn URL,Company
Oda Brandvik,"=HYPERLINK(""https://www.linkedin.com/in/oda-brandvik-77"",""Oda"")",Nordlys AS
Jon Vik,"[Jon](https://www.linkedin.com/in/jon-vik-78)",Vik AS
Kim Voss,http\\://www.linkedin.com/in/kim-voss-9,Voss
Lea Roussel,"<a href=""https://www.linkedin.com/in/lea-roussel-3"">Lea</a>",Roussel
""",
    ) == [
        ("Oda Brandvik", f"{PERSON}oda-brandvik-77", "Nordlys AS"),
        ("Jon Vik", f"{PERSON}jon-vik-78", "Vik AS"),
        ("Kim Voss", f"{PERSON}kim-voss-9", "Voss"),
        ("Lea Roussel", f"{PERSON}lea-roussel-3", "Roussel"),
    ]


def test_blanks_before_quotes_are_no_part_of_a_cell(tmp_path: Path) -> None:
    text = """"Name", "LinkedIn URL", "Company"
"Oda Brandvik", "https://www.linkedin.com/in/oda-brandvik-77", "Nordlys, AS"
"""
    assert people(tmp_path, text) == [("Oda Brandvik", f"{PERSON}oda-brandvik-77", "Nordlys, AS")]


def test_a_placeholder_leaves_a_row_without_an_address_and_keeps_its_text(tmp_path: Path) -> None:
    text = (
        "Name,LinkedIn URL\nOda Brandvik,https://www.linkedin.com/in/unavailable\nJon Vik,linkedin.com/in/undefined/\n"
    )
    rows = rows_of(tmp_path, text)
    assert [(row.full_name, row.profile_url, row.extra["LinkedIn URL"]) for row in rows] == [
        ("Oda Brandvik", None, "https://www.linkedin.com/in/unavailable"),
        ("Jon Vik", None, "linkedin.com/in/undefined/"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "LinkedIn: https://www.linkedin.com/in/oda-brandvik-77", "https://no.linkedin.com/in/oda-brandvik-77 (Oda)",
        "https://www.linkedin.com/in/oda-brandvik-77, https://x.example/oda", "https://https://www.linkedin.com/in/oda-brandvik-77",
        "ttps://www.linkedin.com/in/oda-brandvik-77/", "linkedin.com/in/oda-brandvik-77 | LinkedIn.com/in/Oda-Brandvik-77?trk=x",
    ],
)  # fmt: skip
def test_the_one_profile_among_other_words_is_the_persons_and_the_words_are_kept(tmp_path: Path, text: str) -> None:
    (row,) = rows_of(tmp_path, f'Name,LinkedIn URL\nOda Brandvik,"{text}"\n')
    assert (row.profile_url, row.extra) == (f"{PERSON}oda-brandvik-77", {"LinkedIn URL": text})


@pytest.mark.parametrize(
    "text",
    [
        "linkedin.com/in/oda-b and linkedin.com/in/jon-v", "see linkedin.com/in/unavailable", "see linkedin.com/in/oda-br…",
        "see linkedin.com/company/nordlys", "see notlinkedin.com/in/oda-b", "see not-linkedin.com/in/oda-b",
    ],
)  # fmt: skip
def test_several_profiles_or_none_among_other_words_are_nobodys(tmp_path: Path, text: str) -> None:
    (row,) = rows_of(tmp_path, f"Name,LinkedIn URL\nOda Brandvik,{text}\n")
    assert (row.profile_url, row.extra) == (None, {"LinkedIn URL": text})
