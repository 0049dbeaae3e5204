"""Whoever is known by an address of theirs is known by it for good: when their data goes, and when a later file says otherwise."""

from collections.abc import Callable
from typing import Any

import pytest

from backend.app.wiring import member_key
from backend.commands.import_undo import undo_import
from backend.commands.lead_import import ImportReport, import_leads
from backend.domain.leads.lead_merge import EARLIER_ADDRESSES
from backend.domain.model.artifact import BY_USER, text_content
from backend.domain.model.campaign import DAY, CampaignStatus
from backend.domain.model.send_word import Word
from backend.domain.people.contact_keys import entry_key
from backend.domain.people.lead_row import LeadRow
from backend.domain.people.past_contact import PAST_CONTACT
from backend.domain.turn.artifacts import artifact_persisted
from backend.domain.values.errors import OutriderError
from backend.ports.sync_status import LocalOnly
from backend.store.log import replay
from tests.fakes.by_hand import by_hand
from tests.fakes.campaign import Stage
from tests.fakes.send_desk import EVERY_DAY, MESSAGES, Desk

NUMBER = "ACwAAABcDeFgHiJkLmNoPqRs"
ZOE = "https://www.linkedin.com/in/zoe-quill"
ELSEWHERE = "https://www.linkedin.com/in/zq-77"
NAME = "Zoe Quillfeather"
FURTHER = {"E-mail 2": "zq@second.example", "Sales Navigator": f"https://www.linkedin.com/sales/lead/{NUMBER},x"}


def row(url: str = ZOE, email: str = "", *, name: str = NAME, **extra: str) -> LeadRow:
    first, last = name.split()
    return LeadRow(1, "raw", name, first, last, url, url, email or None, "", "Owner", "2024-03-15", extra)


def campaign(stage: Stage, name: str, *rows: LeadRow) -> Desk:
    """A campaign by hand with these people, and one in no other campaign, who keeps it from being completed."""
    made = Desk(stage, by_hand(stage, MESSAGES, people=0, limits=EVERY_DAY, name=name), LocalOnly())
    slug = f"https://www.linkedin.com/in/jon-vik-{name.lower()}"
    bring(made, *rows, row(slug, name="Jon Vik"))
    made.run()
    return made


def bring(desk: Desk, *rows: LeadRow) -> ImportReport:
    stage, file = desk.stage, f"{len(desk.stage.query('SELECT id FROM imports'))}.csv"
    return import_leads(stage.journal, stage.clock, desk.campaign, rows, file=file, file_format="csv")


def waits(desk: Desk) -> bool:
    desk.run()
    return any(person.lead.full_name == NAME for person in desk.state().people)


def lead_of(desk: Desk) -> str:
    return str(desk.stage.one("SELECT id FROM leads WHERE campaign_id=? AND full_name=?", desk.campaign, NAME))


def send(desk: Desk) -> None:
    lead = desk.hand_over([person.lead.full_name for person in desk.state().people].index(NAME), no_reply=True)
    desk.say(lead, Word.SENT)
    desk.leave()


def forbid(stage: Stage, text: str) -> None:
    stage.commands().workspace.add_do_not_contact(entry_key("person", text, member_key), "", "")


def erase(desk: Desk) -> None:
    desk.stage.commands().people.erase(desk.campaign, lead_of(desk))


def write_and_erase(desk: Desk) -> None:
    send(desk)
    erase(desk)


def delete(desk: Desk) -> None:
    if desk.stage.status(desk.campaign) == "active":
        desk.stage.commands().campaigns.change_status(desk.campaign, CampaignStatus.PAUSED)
    desk.stage.commands().campaigns.delete(desk.campaign)


def write_and_delete(desk: Desk) -> None:
    send(desk)
    delete(desk)


def forbid_here(desk: Desk) -> None:
    desk.stage.commands().leads.do_not_contact(desk.campaign, lead_of(desk))


def forbid_and_delete(desk: Desk) -> None:
    forbid_here(desk)
    delete(desk)


