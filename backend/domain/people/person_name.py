"""Cleans a person's name of titles, degrees and ornaments, and finds the first name for a greeting where it is sure.

A wrong greeting is worse than a question to the user, so `greeted_as` returns nothing where a name leaves any doubt.
"""

import html
import re
import unicodedata
from collections.abc import Sequence

from backend.domain.people.contact_keys import without_accents

_SIGN = re.compile(r"[^\w\s]")
"""Few names have one; without it there is nothing to cut off."""
_BRACKETED = re.compile(r"\([^)]*\)|\[[^\]]*\]|\{[^}]*\}|\uff08[^\uff09]*\uff09")
_NICKNAME = re.compile(
    r"(?<=\s)(?:\"[^\"]+\"|'[^'\s]+'|[\u201c\u201e][^\u201c\u201d]+[\u201c\u201d]|[\u00b4`][^\u00b4`\s]+[\u00b4`]|\u2018[^\u2018\u2019]+\u2019|\u00ab[^\u00bb]+\u00bb)(?=\s)"
)
"""`Robert "Bob" Smith`: neither the first name nor a part of the last."""
_PRONOUNS = re.compile(
    r"\b(?:she|he|they|ze|xe|elle|il|ella|\u00e9l|sie|er|hij|zij|ela|ele)(?:\s*/\s*\w+)+", re.IGNORECASE
)
_ORDINAL = re.compile(r"\b\d+(?:st|nd|rd|th)\b", re.IGNORECASE)
_SUFFIX_BEGIN = re.compile(r"[,|\u2022\u2013\u2014/]|\s[-\u00b7@~*]\s|[;:]\s")
_HASHTAG = re.compile(r"(?<!\w)[#@]\w+")
_SLASHED_TITLE = re.compile(r"^\s*\w{1,3}/\w{1,4}\.?\s+(?=\S)")
"""`W/ro Almaz Kebede`, `WP/StB Ada Lee`: what follows is no addition."""
_LONG_HYPHEN = re.compile(r"^(\s*[^\W\d_]+)[\u2013\u2014](?=[^\W\d_]+\s)")
_HEBREW_MARK = re.compile(r"(?<=[א-ת])(?:'|\"(?=[א-ת]))")
"""Typed for a geresh or gershayim, which belong to the word: `ג'ורג'`."""
TITLES = frozenset((
    "dr", "dra", "prof", "profa", "mr", "mrs", "ms", "mx", "miss", "mme", "mlle", "madame", "monsieur", "ing", "dipl", "sir",
    "lord", "herr", "frau", "signora", "sra", "srta", "senor", "dhr", "mevr", "mgr", "drs", "ddr", "phdr", "mudr", "judr",
    "rndr", "pharmdr", "dott", "dottssa", "avv", "sig", "sigra", "professor", "doctor", "captain", "lieutenant", "sergeant",
    "colonel", "reverend", "rabbi", "senator", "mayor", "herrn", "mtra", "mtro", "dña", "uzm", "doç", "yrd", "hab", "mmag",
    "dkfm", "exmo", "exma", "phd", "msc", "bsc", "docteur", "professeur", "fru", "fröken", "doña", "magister", "betriebswirt",
    "betriebswirtin", "szanowny", "szanowna", "encik", "puan", "cik", "bapak", "ibu", "alhaji", "alhaja", "otunba", "mwalimu",
    "ndugu", "barrister", "cənab", "ông", "här",
    "др", "проф", "спадар", "спадарыня", "δρ",
    "ดร", "นาย", "นาง", "นางสาว", "คุณ", "ທ່ານ", "លោក", "លោកស្រី", "ဦး", "ბატონი", "ქალბატონი",
    "श्री", "श्रीमती", "डॉ", "অধ্যাপক", "டாக்டர்", "திரு", "డాక్టర్",
    "አቶ", "ወይዘሮ", "מר", "גב׳", "פרופ׳", "אינג׳", "ד״ר", "עו״ד",  # noqa: RUF001 - Hebrew
    "السيد", "السيدة", "الحاج", "ڈاکٹر", "جناب", "محترمہ", "انجینئر", "مهندس", "آقای", "خانم",
))  # fmt: skip
"""Titles, with or without a full stop; those in other scripts stand by themselves."""
_ALWAYS_TITLES = frozenset("dr dra prof profa mr mrs herr herrn frau mme mlle dott uzm doç".split())  # noqa: SIM905 - a list in words
"""Whatever stands before one of these is a title, too: `HE Dr. Ahmed Ali`."""
_ABBREVIATED = frozenset((
    "med", "mag", "lic", "licda", "rer", "nat", "phil", "jur", "habil", "univ", "h", "c", "hc", "ir", "eng", "engr", "arch",
    "rev", "hon", "sr", "adv", "av", "abg", "abog", "bc", "doc", "doz", "priv", "pd", "capt", "col", "lt", "maj", "sgt",
    "inż", "pol", "oec", "theol", "techn", "vet", "a", "in", "ssa", "ra", "ª",
    "iur", "sc", "art", "mult", "n", "psych", "wirt", "inf", "kfm", "kffr", "biol", "chem", "phys", "math", "agr", "mont", "ass",
    "cand", "fil", "op", "sn", "arq", "psic", "geom", "rag", "\u0438\u043d\u0436",
))  # fmt: skip
"""Titles only with a full stop or behind a title: by themselves they are names, too, or mean something else."""
_ALSO_NAMES = frozenset("phil nat art pol col maj math mag vet hon ra av".split())  # noqa: SIM905 - a list in words
"""Of these, what people are called, too: `Dr. Phil Roth`, `Prof. Nat Cole`."""
_PARTS = re.compile(r"[.\-\u2010]+")
_INNER = frozenset("'\u2019-\u2010\u00b7.\u05f3\u05f4")
_HEBREW = {"'": "\u05f3", '"': "\u05f4"}
_JOINERS = frozenset("\u200c\u200d")
_ENDS = "-\u2010.'\u2019\u200c\u200d "
_DAMAGE = "\ufffd"
"""Stands for a character that no name has, from a text in the wrong encoding: `\u00a3ukasz`, `M?ller`."""
_DAMAGING = frozenset(
    "?\ufffd\u00a1\u00a2\u00a3\u00a4\u00a5\u00a6\u00a7\u00a8\u00a9\u00ab\u00ac\u00ae\u00af\u00b0\u00b1\u00b2\u00b3\u00b5\u00b6\u00b8\u00b9\u00ba\u00bb\u00bc\u00bd\u00be\u00bf"
    "\u20ac\u2020\u2021\u2030\u02c6\u02dc\u2122\u201a\u201e"
)
_MISREAD = re.compile(r"[a-z][\u00c2\u00c3\u00c5]|[\u00c3\u00c2\u00c5](?!\w)")
_LAST_FIRST = re.compile(
    r"[^\s,]+(?:\s+(?:jr|sr|ii|iii|iv)\.?)?\s*,\s*(?:(?:dr|prof|ing|mag|mr|mrs|ms|herr|frau)\.?\s+)*([^\W\d_]+)\b(?!\.)",
    re.IGNORECASE,
)
_LAST_INITIAL = re.compile(r"[^\s,]+\s*,\s*[^\W\d_]\.(?:\s*[^\W\d_]\.)*\s*$")
_LONG_LAST_FIRST = re.compile(r"[^\s,]+(?:\s+[^\s,]+){1,2}\s*,\s*([^\W\d_]{3,})\s*$")
"""`Garc\u00eda N\u00fa\u00f1ez, Jos\u00e9`, but also `Ann Lee, Realtor`: the form does not show which."""
_TWO_PEOPLE = re.compile(
    r"\s*[^\W\d_]{2,}/[^\W\d_]{2,}\s"
    r"|\s*\S+\s+(?:&|&amp;|\+|and|und|u\.|et|och|og)\s+\S"
    r"|\s*[^\W\d_]+\s+\S+\s+(?:&|&amp;|\+|and|und|u\.|et|och|og)\s+\S+\s+\S"
    r"|.*\s(?:&|\+|and|und)\s+(?:mrs?|ms|miss|dr|frau|herr)\b",
    re.IGNORECASE,
)
_BETWEEN_PEOPLE = re.compile(r"[/;,&+]")
_TITLE_AND_NAME = re.compile(r"^(\s*(?:dr|prof|ing|mr|mrs|ms|dott|avv)\.)(?=[^\W\d_]{3,}(?:\s|$))", re.IGNORECASE)
"""`Dr.Jane`, without a blank."""
_FAMILY_NAME_FIRST = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff]")
_NOT_A_PERSON = frozenset((
    "linkedin", "null", "none", "undefined", "unknown", "anonymous", "member", "user", "test", "info", "team", "sales",
    "office", "admin", "support", "contact", "pan", "pani", "hiring", "vertrieb", "einkauf", "verkauf", "buchhaltung",
    "sekretariat", "empfang", "zentrale", "verwaltung", "personalabteilung", "kundenservice", "reception", "accounting",
    "procurement", "purchasing", "ventas", "compras", "ventes", "achats",
))  # fmt: skip
_PLAIN = re.compile(
    r"(?=\w*[aeiouyAEIOUY])(?!\w*(?:ov|ova|ev|eva|eve|escu|enko) )([A-Z][a-z]{2,}) (?:[A-Z][a-z]{3,} )*[A-Z][a-z]{4,}"
)
"""Nearly every name: only its first word has to be looked up."""
_MAY_BE_TITLE = frozenset((
    "the", "judge", "coach", "pastor", "major", "deacon", "bishop", "chair", "co-chair", "co-chairs", "md", "mohd", "muhd", "shri",
    "smt", "ca", "cs", "me", "eng", "engr", "lic", "abg", "adv", "fco", "ma", "lady", "dame", "baroness", "countess", "sheikh",
    "sheikha", "shaikh", "imam", "haji", "hadji", "dato", "datuk", "datin", "sister", "father", "brother", "chief", "sardar",
    "tan", "tun", "tengku", "pak", "daw", "ko", "mamosta", "ato", "thiru", "oba", "dona", "bà", "is-sur", "মোঃ", "graf", "gräfin",
    "freiherr", "freifrau", "pater", "maître", "nurse", "officer", "chef", "rektor", "rain", "ostrin", "say\u0131n", "kommr",
    "ostr", "founder", "co-founder", "cofounder", "owner", "ceo", "cto", "cfo", "coo", "president", "director", "manager",
    "recruiter", "psic", "familie", "family", "eheleute", "attn", "\u0627\u0644\u062f\u0643\u062a\u0648\u0631",
    "\u062f\u0643\u062a\u0648\u0631", "\u062f\u06a9\u062a\u0631", "\u0627\u0644\u0645\u0647\u0646\u062f\u0633",
    "\u0627\u0644\u0623\u0633\u062a\u0627\u0630", "\u0627\u0644\u0634\u064a\u062e", "de", "der", "den", "des", "du", "dos", "das",
    "da", "la", "el", "zu", "zum", "zur", "ter", "ten", "vom", "bin", "bint", "ibn", "abu", "abd", "umm", "san", "santa", "st",
    "saint", "\u0639\u0628\u062f", "\u0623\u0628\u0648", "\u0627\u0628\u0648",
))  # fmt: skip
"""Before a name they may be no part of it, or not the whole of a first name: titles and offices, abbreviations by which nobody is
called, and particles of family names."""
_FAMILY_NAMES = frozenset((
    "nguyễn", "nguyen", "trần", "tran", "phạm", "pham", "huỳnh", "huynh", "hoàng", "vũ", "võ", "đặng", "bùi", "đỗ", "ngô", "lê",
    "wang", "zhang", "liu", "huang", "zhao", "zhou", "xu", "wu", "zhu", "guo", "zheng", "xie", "deng", "feng", "cao", "zeng",
    "nagy", "kovács", "szabó", "tóth", "horváth", "varga", "kiss", "molnár", "németh", "farkas", "balogh", "papp", "takács",
    "juhász", "lakatos", "mészáros", "oláh", "rácz", "fekete", "szilágyi", "török", "fehér", "gál", "szűcs", "kocsis", "őze",
    "sato", "suzuki", "takahashi", "tanaka", "watanabe", "ito", "yamamoto", "nakamura", "kobayashi", "kato", "yoshida", "yamada",
    "sasaki", "yamaguchi", "matsumoto", "inoue", "kimura", "hayashi", "shimizu", "yamazaki", "ikeda", "hashimoto", "ishikawa",
))  # fmt: skip
"""Family names of Vietnam, China, Hungary and Japan, where they come first, that are nobody's first name."""
_ALSO_FIRST_NAMES = frozenset((
    "li", "lin", "chen", "yang", "sun", "ma", "hu", "he", "han", "yu", "ye", "du", "wei", "su", "lu", "gao", "luo", "tang", "song",
    "kim", "lee", "park", "choi", "jung", "kang", "cho", "yoon", "lim", "shin",
))  # fmt: skip
"""Chinese and Korean family names that are first names elsewhere."""
_EAST_ASIAN_FIRST_NAME = re.compile(
    r"(?=.*(?:x|q|zh|ng$|[aeiu]o$|[eu]i$|ian$|iu$))(?:(?:[zcs]h|[bpmfdtnlgkhjqxrzcsyw])[aeiou]{1,3}(?:ng?)?){1,2}"
    r"|[a-z]{2,5}-[a-z]{2,5}",
    re.IGNORECASE,
)
"""A first name that shows that the word before it is the family name: `Li Xiaoming`, `Kim Min-jun`."""
_TITLES_IN_CAPITALS = frozenset(("DI", "FT", "GF", "HE", "HH", "PD", "RA", "WP"))
_MIDDLE_SUFFIX_BEGIN_FAMILY_NAME = frozenset(("thi", "th\u1ecb", "v\u0103n"))
"""Vietnamese: `Le Thi Hoa`."""
_PATRONYMIC = re.compile(
    r".+(?:ович|евич|ьич|овна|евна|ична|инична|[аоеє]віч|[аоеє][ўу]на|[иії]ївна|івна|[oe]vich|[oe]vna)", re.IGNORECASE
)
_OFTEN_FAMILY_NAME = re.compile(
    r".*(?:[^\W\u042f]..ов|ова|[её]ва|ский|ская|цкий|цкая|енко)"
    r"|.{2,}(?:(?<![aoy]k)(?<!ub)ov|[nrtlm]ova|(?:[yiə]y|l[i\u0131]y)ev[ae]?|escu|(?<!zd)enko)|.{4,}né",
    re.IGNORECASE,
)
"""By its end, in Slavic languages, Azerbaijani, Romanian and Hungarian; but not Яков, Yaakov, Lyubov and Zdenko."""
_NO_FIRST_WORD = re.compile(r"\s*(?:[-.\u2013\u2014_*?]+\s|[(\[{\uff08]|\w+[:;]\s|[#@]\w)|[^,]*,")
"""Where a single word is left: a sign in place of the first name, brackets around it, or a label (`. Doe`, `(Bob) Smith`,
`Note: Ada Lee`, `#Ada Lee`); or something behind it, as in `Smith, MBA`."""
_ADDRESS = re.compile(r"\s*\S+@\S+\.\w")
"""Of e-mail, where the name should be."""
_VOWELS = frozenset("aeiouy\u00e6\u00f8\u0153\u0131")
_NEEDS_A_LOOK = TITLES | _ABBREVIATED | _NOT_A_PERSON | _MAY_BE_TITLE | _FAMILY_NAMES | _ALSO_FIRST_NAMES
_LEGAL_FORMS = frozenset("inc llc ltd gmbh ag ug kg plc corp bv nv sarl srl spa oy ab team department".split())  # noqa: SIM905 - a list in words


