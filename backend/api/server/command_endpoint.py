"""A command as an endpoint: what the address does not name of its arguments stands in the body, and its result is the answer."""

import inspect
from collections.abc import Callable, Collection
from operator import attrgetter
from types import NoneType
from typing import Annotated, Any, Union, get_args, get_type_hints

from pydantic import create_model

from backend.api.server.services import Services
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
