"""A campaign's sequence: its steps with how many are where, its templates over all leads, and changing it while it runs."""

from collections.abc import Iterable
from itertools import islice

from pydantic import Field

from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.api.shapes import Named
from backend.commands.sequences import SequenceApplied, difference, previous_sequence
from backend.domain.model.campaign import Campaign
from backend.domain.model.condition import BASE_FIELDS
from backend.domain.model.sequence import MOST_VARIANTS
from backend.domain.model.variables import VARIABLES, Recipient, more_of
from backend.domain.people.past_contact_columns import is_offered_in_braces
from backend.domain.sequence.sequence_change import (
    ConditionShare,
    GroupDifference,
    RequestedSequence,
    RequestedStep,
    Standing,
    VariantShare,
    as_request,
    changed_sequence,
    is_in_group,
)
from backend.domain.sequence.template_check import TemplateCheck, check_templates, needs_columns, used_variables
from backend.domain.values.shapes import Shape
from backend.store.database import DatabaseConnection
from backend.store.queries.campaign import sequence_people as people
from backend.store.queries.campaign.campaigns import existing_campaign
from backend.store.queries.leads import lead_list, scored_leads

routes = Routes("sequence", "/campaigns/<campaign_id>/sequence")

MOST_PEOPLE = 200


class SequenceStep(Shape):
    """A step in force: whom it comes next for, what of it waits or went out, and how many answered after it."""

    key: str
    kind: str
    after_days: int
    template: str
    here: int
    held: int
    drafts: int
    approved: int
    sent: int
    replied: int
    limit: int
    skipped: int
    """How many it was not for, by what was answered."""


class SequenceView(Shape):
    """The sequence in force. `waiting` people have not begun, `ending` wait for a last answer, `over` are through.

    `previous` is what was in force before the last change, null before the first.
    """

    version: int
    steps: list[SequenceStep]
    people: int
    waiting: int
    ending: int
    over: int
    variables: list[str]
    fields: list[str]
    """What a condition can go by: of everybody, and the lead file's columns."""
    tags: list[str]
    requested: RequestedSequence
    previous: RequestedSequence | None


class ShownSequence(Shape):
    """The sequence as it shall be; `version` is the one that was shown."""

    version: int = Field(ge=1)
    requested: RequestedSequence


class DifferenceView(Shape):
    """What a change means before it is applied: `steps` after it, whom it concerns, and what becomes of texts."""

    steps: RequestedSequence
    concerned: int
    untouched: int
    texts_again: int
    approvals_fall: int
    restored: int
    in_flight: int
    groups: list[GroupDifference]
    variants: list[VariantShare]
    conditions: list[ConditionShare]


class CheckTemplates(Shape):
    """Steps whose texts are to be looked at; a variant is a step of its own here."""

    templates: list[RequestedStep] = Field(max_length=12 * MOST_VARIANTS)


class CheckedTemplates(Shape):
    """Each template, in the order given."""

    templates: list[TemplateCheck]


class UndoSequence(Shape):
    """The version that was shown, which is taken back."""

    version: int = Field(ge=1)


class GroupInDifference(Shape):
    """One of the groups of a difference, by what was shown of it."""

    requested: RequestedSequence
    group: GroupDifference


class PeopleInSequence(Shape):
    """At most 200 of them."""

    people: list[Named]


@routes.get()
def view(connection: DatabaseConnection, campaign_id: str) -> SequenceView:
    """The sequence in force; raises `campaign_unknown`."""
    campaign = existing_campaign(connection, campaign_id)
    return sequence_view(connection, campaign)


@routes.post("/difference")
def preview(services: Services, campaign_id: str, body: ShownSequence) -> DifferenceView:
    """What a change would mean for whom; nothing is changed. Raises `sequence_invalid`."""
    with services.database.read() as connection:
        campaign = existing_campaign(connection, campaign_id)
        takes_back = body.version if previous_sequence(connection, campaign_id) == body.requested else None
        return difference_view(connection, campaign, body.requested, takes_back=takes_back)


@routes.post()
def change(services: Services, campaign_id: str, body: ShownSequence) -> SequenceApplied:
    """Put these steps in force; raises `sequence_invalid`, `settings_changed`."""
    commands = services.commands(campaign_id)
    return commands.sequences.change(campaign_id, requested_sequence=body.requested, version=body.version)


@routes.post("/undo")
def undo(services: Services, campaign_id: str, body: UndoSequence) -> SequenceApplied:
    """Put in force what was before the last change; raises `sequence_unchanged`, `settings_changed`."""
    return services.commands(campaign_id).sequences.undo(campaign_id, version=body.version)


