"""What was left in a text to be filled in: such as `[Name]`, `{{first_name}}`, `%FIRSTNAME%` or `TODO:`.

The one rule, for proposals, templates, edits, Review and the terminal. What is surely a placeholder is sent to nobody; what
may be one is approved by whoever was shown it in a decision about that text alone.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from backend.domain.values.errors import OutriderError


class Placeholders(NamedTuple):
    """What a text has of them, as it stands there, each once and in its order."""

    sure: tuple[str, ...]
    doubtful: tuple[str, ...]


_MARK = "\u02d1"
"""In the place of a mark that belongs to a letter: a letter of its own, so that every sign keeps its place."""


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def _words(content: str) -> list[str]:
    """Small letters without marks; `FirstName` and `first_name` are two words. Of two scripts in a word one looks like Latin."""
    parted = re.sub(r"(?<=[^\W\d_A-Z])(?=[A-Z])", " ", content.replace(_MARK, ""))
    plain = "".join(character for character in unicodedata.normalize("NFKD", parted) if not _is_mark(character))
    return [
        word.translate(_CYRILLIC_AS_LATIN) if _LATIN.search(word) else word
        for word in re.findall(r"[^\W\d_]+", plain.casefold())
    ]


_CYRILLIC_AS_LATIN = str.maketrans("аеорсухіѕјһмтк", "aeopcyxisjhmtk")
_LATIN = re.compile(r"[a-z]")

_FIELDS = frozenset(
    _words(
        """
    name names firstname lastname fullname fname lname forename surname nickname company companyname organization organisation
    employer title jobtitle position role industry email mail phone link url website city location date time topic recipient
    prospect sender signature salutation
    vorname nachname anrede firma firmenname unternehmen unternehmensname titel berufsbezeichnung rolle branche ort stadt
    datum uhrzeit thema ansprechpartner empfanger absender
    prenom nom entreprise societe poste fonction titre secteur ville sujet destinataire
    nombre apellido apellidos empresa compania puesto cargo ciudad fecha tema destinatario
    voornaam achternaam naam bedrijf bedrijfsnaam functie functietitel sector branche plaats onderwerp ontvanger
    nome sobrenome apelido funcao setor cidade assunto
    cognome azienda societa ruolo destinatario
    imię nazwisko nazwa firma firmy stanowisko miasto adresat odbiorca odbiorcy
    jméno příjmení název pozice město
    namn förnamn efternamn företag företagsnamn fornavn etternavn efternavn navn firmanavn firmanavnet bedriftsnavn virksomhed
    nimi nimesi etunimi sukunimi yritys yrityksen
    prenume nume companie keresztnév vezetéknév név cégnév cég
    isim adı adınız soyadı şirket unvan
    имя фамилия компания компании название должность город
    ім'я прізвище компанія компанії назва посада місто
    όνομα επώνυμο εταιρεία εταιρείας θέση
    名前 お名前 氏名 名字 会社名 貴社名 御社名 役職 部署 姓名 称呼 公司 公司名称 公司名 职位 이름 성함 성명 회사 회사명 직함
    الاسم اسم الشركة شركة שם חברה नाम कंपनी ชื่อ บริษัท nama perusahaan jabatan
    """  # noqa: RUF001 - words of other alphabets
    )
)
"""What a text says of its reader or writer, in English, German, French, Spanish, Dutch, Portuguese and a score of others."""

_ARTICLES = frozenset(_words("the a der die das le la les el il het o το"))
"""What begins with one of these may be somebody else's words, completed: “[the company] grew”."""

_BESIDE = _ARTICLES | frozenset(
    _words(
        """
    first last full middle your my their his her of s e here company contact job lead client customer
    ihr ihre ihren dein deine mein meine des vor und
    votre vos ton ta ma mon l de du d complet
    tu su mi del completo primer
    uw jouw je mijn van volledige
    seu sua teu tua meu minha do da primeiro ultimo
    tuo suo mio della dell twoje twój pana pani tvé vaše vaší ditt din dit ert în dumneavoastră sizin ваше вашей вашего ваша
    вашої σας 您的 你的 贵 公司 당신의 anda
    """
    )
)
"""What may stand beside these words in a placeholder."""

_REQUESTS = frozenset(
    _words(
        """
    insert add enter fill include mention specify describe placeholder todo tbd fixme xxx xxxx
    einfugen einsetzen eintragen platzhalter inserer inserez insertar inserte invoegen invullen inserir insira
    inserire inserisci wstaw infoga indsæt вставьте вставити 填写 入力 입력
    """
    )
)
"""With one of these words, first or last, a writer tells themselves what is still to be written."""

