"""What a model or a user left to be filled in is never sent by mistake, and ordinary words are never held up."""

import time

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
[Team] [Project Alpha] [specific detail from their profile] [Produkt] [e.g. their recent talk] [WIP] [名前] [Équipe]
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
]


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


@pytest.mark.parametrize("text", PLAIN)
def test_ordinary_words_are_none(text: str) -> None:
    assert placeholders(text) == Placeholders((), ())


@pytest.mark.parametrize(
    "name", ["Your Name", "[Your Name]", "Ihr Name", "Dein Name", "Votre nom", "Tu nombre", "Uw naam", "Seu nome"]
)
def test_nobody_signs_as_your_name(name: str) -> None:
    assert placeholders(f"Hi Ada,\n\nshall we talk?\n\nBest regards\n{name}").sure == (name,)


def test_each_is_told_once_in_the_order_of_the_text() -> None:
    text = "[Team] {b} [Name] [Team] {b} <Team> https://x.test/[your-link]"
    assert placeholders(text) == Placeholders(("{b}", "[Name]", "[your-link]"), ("[Team]", "<Team>"))


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
    ["[", "<", "{", "{{", "%a", "__a", "$", "«", "_", "*|", "[a ", "<a ", "{a ", "(insert ", "X", "a@", "a.", "##a"],
)
def test_no_text_takes_long(piece: str) -> None:
    text = (piece * 20_000)[:20_000]
    began = time.process_time()
    placeholders(text)
    assert time.process_time() - began < 1
