"""A campaign in the making: its choices, its texts looked at, and its creation in one step."""

from flask import Blueprint, Response

from backend.api.exchange import body, reply
from backend.api.lead_files import chosen, further_variables
from backend.api.reads.models import found
from backend.api.reads.texts import previewed
from backend.api.services import Services
from backend.api.wire.base import Done
from backend.api.wire.new_campaign import (
    NewCampaign,
    NewCampaignChoices,
    NewStep,
    Option,
    PreviewSteps,
    StepPreset,
)
from backend.controller.campaign_commands import PRACTICE
from backend.domain.campaign import Settings
from backend.domain.connection import SCRIPTED, Connection, host_of
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE
from backend.domain.scoring import summary
from backend.domain.template import (
    MOST_STEPS,
    PRESETS,
    Writing,
    refuse_unsendable,
    sequence_of,
)
from backend.domain.variables import VARIABLES
from backend.store import reading

CHOICES = NewCampaignChoices(
    sites=[
        Option(
            id=PRACTICE,
            title="The practice network",
            about="A fictional network that Outrider serves itself. Your leads stand in for themselves; nobody real is written to.",
        ),
        Option(
            id="linkedin",
            title="LinkedIn",
            about="Drafts for your own contacts, sent by your own hand in your own browser.",
            why_not="Not part of this version: Outrider has no way onto a real network yet.",
        ),
    ],
    models=[
        Option(
            id=SCRIPTED,
            title="Built-in script",
            about="Fills your templates and follows the sequence. Needs no account, costs nothing, always does the same.",
        ),
    ],
    presets=[
        StepPreset(
            id=preset.id,
            title=preset.title,
            about=preset.about,
            steps=[
                NewStep(kind=step.kind, after_days=step.after_days, template=step.template) for step in preset.steps
            ],
        )
        for preset in PRESETS
    ],
    variables=list(VARIABLES),
    most_steps=MOST_STEPS,
    scoring=summary(Settings().blueprint),
    limits=Settings().limits,
)


def blueprint(services: Services) -> Blueprint:
    """`/api/campaigns/new…`, and `POST /api/campaigns`."""
    routes = Blueprint("new_campaign", __name__, url_prefix="/api/campaigns")

    @routes.get("/new")
    def choices() -> Response:
        with services.database.read() as connection:
            connected = [_model(one) for one in reading.model_connections(connection)]
        return reply(CHOICES.model_copy(update={"models": [*CHOICES.models, *connected]}))

    @routes.post("/new/preview")
    def preview() -> Response:
        asked = body(PreviewSteps)
        return reply(
            previewed(
                _writings(asked.steps), asked.reader.recipient(), asked.goal, Settings(), columns=asked.columns
            ).model_copy(update={"problem": _problem(asked.steps)})
        )

    @routes.post("")
    def create() -> Response:
        wanted = body(NewCampaign)
        site = next((site for site in CHOICES.sites if site.id == wanted.site), None)
        if site is None or site.why_not:
            raise OutriderError("site_not_available", site=site.title if site else "That site")
        settings = Settings(sequence=sequence_of(_writings(wanted.steps)))
        if wanted.model != SCRIPTED:
            with services.database.read() as connection:
                found(connection, wanted.model)
        # A file that cannot be brought in is refused before there is a campaign.
        file = chosen(services, wanted.file) if wanted.file else None
        refuse_unsendable(settings.sequence, wanted.goal, settings, further_variables(file[0]) if file else ())
        if file is not None and services.importer.busy:
            raise OutriderError("import_running")
        campaigns = services.session.commands(WORKSPACE).campaigns
        made = campaigns.create_on_practice(
            wanted.name.strip(), wanted.goal.strip(), settings, key=wanted.key, proposer=wanted.model
        )
        if file is not None:
            source, name = file
            services.session.bring_in(made, source, file=name, file_format=source.format.name)
        return reply(Done(campaign_id=made), 201)

    return routes


def _model(one: Connection) -> Option:
    money = "Costs money." if one.price_in or one.price_out else "Free of charge."
    return Option(
        id=one.id,
        title=one.name,
        about=f"{one.model} at {host_of(one.base_url)} writes each text for its reader. {money}",
    )


def _writings(steps: list[NewStep]) -> list[Writing]:
    return [Writing(step.kind, step.template, step.after_days) for step in steps]


def _problem(steps: list[NewStep]) -> str:
    try:
        sequence_of(_writings(steps))
    except OutriderError as error:
        return error.sentence
    return ""
