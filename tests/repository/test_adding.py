"""What CONTRIBUTING.md says is enough: a made-up event, column, setting, proposal type and screen, each added to a copy as it says.

Whatever is not touched here need not be touched: the rest of the copy is the repository as it is.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from backend.domain.model.campaign import Limits
from backend.domain.model.channel import CHANNELS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "frontend" / "src"
Edits = Mapping[str, list[tuple[str, str]]]
"""For each file, behind which text what is inserted."""


@pytest.fixture
def tried(tmp_path: Path) -> Callable[[Edits, str], Any]:
    """Edit a copy of the backend, run a program of `tests/repository/made_up` in it, and answer what it found."""

    def add(edits: Edits, program: str) -> Any:
        copy, data = tmp_path / "copy", tmp_path / "data"
        data.mkdir()
        shutil.copytree(ROOT / "backend", copy / "backend", ignore=shutil.ignore_patterns("__pycache__"))
        for name, inserted in edits.items():
            path = copy / name
            text = path.read_text("utf-8")
            for anchor, more in inserted:
                assert text.count(anchor) == 1, f"{anchor!r} in {name}"
                text = text.replace(anchor, anchor + more)
            path.write_text(text, "utf-8")
        process = subprocess.run(
            [sys.executable, "-m", f"tests.repository.made_up.{program}", str(data)],
            cwd=copy,
            env=os.environ | {"PYTHONPATH": os.pathsep.join((str(copy), str(ROOT)))},
            capture_output=True,
            text=True,
            check=False,
        )
        assert process.returncode == 0, process.stderr
        return json.loads(process.stdout.splitlines()[-1])

    return add


EVENT: Edits = {
    "backend/domain/events/facts/lead.py": [
        (
            '    """The user changed its notes."""\n\n    notes: str\n',
            '\n\nclass LeadWavedAt(Fact, entity="lead", verb=_CHANGE):\n    """The user waved at it."""\n\n    notes: str\n',
        )
    ],
    "backend/domain/events/facts/sentences.py": [
        ('    "LeadNoted": "Note on {lead}",\n', '    "LeadWavedAt": "Waved at {lead}",\n')
    ],
}


def test_an_event_is_a_class_and_a_sentence(tried: Callable[[Edits, str], Any]) -> None:
    assert tried(EVENT, "event") == {
        "said": "Waved at Ada Abel",
        "row": "hello",
        "differences": 0,
        "page_knows": True,
        "project_knows": True,
    }


COLUMN: Edits = {
    "backend/domain/events/facts/lead.py": [
        (
            '    """The user changed its notes."""\n\n    notes: str\n',
            '\n\nclass LeadStarred(Fact, entity="lead", verb=_CHANGE):\n    """It is starred."""\n\n    starred: bool\n',
        )
    ],
    "backend/domain/events/facts/sentences.py": [
        ('    "LeadNoted": "Note on {lead}",\n', '    "LeadStarred": "Star of {lead}",\n')
    ],
    "backend/store/migrations/0001_initial.sql": [
        ("  contact_anyway TEXT NOT NULL DEFAULT '',\n", "  starred INTEGER NOT NULL DEFAULT 0,\n")
    ],
    "backend/commands/leads.py": [
        ("    LeadPrioritised,\n", "    LeadStarred,\n"),
        (
            '    """Decisions about leads; raises `campaign_unknown` and `lead_unknown`."""\n',
            """
    @command("leads.star", shows={"LeadStarred": "starred"})
    def star(self, campaign_id: str, lead_id: str, *, starred: bool) -> None:
        with self.journal.transaction() as transaction:
            self._record(transaction, campaign_id, [LeadStarred(lead_id, starred=starred)])
