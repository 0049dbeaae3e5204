"""Writes what is generated from the code: `python -m backend.reference [--source | --check]`.

The page's types and calls, and the schemas, are not in git: set-up writes them (`--source`). The pages of `docs/reference/`
are; `--check` says which of them are stale.
"""

import json
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from backend.api import generate
from backend.api.openapi import document
from backend.reference import pages, schemas

ROOT = Path(__file__).parents[2]
REFERENCE = "docs/reference"
ENDPOINTS = generate.table()
PAGES: dict[str, Callable[[], str]] = {
    f"{REFERENCE}/README.md": pages.index,
    **{f"{REFERENCE}/{name}.md": getattr(pages, name) for name in pages.PAGES},
}
"""What documents link to, by its place in the checkout."""
SOURCE: dict[str, Callable[[], str]] = {
    **{name: partial(text, ENDPOINTS) for name, text in generate.FILES.items()},
    f"{REFERENCE}/openapi.json": lambda: _as_json(document(ENDPOINTS)),
    f"{REFERENCE}/proposals.schema.json": lambda: _as_json(schemas.proposals()),
    f"{REFERENCE}/tools.schema.json": lambda: _as_json(schemas.tools()),
    f"{REFERENCE}/events.schema.json": lambda: _as_json(schemas.events()),
    f"{REFERENCE}/mcp-tools.json": lambda: _as_json(schemas.mcp_tools()),
}
"""What is not in git, by its place in the checkout."""


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Write the files; 1 if `--check` finds a stale page, 2 on wrong usage."""
    if arguments == ["--check"]:
        return report_stale(PAGES, root)
    if arguments not in ([], ["--source"]):
        sys.stderr.write("Give nothing, --source or --check.\n")
        return 2
    write_files(SOURCE if arguments else PAGES | SOURCE, root)
    return 0


def write_files(files: Mapping[str, Callable[[], str]], root: Path) -> None:
    """Write what differs, so that nothing is built again for nothing."""
    for name, text in files.items():
        file, content = root / name, text()
        if not _holds(file, content):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8", newline="\n")


def report_stale(files: Mapping[str, Callable[[], str]], root: Path) -> int:
    """Name the files that are not what the code says; 1 if there are any."""
    stale = [name for name, text in files.items() if not _holds(root / name, text())]
    for name in stale:
        sys.stderr.write(f"{name} is stale; write it again with `make wire`\n")
    return int(bool(stale))


def _as_json(schema: object) -> str:
    return json.dumps(schema, ensure_ascii=False, indent=1) + "\n"


def _holds(file: Path, content: str) -> bool:
    return file.exists() and file.read_text(encoding="utf-8") == content


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
