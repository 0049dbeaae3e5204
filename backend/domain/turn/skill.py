"""A skill: a folder with SKILL.md, words for certain occasions (spec 002). It adds instructions, never tools or rights."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from backend.domain.model.sequence import DueAction
from backend.domain.turn.guidance import GuidanceProblem, guidance_problems
from backend.domain.turn.snapshot import MAX_SKILLS, Focus
from backend.domain.values.errors import OutriderError

DOCUMENT = "SKILL.md"
MAX_FRONT = 2_000
"""Characters of the front matter."""
MAX_INSTRUCTIONS = 4_000
"""Characters."""
MAX_INSTALLED = 50
"""By the user; the few that come with Outrider are beside them."""
MAX_LISTED = 2 * MAX_INSTALLED


class Occasion(StrEnum):
    """What a turn may be about, as far as skills apply to it."""

    INVITATION = "invitation"
    MESSAGE = "message"
    REPLY = "reply"
    SCORING = "scoring"
    ASSISTANT = "assistant"
    REVIEW = "review"


class SkillOrigin(StrEnum):
    """Who brought it."""

    BUILTIN = "builtin"
    USER = "user"


class ReviewState(StrEnum):
    """Whether a person has read exactly this content."""

    UNREVIEWED = "unreviewed"
    REVIEWED = "reviewed"


@dataclass(frozen=True, slots=True)
class SkillFolder:
    """A folder as it was read: its files by their paths inside, with `/`; `label` is what its owner calls it."""

    label: str
    files: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill that may be kept; made by `read`. `document` is SKILL.md whole, `instructions` what the agent is told of it."""

    name: str
    description: str
    version: str
    applies_to: tuple[Occasion, ...]
    instructions: str
    document: str
    source_hash: str
    others: tuple[str, ...] = ()
    """Other files of the folder; they are never used."""


def _occasion(value: Any) -> Any:
    return Occasion(value) if isinstance(value, str) and value in set(Occasion) else value


