"""Whom an entry of the do-not-contact list means."""

import pytest

from backend.domain.contact_keys import ContactDetails, company_key, contact_keys, domain_key, kind_of, person_keys

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
    "text", ["acme.example", "@acme.example", "ACME.example", "https://www.acme.example/team", "acme.example."]
)
def test_a_domain_means_every_address_below_it(text: str) -> None:
    assert domain_key(text) == "domain:acme.example"
    assert domain_key(text) in contact_keys(ADA)


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
