"""The shared store: which project is attached, who is signed in, how far both are in step, who acts, and what was overtaken."""

from typing import Annotated, Literal

from pydantic import Field

from backend.api.wire.base import ErrorShape, Id, Wire

Url = Annotated[str, Field(min_length=8, max_length=300, pattern=r"^https?://[^\s]+$")]
PublicKey = Annotated[str, Field(min_length=1, max_length=2_000, pattern=r"^[\x21-\x7e]+$")]
Email = Annotated[str, Field(min_length=3, max_length=254, pattern=r"^[^\s@]+@[^\s@]+$")]
Password = Annotated[str, Field(min_length=1, max_length=1_000)]


class SyncState(Wire):
    """How this machine and the project stand; always shown. `waiting` events are not acknowledged yet.

    `since`: when it began to be out of reach. `acting` says which device may act, `asked` that it was asked to hand over,
    `until` when it loses that at the latest. `set_aside` decisions wait for a choice.
    """

    phase: Literal["local", "in_step", "pushing", "pulling", "offline", "signed_out", "refused"]
    waiting: int = 0
    since: int | None = None
    set_aside: int = 0
    acting: Literal["nobody", "here", "elsewhere"] = "nobody"
    acting_name: str = ""
    asked: bool = False
    until: int | None = None
    problem: ErrorShape | None = None


class SyncChanged(Wire):
    """The latest replaces those before it."""

    type: Literal["sync"] = "sync"
    sync: SyncState


class Device(Wire):
    """A device of this user; `here` is this one."""

    id: str
    name: str
    joined_at: int
    revoked_at: int | None
    here: bool


class ProjectView(Wire):
    """What is attached; empty texts without a project. `session` says where the sign-in is kept, for people.

    `public_key` lets somebody who signed out sign in again without looking it up.
    """

    attached: bool
    url: str
    public_key: str = ""
    email: str
    device_name: str
    devices: list[Device]
    session: str
    sync: SyncState


class ProjectAddress(Wire):
    """Where a project is, and its public (“anon” or “publishable”) key."""

    url: Url
    public_key: PublicKey


class CheckLine(Wire):
    """One thing that was looked at, what was found, and what to do about it ("" when it is well)."""

    name: str
    ok: bool
    said: str
    remedy: str


class ProjectCheck(Wire):
    """What a look at a project found."""

    ok: bool
    lines: list[CheckLine]


class SignIn(ProjectAddress):
    """With a password; `fresh` makes the account first."""

    email: Email
    password: Password
    fresh: bool = False


class AskCode(ProjectAddress):
    """A code or link by e-mail instead of a password."""

    email: Email


class EnterCode(ProjectAddress):
    """The code that came, or the link beside it, copied: a project whose mails nobody changed sends links only."""

    email: Email
    code: str = Field(min_length=4, max_length=2_000, pattern=r"^([0-9]+|https?://[^\s]+)$")


class SignedIn(Wire):
    """What came of it: attached, or a mail that has to be answered first."""

    outcome: Literal["attached", "confirm_mail"]
    project: ProjectView


class SetAside(Wire):
    """A decision that another device overtook: what was decided here, and what holds now.

    `again` when it can be decided again with one click; `place` is the page's route to what it is about, "" if there is none.
    """

    id: str
    campaign_id: str
    campaign: str
    decided_at: int
    set_aside_at: int
    what: str
    mine: str
    theirs: str
    again: bool
    place: str


class SetAsideList(Wire):
    """Decisions that wait for a choice, oldest first, and how many turns of the agent were overtaken (nothing to choose)."""

    open: list[SetAside]
    noted: int


class Choose(Wire):
    """Decide it again as it was decided here, or leave what holds now."""

    choice: Literal["mine", "theirs"]


class RevokeDevice(Wire):
    """Which device may not come back."""

    device_id: Id
