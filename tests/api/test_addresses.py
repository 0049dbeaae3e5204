"""Whatever an address holds, it is understood or refused, and never an internal error."""

from urllib.parse import quote

from tests.api.app import App

HUGE = "9" * 30
PLACES = [
    HUGE, "-1", "0", "x", "\0", "[", "[" * 3_000, '{"a":1}', "null", "[]", "[null,null,null,null]", f"[{HUGE},0,0,0]",
    '["\\ud800",0]', '["in_progress","\\ud800",0,0,""]', "[1e400,0]", f"{HUGE}:x", f"{HUGE}.x", f"{HUGE}-x", "٣:x", "' OR 1=1",
]  # fmt: skip
IDS = ["x", 'x" OR "y', "x\0", "x'--"]


def paths(app: App) -> list[str]:
    rules = app.server.app.url_map.iter_rules()  # type: ignore[attr-defined]
    return [str(rule) for rule in rules if "GET" in (rule.methods or ()) and str(rule).startswith("/api/")]


def filled(path: str, campaign: str, number: str, entity: str) -> str:
    """The address with something in the place of each variable."""
    parts = []
    for part in path.split("/"):
        if not part.startswith("<"):
            parts.append(part)
        elif part == "<campaign_id>":
            parts.append(quote(campaign, safe=""))
        elif part.startswith("<any"):
            parts.append("events")
        elif part.startswith("<int"):
            parts.append(number)
        else:
            parts.append({"<artifact_type>": "note"}.get(part) or quote(entity, safe=""))
    return "/".join(parts)


def test_no_address_is_an_internal_error(app: App, campaign: str) -> None:
    with app.workspace.database.read() as connection:
        (lead,) = connection.execute("SELECT id FROM leads LIMIT 1").fetchone()
        (brought,) = connection.execute("SELECT id FROM imports LIMIT 1").fetchone()
    asked = [
        f"{filled(path, campaign, '1', brought if 'import' in path else lead)}?{name}={quote(position)}"
        for path in paths(app)
        if "export" not in path and "<campaign_id>" in path
        for name in ("after", "before", "limit")
        for position in PLACES
    ]
    asked += [filled(path, id_, HUGE, id_) + more for path in paths(app) for id_ in IDS for more in ("", "?text=ada")]
    asked += [filled(path, campaign, HUGE, lead) for path in paths(app)]
    assert [(path, answer.text) for path in asked if (answer := app.ask(path)).status >= 500] == []


def test_nothing_is_looked_up_by_an_id_that_is_none_of_ours(app: App) -> None:
    for strange in ("..%2F..%2FX", "a%00", "a%5Cb", "%2E%2E", "x" * 200, "a%20b"):
        for path, body in ((f"/api/campaigns/{strange}", None), (f"/api/campaigns/{strange}/start", {})):
            answer = app.ask(path, body)
            assert (answer.status, answer.code) in ((404, "page_unknown"), (405, "method_refused")), path


def test_a_campaign_that_there_is_not_is_told_as_that_on_every_route(app: App) -> None:
    """Not as an empty list, nor as done, nor as something that is missing in it."""
    rules = [rule for rule in app.server.app.url_map.iter_rules() if "<campaign_id>" in str(rule)]  # type: ignore[attr-defined]
    codes = {
        (method, str(rule)): app.ask(
            filled(str(rule), "0", "1", "0"), b"{}" if method in ("POST", "PUT", "PATCH") else None, method=method
        ).code
        for rule in rules
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert len(codes) > 150
    assert {address: code for address, code in codes.items() if code != "campaign_unknown"} == {}
