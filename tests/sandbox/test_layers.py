"""With RestrictedPython switched off, WebAssembly and the system still keep files, network, processes and secrets away."""

import json
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from backend.adapters.sandbox.sandbox import Layers
from backend.domain.device.script import MAX_MESSAGE, MAX_OUTPUT, ScriptStatus
from backend.machine.confinement import JOB_LIMITS
from tests.sandbox.conftest import Run, runner

CANARY = "canary-6f1d2c"

# Each leaves True in `result` if it got what it wanted; whatever it raises is its failure.
GETS_OUT: tuple[tuple[str, str], ...] = (
    ("reads a file", "result = CANARY in open(PATH).read()"),
    (
        "reads a file by its descriptor",
        "import os\nresult = CANARY.encode() in os.read(os.open(PATH, os.O_RDONLY), 99)",
    ),
    ("reads a file by a trailing slash", "result = CANARY in open(PATH + '/').read()"),
    ("reads a file by dots", "result = CANARY in open('/usr/../..' + PATH).read()"),
    (
        "reads a file from the standard library",
        "result = CANARY in open('/usr/local/lib/python3.12/../../../..' + PATH).read()",
    ),
    ("reads a file through a link", "import os\nos.symlink(PATH, '/x')\nresult = CANARY in open('/x').read()"),
    ("reads a file through a hard link", "import os\nos.link(PATH, '/x')\nresult = CANARY in open('/x').read()"),
    ("reads a file by io", "import _io\nresult = CANARY in _io.open(PATH).read()"),
    (
        "reads a file as a module",
        "import importlib.util as u\ns = u.spec_from_file_location('x', PATH)\nm = u.module_from_spec(s)\ns.loader.exec_module(m)\nresult = True",
    ),
    ("lists the root", "import os\nresult = 'etc' in os.listdir('/')"),
    ("lists the folder", "import os\nresult = bool(set(os.listdir(os.path.dirname(PATH))))"),
    ("sees a file", "import os\nresult = os.path.exists(PATH)"),
    (
        "sees the machine's files",
        "import os\nresult = any(os.path.exists(p) for p in ('/etc/passwd', '/proc/self', '/dev/null', '/home', '/root'))",
    ),
    ("writes a file", "open('/tmp/outrider-escape', 'w').write('x')\nresult = True"),
    ("writes beside the canary", "open(PATH + '.x', 'w').write('x')\nresult = True"),
    ("makes a folder", "import os\nos.mkdir('/tmp/outrider-escape')\nresult = True"),
    ("removes a file", "import os\nos.remove(PATH)\nresult = True"),
    ("renames a file", "import os\nos.rename(PATH, PATH + '.gone')\nresult = True"),
    ("truncates a file", "import os\nos.truncate(PATH, 0)\nresult = True"),
    ("changes a file's times", "import os\nos.utime(PATH)\nresult = True"),
    ("makes a temporary file", "import tempfile\ntempfile.mkstemp()\nresult = True"),
    ("opens a database", "import sqlite3\nsqlite3.connect(PATH)\nresult = True"),
    ("reads /proc", "result = bool(open('/proc/self/environ', 'rb').read())"),
    ("reads the parent's memory", "result = bool(open('/proc/1/mem', 'rb').read(1))"),
    (
        "reads inherited descriptors",
        "import os\nfor n in range(3, 300):\n    try:\n        os.read(n, 1)\n        result = True\n    except OSError:\n        pass\nelse:\n    result = globals().get('result', False)",
    ),
    (
        "writes to inherited descriptors",
        "import os\nresult = False\nfor n in range(3, 300):\n    try:\n        os.write(n, b'x')\n        result = True\n    except OSError:\n        pass",
    ),
    ("changes the folder", "import os\nos.chdir(os.path.dirname(PATH))\nresult = True"),
    ("sees the environment", "import os\nresult = bool(dict(os.environ))"),
    ("sees the arguments", "import sys\nresult = any('outrider' in a for a in sys.argv)"),
    ("makes a socket", "import socket\nsocket.socket()\nresult = True"),
    ("connects", "import socket\nsocket.create_connection(('127.0.0.1', PORT), 1)\nresult = True"),
    (
        "connects by a descriptor",
        "import _socket\n_socket.socket(fileno=3).connect(('127.0.0.1', PORT))\nresult = True",
    ),
    ("accepts", "import _socket\n_socket.socket(fileno=0).accept()\nresult = True"),
    ("resolves a name", "import socket\nsocket.getaddrinfo('localhost', 80)\nresult = True"),
    (
        "fetches a page",
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:%d' % PORT, timeout=1)\nresult = True",
    ),
    ("forks", "import os\nos.fork()\nresult = True"),
    ("runs a shell", "import os\nresult = os.system('true') == 0"),
    ("runs a program", "import subprocess\nsubprocess.run(['true'])\nresult = True"),
    ("becomes a program", "import os\nos.execv('/bin/true', ['true'])\nresult = True"),
    ("spawns", "import os\nos.posix_spawn('/bin/true', ['true'], {})\nresult = True"),
    ("starts a thread", "import threading\nt = threading.Thread(target=print)\nt.start()\nresult = True"),
    ("starts a process", "import multiprocessing as m\nm.Process(target=print).start()\nresult = True"),
    ("kills its parent", "import os\nos.kill(os.getppid(), 9)\nresult = True"),
    ("raises a signal", "import signal\nsignal.raise_signal(9)\nresult = True"),
    ("maps memory", "import mmap\nmmap.mmap(-1, 9)\nresult = True"),
    ("learns who runs it", "import os\nresult = os.getuid() >= 0"),
    ("learns its host", "import socket\nresult = bool(socket.gethostname())"),
    ("makes a pipe", "import os\nos.pipe()\nresult = True"),
    ("duplicates a descriptor", "import os\nos.dup(0)\nresult = True"),
    ("sees the time", "import time\nresult = time.time() > 1_700_000_001"),
    ("has chance", "import os\nresult = os.urandom(8) != os.urandom(8) and os.urandom(4)[0] in ()"),
    ("loads a library", "import ctypes\nctypes.CDLL(None)\nresult = True"),
)
# What it says on the pipe by itself is no more than what a script may say.
FORGES: tuple[tuple[str, str], ...] = (
    ("a huge frame", "import os\nos.write(1, b'\\xff\\xff\\xff\\x7f')\nos.write(1, b'x' * 100)\nwhile True: pass"),
    ("no JSON", "import os\nos.write(1, (3).to_bytes(4, 'little') + b'abc')\nresult = 1"),
    ("a list", "import os\nos.write(1, (2).to_bytes(4, 'little') + b'[]')\nresult = 1"),
    ("deep JSON", "import os\nos.write(1, (200000).to_bytes(4, 'little') + b'[' * 200000)\nresult = 1"),
    (
        "an unknown status",
        "import os, json\nr = json.dumps({'op': 'done', 'status': 'root'}).encode()\nos.write(1, len(r).to_bytes(4, 'little') + r)\nresult = 1",
    ),
    (
        "an unknown question",
        "import os, json\nr = json.dumps({'op': 'exec', 'sql': 'x'}).encode()\nos.write(1, len(r).to_bytes(4, 'little') + r)\nresult = 1",
    ),
    (
        "odd parameters",
        "import os, json\nr = json.dumps({'op': 'query', 'sql': 1, 'params': 'x'}).encode()\nos.write(1, len(r).to_bytes(4, 'little') + r)\nresult = 1",
    ),
    (
        "a NaN",
        'import os\nr = b\'{"op": "done", "status": "ok", "result": NaN}\'\nos.write(1, len(r).to_bytes(4, \'little\') + r)\nwhile True: pass',
    ),
    (
        "half a character",
        'import os\nr = b\'{"op": "done", "status": "ok", "result": "\\\\ud800"}\'\nos.write(1, len(r).to_bytes(4, \'little\') + r)\nwhile True: pass',
    ),
    ("the end of its process", "import os\nos._exit(0)"),
    (
        "a frame of the process around it",
        "import os\nos.write(1, b'E' + (2).to_bytes(4, 'little') + b'{}')\nos.write(1, b'x' * 9000)\nwhile True: pass",
    ),
    ("a broken interpreter", "import ctypes"),
    ("an abort", "import os\nos.abort()"),
    ("a false memory", "import _testcapi"),
)


