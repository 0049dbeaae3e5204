"""What the user says in a send session is on record once, also when another device recorded something first."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.commands import conflict_description, conflicts
from backend.commands.reconciliation import reconcile
from backend.domain.model.campaign import HOUR
from backend.domain.model.lead import Label
from backend.domain.model.reply_kind import ReplyKind
from backend.domain.model.send_word import SessionAsk, Word
from backend.domain.model.site import Attempt, SiteAnswer
from backend.domain.people.contact_archive import ArchivedMessage, ContactArchive, PersonInArchive
from backend.domain.values.errors import OutriderError
from backend.ports.site import SiteUnavailable
from backend.ports.sync_status import LocalOnly
from backend.store.replication import rebase_queue
from tests.fakes.by_hand import by_hand
from tests.fakes.campaign import ONE_STEP, Stage
from tests.fakes.pair import Pair
from tests.fakes.send_desk import EVERY_DAY, MESSAGES, Desk


class Desks(Pair):
    """Three people wait for the user's hand; the text for the first was handed over at the desk."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, self._begin)
        self.here, self.there = (
            Desk(stage, self.campaign, LocalOnly(), other_clock=self._clock) for stage in self.stages
        )

    def _begin(self, stage: Stage) -> str:
        self._clock = stage.clock
        made = Desk(stage, by_hand(stage, MESSAGES, limits=EVERY_DAY), LocalOnly())
        made.run()
        self.first, self.second, self.third = (person.lead.id for person in made.state().people)
        made.hand_over(no_reply=True)
        return made.campaign

    def counted(self, kind: str) -> list[int]:
        """How many such events each device's log has."""
        return [int(stage.one("SELECT count(*) FROM event_log WHERE kind=?", kind)) for stage in self.stages]

    def leads(self, lead_id: str, column: str) -> list[object]:
        return [desk.lead(lead_id, column) for desk in (self.here, self.there)]


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Desks]:
    made = Desks(tmp_path)
    yield made
    made.close()


def test_words_about_several_people_are_said_again_behind_another_devices(pair: Desks) -> None:
    pair.there.say(pair.first, Word.SENT)
    pair.there.say(pair.second, Word.WRONG_PERSON)
    pair.there.leave()
    pair.here.say(pair.third, Word.NOT_CONNECTED)
    pair.synchronise()
    assert pair.conflicts() == []
    assert pair.counted("MessageSent") == [1, 1]
    assert pair.leads(pair.second, "finished") == ["wrong person"] * 2
    assert pair.leads(pair.third, "finished") == ["not connected"] * 2


def test_the_same_word_on_both_devices_is_on_record_once(pair: Desks) -> None:
    for desk in (pair.there, pair.here):
        desk.say(pair.first, Word.SENT)
        desk.say(pair.second, Word.REPLIED, "Not now, thank you")
        desk.say(pair.third, Word.WRONG_PERSON)
        desk.leave()
    pair.synchronise()
    assert pair.conflicts() == []
    assert (pair.counted("MessageSent"), pair.counted("ReplyReceived")) == ([1, 1], [1, 1])


def test_sent_here_and_not_sent_there_is_asked_on_every_device_and_nobody_gets_the_text_again(pair: Desks) -> None:
    pair.there.say(pair.first, Word.SENT)
    pair.here.say(pair.first, Word.NOT_SENT)
    pair.here.leave()
    pair.synchronise()
    assert pair.conflicts() == []
    pair.stages[0].clock.advance(3_700_000)
    for desk in (pair.here, pair.there):
        assert pair.first not in [person.lead.id for person in desk.state().people]
    question = pair.stages[0].one("SELECT id FROM input_requests WHERE kind='contradicted' AND status='open'")
    pair.desk.questions.answer(pair.campaign, question, "it was sent")
    pair.synchronise()
    assert pair.counted("MessageSent") == [1, 1]
    assert pair.stages[1].query(
        "SELECT status, evidence LIKE '%user_word%' FROM messages WHERE lead_id=?", pair.first
    ) == [("sent", 1)]


