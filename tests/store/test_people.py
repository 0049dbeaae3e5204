"""The tables of people: the same whatever the order of imports, kept true by every way in which a lead or an answer changes."""

import itertools
from pathlib import Path
from random import Random

import pytest

from backend.domain.events.events import WORKSPACE, Event
from backend.domain.people.contact_keys import number_address
from backend.domain.people.identity import MOST_NAMESAKES, DoubtKind
from backend.store.database import DatabaseConnection
from backend.store.log import replay
from backend.store.log.journal import Journal
from backend.store.queries.people import people, person_index
from tests.fakes.clock import START
from tests.store.opening import open_journal

ANNA, OTHER, MAIL = (
    "https://www.linkedin.com/in/anna-berg",
    "https://www.linkedin.com/in/anna-berg-2",
    "anna@acme.example",
)


def campaign(journal: Journal, id_: str, account: str = "linkedin") -> None:
    made = {
        "name": id_,
        "status": "active",
        "site": "linkedin_assist",
        "account": account,
        "settings": "{}",
        "created_at": START,
    }
    record(journal, id_, Event("CampaignCreated", id_, made))


def record(journal: Journal, stream: str, *events: Event) -> None:
    journal.record(stream, events=events, actor="test", cause="test", at=START)


def lead(id_: str, name: str = "Anna Berg", url: str = "", email: str = "", company: str = "") -> Event:
    values = {
        "full_name": name,
        "profile_url": url,
        "member_key": url or email or f"name:{id_}",
        "position": 1,
        "import_id": "i1",
    }
    return Event("LeadImported", id_, values | {"email": email, "company": company})


def answered(id_: str, same: bool, *member_keys: str) -> Event:
    return Event(
        "IdentityAnswered",
        id_,
        {"member_keys": list(member_keys), "same": int(same), "status": "active", "created_at": START},
    )


def persons(journal: Journal, *lead_ids: str) -> list[set[str]]:
    with journal.database.read() as connection:
        groups = {frozenset(people.lead_ids(connection, lead_id)) for lead_id in lead_ids}
    return sorted(map(set, groups), key=sorted)


def assert_sound(journal: Journal) -> None:
    assert replay.find_differences(journal.database) == []


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    journal = open_journal(tmp_path / "o.db")
    for name in ("a", "b"):
        campaign(journal, name)
    campaign(journal, "p", account="practice-1")
    return journal


def test_leads_of_two_campaigns_with_one_address_are_one_person(journal: Journal) -> None:
    record(journal, "a", lead("a1", url=ANNA))
    record(journal, "b", lead("b1", "Berg, Anna", url=ANNA, email=MAIL))
    record(journal, "a", lead("a2", "Jon Vik", url=OTHER))
    assert persons(journal, "a1", "a2") == [{"a1", "b1"}, {"a2"}]
    assert_sound(journal)


def test_a_rehearsal_says_nothing_about_real_people(journal: Journal) -> None:
    record(journal, "a", lead("a1", url=ANNA))
    record(journal, "p", lead("p1", url=ANNA))
    assert persons(journal, "a1", "p1") == [{"a1"}, {"p1"}]


def test_an_address_that_comes_later_makes_one_person_of_two(journal: Journal) -> None:
    record(journal, "a", lead("a1", url=ANNA))
    record(journal, "b", lead("b1", email=MAIL))
    assert persons(journal, "a1", "b1") == [{"a1"}, {"b1"}]
    record(journal, "a", Event("LeadMerged", "a1", {"email": MAIL, "profile_updated_at": START}))
    assert persons(journal, "a1", "b1") == [{"a1", "b1"}]
    record(journal, "a", Event("MergeUndone", "a1", {"email": "", "profile_updated_at": START}))
    assert persons(journal, "a1", "b1") == [{"a1"}, {"b1"}]
    assert_sound(journal)


def test_undoing_an_import_leaves_what_others_know(journal: Journal) -> None:
    for stream in ("a", "b"):
        record(journal, stream, lead(f"{stream}1", url=ANNA))
    record(journal, "a", Event("LeadBlocked", "a1", {"blocked": "import_undone"}))
    assert persons(journal, "b1") == [{"b1"}]
    record(journal, "a", Event("LeadUnblocked", "a1", {"blocked": ""}))
    assert persons(journal, "b1") == [{"a1", "b1"}]
    assert_sound(journal)


