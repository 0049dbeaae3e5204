"""What the scripts that come with Outrider cost on a large campaign: one run each, from its start to its answer."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from backend.app.wiring import builtin_script, script_sandbox
from backend.domain.device.builtin_scripts import BUILTIN_SCRIPTS
from backend.domain.events.events import Event
from backend.domain.model.campaign import DAY
from backend.ports.question_process import StartQuestions
from backend.store.database import DatabaseConnection
from backend.store.queries.turn.script_data import script_data
from tests.bench.reporting import report
from tests.bench.sample_campaign import empty_campaign, fill, workspace_in
from tests.fakes.questions import QuestionsHere, rows

NOW = 1_780_000_000_000
WHOLE = "found = leads()\nresult = sum(lead['replied_at'] is not None for lead in found)"
"""Every lead in Python: the dear way."""
COUNT = "SELECT industry, count(*) FROM (SELECT extra ->> 'industry' AS industry FROM leads) GROUP BY 1"
MANY = "SELECT id, full_name, company FROM leads ORDER BY id LIMIT 2000"
LOOP = "total = 0\nfor n in range(1_000_000):\n    total += n * n % 7\nresult = total"
"""Nothing but Python, to compare with Python itself."""


def scripts_(
    leads: Annotated[int, typer.Option(min=100)] = 100_000,
    folder: Annotated[Path | None, typer.Option()] = None,
    json_: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Built-in scripts over so many leads, half of them written to; `leads()`; questions; and a loop beside plain Python. In ms."""
    with workspace_in(folder) as workspace:
        campaign_id = empty_campaign(workspace)
        fill(workspace, campaign_id, leads, _lead)
        fill(workspace, campaign_id, leads // 2, _message)
        sandbox = script_sandbox(workspace)
        sources = {script.key: builtin_script(script.key) or "" for script in BUILTIN_SCRIPTS} | {"leads()": WHOLE}
        taken: dict[str, Any] = {}
        for key, source in sources.items():
            with (
                workspace.database.read() as connection,
                script_data(connection, campaign_id, NOW, sandbox.questions) as data,
            ):
                ran = sandbox.run(source, data, now=NOW)
            taken[key] = ran.ms if not ran.code else ran.told
        with (
            workspace.database.read() as connection,
            script_data(connection, campaign_id, NOW, sandbox.questions) as data,
        ):
            confined = sandbox.run(LOOP, data, now=NOW).ms - sandbox.run("result = 0", data, now=NOW).ms
        began = time.perf_counter()
        exec(LOOP, {})
        plain = (time.perf_counter() - began) * 1_000
        loop = {"sandbox_ms": confined, "plain_ms": round(plain), "ratio": round(confined / plain, 1)}
        with workspace.database.read() as connection:
            asked = {
                "own_process": _asked(connection, campaign_id, sandbox.questions),
                "here": _asked(connection, campaign_id, QuestionsHere),
            }
        report({"leads": leads, **taken, "questions": asked, "loop": loop}, json_)


def _asked(connection: DatabaseConnection, campaign_id: str, start: StartQuestions) -> dict[str, float]:
    """What a script's questions cost where they are asked: the first after the start, and the following ones."""
    with script_data(connection, campaign_id, NOW, start) as data:
        first = _ms(lambda: rows(data, "SELECT 1"))
        copied = _ms(lambda: rows(data, COUNT))
        again = min(_ms(lambda: rows(data, COUNT)) for _ in range(20))
        many = min(_ms(lambda: rows(data, MANY)) for _ in range(5))
    return {"first_ms": first, "with_rows_copied_ms": copied, "again_ms": again, "2000_rows_ms": many}


def _ms(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return round((time.perf_counter() - began) * 1_000, 1)


def _lead(n: int) -> Event:
    extra = {"industry": f"Industry {n % 40}", "Company size": f"{n * 37 % 2_000}"}
    at = NOW - (n % 200) * DAY
    sent = {"invited_at": at, "last_sent_at": at, "replied_at": at + (n % 30) * DAY if n % 5 == 0 else None}
    columns: dict[str, Any] = {
        "full_name": f"Ada Person {n}", "profile_url": f"https://x/p{n}", "member_key": f"p{n}", "position": n,
        "job_title": f"Head of Engineering {n // 50}", "company": f"Bakery {n * 31 % 20_000}", "extra": extra,
        "headline": f"I look after number {n} and whatever else there is to look after",
        **(sent if n % 2 == 0 else {}),
    }  # fmt: skip
    return Event("LeadImported", f"lead{n}", columns)


def _message(n: int) -> Event:
    text = f"Hello Ada, about lamps number {n % 3}? I would like to hear what Bakery {2 * n * 31 % 20_000} thinks."
    sent = {"status": "sent", "sent_at": NOW - (2 * n % 200) * DAY, "created_at": NOW}
    columns = {"lead_id": f"lead{2 * n}", "task_id": "t", "step": "invite", "kind": "invitation", "text": text, **sent}
    return Event("MessageDrafted", f"message{n}", columns)
