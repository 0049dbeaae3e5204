"""The formats we can read, each one entry: how its header is recognised and what its columns mean."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from backend.adapters.leadfiles.column_names import MAY_BE_FIRST, USUAL_COLUMN_NAMES
from backend.adapters.leadfiles.linkedin_date import linkedin_date
from backend.domain.people.lead_row import FURTHER_FIELDS
from backend.domain.people.past_contact import CONNECTED_DATE_UNKNOWN
from backend.domain.values.hidden_characters import as_it_looks
from backend.domain.values.written_date import written_date

_PUNCTUATION = re.compile(r"[\W_]+")
_SPLIT_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class LeadFormat:
    """A kind of lead file. Its columns are spelt as `column_key` spells them."""

    name: str
    """Stable."""
    signature: frozenset[str]
    """Columns that must all be present."""
    columns: Mapping[str, Sequence[str]]
    """Field of LeadRow -> the columns that may hold it, best first. Of addresses, the first that is one counts in each row."""
    read_date: Callable[[str], str | None]
    zip_member: str
    """The name under which a zip usually holds it: tried first there, never trusted."""
    contact: Mapping[str, str] = field(default_factory=dict)
    """What happened between the person and the user (`PastContact`) -> the column with its day; empty: it did not."""
    lists_connections: bool = False
    """Whoever stands in it is a connection of the user's, whatever became of the date."""
    is_our_export: bool = False
    """Cells are as `csv_cell` wrote them, `further fields` holds the rest in JSON, and no other column is read."""


_ALTERNATIVES = re.compile(r"[/|;]")
_REMARK = re.compile(r"\s*\((?:required|optional)\)\s*$", re.IGNORECASE)
"""Of a template for an import."""


def column_key(cell: str) -> str:
    """A header cell as signatures spell it: words in lower case, so that `jobTitle`, `job_title` and `Job Title` are one."""
    shown = _REMARK.sub("", as_it_looks(cell))
    words = _PUNCTUATION.sub(" ", _SPLIT_WORDS.sub(" ", shown)).strip().lower()
    return words.replace("linked in", "linkedin") or shown.lower()


def _iso_date(text: str) -> str | None:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return None


def _any_date(text: str) -> str | None:
    if day := linkedin_date(text):
        return day
    written = written_date(text)
    return written.day or None if written else None


def _own_date(text: str) -> str | None:
    return text if text == CONNECTED_DATE_UNKNOWN else _iso_date(text)


_LINKEDIN_URL = (
    "linkedin url",
    "linkedin profile url",
    "linkedin profile",
    "linkedin",
    "person linkedin url",
    "linkedin link",
)


def _tool(name: str, *signatures: frozenset[str], **columns: Sequence[str]) -> tuple[LeadFormat, ...]:
    """The files of one tool, by each set of columns that tells them; names and LinkedIn address as most tools call them."""
    usual = {
        "full_name": ("full name",),
        "first_name": ("first name",),
        "last_name": ("last name",),
        "profile_url": _LINKEDIN_URL,
    }
    return tuple(LeadFormat(name, signature, usual | columns, _any_date, "") for signature in signatures)