def test_doubt_is_kept_until_it_is_answered_and_comes_back_with_the_answer_taken_back(journal: Journal) -> None:
    record(journal, "a", lead("a1", url=ANNA, email=MAIL))
    record(journal, "b", lead("b1", url=OTHER, email=MAIL))

    def doubt(connection: DatabaseConnection) -> list[tuple[str, ...]]:
        return [asked.lead_ids for asked in people.doubts_about(connection, "b1")]

    with journal.database.read() as connection:
        assert people.doubt_about(connection, "a1") is DoubtKind.TWO_ADDRESSES
        assert doubt(connection) == [("a1", "b1")]
        assert people.count_in_doubt(connection, "a") == 1
        assert [asked.lead_ids for asked in people.open_doubts(connection, "a", 10)] == [("a1", "b1")]
    record(journal, WORKSPACE, answered("x1", True, ANNA, OTHER))
    assert journal.database.query(doubt) == []
    assert persons(journal, "a1") == [{"a1", "b1"}]
    record(journal, WORKSPACE, Event("IdentityAnswerTakenBack", "x1", {"status": "taken_back"}))
    assert persons(journal, "a1", "b1") == [{"a1"}, {"b1"}]
    assert journal.database.query(doubt) == [("a1", "b1")]
    assert_sound(journal)


def test_a_name_on_the_list_is_asked_about_as_long_as_no_lead_has_its_address(journal: Journal) -> None:
    def asked() -> list[DoubtKind]:
        assert_sound(journal)
        with journal.database.read() as connection:
            return [doubt.kind for doubt in people.doubts_about(connection, "a1")]

    entry = {"member_key": OTHER, "name": "Berg Anna", "status": "active", "created_at": START}
    record(journal, WORKSPACE, Event("DoNotContactAdded", "entry", entry))
    record(journal, "a", lead("a1", url=ANNA))
    assert asked() == [DoubtKind.ON_LIST]
    record(journal, "b", lead("b1", "Tom Vik", url=OTHER))  # then it is his
    assert asked() == []
    record(journal, "b", Event("LeadBlocked", "b1", {"blocked": "import_undone"}))
    assert asked() == [DoubtKind.ON_LIST]
    record(journal, WORKSPACE, Event("DoNotContactRemoved", "entry", {"status": "removed"}))
    assert asked() == []


def test_a_lead_of_another_account_is_not_whom_a_name_on_the_list_is_compared_with(journal: Journal) -> None:
    entry = {"member_key": OTHER, "name": "Anna Berg", "status": "active", "created_at": START}
    record(journal, WORKSPACE, Event("DoNotContactAdded", "entry", entry))
    record(journal, "a", lead("a1", url=ANNA))
    record(journal, "p", lead("p1", url=OTHER))
    with journal.database.read() as connection:
        assert [doubt.kind for doubt in people.doubts_about(connection, "a1")] == [DoubtKind.ON_LIST]
    assert_sound(journal)


def test_a_name_on_the_list_by_an_e_mail_address_is_compared_with_the_lead_that_has_it(journal: Journal) -> None:
    entry = {"member_key": MAIL, "name": "Anna Berg", "status": "active", "created_at": START}
    record(journal, WORKSPACE, Event("DoNotContactAdded", "entry", entry))
    record(journal, "a", lead("a1", url=ANNA), lead("a2", "Tom Vik", url=OTHER, email=MAIL))
    assert journal.database.query(people.doubts_about, "a1") == []


def test_a_name_on_the_list_by_a_member_s_number_is_compared_with_the_lead_that_has_it(journal: Journal) -> None:
    number = "ACwAAABcDeFgHiJkLmNoPqRs"
    entry = {"member_key": number_address(number), "name": "Anna Berg", "status": "active", "created_at": START}
    record(journal, WORKSPACE, Event("DoNotContactAdded", "entry", entry))
    tom = lead("a2", "Tom Vik", url=OTHER)
    with_number = Event("LeadImported", "a2", {**tom.changes, "extra": {"Member": number}})
    record(journal, "a", lead("a1", url=ANNA), with_number)
    with journal.database.read() as connection:
        assert people.doubts_about(connection, "a1") == []


def test_whoever_is_on_the_list_by_their_own_address_is_not_asked_about_whatever_name_stands_there(
    journal: Journal,
) -> None:
    def asked() -> int:
        assert_sound(journal)
        return len(journal.database.query(people.doubts_about, "a1"))

    def listed(id_: str, address: str, name: str) -> Event:
        entry = {"member_key": address, "name": name, "status": "active", "created_at": START}
        return Event("DoNotContactAdded", id_, entry)

    record(journal, "a", lead("a1", url=ANNA))
    record(journal, WORKSPACE, listed("elsewhere", OTHER, "Anna Berg"))
    assert asked() == 1
    record(journal, WORKSPACE, listed("own", ANNA, ""))
    assert asked() == 0
    record(journal, WORKSPACE, Event("DoNotContactRemoved", "own", {"status": "removed"}))
    assert asked() == 1


