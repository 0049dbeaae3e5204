"""A hostile model for a thousand turns: every wrong reply is refused with its own code, and nothing of it is carried out."""

import json
from collections import Counter
from collections.abc import Callable
from operator import itemgetter
from typing import Any, NamedTuple

import pytest

from backend.adapters.llm.scripted import ScriptedProposer
from backend.domain.model.campaign import DAY
from backend.domain.turn.proposals import COULD_NOT_BE_READ, REJECTIONS
from backend.store.queries.contact import messages
from backend.turn import planner
from backend.turn.loop import NothingEligible, TurnReport
from backend.turn.verifier import verify_waiting
from tests.fakes.campaign import LOGS, Stage
from tests.fakes.hostile import ACCEPTED, HostileProposer, World
from tests.fakes.proposers import MockProposer, Reply
from tests.fakes.stages import Stages
from tests.turn.test_whole_campaign import MANY

BOOKKEEPING = frozenset({"turn_projection", "runtime_snapshot", "execution_state", "task_counts", "lead_keys"})
ELSEWHERE = frozenset(
    # by turns of their own: test_drafting, test_weak_model, test_scoring, tests/assistant, domain/test_proposal_check
    {
        "sequence_changed",
        "too_many_tasks",
        "text_refused_before",
        "variable_missing",
        "question_answered",
        "too_many_questions",
    }
    | {"attachment_unknown", "not_for_a_request", "only_for_a_request"}
    | {code for code in REJECTIONS if code.startswith("blueprint_")}
)
STRIKE = frozenset({"strikes"})
BLOCK = frozenset({"strikes", "status", "reason"})
Row = tuple[Any, ...]
Table = list[Row]


class Rows(NamedTuple):
    """Tables as they were read, and the names of their columns."""

    tables: dict[str, Table]
    columns: dict[str, tuple[str, ...]]

    def keyed(self, table: str) -> dict[Any, Row]:
        """A table's rows by its key."""
        by_id = self.columns[table][0] == "id"
        return {row[0] if by_id else row[:2]: row for row in self.tables[table]}


def rows(stage: Stage, skip: frozenset[str]) -> Rows:
    """Every row of every table but the logs and those skipped."""
    read = Rows({}, {})
    for (table,) in stage.query("SELECT name FROM sqlite_master WHERE type='table'"):
        if table in skip or table in LOGS or table.startswith(("sqlite_", "leads_text", "artifacts_text")):
            continue
        cursor = stage.outside.execute(f"SELECT * FROM {table}")
        read.columns[table] = tuple(column[0] for column in cursor.description)
        read.tables[table] = cursor.fetchall()
    return read


def latest_rows(stage: Stage) -> Callable[[], Rows]:
    """Reads what a turn may not change, and reads it again only once somebody has committed since."""
    read: dict[int, Rows] = {}

    def latest() -> Rows:
        version = stage.one("PRAGMA data_version")
        if version not in read:
            read.clear()
            read[version] = rows(stage, BOOKKEEPING)
        return read[version]

    return latest


def changed(before: Rows, after: Rows) -> dict[tuple[str, Any], frozenset[str]]:
    """Which columns of which rows differ; a row that is new or gone differs in "*"."""
    assert before.columns == after.columns
    differing: dict[tuple[str, Any], frozenset[str]] = {}
    for table, names in before.columns.items():
        if before.tables[table] == after.tables[table]:
            continue
        earlier, later = before.keyed(table), after.keyed(table)
        differing |= {(table, key): frozenset("*") for key in earlier.keys() ^ later.keys()}
        for key in earlier.keys() & later.keys():
            pairs = zip(names, earlier[key], later[key], strict=True)
            if columns := frozenset(name for name, here, there in pairs if here != there):
                differing[table, key] = columns
    return differing


def of(other: str, read: Rows) -> list[tuple[Any, ...]]:
    """What is about this campaign, in a fixed order."""
    keyed = ((str((table, key)), row) for table in read.tables for key, row in read.keyed(table).items())
    return [row for _, row in sorted(keyed, key=itemgetter(0)) if other in str(row)]


