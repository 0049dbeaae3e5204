"""What a company is called in running text: its name without legal form, brackets and stray punctuation.

What may be a part of the name stays: a name that is longer than it is spoken is no mistake, one that was cut is.
"""

import html
import re
import unicodedata
from functools import lru_cache

from backend.domain.people.contact_keys import FORM_IN_FRONT, LEGAL_FORMS, without_accents

_SEVERAL_WORDS = frozenset((
    "anonimsirketi", "bvio", "bvsrl", "cialtda", "ciasa", "companylimited", "companyltd", "ekfor", "designatedactivitycompany",
    "gesmbh", "gemgmbh", "gesellschaftmbh", "ig", "igr", "il", "inliq", "inliquidation", "jointstockcompany", "kabushikikaisha",
    "kgaa", "limitedsirketi", "ltdaepp", "ltdame", "ltdsti", "nigltd", "nvsa", "opcprivatelimited", "opcpvtltd", "oyab",
    "partgmbb", "prispevkovaorganizace", "privatelimited", "privateltd", "proprietarylimited", "publiccompanylimited", "sabdecv",
    "sadecv", "sanayiveticaret", "sanvetic", "sapidecv", "sarl", "sderldecv", "sdnbhd", "sociedadanonima", "sociedadlimitada",
    "soccoop", "soccooparl", "socltd", "spaunipersonale", "spj", "spk", "spolsro", "spółkazoo", "społkaakcyjna", "społkazoo",
    "społkazograniczonaodpowiedzialnoscia", "spzoo", "spzoospk", "srldecv", "srlunipersonale", "unipessoallda", "unlimitedcompany",
))  # fmt: skip
"""Forms of more than one word: any other form's words are single letters."""
_ALSO_WORDS = frozenset((
    "ab", "ag", "ans", "as", "asa", "bt", "bv", "cic", "dac", "dd", "eg", "ek", "ev", "hf", "kg", "kk", "lp", "nv", "ou", "oü",
    "pcl", "sa", "sas", "sau", "sca", "se", "sia", "sl", "slp", "slu", "snc", "spa", "sti", "ug", "vof", "wll",
))  # fmt: skip
"""Forms only as they are usually written, `AG`, `SpA` or `s.a.`: otherwise they are words, or parts of names."""
_ONLY_WITH_MARKS = frozenset((
    "ac", "ad", "ae", "ca", "eu", "gk", "ig", "igr", "il", "is", "jdoo", "ks", "na", "ops", "pc", "pfa", "pl", "ps", "psa",
    "sac", "sae", "sc", "scoop", "scop", "senc", "ska", "ua", "vos", "zs",
))  # fmt: skip
"""Forms only with full stops or strokes, `I/S` or `s.c.`: otherwise they are names."""
_AS_ALSO_WRITTEN = frozenset(("Bt.", "hf.", "eG"))
_FURTHER_FORMS = frozenset((
    "aktiebolag", "aktiengesellschaft", "asbl", "berhad", "bhd", "cjsc", "clg", "coltd", "commv", "cvba", "cyf", "dmcc", "ekfm",
    "eireli", "eirl", "enk", "eood", "epp", "flexco", "fz-llc", "fzco", "fze", "gag", "gbr", "gesbr", "ggmbh", "gug",
    "handelsbolag", "ivs", "jsc", "kdor", "kkt", "kommanditbolag", "lda", "limitada", "lllp", "ltee", "mchj", "mmc", "nyrt", "ohf",
    "ojsc", "ood", "opc", "osk", "partg", "partgmbb", "pbc", "pjsc", "pllc", "pvt", "qsc", "sagl", "sarl-s", "sasu", "scarl",
    "scsp", "sgps", "slf", "spj", "sprl", "srl-d", "srls", "tbk", "teoranta", "tmi", "uab", "ulc", "vzw", "\u03b1\u03b5",
    "\u03b5\u03c0\u03b5", "\u03b9\u03ba\u03b5", "\u03bc\u03b9\u03ba\u03b5", "тоо", "\u0435\u043e\u043e\u0434",
    "\u043e\u043e\u0434", '\u05d1\u05e2"\u05de', "\u05d1\u05e2\u05f4\u05de", "\u0630\u0645\u0645", "\u0634\u0645\u0645",
    "\u0627\u0644\u0645\u062d\u062f\u0648\u062f\u0629",
)) | _SEVERAL_WORDS | _ALSO_WORDS | _ONLY_WITH_MARKS  # fmt: skip
"""Beside those by which entries of the do-not-contact list are compared, which must stay as they are stored."""
_FORMS = LEGAL_FORMS - {"company"} | FORM_IN_FRONT | _FURTHER_FORMS
_FORMS_IN_FRONT = frozenset((
    "ooo", "oao", "zao", "pao", "pjsc", "uab", "oü", "sarl", "eurl", "sasu", "oy", "pt.", "\u0442\u043e\u0432",
    "\u0442\u043e\u043e", "\u0438\u043f", "\u0444\u043e\u043f", "чп", "прат", "შპს", "սպը", "cv.",
)) | FORM_IN_FRONT  # fmt: skip
"""Written in capitals before the name; any other only before a name in quotes: `SIA "Riga"`."""
_IN_FRONT_TOO = frozenset(("SC", "S.C.", "S.C"))
"""Romanian, only together with a form behind: `SC Dunav SRL`."""
_NO_COMPANY = frozenset((
    "self employed", "selfemployed", "freelance", "freelancer", "freelancing", "independent", "unemployed", "retired", "student",
    "confidential", "stealth", "undisclosed", "between jobs", "currently seeking", "various", "private", "privat",
    "open to work", "career break", "sabbatical", "parental leave", "maternity leave", "paternity leave",
    "selbstständig", "selbständig", "freiberuflich", "freiberufler", "freiberuflerin", "freischaffend", "im ruhestand",
    "rentner", "rentnerin", "arbeitssuchend", "elternzeit", "vertraulich", "indépendant", "indépendante", "auto entrepreneur",
    "travailleur indépendant", "travailleuse indépendante", "profession libérale", "retraité", "retraitée", "confidentiel",
    "autónomo", "autónoma", "trabajador autónomo", "por cuenta propia", "autônomo", "autônoma", "conta própria",
    "libero professionista", "libera professionista", "lavoratore autonomo", "lavoratrice autonoma", "zelfstandig",
    "zelfstandige", "zzp", "egenföretagare", "egen företagare", "självständig", "självanställd", "selvstendig",
    "selvstendig næringsdrivende", "selvstændig", "yrittäjä", "samozatrudnienie", "osoba samozatrudniona", "osvč", "serbest",
    "serbest çal\u0131şan",
    "\u0444\u0440\u0438\u043b\u0430\u043d\u0441", "\u0441\u0430\u043c\u043e\u0437\u0430\u043d\u044f\u0442\u044b\u0439",
    "\u30d5\u30ea\u30fc\u30e9\u30f3\u30b9", "自営業", "自由职业", "프리랜서",
))  # fmt: skip
"""What people and their networks write where somebody has no employer, or does not say, without signs."""
_NO_COMPANY_IN_WORDS = re.compile(
    r"(?:freelancer?|self ?employed|independent)(?: (?:consultant|contractor|professional|advisor|researcher|artist))+"
    r"|(?:freelancer?|self ?employed)(?: (?:\w+ )?(?:designer|developer|engineer|writer|editor|photographer|translator|recruiter))"
    r"|(?:freiberuflich|selbstst?ändig) tätig"
    r"|stealth(?: mode)?(?: \w+){0,2} start ?up|stealth (?:mode|company|venture|project)|confidential (?:company|client|employer)"
    r"|(?:(?:actively|currently) )?(?:looking|seeking|searching)(?: for)?(?: an?| my)?(?: new| next)?"
    r" (?:job|role|opportunity|opportunities|position|challenge|work)"
)
_BETWEEN_SUCH = re.compile(r"[/|,&+()]|\s(?:and|or|und|et)\s")
_WORD = re.compile(r"[^\W_]+")
_MOST_WORDS = 5
"""Of which the longest form consists: `S. de R.L. de C.V.`."""
_AND_COMPANY = re.compile(r"(\w+?)(&|\+|und|u|and)co(\w*)")
_AND = frozenset(("&", "+", "and", "und", "et", "y", "e", "og"))
_NO_NAME = frozenset(("the", "der", "die", "das", "le", "la", "les", "el", "il"))

