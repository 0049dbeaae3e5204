"""A number that no database and no page can hold is a refused request wherever it stands, never a failure of ours."""

import json
from collections.abc import Iterator

import pytest

from backend.api.app import create_app
from backend.api.server.request_data import MOST_EXACT, refuse_inexact
from backend.domain.values.errors import OutriderError
from tests.api.app import App

HUGE = 2**63
"""One more than SQLite holds."""


def addresses(app: App) -> Iterator[tuple[str, str]]:
    """(method, path) of every route that takes something in its address, with a number in every place."""
    for rule in create_app(app.launch.services).url_map.iter_rules():
        path = str(rule)
        for name, converter in rule._converters.items():
            kind = "int:" if type(converter).__name__ == "IntegerConverter" else ""
            path = path.replace(f"<{kind}{name}>", str(HUGE))
        if rule.arguments and "<" not in path:
            yield from ((method, path) for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}))


def test_a_huge_number_in_an_address_is_never_a_failure_of_ours(app: App, campaign: str) -> None:
    asked = 0
    for method, path in addresses(app):
        for address in (path, path.replace(f"/campaigns/{HUGE}", f"/campaigns/{campaign}")):
            answer = app.ask(address, b"{}" if method in ("POST", "PUT", "PATCH") else None, method=method)
            assert answer.status < 500, (method, address, answer.text)
            asked += 1
    assert asked > 50


@pytest.mark.parametrize("number", [HUGE, -HUGE - 1, 2**53, 10**30])
@pytest.mark.parametrize("asked", ["leads?limit={}", "timeline?turn={}"])
def test_a_huge_number_behind_the_question_mark_is_refused(app: App, campaign: str, asked: str, number: int) -> None:
    answer = app.ask(f"/api/campaigns/{campaign}/{asked.format(number)}")
    assert (answer.status, answer.code) == (400, "bad_request")


@pytest.mark.parametrize("number", [HUGE, -HUGE - 1, 2**53, 10**30])
def test_a_huge_number_in_a_body_is_refused_wherever_it_stands(app: App, number: int) -> None:
    answer = app.ask("/api/presence", {"page": "p", "visible": True, "idle_ms": number})
    assert answer.status == 400
    nested = json.loads(json.dumps({"a": [{"b": {"c": number}}]}))
    with pytest.raises(OutriderError, match=r"a\.b\.c: the number is too large"):
        refuse_inexact(nested, "")


def test_a_number_that_the_page_holds_exactly_passes() -> None:
    refuse_inexact({"a": [MOST_EXACT, -MOST_EXACT, True, 0.5, None, "x"]}, "")
