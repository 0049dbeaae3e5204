"""What a file says of earlier contact is known on every device, whichever of them recorded first what else became of the lead."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.commands.import_undo import undo_import
from backend.commands.lead_import import import_leads
from backend.domain.events.facts.lead import LeadScored
from backend.domain.events.facts.task import TaskAdvanced, TaskBlocked
from backend.domain.model.lead import Label
from backend.domain.model.task import ActionFamily
from backend.domain.people.lead_row import LeadRow
from backend.domain.people.past_contact import PAST_CONTACT
from backend.domain.values.errors import OutriderError
from backend.store.queries.leads import imports
from backend.store.queries.people import people
from tests.fakes.campaign import ONE_STEP, Stage
from tests.fakes.pair import Pair

PAST = {PAST_CONTACT: "invited 2024-01-03"}


class Apart(Pair):
    """With one person, whom nobody was in touch with; the devices do not hear of each other until they synchronise."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, lambda desk: desk.campaign(1, settings=ONE_STEP))
        self.lead = self.stages[0].one("SELECT id FROM leads")

    def imported(
        self,
        stage: Stage,
        extra: dict[str, str],
        *,
        company: str = "",
        skip: int = 0,
        refused: str = "",
        into: str = "",
    ) -> str:
        """A file about the person, or the next one, that was read there; its import."""
        (card,) = stage.cards(1, skip=skip)
        profile, columns = f"https://www.linkedin.com/in/{card.slug}", (None, None, extra)
        row = LeadRow(2, "", card.name, "", "", profile, card.slug, None, company, *columns, refused=refused)
        return import_leads(
            stage.journal, stage.clock, into or self.campaign, [row], file="a.csv", file_format="mapped"
        ).import_id

    def extra(self, skip: int = 0) -> dict[str, str]:
        """The further columns of the one lead, the same on both devices."""
        first, second = (
            stage.query("SELECT extra, company FROM leads ORDER BY position, id")[skip] for stage in self.stages
        )
        assert first == second
        columns: dict[str, str] = json.loads(first[0])
        return columns

    def report(self, import_id: str) -> tuple[int, int, int]:
        """(New, merged, unchanged), the same on both devices."""
        first, second = (stage.database.query(imports.find, self.campaign, import_id) for stage in self.stages)
        assert first is not None
        assert first == second
        return first.accepted, first.merged, first.unchanged


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[Apart]:
    made = Apart(tmp_path)
    yield made
    made.close()


def planned(apart: Apart) -> None:
    apart.stages[0].run(apart.campaign, approve=False)


def approved(apart: Apart) -> None:
    planned(apart)
    message = apart.stages[0].one("SELECT id FROM messages")
    apart.desk.review.approve(apart.campaign, message, shown_digest=apart.desk.review.digest(apart.campaign, message))


def known_better(apart: Apart) -> None:
    apart.imported(apart.stages[0], {"Phone": "1"}, company="Acme")


def noted(apart: Apart) -> None:
    apart.desk.leads.note(apart.campaign, apart.lead, "Met in Oslo")


@pytest.mark.parametrize("meanwhile", [planned, approved, known_better, noted])
def test_nobody_whom_a_file_read_here_knows_is_written_to_although_another_device_changed_the_lead(
    apart: Apart, meanwhile: Callable[[Apart], None]
) -> None:
    meanwhile(apart)
    import_id = apart.imported(apart.stages[1], PAST)
    apart.synchronise()
    assert apart.extra()[PAST_CONTACT] == PAST[PAST_CONTACT]
    assert apart.report(import_id) == (0, 1, 0)
    apart.stages[0].run(apart.campaign, approve=False)
    assert apart.stages[0].received() == []
    for (message,) in apart.stages[0].query("SELECT id FROM messages WHERE status='draft'"):
        shown = apart.desk.review.digest(apart.campaign, message)
        with pytest.raises(OutriderError, match="person_held"):
            apart.desk.review.approve(apart.campaign, message, shown_digest=shown)
    assert apart.conflicts() == []


