"""Changes of the sequence of a running campaign: how the new one is merged with the one in force, and whom it affects.

A step keeps its key. One that is taken out stays in its place, `removed`, so that it is known who is past it and nobody gets a
step twice. One that is moved forward is added again before the steps that it overtakes, and stays in its old place, `removed`,
under another key: whoever is between the two places has had it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from backend.domain.model.condition import BASE_FIELDS, MOST_CONDITIONS, Condition, Look, ask
from backend.domain.model.lead import Lead
from backend.domain.model.message import MessageStatus
from backend.domain.model.sequence import (
    FOR_THEM,
    LONGEST_SEQUENCE,
    MOST_KEPT,
    MOST_VARIANTS,
    OWN,
    Sequence,
    Step,
    StepKind,
    Variant,
)
from backend.domain.model.site import Relation
from backend.domain.model.variables import Recipient, fill
from backend.domain.values.errors import OutriderError


class RequestedVariant(BaseModel):
    """A variant of a step's text that the user asks for; without a `key` it is new."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    key: str = Field(default="", pattern=r"^[b-z]?$")
    template: str = Field(max_length=4_000)


class RequestedStep(BaseModel):
    """A step that the user asks for; without a `key` it is new."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    key: str = Field(default="", pattern=r"^([a-z][a-z0-9_]{0,31})?$")
    kind: StepKind
    after_days: int = Field(default=0, ge=0, le=90)
    template: str = Field(default="", max_length=4_000)
    variants: tuple[RequestedVariant, ...] = Field(default=(), max_length=MOST_VARIANTS - 1)
    only_if: tuple[Condition, ...] = Field(default=(), max_length=MOST_CONDITIONS)


class RequestedSequence(BaseModel):
    """The steps that the user asks for, in order, and after how many days the waits between them end."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)

    steps: tuple[RequestedStep, ...] = Field(min_length=1, max_length=LONGEST_SEQUENCE)
    accept_within_days: int = Field(default=21, ge=1, le=90)
    final_wait_days: int = Field(default=5, ge=1, le=60)


def as_request(sequence: Sequence) -> RequestedSequence:
    """The sequence in force in the form in which a user would ask for it."""
    return RequestedSequence(
        steps=tuple(
            RequestedStep(
                key=step.key,
                kind=step.kind,
                after_days=step.after_days,
                template=step.template,
                variants=tuple(
                    RequestedVariant(key=variant.key, template=variant.template)
                    for variant in step.variants
                    if not variant.removed
                ),
                only_if=step.only_if,
            )
            for step in sequence.live
        ),
        accept_within_days=sequence.accept_within_days,
        final_wait_days=sequence.final_wait_days,
    )


def as_first_version(sequence: Sequence) -> Sequence:
    """The steps in force as the first version of another campaign's sequence."""
    steps = tuple(step.model_copy(update={"number": None}) for step in sequence.live)
    return sequence.model_copy(update={"steps": steps, "version": 1})


def new_sequence(requested: RequestedSequence) -> Sequence:
    """The first sequence of a campaign, behind a look at the profile; raises `sequence_invalid`."""
    only_visit = Sequence(steps=(Step(key="visit", kind="visit"),))
    # A variant that is kept has its letter from the campaign that it comes from: here it is new.
    steps = [
        step.model_copy(update={"variants": tuple(variant.model_copy(update={"key": ""}) for variant in step.variants)})
        for step in requested.steps
        if step.kind != "visit"
    ]
    if len(steps) >= LONGEST_SEQUENCE:
        raise OutriderError("sequence_invalid", why=f"it can have {LONGEST_SEQUENCE - 1} steps beside the look")
    visit = RequestedStep(key="visit", kind="visit")
    return as_first_version(changed_sequence(only_visit, requested.model_copy(update={"steps": (visit, *steps)})))


