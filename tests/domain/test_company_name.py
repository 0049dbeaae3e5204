"""What companies are called in running text: a list to which everybody may add a line."""

import pytest

from backend.domain.model.variables import Recipient, fill
from backend.domain.people.company_name import company_in_text
from backend.domain.people.contact_keys import company_key

SHORTENED = {
    # legal forms
    "Data, Inc.": "Data",
    "Data Inc": "Data",
    "ACME Ltd.": "ACME",
    "acme ltd": "acme",
    "Fern LLC": "Fern",
    "Smith, Jones & Partners LLP": "Smith, Jones & Partners",
    "Bolt Co., Ltd.": "Bolt",
    "Acme Trading Co.": "Acme Trading",
    "Engines Corporation": "Engines",
    "Harbour Pty Ltd": "Harbour",
    "Lotus Pvt. Ltd.": "Lotus",
    "Lotus Private Limited": "Lotus",
    "Sinar Sdn. Bhd.": "Sinar",
    "Müller GmbH & Co. KG": "Müller",
    "Müller GmbH + Co KG": "Müller",
    "Müller GmbH und Co. KG": "Müller",
    "Müller & Co. KG": "Müller & Co",
    "Fern SE & Co. KGaA": "Fern",
    "Start UG (haftungsbeschränkt)": "Start",
    "Nord AG": "Nord",
    "Bau Gesellschaft mbH": "Bau",
    "Sportfreunde e.V.": "Sportfreunde",
    "Sportfreunde e. V.": "Sportfreunde",
    "Nordlys AS": "Nordlys",
    "Vestas A/S": "Vestas",
    "Hav ApS": "Hav",
    "Björk AB": "Björk",
    "Kivi Oy": "Kivi",
    "Molen B.V.": "Molen",
    "Lumière S.A.S.": "Lumière",
    "Lumière SAS": "Lumière",
    "Lac Sàrl": "Lac",
    "Sole S.p.A.": "Sole",
    "Sole SpA": "Sole",
    "Luna S.r.l.": "Luna",
    "Mar, S.L.": "Mar",
    "Agave S.A. de C.V.": "Agave",
    "Agave S. de R.L. de C.V.": "Agave",
    "Rio Ltda.": "Rio",
    "Wisła Sp. z o.o.": "Wisła",
    "Vltava s.r.o.": "Vltava",
    "Sava d. o. o.": "Sava",
    "Duna Kft.": "Duna",
    "Boğaz A.Ş.": "Boğaz",
    "Meri OÜ": "Meri",
    "ООО «Ромашка»": "Ромашка",  # noqa: RUF001 - Cyrillic
    "株式会社サクラ": "サクラ",
    "サクラ株式会社": "サクラ",
    "(株)サクラ": "サクラ",
    "春天股份有限公司": "春天",
    "주식회사 하늘": "하늘",
    # what stands behind
    "Acme (Berlin)": "Acme",
    "Acme [formerly Bolt]": "Acme",
    "Acme (a part (since 2020) of Bolt)": "Acme",
    "Acme (Ber": "Acme",
    "Acme GmbH, Berlin": "Acme",
    "Acme Ltd - London": "Acme",
    "Acme | We build engines": "Acme",
    # stray marks
    "Acme,": "Acme",
    "Acme.": "Acme",
    " Acme   Engines ": "Acme Engines",
    '"Acme"': "Acme",
    "Acme®": "Acme",
    "Acme™ Engines": "Acme Engines",
    "🚀 Acme": "Acme",
    "- Acme -": "Acme",
    "Tiffany & Co.": "Tiffany & Co",
    "Inc.": "Inc",
}  # fmt: skip

AS_WRITTEN = (
    "", "Acme", "SAS", "Inc", "Limited", "The Limited", "The Co", "AG", "Yahoo!", "Guess?", "E*TRADE", "f(x) Labs", "3M", "(RED)",
    "Ford Motor Company", "Day Spa", "DAY SPA", "Such as", "Save As", "Rolls-Royce", "Bang & Olufsen", "Johnson & Johnson",
    "Booking.com", "S.H.I.E.L.D.", "Inc Magazine", "Co-op", "Macy's", "Vitamin Sea", 'The "Blue" Door', "Data - Driven", "C++",
    "Acme, Bolt and Fern", "Casa Sa", "amazon.com", "L'Oréal", "AT&T", "Kabushiki", "公司", "Hello Kitty & Friends",
)  # fmt: skip


@pytest.mark.parametrize("name", SHORTENED)
def test_a_company_is_called_as_one_says_it(name: str) -> None:
    assert company_in_text(name) == SHORTENED[name]


@pytest.mark.parametrize("name", AS_WRITTEN)
def test_what_may_be_a_part_of_the_name_stays(name: str) -> None:
    assert company_in_text(name) == name


@pytest.mark.parametrize("name", [*SHORTENED, *AS_WRITTEN])
def test_what_is_said_cannot_be_said_shorter_and_is_never_nothing(name: str) -> None:
    short_name = company_in_text(name)
    assert company_in_text(short_name) == short_name
    assert bool(short_name) == bool(name)


def test_a_template_says_the_name_and_has_the_original_too() -> None:
    to = Recipient("Ada Lane", "Müller GmbH & Co. KG")
    assert fill("{company}{at_company}, {company_in_full}", to, "").text == "Müller at Müller, Müller GmbH & Co. KG"


def test_whom_an_entry_of_the_do_not_contact_list_means_is_no_matter_of_words_in_a_text() -> None:
    assert company_key("Fern EOOD") == "company:fern eood"
