"""The .mcpb bundle: what a program like Claude Desktop opens to start the installed Outrider as a server of its own.

It holds no Outrider: the installed one opens the data folder, so what the program does is seen in its window at once.
"""

import json
import zipfile
from pathlib import Path

NAME = "outrider"
LAUNCHER = "server/outrider-mcp"
COMMANDS = {
    "linux": "/usr/bin/outrider",
    "darwin": "/Applications/Outrider.app/Contents/MacOS/outrider",
    "win32": "${HOME}\\AppData\\Local\\Programs\\Outrider\\outrider.exe",
}
"""Where the installers put it; `${HOME}` is for the program to fill in."""
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
                "command": COMMANDS["linux"],
                "args": ["mcp"],
                "platform_overrides": {
                    system: {"command": COMMANDS[system], "args": ["mcp"]} for system in ("darwin", "win32")
                },
            },
        },
        "tools_generated": True,
        "compatibility": {"platforms": sorted(COMMANDS)},
    }


def build_bundle(version: str, licence: str, out: Path) -> Path:
    """Write it; the same sources give the same bytes."""
    bundle = out / f"outrider-{version}.mcpb"
    launcher = '#!/bin/sh\nexec outrider mcp "$@"\n'
    out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(bundle, "w") as into:
        for name, text, mode in (
            ("manifest.json", json.dumps(manifest(version), indent=2) + "\n", 0o644),
            (LAUNCHER, launcher, 0o755),
            ("LICENSE", licence, 0o644),
        ):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.external_attr = mode << 16
            entry.create_system = 3
            into.writestr(entry, text, zipfile.ZIP_DEFLATED)
    return bundle
