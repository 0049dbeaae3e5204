"""The pages of the reference, in Markdown, one a noun: each is a table of what the code's own table holds."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, cast, get_args

import typer.main
from pydantic import BaseModel
from typer.core import TyperCommand, TyperGroup

from backend.api.app import NOUNS
from backend.domain.device.agent_tools import AGENT_TOOLS
from backend.domain.events.events import FENCED, TABLES
from backend.domain.events.facts import FACTS, MODULES
from backend.domain.events.facts.fact import Fact
from backend.domain.model.campaign import Limits, Settings
from backend.domain.model.providers import LOOKED_UP, MODEL_PRICES, PRESETS
from backend.domain.model.tools import TOOLS
from backend.domain.turn.proposals import REJECTIONS, Proposal
from backend.domain.values.error_table import ERRORS
from backend.machine.settings import SETTINGS
from backend.mcp.tools import TOOLS as MCP_TOOLS
from backend.mcp.tools import definitions_digest
from backend.reference.schemas import Schema, event_columns
from backend.terminal.app import app
from backend.terminal.run_campaign import EXIT_WORDS

PAGES = {
    "api": "what the page asks of the backend, endpoint by endpoint",
    "commands": "the terminal's commands and their options",
    "errors": "every error that reaches a person: code, sentence, remedy",
    "events": "every kind of event, its columns, and the statuses it moves between",
    "mcp": "the tools of the MCP server",
    "models": "the providers of language models that a connection can begin with, and proposed prices",
    "proposals": "what a model or a script may propose, and why one is refused",
    "settings": "what can be set, from outside and for a campaign",
    "tools": "what a proposal may execute, and what a passive agent may ask for",
}
"""Each page and what it holds."""

SCHEMAS = {
    "openapi.json": "the API, as OpenAPI 3.1",
    "proposals.schema.json": "one proposal, as JSON Schema",
    "tools.schema.json": "each tool's parameters",
    "events.schema.json": "the changed columns of each kind of event",
    "mcp-tools.json": "what the MCP server lists, with its SHA-256",
}
"""Each machine-readable file and what it holds."""

_WRITTEN = "<!-- Written by `make wire`; change the code instead. -->\n"


def index() -> str:
    """The page that leads to the others."""
    pages = [(f"[{name}]({name}.md)", description) for name, description in PAGES.items()]
    files = [(f"`{name}`", description) for name, description in SCHEMAS.items()]
    return _page(
        "Reference",
        "Everything here is written from the code by `make wire`; `make check` fails while a page is stale. The files for"
        " programs are not in git: set-up writes them beside these pages.",
        _table(("page", "what it holds"), pages),
        _table(("for programs", "what it holds"), files),
    )


def api() -> str:
    """Every endpoint, by noun."""
    parts = [
        f"## {noun.endpoints[0].noun}\n\n"
        + _table(
            ("request", "what it does"),
            [(f"`{endpoint.method} {endpoint.address()}`", endpoint.doc) for endpoint in noun.endpoints],
        )
        for noun in NOUNS
        if noun.endpoints
    ]
    introduction = "Served on 127.0.0.1 only, to the page of this launch. Shapes: `openapi.json`."
    return _page("API", introduction, *parts)


def commands() -> str:
    """Every command of the terminal."""
    listed = [*_commands(cast("TyperGroup", typer.main.get_command(app)), "outrider")]
    overview = [
        (f"[`{path}`](#{path.replace(' ', '-')})", (command.help or "").strip().splitlines()[0])
        for path, command in listed
    ]
    statuses = [(str(int(status)), words) for status, words in EXIT_WORDS.items()]
    return _page(
        "Terminal commands",
        _FOR_ALL_COMMANDS,
        _table(("command", "what it does"), overview),
        "## Exit status\n\n" + _table(("status", "meaning"), statuses),
        *(_command(path, command) for path, command in listed),
    )


_FOR_ALL_COMMANDS = (
    "`outrider COMMAND --help` says the same. In a checkout type `.venv/bin/outrider`; a package puts `outrider` on the"
    " PATH.\n\nA campaign is named by its name or id, or by how either begins. Every command takes `--data-dir`. Most take"
    ' `--json`, which prints one JSON object as the last line of stdout and nothing else (an error is `{"error":'
    ' {"code", "sentence", "remedy"}}`); progress goes to stderr. Ctrl-C during a run stops it after the current action,'
    " never in the middle of one."
)


def _commands(group: TyperGroup, path: str) -> Iterable[tuple[str, TyperCommand]]:
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from _commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", cast("TyperCommand", command)


def _command(path: str, command: TyperCommand) -> str:
    rows = []
    for parameter in command.params:
        meaning = getattr(parameter, "help", None) or ""
        if parameter.param_type_name == "argument":
            shown = (parameter.metavar or (parameter.name or "").upper()).strip("[]")
            shown = shown if parameter.required else f"[{shown}]"
        else:
            shown = ", ".join(parameter.opts)
        rows.append((f"`{shown}`", meaning))
    description = "\n".join(line.strip() for line in (command.help or "").strip().splitlines())
    return f"## {path}\n\n{description}\n" + (
        "\n" + _table(("argument or option", "what it means"), rows) if rows else ""
    )


def models() -> str:
    """Every provider."""
    protocol_titles = {"openai": "OpenAI's chat completions", "anthropic": "Anthropic's messages"}
    rows = [
        (
            preset.title,
            f"`{preset.base_url}`" if preset.base_url else "your own",
            protocol_titles[preset.protocol],
            f"`{preset.key}`, from {preset.key_page}" if preset.key else "none",
        )
        for preset in PRESETS.values()
    ]
    prices = [
        (f"`{price.family}`", PRESETS[price.provider].title, f"${price.price_in:.2f}", f"${price.price_out:.2f}")
        for price in MODEL_PRICES
    ]
    introduction = (
        "A connection begins with one of these, and every field of it can be changed. Replace what is in braces."
    )
    proposed = f"Per million tokens, looked up on {LOOKED_UP}. The form proposes them; check them with the provider."
    return _page(
        "Models",
        introduction,
        _table(("provider", "address", "protocol", "key"), rows),
        f"## Prices\n\n{proposed}",
        _table(("model", "provider", "in", "out"), prices),
    )


def errors() -> str:
    """Every row of the error table."""
    rows = [(f"`{code}`", str(row.status), row.sentence, row.remedy) for code, row in ERRORS.items()]
    introduction = "A code never changes its meaning. Words in braces are filled in."
    return _page("Errors", introduction, _table(("code", "HTTP", "what happened", "what to do"), rows))


def events() -> str:
    """Every kind of event, by the noun of its file."""
    parts = []
    for module in MODULES:
        noun = module.__name__.rsplit(".", 1)[1]
        parts.append(f"## {noun.capitalize()}")
        parts += [_event(fact) for fact in FACTS.values() if fact.__module__ == module.__name__]
    introduction = (
        "An event is recorded once, in the transaction of what it says, and is never changed. Schemas:"
        " `events.schema.json`. “may be left out” keeps a column as it is."
    )
    return _page("Events", introduction, *parts)


def _event(fact: type[Fact]) -> str:
    summary = f"{fact.verb.value.capitalize()} a row of `{TABLES[fact.entity]}`."
    if fact.__name__ in FENCED:
        summary += " Only the device that holds the lease records it."
    moves = [f"`{after}` after {_either(sorted(before))}" for after, before in fact.moves.items()]
    summary += f" Status: {'; '.join(moves)}." if moves else ""
    schema = event_columns(fact)
    rows = [
        (f"`{name}`", _kind(column, schema) + ("" if fact.columns[name] else ", may be left out"))
        for name, column in schema["properties"].items()
    ]
    return f"### {fact.__name__}\n\n{_doc(fact)}\n\n{summary}\n\n" + _table(("column", "value"), rows)


def _either(statuses: Sequence[str]) -> str:
    return " or ".join(f"`{status}`" for status in statuses)


def mcp() -> str:
    """Every tool of the MCP server."""
    introduction = (
        "[Connecting a program](../mcp.md) says how. No tool approves, sends, or reads a secret. The SHA-256 of what"
        f" `tools/list` says is `{definitions_digest()}`; it changes only on purpose."
    )
    parts = []
    for tool in MCP_TOOLS.values():
        reads = "Changes nothing." if tool.read_only else "Changes something here; nothing outside."
        parts.append(f"## {tool.name}\n\n{tool.description} {reads}\n\n" + _fields(tool.arguments))
    return _page("MCP tools", introduction, *parts)


def proposals() -> str:
    """Every type of proposal, and every reason for refusing one."""
    parts = []
    for model in get_args(Proposal):
        (name,) = get_args(model.model_fields["type"].annotation)
        params = model.model_fields["params"].annotation
        subject = "" if _doc(model).startswith("The one") else "About one task, `task_id`. "
        request_rule = "Also for a request of the user." if model.for_request else "Never for a request of the user."
        is_tool = name == "execute_tool"
        table = "`params` is the call of a [tool](tools.md).\n" if is_tool else _fields(params)
        parts.append(f"## {name}\n\n" + f"{_doc(model)} {subject}{request_rule}".strip() + f"\n\n{table}")
    refusals = [(f"`{code}`", sentence) for code, sentence in REJECTIONS.items()]
    introduction = (
        "A proposal is judged by its shape, then by what is true when it is made; only then anything happens. Schema:"
        " `proposals.schema.json`."
    )
    return _page(
        "Proposals", introduction, *parts, "## Why one is refused\n\n" + _table(("code", "sentence"), refusals)
    )


def settings() -> str:
    """What can be set: environment variables, and a campaign's limits and settings."""
    outside = [(f"`{row.variable}`", row.help, row.default) for row in SETTINGS]
    return _page(
        "Settings",
        "What is set from outside is read at each start; what belongs to a campaign is changed on its screens.",
        "## Environment\n\n" + _table(("variable", "what it says", "otherwise"), outside),
        "`OUTRIDER_KEY_OPENAI` stands for the key `openai`, and `OUTRIDER_SUPABASE_KEY` for the public key that"
        " `outrider doctor --supabase` asks for. Proxies, certificates and the editor are taken from the usual variables.",
        f"## A campaign's limits\n\n{_doc(Limits)}\n\n" + _fields(Limits),
        f"## A campaign's settings\n\n{_doc(Settings)}\n\n" + _fields(Settings),
    )


