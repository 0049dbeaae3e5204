"""Drafts in the terminal: the exact text is shown, and the answer is bound to what was shown."""

import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from backend.commands.user_commands import Commands
from backend.domain.model.connection import SCRIPTED
from backend.domain.turn.proposal_check import text_limit
from backend.domain.values.errors import OutriderError
from backend.domain.values.hidden_characters import hidden_code_points
from backend.domain.values.placeholders import placeholders
from backend.machine.unfinished_files import private_place
from backend.situation import situations
from backend.store.database import Database
from backend.store.queries.campaign import campaigns
from backend.store.queries.contact import messages
from backend.store.queries.leads import leads
from backend.terminal.keyboard import discard_typed_input
from backend.terminal.output import TerminalOutput, one_line, printable


class ReviewChoice(StrEnum):
    """What may be done with a draft; the first letter is enough."""

    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    LEAVE = "leave"
    STOP = "stop"


@dataclass(frozen=True, slots=True)
class ReviewDraft:
    """A draft as it is shown; `digest` binds recipient, text and campaign version as they were at that moment."""

    campaign_id: str
    message_id: str
    recipient: str
    occupation: str
    profile_url: str
    kind: str
    text: str
    limit: int
    digest: str
    from_template: bool
    has_other_wording: bool

    @property
    def hidden(self) -> tuple[str, ...]:
        """The code points of what its text hides."""
        return hidden_code_points(self.text)

    @property
    def doubtful(self) -> tuple[str, ...]:
        """What in its text may be a placeholder."""
        return placeholders(self.text).doubtful


def open_draft(database: Database, campaign_id: str, message_id: str) -> ReviewDraft | None:
    """The draft, read in one view of the database; None when it is decided."""
    with database.read() as connection:
        campaign = campaigns.campaign(connection, campaign_id)
        message = messages.message(connection, campaign_id, message_id)
        lead = leads.lead(connection, campaign_id, message.lead_id) if message else None
        record = messages.review_record(connection, message_id, "") if message else None
    if campaign is None or message is None or lead is None or record is None or message.status != "draft":
        return None
    occupation = ", ".join(filter(None, (lead.job_title, lead.company)))
    digest = situations.digest_of(campaign, lead, message)
    limit = text_limit(campaign, message.kind)
    return ReviewDraft(
        campaign_id,
        message_id,
        lead.full_name,
        occupation,
        lead.profile_url,
        message.kind,
        message.text,
        limit,
        digest,
        bool(record.from_template),
        campaign.proposer != SCRIPTED,
    )


def draft_ids(database: Database, campaign_id: str) -> list[str]:
    """What waits in Review, oldest first."""
    with database.read() as connection:
        return [message.id for message in messages.drafts(connection, campaign_id)]


NO_ROOM = ("approval_too_early", "approval_no_room")


def no_room_yet(approved: int, later: Sequence[OutriderError]) -> str:
    """Of several that were to be approved: how many were, and how many can be on which day."""
    days = Counter(str(error.facts["day"]) for error in later if error.code == "approval_too_early")
    parts = [f"{approved} approved"]
    parts += [f"{count} more can be approved on {day}" for day, count in days.items()]
    if never := len(later) - days.total():
        parts.append(f"{never} can't go out within two months by the campaign's limits")
    return "; ".join(parts) + "."


