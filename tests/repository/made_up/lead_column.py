"""Stars a lead, and looks for it in the list, its filter and the page."""

import json
import sys
from pathlib import Path

from backend.api import generate
from backend.api.leads import lead_summary
from backend.situation.situations import TurnInputs
from backend.store.log import replay
from backend.store.queries.leads.lead_list import LeadListQuery, LeadQuery
from tests.fakes.campaign import Stage


def main(folder: str) -> None:
    stage = Stage(Path(folder))
    campaign = stage.campaign(2)
    lead = str(stage.one("SELECT id FROM leads"))
    stage.commands().leads.star(campaign, lead, starred=True)  # type: ignore[attr-defined]
    inputs = TurnInputs.at(stage.clock, stage.clock.now(), present=True)
    starred = LeadQuery(starred=True)  # type: ignore[call-arg]
    endpoints = generate.table()
    filter_type = generate.types(endpoints).partition("export interface LeadQuery")[2].partition("}")[0]
    report = {
        "line": stage.database.query(lead_summary, campaign, lead, inputs).starred,  # type: ignore[attr-defined]
        "filtered": stage.database.query(LeadListQuery(campaign, starred).count)[0],
        "differences": len(replay.find_differences(stage.database)),
        "call": "leads.star" in {endpoint.name for endpoint in endpoints},
        "filter": "starred" in filter_type,
    }
    stage.close()
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1])