class _Front(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    name: str = Field(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$", max_length=48)
    description: str = Field(min_length=1, max_length=300, pattern=r"^\S[^\n]*$")
    applies_to: list[Annotated[Occasion, BeforeValidator(_occasion)]] = Field(
        alias="applies-to", min_length=1, max_length=len(Occasion)
    )
    version: str = Field(pattern=r"^[0-9A-Za-z][0-9A-Za-z.+-]{0,31}$")


_RIGHTS = re.compile(
    r"tool|permission|right|allow|grant|scope|capabilit|access|secret|env|hook|command|script", re.IGNORECASE
)
_WORDS = {
    "missing": "it is missing",
    "string_type": "it is not text; put it in quotation marks",
    "list_type": "it is not a list such as [invitation, message]",
    "is_instance_of": f"choose from {', '.join(Occasion)}",
    "extra_forbidden": "there is no such key; there are name, description, applies-to and version",
}
_PATTERNS = {
    "name": "use small letters, digits and single dashes, at most 48",
    "version": "use letters, digits, dots and dashes, at most 32",
    "description": "write one line of at most 300 characters",
}
_FENCE = re.compile(r"---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def read(folder: SkillFolder) -> Skill:
    """The skill in a folder; raises `skill_…` when it is none that may be kept."""
    raw = folder.files.get(DOCUMENT)
    if raw is None:
        raise OutriderError("skill_without_document", file=folder.label)
    try:
        document = raw.decode().removeprefix("\ufeff").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise OutriderError("skill_not_text", at=error.start) from error
    match = _FENCE.match(document)
    if match is None:
        raise OutriderError("skill_front_matter", why=f"{DOCUMENT} does not begin with it, between two lines of ---")
    front = _front(match[1])
    instructions = document[match.end() :].strip()
    _refuse_unfit(document, instructions)
    return Skill(
        name=front.name,
        description=front.description,
        version=front.version,
        applies_to=tuple(occasion for occasion in Occasion if occasion in front.applies_to),
        instructions=instructions,
        document=document,
        source_hash=source_hash(folder.files),
        others=tuple(sorted(path for path in folder.files if path != DOCUMENT)),
    )


def source_hash(files: Mapping[str, bytes]) -> str:
    """SHA-256 over the paths and the contents, each with its length, in the order of the paths: what was reviewed."""
    digest = hashlib.sha256()
    for path in sorted(files):
        for part in (path.encode("utf-8", "surrogatepass"), files[path]):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def suspicious_passages(document: str) -> list[GuidanceProblem]:
    """What a reader should look at twice before approving: passages that try to change rules or to grant rights."""
    return [problem for problem in guidance_problems(document) if problem.kind == "claim"]


def occasions(focus: Focus) -> tuple[Occasion, ...]:
    """What a turn with this focus is about; nothing while there is nothing to write or to judge."""
    if (fixed := _BY_KIND.get(focus.task.kind)) is not None:
        return (fixed,)
    due_step = focus.need
    if due_step is None or due_step.due is not DueAction.DRAFT or due_step.step is None:
        return ()
    if due_step.step.kind == "invitation":
        return (Occasion.INVITATION,)
    answered = focus.lead is not None and focus.lead.replied_at is not None
    return (Occasion.MESSAGE, Occasion.REPLY) if answered else (Occasion.MESSAGE,)


_BY_KIND: dict[str, Occasion] = {
    "score_leads": Occasion.SCORING,
    "custom": Occasion.REVIEW,
    "assist": Occasion.ASSISTANT,
}
"""Kinds of task that are always about the same."""


def full_occasion(candidates: Iterable[Occasion], in_use: Iterable[tuple[Occasion, ...]]) -> Occasion | None:
    """The first occasion that has as many skills in use as a prompt may hold, so that none is left out unsaid."""
    occasions_in_use = [occasion for skill_occasions in in_use for occasion in skill_occasions]
    return next((occasion for occasion in candidates if occasions_in_use.count(occasion) >= MAX_SKILLS), None)


@lru_cache(maxsize=16)  # each data folder that is opened is given the same few
def _front(text: str) -> _Front:
    if len(text) > MAX_FRONT:
        raise OutriderError("skill_front_matter", why=f"it has more than {MAX_FRONT} characters")
    try:
        values = _plain(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f" (line {mark.line + 2})" if mark is not None else ""
        raise OutriderError("skill_front_matter", why=f"it cannot be read as YAML{line}") from error
    if not isinstance(values, dict) or not all(isinstance(key, str) for key in values):
        raise OutriderError("skill_front_matter", why="it is not a list of keys with values")
    unknown = [key for key in values if key not in {"name", "description", "applies-to", "version"}]
    if claimed := next((key for key in unknown if _RIGHTS.search(key)), None):
        raise OutriderError("skill_claims_rights", key=claimed[:60])
    try:
        return _Front.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        key = str(first["loc"][0])
        why = _WORDS.get(first["type"]) or _PATTERNS.get(key) or first["msg"]
        raise OutriderError("skill_front_matter", why=f"{key[:60]}: {why}") from error


class _PlainLoader(yaml.SafeLoader):
    """Refuses what is not only what it looks like: anchors, aliases and tags."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) or getattr(event, "tag", None):
            raise ValueError("anchors, aliases and tags are not understood here")
        return super().compose_node(parent, index)


def _plain(text: str) -> Any:
    """The YAML's value, if it is only what it looks like, and no key stands twice; read once."""
    loader = _PlainLoader(text)
    try:
        node = loader.get_single_node()
        if isinstance(node, yaml.MappingNode):
            keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            if len(set(keys)) < len(keys):
                raise ValueError("a key stands twice")
        return None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


@lru_cache(maxsize=16)
def _refuse_unfit(document: str, instructions: str) -> None:
    if not instructions:
        raise OutriderError("skill_empty")
    if len(instructions) > MAX_INSTRUCTIONS:
        raise OutriderError("skill_too_long", length=len(instructions), limit=MAX_INSTRUCTIONS)
    for problem in guidance_problems(document):
        line = document.count("\n", 0, problem.start) + 1
        if problem.kind == "hidden":
            raise OutriderError("skill_hidden_character", point=problem.description, line=line)
        if problem.kind == "secret":
            raise OutriderError("skill_secret", what=problem.description, line=line)
