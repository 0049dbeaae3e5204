"""Who serves language models, what is usual for each, and what well-known ones cost: the one table for page, adapters and docs."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple


class Provider(StrEnum):
    """Who serves the model."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    AZURE = "azure"
    GEMINI = "gemini"
    MISTRAL = "mistral"
    OPENROUTER = "openrouter"
    OLLAMA = "ollama"
    LM_STUDIO = "lm_studio"
    LLAMA_CPP = "llama_cpp"
    VLLM = "vllm"
    OTHER = "other"


Mode = Literal["json_schema", "json_object", "text"]
"""How the reply's form is asked for: enforced by the provider, any JSON object, or only told in the prompt."""

ModelProtocol = Literal["openai", "anthropic"]
"""OpenAI's chat completions, or Anthropic's messages."""


class ProviderPreset(NamedTuple):
    """What is usual for a provider.

    `base_url` may have a part in braces that each user replaces; nobody is called at an address that still has one.
    `key` is the name under which its key is kept, "" if none is needed, and `key_page` where such keys are made.
    `model_hint` says what its models are called, `lengths` whether its strict schemas may bound the length of a text, and
    `completion_limit` whether it bounds a reply by `max_completion_tokens`, for which others have `max_tokens`.
    """

    provider: Provider
    title: str
    description: str
    base_url: str
    key: str = ""
    key_page: str = ""
    protocol: ModelProtocol = "openai"
    mode: Mode = "json_schema"
    model: str = ""
    model_hint: str = "Exactly as its provider spells it"
    lengths: bool = True
    completion_limit: bool = False


HOSTED = "Hosted; needs a key and costs money."
HERE = "On this machine, free."

PRESETS: dict[Provider, ProviderPreset] = {
    preset.provider: preset
    for preset in (
        ProviderPreset(
            Provider.OPENAI,
            "OpenAI",
            HOSTED,
            "https://api.openai.com/v1",
            key="openai",
            key_page="https://platform.openai.com/api-keys",
            lengths=False,
            completion_limit=True,
        ),
        ProviderPreset(
            Provider.ANTHROPIC,
            "Anthropic",
            HOSTED,
            "https://api.anthropic.com",
            key="anthropic",
            key_page="https://platform.claude.com/settings/keys",
            protocol="anthropic",
        ),
        ProviderPreset(
            Provider.AZURE,
            "Azure OpenAI",
            "In your own Azure resource; needs a key and costs money.",
            "https://{resource}.openai.azure.com/openai/v1",
            key="azure",
            key_page="https://portal.azure.com",
            model_hint="The name of your deployment, which the list may not have",
            lengths=False,
            completion_limit=True,
        ),
        # Gemini and Mistral take only a part of what a strict schema may say, so theirs is told in the prompt.
        ProviderPreset(
            Provider.GEMINI,
            "Google Gemini",
            HOSTED,
            "https://generativelanguage.googleapis.com/v1beta/openai",
            key="gemini",
            key_page="https://aistudio.google.com/apikey",
            mode="json_object",
            lengths=False,
        ),
        ProviderPreset(
            Provider.MISTRAL,
            "Mistral",
            HOSTED,
            "https://api.mistral.ai/v1",
            key="mistral",
            key_page="https://console.mistral.ai/api-keys",
            mode="json_object",
            lengths=False,
        ),
        ProviderPreset(
            Provider.OPENROUTER,
            "OpenRouter",
            "Many hosted models behind one key.",
            "https://openrouter.ai/api/v1",
            key="openrouter",
            key_page="https://openrouter.ai/settings/keys",
            lengths=False,
        ),
        ProviderPreset(Provider.OLLAMA, "Ollama", HERE, "http://127.0.0.1:11434/v1"),
        ProviderPreset(Provider.LM_STUDIO, "LM Studio", HERE, "http://127.0.0.1:1234/v1"),
        ProviderPreset(Provider.LLAMA_CPP, "llama.cpp", HERE, "http://127.0.0.1:8080/v1", model="default"),
        ProviderPreset(Provider.VLLM, "vLLM", "On this machine or your own server.", "http://127.0.0.1:8000/v1"),
        ProviderPreset(
            Provider.OTHER, "Own address", "Anything that speaks OpenAI's chat completions.", "", mode="json_object"
        ),
    )
}
"""In the order in which they are offered."""


LOOKED_UP = "2026-11-28"
"""The day on which all prices were looked up. They are proposed when a model is connected, and never charged with until saved."""


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