def test_two_words_that_cannot_both_hold_are_the_users_to_choose(pair: Desks) -> None:
    pair.there.say(pair.first, Word.NOT_CONNECTED)
    pair.here.say(pair.first, Word.SENT)
    pair.here.leave()
    pair.synchronise()
    (waiting,) = pair.conflicts()
    (described,) = pair.stages[1].database.query(conflict_description.open_conflicts)
    assert described.subject == pair.here.lead(pair.first, "full_name")
    assert (described.mine, described.theirs) == ({"word": "not_connected"}, {"word": "you reported: sent"})
    with pytest.raises(OutriderError) as refused:
        conflicts.resolve(lambda _: pair.laptop, waiting, "mine")
    assert refused.value.code == "person_not_waiting"
    assert pair.stages[1].database.query(rebase_queue.is_person_in_conflict, pair.campaign, pair.first)
    conflicts.resolve(lambda _: pair.laptop, waiting, "theirs")
    assert pair.conflicts() == []


def test_what_was_taken_back_stays_taken_back(pair: Desks) -> None:
    pair.there.say(pair.second, Word.WRONG_PERSON)
    pair.there.session.take_back(pair.campaign, pair.stages[0].clock)
    pair.there.say(pair.third, Word.WRONG_PERSON)
    pair.here.say(pair.first, Word.SENT)
    pair.here.leave()  # no word waits now, as after taking one back
    pair.synchronise()
    pair.there.leave()
    pair.synchronise()
    assert pair.conflicts() == []
    assert pair.leads(pair.second, "finished") == [""] * 2
    assert pair.leads(pair.third, "finished") == ["wrong person"] * 2


def test_a_word_in_force_elsewhere_cannot_be_taken_back_and_the_user_sees_it(pair: Desks) -> None:
    pair.here.say(pair.second, Word.WRONG_PERSON)
    pair.synchronise()
    pair.there.session.take_back(pair.campaign, pair.stages[0].clock)
    pair.here.leave()
    pair.synchronise()
    assert [conflict.cause.partition(" ")[0] for conflict in pair.conflicts()] == ["send_words.take_back"]


def test_a_reply_ends_the_sequence_whatever_was_asked_about_them_elsewhere(pair: Desks) -> None:
    pair.there.say(pair.first, Word.REPLIED, "Yes, gladly")
    pair.here.say(pair.first, Word.SENT)
    pair.here.leave()
    pair.synchronise()
    assert pair.conflicts() == []
    assert (pair.counted("MessageSent"), pair.counted("ReplyReceived")) == ([1, 1], [1, 1])
    assert pair.leads(pair.first, "status") == ["responded"] * 2


def test_a_reply_that_was_no_machines_ends_the_sequence_whatever_was_recorded_about_them_elsewhere(pair: Desks) -> None:
    pair.here.say(pair.second, Word.REPLIED, "Automatic reply: I am out of office.")
    pair.synchronise()
    assert pair.leads(pair.second, "finished") == ["", ""]
    reply = pair.stages[1].one("SELECT id FROM messages WHERE kind='reply'")
    pair.laptop.replies.classify(pair.campaign, reply, ReplyKind.HUMAN)
    pair.desk.replies.label(pair.campaign, pair.second, Label.LATER, pair.stages[0].clock.now() + HOUR)
    pair.synchronise()
    assert pair.conflicts() == []
    assert pair.leads(pair.second, "finished") == ["replied", "replied"]
    assert [stage.one("SELECT reply_kind FROM messages WHERE id=?", reply) for stage in pair.stages] == ["human"] * 2


def test_a_reply_in_an_export_ends_the_sequence_whatever_was_recorded_about_them_elsewhere(pair: Desks) -> None:
    now = pair.stages[0].clock.now()
    wrote = PersonInArchive("", "", (ArchivedMessage(True, "Not now", now), ArchivedMessage(True, "Gladly!", now + 1)))
    urls = [str(pair.there.lead(lead_id, "profile_url")) for lead_id in (pair.second, pair.third)]
    export = ContactArchive(dict.fromkeys(urls, wrote), now)
    reconcile(pair.stages[1].journal, pair.stages[0].clock, "linkedin", export, file="export.zip")
    pair.desk.replies.label(pair.campaign, pair.second, Label.LATER, now + HOUR)
    pair.synchronise()
    assert pair.conflicts() == []
    assert pair.counted("ReplyReceived") == [4, 4]
    for lead_id in (pair.second, pair.third):
        assert pair.leads(lead_id, "finished") == ["replied", "replied"]


