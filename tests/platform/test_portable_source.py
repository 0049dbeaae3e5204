"""None of our source says what another system does otherwise, and each way to say it is noticed."""

import ast
from pathlib import Path

import pytest

from tests.platform.portable_source import RULES, broken_rules

ROOT = Path(__file__).resolve().parents[2]
BROKEN = [
    ("os.kill(pid, 0)", "os.kill(self._pid, 0)"),
    ("a session of its own", "subprocess.Popen(command, start_new_session=True)"),
    ("a session of its own", "options = {'start_new_session': True}"),
    ("a session of its own", "subprocess.Popen(command, process_group=0)"),
    ("fsync of what is open for reading", "with path.open('rb') as file:\n    os.fsync(file.fileno())"),
    ("fsync of what is open for reading", "with open(path, mode='rb') as file:\n    os.fsync(file.fileno())"),
    ("fsync of what is open for reading", "def sync(path):\n    one = os.open(path, os.O_RDONLY)\n    os.fsync(one)"),
    ("UTF-16 with a mark", "memory = text.encode('utf-16')"),
    ("UTF-16 with a mark", "memory = bytes(text, encoding='UTF16')"),
    ("RLIMIT_AS", "resource.setrlimit(resource.RLIMIT_AS, (most, most))"),
    ("RLIMIT_AS", "limits = {'RLIMIT_AS': most}"),
    ("a clock of its own", "self._last = time.monotonic()"),
    ("a clock of its own", "from time import perf_counter"),
    ("links followed by pathlib", "self._folder = folder.resolve()"),
    ("links followed by pathlib", "found = (folder / path).resolve(strict=True)"),
    ("moving what is open", "with beside.open('wb') as out:\n    out.write(content)\n    move_onto(beside, path)"),
    ("moving what is open", "with path.open('rb') as old:\n    durable_files.move_onto(beside, path)"),
    ("moving what is open", "with NamedTemporaryFile('wb', delete=False) as out:\n    move_onto(Path(out.name), path)"),
    ("moving what is open", "with open(path, 'rb') as old:\n    path.unlink()"),
    ("a move of its own", "path.rename(other)"),
    ("a move of its own", "os.rename(path, other)"),
    ("a move of its own", "beside.replace(path)"),
    ("a move of its own", "os.replace(beside, path)"),
    ("a move of its own", "shutil.move(beside, path)"),
    ("a program with a console of its own", "subprocess.run([node, '--version'], capture_output=True)"),
    ("a program with a console of its own", "subprocess.Popen(command, env=bare, close_fds=True)"),
    ("a path put together as text", "Path(f'{data_dir}/outrider.db')"),
    ("a path put together as text", "str(self._folder) + '/outrider.db'"),
    ("a path put together as text", "address = f'file://{self.path}'"),
    ("a path put together as text", "name = str(path).rpartition('/')[2]"),
    ("text without a named encoding", "open(path, 'w', newline='')"),
    ("text without a named encoding", "with source.open(newline='') as rows:\n    read(rows)"),
    ("text without a named encoding", "gzip.open(path, 'rt')"),
    ("text without a named encoding", "logging.FileHandler(path)"),
    ("text without a named encoding", "io.TextIOWrapper(stream)"),
    ("text without a named encoding", "open(path)"),
    ("text without a named encoding", "(folder / 'kept').read_text()"),
    ("text without a named encoding", "path.write_text(kept, newline='')"),
    ("text without a named encoding", "(folder / 'kept').open('w', newline='')"),
    ("text without a named encoding", "tempfile.NamedTemporaryFile('w', delete=False)"),
    ("a list of devices of its own", "is_taken = name.lower() in ('con', 'nul', 'prn')"),
    ("a list of devices of its own", "DEVICES = re.compile('(con|prn|aux|nul)([.].*)?')"),
    ("a session of its own", "subprocess.Popen(command, pass_fds=(3,))"),
    ("text without a named encoding", "subprocess.run(command, text=True, **own_group())"),
    ("text without a named encoding", "subprocess.run(command, universal_newlines=True, **own_group())"),
    ("a date in one system's format", "day.strftime('%-d %B')"),
    ("a date in one system's format", "line = f'{day:%e. %B}'"),
    ("a file's name that Windows refuses", "folder / f'{moment:%Y-%m-%d %H:%M}.png'"),
    ("a file's name that Windows refuses", "folder / 'what?.txt'"),
    ("a file's name that Windows refuses", "folder / 'aux.json'"),
    ("a file's name that Windows refuses", "path.with_name(f'{name}.')"),
    ("paths compared as text", "is_same = str(self.path) == chosen"),
    ("paths compared as text", "is_one = path.name in names"),
    ("paths compared as text", "is_one = path.name.lower() == name.lower()"),
    ("paths compared as text", "is_one = str(folder) in folders"),
    ("a path by the rules of POSIX", "name = PurePosixPath(chosen).name\nfrom pathlib import PurePosixPath"),
    ("a path by the rules of POSIX", "name = pathlib.PurePosixPath(chosen).name"),
    ("a path by the rules of POSIX", "import posixpath"),
    ("a variable that only POSIX sets", "Path(os.environ['HOME'])"),
    ("a variable that only POSIX sets", "os.environ.get('USER', '')"),
    ("a link", "(folder / 'latest').symlink_to(copy)"),
    ("a link", "os.link(copy, path)"),
    ("a temporary file opened by its name", "with tempfile.NamedTemporaryFile() as file:\n    read(file.name)"),
    ("waiting for pipes", "select.select([process.stdout], [], [], 1)"),
    ("waiting for pipes", "loop.add_signal_handler(signal.SIGTERM, stop)"),
    ("a copy of this process", "import multiprocessing"),
    ("a copy of this process", "from concurrent.futures import ProcessPoolExecutor"),
    ("a module that only POSIX has", "import os, resource"),
    ("a module that only POSIX has", "from fcntl import ioctl"),
    ("a place that only POSIX has", "given = Path('/dev/stdin').read_bytes()"),
    ("a place that only POSIX has", "is_busy = Path(f'/proc/{pid}/stat').exists()"),
    ("folders between colons", "environment['PATH'] = f'{folder}:{earlier}'"),
    ("folders between colons", "environment = {'PYTHONPATH': ':'.join(folders)}"),
    ("folders between colons", "folders = os.environ['PATH'].split(':')"),
    ("a Ctrl-C for another process", "process.send_signal(signal.SIGINT)"),
    ("a Ctrl-C for another process", "os.kill(pid, signal.SIGINT)"),
    (
        "a file read or written as text by Windows",
        "def read(path):\n    file = os.open(path, os.O_RDONLY)\n    return os.read(file, 100)",
    ),
    ("line ends of one system", "path.write_text(kept, encoding='utf-8')"),
    ("line ends of one system", "with path.open('w', encoding='utf-8') as out:\n    csv.writer(out)"),
    ("words by the rules of POSIX's shell", "import shlex"),
    ("rights by mode bits", "path.chmod(0o600)"),
    ("rights by mode bits", "getattr(os, 'fchmod')(file, 0o600)"),
    ("rights by mode bits", "def is_private(path):\n    return path.stat().st_mode & 0o077 == 0"),
    ("rights by mode bits", "def is_private(path):\n    mode = path.stat().st_mode\n    return not mode & 0o077"),
    ("rights by mode bits", "def is_private(status):\n    return not status[0] & stat.S_IRWXO"),
    ("rights by mode bits", "def is_ours(path):\n    return path.stat().st_uid == user"),
    ("a file's name in which letters' case counts", "folder / f'{secrets.token_urlsafe(8)}.bin'"),
    ("a file's name in which letters' case counts", "path.with_name(base64.urlsafe_b64encode(digest).decode())"),
    ("an address's path as a file's", "Path(urlsplit(address).path)"),
    ("an address's path as a file's", "Path(unquote(urllib.parse.urlparse(address).path))"),
    ("an address's path as a file's", "open(address.removeprefix('file://'), 'rb')"),
    ("a virtual environment's programs", "VENV / 'bin' / 'pip'"),
    ("a virtual environment's programs", "Path(sys.prefix, '.venv') / 'bin/python'"),
    ("a virtual environment's programs", "VENV.joinpath('bin', 'pip')"),
    ("an environment without the system's own", "subprocess.run(command, env={'PATH': folder}, **own_group())"),
    ("an environment without the system's own", "subprocess.Popen(command, env={}, **own_group())"),
    ("input as text", "question = json.loads(sys.stdin.readline())"),
    ("input as text", "from sys import stdin"),
    ("input as text", "for line in sys.stdin:\n    read(line)"),
    ("a path put together as text", "sqlite3.connect(f'file:{path}?mode=ro', uri=True)"),
    ("paths compared as text", "is_there = name in {path.name for path in folder.iterdir()}"),
    ("paths compared as text", "is_there = name in [entry.name for entry in os.scandir(folder)]"),
    ("paths compared as text", "is_there = name in os.listdir(folder)"),
    ("an end by a signal", "was_killed = process.returncode < 0"),
    ("an end by a signal", "was_killed = process.wait(5) == -signal.SIGKILL"),
    ("an end by a signal", "was_killed = returncode == -9"),
    ("a file's time that means another", "made_at = path.stat().st_ctime"),
    ("memory in one system's unit", "peak = usage.ru_maxrss * 1_024"),
    ("an address that two may share", "server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)"),
    ("a skip of Windows", "pytestmark = pytest.mark.skipif(os.name != 'posix', reason='modes')"),
    ("a skip of Windows", "@pytest.mark.skipif(sys.platform == 'win32', reason='links')\ndef test() -> None: ..."),
    ("a skip of Windows", "@pytest.mark.skipif(not hasattr(signal, 'SIGHUP'), reason='none')\ndef test() -> None: ..."),
    ("a skip of Windows", "pty = pytest.importorskip('pty')"),
]
FINE = [
    "os.kill(pid, signal.SIGTERM)",
    "subprocess.Popen(command, **own_group())",
    "with path.open('rb+') as file:\n    os.fsync(file.fileno())",
    "text.encode('utf-16-le').decode('utf-16')",
    "with beside.open('wb') as out:\n    out.write(content.replace(b'a', b'b'))\nmove_onto(beside, path)",
    "moment.replace(tzinfo=UTC)",
    "frame.rename(columns={})",
    "f'{url}/outrider'",
    "path.open('rb')",
    "path.read_text('utf-8')",
    "path.write_text(kept, encoding='utf-8', newline='\\n')",
    "is_ours = path.name == 'outrider.db'",
    "environment['PATH'] = os.pathsep.join(folders)",
    "def read(path):\n    return os.read(os.open(path, os.O_RDONLY | os.O_BINARY), 100)",
    "routes.get('/runs/<run_id>')",
    "io.TextIOWrapper(stream, 'utf-8')",
    "process.send_signal(signal.SIGTERM)",
    "webbrowser.open(address)",
    "subprocess.run(command, text=True, encoding='utf-8', **own_group())",
    "f'{share:.0%} {day:%d %b %Y, %H:%M} {count:,}'",
    "folder / f'{number:04}.png'",
    "half = total / 2",
    "folder / 'file.tar.gz'",
    "is_same = path == other",
    "os.environ.get('PATH', '')",
    "from concurrent.futures import ThreadPoolExecutor",
    "tempfile.NamedTemporaryFile(delete=False)",
    "if sys.platform != 'win32':\n    import resource",
    "pytest.mark.skipif(sys.platform != 'linux', reason='looks into /proc')",
    "folder / f'{secrets.token_hex(8)}.bin'",
    "has_ended = process.poll() is not None and process.returncode != 0",
    "profile: str = f'{kind}: {words}'",
    "names = {path.name for path in folder.iterdir()}",
    "address = f'{base}/{secrets.token_urlsafe(8)}'",
    "site = unquote(urlsplit(address).path).rstrip('/')",
    "Path(url2pathname(urlsplit(address).path))",
    "VENV / ('Scripts' if sys.platform == 'win32' else 'bin')",
    "subprocess.run(command, env={**os.environ, 'LANG': 'C'}, **own_group())",
    "for line in sys.stdin.buffer:\n    read(line)",
    "def is_file(path):\n    return stat.S_ISREG(path.stat().st_mode)",
    "def is_private(path):\n    return sys.platform == 'win32' or path.stat().st_mode & 0o077 == 0",
]


