"""A later export of LinkedIn's confirms, settles and contradicts, and the same export twice changes nothing."""

import csv
import io
import json
import zipfile
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from backend.adapters.leadfiles.contact_history import contact_archive
from backend.commands.answers import contradicting_events
from backend.commands.lead_import import import_leads
from backend.commands.reconciliation import compare_export, reconcile
from backend.domain.contact.conversation_check import COUNTS_AS_STEP, STOP, WRITTEN_BY_HAND
from backend.domain.contact.reconciliation import CONTRADICTED, WAS_NOT_SENT, WAS_SENT, ReconciliationCounts
from backend.domain.erasure.erasure import erasures
from backend.domain.events.events import Event
from backend.domain.events.facts.task import TaskClaimed, TaskCompleted
from backend.domain.model.campaign import DAY, HOUR
from backend.domain.model.days import iso_day, local_date
from backend.domain.model.lead import NOT_ON_RECORD
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.model.sequence import DEFAULT_SEQUENCE, Sequence
from backend.domain.people.contact_archive import ArchivedMessage, ContactArchive, LeftOut, PersonInArchive
from backend.domain.people.lead_row import LeadRow
from backend.ports.sync_status import LocalOnly
from backend.store.queries.people import person_entries
from tests.fakes.by_hand import by_hand
from tests.fakes.campaign import Stage
from tests.fakes.send_desk import MESSAGES, Desk, desk

pytestmark = pytest.mark.usefixtures("sound_log")


PERSON = "https://www.linkedin.com/in/"