def clean_name(full_name: str) -> str:
    """The name without emoji and signs, what is bracketed, titles, and degrees behind a comma; empty if nothing is left.

    Letters of every script stay as they are, with their marks.
    """
    return " ".join(" ".join(_titled_words(full_name)[0]).replace(_DAMAGE, " ").split())


def greeted_as(full_name: str, given_name: str = "") -> str:
    """The name for a greeting; empty if it is not sure, so that the user is asked.

    `given_name` is the first name that a file gives; it counts only if the name begins with it, and is not all of it in two words.
    """
    plain = _PLAIN.fullmatch(full_name)
    if plain and given_name in ("", plain[1]) and plain[1].lower() not in _NEEDS_A_LOOK:
        return plain[1] if given_name or full_name.rpartition(" ")[2].lower() not in _LEGAL_FORMS else ""
    if _ADDRESS.match(full_name):
        return ""
    words, has_title = _titled_words(full_name)
    given_words = _titled_words(given_name)[0] if given_name else []
    while len(given_words) > 1 and _is_initial(given_words[-1]):
        given_words.pop()
    is_whole = len(given_words) > 1 and len(given_words) == len(words)  # in the column for the first name
    is_given = bool(given_words) and words[: len(given_words)] == given_words and not is_whole
    called = given_words if is_given else words[:1]
    if not called or any(map(_is_doubtful, called)):
        return ""
    if not is_given and (
        (len(words) == 1 and (has_title or words[0].casefold() in TITLES or _NO_FIRST_WORD.match(full_name)))
        or _has_another_order(full_name, words)
    ):
        return ""
    if _has_unknown_capital_i(called, words):
        return ""
    return _in_usual_case(called, called if is_given else words)


