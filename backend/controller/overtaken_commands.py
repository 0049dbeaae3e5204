"""Decisions that another device overtook: what was decided, in words, what holds instead, and deciding it again.

To decide again is to decide: by the command of that kind, checked against what is true now, its errors shown.
"""

import io
import json
import sqlite3
from collections.abc import Callable
from typing import Any, Literal, NamedTuple
from urllib.parse import quote

from backend.controller.commands import Commands
from backend.domain.campaign import CampaignStatus, Settings
from backend.domain.connection import Connection
from backend.domain.errors import OutriderError
from backend.domain.events import KINDS, AuditEntry, Event, Row
from backend.domain.overtaken import Status
from backend.domain.soul import Soul
from backend.domain.vault import VAULT
from backend.ports.blobs import Blobs
from backend.store import reading, set_aside, voice
from backend.store.set_aside import Overtaken

LONGEST = 2_000
"""Characters of a value that are shown."""


class About(NamedTuple):
    """The event that says what was decided, with all others of its transaction, and its row as it stands now."""

    connection: sqlite3.Connection
    campaign_id: str
    event: Event
    events: tuple[Event, ...]
    row: Row

    def value(self, column: str) -> Any:
        """What the event says, or else what the row has."""
        return self.event.changes.get(column, self.row.get(column, ""))

    @property
    def id(self) -> str:
        """Of the entity."""
        return self.event.entity_id


class OvertakenDecision(NamedTuple):
    """A decision as it is shown; `again` when one click decides it again."""

    overtaken: Overtaken
    what: str
    mine: str
    theirs: str
    again: bool
    place: str


Say = Callable[[About], str]
Again = Callable[[Commands, About, Blobs], object]


class Kind(NamedTuple):
    """How a kind of decision is told: what, both sides' values (of a column, if no words say otherwise), and where."""

    kinds: tuple[str, ...]
    what: Say
    again: Again | None = None
    column: str = "status"
    mine: Say | None = None
    theirs: Say | None = None
    place: Say = lambda _: ""


def waiting(connection: sqlite3.Connection) -> list[OvertakenDecision]:
    """All that wait for a choice, oldest first."""
    return [_told(connection, overtaken) for overtaken in set_aside.waiting(connection)]


def choose(commands: Commands, blobs: Blobs, overtaken: Overtaken, choice: Literal["mine", "theirs"]) -> None:
    """Decide it again as it was decided here, or leave what holds now. Raises `not_again`, and what the decision itself
    raises; then it still waits.
    """
    if choice == "mine":
        with commands.journal.database.read() as connection:
            about, kind = _about(connection, overtaken)
        if kind.again is None:
            raise OutriderError("not_again")
        kind.again(commands, about, blobs)
    now = commands.clock.now()
    with commands.journal.transaction() as transaction:
        if set_aside.settle(transaction.connection, overtaken.id, Status(choice), now):
            entry = AuditEntry("overtaken_decision", {"set_aside": overtaken.id, "choice": choice})
            transaction.audit(overtaken.campaign_id, [entry], actor=commands.actor, cause="overtaken", at=now)


def _told(connection: sqlite3.Connection, overtaken: Overtaken) -> OvertakenDecision:
    about, kind = _about(connection, overtaken)
    mine = kind.mine(about) if kind.mine else _text(about.event.changes.get(kind.column, ""))
    theirs = kind.theirs(about) if kind.theirs else _text(about.row.get(kind.column, ""))
    return OvertakenDecision(
        overtaken, kind.what(about), mine[:LONGEST], theirs[:LONGEST], kind.again is not None, kind.place(about)
    )


def _about(connection: sqlite3.Connection, overtaken: Overtaken) -> tuple[About, Kind]:
    """The first kind of the table that the transaction has an event of says what it was about."""
    for kind in DECISIONS:
        for event in overtaken.events:
            if event.kind in kind.kinds:
                row = set_aside.holds_now(connection, overtaken.campaign_id, event)
                return About(connection, overtaken.campaign_id, event, overtaken.events, row), kind
    event = overtaken.events[0] if overtaken.events else Event("ConfigChanged", "", {})
    row = set_aside.holds_now(connection, overtaken.campaign_id, event)
    return About(connection, overtaken.campaign_id, event, overtaken.events, row), _OTHER


