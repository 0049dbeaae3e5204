"""Consent is an event in the log, holds for the words that were shown, and can be given again after it was withdrawn."""

import json

import pytest

from backend.domain.events.events import WORKSPACE
from backend.domain.gates.consent import CONSENT_SENTENCE, CONSENT_TEXT
from backend.domain.model.channel import LINKEDIN_ACCOUNT
from backend.domain.values.errors import OutriderError
from backend.store.queries.people import consents
from tests.fakes.campaign import Stage


def given(stage: Stage) -> bool:
    return stage.database.query(consents.consent, LINKEDIN_ACCOUNT) is not None


def test_consent_is_in_the_log_with_the_text_and_what_was_typed(stage: Stage) -> None:
    assert not given(stage)
    stage.commands().consents.give(CONSENT_SENTENCE)
    stage.commands().consents.give(CONSENT_SENTENCE)  # once is enough
    stage.commands().consents.withdraw()
    assert not given(stage)
    stage.commands().consents.give(CONSENT_SENTENCE)
    assert given(stage)
    with stage.database.read() as connection:
        rows = connection.execute(
            "SELECT kind, change_payload, actor FROM event_log WHERE campaign_id=? AND entity_type='consent' ORDER BY seq",
            (WORKSPACE,),
        ).fetchall()
    assert [row[0] for row in rows] == ["ConsentGiven", "ConsentWithdrawn", "ConsentGiven"]
    assert {row[2] for row in rows} == {"user"}
    consent = json.loads(rows[0][1])
    assert (consent["text"], consent["typed"], consent["account"]) == (CONSENT_TEXT, CONSENT_SENTENCE, LINKEDIN_ACCOUNT)
    assert consent["created_at"] > 0


@pytest.mark.parametrize("typed", ["", "yes", CONSENT_SENTENCE[:-2], f"I have not: {CONSENT_SENTENCE}"])
def test_any_other_words_are_no_consent(stage: Stage, typed: str) -> None:
    with pytest.raises(OutriderError) as refused:
        stage.commands().consents.give(typed)
    assert refused.value.code == "consent_not_typed"
    assert not given(stage)


def test_a_consent_to_other_words_than_todays_holds_no_more(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.commands.consents.CONSENT_TEXT", "What was shown in an earlier version.")
    stage.commands().consents.give(CONSENT_SENTENCE)
    assert not given(stage)