def last_name(full_name: str, given_name: str = "") -> str:
    """The name without the part that a greeting uses."""
    return " ".join(clean_name(full_name).split()[max(1, len(greeted_as(full_name, given_name).split())) :])


def _has_another_order(full_name: str, words: Sequence[str]) -> bool:
    """Whether the first word may be no first name: `Lee, Ann`, `LEE Ann`, `van der Berg`, `\u738b \u5c0f\u660e`, `Fern GmbH`.

    Or not the only one: `Ann & Bo Lee`.
    """
    first, rest = words[0], words[1:]
    stripped = full_name.strip()
    behind = _LAST_FIRST.match(stripped) or _LONG_LAST_FIRST.match(stripped)
    if behind and (behind[1].istitle() or full_name.isupper()) and behind[1].casefold() not in _DEGREES | _MAY_BE_TITLE:
        return True
    if _LAST_INITIAL.match(stripped) or _TWO_PEOPLE.match(full_name) or _shares_family_name(full_name):
        return True
    if not rest:
        return False
    return (
        first.casefold() in _MAY_BE_TITLE
        or first.casefold() in _FAMILY_NAMES
        or _begins_with_east_asian_family_name(first, rest)
        or f"{first}. " in full_name  # an abbreviation that is no title we know
        or _FAMILY_NAME_FIRST.search(first) is not None
        or (first[0].islower() and any(not word.islower() for word in rest))
        or (
            (len(first) > _SHORT or first in _TITLES_IN_CAPITALS)
            and first.isupper()
            and any(not word.isupper() for word in rest)
        )
        or rest[0].casefold() in _MIDDLE_SUFFIX_BEGIN_FAMILY_NAME
        or any(word.casefold() in _ALWAYS_TITLES for word in rest[:-1])
        or _begins_with_family_name(words)
        or rest[-1].casefold().replace(".", "") in _LEGAL_FORMS
    )