AGAIN: dict[str, LeadRow] = {
    "profile": row(),
    "e-mail": row(ELSEWHERE, "Zoe@Home.example"),
    "another e-mail": row(ELSEWHERE, "zq@second.example"),
    "an e-mail in another column": row(ELSEWHERE, **{"Private e-mail": "Zoe <zq@second.example>"}),
    "number": row(f"https://www.linkedin.com/in/{NUMBER}"),
    "number in a column": row(ELSEWHERE, vmid=NUMBER),
}


@pytest.mark.parametrize("again", AGAIN)
@pytest.mark.parametrize("goes", [erase, write_and_erase, write_and_delete, forbid_and_delete])
def test_whoever_comes_again_by_any_address_of_theirs_is_written_to_by_nobody(
    stage: Stage, goes: Callable[[Desk], None], again: str
) -> None:
    first = campaign(stage, "First", row(email="zoe@home.example", **FURTHER))
    assert waits(first)
    goes(first)
    assert not waits(campaign(stage, "Second", AGAIN[again]))
    assert replay.find_differences(stage.database) == []


LATER: dict[str, LeadRow] = {
    "zoe@home.example": row(email="zoe@work.example"),
    "zq@second.example": row(**{"E-mail 2": "third@zq.example"}),
    f"https://www.linkedin.com/sales/lead/{NUMBER},x": row(**{"Sales Navigator": "unknown"}),
}


@pytest.mark.parametrize("listed", LATER)
def test_an_entry_forbids_whomever_it_named_when_a_later_file_has_another_address(stage: Stage, listed: str) -> None:
    desk = campaign(stage, "First", row(email="zoe@home.example", **FURTHER))
    forbid(stage, listed)
    bring(desk, LATER[listed])
    assert not waits(desk)
    assert replay.find_differences(stage.database) == []


@pytest.mark.parametrize(
    "written",
    [
        "mailto:Zoe@home.example",
        "MAILTO:zoe@home.example?subject=Hi",
        "<zoe@home.example>",
        "Zoe Quill <zoe@home.example>",
        "zoe@home.example,",
        "zoe@home.example.",
        "'zoe@home.example'",
        "zoe@home.example\u200b",
        "zoe\uff20home.example",
    ],
)
def test_an_address_that_is_entered_by_hand_forbids_however_it_is_written_down(stage: Stage, written: str) -> None:
    desk = campaign(stage, "First", row(email="zoe@home.example"))
    forbid(stage, written)
    assert not waits(desk)


@pytest.mark.parametrize(
    "spelled", ["zoe@xn--bcher-kva.example", "Zoe@B\u00dcCHER.example", "zoe@bu\u0308cher.example"]
)
@pytest.mark.parametrize("imported", ["zoe@b\u00fccher.example", "zoe@xn--bcher-kva.example"])
def test_a_host_beyond_ascii_is_the_same_in_both_spellings(stage: Stage, imported: str, spelled: str) -> None:
    desk = campaign(stage, "First", row(email=imported))
    forbid(stage, spelled)
    assert not waits(desk)


def test_undoing_an_import_takes_back_what_it_kept_of_earlier_addresses(stage: Stage) -> None:
    desk = campaign(stage, "First", row(email="zoe@home.example"))
    later = bring(desk, row(email="zoe@work.example"))
    seen = "SELECT email, extra FROM leads WHERE full_name=?"
    assert stage.query(seen, NAME) == [("zoe@work.example", f'{{"{EARLIER_ADDRESSES}":"zoe@home.example"}}')]
    undo_import(stage.journal, stage.clock, desk.campaign, later.import_id)
    assert stage.query(seen, NAME) == [("zoe@home.example", "{}")]


@pytest.mark.parametrize(
    "text", ["Write to zq@second.example.", "or ZOE@HOME.example", f"member {NUMBER}", "or zoe@work.example"]
)
def test_whatever_names_an_erased_person_by_any_address_of_theirs_loses_it(stage: Stage, text: str) -> None:
    desk = campaign(stage, "First", row(email="zoe@home.example", **FURTHER))
    bring(desk, row(email="zoe@work.example"))
    note = artifact_persisted(text_content("note", "note", text), "note", BY_USER, 0, 1)
    stage.note_elsewhere(desk.campaign, note)
    erase(desk)
    left: Any = "".join(str(rows) for rows in stage.dump(skip=()).values()).lower()
    assert text.rsplit(maxsplit=1)[-1].rstrip(".").lower() not in left