def test_the_same_export_on_both_devices_is_on_record_once(pair: Desks) -> None:
    now = pair.stages[0].clock.now()
    wrote = PersonInArchive("", "", (ArchivedMessage(True, "Not now", now), ArchivedMessage(True, "Gladly!", now + 1)))
    export = ContactArchive({str(pair.there.lead(pair.second, "profile_url")): wrote}, now)
    for stage in pair.stages:
        reconcile(stage.journal, pair.stages[0].clock, "linkedin", export, file="export.zip")
    pair.synchronise()
    assert pair.conflicts() == []
    assert pair.counted("ReplyReceived") == [2, 2]
    assert pair.leads(pair.second, "finished") == ["replied", "replied"]


def test_a_word_holds_as_of_when_it_was_said(pair: Desks) -> None:
    clock = pair.stages[0].clock
    said_at = clock.now()
    pair.there.say(pair.second, Word.WRONG_PERSON)
    clock.advance(60_000)
    pair.here.say(pair.third, Word.WRONG_PERSON)
    pair.synchronise()
    clock.advance(60_000)
    pair.there.leave()
    assert pair.there.lead(pair.second, "visited_at") == said_at


def test_an_intent_that_no_store_confirmed_is_dropped_without_a_question(pair: Desks) -> None:
    class Unconfirmed(LocalOnly):
        def describe(self) -> str:
            return "in_sync"

        def push_and_confirm(self, _: str) -> bool:
            return False

    pair.there.sync = Unconfirmed()
    with pytest.raises(OutriderError, match="did not confirm"):
        pair.there.hand_over(1, no_reply=True)
    pair.desk.leads.note(pair.campaign, pair.second, "Met in Leeds")
    pair.synchronise()
    assert pair.conflicts() == []


def test_a_text_that_was_handed_over_again_is_not_asked_about_when_it_was_sent(pair: Desks) -> None:
    class ConfirmedTooLate(LocalOnly):
        def describe(self) -> str:
            return "in_sync"

        def push_and_confirm(self, _: str) -> bool:
            for engine in pair.engines:
                engine.run_round()
            return False

    lead = pair.here.state().people[1].lead.id
    pair.here.sync = ConfirmedTooLate()
    with pytest.raises(OutriderError, match="did not confirm"):
        pair.here.hand_over(1, no_reply=True)
    pair.here.sync = LocalOnly()
    pair.stages[0].clock.advance(600_000)
    position = [person.lead.id for person in pair.here.state().people].index(lead)
    assert pair.here.hand_over(position, no_reply=True) == lead
    pair.here.say(lead, Word.SENT)
    pair.here.leave()
    pair.there.say(lead, Word.SENT)  # there the intent is seen that nobody confirmed
    pair.synchronise()
    assert pair.conflicts() == []
    assert [stage.query("SELECT id FROM input_requests WHERE status='open'") for stage in pair.stages] == [[], []]
    acts = [stage.query("SELECT status FROM actions WHERE lead_id=? ORDER BY id", lead) for stage in pair.stages]
    assert acts == [[("not_sent",), ("sent",)]] * 2
    assert pair.counted("MessageSent") == [1, 1]


DECIDES: dict[str, Callable[[Desks], object]] = {
    "on the list": lambda p: p.laptop.workspace.add_do_not_contact(
        str(p.leads(p.first, "profile_url")[1]), "", "asked"
    ),
    "not to be contacted": lambda p: p.laptop.leads.do_not_contact(p.campaign, p.first, "asked"),
    "replied": lambda p: p.laptop.replies.found(
        p.campaign, p.first, "No, thanks.", at=p.stages[0].clock.now(), answers=True
    ),
}


