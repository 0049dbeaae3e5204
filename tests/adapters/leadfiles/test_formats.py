"""The files of other tools: each recognised by its header, and one person in all of them."""

from pathlib import Path

import pytest

from backend.adapters.leadfiles import LeadRow, normalise_profile_url, read_leads, unknown_table
from backend.adapters.leadfiles.lead_format import column_key
from backend.domain.people.past_contact import ANSWERED, INVITED, WRITTEN_TO

from .accounting import read_whole

LEADS = Path(__file__).parents[2] / "data" / "leads"
AMARA = "https://www.linkedin.com/in/amara-okonkwo"
MEMBER = "ACwAAAb1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0"


def rows_of(name: str) -> list[LeadRow]:
    return rows_of_file(LEADS / name)


def rows_of_file(file: Path) -> list[LeadRow]:
    accepted, rejected = read_whole(file)
    assert not rejected
    return accepted


@pytest.mark.parametrize(
    ("name", "known_as"),
    [
        ("phantombuster.csv", "phantombuster_sales_navigator"),
        ("apollo.csv", "apollo"),
        ("evaboot.csv", "evaboot"),
        ("dux-soup.csv", "dux_soup"),
        ("apollo-short.csv", "apollo"),
        ("salesloft.csv", "salesloft"),
        ("lemlist.csv", "lemlist"),
        ("pipedrive.csv", "pipedrive"),
        ("linked-helper.csv", "linked_helper"),
        ("waalaxy.csv", "waalaxy"),
        ("heyreach.csv", "heyreach"),
        ("la-growth-machine.csv", "la_growth_machine"),
        ("expandi.csv", "expandi"),
        ("hubspot.csv", "hubspot"),
        ("zoho.csv", "zoho"),
        ("salesforce.csv", "salesforce"),
        ("google-contacts.csv", "google_contacts"),
        ("outlook-contacts.csv", "outlook_contacts"),
        ("phantombuster-profiles.csv", "phantombuster"),
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


@pytest.mark.parametrize(
    ("name", "past", "refused", "connected"),
    [
        ("apollo-short.csv", "", "Stage: Do Not Contact", False),
        ("salesloft.csv", WRITTEN_TO, "Do Not Contact: true", False),
        ("lemlist.csv", WRITTEN_TO, "", False),
        ("pipedrive.csv", "", "Person - Marketing status: Unsubscribed", False),
        ("linked-helper.csv", "", "", True),
        ("waalaxy.csv", ANSWERED, "", False),
        ("heyreach.csv", "", "", True),
        ("la-growth-machine.csv", WRITTEN_TO, "", False),
        ("expandi.csv", INVITED, "", False),
        ("hubspot.csv", WRITTEN_TO, "Unsubscribed from all email: true", False),
        ("zoho.csv", WRITTEN_TO, "Email Opt Out: true", False),
        ("salesforce.csv", "", "Email Opt Out: 1", False),
        ("google-contacts.csv", "", "", False),
        ("outlook-contacts.csv", "", "", False),
        ("phantombuster-profiles.csv", "", "", True),
    ],
)
def test_a_tools_file_says_how_people_were_in_touch_before(name: str, past: str, refused: str, connected: bool) -> None:
    stranger, ben = rows_of(name)
    assert (stranger.past, stranger.refused, stranger.is_connected, stranger.unclear) == ("", "", False, ())
    assert (ben.past, ben.refused, ben.is_connected, ben.unclear) == (past, refused, connected, ())


@pytest.mark.parametrize(
    ("column", "past"),
    [("Replied on", ANSWERED), ("Last sent on", WRITTEN_TO), ("Invited on", INVITED), ("Lead ID", "")],
)
def test_our_own_list_with_messages_says_by_each_of_its_days_who_was_in_touch(
    tmp_path: Path, column: str, past: str
) -> None:
    columns = ["Full name", "LinkedIn URL", "Lead ID", "Invited on", "Last sent on", "Replied on", "Exchange"]
    cells = {"Full name": "Amara Okonkwo", "LinkedIn URL": AMARA, column: "2026-03-01"}
    file = tmp_path / "leads.csv"
    row = ",".join(cells.get(name, "") for name in columns)
    file.write_text(f"{','.join(columns)},further fields\n{row},\n", "utf-8")
    assert [row.past for row in rows_of_file(file)] == [past]


def test_in_our_own_list_nobody_is_taken_for_a_total(tmp_path: Path) -> None:
    file = tmp_path / "leads.csv"
    columns = "Full name,LinkedIn URL,Lead ID,Invited on,Last sent on,Replied on,Exchange,further fields"
    file.write_text(f"{columns}\nTotal{',' * columns.count(',')}\n", "utf-8")
    assert [row.full_name for row in rows_of_file(file)] == ["Total"]


def test_the_day_of_a_connection_is_read_from_whichever_column_has_it() -> None:
    assert rows_of("linked-helper.csv")[1].connected_on == "2025-03-04"


@pytest.mark.parametrize(
    "name", ["pipedrive.csv", "google-contacts.csv", "outlook-contacts.csv", "la-growth-machine.csv"]
)
def test_the_first_address_of_a_row_that_is_one_counts(name: str) -> None:
    assert all(row.email for row in rows_of(name))


@pytest.mark.parametrize("name", ["google-contacts.csv", "outlook-contacts.csv"])
def test_a_companys_website_is_nobodys_profile(name: str) -> None:
    ben = rows_of(name)[1]
    assert ben.profile_url is None
    assert "https://fernway.example" in ben.extra.values()


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("Vorname;Nachname;Firma;E-Mail-Adresse", "Ilse;Tarnow;Pumpen AG;ilse@tarnow.example"),
        ("Vorname;Name;Unternehmen;E-Mail", "Ilse;Tarnow;Pumpen AG;ilse@tarnow.example"),
        ("Prénom;Nom;Société;Adresse e-mail", "Ilse;Tarnow;Pumpen AG;ilse@tarnow.example"),
        ("Nombre;Apellidos;Empresa;Correo electrónico", "Ilse;Tarnow;Pumpen AG;ilse@tarnow.example"),
        ("Voornaam;Achternaam;Bedrijf;E-mail", "Ilse;Tarnow;Pumpen AG;ilse@tarnow.example"),
        ("Primeiro nome;Sobrenome;Empresa;Email", "Ilse;Tarnow;Pumpen AG;ilse@tarnow.example"),
    ],
)
def test_a_table_in_another_language_is_guessed(tmp_path: Path, header: str, row: str) -> None:
    file = tmp_path / "leute.csv"
    file.write_text(f"{header}\n{row}\n", encoding="utf-8")
    (lead,) = read_leads(file, unknown_table(file).guessed)
    assert isinstance(lead, LeadRow)
    assert (lead.full_name, lead.company, lead.email) == ("Ilse Tarnow", "Pumpen AG", "ilse@tarnow.example")


