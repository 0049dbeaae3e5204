"""Keys that the general write never touches, and which changes the audit log tells of."""

import pytest

from backend.domain.device.configuration import audit_entries, refuse_protected
from backend.domain.events.events import EVENT_KINDS, AuditEntry, Event
from backend.domain.values.errors import OutriderError


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
        "vault",
        "vault:key",
    ],
)
def test_a_key_with_a_command_of_its_own_is_refused(name: str) -> None:
    with pytest.raises(OutriderError) as refused:
        refuse_protected(name)
    assert refused.value.code == "config_protected"


@pytest.mark.parametrize("name", ["preferences", "soulful", "modelling", "x:model"])
def test_another_key_is_not(name: str) -> None:
    refuse_protected(name)


@pytest.mark.parametrize("kind", EVENT_KINDS)
def test_each_change_of_the_soul_of_skills_keys_and_settings_is_audited_and_nothing_of_its_value(kind: str) -> None:
    expected = AuditEntry("setting.changed", {"parameters": {"change": kind, "id": "x"}, "outcome": "ok"})
    is_audited = kind.startswith(("Soul", "Skill", "Secret", "Config"))
    assert audit_entries([Event(kind, "x", {"value": "v"})]) == ([expected] if is_audited else [])
