"""The web address in a cell that wraps it: a spreadsheet formula, a Markdown or HTML link, brackets, quotes, punctuation."""

import html
import re
from urllib.parse import unquote

from backend.adapters.leadfiles.csv_records import cell_text
from backend.domain.values.hidden_characters import as_it_looks

# Each takes the address out of one way to write a link. The first that fits counts.
_LINKS = (
    # `=HYPERLINK("address","text")`: the function's name and the separator depend on the spreadsheet's language. Or `="address"`.
    re.compile(r"""'?=\s*(?:[^\W\d][\w.]*\()?\s*"+([^"]+)"+\s*(?:[,;].*)?\)?""", re.DOTALL),
    re.compile(r"""<a\s[^>]*?href\s*=\s*["']?\s*([^"'\s>]+)[^>]*>.*""", re.DOTALL | re.IGNORECASE),
    re.compile(r"""!?\[.*\]\(\s*<?([^\s<>]+?)>?(?:\s+["'(].*)?\s*\)""", re.DOTALL),  # Markdown
    re.compile(r"""<(?:URL:)?\s*([^\s<>|]+)(?:\|[^<>]*)?>""", re.IGNORECASE),  # plain text, e-mail, Slack
)
_LINK_BEGINS = tuple("'=<![")
_LONGEST_LINK = 4_096
_ESCAPED = re.compile(r"https?%3A%2F%2F", re.IGNORECASE)
_OPENING = "\"'`<([{\u2018\u201c\u201e\u00ab\u2039"
_CLOSING = "\"'`>]}.,;:!?\u2019\u201d\u00bb\u203a\u3002\uff0c\uff1b"
# What a display cut off is no address any more, and neither is what climbs out of its own path.
_CUT_OFF = re.compile(r"""(?:\u2026|\.\.)["'>\])]*$""")


EMAIL = re.compile(r"[^@\s]+@[^@\s]+")


NOBODYS_EMAIL = re.compile(
    r"(?:email_not_unlocked|no[-._]?e?mail|no[-._]?reply|do[-._]?not[-._]?reply|none|undefined|unknown"
    r"|not[-._]?(?:available|found|known|provided))@.*"
    r"|(abc|email|example|mail|na|no|null|test|xxx)@(?:\1|e?mail|example|test)\.\w+",
    re.IGNORECASE,
)
"""What tools and people write where an address has to stand and there is none: whoever has it in common is not one person."""


# What a formula shows: `="text"`, by which spreadsheets keep numbers as text, and the second part of a link.
_SHOWN = re.compile(r"""=\s*(?:[^\W\d][\w.]*\(\s*"(?:[^"]|"")*"\s*[,;]\s*)?"((?:[^"]|"")*)"\s*\)?""")


_BETWEEN_EMAILS = re.compile(r"\s*(?::::|[;,|])\s*|\s+")
_AROUND_EMAILS = "[]'\""
_AROUND_EMAIL = "'\"\u2018\u2019\u201c\u201d<>\uff1c\uff1e.,;:|"
_OF_A_LIST = ("[", "{")
_EMAIL_WITHIN = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
"""In a list as programs write it, or behind a link's text."""

_LINK_OF_NOTION = re.compile(r" \((?:https://www\.notion\.so/[^()\s]+|[^()]*%20[0-9a-f]{32}\.md)\)")
"""Behind the title of a related page, in an export of Notion's."""
_SIGN_OF_A_PAGE = re.compile(r"&(?:[a-z]{2,8}|#\d{2,6}|#x[0-9a-f]{2,5});", re.IGNORECASE)
_GUARDED = re.compile(r"'[=+\-@]")


def holds_several(text: str) -> bool:
    """Whether more than one e-mail address stands in a cell."""
    if text.startswith(_OF_A_LIST):
        return len(set(_EMAIL_WITHIN.findall(text))) > 1
    return text.count("@") > 1 and (text.count("<") > 1 or not EMAIL.fullmatch(written_email(text)))


def first_email(text: str) -> str:
    """The first e-mail address of a cell that holds several, otherwise as `written_email`."""
    if text.startswith(_OF_A_LIST) or not holds_several(text):
        return written_email(text)
    parts = (written_email(part.strip(_AROUND_EMAILS)) for part in _BETWEEN_EMAILS.split(text))
    return next((part for part in parts if EMAIL.fullmatch(part)), text)


def written_email(text: str) -> str:
    """The e-mail address in a cell, without a name before it or what a link puts there."""
    if text.startswith("="):
        text = address_in(text)
    elif text.endswith(">"):
        text = text[text.rfind("<") + 1 : -1]
    elif text.startswith(_OF_A_LIST) and (found_email := _EMAIL_WITHIN.search(text)):
        return found_email[0]
    text = text.replace("\uff20", "@").strip(_AROUND_EMAIL)  # as Japanese keyboards type it; as Outlook writes it
    if text[:7].lower() == "mailto:":
        return text[7:].partition("?")[0]
    return text


def email_within(text: str) -> str:
    """The first e-mail address among other words, or behind a label; the text itself if there is none."""
    match = _EMAIL_WITHIN.search(text)
    return match[0] if match else text


def shown(text: str) -> str:
    """What a spreadsheet or a page would show of a cell: without a guard against formulas, without the spelling of a formula."""
    if _GUARDED.match(text):
        return text[1:]
    if text.endswith(")"):
        text = _LINK_OF_NOTION.sub("", text)
    if _SIGN_OF_A_PAGE.search(text):
        text = cell_text(html.unescape(html.unescape(text)))  # some export twice
    return shown_by_formula(text)


def shown_by_formula(text: str) -> str:
    """What a spreadsheet shows for a formula that holds it; the text itself if it is no such formula."""
    match = _SHOWN.fullmatch(text) if text.startswith("=") else None
    return match[1].replace('""', '"').strip() if match else text


def without_hidden_ends(text: str) -> str:
    """The text without blanks, and without what nobody sees that came along when it was copied, before it or behind it."""
    while (text := text.strip()) and not as_it_looks(text[0]).strip():
        text = text[1:]
    while text and not as_it_looks(text[-1]).strip():
        text = text[:-1]
    return text


def address_in(text: str) -> str:
    """The address without what is written around it; the text itself if there is nothing, empty if the address is cut off."""
    text = without_hidden_ends(text).replace("\\:", ":")  # as Google's old contacts have it
    if text.startswith(_LINK_BEGINS) and len(text) <= _LONGEST_LINK:
        match = next(filter(None, (link.fullmatch(text) for link in _LINKS)), None)
        text = html.unescape(match[1]).strip() if match else text
    if _ESCAPED.match(text):
        text = unquote(text)
    text = text.lstrip(_OPENING)
    return "" if _CUT_OFF.search(text) else without_closing_punctuation(text)


def without_closing_punctuation(text: str) -> str:
    """The text without what ends a sentence or a quotation; a bracket that the last part of its path opens is its own."""
    while text:
        last_part = text[text.rfind("/") + 1 :]
        is_unopened = text[-1] == ")" and last_part.count(")") > last_part.count("(")
        if text[-1] not in _CLOSING and not is_unopened:
            break
        text = text[:-1].rstrip()
    return text
