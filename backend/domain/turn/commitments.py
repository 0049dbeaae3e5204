"""What must be verifiably true before a task is done (spec 004 REQ-DET-004); the checking itself is in the verifier."""

import shlex
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from backend.domain.model.artifact import ArtifactType


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


_Id = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]


class SequenceFinished(_Strict):
    """The lead's sequence has ended, nothing of it is still open, and every sent message has its evidence."""

    type: Literal["sequence_finished"]
    lead_id: _Id


class StepMessageSent(_Strict):
    """The message of that step was seen in the thread."""

    type: Literal["message_sent"]
    lead_id: _Id
    step: Annotated[str, Field(min_length=1, max_length=32)]


class InvitationGone(_Strict):
    """No invitation to the lead waits any more: it was withdrawn, or they accepted after all."""

    type: Literal["invitation_gone"]
    lead_id: _Id


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


_Path = Annotated[str, Field(min_length=1, max_length=300, pattern=r"^[^\\:\x00]+$")]


class SqlHolds(_Strict):
    """The first value that a read-only query of the database gives; `:campaign` in it is the task's campaign."""

    type: Literal["sql"]
    select: Annotated[str, Field(min_length=8, max_length=4_000)]
    expected: Annotated[str, Field(max_length=1_000)] | int | None


class FileExists(_Strict):
    """A file in the campaign's folder, by its path there; with `sha256` exactly that file."""

    type: Literal["file_exists"]
    path: _Path
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None


class FileContains(_Strict):
    """A file in the campaign's folder that holds a text."""

    type: Literal["file_contains"]
    path: _Path
    text: Annotated[str, Field(min_length=1, max_length=2_000)]


class CommandSucceeds(_Strict):
    """A program, started in the campaign's folder without a shell, ends in time with that status."""

    type: Literal["command"]
    argv: Annotated[
        tuple[Annotated[str, Field(max_length=1_000, pattern=r"^[^\x00]*$")], ...], Field(min_length=1, max_length=32)
    ]
    exit_code: Annotated[int, Field(ge=0, le=255)] = 0
    timeout_s: Annotated[int, Field(ge=1, le=30)] = 30


OutsidePromise = FileExists | FileContains | CommandSucceeds
"""What is looked at outside the database."""

Commitment = Annotated[
    SequenceFinished | StepMessageSent | LeadStatusIs | LeadsScored | ArtifactExists, Field(discriminator="type")
]
"""What a proposal may promise."""

OfUser = LeadsScored | ArtifactExists | SqlHolds | FileExists | FileContains | CommandSucceeds
UserCommitment = Annotated[OfUser, Field(discriminator="type")]
"""What a user may add to a task. No proposal may promise what reads files or starts programs."""

CommitmentParams = Annotated[
    SequenceFinished
    | StepMessageSent
    | InvitationGone
    | LeadStatusIs
    | LeadsScored
    | ArtifactExists
    | RequestSettled
    | SqlHolds
    | OutsidePromise,
    Field(discriminator="type"),
]
COMMITMENT: TypeAdapter[CommitmentParams] = TypeAdapter(CommitmentParams, config=ConfigDict(defer_build=True))


_SENTENCES = {
    "sequence_finished": "The lead's sequence has ended, and every message sent was seen at its recipient.",
    "message_sent": "“{step}” was seen at its recipient.",
    "invitation_gone": "No invitation waits at the lead any more.",
    "lead_status": "The lead is {status}.",
    "leads_scored": "Every lead has a score.",
    "artifact_exists": "There is a {artifact_type} “{artifact_key}”.",
    "request_settled": "A step for it is on record, and no question is open.",
    "sql": "`{select}` gives {expected!r}.",
    "file_exists": "The file “{path}” is in the campaign's folder.",
    "file_contains": "The file “{path}” in the campaign's folder contains “{text}”.",
    "command": "`{argv}` ends with status {exit_code} within {timeout_s} s.",
}


def sentence(promise: CommitmentParams) -> str:
    """What is promised, for people."""
    columns = promise.model_dump()
    if isinstance(promise, CommandSucceeds):
        columns["argv"] = shlex.join(promise.argv)
    text = _SENTENCES[promise.type].format_map(columns)
    return f"{text} Its SHA-256 is {promise.sha256}." if isinstance(promise, FileExists) and promise.sha256 else text


def impossibility(promise: CommitmentParams) -> str:
    """Why it can never be so, whatever happens; "" if it can. What a query may read, the store knows."""
    path = promise.path if isinstance(promise, FileExists | FileContains) else ""
    if path.startswith("/") or ".." in path.split("/"):
        return "the file is outside of the campaign's folder"
    if isinstance(promise, ArtifactExists) and promise.artifact_type not in set(map(str, ArtifactType)):
        return f"there are no artifacts of the type “{promise.artifact_type}”"
    return ""


@dataclass(frozen=True, slots=True)
class CommitmentCheck:
    """What the verifier found for one commitment."""

    commitment_id: str
    passed: bool
    detail: str


def all_pass(checks: tuple[CommitmentCheck, ...]) -> bool:
    """Done is all or nothing, and a task that promised nothing is never done."""
    return bool(checks) and all(check.passed for check in checks)
