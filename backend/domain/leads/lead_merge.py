"""What a row of a later file changes of a lead that is known, how that is taken back, and what of it is said again after a rebase.

Said again of the lead as another device has it by now, a field that this one changed stays; what a file says of earlier contact is
added to whatever else is known of it: nobody's knowledge of it is lost because another device came first.
"""

import json
from collections.abc import Mapping
from typing import NamedTuple

from backend.domain.events.events import Row
from backend.domain.events.facts.lead import MergedColumns
from backend.domain.leads.lead_edits import MOST_TAGS
from backend.domain.model.lead import LeadStatus
from backend.domain.people.contact_keys import further_addresses
from backend.domain.people.past_contact import PAST_CONTACT, kept_with

ADDRESS, EMAIL, GUESS, RETURNED = "profile address", "e-mail", "guess", "taken back before"
"""By what a row and a lead were found to be one person. A guess: the same name, company and date of connection.

`RETURNED`: the lead had been taken back with its import, and this row brought it again.
"""

TAKEN_BACK = "import_undone"
"""What a lead is blocked by whose import was undone; it is in no list and no count."""

MOVED = "moved"
"""What a lead is blocked by that the user moved to another campaign."""
GONE = frozenset({TAKEN_BACK, MOVED})
"""Leads blocked by one of these are in no list and no count of their campaign."""

EARLIER_ADDRESSES = "Earlier e-mail and profile"
"""The further column of addresses that a later file replaced: by them the person is known still."""

EXTRA, TAGS = "extra:", "tags"
_COLUMNS = ("job_title", "company", "email", "connected_on", "profile_url", "member_key")


class MergeFields(NamedTuple):
    """What a lead has that a file can change; the names are those of its columns."""

    job_title: str
    company: str
    email: str
    connected_on: str
    profile_url: str
    member_key: str
    extra: Mapping[str, str]
    tags: tuple[str, ...]


def changed_fields(recorded_fields: MergeFields, better: MergedColumns) -> tuple[dict[str, str], dict[str, str]]:
    """(Earlier, later) values by field, of those alone that change; further columns are called `extra:NAME`."""
    earlier: dict[str, str] = {}
    later: dict[str, str] = {}
    for name, value in better.items():
        if name == "extra":
            for column, new in better["extra"].items():
                if recorded_fields.extra.get(column) != new:
                    earlier[EXTRA + column], later[EXTRA + column] = recorded_fields.extra.get(column, ""), new
        elif name == TAGS:
            earlier[TAGS], later[TAGS] = json.dumps(list(recorded_fields.tags)), json.dumps(list(better["tags"]))
        else:
            earlier[name], later[name] = getattr(recorded_fields, name), str(value)
    return earlier, later


def with_earlier_addresses(recorded_fields: MergeFields, better: MergedColumns) -> MergedColumns:
    """The same changes, with a further column for each address of the person that would be gone by them.

    Somebody may be on the do-not-contact list by it, or come again in a file that has only that.
    """
    extra = better.get("extra", recorded_fields.extra)
    later_email = better.get("email", recorded_fields.email)
    before = further_addresses(recorded_fields.profile_url, recorded_fields.email, recorded_fields.extra)
    after = further_addresses(better.get("profile_url", recorded_fields.profile_url), later_email, extra)
    lost = [address for address in dict.fromkeys(before) if address and address not in after]
    if not lost:
        return better
    addresses = [*filter(None, [extra.get(EARLIER_ADDRESSES, "")]), *lost]
    return {**better, "extra": {**extra, EARLIER_ADDRESSES: " ".join(addresses)}}


def fields_before(now: MergeFields, earlier: Mapping[str, str], later: Mapping[str, str]) -> MergedColumns:
    """What takes a merge back: each field that is still as the file said becomes what it was before."""
    back: MergedColumns = {}
    for name in _COLUMNS:
        if name in later and getattr(now, name) == later[name]:
            back[name] = earlier[name]  # type: ignore[literal-required]  # the names are those of the columns
    extra = dict(now.extra)
    for name, value in later.items():
        column = name.removeprefix(EXTRA)
        if name.startswith(EXTRA) and extra.get(column) == value:
            extra.pop(column)
            if earlier[name]:
                extra[column] = earlier[name]
    if extra != now.extra:
        back["extra"] = extra
    if TAGS in later:
        came = set(json.loads(later[TAGS])) - set(json.loads(earlier[TAGS]))
        if tags := [tag for tag in now.tags if tag in came]:
            back["tags"] = [tag for tag in now.tags if tag not in tags]
    return back


Values = Mapping[str, str]
"""Field -> value; further columns are called `extra:NAME`, and tags are JSON."""

_CELLS = ("job_title", "company", "email", "connected_on")


def fields_of(row: Row) -> MergeFields:
    """What a row of `leads` has that a file can change."""
    job_title, company, email, connected_on = (str(row[name] or "") for name in _CELLS)
    profile_url, member_key = str(row["profile_url"]), str(row["member_key"])
    extra, tags = json.loads(str(row["extra"])), tuple(json.loads(str(row["tags"])))
    return MergeFields(job_title, company, email, connected_on, profile_url, member_key, extra, tags)


def said_by(imported: Mapping[str, object]) -> tuple[dict[str, str], dict[str, str]]:
    """(Earlier, later) values of a lead that a file began on one device, where it is there from another device's file."""
    later = {name: str(imported[name]) for name in _CELLS if imported.get(name)}
    extra, tags = imported.get("extra"), imported.get("tags")
    if isinstance(extra, Mapping):
        later |= {EXTRA + column: str(value) for column, value in extra.items()}
    earlier = dict.fromkeys(later, "")
    if isinstance(tags, list | tuple) and tags:
        earlier[TAGS], later[TAGS] = "[]", json.dumps(list(tags))
    return earlier, later


def merged_again(row: Row, earlier: Values, later: Values) -> MergedColumns:
    """What of a merge is still to be changed on the lead of this row; an address that names somebody is left as it is."""
    now = fields_of(row)
    better: MergedColumns = {}
    for name in _CELLS:
        value = later.get(name, "")
        if value and getattr(now, name) in {"", earlier[name]} - {value}:
            better[name] = value  # type: ignore[literal-required]  # the names are those of the columns
    extra, is_contacted = dict(now.extra), row["status"] != LeadStatus.PENDING
    for name, value in later.items():
        column = name.removeprefix(EXTRA)
        if name == EXTRA + PAST_CONTACT:
            if words := kept_with(extra.get(column, ""), value, is_contacted=is_contacted):
                extra[column] = words
        elif name.startswith(EXTRA) and extra.get(column, "") in ("", earlier[name]):
            extra[column] = value
    if extra != now.extra:
        better["extra"] = extra
    if TAGS in later:
        seen = {tag.casefold() for tag in now.tags}
        came = [tag for tag in json.loads(later[TAGS]) if tag not in json.loads(earlier[TAGS])]
        if new_tags := [tag for tag in came if tag.casefold() not in seen][: MOST_TAGS - len(now.tags)]:
            better["tags"] = [*now.tags, *new_tags]
    return with_earlier_addresses(now, better) if better else better
