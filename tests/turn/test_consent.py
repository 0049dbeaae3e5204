"""A channel that needs written consent is neither looked at nor acted on without it, whenever it is withdrawn."""

import pytest

from backend.domain.gates.consent import CONSENT_SENTENCE, NO_CONSENT
from backend.domain.model.channel import DRIVE, LINKEDIN_ACCOUNT
from backend.runtime.run.campaign_runner import RunEnd
from tests.fakes.campaign import MESSAGE_ONLY, Stage


def on_drive(stage: Stage) -> str:
    return stage.campaign(1, settings=MESSAGE_ONLY, connected=True, site=DRIVE, account=LINKEDIN_ACCOUNT)


def test_without_consent_a_run_is_held_before_anything_is_opened(stage: Stage) -> None:
    campaign = on_drive(stage)
    report = stage.run(campaign)
    assert (report.halt, report.reasons) == (RunEnd.HELD, (NO_CONSENT,))
    assert stage.site.calls == []
    assert stage.received() == []


def test_with_consent_it_runs_and_once_it_is_withdrawn_it_does_not(stage: Stage) -> None:
    campaign = on_drive(stage)
    stage.commands().consents.give(CONSENT_SENTENCE)
    assert stage.run(campaign).halt is RunEnd.COMPLETED
    assert len(stage.received()) == 1
    stage.commands().consents.withdraw()
    other = stage.campaign(1, skip=1, settings=MESSAGE_ONLY, connected=True, site=DRIVE, account=LINKEDIN_ACCOUNT)
    looked = len(stage.site.calls)
    assert stage.run(other).reasons == (NO_CONSENT,)
    assert len(stage.site.calls) == looked


@pytest.mark.parametrize("moment", ["intent", "before", "click", "bytes"])
def test_a_withdrawal_after_the_intent_stops_the_act(stage: Stage, moment: str) -> None:
    campaign, withdrawn = on_drive(stage), list[str]()
    stage.commands().consents.give(CONSENT_SENTENCE)

    def withdraw(at: str) -> None:
        if at == moment and not withdrawn:
            withdrawn.append(at)
            stage.elsewhere(lambda user: user.consents.withdraw())

    stage.site.during = lambda tool, when: withdraw(when) if tool == "send_message" else None
    stage.run(campaign, boundary=withdraw)
    assert withdrawn == [moment]
    assert stage.received() == []
    assert stage.one("SELECT status FROM actions") == "not_sent"


def test_other_channels_ask_for_no_consent(stage: Stage) -> None:
    assert stage.run(stage.campaign(1, settings=MESSAGE_ONLY, connected=True)).halt is RunEnd.COMPLETED
