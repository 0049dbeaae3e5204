"""The sample that people see first: forty connections, of whom one has no name and one appears twice."""

from pathlib import Path

from backend.domain.people.lead_row import FIRST_NAME

from .accounting import read_whole

SAMPLE = Path(__file__).parents[2] / "data" / "Connections.csv"


def test_the_sample_holds_forty_connections_of_thirty_eight_people() -> None:
    accepted, rejected = read_whole(SAMPLE)
    assert len(accepted) + len(rejected) == 40
    assert [row.code for row in rejected] == ["no_name"]
    assert len({row.member_key for row in accepted}) == 38
    assert all(row.connected_on and row.company and row.job_title for row in accepted)
    assert {row.full_name: row.extra for row in accepted if row.extra} == {
        "Fatima Zahra El Idrissi": {FIRST_NAME: "Fatima Zahra"},
        "Nguyễn Thị Minh Anh": {FIRST_NAME: "Nguyễn Thị"},
        "Eun-ji Baek": {FIRST_NAME: "Eun-ji"},
        "سارة الخطيب": {FIRST_NAME: "سارة"},
    }, "what the file calls them, where the name alone does not tell"


def test_its_first_twelve_rows_are_good_distinct_and_have_urls() -> None:
    accepted, rejected = read_whole(SAMPLE)
    assert accepted[11].line < rejected[0].line
    assert len({row.profile_url for row in accepted[:12]} - {None}) == 12


def test_its_oddities_are_read_as_they_should_be() -> None:
    accepted, _ = read_whole(SAMPLE)
    by_name = {row.full_name: row for row in accepted}
    assert by_name["Valentina Rossi"].job_title == "=Owner"
    assert by_name["Ingrid Solheim"].job_title == "Head of Growth and Partnerships"
    assert by_name["Mei-Ling Zhang"].company == "Harbourlight Logistics, Ltd."
    assert by_name["Tomás Ó Conaill"].company == '"Slán" Health'
    assert by_name["Ruth Abebe"].connected_on == "2019-03-12"
    assert "سارة الخطيب" in by_name
    assert sum(row.email is None for row in accepted) > 30
