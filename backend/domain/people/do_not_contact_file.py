"""What a row of a do-not-contact file means: whom it puts on the list, or why it puts nobody there.

The header of a column decides what its cells are; where it does not, the value does. A value that could be read in two ways, or
in none, is refused with its reason: nobody is put on the list by a guess.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from backend.domain.people.contact_keys import ContactKind, company_key, domain_key, mailbox_key
from backend.domain.values.hidden_characters import as_it_looks

Role = Literal[
    "kind", "value", "email", "profile", "domain", "company", "name", "first_name", "last_name", "reason", "added_on", "flag"
]  # fmt: skip
"""What the cells of a column are. `value`: the value itself decides; `flag`: whether the row is on that list at all."""

COLUMN_NAMES: Mapping[Role, Sequence[str]] = {
    "kind": ("kind", "type", "entry type", "art", "typ", "nature", "tipo", "clase", "soort", "especie"),
    "email": (
        "email", "e mail", "mail", "email address", "e mail address", "work email", "personal email", "business email",
        "emails", "e mails", "email addresses",
        "e mail adresse", "email adresse", "mailadresse", "mail adresse", "geschaftliche e mail",
        "courriel", "adresse e mail", "adresse email", "adresse mail", "adresse courriel", "adresse electronique",
        "adresse de messagerie",
        "correo", "correo electronico", "direccion de correo", "direccion de correo electronico", "direccion de email",
        "direccion email",
        "emailadres", "e mailadres", "e mail adres", "email adres", "mailadres",
        "endereco de email", "endereco de e mail", "correio eletronico", "correio electronico", "endereco email",
    ),
    "profile": (
        "linkedin", "linkedin url", "linkedin profile", "linkedin profile url", "linkedin address", "linkedin link",
        "person linkedin url", "profile", "profile url", "profile address", "profile link", "public profile url",
        "linkedin profil", "linkedin adresse", "profil", "profil url", "profiladresse", "profillink",
        "profil linkedin", "adresse linkedin", "url linkedin", "lien linkedin", "adresse du profil", "url du profil",
        "lien du profil", "url du profil linkedin",
        "perfil", "perfil de linkedin", "perfil linkedin", "direccion de linkedin", "enlace de linkedin", "url de linkedin",
        "direccion del perfil", "url del perfil", "enlace del perfil",
        "profiel", "linkedin profiel", "linkedin adres", "profieladres", "profiel url", "linkedinprofiel",
        "perfil do linkedin", "endereco do perfil", "url do perfil", "endereco do linkedin", "link do linkedin", "link do perfil",
    ),
    "domain": (
        "domain", "domains", "domain name", "company domain", "company domain name", "email domain", "e mail domain",
        "website", "web site", "company website", "company url", "website url", "homepage", "web",
        "domane", "domanen", "firmendomain", "webseite", "internetseite", "internetadresse", "firmenwebseite",
        "domaine", "domaines", "nom de domaine", "site", "site web", "site internet", "domaine de l entreprise",
        "dominio", "dominios", "sitio web", "pagina web", "sitio", "dominio de la empresa",
        "domein", "domeinen", "domeinnaam", "bedrijfsdomein", "bedrijfswebsite",
        "nome de dominio", "site da empresa", "dominio da empresa", "pagina da web",
    ),
    "company": (
        "company", "companies", "company name", "organization", "organisation", "organization name", "organisation name",
        "account", "account name", "employer", "business",
        "firma", "firmen", "firmenname", "unternehmen", "unternehmensname", "arbeitgeber",
        "entreprise", "entreprises", "societe", "nom de l entreprise", "nom de la societe", "raison sociale", "employeur",
        "empresa", "empresas", "compania", "nombre de la empresa", "organizacion", "razon social",
        "bedrijf", "bedrijven", "bedrijfsnaam", "organisatie", "onderneming", "werkgever",
        "companhia", "nome da empresa", "organizacao", "razao social",
    ),
    "name": (
        "name", "full name", "contact", "contact name", "person", "display name",
        "vollstandiger name", "ansprechpartner", "kontakt",
        "nom", "nom complet", "nom et prenom", "prenom et nom", "personne",
        "nombre", "nombre completo", "nombre y apellidos", "persona", "contacto",
        "naam", "volledige naam", "persoon", "contactpersoon",
        "nome", "nome completo", "pessoa", "contato",
    ),
    "first_name": ("first name", "firstname", "given name", "vorname", "prenom", "voornaam", "primeiro nome", "nombre de pila"),
    "last_name": (
        "last name", "lastname", "surname", "family name", "nachname", "familienname", "nom de famille", "apellido",
        "apellidos", "achternaam", "sobrenome", "apelido", "ultimo nome",
    ),
    "reason": (
        "reason", "why", "note", "notes", "comment", "comments", "remark",
        "grund", "begrundung", "bemerkung", "notiz", "kommentar", "anmerkung",
        "raison", "motif", "remarque", "commentaire",
        "razon", "motivo", "nota", "notas", "comentario",
        "reden", "opmerking", "notitie", "toelichting",
        "razao", "observacao",
    ),
    "added_on": (
        "added on", "added at", "date added", "hinzugefugt am", "ajoute le", "date d ajout", "anadido el", "agregado el",
        "toegevoegd op", "adicionado em",
    ),
    "flag": (
        "do not contact", "dnc", "unsubscribed", "opted out", "opt out", "email opt out", "blacklisted", "blocked",
        "nicht kontaktieren", "abgemeldet", "gesperrt",
        "ne pas contacter", "desabonne", "desinscrit",
        "no contactar", "dado de baja", "bloqueado",
        "niet benaderen", "niet contacteren", "uitgeschreven", "geblokkeerd",
        "nao contactar", "nao contatar", "descadastrado",
    ),
    "value": (
        "value", "entry", "entries", "blacklist", "blocklist", "block list", "do not contact list", "suppression list", "exclusion",
        "email or domain", "email domain or profile", "url", "link", "address",
        "wert", "eintrag", "sperrliste", "adresse",
        "valeur", "entree", "liste noire",
        "valor", "entrada", "direccion", "lista negra",
        "waarde", "invoer", "adres", "zwarte lijst",
        "endereco",
    ),
}  # fmt: skip
"""Role -> what its column is called in English, German, French, Spanish, Dutch and Portuguese; in words, without accents."""

_IDENTIFYING: frozenset[Role] = frozenset({"value", "email", "profile", "domain", "company", "name", "last_name"})
_PERSONS: frozenset[Role] = frozenset({"email", "profile", "first_name", "last_name"})
"""Columns that only a list of people has."""

ERASED_PERSON = "an erased person"
"""What the export calls somebody of whom only a key is left."""

Kind = Literal["person", "company", "domain", "erased"]
_KIND_WORDS: Mapping[Kind, frozenset[str]] = {
    "person": frozenset({
        "person", "people", "contact", "lead", "individual", "email", "e mail", "profile", "kontakt", "personne", "persona",
        "contacto", "persoon", "pessoa", "contato",
    }),
    "company": frozenset({
        "company", "organization", "organisation", "account", "firma", "unternehmen", "entreprise", "societe", "empresa",
        "compania", "bedrijf", "organisatie", "organizacion", "organizacao", "companhia",
    }),
    "domain": frozenset({"domain", "website", "domane", "domaine", "dominio", "domein"}),
    "erased": frozenset({ERASED_PERSON, "erased person"}),
}  # fmt: skip

OUR_COLUMNS = ("kind", "value", "name", "reason", "added on")
"""The header of our own export."""

REASONS = {
    "row_empty": "The row is empty.",
    "not_marked": "The column “{column}” does not say that this row is on the list.",
    "name_only": "A name alone identifies nobody: an e-mail address or a profile address is missing.",
    "person_unclear": "“{value}” is neither an e-mail address nor the address of a person's profile.",
    "email_unclear": "“{value}” is not an e-mail address.",
    "profile_unclear": "“{value}” is not the address of a person's profile.",
    "domain_unclear": "“{value}” is not a domain.",
    "domain_shared": "“{value}” belongs to everybody's site or mailbox. To list it all the same, add it on its own as a domain.",
    "company_unclear": "“{value}” is not a company's name.",
    "page_unclear": "“{value}” is the address of a page; whether it means a person or a whole domain, the row does not say.",
    "value_unclear": "“{value}” is not an e-mail address, a profile address or a domain, and no column says what it is.",
    "erased_key_unclear": "“{value}” is not the key of an erased person.",
}
"""Why a row puts nobody on the list; beside the reasons of `lead_row` for rows that cannot be read at all."""

SHARED_DOMAINS = frozenset({
    "gmail.com", "googlemail.com", "google.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "yahoo.com", "icloud.com",
    "me.com", "aol.com", "gmx.de", "gmx.net", "gmx.com", "gmx.at", "gmx.ch", "web.de", "t-online.de", "freenet.de",
    "orange.fr", "wanadoo.fr", "free.fr", "laposte.net", "sfr.fr", "hotmail.fr", "yahoo.fr", "hotmail.es", "yahoo.es",
    "telefonica.net", "ziggo.nl", "kpnmail.nl", "hotmail.nl", "planet.nl", "sapo.pt", "uol.com.br", "bol.com.br", "terra.com.br",
    "hotmail.co.uk", "yahoo.co.uk", "btinternet.com", "proton.me", "protonmail.com", "mail.com", "mail.ru", "yandex.ru", "qq.com",
    "163.com", "linkedin.com", "facebook.com", "instagram.com", "twitter.com", "x.com", "xing.com", "github.com", "youtube.com",
})  # fmt: skip
"""Domains of mailboxes and sites that people of any company use: a row without a kind does not mean everybody there."""

_NOTHING = frozenset({"", "-", "--", "–", "—", "n/a", "#n/a", "na", "null", "none", "nil", "undefined", "nan"})  # noqa: RUF001
_NO = frozenset({"", "0", "false", "no", "n", "nein", "falsch", "non", "faux", "falso", "nee", "onwaar", "nao", "f"})
_MAILBOX = re.compile(r"[^\s@<>()\[\]\",;:]+@([^\s@<>()\[\]\"',;:/]+)")
_LISTED_MAILBOX = re.compile(r"[^@\s]+@[^@\s]+")
"""What an entry of the list may be that our own export has."""
_BETWEEN = re.compile(r"[\s,;|]+")
_NAMED_MAILBOX = re.compile(r"[^<>]*<\s*([^<>]+?)\s*>")
_WHOLE_DOMAIN = re.compile(r"\*?@([^@\s]+)|(\*\.[^@\s]+)")
_LAST_LABEL = re.compile(r"[^\W\d_]{2,}|xn--[a-z0-9-]+", re.IGNORECASE)
_WITH_PATH = re.compile(r"(?:[a-z]+://)?+[^/?#\s]+[/?#]+[^/?#\s].*", re.IGNORECASE)
_LINKEDIN = re.compile(r"(?:https?://)?(?:[a-z]+\.)?linkedin\.com/.*", re.IGNORECASE)
_ERASED_KEY = re.compile(r"forgotten:[0-9a-f]{64}")
_NAME_KEY = re.compile(r"name:[^|]*\|.*\|[0-9-]*")
"""A name, a company, in whose name there may be a bar as well, and a day."""

ProfileAddress = Callable[[str], str | None]
"""The one spelling of a profile's address; None for what is none."""


