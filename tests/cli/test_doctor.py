"""`doctor` finds what is wrong and says how to mend it."""

import errno
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.adapters.http_settings import examine_environment
from backend.domain.values.health_check import HealthCheck
from backend.machine.settings import read_settings
from backend.runtime import doctor
from backend.store.database import Database
from tests import posix
from tests.cli.outrider import Outrider, until


def findings(outrider: Outrider) -> tuple[int, dict[str, dict[str, str]]]:
    ended = outrider("doctor", "--json")
    return ended.status, {check["code"]: check for check in ended.told["checks"]}


def test_a_machine_on_which_the_tests_run_is_well(outrider: Outrider) -> None:
    status, checks = findings(outrider)
    assert status == 0, checks
    assert list(checks)[:4] == ["python", "sqlite", "data_dir", "disk"]
    assert "wasi" in checks["scripts"]["said"] or checks["scripts"]["status"] == "warn"  # until it is compiled
    assert checks["practice"]["status"] == checks["browser"]["status"] == checks["port"]["status"] == "ok"
    assert all(bool(check["remedy"]) == (check["status"] != "ok") for check in checks.values())


OF_ENVIRONMENT = [
    ("TMPDIR", "/nowhere", "temporary_files", "warn", "TMPDIR names"),
    ("TMPDIR", __file__, "temporary_files", "warn", "TMPDIR names"),
    ("TZ", "Mars/Olympus", "time_zone", "warn", "TZ names no time zone"),
    ("TZ", "CEST", "time_zone", "warn", "by UTC"),
    ("TZ", ":Europe/Berlin", "time_zone", "ok", "UTC+0"),
    ("TZ", "EST5EDT", "time_zone", "ok", "UTC-0"),
    ("XDG_CACHE_HOME", __file__, "scripts", "fail", "no folder can be made at"),
    ("PLAYWRIGHT_NODEJS_PATH", "/nowhere/node", "node", "fail", "PLAYWRIGHT_NODEJS_PATH names"),
    ("HTTPS_PROXY", "http://127.0.0.1:1", "network", "warn", "nothing answers"),
    ("SSL_CERT_FILE", "/nowhere", "network", "warn", "SSL_CERT_FILE"),
]
"""A variable, what it is set to, which check tells it, and how."""


@pytest.mark.posix
@pytest.mark.parametrize(("variable", "value", "code", "status", "why"), OF_ENVIRONMENT)
def test_a_variable_that_is_wrong_is_told(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str, code: str, status: str, why: str
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)  # asked anew
    for name in ("TMPDIR", "TEMP", "TMP", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, value)
    posix.read_zone_again()
    try:
        rows = {row.__name__: row for row in doctor.OF_MACHINE} | {"network": examine_environment}
        check = rows[code]()
    finally:
        monkeypatch.undo()
        posix.read_zone_again()
    assert (check.code, check.status, why in check.said) == (code, status, True), check.said
    assert bool(check.remedy) == (status != "ok")


def test_a_browser_whose_temporary_files_have_no_room_is_not_said_to_be_open(outrider: Outrider) -> None:
    _, checks = findings(Outrider(outrider.data_dir, TMPDIR="/nowhere", NODE_OPTIONS="--require /nowhere.js"))
    assert checks["browser"]["status"] == "ok"


def test_what_is_wrong_is_named_with_what_to_do(outrider: Outrider) -> None:
    outrider.data_dir.mkdir(mode=0o755)
    (outrider.data_dir / "outrider.db").write_bytes(b"damaged" * 1_000)
    status, checks = findings(Outrider(outrider.data_dir, OUTRIDER_BROWSER="/nowhere/browser"))
    assert status == 1
    assert checks["database"]["status"] == checks["browser"]["status"] == "fail"
    assert "backup" in checks["database"]["remedy"]
    assert checks["data_dir"]["status"] == "ok", "every start takes the folder back from others"
    assert outrider.data_dir.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EMFILE, errno.ENOMEM])
