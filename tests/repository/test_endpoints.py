"""An endpoint is one function: a made-up one is answered, typed, callable and documented without another line."""

import ast
import re
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from pydantic import Field

from backend.api import generate
from backend.api.app import NOUNS
from backend.api.openapi import document
from backend.api.server.endpoint import Routes
from backend.api.server.request_data import json_response
from backend.api.server.services import Services
from backend.api.shapes import Page, PageQuery
from backend.api.typescript import call_functions
from backend.domain.events.events import WORKSPACE
from backend.domain.model.campaign import CampaignStatus
from backend.domain.model.task import TaskStatus
from backend.domain.values.shapes import Shape
from backend.store.database import DatabaseConnection
from tests.api.app import running

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "frontend" / "src"

# --- what a contributor would write into `backend/api/birds.py` ---

birds = Routes("birds", "/birds")


class Bird(Shape):
    """A bird that was seen."""

    name: str
    seen: int


class RingBird(Shape):
    """Put a ring on a bird."""

    ring: int = Field(ge=1)


class BirdsQuery(PageQuery):
    """Birds of one name, or all."""

    name: str = ""


@birds.get()
def list_(connection: DatabaseConnection, query: BirdsQuery) -> Page[Bird]:
    """Birds that were seen."""
    (number,) = connection.execute("SELECT 1").fetchone()
    return Page(rows=[Bird(name=query.name or "any", seen=number)][: query.limit], next=None)


@birds.post("/<bird_id>/rings", status=201)
def ring(services: Services, bird_id: str, body: RingBird) -> Bird:
    """Put a ring on a bird."""
    return Bird(name=f"{bird_id} of {services.authority()}", seen=body.ring)


@birds.post("/<int(max=99):bird>/release")
def release(bird: int) -> None:
    """Let a bird go."""


