"""How Outrider looks, as it was last kept."""

import sqlite3

from pydantic import ValidationError

from backend.api.wire.preferences import Preferences
from backend.store import reading

NAME = "appearance"


def preferences(connection: sqlite3.Connection) -> Preferences:
    """The user's choice; the defaults where there is none, or one that only a later version understands."""
    kept = reading.configuration(connection, NAME)
    try:
        return Preferences.model_validate_json(kept) if kept else Preferences()
    except ValidationError:
        return Preferences()