# --- words ---


def _text(value: Any) -> str:
    """A column's value for people: the log has it as it was given, a row as text."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            value = json.loads(value)
        except ValueError:
            return str(value)
    if isinstance(value, dict):
        return "; ".join(f"{name.replace('_', ' ')}: {_text(one)}" for name, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_text(one) for one in value)
    return "" if value is None else str(value).replace("_", " ")


def _setting(name: str, value: str) -> str:
    return "" if name == VAULT else _text(value)  # a wrapped key says nothing to anybody


def _lead(about: About, lead_id: str) -> str:
    row = about.connection.execute("SELECT full_name FROM leads WHERE id=?", (lead_id,)).fetchone()
    return str(row[0]) if row else "somebody who is not here any more"


def _of_lead(what: str) -> Say:
    return lambda about: what.format(_lead(about, about.id))


def _of_message(what: str) -> Say:
    return lambda about: what.format(_lead(about, about.value("lead_id")))


def _named(what: str, column: str) -> Say:
    return lambda about: what.format(_text(about.value(column)))


def _in_campaign(screen: str, *, entity: bool = True) -> Say:
    return lambda about: "/".join(["#/campaigns", about.campaign_id, screen, *([about.id] if entity else [])])


def _settings(section: str) -> Say:
    return lambda _: f"#/settings/{section}"


def _edits(about: About) -> tuple[Row, Row]:
    """What an edit of the campaign changes, and what stands there: limits one by one."""
    mine = {name: value for name, value in about.event.changes.items() if name not in ("settings", "version")}
    theirs = {name: about.row.get(name, "") for name in mine}
    wanted, now = (_limits(values) for values in (about.event.changes, about.row))
    for name in wanted:
        if wanted[name] != now.get(name):
            mine[name], theirs[name] = wanted[name], now.get(name, "")
    return mine, theirs


def _limits(values: Any) -> Row:
    settings = values.get("settings")
    found: Row = json.loads(settings).get("limits", {}) if settings else {}
    return found


# --- deciding again ---


def _edit(commands: Commands, about: About, _: Blobs) -> None:
    with commands.journal.database.read() as connection:
        campaign = reading.campaign(connection, about.campaign_id)
    if campaign is None:
        raise OutriderError("campaign_unknown", campaign=about.campaign_id)
    changes = about.event.changes
    if "proposer" in changes:
        commands.models.choose(about.campaign_id, changes["proposer"])
        return
    limits = campaign.settings.limits
    if "settings" in changes:
        limits = Settings.model_validate_json(changes["settings"]).limits
    name, goal = (changes.get(name, getattr(campaign, name)) for name in ("name", "goal"))
    commands.campaigns.edit(about.campaign_id, version=campaign.version, name=name, goal=goal, limits=limits)


def _approve(commands: Commands, about: About, _: Blobs) -> None:
    given = next(event for event in about.events if event.kind == "ApprovalGiven")
    commands.approve(
        about.campaign_id, about.id, shown_digest=given.changes["digest"]
    )  # of the very text that was shown


def _configure(commands: Commands, about: About, _: Blobs) -> None:
    value = about.event.changes["value"]
    if not about.id.startswith(reading.MODEL):
        commands.workspace.keep(about.id, json.loads(value))
    elif value == reading.GONE:
        commands.models.remove(about.id.removeprefix(reading.MODEL))
    else:
        commands.models.save(Connection.model_validate_json(value))


def _keep(commands: Commands, about: About, blobs: Blobs) -> None:
    kept = about.event.changes
    pieces = blobs.chunks(kept["sha256"]) if kept.get("in_file") else (kept["content"].encode(),)
    source = io.BytesIO(b"".join(pieces))
    type_, key = kept["artifact_type"], kept["artifact_key"]
    with commands.journal.database.read() as connection:
        latest = reading.latest_version(connection, about.campaign_id, type_, key)
    commands.artifacts.save(about.campaign_id, type_, key, source, blobs, follows=latest)


def _soul(commands: Commands) -> Soul:
    with commands.journal.database.read() as connection:
        return voice.soul(connection)


def _artifact_place(about: About) -> str:
    kept = about.event.changes
    return "/".join(
        ["#/campaigns", about.campaign_id, "artifacts", kept["artifact_type"], quote(kept["artifact_key"], safe="")]
    )


def _artifact(about: About) -> str:
    """The newest version that there is."""
    kept = about.event.changes
    head = reading.latest_version(about.connection, about.campaign_id, kept["artifact_type"], kept["artifact_key"])
    row = about.connection.execute(
        "SELECT content FROM artifacts WHERE campaign_id=? AND artifact_type=? AND artifact_key=? AND version=?",
        (about.campaign_id, kept["artifact_type"], kept["artifact_key"], head),
    ).fetchone()
    return str(row[0]) if row else ""


_MOVES = {
    "CampaignActivated": "Activated the campaign",
    "CampaignPaused": "Paused the campaign",
    "CampaignContinued": "Continued the campaign",
    "CampaignCompleted": "Completed the campaign",
    "CampaignRecovered": "Took the campaign out of its error",
}

_OTHER = Kind((), lambda about: f"Changed the {KINDS[about.event.kind].entity.replace('_', ' ')}")

# In this order: a decision bears the first of these that its transaction has; what merely followed from it comes later.
DECISIONS: tuple[Kind, ...] = (
    Kind(
        ("InputAnswered",),
        _named("Answered the question “{}”", "question"),
        lambda commands, about, _: commands.answer(about.campaign_id, about.id, about.event.changes["answer"]),
        column="answer",
        place=_in_campaign("tasks", entity=False),
    ),
    Kind(("RequestAsked",), _named("Asked the assistant: “{}”", "question"), column="question"),
    Kind(
        ("ScoringStarted",),
        lambda _: "Put a scoring blueprint in force, or scored all leads anew",
        mine=lambda _: "",
        theirs=lambda _: "",
        place=_in_campaign("leads", entity=False),
    ),
    Kind(
        ("CampaignEdited",),
        lambda _: "Changed what the campaign is about or may do",
        _edit,
        mine=lambda about: _text(_edits(about)[0]),
        theirs=lambda about: _text(_edits(about)[1]),
        place=lambda about: f"#/settings/limits/{about.campaign_id}",
    ),
    Kind(
        tuple(_MOVES),
        lambda about: _MOVES[about.event.kind],
        lambda commands, about, _: commands.change_status(
            about.campaign_id, CampaignStatus(about.event.changes["status"]), about.event.changes["status_reason"]
        ),
        place=_in_campaign("run", entity=False),
    ),
    Kind(
        ("LeadBlocked",),
        _of_lead("Added {} to do-not-contact"),
        lambda commands, about, _: commands.leads.do_not_contact(about.campaign_id, about.id, ""),
        column="blocked",
        place=_in_campaign("leads"),
    ),
    Kind(
        ("LeadUnblocked",),
        _of_lead("Took {} off do-not-contact"),
        lambda commands, about, _: commands.leads.contact_again(about.campaign_id, about.id),
        column="blocked",
        place=_in_campaign("leads"),
    ),
    Kind(
        ("LeadNoted",),
        _of_lead("Changed the note of {}"),
        lambda commands, about, _: commands.leads.note(about.campaign_id, about.id, about.event.changes["notes"]),
        column="notes",
        place=_in_campaign("leads"),
    ),
    Kind(
        ("LeadTagged",),
        _of_lead("Changed the tags of {}"),
        lambda commands, about, _: commands.leads.tag(about.campaign_id, about.id, about.event.changes["tags"]),
        column="tags",
        place=_in_campaign("leads"),
    ),
    Kind(
        ("LeadPrioritised",),
        _of_lead("Changed the priority of {}"),
        lambda commands, about, _: commands.leads.prioritise(
            about.campaign_id, about.id, about.event.changes["priority_override"]
        ),
        column="priority_override",
        place=_in_campaign("leads"),
    ),
    Kind(("MessageApproved",), _of_message("Approved the message to {}"), _approve, place=_in_campaign("review")),
    Kind(
        ("MessageEdited",),
        _of_message("Changed the message to {}"),
        lambda commands, about, _: commands.edit(about.campaign_id, about.id, about.event.changes["text"]),
        column="text",
        place=_in_campaign("review"),
    ),
    Kind(
        ("MessageCancelled",),
        _of_message("Rejected the message to {}"),
        lambda commands, about, _: commands.reject(about.campaign_id, about.id),
        place=_in_campaign("review"),
    ),
    Kind(
        ("MessageRestored",),
        _of_message("Restored the message to {}"),
        lambda commands, about, _: commands.restore(about.campaign_id, about.id),
        place=_in_campaign("review"),
    ),
    Kind(
        ("MessageWithdrawn",),
        _of_message("Withdrew the approval of the message to {}"),
        lambda commands, about, _: commands.withdraw(about.campaign_id, about.id),
        place=_in_campaign("review"),
    ),
    Kind(
        ("ArtifactPersisted",),
        lambda about: f"Saved {about.value('artifact_type')}/{about.value('artifact_key')}",
        _keep,
        column="content",
        theirs=_artifact,
        place=_artifact_place,
    ),
    Kind(
        ("IncidentCleared",),
        lambda _: "Cleared an incident",
        lambda commands, about, _: commands.clear_incident(about.campaign_id, about.event.changes["reason"]),
        place=_in_campaign("run", entity=False),
    ),
    Kind(
        ("ConversationDeleted",),
        lambda _: "Deleted the conversation with the assistant",
        lambda commands, about, _: commands.requests.delete(about.campaign_id),
        column="conversation_from",
    ),
    Kind(
        ("ConversationRestored",),
        lambda _: "Brought the conversation with the assistant back",
        lambda commands, about, _: commands.requests.restore(about.campaign_id),
        column="conversation_from",
    ),
    Kind(
        ("DoNotContactAdded",),
        _named("Added {} to do-not-contact", "name"),
        lambda commands, about, _: commands.workspace.forbid(
            about.event.changes["member_key"], about.value("name"), about.value("reason")
        ),
        place=_settings("people"),
    ),
    Kind(
        ("DoNotContactRemoved",),
        _named("Took {} off do-not-contact", "name"),
        lambda commands, about, _: commands.workspace.allow(about.id),
        place=_settings("people"),
    ),
    Kind(
        ("SoulChanged",),
        lambda _: "Changed the voice",
        lambda commands, about, _: commands.soul.save(about.event.changes["text"], follows=_soul(commands).version),
        column="text",
        theirs=lambda about: voice.soul(about.connection).text,
        place=_settings("voice"),
    ),
    Kind(
        ("DeviceRevoked",),
        _named("Took away the access of the device “{}”", "name"),
        column="revoked_at",
        place=_settings("sync"),
    ),
    Kind(("DeviceJoined",), _named("Added the device “{}”", "name"), column="name", place=_settings("sync")),
    Kind(
        ("SecretKept", "SecretChanged", "SecretForgotten"),
        _named("Changed the key “{}”", "key_name"),
        mine=lambda _: "",  # sealed: there is nothing to read on either side
        theirs=lambda _: "",
        place=_settings("keys"),
    ),
    Kind(
        ("ConfigSet", "ConfigChanged"),
        lambda about: f"Changed the setting “{_text(about.id)}”",
        _configure,
        mine=lambda about: _setting(about.id, about.event.changes["value"]),
        theirs=lambda about: _setting(about.id, about.row.get("value", "")),
        place=lambda about: "#/settings/models" if about.id.startswith(reading.MODEL) else "#/settings",
    ),
    Kind(
        ("SkillInstalled", "SkillUpdated"),
        _named("Installed the skill “{}”", "name"),
        column="version",
        place=_settings("skills"),
    ),
    Kind(
        ("SkillReviewed",), _named("Reviewed the skill “{}”", "name"), column="review_state", place=_settings("skills")
    ),
    *(
        Kind((kind,), _named(what, "name"), again, column=column, place=_settings("skills"))
        for kind, what, column, again in (
            ("SkillEnabled", "Switched the skill “{}” on", "enabled", lambda c, a, _: c.skills.enable(a.id)),
            ("SkillDisabled", "Switched the skill “{}” off", "enabled", lambda c, a, _: c.skills.disable(a.id)),
            ("SkillRemoved", "Removed the skill “{}”", "removed", lambda c, a, _: c.skills.remove(a.id)),
            ("SkillRestored", "Brought the skill “{}” back", "removed", lambda c, a, _: c.skills.restore(a.id)),
        )
    ),
    Kind(("CampaignCreated",), _named("Made the campaign “{}”", "name")),
)