def test_a_made_up_endpoint_is_answered_once_it_is_declared(tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.mkdir()
    (page / "index.html").write_text("<html></html>")
    with running(tmp_path / "data", page) as app:
        assert isinstance(app.server.app, Flask)
        for endpoint in birds.endpoints:
            endpoint.register(app.server.app, app.launch.services)
        assert app.ask("/api/birds?name=wren").json == {"rows": [{"name": "wren", "seen": 1}], "next": None}
        assert app.ask("/api/birds?limit=0").code == app.ask("/api/birds?colour=red").code == "bad_request"
        made = app.ask("/api/birds/b1/rings", {"ring": 7})
        assert (made.status, made.json["seen"]) == (201, 7)
        assert app.ask("/api/birds/b1/rings", {"ring": 0}).code == "bad_request"
        assert app.ask("/api/birds/b1/rings", {"ring": 7, "more": 1}).code == "bad_request"
        assert app.ask("/api/birds/1/release", {}).status == 204
        assert app.ask("/api/birds/1/release", {"x": 1}).code == "bad_request"
        assert app.ask("/api/birds/1/release", b"").code == "bad_request"
        assert app.ask("/api/birds/100/release", {}).code == "page_unknown"
        assert app.ask("/api/birds", {}).code == "method_refused"
        assert app.ask("/api/birds", X_Outrider_Token=None).code == "token_refused"


def test_a_declaration_that_no_request_could_fill_is_refused() -> None:
    def unknown(colour: str) -> None: ...

    def effect(connection: DatabaseConnection) -> None: ...

    def question(body: RingBird) -> None: ...

    def silent():  # type: ignore[no-untyped-def]
        ...

    for declare, handler in (
        (birds.get("/x"), unknown), (birds.post("/x"), effect), (birds.get("/x"), question), (birds.get("/x"), silent),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=handler.__name__):
            declare(handler)


def test_a_command_is_an_endpoint_by_its_name_alone() -> None:
    leads = Routes("leads", "/campaigns/<campaign_id>/leads")
    leads.command("/<lead_id>/note", "leads.note")
    (endpoint,) = leads.endpoints
    assert (endpoint.name, endpoint.method, endpoint.answer) == ("leads.note", "POST", None)
    assert "notes" in endpoint.doc
    endpoints = generate.table([leads])
    assert "export interface LeadsNote {\n  text: string;\n}" in generate.types(endpoints)
    calls = call_functions(endpoints)
    assert "leadsNote(campaignId: string, leadId: string, body: LeadsNote): Promise<void>" in calls
    with pytest.raises(AttributeError, match="no_such"):
        leads.command("/x", "leads.no_such")
    with pytest.raises(TypeError, match="bird_id"):
        leads.command("/<bird_id>/note", "leads.note")


def test_a_command_is_given_at_its_campaign_s_time_with_all_that_was_sent() -> None:
    routes, heard = Routes("any"), list[tuple[str, dict[str, str]]]()
    routes.command("/campaigns/<campaign_id>/leads/<lead_id>/note", "leads.note")
    routes.command("/do-not-contact/remove", "workspace.remove_do_not_contact")
    note, remove = routes.endpoints

    def commands(stream: str) -> Any:
        def hear(**arguments: str) -> None:
            heard.append((stream, arguments))

        return SimpleNamespace(leads=SimpleNamespace(note=hear), workspace=SimpleNamespace(remove_do_not_contact=hear))

    services = SimpleNamespace(commands=commands)
    assert note.body is not None
    assert remove.body is not None
    note.handler(services, note.body.model_validate({"text": "Met at a fair"}), campaign_id="c1", lead_id="l1")
    (name,) = remove.body.model_fields
    remove.handler(services, remove.body.model_validate({name: "d1"}))
    assert heard == [
        ("c1", {"campaign_id": "c1", "lead_id": "l1", "text": "Met at a fair"}),
        (WORKSPACE, {name: "d1"}),
    ]


def test_what_json_has_no_word_for_is_null() -> None:
    """Text that somebody put into a log may say NaN; no page could read an answer that holds it."""
    with Flask("birds").app_context():
        assert json_response(Page(rows=[{"weight": float("nan")}], next=None)).json == {
            "rows": [{"weight": None}],
            "next": None,
        }


def test_no_request_can_say_what_a_campaigns_or_a_tasks_status_is() -> None:
    """Spec 001 FR-060: a page asks for a start, a stop, a decision; which status follows is the controller's."""
    schemas = {
        endpoint.name: endpoint.body.model_json_schema()
        for noun in NOUNS
        for endpoint in noun.endpoints
        if endpoint.body is not None
    }
    assert len(schemas) > 30
    assert [name for name, schema in schemas.items() if "status" in schema.get("properties", {})] == []
    statuses = [[*status] for status in (CampaignStatus, TaskStatus)]
    defined = [
        (name, part.get("enum")) for name, schema in schemas.items() for part in schema.get("$defs", {}).values()
    ]
    assert [name for name, choices in defined if choices in statuses] == []


def test_its_types_its_calls_and_its_document_are_generated() -> None:
    endpoints = generate.table([birds])
    types, calls = generate.types(endpoints), call_functions(endpoints)
    assert "export interface Bird {\n  name: string;\n  seen: number;\n}" in types
    assert "birdsList(query: Query<BirdsQuery> = {}): Promise<Page<Bird>>" in calls
    assert 'call("GET", "/birds", { query })' in calls
    assert "birdsRing(birdId: string, body: RingBird): Promise<Bird>" in calls
    assert 'call("POST", `/birds/${at(birdId)}/rings`, { body })' in calls
    assert "birdsRelease(bird: number): Promise<void>" in calls
    described = document(endpoints)
    assert described["paths"]["/api/birds/{bird_id}/rings"]["post"]["operationId"] == "birds.ring"
    assert described["components"]["schemas"]["RingBird"]["properties"]["ring"]["minimum"] == 1


def test_the_page_asks_by_generated_calls_only() -> None:
    with_method = r"call(?:<[^>]*>)?\(\s*[\"'](?:GET|POST|DELETE)[\"'],\s*"
    by_hand = re.compile(rf"\b(?:{with_method}|call(?:For|With)\w+(?:<[^>]*>)?\(\s*)[\"'`]")
    sources = [
        path
        for path in PAGE.rglob("*")
        if path.suffix in (".ts", ".svelte") and path.name != "calls.ts" and ".test." not in path.name
    ]
    assert [path.name for path in sources if by_hand.search(path.read_text("utf-8"))] == []


NOT_ITS_TWIN = {
    "ArtifactResults": "the store's own page, whose cursor is a number",
    "LoggedChange": "its changes are text and not yet read",
}
"""Types with the fields of a shape, but other types in them."""


def test_no_shape_is_another_type_field_for_field() -> None:
    classes_by_fields: dict[frozenset[str], list[ast.ClassDef]] = defaultdict(list)
    for path in sorted((ROOT / "backend").rglob("*.py")):
        classes = (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ClassDef))
        for node in classes if "practice" not in path.parts else ():
            if node.name not in NOT_ITS_TWIN and len(_fields(node)) > 1:
                classes_by_fields[_fields(node)].append(node)
    twins = [nodes for nodes in classes_by_fields.values() if len(nodes) > 1 and any(_is_shape(node) for node in nodes)]
    assert [[node.name for node in nodes] for nodes in twins] == []


def _is_shape(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).startswith(("Shape", "Page")) for base in node.bases)


def _fields(node: ast.ClassDef) -> frozenset[str]:
    return frozenset(
        line.target.id for line in node.body if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    )
