"""Who was in touch before, as LinkedIn's own export tells it."""

import csv
import io
import zipfile
from pathlib import Path

import pytest

from backend.adapters.leadfiles import LeadRow, read_leads
from backend.adapters.leadfiles.contact_history import (
    contact_archive,
    contact_history,
    history_day,
    history_moment,
    oldest_first,
)
from backend.domain.people.contact_archive import ArchivedMessage, LeftOut, PersonInArchive
from backend.domain.people.past_contact import ANSWERED, INVITED, PAST_CONTACT, WRITTEN_TO, PastContact
from backend.domain.values.errors import OutriderError

from .workbooks import Sheets, write_workbook

EXPORT = Path(__file__).parents[2] / "data" / "linkedin-export.zip"
PERSON = "https://www.linkedin.com/in/"
MESSAGES = "CONVERSATION ID,FROM,SENDER PROFILE URL,TO,RECIPIENT PROFILE URLS,DATE,CONTENT\n"


def history_of(path: Path) -> dict[str, PastContact]:
    """How people were in touch, by the export."""
    return contact_history(path).people


def test_invitations_and_messages_are_read_from_the_export() -> None:
    assert history_of(EXPORT) == {
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


def zipped(tmp_path: Path, messages: str, **further: str) -> Path:
    """An export with these messages and further tables."""
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, table in {"messages": messages, **further}.items():
            archive.writestr(f"{name}.csv", table)
    return path


def test_without_invitations_the_owner_takes_part_in_the_most_conversations(tmp_path: Path) -> None:
    rows = (
        f"1,Me,{PERSON}me,Ann,{PERSON}ann,2026-01-01 10:00:00 UTC,Hi\n2,Bob,{PERSON}bob,Me,{PERSON}me,2026-01-02,Hi\n"
    )
    assert {who: past.kind for who, past in history_of(zipped(tmp_path, MESSAGES + rows)).items()} == {
        f"{PERSON}ann": WRITTEN_TO,
        f"{PERSON}bob": ANSWERED,
    }


def test_where_the_owner_cannot_be_told_everybody_counts_as_written_to(tmp_path: Path) -> None:
    rows = f"1,Me,{PERSON}me,Ann,{PERSON}ann,2026-01-01 10:00:00 UTC,Hi\n"
    history = history_of(zipped(tmp_path, MESSAGES + rows))
    assert {past.kind for past in history.values()} == {WRITTEN_TO}
    assert set(history) == {f"{PERSON}me", f"{PERSON}ann"}


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2023-05-01 14:22:10 UTC", "2023-05-01"), ("3/5/26, 1:45 AM", "2026-03-05"), ("12/31/2025, 1:45 AM", "2025-12-31"),
        ("2023-13-01", ""),
        ("31/12/25", "2025-12-31"), ("04/03/2024 10:00", ""), ("01.05.2023 14:22", "2023-05-01"), ("", ""), ("yesterday", ""),
    ],
)  # fmt: skip
def test_days_of_the_export(text: str, day: str) -> None:
    assert history_day(text) == day


def test_a_day_that_nobody_can_read_still_counts(tmp_path: Path) -> None:
    rows = f"1,Me,{PERSON}me,Ann,{PERSON}ann,soon,Hi\n2,Me,{PERSON}me,Bob,{PERSON}bob,soon,Hi\n"
    assert history_of(zipped(tmp_path, MESSAGES + rows))[f"{PERSON}ann"] == PastContact(None, "", None)


def test_the_closest_contact_is_the_kind() -> None:
    assert PastContact("", "", "").kind == ANSWERED
    assert PastContact(None, "", "").kind == WRITTEN_TO
    assert PastContact(None, None, "").kind == INVITED


AMARA = f"{PERSON}amara-okonkwo"


def moment(text: str) -> int:
    at = history_moment(text)
    assert at is not None
    return at


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
    message = ArchivedMessage(False, "Hi", moment("2026-01-01 10:00:00 UTC"))
    # What was said to several is not kept.
    assert archive.people == {f"{PERSON}ann": PersonInArchive(messages=(message,))}


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


OWNER = f"{PERSON}mette-owner"
INVITATIONS = (
    "From,To,Sent At,Message,Direction,inviterProfileUrl,inviteeProfileUrl\n"
    f'Mette Owner,Xen Other,"3/5/24, 1:45 AM",,OUTGOING,{OWNER},{PERSON}xen-other\n'
)
WITH_DRAFTS = "CONVERSATION ID,FROM,SENDER PROFILE URL,TO,RECIPIENT PROFILE URLS,DATE,CONTENT,FOLDER,{mark}\n"


