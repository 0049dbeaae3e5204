"""One person in several campaigns, in the terminal: told at import and by `why`, asked about, answered, and taken back."""

from pathlib import Path

import pytest

from backend.adapters.clocks import SystemClock
from backend.adapters.leadfiles import read_leads
from backend.app.wiring import open_workspace
from backend.commands.lead_import import import_leads
from backend.domain.events.facts.lead import LeadAdvanced, LeadClaimed
from backend.domain.model.channel import ASSIST, CHANNELS
from backend.machine.settings import AppSettings
from tests.api.test_same_person import ANNA, HEADER, HELLO, JON, RENAMED
from tests.cli.outrider import Outrider

ADDRESS = "https://www.linkedin.com/in/jon-vik"


@pytest.fixture
def campaigns(outrider: Outrider, tmp_path: Path) -> tuple[str, str]:
    """The first has written to Jon, and has Anna; the second is empty."""
    outrider.data_dir.mkdir()
    file = tmp_path / "first.csv"
    file.write_text(HEADER + JON + ANNA, "utf-8")
    channel, made = CHANNELS[ASSIST], []
    with open_workspace(AppSettings(outrider.data_dir, "", 10)) as workspace:
        commands = workspace.commands().campaigns
        made = [commands.create_on(channel, name, "Talk", channel.settings(HELLO)) for name in ("Water", "Pumps")]
        clock = SystemClock()
        import_leads(
            workspace.journal, clock, made[0], read_leads(file), file=file.name, file_format="linkedin_connections"
        )
        with workspace.database.read() as connection:
            (jon,) = connection.execute("SELECT id FROM leads WHERE full_name='Jon Vik'").fetchone()
        written = [LeadClaimed(jon, claimed_at=clock.now()), LeadAdvanced(jon, last_sent_at=clock.now())]
        workspace.journal.record(made[0], events=written, actor="controller", cause="t1", at=clock.now())
    return made[0], made[1]


@pytest.fixture
def second(campaigns: tuple[str, str], outrider: Outrider, tmp_path: Path) -> str:
    file = tmp_path / "second.csv"
    file.write_text(HEADER + JON + RENAMED, "utf-8")
    result = outrider("import", campaigns[1], str(file), "--json").told
    assert result["people"] == {"with_campaigns": {"Water": 1}, "in_touch": 0, "asked": 1}
    return campaigns[1]


def test_an_import_says_who_is_with_another_campaign_and_who_is_asked_about(
    campaigns: tuple[str, str], outrider: Outrider, tmp_path: Path
) -> None:
    file = tmp_path / "second.csv"
    file.write_text(HEADER + JON + RENAMED, "utf-8")
    out = outrider("import", campaigns[1], str(file)).out
    assert "1 person is with “Water”" in out
    assert "1 person may be the same as somebody else" in out


def test_people_another_campaign_is_in_touch_with_can_be_left_out(
    campaigns: tuple[str, str], outrider: Outrider, tmp_path: Path
) -> None:
    file = tmp_path / "second.csv"
    file.write_text(HEADER + JON + RENAMED, "utf-8")
    result = outrider("import", campaigns[1], str(file), "--not-in-touch", "--json").told
    assert (result["accepted"], result["filtered_out"], result["people"]["with_campaigns"]) == (1, 1, {})
    result = outrider("import", campaigns[0], str(file), "--not-in-touch", "--json").told
    assert result["filtered_out"] == 0, "it is this campaign itself that is in touch with them"


def test_why_tells_the_person_across_campaigns(second: str, outrider: Outrider) -> None:
    (lead,) = outrider("why", ADDRESS, "--campaign", second, "--json").told["leads"]
    assert lead["person"]["held_by"] == ["not_in_touch_elsewhere"]
    assert lead["person"]["other_campaigns"] == [{"campaign_name": "Water", "contact": "written to"}]
    assert "With “Water” since" in outrider("why", ADDRESS, "--campaign", second).out


def test_a_question_is_answered_and_taken_back(second: str, outrider: Outrider) -> None:
    (question,) = outrider("people", "questions", second, "--json").told["questions"]
    assert "linkedin.com/in/anna-b-77" in outrider("people", "questions").out
    answered = outrider("people", "answer", question["question"], "different", "--json").told
    assert outrider("people", "questions", "--json").told["questions"] == []
    (line,) = outrider("people", "answers", "--json").told["answers"]
    assert (line["answer"], line["same"]) == (answered["answers"][0], False)
    outrider("people", "take-back", *answered["answers"])
    assert len(outrider("people", "questions", "--json").told["questions"]) == 1
    assert outrider("people", "answer", "nonsense", "same", "--json").code == "identity_not_asked"
    letters = outrider("people", "answer", question["question"], "together", "A,B", "--json").told
    assert len(letters["answers"]) == 1


def test_a_question_about_somebody_on_the_list_says_by_which_address_they_are_on_it(
    campaigns: tuple[str, str], outrider: Outrider
) -> None:
    listed = "https://www.linkedin.com/in/anna-on-the-list"
    outrider("do-not-contact", "add", listed, "--name", "Anna Berg")
    assert f"On the list: {listed}" in outrider("people", "questions", campaigns[0]).out


def test_somebody_is_contacted_anyway_left_again_and_moved_here(second: str, outrider: Outrider) -> None:
    missing = outrider("person", "contact-anyway", ADDRESS, second, "--reason", " ", "--json")
    assert missing.code == "contact_reason_missing"
    outrider("person", "contact-anyway", ADDRESS, second, "--reason", "he asked", "--json")
    (lead,) = outrider("why", ADDRESS, "--campaign", second, "--json").told["leads"]
    assert (lead["person"]["held_by"], lead["person"]["contact_anyway"]) == ([], "he asked")
    outrider("person", "leave", ADDRESS, second)
    outrider("person", "move-here", ADDRESS, second)
    (lead,) = outrider("why", ADDRESS, "--campaign", second, "--json").told["leads"]
    assert lead["person"]["contact_anyway"] == "moved here from another campaign"


def test_an_unsure_greeting_is_listed_and_settled(
    campaigns: tuple[str, str], outrider: Outrider, tmp_path: Path
) -> None:
    file = tmp_path / "odd.csv"
    file.write_text(HEADER + JON.replace("Jon", "\u00a3ukasz"), "utf-8")
    outrider("import", campaigns[1], str(file))
    assert "\u00a3ukasz" in outrider("people", "unsure", campaigns[1]).out
    (lead,) = outrider("people", "unsure", campaigns[1], "--json").told["unsure"]
    outrider("person", "greet", lead["lead"], campaigns[1], "\u0141ukasz")
    assert outrider("people", "unsure", campaigns[1], "--json").told["unsure"] == []


def test_a_person_is_shown_with_their_tags_and_the_columns_of_their_file(
    campaigns: tuple[str, str], outrider: Outrider, tmp_path: Path
) -> None:
    file = tmp_path / "own.csv"
    file.write_text(
        "Name,Tags,Seniority,LinkedIn URL\nIda Holm,vip,Director,https://www.linkedin.com/in/ida\n", "utf-8"
    )
    outrider("import", campaigns[1], str(file))
    out = outrider("person", "show", "https://www.linkedin.com/in/ida").out
    assert "  tags: vip\n  Seniority: Director\n  messages: 0, log entries: 1, pictures: 0\n" in out
