"""Only these files may use a library that can reach other machines; each goes through `backend.adapters.egress_guard`."""

import ast
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

REACHING = {
    "aiohttp", "anthropic", "ftplib", "gotrue", "grpc", "http.client", "httpcore", "httpcore2", "httpx", "httpx2", "imaplib",
    "openai", "paramiko", "poplib", "postgrest", "psycopg", "pycurl", "realtime", "requests", "simple_websocket", "smtplib",
    "socket", "socketserver", "ssl", "storage3", "supabase", "supabase_auth", "telnetlib", "urllib.request", "urllib3",
    "websocket", "websockets", "xmlrpc", "_socket",
}  # fmt: skip

FAR = {
    "backend/adapters/egress_guard.py": "the guard itself",
    "backend/adapters/http_settings.py": "reads the system's proxies, and makes what clients are built with",
    "backend/adapters/llm/anthropic.py": "a model",
    "backend/adapters/llm/http_call.py": "a model",
    "backend/adapters/llm/model_list.py": "a model's server",
    "backend/adapters/llm/openai.py": "a model",
    "backend/adapters/supabase/*.py": "the attached project",
    "backend/adapters/updates.py": "the folder of releases that the user named",
}
NEAR = {
    "backend/adapters/display.py": "the display server of this machine, by its Unix socket",
    "backend/api/server/socket.py": "the page's socket",
    "backend/runtime/doctor.py": "whether a local port can be opened",
    "backend/practice/server.py": "serves on 127.0.0.1",
    "backend/runtime/run/rehearsal.py": "asks the practice network",
    "backend/adapters/browser/chromium.py": "the machine's name in the profile's lock",
    "backend/adapters/browser/single_post.py": "what is posted on a site; to another machine only in a call of the guard",
    "bridge/__main__.py": "the page's port",
    "bridge/connection.py": "the page's port",
    "bridge/early_page.py": "the page's port",
    "bridge/listener.py": "the page's port",
    "bridge/launch.py": "the page's port",
    "bridge/single_instance.py": "asks a running Outrider for its window",
    "bridge/termination.py": "a socket pair for signals",
    "bridge/server.py": "the page's port",
}


def reached_by(source: str) -> set[str]:
    """The reaching libraries that a module imports, in whatever way."""
    imported: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                imported |= {name.name for name in names}
            case ast.ImportFrom(module=str(module), names=names):
                imported |= {module} | {f"{module}.{name.name}" for name in names}
            case ast.Call(func=ast.Name(id="__import__") | ast.Attribute(attr="import_module"), args=[ast.Constant(value=str(name))]):  # fmt: skip # noqa: E501
                imported.add(name)
    return {
        package for package in REACHING if any(name == package or name.startswith(f"{package}.") for name in imported)
    }


def sources() -> list[Path]:
    return sorted(path for folder in ("backend", "bridge") for path in (ROOT / folder).rglob("*.py"))


def test_only_who_is_named_here_may_reach_other_machines() -> None:
    names = {path.relative_to(ROOT).as_posix(): path for path in sources()}
    others = {name: path for name, path in names.items() if not any(fnmatch(name, pattern) for pattern in FAR | NEAR)}
    assert len(others) > 100
    reached_by_name = {name: reached_by(path.read_text(encoding="utf-8")) for name, path in others.items()}
    assert {name: reached for name, reached in reached_by_name.items() if reached} == {}


@pytest.mark.parametrize("pattern", [pattern for pattern in FAR | NEAR if pattern != "backend/adapters/supabase/*.py"])
def test_who_is_named_needs_to_be(pattern: str) -> None:
    assert any(reached_by(path.read_text(encoding="utf-8")) for path in ROOT.glob(pattern))


@pytest.mark.parametrize(
    "source",
    ["import socket", "from urllib import request", "import urllib.request as u", "from http import client",
     "def f():\n    from httpx import get", "import_module('requests')", "importlib.import_module('httpx')",
     "__import__('socket')", "from supabase import create_client"],
)  # fmt: skip
def test_an_import_is_found(source: str) -> None:
    if source.startswith("import_module"):
        source = f"importlib.{source}"
    assert reached_by(source)


@pytest.mark.parametrize(
    "source", ["from urllib.parse import quote", "from backend.api import socket", "import sockets"]
)
def test_what_only_sounds_like_one_is_none(source: str) -> None:
    assert reached_by(source) == set()