def to(name: str, *further: str, at: str = "2024-05-01 14:22:10 UTC") -> str:
    """A message of the owner's to one person."""
    return ",".join([name, "Mette Owner", OWNER, name.title(), f"{PERSON}{name}", at, f"Hi {name}", *further]) + "\n"


@pytest.mark.parametrize(
    "mark",
    ["IS MESSAGE DRAFT", "is_message_draft", "isMessageDraft", "Is Draft", "IS MESSAGE DRAFT?", "DRAFT"],
)
@pytest.mark.parametrize(
    "yes",
    [
        "Yes",
        "YES",
        "true",
        "TRUE",
        " True ",
        "1",
        "y",
        "Ja",
        "ja",
        "Oui",
        "S\u00ed",
        "Si",
        "Sim",
        "Wahr",
        "VRAI",
        "Verdadero",
    ],
)
def test_a_draft_is_no_message(tmp_path: Path, mark: str, yes: str) -> None:
    rows = (
        to("alva", "INBOX", yes) + to("cleo", "INBOX", "No") + to("dora", "INBOX", "") + to("edda", "ARCHIVE", "false")
    )
    table = WITH_DRAFTS.format(mark=mark) + rows
    path = zipped(tmp_path, table, Invitations=INVITATIONS)
    written = {who for who, past in history_of(path).items() if past.kind == WRITTEN_TO}
    assert written == {f"{PERSON}cleo", f"{PERSON}dora", f"{PERSON}edda"}
    archive = contact_archive(path, {f"{PERSON}alva", f"{PERSON}cleo"})
    assert archive.of(f"{PERSON}alva") == PersonInArchive()
    assert len(archive.of(f"{PERSON}cleo").messages) == 1
    assert archive.left_out == LeftOut(drafts=1)


@pytest.mark.parametrize(
    "folder", ["DRAFTS", "Draft", "Entw\u00fcrfe", "Brouillons", "Borradores", "Rascunhos", "Concepten", "Bozze"]
)
def test_what_lies_in_the_drafts_folder_is_no_message(tmp_path: Path, folder: str) -> None:
    table = WITH_DRAFTS.format(mark="ATTACHMENTS") + to("alva", folder, "") + to("cleo", "SENT", "")
    path = zipped(tmp_path, table, Invitations=INVITATIONS)
    assert [who for who, past in history_of(path).items() if past.written_to] == [f"{PERSON}cleo"]


def test_a_draft_of_a_conversation_with_messages_leaves_the_messages(tmp_path: Path) -> None:
    table = "IS CONVERSATION DRAFT," + WITH_DRAFTS.format(mark="IS MESSAGE DRAFT")
    path = zipped(tmp_path, table + "Yes," + to("cleo", "INBOX", "No"), Invitations=INVITATIONS)
    assert f"{PERSON}cleo" in history_of(path)


def test_a_draft_does_not_make_an_export_newer(tmp_path: Path) -> None:
    table = WITH_DRAFTS.format(mark="IS MESSAGE DRAFT")
    rows = to("cleo", "INBOX", "No") + to("alva", "INBOX", "Yes", at="2026-01-01 10:00:00 UTC")
    archive = contact_archive(zipped(tmp_path, table + rows), set())
    assert archive.newest_message == moment("2024-05-01 14:22:10 UTC")


@pytest.mark.parametrize(
    "name",
    [
        "guide_messages", "learning_role_play_messages", "learning_coach_messages", "LearningCoachMessages", "coach_messages",
        "Learning Role-Play Messages", "GUIDE_MESSAGES", "guide_messages_1", "guide_messages (1)", "learning/role_play_messages",
    ],
)  # fmt: skip
def test_what_was_said_to_an_assistant_is_said_to_nobody(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path, MESSAGES + to("cleo"), Invitations=INVITATIONS, **{name: MESSAGES + to("edda") + to("dag")})
    assert set(history_of(path)) == {f"{PERSON}cleo", f"{PERSON}xen-other"}
    assert set(contact_archive(path, {f"{PERSON}edda", f"{PERSON}cleo"}).people) == {f"{PERSON}cleo"}
    alone = tmp_path / f"{Path(name).name}.csv"
    alone.write_text(MESSAGES + to("edda"), "utf-8")
    with pytest.raises(OutriderError, match="export_without_history"):
        contact_archive(alone, set())


