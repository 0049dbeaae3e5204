"""`outrider do-not-contact`: the list shown, changed, imported, taken back and exported in the terminal."""

from pathlib import Path

import pytest

from tests.api import by_hand
from tests.cli.outrider import Outrider
from tests.cli.test_why import made  # noqa: F401 - the fixture


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "list.csv"
    path.write_text("ada@acme.com\nacme.com\nSomebody\n", "utf-8")
    return path


def listed(outrider: Outrider) -> list[tuple[str, str]]:
    entries = outrider("do-not-contact", "list", "--json").told["entries"]
    return sorted((entry["kind"], entry["value"]) for entry in entries)


def test_a_file_goes_in_is_told_row_by_row_and_is_taken_back(outrider: Outrider, file: Path, tmp_path: Path) -> None:
    rejected = tmp_path / "rejected.csv"
    forecast = outrider("do-not-contact", "import", str(file), "--check", "--rejected", str(rejected), "--json").told
    assert listed(outrider) == []
    assert "Somebody" in rejected.read_text("utf-8")
    imported = outrider("do-not-contact", "import", str(file), "--json").told
    assert [imported[name] for name in ("people", "companies", "domains", "already", "rejected")] == [1, 0, 1, 0, 1]
    assert imported["rejected_rows"] == forecast["rejected_rows"] == [
        {"line": 3, "code": "value_unclear", "reason": imported["rejected_rows"][0]["reason"]}
    ]  # fmt: skip
    assert listed(outrider) == [("domain", "acme.com"), ("person", "ada@acme.com")]
    assert "already on it: 2" in outrider("do-not-contact", "import", str(file)).out.lower()
    outrider("do-not-contact", "undo", imported["import"])
    assert listed(outrider) == []


def test_a_file_of_something_else_is_told_in_a_few_lines_and_offers_nothing_to_take_back(
    outrider: Outrider, tmp_path: Path
) -> None:
    prose = tmp_path / "prose.md"
    prose.write_text("\n".join(f"Sentence number {number} of it" for number in range(60)), "utf-8")
    out = outrider("do-not-contact", "import", str(prose)).out
    assert "Rejected: 60." in out
    assert "and 50 more; --rejected FILE writes all of them" in out
    assert "To take it back" not in out


def test_an_export_can_be_imported_elsewhere(outrider: Outrider, file: Path, tmp_path: Path) -> None:
    outrider("do-not-contact", "import", str(file))
    assert outrider("do-not-contact", "add", "Acme GmbH", "--kind", "company", "--reason", "=asked").status == 0
    exported, again = tmp_path / "export.csv", tmp_path / "again.csv"
    assert outrider("do-not-contact", "export", str(exported), "--json").told["entries"] == 3
    assert outrider("do-not-contact", "export", str(exported), "--json").code == "export_failed", "never overwritten"
    other = Outrider(tmp_path / "other")
    assert other("do-not-contact", "import", str(exported), "--json").told["rejected"] == 0
    other("do-not-contact", "export", str(again))
    assert again.read_bytes() == exported.read_bytes()


def test_entries_are_added_and_removed_as_they_read(outrider: Outrider) -> None:
    for who in ("ada@acme.com", "@acme.com", "linkedin.com/in/Ada"):
        assert outrider("do-not-contact", "add", who).status == 0
    assert outrider("do-not-contact", "add", "Acme", "--json").code == "person_unclear"
    assert outrider("do-not-contact", "add", "Acme", "--kind", "company").status == 0
    assert [kind for kind, _ in listed(outrider)] == ["company", "domain", "person", "person"]
    for who in ("ADA@acme.com", "acme.com", "https://linkedin.com/in/ada/", "acme"):
        assert outrider("do-not-contact", "remove", who).status == 0
    assert listed(outrider) == []
    assert outrider("do-not-contact", "remove", "acme", "--json").code == "person_not_listed"


@pytest.mark.usefixtures("made")
def test_whom_it_stops_is_told_by_campaign(outrider: Outrider, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text("LinkedIn\nlinkedin.com/in/clara-yilmaz\n", "utf-8")
    imported = outrider("do-not-contact", "import", str(file), "--json").told
    assert imported["leads_stopped"] == sum(imported["campaigns"].values()) == 1
    assert by_hand.PEOPLE
    assert outrider("do-not-contact", "undo", "--json").told["released"] == 1


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "lead_file_empty"), (b"email\n", "lead_file_no_rows"), (b"a;b\n1;2\n", "do_not_contact_file_unknown")],
)
def test_a_file_that_means_nothing_makes_no_workspace(
    outrider: Outrider, tmp_path: Path, content: bytes, code: str
) -> None:
    file = tmp_path / "list.csv"
    file.write_bytes(content)
    assert outrider("do-not-contact", "import", str(file), "--json").code == code
    assert not (outrider.data_dir / "outrider.db").exists()
