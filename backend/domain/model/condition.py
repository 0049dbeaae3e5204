"""A condition of a step: a question about a person, put once, when the step becomes due, and answered from what is on record.

What is not known is never guessed: the condition itself says whether it is found out first or the step is skipped. The answer is
recorded with the step at which it was put, and steps beside it that have the same condition, or its opposite, go by it.
"""

import json
from enum import StrEnum
from functools import cached_property
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

from backend.domain.model.lead import Lead
from backend.domain.model.site import Relation
from backend.domain.model.variables import columns_as_variables

_HOUR = 3_600_000
_DAY = 24 * _HOUR

MOST_CONDITIONS = 3
"""Of one step; all of them must hold."""

BASE_FIELDS = ("job_title", "company", "headline", "email", "full_name")
"""What a condition can ask of everybody, beside the columns of the lead file."""


class ConditionAnswer(StrEnum):
    """What came of a condition for a person, before `negated` is looked at."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Condition(BaseModel):
    """One question about a person; `negated` turns it round.

    `accepted` waits for `days` after the invitation; `connected` is a first-degree contact; `field` compares a column of the lead
    file without regard to case. `unknown` says what is done when it is not known whether they are connected.
    """

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    what: Literal["accepted", "connected", "tag", "field"]
    days: int = Field(default=0, ge=0, le=90)
    name: str = Field(default="", max_length=80, pattern=r"^\w*$")
    compare: Literal["is", "contains", "empty"] = "is"
    value: str = Field(default="", max_length=200)
    negated: bool = False
    unknown: Literal["find_out", "skip"] = "find_out"

    @model_validator(mode="after")
    def _whole(self) -> "Condition":
        """What it needs is there, and nothing else, so that two conditions that ask the same are equal."""
        needs = {
            "accepted": self.days > 0 and not (self.name or self.value),
            "connected": not (self.days or self.name or self.value),
            "tag": bool(self.value.strip()) and not (self.days or self.name),
            "field": bool(self.name) and not self.days and bool(self.value.strip()) != (self.compare == "empty"),
        }
        if not needs[self.what] or (self.what != "field" and self.compare != "is"):
            raise ValueError(f"a condition on “{self.what}” lacks something, or says too much")
        return self

    @cached_property
    def question(self) -> str:
        """What is asked; the same for a condition and its opposite."""
        match self.what:
            case "accepted":
                return f"accepted {self.days}"
            case "connected":
                return "connected"
            case "tag":
                return f"tag {self.value.strip().casefold()}"
            case _:
                return f"field {self.name} {self.compare} {self.value.strip().casefold()}".strip()

    def holds(self, answer: ConditionAnswer) -> bool:
        """Whether the step is for whom this was answered."""
        return answer is (ConditionAnswer.NO if self.negated else ConditionAnswer.YES)

    @property
    def words(self) -> str:
        """For example "they accept within 7 days"."""
        return _words(self, self.negated)

    def told(self, answer: ConditionAnswer) -> str:
        """What the answer says of a person, for example "not accepted within 7 days"."""
        match self.what:
            case "accepted":
                return "accepted" if answer is ConditionAnswer.YES else f"not accepted within {_days(self.days)}"
            case "connected" if answer is ConditionAnswer.UNKNOWN:
                return "not known whether connected"
            case "connected":
                return "connected" if answer is ConditionAnswer.YES else "not connected"
            case "tag":
                return f"{'has' if answer is ConditionAnswer.YES else 'does not have'} the tag “{self.value.strip()}”"
            case _:
                return _words(self, answer is not ConditionAnswer.YES)


def _days(days: int) -> str:
    return "a day" if days == 1 else f"{days} days"


def _words(condition: Condition, negated: bool) -> str:
    not_ = "not " if negated else ""
    match condition.what:
        case "accepted":
            return f"they {'do not ' if negated else ''}accept within {_days(condition.days)}"
        case "connected":
            return f"they are {not_}connected already"
        case "tag":
            return f"they {'do not ' if negated else ''}have the tag “{condition.value.strip()}”"
    if condition.compare == "empty":
        return f"{{{condition.name}}} is {not_}empty"
    verb = ("does not contain" if negated else "contains") if condition.compare == "contains" else f"is {not_}".strip()
    return f"{{{condition.name}}} {verb} “{condition.value.strip()}”"


class Look(NamedTuple):
    """It is not known yet, and a look not before then (ms UTC) may tell."""

    at: int


def ask(condition: Condition, lead: Lead, check_every_hours: int) -> ConditionAnswer | Look:
    """The answer for this person, or when a look may tell."""
    match condition.what:
        case "accepted":
            return _accepted(condition, lead, check_every_hours)
        case "connected":
            return _connected(condition, lead)
        case "tag":
            expected_tag = condition.value.strip().casefold()
            return _answer(any(tag.casefold() == expected_tag for tag in json.loads(lead.tags)))
        case _:
            return _answer(_compared(condition, field_of(lead, condition.name)))


def _answer(yes: bool) -> ConditionAnswer:
    return ConditionAnswer.YES if yes else ConditionAnswer.NO


def _accepted(condition: Condition, lead: Lead, check_every_hours: int) -> ConditionAnswer | Look:
    """Who accepted by the first look at or after the deadline has accepted: nobody can say when in between it was."""
    if lead.relation is Relation.CONNECTED:
        return ConditionAnswer.YES
    if lead.relation is Relation.NONE or lead.invited_at is None:
        return ConditionAnswer.NO
    until = lead.invited_at + condition.days * _DAY
    looked = max(lead.invited_at, lead.visited_at or 0)
    return ConditionAnswer.NO if looked >= until else Look(min(looked + check_every_hours * _HOUR, until))


def _connected(condition: Condition, lead: Lead) -> ConditionAnswer | Look:
    if lead.relation is not Relation.NONE:
        return _answer(lead.relation is Relation.CONNECTED)
    if lead.visited_at is not None:
        return ConditionAnswer.NO
    return Look(0) if condition.unknown == "find_out" else ConditionAnswer.UNKNOWN


def field_of(lead: Lead, name: str) -> str:
    """What is known of a person under that name; "" for nothing."""
    if name in BASE_FIELDS:
        return str(getattr(lead, name))
    return "" if lead.extra == "{}" else columns_as_variables(json.loads(lead.extra)).get(name, "")


def _compared(condition: Condition, value: str) -> bool:
    actual_value, expected_value = value.strip().casefold(), condition.value.strip().casefold()
    if condition.compare == "empty":
        return not actual_value
    return actual_value == expected_value if condition.compare == "is" else expected_value in actual_value


# --- what was answered ---


def recorded(step: str, condition: Condition, answer: ConditionAnswer) -> str:
    """An answer as a lead keeps it: the step at which it was put, the answer, and the question."""
    return f"{step} {answer} {condition.question}"


class Recorded(NamedTuple):
    """An answer that a lead has."""

    step: str
    answer: ConditionAnswer
    question: str


def read_recorded(text: str) -> Recorded:
    """The same the other way round; raises ValueError for anything else."""
    step, answer, question = text.split(" ", 2)
    return Recorded(step, ConditionAnswer(answer), question)


def told_recorded(text: str) -> str:
    """What a recorded answer says, for a history; the condition itself may be in force no more."""
    step, answer, question = read_recorded(text)
    what, _, rest = question.partition(" ")
    match what:
        case "accepted":
            sentence = Condition(what="accepted", days=int(rest)).told(answer)
        case "connected":
            sentence = Condition(what="connected").told(answer)
        case "tag":
            sentence = Condition(what="tag", value=rest).told(answer)
        case _:
            name, compare, *value = rest.split(" ", 2)
            condition = Condition.model_validate(
                {"what": "field", "name": name, "compare": compare, "value": value[0] if value else ""}
            )
            sentence = condition.told(answer)
    return f"{sentence} (asked before “{step}”)"