@pytest.mark.parametrize("name", ["messages_1", "messages (1)", "Messages", "my messages", "archive/messages"])
def test_messages_under_a_similar_name_count(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path, MESSAGES + to("cleo"), Invitations=INVITATIONS, **{name: MESSAGES + to("edda")})
    assert f"{PERSON}edda" in history_of(path)


def test_a_role_play_among_the_messages_is_with_nobody(tmp_path: Path) -> None:
    row = f"r1,Mette Owner,{OWNER},Dag Testa (role play),{PERSON}dag,2024-06-01 10:00:00 UTC,practice\n"
    assert f"{PERSON}dag" not in history_of(zipped(tmp_path, MESSAGES + row, Invitations=INVITATIONS))


@pytest.mark.parametrize(
    ("outgoing", "incoming"),
    [("OUTGOING", "INCOMING"), ("Gesendet", "Empfangen"), ("Envoy\u00e9e", "Re\u00e7ue"), ("Enviada", "Recibida"),
     ("Verzonden", "Ontvangen"),
     ("inviato", "ricevuto"), ("\u2192", "\u2190"), ("", "")],
)  # fmt: skip
def test_invitations_count_whatever_their_direction_is_called(tmp_path: Path, outgoing: str, incoming: str) -> None:
    header = INVITATIONS.splitlines(keepends=True)[0]
    rows = (
        f'Mette Owner,Ann,"3/5/24, 1:45 AM",,{outgoing},{OWNER},{PERSON}ann\n'
        f'Bob,Mette Owner,"3/6/24, 1:45 AM",,{incoming},{PERSON}bob,{OWNER}\n'
    )
    path = zipped(tmp_path, MESSAGES + to("cleo"), Invitations=header + rows)
    history = history_of(path)
    assert (history[f"{PERSON}ann"].invited, history[f"{PERSON}bob"].invited) == ("2024-03-05", "2024-03-06")
    archive = contact_archive(path, {f"{PERSON}ann", f"{PERSON}bob"})
    assert archive.of(f"{PERSON}ann").invited_on == "2024-03-05"
    assert archive.of(f"{PERSON}bob").invited_on == ""


OLD_MESSAGES = "CONVERSATION ID,CONVERSATION TITLE,FROM,SENDER PROFILE URL,TO,DATE,SUBJECT,CONTENT,FOLDER\n"


def test_messages_of_old_exports_have_their_recipients_by_name(tmp_path: Path) -> None:
    rows = (
        f"1,,Mette Owner,{OWNER},Priya Raman,2021-04-02 10:00:00 UTC,,Hi,INBOX\n"
        f"1,,Priya Raman,{PERSON}priya-raman,Mette Owner,2021-04-02 11:00:00 UTC,,Hello,INBOX\n"
        f"2,,Mette Owner,{OWNER},Lena Vogt,2021-04-03 10:00:00 UTC,,Hi Lena,INBOX\n"
        f"3,,Mette Owner,{OWNER},Theo Grant,2021-04-04 10:00:00 UTC,,Hi Theo,INBOX\n"
    )
    connections = (
        f"First Name,Last Name,URL,Connected On\nTheo,Grant,{PERSON}theo,03 Nov 2019\nLena,Vogt,,03 Nov 2019\n"
    )
    path = zipped(tmp_path, OLD_MESSAGES + rows, Connections=connections)
    history = history_of(path)
    assert history[f"{PERSON}priya-raman"] == PastContact("2021-04-02", "2021-04-02", None)
    assert history[f"{PERSON}theo"].kind == WRITTEN_TO
    past = {row.full_name: row.past for row in read_leads(path) if isinstance(row, LeadRow)}
    assert past == {"Theo Grant": WRITTEN_TO, "Lena Vogt": WRITTEN_TO}
    archive = contact_archive(path, {f"{PERSON}priya-raman", f"{PERSON}theo"})
    assert [message.text for message in archive.of(f"{PERSON}priya-raman").messages] == ["Hi", "Hello"]
    assert [message.text for message in archive.of(f"{PERSON}theo").messages] == ["Hi Theo"]
    assert archive.left_out == LeftOut(unidentified=1)  # Lena, whose address is nowhere