@routes.post("/check")
def check(services: Services, campaign_id: str, body: CheckTemplates) -> CheckedTemplates:
    """What these templates become over all leads of the campaign."""
    with services.database.read() as connection:
        campaign = existing_campaign(connection, campaign_id)
        checks = check_over_leads(connection, campaign, body.templates)
        known_variables = {*VARIABLES, *scored_leads.column_names(connection, campaign_id)}
    for checked, step in zip(checks, body.templates, strict=True):
        unknown = next((name for name in used_variables([step.template]) if name not in known_variables), None)
        checked.problem = "" if unknown is None else f"There is no variable {{{unknown}}}."
    return CheckedTemplates(templates=checks)


@routes.post("/difference/people")
def group_people(services: Services, campaign_id: str, body: GroupInDifference) -> PeopleInSequence:
    """Who is in that group, the first of them; raises `sequence_invalid`."""
    with services.database.read() as connection:
        before = existing_campaign(connection, campaign_id).settings.sequence
        after = changed_sequence(before, body.requested)
        candidates = people.people_at(connection, campaign_id, body.group.standing, stops=before.stop_on_reply)
        members = (person for person in candidates if is_in_group(before, after, person.position, body.group))
        return PeopleInSequence(
            people=[Named(id=person.id, name=person.name) for person in islice(members, MOST_PEOPLE)]
        )


def check_over_leads(
    connection: DatabaseConnection, campaign: Campaign, steps: Iterable[RequestedStep]
) -> list[TemplateCheck]:
    """Each step's text over all leads of the campaign, in one pass."""
    settings = campaign.settings
    limits = {"invitation": settings.note_limit}
    texts = [(step.template, limits.get(step.kind, settings.message_limit)) for step in steps]
    with_columns = needs_columns(used_variables(text for text, _ in texts))
    rows = people.recipients(connection, campaign.id, with_columns=with_columns)
    recipients = (
        Recipient(name, company, title, email, more_of(extra, greeting_name))
        for name, company, title, email, extra, greeting_name in rows
    )
    return check_templates(texts, recipients, settings.topic)


def sequence_view(connection: DatabaseConnection, campaign: Campaign) -> SequenceView:
    """The sequence in force, with how many are where."""
    sequence = campaign.settings.sequence
    counts = people.positions(connection, campaign.id, stops=sequence.stop_on_reply)
    texts = people.texts_by_step(connection, campaign.id)
    replies = people.replies_after(connection, campaign.id)
    none = people.StepCount(0, 0, 0)
    here: dict[tuple[str, Standing], int] = {}
    for position, count in counts.items():
        index = sequence.next_place(position.sequence_step, position.relation, position.answers)
        key = sequence.steps[index].key if index < len(sequence.steps) else ""
        here[key, position.standing] = here.get((key, position.standing), 0) + count
    steps = [
        SequenceStep.showing(
            step,
            here=here.get((step.key, Standing.RUNNING), 0),
            held=here.get((step.key, Standing.HELD), 0),
            drafts=texts.get(step.key, none).drafts,
            approved=texts.get(step.key, none).approved,
            sent=texts.get(step.key, none).sent,
            replied=replies.get(sequence.past(index), 0),
            skipped=sum(
                count
                for position, count in counts.items()
                if step.only_if and sequence.fit(index, position.answers).skipped
            ),
            limit=campaign.settings.note_limit if step.kind == "invitation" else campaign.settings.message_limit,
        )
        for index, step in enumerate(sequence.steps)
        if not step.removed
    ]
    columns = scored_leads.column_names(connection, campaign.id)
    people_by_standing = {
        standing: sum(count for position, count in counts.items() if position.standing is standing)
        for standing in Standing
    }
    return SequenceView(
        version=sequence.version,
        steps=steps,
        people=sum(counts.values()),
        waiting=people_by_standing[Standing.UNPLANNED],
        ending=here.get(("", Standing.RUNNING), 0),
        over=people_by_standing[Standing.OVER],
        variables=[*VARIABLES, *filter(is_offered_in_braces, columns)],
        fields=[*BASE_FIELDS, *columns],
        tags=lead_list.tags(connection, campaign.id),
        requested=as_request(sequence),
        previous=previous_sequence(connection, campaign.id),
    )


def difference_view(
    connection: DatabaseConnection,
    campaign: Campaign,
    requested_sequence: RequestedSequence,
    *,
    takes_back: int | None = None,
) -> DifferenceView:
    """The difference as it is shown."""
    sequence_difference = difference(connection, campaign, requested_sequence, takes_back=takes_back)
    concerned = sum(group.people for group in sequence_difference.groups if group.concerned)
    falling = sequence_difference.falling
    return DifferenceView(
        steps=as_request(sequence_difference.after),
        concerned=concerned,
        untouched=sum(group.people for group in sequence_difference.groups) - concerned,
        texts_again=len(falling),
        approvals_fall=sum(text.status == "approved" for text in falling),
        restored=len(sequence_difference.restored),
        in_flight=sequence_difference.in_flight,
        groups=list(sequence_difference.groups),
        variants=list(sequence_difference.variants),
        conditions=list(sequence_difference.conditions),
    )