@pytest.fixture(scope="session")
def bare() -> Run:
    """The layers without RestrictedPython."""
    return runner(Layers(restricted=False))


# Each with names of its own, all in one interpreter, which takes longer to begin than any of them takes.
TOGETHER = """
def outcome(source):
    names = {"PATH": PATH, "CANARY": CANARY, "PORT": PORT}
    try:
        exec(source, names)
    except BaseException:
        return False
    return names["result"]

result = {what: outcome(source) for what, source in ATTEMPTS}
"""
BESIDE = 9
BATCHES = [GETS_OUT[first : first + BESIDE] for first in range(0, len(GETS_OUT), BESIDE)]


@pytest.mark.parametrize("attempts", BATCHES, ids=[batch[0][0] for batch in BATCHES])
def test_without_restrictedpython_nothing_gets_out(
    attempts: tuple[tuple[str, str], ...], bare: Run, tmp_path: Path
) -> None:
    canary = tmp_path / "canary.txt"
    canary.write_text(CANARY)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        constants = f"PATH = {str(canary)!r}\nCANARY = {CANARY!r}\nPORT = {server.getsockname()[1]}\n"
        ended = bare(f"{constants}ATTEMPTS = {attempts!r}\n{TOGETHER}")
        if ended.status is ScriptStatus.OK:
            assert json.loads(ended.result) == dict.fromkeys(dict(attempts), False)
        else:  # one of them ended the interpreter, and the others had no try
            for _, source in attempts:
                ended = bare(constants + source)
                assert ended.status is not ScriptStatus.OK or ended.result == "false", ended
        with pytest.raises(BlockingIOError):
            server.accept()
    assert canary.read_text() == CANARY
    assert list(tmp_path.iterdir()) == [canary]
    assert not Path("/tmp/outrider-escape").exists()