_KEYS = (["enter"], ["insert"])
"""Of a keyboard, unless more is said."""

_YOURS = frozenset(_words("your ihre ihren dein deine votre vos uw jouw seu sua tuo twoje vaše ditt ваше"))
"""With one of these a placeholder, or a signature that was not filled in, begins."""

_MAY_BE_YOURS = frozenset(_words("ihr tu su το"))
"""So do these, which mean something else, too: with one of them only a signature begins."""

_TAGS = frozenset("title link time address data object".split())  # noqa: SIM905
"""Of HTML: in angle brackets and small letters they are ordinary."""

_ORDINARY = frozenset({"sic", "ok", "edit", "edited"})
"""What people write in brackets."""

_MOST_WORDS = 12

_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\[\]{}]+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+", re.IGNORECASE)

_FOUND = re.compile(
    r"""
    (?P<hidden> \[U\+[0-9A-F]{4,6}(?:\ x\d+)?\] )      # how a hidden character was shown to the proposer is no part of a name
  | (?P<variable> \{\s*[^\W\d]\s*(?:\|[^{}]*)?\} )        # of mathematics, perhaps
  | (?P<merged> \*\|[^|\s]{1,40}\|\* | [$\#@%]?\{\{[^{}]{0,80}\}\} | [$\#@%]?\{\s*[!$\#@%/^&]?\s*[^\W\d][\w\ .'-]*(?:\|[^{}]*)?\} )
  | (?P<statement> \{%[^{}\n]{0,80}%\} | <%[^<>\n]{0,80}%> | %\(\w{1,40}\)[sd] | %\d{1,2}\$[sd] )
  | (?P<unended> \{\{(?!\{|[^{}]{0,80}\}\}) | <!--[^<>\n]{0,80}--> )
  | (?P<defaulted> \{\s*(?P<before_default>[^\W\d][\w\ ]{0,30}):[^{}"\n]{1,40}\} )
  | (?P<called> \$\((?P<in_call>[^\W\d]\w{0,30})\) )
  | (?P<numbered> \{\d{0,2}\} | (?<![%a-zA-Z0-9])%s(?![a-zA-Z0-9]) )
  | (?P<amount> \[(?:[XYZN]{1,2}|[\#?])\](?!\w) | (?a:\b)X{1,3}\ ?%(?!\w) | [$\u20ac\u00a3]X{1,3}(?!\w) )
  | (?P<bracketed> (?!(?<=[\w\]])\[["'])\[{1,2}(?P<in_brackets>[^\[\]\n]{1,80})\]{1,2}(?!\() )
  | (?P<angled> (?P<follows>\w)?<{1,2}(?P<in_angles>[^\W\d](?:[^<>\n]{0,58}[^<>\s])?)>{1,2} )
  | (?P<guillemets> «\ ?(?P<in_guillemets>[^«»\n]{1,40}?)\ ?» )
  | (?P<escaped> &lt;[^&<>\n]{1,60}&gt; )
  | (?P<enclosed> (?<![a-zA-Z0-9_%])%{1,2}(?P<in_percent>[^\W\d_](?:[\w\ .-]{0,30}\w)?)%{1,2}(?![a-zA-Z0-9_%])
                | (?<![a-zA-Z0-9_])(?P<sign>__|\#\#|@@)(?P<in_signs>[^\W\d_](?:\w{0,30}[^\W_])?)(?P=sign)(?![a-zA-Z0-9_]) )
  | (?P<emphasised> (?<![\w|*_~^@:=-])(?P<mark>\*{1,2}|~{1,2}|={1,2}|\|{1,2}|[_^@\#:])
                    (?P<in_marks>[^\W\d_](?:[\w\ ]{0,30}[^\W_])?)(?P=mark)(?![\w|*_~^@:=-]) )
  | (?P<dollar> (?<![a-zA-Z0-9_$])\${1,2}(?P<after_dollar>[^\W\d]\w+) )
  | (?P<blank> (?<![a-zA-Z0-9_])_{3,}(?![a-zA-Z0-9_])
             | (?<![\u25a0-\u25ff\u3007\u00d7])(?P<shape>[\u25a0-\u25ff\u3007\u00d7])(?P=shape){1,4}(?![\u25a0-\u25ff\u3007\u00d7])
             | (?<![a-zA-Z0-9])(?:X{2,5}|O{2,5})(?=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]) )
  | (?P<note> (?a:\b)(?:TODO|FIXME):  )
  | (?P<capitals> (?a:\b)(?:TODO|FIXME|X{3,5}|FIRST_?NAME|LAST_?NAME|FULL_?NAME|COMPANY_?NAME|YOUR_NAME|VORNAME|NACHNAME
                  |PLACEHOLDER)(?a:\b)
                | \b(?:first|last|full|company)_name\b
                | (?i:\blorem\ ipsum\b | \binsert\ (?:[^\W\d_]+\ ){1,4}here\b) | \((?:insert|add|enter)\ [^()\n]{1,60}\) )
    """,
    re.VERBOSE,
)

