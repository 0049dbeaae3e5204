"""Which Node drives the browser."""

import os
import tempfile
from pathlib import Path

import pytest

from backend.adapters.browser.node import VARIABLE, find_node, node_version, prepare_environment
from backend.domain.values.errors import OutriderError

pytestmark = pytest.mark.posix  # the stand-ins are shell scripts


def node(path: Path, version: str) -> Path:
    """A program that says it is this version of Node."""
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\necho v{version}\n")
    path.chmod(0o755)
    return path


def test_the_first_that_is_new_enough_is_taken_in_order(tmp_path: Path) -> None:
    own, packaged, system = (tmp_path / name / "node" for name in ("own", "packaged", "system"))
    old, new = node(tmp_path / "old/node", "18.20.4"), node(tmp_path / "new/node", "22.1.0")
    environ = {"PATH": os.pathsep.join(str(path.parent) for path in (tmp_path / "nothing", old, new))}

    def found(path: dict[str, str]) -> Path | None:
        return find_node(path, own, (packaged, system))

    with pytest.raises(OutriderError) as missing:
        found({"PATH": str(old.parent)})
    assert missing.value.code == "node_missing"
    assert found({"PATH": ""} | {VARIABLE: "/my/node"}) == Path("/my/node"), "the user's own choice is not judged"
    node(system, "20.0.0")
    assert found({"PATH": str(old.parent)}) == system
    assert found(environ) == new
    node(packaged, "24.0.0")
    assert found(environ) == packaged
    node(own, "1.0.0")
    assert found(environ) is None, "Playwright's own fits it"
    assert found({**environ, VARIABLE: "/my/node"}) == Path("/my/node")


def test_nothing_of_the_users_environment_keeps_the_driver_from_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)  # asked anew
    monkeypatch.setenv(VARIABLE, "/my/node")
    monkeypatch.setenv("NODE_OPTIONS", "--require /nowhere.js")
    monkeypatch.setenv("TMPDIR", "/nowhere")
    prepare_environment()
    assert "NODE_OPTIONS" not in os.environ
    assert Path(os.environ["TMPDIR"]).is_dir()


def test_what_does_not_run_has_no_version(tmp_path: Path) -> None:
    assert node_version(node(tmp_path / "good/node", "20.11.1")) == "20.11.1"
    broken = node(tmp_path / "broken/node", "")
    broken.write_text("#!/bin/sh\nexit 1\n")
    assert node_version(broken) == node_version(tmp_path / "none") == ""
    assert find_node({}) is None, "in a checkout Playwright brings one"
