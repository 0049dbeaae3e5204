"""What a model or a user left to be filled in is never sent by mistake, and ordinary words are never held up."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.values.errors import OutriderError
from backend.domain.values.placeholders import Placeholders, placeholders, refuse_unshown_placeholders

SURE = """
[Name] [name] [First Name] [FIRST_NAME] [first-name] [FirstName] [Last name] [Full Name] [Your Name] [your company] [My Name]
[Company] [Company Name] [Company's Name] [Job Title] [Title] [Position] [Industry] [Recipient's Name] [Recipient] [Sender Name]
[insert company] [Insert a recent project here] [Add one sentence about their work] [mention their latest post] [TODO] [XXX]
[[name]] [Date] [Link] [Calendly link — insert] [E-mail] [your website] [Contact Name] [Email Address: insert]
[Vorname] [Nachname] [Name des Ansprechpartners einfügen] [Ihr Name] [Dein Name] [Ihre Firma] [Firma] [Firmenname]
[Unternehmen] [Anrede] [Vor- und Nachname] [Position] [Branche] [Empfänger] [Name einfügen] [Platzhalter]
[Prénom] [Nom] [Votre nom] [Votre Nom] [Nom de l'entreprise] [Nom complet] [Entreprise] [Société] [Poste] [insérer le nom]
[Nombre] [Tu nombre] [Su nombre] [Nombre de la empresa] [Empresa] [Apellido] [Cargo] [Insertar nombre] [Compañía]
[Voornaam] [Achternaam] [Naam] [Uw naam] [Jouw naam] [Bedrijfsnaam] [Naam van het bedrijf] [Functie] [naam invoegen]
[Nome] [Seu nome] [Sobrenome] [Nome da empresa] [Função] [Primeiro nome] [Inserir nome]
<First Name> <name> <Name> <first_name> <Company> <Your Name> <<name>> <<First Name>> <Vorname> <Prénom> <insert name>
{name} {first_name} {Name} {First Name} {{first_name}} {{ first_name }} {{first_name|there}} {{1}} {{contact.firstname}} ${name}
${first_name} #{name} {{{name}}} {Vorname} {Prénom} {!Contact.Name} {{#if name}} {company|your company} {Hi|Hello} {{first-name}}
%FIRSTNAME% %first_name% %Name% %%name%% %Vorname% %First Name% *|FNAME|* $name $first_name $firstName $company $NAME $vorname
__NAME__ __FIRST_NAME__ __name__ ##NAME## ##first_name## @@name@@ TODO: FIXME: [U+200B] [U+00AD\u00a0x3]
"""
DOUBTFUL = """
[Team] [Project Alpha] [specific detail from their profile] [Produkt] [e.g. their recent talk] [WIP] [製品] [Équipe]
<Team> <Product Name X> {0} {} %PATH% %THING% $thing $product_name __THING__ ##THING## ___ ______ TODO XXX FIRSTNAME
FIRST_NAME first_name company_name (insert a joke here) «Prénom» «First Name»
"""
PLAIN = [
    "Hi Ada,\n\nnice talk at [1].\n\nBest\nBob",
    "[1] [12] [1, 2]",
    "I <3 this",
    "5 < 7 > 2",
    "a<b and c>d",
    "if x<y or y>x",
    "$20, $ 5, US$30, A$40 and $1.5k",
    "$AAPL is up, $TSLA is not",
    "C++ <vector>",
    "#include <iostream>",
    "100 % sure",
    "100% sure and 50% off",
    "between 5%and 10%",
    "5%to%6",
    "AT&T",
    "R&D",
    "as he said [sic]",
    "[...] and […]",
    "[x] done, [ ] open",
    "https://x.test/a_b_c/__init__/%C3%A9%20?q=%NAME%&x=$name",
    "See https://en.wikipedia.org/wiki/The___End_(TODO)",
    "mail me at first_name@x.test or www.x.test/__NAME__",
    "[our page](https://x.test/)",
    "snake_case and __init__",
    "she/her [she/her]",
    "<a@b.test>",
    "<https://x.test/a>",
    "<br> <b>bold</b> <title>",
    "List<String> and Map<Key>",
    "(your name)",
    "my to-do list",
    "love xxx",
    "a « grande » idée",
    "« Bonjour »",
    "{:-)",
    "{ }",
    '{"a": 1}',
    "Your Name is on the list of names.",
    "Ihr Name stand auf der Liste.",
    "x ** y ** z",
    "*important*",
    "#hashtag ##",
    "@someone",
    "__bold__",
    "1 <2 and 3> 2",
    "→ <- ->",
    "Company name: Acme",
    "What is your name?",
    "the first name of the two",
    "XXL, XX",
    "[A1]",
    "^_^ and -__-",
    "C:\\Users\\me",
    "■■■■■■■■■■",
    "3\u00d74 and 2 \u00d7 3",
    "● one\n● two",
    "XXL 2XX",
    "as 100 %special",
    "as he said [sic!]",
    'data["name"] and data["company"]["title"]',
    "It costs between $5,000 and $12k, or US$300 a seat.",
    "50% off, 5 %-10 % more, 20 % and 30 %.",
    "The matrix is 3 \u00d7 4, the screen 1920\u00d71080.",
    "If a < b and c > d, then f(x) = x^2 on [0, 1] and {1, 2}.",
    "See [our guide](https://x.test/name), ![name](https://x.test/a.png) and [1].",
    "○ First point\n○ Second point\n●●○ for the rest of it.",
    "Er sagte «Guten Tag», und «der Titel passt».",
    "Elle a dit : « Votre poste est mieux » [1], et 20 % de plus.",
    "El artículo «El nombre de la rosa» cuesta 20 $.",
    "Il libro «Il nome della rosa» [3] è bello.",
    "O livro «O nome da rosa» subiu 5%.",
    "Het boek „De naam van de roos” kost $ 12 [2].",
    "Роман «Имя розы» [4]: 30% и 3\u00d74.",
    "Powieść „Imię róży” ma 3 \u00d7 4 części [5].",
    "《三体》【公告】20%[6]",
    "『名前のない怪物』を3\u00d74冊読みました[7]",
]
MAYBE = [
    "You wrote “[your] team grows” [prices include VAT].",
    "Press <Enter> or [Insert].",
    "For code there is List<Name> and Map<String, Title>.",
    "[Date: 12.05.2027] [Phone: +39 055 1234]",
    "[E-mail: ann@x.test] [Website: https://x.test]",
    "{x | x > 0} and \\frac{a}{b}",
    "Escribió que “[su] equipo” [tu crees].",
    "Lo facciamo [su richiesta].",
    "Es schien so, dass [ihr] Team [ihr kennt es] wächst.",
    "Το διάβασα [το βιβλίο].",  # noqa: RUF001
    "Tu vois [tu le sais], [la ville] et [le poste].",
    "“[the company] grew”, „[die Firma] wuchs“, «[la empresa] creció», “[het bedrijf] groeide”",
    "《名字》 and «Имя»",
]
"""What no sender is kept from writing: whoever is shown it may send it."""


def listed(table: str) -> list[str]:
    """The placeholders of a table: parted by blanks outside of their signs."""
    entries, depth = [""], 0
    for character in " ".join(table.split(" ")).replace("\n", " "):
        depth += (character in "[<({«") - (character in "]>)}»")
        if character == " " and depth == 0 and entries[-1].count("%") % 2 == 0:
            entries.append("")
        else:
            entries[-1] += character
    return [entry.replace("\u00a0", " ") for entry in entries if entry]


AROUND = ("Hi {}, how are you?", "{}", "Hello,\n\nI saw {}.", "Hi {}!\nBye")


@pytest.mark.parametrize("left", listed(SURE))
def test_what_is_surely_a_placeholder_is_found_wherever_it_stands(left: str) -> None:
    for inputs in AROUND:
        assert placeholders(inputs.replace("{}", left)).sure, inputs
        assert not placeholders(inputs.replace("{}", left)).doubtful, inputs


@pytest.mark.parametrize("left", listed(DOUBTFUL))
def test_what_may_be_one_is_found_as_it_stands(left: str) -> None:
    for inputs in AROUND:
        assert placeholders(inputs.replace("{}", left)) == Placeholders((), (left,)), inputs


WIDE = str.maketrans({chr(sign): chr(sign + 0xFEE0) for sign in range(0x21, 0x7F)})
LIKE = (
    WIDE,
    str.maketrans("[]{}<>", "\u27e6\u27e7\u2774\u2775\u27e8\u27e9"),
    str.maketrans("[]{}<>", "\u2772\u2773\u2983\u2984\u276c\u276d"),
    str.maketrans("[]{}<>", "\u2045\u2046\ufe5b\ufe5c\ufe64\ufe65"),
)


@pytest.mark.parametrize("like", LIKE)
@pytest.mark.parametrize("left", ["[Name]", "{{first_name}}", "<First Name>", "[Your company]", "{name}", "<<name>>"])
def test_signs_that_look_like_ours_are_ours(left: str, like: dict[int, int]) -> None:
    written = left.translate(like)
    for inputs in AROUND:
        assert placeholders(inputs.replace("{}", written)) == Placeholders((written,), ()), inputs


@pytest.mark.parametrize("left", ["%FIRSTNAME%", "$first_name", "__NAME__", "##name##", "TODO:"])
def test_wide_letters_are_letters(left: str) -> None:
    assert placeholders(f"Hi {left.translate(WIDE)} there").sure == (left.translate(WIDE),)


@pytest.mark.parametrize("left", ["{% if company %}", "{%- endif -%}", "<%= name %>", "<% name %>"])
def test_what_a_template_language_would_fill_in_is_never_sent(left: str) -> None:
    assert placeholders(f"Hi {left} there").sure == (left,)


@pytest.mark.parametrize(
    "left", ["\u3010Name\u3011", "\u2039First Name\u203a", "\u300cCompany\u300d", "\u3014Your name\u3015"]
)
def test_what_quotes_may_be_one_only_around_the_name_of_a_field(left: str) -> None:
    assert placeholders(f"Hi {left}, how are you?") == Placeholders((), (left,))
    assert placeholders(f"{left[0]}\u304a\u77e5\u3089\u305b{left[-1]} Hi") == Placeholders((), ())


@pytest.mark.parametrize("left", ["[N\u0430me]", "<n\u0430me>", "$n\u0430m\u0435", "[First N\u0430m\u0435]"])
def test_letters_that_look_like_ours_spell_the_same_field(left: str) -> None:
    assert placeholders(f"Hi {left} there").sure == (left,)


LANGUAGES = """
imię:polish twoje\u00a0imię:polish jméno:czech název\u00a0firmy:czech förnamn:swedish ditt\u00a0namn:swedish
fornavn:danish etunimi:finnish cognome:italian nome\u00a0azienda:italian
prenume:romanian keresztnév:hungarian adınız:turkish şirket:turkish имя:russian
название\u00a0компании:russian ім'я:ukrainian όνομα:greek お名前:japanese 会社名:japanese 姓名:chinese 公司名称:chinese 이름:korean
الاسم:arabic שם:hebrew नाम:hindi ชื่อ:thai nama\u00a0perusahaan:indonesian
"""  # noqa: RUF001


@pytest.mark.parametrize("signs", ["[]", "<>", "{}", "\uff3b\uff3d", "<<>>", "[[]]"])
@pytest.mark.parametrize("entry", listed(LANGUAGES))
def test_a_field_is_one_in_a_score_of_languages(entry: str, signs: str) -> None:
    half, left = len(signs) // 2, entry.split(":", maxsplit=1)[0]
    for spelled in (left, left.capitalize(), unicodedata.normalize("NFD", left)):
        placeholder = signs[:half] + spelled + signs[half:]
        assert placeholders(f"Hi {placeholder}, how are you?").sure == (placeholder,)


WORDS = st.text(st.characters(categories=["Ll", "Lo", "Lm", "Mn", "Mc"], min_codepoint=0xC0), min_size=2, max_size=9)


@pytest.mark.parametrize("signs", ["[]", "<>", "{}", "%%", "$"])
@given(word=WORDS.filter(lambda word: sum(map(str.isalpha, word)) > 1 and word[0].isalpha()))
def test_no_word_of_any_alphabet_is_overlooked_in_signs(signs: str, word: str) -> None:
    """Whether or not anybody here knows it, and whatever stands beside it without a blank."""
    placeholder = signs[:1] + word + signs[1:]
    for before, after in (("", ""), (" ", ","), ("\u3053\u3093", "\u69d8")):
        behind = after if signs[1:] else f" {after}"
        assert placeholders(f"{before}{placeholder}{behind}") != Placeholders((), ()), before


@pytest.mark.parametrize("left", [*"\u25cb\u3007\u00d7\u25b3\u25a0\u25a1\u25ef", "_"])
@pytest.mark.parametrize("count", [2, 3, 5])
def test_signs_in_the_place_of_a_name_may_be_one(left: str, count: int) -> None:
    left = left * max(count, 3) if left == "_" else left * count
    for text in (f"{left}\u69d8", f"\u682a\u5f0f\u4f1a\u793e{left}", f"Hi {left},"):
        assert placeholders(text) == Placeholders((), (left,))


@pytest.mark.parametrize("left", ["XX", "XXX", "OO", "OOO"])
@pytest.mark.parametrize("title", ["\u69d8", "\u5148\u751f", "\ub2d8"])
def test_letters_in_the_place_of_a_name_may_be_one(left: str, title: str) -> None:
    assert placeholders(f"{left}{title}") == Placeholders((), (left,))


@pytest.mark.parametrize(
    ("left", "sure"),
    [("%(name)s", True), ("%1$s", True), ("%s", False), ("&lt;name&gt;", False), ("$$name", True), ("$(name)", True)],
)
def test_what_a_program_would_have_filled_in_is_noticed(left: str, sure: bool) -> None:
    assert placeholders(f"Hi {left}, how are you?") == Placeholders(*(((left,), ()) if sure else ((), (left,))))


GREETED = """
Hi undefined, | Hello null! | Hey None, | Dear NaN, | Hi N/A: | Hallo N.N., | Hi XX, | Dear XYZ, | Hi xxx, | Hi \u2026, | Hi ..., |
Hello , | Dear  , | Hi NAME, | Hi First Name, | Hello Company, | Dear Recipient, | Hi (name), | Hey 'First Name', | Hallo Vorname, |
Hallo „Name“, | Liebe (Vorname), | Sehr geehrte Frau Nachname, | Guten Tag Ansprechpartner, | Bonjour Prénom, | Chère (nom), |
Hola Nombre, | Estimado Apellido: | Ciao Nome, | Gentile Cognome, | Olá Sobrenome! | Beste voornaam, | Cześć imię, | Ahoj Jméno, |
Hej Förnamn, | Hei etunimi, | Szia Keresztnév, | Merhaba adınız, | Привет Имя, | Здравствуйте (имя), | Γεια σου όνομα,
"""  # noqa: RUF001


@pytest.mark.parametrize("greeting", [entry.strip() for entry in GREETED.replace("\n", "").split("|")])
def test_whoever_is_greeted_as_nobody_may_have_been_left_out(greeting: str) -> None:
    for text in (f"{greeting} how are you?", f"  {greeting}\n\nhow are you?", f"About pumps\n{greeting} how are you?"):
        assert placeholders(text) == Placeholders((), (greeting,))


HARDLY_MEANT = """
*NAME*|**First Name**|_NAME_|_first_name_|~~NAME~~|==NAME==|#FNAME#|@FirstName@|:first_name:|{name:there}|[Mr./Ms. Last Name]
[Day/Name]|[Herr/Frau Nachname]|[1st name]|[X]|[XX]|[#]|[?]|X%|XX %|$X|\u20acXX|\u00a3X|INSERT NAME HERE|insert your company here
PLACEHOLDER|Lorem ipsum|<!-- add a detail -->|{{
"""


@pytest.mark.parametrize("left", [*HARDLY_MEANT.strip().replace("\n", "|").split("|"), "|FNAME|"])
def test_what_is_hardly_ever_meant_otherwise_may_be_one(left: str) -> None:
    for inputs in ("I saw {} there", "{}", "Well, {}!"):
        assert placeholders(inputs.replace("{}", left)) == Placeholders((), (left,)), inputs


USUAL = """
Bonjour !~Salut : ça va ?~Hi all,~Hi there,~Hello Nicole,~Hi Nomi,~Hey,~Hi!~Hei,~Hi Ann Name,~Dear Hiring Manager,~Oi, tudo bem?
Hi Max, undefined behaviour~Hallo zusammen,~They said hi name by name,~*important* and _really_~a || b~x | y~**Note**: read
:smile:~5 = 5~==~Kolleg*innen~Model X and Series X~XXL%s~$XOM rose, €50~Xmas %~[x] done~[T]he end~insert coin~here we insert
she/her [she/her]~[and/or]~[m/w/d]~{a: 1}~{"name": 1}~x -> y~20 %.5~#sales #hiring~@ann @bo~snake_case_name~rock*n*roll
(*) see below~f(x)=$(x)~3*4*5~our *company*~{name: "x"}~see [our company: https://x.test/a]
[the company has grown from three to two hundred people in only five years]
"""


@pytest.mark.parametrize("text", USUAL.strip().replace("\n", "~").split("~"))
def test_ordinary_signs_and_greetings_are_none(text: str) -> None:
    assert placeholders(text) == Placeholders((), ())


@pytest.mark.parametrize("text", PLAIN)
def test_ordinary_words_are_none(text: str) -> None:
    assert placeholders(text) == Placeholders((), ())


@pytest.mark.parametrize("text", MAYBE)
def test_ordinary_words_in_signs_are_surely_none(text: str) -> None:
    assert placeholders(text).sure == ()


@pytest.mark.parametrize(
    "name", ["Your Name", "[Your Name]", "Ihr Name", "Dein Name", "Votre nom", "Tu nombre", "Uw naam", "Seu nome"]
)
def test_nobody_signs_as_your_name(name: str) -> None:
    assert placeholders(f"Hi Ada,\n\nshall we talk?\n\nBest regards\n{name}").sure == (name,)


def test_each_is_told_once_in_the_order_of_the_text() -> None:
    text = "[Team] {who} [Name] [Team] {who} <Team> https://x.test/[your-link]"
    assert placeholders(text) == Placeholders(("{who}", "[Name]", "[your-link]"), ("[Team]", "<Team>"))


def test_whoever_was_not_shown_what_may_be_one_does_not_approve_it() -> None:
    text = "For [Team] and [Team B]"
    for shown in ((), ("[Team]",)):
        with pytest.raises(OutriderError) as refused:
            refuse_unshown_placeholders(text, shown)
        assert refused.value.code == "text_doubtful"
        assert "[Team], [Team B]" in refused.value.sentence
    refuse_unshown_placeholders(text, ("[Team]", "[Team B]"))
    refuse_unshown_placeholders(text, None)
    refuse_unshown_placeholders("Hi [Name]", ())  # a sure one is refused before anybody approves


@given(st.text(alphabet="[]{}<>%$_#@ aN\n«»|*()XTODO:é1-", max_size=60))
def test_every_finding_stands_in_the_text(text: str) -> None:
    findings = placeholders(text)
    assert all(finding and finding in text for finding in (*findings.sure, *findings.doubtful))


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "<",
        "{",
        "{{",
        "%a",
        "__a",
        "$",
        "«",
        "_",
        "*|",
        "*a",
        "|a ",
        "$(a",
        "{a:",
        "Hi ",
        "Hi (a",
        "insert a ",
        "<!-- a",
        "[a ",
        "<a ",
        "{a ",
        "(insert ",
        "X",
        "a@",
        "a.",
        "##a",
    ],
)
def test_no_text_takes_long(piece: str) -> None:
    text = (piece * 20_000)[:20_000]
    began = time.process_time()
    placeholders(text)
    assert time.process_time() - began < 1
