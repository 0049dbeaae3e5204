"""The .mcpb bundle opens as a zip, its manifest is what the specification asks for, and its bytes are reproducible."""

import json
import re
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from tests.packaging_.conftest import ROOT

Word = Annotated[str, Field(min_length=1)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Override(Strict):
    command: Word
    args: list[str]


class Config(Override):
    platform_overrides: dict[Literal["darwin", "win32", "linux"], Override]


class Server(Strict):
    type: Literal["node", "python", "binary"]
    entry_point: Word
    mcp_config: Config


class Author(Strict):
    name: Word


class Compatibility(Strict):
    platforms: list[Literal["darwin", "win32", "linux"]]


class Manifest(Strict):
    """The fields of revision 0.3 that we use."""

    manifest_version: Literal["0.3"]
    name: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]
    display_name: Word
    version: Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+")]
    description: Word
    author: Author
    license: Literal["MIT"]
    server: Server
    tools_generated: bool
    compatibility: Compatibility


def test_the_bundle_opens_and_its_manifest_fits(script: Callable[[str], ModuleType], tmp_path: Path) -> None:
    version, licence = script("contents").project()["version"], (ROOT / "LICENSE").read_text()
    made = script("bundle").build_bundle(version, licence, tmp_path / "one")
    again = script("bundle").build_bundle(version, licence, tmp_path / "two")
    assert made.read_bytes() == again.read_bytes()
    assert made.name == f"outrider-{version}.mcpb"
    with zipfile.ZipFile(made) as bundle:
        assert bundle.testzip() is None
        manifest = Manifest.model_validate(json.loads(bundle.read("manifest.json")))
        launcher = bundle.getinfo(manifest.server.entry_point)
        assert launcher.external_attr >> 16 & 0o111
        assert bundle.read(launcher).startswith(b"#!/bin/sh\n")
        assert bundle.read("LICENSE").decode() == licence
    assert manifest.version == version
    config = manifest.server.mcp_config
    assert (config.command, config.args) == ("/bin/sh", ["${__dirname}/server/outrider-mcp"])
    assert config.platform_overrides["win32"].args[-1] == "${__dirname}\\server\\outrider-mcp.cmd"
    assert str(ROOT) not in made.read_bytes().decode("latin-1")


@pytest.mark.posix
def test_the_launcher_starts_the_first_outrider_that_is_installed(
    script: Callable[[str], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For one user or for all: with what it is told, and with nothing between the two programs."""
    places = [str(tmp_path / "nowhere"), "$HOME/Applications/outrider", str(tmp_path / "everybody")]
    monkeypatch.setattr(script("bundle"), "PROGRAMS", {"posix": places, "windows": ("a", "b")})
    launcher = tmp_path / "launcher"
    launcher.write_text(script("bundle").launcher())
    home = tmp_path / "some home"

    def started() -> str:
        command = ["/bin/sh", str(launcher), "--data-dir", "a b"]
        environment = {"HOME": str(home)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    for place, name in ((tmp_path / "everybody", "everybody"), (home / "Applications/outrider", "user")):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"#!/bin/sh\nprintf '%s|' {name} \"$@\"\n")
        place.chmod(0o755)
        assert started() == f"{name}|mcp|--data-dir|a b|"


def test_windows_launcher_looks_where_the_installer_puts_it_for_a_user_and_for_all(
    script: Callable[[str], ModuleType],
) -> None:
    """`{autopf}` is the user's folder of programs, or with an administrator's password everybody's."""
    recipe = (ROOT / "packaging/windows/outrider.iss").read_text("utf-8")
    assert "DefaultDirName={autopf}\\Outrider\n" in recipe
    assert "PrivilegesRequiredOverridesAllowed=dialog\n" in recipe
    text = script("bundle").windows_launcher()
    assert re.findall(r'if exist "(.+?)"', text) == [
        "%LOCALAPPDATA%\\Programs\\Outrider\\outrider.exe",
        "%ProgramFiles%\\Outrider\\outrider.exe",
    ]
    assert all(line.endswith("\r") for line in text.split("\n")[:-1])
