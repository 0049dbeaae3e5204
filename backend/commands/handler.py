"""What every set of the user's commands shares: whose they are, when they are given, and how they are recorded."""

import functools
import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Concatenate, ParamSpec, TypeVar, get_type_hints

from backend.commands.command import (
    COMMANDS,
    Command,
    CommandDefinition,
    FromEntities,
    FromEntity,
    FromEvent,
    OnConflict,
    Parameter,
    ShownVersion,
)
from backend.domain.device.configuration import audit_entries
from backend.domain.erasure.erasure import brings_words, is_erased
from backend.domain.events.events import Event
from backend.domain.model.campaign import Campaign
from backend.domain.model.lead import Lead
from backend.domain.values.canonical_json import Json
from backend.domain.values.errors import OutriderError
from backend.ports.clock import Clock
from backend.store.log.journal import Journal
from backend.store.log.transaction import Transaction
from backend.store.queries.campaign import campaigns
from backend.store.queries.device import erased_things
from backend.store.queries.leads import leads


@dataclass(frozen=True, slots=True)
class CommandHandler:
    """Commands, each in one transaction, checked against the state of that moment; `actor` gave them, `command` is under way."""

    journal: Journal
    clock: Clock
    actor: str = "user"
    command: Command | None = None

    def _campaign(self, transaction: Transaction, campaign_id: str) -> Campaign:
        return campaigns.existing_campaign(transaction.connection, campaign_id)

    def _campaign_and_lead(self, transaction: Transaction, campaign_id: str, lead_id: str) -> tuple[Campaign, Lead]:
        campaign = self._campaign(transaction, campaign_id)
        return campaign, leads.existing_lead(transaction.connection, campaign_id, lead_id)

    def _refuse_erased(self, transaction: Transaction, campaign_id: str, lead_id: str) -> None:
        """No new words about whose data was erased; raises `lead_unknown`, `lead_erased`."""
        _, lead = self._campaign_and_lead(transaction, campaign_id, lead_id)
        if is_erased(lead.full_name):
            raise OutriderError("lead_erased")

    def _record(self, transaction: Transaction, stream: str, events: Sequence[Event]) -> None:
        """Record what the command amounts to, and the command as its cause.

        Raises `lead_erased` for words about somebody whose data was erased, whichever command brings them.
        """
        if self.command is None:
            raise TypeError("events are recorded within a method that is marked as a @command")
        if any(brings_words(event) and erased_things.is_erased(transaction.connection, event) for event in events):
            raise OutriderError("lead_erased")
        cause, now = self.command.cause(stream), self.clock.now()
        if self.actor != "controller":  # what a new version brings is no decision
            transaction.audit(stream, audit_entries(events), actor=self.actor, cause=cause, at=now)
        transaction.record(stream, events, actor=self.actor, cause=cause, at=now)


_Handler = TypeVar("_Handler", bound=CommandHandler)
_Given = ParamSpec("_Given")
_Returned = TypeVar("_Returned")
_SOURCES = FromEvent | FromEntities | FromEntity | ShownVersion
_Method = Callable[Concatenate[_Handler, _Given], _Returned]


def command(
    name: str,
    *,
    shows: Mapping[str, str] | None = None,
    only: tuple[str, ...] | None = None,
    on_conflict: OnConflict = "ask",
    with_values: Mapping[str, Collection[Json]] | None = None,
) -> Callable[[_Method[_Handler, _Given, _Returned]], _Method[_Handler, _Given, _Returned]]:
    """Mark a method as the command of that name: a path from `Commands`, such as `leads.note`.

    Its arguments are stored as its signature says (`FromEvent`, `FromEntities`, `FromEntity`, `ShownVersion`, else in the
    cause), so that it can be repeated after a conflict. `shows` names the column of an event that says what was decided. With
    `only` it cannot be repeated, and stores no other arguments: for what takes a secret or a file, or makes something with an
    id of its own. `on_conflict` says what becomes of it when another device's entries came first; with `with_values` only if its
    arguments have these values, else it is asked about.
    """

    def mark(method: _Method[_Handler, _Given, _Returned]) -> _Method[_Handler, _Given, _Returned]:
        signature = inspect.signature(method)
        definition = CommandDefinition(
            name, _parameters(method, signature), dict(shows or {}), only, on_conflict, with_values or {}
        )
        COMMANDS[name] = definition

        @functools.wraps(method)
        def carry_out(handler: _Handler, /, *args: _Given.args, **kwargs: _Given.kwargs) -> _Returned:
            arguments = signature.bind(handler, *args, **kwargs).arguments
            return method(replace(handler, command=definition.stored(arguments)), *args, **kwargs)

        return carry_out

    return mark


def _parameters(method: Callable[..., Any], signature: inspect.Signature) -> dict[str, Parameter]:
    hints = get_type_hints(method, include_extras=True)
    parameters = {}
    for name, parameter in list(signature.parameters.items())[1:]:
        marks = getattr(hints[name], "__metadata__", ())
        source = next((mark for mark in marks if isinstance(mark, _SOURCES)), None)
        parameters[name] = Parameter(hints[name], parameter.default is inspect.Parameter.empty, source)
    return parameters
