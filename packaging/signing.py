"""Signatures on what is given away, where an environment variable names a certificate; elsewhere it is said that there is none.

The certificates are the distributor's and lie in the system's own store, or in a file that its program reads; no secret is read
here. Never tried with a real one.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

TIME_SERVER = "http://timestamp.digicert.com"
SIGN = "sign"
NOTARISE = "notarise"
UPDATE = "update"
"""The list of checksums, as `outrider update` wants it signed: by Ed25519, beside it as `….sig`."""

DONE = {SIGN: "signed", NOTARISE: "notarised", UPDATE: "signed for updates"}

# (system, act): the variable, and what is run with its value and the file.
_Commands = Callable[[str, str], list[list[str]]]
ACTS: dict[tuple[str, str], tuple[str, _Commands]] = {
    ("linux", SIGN): (
        "GPG_KEY",
        lambda key, file: [["gpg", "--batch", "--yes", "--local-user", key, "--armor", "--detach-sign", file]],
    ),
    **{
        (system, UPDATE): (
            "UPDATE_KEY",
            lambda key, file: [
                ["openssl", "pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", file, "-out", f"{file}.sig"]
            ],
        )
        for system in ("linux", "win32", "darwin")
    },
    ("win32", SIGN): (
        "SIGNTOOL_CERTIFICATE",
        lambda digest, file: [
            ["signtool", "sign", "/sha1", digest, "/fd", "SHA256", "/tr", TIME_SERVER, "/td", "SHA256", file]
        ],
    ),
    ("darwin", SIGN): (
        "CODESIGN_IDENTITY",
        lambda identity, file: [
            ["codesign", "--force", "--deep", "--options", "runtime", "--timestamp", "--sign", identity, file]
        ],
    ),
    ("darwin", NOTARISE): (
        "NOTARY_PROFILE",
        lambda profile, file: [
            ["xcrun", "notarytool", "submit", file, "--keychain-profile", profile, "--wait"],
            ["xcrun", "stapler", "staple", file],
        ],
    ),
}


def run_program(command: Sequence[str]) -> None:
    """Run it; CalledProcessError ends the build."""
    subprocess.run(command, check=True)  # noqa: S603 - of the table


def sign(
    file: Path,
    act: str = SIGN,
    *,
    system: str = sys.platform,
    environ: Mapping[str, str] = os.environ,
    run: Callable[[Sequence[str]], None] = run_program,
) -> str:
    """Sign or notarise a file if this machine has what that needs; one line on what became of it."""
    variable, commands = ACTS[system, act]
    if not (value := environ.get(variable)):
        return f"not {DONE[act]}: {file.name} ({variable} is not set)"
    for command in commands(value, str(file)):
        run(command)
    return f"{DONE[act]}: {file.name}"