def changed_sequence(current: Sequence, requested: RequestedSequence) -> Sequence:
    """The current sequence changed to the requested one; the current one itself if nothing differs. Raises `sequence_invalid`."""
    _refuse_disorder(current, requested)
    if as_request(current) == requested:
        return current
    current_steps = [
        step.model_copy(update={"number": current.number_of(index)}) for index, step in enumerate(current.steps)
    ]
    new_steps = _with_keys(requested.steps, {step.key for step in current_steps})
    steps = _merged(current_steps, new_steps)
    if len(steps) > MOST_KEPT:
        raise OutriderError("sequence_invalid", why="it was changed too often; begin another campaign")
    return current.model_copy(
        update={
            "steps": tuple(steps),
            "accept_within_days": requested.accept_within_days,
            "final_wait_days": requested.final_wait_days,
            "version": current.version + 1,
        }
    )


def _refuse_disorder(current: Sequence, requested: RequestedSequence) -> None:
    kinds = {step.key: step.kind for step in current.steps}
    keys = [step.key for step in requested.steps if step.key]
    invitations = [index for index, step in enumerate(requested.steps) if step.kind == "invitation"]
    first_message = next(
        (index for index, step in enumerate(requested.steps) if step.kind == "message"), LONGEST_SEQUENCE
    )
    looks_first = current.live[0].kind == "visit"
    why = ""
    if len(set(keys)) < len(keys):
        why = "a step is there twice"
    elif any(step.kind != kinds.get(step.key, step.kind) for step in requested.steps):
        why = "a step cannot become one of another kind; take it out and put in a new one"
    elif len(invitations) > 1 or any(index > first_message for index in invitations):
        why = "only one invitation can be sent, before the messages"
    elif any(step.kind == "invitation" and step.after_days for step in requested.steps):
        why = "an invitation cannot wait for anything"
    elif looks_first and requested.steps[0].kind != "visit":
        why = "it begins with a look at the profile"
    elif current.user_reads and any(step.kind == "visit" for step in requested.steps):
        why = "you open each profile yourself, so it is no step"
    elif all(step.kind not in ("invitation", "message") for step in requested.steps):
        why = "it writes nothing"
    else:
        why = _misplaced(requested.steps) or _wrong_variants(current, requested)
    if why:
        raise OutriderError("sequence_invalid", why=why)


def _misplaced(steps: Many[RequestedStep]) -> str:
    """What is wrong with waits and the end, in words."""
    for step, following in zip(steps, (*steps[1:], None), strict=True):
        if step.kind == "wait" and not step.after_days:
            return "a wait needs at least a day"
        if step.kind == "wait" and (following is None or following.kind == "end"):
            return "nothing follows the wait"
        if step.kind == "end" and following is not None and not step.only_if:
            return "nothing comes after the end"
        if len({condition.question for condition in step.only_if}) < len(step.only_if):
            return "a step asks the same twice"
        if step.kind in ("wait", "end") and step.template:
            return "a wait and the end say nothing"
    if steps[0].kind == "visit" and steps[0].only_if:
        return "the first look at the profile is for everybody"
    invitation = next((index for index, step in enumerate(steps) if step.kind == "invitation"), len(steps))
    if any(condition.what == "accepted" for step in steps[: invitation + 1] for condition in step.only_if):
        return "whether they accept is only known after the invitation"
    return "it begins with a wait" if steps[0].kind == "wait" else ""


def _wrong_variants(current: Sequence, requested: RequestedSequence) -> str:
    """What is wrong with the variants, in words."""
    variant_keys = {step.key: {variant.key for variant in step.variants} for step in current.steps}
    for step in requested.steps:
        keys = [variant.key for variant in step.variants if variant.key]
        if step.variants and step.kind not in ("invitation", "message"):
            return "only what is written has variants"
        if len(set(keys)) < len(keys) or not variant_keys.get(step.key, set()).issuperset(keys):
            return "a variant is there twice, or was never there; a new one has no key"
        highest = max((ord(key) for key in variant_keys.get(step.key, ())), default=ord(OWN))
        if highest + len(step.variants) - len(keys) > ord("z"):
            return "the variants of a step were changed too often; put in a new step"
        texts = [step.template, *(variant.template for variant in step.variants)]
        if len(set(texts)) < len(texts):
            return "two variants say the same"
    return ""


