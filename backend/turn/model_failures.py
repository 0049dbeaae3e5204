"""What a failing model means for a run (again later, a reply in vain, or the end), and what a defect is known as."""

import traceback

from backend.domain.device.model_server_error import NOTHING_RAN
from backend.domain.values.errors import OutriderError, as_told
from backend.store.database import ConstraintError
from backend.store.log.projections import LostRowError

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


_BROKEN_RULES = frozenset({"illegal_transition", "illegal_status"})
"""Errors with a sentence of their own that can still only come from a defect."""


def is_defect(error: Exception) -> bool:
    """Whether neither a code was prepared for this exception nor this computer is behind it."""
    return as_told(error).code in {"internal_error", *_BROKEN_RULES}


def defect_error(error: Exception) -> OutriderError:
    """The error by which a defect is known in the logs and to the user."""
    if isinstance(error, OutriderError):
        return OutriderError("invariant_broken", what=error.sentence[:500])
    what = f"{type(error).__name__}: {error}"[:500]
    broken = isinstance(error, (LostRowError, ConstraintError))
    return OutriderError("invariant_broken" if broken else "unexpected_failure", what=what)


def raised_at(error: Exception) -> str:
    """Where in the code it was raised, for a report: file, line and function."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno} {frames[-1].name}" if frames else ""
