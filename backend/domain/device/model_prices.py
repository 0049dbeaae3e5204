"""What well-known models cost, to be proposed when one is connected; never charged with until the user has saved it."""

from dataclasses import dataclass

from backend.domain.model.providers import Provider

LOOKED_UP = "2026-11-28"
"""The day on which all of these were looked up."""


@dataclass(frozen=True, slots=True)
class ModelPrice:
    """US dollars per million tokens of one family: its name, alone or with a day or `latest` after it."""

    provider: Provider
    family: str
    price_in: float
    price_out: float


MODEL_PRICES: tuple[ModelPrice, ...] = (
    ModelPrice(Provider.OPENAI, "gpt-5", 1.25, 10),
    ModelPrice(Provider.OPENAI, "gpt-5-mini", 0.25, 2),
    ModelPrice(Provider.OPENAI, "gpt-5-nano", 0.05, 0.4),
    ModelPrice(Provider.OPENAI, "gpt-4.1", 2, 8),
    ModelPrice(Provider.OPENAI, "gpt-4.1-mini", 0.4, 1.6),
    ModelPrice(Provider.OPENAI, "gpt-4.1-nano", 0.1, 0.4),
    ModelPrice(Provider.OPENAI, "gpt-4o", 2.5, 10),
    ModelPrice(Provider.OPENAI, "gpt-4o-mini", 0.15, 0.6),
    ModelPrice(Provider.ANTHROPIC, "claude-opus-5", 5, 25),
    ModelPrice(Provider.ANTHROPIC, "claude-opus-4-8", 5, 25),
    ModelPrice(Provider.ANTHROPIC, "claude-opus-4-7", 5, 25),
    ModelPrice(Provider.ANTHROPIC, "claude-opus-4-6", 5, 25),
    ModelPrice(Provider.ANTHROPIC, "claude-opus-4-5", 5, 25),
    ModelPrice(Provider.ANTHROPIC, "claude-sonnet-5", 2, 10),
    ModelPrice(Provider.ANTHROPIC, "claude-sonnet-4-6", 3, 15),
    ModelPrice(Provider.ANTHROPIC, "claude-sonnet-4-5", 3, 15),
    ModelPrice(Provider.ANTHROPIC, "claude-haiku-4-5", 1, 5),
    ModelPrice(Provider.GEMINI, "gemini-2.5-pro", 1.25, 10),
    ModelPrice(Provider.GEMINI, "gemini-2.5-flash", 0.3, 2.5),
    ModelPrice(Provider.GEMINI, "gemini-2.5-flash-lite", 0.1, 0.4),
)
"""What is not here, whose sources disagree, or what depends on a contract, is left open in the form."""