def _with_keys(steps: Iterable[RequestedStep], taken: set[str]) -> list[RequestedStep]:
    """The steps, each with a key; a new one gets a key that no step of this campaign ever had."""
    steps = list(steps)
    taken = taken | {step.key for step in steps}
    keyed = []
    for step in steps:
        key, number = step.key, 1
        while not key or (key in taken and not step.key):
            key, number = f"{step.kind}_{number}", number + 1
        taken.add(key)
        keyed.append(step.model_copy(update={"key": key}))
    return keyed


def _merged(current_steps: list[Step], requested_steps: list[RequestedStep]) -> list[Step]:
    """The requested steps, with those that are no longer in force between them.

    New steps stand before a step that this change takes out: they take its place, for those who have not had it. They stand
    behind what was taken out earlier.
    """
    number = max((step.number or 0) for step in current_steps) + 1
    requested_by_key = {step.key: step for step in requested_steps}
    current_by_key = {step.key: step for step in current_steps}
    ahead = overtaking([step.key for step in current_steps], [step.key for step in requested_steps])
    taken = {*current_by_key, *requested_by_key}
    current_steps = [
        step.model_copy(update={"removed": True, "key": _old_key(step, taken)}) if step.key in ahead else step
        for step in current_steps
    ]
    merged: list[Step] = []
    remaining, new = list(current_steps), list[Step]()

    def until(key: str) -> None:
        while remaining and remaining[0].key != key:
            step = remaining.pop(0)
            if not step.removed:
                merged.extend(new)
                new.clear()
            merged.append(step.model_copy(update={"removed": True}))
        merged.extend(new)
        new.clear()

    current_keys = {step.key for step in current_steps}
    for step in requested_steps:
        if step.key not in current_keys:
            new.append(
                Step(
                    key=step.key,
                    kind=step.kind,
                    after_days=step.after_days,
                    template=step.template,
                    variants=_variants(current_by_key[step.key].variants if step.key in ahead else (), step.variants),
                    only_if=step.only_if,
                    number=number,
                )
            )
            number += 1
            continue
        until(step.key)
        current_step = remaining.pop(0)
        update = {
            "removed": False,
            "after_days": step.after_days,
            "template": requested_by_key[step.key].template,
            "variants": _variants(current_step.variants, step.variants),
            "only_if": step.only_if,
        }
        merged.append(current_step.model_copy(update=update))
    until("")
    return merged


def _old_key(step: Step, taken: set[str]) -> str:
    """The key, unused so far, under which a step that was moved stays in its old place."""
    number = step.number or 0
    while (key := f"{step.key[:20]}_was_{number}") in taken:
        number += 1
    taken.add(key)
    return key


def overtaking(before: Many[str], after: Many[str]) -> frozenset[str]:
    """The keys that now come before a key they used to follow; the others have kept their order."""
    indexes = {key: index for index, key in enumerate(before)}
    overtaking_keys, least = set(), len(before)
    for key in reversed([key for key in after if key in indexes]):
        if indexes[key] > least:
            overtaking_keys.add(key)
        least = min(least, indexes[key])
    return frozenset(overtaking_keys)


def _variants(current_variants: Many[Variant], requested_variants: Many[RequestedVariant]) -> tuple[Variant, ...]:
    """The requested variants, then the removed ones; a new one gets a key that no variant of the step ever had."""
    highest = max((ord(variant.key) for variant in current_variants), default=ord(OWN))
    variants = []
    for variant in requested_variants:
        highest += not variant.key
        variants.append(Variant(key=variant.key or chr(highest), template=variant.template))
    keys = {variant.key for variant in variants}
    return (
        *variants,
        *(variant.model_copy(update={"removed": True}) for variant in current_variants if variant.key not in keys),
    )