def _begins_with_east_asian_family_name(first: str, rest: Sequence[str]) -> bool:
    return (
        first.casefold() in _ALSO_FIRST_NAMES
        and len(rest) == 1
        and _EAST_ASIAN_FIRST_NAME.fullmatch(rest[0]) is not None
    )


def _shares_family_name(full_name: str) -> bool:
    """Whether the name is that of two people with one family name: `Ann Lee / Bo Lee`."""
    called, *others = [part.casefold().split() for part in _BETWEEN_PEOPLE.split(full_name)]
    return any(len(called) > 1 and len(other) > 1 and called[-1] == other[-1] for other in others)


def _begins_with_family_name(words: Sequence[str]) -> bool:
    """`Иванов Иван Иванович`, `Петрова Анна`, `Popescu Ion`: as forms and lists are written."""
    first, last = words[0], words[-1]
    if len(words) == _WITH_PATRONYMIC and _PATRONYMIC.fullmatch(last) and not _PATRONYMIC.fullmatch(words[1]):
        return True
    return _OFTEN_FAMILY_NAME.fullmatch(first) is not None and _OFTEN_FAMILY_NAME.fullmatch(last) is None


_WITH_PATRONYMIC = 3


def _has_unknown_capital_i(called: Sequence[str], words: Sequence[str]) -> bool:
    """Whether the small letter of a capital I is unknown: dotless in Turkish, dotted in Romanian, and both have `Ş`."""
    whole = "".join(words)
    if not whole.isupper() or _TURKISH.search(whole):
        return False
    return "\u015e" in whole and any("I" in word[1:] for word in called)


