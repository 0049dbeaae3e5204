"""`outrider update` is off by default, believes a signed list, and keeps what comes to the same tables; it installs nothing."""

import base64
import hashlib
import platform
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn, cast

import pytest
from nacl.bindings import crypto_sign, crypto_sign_BYTES, crypto_sign_seed_keypair

from backend.adapters.updates import ReleaseFolder
from backend.domain.device.update import OLD, Update, newest, read_source
from backend.domain.values.errors import OutriderError, as_told
from backend.machine.unfinished_files import private_place
from backend.ports.egress import EgressPolicy
from backend.runtime.copies import update_trial
from backend.terminal.update import install_command
from tests.cli.outrider import ROOT, Outrider
from tests.kills import KILLED
from tests.patience import PATIENCE

pytestmark = [
    pytest.mark.posix,
    pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="the package is Debian's"),
]
PUBLIC, SECRET = crypto_sign_seed_keypair(b"k" * 32)
KEY = base64.urlsafe_b64encode(PUBLIC).decode().rstrip("=")
LIST = f"SHA256SUMS-{sys.platform}-{platform.machine().lower()}"
PROCESSOR = {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
SAME = f"""#!/bin/sh
PYTHONPATH='{ROOT}' exec '{sys.executable}' -c "from backend.terminal.app import app; app(prog_name='outrider')" "$@"
"""
TABLES_OTHERWISE = f"""#!/bin/sh
'{sys.executable}' -c "import sqlite3, sys; open_copy = sqlite3.connect(sys.argv[-1] + '/outrider.db')
with open_copy: open_copy.execute('delete from do_not_contact')" "$@"
{SAME.partition(chr(10))[2]}"""
NO_ROOM = "#!/bin/sh\necho 'The disk that holds it is full. [database_full]' >&2\nexit 1\n"
NOW = datetime.now(UTC)


class Releases:
    """A folder of releases on a server, and what it was asked."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.asked = folder, list[tuple[str, dict[str, str]]]()
        self.halfway, self.pausing = threading.Event(), list[threading.Event]()
        """Set when a hundred bytes of a package were sent; what is waited for before the rest."""
        folder.mkdir()
        asked, halfway, pausing = self.asked, self.halfway, self.pausing

        class Handler(SimpleHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append((self.path, dict(self.headers)))
                super().do_GET()

            def copyfile(self, source: Any, outputfile: Any) -> None:
                if pausing and self.path.endswith(".deb"):
                    outputfile.write(source.read(100))
                    outputfile.flush()
                    halfway.set()
                    pausing[0].wait(PATIENCE)
                with suppress(ConnectionError):
                    super().copyfile(source, outputfile)

            def log_message(self, *_: Any) -> None:
                """Nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        self.address = f"http://127.0.0.1:{self.server.server_port}/#{KEY}"

    def publish(self, version: str, program: str = SAME, *, secret: bytes = SECRET, made: datetime = NOW) -> Path:
        """A package of that version, which runs `program`, on a list that is signed."""
        tree = self.folder.parent / f"tree-{len(list(self.folder.iterdir()))}-{version}"
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(
            f"Package: outrider\nVersion: {version}\nArchitecture: {PROCESSOR}\nMaintainer: a\nDescription: b\n"
        )
        executable = tree / "usr/lib/outrider/outrider"
        executable.parent.mkdir(parents=True)
        executable.write_text(program)
        executable.chmod(0o755)
        file = self.folder / f"outrider_{version}_{PROCESSOR}.deb"
        subprocess.run(["dpkg-deb", "--build", tree, file], check=True, stdout=subprocess.DEVNULL)
        rows = f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
        self.sign(f"# made {made:%Y-%m-%dT%H:%M:%SZ}\n{rows}", secret)
        return file

    def sign(self, listed: str, secret: bytes = SECRET) -> None:
        """Publish a list."""
        (self.folder / LIST).write_text(listed)
        (self.folder / f"{LIST}.sig").write_bytes(crypto_sign(listed.encode(), secret)[:crypto_sign_BYTES])


@pytest.fixture
def releases(tmp_path: Path) -> Iterator[Releases]:
    folder = Releases(tmp_path / "releases")
    serving = threading.Thread(target=folder.server.serve_forever, args=(0.05,))
    serving.start()
    yield folder
    folder.server.shutdown()
    folder.server.server_close()
    serving.join()


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with something in its log."""
    folder = tmp_path_factory.mktemp("begun") / "data"
    assert Outrider(folder)("do-not-contact", "add", "somebody@example.com").status == 0
    return folder


@pytest.fixture
def outrider(begun: Path, tmp_path: Path, releases: Releases) -> Outrider:
    shutil.copytree(begun, tmp_path / "data")
    return Outrider(tmp_path / "data", OUTRIDER_UPDATES=releases.address)


def kept_files(outrider: Outrider) -> list[str]:
    return sorted(path.name for path in (outrider.data_dir / "updates").glob("outrider*"))


def test_it_is_off_until_the_user_names_whom_to_ask(tmp_path: Path, releases: Releases) -> None:
    outrider = Outrider(tmp_path / "data", OUTRIDER_UPDATES="")
    assert outrider("update", "--json").code == "updates_off"
    outgoing = outrider("outgoing", "--json").told
    assert outgoing["hosts"] == []
    assert "Update checks: Outrider sends none." in outgoing["never"]
    assert releases.asked == []


def test_what_never_leaves_and_the_list_of_hosts_follow_the_setting(outrider: Outrider, releases: Releases) -> None:
    outgoing = outrider("outgoing", "--json").told
    assert [(row["host"], row["allowed"], row["calls"]) for row in outgoing["hosts"]] == [("127.0.0.1", True, 0)]
    assert "Update checks: Outrider sends none." not in outgoing["never"]
    assert releases.asked == [], "the setting asks nobody by itself"


def test_a_newer_version_is_fetched_tried_on_a_copy_and_handed_to_the_user(
    outrider: Outrider, releases: Releases
) -> None:
    file = releases.publish("99.0.0")
    ended = outrider("update", "--json")
    assert ended.status == 0, ended.err
    fetched = outrider.data_dir / "updates" / file.name
    assert ended.told == {
        **ended.told,
        "newer": "99.0.0",
        "file": str(fetched),
        "install": f"sudo apt install {fetched}",
    }
    assert fetched.read_bytes() == file.read_bytes()
    assert [path for path, _ in releases.asked] == [f"/{LIST}", f"/{LIST}.sig", f"/{file.name}"]
    for _, headers in releases.asked:
        sent = {name.lower(): value for name, value in headers.items()}
        assert sent.keys() <= {"host", "accept", "accept-encoding", "connection", "user-agent"}
        assert sent["user-agent"] == "Outrider", "not even the version here"
    (host,) = outrider("outgoing", "--json").told["hosts"]
    assert "the system and the processor" in host["sends"], "the list's name says both"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("new one.deb", "sudo apt install '{}'"),
        ("Outrider-2.0.0.dmg", "open {}"),
        ("outrider-2.0.0-setup.exe", 'explorer "{}"'),
    ],
)
def test_each_system_is_shown_a_command_that_its_terminal_has(tmp_path: Path, name: str, command: str) -> None:
    assert install_command(tmp_path / name) == command.format(tmp_path / name)


def test_a_version_that_comes_to_other_tables_is_not_kept(outrider: Outrider, releases: Releases) -> None:
    releases.publish("99.0.0", TABLES_OTHERWISE)
    ended = outrider("update", "--json")
    assert ended.code == "update_differs"
    assert "replay_differs" in ended.err
    assert kept_files(outrider) == []
    assert outrider("replay", "--check").status == 0, "it was only a copy"


KILLED_IN_THE_TRIAL = "#!/bin/sh\nkill -9 $PPID\n"


def test_what_was_not_tried_to_the_end_is_not_handed_over(outrider: Outrider, releases: Releases) -> None:
    """Killed with kill -9 in the middle, it leaves nothing that could be taken for what was tried."""
    releases.publish("99.0.0", KILLED_IN_THE_TRIAL)
    assert outrider("update").status == KILLED
    assert kept_files(outrider) == []
    assert outrider("replay", "--check").status == 0
    assert list(outrider.data_dir.rglob("outrider_*")) == [], "what lay there while it was tried goes at the next start"


def test_killed_in_the_middle_of_the_download_it_leaves_no_half_file(outrider: Outrider, releases: Releases) -> None:
    file = releases.publish("99.0.0")
    goes_on = threading.Event()
    releases.pausing.append(goes_on)
    running = outrider.start("update")
    assert releases.halfway.wait(PATIENCE)
    running.kill()
    running.communicate(timeout=PATIENCE)
    assert running.returncode == KILLED
    goes_on.set()
    releases.pausing.clear()
    assert kept_files(outrider) == []
    assert outrider("update", "--json").status == 0
    assert (outrider.data_dir / "updates" / file.name).read_bytes() == file.read_bytes()
    assert len(list(outrider.data_dir.rglob("outrider_*"))) == 1


class _Call:
    bytes_in = 0


class _Everybody:
    def call(self, _host: str, _reason: str) -> AbstractContextManager[_Call]:
        return nullcontext(_Call())


def test_a_disk_that_is_full_is_told_and_nothing_of_the_file_stays(tmp_path: Path, releases: Releases) -> None:
    file = releases.publish("99.0.0")
    offered = Update("99.0.0", file.name, hashlib.sha256(file.read_bytes()).hexdigest())
    folder = ReleaseFolder(read_source(releases.address), cast("EgressPolicy", _Everybody()))
    with pytest.raises(OSError, match="No space left") as failed, private_place(tmp_path) as place:  # noqa: PT012
        (place / file.name).symlink_to("/dev/full")
        folder.fetch(offered, place)
    assert as_told(failed.value).code == "disk_full"
    assert not (tmp_path / "unfinished").exists()


def test_a_trial_for_which_there_is_no_room_is_no_fault_of_the_version(outrider: Outrider, releases: Releases) -> None:
    releases.publish("99.0.0", NO_ROOM)
    assert outrider("update", "--json").code == "disk_full"
    assert kept_files(outrider) == []


def test_a_list_older_than_one_that_was_seen_is_refused(outrider: Outrider, releases: Releases) -> None:
    """Also a newer version on it: somebody replays what was signed once, so that a later one stays unknown."""
    releases.publish("99.0.0", made=NOW - timedelta(days=1))
    replayed = {name: (releases.folder / name).read_bytes() for name in (LIST, f"{LIST}.sig")}
    releases.publish("99.0.1")
    assert outrider("update", "--check", "--json").told["newer"] == "99.0.1"
    for name, content in replayed.items():
        (releases.folder / name).write_bytes(content)
    ended = outrider("update", "--json")
    assert ended.code == "update_older"
    assert f"{NOW:%Y-%m-%d %H:%M:%S}" in ended.err
    assert kept_files(outrider) == []
    releases.publish("99.0.1")
    assert outrider("update", "--check", "--json").told["newer"] == "99.0.1", "the same list again is not older"


def test_a_list_that_does_not_say_when_it_was_made_is_none(outrider: Outrider, releases: Releases) -> None:
    for first in ("", "# made some day\n", "# made 2026-13-01T00:00:00Z\n"):
        releases.sign(f"{first}{'0' * 64}  outrider_99.0.0_{PROCESSOR}.deb\n")
        assert outrider("update", "--json").code == "update_unreachable"


def test_a_list_of_long_ago_is_told_as_one(outrider: Outrider, releases: Releases) -> None:
    """Somebody may go on showing it; nobody can know, so it is not refused."""
    releases.publish("0.0.1", made=NOW - OLD - timedelta(days=1))
    assert "somebody may be showing an old one" in outrider("update").out
    releases.publish("0.0.1", made=NOW - timedelta(days=1))
    assert "an old one" not in outrider("update").out


def test_a_start_removes_the_installers_of_versions_that_are_not_newer(outrider: Outrider) -> None:
    folder = outrider.data_dir / "updates"
    folder.mkdir(exist_ok=True)
    here = version("outrider")
    newer = {f"outrider_99.0_{PROCESSOR}.deb", "outrider-99.1-setup.exe", "Outrider-99.2.dmg"}
    older = {f"outrider_0.0.1_{PROCESSOR}.deb", "outrider-0.0.1-setup.exe", f"Outrider-{here}.dmg"}
    for name in newer | older | {"of-the-user.deb"}:
        (folder / name).touch()
    ended = outrider("do-not-contact", "list")
    assert ended.status == 0, ended.err
    assert {path.name for path in folder.iterdir()} == newer | {"of-the-user.deb"}


def test_only_to_check_fetches_nothing(outrider: Outrider, releases: Releases) -> None:
    releases.publish("99.0.0")
    assert outrider("update", "--check", "--json").told["newer"] == "99.0.0"
    assert [path for path, _ in releases.asked] == [f"/{LIST}", f"/{LIST}.sig"]


def test_what_is_not_newer_is_not_fetched(outrider: Outrider, releases: Releases) -> None:
    releases.publish("0.0.1")
    assert outrider("update", "--json").told["newer"] == ""
    assert kept_files(outrider) == []


def another_key(releases: Releases) -> None:
    releases.publish("99.0.0", secret=crypto_sign_seed_keypair(b"x" * 32)[1])


def another_list(releases: Releases) -> None:
    releases.publish("99.0.0")
    (releases.folder / LIST).write_text(
        f"# made {NOW:%Y-%m-%dT%H:%M:%SZ}\n{'0' * 64}  outrider_99.0.0_{PROCESSOR}.deb\n"
    )


def another_file(releases: Releases) -> None:
    releases.publish("99.0.0").write_bytes(b"another")


def nothing_there(releases: Releases) -> None:
    assert list(releases.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("arrange", "code"),
    [
        (another_key, "update_unsigned"),
        (another_list, "update_unsigned"),
        (another_file, "update_damaged"),
        (nothing_there, "update_unreachable"),
    ],
)
def test_what_is_not_signed_or_not_what_was_signed_is_not_believed(
    outrider: Outrider, releases: Releases, arrange: Callable[[Releases], None], code: str
) -> None:
    arrange(releases)
    assert outrider("update", "--json").code == code
    assert kept_files(outrider) == []


def test_where_a_version_cannot_be_tried_it_is_not_handed_over(tmp_path: Path) -> None:
    """Windows's installer gives out nothing that it does not install; and no package that is none."""
    for name in ("outrider-9.0-setup.exe", "outrider_9.0_amd64.deb"):
        (tmp_path / name).write_bytes(b"not a package")
        with pytest.raises(OutriderError, match="update_not_tried"), update_trial.unpacked(tmp_path / name, tmp_path):
            pass
        shutil.rmtree(tmp_path / "app")


@pytest.mark.parametrize(
    "failure",
    [FileNotFoundError(), subprocess.CalledProcessError(1, "hdiutil"), subprocess.TimeoutExpired("hdiutil", 1)],
)
def test_a_disk_image_that_stays_shown_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, failure: Exception
) -> None:
    def fails(*_: object, **__: object) -> NoReturn:
        raise failure

    monkeypatch.setattr(subprocess, "run", fails)
    update_trial.detach_image(tmp_path)


