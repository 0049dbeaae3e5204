"""An import, or its undoing, that is killed between any two transactions and repeated: the same leads and counts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backend.commands import lead_import
from backend.commands.import_undo import undo_import
from backend.store.log.replay import find_differences
from backend.store.queries.leads import imports
from tests.commands.test_lead_import import bring_in, person
from tests.fakes.campaign import Killed, Stage, killed_after

Step = Callable[[Stage, str], object]
OLD = [person(k) for k in range(6)]
NEW = [person(k, job_title=f"Chief {k}", email=f"p{k}@x.example") for k in range(6)] + [person(k) for k in range(6, 17)]
LEADS = "SELECT member_key, job_title, email, blocked FROM leads ORDER BY member_key"


def imported(rows: list[Any]) -> Step:
    return lambda stage, campaign: bring_in(stage, campaign, rows)


def undone(which: int) -> Step:
    """The campaign's first import, or its second one."""

    def undo(stage: Stage, campaign: str) -> None:
        undo_import(stage.journal, stage.clock, campaign, import_rows(stage, campaign)[which].id)

    return undo


def import_rows(stage: Stage, campaign: str) -> list[imports.ImportRow]:
    """What each import says of itself, in their order."""
    return stage.database.query(imports.imports, campaign, "", 10)[::-1]


def counts(stage: Stage, campaign: str) -> list[tuple[int, ...]]:
    return [
        (
            row.accepted, row.merged, row.unchanged, row.rejected, row.filtered_out,
            row.taken_back, row.kept, row.restored, row.unlisted,
        )
        for row in import_rows(stage, campaign)
    ]  # fmt: skip


def stage_in(folder: Path) -> Stage:
    folder.mkdir()
    return Stage(folder)


@pytest.mark.parametrize(
    ("before", "step"),
    [
        ([imported(OLD)], imported(NEW)),
        ([imported(OLD), imported(NEW)], undone(0)),
        ([imported(OLD), imported(NEW)], undone(1)),
        ([imported(OLD), imported(NEW), undone(1)], imported(NEW)),
    ],
    ids=["import", "undoing the first", "undoing the second", "import of what was undone"],
)
def test_killed_anywhere_and_repeated_it_is_as_if_it_had_not_been_killed(
    tmp_path: Path, before: list[Step], step: Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lead_import, "BATCH", 4)
    whole = stage_in(tmp_path / "whole")
    campaign = whole.campaign(0)
    for earlier in (*before, step):
        earlier(whole, campaign)
    expected = whole.query(LEADS), counts(whole, campaign)
    whole.close()
    commits, is_killed = 0, True
    while is_killed:
        stage = stage_in(tmp_path / str(commits))
        campaign = stage.campaign(0)
        for earlier in before:
            earlier(stage, campaign)
        with killed_after(commits, monkeypatch):
            try:
                step(stage, campaign)
                is_killed = False
            except Killed:
                pass  # again, below
        stage.reopen()
        if is_killed:
            step(stage, campaign)
        assert (stage.query(LEADS), counts(stage, campaign)) == expected, commits
        assert find_differences(stage.database) == []
        stage.close()
        commits += 1
    assert commits > 4


def test_an_import_that_was_cut_off_and_undone_comes_again_as_a_new_one_that_can_be_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lead_import, "BATCH", 4)
    stage = Stage(tmp_path)
    campaign = stage.campaign(0)
    with killed_after(3, monkeypatch), pytest.raises(Killed):
        bring_in(stage, campaign, NEW)
    stage.reopen()
    undone(0)(stage, campaign)
    bring_in(stage, campaign, NEW)
    assert [row.undone_at is None for row in import_rows(stage, campaign)] == [False, True]
    undone(1)(stage, campaign)
    assert {blocked for *_, blocked in stage.query(LEADS)} == {"import_undone"}
    stage.close()
