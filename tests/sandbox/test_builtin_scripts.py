"""The scripts that come with Outrider answer on a campaign's data, and have a text each."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.adapters.sandbox.builtin_scripts import FOLDER, builtin_source
from backend.domain.device.builtin_scripts import BUILTIN_SCRIPTS, builtin_meant
from backend.domain.device.script import ScriptStatus, check_source
from backend.domain.events.events import Event
from backend.domain.model.campaign import DAY
from backend.ports.script_sandbox import ScriptRows
from backend.store.queries.turn.script_data import script_data
from tests.fakes.clock import START
from tests.sandbox.conftest import NOW, questions, sandbox
from tests.store.opening import CAMPAIGN, lead_imported, started

MONDAY = "2023-11-13"
"""The week of NOW."""


def lead(number: int, industry: str, title: str, replied: int | None) -> list[Event]:
    """Somebody who was invited, and answered after so many days."""
    columns: dict[str, Any] = {"invited_at": NOW, "last_sent_at": NOW}
    if replied is not None:
        columns["replied_at"] = NOW + replied * DAY
    text = f"Hello Person, about {'lamps' if number % 2 else 'maps'}?"
    message = {"lead_id": f"lead-{number}", "task_id": "t", "step": "invite", "kind": "message", "text": text}
    return [
        lead_imported(number, job_title=title, extra=json.dumps({"industry": industry})),
        Event("LeadAdvanced", f"lead-{number}", columns),
        Event("MessageDrafted", f"m{number}", {**message, "status": "draft", "created_at": START}),
        Event("MessageApproved", f"m{number}", {"status": "approved"}),
        Event("MessageSent", f"m{number}", {"status": "sent", "sent_at": NOW, "evidence": []}),
    ]


@pytest.fixture
def data(tmp_path: Path) -> Iterator[ScriptRows]:
    people = [
        ("Software", "Data Engineer", 0), ("Software", "Data Scientist", 2), ("Software", "Data Engineer", None),
        ("Law", "Data Counsel", None), ("Law", "Data Counsel", 40),
    ]  # fmt: skip
    events = [event for number, person in enumerate(people, start=1) for event in lead(number, *person)]
    journal = started(tmp_path / "outrider.db", *events)
    with journal.database.read() as connection, script_data(connection, CAMPAIGN, NOW, questions) as rows:
        yield rows
    journal.database.close()


EXPECTED: dict[str, Any] = {
    "response_rate_by_industry": [
        {"industry": "Software", "contacted": 3, "answered": 2, "rate in %": 66.7},
        {"industry": "Law", "contacted": 2, "answered": 1, "rate in %": 50.0},
    ],
    "response_rate_by_title": [{"word": "data", "contacted": 5, "answered": 3, "rate in %": 60.0}],
    "time_to_reply": {
        "within a day": 1, "2 days": 1, "3 days": 0, "a week": 0, "2 weeks": 0, "a month": 0, "longer": 1,
    },
    "funnel_by_week": [
        {"week": MONDAY, "visited": 0, "invited": 5, "connected": 0, "written to": 5, "answered": 2},
        {"week": "2023-12-18", "visited": 0, "invited": 0, "connected": 0, "written to": 0, "answered": 1},
    ],
    "best_variant": [
        {"step": "invite", "text": "Hello {name}, about lamps?", "sent": 3, "answered": 2, "rate in %": 66.7,
         "from": 20.8, "to": 93.9},
        {"step": "invite", "text": "Hello {name}, about maps?", "sent": 2, "answered": 1, "rate in %": 50.0,
         "from": 9.5, "to": 90.5},
    ],
}  # fmt: skip


@pytest.mark.parametrize("key", EXPECTED)
def test_a_builtin_script_answers(data: ScriptRows, key: str) -> None:
    source = builtin_source(key)
    assert source
    check_source(source)
    ran = sandbox().run(source, data, now=NOW)
    assert ran.status is ScriptStatus.OK, ran.told
    assert json.loads(ran.result) == EXPECTED[key]


def test_each_has_its_file_and_its_words() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == {script.key for script in BUILTIN_SCRIPTS} == EXPECTED.keys()
    assert builtin_source("../policy") is None


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("show me the response rate by industry", "response_rate_by_industry"),
        ("reply rates by job title", "response_rate_by_title"),
        ("how long until people reply?", "time_to_reply"),
        ("Funnel by week", "funnel_by_week"),
        ("which variant works best", "best_variant"),
        ("save this", ""),
    ],
)
def test_plain_words_mean_a_builtin_script(words: str, key: str) -> None:
    script = builtin_meant(words)
    assert (script.key if script else "") == key