_WITHOUT_BLANK = "株式会社|有限会社|合同会社|一般社団法人|주식회사|유한회사|[(\uff08](?:株|有|주)[)\uff09]|㈱|㈲|㈜"
_FORM_WITHOUT_BLANK = re.compile(
    rf"^(?:{_WITHOUT_BLANK})\s*|\s*(?:{_WITHOUT_BLANK}|股份有限公司|有限责任公司|有限公司)$"
)
_BRACKETED = re.compile(r"(?:^|(?<=\s))[(\[\uff08][^()\[\]\uff08\uff09]*(?:[)\]\uff09]|$)")
_PHRASE_IN_FRONT = re.compile(
    r"^(?:C\u00f4ng ty (?:TNHH(?: MTV)?|C\u1ed5 ph\u1ea7n|CP)|CTCP|\u0e1a\u0e23\u0e34\u0e29\u0e31\u0e17)\s+"
    r"|\s+\u0e08\u0e33\u0e01\u0e31\u0e14(?:\s*\(\u0e21\u0e2b\u0e32\u0e0a\u0e19\))?$",
    re.IGNORECASE,
)
"""Vietnamese and Thai."""
_ADDRESS = re.compile(r"(?:https?://(?:www\.)?|www\.)((?:[\w-]+\.)+\w{2,})/?", re.IGNORECASE)
_BEHIND = re.compile(r"[|\u2022]|\s[\u00b7]\s")
_PLACE = re.compile(r",\s|\s[-\u2013\u2014]\s")
_QUOTES = "\"'\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a\u2018\u2019`\u00b4"
_QUOTED = re.compile(rf"[{_QUOTES}]([^{_QUOTES}]+)[{_QUOTES}]")
_STRAY = " ,;:/\\-\u2013\u2014\u00b7*_"
_MARKS = re.compile(r"[.,;/\s]")
_PLAIN = re.compile(r"[A-Za-z]{2,}")


