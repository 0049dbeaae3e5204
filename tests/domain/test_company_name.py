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
    "Weber KG aA": "Weber",
    "Robert Weber GmbH & Co.KG": "Robert Weber",
    "Weber GmbH&Co.KG": "Weber",
    "Weber Ges. m. b. H.": "Weber",
    "Weber GmbH i.L.": "Weber",
    "Stadtwerke gGmbH": "Stadtwerke",
    "Weber & Partner PartG mbB": "Weber & Partner",
    "Rossi S.r.l. Unipersonale": "Rossi",
    "Rossi Soc. Coop. a r.l.": "Rossi",
    "Kruger Proprietary Limited": "Kruger",
    "Hav I/S": "Hav",
    "Casa Unipessoal, Lda.": "Casa",
    "Rio LTDA - ME": "Rio",
    "Rio Ltda EPP": "Rio",
    "Wisła sp. z o. o. sp. k.": "Wisła",
    "Wisła Spółka z o.o.": "Wisła",
    "Vltava, spol. s r.o.": "Vltava",
    "Vltava v.o.s.": "Vltava",
    "Duna Bt.": "Duna",
    "Boğaz San. ve Tic. Ltd. Şti.": "Boğaz",
    "Boğaz Sanayi ve Ticaret Limited Şirketi": "Boğaz",
    "UAB Neris": "Neris",
    'SIA "Daugava"': "Daugava",
    "Kivi Oy Ab": "Kivi",
    "Hver hf.": "Hver",
    "Molen BV i.o.": "Molen",
    "Lac S.à r.l.": "Lac",
    "Érable Ltée": "Érable",
    "Sakura Kabushiki Kaisha": "Sakura",
    "Sakura Co.,Ltd": "Sakura",
    "Lotus Company Limited": "Lotus",
    "PT. Sinar (Persero) Tbk": "Sinar",
    "Công ty TNHH Hoa Sen": "Hoa Sen",
    "บริษัท ไทย จำกัด (มหาชน)": "ไทย",
    "유한회사 하늘": "하늘",
    "ТОВ «Ромашка»": "Ромашка",  # noqa: RUF001 - Cyrillic
    'השמש בע"מ': "השמש",
    "النور ذ.م.م": "النور",
    "Harbour, N.A.": "Harbour",
    "Agave S.C.": "Agave",
    "Dune FZ-LLC": "Dune",
    "Dunav j.d.o.o.": "Dunav",
    "SC Dunav SRL": "Dunav",
    "S.C. Dunav S.R.L.": "Dunav",
    "Duna Kkt.": "Duna",
    "Vltava o.p.s.": "Vltava",
    "Vltava, příspěvková organizace": "Vltava",
    "Wisła Sp. j.": "Wisła",
    "Wisła S.K.A.": "Wisła",
    "Weber e.U.": "Weber",
    "Weber FlexCo": "Weber",
    "Weber GmbH i. G.": "Weber",
    "Weber e.Kfm.": "Weber",
    "Lago Sagl": "Lago",
    "Leie NV/SA": "Leie",
    "Leie CommV": "Leie",
    "Lac SCSp": "Lac",
    "Hilfsverein gem. GmbH": "Hilfsverein",
    "Tmi Kivi": "Kivi",
    "Hver slf.": "Hver",
    "Björk Ek. för.": "Björk",
    "Hav IVS": "Hav",
    "Afon Cyf": "Afon",
    "Lough Teoranta": "Lough",
    "Érable S.E.N.C.": "Érable",
    "Harbour P/L": "Harbour",
    "Kruger SOC Ltd": "Kruger",
    "Niger Nig. Ltd": "Niger",
    "Volta Company Ltd": "Volta",
    "Lotus Private Ltd.": "Lotus",
    "Luzon OPC": "Luzon",
    "Công Ty TNHH MTV Hoa Sen": "Hoa Sen",
    "Hoa Sen Joint Stock Company": "Hoa Sen",
    "CV. Sinar": "Sinar",
    "Sakura G.K.": "Sakura",
    "Andes Cía. Ltda.": "Andes",
    "Orinoco, C.A.": "Orinoco",
    "Volga OJSC": "Volga",
    "Xəzər MMC": "Xəzər",
    "Steppe MChJ": "Steppe",
    "Алтай ТОО": "Алтай",  # noqa: RUF001 - Cyrillic
    "ПрАТ «Ромашка»": "Ромашка",
    "შპს მტკვარი": "მტკვარი",
    "Ήλιος Μ.Ι.Κ.Ε.": "Ήλιος",  # noqa: RUF001 - Greek
    # mark-up and addresses
    "AT&amp;T": "AT&T",
    "L&#39;Or\u00e9al S.A.": "L'Or\u00e9al",
    "Acme&nbsp;GmbH": "Acme",
    "https://www.acme.com/": "acme.com",
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
    "Day Spa", "DAY SPA", "Such as", "Save As", "Rolls-Royce", "Bang & Olufsen", "Johnson & Johnson",
    "Booking.com", "S.H.I.E.L.D.", "Inc Magazine", "Co-op", "Macy's", "Vitamin Sea", 'The "Blue" Door', "Data - Driven", "C++",
    "Acme, Bolt and Fern", "Casa Sa", "amazon.com", "L'Oréal", "AT&T", "Kabushiki", "公司", "AS Roma", "AB InBev", "SE Labs",
    "SIA Partners", "PT Works", "Team IS", "Vale ME", "Agave SC", "Sauco", "Ford Motor Company", "acme.com",
    "Hello Kitty & Friends", "SC Freiburg", "Team Ops", "Novi AD", "CV Works", "Various Artists",
    "Louisville, Ky", "TMI Group", "COOP", "S.C.S & COMPANY",
    "Stealth Monitoring", "The Independent", "Freelance Labs", "Student Beans",
    "Private Practice", "Seeking Arrangement", "Independent Bank", "Freelance / Nordlys", "Nordlys & Freelance",
)  # fmt: skip


@pytest.mark.parametrize("name", SHORTENED)
def test_a_company_is_called_as_one_says_it(name: str) -> None:
    assert company_in_text(name) == SHORTENED[name]


@pytest.mark.parametrize("name", AS_WRITTEN)
def test_what_may_be_a_part_of_the_name_stays(name: str) -> None:
    assert company_in_text(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "Self-employed",
        "self employed",
        "Freelance",
        "Selbst\u00e4ndig",
        "Stealth  Startup",
        "Aut\u00f4nomo",
        "Between jobs",
        "Privat",
        "Self-employed.",
        "Self - Employed",
        "(Self-employed)",
        "Self-Employed \U0001f4bb",
        "Freelance / Self-employed",
        "Freelance (self-employed)",
        "Retired (Nordlys)",
        "Freelance (part-time)",
        "Self-Employed Consultant",
        "Freelance UX Designer",
        "Independent Contractor",
        "Stealth AI Startup",
        "Stealth-Mode Start-up \U0001f680",
        "Confidential Company",
        "Private & Confidential",
        "Actively seeking new opportunities",
        "Career Break",
        "Freiberuflich t\u00e4tig",
        "Travailleur ind\u00e9pendant",
        "Por cuenta propia",
        "Libera professionista",
        "\u81ea\u55b6\u696d",
    ],
)
def test_nobody_is_at_no_employer(name: str) -> None:
    assert company_in_text(name) == ""
    assert fill("{company|your company}{at_company}", Recipient("Ada Lane", name), "").text == "your company"


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
