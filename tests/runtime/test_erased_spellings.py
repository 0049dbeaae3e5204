"""However a person's name is spelled, and wherever it stands: no byte of the data folder has it after an erasure.

A table of spellings by places: every place is filled as the product fills it, with every spelling, and every file is read after.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from backend.app.wiring import open_workspace
from backend.commands.do_not_contact_import import import_do_not_contact
from backend.commands.lead_import import import_leads
from backend.commands.runtime import MOST_ARMED, RuntimeCommands
from backend.domain.events.events import AuditEntry
from backend.domain.model.artifact import text_content
from backend.domain.model.channel import ASSIST, CHANNELS
from backend.domain.model.sequence import DEFAULT_SEQUENCE
from backend.domain.people.lead_row import LeadRow, RejectedRow
from backend.machine.settings import AppSettings
from backend.mcp.tools import McpContext, call
from backend.runtime.workspace import Workspace
from backend.store import backup
from backend.store.log import replay, verification
from backend.store.queries.device import agent_runs

NAME, SLUG, EMAIL = "Zoë Quillfeather", "zoe-quillfeather-9w7k2xqz", "zquillfeather@acme.example"
TRACES = ("quillfeather", "9w7k2xqz")

SPELLINGS = (
    NAME,
    "Zoë Quillfeather2",
    "zoe_quillfeather",
    "zoe-quillfeather.csv",
    "ZoeQuillfeather",
    "draftZoeQuillfeather",
    "_Zoe Quillfeather_",
    "Quillfeather, Zoë",
    "Zoe\u0308 Quillfeather",
    "Zo\u200be Quillfeather",
    "Zo%C3%AB%20Quillfeather",
    "Zo&euml;&nbsp;Quillfeather",
    "ZOE QUILLFEATHER",
    EMAIL,
    "zquillfeather+news@acme.example",
    "zquillfeather",
    "zquillfeather_1",
    f"www.linkedin.com/in/{SLUG}",
    f"de.linkedin.com/in/{SLUG}/",
    f"linkedin.com%2Fin%2F{SLUG}",
    SLUG,
)
"""As people, programs and pages write her."""


class Place:
    """A workspace with her and somebody else in one campaign, to be filled with words."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.commands = workspace.commands(workspace.clock)
        channel = CHANNELS[ASSIST]
        self.campaign = self.commands.campaigns.create_on(
            channel, "Talk", "A talk.", channel.settings(DEFAULT_SEQUENCE)
        )
        self.zoe, self.bo = self.bring(NAME, SLUG, EMAIL), self.bring("Bo Ander", "bo-ander", "bo@ander.example")
        self.number = 0

    def bring(self, name: str, slug: str, email: str, file: str = "people.csv") -> str:
        """The lead that a row of a file makes."""
        url = f"https://www.linkedin.com/in/{slug}"
        first, last = name.split()
        row = LeadRow(
            1, "raw", name, first, last, url, url, email, "Acme", "Owner", "2024-03-15", {"Diet": f"{name} eats"}
        )
        import_leads(self.workspace.journal, self.workspace.clock, self.campaign, [row], file=file, file_format="csv")
        with self.workspace.database.read() as connection:
            return str(connection.execute("SELECT id FROM leads WHERE member_key=?", (url,)).fetchone()[0])

    def propose(self, key: str, artifact_key: str, content: str) -> None:
        """As a connected program does; the user says yes."""
        journal, clock = self.workspace.journal, self.workspace.clock
        note = {"artifact_type": "note", "artifact_key": artifact_key, "content": content}
        context = McpContext(journal, lambda _: clock, program="Helper")
        call(context, "propose", {"campaign": self.campaign, "key": key, "type": "persist_artifact", "params": note})
        ((question,),) = self.workspace.database.query(
            lambda connection: connection.execute("SELECT id FROM input_requests WHERE status='open'").fetchall()
        )
        self.commands.questions.answer(self.campaign, question, "yes", hidden_shown=None)


def _read_file(place: Place, words: str, cause: str) -> None:
    entry = AuditEntry("file.read", {"parameters": {"file": words, "bytes": 1}, "outcome": "ok"})
    now = place.workspace.clock.now()
    place.workspace.journal.record(place.campaign, events=(), audits=(entry,), actor="user", cause=cause, at=now)


