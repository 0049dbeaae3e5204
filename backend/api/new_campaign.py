"""A campaign in the making: its choices, its texts looked at, and its creation in one step."""

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import islice
from typing import Annotated, get_args

from pydantic import Field

from backend.api.campaign_settings import Bound, Goal, Label, Topic, limit_bounds
from backend.api.lead_files import PREVIEW_RECORDS, ChosenLeads, further_variables, open_chosen_file
from backend.api.models import find_model
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import MadeCampaign
from backend.commands.matching_rows import MatchingRows
from backend.domain.contact.ramp_words import ramp_sentences
from backend.domain.events.events import WORKSPACE
from backend.domain.leads.blueprints import blueprint_for
from backend.domain.model.campaign import Limits, Settings
from backend.domain.model.channel import ASSIST, CHANNELS, find_channel
from backend.domain.model.condition import BASE_FIELDS as CONDITION_FIELDS
from backend.domain.model.connection import SCRIPTED, Connection, host_of
from backend.domain.model.criteria import BASE_FIELDS
from backend.domain.model.days import OffsetSince, local_day, utc_offsets
from backend.domain.model.message import SENT_BY
from backend.domain.model.scoring import TOTAL_WEIGHT, Blueprint, in_force, scorer, summary
from backend.domain.model.sequence import Step
from backend.domain.model.task import ActionFamily
from backend.domain.model.variables import MOST_FIELDS, VARIABLES, Recipient, required_variables
from backend.domain.people.identity import member_key
from backend.domain.people.lead_row import LeadField, LeadRow
from backend.domain.sequence.sequence_change import RequestedStep
from backend.domain.sequence.template import MOST_STEPS, PRESETS, refuse_unsendable, render, sequence_of
from backend.domain.sequence.template_check import doubtful_words
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import Id, Shape
from backend.situation.situations import TurnInputs
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import new_campaign_draft
from backend.store.queries.campaign.new_campaign_draft import MOST_BYTES, KeptCampaignDraft
from backend.store.queries.contact import actions
from backend.store.queries.device import models
from backend.store.queries.leads.scored_leads import fields_of_row
from backend.store.queries.people import consents

MOST_READERS = 3

routes = Routes("new_campaign", "/campaigns")

Days = Annotated[int, Field(ge=0, le=90)]


class Option(Shape):
    """Something to choose."""

    id: str
    title: str
    about: str


class ChannelOption(Option):
    """A way to people; with `needs_consent`, no campaign is made on it before the user consents in writing.

    `limits` are what a campaign on it begins with; `by_hand`: the user sends, so that the ramp and the hours only advise.
    """

    needs_consent: bool
    by_hand: bool
    limits: Limits


class StepPreset(Option):
    """A sequence to begin with."""

    steps: list[RequestedStep]


class NewCampaignChoices(Shape):
    """What a new campaign can be made of."""

    sites: list[ChannelOption]
    models: list[Option]
    presets: list[StepPreset]
    variables: list[str]
    fields: list[str]
    """What a condition can go by, beside the columns of the lead file."""
    most_steps: int
    bounds: dict[str, Bound]
    """The least and the most of every limit."""
    utc_offsets: list[OffsetSince] = Field(default=[])


class TemplateReader(Shape):
    """Whom texts are shown for: a row of a lead file, as far as templates may say it."""

    full_name: str = Field(max_length=200)
    company: str = Field(default="", max_length=500)
    job_title: str = Field(default="", max_length=500)
    email: str = Field(default="", max_length=500)
    more: dict[str, str] = Field(default={}, max_length=MOST_FIELDS)

    def recipient(self) -> Recipient:
        """The same for the templates' rules."""
        return Recipient(self.full_name, self.company, self.job_title, self.email, self.more)


class PreviewSteps(Shape):
    """Texts to be looked at, for a few people; `columns` are the further variables of the lead file.

    `fields` are what its other columns are read as; null without a file.

    By `site` and `limits` it is also told what the ramp allows.
    """

    goal: str = Field(max_length=1_000)
    topic: Topic = ""
    steps: list[RequestedStep] = Field(max_length=20)
    readers: list[TemplateReader] = Field(min_length=1, max_length=MOST_READERS)
    columns: list[str] = Field(default=[], max_length=200)
    fields: list[str] | None = Field(default=None, max_length=200)
    site: Id = ASSIST
    limits: Limits = Limits()