@pytest.mark.parametrize(
    ("system", "processor", "update"),
    [
        ("linux", "x86_64", Update("1.10.0", "outrider_1.10.0_amd64.deb", "b" * 64)),
        ("linux", "aarch64", None),
        ("win32", "amd64", Update("1.2.0", "outrider-1.2.0-setup.exe", "c" * 64)),
        ("darwin", "arm64", Update("1.3.0", "Outrider-1.3.0.dmg", "d" * 64)),
    ],
)
def test_of_a_list_the_newest_file_for_this_system_counts(system: str, processor: str, update: Update | None) -> None:
    rows = {
        "outrider_1.9.0_amd64.deb": "a",
        "outrider_1.10.0_amd64.deb": "b",
        "outrider-1.2.0-setup.exe": "c",
        "Outrider-1.3.0.dmg": "d",
        "../outrider_9.0.0_amd64.deb": "e",
        "outrider-node_9.0.0_amd64.deb": "f",
    }
    checksums = "".join(f"{digit * 64}  {name}\n" for name, digit in rows.items())
    assert newest(checksums, system, processor) == update


@pytest.mark.parametrize(
    "address",
    [
        f"http://releases.example/#{KEY}",
        f"https://me@releases.example/#{KEY}",
        f"https://releases.example/?a#{KEY}",
        "https://releases.example/",
        "https://releases.example/#short",
    ],
)
def test_an_address_without_encryption_or_key_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"KEY|key"):
        read_source(address)
    assert read_source(f"https://releases.example/app#{KEY}") == ("https://releases.example/app/", PUBLIC)
