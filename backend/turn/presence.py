"""Whether the user is here: nothing acts while they are not."""


class Presence:
    """Of somebody at a terminal: who watches it is here for as long as the command runs."""

    def __init__(self, *, attended: bool = False) -> None:
        self.attended = attended

    def is_present(self, now: int) -> bool:
        """Whether the user is here."""
        return self.attended
