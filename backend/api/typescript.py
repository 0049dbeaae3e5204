"""TypeScript: types from pydantic's JSON schema in the order of their names, and a function for each endpoint."""

import json
import re
from collections.abc import Sequence
from typing import Any

from flask import Response
from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from backend.api.server.endpoint import Endpoint

Schema = dict[str, Any]
_HEAD = "// Written by `make wire` from backend/api. Do not edit."
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}
_PAGE = re.compile(r"Page_(\w+)_")
_PAGE_DECLARATION = """/** A part of a list; `next` is the cursor of what follows, null at the end. */
export interface Page<Row> {
  rows: Row[];
  next: string | null;
}"""


def declarations(shapes: Sequence[Any]) -> str:
    """One exported declaration for each shape and enum; the same shapes give the same bytes."""
    mode: JsonSchemaMode = "serialization"
    _, schema = TypeAdapter.json_schemas((number, mode, TypeAdapter(shape)) for number, shape in enumerate(shapes))
    named: dict[str, Schema] = schema["$defs"]
    single = [_declaration(name, named[name]) for name in sorted(named) if not _PAGE.fullmatch(name)]
    return "\n\n".join([_HEAD, _PAGE_DECLARATION, *single])


def _declaration(name: str, schema: Schema) -> str:
    comment = f"/** {' '.join(schema.get('description', '').split())} */\n" if schema.get("description") else ""
    if schema.get("type") != "object":
        return f"{comment}export type {name} = {typescript_type(schema)};"
    # Serialised shapes always carry every field; a default only saves the server from naming it.
    fields = "".join(f"\n  {key}: {typescript_type(field)};" for key, field in schema.get("properties", {}).items())
    if not fields:
        return f"{comment}export type {name} = Record<string, never>;"
    return f"{comment}export interface {name} {{{fields}\n}}"


def typescript_type(schema: Schema) -> str:
    """The TypeScript type of one schema; raises ValueError for what no shape of ours uses."""
    if "typescript" in schema:  # a type that `make wire` writes by itself
        return str(schema["typescript"])
    if "$ref" in schema:
        return _PAGE.sub(r"Page<\1>", str(schema["$ref"]).rpartition("/")[2])
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if either := schema.get("anyOf") or schema.get("oneOf"):
        return " | ".join(dict.fromkeys(typescript_type(part) for part in either))
    kind = schema.get("type")
    if kind == "array":
        inner = typescript_type(schema["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if kind == "object" and "additionalProperties" in schema:
        names = schema.get("propertyNames", {})
        key = typescript_type(names) if "$ref" in names else "string"
        values = schema["additionalProperties"]
        value = "unknown" if values is True else typescript_type(values)
        return f"Record<string, {value}>" if key == "string" else f"Partial<Record<{key}, {value}>>"
    if kind in _PLAIN:
        return _PLAIN[kind]
    raise ValueError(f"no TypeScript for {schema}")


def call_functions(endpoints: Sequence[Endpoint]) -> str:
    """A function for each endpoint; for bytes only where they are."""
    functions: dict[str, str] = {}
    used: set[str] = set()
    for endpoint in endpoints:
        name = _camel_case(endpoint.name) + ("" if _is_called(endpoint) else "Path")
        if name not in functions:  # an export is downloaded and written at the same address
            functions[name] = _call_function(name, endpoint)
            used |= {type_ for type_ in _types(endpoint) if type_ != "void"}
    text = "\n\n".join(functions.values())
    names = sorted({type_name for type_ in used for type_name in re.findall(r"\w+", type_)})
    helpers = [helper for helper in ("at", "call", "withQuery") if re.search(rf"\b{helper}\(", text)]
    imports = [
        f'import {{ {", ".join(helpers)} }} from "./client";',
        'import type { Query } from "./client";',
        "import type {",
        *(f"  {name}," for name in names),
        '} from "./generated";',
    ]
    return "\n".join([_HEAD, *imports]) + f"\n\n{text}\n"


def _is_called(endpoint: Endpoint) -> bool:
    return endpoint.answer is not Response and not endpoint.takes_bytes and not endpoint.is_export


def _types(endpoint: Endpoint) -> list[str]:
    """What its function names: the query's type, and of a call those of its body and answer."""
    type_names = [endpoint.query.__name__] if endpoint.query else []
    if not _is_called(endpoint):
        return type_names
    return [*type_names, *([endpoint.body.__name__] if endpoint.body else []), _answer(endpoint)]


def _answer(endpoint: Endpoint) -> str:
    if endpoint.answer is None:
        return "void"
    return _PAGE.sub(r"Page<\1>", re.sub(r"\W", "_", endpoint.answer.__name__))


def _call_function(name: str, endpoint: Endpoint) -> str:
    variables = endpoint.variables()
    parameters = [f"{_camel_case(name)}: {'number' if kind == 'int' else 'string'}" for name, kind in variables.items()]
    parameters += [f"query: Query<{endpoint.query.__name__}> = {{}}"] if endpoint.query else []
    comment = f"/** {endpoint.doc} {endpoint.method} {endpoint.address()} */"
    path = _path(endpoint)
    if not _is_called(endpoint):
        expression = f"withQuery({path}, query)" if endpoint.query else path
        return f"{comment}\nexport function {name}({', '.join(parameters)}): string {{\n  return {expression};\n}}"
    # A parameter that may be left out comes last.
    parameters[len(variables) : len(variables)] = [f"body: {endpoint.body.__name__}"] if endpoint.body else []
    sent = [argument for argument, shape in (("query", endpoint.query), ("body", endpoint.body)) if shape]
    more = f", {{ {', '.join(sent)} }}" if sent else ""
    return (
        f"{comment}\nexport async function {name}({', '.join(parameters)}): Promise<{_answer(endpoint)}> {{\n"
        f'  return call("{endpoint.method}", {path}{more});\n}}'
    )


def _path(endpoint: Endpoint) -> str:
    """The address below "/api" as a TypeScript expression."""
    address = endpoint.address().removeprefix("/api")
    kinds = endpoint.variables()
    if not kinds:
        return f'"{address}"'

    def written(match: re.Match[str]) -> str:
        name = _camel_case(match[1])
        if kinds[match[1]] == "path":
            return f'${{{name}.split("/").map(at).join("/")}}'
        return f"${{{name}}}" if kinds[match[1]] == "int" else f"${{at({name})}}"

    return "`" + re.sub(r"\{(\w+)\}", written, address) + "`"


def _camel_case(name: str) -> str:
    first, *rest = re.split(r"[._]", name)
    return first + "".join(word.capitalize() for word in rest)
