"""`outrider dry-run`: the next days in a table or as JSON, and not a byte of the folder is another."""

from pathlib import Path

import pytest

from tests.cli.outrider import LEADS, Outrider


def made(outrider: Outrider, channel: str) -> str:
    result = outrider(
        "new", "--name", "T", "--goal", "I would like your view.", "--leads", str(LEADS), "--channel", channel, "--json"
    ).told
    return str(result["campaign"])


def database(outrider: Outrider) -> bytes:
    return Path(outrider.data_dir / "outrider.db").read_bytes()


def test_the_next_days_are_told_and_the_database_stays_as_it_is(outrider: Outrider) -> None:
    campaign = made(outrider, "practice")
    outrider("status")
    before = database(outrider)
    result = outrider("dry-run", campaign, "--days", "10", "--json").told
    assert database(outrider) == before
    assert (result["campaign"], result["days"], result["assumed"]["accept"]) == (campaign, 10, 0.0)
    assert (
        result["sent"]
        == len(result["acts"])
        == sum(day["invitations"] + day["messages"] for day in result["by_day"])
        > 0
    )
    shown = outrider("dry-run", campaign, "--days", "10").out
    assert "Nothing was sent or stored." in shown
    assert outrider.campaigns()[0]["status"] == "initializing"


def test_where_the_user_sends_their_contacts_would_be_written_to(outrider: Outrider) -> None:
    result = outrider("dry-run", made(outrider, "linkedin_assist"), "--days", "14", "--json").told
    assert {act["kind"] for act in result["acts"]} == {"message"}  # LinkedIn's own file names contacts


def test_a_campaign_that_is_none_is_refused(outrider: Outrider) -> None:
    assert outrider("dry-run", "NOBODY", "--json").code == "campaign_unknown"


WITHOUT_DATES = """First Name,Last Name,URL,Email Address,Company,Position,Connected On
Oda,Brandvik,https://www.linkedin.com/in/oda-brandvik-77,,Nordlys AS,COO,
Jon,Vik,https://www.linkedin.com/in/jon-vik-78,,Vik AS,CTO,04/03/2024
Lea,Roussel,https://www.linkedin.com/in/lea-roussel-3,,Roussel,CTO,15.03.2024
"""
OTHER_TOOL = """First Name,Last Name,Company,LinkedIn URL,Do Not Contact,Last Replied At,Degree
Ilse,Tarnow,Example Pumps,https://www.linkedin.com/in/ilse-tarnow-example,true,,
Ravi,Molnar,Example Data,https://www.linkedin.com/in/ravi-molnar-example,false,2026-10-05,
Kim,Voss,Voss,https://www.linkedin.com/in/kim-voss-9,false,,1st
Ana,Prats,Prats,https://www.linkedin.com/in/ana-prats-9,false,never,2nd
"""


def dry_run(outrider: Outrider, tmp_path: Path, table: str, channel: str) -> dict[str, str]:
    """Name -> the first thing that would be done with them."""
    file = tmp_path / "people.csv"
    file.write_text(table, encoding="utf-8")
    new = (
        "new",
        "--name",
        "T",
        "--goal",
        "I would like your view.",
        "--channel",
        channel,
        "--json",
        "--leads",
        str(file),
    )
    result = outrider("dry-run", str(outrider(*new).told["campaign"]), "--days", "14", "--json").told
    return {act["name"]: act["kind"] for act in reversed(result["acts"])}


@pytest.mark.parametrize("channel", ["linkedin_assist", "practice"])
def test_whoever_stands_in_linkedins_own_list_is_written_to_and_never_invited(
    outrider: Outrider, tmp_path: Path, channel: str
) -> None:
    acts = dry_run(outrider, tmp_path, WITHOUT_DATES, channel)
    assert acts == dict.fromkeys(("Oda Brandvik", "Jon Vik", "Lea Roussel"), "message")


@pytest.mark.parametrize("channel", ["linkedin_assist", "practice"])
def test_what_another_tool_says_of_people_decides_what_is_planned_for_them(
    outrider: Outrider, tmp_path: Path, channel: str
) -> None:
    acts = dry_run(outrider, tmp_path, OTHER_TOOL, channel)
    assert acts == {"Kim Voss": "message", "Ana Prats": "invitation"}
