"""What an entry says of a column is what its kind declares, or the column is named: for every column of every kind."""

from typing import Any

import pytest

from backend.domain.events.column_values import UnfitColumn, unfit_column
from backend.domain.events.facts import FACTS
from backend.domain.model.campaign import Settings
from backend.domain.values.canonical_json import Json, canonical
from backend.domain.values.errors import OutriderError
from backend.ports.shared_store import LoggedEvent
from backend.reference.schemas import event_columns
from backend.store.replication.replica import readable

COLUMNS = [(kind, name) for kind, fact in FACTS.items() for name in fact.columns]
VALUES: tuple[Json, ...] = (
    None,
    True,
    0,
    5,
    1.5,
    "",
    "word",
    "two words",
    [],
    [5],
    ["a"],
    [{}],
    {},
    {"a": 5},
    {"a": "{}"},
)


def _admits(schema: dict[str, Any], value: Json) -> bool:
    """By the published schema, as far as the facts' columns need one; a yes or no is a number, too."""
    if "$ref" in schema:
        return _admits(schema["$defs"][schema["$ref"].rpartition("/")[2]], value)
    if schema.get("anyOf"):
        return any(_admits({"$defs": schema.get("$defs")} | part, value) for part in schema["anyOf"])
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if values is not None:
        return any(value == allowed and type(value) is type(allowed) for allowed in values)
    match schema.get("type"):
        case "string":
            return isinstance(value, str)
        case "integer" | "boolean":
            return isinstance(value, int)
        case "null":
            return value is None
        case "array":
            return isinstance(value, list) and all(_admits(schema["items"], item) for item in value)
        case "object":
            inner = schema.get("additionalProperties", {})
            return isinstance(value, dict) and (inner is True or all(_admits(inner, item) for item in value.values()))
    return True


@pytest.mark.parametrize(("kind", "name"), COLUMNS, ids=".".join)
def test_a_column_has_the_values_of_its_published_schema_and_no_others(kind: str, name: str) -> None:
    schema = event_columns(FACTS[kind])["properties"][name]
    is_text_of_its_own = name in ("settings", "entries")
    for value in VALUES:
        fits = unfit_column(kind, {name: value}, erased=False) is None
        assert fits == _admits(schema, value) or (is_text_of_its_own and not fits), value


SETTINGS = Settings().model_dump(mode="json")


@pytest.mark.parametrize(
    ("kind", "name", "value", "is_newer"),
    [
        ("CampaignEdited", "settings", "no settings", False),
        ("CampaignEdited", "settings", "[]", False),
        ("CampaignEdited", "settings", "[" * 100_000, False),
        ("CampaignEdited", "settings", canonical(SETTINGS | {"note_limit": 10**6}), False),
        ("CampaignEdited", "settings", canonical(SETTINGS | {"of_a_newer_one": 1}), True),
        ("CampaignEdited", "settings", canonical(SETTINGS | {"of_a_newer_one": 1, "topic": 5}), False),
        ("CampaignEdited", "status", "active", True),
        ("CampaignEdited", "no column", "x", False),
        ("LeadAdvanced", "relation", "of_a_newer_one", True),
        ("LeadAdvanced", "relation", "no relation at all", False),
        ("LeadAdvanced", "relation", 5, False),
        ("LeadLabelled", "label", "of_a_newer_one", True),
        ("MessageSent", "status", "of_a_newer_one", True),
        ("LeadUnblocked", "blocked", 0, False),
        ("RankingTakenBack", "counts", 1, False),
        ("EntriesErased", "entries", {"ab": "[]"}, False),
        ("EntriesErased", "entries", {"ab": "[" * 100_000}, False),
    ],
)
def test_what_only_a_newer_outrider_would_write_is_no_damage(kind: str, name: str, value: Json, is_newer: bool) -> None:
    assert unfit_column(kind, {name: value}, erased=False) == UnfitColumn(name, is_newer)


def test_settings_as_they_are_kept_fit_and_so_do_those_of_which_the_limits_are_left() -> None:
    for settings in (SETTINGS, {"limits": SETTINGS["limits"]}):
        assert unfit_column("CampaignEdited", {"settings": canonical(settings)}, erased=False) is None


def test_an_erasure_may_leave_no_value_and_still_none_of_another_type() -> None:
    assert unfit_column("LeadImported", {"connected_on": None}, erased=True) is None
    assert unfit_column("LeadImported", {"connected_on": None}, erased=False) == UnfitColumn("connected_on", False)
    assert unfit_column("LeadImported", {"tags": 5}, erased=True) == UnfitColumn("tags", False)
    assert unfit_column("LeadImported", {"strange": None}, erased=True) == UnfitColumn("strange", True)


@pytest.mark.parametrize(
    ("changes", "code"),
    [({"goal": 5}, "shared_store_log_broken"), ({"of_a_newer_one": 5}, "shared_store_newer")],
)
def test_an_unfit_entry_ends_its_pages_before_anybody_has_them(changes: dict[str, Json], code: str) -> None:
    entries = [
        LoggedEvent(seq, 1, "CampaignEdited", "campaign", "camp-1", canonical(columns), "user", "", b"salt", None, b"")
        for seq, columns in enumerate(({"goal": "a"}, changes), start=1)
    ]
    pages = readable("event_log", "camp-1", [entries[:1], entries])
    assert next(pages) == entries[:1]
    with pytest.raises(OutriderError) as refused:
        next(pages)
    assert refused.value.code == code
    assert refused.value.facts.get("seq", 2) == 2


@pytest.mark.parametrize(
    ("kind", "digest", "is_refused"),
    [("LeadImported", None, True), ("LeadImported", b"digest", False), ("OfANewerOne", None, False)],
)
def test_pages_let_pass_what_an_erasure_left_and_a_kind_that_whoever_adopts_them_refuses(
    kind: str, digest: bytes | None, *, is_refused: bool
) -> None:
    salt = None if digest else b"salt"
    entry = LoggedEvent(1, 1, kind, "lead", "lead-1", '{"connected_on":null}', "user", "", salt, digest, b"")
    pages = readable("event_log", "camp-1", [[entry]])
    if not is_refused:
        assert list(pages) == [[entry]]
        return
    with pytest.raises(OutriderError) as refused:
        list(pages)
    assert refused.value.code == "shared_store_log_broken"