def why_text_fell(version: int) -> str:
    """Why a text was cancelled by a change of the sequence; undoing the change finds the text by this version."""
    return f"the sequence was changed to version {version}"


# --- what differs, and for whom ---


class Standing(StrEnum):
    """Whether a change of the sequence affects a lead."""

    UNPLANNED = "unplanned"
    RUNNING = "running"
    HELD = "held"
    OVER = "over"


class Position(NamedTuple):
    """Where a lead stands: the step it is past, its relation to the user, and whether its sequence still runs."""

    standing: Standing
    sequence_step: int | None
    relation: Relation
    answers: tuple[str, ...] = ()


class Change(StrEnum):
    """What becomes of a step that is still ahead of somebody."""

    ADDED = "added"
    REMOVED = "removed"
    TEXT = "text"
    WAIT = "wait"
    CONDITION = "condition"
    MOVED = "moved"


@dataclass(frozen=True, slots=True)
class StepChange:
    """A step still ahead that is another one after the change; days are how long is waited before it."""

    key: str
    kind: str
    change: Change
    days: int
    days_before: int


@dataclass(frozen=True, slots=True)
class TextFate:
    """A text that waits for the user or to be sent, and whether it is made again."""

    message_id: str
    lead_id: str
    step: str
    status: MessageStatus
    falls: bool


@dataclass(frozen=True, slots=True)
class GroupDifference:
    """People who stand alike: what comes next for them now and after the change ("" is the end), and all that differs."""

    standing: Standing
    next: str
    next_after: str
    people: int
    changes: tuple[StepChange, ...]
    texts_again: int = 0
    approvals_fall: int = 0
    waits_change: bool = False
    """Whether how long an acceptance or the last answer is waited for differs."""
    concerned: bool = False
    """Whether they get anything else, or at another time."""


@dataclass(frozen=True, slots=True)
class VariantShare:
    """How many people, of those who still have the step before them, get a variant; `others` of them got other words before."""

    step: str
    variant: str
    people: int
    others: int


def variant_shares(
    before: Sequence, after: Sequence, people: Iterable[tuple[str, Position]], unchanged: Collection[tuple[str, str]]
) -> list[VariantShare]:
    """Who gets which variant of the steps whose variants differ; `unchanged` are (lead, step) of texts that stay as they are."""
    steps_before = {step.key: step for step in before.live}
    differing_steps = [step for step in after.live if len(step.texts) > 1 or step.variants]
    differing_steps = [
        step
        for step in differing_steps
        if step.key not in steps_before or steps_before[step.key].texts.keys() != step.texts.keys()
    ]
    counts: dict[tuple[str, str], list[int]] = {
        (step.key, key): [0, 0] for step in differing_steps for key in step.texts
    }
    ahead: dict[Position, frozenset[str]] = {}
    for lead_id, position in people if differing_steps else ():
        if position not in ahead:
            ahead[position] = frozenset(step.key for step in _ahead(after, position))
        for step in differing_steps:
            if step.key not in ahead[position] or (lead_id, step.key) in unchanged:
                continue
            variant = step.variant_of(lead_id) or OWN
            variant_before = (steps_before[step.key].variant_of(lead_id) or OWN) if step.key in steps_before else ""
            counts[step.key, variant][0] += 1
            counts[step.key, variant][1] += variant != variant_before
    return [VariantShare(step, key, *numbers) for (step, key), numbers in counts.items()]


@dataclass(frozen=True, slots=True)
class ConditionShare:
    """For how many, of those who still have the step before them, it is as things stand now; of `later` that is not known yet."""

    step: str
    yes: int
    no: int
    later: int


