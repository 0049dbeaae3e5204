"""What settles a send."""

from itertools import product

import pytest

from backend.domain.events.facts.fact import Fact
from backend.domain.events.facts.message import MessageNotSent, MessageOutcomeUnknown, MessageSent
from backend.domain.model.message import MessageStatus, Observation, SendOutcome, send_outcome
from backend.domain.model.site import SiteAnswer

# --- settling ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("claim", "seen"), list(product(SiteAnswer, Observation)), ids=str)
def test_only_what_was_seen_settles_a_send(claim: SiteAnswer, seen: Observation) -> None:
    if seen.value == "present":
        expected = "sent"
    elif seen.value == "absent" and claim.value != "confirmed":
        expected = "not_sent"
    else:
        expected = "outcome_unknown"
    assert send_outcome(claim, seen, settled=True).value == expected


@pytest.mark.parametrize("claim", SiteAnswer)
@pytest.mark.parametrize("settled", [True, False])
def test_a_send_whose_result_was_not_seen_is_never_assumed_failed(claim: SiteAnswer, settled: bool) -> None:
    assert send_outcome(claim, Observation.UNREADABLE, settled=settled) is SendOutcome.OUTCOME_UNKNOWN


@pytest.mark.parametrize("claim", SiteAnswer)
def test_what_is_absent_while_its_request_may_be_under_way_is_not_known_to_be_lost(claim: SiteAnswer) -> None:
    assert send_outcome(claim, Observation.ABSENT, settled=False) is SendOutcome.OUTCOME_UNKNOWN
    assert send_outcome(claim, Observation.PRESENT, settled=False) is SendOutcome.SENT


def test_every_outcome_is_a_legal_move_of_a_message_that_is_sending_and_of_one_that_is_unknown() -> None:
    after: dict[SendOutcome, type[Fact]] = {
        SendOutcome.SENT: MessageSent,
        SendOutcome.NOT_SENT: MessageNotSent,
        SendOutcome.OUTCOME_UNKNOWN: MessageOutcomeUnknown,
    }
    for claim, seen, settled in product(SiteAnswer, Observation, (True, False)):
        outcome = send_outcome(claim, seen, settled=settled)
        (states,) = after[outcome].moves.values()
        assert MessageStatus.SENDING in states
        assert outcome is SendOutcome.OUTCOME_UNKNOWN or MessageStatus.OUTCOME_UNKNOWN in states
