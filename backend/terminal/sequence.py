"""`outrider sequence`: a campaign's sequence, and changing it while it runs: the difference first, then applied whole."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer
from pydantic import ValidationError

from backend.app.wiring import open_workspace
from backend.commands.sequences import SequenceDifference, difference, previous_sequence
from backend.domain.model.campaign import Campaign
from backend.domain.model.sequence import Sequence, Step
from backend.domain.sequence.sequence_change import (
    NOT_CONNECTED,
    GroupDifference,
    RequestedSequence,
    StepChange,
    as_request,
)
from backend.domain.values.errors import OutriderError
from backend.machine.settings import AppSettings
from backend.runtime.run.rehearsal import clock_of
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import campaigns
from backend.store.queries.campaign import sequence_people as people
from backend.terminal import campaign_status
from backend.terminal.output import TerminalOutput, columns

MOST_BYTES = 200_000


def show_sequence(output: TerminalOutput, settings: AppSettings, id_or_name: str) -> None:
    """The steps in force, and how many are where."""
    with open_workspace(settings) as workspace, workspace.database.read() as connection:
        campaign = _campaign(connection, id_or_name)
        sequence = campaign.settings.sequence
        counts = people.positions(connection, campaign.id, stops=sequence.stop_on_reply)
        texts = people.texts_by_step(connection, campaign.id)
    here: dict[str, int] = {}
    for position, count in counts.items():
        step_index = sequence.next_place(position.sequence_step, position.relation, position.answers)
        where = position.standing.value
        if where == "running":
            where = sequence.steps[step_index].key if step_index < len(sequence.steps) else "ending"
        here[where] = here.get(where, 0) + count
    rows = [
        (
            step.key,
            _kind(step),
            _days(step),
            f"{here.get(step.key, 0):,} here",
            f"{texts[step.key].sent if step.key in texts else 0:,} sent",
            f"only if {' and '.join(condition.words for condition in step.only_if)}" if step.only_if else "",
        )
        for step in sequence.live
    ]
    ends = [(f"{here.get(name, 0):,}", description) for name, description in _ELSEWHERE]
    lines = [f"Version {sequence.version}", *columns(rows), "", *columns(ends)]
    json_result = {"campaign": campaign.id, "version": sequence.version, "people": here}
    output.result(lines, {**json_result, "sequence": as_request(sequence).model_dump(mode="json")})


_ELSEWHERE = (
    ("unplanned", "have not begun"),
    ("ending", "wait for a last answer"),
    ("held", "are held"),
    ("over", "are through"),
)


def change_sequence(
    output: TerminalOutput, settings: AppSettings, id_or_name: str, file: Path | None, *, apply: bool
) -> None:
    """What the sequence in the file would change; with `apply` it is put in force. Without a file the last change is undone."""
    file_sequence = None if file is None else read_sequence(file)
    with open_workspace(settings) as workspace:
        with workspace.database.read() as connection:
            campaign = _campaign(connection, id_or_name)
            version = campaign.settings.sequence.version
            goal = file_sequence if file_sequence is not None else previous_sequence(connection, campaign.id)
            if goal is None:
                raise OutriderError("sequence_unchanged")
            sequence_difference = difference(
                connection, campaign, goal, takes_back=version if file_sequence is None else None
            )
        json_result = _machine(campaign, sequence_difference)
        if not apply:
            is_other = sequence_difference.after is not sequence_difference.before
            ending = ["", "Nothing was changed; add --apply to put it in force."] if is_other else []
            output.result([*_lines(sequence_difference), *ending], json_result)
            return
        commands = workspace.commands(clock_of(workspace, campaign.id)).sequences
        takes_back = version if file_sequence is None else None
        applied = commands.change(campaign.id, requested_sequence=goal, version=version, takes_back=takes_back)
    output.result(
        [*_lines(sequence_difference), "", f"Version {applied.version} is in force."],
        {**json_result, "applied": asdict(applied)},
    )


def read_sequence(file: Path) -> RequestedSequence:
    """The sequence in a JSON file: alone, or as `outrider sequence CAMPAIGN --json` prints it."""
    try:
        text = file.read_bytes()
        if len(text) > MOST_BYTES:
            raise typer.BadParameter(f"{file.name} is larger than {MOST_BYTES:,} bytes.")
        return RequestedSequence.model_validate_json(_sequence_alone(text))
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


def _campaign(connection: DatabaseConnection, id_or_name: str) -> Campaign:
    return campaigns.existing_campaign(connection, campaign_status.find_campaign(connection, id_or_name).id)


def _lines(difference: SequenceDifference) -> list[str]:
    if difference.after is difference.before:
        return ["That is the current sequence."]
    concerned = [group for group in difference.groups if group.concerned]
    untouched = sum(group.people for group in difference.groups) - sum(group.people for group in concerned)
    rows = [(f"{group.people:,}", _where(group, difference.before), _what(group, difference)) for group in concerned]
    rewritten_texts = difference.falling
    approved = sum(text.status == "approved" for text in rewritten_texts)
    return [
        f"This affects {sum(group.people for group in concerned):,} people; {untouched:,} are not affected.",
        *columns(rows, indent="  "),
        *(
            f"{share.step}: for {share.yes:,} as things stand, not for {share.no:,}, not known yet of {share.later:,}."
            for share in difference.conditions
        ),
        *(
            f"{share.step}, variant {share.variant.upper()}: {share.people:,} people,"
            f" {share.others:,} of them would have got another."
            for share in difference.variants
        ),
        f"Messages rewritten: {len(rewritten_texts):,}; approvals withdrawn: {approved:,};"
        f" unchanged: {len(difference.texts) - len(rewritten_texts):,}.",
        *([f"Messages back in Review: {len(difference.restored):,}."] if difference.restored else []),
        *([f"Sends under way, not affected: {difference.in_flight:,}."] if difference.in_flight else []),
    ]


def _where(group: GroupDifference, before: Sequence) -> str:
    if group.standing == "unplanned":
        return "not started"
    if group.next in ("", NOT_CONNECTED):
        return "wait for a last answer" if not group.next else "not connected"
    return f"{'held' if group.standing == 'held' else 'next'}: {group.next}"


def _what(group: GroupDifference, difference: SequenceDifference) -> str:
    parts = [_sentence(step_change) for step_change in group.changes]
    if group.next_after != group.next and group.next_after in ("", NOT_CONNECTED):
        parts.append("then nothing more")
    elif group.next_after != group.next:
        parts.append(f"next is {group.next_after}")
    if group.waits_change:
        after = difference.after
        parts.append(f"waits {after.accept_within_days} days to be accepted, {after.final_wait_days} for a last answer")
    if group.texts_again:
        parts.append(f"{group.texts_again:,} messages rewritten, {group.approvals_fall:,} approvals withdrawn")
    return "; ".join(parts)


def _sentence(step_change: StepChange) -> str:
    if step_change.kind == "wait":
        days_before = {"added": 0, "removed": step_change.days}.get(step_change.change, step_change.days_before)
        return f"wait {0 if step_change.change == 'removed' else step_change.days} days instead of {days_before}"
    if step_change.kind == "end" and step_change.change in ("added", "removed"):
        return f"{'an' if step_change.change == 'added' else 'no'} end before what follows"
    match step_change.change:
        case "added":
            return f"get {step_change.key}"
        case "removed":
            return f"do not get {step_change.key}"
        case "moved":
            return f"{step_change.key} earlier"
        case "condition":
            return f"{step_change.key} on other conditions"
        case "text":
            return f"{step_change.key} with other words"
        case _:
            return f"{step_change.key} after {step_change.days} days instead of {step_change.days_before}"


def _machine(campaign: Campaign, difference: SequenceDifference) -> dict[str, Any]:
    groups = [
        {**asdict(group), "changes": [asdict(step_change) for step_change in group.changes]}
        for group in difference.groups
    ]
    rewritten_texts = difference.falling
    return {
        "campaign": campaign.id,
        "version": difference.before.version,
        "unchanged": difference.after is difference.before,
        "groups": groups,
        "texts_again": [text.message_id for text in rewritten_texts],
        "approvals_fall": sum(text.status == "approved" for text in rewritten_texts),
        "restored": [message_id for message_id, _, _ in difference.restored],
        "in_flight": difference.in_flight,
        "variants": [asdict(share) for share in difference.variants],
        "conditions": [asdict(share) for share in difference.conditions],
    }