def tools() -> str:
    """Every tool of proposals and of passive agents."""
    parts = ["## For proposals"]
    for name, spec in TOOLS.items():
        facts = [
            ("guarded by the gates of", f"`{spec.family.value}`"),
            ("offered for tasks", ", ".join(f"`{kind.value}`" for kind in spec.tasks)),
            ("an outcome that was lost is", f"`{spec.reconcile.value}`"),
        ]
        if spec.owed_when:
            facts.append(("only when the sequence owes", ", ".join(f"`{due.value}`" for due in spec.owed_when)))
        parts.append(
            f"### {name}\n\n{_doc(spec.params)}\n\n" + _table(("rule", "value"), facts) + "\n" + _fields(spec.params)
        )
    parts.append("## For passive agents")
    parts += [f"### {name}\n\n{_doc(params)}\n\n" + _fields(params) for name, params in AGENT_TOOLS.items()]
    introduction = "No tool runs but through the gateway. Schemas: `tools.schema.json`."
    return _page("Tools", introduction, *parts)


def _fields(model: type[BaseModel]) -> str:
    schema = model.model_json_schema()
    required = schema.get("required", [])
    rows = []
    for name, field in schema.get("properties", {}).items():
        default = "" if name in required else _default(field.get("default"))
        rows.append((f"`{name}`", _kind(field, schema), default, field.get("description", "")))
    if not rows:
        return "It takes nothing.\n"
    if any(row[3] for row in rows):
        return _table(("field", "value", "if left out", "meaning"), rows)
    return _table(("field", "value", "if left out"), [row[:3] for row in rows])


