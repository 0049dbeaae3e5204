"""A do-not-contact file in force: every row accounted for, everybody it means stopped, and exactly that taken back."""

import itertools
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.commands import do_not_contact_undo
from backend.commands.do_not_contact_import import (
    BATCH,
    DoNotContactReport,
    Rows,
    forecast_import,
    import_do_not_contact,
)
from backend.commands.do_not_contact_undo import UndoneDoNotContactImport, undo_do_not_contact_import, undo_forecast
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.events.facts.lead import LeadMerged
from backend.domain.events.facts.workspace import DoNotContactAdded
from backend.domain.people.contact_keys import company_key
from backend.domain.people.do_not_contact_file import DoNotContactRow
from backend.domain.people.lead_row import RejectedRow
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import hidden_code_points
from backend.runtime.run.campaign_runner import RunEnd
from backend.store.log.replay import find_differences
from backend.store.queries.people import do_not_contact, do_not_contact_imports
from tests.fakes.campaign import MESSAGE_ONLY, Killed, Stage, killed_after

COUNTED = ("people", "companies", "domains", "already", "rejected")


def person(key: str, line: int = 2) -> DoNotContactRow:
    return DoNotContactRow(line, "person", (key,), name="Ada", reason="asked")


def domain(name: str, line: int = 2) -> DoNotContactRow:
    return DoNotContactRow(line, "domain", (f"domain:{name}",))


def rejected(line: int = 2) -> RejectedRow:
    return RejectedRow(line, "?", "value_unclear", "It says nothing.")


def bring_in(stage: Stage, rows: Rows, file: str = "list.csv") -> DoNotContactReport:
    return import_do_not_contact(stage.journal, stage.clock, rows, file=file)


def undo(stage: Stage, report: DoNotContactReport) -> UndoneDoNotContactImport:
    return undo_do_not_contact_import(stage.journal, stage.clock, report.import_id)


def listed(stage: Stage) -> set[str]:
    return {key for (key,) in stage.query("SELECT member_key FROM do_not_contact WHERE status='active'")}


def counts(report: DoNotContactReport) -> tuple[int, ...]:
    return tuple(getattr(report, name) for name in COUNTED)


def campaign_of_one(stage: Stage) -> str:
    """A campaign whose only lead works at a sub-domain of acme.example, with a text that waits."""
    campaign = stage.campaign(1, settings=MESSAGE_ONLY, connected=True)
    lead = stage.one("SELECT id FROM leads")
    merged = LeadMerged(lead, profile_updated_at=1, email="Ada@Mail.Acme.example", company="Engines Ltd.")
    stage.journal.record(campaign, events=[merged], actor="user", cause="test", at=1)
    assert stage.run(campaign, approve=False).halt is RunEnd.NEEDS_APPROVAL
    message, text = stage.query("SELECT id, text FROM messages")[0]
    user = stage.commands()
    user.review.approve(
        campaign, message, shown_digest=user.review.digest(campaign, message), hidden_shown=hidden_code_points(text)
    )
    return campaign


KEYS: dict[str, Callable[[Stage], DoNotContactRow]] = {
    "profile": lambda stage: person(stage.one("SELECT profile_url FROM leads")),
    "e-mail": lambda _: person("ada@mail.acme.example"),
    "company": lambda _: DoNotContactRow(2, "company", (str(company_key("ENGINES")),)),
    "domain above theirs": lambda _: domain("acme.example"),
}


@pytest.mark.parametrize("kind", KEYS)
def test_whom_the_file_means_stops_at_once_and_goes_on_when_it_is_undone(stage: Stage, kind: str) -> None:
    campaign = campaign_of_one(stage)
    row = KEYS[kind](stage)
    forecast = stage.database.query(forecast_import, [row], file="list.csv")
    report = bring_in(stage, [row])
    assert (report.leads_stopped, report.messages_withdrawn) == (1, 1)
    assert (forecast.campaigns, forecast.messages_withdrawn) == (report.campaigns, 1)
    assert stage.query("SELECT blocked FROM leads") == [("do_not_contact",)]
    assert stage.query("SELECT status FROM messages") == [("cancelled",)]
    assert stage.query("SELECT status FROM tasks WHERE kind='reach_lead'") == [("cancelled",)]
    would = stage.database.query(undo_forecast, report.import_id)
    undone = undo(stage, report)
    assert undone == would
    assert (undone.entries, undone.released, undone.withdrawn) == (1, 1, 1)
    assert stage.query("SELECT blocked FROM leads") == [("",)]
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(stage.delivered()) == 1
    assert find_differences(stage.database) == []


