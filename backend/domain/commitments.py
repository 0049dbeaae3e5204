"""What must be verifiably true before a task is done (spec 004 REQ-DET-004); the checking itself is in the verifier."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


_Id = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]


class SequenceFinished(_Strict):
    """The lead's sequence has ended, nothing of it is still open, and every sent message has its evidence."""

    type: Literal["sequence_finished"]
    lead_id: _Id


class MessageSent(_Strict):
    """The message of that step was seen in the thread."""

    type: Literal["message_sent"]
    lead_id: _Id
    step: Annotated[str, Field(min_length=1, max_length=32)]


class LeadStatusIs(_Strict):
    """The lead has that status."""

    type: Literal["lead_status"]
    lead_id: _Id
    status: Literal["pending", "contacted", "responded", "rejected"]


class LeadsScored(_Strict):
    """Every lead of the campaign has a score."""

    type: Literal["leads_scored"]


class ArtifactExists(_Strict):
    """The campaign has such an artifact."""

    type: Literal["artifact_exists"]
    artifact_type: Annotated[str, Field(min_length=1, max_length=40)]
    artifact_key: Annotated[str, Field(min_length=1, max_length=64)]


class RequestSettled(_Strict):
    """Every turn for the request is on record with what came of it, and nothing of it waits for the user."""

    type: Literal["request_settled"]
    request_id: _Id


Commitment = Annotated[
    SequenceFinished | MessageSent | LeadStatusIs | LeadsScored | ArtifactExists, Field(discriminator="type")
]
"""What a proposal may promise."""

CommitmentParams = Annotated[
    SequenceFinished | MessageSent | LeadStatusIs | LeadsScored | ArtifactExists | RequestSettled,
    Field(discriminator="type"),
]
COMMITMENT: TypeAdapter[CommitmentParams] = TypeAdapter(CommitmentParams)


_SENTENCES = {
    "sequence_finished": "The lead's sequence has ended, and every message sent was seen at its recipient.",
    "message_sent": "“{step}” was seen at its recipient.",
    "lead_status": "The lead is {status}.",
    "leads_scored": "Every lead has a score.",
    "artifact_exists": "There is a {artifact_type} “{artifact_key}”.",
    "request_settled": "Every turn for it is on record with what came of it, and no question is open.",
}


def sentence(promise: CommitmentParams) -> str:
    """What is promised, for people."""
    return _SENTENCES[promise.type].format_map(promise.model_dump())


@dataclass(frozen=True, slots=True)
class CommitmentCheck:
    """What the verifier found for one commitment."""

    commitment_id: str
    passed: bool
    detail: str


def all_pass(checks: tuple[CommitmentCheck, ...]) -> bool:
    """Done is all or nothing, and a task that promised nothing is never done."""
    return bool(checks) and all(check.passed for check in checks)
