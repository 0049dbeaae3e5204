"""The one table of tools: how each is called, which gates guard it, when it is allowed, what carries it out.

A tool is its parameters, its row and its handler (`backend.turn.execute.carry_out`); whatever else names tools derives it
from here. The parameters of what acts on the site hold ids only: a recipient, a URL or a text never comes from the model at
the moment of the act.
"""

from datetime import date
from enum import StrEnum
from typing import Annotated, Literal, NamedTuple, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from backend.domain.model.artifact import KEY_PATTERN, ArtifactType
from backend.domain.model.days import RelativeDay
from backend.domain.model.sequence import DueAction
from backend.domain.model.task import ActionFamily, TaskKind


class StrictModel(BaseModel):
    """A shape without coercion and without unknown fields."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


Id = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_-]+$")]


def _a_day(text: str) -> str:
    date.fromisoformat(text)
    return text


Day = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_a_day)]
"""A day of the user's calendar."""


# --- parameters ---


class ToolParams(StrictModel):
    """What a tool is called with; `tool` is a literal, the tool's name."""

    tool: str

    @classmethod
    def tool_name(cls) -> str:
        """The name by which the tool is called."""
        (name,) = get_args(cls.model_fields["tool"].annotation)
        return str(name)


class LeadParams(ToolParams):
    """A tool that is about one lead."""

    lead_id: Id


class SendParams(LeadParams):
    """A tool that sends a message the user approved."""

    message_id: Id


class LookupParams(ToolParams):
    """What a turn for the user's request may do: nothing of it leaves this machine."""


class OpenProfile(LeadParams):
    """Show the profile to the user."""

    tool: Literal["browser.open_profile"]


class ReadProfile(LeadParams):
    """Look at the profile."""

    tool: Literal["browser.read_profile"]


class ReadThread(LeadParams):
    """Look at the conversation."""

    tool: Literal["browser.read_thread"]


class SendInvitation(SendParams):
    """Invite the lead with the approved note."""

    tool: Literal["browser.send_invitation"]


class SendMessage(SendParams):
    """Send the approved text."""

    tool: Literal["browser.send_message"]


class WithdrawInvitation(LeadParams):
    """Take back an invitation that nobody accepted for long."""

    tool: Literal["browser.withdraw_invitation"]


class CheckSelectors(ToolParams):
    """Look whether the site is as expected."""

    tool: Literal["browser.check_selectors"]


class SearchArtifacts(LookupParams):
    """The newest versions that fit all of what is given; `words` are looked for in keys and names."""

    tool: Literal["artifacts.search"]
    words: Annotated[str, Field(max_length=200)] = ""
    artifact_type: ArtifactType | None = None
    day: RelativeDay | None = None
    since: Day | None = None
    until: Day | None = None


class ShowArtifact(LookupParams):
    """The one that fits, as it is stored; when several do, the user chooses."""

    tool: Literal["artifacts.show"]
    words: Annotated[str, Field(max_length=200)] = ""
    artifact_type: ArtifactType | None = None
    day: RelativeDay | None = None
    since: Day | None = None
    until: Day | None = None
    artifact_key: Annotated[str, Field(pattern=KEY_PATTERN)] | None = None
    version: Annotated[int, Field(ge=1, le=999_999_999)] | None = None


class ExplainLead(LookupParams):
    """How the lead of that name stands; when several fit, the user chooses."""

    tool: Literal["leads.explain"]
    words: Annotated[str, Field(min_length=1, max_length=200)]


class ResponseRates(LookupParams):
    """The built-in report; `field` as the campaign's leads have it, or its title."""

    tool: Literal["leads.response_rates"]
    field: Annotated[str, Field(min_length=1, max_length=80)]


Topic = Literal["counts", "next", "waiting", "invited", "contacted", "accepted", "replied", "silent"]


class CampaignFacts(LookupParams):
    """How many leads stand where, what comes next, what waits for the user, or who was invited or contacted, accepted, replied,
    is silent.

    `day` narrows what happened to those days; what comes next and what waits is told as of now.
    """

    tool: Literal["facts.look_up"]
    topic: Topic
    day: RelativeDay | None = None


class RunScript(ToolParams):
    """Propose a script for the user's approval: a built-in one by its key, or one written out in `source`."""

    tool: Literal["scripts.run"]
    artifact_key: Annotated[str, Field(pattern=KEY_PATTERN)] = "analysis"
    builtin: Annotated[str, Field(max_length=64)] = ""
    source: Annotated[str, Field(max_length=30_000)] = ""


class PauseCampaign(LookupParams):
    """Pause the campaign."""

    tool: Literal["campaign.pause"]


class ContinueCampaign(LookupParams):
    """Only asks the user, who continues it by a click."""

    tool: Literal["campaign.continue"]


# --- the table ---


class Reconcile(StrEnum):
    """How an intent without an outcome is settled: by doing it again, or only by looking at the world."""

    RETRY_SAFE = "retry_safe"
    OBSERVE = "observe"


