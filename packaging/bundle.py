"""The .mcpb bundle: what a program like Claude Desktop opens to start the installed Outrider as a server of its own.

It holds no Outrider: the installed one opens the data folder, so what the program does is seen in its window at once.
"""

import json
import zipfile
from pathlib import Path

NAME = "outrider"
LAUNCHER = "server/outrider-mcp"
WINDOWS_LAUNCHER = "server/outrider-mcp.cmd"
PROGRAMS = {
    "posix": (
        "/usr/bin/outrider",
        "$HOME/Applications/Outrider.app/Contents/MacOS/outrider",
        "/Applications/Outrider.app/Contents/MacOS/outrider",
    ),
    "windows": ("%LOCALAPPDATA%\\Programs\\Outrider\\outrider.exe", "%ProgramFiles%\\Outrider\\outrider.exe"),
}
"""Where the installers put it, for one user or for all; the first that is there is started."""
_TIME = (2020, 1, 1, 0, 0, 0)


def manifest(version: str) -> dict[str, object]:
    """The bundle's manifest, by revision 0.3 of its specification."""
    return {
        "manifest_version": "0.3",
        "name": NAME,
        "display_name": "Outrider",
        "version": version,
        "description": "Look up outreach campaigns and propose; every proposal waits for you in Outrider's window.",
        "author": {"name": "The Outrider authors"},
        "license": "MIT",
        "server": {
            "type": "binary",
            "entry_point": LAUNCHER,
            "mcp_config": {
                "command": "/bin/sh",
                "args": ["${__dirname}/" + LAUNCHER],
                "platform_overrides": {
                    "win32": {
                        "command": "cmd.exe",
                        "args": ["/d", "/c", "${__dirname}\\" + WINDOWS_LAUNCHER.replace("/", "\\")],
                    },
                },
            },
        },
        "tools_generated": True,
        "compatibility": {"platforms": ["darwin", "linux", "win32"]},
    }


def launcher() -> str:
    """What Linux and macOS run."""
    places = " ".join(f'"{program}"' for program in PROGRAMS["posix"])
    return (
        f'#!/bin/sh\nfor program in {places}; do\n    if [ -x "$program" ]; then exec "$program" mcp "$@"; fi\ndone\n'
        'exec outrider mcp "$@"\n'
    )


def windows_launcher() -> str:
    """What Windows runs."""
    user, everybody = PROGRAMS["windows"]
    return (
        f'@echo off\r\nif exist "{user}" ("{user}" mcp %* & exit /b)\r\n'
        f'if exist "{everybody}" ("{everybody}" mcp %* & exit /b)\r\noutrider mcp %*\r\n'
    )


def build_bundle(version: str, licence: str, out: Path) -> Path:
    """Write it; the same sources give the same bytes."""
    bundle = out / f"outrider-{version}.mcpb"
    out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(bundle, "w") as into:
        for name, text, mode in (
            ("manifest.json", json.dumps(manifest(version), indent=2) + "\n", 0o644),
            (LAUNCHER, launcher(), 0o755),
            (WINDOWS_LAUNCHER, windows_launcher(), 0o644),
            ("LICENSE", licence, 0o644),
        ):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.external_attr = mode << 16
            entry.create_system = 3
            into.writestr(entry, text)  # as it is: every system packs otherwise
    return bundle