def test_whoever_is_asked_about_for_several_reasons_is_one_person_in_the_counts(journal: Journal) -> None:
    record(journal, "a", lead("a1", url=ANNA, email=MAIL))
    record(journal, "b", lead("b1", url=OTHER, email=MAIL), lead("b2", "Tom Vik", url=ANNA))
    with journal.database.read() as connection:
        assert len(people.doubts_about(connection, "a1")) == 2
        assert people.count_in_doubt(connection, "a") == people.leads_in_doubt(connection, "a", "i1") == 1
        assert people.count_in_doubt(connection, "b") == people.leads_in_doubt(connection, "b", "i1") == 2


@pytest.mark.parametrize("contact", [{"claimed_at": START}, {"invited_at": START}, {"last_sent_at": START}])
def test_whoever_another_campaign_keeps_is_listed_as_such_also_if_that_began_before_claims_were_recorded(
    journal: Journal, contact: dict[str, int]
) -> None:
    for stream in ("a", "b"):
        record(journal, stream, lead(f"{stream}1", url=ANNA), lead(f"{stream}2", "Tom Vik", url=OTHER))
    record(journal, "a", Event("LeadAdvanced", "a1", contact))
    with journal.database.read() as connection:
        person = people.several(connection, "b1")
        assert person is not None
        assert person.elsewhere(START) is not None
        assert people.with_other_campaign(connection, "b", START, 10) == ["b1"]
        assert people.with_other_campaign(connection, "a", START, 10) == []
    record(journal, "b", Event("LeadContactAllowed", "b1", {"contact_anyway": "We spoke."}))
    assert journal.database.query(people.with_other_campaign, "b", START, 10) == [], (
        "who is contacted anyway is not kept from it"
    )


def test_whoever_is_twice_in_a_campaign_is_listed_once_as_with_another_one(journal: Journal) -> None:
    record(journal, "a", lead("a1", url=ANNA), Event("LeadAdvanced", "a1", {"claimed_at": START}))
    record(journal, "b", lead("b1", url=ANNA, email=MAIL), lead("b2", email=MAIL))

    def listed(stream: str) -> list[str]:
        return journal.database.query(people.with_other_campaign, stream, START, 10)

    assert (listed("a"), listed("b")) == ([], ["b1"])
    record(journal, "b", Event("LeadFinished", "b1", {"finished": "no reply"}))
    assert listed("b") == ["b2"], "the one that is still to be written to"
    record(journal, "b", Event("LeadFinished", "b2", {"finished": "no reply"}))
    assert listed("b") == ["b1"]


def test_whoever_is_here_twice_and_with_no_other_campaign_is_not_listed_as_such(journal: Journal) -> None:
    record(journal, "a", lead("a1", url=ANNA, email=MAIL), lead("a2", email=MAIL))
    record(journal, "a", Event("LeadAdvanced", "a1", {"claimed_at": START}))
    with journal.database.read() as connection:
        second = people.several(connection, "a2")
        assert second is not None
        assert second.other_lead_here is not None
        assert people.with_other_campaign(connection, "a", START, 10) == []


def test_whoever_was_moved_to_another_campaign_is_in_no_count_of_the_one_they_left(journal: Journal) -> None:
    for stream in ("a", "b"):
        record(journal, stream, lead(f"{stream}1", url=ANNA), lead(f"{stream}2", "Tom Vik", url=OTHER))
    record(journal, "b", lead("b3", "Eva Vik", url=f"{ANNA}-3"), Event("LeadAdvanced", "b1", {"claimed_at": START}))
    record(journal, "a", lead("a3", "Tom Vik", url=f"{ANNA}-3"))

    def counts(stream: str) -> tuple[list[str], int]:
        with journal.database.read() as connection:
            elsewhere = people.with_other_campaign(connection, stream, START, 10)
            in_doubt = people.count_in_doubt(connection, stream)
            assert people.leads_in_doubt(connection, stream, "i1") == in_doubt
            assert bool(people.open_doubts(connection, stream, 10)) == (in_doubt > 0)
            return elsewhere, in_doubt

    assert counts("a") == (["a1"], 1)
    record(journal, "a", *(Event("LeadBlocked", gone, {"blocked": "moved"}) for gone in ("a1", "a3")))
    assert counts("a") == ([], 0)
    assert counts("b") == ([], 1)


