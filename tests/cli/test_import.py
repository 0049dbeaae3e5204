"""Importing from the command line: counts, rejected rows, merging."""

from pathlib import Path

import pytest

from backend.app.wiring import open_workspace
from backend.domain.model.campaign import Settings
from backend.machine.settings import AppSettings
from tests.adapters.leadfiles.workbooks import Sheets, parts_of, write_parts, write_workbook
from tests.cli.outrider import Outrider

HEAD = "First Name,Last Name,URL,Email Address,Company,Position,Connected On\n"
ROWS = [
    "Ada,Byron,https://www.linkedin.com/in/ada-byron,,Engines,Analyst,15 Mar 2024\n",
    "Grace,Murray,https://www.linkedin.com/in/grace-murray,,Navy,Admiral,16 Mar 2024\n",
    ",,https://www.linkedin.com/in/nobody-at-all,,,,17 Mar 2024\n",
]


@pytest.fixture
def campaign(outrider: Outrider) -> str:
    outrider.data_dir.mkdir()
    with open_workspace(AppSettings(outrider.data_dir, "", 10)) as workspace:
        return workspace.commands().campaigns.create("Test", "goal", site="practice", account="a", settings=Settings())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "Connections.csv"
    path.write_text(HEAD + "".join(ROWS), "utf-8")
    return path


def test_rows_are_counted_and_the_rejected_listed_with_their_reason(
    outrider: Outrider, campaign: str, file: Path
) -> None:
    result = outrider("import", campaign, str(file), "--json").told
    assert {name: result[name] for name in ("accepted", "merged", "unchanged", "rejected")} == {
        "accepted": 2, "merged": 0, "unchanged": 0, "rejected": 1,
    }  # fmt: skip
    (row,) = result["rejected_rows"]
    assert row["line"] == 4
    assert row["code"]
    assert row["reason"]
    assert row["code"] in outrider("import", campaign, str(file)).out


def test_importing_again_merges(outrider: Outrider, campaign: str, file: Path) -> None:
    outrider("import", campaign, str(file))
    file.write_text((HEAD + "".join(ROWS)).replace("Analyst", "Countess"), "utf-8")
    result = outrider("import", campaign[:20].lower(), str(file), "--json").told
    assert (result["accepted"], result["merged"], result["unchanged"]) == (0, 1, 1)
    assert outrider.campaigns()[0]["leads"] == 2


def test_no_more_than_wanted_are_taken(outrider: Outrider, campaign: str, file: Path) -> None:
    assert outrider("import", campaign, str(file), "--max-leads", "1", "--json").told["accepted"] == 1


def test_whom_a_filter_leaves_out_is_counted_and_comes_without_it(
    outrider: Outrider, campaign: str, file: Path
) -> None:
    result = outrider("import", campaign, str(file), "--title", "admir", "--company", "navy", "--json").told
    assert (result["accepted"], result["rejected"], result["filtered_out"]) == (1, 1, 1)
    assert "1 left out by your filter" in outrider("import", campaign, str(file), "--title", "admiral").out
    again = outrider("import", campaign, str(file))
    assert "left out" not in again.out
    assert outrider.campaigns()[0]["leads"] == 2
    taken = outrider("import", campaign, str(file), "--title", "a", "--max-leads", "1", "--json").told
    assert (taken["unchanged"], taken["filtered_out"]) == (1, 0), "of those whom the filter takes"
    assert outrider("import", campaign, str(file), "--tag", "vip", "--json").told["filtered_out"] == 2


def test_a_completed_campaign_takes_no_more_leads(copy: Outrider, file: Path) -> None:
    (done,) = copy.campaigns()
    assert copy("import", done["campaign"], str(file), "--json").code == "campaign_completed"


def test_a_table_of_ones_own_is_read_by_the_names_of_its_columns(
    outrider: Outrider, campaign: str, tmp_path: Path
) -> None:
    table = tmp_path / "people.csv"
    table.write_text("Full name,Profile,Firm\nAda Byron,https://www.linkedin.com/in/ada-byron,Engines\n", "utf-8")
    ended = outrider("import", campaign, str(table), "--json")
    assert ended.told["accepted"] == 1
    assert "full name from “Full name”" in ended.err


PEOPLE = "Wer,Wo im Netz,Bei\nAda Byron,https://www.linkedin.com/in/ada-byron,Engines\n"


def test_a_table_is_read_as_the_last_one_with_its_columns_was(
    outrider: Outrider, campaign: str, tmp_path: Path
) -> None:
    first, second = tmp_path / "people.csv", tmp_path / "more.csv"
    first.write_text(PEOPLE, "utf-8")
    second.write_text(PEOPLE.replace("Ada Byron", "Grace Hopper").replace("ada", "grace"), "utf-8")
    assert outrider("import", campaign, str(first), "--json").code == "lead_file_unknown_format"
    columns = ("--map", "full_name=wer", "--map", "profile-url=Wo im Netz")
    assert outrider("import", campaign, str(first), *columns, "--json").told["accepted"] == 1
    again = outrider("import", campaign, str(second), "--json")
    assert again.told["accepted"] == 1
    assert "as people.csv was" in again.err
    over = outrider("import", campaign, str(second), "--map", "company=Bei", "--json")
    assert (over.told["merged"], "company from “Bei”" in over.err) == (1, True)


