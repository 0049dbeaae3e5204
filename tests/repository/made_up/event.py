"""Records a `LeadWavedAt`, and looks for it wherever an event is seen."""

import json
import sys
from pathlib import Path

from backend.api import generate
from backend.domain.events.facts import lead as lead_facts
from backend.domain.events.facts.sentences import LogEntry, event_sentence
from backend.store.log import replay
from backend.store.replication.project_schema import schema_sql
from tests.fakes.campaign import Stage


def main(folder: str) -> None:
    stage = Stage(Path(folder))
    campaign = stage.campaign(1)
    lead = str(stage.one("SELECT id FROM leads"))
    fact = lead_facts.LeadWavedAt(lead, notes="hello")  # type: ignore[attr-defined]
    stage.journal.record(campaign, events=[fact], actor="user", cause="test", at=stage.clock.now())
    report = {
        "said": event_sentence(LogEntry("LeadWavedAt", lead, fact.changes, lead="Ada Abel")),
        "row": stage.one("SELECT notes FROM leads"),
        "differences": len(replay.find_differences(stage.database)),
        "page_knows": '| "LeadWavedAt"' in generate.types(generate.table()),
        "project_knows": "('LeadWavedAt', 'lead', 'changes', 'false')" in schema_sql(),
    }
    stage.close()
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1])
