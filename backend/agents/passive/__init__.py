"""The passive agents, one a file: whichever file here has a `PassiveAgent` is known by its name."""

import importlib
import pkgutil
from collections.abc import Mapping

from backend.domain.device.passive_agent import AnyAgent, PassiveAgent
from backend.domain.values.errors import OutriderError


def passive_agents() -> Mapping[str, AnyAgent]:
    """Every agent by its name, in the order of names."""
    agents: dict[str, AnyAgent] = {}
    for module in pkgutil.iter_modules(__path__):
        for value in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            if isinstance(value, type) and issubclass(value, PassiveAgent) and value is not PassiveAgent:
                agents[value.name] = value
    return dict(sorted(agents.items()))


def passive_agent(name: str) -> AnyAgent:
    """The agent of that name; `agent_unknown` otherwise."""
    agents = passive_agents()
    if name not in agents:
        raise OutriderError("agent_unknown", name=name, known=", ".join(agents))
    return agents[name]
