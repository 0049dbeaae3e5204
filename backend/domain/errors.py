"""The one exception that reaches people: it has a code, says what happened, and what to do (`backend.domain.error_table`)."""

from backend.domain.error_table import ERRORS, ErrorCode


class OutriderError(Exception):
    """An error with a stable `code`, a `sentence` and a `remedy`; `facts` fill the templates of its row."""

    def __init__(self, code: ErrorCode, /, **facts: object) -> None:
        row = ERRORS[code]
        self.code = code
        self.facts = facts
        self.sentence = row.sentence.format_map(facts)
        self.remedy = row.remedy.format_map(facts)
        super().__init__(f"{self.sentence} {self.remedy} [{code}]")