def test_what_the_machine_refuses_to_one_look_is_its_finding_and_the_others_follow(
    tmp_path: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def well(code: str) -> Callable[..., HealthCheck]:
        def look(*_: object) -> HealthCheck:
            return HealthCheck(code, "ok", "well")

        look.__name__ = code
        return look

    def refused(*_: object) -> HealthCheck:
        raise OSError(number, os.strerror(number), "its file")

    of_machine = [row.__name__ for row in doctor.OF_MACHINE]
    monkeypatch.setattr(doctor, "OF_FOLDER", {code: well(code) for code in doctor.OF_FOLDER})
    monkeypatch.setattr(doctor, "OF_MACHINE", [well(code) for code in of_machine])
    monkeypatch.setattr(doctor, "browser", well("browser"))
    monkeypatch.setattr(doctor, "examine_environment", well("network"))
    codes = [check.code for check in doctor.run_checks(tmp_path, [])]
    assert {*doctor.OF_FOLDER, *of_machine, "browser", "network"} <= set(codes)
    for code in doctor.OF_FOLDER:
        with monkeypatch.context() as patch:
            patch.setitem(doctor.OF_FOLDER, code, refused)
            checks = {check.code: check for check in doctor.run_checks(tmp_path, [])}
        assert list(checks) == codes
        assert (checks[code].status, bool(checks[code].remedy)) == ("fail", True)
    for code in of_machine:
        refused.__name__ = code
        rows = [well(row) if row != code else refused for row in of_machine]
        monkeypatch.setattr(doctor, "OF_MACHINE", rows)
        checks = {check.code: check for check in doctor.run_checks(tmp_path, [])}
        assert list(checks) == codes
        assert checks[code].status == "fail"


@pytest.mark.parametrize("still_there", [True, False])
def test_a_restore_that_was_killed_is_named_and_left_to_the_next_start(tmp_path: Path, *, still_there: bool) -> None:
    path = tmp_path / "outrider.db"
    if still_there:
        Database(path).close()
    (tmp_path / "outrider.db.restoring-1-0").write_bytes(b"ready")
    files = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    check = doctor.database(read_settings(data_dir=tmp_path))
    assert check.status == "fail"
    assert "restored" in check.said
    assert "Start Outrider" in check.remedy
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == files


APP = """
import sys, threading
from pathlib import Path
from backend.adapters.instance_lock import InstanceLock
from backend.domain.values.errors import OutriderError
from backend.app.launch import open_backend
from backend.machine.settings import read_settings

settings = read_settings(data_dir=Path(sys.argv[1]))
with InstanceLock(settings.data_dir), open_backend(settings, show_code=lambda _: None) as launch:
    def fail():
        raise OutriderError("database_locked", path="the-database")
    def hang():
        busy.doing = "counting to infinity"
        threading.Event().wait()
    busy = launch.workspace.workers.add("busy", hang)
    busy.start()
    launch.workspace.workers.add("made up", fail).start()
    threading.Event().wait()
"""


@pytest.mark.posix
def test_what_the_workers_of_a_running_app_do_is_shown_even_if_it_hangs(outrider: Outrider) -> None:
    written = outrider.data_dir / "workers.json"
    with subprocess.Popen([sys.executable, "-c", APP, str(outrider.data_dir)]) as app:
        try:
            until(
                "both are known",
                lambda: written.exists() and "infinity" in written.read_text() and "the-" in written.read_text(),
            )
            posix.stop(app.pid)
            status, checks = findings(outrider)
        finally:
            app.kill()
    assert status == 0
    assert checks["instance"]["said"] == "an Outrider is running on this folder"
    busy, failing = checks["worker_busy"], checks["worker_made_up"]
    assert (busy["status"], failing["status"]) == ("ok", "warn")
    assert re.match(r"The background worker “busy” has been counting to infinity since 20\S+ \S+ UTC\.$", busy["said"])
    assert re.search(
        r"It has failed since 20.* UTC; errors: \d+, the last at 20.*the-database.*Next try: 20", failing["said"]
    )
    assert "sync" in checks["workers"]["said"] or "scorer" in checks["workers"]["said"]
    assert written.stat().st_mode & 0o077 == 0
    status, checks = findings(outrider)
    assert not {code for code in checks if code.startswith("worker")}, "it was killed; its last word is not news"