_OTHER_TOOLS: tuple[LeadFormat, ...] = (
    *_tool(
        "apollo",
        frozenset({"first name", "last name", "person linkedin url"}),
        profile_url=("person linkedin url",),
        email=("email",),
        company=("company", "company name", "company name for emails"),
        job_title=("title",),
    ),
    *_tool(
        "evaboot",
        frozenset({"first name", "last name", "linkedin url public", "sales navigator url"}),
        profile_url=("linkedin url public", "linkedin url unique id", "sales navigator url"),
        email=("email",),
        company=("company name",),
        job_title=("current job",),
    ),
    *_tool(
        "dux_soup",
        frozenset({"visit time", "profile", "first name", "last name"}),
        frozenset({"profile", "sales profile", "first name", "last name", "degree"}),
        profile_url=("profile", "sales profile"),
        email=("email",),
        company=("company",),
        job_title=("title",),
        tags=("my tags",),
    ),
    *_tool(
        "linked_helper",
        frozenset({"profile url", "full name", "member distance"}),
        frozenset({"public id", "hash id", "full name"}),
        frozenset({"profile url", "full name", "organization 1", "organization title 1"}),
        profile_url=("profile url", "public profile url", "sn profile url"),
        email=("email", "third party email 1"),
        company=("current company", "organization 1"),
        job_title=("current company position", "organization title 1"),
        tags=("tags",),
    ),
    *_tool(
        "heyreach",
        frozenset({"profile url", "first name", "last name", "lead connection status"}),
        frozenset({"profile url", "first name", "last name", "lead campaign status"}),
        frozenset({"profile url", "first name", "last name", "lead message status"}),
        profile_url=("profile url",),
        email=("email address", "email", "enriched email"),
        company=("company name", "company"),
        job_title=("position", "job title"),
        tags=("tags",),
    ),
    *_tool(
        "la_growth_machine",
        frozenset({"pro email", "perso email"}),
        full_name=("full name", "fullname"),
        first_name=("firstname", "first name"),
        last_name=("lastname", "last name"),
        email=("pro email", "perso email"),
        company=("company name", "company"),
        job_title=("job title", "jobtitle", "occupation"),
    ),
    *_tool(
        "waalaxy",
        frozenset({"first name", "last name", "linkedin url", "occupation"}),
        frozenset({"first name", "last name", "linkedin url", "prospect list"}),
        frozenset({"first name", "last name", "waalaxy status"}),
        email=("email", "pro email", "professional email", "personal email"),
        company=("company name", "company"),
        job_title=("job title", "occupation"),
        tags=("tags",),
    ),
    *_tool(
        "expandi",
        frozenset({"profile link", "first name", "last name"}),
        full_name=("full name", "name"),
        profile_url=("profile link", "public identifier link", "linkedin url"),
        email=("email", "work email", "personal email"),
        company=("company name", "company"),
        job_title=("job title", "title"),
        tags=("tags",),
    ),
    *_tool(
        "lemlist",
        frozenset({"email", "first name", "lead state"}),
        frozenset({"email", "first name", "last name", "icebreaker"}),
        frozenset({"first name", "last name", "linkedin url", "lead state"}),
        email=("email",),
        company=("company name", "company"),
        job_title=("job title", "position", "title"),
    ),
    *_tool(
        "salesloft",
        frozenset({"first name", "last name", "cadences"}),
        frozenset({"first name", "last name", "person stage"}),
        frozenset({"first name", "last name", "do not contact", "last replied at"}),
        email=("email address", "primary email address", "email", "secondary email address"),
        company=("company", "company name", "account", "account name"),
        job_title=("title", "job title"),
        tags=("tags",),
    ),
    *_tool(
        "pipedrive",
        frozenset({"person name"}),
        frozenset({"person first name", "person last name"}),
        *(frozenset({name}) for name in ("personne nom", "persona nombre", "persoon naam", "pessoa nome")),
        full_name=("person name", "personne nom", "persona nombre", "persoon naam", "pessoa nome"),
        first_name=("person first name", "person vorname"),
        last_name=("person last name", "person nachname"),
        profile_url=(*(f"person {name}" for name in _LINKEDIN_URL), "person linkedin profil", "person im linkedin"),
        email=(
            "person email work", "person email home", "person email other", "person email", "person e mail arbeit", "person e mail",
            "personne e mail travail", "persona correo electrónico trabajo", "persoon e mail werk", "pessoa e mail trabalho",
        ),
        company=(
            "person organization", "person organisation", "organization name", "personne organisation", "persona organización",
            "persoon organisatie", "pessoa organização",
        ),
        job_title=("person job title", "person title", "person position"),
        tags=("person label", "person labels"),
    ),
    *_tool(
        "zoho",
        frozenset({"record id", "first name", "last name", "lead owner"}),
        frozenset({"record id", "first name", "last name", "contact owner id"}),
        email=("email", "secondary email"),
        company=("company", "account name"),
        job_title=("title",),
    ),
    *_tool(
        "hubspot",
        frozenset({"record id", "first name", "last name"}),
        frozenset({"record id contact", "first name", "last name"}),
        frozenset({"contact id", "first name", "last name", "lifecycle stage"}),
        email=("email", "work email"),
        company=("company name", "associated company", "primary company", "primary associated company name", "company"),
        job_title=("job title",),
        profile_url=(*_LINKEDIN_URL, "hs linkedin url", "linkedin bio"),
    ),
    *_tool(
        "salesforce",
        frozenset({"first name", "last name", "email opt out"}),
        frozenset({"first name", "last name", "has opted out of email"}),
        frozenset({"first name", "last name", "account name", "lead source"}),
        frozenset({"first name", "last name", "company account"}),
        frozenset({"first name", "last name", "account id"}),
        frozenset({"first name", "last name", "lead id", "lead status"}),
        email=("email",),
        company=("account name", "company account", "company"),
        job_title=("title",),
        profile_url=(*_LINKEDIN_URL, "linkedin url c", "linkedin profile c", "linkedin c"),
    ),
    *_tool(
        "google_contacts",
        frozenset({"first name", "last name", "e mail 1 value"}),
        frozenset({"given name", "family name", "e mail 1 value"}),
        frozenset({"first name", "last name", "phonetic first name", "organization name"}),
        full_name=("name",),
        first_name=("first name", "given name"),
        last_name=("last name", "family name"),
        profile_url=("website 1 value", "website 2 value", "website 3 value"),
        email=("e mail 1 value", "e mail 2 value", "e mail 3 value"),
        company=("organization name", "organization 1 name"),
        job_title=("organization title", "organization 1 title"),
    ),
    *_tool(
        "outlook_contacts",
        frozenset({"first name", "last name", "e mail address", "e mail 2 address"}),
        frozenset({"first name", "last name", "e mail address", "web page"}),
        frozenset({"first name", "last name", "business phone", "web page"}),
        frozenset({"vorname", "nachname", "e mail adresse", "webseite"}),
        first_name=("first name", "vorname"),
        last_name=("last name", "nachname"),
        profile_url=("web page", "personal web page", "business web page", "webseite"),
        email=("e mail address", "e mail 2 address", "e mail 3 address", "e mail adresse"),
        company=("company", "firma"),
        job_title=("job title", "position"),
    ),
    *_tool(
        "phantombuster",
        frozenset({"linkedin profile url", "linkedin headline", "first name", "last name"}),
        frozenset({"profile url", "full name", "first name", "vmid"}),
        frozenset({"profile url", "full name", "first name", "connection degree"}),
        frozenset({"linkedin profile", "full name", "first name", "headline"}),
        full_name=("full name", "linkedin full name", "name"),
        profile_url=(
            "default profile url", "linkedin profile url", "linkedin profile", "public profile url", "profile url", "profile link",
            "vmid",
        ),
        email=("professional email", "email", "linkedin email", "mail", "mail from dropcontact"),
        company=("company name", "company", "linkedin company name"),
        job_title=("linkedin job title", "job title", "title", "job", "linkedin headline"),
    ),
)  # fmt: skip
"""What other tools export. Their headers vary with version and settings, so a signature is the smallest set that tells."""


