"""The files of other tools: each recognised by its header, and one person in all of them."""

from pathlib import Path

import pytest

from backend.adapters.leadfiles import LeadRow, guess_columns, normalise_profile_url, read_leads
from backend.adapters.leadfiles.lead_file import table_header
from backend.adapters.leadfiles.lead_format import column_key

from .accounting import read_whole

LEADS = Path(__file__).parents[2] / "data" / "leads"
AMARA = "https://www.linkedin.com/in/amara-okonkwo"
MEMBER = "ACwAAAb1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0"


def rows_of(name: str) -> list[LeadRow]:
    accepted, rejected = read_whole(LEADS / name)
    assert not rejected
    return accepted


@pytest.mark.parametrize(
    ("name", "known_as"),
    [
        ("phantombuster.csv", "phantombuster_sales_navigator"),
        ("apollo.csv", "apollo"),
        ("evaboot.csv", "evaboot"),
        ("dux-soup.csv", "dux_soup"),
    ],
)
def test_a_tools_file_is_recognised_by_its_header_and_not_by_its_name(tmp_path: Path, name: str, known_as: str) -> None:
    renamed = tmp_path / "anything.txt"
    renamed.write_bytes((LEADS / name).read_bytes())
    assert read_leads(renamed).format.name == known_as
    amara = read_whole(renamed)[0][0]
    assert (amara.full_name, amara.profile_url, amara.member_key) == ("Amara Okonkwo", AMARA, AMARA)
    assert (amara.company, amara.job_title) == ("Ledgerline", "Founder & CEO")


@pytest.mark.parametrize(
    ("name", "member"),
    [
        ("phantombuster.csv", "ACwAAAB9vu8tS7rq6Po5nm4Lk3ji2Hg1fe0"),
        ("evaboot.csv", "ACwAAADk2Lm3Np4Qr5St6Uv7Wx8Yz9Ab0Cd"),
        ("dux-soup.csv", "ACwAAAEl9Mn8Op7Qr6St5Uv4Wx3Yz2Ab1Cd"),
    ],
)
def test_without_a_public_address_a_person_is_known_by_their_number(name: str, member: str) -> None:
    assert rows_of(name)[1].profile_url == f"https://www.linkedin.com/in/{member}"


def test_addresses_that_were_not_chosen_stay_with_the_person() -> None:
    assert rows_of("evaboot.csv")[0].extra["Linkedin URL Unique ID"].endswith(f"/in/{MEMBER}/")


@pytest.mark.parametrize("column", ["connectionDegree", "Connection Degree", "Degree", "degree"])
@pytest.mark.parametrize(
    ("said", "kept"),
    [("2nd", "2"), ("3", "3"), ("1st degree connection", "1"), ("· 3rd+", "3"), ("DISTANCE_2", "2"), ("MSc", "MSc")],
)
def test_a_degree_is_a_number_under_one_name_however_the_file_spells_it(
    tmp_path: Path, column: str, said: str, kept: str
) -> None:
    file = tmp_path / "people.csv"
    file.write_text(f"First Name,Last Name,Connected On,{column}\nAda,Lovelace,,{said}\n", encoding="utf-8")
    assert read_whole(file)[0][0].extra == {"Degree": kept}


def test_phantombusters_degree_is_kept_so_too() -> None:
    assert "2" in {row.extra.get("Degree") for row in rows_of("phantombuster.csv")}


def test_a_formula_in_a_cell_stays_the_text_that_it_is() -> None:
    assert rows_of("apollo.csv")[1].job_title == "=cmd|calc"


def test_tags_of_a_file_become_tags() -> None:
    assert rows_of("dux-soup.csv")[0].tags == ("warm", "Lagos 2026")
    assert "My Tags" not in rows_of("dux-soup.csv")[0].extra


def test_tags_that_cannot_be_tags_here_are_kept_as_text(tmp_path: Path) -> None:
    path = tmp_path / "leads.csv"
    path.write_text(f"name,tags\nAnn,{'x' * 500}\n", encoding="utf-8")
    (ann,) = (row for row in read_leads(path, {"full_name": "name", "tags": "tags"}) if isinstance(row, LeadRow))
    assert (ann.tags, ann.extra) == ((), {"tags": "x" * 500})


def test_a_table_of_ones_own_is_understood_whatever_the_style_of_its_headings() -> None:
    header = table_header(LEADS / "own-table.csv")
    assert guess_columns(header) == {
        "full_name": "Full Name",
        "job_title": "jobTitle",
        "company": "companyName",
        "profile_url": "profileUrl",
        "email": "E-Mail",
        "tags": "Tags",
    }
    first, second = list(read_leads(LEADS / "own-table.csv", guess_columns(header)))
    assert isinstance(first, LeadRow)
    assert isinstance(second, LeadRow)
    assert (first.profile_url, first.tags) == (AMARA, ("warm", "vip"))
    assert second.member_key == "fatou@solstice.example"


@pytest.mark.parametrize("spelling", ["Job Title", "jobTitle", "job_title", "JOB-TITLE", " job.title "])
def test_headings_are_compared_by_their_words(spelling: str) -> None:
    assert column_key(spelling) == "job title"


@pytest.mark.parametrize(
    ("spelling", "key"), [("#", "#"), ("Имя", "имя"), ("氏名", "氏名"), ("LinkedIn URL", "linkedin url")]
)
def test_headings_in_any_script_have_a_key(spelling: str, key: str) -> None:
    assert column_key(spelling) == key


@pytest.mark.parametrize(
    "spelling",
    [
        MEMBER,
        f"https://www.linkedin.com/in/{MEMBER}/",
        f"https://www.linkedin.com/sales/lead/{MEMBER},NAME_SEARCH,x1?_ntb=2",
        f"https://www.linkedin.com/sales/people/{MEMBER}",
    ],
)
def test_a_members_number_is_one_address_and_keeps_its_case(spelling: str) -> None:
    assert normalise_profile_url(spelling) == f"https://www.linkedin.com/in/{MEMBER}"


def test_linkedins_list_saved_again_by_a_german_spreadsheet_keeps_its_dates(tmp_path: Path) -> None:
    path = tmp_path / "Connections.csv"
    text = """Notes:;;;;;;\r\n;;;;;;\r
First Name;Last Name;URL;Email Address;Company;Position;Connected On\r
Oda;Brandvik;https://www.linkedin.com/in/oda;;Nordlys AS;COO;03. Feb 24\r
J\u00f3n;\u00de\u00f3rsson;https://www.linkedin.com/in/jon;;Gullfoss hf;CTO;15.03.2024\r
L\u00e9a;Roussel;https://www.linkedin.com/in/lea;;Roussel;CTO;2024-03-15\r
Ana;Prats;https://www.linkedin.com/in/ana;;Prats SL;CTO;15/03/2024\r
Kim;Voss;https://www.linkedin.com/in/kim;;Voss;CTO;15-M\u00e4r-24\r
Gro;Dahl;https://www.linkedin.com/in/gro;;Dahl;CTO;04/03/2024\r
"""
    path.write_bytes(text.encode("cp1252"))
    rows = [row for row in read_leads(path) if isinstance(row, LeadRow)]
    assert [row.connected_on for row in rows] == ["2024-02-03", *["2024-03-15"] * 4, None]
    assert rows[-1].extra["Connected On"] == "04/03/2024"  # in two ways: kept, and not guessed
