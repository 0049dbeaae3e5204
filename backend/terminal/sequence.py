"""`outrider sequence`: a campaign's sequence, and changing it while it runs: the difference first, then applied whole."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer
from pydantic import ValidationError

from backend.commands.sequences import SequenceDifference, difference, previous_sequence
from backend.domain.campaign import Campaign
from backend.domain.errors import OutriderError
from backend.domain.sequence import Sequence, Step
from backend.domain.sequence_change import NOT_CONNECTED, GroupDifference, StepChange, WantedSequence, wanted_of
from backend.runtime.rehearsal import clock_of
from backend.settings import AppSettings
from backend.store.database import DatabaseConnection
from backend.store.queries import campaigns
from backend.store.queries import sequence_people as people
from backend.terminal import campaign_status
from backend.terminal.output import TerminalOutput, columns
from backend.wiring import open_workspace

MOST_BYTES = 200_000


def show_sequence(output: TerminalOutput, settings: AppSettings, wanted: str) -> None:
    """The steps in force, and how many are where."""
    with open_workspace(settings) as workspace, workspace.database.read() as connection:
        campaign = _campaign(connection, wanted)
        sequence = campaign.settings.sequence
        counts = people.positions(connection, campaign.id, stops=sequence.stop_on_reply)
        texts = people.texts_by_step(connection, campaign.id)
    here: dict[str, int] = {}
    for position, count in counts.items():
        place = sequence.next_place(position.sequence_step, position.relation, position.answers)
        where = position.standing.value
        if where == "running":
            where = sequence.steps[place].key if place < len(sequence.steps) else "ending"
        here[where] = here.get(where, 0) + count
    rows = [
        (
            step.key,
            _kind(step),
            _days(step),
            f"{here.get(step.key, 0):,} here",
            f"{texts[step.key].sent if step.key in texts else 0:,} sent",
            f"only if {' and '.join(one.words for one in step.only_if)}" if step.only_if else "",
        )
        for step in sequence.live
    ]
    ends = [(f"{here.get(name, 0):,}", said) for name, said in _ELSEWHERE]
    lines = [f"Version {sequence.version}", *columns(rows), "", *columns(ends)]
    machine = {"campaign": campaign.id, "version": sequence.version, "people": here}
    output.result(lines, {**machine, "sequence": wanted_of(sequence).model_dump(mode="json")})


_ELSEWHERE = (
    ("unplanned", "have not begun"),
    ("ending", "wait for a last answer"),
    ("held", "are held"),
    ("over", "are through"),
)


def change_sequence(
    output: TerminalOutput, settings: AppSettings, wanted: str, file: Path | None, *, apply: bool
) -> None:
    """What the sequence in the file would change; with `apply` it is put in force. Without a file the last change is undone."""
    given = None if file is None else read_sequence(file)
    with open_workspace(settings) as workspace:
        with workspace.database.read() as connection:
            campaign = _campaign(connection, wanted)
            version = campaign.settings.sequence.version
            goal = given if given is not None else previous_sequence(connection, campaign.id)
            if goal is None:
                raise OutriderError("sequence_unchanged")
            found = difference(connection, campaign, goal, takes_back=version if given is None else None)
        told = _machine(campaign, found)
        if not apply:
            output.result([*_lines(found), "", "Nothing was changed; add --apply to put it in force."], told)
            return
        commands = workspace.commands(clock_of(workspace, campaign.id)).sequences
        takes_back = version if given is None else None
        applied = commands.change(campaign.id, wanted=goal, version=version, takes_back=takes_back)
    output.result([*_lines(found), "", f"Version {applied.version} is in force."], {**told, "applied": asdict(applied)})


def read_sequence(file: Path) -> WantedSequence:
    """The sequence in a JSON file: alone, or as `outrider sequence CAMPAIGN --json` prints it."""
    try:
        text = file.read_bytes()
        if len(text) > MOST_BYTES:
            raise typer.BadParameter(f"{file.name} is larger than {MOST_BYTES:,} bytes.")
        return WantedSequence.model_validate_json(_sequence_alone(text))
    except OSError as error:
        raise typer.BadParameter(f"{file.name} cannot be read: {error.strerror}.") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise OutriderError("sequence_invalid", why=f"{where}: {first['msg']}") from None


def _sequence_alone(text: bytes) -> bytes:
    """What stands under `sequence` beside the campaign's figures, or the text as it is, for the validation to judge."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return json.dumps(read["sequence"]).encode() if isinstance(read, dict) and "sequence" in read else text


