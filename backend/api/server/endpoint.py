"""Endpoints: a function of a noun's file becomes one by its decorator, and the table of all of them is generated from.

The names of a function's parameters say what it is called with:

    services     what this launch has
    connection   one consistent read of the database; only for a GET, because the effect of a command would not be in it
    query        what stands behind the question mark of the address, of the annotated shape
    body         the JSON of the request, of the annotated shape, or the stream of its bytes; a POST without one takes `{}`
    any other    the variable of that name in the address

What it is annotated to return is the answer: a shape; None (204); an `Export`, which is a download with GET and a file that
the user chose with POST; or a Flask response for what is neither.

A command is one by its name: what the address does not name of its arguments stands in the body, and its result is the answer.
"""

import inspect
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from operator import attrgetter
from types import NoneType
from typing import IO, Annotated, Any, Literal, TypeVar, Union, get_args, get_type_hints

from flask import Flask, Response, request
from pydantic import create_model

from backend.api.exports import Export, send_download, write_export
from backend.api.server.request_data import json_response, parse_body, parse_query
from backend.api.server.services import Services
from backend.api.shapes import Destination, Nothing, Written
from backend.commands.command import STREAM, ShownVersion
from backend.commands.user_commands import Commands
from backend.domain.events.events import WORKSPACE
from backend.domain.values.shapes import Shape


def command_handler(name: str, in_address: Collection[str]) -> Callable[..., Any]:
    """What gives the user's command of that name, a path from `Commands` such as `leads.note`.

    Raises AttributeError if there is none, and TypeError if it has no argument for a variable of the address.
    """
    find = attrgetter(name)
    method = find(Commands)
    types = get_type_hints(method, include_extras=True)
    if unknown := set(in_address) - types.keys():
        raise TypeError(f"{name}: it has no argument {', '.join(sorted(unknown))}")
    body_shape = _body_shape(name, method, types, in_address)

    def handler(services: Services, body: Shape | None = None, **variables: Any) -> Any:
        arguments = {} if body is None else {field: getattr(body, field) for field in type(body).model_fields}
        return find(services.commands(variables.get(STREAM, WORKSPACE)))(**variables, **arguments)

    handler.__name__, handler.__doc__ = method.__name__, method.__doc__
    handler.__annotations__ = {
        "services": Services,
        **dict.fromkeys(in_address, str),
        **({} if body_shape is None else {"body": body_shape}),
        "return": None if types["return"] is NoneType else types["return"],
    }
    return handler


def _body_shape(
    name: str, method: Callable[..., Any], types: dict[str, Any], in_address: Collection[str]
) -> type[Shape] | None:
    """Named after the command, such as `LeadsNote`; None if the address has every argument."""
    fields: dict[str, Any] = {
        parameter.name: _sent(types[parameter.name], ... if parameter.default is parameter.empty else parameter.default)
        for parameter in list(inspect.signature(method).parameters.values())[1:]
        if parameter.name not in in_address
    }
    if not fields:
        return None
    title = name.replace(".", "_").title().replace("_", "")
    shape: type[Shape] = create_model(title, __base__=Shape, __doc__=method.__doc__, **fields)
    return shape


def _sent(type_: Any, default: Any) -> tuple[Any, Any]:
    """The type of that argument in a body, and its default. What was shown is None only for who repeats a command, unless that is
    the default."""
    marks = getattr(type_, "__metadata__", ())
    if default is None or not any(isinstance(mark, ShownVersion) for mark in marks):
        return type_, default
    shown = [part for part in get_args(type_.__origin__) if part is not NoneType]
    return Annotated[(Union[tuple(shown)], *marks)], default  # noqa: UP007 - of types that are not written here


Method = Literal["GET", "POST", "DELETE"]
Handler = TypeVar("Handler", bound=Callable[..., Any])