@pytest.mark.parametrize("decides", DECIDES.values(), ids=DECIDES)
def test_a_text_that_is_out_is_not_handed_again_once_another_device_decided_against_it(
    pair: Desks, decides: Callable[[Desks], object]
) -> None:
    """What the shared store answered to its intent is no answer to this."""
    pair.here.sync = pair.engines[0]
    with pair.engines[0].hold_lease():
        take = pair.here.shown()
        assert take().lead.id == pair.first, "nothing is against it yet"
        decides(pair)
        pair.engines[1].run_round()
        with pytest.raises(OutriderError) as refused:
            take()
    assert refused.value.code == "send_held"


def test_an_answer_given_on_two_devices_waits_once_and_taking_it_back_on_both_is_no_conflict(pair: Desks) -> None:
    pair.here.say(pair.second, Word.REPLIED, "Tell me more")
    pair.synchronise()
    pair.laptop.replies.answer(pair.campaign, pair.second, "From the laptop")
    pair.desk.replies.answer(pair.campaign, pair.second, "From the desk")
    pair.synchronise()
    (waiting,) = pair.conflicts()
    texts = "SELECT text FROM messages WHERE step LIKE 'answer:%' AND status='approved'"
    assert [stage.query(texts) for stage in pair.stages] == [[("From the desk",)]] * 2
    with pytest.raises(OutriderError) as refused:
        conflicts.resolve(lambda _: pair.laptop, waiting, "mine")
    assert refused.value.code == "answer_waiting"
    pair.laptop.replies.take_back(pair.campaign, pair.second)
    pair.desk.replies.take_back(pair.campaign, pair.second)
    pair.synchronise()
    assert pair.conflicts() == [waiting]
    conflicts.resolve(lambda _: pair.laptop, waiting, "mine")
    pair.synchronise()
    assert [stage.query(texts) for stage in pair.stages] == [[("From the laptop",)]] * 2


@pytest.mark.parametrize(("theirs", "stands"), [("Sure", []), ("From the desk", [("From the desk",)])])
def test_an_answer_taken_back_here_is_that_one_and_the_next_one_does_not_wait_beside_another(
    pair: Desks, theirs: str, stands: list[tuple[str]]
) -> None:
    pair.here.say(pair.second, Word.REPLIED, "Tell me more")
    pair.synchronise()
    for words in ("Sure", "Better words"):
        pair.laptop.replies.answer(pair.campaign, pair.second, words)
        if words == "Sure":
            pair.laptop.replies.take_back(pair.campaign, pair.second)
        pair.stages[0].clock.advance(1_000)
    pair.desk.replies.answer(pair.campaign, pair.second, theirs)
    pair.synchronise()
    texts = "SELECT text FROM messages WHERE step LIKE 'answer:%' AND status='approved'"
    assert [stage.query(texts) for stage in pair.stages] == [stands, stands]
    last = pair.conflicts()[-1]
    if stands:
        pair.desk.replies.take_back(pair.campaign, pair.second)
        pair.synchronise()
    conflicts.resolve(lambda _: pair.laptop, last, "mine")
    assert pair.stages[1].query(texts) == [("Better words",)]


def test_an_answer_that_left_is_not_taken_back_and_the_user_sees_it(pair: Desks) -> None:
    pair.here.say(pair.second, Word.REPLIED, "Tell me more")
    pair.desk.replies.answer(pair.campaign, pair.second, "Gladly")
    pair.here.say(pair.first, Word.SENT)
    pair.synchronise()
    pair.laptop.replies.take_back(pair.campaign, pair.second)
    position = next(i for i, person in enumerate(pair.here.state().people) if person.lead.id == pair.second)
    pair.here.hand_over(position, no_reply=True)
    pair.here.say(pair.second, Word.SENT)
    pair.here.leave()
    pair.synchronise()
    assert [conflict.cause.partition(" ")[0] for conflict in pair.conflicts()] == ["replies.take_back"]


