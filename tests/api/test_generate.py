"""What is generated from the endpoint table: fresh, deterministic, and typed in all of it."""

import json
from http import HTTPStatus

import pytest
from flask import Flask
from pydantic import BaseModel

from backend.api import generate, openapi
from backend.api.server.auth import FEED
from backend.api.typescript import declarations, typescript_type
from backend.domain.values.error_table import ERRORS
from tests.api.app import App


def test_every_address_of_the_api_is_in_the_table_but_the_feed(app: App) -> None:
    flask = app.server.app
    assert isinstance(flask, Flask)
    served = {str(rule) for rule in flask.url_map.iter_rules() if str(rule).startswith("/api/")}
    assert served == {endpoint.path for endpoint in generate.table()} | {FEED}


def test_no_two_endpoints_have_one_name_or_one_address() -> None:
    table = generate.table()
    assert (
        len({(endpoint.name, endpoint.method) for endpoint in table})
        == len({(endpoint.path, endpoint.method) for endpoint in table})
        == len(table)
    )


def test_every_endpoint_says_what_it_does() -> None:
    assert [endpoint.name for endpoint in generate.table() if not endpoint.doc] == []


def test_the_openapi_document_has_every_endpoint_and_no_loose_end() -> None:
    document = openapi.document(generate.table())
    text = json.dumps(document)
    operations = [operation for methods in document["paths"].values() for operation in methods.values()]
    assert len(operations) == len(generate.table()) == len({operation["operationId"] for operation in operations})
    schemas = document["components"]["schemas"].keys()
    named = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert named <= schemas
    assert "<" not in "".join(document["paths"])


class Inner(BaseModel):
    """An inner one."""

    n: int | None


class Outer(BaseModel):
    inner: list[Inner | str]
    by_name: dict[str, float]


def test_a_shape_becomes_an_interface() -> None:
    text = declarations([Outer])
    assert "/** An inner one. */\nexport interface Inner {\n  n: number | null;\n}" in text
    assert "export interface Outer {\n  inner: (Inner | string)[];\n  by_name: Record<string, number>;\n}" in text


def test_what_has_no_type_is_an_error_and_not_any() -> None:
    with pytest.raises(ValueError, match="no TypeScript"):
        typescript_type({"type": "object"})


def test_every_code_has_a_status_that_http_knows() -> None:
    assert {row.status for row in ERRORS.values()} <= set(HTTPStatus)
