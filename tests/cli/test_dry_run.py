"""`outrider dry-run`: the next days in a table or as JSON, and not a byte of the folder is another."""

from pathlib import Path

from tests.cli.outrider import LEADS, Outrider


def made(outrider: Outrider, channel: str) -> str:
    told = outrider(
        "new", "--name", "T", "--goal", "I would like your view.", "--leads", str(LEADS), "--channel", channel, "--json"
    ).told
    return str(told["campaign"])


def database(outrider: Outrider) -> bytes:
    return Path(outrider.data_dir / "outrider.db").read_bytes()


def test_the_next_days_are_told_and_the_database_stays_as_it_is(outrider: Outrider) -> None:
    campaign = made(outrider, "practice")
    outrider("status")
    before = database(outrider)
    told = outrider("dry-run", campaign, "--days", "10", "--json").told
    assert database(outrider) == before
    assert (told["campaign"], told["days"], told["assumed"]["accept"]) == (campaign, 10, 0.0)
    assert told["sent"] == len(told["acts"]) == sum(day["invitations"] + day["messages"] for day in told["by_day"]) > 0
    shown = outrider("dry-run", campaign, "--days", "10").out
    assert "Nothing was sent or stored." in shown
    assert outrider.campaigns()[0]["status"] == "initializing"


def test_where_the_user_sends_their_contacts_would_be_written_to(outrider: Outrider) -> None:
    told = outrider("dry-run", made(outrider, "linkedin_assist"), "--days", "14", "--json").told
    assert {act["kind"] for act in told["acts"]} == {"message"}  # LinkedIn's own file names contacts


def test_a_campaign_that_is_none_is_refused(outrider: Outrider) -> None:
    assert outrider("dry-run", "NOBODY", "--json").code == "campaign_unknown"
