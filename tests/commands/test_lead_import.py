"""Importing: one person is one lead however often they come, nothing is lost, and the memory stays bounded."""

import gc
import json
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from backend.commands.do_not_contact_import import import_do_not_contact
from backend.commands.do_not_contact_undo import undo_do_not_contact_import
from backend.commands.import_undo import undo_import
from backend.commands.lead_import import BATCH, FUTURE, SELDOM, ImportReport, import_leads
from backend.domain.events.events import WORKSPACE
from backend.domain.events.facts.lead import LeadBlocked
from backend.domain.gates.gates import contact_refusal
from backend.domain.gates.person import HELD
from backend.domain.leads.lead_filter import LeadFilter
from backend.domain.leads.lead_merge import TAKEN_BACK
from backend.domain.model.days import in_utc
from backend.domain.people.contact_keys import company_key
from backend.domain.people.do_not_contact_file import DoNotContactRow
from backend.domain.people.lead_row import LeadRow, RejectedRow
from backend.domain.people.past_contact import CONNECTED_DATE_UNKNOWN, INVITED, PAST_CONTACT, WRITTEN_TO
from backend.runtime.run.campaign_runner import RunEnd
from backend.store.log.replay import find_differences
from backend.store.queries.contact import messages
from backend.store.queries.leads import imports
from backend.store.queries.people import people
from backend.turn.planner import NO_PROFILE
from tests.fakes.campaign import MESSAGE_ONLY, Killed, Stage


def person(k: int, **more: Any) -> LeadRow:
    fields: dict[str, Any] = {
        "line": k + 2,
        "raw": f"Ada {k},Lovelace\r\n",
        "full_name": f"Ada Lovelace {k}",
        "first_name": "Ada",
        "last_name": f"Lovelace {k}",
        "profile_url": f"https://www.linkedin.com/in/ada-{k}",
        "member_key": f"ada-{k}",
        "email": None,
        "company": f"Engines {k % 7}",
        "job_title": "Analyst",
        "connected_on": "2024-03-15",
        "extra": {},
    }
    return LeadRow(**{**fields, **more})


def bad(k: int) -> RejectedRow:
    return RejectedRow(
        line=k + 2, raw=f",,{k}\r\n", code="no_name", reason="The row has neither a first nor a last name."
    )


def bring_in(stage: Stage, campaign: str, rows: Iterable[LeadRow | RejectedRow], **more: Any) -> ImportReport:
    return import_leads(
        stage.journal, stage.clock, campaign, rows, file="Connections.csv", file_format="linkedin", **more
    )


@pytest.fixture
def campaign(stage: Stage) -> str:
    return stage.campaign(0)


def test_only_people_whom_the_filter_takes_are_brought_in_and_the_others_counted(stage: Stage, campaign: str) -> None:
    rows = [person(k, job_title="Editor" if k % 5 == 0 else "Cook") for k in range(BATCH + 10)]
    progress: list[int] = []
    lead_filter = LeadFilter(title="editor")
    report = bring_in(stage, campaign, [*rows, bad(1)], lead_filter=lead_filter, on_progress=progress.append)
    taken = (BATCH + 10) // 5
    assert (report.accepted, report.rejected, report.filtered_out) == (taken, 1, len(rows) - taken)
    assert progress[-1] == len(rows) + 1
    assert stage.query("SELECT DISTINCT job_title FROM leads") == [("Editor",)]
    assert stage.query("SELECT accepted, filtered_out FROM imports") == [(taken, report.filtered_out)]
    assert find_differences(stage.database) == []
    assert bring_in(stage, campaign, rows).accepted == len(rows) - taken, "without the filter the others come"
    few = bring_in(stage, campaign, rows, lead_filter=LeadFilter(title="editor"), max_leads=2)
    assert (few.unchanged, few.filtered_out) == (2, 8), "as far as it was read"


LEADS = "SELECT member_key, full_name, job_title, company, email FROM leads ORDER BY position"


