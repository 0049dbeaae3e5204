"""The reply of the turn in flight while it grows: the end of it is kept, however long it becomes."""

from backend.runtime.feed.feed_messages import ReplyText

MAX_TAIL_CHARS = 20_000
"""Characters of the end of a reply that are sent; what is before them is counted."""


class ReplyTail:
    """One turn's reply at a time; a piece of another turn begins anew."""

    def __init__(self) -> None:
        self.request_id: str | None = None
        self._turn = ("", 0)
        self._tail = ""
        self._length = 0

    def append(self, campaign_id: str, turn: int, text: str, *, whole: bool) -> ReplyText:
        """Take a piece, or with `whole` all of it as received; what the page is to show now."""
        if whole or (campaign_id, turn) != self._turn:
            self._turn, self._tail, self._length = (campaign_id, turn), "", 0
        self._length += len(text)
        self._tail = (self._tail + text[-MAX_TAIL_CHARS:])[-MAX_TAIL_CHARS:]
        return ReplyText(
            campaign_id=campaign_id,
            turn=turn,
            offset=self._length - len(self._tail),
            # It may hold half a surrogate pair, which no JSON can carry to the page.
            text=self._tail.encode("utf-8", "backslashreplace").decode(),
            whole=whole,
            request_id=self.request_id,
        )
