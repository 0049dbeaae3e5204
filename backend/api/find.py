"""What the palette finds in all campaigns at once."""

from typing import Annotated

from pydantic import StringConstraints

from backend.api.server.endpoint import Routes
from backend.domain.values.shapes import Shape
from backend.store.database import DatabaseConnection
from backend.store.queries.leads import lead_search
from backend.store.queries.leads.lead_search import FoundPerson

routes = Routes("find", "/find")


class FindQuery(Shape):
    """The words to look for; `near` is the campaign whose people come first."""

    words: Annotated[str, StringConstraints(max_length=200)]
    near: str = ""


class FoundPeople(Shape):
    """The likeliest first; there may be more."""

    people: list[FoundPerson]


@routes.get("/people")
def people(connection: DatabaseConnection, query: FindQuery) -> FoundPeople:
    """People whose name, company, addresses, notes or tags have these words, in every campaign."""
    return FoundPeople(people=lead_search.find_anywhere(connection, query.words, query.near))