def condition_shares(
    before: Sequence, after: Sequence, people: Callable[[], Iterable[tuple[Lead, Position]]]
) -> list[ConditionShare]:
    """Who would meet the conditions that are new; nobody is looked at if none is."""
    conditions_before = {step.key: step.only_if for step in before.live}
    differing_steps = [step for step in after.live if step.only_if and conditions_before.get(step.key) != step.only_if]
    counts = {step.key: [0, 0, 0] for step in differing_steps}
    ahead: dict[Position, frozenset[str]] = {}
    for lead, position in people() if differing_steps else ():
        if position not in ahead:
            ahead[position] = frozenset(step.key for step in _ahead(after, position))
        for step in differing_steps:
            if step.key in ahead[position]:
                counts[step.key][_meets(after, step, lead)] += 1
    return [ConditionShare(key, *numbers) for key, numbers in counts.items()]


def _meets(sequence: Sequence, step: Step, lead: Lead) -> int:
    """0 if it is for them as things stand, 1 if not, 2 if that is not known yet."""
    open_ = False
    for condition in step.only_if:
        if condition.what == "accepted" and lead.invited_at is None:
            open_ = True
            continue
        answer = ask(condition, lead, sequence.check_every_hours)
        if isinstance(answer, Look):
            open_ = True
        elif not condition.holds(answer):
            return 1
    return 2 if open_ else 0


def refuse_unknown_fields(sequence: Sequence, columns: Collection[str]) -> None:
    """Raises `sequence_invalid` for a condition on something that no lead file said of anybody."""
    for step in sequence.live:
        for condition in step.only_if:
            if condition.what == "field" and condition.name not in BASE_FIELDS and condition.name not in columns:
                available = ", ".join(f"{{{name}}}" for name in (*BASE_FIELDS, *columns))
                why = f"there is no {{{condition.name}}} to go by; there are {available}"
                raise OutriderError("sequence_invalid", why=why)


class OpenText(NamedTuple):
    """A text that was not sent, with its reader."""

    message_id: str
    lead_id: str
    step: str
    status: MessageStatus
    position: Position
    to: Recipient
    variant: str = ""


NOT_CONNECTED = "not_connected"
"""What comes next for somebody who is to get a message, and is neither invited nor connected: the end."""


def next_for(sequence: Sequence, position: Position) -> str:
    """The key of the step that comes next; "" when none does, `not_connected` when none can."""
    index, _, open_condition = sequence.way(position.sequence_step, position.relation, position.answers)
    if index >= len(sequence.steps):
        return ""
    step = sequence.steps[index]
    cut_off = position.relation is Relation.NONE and not sequence.user_reads and open_condition is None
    return NOT_CONNECTED if step.kind == "message" and cut_off else step.key


def text_falls(before: Sequence, after: Sequence, text: OpenText, topic: str) -> bool:
    """Whether a text is made again: its step is gone, is not ahead of this person any more, or says something else to them."""
    step_before = next((step for step in before.steps if step.key == text.step), None)
    step = next((step for step in after.live if step.key == text.step), None)
    if step is None or step_before is None or after.place_of(step.key) < after.place_after(text.position.sequence_step):
        return True
    if after.fit(after.place_of(step.key), text.position.answers) != FOR_THEM:
        return True  # it is asked first whether the step is for them
    key = text.variant or OWN
    template = step.texts.get(key)
    if template is None:
        return True
    template_before = step_before.texts.get(key, template)
    return template != template_before and fill(template, text.to, topic) != fill(template_before, text.to, topic)