def rules_broken_by(source: str) -> set[str]:
    paths = ("backend/runtime/made_up.py", "tests/runtime/test_made_up.py")
    return {line.split(": ")[1] for path in paths for line in broken_rules(source, path)}


@pytest.mark.parametrize(("rule", "source"), BROKEN)
def test_a_broken_rule_is_noticed(rule: str, source: str) -> None:
    assert rules_broken_by(source) == {rule}


@pytest.mark.parametrize("source", FINE)
def test_what_does_the_same_everywhere_is_left_alone(source: str) -> None:
    assert rules_broken_by(source) == set()


@pytest.mark.parametrize("folder", ["backend", "bridge", "packaging", "tests"])
def test_our_source_breaks_none(folder: str) -> None:
    paths = sorted((ROOT / folder).rglob("*.py"))
    assert paths
    assert [
        line for path in paths for line in broken_rules(path.read_text("utf-8"), path.relative_to(ROOT).as_posix())
    ] == []


def test_every_rule_has_been_broken_here_and_every_exception_is_needed() -> None:
    assert {rule.name for rule in RULES} == {rule for rule, _ in BROKEN}
    for rule in RULES:
        for name in rule.may:
            assert any(rule.finds(ast.parse((ROOT / name).read_text("utf-8")))), (rule.name, name)