def test_a_field_or_column_that_there_is_not_is_named(outrider: Outrider, campaign: str, file: Path) -> None:
    for column in ("nickname=URL", "full_name=Nom", "full_name"):
        refused = outrider("import", campaign, str(file), "--map", column)
        assert (refused.status, column in refused.err) == (2, True)


def test_a_campaign_is_made_of_any_table(outrider: Outrider, tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("Name;Profil\nAda Byron;https://www.linkedin.com/in/ada-byron\n", "utf-8")
    made = outrider(
        "new",
        "--name",
        "N",
        "--goal",
        "I would like your view.",
        "--leads",
        str(table),
        "--map",
        "profile_url=Profil",
        "--json",
    )
    assert made.told["accepted"] == 1


OTHER_TOOL = """First Name,Last Name,Email Address,Title,Company,LinkedIn URL,Do Not Contact,Last Contacted,Stage,Cadences
Ilse,Tarnow,ilse@tarnow.example,CTO,Example Pumps,https://www.linkedin.com/in/ilse-tarnow-example,true,2026-10-01,,Q4
Ravi,Molnar,ravi@molnar.example,CTO,Example Data,https://www.linkedin.com/in/ravi-molnar-example,false,2026-10-01,,Q4
Kim,Voss,kim@voss.example,CTO,Voss,https://www.linkedin.com/in/kim-voss-9,false,,Nurture,Q4
"""


def test_past_contact_is_told_before_anybody_is_imported(outrider: Outrider, campaign: str, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text(OTHER_TOOL, "utf-8")
    shown = outrider("import", campaign, str(file), "--json")
    notes = [
        "1 said no in your old tool: they go on the do-not-contact list.",
        "1 was already written to: left out.",
        "“Stage” says “Nurture” for 1 person: not understood, so it changes nothing.",
    ]
    assert all(note in shown.err for note in notes)
    past = shown.told["past_contact"]
    assert (past["refused"], past["written_to"], past["connected"], shown.told["listed"]) == (1, 1, 0, 1)
    assert past["unclear"] == [{"column": "Stage", "value": "Nurture", "people": 1}]
    only = outrider("import", campaign, str(file), "--max-leads", "1", "--json").told["past_contact"]
    assert (only["refused"], only["written_to"], only["unclear"]) == (1, 0, [])
    voss = outrider("import", campaign, str(file), "--company", "Voss", "--json").told["past_contact"]
    assert (voss["refused"], voss["written_to"], len(voss["unclear"])) == (1, 0, 1)  # who refused is always taken


def test_the_terminal_tells_which_sheets_of_a_workbook_are_not_read(
    outrider: Outrider, campaign: str, tmp_path: Path
) -> None:
    sheets: Sheets = {"Notes": [("Read me",)], "People": [("Name", "Mail"), ("Ada Byron", "ada@engines.example")]}
    ended = outrider("import", campaign, str(write_workbook(tmp_path / "people.xlsx", sheets)), "--json")
    assert ended.told["accepted"] == 1
    assert "Only the sheet “People” is read, not “Notes”." in ended.err
    assert "--sheet" in ended.err
    assert ended.told["sheet"] == {**ended.told["sheet"], "name": "People", "others": ["Notes"]}
    more: Sheets = {**sheets, "More": [("Name", "Mail"), ("Bo Ek", "bo@engines.example")]}
    other = outrider("import", campaign, str(write_workbook(tmp_path / "two.xlsx", more)), "--sheet", "more", "--json")
    assert other.told["accepted"] == 1
    assert "Only the sheet “More” is read" in other.err


def test_the_terminal_tells_what_a_sheet_hides_before_and_after(
    outrider: Outrider, campaign: str, tmp_path: Path
) -> None:
    parts = parts_of(
        {"People": [("Name", "Mail"), ("Ada Byron", "ada@engines.example"), ("Bo Ek", "bo@engines.example")]}
    )
    at = "xl/worksheets/sheet1.xml"
    hiding = parts | {at: parts[at].replace('<row r="3"', '<row r="3" hidden="1"')}
    ended = outrider("import", campaign, str(write_parts(tmp_path / "people.xlsx", hiding)))
    sentence = "1 row that is hidden in the sheet, by a filter or by hand, is read, too."
    assert (sentence in ended.err, sentence in ended.out) == (True, True)


def test_a_file_without_headings_is_read_by_the_numbers_of_its_columns(
    outrider: Outrider, campaign: str, tmp_path: Path
) -> None:
    bare = tmp_path / "bare.csv"
    bare.write_text("Ada Byron;https://www.linkedin.com/in/ada-byron\n", "utf-8")
    ended = outrider("import", campaign, str(bare), "--map", "full_name=column 1", "--json")
    assert ended.told["accepted"] == 1
    assert "bare.csv has no headings" in ended.err
    assert "profile url from “Column 2”" in ended.err


@pytest.mark.parametrize("option", ["--title", "--company", "--tag"])
def test_a_filter_that_is_too_long_is_refused_by_name(
    outrider: Outrider, campaign: str, file: Path, option: str
) -> None:
    refused = outrider("import", campaign, str(file), option, "x" * 201, "--json")
    assert (refused.status, refused.code) == (1, "filter_too_long")
    assert option in refused.err