def differences(
    before: Sequence, after: Sequence, people: Mapping[Position, int], texts: Iterable[tuple[OpenText, bool]]
) -> list[GroupDifference]:
    """What the change means for whom, largest group first; `texts` says of each whether it falls."""
    again: dict[_Alike, int] = {}
    fall: dict[_Alike, int] = {}
    for text, falls in texts:
        if falls:
            alike = _alike(before, after, text.position)
            again[alike] = again.get(alike, 0) + 1
            fall[alike] = fall.get(alike, 0) + (text.status is MessageStatus.APPROVED)
    counts: dict[_Alike, int] = {}
    for position, count in people.items():
        alike = _alike(before, after, position)
        counts[alike] = counts.get(alike, 0) + count
    groups = [
        GroupDifference(
            alike.standing,
            alike.next,
            alike.next_after,
            count,
            alike.changes,
            again.get(alike, 0),
            fall.get(alike, 0),
            alike.waits,
            concerned=bool(alike.changes or alike.waits or again.get(alike, 0) or alike.next != alike.next_after),
        )
        for alike, count in counts.items()
    ]
    return sorted(groups, key=lambda group: (not group.concerned, -group.people, group.standing, group.next))


def is_in_group(before: Sequence, after: Sequence, position: Position, group: GroupDifference) -> bool:
    """Whether who stands there is one of the group."""
    kind = (group.standing, group.next, group.next_after, group.changes, group.waits_change)
    return _alike(before, after, position) == kind


class _Alike(NamedTuple):
    standing: Standing
    next: str
    next_after: str
    changes: tuple[StepChange, ...]
    waits: bool


def _alike(before: Sequence, after: Sequence, position: Position) -> _Alike:
    if position.standing is Standing.OVER:
        return _Alike(position.standing, "", "", (), waits=False)
    next_before, next_after = next_for(before, position), next_for(after, position)
    ends = NOT_CONNECTED in (next_before, next_after)
    changes = () if ends and next_before == next_after else _changes(_ahead(before, position), _ahead(after, position))
    return _Alike(position.standing, next_before, next_after, changes, _waits_differ(before, after, position))


def _waits_differ(before: Sequence, after: Sequence, position: Position) -> bool:
    invites = any(step.kind == "invitation" for step in _ahead(after, position))
    accepts = before.accept_within_days != after.accept_within_days and (
        position.relation is Relation.PENDING or invites
    )
    return accepts or before.final_wait_days != after.final_wait_days


def _ahead(sequence: Sequence, position: Position) -> Many[Step]:
    if next_for(sequence, position) == NOT_CONNECTED:
        return ()
    invited = position.relation is not Relation.NONE
    ahead = []
    for index in range(sequence.place_after(position.sequence_step), len(sequence.steps)):
        step = sequence.steps[index]
        fit = sequence.fit(index, position.answers)
        if step.removed or fit.skipped:
            continue
        if step.kind == "end" and fit.open is None:
            break
        if not (invited and step.kind == "invitation"):
            ahead.append(step)
    return ahead


def _changes(before: Many[Step], after: Many[Step]) -> tuple[StepChange, ...]:
    steps_before = {step.key: step for step in before}
    changes = [
        StepChange(step.key, step.kind, Change.REMOVED, step.after_days, step.after_days)
        for step in before
        if step.key not in {new_step.key for new_step in after}
    ]
    ahead = overtaking([step.key for step in before], [step.key for step in after])
    for step in after:
        step_before = steps_before.get(step.key)
        if step_before is None:
            changes.append(StepChange(step.key, step.kind, Change.ADDED, step.after_days, step.after_days))
            continue
        if step_before.texts != step.texts:
            changes.append(StepChange(step.key, step.kind, Change.TEXT, step.after_days, step_before.after_days))
        if step_before.only_if != step.only_if:
            changes.append(StepChange(step.key, step.kind, Change.CONDITION, step.after_days, step_before.after_days))
        if step.key in ahead:
            changes.append(StepChange(step.key, step.kind, Change.MOVED, step.after_days, step_before.after_days))
        if step_before.after_days != step.after_days:
            changes.append(StepChange(step.key, step.kind, Change.WAIT, step.after_days, step_before.after_days))
    return tuple(changes)
