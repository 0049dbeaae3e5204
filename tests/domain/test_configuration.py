"""Keys that the general write never touches."""

import pytest

from backend.domain.configuration import refuse_protected
from backend.domain.errors import OutriderError


@pytest.mark.parametrize(
    "name",
    [
        "soul",
        "Soul",
        " soul ",
        "soul:text",
        "skills",
        "skill:x",
        "model:default",
        "MODEL:x",
        "model",
        "credential:openai",
    ],
)
def test_a_key_with_a_command_of_its_own_is_refused(name: str) -> None:
    with pytest.raises(OutriderError) as refused:
        refuse_protected(name)
    assert refused.value.code == "config_protected"


@pytest.mark.parametrize("name", ["preferences", "soulful", "modelling", "x:model"])
def test_another_key_is_not(name: str) -> None:
    refuse_protected(name)