def test_the_same_file_twice_changes_nothing(stage: Stage, campaign: str) -> None:
    rows = [person(k) for k in range(50)]
    assert bring_in(stage, campaign, rows).accepted == 50
    before = stage.query("SELECT * FROM leads ORDER BY id")
    again = bring_in(stage, campaign, rows)
    assert (again.accepted, again.merged, again.unchanged, again.rejected) == (0, 0, 50, 0)
    assert stage.query("SELECT * FROM leads ORDER BY id") == before


def test_a_newer_file_merges_what_is_new_and_keeps_what_it_does_not_say(stage: Stage, campaign: str) -> None:
    bring_in(stage, campaign, [person(1, email="ada@example.org"), person(2)])
    newer = bring_in(stage, campaign, [person(1, job_title="Countess", email=None), person(3)])
    assert (newer.accepted, newer.merged, newer.unchanged) == (1, 1, 0)
    assert stage.query(LEADS) == [
        ("ada-1", "Ada Lovelace 1", "Countess", "Engines 1", "ada@example.org"),
        ("ada-2", "Ada Lovelace 2", "Analyst", "Engines 2", ""),
        ("ada-3", "Ada Lovelace 3", "Analyst", "Engines 3", ""),
    ]


def test_a_merge_does_not_disturb_what_was_done_with_the_lead(stage: Stage) -> None:
    campaign = stage.campaign(2)
    stage.run(campaign, stop_after=15)
    query = "SELECT id, status, sequence_step, relation, invited_at FROM leads ORDER BY id"
    before = stage.query(query)
    rows = [
        person(k, member_key=card.slug, full_name=card.name, job_title="Somebody else now")
        for k, card in enumerate(stage.cards(2))
    ]
    assert bring_in(stage, campaign, rows).merged == 2
    assert stage.query(query) == before


@pytest.mark.parametrize("apart", [1, BATCH], ids=["in one batch", "in two batches"])
def test_a_person_twice_in_one_file_is_one_lead(stage: Stage, campaign: str, apart: int) -> None:
    rows = [person(k) for k in range(apart)] + [person(0)]
    result = bring_in(stage, campaign, rows)
    assert (result.accepted, result.unchanged) == (apart, 1)
    assert stage.one("SELECT count(*) FROM leads WHERE member_key='ada-0'") == 1


@pytest.mark.parametrize("apart", [1, BATCH], ids=["in one batch", "in two batches"])
def test_what_a_second_row_of_the_same_person_adds_is_kept(stage: Stage, campaign: str, apart: int) -> None:
    rows = [person(k) for k in range(apart)] + [person(0, email="ada@example.org")]
    result = bring_in(stage, campaign, rows)
    assert (result.accepted, result.merged) == (apart, 1)
    assert stage.one("SELECT email FROM leads WHERE member_key='ada-0'") == "ada@example.org"


def test_somebody_without_address_is_told_apart_by_name_company_and_date(stage: Stage, campaign: str) -> None:
    nobody = {"member_key": None, "profile_url": None}
    rows = [person(1, **nobody), person(1, **nobody), person(1, **nobody, company="Elsewhere")]
    result = bring_in(stage, campaign, rows)
    assert (result.accepted, result.unchanged) == (2, 1)


def test_the_same_person_in_two_campaigns_is_a_lead_in_each(stage: Stage, campaign: str) -> None:
    other = stage.campaign(0, name="other")
    assert bring_in(stage, campaign, [person(1)]).accepted == 1
    assert bring_in(stage, other, [person(1)]).accepted == 1


def test_an_import_that_was_cut_off_is_simply_repeated(stage: Stage, campaign: str) -> None:
    rows = [bad(k) if k % 100 == 0 else person(k) for k in range(3 * BATCH)]

    def cut_off() -> Iterator[LeadRow | RejectedRow]:
        yield from rows[: 2 * BATCH + 50]
        raise Killed

    with pytest.raises(Killed):
        bring_in(stage, campaign, cut_off())
    stage.reopen()
    good = sum(isinstance(row, LeadRow) for row in rows)
    there = stage.one("SELECT count(*) FROM leads")
    assert 0 < there < good
    again = bring_in(stage, campaign, rows)
    assert again.accepted == good - there
    assert again.unchanged == there
    assert stage.one("SELECT count(*), count(DISTINCT member_key) FROM leads") == good
    assert stage.query("SELECT finished_at IS NULL, rejected FROM imports") == [(0, len(rows) - good)]


