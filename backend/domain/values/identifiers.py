"""What an id looks like. Some become names of files, so one is checked wherever it comes in: pull, API, both schemas."""

import re

ID = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
"""Of a campaign, and of the stream that its log is."""

ENTITY_ID = r"[A-Za-z0-9][A-Za-z0-9_:.@-]{0,127}"
"""Of anything else that an event is about: also names of keys and settings, which have their kind before a colon."""

_ID, _ENTITY_ID = re.compile(ID), re.compile(ENTITY_ID)


def is_id(text: str) -> bool:
    """Whether this may be a campaign's id."""
    return _ID.fullmatch(text) is not None


def is_entity_id(text: str) -> bool:
    """Whether this may be the id of what an event is about."""
    return _ENTITY_ID.fullmatch(text) is not None
