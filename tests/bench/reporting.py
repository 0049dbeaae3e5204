"""How figures are made and told."""

import json
from typing import Any

import typer


def spread(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    at = {"p50": len(ordered) // 2, "p95": len(ordered) * 95 // 100, "max": len(ordered) - 1}
    return {name: round(1_000 * ordered[index], 3) for name, index in at.items()}


def report(result: dict[str, Any], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(result))
        return
    for name, value in result.items():
        typer.echo(f"{name:18} {value}")