FORMATS: tuple[LeadFormat, ...] = (
    LeadFormat(  # before LinkedIn's own, whose columns it has, too
        name="outrider_exchange",
        signature=frozenset({"full name", "linkedin url", "lead id", "last sent on", "exchange", FURTHER_FIELDS}),
        columns={
            "full_name": ("full name",),
            "profile_url": ("linkedin url",),
            "email": ("email",),
            "company": ("company",),
            "job_title": ("title",),
            "connected_on": ("connected on",),
            "tags": ("tags",),
        },
        read_date=_own_date,
        zip_member="leads with messages.csv",
        contact={"answered": "replied on", "written_to": "last sent on", "invited": "invited on"},
        is_our_export=True,
    ),
    LeadFormat(
        name="outrider_export",
        signature=frozenset({"full name", "profile url", "weight score", "priority override", FURTHER_FIELDS}),
        columns={
            name: (name.replace("_", " "),)
            for name in ("full_name", "profile_url", "email", "company", "job_title", "connected_on", "tags")
        },
        read_date=_own_date,
        zip_member="leads.csv",
        is_our_export=True,
    ),
    LeadFormat(
        name="phantombuster_sales_navigator",
        signature=frozenset({"profile url", "full name", "vmid", "default profile url"}),
        columns={
            "full_name": ("full name", "name"),
            "first_name": ("first name",),
            "last_name": ("last name",),
            # Its own `profileUrl` leads to Sales Navigator, and is read for the member's number in it.
            "profile_url": ("default profile url", "linkedin profile url", "vmid", "profile url"),
            "company": ("company name",),
            "job_title": ("title",),
        },
        read_date=_any_date,
        zip_member="",
    ),
    *_OTHER_TOOLS,
    LeadFormat(
        name="linkedin_connections",
        signature=frozenset({"first name", "last name", "connected on"}),
        columns={
            "first_name": ("first name",),
            "last_name": ("last name",),
            "profile_url": ("url",),
            "email": ("email address",),
            "company": ("company",),
            "job_title": ("position",),
            "connected_on": ("connected on",),
        },
        read_date=_any_date,
        zip_member="connections.csv",
        lists_connections=True,
    ),
)
"""The first whose signature fits counts."""

