"""Signatures are made where a certificate is named, and otherwise it is said that there is none."""

from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import pytest

Script = Callable[[str], ModuleType]
CASES = [
    ("linux", "sign", "GPG_KEY", ["gpg"]),
    ("win32", "sign", "SIGNTOOL_CERTIFICATE", ["signtool"]),
    ("darwin", "sign", "CODESIGN_IDENTITY", ["codesign"]),
    ("linux", "update", "UPDATE_KEY", ["openssl"]),
    ("win32", "update", "UPDATE_KEY", ["openssl"]),
    ("darwin", "notarise", "NOTARY_PROFILE", ["xcrun", "xcrun"]),
]


@pytest.mark.parametrize(("system", "act", "variable", "programs"), CASES)
def test_without_a_certificate_nothing_is_run_and_that_is_said(
    script: Script, system: str, act: str, variable: str, programs: list[str]
) -> None:
    commands: list[Sequence[str]] = []
    line = script("signing").sign(Path("Outrider.dmg"), act, system=system, environ={}, run=commands.append)
    assert commands == []
    assert line.startswith("not ")
    assert f"Outrider.dmg ({variable} is not set)" in line


@pytest.mark.parametrize(("system", "act", "variable", "programs"), CASES)
def test_with_one_the_systems_own_program_signs(
    script: Script, system: str, act: str, variable: str, programs: list[str]
) -> None:
    commands: list[Sequence[str]] = []
    surroundings = {variable: "the certificate"}
    line = script("signing").sign(Path("Outrider.dmg"), act, system=system, environ=surroundings, run=commands.append)
    assert [command[0] for command in commands] == programs
    assert "the certificate" in commands[0]
    assert all("Outrider.dmg" in command for command in commands)
    assert not line.startswith("not ")


def test_each_systems_result_is_signed_before_its_checksum_is_taken(script: Script) -> None:
    source = (Path(str(script("package").__file__))).read_text("utf-8")
    assert source.index("sign(installer)") < source.index("describe(made")
    assert {system for system, _ in script("signing").ACTS} == set(script("package").INSTALLERS)