@pytest.mark.parametrize(
    ("extra", "refused", "blocked"),
    [
        (PAST, "", "invited_before"),
        ({PAST_CONTACT: "they wrote 2023-05-06"}, "", "answered_before"),
        ({PAST_CONTACT: "you wrote 2023-05-06"}, "", "written_to_before"),
        ({"Do not contact": "yes"}, "Do not contact", "do_not_contact"),
    ],
)
@pytest.mark.parametrize("waits", [False, True])
def test_the_task_of_whom_a_file_read_here_leaves_out_ends_although_another_device_went_on_with_it(
    apart: Apart, extra: dict[str, str], refused: str, blocked: str, waits: bool
) -> None:
    planned(apart)
    apart.synchronise()
    desk = apart.stages[0]
    task = desk.one("SELECT id FROM tasks WHERE kind='reach_lead'")
    went_on = TaskBlocked(task, reason="?") if waits else TaskAdvanced(task, needs=ActionFamily.LOOK, ready_at=7)
    desk.journal.record(apart.campaign, events=[went_on], actor="controller", cause="t", at=desk.clock.now())
    apart.imported(apart.stages[1], extra, refused=refused)
    apart.synchronise()
    for stage in apart.stages:
        assert stage.query("SELECT blocked FROM leads") == [(blocked,)]
        assert stage.query("SELECT status FROM tasks WHERE kind='reach_lead'") == [("cancelled",)]
        assert stage.query("SELECT status FROM messages WHERE status NOT IN ('cancelled', 'rejected')") == []


def test_what_another_device_s_file_says_of_the_person_stays_and_is_added_to(apart: Apart) -> None:
    apart.imported(apart.stages[0], {PAST_CONTACT: "they wrote 2023-05-06", "Phone": "1"}, company="Acme")
    import_id = apart.imported(apart.stages[1], PAST | {"Phone": "2", "Met at": "a fair"}, company="Other")
    apart.synchronise()
    assert apart.extra() == {
        PAST_CONTACT: "they wrote 2023-05-06; invited 2024-01-03",
        "Phone": "1",
        "Met at": "a fair",
    }
    assert apart.stages[1].one("SELECT company FROM leads") == "Acme"
    assert apart.report(import_id) == (0, 1, 0)
    (later,) = apart.stages[1].query("SELECT later FROM merged_rows WHERE import_id=?", import_id)
    assert json.loads(later[0]).keys() == {f"extra:{PAST_CONTACT}", "extra:Met at"}


def test_whoever_another_device_imported_first_is_known_as_this_device_s_file_knows_them(apart: Apart) -> None:
    apart.imported(apart.stages[0], {}, skip=1)
    import_id = apart.imported(apart.stages[1], PAST, skip=1)
    apart.synchronise()
    assert apart.extra(skip=1) == PAST
    assert apart.report(import_id) == (0, 1, 0)
    (person,) = apart.stages[0].cards(1, skip=1)
    apart.stages[0].run(apart.campaign)
    assert person.slug not in str(apart.stages[0].received())


def test_a_file_that_said_the_same_as_another_device_s_is_reported_as_nothing_new(apart: Apart) -> None:
    apart.imported(apart.stages[0], PAST)
    import_id = apart.imported(apart.stages[1], PAST)
    apart.synchronise()
    assert apart.report(import_id) == (0, 0, 1)
    assert apart.stages[1].query("SELECT 1 FROM merged_rows WHERE import_id=?", import_id) == []


def test_what_passed_with_somebody_whom_another_device_wrote_to_stands_in_their_own_history(apart: Apart) -> None:
    apart.stages[0].run(apart.campaign)
    assert len(apart.stages[0].received()) == 1
    import_id = apart.imported(apart.stages[1], PAST)
    apart.synchronise()
    assert apart.extra() == {}
    assert apart.report(import_id) == (0, 0, 1)
    assert apart.stages[1].one("SELECT blocked FROM leads") == ""


def test_a_reply_that_a_file_tells_of_is_kept_of_whomever_another_device_wrote_to(apart: Apart) -> None:
    apart.stages[0].run(apart.campaign)
    apart.imported(apart.stages[1], {PAST_CONTACT: "they wrote 2024-01-03; you wrote 2024-01-02"})
    apart.synchronise()
    assert apart.extra() == {PAST_CONTACT: "they wrote 2024-01-03"}