_VARIABLE = re.compile(r"<(?:(\w+)(?:\(.*?\))?:)?(\w+)>")
_STANDARD_PARAMETERS = frozenset({"services", "connection", "query", "body"})


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """One row of the table; `path` is Flask's rule, `most_bytes` the largest body where it is not the usual one."""

    noun: str
    method: Method
    path: str
    handler: Callable[..., Any]
    status: int = 200
    most_bytes: int | None = None

    def __post_init__(self) -> None:
        """Raise TypeError for a declaration that no request could fill, or whose answer nobody knows."""
        if "return" not in self.handler.__annotations__:
            raise TypeError(f"{self.name}: it does not say what it answers")
        if self._takes() - _STANDARD_PARAMETERS != self.variables().keys():
            raise TypeError(f"{self.name}: its parameters are not the variables of {self.path}")
        if "connection" in self._takes() and self.method != "GET":
            raise TypeError(f"{self.name}: only a GET is given a connection")
        if "body" in self._takes() and self.method != "POST":
            raise TypeError(f"{self.name}: only a POST has a body")

    @property
    def name(self) -> str:
        """The noun and what is done, such as `lead_files.preview`."""
        return f"{self.noun}.{self.handler.__name__.rstrip('_')}"

    @property
    def query(self) -> type[Shape] | None:
        """The shape of what may stand behind the question mark."""
        return self.handler.__annotations__.get("query")

    @property
    def body(self) -> type[Shape] | None:
        """The shape of the request's JSON; None where it holds nothing, or bytes."""
        if self.method == "POST" and self.is_export:
            return Destination
        return None if self.takes_bytes else self.handler.__annotations__.get("body")

    @property
    def answer(self) -> Any:
        """The shape of the answer; None for an empty one, Response for bytes."""
        if self.is_export:
            return Response if self.method == "GET" else Written
        return self.handler.__annotations__["return"]

    @property
    def answers_json(self) -> bool:
        """Whether the answer is a shape."""
        return self.answer is not None and self.answer is not Response

    @property
    def is_export(self) -> bool:
        """Whether it answers with a file."""
        return self.handler.__annotations__["return"] is Export

    @property
    def takes_bytes(self) -> bool:
        """Whether the body of the request is a file and no JSON."""
        return self.handler.__annotations__.get("body") == IO[bytes]

    @property
    def doc(self) -> str:
        """What the function's docstring says, on one line."""
        return " ".join((self.handler.__doc__ or "").split())

    def variables(self) -> dict[str, str]:
        """The variables of the address in their order, each with its converter ("" for a plain text)."""
        return _variables(self.path)

    def address(self) -> str:
        """The address with its variables in braces, such as "/api/skills/{skill_id}"."""
        return _VARIABLE.sub(r"{\2}", self.path)

    def register(self, app: Flask, services: Services) -> None:
        """Let the application answer it."""
        takes = self._takes()

        def respond(**arguments: Any) -> Response:
            if self.most_bytes is not None:
                request.max_content_length = self.most_bytes
            if "services" in takes:
                arguments["services"] = services
            if self.query is not None:
                arguments["query"] = parse_query(self.query)
            body = parse_body(self.body or Nothing) if self.method == "POST" and not self.takes_bytes else None
            if "body" in takes:
                arguments["body"] = request.stream if self.takes_bytes else body
            stream = arguments.get("campaign_id", WORKSPACE)
            if "connection" not in takes:
                return self._response(services, stream, self.handler(**arguments), body)
            with services.database.read() as connection:
                return self._response(services, stream, self.handler(connection=connection, **arguments), body)

        app.add_url_rule(self.path, f"{self.name} {self.method}", respond, methods=[self.method])

    def _response(self, services: Services, stream: str, answer: Any, body: Shape | None) -> Response:
        if isinstance(answer, Response):
            return answer
        if isinstance(answer, Export):
            if isinstance(body, Destination):
                return json_response(write_export(services, stream, body.ticket, answer), self.status)
            return send_download(services, stream, answer)
        return Response(status=204) if answer is None else json_response(answer, self.status)

    def _takes(self) -> set[str]:
        return self.handler.__annotations__.keys() - {"return"}


class Routes:
    """The endpoints of one noun, below one address."""

    def __init__(self, name: str, prefix: str = "") -> None:
        """`prefix` follows "/api"."""
        self._name = name
        self._prefix = f"/api{prefix}"
        self.endpoints: list[Endpoint] = []

    def get(self, path: str = "") -> Callable[[Handler], Handler]:
        """Answers a question."""
        return self._add("GET", path)

    def post(self, path: str = "", *, status: int = 200, most_bytes: int | None = None) -> Callable[[Handler], Handler]:
        """Does something."""
        return self._add("POST", path, status=status, most_bytes=most_bytes)

    def delete(self, path: str = "") -> Callable[[Handler], Handler]:
        """Takes something away."""
        return self._add("DELETE", path)

    def command(self, path: str, name: str) -> None:
        """Gives the user's command of that name, such as `leads.note`, with what is in the address and the body."""
        self._add("POST", path, noun=name.rpartition(".")[0])(command_handler(name, _variables(self._prefix + path)))

    def export(self, path: str) -> Callable[[Handler], Handler]:
        """Answers with a file: GET for a browser's download, POST for the window's dialog."""

        def add(handler: Handler) -> Handler:
            self._add("GET", path)(handler)
            return self._add("POST", path)(handler)

        return add

    def _add(self, method: Method, path: str, noun: str = "", **more: Any) -> Callable[[Handler], Handler]:
        def add(handler: Handler) -> Handler:
            endpoint = Endpoint(
                noun=noun or self._name, method=method, path=self._prefix + path, handler=handler, **more
            )
            self.endpoints.append(endpoint)
            return handler

        return add


def _variables(path: str) -> dict[str, str]:
    return {name: converter or "" for converter, name in _VARIABLE.findall(path)}
