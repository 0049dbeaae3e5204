"""The tools that passive agents may ask for; the supervisor runs them, and no proposal can name one (spec 003 §5)."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from pydantic import Field, PlainValidator

from backend.domain.device.passive_agent import AgentInputs
from backend.domain.model.tools import StrictModel

MOST_DAYS = 36_500
MOST_FILES = 250_000
LONGEST_PATH = 65_536

Days = Annotated[int, Field(ge=1, le=MOST_DAYS)]


def _a_path(value: object) -> str:
    if not isinstance(value, str) or not value or "\0" in value or len(value) > LONGEST_PATH:
        raise ValueError("it is no path")
    return value


FilePath = Annotated[str, PlainValidator(_a_path)]
"""As the system names it: a name that is no UTF-8 has lone surrogates in it, which pydantic's own strings refuse."""


class FileSearch(StrictModel):
    """The files of a folder and of those in it, by extension and by when they were modified."""

    directory: FilePath
    extension: Annotated[str, Field(pattern=r"^\.[a-z0-9]{1,16}$")]
    modified_within_days: Days


class TextSummary(StrictModel):
    """What these files are, in words."""

    files: Annotated[list[FilePath], Field(max_length=MOST_FILES)]


class PendingInvitations(StrictModel):
    """Invitations that nobody has accepted yet."""

    older_than_days: Days


AgentToolParams = FileSearch | TextSummary | PendingInvitations

AGENT_TOOLS: Mapping[str, type[AgentToolParams]] = {
    "FileSearchTool": FileSearch,
    "TextSummaryTool": TextSummary,
    "PendingInvitationsTool": PendingInvitations,
}


class ToolAnswer(NamedTuple):
    """What a tool gives: a value for the agent's context, and what the audit log says of it."""

    value: str | tuple[str, ...]
    outcome: str


def is_granted(params: AgentToolParams, inputs: AgentInputs, context: Mapping[str, Any]) -> bool:
    """Whether the user's inputs cover it: only the folder that was named is searched, only what was found there is read."""
    match params:
        case FileSearch(directory=directory):
            return directory == inputs.directory
        case TextSummary(files=files):
            found_paths = {path for value in context.values() if isinstance(value, tuple) for path in value}
            return found_paths.issuperset(files)
    return True
