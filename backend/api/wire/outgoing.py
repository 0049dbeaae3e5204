"""What leaves this machine: who may be called and why, and what was sent to whom."""

from backend.api.wire.base import Wire


class OutgoingHost(Wire):
    """A host that may be called for a purpose; the figures are of the last thirty days, `last_at` None: never called."""

    host: str
    why: str
    sends: str
    allowed: bool
    calls: int
    failures: int
    bytes_out: int
    bytes_in: int
    last_at: int | None


class RefusedCall(Wire):
    """A call that was refused, because its host is not on the list."""

    host: str
    at: int
    times: int


class OutgoingView(Wire):
    """The list, busiest first; `browser` says in words what the controlled browser visits, which is no call of ours.

    `refused` are of this launch, the latest first. `proxy` says by which proxy of the user's all of it goes, "" if by none.
    """

    hosts: list[OutgoingHost]
    refused: list[RefusedCall]
    proxy: str
    browser: str
    never: list[str]
