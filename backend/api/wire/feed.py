"""The live feed over the websocket."""

from typing import Annotated, Any, Literal

from pydantic import Field

from backend.api.wire.base import ErrorShape, Id, Wire
from backend.api.wire.runs import RunState
from backend.api.wire.sync import SyncChanged


class Hello(Wire):
    """The socket's first message: the token, and the last event seen of each campaign."""

    token: str = Field(max_length=128)
    after: dict[Id, Annotated[int, Field(ge=0)]] = Field(max_length=1_000)


class FeedEvent(Wire):
    """A recorded fact; `seq` has no gaps within a campaign.

    `changes` holds the new values of the columns it changed, which the page folds into the rows it shows; null when that
    is too much to send, or was erased: then the row is asked for.
    """

    campaign_id: str
    seq: int
    at: int
    kind: str
    entity: str
    entity_id: str
    actor: str
    cause: str
    changes: dict[str, Any] | None


class Ready(Wire):
    """The feed is open; where each stream stands."""

    type: Literal["ready"] = "ready"
    heads: dict[str, int]


class Events(Wire):
    """Events in order."""

    type: Literal["events"] = "events"
    events: list[FeedEvent]


class Reset(Wire):
    """Too much was missed to be sent one by one: load the campaign again, the feed goes on after `seq`."""

    type: Literal["reset"] = "reset"
    campaign_id: str
    seq: int


class StepTicker(Wire):
    """A turn's step was closed; `task` once one was selected, `request_id` when the turn is for what the user asked.

    Not in any log, and may be left out under load.
    """

    type: Literal["step"] = "step"
    campaign_id: str
    step: int
    what: str
    task: str = ""
    request_id: str | None = None


class ReplyText(Wire):
    """The reply of the turn in flight, as far as it has arrived: its end, which begins at `offset` (characters).

    `whole` once that is the reply as received; `request_id` when the turn is for what the user asked the
    assistant. Not in any log; the latest replaces those before it.
    """

    type: Literal["reply"] = "reply"
    campaign_id: str
    turn: int
    offset: int
    text: str
    whole: bool
    request_id: str | None = None


class RunChanged(Wire):
    """The background runner's state; the latest replaces those before it."""

    type: Literal["run"] = "run"
    run: RunState


class ImportProgress(Wire):
    """A lead file is being imported (`done` rows so far), or was: then with the import's id, or with what went wrong."""

    type: Literal["import"] = "import"
    campaign_id: str
    file: str
    phase: Literal["running", "ended"]
    done: int
    import_id: str | None = None
    error: ErrorShape | None = None


class CloseAsked(Wire):
    """The user wants to close the window while a campaign runs: ask them. Sent to the window's own page."""

    type: Literal["closing"] = "closing"


FeedMessage = Ready | Events | Reset | StepTicker | ReplyText | RunChanged | ImportProgress | CloseAsked | SyncChanged