_TURKISH = re.compile("[\u011e\u0130]")
_DEGREES = frozenset("phd esq jr sr mba msc bsc cpa md jd dds pmp cissp ceo cto cfo coo".split())  # noqa: SIM905 - a list in words
_BEHIND_NAME = _DEGREES - {"jr", "sr"}
_GLUED_TITLE = re.compile(r"(?:นาย|นาง|คุณ|ဒေါ်|ဦး)\w")
"""Thai and Burmese are written without blanks: where the title ends cannot be seen."""
_SHORT = 2
"""Initials that are a name: `JJ Lee`."""


def _is_doubtful(word: str) -> bool:
    letters = [part for part in _PARTS.split(word) if part]
    is_initials = all(len(part) == 1 for part in letters) and not _FAMILY_NAME_FIRST.search(word)
    return (
        is_initials
        or _is_abbreviation(word)
        or _DAMAGE in word
        or word.casefold() in _NOT_A_PERSON
        or _MISREAD.search(word) is not None
        or (not word.isascii() and _GLUED_TITLE.match(word) is not None)
    )


def _is_abbreviation(word: str) -> bool:
    """`PhD`, `Cpt`, `M\u00aa`, `jane.doe` are no names. Two capitals are initials that are one."""
    if word.endswith(("\u00aa", "\u00ba")) or _USER_NAME.fullmatch(word):
        return True
    plain = without_accents(word).casefold()
    if len(plain) == 1 or not plain.isalpha() or not plain.isascii() or (len(word) <= _SHORT and word.isupper()):
        return False
    return not _VOWELS.intersection(plain)


