"""Exceptions nobody expected: how they are told apart, and the error that stands for them from then on."""

import traceback

from backend.domain.values.errors import OutriderError, as_told
from backend.store.database import ConstraintError
from backend.store.log.projections import LostRowError

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