def world_of(stage: Stage, campaign: str, other: str) -> World:
    """What an attacker could know, read from the file."""
    now = stage.clock.now()

    def ids(sql: str, *values: object) -> tuple[str, ...]:
        return tuple(row[0] for row in stage.query(sql, *values))

    return World(
        closed_tasks=ids(
            "SELECT id FROM tasks WHERE campaign_id=? AND (status IN ('done', 'blocked', 'verifying')"
            " OR needs IN ('approval', 'input') OR ready_at>?) ORDER BY id",
            campaign,
            now,
        ),
        leads=ids("SELECT id FROM leads WHERE campaign_id=? ORDER BY id", campaign),
        drafts=tuple(
            stage.query(
                "SELECT task_id, lead_id, id, 'browser.send_' || kind FROM messages WHERE campaign_id=? AND status='draft'"
                " ORDER BY id",
                campaign,
            )
        ),
        open_descriptions=ids(
            "SELECT description FROM tasks WHERE campaign_id=? AND kind='custom' AND status NOT IN ('done', 'blocked', 'cancelled')"
            " ORDER BY id",
            campaign,
        ),
        foreign_tasks=ids("SELECT id FROM tasks WHERE campaign_id=? ORDER BY id", other),
        foreign_leads=ids("SELECT id FROM leads WHERE campaign_id=? ORDER BY id", other),
        foreign_messages=ids("SELECT id FROM messages WHERE campaign_id=? ORDER BY id", other),
    )


def user_acts(stage: Stage, campaign: str, asleep: NothingEligible) -> None:
    """Nothing is eligible: the user approves what waits, says "try again" and "no", and time passes."""
    drafts = stage.database.query(messages.drafts, campaign)
    stage.approve(campaign, drafts)
    for question, kind in stage.query(
        "SELECT id, kind FROM input_requests WHERE campaign_id=? AND status='open'", campaign
    ):
        stage.commands().questions.answer(campaign, question, "try again" if kind == "unblock" else "no")
    with stage.journal.transaction() as transaction:
        planner.plan(transaction, campaign, cause="plan", at=stage.clock.now())
    if not drafts:
        stage.clock.advance((asleep.until or stage.clock.now() + DAY) - stage.clock.now())


def only_the_strike(difference: dict[tuple[str, Any], frozenset[str]]) -> bool:
    """Whether nothing differs but a task's strike, or its block with the question to the user."""
    tasks = [columns for (table, _), columns in difference.items() if table == "tasks"]
    asked = [columns for (table, _), columns in difference.items() if table == "input_requests"]
    if len(tasks) + len(asked) != len(difference):
        return False
    if asked:
        return len(tasks) == 1 and tasks[0] <= BLOCK and asked == [frozenset("*")]
    return len(tasks) <= 1 and all(columns == STRIKE for columns in tasks)


def planned(difference: dict[tuple[str, Any], frozenset[str]]) -> dict[tuple[str, Any], frozenset[str]]:
    """Without what the controller's own planning adds, whoever proposed what: tasks for the next leads."""
    new_tasks = [key for key, columns in difference.items() if key[0] == "tasks" and columns == frozenset("*")]
    promises = [key for key, columns in difference.items() if key[0] == "commitments" and columns == frozenset("*")]
    leads = [key for key, columns in difference.items() if key[0] == "leads" and columns == {"sequence_step"}]
    if not len(new_tasks) == len(promises) == len(leads):
        return difference
    return {key: columns for key, columns in difference.items() if key not in {*new_tasks, *promises, *leads}}


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.endurance)])
def test_a_hostile_model_is_refused_with_the_right_code_for_a_thousand_turns_and_nothing_of_it_is_carried_out(
    stages: Stages, seed: int
) -> None:
    stage = stages(people=90)
    other = stage.campaign(5, skip=80, name="somebody else's")
    stage.run(other, stop_after=25)
    foreign_sends = len(stage.received())
    campaign = stage.campaign(75, settings=MANY)
    stage.activate(campaign)
    proposer = HostileProposer(seed, lambda: world_of(stage, campaign, other))
    assert proposer.world.foreign_messages
    others = (stage.head(other), of(other, rows(stage, frozenset())))
    loop, latest = stage.loop(proposer), latest_rows(stage)
    verdicts: Counter[str] = Counter()
    wrong: list[tuple[int, str, str, str]] = []
    executed: list[tuple[int, str, dict[tuple[str, Any], frozenset[str]]]] = []
    while verdicts.total() < 1_000:
        before, calls = latest(), len(stage.site.calls)
        ran = loop.run_turn(campaign)
        if isinstance(ran, NothingEligible):
            user_acts(stage, campaign, ran)
            continue
        verdicts[ran.verdict] += 1
        refused = ran.verdict in REJECTIONS
        if refused != (proposer.expected != ACCEPTED) or (refused and ran.verdict != proposer.expected):
            wrong.append((ran.number, proposer.trick, proposer.expected, f"{ran.verdict}: {ran.raw[:200]}"))
        if refused:
            difference = planned(changed(before, latest()))
            if not only_the_strike(difference) or len(stage.site.calls) != calls:
                executed.append((ran.number, ran.verdict, difference))
        verify_waiting(stage.journal, stage.clock, campaign)

    assert wrong == []
    assert executed == []
    assert stage.unapproved() == []
    assert stage.duplicates() == 0
    assert stage.missing() == []
    assert len(stage.received()) - foreign_sends > 20, "the valid replies in between did go through"
    now = (stage.head(other), of(other, rows(stage, frozenset())))
    assert now == others, "the other campaign is untouched"
    missing = set(REJECTIONS) - set(verdicts) - ELSEWHERE
    assert missing == set(), "every way of being refused was met"
    # What it claimed to be done is done only where the world says so.
    for task, kind in stage.query("SELECT id, kind FROM tasks WHERE status='done' AND campaign_id=?", campaign):
        promises = stage.query("SELECT status FROM commitments WHERE task_id=?", task)
        assert promises
        assert {status for (status,) in promises} == {"passed"}, kind
    assert stage.one("SELECT count(*) FROM artifacts WHERE made_by='model'") == 0, "nobody said yes"
    assert stage.kinds(campaign)["TaskBlocked"] > 0


