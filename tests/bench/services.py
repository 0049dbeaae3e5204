"""The window's services, as far as a benchmark's reads ask them."""

from types import SimpleNamespace
from typing import cast

from backend.api.server.services import Services
from backend.situation.situations import TurnInputs


def services_at(inputs: TurnInputs) -> Services:
    """For the time, and whether the user is here."""
    return cast(Services, SimpleNamespace(turn_inputs=lambda _: inputs))