def test_an_answer_given_before_the_second_lead_came_counts(journal: Journal) -> None:
    record(journal, WORKSPACE, answered("x1", True, ANNA, OTHER))
    record(journal, "a", lead("a1", url=ANNA))
    record(journal, "b", lead("b1", url=OTHER))
    assert persons(journal, "a1") == [{"a1", "b1"}]
    assert_sound(journal)


def test_a_million_namesakes_cost_no_question(journal: Journal) -> None:
    record(journal, "a", *(lead(f"a{n}", "Jan Jansen", url=f"{ANNA}{n}", company="Acme") for n in range(150)))
    assert journal.database.query(people.count_in_doubt, "a") == 0


def test_a_namesake_who_comes_to_the_same_company_is_asked_about(journal: Journal) -> None:
    record(journal, "a", lead("a1", "Jan Jansen", url=ANNA, company="Acme GmbH"))
    record(journal, "b", lead("b1", "Jan Jansen", url=OTHER, company="Elsewhere"))
    assert journal.database.query(people.doubt_about, "a1") is None
    record(journal, "b", Event("LeadMerged", "b1", {"company": "ACME", "profile_updated_at": START}))
    assert journal.database.query(people.doubt_about, "a1") is DoubtKind.SAME_NAME
    assert_sound(journal)


def test_a_name_that_becomes_too_common_is_asked_about_no_more_and_again_when_it_is_rarer(journal: Journal) -> None:
    record(
        journal, "a", *(lead(f"a{n}", "Jan Jansen", url=f"{ANNA}{n}", company="Acme") for n in range(MOST_NAMESAKES))
    )

    def in_doubt() -> int:
        assert_sound(journal)
        return journal.database.query(people.count_in_doubt, "a")

    assert in_doubt() == MOST_NAMESAKES
    record(journal, "b", lead("b1", "Jan Jansen", url=OTHER, company="Elsewhere"))
    assert in_doubt() == 0
    changed = [Event("LeadMerged", f"a{n}", {"company": "ACME", "profile_updated_at": START}) for n in range(2)]
    record(journal, "a", *changed)  # told apart together, but two of many
    assert in_doubt() == 0
    record(journal, "b", Event("LeadBlocked", "b1", {"blocked": "import_undone"}))
    assert in_doubt() == MOST_NAMESAKES


EVENTS = (
    ("a", lead("a1", url=ANNA)),
    ("a", lead("a2", "Jon Vik", email=MAIL)),
    ("b", lead("b1", email=MAIL)),
    ("b", lead("b2", "A. Berg", url=OTHER, company="Acme")),
    (WORKSPACE, answered("x1", True, ANNA, OTHER)),
    (WORKSPACE, answered("x2", False, MAIL, f"{MAIL}#")),
)


def rows(journal: Journal) -> list[list[tuple[object, ...]]]:
    with journal.database.read() as connection:
        return [
            sorted(connection.execute(f"SELECT * FROM {table}"))
            for table in ("people", "identity_doubts", "person_keys")
        ]


def test_the_order_between_streams_changes_nothing(tmp_path: Path) -> None:
    expected = None
    orders = [
        order
        for order in itertools.permutations(range(len(EVENTS)))
        if order.index(0) < order.index(1) and order.index(2) < order.index(3) and order.index(4) < order.index(5)
    ]
    for number, order in enumerate(Random(1).sample(orders, 20)):
        journal = open_journal(tmp_path / f"{number}.db")
        campaign(journal, "a")
        campaign(journal, "b")
        for at in order:
            stream, event = EVENTS[at]
            record(journal, stream, event)
        expected = expected or rows(journal)
        assert rows(journal) == expected
        journal.database.close()


NAMES = ("Anna Berg", "Berg, Anna", "A. Berg", "Jon Vik", "Zoë Müller", "Zoe Mueller", "李雷")
URLS = ("", ANNA, OTHER, "https://www.linkedin.com/sales/lead/ACwAAAbcdefghijklmnop")
MAILS = ("", MAIL, "Anna@Acme.example", "jon@acme.example", "info@acme.example", "zoë@acme.example")
ELSEWHERE = ("https://www.linkedin.com/in/nobody", "no@body.example", "nobody-2", "company:acme")
COMPANIES = ("", "Acme", "Acme GmbH", "Other Inc.")
EXTRAS = ("{}", '{"Private e-mail":"jon@acme.example"}', '{"Id":"ACwAAAbcdefghijklmnop"}', "no JSON @ AA")


