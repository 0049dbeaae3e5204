"""A command that names who carries it out names a function that takes its options, each of its type."""

import inspect
from collections.abc import Iterator, Sequence
from typing import Literal, get_args, get_origin, get_type_hints

import pytest
import typer
from typer.core import TyperCommand, TyperGroup

from backend.domain.model.channel import CHANNELS
from backend.machine.settings import AppSettings
from backend.terminal.app import app, performing
from backend.terminal.output import TerminalOutput


def _commands(group: TyperGroup) -> Iterator[TyperCommand]:
    for command in group.commands.values():
        if isinstance(command, TyperGroup):
            yield from _commands(command)
        elif isinstance(command, TyperCommand):
            yield command


def _named() -> dict[str, TyperCommand]:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    declared = ((getattr(_declared(command), "does", ""), command) for command in _commands(group))
    return {does: command for does, command in declared if does}


def _declared(command: TyperCommand) -> object:
    """What typer was given: it wraps it once more."""
    return getattr(command.callback, "__wrapped__", command.callback)


NAMED = _named()


def test_most_commands_name_who_carries_them_out() -> None:
    assert len(NAMED) > 35


def test_the_help_names_every_channel() -> None:
    """By hand: to import the channels would make each command start later."""
    (channel,) = (option for option in NAMED["new_campaign.make_campaign"].params if option.name == "channel")
    assert [id_ for id_ in CHANNELS if id_ not in channel.help] == []  # type: ignore[attr-defined]


def test_a_command_that_names_nobody_does_something_itself() -> None:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    itself = [command for command in _commands(group) if not getattr(_declared(command), "does", "")]
    idle = [command.name for command in itself if not inspect.unwrap(command.callback).__code__.co_names]  # type: ignore[arg-type]
    assert len(itself) > 10
    assert idle == []


@pytest.mark.parametrize("does", NAMED)
def test_it_takes_the_options_as_they_are_declared(does: str) -> None:
    takes = get_type_hints(performing(does))
    assert takes.pop("return") in {int, type(None)}
    options = get_type_hints(_declared(NAMED[does]))
    del options["data_dir"], options["as_json"]
    (output, settings), rest = list(takes.items())[:2], dict(list(takes.items())[2:])
    assert (output[1], settings[1]) == (TerminalOutput, AppSettings)
    assert len(rest) == len(options)
    by_name = inspect.getfullargspec(performing(does)).kwonlyargs
    in_order = [name for name in options if name not in by_name]
    for parameter, name in zip(rest, [*in_order, *by_name], strict=True):
        assert _accepts(rest[parameter], options[name]), f"{does}: {parameter}"


def _accepts(taken: object, option: object) -> bool:
    """Whether a parameter of that type takes what an option of this one gives."""
    if get_origin(option) is Literal:
        return taken is str or get_origin(taken) is Literal
    if get_origin(taken) is Sequence:
        return get_args(taken) == get_args(option)
    return {*(get_args(option) or [option])} <= {*(get_args(taken) or [taken])}
