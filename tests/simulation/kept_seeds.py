"""Worlds that once broke a rule, kept by a name that says what it was: one file each in `seeds/`."""

import json
from pathlib import Path

from tests.simulation.world import Plan

SEEDS = Path(__file__).parent / "seeds"


def load(file: Path) -> Plan:
    """The plan of a kept world."""
    fields = json.loads(file.read_text("utf-8"))
    faults = fields.get("faults")
    return Plan(
        fields["seed"],
        fields["days"],
        fields["devices"],
        fields["people"],
        None if faults is None else frozenset(faults),
        frozenset(fields.get("without", ())),
    )


def keep(name: str, plan: Plan, violation: str) -> Path:
    """Write it down; the file."""
    file = SEEDS / f"{name.replace(' ', '-')}.json"
    fields = {
        "seed": plan.seed,
        "days": plan.days,
        "devices": plan.devices,
        "people": plan.people,
        "faults": None if plan.faults is None else sorted(plan.faults),
        "without": sorted(plan.without),
        "was": violation,
    }
    file.write_text(json.dumps(fields, indent=2) + "\n", "utf-8")
    return file
