"""TypeScript from pydantic's JSON schema: interfaces and literal unions, in the order of their names."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

Schema = dict[str, Any]
_HEAD = "// Written by `make wire` from the shapes in backend/api/wire. Do not edit."
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def declarations(models: Sequence[type[BaseModel]]) -> str:
    """One exported declaration for each model and enum; the same models give the same bytes."""
    _, schema = models_json_schema([(model, "serialization") for model in models])
    named: dict[str, Schema] = schema["$defs"]
    return "\n\n".join([_HEAD, *(_declaration(name, named[name]) for name in sorted(named))])


def _declaration(name: str, schema: Schema) -> str:
    comment = f"/** {' '.join(schema.get('description', '').split())} */\n" if schema.get("description") else ""
    if schema.get("type") != "object":
        return f"{comment}export type {name} = {type_of(schema)};"
    # Serialised shapes always carry every field; a default only saves the server from naming it.
    fields = "".join(f"\n  {key}: {type_of(field)};" for key, field in schema.get("properties", {}).items())
    if not fields:
        return f"{comment}export type {name} = Record<string, never>;"
    return f"{comment}export interface {name} {{{fields}\n}}"


def type_of(schema: Schema) -> str:
    """The TypeScript type of one schema; raises ValueError for what no shape of ours uses."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if either := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(dict.fromkeys(type_of(part) for part in either))
    kind = schema.get("type")
    if kind == "array":
        inner = type_of(schema["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if kind == "object" and "additionalProperties" in schema:
        names = schema.get("propertyNames", {})
        key = type_of(names) if "$ref" in names else "string"
        values = schema["additionalProperties"]
        value = "unknown" if values is True else type_of(values)
        return f"Record<string, {value}>" if key == "string" else f"Partial<Record<{key}, {value}>>"
    if kind in _PLAIN:
        return _PLAIN[kind]
    raise ValueError(f"no TypeScript for {schema}")
