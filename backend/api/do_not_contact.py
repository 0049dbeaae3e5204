"""The do-not-contact list: whom no campaign may write to."""

from pydantic import Field

from backend.api.endpoint import Noun
from backend.api.services import Services
from backend.api.shapes import After, Done, Id, Page
from backend.domain.contact_keys import ContactKind, company_key, domain_key
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE
from backend.domain.shapes import Wire
from backend.store.database import DatabaseConnection
from backend.store.queries import do_not_contact
from backend.store.queries.do_not_contact import ForbiddenPerson

routes = Noun("do_not_contact", "/do-not-contact")

A_PAGE = 50


class Forbid(Wire):
    """Never contact this person (the address of a profile, or an e-mail address), or anybody of a company or a domain."""

    person: str = Field(min_length=2, max_length=500)
    kind: ContactKind = "person"
    name: str = Field(default="", max_length=120)
    reason: str = Field(default="", max_length=500)


class Allow(Wire):
    """Take this entry off the list."""

    id: Id


@routes.get()
def list_(connection: DatabaseConnection, query: After) -> Page[ForbiddenPerson]:
    """A page of the list, newest first."""
    rows = do_not_contact.forbidden_people(connection, query.after, A_PAGE + 1)
    return Page(rows=rows[:A_PAGE], next=rows[A_PAGE - 1].id if len(rows) > A_PAGE else None)


@routes.post(status=201)
def add(services: Services, body: Forbid) -> Done:
    """Put an entry on the list; raises `person_unclear`, `company_unclear` and `domain_unclear`."""
    if body.kind == "company":
        key, unclear = company_key(body.person), OutriderError("company_unclear", given=body.person.strip()[:80])
    elif body.kind == "domain":
        key, unclear = domain_key(body.person), OutriderError("domain_unclear", given=body.person.strip()[:80])
    else:
        key, unclear = services.member_key(body.person), OutriderError("person_unclear", given=body.person.strip()[:80])
    if key is None:
        raise unclear
    name = body.name.strip() or (body.person.strip()[:120] if body.kind == "company" else "")
    services.session.commands(WORKSPACE).workspace.add_do_not_contact(key, name, body.reason.strip())
    return Done(campaign_id=WORKSPACE)


@routes.post("/remove")
def remove(services: Services, body: Allow) -> Done:
    """Take a person off the list."""
    services.session.commands(WORKSPACE).workspace.remove_do_not_contact(body.id)
    return Done(campaign_id=WORKSPACE)
