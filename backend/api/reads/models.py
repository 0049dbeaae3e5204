"""Connections to models, and what they have cost."""

import sqlite3

from backend.api.wire.models import (
    CampaignModel,
    ModelChoice,
    ModelConnection,
    ModelPreset,
    ModelSpend,
    ModelsView,
)
from backend.domain.connection import PRESETS, SCRIPTED, Connection, host_of
from backend.domain.errors import OutriderError
from backend.store import reading

SCRIPT = "Built-in script"

PRESET_SHAPES = [
    ModelPreset(
        provider=preset.provider,
        title=preset.title,
        about=preset.about,
        base_url=preset.base_url,
        model=preset.model,
        mode=preset.mode,
        key=preset.key,
        hosted=bool(preset.key),
    )
    for preset in PRESETS.values()
]


def models(connection: sqlite3.Connection, fresh: str) -> ModelsView:
    """Every connection, and the presets."""
    return ModelsView(
        connections=[shown(connection, one) for one in reading.model_connections(connection)],
        presets=PRESET_SHAPES,
        fresh=fresh,
    )


def shown(connection: sqlite3.Connection, one: Connection) -> ModelConnection:
    """A connection with its use."""
    (campaigns,) = connection.execute(
        "SELECT count(*) FROM campaigns WHERE proposer=? AND proposer<>'scripted' AND status<>'completed'", (one.id,)
    ).fetchone()
    return ModelConnection(
        connection=one, provider=PRESETS[one.provider].title, host=host_of(one.base_url), campaigns=campaigns
    )


def found(connection: sqlite3.Connection, connection_id: str) -> Connection:
    """The connection; raises `model_unknown`."""
    one = reading.model_connection(connection, connection_id)
    if one is None:
        raise OutriderError("model_unknown", connection=connection_id)
    return one


def campaign_model(connection: sqlite3.Connection, campaign_id: str) -> CampaignModel:
    """Who proposes in the campaign, and its costs; raises `campaign_unknown`."""
    campaign = reading.campaign(connection, campaign_id)
    if campaign is None:
        raise OutriderError("campaign_unknown", campaign=campaign_id)
    choices = [ModelChoice(id=SCRIPTED, title=SCRIPT)]
    choices += [ModelChoice(id=one.id, title=one.name) for one in reading.model_connections(connection)]
    title = next((choice.title for choice in choices if choice.id == campaign.proposer), None)
    rows = connection.execute(
        "SELECT model, replies, tokens_in, tokens_out, cost_micros FROM model_spend WHERE campaign_id=? ORDER BY model",
        (campaign_id,),
    )
    spent = [
        ModelSpend(model=model, replies=replies, tokens_in=tokens_in, tokens_out=tokens_out, micros=micros)
        for model, replies, tokens_in, tokens_out, micros in rows
    ]
    limits = campaign.settings.limits
    return CampaignModel(
        proposer=campaign.proposer,
        title=title or campaign.proposer,
        known=title is not None,
        choices=choices,
        spent=spent,
        tokens=sum(one.tokens_in + one.tokens_out for one in spent),
        micros=sum(one.micros for one in spent),
        most_tokens=limits.model_kilotokens * 1_000,
        most_micros=limits.model_cents * 10_000,
    )