def test_an_import_that_was_cut_off_and_repeated_does_not_store_its_rejected_rows_again(
    stage: Stage, campaign: str
) -> None:
    rows = [bad(k) if k % 100 == 0 else person(k) for k in range(3 * BATCH)]

    def cut_off() -> Iterator[LeadRow | RejectedRow]:
        yield from rows[: 2 * BATCH + 50]
        raise Killed

    for _ in range(2):
        with pytest.raises(Killed):
            bring_in(stage, campaign, cut_off())
        stage.reopen()
    bring_in(stage, campaign, rows)
    bad_rows = sum(isinstance(row, RejectedRow) for row in rows)
    assert stage.one("SELECT count(*) FROM rejected_rows") == bad_rows
    assert stage.one("SELECT count(DISTINCT import_id) FROM rejected_rows") == 1
    bring_in(stage, campaign, [bad(1)])
    assert stage.one("SELECT count(*) FROM rejected_rows") == bad_rows + 1, "a whole import has its own"


def test_an_import_that_was_cut_off_tells_what_came_of_it_whatever_its_file_is_called_later(
    stage: Stage, campaign: str
) -> None:
    rows = [bad(k) if k % 100 == 0 else person(k) for k in range(2 * BATCH)]

    def cut_off() -> Iterator[LeadRow | RejectedRow]:
        yield from rows[:BATCH]
        raise Killed

    def told() -> list[tuple[str, int, int, bool]]:
        rows = stage.database.query(imports.imports, campaign, "", 10)
        return [(row.file, row.accepted, row.rejected, row.finished_at is None) for row in rows]

    with pytest.raises(Killed):
        import_leads(stage.journal, stage.clock, campaign, cut_off(), file="a.csv", file_format="leads")
    stage.reopen()
    brought = ("a.csv", BATCH - BATCH // 100, BATCH // 100, True)
    assert told() == [brought]
    import_leads(stage.journal, stage.clock, campaign, rows, file="b.csv", file_format="leads")
    assert told() == [("b.csv", BATCH - BATCH // 100, 2 * BATCH // 100, False), brought]


@pytest.mark.parametrize("others", [0, 40])
def test_rejecting_asks_no_more_of_the_database_than_accepting_whatever_else_is_there(
    stage: Stage, campaign: str, others: int
) -> None:
    for number in range(others):
        made = stage.commands().campaigns.create_on_practice(f"Other {number}", "Learn", MESSAGE_ONLY)
        bring_in(stage, made, [person(k) for k in range(5)])

    def statements(rows: list[LeadRow | RejectedRow]) -> int:
        asked: list[str] = []
        writer = stage.database._writer
        writer.set_trace_callback(asked.append)
        bring_in(stage, campaign, rows)
        writer.set_trace_callback(None)
        return len(asked)

    accepted = statements([person(1_000 + k) for k in range(200)])
    rejected = statements([bad(k) for k in range(200)])
    assert rejected <= accepted


def test_the_counts_add_up_to_the_records_of_the_file(stage: Stage, campaign: str) -> None:
    rows = [bad(k) if k % 5 == 0 else person(k % 40) for k in range(100)]
    result = bring_in(stage, campaign, rows)
    assert result.accepted + result.merged + result.unchanged + result.rejected == 100
    assert stage.one("SELECT count(*) FROM leads") == result.accepted
    assert stage.one("SELECT count(*) FROM rejected_rows") == result.rejected == 20
    assert stage.query("SELECT accepted, merged, unchanged, rejected FROM imports") == [
        (result.accepted, result.merged, result.unchanged, result.rejected)
    ]
    assert stage.query("SELECT n FROM lead_counts WHERE status='pending'") == [(result.accepted,)]


def test_a_rejected_row_is_kept_word_for_word_with_its_line_and_reason(stage: Stage, campaign: str) -> None:
    odd = RejectedRow(
        line=7, raw='"\x00\ufeff\u202e,\t \U0001d54f"\r\n', code="bad_quotes", reason="The row has a quotation mark…"
    )
    bring_in(stage, campaign, [odd, person(1)])
    assert stage.query("SELECT line, raw, code, reason FROM rejected_rows") == [(7, odd.raw, odd.code, odd.reason)]


def test_only_so_many_good_rows_are_taken_when_asked(stage: Stage, campaign: str) -> None:
    rows: list[LeadRow | RejectedRow] = [bad(0), person(1), bad(2), person(3), person(4)]
    result = bring_in(stage, campaign, rows, max_leads=2)
    assert (result.accepted, result.rejected) == (2, 2)


def test_progress_is_told_batch_by_batch_after_it_is_on_disk(stage: Stage, campaign: str) -> None:
    reports: list[tuple[int, int]] = []
    bring_in(
        stage,
        campaign,
        (person(k) for k in range(2 * BATCH + 1)),
        on_progress=lambda done: reports.append((done, stage.one("SELECT count(*) FROM leads"))),
    )
    assert reports == [(BATCH, BATCH), (2 * BATCH, 2 * BATCH), (2 * BATCH + 1, 2 * BATCH + 1)]


def test_leads_can_be_added_while_the_campaign_is_under_way(stage: Stage) -> None:
    campaign = stage.campaign(2)
    stage.run(campaign, stop_after=20)
    cards = stage.cards(2, skip=10)
    rows = [
        person(k, full_name=card.name, profile_url=f"https://www.linkedin.com/in/{card.slug}", member_key=card.slug)
        for k, card in enumerate(cards)
    ]
    bring_in(stage, campaign, rows)
    stage.run(campaign)
    assert {entry.to for entry in stage.delivered()} == {card.slug for card in (*stage.cards(2), *cards)}
    assert stage.status(campaign) == "completed"


@pytest.mark.parametrize("count", [12_000, pytest.param(100_000, marks=pytest.mark.endurance)])
def test_a_large_file_streams_through_a_bounded_memory(stage: Stage, campaign: str, count: int) -> None:
    last = 12_000

    def peak(rows: int, skip: int) -> int:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        assert bring_in(stage, campaign, (person(skip + k) for k in range(rows))).accepted == rows
        return tracemalloc.get_traced_memory()[1] - before

    bring_in(stage, campaign, (person(k) for k in range(count - last)))
    tracemalloc.start()
    try:
        small = peak(2 * BATCH, count - last)
        large = peak(last - 2 * BATCH, count - last + 2 * BATCH)
    finally:
        tracemalloc.stop()
    assert stage.one("SELECT count(*) FROM leads") == count
    assert large < 1.5 * small, "as much for four batches as for two"
    assert large < 60_000_000


def test_somebody_on_the_do_not_contact_list_is_imported_as_blocked(stage: Stage) -> None:
    campaign = stage.campaign(0)
    row = LeadRow(2, "", "Ada One", "Ada", "One", "https://www.linkedin.com/in/ada", "ada", None, None, None, None, {})
    stage.commands().workspace.add_do_not_contact("ada", "Ada One", "asked not to be written to")
    import_leads(stage.journal, stage.clock, campaign, [row], file="x.csv", file_format="x")
    assert stage.query("SELECT blocked FROM leads") == [("do_not_contact",)]


URL = "https://www.linkedin.com/in/ada"
BY_MAIL: dict[str, Any] = {"profile_url": None, "member_key": "ada@example.org", "email": "Ada@Example.org"}
BY_PROFILE: dict[str, Any] = {"profile_url": URL, "member_key": URL, "email": "ada@example.ORG"}


@pytest.mark.parametrize("files", [1, 2])
def test_a_person_without_profile_and_the_same_address_with_one_become_one_lead(
    stage: Stage, campaign: str, files: int
) -> None:
    rows: list[LeadRow | RejectedRow] = [person(1, **BY_MAIL, extra={"City": "Bern"}), person(1, **BY_PROFILE)]
    for part in [rows] if files == 1 else [rows[:1], rows[1:]]:
        bring_in(stage, campaign, part)
    assert stage.query("SELECT profile_url, member_key, extra FROM leads") == [(URL, URL, '{"City":"Bern"}')]
    assert bring_in(stage, campaign, rows).unchanged + bring_in(stage, campaign, rows).unchanged >= 2
    assert stage.one("SELECT count(*) FROM leads") == 1


@pytest.mark.parametrize("files", [1, 2])
def test_each_of_two_who_share_an_address_is_known_again_by_it_with_their_name(
    stage: Stage, campaign: str, files: int
) -> None:
    mail = {"email": "office.berg@acme.example"}
    ada, bea = (
        {"profile_url": f"{URL}-{name}", "member_key": f"{URL}-{name}", "full_name": f"{name} Berg"} | mail
        for name in ("Ada", "Bea")
    )
    by_mail = {"profile_url": None, "member_key": mail["email"]}
    rows = [person(1, **ada), person(2, **bea), person(3, **bea | by_mail, job_title="CTO")]
    for part in [rows] if files == 1 else [rows[:2], rows[2:]]:
        bring_in(stage, campaign, part)
    assert stage.query("SELECT full_name, job_title FROM leads ORDER BY id") == [
        ("Ada Berg", "Analyst"), ("Bea Berg", "CTO"),
    ]  # fmt: skip


def test_two_profiles_with_one_address_are_two_people(stage: Stage, campaign: str) -> None:
    other = {**BY_PROFILE, "profile_url": f"{URL}-2", "member_key": f"{URL}-2"}
    assert bring_in(stage, campaign, [person(1, **BY_PROFILE), person(2, **other)]).accepted == 2
    assert bring_in(stage, campaign, [person(3, **BY_MAIL)]).accepted == 1, "whose of the two it is, nobody knows"


def test_tags_of_a_file_join_those_that_are_there(stage: Stage, campaign: str) -> None:
    bring_in(stage, campaign, [person(1, tags=("warm",))])
    bring_in(stage, campaign, [person(1, tags=("WARM", "fair"))])
    assert stage.query("SELECT tags FROM leads") == [('["warm","fair"]',)]


def test_who_had_no_profile_address_and_gets_one_is_not_left_aside_any_more(stage: Stage, campaign: str) -> None:
    bring_in(stage, campaign, [person(1, **BY_MAIL)])
    (lead_id,) = stage.query("SELECT id FROM leads")[0]
    stage.journal.record(
        campaign, events=[LeadBlocked(lead_id, blocked=NO_PROFILE)], actor="controller", cause="t", at=1
    )
    bring_in(stage, campaign, [person(1, **BY_PROFILE)])
    assert stage.query("SELECT blocked FROM leads") == [("",)]


@pytest.mark.parametrize(
    "entry", ["company:engines 1", "domain:example.org", "ada@example.org", URL], ids=lambda entry: str(entry)[:8]
)
def test_whoever_the_list_means_is_imported_as_blocked(stage: Stage, campaign: str, entry: str) -> None:
    stage.commands().workspace.add_do_not_contact(entry, "", "")
    bring_in(stage, campaign, [person(1, **{**BY_PROFILE, "company": "Engines 1 Ltd."}), person(2)])
    assert stage.query("SELECT blocked FROM leads ORDER BY position") == [("do_not_contact",), ("",)]


def test_a_connection_that_is_yet_to_come_connects_nobody_and_is_kept(stage: Stage, campaign: str) -> None:
    bring_in(stage, campaign, [person(1, connected_on="2099-03-15")])
    ((date, extra),) = stage.query("SELECT connected_on, extra FROM leads")
    assert (date, json.loads(extra)) == (None, {FUTURE: "2099-03-15"})


def test_the_reading_of_a_lead_file_is_in_the_audit_log_from_its_beginning(stage: Stage, campaign: str) -> None:
    def cut_off() -> Iterator[LeadRow | RejectedRow]:
        yield person(0)
        raise Killed

    with pytest.raises(Killed):
        bring_in(stage, campaign, cut_off())
    bring_in(stage, campaign, [person(0), person(1)])
    entries = [json.loads(payload) for _, payload in stage.audits(campaign, "file.read")]
    assert [entry["outcome"] for entry in entries] == ["opened", "opened", "2 rows"]
    assert all(entry["parameters"] == {"file": "Connections.csv", "format": "linkedin"} for entry in entries)


def test_the_garbage_collector_runs_seldom_during_an_import_and_as_before_after_it(stage: Stage, campaign: str) -> None:
    before, during = gc.get_threshold(), list[int]()
    bring_in(stage, campaign, [person(1)], on_progress=lambda _: during.append(gc.get_threshold()[0]))
    assert (during, gc.get_threshold()) == ([SELDOM], before)

    def stop(_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bring_in(stage, campaign, [person(2)], on_progress=stop)
    assert gc.get_threshold() == before


def by_company(stage: Stage, _: str, __: str) -> Callable[[], object]:
    """On the list because of where they work."""
    rows = [DoNotContactRow(2, "company", (str(company_key("Engines 1")),))]
    report = import_do_not_contact(stage.journal, stage.clock, rows, file="list.csv")
    return lambda: undo_do_not_contact_import(stage.journal, stage.clock, report.import_id)


def skipped(stage: Stage, campaign: str, lead: str) -> Callable[[], object]:
    stage.commands().lead_groups.skip(campaign, [lead])
    return lambda: stage.commands().lead_groups.take_up(campaign, [lead])


def taken_back(stage: Stage, campaign: str, _: str) -> Callable[[], object]:
    """The import that brought them is undone after the file, and they are brought again."""
    import_id = stage.one("SELECT import_id FROM leads")

    def and_brought_again() -> None:
        undo_import(stage.journal, stage.clock, campaign, import_id)
        assert stage.one("SELECT blocked FROM leads") == TAKEN_BACK
        bring_in(stage, campaign, [person(1)])

    return and_brought_again


@pytest.mark.parametrize("block", [by_company, skipped, taken_back])
def test_what_a_file_says_of_earlier_contact_outlives_every_other_reason_to_leave_somebody_out(
    stage: Stage, campaign: str, block: Callable[[Stage, str, str], Callable[[], object]]
) -> None:
    bring_in(stage, campaign, [person(1)])
    end_it = block(stage, campaign, stage.one("SELECT id FROM leads"))
    bring_in(stage, campaign, [person(1, extra={PAST_CONTACT: "you wrote"})])
    end_it()
    assert stage.one("SELECT blocked FROM leads") == WRITTEN_TO


def test_a_file_about_somebody_who_was_moved_away_is_heard_where_they_are(stage: Stage, campaign: str) -> None:
    other = stage.campaign(0, name="Other")
    bring_in(stage, campaign, [person(1)])
    stage.commands().lead_groups.move(campaign, [stage.one("SELECT id FROM leads")], other)
    bring_in(stage, campaign, [person(1, extra={PAST_CONTACT: "you wrote"})])
    moved = stage.database.query(people.several, stage.one("SELECT id FROM leads WHERE campaign_id=?", other))
    assert contact_refusal(moved, stage.clock.now(), in_utc) is not None


def test_undoing_the_file_that_said_it_lets_them_go_unless_another_file_says_it_too(
    stage: Stage, campaign: str
) -> None:
    bring_in(stage, campaign, [person(1), person(2, extra={PAST_CONTACT: "invited"})])
    extra = {PAST_CONTACT: "you wrote"}
    report = bring_in(stage, campaign, [person(1, extra=extra), person(2, extra=extra)])
    undo_import(stage.journal, stage.clock, campaign, report.import_id)
    assert stage.query("SELECT blocked FROM leads ORDER BY member_key") == [("",), (INVITED,)]


LISTED = "SELECT member_key, name, reason, status FROM do_not_contact ORDER BY member_key, id"


def test_who_refused_by_the_file_goes_on_the_do_not_contact_list_and_is_left_out(stage: Stage, campaign: str) -> None:
    refused = person(1, email="Ada@Example.org", refused="Do Not Contact: true", extra={PAST_CONTACT: "you wrote"})
    report = bring_in(stage, campaign, [refused, person(2)])
    assert (report.accepted, report.listed) == (2, 1)
    assert stage.query("SELECT member_key, blocked FROM leads ORDER BY member_key") == [
        ("ada-1", "do_not_contact"),
        ("ada-2", ""),
    ]
    assert stage.query(LISTED) == [
        ("ada-1", "Ada Lovelace 1", "Connections.csv, Do Not Contact: true", "active"),
        ("ada@example.org", "Ada Lovelace 1", "Connections.csv, Do Not Contact: true", "active"),
    ]
    assert find_differences(stage.database) == []


@pytest.mark.parametrize("blocked", ["", NO_PROFILE, *sorted(HELD)])
def test_a_later_file_that_knows_somebody_from_before_is_heard_also_while_they_are_held(
    stage: Stage, campaign: str, blocked: str
) -> None:
    bring_in(stage, campaign, [person(1)])
    lead = stage.one("SELECT id FROM leads")
    events = [LeadBlocked(lead, blocked=blocked)] if blocked else []
    stage.journal.record(campaign, events=events, actor="controller", cause="plan", at=1)
    bring_in(stage, campaign, [person(1, extra={PAST_CONTACT: "you wrote"})])
    assert stage.one("SELECT blocked FROM leads") == WRITTEN_TO


@pytest.mark.parametrize("approve", [False, True], ids=["in Review", "approved"])
def test_a_file_that_knows_somebody_from_before_ends_what_was_planned_for_them(stage: Stage, *, approve: bool) -> None:
    campaign = stage.campaign(1)
    stage.run(campaign, approve=False)
    assert stage.query("SELECT status FROM messages") == [("draft",)]
    if approve:
        stage.approve(campaign, stage.database.query(messages.drafts, campaign))
    name, url, key = stage.query("SELECT full_name, profile_url, member_key FROM leads")[0]
    row = person(1, full_name=name, profile_url=url, member_key=key, extra={PAST_CONTACT: "you wrote"})
    bring_in(stage, campaign, [row])
    assert stage.query("SELECT blocked FROM leads") == [(WRITTEN_TO,)]
    assert stage.query("SELECT status FROM messages") == [("cancelled",)]
    assert stage.query("SELECT status FROM tasks WHERE lead_id IS NOT NULL") == [("cancelled",)]
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert find_differences(stage.database) == []


@pytest.mark.parametrize("with_the_address", [True, False], ids=["the same file", "an earlier file"])
def test_an_address_that_a_file_brings_does_not_let_go_whom_a_file_knows_from_before(
    stage: Stage, campaign: str, *, with_the_address: bool
) -> None:
    bring_in(stage, campaign, [person(1, **BY_MAIL)])
    left_aside = [LeadBlocked(stage.one("SELECT id FROM leads"), blocked=NO_PROFILE)]
    stage.journal.record(campaign, events=left_aside, actor="controller", cause="plan", at=1)
    if not with_the_address:
        bring_in(stage, campaign, [person(1, **BY_MAIL, extra={PAST_CONTACT: "you wrote"})])
    bring_in(stage, campaign, [person(1, **BY_PROFILE, extra={PAST_CONTACT: "you wrote"} if with_the_address else {})])
    assert stage.query("SELECT profile_url, blocked FROM leads") == [(URL, WRITTEN_TO)]


def test_the_list_and_the_leads_of_a_batch_are_one_transaction(stage: Stage, campaign: str) -> None:
    before = stage.journal.commits
    bring_in(stage, campaign, [person(1, refused="DNC: x")])
    assert stage.journal.commits - before == 3  # begun, the batch, finished
    streams = stage.query(
        "SELECT campaign_id FROM event_log WHERE kind IN ('LeadImported', 'DoNotContactAdded') ORDER BY 1"
    )
    assert {stream for (stream,) in streams} == {campaign, WORKSPACE}


def test_the_same_file_twice_lists_nobody_twice(stage: Stage, campaign: str) -> None:
    rows = [person(1, refused="DNC: x"), person(1, refused="DNC: x")]
    assert bring_in(stage, campaign, rows).listed == 1
    assert stage.one("SELECT count(*) FROM do_not_contact") == 1


def test_somebody_who_is_on_the_users_list_already_stays_there_once(stage: Stage, campaign: str) -> None:
    stage.commands().workspace.add_do_not_contact("ada-1", "Ada", "She asked.")
    assert bring_in(stage, campaign, [person(1, refused="DNC: x")]).listed == 0
    assert stage.query("SELECT member_key, reason FROM do_not_contact") == [("ada-1", "She asked.")]


def test_a_known_lead_who_refused_by_a_later_file_gets_nothing_more(stage: Stage) -> None:
    campaign = stage.campaign(2)
    stage.run(campaign, approve=False, stop_after=25)
    assert stage.one("SELECT count(*) FROM messages WHERE status='draft'") > 0
    rows = [
        person(k, member_key=card.slug, full_name=card.name, refused="Opted out: yes")
        for k, card in enumerate(stage.cards(2))
    ]
    assert bring_in(stage, campaign, rows).listed == 2
    assert stage.query("SELECT DISTINCT blocked FROM leads") == [("do_not_contact",)]
    assert stage.one("SELECT count(*) FROM messages WHERE status='draft'") == 0


def test_another_row_of_somebody_who_refused_is_left_out_too(stage: Stage, campaign: str) -> None:
    first = person(1, email="ada@example.org", refused="DNC: x")
    bring_in(stage, campaign, [first, person(2, email="ada@example.org")])
    assert {blocked for (blocked,) in stage.query("SELECT blocked FROM leads")} == {"do_not_contact"}


def test_who_is_connected_without_a_date_is_connected_in_the_campaign(stage: Stage, campaign: str) -> None:
    bring_in(
        stage,
        campaign,
        [person(1, connected_on=None, connected=True), person(2, connected_on="2999-01-01", connected=True)],
    )
    assert stage.query("SELECT connected_on FROM leads ORDER BY member_key") == [(CONNECTED_DATE_UNKNOWN,)] * 2


def test_a_known_day_of_connection_is_not_forgotten_for_an_unknown_one_but_found_later(
    stage: Stage, campaign: str
) -> None:
    bring_in(stage, campaign, [person(1), person(2, connected_on=None, connected=True)])
    bring_in(stage, campaign, [person(1, connected_on=None, connected=True), person(2)])
    assert stage.query("SELECT connected_on FROM leads ORDER BY member_key") == [("2024-03-15",)] * 2


def test_a_file_that_was_chosen_before_an_erasure_brings_nobody_back_whom_it_erased(stage: Stage) -> None:
    campaign = stage.campaign(0)
    bring_in(stage, campaign, [person(1)])
    chosen = stage.clock.now()
    stage.clock.advance(1_000)
    stage.commands().people.erase(campaign, str(stage.one("SELECT id FROM leads")))
    stage.clock.advance(1_000)
    report = bring_in(stage, campaign, [person(1), person(2)], asked_at=chosen)
    assert (report.accepted, report.unchanged) == (1, 1)
    names = [name for (name,) in stage.query("SELECT full_name FROM leads ORDER BY id")]
    assert (len(names), person(1).full_name in names) == (2, False)
    bring_in(stage, campaign, [person(1)], asked_at=stage.clock.now())
    assert stage.query("SELECT blocked FROM leads WHERE full_name=?", person(1).full_name) == [("do_not_contact",)]
