"""What a file said of a lead on one device, said once more of the lead as another device has it by now.

A field that another device changed meanwhile stays as that one has it. What a file says of earlier contact is added to whatever
else is known of it: nobody's knowledge of it is lost because another device came first.
"""

import json
from collections.abc import Mapping

from backend.domain.events.events import Row
from backend.domain.events.facts.lead import MergedColumns
from backend.domain.leads.lead_edits import MOST_TAGS
from backend.domain.leads.lead_merge import EXTRA, TAGS, MergeFields, with_earlier_addresses
from backend.domain.model.lead import LeadStatus
from backend.domain.people.past_contact import PAST_CONTACT, kept_with

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