class ToolSpec(NamedTuple):
    """A tool's row. One to be observed gets an intent before it acts."""

    params: type[ToolParams]
    family: ActionFamily
    """Which gates guard it."""
    reconcile: Reconcile
    tasks: tuple[TaskKind, ...]
    """The kinds of task for which it is offered."""
    handler: str
    """The name of what carries it out, in `backend.turn.execute.carry_out.HANDLERS`."""
    owed_when: tuple[DueAction, ...] = ()
    """What the sequence must owe the lead; nothing: it is allowed at any time."""
    sends: str = ""
    """The kind of message that it sends."""
    instruction: str = ""
    """What a model is told about it when it is due, after "Propose execute_tool with" and its name."""
    done: str = ""
    """What the audit log's entry of it says, `{lead}` being whom it was about; "" for its name."""

    @property
    def name(self) -> str:
        """The name by which it is called."""
        return self.params.tool_name()


_F, _R, _K, _D = ActionFamily, Reconcile, TaskKind, DueAction
_LEAD, _ANY, _ASKED = (_K.REACH_LEAD,), (_K.REACH_LEAD, _K.CUSTOM), (_K.ASSIST,)
_TALK = (_K.REACH_LEAD, _K.ANSWER)
_THIS_LEAD = "for this lead"
_THIS_TEXT = "for this lead and `message_id`: the user approved that text"

TOOLS: dict[str, ToolSpec] = {
    spec.name: spec
    for spec in (
        ToolSpec(OpenProfile, _F.LOOK, _R.RETRY_SAFE, _LEAD, "open_profile", done="Opened the profile of {lead}"),
        ToolSpec(
            ReadProfile,
            _F.LOOK,
            _R.RETRY_SAFE,
            _LEAD,
            "read_profile",
            owed_when=(_D.VISIT, _D.CHECK),
            instruction=_THIS_LEAD,
            done="Read the profile of {lead}",
        ),
        ToolSpec(
            ReadThread,
            _F.LOOK,
            _R.RETRY_SAFE,
            _TALK,
            "read_thread",
            owed_when=(_D.READ,),
            instruction=_THIS_LEAD,
            done="Read the conversation with {lead}",
        ),
        ToolSpec(
            SendInvitation,
            _F.INVITE,
            _R.OBSERVE,
            _LEAD,
            "send",
            owed_when=(_D.SEND,),
            sends="invitation",
            instruction=_THIS_TEXT,
            done="Sent an invitation to {lead}",
        ),
        ToolSpec(
            SendMessage,
            _F.MESSAGE,
            _R.OBSERVE,
            _TALK,
            "send",
            owed_when=(_D.SEND,),
            sends="message",
            instruction=_THIS_TEXT,
            done="Sent a message to {lead}",
        ),
        ToolSpec(
            WithdrawInvitation,
            _F.WITHDRAW,
            _R.OBSERVE,
            (_K.WITHDRAW,),
            "withdraw",
            owed_when=(_D.WITHDRAW,),
            instruction=_THIS_LEAD,
            done="Withdrew the invitation to {lead}",
        ),
        ToolSpec(
            CheckSelectors,
            _F.LOOK,
            _R.RETRY_SAFE,
            _ANY,
            "check_selectors",
            done="Looked whether the site is as expected",
        ),
        ToolSpec(SearchArtifacts, _F.ASSIST, _R.RETRY_SAFE, _ASKED, "search_artifacts"),
        ToolSpec(ShowArtifact, _F.ASSIST, _R.RETRY_SAFE, _ASKED, "show_artifact"),
        ToolSpec(ExplainLead, _F.ASSIST, _R.RETRY_SAFE, _ASKED, "explain_lead"),
        ToolSpec(ResponseRates, _F.ASSIST, _R.RETRY_SAFE, _ASKED, "response_rates"),
        ToolSpec(CampaignFacts, _F.ASSIST, _R.RETRY_SAFE, _ASKED, "campaign_facts"),
        ToolSpec(RunScript, _F.ASSIST, _R.RETRY_SAFE, (_K.ASSIST, _K.CUSTOM), "propose_script"),
        ToolSpec(PauseCampaign, _F.ASSIST, _R.RETRY_SAFE, _ASKED, "pause_campaign"),
        ToolSpec(ContinueCampaign, _F.ASSIST, _R.RETRY_SAFE, _ASKED, "continue_campaign"),
    )
}


def tools_for(kind: TaskKind) -> tuple[str, ...]:
    """The tools that are offered for a task of that kind."""
    return tuple(name for name, spec in TOOLS.items() if kind in spec.tasks)


def tools_owed(due: DueAction, message_kind: str) -> tuple[str, ...]:
    """The tools that do what the sequence owes; `message_kind` is that of the step."""
    return tuple(name for name, spec in TOOLS.items() if due in spec.owed_when and spec.sends in ("", message_kind))


def sending_tool(message_kind: str) -> str:
    """The tool that sends messages of this kind."""
    return next(name for name, spec in TOOLS.items() if spec.sends == message_kind)