class PreviewedStep(Shape):
    """A text as it would be proposed; lengths as a site counts them.

    `problem` is empty when it could be sent; `missing` are the variables that are not known of this person, for which the user
    would be asked, and `uses` those that the text cannot do without. `doubtful` is what may be a placeholder in every message.
    """

    text: str
    length: int
    limit: int
    problem: str
    missing: list[str]
    uses: list[str]
    doubtful: list[str]


class PreviewedSteps(Shape):
    """Each step's text for one person."""

    steps: list[PreviewedStep]


class CampaignPreview(Shape):
    """The steps for each of the people, in their order, and what is wrong with the steps as a whole.

    `scoring` is what would be preferred for the goal; `ramp` tells how many a day may go out in the weeks to come, a sentence for
    each family of acts that the steps need.
    """

    people: list[PreviewedSteps]
    problem: str
    scoring: list[str]
    ramp: list[str]


class ScoreFile(Shape):
    """A goal, and the lead file whose people are scored by it."""

    goal: str = Field(max_length=1_000)
    file: ChosenLeads


class FileScores(Shape):
    """How many people of the file's first rows would have each score, from 0 to 100; `whole`: there are no other rows."""

    counts: list[int]
    whole: bool


class NewCampaign(Shape):
    """The whole campaign. The same `key` twice is the same campaign: a repeated request makes no second one."""

    key: Id
    name: Label
    goal: Goal
    topic: Topic = ""
    site: Id
    model: Id = "scripted"
    steps: list[RequestedStep] = Field(min_length=1, max_length=20)
    limits: Limits | None = None
    """Null: those that its channel begins with."""
    file: ChosenLeads | None


CHOICES = NewCampaignChoices(
    sites=[
        ChannelOption.showing(
            channel, about=channel.description, by_hand=not channel.user_families.isdisjoint(SENT_BY.values())
        )
        for channel in CHANNELS.values()
    ],
    models=[
        Option(
            id=SCRIPTED,
            title="Built-in script",
            about="Fills your templates and follows the sequence. Needs no account, costs nothing, always does the same.",
        ),
    ],
    presets=[StepPreset.showing(preset, about=preset.description, steps=list(preset.steps)) for preset in PRESETS],
    variables=list(VARIABLES),
    fields=list(CONDITION_FIELDS),
    most_steps=MOST_STEPS,
    bounds=limit_bounds(),
)


@routes.get("/new")
def choices(services: Services, connection: DatabaseConnection) -> NewCampaignChoices:
    """What a new campaign can be made of."""
    clock = services.workspace.clock
    connected = [
        _model(model_connection, models.why_untested(connection, model_connection))
        for model_connection in models.model_connections(connection)
    ]
    sites = [
        site.model_copy(update={"needs_consent": False})
        if site.needs_consent and consents.consent(connection, CHANNELS[site.id].account)
        else site
        for site in CHOICES.sites
    ]
    return CHOICES.model_copy(
        update={
            "sites": sites,
            "models": [*CHOICES.models, *connected],
            "utc_offsets": utc_offsets(clock.now(), clock.offset),
        }
    )


@routes.get("/new/draft")
def draft(connection: DatabaseConnection) -> KeptCampaignDraft:
    """What was typed of a campaign that is not made yet."""
    return new_campaign_draft.kept_draft(connection)


@routes.post("/new/draft", most_bytes=MOST_BYTES)
def keep_draft(services: Services, body: KeptCampaignDraft) -> KeptCampaignDraft:
    """Keep what was typed, in the place of what was kept before; an empty text is to be kept no more."""
    with services.database.write() as connection:
        new_campaign_draft.keep_draft(connection, body)
    return body


@routes.post("/new/preview")
def preview(services: Services, body: PreviewSteps) -> CampaignPreview:
    """The texts as they would be proposed for those people, and what the ramp would allow."""
    settings = Settings(topic=body.topic.strip())
    inputs = services.turn_inputs(WORKSPACE)
    return CampaignPreview(
        people=[
            render_previews(body.steps, reader.recipient(), settings, columns=body.columns) for reader in body.readers
        ],
        problem=_problem(body.steps),
        scoring=summary(_fitted(body.goal, body.columns, body.fields)),
        ramp=ramp_sentences(body.limits, _ramp_begun(services, body, inputs), inputs.now, inputs.offset_at),
    )


