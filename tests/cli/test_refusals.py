"""Bad input and bad surroundings: a coded error with what to do, a status that is not 0, nothing lost."""

import shutil
import socket
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.machine.settings import MOST_FOLDER_BYTES
from tests import posix
from tests.cli.outrider import COMMAND, LEADS, ROOT, Outrider
from tests.cli.rehearsed import REHEARSE


def database(outrider: Outrider) -> Path:
    """The path of a database that is there and empty."""
    assert outrider("log", "verify").status == 0
    return outrider.data_dir / "outrider.db"


def refused(outrider: Outrider, *arguments: str) -> str:
    """The code with which the command is refused, in status 1, with a sentence and a remedy."""
    ended = outrider(*arguments, "--json")
    assert ended.status == 1, ended.err
    assert ended.told["error"]["sentence"] in ended.err
    assert ended.told["error"]["remedy"] in ended.err
    return ended.code


def test_a_locked_database_is_refused_but_can_be_looked_at(outrider: Outrider) -> None:
    with sqlite3.connect(database(outrider), isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        assert outrider.campaigns() == []
        assert refused(outrider, *REHEARSE[:-1]) == "database_locked"
        other.execute("ROLLBACK")
    other.close()


@pytest.mark.posix
def test_a_read_only_database_is_refused(outrider: Outrider) -> None:
    path = database(outrider)
    path.chmod(0o444)
    outrider.data_dir.chmod(0o555)
    mortal = Outrider(outrider.data_dir, *without_privilege())
    try:
        assert refused(mortal, "replay", "--check") == "database_read_only"
        assert refused(mortal, *REHEARSE[:-1]) == "database_read_only"
    finally:
        outrider.data_dir.chmod(0o700)


def without_privilege() -> list[str]:
    """A command prefix under which file modes hold for root, too."""
    if not posix.is_root():
        return []
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("root may write anything, and there is no setpriv")
    return [setpriv, "--inh-caps=-all", "--bounding-set=-dac_override,-dac_read_search"]


def test_a_damaged_database_is_refused(outrider: Outrider) -> None:
    path = database(outrider)
    path.write_bytes(b"not a database at all, " * 500)
    assert refused(outrider, "status") == "database_corrupt"
    assert refused(outrider, *REHEARSE[:-1]) == "database_corrupt"


@pytest.mark.posix
@pytest.mark.parametrize(
    ("obstacle", "words"),
    [
        (lambda path: path.symlink_to(path.name), "link"),
        (lambda path: path.symlink_to("unmounted/outrider.db"), "leads to no file"),
        (Path.mkdir, "a folder"),
        (posix.make_pipe, "no file"),
    ],
    ids=["link to itself", "link to nothing", "folder", "pipe"],
)
def test_what_can_be_no_database_is_refused_by_what_it_is(
    outrider: Outrider, obstacle: Callable[[Path], object], words: str
) -> None:
    path = database(outrider)
    path.unlink()
    (path.parent / "outrider.heads").unlink()
    obstacle(path)
    for command in (["status"], ["person", "show", "Ada"], ["replay", "--check"]):
        assert refused(outrider, *command) == "path_unusable"
    # Who writes locks the folder first, also the one where a link leads; there may be none.
    assert refused(outrider, *REHEARSE[:-1], "--leads", str(LEADS)) in ("path_unusable", "data_dir_unusable")
    checks = {check["code"]: check for check in outrider("doctor", "--json").told["checks"]}
    assert (checks["database"]["status"], words in checks["database"]["said"]) == ("fail", True)


@pytest.mark.posix
def test_a_folder_whose_path_is_too_long_for_a_database_is_refused(outrider: Outrider) -> None:
    inner = outrider.data_dir
    while len(str(inner)) < MOST_FOLDER_BYTES:
        inner /= "a" * 100
    assert refused(Outrider(inner), "status") == "data_dir_unusable"


def test_a_newer_database_is_left_alone(outrider: Outrider) -> None:
    path = database(outrider)
    with sqlite3.connect(path) as newer:
        newer.execute("PRAGMA user_version=999")
    newer.close()
    before = path.read_bytes()
    assert refused(outrider, "status") == "database_newer"
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("kind", "payload", "code"),
    [
        ("CampaignTeleported", "{}", "log_newer"),
        ("CampaignEdited", '{"mood":"good"}', "log_newer"),
        ("CampaignEdited", "{", ""),
        ("CampaignEdited", "[]", ""),
    ],
)
def test_an_entry_of_a_newer_outrider_is_told_at_the_start(
    outrider: Outrider, kind: str, payload: str, code: str
) -> None:
    """Damage is no sign of one, and stops no start: `outrider log verify` finds it."""
    path = database(outrider)
    made = outrider("new", "--name", "T", "--goal", "I would like your view.", "--leads", str(LEADS), "--json")
    assert made.status == 0, made.err
    with sqlite3.connect(path) as newer:
        triggers = "SELECT name FROM sqlite_master WHERE type='trigger' AND tbl_name='event_log'"
        for (trigger,) in newer.execute(triggers).fetchall():
            newer.execute(f"DROP TRIGGER {trigger}")
        newer.execute(
            "UPDATE event_log SET kind=?, change_payload=? WHERE (campaign_id, seq) IN"
            " (SELECT campaign_id, max(seq) FROM event_log GROUP BY campaign_id LIMIT 1)",
            (kind, payload),
        )
    newer.close()
    if code:
        assert refused(outrider, "status") == code
    else:
        assert outrider("status").status == 0