class Asked(Pair):
    """Nobody knows whether the text for one person arrived, and the user is asked on both devices."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, self._begin)
        self.question = self.stages[0].one("SELECT id FROM input_requests WHERE status='open'")

    def _begin(self, stage: Stage) -> str:
        campaign = stage.campaign(1, settings=ONE_STEP)

        def blind(_tool: str, _when: str) -> None:
            raise SiteUnavailable("nothing loads")

        def no_answer(*_: object) -> Attempt:
            stage.site.during = blind
            return Attempt(SiteAnswer.NO_ANSWER, "")

        stage.site.send_invitation = no_answer  # type: ignore[method-assign, assignment]
        stage.run(campaign)
        stage.site.during = lambda _tool, _when: None
        return campaign

    def rows(self, query: str) -> list[object]:
        """The one value on either device."""
        return [stage.one(query) for stage in self.stages]


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    made = Asked(tmp_path)
    yield made
    made.close()


SENT_STATUS = "SELECT status FROM actions"


@pytest.mark.parametrize("finally_", ["it was sent", "it was not sent"])
@pytest.mark.parametrize("first", ["it was sent", "it was not sent"])
@pytest.mark.parametrize("again", [False, True])
def test_two_words_about_one_act_are_asked_about_on_every_device_and_either_can_be_kept(
    asked: Asked, finally_: str, first: str, *, again: bool
) -> None:
    question, second = asked.question, "it was not sent" if first == "it was sent" else "it was sent"
    for _ in range(1 + again):
        asked.desk.questions.answer(asked.campaign, question, first)
        asked.laptop.questions.answer(asked.campaign, question, second)
        asked.synchronise()
        assert asked.conflicts() == [], "there is nothing to choose between, but a question to answer"
        assert asked.rows("SELECT blocked FROM leads") == ["contradicted"] * 2
        for stage in asked.stages:
            stage.run(asked.campaign, approve=False)
        assert asked.rows("SELECT count(*) FROM actions") == [1, 1], "nobody is written to meanwhile"
        asked.synchronise()
        question, other = asked.rows("SELECT id FROM input_requests WHERE kind='contradicted' AND status='open'")
        assert question == other
    asked.desk.questions.answer(asked.campaign, question, finally_)
    asked.synchronise()
    assert asked.rows(SENT_STATUS) == [finally_.removeprefix("it was ").replace(" ", "_")] * 2
    assert asked.rows("SELECT blocked FROM leads") == ["", ""]
    assert asked.conflicts() == []


@pytest.mark.parametrize("word", ["it was sent", "it was not sent"])
def test_not_sent_said_behind_sent_by_hand_can_be_kept_and_its_step_is_due_with_a_new_text(
    pair: Desks, word: str
) -> None:
    pair.here.say(pair.first, Word.SENT)
    pair.here.leave()
    pair.there.say(pair.first, Word.NOT_SENT)
    pair.there.leave()
    pair.synchronise()
    assert pair.conflicts() == []
    question = pair.stages[0].one("SELECT id FROM input_requests WHERE kind='contradicted' AND status='open'")
    pair.laptop.questions.answer(pair.campaign, question, word)
    pair.synchronise()
    lead = pair.first
    for stage in pair.stages:
        sent = [("sent",)] if word == "it was sent" else [("cancelled",)]
        assert stage.query("SELECT status FROM messages WHERE lead_id=? AND step='hello'", lead) == sent
        assert stage.one("SELECT sequence_step FROM leads WHERE id=?", lead) == (word == "it was sent")
    pair.here.run()
    drafts = pair.stages[0].query(
        "SELECT status FROM messages WHERE lead_id=? AND step='hello' ORDER BY created_at", lead
    )
    assert drafts == ([("sent",)] if word == "it was sent" else [("cancelled",), ("approved",)])
    assert pair.counted("MessageSent")[0] == 1


@pytest.mark.parametrize("words", [(Word.SENT, Word.NOT_SENT), (Word.NOT_SENT, Word.SENT)])
def test_a_word_from_another_window_that_contradicts_is_asked_about_and_not_lost(
    pair: Desks, words: tuple[Word, Word]
) -> None:
    stage, said_at = pair.stages[0], pair.stages[0].clock.now()
    act = stage.one("SELECT id FROM actions")
    for word in words:
        pair.desk.send_words.say(
            pair.campaign,
            pair.first,
            word,
            ask=SessionAsk.OUTCOME,
            action_id=act,
            at=said_at,
        )
    assert stage.query("SELECT kind FROM input_requests WHERE status='open'") == [("contradicted",)]
    assert stage.one("SELECT blocked FROM leads WHERE id=?", pair.first) == "contradicted"
