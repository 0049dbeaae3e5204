"""The statuses of entities that have no module of their own."""

from enum import StrEnum


class ScoringStatus(StrEnum):
    """All leads are scored anew: under way, done, or superseded by a newer blueprint."""

    RUNNING = "running"
    DONE = "done"
    SUPERSEDED = "superseded"


class CommitmentStatus(StrEnum):
    """A task's promise: not checked yet, how its last check ended, or no condition any more."""

    OPEN = "open"
    PASSED = "passed"
    FAILED = "failed"
    WITHDRAWN = "withdrawn"


class ActionStatus(StrEnum):
    """An act outside: intended, and what came of it."""

    INTENDED = "intended"
    SENT = "sent"
    NOT_SENT = "not_sent"
    OUTCOME_UNKNOWN = "outcome_unknown"


class IncidentStatus(StrEnum):
    """Trouble with the account, until the user clears it."""

    OPEN = "open"
    CLEARED = "cleared"


class QuestionStatus(StrEnum):
    """A question to the user: waiting, answered, or moot."""

    OPEN = "open"
    ANSWERED = "answered"
    WITHDRAWN = "withdrawn"


class ConsentStatus(StrEnum):
    """The user's written consent: it holds, or was withdrawn."""

    ACTIVE = "active"
    WITHDRAWN = "withdrawn"


class DoNotContactStatus(StrEnum):
    """An entry of the do-not-contact list."""

    ACTIVE = "active"
    REMOVED = "removed"


class ConflictStatus(StrEnum):
    """A decision that could not be reapplied behind another device's: it waits for the user's choice, or was settled."""

    OPEN = "open"
    SETTLED = "settled"


class IdentityAnswerStatus(StrEnum):
    """An answer to whether leads are one person: it holds, or was taken back."""

    ACTIVE = "active"
    TAKEN_BACK = "taken_back"