def test_what_is_got_beside_failures_is_seen(bare: Run) -> None:
    attempts = (("fails", "1 / 0"), ("gets it", "result = PATH == PORT"), ("not", "result = PATH == CANARY"))
    ended = bare(f"PATH = PORT = 1\nCANARY = 2\nATTEMPTS = {attempts!r}\n{TOGETHER}")
    assert json.loads(ended.result) == {"fails": False, "gets it": True, "not": False}


@pytest.mark.parametrize(("what", "source"), FORGES, ids=[what for what, _ in FORGES])
def test_without_restrictedpython_the_pipe_carries_no_more_than_a_script_may_say(
    what: str, source: str, bare: Run
) -> None:
    ended = bare(source)
    assert ended.status is not ScriptStatus.OK, ended
    assert ended.code
    assert ended.message


def test_a_forged_answer_is_cut_to_what_may_be_kept(bare: Run) -> None:
    forged = "{'op': 'done', 'status': 'failed', 'code': 'root\\n', 'message': 'm' * 9999, 'output': 'x' * 10 ** 6, 'line': True}"
    ended = bare(
        f"import os, json\nr = json.dumps({forged}).encode()\nos.write(1, len(r).to_bytes(4, 'little') + r)\nwhile True: pass"
    )
    assert (ended.code, ended.line, len(ended.message), len(ended.output)) == (
        "script_failed",
        None,
        MAX_MESSAGE,
        MAX_OUTPUT,
    )


def test_the_layers_that_hold_are_told(run: Run, bare: Run) -> None:
    assert {"process", "wasi", "restrictedpython"} <= set(run("result = 1").layers)
    assert "restrictedpython" not in bare("result = 1").layers
    if sys.platform == "linux":
        assert {"limits", "seccomp"} <= set(run("result = 1").layers)


ALONE = """
import socket, sys
from backend.machine import confinement
layer, path, port = sys.argv[1:]
attempts = {
    "read": lambda: open(path),
    "write": lambda: open(path, "a"),
    "connect": lambda: socket.socket().connect(("127.0.0.1", int(port))),
}
held = getattr(confinement, "_" + layer)()
for what, attempt in attempts.items():
    try:
        attempt()
    except PermissionError:
        pass
    else:
        print(what if held else "")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="two layers that only Linux has")
@pytest.mark.parametrize(("layer", "passes"), [("landlock", {"connect"}), ("seccomp", set())])
def test_the_system_keeps_files_and_network_away_by_itself(tmp_path: Path, layer: str, passes: set[str]) -> None:
    """`landlock` keeps the network away only from some version on, and not every kernel has it."""
    (tmp_path / "canary.txt").write_text(CANARY)
    with socket.create_server(("127.0.0.1", 0)) as server:
        arguments = [layer, str(tmp_path / "canary.txt"), str(server.getsockname()[1])]
        tried = subprocess.run([sys.executable, "-c", ALONE, *arguments], capture_output=True, text=True, check=True)
    assert {*tried.stdout.split()} <= passes


@pytest.mark.skipif(struct.calcsize("P") != 8, reason="the documented size is that of 64 bits")
def test_the_limits_of_a_windows_job_have_the_documented_size() -> None:
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION: Windows refuses any other size, and then the layer is not told as holding."""
    assert struct.calcsize(JOB_LIMITS) == 144
