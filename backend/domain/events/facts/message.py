"""What happens to a message, to the approval that lets it be sent, and to the act of sending it."""

from collections.abc import Mapping, Sequence

from backend.domain.events.facts.fact import OMITTED, Fact, Verb, column
from backend.domain.events.facts.statuses import ActionStatus, IncidentStatus
from backend.domain.gates.approval import ApprovalStatus
from backend.domain.model.message import MessageSource, MessageStatus, SendOutcome
from backend.domain.model.reply_kind import ReplyKind
from backend.domain.model.site import IncidentKind, SiteAnswer
from backend.domain.model.task import ActionFamily
from backend.domain.values.canonical_json import Json

_M, _A, _D, _I = MessageStatus, ApprovalStatus, ActionStatus, IncidentStatus
_NEW, _CHANGE = Verb.CREATES, Verb.CHANGES

Evidence = Sequence[Mapping[str, Json]]
"""What was seen after an act."""


class MessageDrafted(Fact, entity="message", verb=_NEW, starts=_M.DRAFT):
    """A text was proposed; it waits for the user."""

    lead_id: str
    task_id: str
    step: str
    message_kind: str = column(alias="kind")
    text: str
    created_at: int
    from_template: int = OMITTED
    """1 if a model was to write the text and it is the template's."""
    variant: str = OMITTED
    """That of the step's words."""


class MessageEdited(Fact, entity="message", verb=_CHANGE, sets={"from_template": 0}):
    """The user changed the text."""

    text: str


class MessageApproved(Fact, entity="message", verb=_CHANGE, moves={_M.DRAFT: _M.APPROVED}):
    """The user said yes to exactly this text."""


class MessageWithdrawn(Fact, entity="message", verb=_CHANGE, moves={_M.APPROVED: _M.DRAFT}):
    """The yes was taken back, or does not serve any more; the text waits again."""


class MessageCancelled(
    Fact,
    entity="message",
    verb=_CHANGE,
    # From `sent`: where the user's word alone had said so, and by their word it was not.
    moves=dict.fromkeys((_M.DRAFT, _M.APPROVED, _M.OUTCOME_UNKNOWN, _M.FAILED, _M.SENT), _M.CANCELLED),
):
    """The text is not to be sent any more."""

    reason: str
    rejection_reason: str = OMITTED
    """Why the user rejected it, in their words."""


class MessageRestored(
    Fact, entity="message", verb=_CHANGE, moves={_M.CANCELLED: _M.DRAFT}, sets={"reason": "", "rejection_reason": ""}
):
    """The user took a rejection back."""


class MessageSending(Fact, entity="message", verb=_CHANGE, moves={_M.APPROVED: _M.SENDING}):
    """The site is about to be asked to send it."""


class MessageSent(
    Fact,
    entity="message",
    verb=_CHANGE,
    # From `approved`: an attempt that was believed not sent had arrived after all.
    moves=dict.fromkeys((_M.APPROVED, _M.SENDING, _M.OUTCOME_UNKNOWN), _M.SENT),
):
    """It was seen at its recipient, or the user says so."""

    sent_at: int
    evidence: Evidence


class MessageNotSent(
    Fact, entity="message", verb=_CHANGE, moves=dict.fromkeys((_M.SENDING, _M.OUTCOME_UNKNOWN), _M.APPROVED)
):
    """It was observed, when nothing could be under way any more, that nothing had been sent; the yes holds once more."""

    reason: str
    attempts: int


class MessageOutcomeUnknown(Fact, entity="message", verb=_CHANGE, moves={_M.SENDING: _M.OUTCOME_UNKNOWN}):
    """Nobody knows whether it was sent."""

    reason: str


class MessageFailed(
    Fact, entity="message", verb=_CHANGE, moves=dict.fromkeys((_M.SENDING, _M.OUTCOME_UNKNOWN), _M.FAILED)
):
    """The site failed to send it too often."""

    reason: str


class ReplyReceived(Fact, entity="message", verb=_NEW, starts=_M.RECEIVED):
    """They wrote, kept word by word."""

    lead_id: str
    message_kind: str = column(alias="kind")
    text: str
    sent_at: int
    created_at: int
    source: MessageSource = OMITTED
    reply_kind: ReplyKind = OMITTED
    reply_rule: str = OMITTED


class ReplyClassified(Fact, entity="message", verb=_CHANGE):
    """The user says what a reply is."""

    reply_kind: ReplyKind
    reply_rule: str


class OwnMessageFound(Fact, entity="message", verb=_NEW, starts=_M.FOUND):
    """A message of ours stands in the conversation that was not on record, kept word by word."""

    lead_id: str
    message_kind: str = column(alias="kind")
    text: str
    sent_at: int
    created_at: int
    source: MessageSource = OMITTED


class ApprovalGiven(Fact, entity="approval", verb=_NEW, starts=_A.OPEN):
    """The user's yes to one exact text."""

    message_id: str
    digest: str
    given_by: str
    expires_at: int
    created_at: int


class ApprovalUsed(Fact, entity="approval", verb=_CHANGE, moves={_A.OPEN: _A.USED}):
    """A send spent it: an approval serves one send only."""


class ApprovalReopened(Fact, entity="approval", verb=_CHANGE, moves={_A.USED: _A.OPEN}):
    """The one send it was for did not happen."""


class ApprovalExpired(Fact, entity="approval", verb=_CHANGE, moves={_A.OPEN: _A.EXPIRED}):
    """It was not used in time."""


class ApprovalRevoked(Fact, entity="approval", verb=_CHANGE, moves={_A.OPEN: _A.REVOKED}):
    """The user, or what became of the text, took it back."""


class _Intent(Fact):
    """The columns of every intent."""

    turn: int
    task_id: str
    lead_id: str
    message_id: str
    approval_id: str
    account: str
    family: ActionFamily
    tool: str
    params: Mapping[str, Json]
    seen_before: int
    intended_at: int


class ActionIntended(_Intent, entity="action", verb=_NEW, starts=_D.INTENDED):
    """An act outside is about to happen, in a turn; on disk before it does."""


class ActionHandedOver(_Intent, entity="action", verb=_NEW, starts=_D.INTENDED):
    """A text is about to be handed to the user, who sends it; on disk before they have it. It belongs to no turn."""


class ActionSettled(
    Fact,
    entity="action",
    verb=_CHANGE,
    moves={
        _D.INTENDED: (_D.SENT, _D.NOT_SENT, _D.OUTCOME_UNKNOWN),
        _D.OUTCOME_UNKNOWN: (_D.SENT, _D.NOT_SENT),
        _D.NOT_SENT: _D.SENT,  # it had arrived after all
        _D.SENT: _D.NOT_SENT,  # by the user's word alone, against their own
    },
):
    """What came of an act."""

    status: SendOutcome
    said: str
    settled_at: int
    claim: SiteAnswer = OMITTED
    evidence: Evidence = OMITTED


class ActionConfirmed(Fact, entity="action", verb=_CHANGE):
    """What the user said was sent stands in the site's own export; `evidence` is all there is by now."""

    evidence: Evidence


class IncidentOpened(Fact, entity="incident", verb=_NEW, starts=_I.OPEN):
    """The account is in trouble."""

    account: str
    incident_kind: IncidentKind = column(alias="kind")
    said: str
    opened_at: int
    evidence: str = OMITTED
    lead_id: str = OMITTED


class IncidentCleared(Fact, entity="incident", verb=_CHANGE, moves={_I.OPEN: _I.CLEARED}):
    """The user looked, and says why it is safe to go on."""

    reason: str
    cleared_at: int