class Export:
    """An export that is built up as the site would have it."""

    def __init__(self, it: Desk) -> None:
        self.it = it
        self.people: dict[str, PersonInArchive] = {}
        self.newest: int | None = None

    def wrote(self, lead: str, text: str, at: int, *, they: bool = False) -> "Export":
        person = self._of(lead)
        messages = (*person.messages, ArchivedMessage(they, text, at))
        self.people[self._url(lead)] = PersonInArchive(person.invited_on, person.connected_on, messages)
        self.newest = max(self.newest or 0, at)
        return self

    def days(self, lead: str, *, invited: int | None = None, connected: int | None = None) -> "Export":
        person = self._of(lead)
        invited_on, connected_on = (iso_day(at) if at is not None else "" for at in (invited, connected))
        self.people[self._url(lead)] = PersonInArchive(invited_on, connected_on, person.messages)
        return self

    def goes_to(self, at: int) -> "Export":
        """It is read at that moment at the earliest."""
        self.newest = at
        clock = self.it.stage.clock
        clock.advance(max(0, at - clock.now()))
        return self

    def written(self, path: Path, *, drafted: str, text: str, at: int) -> Path:
        """LinkedIn's zip, in which a text to that lead is a draft, and a later message went to somebody else."""
        head = "CONVERSATION ID,FROM,SENDER PROFILE URL,TO,RECIPIENT PROFILE URLS,DATE,CONTENT,FOLDER,IS MESSAGE DRAFT"
        rows = [(self._url(drafted), at, text, "Yes"), (f"{PERSON}gro-testa", at + 3 * DAY, "something else", "No")]
        with zipfile.ZipFile(path, "w") as archive:
            table = io.StringIO()
            writer = csv.writer(table)
            writer.writerow(head.split(","))
            for url, when, message, is_draft in rows:
                day = datetime.fromtimestamp(when / 1_000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
                writer.writerow(
                    [url, "Mette Owner", f"{PERSON}mette-owner", "Them", url, day, message, "INBOX", is_draft]
                )
            archive.writestr("messages.csv", table.getvalue())
        return path

    def compare(self, left_out: LeftOut = LeftOut()) -> ReconciliationCounts:  # noqa: B008 - it is frozen
        archive = ContactArchive(self.people, self.newest, left_out)
        stage = self.it.stage
        counts = reconcile(stage.journal, stage.clock, "linkedin", archive, file="export.zip").counts
        return counts.model_copy(update={"people": 0})

    def _url(self, lead: str) -> str:
        return str(self.it.lead(lead, "profile_url"))

    def _of(self, lead: str) -> PersonInArchive:
        return self.people.setdefault(self._url(lead), PersonInArchive())


def counts(**named: int) -> ReconciliationCounts:
    return ReconciliationCounts(**named)


def questions(it: Desk) -> list[tuple[str, str]]:
    return [(kind, id_) for kind, id_ in it.stage.query("SELECT kind, id FROM input_requests WHERE status='open'")]


def told(it: Desk, word: Word, sequence: Sequence = MESSAGES) -> tuple[str, str, int]:
    """Somebody to whom a text was handed over and of whom that was said: the lead, the text, and when."""
    lead = it.hand_over(no_reply=sequence is MESSAGES)
    at = it.stage.clock.now()
    it.say(lead, word)
    it.leave()
    return lead, str(it.stage.one("SELECT text FROM messages WHERE lead_id=? ORDER BY id DESC", lead)), at


def imported(stage: Stage, campaign: str) -> None:
    """Somebody comes into the campaign now."""
    url = "https://www.linkedin.com/in/ada"
    row = LeadRow(2, "", "Ada One", "Ada", "One", url, "ada", None, None, None, None, {})
    import_leads(stage.journal, stage.clock, campaign, [row], file="people.csv", file_format="mapped")


def test_what_was_said_to_be_sent_and_stands_in_the_export_is_confirmed_once(stage: Stage) -> None:
    it = desk(stage, MESSAGES)
    lead, text, at = told(it, Word.SENT)
    stage.clock.advance(2 * DAY)
    export = Export(it).wrote(lead, text, at + HOUR)
    assert export.compare() == counts(confirmed=1)
    assert "linkedin_export" in stage.one("SELECT evidence FROM actions WHERE lead_id=?", lead)
    before = len(stage.events(it.campaign))
    assert export.compare() == counts()
    assert len(stage.events(it.campaign)) == before


def test_a_draft_confirms_nothing(stage: Stage, tmp_path: Path) -> None:
    it = desk(stage, MESSAGES)
    lead, text, at = told(it, Word.SENT)
    stage.clock.advance(4 * DAY)
    export = Export(it).written(tmp_path / "export.zip", drafted=lead, text=text, at=at + HOUR)
    compared = compare_export(stage.journal, stage.clock, partial(contact_archive, export), file=export.name)
    assert compared.counts == counts(people=1, contradictions=1)
    assert compared.left_out == "1 draft, which was never sent"
    assert "linkedin_export" not in stage.one("SELECT evidence FROM actions WHERE lead_id=?", lead)
    assert [kind for kind, _ in questions(it)] == [NOT_ON_RECORD]
    told_to_the_user = stage.one("SELECT payload FROM audit_log WHERE action_type='file.read' ORDER BY timestamp DESC")
    assert "1 draft, which was never sent" in told_to_the_user


def test_a_message_without_a_date_proves_neither_that_it_was_sent_nor_that_it_was_not(stage: Stage) -> None:
    it = desk(stage, MESSAGES)
    lead, _, at = told(it, Word.SENT)
    stage.clock.advance(4 * DAY)
    export = Export(it).goes_to(at + 3 * DAY)
    export.people[str(it.lead(lead, "profile_url"))] = PersonInArchive(has_undated_messages=True)
    assert export.compare() == counts()
    export.people[str(it.lead(lead, "profile_url"))] = PersonInArchive()
    assert export.compare() == counts(contradictions=1)


def test_a_text_that_was_changed_while_pasting_is_confirmed_with_the_words_that_went_out(stage: Stage) -> None:
    it = desk(stage, MESSAGES)
    lead, _, at = told(it, Word.SENT)
    assert Export(it).wrote(lead, "Hello, in my own words", at + HOUR).compare() == counts(confirmed=1)
    assert "in my own words" in stage.one("SELECT evidence FROM actions WHERE lead_id=?", lead)
    assert questions(it) == []


def test_an_unknown_outcome_is_settled_by_what_the_export_shows(stage: Stage) -> None:
    it = desk(stage, MESSAGES)
    lead = it.hand_over(no_reply=True)
    text, at = stage.one("SELECT text FROM messages WHERE lead_id=?", lead), stage.clock.now()
    export = Export(it).wrote(lead, text, at + HOUR)
    assert export.compare() == counts(settled=1)
    assert (it.sent(), it.lead(lead, "status")) == (1, "contacted")
    assert export.compare() == counts(confirmed=0)
    assert lead not in [person.lead.id for person in it.state().people]


def test_an_unknown_outcome_is_not_sent_only_if_the_export_goes_a_day_further(stage: Stage) -> None:
    it = desk(stage, MESSAGES)
    lead = it.hand_over(no_reply=True)
    at = stage.clock.now()
    export = Export(it).wrote(lead, "An old message", at - 400 * DAY)
    assert export.goes_to(at + HOUR).compare() == counts()
    assert it.asks()[0] is SessionAsk.OUTCOME
    assert export.goes_to(at + DAY).compare() == counts(settled=1)
    assert stage.query("SELECT status FROM actions") == [("not_sent",)]
    assert SessionAsk.OUTCOME not in it.asks()


@pytest.mark.parametrize("word", [Word.SENT, None], ids=["said to be sent", "under way"])
@pytest.mark.parametrize("doubt", ["damaged", "dated in the future"])
def test_an_export_of_which_anything_is_doubtful_proves_of_no_message_that_it_was_not_sent(
    stage: Stage, word: Word | None, doubt: str
) -> None:
    """One from before the message, with such a row in it, would have it offered and sent once more."""
    it = desk(stage, MESSAGES)
    lead = told(it, word)[0] if word else it.hand_over(no_reply=True)
    export, at = Export(it).wrote(lead, "An old message", stage.clock.now() - 400 * DAY), stage.clock.now()
    if doubt == "damaged":
        assert export.goes_to(at + 2 * DAY).compare(LeftOut(damaged=1)) == counts()
    else:
        stage.clock.advance(DAY)
        export.newest = stage.clock.now() + DAY
        assert export.compare() == counts()
    assert stage.query("SELECT status FROM actions") == [("sent" if word else "intended",)]
    assert questions(it) == []
    assert export.goes_to(at + 2 * DAY).compare() == (counts(contradictions=1) if word else counts(settled=1))


def test_a_text_that_was_denied_and_is_shown_blocks_the_person_until_the_user_decides(stage: Stage) -> None:
    it = desk(stage, MESSAGES)
    lead, text, at = told(it, Word.NOT_SENT)
    stage.clock.local = DAY  # where the user is, it is another day than in UTC
    export = Export(it).wrote(lead, text, at + HOUR)
    assert export.compare() == counts(contradictions=1)
    assert export.compare() == counts()
    assert it.lead(lead, "blocked") == CONTRADICTED
    question = stage.one("SELECT question FROM input_requests WHERE status='open'")
    assert "was not sent" in question
    assert text in question
    assert local_date(at, stage.clock.offset) in question
    stage.clock.advance(2 * HOUR)
    assert lead not in [person.lead.id for person in it.state().people]
    [(kind, id_)] = questions(it)
    assert kind == CONTRADICTED
    stage.commands().questions.answer(it.campaign, id_, WAS_SENT)
    assert it.lead(lead, "blocked") == ""
    assert (it.sent(), it.lead(lead, "sequence_step"), it.lead(lead, "status")) == (1, 1, "contacted")
    assert stage.query(
        "SELECT status FROM approvals WHERE message_id IN (SELECT id FROM messages WHERE lead_id=?)", lead
    ) == [("used",)]
    assert export.compare() == counts(confirmed=1)


@pytest.mark.parametrize(
    ("sequence", "column"),
    [(MESSAGES, "last_sent_at"), (DEFAULT_SEQUENCE, "last_sent_at"), (DEFAULT_SEQUENCE, "invited_at")],
)
@pytest.mark.parametrize("later", [None, 2 * HOUR])
def test_what_was_sent_after_all_was_sent_then_and_sets_back_nothing_that_came_after_it(
    stage: Stage, sequence: Sequence, column: str, later: int | None
) -> None:
    it = desk(stage, sequence)
    lead, _, at = told(it, Word.NOT_SENT, sequence)
    (act,) = stage.query("SELECT id FROM actions")[0]
    stage.clock.advance(DAY)
    if later is not None:  # by another device, which did not know of the question
        progress = Event("LeadAdvanced", lead, {column: at + later})
        stage.journal.record(it.campaign, events=[progress], actor="controller", cause="x", at=stage.clock.now())
    with stage.journal.transaction() as transaction:
        asked = contradicting_events(transaction, it.campaign, lead, act, at + HOUR, stage.clock, sent=True)
        transaction.record(it.campaign, asked or [], actor="controller", cause="x", at=stage.clock.now())
    stage.commands().questions.answer(it.campaign, questions(it)[0][1], WAS_SENT)
    assert it.lead(lead, "sequence_step") == 1
    assert it.lead(lead, column) == at + (HOUR if later is None else later)


@pytest.mark.parametrize(("answer", "used"), [(WAS_SENT, 1), (WAS_NOT_SENT, 0)])
def test_what_went_to_somebody_erased_since_is_still_said_and_counts(stage: Stage, answer: str, used: int) -> None:
    it = desk(stage, MESSAGES)
    lead, text, at = told(it, Word.NOT_SENT)
    Export(it).wrote(lead, text, at + HOUR).compare()
    left = stage.database.query(person_entries.what_is_left, it.campaign, [lead])
    erasing = erasures(left, stage.ids.new, stage.clock.now())  # by another device, which did not know of the question
    stage.journal.record(it.campaign, events=erasing, actor="controller", cause="erased", at=stage.clock.now())
    question, choices, payload = stage.query(
        "SELECT question, choices, payload FROM input_requests WHERE kind=? AND status='open'", CONTRADICTED
    )[0]
    assert (json.loads(choices), list(json.loads(payload))) == ([WAS_SENT, WAS_NOT_SENT], ["action_id"])
    assert "(erased)" in question
    stage.commands().questions.answer(it.campaign, questions(it)[0][1], answer)
    assert stage.query("SELECT count(*) FROM actions WHERE status='sent'") == [(used,)]
    assert questions(it) == []


def test_whoever_insists_on_not_sent_is_not_asked_again(stage: Stage) -> None:
    it = desk(stage, MESSAGES)
    lead, text, at = told(it, Word.NOT_SENT)
    export = Export(it).wrote(lead, text, at + HOUR)
    export.compare()
    stage.commands().questions.answer(it.campaign, questions(it)[0][1], WAS_NOT_SENT)
    assert (it.lead(lead, "blocked"), it.sent()) == ("", 0)
    assert export.compare() == counts()
    assert questions(it) == []


def test_a_text_whose_person_was_ended_may_turn_out_to_have_gone(stage: Stage) -> None:
    it = desk(stage, MESSAGES)
    lead, text, at = told(it, Word.WRONG_PERSON)
    assert it.lead(lead, "finished") == "wrong person"
    Export(it).wrote(lead, text, at + HOUR).compare()
    stage.commands().questions.answer(it.campaign, questions(it)[0][1], WAS_SENT)
    assert stage.query("SELECT status FROM actions WHERE lead_id=?", lead) == [("sent",)]
    assert stage.one("SELECT count(*) FROM messages WHERE lead_id=? AND status='found'", lead) == 1


def test_what_was_said_to_be_sent_and_is_missing_is_asked_about(stage: Stage) -> None:
    it = desk(stage, MESSAGES)
    lead, _, at = told(it, Word.SENT)
    export = Export(it).wrote(lead, "An old message", at - 400 * DAY)
    assert export.goes_to(at + HOUR).compare() == counts()
    assert export.goes_to(at + 2 * DAY).compare() == counts(contradictions=1)
    assert export.compare() == counts()
    assert [kind for kind, _ in questions(it)] == [NOT_ON_RECORD]
    assert it.lead(lead, "blocked") == NOT_ON_RECORD
    stage.commands().questions.answer(it.campaign, questions(it)[0][1], "go on")
    assert it.lead(lead, "blocked") == ""
    assert export.compare() == counts()


def test_who_stops_for_somebody_whose_sequence_has_ended_keeps_them_blocked(stage: Stage) -> None:
    it = desk(stage, MESSAGES)
    lead, _, at = told(it, Word.SENT)
    task = stage.one("SELECT id FROM tasks WHERE lead_id=?", lead)
    ended = [TaskClaimed(task), TaskCompleted(task)]
    stage.journal.record(it.campaign, events=ended, actor="verifier", cause="test", at=stage.clock.now())
    assert Export(it).wrote(lead, "An old message", at - DAY).goes_to(at + 2 * DAY).compare().contradictions
    stage.commands().questions.answer(it.campaign, dict(questions(it))[NOT_ON_RECORD], STOP)
    assert questions(it) == []
    assert it.lead(lead, "blocked") == NOT_ON_RECORD
    assert stage.one("SELECT status FROM tasks WHERE id=?", task) == "done"


def test_a_reply_ends_the_sequence_here_and_in_every_other_campaign(stage: Stage) -> None:
    it = desk(stage, MESSAGES)
    other = Desk(stage, by_hand(stage, MESSAGES, name="Other"), it.sync)
    other.run()
    lead, text, at = told(it, Word.SENT)
    export = Export(it).wrote(lead, text, at).wrote(lead, "Yes,\nplease call me", at + 2 * HOUR, they=True)
    stage.clock.advance(DAY)
    assert export.compare() == counts(confirmed=1, replies=1)
    assert (it.lead(lead, "finished"), it.lead(lead, "status")) == ("replied", "responded")
    assert it.lead(lead, "replied_at") == at + 2 * HOUR
    assert stage.query("SELECT status FROM tasks WHERE lead_id=?", lead) == [("done",)]
    assert stage.one("SELECT text FROM messages WHERE kind='reply'") == "Yes,\nplease call me"
    assert export.compare() == counts()
    key = it.lead(lead, "member_key")
    assert key not in [person.lead.member_key for person in other.state().people]


def test_a_reply_of_before_the_campaign_is_none(stage: Stage) -> None:
    it = desk(stage, MESSAGES)
    lead = it.state().people[0].lead.id
    long_ago = stage.clock.now() - 30 * DAY
    assert Export(it).wrote(lead, "Hello", long_ago, they=True).compare() == counts()
    assert it.lead(lead, "replied_at") is None


def test_what_they_wrote_after_the_campaign_was_made_and_before_they_came_into_it_is_kept_and_no_reply(
    stage: Stage,
) -> None:
    it = Desk(stage, by_hand(stage, MESSAGES, people=0), LocalOnly())
    before = stage.clock.now() + HOUR
    stage.clock.advance(DAY)
    imported(stage, it.campaign)
    it.run()
    lead = it.state().people[0].lead.id
    export = Export(it).wrote(lead, "Happy new year", before, they=True)
    assert export.compare() == counts()
    assert stage.one("SELECT text FROM messages WHERE kind='reply'") == "Happy new year"
    assert (it.lead(lead, "replied_at"), it.lead(lead, "status"), it.lead(lead, "finished")) == (None, "pending", "")
    assert export.wrote(lead, "We should talk", stage.clock.now(), they=True).compare() == counts(replies=1)
    assert it.lead(lead, "finished") == "replied"


def test_whoever_replied_before_anything_was_planned_for_them_is_finished_and_asked_about_nothing(stage: Stage) -> None:
    it = Desk(stage, by_hand(stage, MESSAGES, people=0), LocalOnly())
    imported(stage, it.campaign)
    lead = stage.one("SELECT id FROM leads")
    assert Export(it).wrote(lead, "We should talk", stage.clock.now(), they=True).compare() == counts(replies=1)
    it.run()
    assert (it.lead(lead, "finished"), questions(it)) == ("replied", [])
    assert stage.query("SELECT status FROM tasks WHERE lead_id=?", lead) == [("done",)]


def test_a_text_that_was_not_sent_to_whoever_replied_meanwhile_is_withdrawn(stage: Stage) -> None:
    it = desk(stage, MESSAGES)
    lead, at = it.hand_over(no_reply=True), stage.clock.now()
    assert Export(it).wrote(lead, "We should talk", at + HOUR, they=True).compare() == counts(replies=1)
    it.say(lead, Word.NOT_SENT)
    it.leave()
    assert stage.query("SELECT status FROM messages WHERE lead_id=? AND step<>''", lead) == [("cancelled",)]
    assert stage.query("SELECT status FROM tasks WHERE lead_id=?", lead) == [("done",)]


def test_whoever_asks_about_what_the_user_wrote_tells_what_they_had_written_before(stage: Stage) -> None:
    it = desk(stage, MESSAGES)
    lead, at = it.state().people[0].lead.id, stage.clock.now()
    export = Export(it).wrote(lead, "Write to me next year", at - 24 * HOUR, they=True)
    assert export.wrote(lead, "Shall we have lunch?", at).compare().contradictions == 1
    ((text,),) = stage.query("SELECT question FROM input_requests WHERE status='open'")
    assert "wrote: “Write to me next year”" in text


def test_whoever_replied_while_the_user_was_asked_about_them_is_finished_by_the_answer(stage: Stage) -> None:
    it = desk(stage, MESSAGES)
    lead, at = it.state().people[0].lead.id, stage.clock.now()
    export = Export(it).wrote(lead, "Shall we have lunch?", at)
    assert export.compare() == counts(contradictions=1)
    assert export.wrote(lead, "Gladly!", at + HOUR, they=True).compare() == counts(replies=1)
    stage.commands().questions.answer(it.campaign, questions(it)[0][1], WRITTEN_BY_HAND)
    it.run()
    assert (it.lead(lead, "finished"), questions(it)) == ("replied", [])
    assert stage.query("SELECT status FROM messages WHERE lead_id=? AND step<>''", lead) == [("cancelled",)]
    assert stage.query("SELECT status FROM tasks WHERE lead_id=?", lead) == [("done",)]


@pytest.mark.parametrize("newer", [False, True])
def test_a_reply_of_whoever_was_moved_is_kept_where_they_are_now(stage: Stage, newer: bool) -> None:
    names = ("One", "Other")
    here, there = sorted((by_hand(stage, MESSAGES, people=0, name=name) for name in names), reverse=newer)
    imported(stage, here)
    (moved,) = stage.commands().lead_groups.move(here, [stage.one("SELECT id FROM leads")], there).changed
    it = Desk(stage, there, LocalOnly())
    it.run()
    export = Export(it).wrote(moved.moved_to, "We should talk", stage.clock.now(), they=True)
    assert export.compare() == counts(replies=1)
    assert it.lead(moved.moved_to, "finished") == "replied"


def test_what_they_wrote_in_the_words_of_an_old_message_is_a_reply_all_the_same(stage: Stage) -> None:
    it = Desk(stage, by_hand(stage, MESSAGES, people=0), LocalOnly())
    before = stage.clock.now() + HOUR
    stage.clock.advance(3 * DAY)
    imported(stage, it.campaign)
    it.run()
    lead = it.state().people[0].lead.id
    export = Export(it).wrote(lead, "Hello", before, they=True)
    assert export.compare() == counts()
    assert export.wrote(lead, "Hello", stage.clock.now(), they=True).compare() == counts(replies=1)
    assert it.lead(lead, "finished") == "replied"


def test_a_reply_counts_although_the_clock_was_set_back_since_they_came(stage: Stage) -> None:
    it = Desk(stage, by_hand(stage, MESSAGES, people=0), LocalOnly())
    imported(stage, it.campaign)
    stage.clock.advance(-30 * DAY)
    it.run()
    lead, text, at = told(it, Word.SENT)
    export = Export(it).wrote(lead, text, at).wrote(lead, "Yes, please", at + HOUR, they=True)
    assert export.goes_to(at + 10 * DAY).compare() == counts(confirmed=1, replies=1)
    assert it.lead(lead, "finished") == "replied"


def test_an_invitation_is_confirmed_by_its_day_and_its_acceptance_by_the_connections(stage: Stage) -> None:
    it = desk(stage, DEFAULT_SEQUENCE)
    lead, _, at = told(it, Word.SENT, DEFAULT_SEQUENCE)
    assert Export(it).days(lead, invited=at).compare() == counts(confirmed=1)
    stage.clock.advance(3 * DAY)
    export = Export(it).days(lead, connected=at + 2 * DAY)
    assert export.compare() == counts(accepted=1)
    assert (it.lead(lead, "relation"), it.lead(lead, "accepted_at")) == ("connected", at + 2 * DAY)
    assert export.compare() == counts()


def test_an_invitation_that_is_not_in_the_export_may_have_been_accepted_or_withdrawn(stage: Stage) -> None:
    it = desk(stage, DEFAULT_SEQUENCE)
    lead, _, at = told(it, Word.SENT, DEFAULT_SEQUENCE)
    assert Export(it).days(lead).goes_to(at + 90 * DAY).compare() == counts()
    assert questions(it) == []


def test_a_message_written_by_hand_is_asked_about_before_anything_more_goes_out(stage: Stage) -> None:
    it = desk(stage, MESSAGES)
    lead = it.state().people[0].lead.id
    export = Export(it).wrote(lead, "Shall we have lunch?", stage.clock.now() + HOUR)
    assert export.compare() == counts(contradictions=1)
    assert export.compare() == counts()
    assert it.lead(lead, "blocked") == NOT_ON_RECORD
    stage.commands().questions.answer(it.campaign, questions(it)[0][1], COUNTS_AS_STEP)
    assert it.lead(lead, "sequence_step") == 1
