"""A campaign that was begun on one device goes on at another one, whose practice network knows nothing of it at first."""

import shutil
from pathlib import Path

from tests.cli.outrider import Outrider, WithoutBrowser
from tests.cli.rehearsed import REHEARSE
from tests.patience import PATIENCE

NETWORK = shutil.ignore_patterns("practice", "browser", "*.lock", "evidence")


def move(there: Outrider, here: Outrider) -> None:
    """The logs are the same on both devices, as after a round with the shared store; each keeps its practice network."""
    practice = here.data_dir.with_name("kept")
    if (here.data_dir / "practice").exists():
        (here.data_dir / "practice").rename(practice)
    shutil.rmtree(here.data_dir, ignore_errors=True)
    shutil.copytree(there.data_dir, here.data_dir, ignore=NETWORK)
    if practice.exists():
        practice.rename(here.data_dir / "practice")


def run_until_stopped(outrider: WithoutBrowser, *command: str) -> None:
    with outrider.halfway(*command) as running:
        (campaign,) = outrider.campaigns()
        outrider("pause", campaign["campaign"])
    _, errors = running.communicate(timeout=PATIENCE)
    assert running.returncode == 4, errors


def texts(outrider: Outrider) -> set[tuple[str, str, str]]:
    return {(entry["kind"], entry["to"], entry["text"]) for entry in outrider.delivered()}


def test_a_campaign_goes_there_and_back_and_nothing_is_sent_twice(tmp_path: Path) -> None:
    desk, laptop = (WithoutBrowser(tmp_path / name) for name in ("desk", "laptop"))
    run_until_stopped(desk, *REHEARSE, "2")
    (campaign,) = desk.campaigns()
    go_on = ("run", campaign["campaign"], "--auto-approve", "--headless", "--json")
    move(desk, laptop)
    run_until_stopped(laptop, *go_on)
    move(laptop, desk)
    ended = desk(*go_on)
    assert (ended.status, ended.told["status"]) == (0, "completed"), ended.err
    assert texts(desk) & texts(laptop) == set()
    assert len(desk.delivered()) + len(laptop.delivered()) == ended.told["messages_sent"]
    ledger = ended.told["ledger"]
    assert (ledger["duplicates"], ledger["missing"], ledger["not_on_record"]) == (0, 0, 0)
    assert ledger["from_record"] == len(texts(laptop))
    assert desk("replay", "--check", "--json").told == {"differences": 0}
