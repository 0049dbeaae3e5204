"""What a later file changed of a lead, and what taking that back leaves alone."""

from backend.domain.leads.lead_merge import (
    EARLIER_ADDRESSES,
    MergeFields,
    changed_fields,
    fields_before,
    with_earlier_addresses,
)

KNOWN = MergeFields("Analyst", "Engines", "", "", "", "name:ada", {"City": "London", "Team": "A"}, ("vip",))


def test_only_the_fields_that_change_are_told() -> None:
    earlier, later = changed_fields(
        KNOWN, {"company": "Bolts", "extra": {"City": "Leeds", "Team": "A", "Size": "9"}, "tags": ["vip", "new"]}
    )
    assert earlier == {"company": "Engines", "extra:City": "London", "extra:Size": "", "tags": '["vip"]'}
    assert later == {"company": "Bolts", "extra:City": "Leeds", "extra:Size": "9", "tags": '["vip", "new"]'}


def test_taking_back_gives_each_field_its_earlier_value() -> None:
    better = {"company": "Bolts", "email": "a@x.example", "extra": {"City": "Leeds", "Team": "A", "Size": "9"}}
    earlier, later = changed_fields(KNOWN, {**better, "tags": ["vip", "new"]})  # type: ignore[typeddict-item]
    now = KNOWN._replace(**better, tags=("vip", "new"))  # type: ignore[arg-type]
    assert fields_before(now, earlier, later) == {
        "company": "Engines", "email": "", "extra": {"City": "London", "Team": "A"}, "tags": ["vip"],
    }  # fmt: skip


def test_what_was_changed_again_meanwhile_stays() -> None:
    earlier, later = changed_fields(KNOWN, {"company": "Bolts", "extra": {"City": "Leeds", "Team": "A"}, "tags": ["b"]})
    now = KNOWN._replace(company="Nuts", extra={"City": "York", "Team": "A"}, tags=("mine",))
    assert fields_before(now, earlier, later) == {}


def test_every_address_that_files_replaced_one_after_the_other_is_kept() -> None:
    fields = KNOWN._replace(email="ada@first.example")
    for email in ("ada@second.example", "ada@third.example"):
        fields = fields._replace(**with_earlier_addresses(fields, {"email": email}))  # type: ignore[arg-type]
    assert fields.email == "ada@third.example"
    assert fields.extra == {**KNOWN.extra, EARLIER_ADDRESSES: "ada@first.example ada@second.example"}


def test_an_address_that_stays_in_another_column_is_not_kept_twice() -> None:
    fields = KNOWN._replace(email="ada@first.example", extra={"Work e-mail": "ada@first.example"})
    better = {"email": "ada@second.example"}
    assert with_earlier_addresses(fields, better) == better  # type: ignore[arg-type]