def _default(value: Any) -> str:
    if isinstance(value, (dict, list)) and len(str(value)) > 30:  # noqa: PLR2004 - more does not fit a cell
        return "as built in"
    return "nothing" if value in (None, "") else f"`{value}`"


_QUOTED = re.compile(r" \((?:design|spec)[^)]*\)")
_PLURAL = {"text": "texts", "whole number": "whole numbers", "number": "numbers", "anything": "values"}
_TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "null": "nothing",
    "object": "object",
}


def _kind(schema: Schema, root_schema: Schema) -> str:
    """A field's schema in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        definition = root_schema.get("$defs", {}).get(name, {})
        return _kind(definition, root_schema) if "enum" in definition else f"`{name}`"
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(_kind(part, root_schema) for part in schema[several]))
    if "const" in schema:
        return f"`{schema['const']}`" if schema["const"] != "" else "empty text"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return "list of " + _inner(schema, root_schema) + _bounds(schema)
    return _TYPES.get(str(schema.get("type", "")), "anything") + _bounds(schema)


def _inner(schema: Schema, root_schema: Schema) -> str:
    inner, *bounds = _kind(schema.get("items", {}), root_schema).split(", ")
    return _PLURAL.get(inner, inner) + (f" ({', '.join(bounds)})" if bounds else "")


_LEAST = ("minimum", "minLength", "minItems")
_MOST = ("maximum", "maxLength", "maxItems")


def _bounds(schema: Schema) -> str:
    least = next((schema[name] for name in _LEAST if name in schema), None)
    most = next((schema[name] for name in _MOST if name in schema), None)
    counted = " characters" if schema.get("type") == "string" else ""
    if least is not None and most is not None:
        return f", {least} to {most}{counted}"
    if most is not None:
        return f", at most {most}{counted}"
    return f", at least {least}{counted}" if least is not None else ""


def _doc(kind: type) -> str:
    """A class's own docstring on one line, without what it quotes; a subclass without one says nothing."""
    return _QUOTED.sub("", " ".join((kind.__dict__.get("__doc__") or "").split()))


def _page(title: str, introduction: str, *parts: str) -> str:
    return f"{_WRITTEN}# {title}\n\n{introduction}\n\n" + "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [" | ".join(_cell(cell) for cell in row) for row in rows]
    return "\n".join([f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *(f"| {line} |" for line in lines)]) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