def imported_as(stage: Stage, campaign: str, name: str, key: str, *, extra: dict[str, str], twice: bool = False) -> str:
    """A file that names one person, at an address that somebody else may have by now; its import."""
    row = LeadRow(2, "", name, "", "", f"https://www.linkedin.com/in/{key}", key, None, "", None, None, extra)
    rows = [row, row._replace(line=3, extra={**extra, "Phone": "3"})] if twice else [row]
    return import_leads(stage.journal, stage.clock, campaign, rows, file="b.csv", file_format="mapped").import_id


@pytest.mark.parametrize("extra", [{}, PAST])
@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("again", [False, True])
def test_whoever_a_file_names_at_an_address_that_another_device_gave_to_somebody_else_is_a_lead_of_their_own(
    apart: Apart, extra: dict[str, str], *, twice: bool, again: bool
) -> None:
    imported_as(apart.stages[0], apart.campaign, "Maria Bianchi", "team-page", extra={})
    if again:  # both, in the same order of names
        imported_as(apart.stages[0], apart.campaign, "Jonas Weber", "team-page", extra={})
    import_id = imported_as(apart.stages[1], apart.campaign, "Jonas Weber", "team-page", extra=extra, twice=twice)
    apart.synchronise()
    for stage in apart.stages:
        people = stage.query("SELECT full_name, member_key FROM leads WHERE member_key LIKE 'team-page%' ORDER BY 1")
        assert people == [("Jonas Weber", "team-page#jonas weber"), ("Maria Bianchi", "team-page")]
        (columns,) = stage.query("SELECT extra FROM leads WHERE full_name='Jonas Weber'")
        assert json.loads(columns[0]) == extra | ({"Phone": "3"} if twice else {})
    accepted, merged, unchanged = apart.report(import_id)
    assert accepted + merged + unchanged == 1 + twice
    assert accepted == (not again)
    assert apart.conflicts() == []


@pytest.mark.parametrize(("extra", "blocked"), [(PAST, "invited_before"), ({"Phone": "1"}, "")])
def test_whoever_a_file_brings_back_after_an_undo_is_there_although_another_device_changed_the_lead(
    apart: Apart, extra: dict[str, str], blocked: str
) -> None:
    undone = apart.imported(apart.stages[0], {}, skip=1)
    undo_import(apart.stages[0].journal, apart.stages[0].clock, apart.campaign, undone)
    apart.synchronise()
    lead = apart.stages[0].one("SELECT id FROM leads WHERE blocked='import_undone'")
    desk = apart.stages[0]
    scored = [LeadScored(lead, weight_score=7)]
    desk.journal.record(apart.campaign, events=scored, actor="controller", cause="t", at=desk.clock.now())
    import_id = apart.imported(apart.stages[1], extra, skip=1)
    apart.synchronise()
    for stage in apart.stages:
        assert stage.query("SELECT blocked, weight_score FROM leads WHERE id=?", lead) == [(blocked, 7)]
    assert apart.extra(1) == extra
    assert apart.report(import_id) == (1, 0, 0)


@pytest.mark.parametrize("undone_first", [True, False])
def test_a_no_holds_although_another_device_takes_the_import_back_that_brought_them(
    apart: Apart, undone_first: bool
) -> None:
    desk, _ = apart.stages
    brought = apart.imported(desk, {}, skip=1)
    apart.synchronise()
    lead = desk.one("SELECT id FROM leads WHERE import_id=?", brought)
    apart.laptop.replies.label(apart.campaign, lead, Label.NO)
    undo_import(desk.journal, desk.clock, apart.campaign, brought)
    apart.engines[0 if undone_first else 1].run_round()
    apart.synchronise()
    other = desk.campaign(0, name="other")
    apart.imported(desk, {}, skip=1, into=other)
    again = desk.database.query(people.person, desk.one("SELECT id FROM leads WHERE campaign_id=?", other))
    assert again is not None
    assert again.refused_in is not None
    assert apart.conflicts() == []
