"""The .mcpb bundle opens as a zip, its manifest is what the specification asks for, and its bytes are reproducible."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Annotated, Literal

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
    assert manifest.server.mcp_config.args == ["mcp"]
    assert str(ROOT) not in made.read_bytes().decode("latin-1")
