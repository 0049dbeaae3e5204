"""A project's public key: from the environment, or typed unseen; never an argument, which every process here could read."""

import os
from getpass import getpass

from backend.domain.values.errors import OutriderError
from backend.terminal.output import TerminalOutput

VARIABLE = "OUTRIDER_SUPABASE_KEY"


def public_key(output: TerminalOutput) -> str:
    """Raises `project_key_missing` where there is neither."""
    if key := os.environ.get(VARIABLE, "").strip():
        return key
    if not output.interactive:
        raise OutriderError("project_key_missing")
    return getpass("The project's public key: ").strip()