@lru_cache(maxsize=8192)  # a list of leads has few companies, and many people of each
def company_in_text(name: str) -> str:
    """The name as one would say it: `Data` for `Data, Inc.`, `Müller` for `Müller GmbH & Co. KG`; else as it is.

    Nothing for `Self-employed` and its like: `at Self-employed` says to everybody that a machine wrote.
    """
    if _is_no_company(name):
        return ""
    if _PLAIN.fullmatch(name):
        return name
    if "&" in name:
        name = html.unescape(name)
    if address := _ADDRESS.fullmatch(name.strip()):
        return address[1]
    short_name = _FORM_WITHOUT_BLANK.sub("", _PHRASE_IN_FRONT.sub("", _without_ornaments(name)))
    short_name = _without_brackets(_BEHIND.split(short_name, maxsplit=1)[0])
    if _is_no_company(short_name):
        return ""
    before = ""
    while short_name != before:
        before, short_name = short_name, _without_stray_marks(_without_form(_without_place(short_name)))
    return short_name if any(map(str.isalnum, short_name)) else " ".join(name.split())


def _is_no_company(name: str) -> bool:
    """Whether all of it says that there is no employer: `Freelance / Self-employed \U0001f680`, `Stealth AI Startup`."""
    parts = (" ".join(_WORD.findall(part)) for part in _BETWEEN_SUCH.split(name.casefold()))
    filled_parts = [part for part in parts if part]
    return bool(filled_parts) and all(
        part in _NO_COMPANY or _NO_COMPANY_IN_WORDS.fullmatch(part) for part in filled_parts
    )


def _without_ornaments(name: str) -> str:
    """Without emoji, signs of trademarks, and what cannot be seen."""
    if not name.isascii():
        plain_characters = (character for character in name if not _is_ornament(character))
        name = "".join(plain_characters)
    return " ".join(name.split())


def _is_ornament(character: str) -> bool:
    category = unicodedata.category(character)
    return (category == "So" and character not in "㈱㈲㈜") or category in ("Cf", "Sk") or character == "\ufe0f"


def _without_brackets(name: str) -> str:
    before = ""
    while name != before:  # brackets in brackets
        before, name = name, " ".join(_BRACKETED.sub("", name).split())
    return name or before


def _without_place(name: str) -> str:
    """Without what stands behind a legal form: `Acme GmbH, Berlin`."""
    for match in _PLACE.finditer(name):
        front = name[: match.start()]
        if _without_form(front) != front:
            return front
    return name


def _without_form(name: str) -> str:
    words = name.split(" ")
    for count in range(min(_MOST_WORDS, len(words) - 1), 0, -1):
        rest = words[:-count]
        if _is_form(words[-count:], rest) and rest[-1].casefold() not in _NO_NAME:
            return " ".join(rest[1:] if len(rest) > 1 and rest[0] in _IN_FRONT_TOO else rest)
    front, behind = words[0], " ".join(words[1:])
    is_form = front.casefold() in _FORMS_IN_FRONT and (front.isupper() or not front.isascii())
    if behind and (is_form or front in ("Oy", "Tmi")):
        return behind
    if front.isupper() and _MARKS.sub("", front).casefold() in _FORMS and _QUOTED.fullmatch(behind):
        return behind
    return name


def _is_form(words: list[str], behind: list[str]) -> bool:
    """Whether these words, behind others, are a legal form and nothing else."""
    parts = [_MARKS.sub("", word) for word in words]
    key = without_accents("".join(parts)).casefold()
    together = _AND_COMPANY.fullmatch(key)
    if together and (len(words) > 1 or together[2] in "&+"):
        return together[1] in _FORMS and (not together[3] or together[3] in _FORMS)
    if key not in _FORMS:
        return False
    if len(words) > 1:
        return key in _SEVERAL_WORDS or all(len(part) == 1 for part in parts)
    if key == "co":
        return behind[-1].casefold() not in _AND and not words[0].islower()
    written = words[0].strip(",;")
    if re.search(r"\w[./]\w", written) or written in _AS_ALSO_WRITTEN:
        return True
    if key in _ONLY_WITH_MARKS:
        return False
    if key not in _ALSO_WORDS:
        return key not in _SEVERAL_WORDS or key in LEGAL_FORMS or key == "partgmbb"
    return not (written.rstrip(".").islower() or written.rstrip(".").istitle() or written == "SPA")


def _without_stray_marks(name: str) -> str:
    name = name.strip(_STRAY)
    if quoted := _QUOTED.fullmatch(name):
        name = quoted[1].strip()
    last = name.rpartition(" ")[2]
    return name[:-1] if last.endswith(".") and "." not in last[:-1] and len(name) > 1 else name