def test_a_busy_port_is_named(outrider: Outrider, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        ended = outrider("practice", "serve", "--port", port, "--ledger", str(tmp_path / "ledger.jsonl"))
    assert ended.status == 1
    assert "[port_busy]" in ended.err
    assert port in ended.err


def test_without_a_browser_nothing_is_lost(outrider: Outrider) -> None:
    elsewhere = Outrider(outrider.data_dir, OUTRIDER_BROWSER=str(outrider.data_dir / "nowhere"))
    assert refused(elsewhere, *REHEARSE[:-1], "--leads", str(LEADS)) == "browser_unusable"
    (campaign,) = outrider.campaigns()
    assert campaign["leads"] > 0


def test_a_practice_network_that_cannot_start_is_told(outrider: Outrider) -> None:
    outrider.data_dir.mkdir()
    (outrider.data_dir / "practice").write_text("a file where a folder should be")
    assert refused(outrider, *REHEARSE[:-1], "--leads", str(LEADS)) == "practice_failed"


def test_a_ledger_that_is_damaged_is_not_written_over(copy: Outrider) -> None:
    with sqlite3.connect(copy.data_dir / "outrider.db") as connection:
        connection.execute("UPDATE campaigns SET status='paused'")
    connection.close()
    (ledger,) = (copy.data_dir / "practice").glob("*.jsonl")
    ledger.write_text("{}\n{}\n")
    assert refused(copy, *REHEARSE, "3") == "practice_failed"
    assert ledger.read_text() == "{}\n{}\n"


def test_a_data_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert refused(Outrider(tmp_path / "file"), "status") == "data_dir_unusable"


def test_approval_needs_a_terminal(outrider: Outrider) -> None:
    assert refused(outrider, "rehearse", "--headless") == "not_interactive"
    assert outrider.campaigns() == []


@pytest.mark.parametrize("command", ["run", "pause", "status", "approve", "answer"])
def test_a_campaign_that_is_not_there_is_refused(outrider: Outrider, command: str) -> None:
    code = "not_interactive" if command == "approve" else "campaign_unknown"
    assert refused(outrider, command, "01NOPE") == code


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (None, "lead_file_missing"),
        (b"", "lead_file_empty"),
        (b"a,b,c\n1,2,3\n", "lead_file_unknown_format"),
        (b"\x89PNG\r\n\x1a\n" + bytes(200), "lead_file_binary"),
        (b"PK\x03\x04 and then nothing", "lead_file_zip_damaged"),
    ],
)
def test_a_bad_lead_file_is_refused_before_anything_is_made(
    outrider: Outrider, tmp_path: Path, content: bytes | None, code: str
) -> None:
    file = tmp_path / "leads.csv"
    if content is not None:
        file.write_bytes(content)
    assert refused(outrider, *REHEARSE[:-1], "--leads", str(file)) == code
    assert outrider.campaigns() == []


def test_a_defect_is_told_in_a_civil_way_and_leaves_a_report_without_secrets(outrider: Outrider) -> None:
    broken = (
        "from backend.terminal import campaign_status\n"
        "def boom(*_): raise ValueError('no way, sk-abcdefghijklmnop1234 http://me:pw@host')\n"
        "campaign_status.print_campaigns = boom\n"
    )
    ended = subprocess.run(
        [COMMAND[0], "-c", broken + COMMAND[2], "status"],
        env=outrider.environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 70
    assert "[unexpected]" in ended.stderr
    assert "Traceback" not in ended.stderr
    (report,) = (outrider.data_dir / "crashes").iterdir()
    text = report.read_text()
    assert str(report) in ended.stderr
    assert "\nValueError\n" in text
    assert "cannot reach" not in text
    assert "sk-abc" not in text
    assert "me:pw" not in text
    assert str(ROOT) not in text


def test_a_wrong_call_is_explained_with_status_2(outrider: Outrider) -> None:
    assert outrider("rehearse", "--max-leads", "0").status == 2
    assert outrider("nonsense").status == 2
    assert outrider("replay", "--check", "--rebuild").status == 2
    assert not outrider.data_dir.exists()
