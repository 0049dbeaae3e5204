"""What a failing model means for a run: try it again later, count its reply as one in vain, or end the run."""

from backend.domain.device.model_server_error import NOTHING_RAN
from backend.domain.values.errors import OutriderError

CUT_OFF = "proposer_cut_off"

PASSING = frozenset(
    {
        "proposer_rate_limited",
        "proposer_unreachable",
        "proposer_failed",
        "proposer_timeout",
        "proposer_garbled",
        "proposer_no_content",
    }
)
"""What is over by itself sooner or later: the same request may be answered then."""

BROKEN = frozenset({"the connection broke", "the connection was closed"})
"""Why a reply was cut off by the network; a reply that reached its limit would reach it again."""

UNUSABLE = frozenset({"proposer_empty", "proposer_refused"})
"""The model answered, and there is nothing to be read: its task bears a strike, as for a proposal that is rejected."""


def is_passing(error: OutriderError) -> bool:
    """Whether the model is to be asked again after a while."""
    return error.code in PASSING or (error.code == CUT_OFF and error.facts["why"] in BROKEN)


def is_unusable(error: OutriderError) -> bool:
    """Whether the model said something of no use."""
    return error.code in UNUSABLE or (error.code == CUT_OFF and not is_passing(error))


MOST_COSTLY_IN_A_ROW = 5


def may_have_cost(error: OutriderError) -> bool:
    """Whether the server had the whole request and may bill it, so that asking again is not free."""
    return error.code in _MAY_COST and not error.facts.get(NOTHING_RAN)


_MAY_COST = frozenset({"proposer_timeout", "proposer_garbled", "proposer_no_content", CUT_OFF})