_USER_NAME = re.compile(r"[^\W\d_]{2,}(?:\.[^\W\d_]{2,})+")


def _in_usual_case(called: Sequence[str], words: Sequence[str]) -> str:
    """The words capitalised, if the whole name is in capitals or in small letters."""
    whole = "".join(words)
    if not (whole.isupper() or whole.islower()) or (len(called[0]) <= _SHORT and called[0].isascii()):
        return " ".join(called)
    small_i = "\u0131" if _TURKISH.search(whole) else "i"
    return re.sub(
        r"[^\W\d_]+",
        lambda part: part[0][0].title() + part[0][1:].replace("I", small_i).lower().replace("i\u0307", "i"),
        " ".join(called),
    )


def _titled_words(full_name: str) -> tuple[list[str], bool]:
    """The words of the name after its titles, with `_DAMAGE` for characters that no name has; and whether it had a title.

    A single word after a title may be a family name.
    """
    plain_name = html.unescape(full_name) if "&" in full_name else full_name
    plain_name = _ORDINAL.sub(" ", plain_name)
    if _SIGN.search(plain_name):
        for pattern in (_BRACKETED, _NICKNAME, _PRONOUNS, _HASHTAG, _SLASHED_TITLE):
            plain_name = pattern.sub(" ", plain_name)
        if not plain_name.isascii():
            plain_name = _LONG_HYPHEN.sub(r"\1-", _HEBREW_MARK.sub(lambda mark: _HEBREW[mark[0]], plain_name))
        plain_name = _SUFFIX_BEGIN.split(_TITLE_AND_NAME.sub(r"\1 ", plain_name), maxsplit=1)[0]
    words = plain_name.translate(_CHARACTERS).split()
    begin = 0
    while begin + 1 < len(words) and _is_title(words[begin], after_title=begin > 0):
        begin += 1
    stripped = [word if _is_initial(word) else word.strip(_ENDS) for word in words[begin:]]
    words = [word for word in stripped if any(map(str.isalpha, word))]
    while len(words) > 2 and words[-1].replace(".", "").casefold() in _BEHIND_NAME:  # noqa: PLR2004 - two names
        words.pop()
    return words, begin > 0


def _is_title(word: str, *, after_title: bool) -> bool:
    plain = word.rstrip(".\u00aa\u00ba").casefold()
    if plain in TITLES or plain.replace("-", "") in TITLES:
        return True
    parts = [part for part in _PARTS.split(plain) if part]
    may_be_title = bool(parts) and all(part in TITLES or part in _ABBREVIATED for part in parts)
    if not may_be_title or (all(len(part) == 1 for part in parts) and not (after_title and word.islower())):
        return False
    return "." in word or (after_title and not (word.istitle() and plain in _ALSO_NAMES))


def _cleaned(character: str) -> str:
    category, point = unicodedata.category(character), ord(character)
    if character in "\u00b4`":
        return "'"
    if character == "\u2011":
        return "-"
    if character in _DAMAGING:
        return _DAMAGE
    if category == "Cf" and character not in _JOINERS:
        return ""  # invisible characters do not separate words
    if any(point in marks for marks in _DRAWN_OVER):
        return ""
    if any(point in letters for letters in _STYLED):
        return unicodedata.normalize("NFKC", character)
    if character in _JOINERS or character in _INNER or category[0] in "LM":
        return character
    return " "


_DRAWN_OVER = range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0), range(0x332, 0x339), range(0x305, 0x306)
"""Variation selectors, and lines under, over and through letters."""
_STYLED = range(0x1D400, 0x1D800), range(0xFF21, 0xFF5B), range(0x24B6, 0x24EA), range(0x1F130, 0x1F14A)
"""Letters in mathematical type, by which people make their names bold; wide ones; letters in circles and squares."""


class _CharacterMap(dict[int, str]):
    """The replacement of each character, computed once: a list of leads has few different ones."""

    def __missing__(self, point: int) -> str:
        self[point] = _cleaned(chr(point))
        return self[point]


_CHARACTERS = _CharacterMap()


def _is_initial(word: str) -> bool:
    return len(word) == 2 and word[0].isalpha() and word[1] == "."  # noqa: PLR2004 - a letter and a full stop
