"""Writes `docs/reference/`, or with `--check` says what of it is stale: `python -m backend.reference [--check]`."""

import sys
from collections.abc import Callable

from backend.api.generate import ROOT, write_files
from backend.reference import pages, schemas

FILES: dict[str, Callable[[], str]] = {
    "README.md": pages.index,
    **{f"{name}.md": getattr(pages, name) for name in pages.PAGES},
    "proposals.schema.json": lambda: schemas.lines(schemas.proposals()),
    "tools.schema.json": lambda: schemas.lines(schemas.tools()),
    "events.schema.json": lambda: schemas.lines(schemas.events()),
    "mcp-tools.json": lambda: schemas.lines(schemas.mcp_tools()),
}
"""What is written there; `openapi.json` is the API generator's."""

if __name__ == "__main__":
    sys.exit(write_files({f"docs/reference/{name}": text for name, text in FILES.items()}, sys.argv[1:], ROOT))