@routes.post("/new/scores")
def scores(services: Services, body: ScoreFile) -> FileScores:
    """The scores that the file's people would have once they are imported; raises `file_ticket_unknown` and `lead_file_…`."""
    source, _ = open_chosen_file(services, body.file)
    now = services.clock(WORKSPACE).now()
    points = scorer(in_force(_fitted(body.goal, further_variables(source), source.columns), 1, now))
    rows = list(islice(source, PREVIEW_RECORDS + 1))
    matching = MatchingRows(
        services.database, "", find_channel(ASSIST).account, rows[:PREVIEW_RECORDS], body.file.filter, now
    )
    people = {member_key(row): row for row in matching if isinstance(row, LeadRow)}
    counts = Counter(points(fields_of_row(row)) for row in people.values())
    return FileScores(counts=[counts[score] for score in range(TOTAL_WEIGHT + 1)], whole=len(rows) <= PREVIEW_RECORDS)


@routes.post("", status=201)
def create(services: Services, body: NewCampaign) -> MadeCampaign:
    """Create the campaign, and begin to import its file."""
    channel = find_channel(body.site)
    sequence = sequence_of(body.steps)
    if body.model != SCRIPTED:
        services.database.query(find_model, body.model)
    # A file that cannot be brought in is refused before there is a campaign.
    file = open_chosen_file(services, body.file) if body.file else None
    columns = further_variables(file[0]) if file else ()
    scored_by = _fitted(body.goal, columns, file[0].columns if file else None)
    settings = channel.settings(sequence, scored_by, body.limits, topic=body.topic.strip())
    refuse_unsendable(settings.sequence, settings, columns)
    if file is not None and services.importer.busy:
        raise OutriderError("import_running")
    campaigns = services.commands(WORKSPACE).campaigns
    campaign_id = campaigns.create_on(
        channel, body.name.strip(), body.goal.strip(), settings, key=body.key, proposer=body.model
    )
    if body.file is not None and file is not None:
        source, name = file
        services.importer.start(
            campaign_id, source, services.clock(campaign_id),
            file=name, file_format=source.format.name, total=source.most_rows, lead_filter=body.file.filter,
            read_as=source.read_as,
        )  # fmt: skip
    return MadeCampaign(campaign_id=campaign_id)


def _fitted(goal: str, columns: Collection[str], fields: Collection[str] | None) -> Blueprint:
    """What the goal's own words ask for (spec 001 FR-029); shown before the campaign is made, and changed at any time.

    Nobody gets points for what the file has no column for; what no file brings may be found on a profile.
    """
    lacking = set() if fields is None else {*get_args(LeadField)} - {*fields}
    return Blueprint(criteria=blueprint_for(goal, {*BASE_FIELDS, *columns} - lacking).criteria)


def _ramp_begun(services: Services, body: PreviewSteps, inputs: TurnInputs) -> dict[ActionFamily, int | None]:
    """The families that the steps need -> the days since the account's first of it, None when it has sent none."""
    kinds = {step.kind for step in body.steps}
    account = find_channel(body.site).account

    def days(connection: DatabaseConnection, family: ActionFamily) -> int | None:
        first = actions.usage(connection, account, family, inputs.now, inputs.midnight).first_ever if account else None
        return None if first is None else local_day(inputs.now, inputs.offset_at) - local_day(first, inputs.offset_at)

    with services.database.read() as connection:
        return {family: days(connection, family) for kind, family in SENT_BY.items() if kind in kinds}


def _model(model_connection: Connection, untested: str) -> Option:
    if model_connection.price_in is None or model_connection.price_out is None:
        money = "Its price is not known; tokens are limited."
    else:
        money = "Costs money." if model_connection.price_in or model_connection.price_out else "Free."
    return Option(
        id=model_connection.id,
        title=model_connection.name,
        about=(
            f"{model_connection.model} at {host_of(model_connection.base_url)} writes each message for its reader."
            f" {money} {untested}"
        ).rstrip(),
    )


def _problem(steps: list[RequestedStep]) -> str:
    try:
        sequence_of(steps)
    except OutriderError as error:
        return error.sentence
    return ""


def render_previews(
    steps: Sequence[Step | RequestedStep],
    recipient: Recipient,
    settings: Settings,
    *,
    columns: Collection[str] = (),
) -> PreviewedSteps:
    """The texts as they would be proposed for that person."""
    texts = [(step, render(step, recipient, settings, columns)) for step in steps]
    return PreviewedSteps(
        steps=[
            PreviewedStep.showing(
                text,
                missing=list(text.missing),
                uses=list(required_variables(step.template)),
                doubtful=list(doubtful_words(step.template)),
            )
            for step, text in texts
        ]
    )