class RandomChanges:
    """Imports, merges, renames, undone imports, answers and the do-not-contact list that meet each other, drawn by chance."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.leads: list[tuple[str, str]] = []
        self.answers: list[str] = []
        self.entries: list[str] = []

    def draw(self) -> tuple[str, Event]:
        """A stream, and what happens in it."""
        draws = (self.new, self.new, self.merged, self.taken_back, self.there_again, self.answered, self.unanswered,
            self.listed, self.unlisted)  # fmt: skip
        return self.random.choice(draws if self.leads and self.answers else (self.new, self.answered))()

    def new(self) -> tuple[str, Event]:
        stream, number = self.random.choice("aabp"), f"{len(self.leads):03}"
        self.leads.append((stream, f"lead-{number}"))
        values = {"member_key": f"member-{number}", "position": 1, "import_id": "i1"}
        return stream, Event("LeadImported", f"lead-{number}", values | self.details())

    def merged(self) -> tuple[str, Event]:
        details = self.details()
        some = self.random.sample(sorted(details), 2)
        return self.change("LeadMerged", {name: details[name] for name in some} | {"profile_updated_at": START})

    def taken_back(self) -> tuple[str, Event]:
        return self.change("LeadBlocked", {"blocked": "import_undone"})

    def there_again(self) -> tuple[str, Event]:
        return self.change("LeadUnblocked", {"blocked": ""})

    def change(self, kind: str, values: dict[str, object]) -> tuple[str, Event]:
        stream, lead_id = self.random.choice(self.leads)
        return stream, Event(kind, lead_id, values)

    def answered(self) -> tuple[str, Event]:
        self.answers.append(f"answer-{self.random.getrandbits(64):020}")
        numbers = self.random.sample(range(len(self.leads) + 3), 3)  # the last are yet to come
        return WORKSPACE, answered(self.answers[-1], self.random.random() < 0.7, *[f"member-{at:03}" for at in numbers])

    def unanswered(self) -> tuple[str, Event]:
        answer = self.answers.pop(self.random.randrange(len(self.answers)))
        return WORKSPACE, Event("IdentityAnswerTakenBack", answer, {"status": "taken_back"})

    def listed(self) -> tuple[str, Event]:
        self.entries.append(f"entry-{self.random.getrandbits(64):020}")
        entry = {
            "member_key": self.random.choice((*URLS[1:3], MAIL, *ELSEWHERE)),
            "name": self.random.choice((*NAMES, "")),
            "status": "active",
            "created_at": START,
        }
        return WORKSPACE, Event("DoNotContactAdded", self.entries[-1], entry)

    def unlisted(self) -> tuple[str, Event]:
        if not self.entries:
            return self.listed()
        entry = self.entries.pop(self.random.randrange(len(self.entries)))
        return WORKSPACE, Event("DoNotContactRemoved", entry, {"status": "removed"})

    def details(self) -> dict[str, str]:
        """Of so few values that many leads share some."""
        choose = self.random.choice
        return {
            "full_name": choose(NAMES),
            "profile_url": choose(URLS),
            "email": choose(MAILS),
            "company": choose(COMPANIES),
            "extra": choose(EXTRAS),
        }


@pytest.mark.parametrize("seed", range(12))
def test_whatever_happens_to_leads_the_tables_are_as_if_made_from_nothing(journal: Journal, seed: int) -> None:
    chance = RandomChanges(seed)
    several = on_list = 0
    for number in range(40):
        with journal.transaction() as transaction:
            for _ in range(chance.random.randrange(1, 6)):
                stream, event = chance.draw()
                transaction.record(stream, [event], actor="test", cause="test", at=START)
                if chance.random.random() < 0.1:  # as where the user answers
                    person_index.index_people(transaction.connection)
        if number % 4 == 3:
            assert_sound(journal)
        several += sum(map(len, rows(journal)[:2]))
        on_list += sum("on_list" in row for row in rows(journal)[1])
    assert several > on_list > 0


def test_leads_of_an_earlier_schema_are_told_apart_when_it_is_opened(journal: Journal) -> None:
    for stream in ("a", "b"):
        record(journal, stream, lead(f"{stream}1", url=ANNA))
    with journal.database.write() as connection:  # as the step to the new schema leaves it
        for table in ("people", "identity_doubts", "person_keys"):
            connection.execute(f"DELETE FROM {table}")
        connection.execute("INSERT INTO leads_reidentified(lead_id) SELECT id FROM leads")
    assert person_index.is_behind(journal.database)
    assert persons(Journal(journal.database, journal.ids), "a1") == [{"a1", "b1"}]
    assert not person_index.is_behind(journal.database)
