"""The table of providers is whole: each can be called as it stands, and none at an address that is not filled in yet."""

from datetime import date

import pytest
from pydantic import TypeAdapter

from backend.domain.model.connection import KeyName, is_loopback, refuse_address
from backend.domain.model.providers import LOOKED_UP, MODEL_PRICES, PRESETS, Provider, ProviderPreset
from backend.domain.values.errors import OutriderError

every = pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda preset: preset.provider)


def test_every_provider_has_a_preset_and_a_title_of_its_own() -> None:
    assert set(PRESETS) == set(Provider)
    assert len({preset.title for preset in PRESETS.values()}) == len(Provider)


@every
def test_an_address_can_be_called_or_has_a_blank_at_which_nobody_is_called(preset: ProviderPreset) -> None:
    if not preset.base_url or "{" in preset.base_url:
        with pytest.raises(OutriderError, match="model_address_refused"):
            refuse_address(preset.base_url, plain_http=True)
    else:
        refuse_address(preset.base_url, plain_http=False)


@every
def test_a_hosted_provider_needs_a_key_and_says_where_to_create_one(preset: ProviderPreset) -> None:
    hosted = preset.base_url != "" and not is_loopback(preset.base_url)
    assert (preset.key != "", preset.key_page.startswith("https://")) == (hosted, hosted)
    TypeAdapter(KeyName).validate_python(preset.key)


def test_a_proposed_price_is_dated_unambiguous_and_of_a_provider_that_costs_money() -> None:
    assert date.fromisoformat(LOOKED_UP).isoformat() == LOOKED_UP
    assert len({(price.provider, price.family) for price in MODEL_PRICES}) == len(MODEL_PRICES)
    for price in MODEL_PRICES:
        assert PRESETS[price.provider].key
        assert 0 < price.price_in <= price.price_out < 1_000