@dataclass(frozen=True, slots=True)
class DoNotContactRow:
    """Who is put on the list, by which keys (`contact_keys`), with what is known; `added_on` in ms UTC, if the file says it."""

    line: int
    kind: ContactKind
    keys: tuple[str, ...]
    name: str = ""
    reason: str = ""
    added_on: int | None = None

    @property
    def is_erased(self) -> bool:
        """Whether only a key is left of the person, which fits in the workspace that it comes from."""
        return is_erased_key(self.keys[0])


class UnclearRowError(Exception):
    """The row puts nobody on the list; `code` is one of `REASONS`."""

    def __init__(self, code: str, value: str = "", column: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.reason = REASONS[code].format(value=value[:80], column=column)


def is_erased_key(key: str) -> bool:
    """Whether it is what stands on the list for a person whose data is erased."""
    return _ERASED_KEY.fullmatch(key) is not None


def folded_words(text: str) -> str:
    """Words of a header or a kind in lower case, without accents and punctuation."""
    plain = "".join(c for c in unicodedata.normalize("NFD", as_it_looks(text)) if not unicodedata.combining(c))
    return " ".join(re.sub(r"[\W_]+", " ", plain).casefold().split())


def roles_of(header: Sequence[str]) -> dict[int, Role]:
    """Column -> what its cells are, for those columns that are understood. `header` has each name in separate words."""
    by_name = {name: role for role, names in COLUMN_NAMES.items() for name in names}
    roles = {at: by_name[name] for at, cell in enumerate(header) if (name := folded_words(cell)) in by_name}
    if not any(role in _IDENTIFYING for role in roles.values()):
        return {at: "value" if role == "flag" else role for at, role in roles.items()}
    return roles


def is_header(roles: Mapping[int, Role]) -> bool:
    """Whether these columns can say who is meant."""
    return any(role in _IDENTIFYING for role in roles.values())


def is_our_export(header: Sequence[str]) -> bool:
    """Whether the file is what we exported."""
    return tuple(folded_words(cell) for cell in header) == OUR_COLUMNS


class RowReader:
    """Reads the rows of one file, whose header says what its columns are."""

    def __init__(
        self,
        roles: Mapping[int, Role],
        header: Sequence[str],
        profile_address: ProfileAddress,
        *,
        own_export: bool = False,
    ) -> None:
        """`own_export`: the file is our own export, whose values are keys as they are."""
        self._roles = roles
        self._header = header
        self._profile_address = profile_address
        self._own_export = own_export
        self._lists_people = any(role in _PERSONS for role in roles.values())

    def read(self, line: int, cells: Sequence[str]) -> DoNotContactRow:
        """Whom the row puts on the list. Raises `UnclearRowError`."""
        row = _Cells(self._roles, cells, frozenset({""}) if self._own_export else _NOTHING)
        if self._refuses(cells):
            raise UnclearRowError("not_marked", column=self._refuses(cells))
        kind, keys = self._meant(row)
        name = row.name
        if kind == "company" and not self._own_export:
            name = row.first("company") or row.name or row.first("value")
        return DoNotContactRow(
            line, kind, tuple(dict.fromkeys(keys)), name, row.first("reason"), _added_on(row.first("added_on"))
        )

    def _refuses(self, cells: Sequence[str]) -> str:
        """The column by which the row is not on the file's list; "" if there is none."""
        flags = [at for at, role in self._roles.items() if role == "flag"]
        unmarked = [at for at in flags if folded_words(cells[at] if at < len(cells) else "") in _NO]
        return self._header[unmarked[0]] if unmarked and len(unmarked) == len(flags) else ""

    def _meant(self, row: "_Cells") -> tuple[ContactKind, list[str]]:
        kind = _kind_of(row.first("kind"))
        if kind == "erased":
            return "person", [self._erased(row.first("value"))]
        if kind == "person":
            return "person", self._person(row)
        if kind == "company":
            return "company", [_company(row.first("company") or row.first("value") or row.name)]
        if kind == "domain":
            return "domain", [self._domain(row.first("domain") or row.first("value") or row.first("email"))]
        return self._by_columns(row)

    def _erased(self, value: str) -> str:
        if not is_erased_key(value):
            raise UnclearRowError("erased_key_unclear", value)
        return value

    def _domain(self, text: str) -> str:
        """Our own export may have one that is entered nowhere else, such as an address in numbers."""
        key = domain_key(text) if self._own_export else None
        return key or _domain(text)

    def _person(self, row: "_Cells") -> list[str]:
        texts = [*row.all("profile"), *row.all("email"), *row.all("value")]
        keys = [key for text in texts for key in self._person_keys(text)]
        if keys:
            return keys
        raise UnclearRowError("person_unclear", texts[0]) if texts else UnclearRowError("name_only")

    def _person_keys(self, text: str) -> list[str]:
        """Who is meant by a cell about a person; none if nobody can be told by it."""
        if self._own_export and (_LISTED_MAILBOX.fullmatch(text) or _NAME_KEY.fullmatch(text)):
            return [text]
        if mailboxes := _mailboxes(text):
            return mailboxes
        address = self._profile_address(as_it_looks(text))
        return [address] if address else []

    def _by_columns(self, row: "_Cells") -> tuple[ContactKind, list[str]]:
        """The headers decide: a person before a company, for a person's row tells their company, too."""
        mails, profiles = row.all("email"), row.all("profile")
        keys = [key for text in (*profiles, *mails) for key in self._person_keys(text)]
        if keys:
            return "person", keys
        if domains := [key for text in mails if (key := _whole_domain(text))]:
            return "domain", domains
        if mails or profiles:
            raise UnclearRowError("email_unclear", mails[0]) if mails else self._profile_unclear(profiles[0])
        companies, domains = row.all("company"), row.all("domain")
        if row.name and (companies or (domains and self._lists_people)):
            raise UnclearRowError("name_only")
        if companies or domains:
            return self._company_or_domain(companies, domains)
        for value in row.all("value"):
            return self._by_value(value)
        if not row.name:
            raise UnclearRowError("row_empty")
        if keys := _mailboxes(row.name) or ([row.name] if _LINKEDIN.fullmatch(row.name) else []):
            return self._by_value(row.name)
        raise UnclearRowError("name_only")

    def _company_or_domain(self, companies: list[str], domains: list[str]) -> tuple[ContactKind, list[str]]:
        """A company's row may tell its domain; one that everybody uses, such as its page at LinkedIn, does not count."""
        if not companies:
            return "domain", [_own_domain(text) for text in domains]
        keys = [_company(text) for text in companies]
        for text in domains:
            try:
                keys.append(_own_domain(text))
            except UnclearRowError:
                continue  # the row is listed by the company's name
        return "company", keys

    def _by_value(self, value: str) -> tuple[ContactKind, list[str]]:
        """The value decides, where no header does."""
        if is_erased_key(value):
            return "person", [value]
        if mailboxes := _mailboxes(value):
            return "person", mailboxes
        if whole := _whole_domain(value):
            return "domain", [whole]
        if _LINKEDIN.fullmatch(value):
            address = self._profile_address(as_it_looks(value))
            if address is None:
                raise self._profile_unclear(value)
            return "person", [address]
        if "@" not in value and _is_domain(value):
            if _WITH_PATH.fullmatch(value):
                raise UnclearRowError("page_unclear", value)
            return "domain", [_own_domain(value)]
        raise UnclearRowError("value_unclear", value)

    def _profile_unclear(self, value: str) -> UnclearRowError:
        return UnclearRowError("profile_unclear", value)


class _Cells:
    """The cells of a row by what they are; words that stand for nothing are left out."""

    def __init__(self, roles: Mapping[int, Role], cells: Sequence[str], nothing: frozenset[str]) -> None:
        self._texts: dict[Role, list[str]] = {}
        for at, role in roles.items():
            text = cells[at] if at < len(cells) else ""
            if as_it_looks(text).casefold() not in nothing:
                self._texts.setdefault(role, []).append(text)

    def all(self, role: Role) -> list[str]:
        return self._texts.get(role, [])

    def first(self, role: Role) -> str:
        return next(iter(self.all(role)), "")

    @property
    def name(self) -> str:
        """The person's, or the company's where the row is about one."""
        parts = f"{self.first('first_name')} {self.first('last_name')}".strip()
        return self.first("name") if not self.first("last_name") else parts


def _kind_of(text: str) -> Kind | None:
    words = folded_words(text)
    return next((kind for kind, names in _KIND_WORDS.items() if words in names), None)


def _mailboxes(text: str) -> list[str]:
    """The e-mail addresses in a cell that holds nothing else, in lower case."""
    shown = as_it_looks(text)
    if _WHOLE_DOMAIN.fullmatch(shown):
        return []
    if named := _NAMED_MAILBOX.fullmatch(shown):
        shown = named[1]
    parts = [part.removeprefix("mailto:") for part in _BETWEEN.split(shown.strip("\"' ").lower()) if part]
    matches = [_MAILBOX.fullmatch(part) for part in parts]
    mailboxes = [mailbox_key(mailbox[0]) or mailbox[0] for mailbox in matches if mailbox and _is_domain(mailbox[1])]
    return mailboxes if len(mailboxes) == len(parts) else []


def _whole_domain(text: str) -> str | None:
    """The key of `@acme.com`, `*@acme.com` or `*.acme.com`, which only mean a domain."""
    match = _WHOLE_DOMAIN.fullmatch(as_it_looks(text))
    return domain_key(match[1] or match[2]) if match and _is_domain(match[1] or match[2]) else None


def _is_domain(text: str) -> bool:
    """Whether it is one that a mailbox or a site could have: `3.5` and `10.0.0.1` are none."""
    key = domain_key(text)
    return key is not None and _LAST_LABEL.fullmatch(key.rpartition(".")[2]) is not None


def _domain(text: str) -> str:
    """The key of a domain that the row names as one."""
    key = domain_key(text) if _is_domain(text) else None
    if key is None:
        raise UnclearRowError("domain_unclear", text)
    return key


def _own_domain(text: str) -> str:
    """The same, unless people of any company use it."""
    key = _domain(text)
    if key.removeprefix("domain:") in SHARED_DOMAINS or _LINKEDIN.fullmatch(text):
        raise UnclearRowError("domain_shared", text)
    return key


def _company(text: str) -> str:
    key = company_key(text)
    if key is None:
        raise UnclearRowError("company_unclear", text)
    return key


def _added_on(text: str) -> int | None:
    """The day or time in ms UTC; only as ISO 8601 writes it, for any other spelling may be read in two ways."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return int((at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() * 1000)


@dataclass(frozen=True, slots=True)
class ExportedEntry:
    """An entry of the list as the export writes it; `created_at` in ms UTC."""

    member_key: str
    name: str
    reason: str
    created_at: int


def exported_row(entry: ExportedEntry, kind: ContactKind) -> tuple[str, ...]:
    """The cells of `OUR_COLUMNS`; a spreadsheet must still be kept from taking them for formulas."""
    added = datetime.fromtimestamp(entry.created_at // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if is_erased_key(entry.member_key):
        return (ERASED_PERSON, entry.member_key, "", "", added)
    value = entry.member_key.partition(":")[2] if kind != "person" else entry.member_key
    return (kind, value, _on_one_line(entry.name), _on_one_line(entry.reason), added)


def _on_one_line(text: str) -> str:
    """As a cell is read again."""
    return re.sub(r"[\t\n\r]+", " ", text.replace("\0", "")).strip(" ")
