"""A campaign in the making: what there is to choose from, how its texts turn out, and the whole of it at the end."""

from typing import Annotated, Literal

from pydantic import Field

from backend.api.wire.base import Id, Wire
from backend.api.wire.leads import ChosenLeads
from backend.api.wire.settings import Goal, Label
from backend.domain.campaign import Limits
from backend.domain.variables import MOST_FIELDS, Recipient

Days = Annotated[int, Field(ge=0, le=90)]


class NewStep(Wire):
    """One thing to be written; `after_days` counts from the acceptance or from the message before it."""

    kind: Literal["invitation", "message"]
    after_days: Days
    template: str = Field(max_length=4_000)


class Option(Wire):
    """Something to choose; `why_not` says why it cannot be chosen in this version, and is empty when it can."""

    id: str
    title: str
    about: str
    why_not: str = ""


class StepPreset(Option):
    """A sequence to begin with."""

    steps: list[NewStep]


class NewCampaignChoices(Wire):
    """What a new campaign can be made of."""

    sites: list[Option]
    models: list[Option]
    presets: list[StepPreset]
    variables: list[str]
    most_steps: int
    scoring: list[str]
    """What leads are scored by to begin with, a line a criterion."""
    limits: Limits


class Reader(Wire):
    """Whom texts are shown for: a row of a lead file, as far as templates may say it."""

    full_name: str = Field(max_length=200)
    company: str = Field(default="", max_length=500)
    job_title: str = Field(default="", max_length=500)
    email: str = Field(default="", max_length=500)
    more: dict[str, str] = Field(default={}, max_length=MOST_FIELDS)

    def recipient(self) -> Recipient:
        """The same for the templates' rules."""
        return Recipient(self.full_name, self.company, self.job_title, self.email, self.more)


class PreviewSteps(Wire):
    """Texts to be looked at, for one person; `columns` are the further variables of the lead file."""

    goal: str = Field(max_length=1_000)
    steps: list[NewStep] = Field(max_length=20)
    reader: Reader
    columns: list[str] = Field(default=[], max_length=200)


class PreviewedStep(Wire):
    """A text as it would be proposed; lengths as a site counts them.

    `problem` is empty when it could be sent; `missing` are the variables that are not known of this person, for which the user
    would be asked, and `uses` those that the text cannot do without.
    """

    text: str
    length: int
    limit: int
    problem: str
    missing: list[str]
    uses: list[str]


class PreviewedSteps(Wire):
    """Each step's text, and what is wrong with the steps as a whole."""

    steps: list[PreviewedStep]
    problem: str


class NewCampaign(Wire):
    """The whole campaign. The same `key` twice is the same campaign: a repeated request makes no second one."""

    key: Id
    name: Label
    goal: Goal
    site: Id
    model: Id = "scripted"
    steps: list[NewStep] = Field(min_length=1, max_length=20)
    file: ChosenLeads | None
