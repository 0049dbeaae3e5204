"""Who was in touch before, as LinkedIn's own export tells it."""

import zipfile
from pathlib import Path

import pytest

from backend.adapters.leadfiles import LeadRow, read_leads
from backend.adapters.leadfiles.contact_history import contact_archive, contact_history, history_day, history_moment
from backend.domain.contact_archive import ArchivedMessage, PersonInArchive
from backend.domain.errors import OutriderError
from backend.domain.lead_row import PAST_CONTACT
from backend.domain.past_contact import ANSWERED, INVITED, WRITTEN_TO, PastContact

EXPORT = Path(__file__).parents[2] / "data" / "linkedin-export.zip"
PERSON = "https://www.linkedin.com/in/"
MESSAGES = "CONVERSATION ID,FROM,SENDER PROFILE URL,TO,RECIPIENT PROFILE URLS,DATE,CONTENT\n"


def test_invitations_and_messages_are_read_from_the_export() -> None:
    assert contact_history(EXPORT) == {
        f"{PERSON}amara-okonkwo": PastContact("2026-05-02", "2026-05-01", "2024-01-09"),
        f"{PERSON}bjorn-akesson": PastContact(None, "2026-04-11", None),
        f"{PERSON}chloe-dubois": PastContact(None, None, "2026-03-05"),
        f"{PERSON}darius-kazlauskas": PastContact(None, None, "2025-12-31"),
    }


def test_people_of_the_export_know_how_they_were_in_touch() -> None:
    rows = [row for row in read_leads(EXPORT) if isinstance(row, LeadRow)]
    past = {row.full_name: (row.past, row.extra.get(PAST_CONTACT)) for row in rows if row.past}
    assert past["Amara Okonkwo"] == (ANSWERED, "they wrote 2026-05-02; you wrote 2026-05-01; invited 2024-01-09")
    assert len(rows) == 39


def test_whoever_wants_to_write_again_gets_everybody() -> None:
    assert not any(row.past for row in read_leads(EXPORT).write_again() if isinstance(row, LeadRow))


def zipped(tmp_path: Path, messages: str) -> Path:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("messages.csv", messages)
    return path


def test_without_invitations_the_owner_takes_part_in_the_most_conversations(tmp_path: Path) -> None:
    rows = (
        f"1,Me,{PERSON}me,Ann,{PERSON}ann,2026-01-01 10:00:00 UTC,Hi\n2,Bob,{PERSON}bob,Me,{PERSON}me,2026-01-02,Hi\n"
    )
    assert {who: past.kind for who, past in contact_history(zipped(tmp_path, MESSAGES + rows)).items()} == {
        f"{PERSON}ann": WRITTEN_TO,
        f"{PERSON}bob": ANSWERED,
    }


def test_where_the_owner_cannot_be_told_everybody_counts_as_written_to(tmp_path: Path) -> None:
    rows = f"1,Me,{PERSON}me,Ann,{PERSON}ann,2026-01-01 10:00:00 UTC,Hi\n"
    found = contact_history(zipped(tmp_path, MESSAGES + rows))
    assert {past.kind for past in found.values()} == {WRITTEN_TO}
    assert set(found) == {f"{PERSON}me", f"{PERSON}ann"}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2023-05-01 14:22:10 UTC", "2023-05-01"), ("3/5/26, 1:45 AM", "2026-03-05"), ("12/31/2025, 1:45 AM", "2025-12-31"),
        ("2023-13-01", ""), ("31/12/25", ""), ("", ""), ("yesterday", ""),
    ],
)  # fmt: skip
def test_days_of_the_export(text: str, day: str) -> None:
    assert history_day(text) == day


def test_a_day_that_nobody_can_read_still_counts(tmp_path: Path) -> None:
    rows = f"1,Me,{PERSON}me,Ann,{PERSON}ann,soon,Hi\n2,Me,{PERSON}me,Bob,{PERSON}bob,soon,Hi\n"
    assert contact_history(zipped(tmp_path, MESSAGES + rows))[f"{PERSON}ann"] == PastContact(None, "", None)


def test_the_closest_contact_is_the_kind() -> None:
    assert PastContact("", "", "").kind == ANSWERED
    assert PastContact(None, "", "").kind == WRITTEN_TO
    assert PastContact(None, None, "").kind == INVITED


AMARA = f"{PERSON}amara-okonkwo"


def moment(text: str) -> int:
    found = history_moment(text)
    assert found is not None
    return found


def test_an_archive_keeps_what_passed_with_the_people_who_matter_word_by_word() -> None:
    archive = contact_archive(EXPORT, {AMARA})
    assert archive.people == {
        AMARA: PersonInArchive(
            "2024-01-09",
            "2024-03-15",
            (
                ArchivedMessage(False, "Hi Amara, \u201cshall we talk?\u201d", moment("2026-05-01 14:22:10 UTC")),
                ArchivedMessage(True, "Happy to talk.\nNext week?", moment("2026-05-02 08:10:00 UTC")),
            ),
        )
    }
    assert archive.newest_message == moment("2026-05-02 08:10:00 UTC")


def test_one_table_alone_is_enough_where_the_owner_is_none_of_the_leads(tmp_path: Path) -> None:
    alone = tmp_path / "messages.csv"
    rows = (
        f"1,Me,{PERSON}me,Ann,{PERSON}ann,2026-01-01 10:00:00 UTC,Hi\n"
        f'2,Ann,{PERSON}ann,"Me, Bob","{PERSON}me,{PERSON}bob",2026-01-02 10:00:00 UTC,All\n'
    )
    alone.write_text(MESSAGES + rows, "utf-8")
    archive = contact_archive(alone, {f"{PERSON}ann"})
    said = ArchivedMessage(False, "Hi", moment("2026-01-01 10:00:00 UTC"))
    assert archive.people == {f"{PERSON}ann": PersonInArchive(messages=(said,))}  # what was said to several is not kept


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (MESSAGES + f"1,Me,{PERSON}me,Ann,{PERSON}ann,2026-01-01 10:00:00 UTC,Hi\n", "export_owner_unknown"),
        ("name,company\nAnn,Fern\n", "export_without_history"),
    ],
)
def test_what_cannot_be_compared_is_refused(tmp_path: Path, text: str, code: str) -> None:
    file = tmp_path / "some.csv"
    file.write_text(text, "utf-8")
    with pytest.raises(OutriderError) as refused:
        contact_archive(file, set())
    assert refused.value.code == code