_LOOKS_LIKE = str.maketrans({
    **{chr(wide): chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F)},  # full width
    **dict.fromkeys("\u27e6\u2772\u2045\u301a\ufe5d", "["),
    **dict.fromkeys("\u27e7\u2773\u2046\u301b\ufe5e", "]"),
    **dict.fromkeys("\u2774\u2983\ufe5b", "{"),
    **dict.fromkeys("\u2775\u2984\ufe5c", "}"),
    **dict.fromkeys("\u27e8\u276c\u276e\u29fc\u2329\ufe64", "<"),
    **dict.fromkeys("\u27e9\u276d\u276f\u29fd\u232a\ufe65", ">"),
    # What quotes, too, or begins a heading, is read as quotation marks.
    **dict.fromkeys("\u2039\u3008\u300a\u300c\u300e\u3010\u3014\u3016", "\u00ab"),
    **dict.fromkeys("\u203a\u3009\u300b\u300d\u300f\u3011\u3015\u3017", "\u00bb"),
})  # fmt: skip
"""Signs by which other keyboards, or a model that avoids ours, write these; one each, so that every sign keeps its place."""

_SIGNED = re.compile(r"^[ \t]*(?=\S)(.{4,40})[ \t]*$", re.MULTILINE)


_GREETINGS = """
    hi|hello|hey|dear|good morning|good afternoon|good evening|hallo|hoi|liebe|lieber|sehr geehrte|sehr geehrter|sehr geehrte frau
    sehr geehrter herr|guten tag|moin|servus|bonjour|salut|cher|chère|hola|estimado|estimada|querido|querida|ciao|buongiorno|gentile
    caro|cara|olá|oi|beste|geachte|cześć|dzień dobry|witaj|ahoj|dobrý den|hej|kære|bästa|hei|bună|szia|kedves|merhaba|sayın
    привет|здравствуйте|добрый день|вітаю|γεια σου
"""  # noqa: RUF001 - words of other alphabets

_LONGEST_FIRST = sorted(re.split(r"[|\n]\s*", _GREETINGS.strip()), key=len, reverse=True)
_GREETED = re.compile(
    rf"""
    ^[ \t]*(?i:{"|".join(map(re.escape, _LONGEST_FIRST))})
    (?: (?P<nobody> [ \t]+(?:(?=,)|(?i:undefined|null|none|nan|n/?a|n\.\ ?n\.|x{{1,3}}|xyz?|\u2026|\.{{3}})) )
      | [ \t]+[('"\u201e\u201c\u2018*]?(?P<field>[^\W\d_][^\W\d]*(?:\ [^\W\d_]+)?)[)'"\u201c\u201d\u2019*]? )
    (?=[,!:])
    """,
    re.MULTILINE | re.VERBOSE,
)
"""The beginning of a message that greets nobody, or the name of a field."""


def placeholders(text: str) -> Placeholders:
    """Every placeholder of a text, and what may be one."""
    by_sureness: dict[bool, dict[str, None]] = {True: {}, False: {}}
    for words, sure in _findings(_ADDRESS.sub(lambda address: "/" * len(address[0]), text)):
        by_sureness[sure][words] = None
    return Placeholders(tuple(by_sureness[True]), tuple(by_sureness[False]))


def refuse_unshown_placeholders(text: str, shown: Sequence[str] | None) -> None:
    """Raises `text_doubtful` unless the user was shown all that may be a placeholder; None if what holds now was shown."""
    doubtful = placeholders(text).doubtful
    if shown is not None and not set(doubtful) <= set(shown):
        raise OutriderError("text_doubtful", placeholders=", ".join(doubtful[:5]) + (" …" if doubtful[5:] else ""))


