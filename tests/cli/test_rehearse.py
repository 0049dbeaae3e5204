"""A rehearsal from the command line: to its end, killed, stopped, and watched from outside."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.adapters.leadfiles.workbooks import Sheets, write_workbook
from tests.cli.outrider import Ended, Outrider, WithoutBrowser, until
from tests.cli.rehearsed import REHEARSE, Rehearsed
from tests.patience import PATIENCE


def test_a_rehearsal_runs_to_its_end_and_the_ledger_agrees(rehearsed: Rehearsed, copy: Outrider) -> None:
    result = rehearsed.ended.told
    assert rehearsed.ended.status == 0, rehearsed.ended.err
    assert result["status"] == "completed"
    assert result["steps_skipped"] == result["outcome_unknown"] == result["rejected"] == 0
    assert sum(result["leads"].values()) == 3
    assert result["messages_sent"] == result["ledger"]["received"] == len(copy.delivered()) > 0
    assert (result["ledger"]["duplicates"], result["ledger"]["missing"]) == (0, 0)


def test_a_completed_rehearsal_is_not_run_again_but_told_again(rehearsed: Rehearsed, copy: Outrider) -> None:
    before = copy.delivered()
    again = copy(*REHEARSE, "3")
    assert again.status == 0
    assert again.told == rehearsed.ended.told
    assert "completed already" in again.err
    assert copy.delivered() == before
    assert len(copy.campaigns()) == 1


@pytest.fixture
def without_browser(tmp_path: Path) -> WithoutBrowser:
    return WithoutBrowser(tmp_path / "data")


@pytest.mark.parametrize("witness", ["twice", "never"])
def test_what_the_ledger_has_twice_or_never_is_an_error_and_not_a_success(copy: Outrider, witness: str) -> None:
    (ledger,) = (copy.data_dir / "practice").glob("*.jsonl")
    lines = ledger.read_text("utf-8").splitlines(keepends=True)
    index = next(n for n, line in enumerate(lines) if '"kind":"invitation"' in line)
    ledger.write_text("".join([*lines, lines[index]] if witness == "twice" else lines[:index]), "utf-8")
    again = copy(*REHEARSE, "3")
    assert (again.status, again.code) == (5, "ledger_differs")
    assert again.told["status"] == "completed"
    assert again.told["ledger"]["duplicates" if witness == "twice" else "missing"] > 0


def test_killed_in_the_middle_and_called_again_it_does_the_rest_only(outrider: Outrider) -> None:
    killed = outrider.start(*REHEARSE, "1")
    until("something was delivered", outrider.delivered)
    killed.kill()
    killed.communicate()
    before = len(outrider.delivered())
    again = outrider(*REHEARSE, "1")
    assert again.status == 0, again.err
    assert again.told["status"] == "completed"
    assert (again.told["ledger"]["duplicates"], again.told["ledger"]["missing"]) == (0, 0)
    assert len(outrider.delivered()) == again.told["messages_sent"] > before
    assert len(outrider.campaigns()) == 1
    assert outrider("replay", "--check", "--json").told == {"differences": 0}
    assert outrider("log", "verify").status == 0


def test_a_run_is_watched_and_stopped_from_outside_and_no_second_one_starts(without_browser: WithoutBrowser) -> None:
    with without_browser.halfway(*REHEARSE, "12") as running:
        assert without_browser(*REHEARSE, "12").code == "instance_running"

        (campaign,) = without_browser.campaigns()
        assert (campaign["status"], campaign["leads"]) == ("active", 12)
        assert without_browser("status", campaign["campaign"], "--json").told["turn"] >= campaign["turn"] > 0

        assert without_browser("pause", campaign["campaign"], "--json").told["status"] == "paused"
    out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 4, err
    assert '"ended": "stopped"' in out.splitlines()[-1]
    assert without_browser.campaigns()[0]["status"] == "paused"


def test_everything_is_paused_from_outside(without_browser: WithoutBrowser) -> None:
    with without_browser.halfway(*REHEARSE, "12") as running:
        (campaign,) = without_browser.campaigns()
        assert without_browser("pause", "--all", "--json").told["paused"] == [campaign["campaign"]]
    _, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 4, err
    assert without_browser("pause", "--all").out.strip() == "No campaign is on."
    assert without_browser("pause").status == without_browser("pause", "--all", campaign["campaign"]).status == 2


def test_any_table_of_people_is_rehearsed_and_read_in_another_way_it_is_another_rehearsal(
    without_browser: WithoutBrowser, tmp_path: Path
) -> None:
    table = tmp_path / "people.csv"
    table.write_text("Wer;Rolle/Position;Wo\nAnn Ek;CTO;Acme\n", "utf-8")
    rehearse = ("rehearse", "--auto-approve", "--headless", "--json", "--leads", str(table))
    assert (without_browser(*rehearse).code, without_browser.campaigns()) == ("lead_file_unknown_format", [])

    by_name = (*rehearse, "--map", "full_name=Wer")
    rehearsed = without_browser(*by_name).told
    assert (rehearsed["status"], sum(rehearsed["leads"].values())) == ("completed", 1)
    assert without_browser(*by_name).told == rehearsed

    with_company = without_browser(*by_name, "--map", "company=Wo").told
    assert with_company["campaign"] != rehearsed["campaign"]
    with closing(sqlite3.connect(without_browser.data_dir / "outrider.db")) as connection:
        companies = dict(connection.execute("SELECT campaign_id, company FROM leads"))
    assert companies == {rehearsed["campaign"]: "", with_company["campaign"]: "Acme"}


def test_a_rehearsal_reads_the_sheet_and_the_letters_that_were_asked_for(
    without_browser: WithoutBrowser, tmp_path: Path
) -> None:
    table = tmp_path / "people.csv"
    table.write_bytes("Wer;Rolle/Position;Wo\nAda \xc6;CTO;Acme\n".encode("latin-1"))
    heading = ("Name", "Company")
    sheets: Sheets = {"Ours": [heading, ("Bo Ek", "Acme")], "Theirs": [heading, ("Cy Ek", "Acme")]}
    book = write_workbook(tmp_path / "people.xlsx", sheets)
    by_column = ("--map", "full_name=Wer", "--map", "company=Wo")
    ways = {
        "Ada \xc6": (table, *by_column, "--encoding", "cp1252"),
        "Ada \u0106": (table, *by_column, "--encoding", "cp1250"),
        "Bo Ek": (book, "--sheet", "Ours"),
        "Cy Ek": (book, "--sheet", "Theirs"),
    }
    rehearse = ("rehearse", "--auto-approve", "--headless", "--json", "--leads")
    campaigns = {without_browser(*rehearse, *map(str, way)).told["campaign"]: name for name, way in ways.items()}
    with closing(sqlite3.connect(without_browser.data_dir / "outrider.db")) as connection:
        assert dict(connection.execute("SELECT campaign_id, full_name FROM leads")) == campaigns
    assert len(campaigns) == len(ways)

    otherwise_ordered = (str(table), *by_column[2:], *by_column[:2], "--encoding", "cp1250")
    assert campaigns[without_browser(*rehearse, *otherwise_ordered).told["campaign"]] == "Ada \u0106"


def test_help_is_for_every_command(outrider: Outrider) -> None:
    for command in (("rehearse",), ("run",), ("status",), ("log", "verify"), ("practice", "serve"), ("doctor",)):
        ended: Ended = outrider(*command, "--help")
        assert ended.status == 0
        assert "--data-dir" in ended.out