CONNECTIONS = "First Name,Last Name,URL,Email Address,Company,Position,Connected On"


@pytest.mark.parametrize("day", ["", "15 Mar 2024", "15.03.2024", "04/03/2024", "sometime", "2031-01-01", "1900-01-01"])
def test_whoever_stands_in_linkedins_own_list_is_connected_whatever_became_of_the_date(
    tmp_path: Path, day: str
) -> None:
    file = tmp_path / "Connections.csv"
    file.write_text(
        f"{CONNECTIONS}\nOda,Brandvik,https://www.linkedin.com/in/oda,,Nordlys,COO,{day}\n", encoding="utf-8"
    )
    (row,) = rows_of_file(file)
    assert row.connected


@pytest.mark.parametrize(("degree", "connected"), [("1st", True), ("2nd", False), ("3rd+", False), ("", True)])
def test_a_list_of_connections_with_a_degree_believes_the_degree(tmp_path: Path, degree: str, connected: bool) -> None:
    file = tmp_path / "Connections.csv"
    file.write_text(f"First Name,Last Name,Connected On,Degree\nOda,Brandvik,,{degree}\n", encoding="utf-8")
    assert rows_of_file(file)[0].is_connected is connected


def test_a_column_of_connections_that_is_mapped_can_hold_a_yes(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("Name,Connected\nOda Brandvik,yes\nJon Vik,no\nLea Roussel,2024-03-15\n", encoding="utf-8")
    rows = [row for row in read_leads(file, unknown_table(file).guessed) if isinstance(row, LeadRow)]
    assert [(row.is_connected, row.connected_on) for row in rows] == [(True, None), (False, None), (True, "2024-03-15")]


def test_addresses_that_were_not_chosen_stay_with_the_person() -> None:
    assert rows_of("evaboot.csv")[0].extra["Linkedin URL Unique ID"].endswith(f"/in/{MEMBER}/")


@pytest.mark.parametrize("column", ["connectionDegree", "Connection Degree", "Degree", "degree"])
@pytest.mark.parametrize(
    ("cell", "degree"),
    [("2nd", "2"), ("3", "3"), ("1st degree connection", "1"), ("· 3rd+", "3"), ("DISTANCE_2", "2"), ("MSc", "MSc")],
)
def test_a_degree_is_a_number_under_one_name_however_the_file_spells_it(
    tmp_path: Path, column: str, cell: str, degree: str
) -> None:
    file = tmp_path / "people.csv"
    file.write_text(f"First Name,Last Name,Connected On,{column}\nAda,Lovelace,,{cell}\n", encoding="utf-8")
    assert read_whole(file)[0][0].extra == {"Degree": degree}


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
    guessed = unknown_table(LEADS / "own-table.csv").guessed
    assert guessed == {
        "full_name": "Full Name",
        "job_title": "jobTitle",
        "company": "companyName",
        "profile_url": "profileUrl",
        "email": "E-Mail",
        "tags": "Tags",
    }
    first, second = list(read_leads(LEADS / "own-table.csv", guessed))
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