def test_invitations_of_old_exports_are_by_name(tmp_path: Path) -> None:
    invitations = (
        'From,To,Sent At,Message,Direction\nMette Owner,Ravi Menon,"6/30/22, 8:12 PM",,OUTGOING\n'
        'Jonas Berg,Mette Owner,"5/10/21, 9:41 AM",,INCOMING\n'
    )
    connections = (
        "First Name,Last Name,Email Address,Company,Position,Connected On\nRavi,Menon,,Litware,CTO,01 Jul 2022\n"
    )
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("Connections.csv", connections)
        archive.writestr("Invitations.csv", invitations)
    rows = [row for row in read_leads(tmp_path / "export.zip") if isinstance(row, LeadRow)]
    assert [(row.full_name, row.past) for row in rows] == [("Ravi Menon", INVITED)]


def test_what_cannot_be_read_is_counted(tmp_path: Path) -> None:
    rows = to("ann", at="soon") + to("bob", at="04/03/2024 10:00") + to("cleo") + '5,"Mette\n'
    path = zipped(tmp_path, MESSAGES + rows, Invitations=INVITATIONS.replace("3/5/24, 1:45 AM", "04/03/2024"))
    archive = contact_archive(path, {f"{PERSON}ann", f"{PERSON}cleo"})
    assert archive.left_out == LeftOut(undated=3, damaged=1)
    assert archive.of(f"{PERSON}ann") == PersonInArchive(has_undated_messages=True)
    assert archive.left_out.sentence == "3 rows without a date that can be read for certain, 1 damaged row"


def test_of_a_table_that_is_cut_off_within_a_row_something_is_damaged(tmp_path: Path) -> None:
    """What it does not show may have stood behind the cut."""
    path, before, last = tmp_path / "messages.csv", MESSAGES + to("bob") + to("cleo"), to("ann")
    for cut in range(1, last.rindex(",")):
        path.write_text(before + last[:cut], "utf-8")
        assert contact_archive(path, {f"{PERSON}ann"}).left_out.damaged == 1
    path.write_text(before + last.rstrip(), "utf-8")
    assert contact_archive(path, {f"{PERSON}ann"}).left_out.damaged == 0


def test_the_dates_of_a_column_decide_for_each_other(tmp_path: Path) -> None:
    path = zipped(tmp_path, MESSAGES + to("ann", at="04/03/2024 10:00") + to("bob", at="31/03/2024 10:00"))
    archive = contact_archive(path, {f"{PERSON}ann"})
    assert [message.at for message in archive.of(f"{PERSON}ann").messages] == [moment("2024-03-04 10:00:00 UTC")]


def test_tables_that_were_saved_as_sheets_of_a_workbook_are_read(tmp_path: Path) -> None:
    sheets: Sheets = {
        name: list(csv.reader(io.StringIO(text)))
        for name, text in (("Notes", "Read me\n"), ("invitations", INVITATIONS), ("messages", MESSAGES + to("cleo")))
    }
    archive = contact_archive(write_workbook(tmp_path / "export.xlsx", sheets), {f"{PERSON}cleo", f"{PERSON}xen-other"})
    assert [message.text for message in archive.of(f"{PERSON}cleo").messages] == ["Hi cleo"]
    assert archive.of(f"{PERSON}xen-other").invited_on == "2024-03-05"


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_table_that_a_spreadsheet_saved_with_another_delimiter_is_read(tmp_path: Path, delimiter: str) -> None:
    table = (MESSAGES + to("cleo") + to("ann")).replace(",", delimiter)
    archive = contact_archive(zipped(tmp_path, f"sep={delimiter}\n" + table), {f"{PERSON}cleo"})
    assert [message.text for message in archive.of(f"{PERSON}cleo").messages] == ["Hi cleo"]


def test_a_row_with_more_cells_than_the_header_has_nothing_in_a_column_that_is_not_there(tmp_path: Path) -> None:
    row = to("cleo").rstrip("\n") + ",,Drafts\n"
    assert f"{PERSON}cleo" in history_of(zipped(tmp_path, MESSAGES + row, Invitations=INVITATIONS))


@pytest.mark.parametrize("newest_first", [True, False])
def test_messages_of_one_second_stay_in_the_order_of_their_file(newest_first: bool) -> None:
    """LinkedIn's file begins with the newest; who wrote last decides whether an answer is owed."""
    written = [ArchivedMessage(False, "Hi", 1), ArchivedMessage(True, "Hello", 2), ArchivedMessage(False, "Great", 2)]
    assert oldest_first(written[::-1] if newest_first else written) == tuple(written)
    assert oldest_first(written[:0:-1]) == tuple(written[1:]), "nothing but one second: as LinkedIn writes"
