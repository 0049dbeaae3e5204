"""Uses the limit `naps_a_day` through the API, as the page does."""

import json
import sys
from pathlib import Path

from backend.api import generate
from backend.domain.model.campaign import Limits, Settings, read_settings
from tests.api.app import Answer, running


def main(folder: str) -> None:
    page = Path(folder) / "page"
    page.mkdir(parents=True)
    (page / "index.html").write_text("<html></html>")
    with running(Path(folder) / "data", page) as app:
        commands = app.workspace.commands()
        campaign = commands.campaigns.create("Talk", "Learn", site="practice", account="a", settings=Settings())
        address = f"/api/campaigns/{campaign}/settings"
        view = app.ask(address).json

        def save(naps: int) -> Answer:
            limits = view["limits"] | {"naps_a_day": naps}
            body = {"version": view["version"], "name": "Talk", "goal": "Learn", "topic": "", "limits": limits}
            return app.ask(address, body)

        report = {
            "bounds": view["bounds"]["naps_a_day"],
            "default": view["defaults"]["naps_a_day"],
            "refused": save(10).code,
        }
        save(7)
        report["kept"] = app.ask(address).json["limits"]["naps_a_day"]
    earlier = Limits().model_dump(exclude={"naps_a_day"})
    stored = json.dumps({"limits": earlier} | json.loads(Settings().model_dump_json(exclude={"limits"})))
    report["earlier_campaign"] = read_settings(stored).limits.model_dump()["naps_a_day"]
    report["page_knows"] = "naps_a_day" in generate.types(generate.table())
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1])
