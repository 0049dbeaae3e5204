"""What the page asks of the shared store, and what it is shown of the attached project."""

from typing import Annotated, Literal

from pydantic import Field

from backend.domain.values.health_check import HealthCheck
from backend.domain.values.shapes import Shape
from backend.runtime.feed.feed_messages import SyncState

Url = Annotated[str, Field(min_length=8, max_length=300, pattern=r"^https?://[^\s]+$")]
PublicKey = Annotated[str, Field(min_length=1, max_length=2_000, pattern=r"^[\x21-\x7e]+$")]
Email = Annotated[str, Field(min_length=3, max_length=254, pattern=r"^[^\s@]+@[^\s@]+$")]
Password = Annotated[str, Field(min_length=1, max_length=1_000)]


class ProjectSchema(Shape):
    """The SQL that prepares a project."""

    sql: str


class Device(Shape):
    """A device of this user; `here` is this one. `fingerprint` is of the key that it signs by, "" if it never signed."""

    id: str
    name: str
    joined_at: int
    revoked_at: int | None
    here: bool
    fingerprint: str = ""


class NameDevice(Shape):
    """What a device is to be called on all of the user's devices."""

    name: Annotated[str, Field(min_length=1, max_length=80, pattern=r"\S")]


class ProjectView(Shape):
    """What is attached; empty texts without a project. `session` says where the sign-in is kept, for people.

    `public_key` lets somebody who signed out sign in again without looking it up. `moved_from` is the device that this data
    folder was before it came to this machine, if that was noticed in this launch.
    """

    attached: bool
    url: str
    public_key: str = ""
    email: str
    device_name: str
    moved_from: str = ""
    devices: list[Device]
    session: str
    sync: SyncState


class ProjectAddress(Shape):
    """Where a project is, and its public (“anon” or “publishable”) key."""

    url: Url
    public_key: PublicKey


class ProjectCheck(Shape):
    """What a look at a project found."""

    ok: bool
    lines: list[HealthCheck]


class SignIn(ProjectAddress):
    """With a password; `fresh` makes the account first."""

    email: Email
    password: Password
    fresh: bool = False


class AskMail(ProjectAddress):
    """A mail with a link instead of a password."""

    email: Email


class AnswerMail(ProjectAddress):
    """The mail's link, copied, or the address that it led to; or its code, if the project's owner put one into its mails."""

    email: Email
    code: str = Field(min_length=4, max_length=4_000, pattern=r"^([0-9]+|https?://[^\s]+)$")


class SignedIn(Shape):
    """What came of it: attached, or a mail that has to be answered first."""

    outcome: Literal["attached", "confirm_mail"]
    project: ProjectView