""",
        ),
    ],
    "backend/store/queries/leads/lead_list.py": [
        ("    greeting_name: str\n", "    starred: int\n"),
        ("_OF_EACH: dict[str, str] = {\n", '    "starred": "l.starred",\n'),
    ],
    "backend/domain/leads/lead_table.py": [("    manual: bool = False\n", "    starred: bool = False\n")],
    "backend/api/leads.py": [
        ("    priority_override: int | None\n", "    starred: int\n"),
        ('routes.command("/<lead_id>/note", "leads.note")\n', 'routes.command("/<lead_id>/star", "leads.star")\n'),
    ],
}


def test_a_column_of_the_leads_is_recorded_listed_and_filtered_by(tried: Callable[[Edits, str], Any]) -> None:
    assert tried(COLUMN, "lead_column") == {"line": 1, "filtered": 1, "differences": 0, "call": True, "filter": True}


LIMIT: Edits = {
    "backend/domain/model/campaign.py": [
        (
            "    ramp_days: int = Field(default=14, ge=0, le=60)\n",
            "    naps_a_day: int = Field(default=3, ge=1, le=9)\n",
        )
    ]
}


def test_a_campaign_s_setting_is_a_field(tried: Callable[[Edits, str], Any]) -> None:
    assert tried(LIMIT, "limit") == {
        "bounds": {"least": 1, "most": 9},
        "default": 3,
        "refused": "bad_request",
        "kept": 7,
        "earlier_campaign": 3,
        "page_knows": True,
    }


def test_the_page_has_a_row_for_every_limit_that_is_a_plain_number() -> None:
    shown = re.findall(r'name: "(\w+)"', (PAGE / "lib" / "campaign" / "limits.ts").read_text("utf-8"))
    numbers = {name for name, field in Limits.model_fields.items() if field.annotation is int}
    times_of_day = {"day_starts", "day_ends"}
    assert set(shown) == numbers - times_of_day, "every other whole number of `Limits` has a row in limits.ts"


def test_a_channel_by_hand_is_a_row_of_the_backend_alone() -> None:
    sources = [path for path in PAGE.rglob("*") if path.suffix in (".ts", ".svelte") and ".test." not in path.name]
    by_hand = [name for name, channel in CHANNELS.items() if channel.user_reads]
    named = {path.name for path in sources if any(f'"{name}"' in path.read_text("utf-8") for name in by_hand)}
    assert named - {"generated.ts"} == {"campaignDraft.svelte.ts"}, "only what a new campaign begins with names one"


VARIABLE: Edits = {
    "backend/machine/settings.py": [
        (
            "SETTINGS: tuple[Setting, ...] = (\n",
            '    Setting("OUTRIDER_NAP_MINUTES", "nap_minutes", "10", _minutes, "how long a nap takes"),\n',
        ),
        ("    presence_minutes: int\n", "    nap_minutes: int\n"),
    ]
}


def test_a_setting_from_outside_is_a_row_and_a_field(tried: Callable[[Edits, str], Any]) -> None:
    assert tried(VARIABLE, "variable") == {"given": 25, "default": 10, "refused": "setting_invalid", "listed": True}


PROPOSAL: Edits = {
    "backend/domain/turn/proposals.py": [
        (
            '    type: Literal["persist_artifact"]\n    params: NewArtifact\n',
            '\n\nclass Celebrate(_Proposal):\n    type: Literal["celebrate"]\n    params: NoParams = NoParams()\n',
        ),
        ("    | PersistArtifact\n", "    | Celebrate\n"),
    ],
    "backend/domain/turn/proposal_check.py": [
        ("    AnalyzeLeads,\n    CreateTask,\n", "    Celebrate,\n"),
        ("    PersistArtifact: _persist_artifact,\n", "    Celebrate: _always,\n"),
    ],
    "backend/domain/turn/proposal_effects.py": [
        ("    AnalyzeLeads,\n    CreateTask,\n", "    Celebrate,\n"),
        ("    match proposal:\n", "        case Celebrate():\n            return [claim_done(task)]\n"),
    ],
    "backend/adapters/llm/schema.py": [
        ("    AnalyzeLeads,\n    CreateTask,\n", "    Celebrate,\n"),
        ("    TaskKind.CUSTOM: (", "Celebrate, "),
    ],
}


def test_a_proposal_type_is_its_shape_its_judgement_its_effect_and_when_it_is_offered(
    tried: Callable[[Edits, str], Any],
) -> None:
    assert tried(PROPOSAL, "proposal") == {"offered": True, "verdicts": ["accepted"], "task": "done"}


@pytest.mark.parametrize("screen", ["insights", "timeline"])  # whose names mean nothing else in the page
def test_a_screen_is_its_folder_and_a_row_in_two_tables(screen: str) -> None:
    """What else names one is a link to it, which a new screen has none of, and its place in the guide, which it may have."""
    link = re.compile(rf'linkTo\([^"]*"{screen}"')
    named = re.compile(rf'"{screen}"|features/{screen}/|\b{screen}:')
    sources = [path for path in PAGE.rglob("*") if path.suffix in (".ts", ".svelte") and ".test." not in path.name]
    paths = {
        path.relative_to(PAGE).as_posix()
        for path in sources
        if not path.is_relative_to(PAGE / "features" / screen) and named.search(link.sub("", path.read_text("utf-8")))
    }
    others = {"lib/api/generated.ts", "lib/api/calls.ts", "features/guide/pages.ts"}
    assert paths - others == {"lib/navigation/route.ts", "shell/screens.ts"}
