"""Who is who: what joins by itself, what is asked, and that the order of leads never matters."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.people.contact_keys import FORGOTTEN_KEY, company_key, domain_key
from backend.domain.people.identity import (
    DoubtKind,
    Identity,
    IdentityAnswer,
    ListedName,
    People,
    is_same_name,
    listed_name_key,
    may_be_one_name,
    named_key,
    namesakes_on_list,
    who_is_who,
)

ANNA = "https://www.linkedin.com/in/anna-berg"
OTHER = "https://www.linkedin.com/in/anna-berg-2"
MAIL = "anna@acme.example"


def lead(
    number: int, name: str = "Anna Berg", url: str = "", email: str = "", company: str = "", extra: str = "{}"
) -> Identity:
    return Identity(f"L{number}", url or email or f"name:{name}|{number}", name, url, email, company, extra)


def joined(*leads: Identity, answers: tuple[IdentityAnswer, ...] = ()) -> bool:
    return len(who_is_who(leads, answers).persons) == 1


def doubt_kinds(*leads: Identity, answers: tuple[IdentityAnswer, ...] = ()) -> list[DoubtKind]:
    return [doubt.kind for doubt in who_is_who(leads, answers).doubts]


def test_two_doubts_about_one_lead_are_both_asked() -> None:
    between = lead(2, url=OTHER, email=MAIL, company="Acme")
    doubts = who_is_who(
        [lead(1, url=ANNA, email=MAIL, company="Other"), between, lead(3, url=f"{OTHER}-3", company="Acme")]
    )
    assert [(doubt.kind, doubt.lead_ids) for doubt in doubts.doubts] == [
        (DoubtKind.TWO_ADDRESSES, ("L1", "L2")),
        (DoubtKind.SAME_NAME, ("L2", "L3")),
    ]


@pytest.mark.parametrize(
    "other",
    [
        lead(2, url=ANNA),
        lead(2, "ANNA BERG", url=ANNA),
        lead(2, "Berg Anna", url=ANNA),
        lead(2, "Dr. Anna Berg", url=ANNA),
        lead(2, "A. Berg", url=ANNA),
        lead(2, "Anna Maria Berg", url=ANNA),
        lead(2, "Anna Lindqvist", url=ANNA),  # people marry
        lead(2, "安娜", url=ANNA),
        lead(2, email=MAIL),
        lead(2, "anna  berg", email=MAIL.upper()),
        lead(2, email="other@acme.example", extra='{"Work e-mail": "anna@acme.example"}'),
    ],
)
def test_these_are_one_person_without_a_question(other: Identity) -> None:
    first = lead(1, url=ANNA, email=MAIL)
    assert joined(first, other)
    assert doubt_kinds(first, other) == []


@pytest.mark.parametrize(
    ("first", "other", "kind"),
    [
        (lead(1, url=ANNA), lead(2, "Jon Vik", url=ANNA), DoubtKind.TWO_NAMES),
        (lead(1, url=ANNA, email=MAIL), lead(2, url=OTHER, email=MAIL), DoubtKind.TWO_ADDRESSES),
        (lead(1, url=ANNA, email=MAIL), lead(2, "Jon Vik", email=MAIL), DoubtKind.NAMES_OF_EMAIL),
        (lead(1, url=ANNA, email="info@acme.example"), lead(2, email="info@acme.example"), DoubtKind.SHARED_MAILBOX),
        (
            lead(1, url=ANNA, email="info@acme.example"),
            lead(2, "Jon Vik", email="info@acme.example"),
            DoubtKind.SHARED_MAILBOX,
        ),
        (lead(1, url=ANNA, company="Acme Ltd."), lead(2, url=OTHER, company="ACME"), DoubtKind.SAME_NAME),
        (
            lead(1, "Łukasz Müller", url=ANNA, company="Acme"),
            lead(2, "Lukasz Mueller", url=OTHER, company="Acme"),
            DoubtKind.SAME_NAME,
        ),
    ],
)
def test_these_are_asked_about_and_neither_merged_nor_strangers(
    first: Identity, other: Identity, kind: DoubtKind
) -> None:
    assert not joined(first, other)
    assert doubt_kinds(first, other) == [kind]


@pytest.mark.parametrize(
    "other",
    [
        lead(2, url=OTHER),  # the same name at no company that both have
        lead(2, url=OTHER, company="Globex"),
        lead(2, "Jon Vik", url=OTHER, company="Acme"),
        lead(2, company="Acme"),  # nobody can write to them, so nothing is asked
    ],
)
def test_these_are_two_people_without_a_question(other: Identity) -> None:
    first = lead(1, url=ANNA, company="Acme")
    assert not joined(first, other)
    assert doubt_kinds(first, other) == []


def test_a_members_number_in_any_column_tells_who_they_are() -> None:
    number = "ACwAAABcDeFgHiJkLmNoPqRs"
    first = lead(1, url=ANNA, extra=f'{{"vmid": "{number}"}}')
    other = lead(2, url=f"https://www.linkedin.com/in/{number}")
    assert joined(first, other)


def test_two_profiles_are_never_joined_through_a_third_lead_with_both_e_mail_addresses() -> None:
    both = lead(3, email=MAIL, extra='{"E-mail 2": "anna@home.example"}')
    leads = (lead(1, url=ANNA, email=MAIL), lead(2, url=OTHER, email="anna@home.example"), both)
    people = who_is_who(leads)
    assert not any({"L1", "L2"} <= set(person) for person in people.persons)
    assert people.doubts


def test_an_answer_joins_or_parts_them_and_ends_the_question() -> None:
    first, other = lead(1, url=ANNA, email=MAIL), lead(2, url=OTHER, email=MAIL)
    same = IdentityAnswer((ANNA, OTHER), same=True)
    different = IdentityAnswer((ANNA, OTHER), same=False)
    assert joined(first, other, answers=(same,))
    assert doubt_kinds(first, other, answers=(same,)) == []
    assert not joined(first, other, answers=(different,))
    assert doubt_kinds(first, other, answers=(different,)) == []


def test_people_who_were_told_apart_are_not_joined_by_an_address_book() -> None:
    first, other = lead(1, url=ANNA, email=MAIL), lead(2, email=MAIL)
    assert not joined(first, other, answers=(IdentityAnswer((ANNA, MAIL), same=False),))


def test_who_is_told_apart_from_another_stays_one_person_in_all_campaigns() -> None:
    mailbox = "info@acme.example"
    anna, again, jon = lead(1, url=ANNA, email=mailbox), lead(2, url=ANNA), lead(3, "Jon Vik", url=OTHER, email=mailbox)
    people = who_is_who([anna, again, jon], [IdentityAnswer((ANNA, OTHER), same=False)])
    assert people.persons == (("L1", "L2"), ("L3",))
    assert people.doubts == ()


def test_a_third_lead_is_asked_about_again_after_two_were_told_apart() -> None:
    mailbox = "info@acme.example"
    leads = [lead(n, f"Person Number{'abc'[n]}", url=f"{ANNA}-{n}", email=mailbox) for n in range(3)]
    answer = IdentityAnswer(tuple(lead.member_key for lead in leads[:2]), same=False)
    assert doubt_kinds(*leads[:2], answers=(answer,)) == []
    assert doubt_kinds(*leads, answers=(answer,)) == [DoubtKind.SHARED_MAILBOX]


def test_a_hundred_people_of_one_mailbox_are_one_question_and_one_answer() -> None:
    leads = [
        lead(n, f"Person {chr(97 + n % 26)}{chr(97 + n // 26)}x", url=f"{ANNA}-{n}", email="info@acme.example")
        for n in range(150)
    ]
    (doubt,) = who_is_who(leads).doubts
    assert len(doubt.lead_ids) == 150
    answer = IdentityAnswer(tuple(lead.member_key for lead in leads), same=False)
    assert who_is_who(leads, [answer]).doubts == ()


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("Anna Berg", "anna berg", True),
        ("Anna Berg", "Berg, Anna", True),
        ("Anna Berg", "Anna M. Berg", True),
        ("José Núñez", "Jose Nunez", True),
        ("Weiß", "Weiss", True),
        ("Søren Kjær", "Soren Kjar", True),
        ("Jürgen Groß", "Juergen Gross", True),
        ("Jean-Claude Van Damme", "Jean Claude Van Damme", True),
        ("Anna Berg", "Anna Lund", False),
        ("Anna Berg", "Jon Berg", False),
    ],
)
def test_names_are_compared_as_people_spell_them(first: str, second: str, same: bool) -> None:
    assert is_same_name(first, second) is same
    assert is_same_name(second, first) is same


def test_two_first_names_are_not_one_persons() -> None:
    assert not may_be_one_name("Oda Brandvik", "Jon Brandvik")


_LEADS = st.lists(
    st.tuples(
        st.sampled_from(["Anna Berg", "Berg Anna", "Jon Vik", "A. Berg", "Anna Lund", "安娜"]),
        st.sampled_from(["", ANNA, OTHER]),
        st.sampled_from(["", MAIL, "info@acme.example", "b@acme.example"]),
        st.sampled_from(["", "Acme", "Globex"]),
    ),
    max_size=6,
).map(lambda rows: [lead(n, *row) for n, row in enumerate(rows)])
_ANSWERS = st.lists(
    st.builds(
        IdentityAnswer,
        st.lists(st.sampled_from([ANNA, OTHER, MAIL, "b@acme.example"]), min_size=2, max_size=3, unique=True).map(
            tuple
        ),
        st.booleans(),
    ),
    max_size=2,
)


LISTED_ANNA = ListedName(OTHER, "Anna Berg", is_lead=False)


@pytest.mark.parametrize(
    ("their_leads", "listed", "answers", "asked"),
    [
        ([lead(1, url=ANNA)], [LISTED_ANNA], [], [OTHER]),
        ([lead(1, "BERG Anna", url=ANNA)], [LISTED_ANNA._replace(full_name="Dr. Anna Berg")], [], [OTHER]),
        ([lead(1, "Anna Lindqvist", url=ANNA)], [LISTED_ANNA], [], []),
        ([lead(1, "Anna", url=ANNA)], [LISTED_ANNA._replace(full_name="Anna")], [], []),  # one word says too little
        (
            [lead(1, url=ANNA)],
            [LISTED_ANNA, ListedName(ANNA, "Anna Berg", is_lead=True)],
            [],
            [],
        ),  # on the list herself
        ([lead(1, url=ANNA, email=MAIL)], [ListedName(MAIL, "Anna Berg", is_lead=True)], [], []),
        ([lead(1, url=ANNA)], [LISTED_ANNA._replace(is_lead=True)], [], []),  # compared with that lead instead
        ([lead(1, url=ANNA)], [LISTED_ANNA], [IdentityAnswer((ANNA, OTHER), same=False)], []),
        ([lead(1, url=ANNA)], [LISTED_ANNA], [IdentityAnswer((ANNA, MAIL), same=False)], [OTHER]),
        ([lead(1, url=ANNA)], [LISTED_ANNA], [IdentityAnswer((ANNA, named_key(OTHER, "Anna Berg")), same=False)], []),
        ([lead(1, url=ANNA, email=MAIL)], [LISTED_ANNA, ListedName(MAIL, "Anna Berg", is_lead=False)], [], []),
        ([lead(1, url=ANNA)], [LISTED_ANNA], [IdentityAnswer((ANNA, OTHER), same=True)], [OTHER]),
    ],
)
def test_whoever_has_the_name_of_somebody_not_to_be_contacted_is_asked_about(
    their_leads: list[Identity], listed: list[ListedName], answers: list[IdentityAnswer], asked: list[str]
) -> None:
    assert namesakes_on_list(their_leads, listed, answers) == asked
    doubts = who_is_who(their_leads, answers, listed=listed).doubts
    assert [doubt.kind for doubt in doubts] == [DoubtKind.ON_LIST] * bool(asked)
    assert all(doubt.lead_ids == ("L1",) for doubt in doubts)


@given(_LEADS, _ANSWERS)
def test_the_order_in_which_leads_came_changes_nothing(leads: list[Identity], answers: list[IdentityAnswer]) -> None:
    expected = who_is_who(leads, answers)
    for order in itertools.islice(itertools.permutations(leads), 24):
        assert who_is_who(order, answers) == expected


@given(_LEADS)
def test_two_who_share_an_address_or_e_mail_are_one_person_or_asked_about(leads: list[Identity]) -> None:
    people = who_is_who(leads)
    for first, other in itertools.combinations(leads, 2):
        if first.profiles & other.profiles or first.emails & other.emails:
            ids = {first.lead_id, other.lead_id}
            assert any(ids <= set(person) for person in people.persons) or any(
                ids & set(doubt.lead_ids) for doubt in people.doubts
            )


def test_whoever_is_in_doubt_is_so_with_all_their_leads() -> None:
    identities = who_is_who(
        [
            lead(0, "Anna Berg", ANNA, MAIL),
            lead(1, "Anna Berg", ANNA, "info@acme.example"),
            lead(2, "Anna Berg", OTHER, MAIL),
            lead(3, "Anna Berg", OTHER, "info@acme.example"),
        ]
    )
    assert {lead_id for doubt in identities.doubts for lead_id in doubt.lead_ids} == {"L0", "L1", "L2", "L3"}


def test_an_answer_tells_two_people_apart_who_came_with_one_address() -> None:
    anna, tom = lead(0, "Anna Berg", ANNA), lead(1, "Tom Vik", ANNA)
    assert anna.member_key == tom.member_key
    keys = (named_key(ANNA, "Anna Berg"), named_key(ANNA, "Tom Vik"))
    assert who_is_who([anna, tom]).doubts
    assert who_is_who([anna, tom], [IdentityAnswer(keys, same=False)]) == People((("L0",), ("L1",)), ())
    assert who_is_who([anna, tom], [IdentityAnswer(keys, same=True)]) == People((("L0", "L1"),), ())


@pytest.mark.parametrize("address", [company_key("Acme"), domain_key("acme.example"), f"{FORGOTTEN_KEY}0a"])
def test_what_is_listed_as_no_person_has_no_namesakes(address: str) -> None:
    assert listed_name_key(ANNA, "Anna Berg")
    assert listed_name_key(address, "Anna Berg") == ""