class ReviewDialog:
    """Shows drafts and carries out the answers. `ask` is how a line is got from the user (None at the end of input)."""

    def __init__(
        self, output: TerminalOutput, database: Database, commands: Commands, ask: Callable[[str], str | None]
    ) -> None:
        self._output = output
        self._database = database
        self._commands = commands
        self._ask = ask

    def review_each(
        self, campaign_id: str, message_ids: Iterable[str], choices: tuple[ReviewChoice, ...]
    ) -> tuple[int, bool]:
        """One draft after another; how many were decided, and whether the user asked to stop."""
        decided = 0
        for message_id in message_ids:
            answer = self._decide(campaign_id, message_id, choices)
            if answer is ReviewChoice.STOP:
                return decided, True
            decided += answer is not ReviewChoice.LEAVE
        return decided, False

    def approve_all(self, campaign_id: str, message_ids: list[str]) -> int:
        """Show every text, ask once; how many were approved. Raises `approval_text_changed` if one was not as shown.

        Texts with hidden characters, or with what may be a placeholder, are left for a decision about each alone.
        """
        waiting = [draft for id_ in message_ids if (draft := open_draft(self._database, campaign_id, id_))]
        drafts = [draft for draft in waiting if not draft.hidden and not draft.doubtful]
        for draft in drafts:
            self.show(draft)
        if left := len(waiting) - len(drafts):
            self._output.note(
                f"{left} {'message has' if left == 1 else 'messages have'} hidden characters, or what may be a placeholder:"
                " `outrider approve` without --all asks about each one."
            )
        if not drafts:
            return 0
        discard_typed_input()
        answer = self._ask(f"Approve these {len(drafts)} messages exactly as shown? [yes/no] ")
        if answer is None or answer.strip().lower() not in ("y", "yes"):
            return 0
        later: list[OutriderError] = []
        for draft in drafts:
            try:
                self._commands.review.refuse_too_early(campaign_id, draft.message_id)
            except OutriderError as error:
                if error.code not in NO_ROOM:
                    raise
                later.append(error)
                continue
            self._commands.review.approve(campaign_id, draft.message_id, shown_digest=draft.digest)
        if later:
            self._output.note(no_room_yet(len(drafts) - len(later), later))
        return len(drafts) - len(later)

    def show(self, draft: ReviewDraft) -> None:
        """The exact text, with nothing taken from it and nothing added."""
        from rich.panel import Panel  # noqa: PLC0415
        from rich.text import Text  # noqa: PLC0415

        console = self._output.console()
        title = Text(f"{draft.kind} to {one_line(draft.recipient)}", style="bold")
        count = Text(f"{len(draft.text)} of {draft.limit} characters", style="dim")
        console.print()
        panel = Panel(
            Text(printable(draft.text)), title=title, title_align="left", subtitle=count, subtitle_align="right",
            border_style="cyan", padding=(1, 2), width=min(console.width, 84),
        )  # fmt: skip
        console.print(panel)
        if draft.hidden:
            warning = f"  Hidden characters, shown above as their code points: {', '.join(draft.hidden)}"
            console.print(Text(warning, style="bold yellow"))
        if draft.doubtful:
            warning = f"  This may be a placeholder: {one_line(', '.join(draft.doubtful))}"
            console.print(Text(warning, style="bold yellow"))
        marked = "From the template, because the model's messages were unusable." if draft.from_template else ""
        for line in filter(None, (one_line(draft.occupation), one_line(draft.profile_url), marked)):
            console.print(Text(f"  {line}", style="dim"))

    def _decide(self, campaign_id: str, message_id: str, choices: tuple[ReviewChoice, ...]) -> ReviewChoice:
        while draft := open_draft(self._database, campaign_id, message_id):
            discard_typed_input()
            self.show(draft)
            answer = self._answer(choices)
            try:
                if self._carry_out(draft, answer):
                    return answer
            except OutriderError as error:  # too long, changed meanwhile: say so and show it as it is now
                if error.code == "database_locked":
                    raise
                self._output.note(f"{error.sentence} {error.remedy} [{error.code}]")
        self._output.note("This one has been decided already.")
        return ReviewChoice.LEAVE

    def _carry_out(self, draft: ReviewDraft, answer: ReviewChoice) -> bool:
        """Whether the draft is dealt with."""
        match answer:
            case ReviewChoice.APPROVE:
                self._commands.review.approve(
                    draft.campaign_id,
                    draft.message_id,
                    shown_digest=draft.digest,
                    hidden_shown=draft.hidden,
                    placeholders_shown=draft.doubtful,
                )
            case ReviewChoice.REJECT:
                why = self._ask("Why? The model is told (optional) > ") if draft.has_other_wording else None
                self._commands.review.reject(draft.campaign_id, draft.message_id, reason=why or "")
            case ReviewChoice.EDIT:
                text = self._edited(draft.text)
                if text != draft.text:
                    self._commands.review.edit(draft.campaign_id, draft.message_id, text)
                return False
            case _:
                pass
        return True

    def _answer(self, choices: tuple[ReviewChoice, ...]) -> ReviewChoice:
        prompt = "  ".join(f"[{choice[0]}]{choice[1:]}" for choice in choices)
        while True:
            line = self._ask(f"{prompt} > ")
            if line is None:
                return ReviewChoice.STOP
            typed = line.strip().lower()
            matching_choices = [choice for choice in choices if typed and choice.startswith(typed)]
            if len(matching_choices) == 1:
                return matching_choices[0]
            letters = [choice[0] for choice in choices]
            self._output.note(f"Please answer {', '.join(letters[:-1])} or {letters[-1]}.")

    def _edited(self, text: str) -> str:
        editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
        if editor:
            return edit_text(editor, text, self._database.path.parent)
        self._output.note(
            "Type the new message and end it with a line that has only a full stop (nothing typed: no change)."
        )
        lines: list[str] = []
        while (line := self._ask("")) not in (None, "."):
            lines.append(line or "")
        return "\n".join(lines) if lines else text


def editor_words(editor: str, system: str) -> list[str]:
    """The editor's program and options; on Windows a backslash is part of a path, and a path may have blanks."""
    if system != "win32":
        return shlex.split(editor)
    words = [word.replace('"', "") for word in re.findall(r'(?:"[^"]*"|[^\s"])+', editor)]
    return [editor] if Path(editor).is_file() else words


def edit_text(editor: str, text: str, data_dir: Path) -> str:
    """The text as the user's editor leaves it; its final line break is the editor's, not the text's.

    It is edited in a place of its own in the data folder, which an editor may leave copies in.
    """
    try:
        with private_place(data_dir) as place:
            path = place / "message.txt"
            path.write_text(text, encoding="utf-8", newline="\n")
            words = [*editor_words(editor, sys.platform), str(path)]
            done = subprocess.run(words, check=False)  # noqa: S603 - the user's own editor
            if done.returncode != 0:
                return text
            after = path.read_text(encoding="utf-8").replace("\r\n", "\n")
    except (OSError, ValueError) as error:
        raise OutriderError("editor_failed", editor=editor, detail=error) from error
    return after if text.endswith("\n") else after.rstrip("\n")


def ask_in_terminal(prompt: str) -> str | None:
    """A line from the terminal; the prompt goes to stderr, because stdout is for results. None at the end of input."""
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else None
