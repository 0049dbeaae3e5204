"""Whom an entry of the do-not-contact list means."""

import pytest

from backend.domain.people.contact_keys import (
    ContactDetails,
    company_key,
    contact_keys,
    domain_key,
    entry_key,
    forgotten_key,
    kind_of,
    mailbox_key,
    person_keys,
)
from backend.domain.values.errors import OutriderError

ADA = ContactDetails(
    "https://www.linkedin.com/in/ada",
    "https://www.linkedin.com/in/ada",
    "Ada@Mail.Acme.example",
    "ACME Engines, Inc.",
    {"Company Website": "https://www.engines.example/about", "Note": "other.example"},
)


@pytest.mark.parametrize("name", ["Acme Engines", "acme engines GmbH", "ACME  ENGINES, Inc.", "Acme-Engines Co. Ltd"])
def test_a_company_is_one_in_every_spelling_of_its_name(name: str) -> None:
    assert company_key(name) in contact_keys(ADA)


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("Acme Inc.", "ACME, Inc"),
        ("Novo A/S", "Novo"),
        ("Orzeł Sp. z o.o.", "Orzeł"),
        ("Škola s.r.o.", "Skola"),
        ("Société Générale S.A.", "SOCIETE GENERALE"),
        ("Johnson & Johnson", "Johnson and Johnson"),
        ("Ac\u200bme", "Acme"),
        ("\u200fAcme\u200e GmbH & Co. KG", "Acme"),
        ("株式会社アクメ", "アクメ"),
        ("アクメ㈱", "アクメ"),
        ("ООО «Акме»", "Акме"),  # noqa: RUF001 - Cyrillic
        ("\uff21\uff23\uff2d\uff25", "acme"),
    ],
)
def test_two_spellings_of_one_company_are_one_entry(first: str, other: str) -> None:
    assert company_key(first) == company_key(other)


@pytest.mark.parametrize(
    ("first", "other"), [("カク", "ガク"), ("Мир", "Мйр"), ("And", "Und"), ("Sa", "Ag"), ("A S", "B S")]
)
def test_what_only_resembles_it_is_another_company(first: str, other: str) -> None:
    assert company_key(first) != company_key(other)


@pytest.mark.parametrize("name", ["Acme", "Engines", "Acme Engines Bern"])
def test_another_company_with_part_of_the_name_is_another(name: str) -> None:
    assert company_key(name) not in contact_keys(ADA)


@pytest.mark.parametrize("name", ["", "…", " - "])
def test_what_has_no_letter_is_no_company(name: str) -> None:
    assert company_key(name) is None


def test_a_company_named_like_a_legal_form_keeps_its_name() -> None:
    assert company_key("AG") == "company:ag"


@pytest.mark.parametrize("name", ["株式会社アクメ", "شركة أكمي", "Ünïcode"])
def test_names_in_any_script_are_kept(name: str) -> None:
    key = company_key(name)
    assert key is not None
    assert key in contact_keys(ContactDetails("x", company=name))


@pytest.mark.parametrize(
    "text",
    [
        "acme.example", "@acme.example", "ACME.example", "https://www.acme.example/team", "acme.example.", "*.acme.example",
        "//acme.example", "ac\u200bme.example\u200e", "\uff41cme\uff0eexample", "acme。example",
    ],
)  # fmt: skip
def test_a_domain_means_every_address_below_it(text: str) -> None:
    assert domain_key(text) == "domain:acme.example"
    assert domain_key(text) in contact_keys(ADA)


@pytest.mark.parametrize("text", ["bücher.example", "BÜCHER.example", "xn--bcher-kva.example", "XN--BCHER-KVA.EXAMPLE"])
def test_a_domain_of_letters_beyond_english_is_one_in_both_spellings(text: str) -> None:
    person = ContactDetails("x", email="ada@mail.xn--bcher-kva.example")
    assert domain_key(text) in contact_keys(person)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("Email", "Ada <Ada@Acme.example>"), ("Personal E-Mail", "ada@home.example; ada@acme.example"),
        ("Website URL", "acme.example"), ("Company Homepage", "www.acme.example"),
    ],
)  # fmt: skip
def test_every_address_and_website_of_their_row_counts(column: str, text: str) -> None:
    assert "domain:acme.example" in contact_keys(ContactDetails("x", extra={column: text}))


def test_a_further_address_means_the_person_too() -> None:
    assert "ada@home.example" in person_keys(ContactDetails("x", extra={"Personal e-mail": "Ada@Home.example"}))
    assert "ada@home.example" in person_keys(ContactDetails("x", email="Ada@Home.example.")), "as it ends a sentence"


WIDE = "\uff41\uff44\uff41@\uff41\uff43\uff4d\uff45\uff0eexample"


@pytest.mark.parametrize(
    "written",
    [WIDE, "\U0001d400da@acme.example", "a\u200bda@acme.example", "ada+cv@acme\u3002example", "\u202aada@acme.example"],
)
@pytest.mark.parametrize("in_column", [False, True])
def test_an_address_means_the_person_in_whatever_letters_their_row_has_it(written: str, in_column: bool) -> None:
    extra = {"E-mail": f"{written} (work)"} if in_column else {}
    assert mailbox_key("Ada@Acme.example") in person_keys(
        ContactDetails("x", email="" if in_column else written, extra=extra)
    )


def test_an_address_in_quotes_reaches_the_same_person() -> None:
    assert "ada@acme.example" in person_keys(ContactDetails("x", email='"ada"@acme.example'))


@pytest.mark.parametrize("text", ["other.example", "cme.example", "x.mail.acme.example"])
def test_other_domains_do_not_mean_them(text: str) -> None:
    assert domain_key(text) not in contact_keys(ADA)


def test_the_website_of_their_file_counts_as_their_domain() -> None:
    assert "domain:engines.example" in contact_keys(ADA)


@pytest.mark.parametrize("text", ["", "acme", "a b.example", "javascript:alert(1)", "ada@acme.example"])
def test_what_is_no_domain_is_refused(text: str) -> None:
    assert domain_key(text) is None


def test_entries_about_a_person_alone_are_told_from_those_about_many() -> None:
    assert person_keys(ADA) == ("https://www.linkedin.com/in/ada", "ada@mail.acme.example")
    assert [kind_of(key) for key in ("company:x", "domain:x.example", "https://x", "ada@x")] == [
        "company", "domain", "person", "person",
    ]  # fmt: skip


def test_an_erased_person_is_put_back_on_the_list_by_the_key_that_stands_there() -> None:
    key = forgotten_key(b"secret", "https://www.linkedin.com/in/ada")
    assert entry_key("person", f" {key} ", lambda _: None) == key
    with pytest.raises(OutriderError, match="does not identify a person"):
        entry_key("person", "forgotten:ada", lambda _: None)