def _findings(text: str) -> Iterator[tuple[str, bool]]:
    seen: list[str] = []
    for finding in _FOUND.finditer(_as_ours(text)):
        sure = _is_sure(finding)
        if sure is not None:
            placeholder = text[finding.start() : finding.end()]
            seen.append(placeholder[1:] if finding["follows"] else placeholder)
            yield seen[-1], sure
    for greeting in _GREETED.finditer(text):
        names_nobody = greeting["nobody"] is not None or _names_field(greeting["field"])
        if names_nobody and not any(finding in greeting[0] for finding in seen):
            yield text[greeting.start() : greeting.end() + 1].strip(), False
    for line in _SIGNED.finditer(text):
        *before, last = _words(line[1]) or [""]
        if line[1].replace(" ", "").isalpha() and {*before[:1]} & (_YOURS | _MAY_BE_YOURS) and last in _NAMES:
            yield line[1].strip(), True


def _as_ours(text: str) -> str:
    """The text in signs as ours, each in its place; a mark upon a letter is one of its word's."""
    if text.isascii():
        return text
    signs = list(text.translate(_LOOKS_LIKE))
    for at, sign in enumerate(signs):
        if at and not sign.isascii() and _is_mark(sign) and signs[at - 1].isalpha():
            signs[at] = _MARK
    return "".join(signs)


_NAMES = frozenset(_words("name nom nombre naam nome imię jméno namn navn имя ім'я όνομα"))


def _is_sure(finding: re.Match[str]) -> bool | None:
    """Whether it is surely a placeholder; None if it is none."""
    match finding.lastgroup:
        case "hidden" | "merged" | "statement" | "note":
            return True
        case "variable" | "unended" | "numbered" | "blank" | "amount" | "capitals" | "escaped":
            return False
        case "defaulted":
            return False if _names_field(finding["before_default"]) else None
        case "called":
            return True if _names_field(finding["in_call"]) else None
        case "emphasised":
            return _emphasised(finding["in_marks"])
        case "bracketed":
            return _bracketed(finding["in_brackets"])
        case "angled":
            return _angled(finding["in_angles"], follows_word=bool(finding["follows"]))
        case "guillemets":  # the quotation marks of French, and how word processors mark a field
            return False if _names_field(finding["in_guillemets"]) else None
        case "enclosed":
            return _enclosed(finding["in_percent"] or finding["in_signs"], percent=bool(finding["in_percent"]))
    return _after_dollar(finding["after_dollar"])


def _bracketed(content: str) -> bool | None:
    words = _words(content)
    if _names_field(content) or _asks_for_words(words):
        return True
    if (
        not _FIELDS.isdisjoint(words) and len(words) <= _MOST_WORDS and "//" not in content
    ):  # addresses are slashes here
        return False
    wordy = content[0].isalpha() and re.search(r"[^\W\d_]{2}", content) and "/" not in content
    return False if wordy and len(words) <= _MOST_WORDS and " ".join(words) not in _ORDINARY else None


def _angled(content: str, *, follows_word: bool) -> bool | None:
    if content in _TAGS:
        return None
    # Right behind a word programs name a type; but where words are not parted by blanks, a placeholder may stand there.
    is_type = follows_word and content.isascii()
    if _names_field(content) or _asks_for_words(_words(content)):
        return not is_type
    stands_out = content[0].isupper() or " " in content or not content.isascii()
    return False if stands_out and not is_type and re.fullmatch(r"[\w '\u2019-]{2,}", content) else None


def _enclosed(content: str, *, percent: bool) -> bool | None:
    if _names_field(content):
        return True
    return False if " " not in content and (percent or content.isupper()) else None


def _emphasised(content: str) -> bool | None:
    """Of single signs, which mean more than one thing."""
    return False if _names_field(content) and (content.isupper() or len(_words(content)) > 1) else None


def _after_dollar(content: str) -> bool | None:
    if _names_field(content):
        return True
    return None if content.isupper() or content[0].isupper() else False  # the symbol of a share


def _names_field(content: str) -> bool:
    """Whether it says nothing but what belongs there: no number and no address, either."""
    words = _words(content)
    is_field = bool(_FIELDS & {*words}) and {*words} <= _FIELDS | _BESIDE
    return is_field and words[0] not in _ARTICLES and not re.search(r"\d\d|//", content)


def _asks_for_words(words: list[str]) -> bool:
    is_yours = len(words) > 1 and words[0] in _YOURS
    return is_yours or (words not in _KEYS and bool(_REQUESTS & {*words[:1], *words[-1:]}))
