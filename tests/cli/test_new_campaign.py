"""Making a campaign in the terminal: refused before anything is written, or made with its leads."""

import json
from pathlib import Path

import pytest

from backend.terminal.import_leads import LISTED
from tests.cli.outrider import LEADS, Outrider

MADE = ("--name", "Talks", "--goal", "I would like your view.", "--leads", str(LEADS))


@pytest.mark.parametrize("channel", ["linkedin_assist", "practice"])
def test_a_campaign_is_made_with_its_leads_and_nothing_is_begun(outrider: Outrider, channel: str) -> None:
    result = outrider("new", *MADE, "--channel", channel, "--json").told
    assert result["accepted"] > 0
    (row,) = outrider.campaigns()
    assert (row["campaign"], row["site"], row["status"]) == (result["campaign"], channel, "initializing")
    assert row["leads"] == result["accepted"]


def test_rows_that_cannot_be_leads_are_listed_with_their_reasons(outrider: Outrider, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("Name,Email\nAda Lee,ada@lee.example\n,nobody@lee.example\n", "utf-8")
    ended = outrider("new", *MADE, "--leads", str(file))
    assert "3     no_name  The row has neither a first nor a last name." in ended.out
    assert "more; all are kept" not in ended.out
    (row,) = outrider("new", *MADE, "--leads", str(file), "--json").told["rejected_rows"]
    assert (row["line"], row["code"]) == (3, "no_name")
    file.write_text("Name,Email\n" + ",nobody@lee.example\n" * (LISTED + 1), "utf-8")
    assert "and 1 more; all are kept" in outrider("new", *MADE, "--leads", str(file)).out


def test_real_people_are_reached_by_the_users_own_hand_by_default(outrider: Outrider) -> None:
    assert outrider("new", *MADE, "--json").told["channel"] == "linkedin_assist"


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        (("--channel", "linkedin_drive"), "channel_needs_consent"),
        (("--channel", "pigeon"), "channel_unknown"),
        (("--leads", "nowhere.csv"), "lead_file_missing"),
    ],
)
def test_what_cannot_be_made_is_refused_by_its_code_and_leaves_nothing(
    outrider: Outrider, changed: tuple[str, ...], code: str
) -> None:
    ended = outrider("new", *MADE, *changed, "--json")
    assert (ended.status, ended.code) == (1, code)
    assert outrider.campaigns() == []


def test_the_sequence_of_another_campaign_is_taken_with_its_conditions(outrider: Outrider, tmp_path: Path) -> None:
    steps = [
        {"key": "invite", "kind": "invitation", "template": "Hi {first_name}"},
        {"kind": "message", "template": "Dear {first_name}", "only_if": [{"what": "tag", "value": "VIP"}]},
    ]
    file = tmp_path / "steps.json"
    file.write_text(json.dumps({"steps": steps}))
    made = outrider("new", *MADE, "--sequence", str(file), "--json").told["campaign"]
    sequence = outrider("sequence", made, "--json").told["sequence"]
    assert [(step["key"], len(step["only_if"])) for step in sequence["steps"]] == [("invite", 0), ("message_1", 1)]
    file.write_text(json.dumps(sequence))
    again = outrider("new", *MADE, "--sequence", str(file), "--channel", "practice", "--json").told["campaign"]
    begun = outrider("sequence", again, "--json").told["sequence"]["steps"]
    assert [step["key"] for step in begun] == ["visit", "invite", "message_1"]


def test_a_goal_of_nothing_is_a_wrong_call(outrider: Outrider, tmp_path: Path) -> None:
    assert outrider("new", *MADE, "--goal", "  ").status == 2


def test_a_campaign_that_the_user_sends_is_not_run_here_and_shows_who_waits(outrider: Outrider) -> None:
    made = outrider("new", *MADE, "--json").told["campaign"]
    refused = outrider("run", made, "--json")
    assert (refused.code, f"outrider send {made}" in refused.out + refused.err) == ("not_a_rehearsal", True)
    assert outrider("send", made, "--json").told["people"] == []
