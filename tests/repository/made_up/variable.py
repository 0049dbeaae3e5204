"""Reads the setting `OUTRIDER_NAP_MINUTES`."""

import json
import sys
from pathlib import Path

from backend.domain.values.errors import OutriderError
from backend.machine.settings import SETTINGS, read_settings


def main(folder: str) -> None:
    def read(minutes: str) -> object:
        environment = {"OUTRIDER_NAP_MINUTES": minutes} if minutes else {}
        return read_settings(environment, Path(folder)).nap_minutes  # type: ignore[attr-defined]

    try:
        refused = str(read("soon"))
    except OutriderError as error:
        refused = error.code
    listed = any(row.variable == "OUTRIDER_NAP_MINUTES" for row in SETTINGS)
    print(json.dumps({"given": read("25"), "default": read(""), "refused": refused, "listed": listed}))


if __name__ == "__main__":
    main(sys.argv[1])
