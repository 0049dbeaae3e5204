"""A do-not-contact file on two devices: one effective list, in force on both whatever either recorded first."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.commands.do_not_contact_import import Rows, import_do_not_contact
from backend.commands.do_not_contact_undo import undo_do_not_contact_import
from backend.domain.people.do_not_contact_file import DoNotContactRow
from backend.store.log.replay import find_differences
from backend.store.queries.people import do_not_contact
from tests.fakes.campaign import Stage
from tests.runtime.sync.test_restrictions import Invited


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Invited]:
    made = Invited(tmp_path)
    yield made
    made.close()


def bring_in(stage: Stage, rows: Rows) -> str:
    return import_do_not_contact(stage.journal, stage.clock, rows, file="list.csv").import_id


def rows_of(pair: Invited) -> list[DoNotContactRow]:
    invited = pair.stages[0].one("SELECT member_key FROM leads")
    return [DoNotContactRow(2, "person", (invited,)), DoNotContactRow(3, "domain", ("domain:acme.example",))]


def lists(pair: Invited) -> list[list[str]]:
    """What each device shows."""
    shown = []
    for stage in pair.stages:
        with stage.database.read() as connection:
            shown.append(sorted(person.member_key for person in do_not_contact.forbidden_people(connection, "", 10)))
        assert find_differences(stage.database) == []
    return shown


def test_the_same_file_on_both_devices_is_one_list(pair: Invited) -> None:
    rows = rows_of(pair)
    for stage in pair.stages:
        bring_in(stage, rows)
    pair.synchronise()
    assert pair.conflicts() == []
    expected = sorted(key for row in rows for key in row.keys)
    assert lists(pair) == [expected, expected]
    assert [status for status, _ in pair.statuses()] == ["cancelled", "cancelled"]


def test_nothing_goes_to_whom_another_device_imported_although_the_text_was_approved_anew(pair: Invited) -> None:
    desk, laptop = pair.stages
    bring_in(laptop, rows_of(pair))
    pair.desk.review.withdraw(pair.campaign, pair.message)
    pair.approve(desk)
    pair.synchronise()
    assert pair.conflicts() == []
    desk.run(pair.campaign)
    assert desk.received() == []


def test_undoing_an_import_is_not_held_up_by_an_entry_that_another_device_removed(pair: Invited) -> None:
    desk, laptop = pair.stages
    import_id = bring_in(laptop, rows_of(pair))
    pair.synchronise()
    entry = desk.one("SELECT id FROM do_not_contact WHERE member_key='domain:acme.example'")
    pair.desk.workspace.remove_do_not_contact(entry)
    undo_do_not_contact_import(laptop.journal, laptop.clock, import_id)
    pair.synchronise()
    assert pair.conflicts() == []
    assert lists(pair) == [[], []]
    assert [stage.one("SELECT blocked FROM leads") for stage in pair.stages] == ["", ""]