def _agent(place: Place, words: str) -> None:
    with place.workspace.database.write() as connection:
        run = agent_runs.begin(connection, "recent-pdfs", f"folder: {words}", "init", 1)
        connection.execute("UPDATE agent_runs SET reason=?, found=?, ended_at=2 WHERE id=?", (words, words, run))


def _artifact_key(place: Place, words: str) -> None:
    if words.isascii() and "%" not in words and "&" not in words:  # a key has none of these
        key = "".join(letter if letter.isalnum() else "-" for letter in words.lower())
        place.propose(f"k{place.number}", f"key-{key}", "plain")


def _tag(place: Place, words: str) -> None:
    if words.isprintable():
        place.commands.lead_groups.tag(place.campaign, [place.bo], words[:40])


PLACES: dict[str, Callable[[Place, str], object]] = {
    "her own note": lambda at, words: at.commands.leads.note(at.campaign, at.zoe, words),
    "another lead's note": lambda at, words: at.commands.leads.note(at.campaign, at.bo, f"Knows {words}"),
    "another lead's tag": _tag,
    "an artifact": lambda at, words: at.commands.artifacts.keep(
        at.campaign, "note", f"n{at.number}", text_content("note", f"n{at.number}", f"Ask {words} again"), follows=0
    ),
    "an artifact's table": lambda at, words: at.commands.artifacts.keep(
        at.campaign,
        "note",
        f"t{at.number}",
        text_content("note", f"t{at.number}", f'{{"rows": [["{words}", 3]]}}'),
        follows=0,
    ),
    "an artifact's key": _artifact_key,
    "a program's own key": lambda at, words: at.propose(words, f"p{at.number}", "plain"),
    "a program's own key, run on with letters": lambda at, words: at.propose(f"x{words}x", f"q{at.number}", "plain"),
    "what a program proposes": lambda at, words: at.propose(f"c{at.number}", f"c{at.number}", f"For {words}"),
    "the conversation": lambda at, words: at.commands.requests.record_plain_command(
        at.campaign, f"find {words}", key=f"said{at.number}"
    ),
    "the name of a lead file": lambda at, words: at.bring("Cy Dorn", "cy-dorn", "cy@dorn.example", file=words),
    "a row that is no lead": lambda at, words: import_leads(
        at.workspace.journal,
        at.workspace.clock,
        at.campaign,
        [RejectedRow(2, f'"{words}",abroad', "too_few_columns", "-")],
        file=f"r{at.number}.csv",
        file_format="csv",
    ),
    "the name of a do-not-contact file": lambda at, words: import_do_not_contact(
        at.workspace.journal, at.workspace.clock, [], file=words
    ),
    "a timer": lambda at, words: (
        RuntimeCommands(at.workspace.journal, at.workspace.clock).ask_to_wake(
            at.campaign, at.workspace.clock.now() + 9, f"Ask {words}", "timer"
        )
        if at.number < MOST_ARMED
        else None
    ),
    "a file that was exported": lambda at, words: _read_file(at, words, "export"),
    "a file that was attached": lambda at, words: _read_file(at, words, "artifact"),
    "what an agent was asked and found": _agent,
}


def traces(folder: Path) -> list[str]:
    """The files below the folder that have a trace of her, in whatever case; every byte is read."""
    files = {path: path.read_bytes().lower() for path in folder.rglob("*") if path.is_file()}
    return sorted(path.name for path, data in files.items() if any(trace.encode() in data for trace in TRACES))


@pytest.mark.parametrize("name", PLACES)
def test_no_spelling_of_a_name_is_left_in_any_place(tmp_path: Path, name: str) -> None:
    settings = AppSettings(tmp_path / "data", "", 10)
    settings.data_dir.mkdir()
    with open_workspace(settings) as workspace:
        place = Place(workspace)
        for number, words in enumerate(SPELLINGS):
            place.number = number
            PLACES[name](place, words)
        backup.back_up(workspace.database, settings.data_dir / "outrider-before-restore-1.db")
        assert traces(settings.data_dir)
        place.commands.people.erase(place.campaign, place.zoe)
        workspace.erased_files.remove()
        with workspace.database.read() as connection:
            assert [report for report in verification.verify(connection) if report.broken] == []
        assert replay.find_differences(workspace.database) == []
        with workspace.database.read() as connection:
            assert "Bo Ander" in str(connection.execute("SELECT full_name FROM leads").fetchall())
    assert traces(settings.data_dir) == []
