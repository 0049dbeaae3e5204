"""The voice: read, checked while it is typed, and changed by its own command only."""

from pydantic import Field

from backend.api.server import cursor
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import After, Page
from backend.domain.events.events import WORKSPACE
from backend.domain.turn.proposal_check import text_length
from backend.domain.turn.soul import DEFAULT, MAX_CHARACTERS, SHIPPED, Soul, problems
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Shape
from backend.store.database import DatabaseConnection
from backend.store.queries.turn import soul as soul_queries
from backend.store.queries.turn.soul import SoulLine

A_PAGE = 20

_FIRST = 1 << 53

routes = Routes("soul", "/soul")

MOST_TYPED = 40_000
"""Characters that a request may hold; what is far too long is still told by how much."""


class SoulView(Shape):
    """The soul that holds now; version 0 comes with Outrider. `limit` in characters."""

    version: int
    text: str
    limit: int


class CheckSoul(Shape):
    """A text as far as it is typed; nothing of it is kept."""

    text: str = Field(max_length=MOST_TYPED)


class TextProblem(Shape):
    """What keeps a text from being the soul, and where it stands: its line from 1, its place in UTF-16 units."""

    code: str
    sentence: str
    remedy: str
    line: int
    start: int
    end: int


class SoulCheck(Shape):
    """Everything that is wrong with a text, in its order."""

    problems: list[TextProblem]


class SaveSoul(Shape):
    """Make this text the version after `follows`."""

    text: str = Field(max_length=MOST_TYPED)
    follows: int = Field(ge=0)


class RestoreSoul(Shape):
    """Make the text of this version the one after `follows`."""

    version: int = Field(ge=0)
    follows: int = Field(ge=0)


class SoulSaved(Shape):
    """The version that holds now."""

    version: int


@routes.get()
def view(connection: DatabaseConnection) -> SoulView:
    """The soul that holds."""
    now = soul_queries.soul(connection)
    return SoulView(version=now.version, text=now.text, limit=MAX_CHARACTERS)


@routes.get("/versions")
def history(connection: DatabaseConnection, query: After) -> Page[SoulLine]:
    """A page of versions, the newest first; the one that comes with Outrider is the last of all."""
    before = cursor.whole(query.after)
    versions = soul_queries.soul_versions(connection, _FIRST if before is None else before, A_PAGE + 1)
    rows = versions[:A_PAGE]
    if len(versions) > A_PAGE:
        return Page(rows=rows, next=str(rows[-1].version))
    shipped = SoulLine(
        id="shipped", version=SHIPPED, who="outrider", restores=None, created_at=None, characters=len(DEFAULT)
    )
    return Page(rows=[*rows, shipped], next=None)


@routes.get("/versions/<int(max=999999999):version>")
def version(connection: DatabaseConnection, version: int) -> Soul:
    """The text of one version; raises `soul_version_unknown`."""
    soul = soul_queries.soul_version(connection, version)
    if soul is None:
        raise OutriderError("soul_version_unknown", version=version)
    return soul


@routes.post("/check")
def check(body: CheckSoul) -> SoulCheck:
    """Everything that keeps this text from being the soul."""
    text = body.text
    return SoulCheck(
        problems=[
            TextProblem.showing(
                problem.error,
                line=text.count("\n", 0, problem.start) + 1,
                start=text_length(text[: problem.start]),
                end=text_length(text[: problem.end]),
            )
            for problem in problems(text)
        ]
    )


@routes.post()
def save(services: Services, body: SaveSoul) -> SoulSaved:
    """Make this text the next version."""
    return SoulSaved(version=services.commands(WORKSPACE).soul.save(body.text, follows=body.follows))


@routes.post("/restore")
def restore(services: Services, body: RestoreSoul) -> SoulSaved:
    """Make an earlier text the next version."""
    return SoulSaved(version=services.commands(WORKSPACE).soul.restore(body.version, follows=body.follows))
