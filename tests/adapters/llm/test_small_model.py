"""A real, small and rather foolish model, held to our schema: whatever it proposes, the invariants hold."""

import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.adapters.llm.campaign_proposer import CampaignProposer
from backend.adapters.llm.stream_reader import StreamControl
from backend.domain.model.connection import Connection
from backend.domain.model.providers import Provider
from backend.domain.values.errors import OutriderError
from backend.store.log import replay
from backend.store.log.verification import verify
from backend.store.queries.device import models
from backend.turn.loop import TurnReport
from backend.turn.reply_cost import budget_check
from tests.fakes.campaign import Stage
from tests.fakes.credentials import Pocket
from tests.fakes.outgoing import nobody_else
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / ".small-model" / "bin" / "python"
TURNS = 50

pytestmark = [
    pytest.mark.endurance,
    pytest.mark.small_model,
    pytest.mark.skipif(not PYTHON.exists(), reason="`make small-model` sets it up"),
]


@pytest.fixture
def address() -> Iterator[str]:
    """Where it listens."""
    command = [str(PYTHON), str(ROOT / "tests" / "fakes" / "small_model.py")]
    serving = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert serving.stdin
    assert serving.stdout
    yield serving.stdout.readline().strip()
    serving.stdin.close()
    serving.wait(PATIENCE)
    serving.stdout.close()


@pytest.mark.timeout(3_600)
def test_a_small_model_finishes_three_people_with_at_most_three_questions(tmp_path: Path, address: str) -> None:
    stage = Stage(tmp_path)
    connection = small(address)
    campaign_id = stage.campaign(3)
    commands = stage.commands("user")
    commands.models.save(connection)
    commands.models.choose(campaign_id, connection.id)
    proposer = as_wired(stage, connection)
    for _ in range(30):
        stage.run(campaign_id, proposer=proposer)
        if stage.status(campaign_id) == "completed":
            break
        for request, choices in stage.query("SELECT id, choices FROM input_requests WHERE status='open'"):
            offered = choices.strip("[]").split(",")[0].strip('" ') or "As you think best."
            commands.questions.answer(campaign_id, request, offered)
    asked = Counter(kind for (kind,) in stage.query("SELECT kind FROM input_requests"))
    calls, tokens = stage.query("SELECT sum(replies), sum(tokens_in + tokens_out) FROM model_spend")[0]
    marked = stage.one("SELECT count(*) FROM messages WHERE from_template=1")
    print(f"questions {dict(asked)}; {calls} calls and {tokens} tokens for 3 people; {marked} texts of the template")
    assert stage.status(campaign_id) == "completed"
    assert asked.total() <= 3
    assert stage.one("SELECT count(DISTINCT lead_id) FROM messages WHERE status='sent'") == 3
    assert replay.find_differences(stage.database) == []


def small(address: str) -> Connection:
    """The model, given the time that it takes on a slow machine."""
    return Connection(
        id="small",
        name="SmolLM2 135M",
        provider=Provider.LLAMA_CPP,
        base_url=f"{address}/v1",
        model="smollm2",
        max_output_tokens=256,
        context_tokens=3_500,
        first_token_timeout_ms=120_000,
        idle_timeout_ms=60_000,
        total_timeout_ms=240_000,
    )


def as_wired(stage: Stage, connection: Connection) -> CampaignProposer:
    """The proposer that a campaign has by default."""
    return CampaignProposer(
        lambda _: connection,
        Pocket(),
        nobody_else(),
        lambda campaign: budget_check(stage.database, campaign),
        StreamControl(),
    )


@pytest.mark.timeout(3_600)
def test_fifty_turns_by_a_small_model_break_nothing(tmp_path: Path, address: str) -> None:
    stage = Stage(tmp_path)
    connection = small(address)
    campaign_id = stage.campaign(6)
    commands = stage.commands("user")
    commands.models.save(connection)
    commands.models.choose(campaign_id, connection.id, alone=True)
    proposer = as_wired(stage, connection)

    turns: list[TurnReport] = []
    faults: Counter[str] = Counter()
    while len(turns) + faults.total() < TURNS:
        before = len(turns)
        try:
            stage.run(campaign_id, proposer=proposer, on_turn=turns.append, stop_after=TURNS)
        except OutriderError as error:
            assert error.code.startswith("proposer_")  # noqa: PT017 - any of them
            faults[error.code] += 1
        else:
            if len(turns) == before:  # it waits for the user
                answer_everything(stage, campaign_id)

    verdicts = Counter(turn.verdict for turn in turns)
    proposals = Counter(turn.proposal for turn in turns)
    accepted = sum(n for verdict, n in verdicts.items() if verdict == "accepted")
    tokens, _ = stage.database.query(models.model_spend, campaign_id)
    share = accepted / (len(turns) + faults.total())
    print(f"accepted {share:.0%} of {len(turns)} replies and {faults.total()} faults {dict(faults)}; {tokens} tokens")
    print(f"verdicts {dict(verdicts)}\nproposals {dict(proposals)}")

    assert replay.find_differences(stage.database) == []
    with stage.database.read() as opened:
        assert all(report.broken is None for report in verify(opened))
    approved = stage.query("SELECT message_id FROM approvals")
    assert len(stage.received()) <= len(approved)
    assert all(not turn.effect or turn.verdict != "wrong_shape" for turn in turns)
    assert not any(turn.verdict in ("reply_not_json", "unknown_proposal", "unknown_tool") for turn in turns)


def answer_everything(stage: Stage, campaign_id: str) -> None:
    """The user says something to every question, and lets tasks go on."""
    for request, choices in stage.query("SELECT id, choices FROM input_requests WHERE status='open'"):
        offered = choices.strip("[]").split(",")[0].strip('" ') or "yes"
        stage.commands("user").questions.answer(campaign_id, request, offered)
    if stage.status(campaign_id) == "completed":
        pytest.fail("it finished: give it more leads")
