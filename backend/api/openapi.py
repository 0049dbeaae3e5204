"""The OpenAPI 3.1 document of the endpoint table: for who would write another page, or a test of this one."""

from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from backend.api.server.auth import BYTES, TOKEN_HEADER, WITHOUT_TOKEN
from backend.api.server.endpoint import Endpoint
from backend.domain.values.shapes import ErrorShape

Schema = dict[str, Any]
_REF = "#/components/schemas/{model}"


class _WithoutFieldTitles(GenerateJsonSchema):
    """A field's title would only be its name again."""

    def field_title_should_be_set(self, schema: object) -> bool:
        return False


def document(endpoints: Sequence[Endpoint]) -> Schema:
    """The same endpoints give the same document."""
    schemas = _Schemas(endpoints)
    paths: dict[str, Schema] = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.address(), {})[endpoint.method.lower()] = _operation(endpoint, schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Outrider's loopback API",
            "version": "0",
            "description": "Served on 127.0.0.1 only, to the page of this launch. It is no public interface and may change.",
        },
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.named.items())),
            "responses": {
                "refused": {
                    "description": "Why not, and what to do.",
                    "content": schemas.content(ErrorShape, "serialization"),
                }
            },
            "securitySchemes": {"token": {"type": "apiKey", "in": "header", "name": TOKEN_HEADER}},
        },
        "security": [{"token": []}],
    }


class _Schemas:
    """The schemas of all bodies and answers: `named` ones, and what to write for each shape in each direction."""

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        shapes: set[tuple[Any, JsonSchemaMode]] = {(ErrorShape, "serialization")}
        for endpoint in endpoints:
            if endpoint.body:
                shapes.add((endpoint.body, "validation"))
            if endpoint.answers_json:
                shapes.add((endpoint.answer, "serialization"))
        ordered = sorted(shapes, key=lambda shape_and_mode: (shape_and_mode[0].__name__, shape_and_mode[1]))
        inputs = [(shape, mode, TypeAdapter(shape)) for shape, mode in ordered]
        self.written, rest = TypeAdapter.json_schemas(inputs, ref_template=_REF, schema_generator=_WithoutFieldTitles)
        self.named: Schema = rest.get("$defs", {})

    def content(self, shape: Any, mode: JsonSchemaMode) -> Schema:
        """That shape as the content of a body or an answer."""
        return {"application/json": {"schema": self.written[(shape, mode)]}}


def _operation(endpoint: Endpoint, schemas: _Schemas) -> Schema:
    bytes_ = {BYTES: {"schema": {"type": "string", "format": "binary"}}}
    success: Schema = {"description": "Done."}
    if endpoint.answers_json:
        success["content"] = schemas.content(endpoint.answer, "serialization")
    elif endpoint.answer is not None:
        success["content"] = bytes_
    status = endpoint.status if endpoint.answer is not None else 204
    operation: Schema = {
        "operationId": f"{endpoint.name}.{endpoint.method.lower()}" if endpoint.is_export else endpoint.name,
        "tags": [endpoint.noun],
        "summary": endpoint.doc,
        "responses": {str(status): success, "default": {"$ref": "#/components/responses/refused"}},
    }
    if parameters := [*_variables(endpoint), *_query(endpoint, schemas.named)]:
        operation["parameters"] = parameters
    if endpoint.body or endpoint.takes_bytes:
        content = bytes_ if endpoint.takes_bytes else schemas.content(endpoint.body, "validation")
        operation["requestBody"] = {"required": True, "content": content}
    if endpoint.path in WITHOUT_TOKEN:
        operation["security"] = []
    return operation


def _variables(endpoint: Endpoint) -> list[Schema]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "integer" if kind == "int" else "string"}}
        for name, kind in endpoint.variables().items()
    ]


def _query(endpoint: Endpoint, named: Schema) -> list[Schema]:
    if endpoint.query is None:
        return []
    schema = TypeAdapter(endpoint.query).json_schema(ref_template=_REF, schema_generator=_WithoutFieldTitles)
    named.update(schema.get("$defs", {}))
    needed = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in needed, "schema": field}
        for name, field in schema["properties"].items()
    ]