def _kind(step: Step) -> str:
    kind = "invitation without a note" if step.without_note else step.kind
    return f"{kind}, {len(step.texts)} variants" if len(step.texts) > 1 else kind


def _days(step: Step) -> str:
    if not step.after_days:
        return ""
    return f"{step.after_days} days" if step.kind == "wait" else f"after {step.after_days} days"


def _campaign(connection: DatabaseConnection, wanted: str) -> Campaign:
    found = campaigns.campaign(connection, campaign_status.find_campaign(connection, wanted).id)
    assert found is not None  # noqa: S101 - it was just found
    return found


def _lines(found: SequenceDifference) -> list[str]:
    if found.after is found.before:
        return ["That is the current sequence."]
    concerned = [group for group in found.groups if group.concerned]
    untouched = sum(group.people for group in found.groups) - sum(group.people for group in concerned)
    rows = [(f"{group.people:,}", _where(group, found.before), _what(group, found)) for group in concerned]
    fell = found.falling
    approved = sum(text.status == "approved" for text in fell)
    return [
        f"This affects {sum(group.people for group in concerned):,} people; {untouched:,} are not affected.",
        *columns(rows, indent="  "),
        *(
            f"{one.step}: for {one.yes:,} as things stand, not for {one.no:,}, not known yet of {one.later:,}."
            for one in found.conditions
        ),
        *(
            f"{one.step}, variant {one.variant.upper()}: {one.people:,} people, {one.others:,} of them would have got another."
            for one in found.variants
        ),
        f"Messages rewritten: {len(fell):,}; approvals withdrawn: {approved:,}; unchanged: {len(found.texts) - len(fell):,}.",
        *([f"Messages back in Review: {len(found.restored):,}."] if found.restored else []),
        *([f"Sends under way, not affected: {found.in_flight:,}."] if found.in_flight else []),
    ]


def _where(group: GroupDifference, before: Sequence) -> str:
    if group.standing == "unplanned":
        return "not started"
    if group.next in ("", NOT_CONNECTED):
        return "wait for a last answer" if not group.next else "not connected"
    return f"{'held' if group.standing == 'held' else 'next'}: {group.next}"


def _what(group: GroupDifference, found: SequenceDifference) -> str:
    said = [_said(one) for one in group.changes]
    if group.next_after != group.next and group.next_after in ("", NOT_CONNECTED):
        said.append("then nothing more")
    elif group.next_after != group.next:
        said.append(f"next is {group.next_after}")
    if group.waits_change:
        after = found.after
        said.append(f"waits {after.accept_within_days} days to be accepted, {after.final_wait_days} for a last answer")
    if group.texts_again:
        said.append(f"{group.texts_again:,} messages rewritten, {group.approvals_fall:,} approvals withdrawn")
    return "; ".join(said)


def _said(one: StepChange) -> str:
    if one.kind == "wait":
        was = {"added": 0, "removed": one.days}.get(one.change, one.days_before)
        return f"wait {0 if one.change == 'removed' else one.days} days instead of {was}"
    if one.kind == "end" and one.change in ("added", "removed"):
        return f"{'an' if one.change == 'added' else 'no'} end before what follows"
    match one.change:
        case "added":
            return f"get {one.key}"
        case "removed":
            return f"do not get {one.key}"
        case "moved":
            return f"{one.key} earlier"
        case "condition":
            return f"{one.key} on other conditions"
        case "text":
            return f"{one.key} with other words"
        case _:
            return f"{one.key} after {one.days} days instead of {one.days_before}"


def _machine(campaign: Campaign, found: SequenceDifference) -> dict[str, Any]:
    groups = [{**asdict(group), "changes": [asdict(one) for one in group.changes]} for group in found.groups]
    fell = found.falling
    return {
        "campaign": campaign.id,
        "version": found.before.version,
        "unchanged": found.after is found.before,
        "groups": groups,
        "texts_again": [text.message_id for text in fell],
        "approvals_fall": sum(text.status == "approved" for text in fell),
        "restored": [message_id for message_id, _, _ in found.restored],
        "in_flight": found.in_flight,
        "variants": [asdict(one) for one in found.variants],
        "conditions": [asdict(one) for one in found.conditions],
    }