def test_a_file_means_the_person_by_whichever_of_their_leads_it_knows_them(stage: Stage) -> None:
    stage.campaign(1, name="First")
    second = stage.campaign(1, name="Second", skip=5)
    (_, known_by), (other, other_key) = stage.query("SELECT id, member_key FROM leads ORDER BY campaign_id=?", second)
    stage.commands().people.answer_same([known_by, other_key], same=True)
    report = bring_in(stage, [person(known_by)])
    assert report.campaigns == {"First": 1, "Second": 1}
    (entry,) = stage.query("SELECT id FROM do_not_contact")
    stage.commands().workspace.remove_do_not_contact(*entry)
    assert stage.query("SELECT DISTINCT blocked FROM leads") == [("",)]
    report = bring_in(stage, [person(known_by)], file="again.csv")
    stage.commands().workspace.add_do_not_contact(other_key, "", "said so")
    with stage.database.read() as connection:
        would = undo_forecast(connection, report.import_id)
    assert (would.released, would.still_held) == (0, 2)
    assert undo(stage, report) == would
    assert stage.one("SELECT blocked FROM leads WHERE id=?", other) == "do_not_contact"


def test_undoing_counts_as_held_whom_an_erasure_keeps_on_the_list(stage: Stage) -> None:
    address = "https://www.linkedin.com/in/ada"
    ada = {"full_name": "Ada", "profile_url": address, "member_key": address, "company": "Acme", "position": 1}

    def campaign_with_ada(lead: str) -> str:
        made = stage.commands().campaigns.create(lead, "-", site="linkedin", account="me", settings=MESSAGE_ONLY)
        stage.note_elsewhere(made, Event("LeadImported", lead, ada))
        return made

    first = campaign_with_ada("ada-1")
    report = bring_in(stage, [person(address), DoNotContactRow(3, "company", (str(company_key("Acme")),))])
    stage.commands().people.erase(first, "ada-1")
    stage.note_elsewhere(campaign_with_ada("ada-2"), Event("LeadBlocked", "ada-2", {"blocked": "do_not_contact"}))
    undone = undo(stage, report)
    assert (undone.released, undone.still_held) == (0, 1)
    assert stage.one("SELECT blocked FROM leads WHERE id='ada-2'") == "do_not_contact"


def test_every_campaign_is_hit(stage: Stage) -> None:
    stage.campaign(2, name="First")
    stage.campaign(2, name="Second")
    key = stage.one("SELECT member_key FROM leads LIMIT 1")
    report = bring_in(stage, [person(key), rejected()])
    assert report.campaigns == {"First": 1, "Second": 1}
    assert counts(report) == (1, 0, 0, 0, 1)


def test_undoing_leaves_what_was_added_otherwise(stage: Stage) -> None:
    stage.commands().workspace.add_do_not_contact("before@x.io", "", "")
    first = bring_in(stage, [person("before@x.io"), person("after@x.io"), person("other@x.io"), person("alone@x.io")])
    assert counts(first) == (3, 0, 0, 1, 0)
    stage.commands().workspace.add_do_not_contact("after@x.io", "", "said so")
    bring_in(stage, [person("other@x.io")], file="another.csv")
    assert undo(stage, first).entries == 3
    assert listed(stage) == {"before@x.io", "after@x.io", "other@x.io"}
    with pytest.raises(OutriderError) as refused:
        undo(stage, first)
    assert refused.value.code == "do_not_contact_import_already_undone"


def test_whom_the_user_refuses_meanwhile_stays_refused(stage: Stage) -> None:
    campaign = campaign_of_one(stage)
    lead, key = stage.query("SELECT id, member_key FROM leads")[0]
    report = bring_in(stage, [person(key)])
    stage.commands().leads.do_not_contact(campaign, lead, "said no")
    assert (undo(stage, report).released, key in listed(stage)) == (0, True)
    assert stage.one("SELECT blocked FROM leads") == "do_not_contact"


def test_undoing_brings_back_nobody_whose_data_was_erased(stage: Stage) -> None:
    campaign = stage.campaign(1)
    lead, key = stage.query("SELECT id, member_key FROM leads")[0]
    report = bring_in(stage, [person(key)])
    stage.commands().people.erase(campaign, lead)
    assert undo(stage, report).released == 0
    assert stage.database.query(do_not_contact.listed, [key]) == {key}
    assert bring_in(stage, [person(key)], file="again.csv").already == 1, "their words do not come back"
    assert key not in listed(stage)


def test_the_same_file_again_lists_nobody_twice(stage: Stage) -> None:
    rows = [person("a@x.io"), person("b@x.io"), person("a@x.io"), domain("x.io")]
    assert counts(bring_in(stage, rows)) == (2, 0, 1, 1, 0)
    assert counts(bring_in(stage, rows)) == (0, 0, 0, 4, 0)
    assert stage.one("SELECT count(*) FROM do_not_contact") == 3


@pytest.mark.parametrize("batches", [0, 1, 2])
def test_a_cut_off_import_is_gone_on_with_and_undone_as_one(stage: Stage, batches: int) -> None:
    stage.campaign(1)
    rows = [person(stage.one("SELECT member_key FROM leads")), *(person(f"{n}@x.io", n) for n in range(BATCH + 5))]

    def cut_off(done: int) -> None:
        if done >= min(batches * BATCH, len(rows)):
            raise Killed

    def broken() -> Iterator[DoNotContactRow]:
        if batches == 0:
            raise Killed
        yield from rows

    with pytest.raises(Killed):
        import_do_not_contact(stage.journal, stage.clock, broken(), file="list.csv", on_progress=cut_off)
    assert stage.one("SELECT blocked FROM leads") == ""
    report = bring_in(stage, rows)
    assert (report.people, stage.one("SELECT count(*) FROM do_not_contact")) == (len(rows), len(rows))
    assert stage.one("SELECT blocked FROM leads") == "do_not_contact"
    assert undo(stage, report).entries == len(rows)
    assert (listed(stage), stage.one("SELECT blocked FROM leads")) == (set(), "")
    assert stage.one("SELECT count(*) FROM do_not_contact_imports") == 1
    assert find_differences(stage.database) == []