def test_three_refusals_in_a_row_block_the_task_and_ask_the_user(stage: Stage) -> None:
    campaign = stage.campaign(2)
    stage.activate(campaign)
    loop = stage.loop(MockProposer(["nonsense"] * 3))
    for strikes in (1, 2):
        loop.run_turn(campaign)
        assert stage.query("SELECT strikes, status FROM tasks") == [(strikes, "pending")]
    loop.run_turn(campaign)
    assert stage.query("SELECT strikes, status FROM tasks") == [(0, "blocked")]
    ((kind, question, choices, status),) = stage.query("SELECT kind, question, choices, status FROM input_requests")
    assert (kind, status, json.loads(choices)) == ("unblock", "open", ["try again", "leave it"])
    assert "Tried 3 times without success" in question
    assert COULD_NOT_BE_READ.removesuffix(".") in question, "what was wrong with it is told to the model"
    assert isinstance(loop.run_turn(campaign), NothingEligible), "nothing is offered while the user has not answered"


def test_a_blocked_task_is_taken_up_again_only_when_the_user_says_so(stage: Stage) -> None:
    campaign = stage.campaign(2)
    stage.activate(campaign)
    loop = stage.loop(MockProposer(["nonsense"] * 3))
    for _ in range(3):
        loop.run_turn(campaign)
    question = stage.one("SELECT id FROM input_requests")
    stage.reopen()
    stage.commands().questions.answer(campaign, question, "try again")
    assert stage.query("SELECT status, reason, strikes FROM tasks") == [("in_progress", "", 0)]
    stage.run(campaign)
    assert stage.status(campaign) == "completed"


def test_a_productive_turn_forgives_earlier_strikes(stage: Stage) -> None:
    campaign = stage.campaign(2)
    replies: list[Reply] = ["nonsense", "nonsense", ScriptedProposer().propose]
    with pytest.raises(Exception, match="proposer_unavailable"):
        stage.run(campaign, proposer=MockProposer(replies * 12))
    assert stage.kinds(campaign)["TaskBlocked"] == 0


def test_one_campaigns_ids_open_nothing_in_another(stage: Stage) -> None:
    """Well-formed proposals about the other campaign's task, lead and approved message, all at once."""
    their_campaign = stage.campaign(2, skip=10)
    runner = stage.runner(on_turn=lambda ran: runner.stop.set() if ran.proposal == "generate_message" else None)
    runner.run(their_campaign)
    own_campaign = stage.campaign(2)
    stage.activate(own_campaign)
    task, lead, message = stage.query("SELECT task_id, lead_id, id FROM messages WHERE status='approved'")[0]
    params = {"tool": "browser.send_invitation", "lead_id": lead, "message_id": message}
    stolen = json.dumps({"type": "execute_tool", "task_id": task, "params": params})
    before, head, sent = rows(stage, frozenset()), stage.head(their_campaign), len(stage.received())
    ran = stage.loop(MockProposer([stolen])).run_turn(own_campaign)
    assert isinstance(ran, TurnReport)
    assert ran.verdict == "task_unknown"
    assert (stage.head(their_campaign), len(stage.received())) == (head, sent)
    touched = {table for (table, _), _ in changed(before, rows(stage, frozenset())).items()}
    assert touched <= {"tasks", *BOOKKEEPING}