MAPPED = "mapped"
"""The name of a format of the user's making."""

LINKEDIN = next(lead_format for lead_format in FORMATS if lead_format.lists_connections)
"""LinkedIn's own Connections.csv."""


def recognise(header: Sequence[str], formats: Sequence[LeadFormat] = FORMATS) -> LeadFormat | None:
    """The first format whose signature the header holds."""
    keys = {column_key(cell) for cell in header}
    return next((lead_format for lead_format in formats if lead_format.signature <= keys), None)


def guess_columns(header: Sequence[str]) -> dict[str, str]:
    """Field -> the column that is probably it."""
    names = {name: cell for cell in reversed(header) for name in _names_of_one_field(cell)}
    names |= {column_key(cell): cell for cell in reversed(header)}
    columns = {
        field: next((names[name] for name in usual if name in names), None)
        for field, usual in USUAL_COLUMN_NAMES.items()
    }
    guessed = {field: cell for field, cell in columns.items() if cell is not None}
    if (
        "last_name" in guessed
        and "first_name" not in guessed
        and column_key(guessed.get("full_name", "")) in MAY_BE_FIRST
    ):
        guessed["first_name"] = guessed.pop("full_name")  # “Nome” beside “Cognome”
    if "full_name" in guessed and "first_name" in guessed and "last_name" not in guessed:
        guessed["last_name"] = guessed.pop("full_name")  # “Vorname” beside “Name”
    return guessed


def _names_of_one_field(cell: str) -> Sequence[str]:
    """The names in a heading such as “Rolle / Position”, if all of them are names of the same field."""
    names = [column_key(name) for name in _ALTERNATIVES.split(cell)]
    same = any(set(names) <= set(usual) for usual in USUAL_COLUMN_NAMES.values())
    return names if same else ()


def format_from_mapping(mapping: Mapping[str, str]) -> LeadFormat:
    """A format of the user's making: field -> the column it is read from."""
    columns = {field: (column_key(cell),) for field, cell in mapping.items() if field in USUAL_COLUMN_NAMES}
    return LeadFormat(
        name=MAPPED,
        signature=frozenset(name for names in columns.values() for name in names),
        columns=columns,
        read_date=_any_date,
        zip_member="",
    )