def test_the_number_in_an_erased_person_s_address_goes_also_where_it_stands_by_itself(stage: Stage) -> None:
    desk = campaign(stage, "First", row(f"https://www.linkedin.com/in/{NUMBER}"))
    note = artifact_persisted(text_content("note", "note", f"ask member {NUMBER}"), "note", BY_USER, 0, 1)
    stage.note_elsewhere(desk.campaign, note)
    erase(desk)
    assert NUMBER.lower() not in "".join(str(rows) for rows in stage.dump(skip=()).values()).lower()


# --- what connects two rows goes before them ---


BY_NUMBER = f"https://www.linkedin.com/in/{NUMBER}"


def contacts(desk: Desk) -> bool:
    """Whether this campaign still writes to her; a text that may not be approved is no contact."""
    try:
        return waits(desk)
    except OutriderError as error:
        return error.code != "person_held"


@pytest.mark.parametrize("goes", ["the one that wrote", "the one that connects", "both"])
def test_whom_only_a_third_row_connects_stays_known_without_it(stage: Stage, goes: str) -> None:
    wrote = campaign(stage, "First", row())
    assert waits(wrote)
    send(wrote)
    connects = campaign(stage, "Third", row(vmid=NUMBER))
    other = campaign(stage, "Second", row(BY_NUMBER))
    for going in {"the one that wrote": [wrote], "the one that connects": [connects], "both": [wrote, connects]}[goes]:
        delete(going)
    assert not contacts(other)
    assert replay.find_differences(stage.database) == []


@pytest.mark.parametrize("planned", [True, False])
@pytest.mark.parametrize("act", [send, forbid_here])
def test_whom_the_user_said_to_be_one_person_stays_one_when_a_campaign_goes(
    stage: Stage, act: Callable[[Desk], None], planned: bool
) -> None:
    first = campaign(stage, "First", row())
    assert waits(first)
    other = campaign(stage, "Second", *([row(ELSEWHERE)] if planned else []))
    act(first)
    if not planned:
        bring(other, row(ELSEWHERE))
    stage.commands().people.answer_same([ZOE, ELSEWHERE], same=True)
    delete(first)
    assert not contacts(other)
    assert replay.find_differences(stage.database) == []


def test_whoever_was_free_when_they_were_planned_stays_free_when_the_other_campaign_goes(stage: Stage) -> None:
    first = campaign(stage, "First", row())
    assert waits(first)
    send(first)
    stage.commands().lead_groups.skip(first.campaign, [lead_of(first)])
    stage.clock.advance(61 * DAY)
    other = campaign(stage, "Second", row())
    assert waits(other)
    delete(first)
    assert waits(other)


@pytest.mark.parametrize("words", ["they wrote 2026-05-02", "you wrote", "invited 2026-05-02"])
@pytest.mark.parametrize("into", ["the same campaign", "another one"])
def test_a_file_that_tells_of_earlier_contact_holds_whoever_was_only_planned(
    stage: Stage, into: str, words: str
) -> None:
    first = campaign(stage, "First", row())
    assert waits(first)
    bring(first if into == "the same campaign" else campaign(stage, "Second"), row(**{PAST_CONTACT: words}))
    assert not contacts(first)
    stage.commands().people.contact_anyway(first.campaign, lead_of(first), "another matter")
    assert contacts(first)


def test_a_file_that_tells_of_earlier_contact_ends_no_sequence_that_has_begun(stage: Stage) -> None:
    first = campaign(stage, "First", row())
    assert waits(first)
    send(first)
    bring(campaign(stage, "Second"), row(**{PAST_CONTACT: "you wrote"}))
    stage.clock.advance(4 * DAY)
    assert waits(first)