def test_an_undo_killed_between_any_two_transactions_and_repeated_counts_as_one_that_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(do_not_contact_undo, "BATCH", 2)
    monkeypatch.setattr(do_not_contact_imports, "LEADS_AT_ONCE", 2)
    expected: tuple[object, ...] | None = None
    for commits in itertools.chain([1_000], itertools.count()):
        stage = stage_of_five(tmp_path / str(commits))
        report = bring_in(stage, [person(key) for (key,) in stage.query("SELECT member_key FROM leads ORDER BY id")])
        undone = None
        with killed_after(commits, monkeypatch), suppress(Killed):
            undone = undo(stage, report)
        stage.reopen()
        is_killed = undone is None
        undone = undone or undo(stage, report)
        counted = undone, stage.query("SELECT entries_removed, leads_released FROM do_not_contact_imports")
        expected = expected or counted
        assert counted == expected, commits
        assert undone.entries == undone.released == 5
        assert undone.sent > 0
        assert find_differences(stage.database) == []
        stage.close()
        if not is_killed and commits < 1_000:
            break
    assert commits > 6


def stage_of_five(folder: Path) -> Stage:
    """A campaign of five people that has written to some."""
    folder.mkdir()
    stage = Stage(folder)
    campaign = stage.campaign(5, settings=MESSAGE_ONLY, connected=True)
    stage.runner().run(campaign)
    return stage


def test_entries_with_one_key_go_together_wherever_a_batch_ends(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    report = bring_in(stage, [person("a@x.io"), person("b@x.io")])
    twin = DoNotContactAdded("twin", member_key="a@x.io", name="", reason="", import_id=report.import_id, created_at=1)
    stage.journal.record(WORKSPACE, events=[twin], actor="user", cause="another device", at=1)
    monkeypatch.setattr("backend.commands.do_not_contact_undo.BATCH", 1)
    assert undo(stage, report).entries == 3
    assert listed(stage) == set()


def test_two_devices_that_import_the_same_file_have_one_list(stage: Stage) -> None:
    bring_in(stage, [person("a@x.io")], file="one.csv")
    bring_in(stage, [person("a@x.io")], file="two.csv")  # as the other device's entries arrive
    with stage.database.read() as connection:
        shown = do_not_contact.forbidden_people(connection, "", 10)
        assert [entry.member_key for entry in do_not_contact.exported_entries(connection, "", 10)] == ["a@x.io"]
    assert [entry.member_key for entry in shown] == ["a@x.io"]
    stage.commands().workspace.remove_do_not_contact(shown[0].id)
    assert listed(stage) == set(), "taken off means off"


ROWS = st.lists(
    st.one_of(
        st.integers(0, 6).map(lambda n: person(f"{n}@x.io")),
        st.integers(0, 3).map(lambda n: domain(f"{n}.io")),
        st.integers(0, 3).map(lambda n: DoNotContactRow(2, "company", (f"company:{n}", f"domain:{n}.io"))),
        st.just(rejected()),
    ),
    max_size=30,
)


@settings(max_examples=60, deadline=None)
@given(files=st.lists(ROWS, min_size=1, max_size=3))
def test_every_row_is_accounted_for_and_the_forecast_is_true(
    tmp_path_factory: pytest.TempPathFactory, files: list[list[DoNotContactRow | RejectedRow]]
) -> None:
    stage = Stage(tmp_path_factory.mktemp("rows"))
    try:
        all_keys: set[str] = set()
        for number, rows in enumerate(files):
            forecast = stage.database.query(forecast_import, rows, file=f"{number}.csv")
            report = bring_in(stage, rows, f"{number}.csv")
            assert counts(report) == counts(forecast)
            assert sum(counts(report)) == len(rows)
            all_keys |= {key for row in rows if isinstance(row, DoNotContactRow) for key in row.keys}
            assert listed(stage) == all_keys
    finally:
        stage.close()


def test_a_hundred_thousand_rows_take_bounded_memory_and_a_steady_time(stage: Stage) -> None:
    """A tenth of them, for the test's sake; each batch costs the same."""
    rows: Iterator[DoNotContactRow] = (person(f"{n}@x.io", n) for n in itertools.count())
    times: list[float] = []
    began = time.process_time()

    def note(_: int) -> None:
        nonlocal began
        times.append(time.process_time() - began)
        began = time.process_time()

    tracemalloc.start()
    report = import_do_not_contact(
        stage.journal, stage.clock, itertools.islice(rows, 5 * BATCH), file="big.csv", on_progress=note
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert report.people == 5 * BATCH
    assert min(times[2:]) < 3 * min(times[:2])
    assert peak < 40_000_000
