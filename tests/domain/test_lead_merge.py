"""What a later file changed of a lead, and what taking that back leaves alone."""

from backend.domain.leads.lead_merge import MergeFields, changed_fields, fields_before

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
