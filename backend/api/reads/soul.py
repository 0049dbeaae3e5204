"""The voice as the page sees it."""

import sqlite3

from backend.api.reads.cursor import whole
from backend.api.wire.soul import SoulCheck, SoulHistory, SoulLine, SoulText, SoulView, TextProblem
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE
from backend.domain.judgement import text_length
from backend.domain.soul import DEFAULT, MAX_CHARACTERS, SHIPPED, problems
from backend.store import voice

A_PAGE = 20
_FIRST = 1 << 53
_HISTORY = (
    "SELECT id, version, who, restores, created_at, length(text) FROM souls"
    " WHERE campaign_id=? AND version<? ORDER BY version DESC LIMIT ?"
)


def soul_view(connection: sqlite3.Connection) -> SoulView:
    """The soul that holds."""
    now = voice.soul(connection)
    return SoulView(version=now.version, text=now.text, limit=MAX_CHARACTERS)


def soul_text(connection: sqlite3.Connection, version: int) -> SoulText:
    """One version; raises `soul_version_unknown`."""
    found = voice.soul_version(connection, version)
    if found is None:
        raise OutriderError("soul_version_unknown", version=version)
    return SoulText(version=found.version, text=found.text)


def history(connection: sqlite3.Connection, after: str) -> SoulHistory:
    """A page of versions, the newest first; the one that comes with Outrider is the last of all."""
    before = whole(after)
    found = connection.execute(_HISTORY, (WORKSPACE, _FIRST if before is None else before, A_PAGE + 1)).fetchall()
    rows = [
        SoulLine(id=id_, version=version, who=who, restores=restores, created_at=at, characters=length)
        for id_, version, who, restores, at, length in found[:A_PAGE]
    ]
    if len(found) > A_PAGE:
        return SoulHistory(rows=rows, next=str(rows[-1].version))
    shipped = SoulLine(
        id="shipped", version=SHIPPED, who="outrider", restores=None, created_at=None, characters=len(DEFAULT)
    )
    return SoulHistory(rows=[*rows, shipped], next=None)


def soul_check(text: str) -> SoulCheck:
    """Everything that keeps this text from being the soul."""
    return SoulCheck(
        problems=[
            TextProblem(
                code=one.error.code,
                sentence=one.error.sentence,
                remedy=one.error.remedy,
                line=text.count("\n", 0, one.start) + 1,
                start=text_length(text[: one.start]),
                end=text_length(text[: one.end]),
            )
            for one in problems(text)
        ]
    )
