"""Small wrong versions of single rules, found in worlds of the seed's own choice: no kind of world is chosen for one of them."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from backend.commands import conflicts
from backend.commands.people import ForgottenKeys
from backend.domain.erasure import erasure
from backend.domain.gates import gates, person
from backend.domain.gates.gates import AccountFacts, Gate, LeadFacts, Verdict
from backend.domain.gates.person import LeadOfPerson, Person
from backend.domain.model import lead as leads
from backend.domain.model import sequence as sequences
from backend.domain.model.campaign import DAY, CampaignStatus, Limits
from backend.domain.model.lead import Label
from backend.domain.model.task import ActionFamily, counted_family
from backend.runtime.jobs.erased_files import ErasedFiles
from backend.runtime.run.campaign_runner import CampaignRunner
from backend.runtime.sync import erased_meanwhile
from backend.situation import situations
from backend.store.queries.campaign import campaigns, tasks
from backend.store.queries.contact import actions
from backend.store.queries.people import person_index
from backend.store.replication import imports_again, replica
from backend.turn import load, loop
from tests.simulation.planting import Plant, Planted, replaced, without_gates

_PHONE = re.compile(r"[+\d ()/.-]{6,}")
_HOURS_FOR_MINUTES = 60


def _with_gates(change: Callable[[Gate], Gate]) -> AbstractContextManager[None]:
    """The table of gates with each as it is changed."""
    changed = [change(gate) for gate in gates.GATES]
    guarding = {family: tuple(gate for gate in changed if family in gate.families) for family in ActionFamily}
    again = {family: tuple(gate for gate in some if gate.again) for family, some in guarding.items()}
    return _both(replaced(gates, "_GUARDING", guarding), replaced(gates, "_ASKED_AGAIN", again))


@contextmanager
def _both(*plants: AbstractContextManager[None]) -> Iterator[None]:
    with ExitStack() as planted:
        for plant in plants:
            planted.enter_context(plant)
        yield


def _past_of_this_lead(whose: Person) -> LeadOfPerson | None:
    lead = whose.lead
    begins = whose._is_to_begin or whose._has_only_planned
    return lead if begins and lead.past and not lead.contact_anyway else None


def _stale(limits: Limits) -> Limits:
    return limits.model_copy(update={"thread_fresh_minutes": limits.thread_fresh_minutes * _HOURS_FOR_MINUTES})


def _an_old_look_is_new() -> AbstractContextManager[None]:
    due_step = sequences.due_step

    def later(sequence: Any, lead: Any, message: Any, now: int, fresh_ms: int) -> Any:
        return due_step(sequence, lead, message, now, fresh_ms * _HOURS_FOR_MINUTES)

    def check(account: AccountFacts, lead: LeadFacts | None) -> Verdict:
        return gates._thread_fresh(account._replace(limits=_stale(account.limits)), lead)

    gate = _with_gates(lambda gate: gate._replace(check=check) if gate.code == "thread_fresh" else gate)
    return _both(replaced(situations, "due_step", later), gate)


def _looks_at_any_time() -> AbstractContextManager[None]:
    """The gate, and the run that rests meanwhile: each would do by itself."""
    looks = frozenset({ActionFamily.LOOK})
    gate = _with_gates(lambda gate: gate._replace(families=gate.families - looks) if gate.code == "in_sync" else gate)
    return _both(replaced(CampaignRunner, "_must_wait_for_sync", lambda _: False), gate)


def _paused_or_not() -> AbstractContextManager[None]:
    """The gate, by which the user's hand is guided, and the turn that begins only in a campaign that is on."""
    begin = loop._Turn.begin

    def anyway(turn: Any, connection: Any, inputs: Any) -> Any:
        position = campaigns.position(connection, turn.campaign_id)
        if position is None or position.campaign.status is not CampaignStatus.PAUSED:
            return begin(turn, connection, inputs)
        turn.wake(turn.state_before(position))
        return load.load(connection, position, inputs)

    return _both(replaced(loop._Turn, "begin", anyway), without_gates("campaign_active")())


def _wrong_person_refuses_nothing() -> AbstractContextManager[None]:
    ends = leads.LABEL_ENDS[Label.WRONG_PERSON]
    tables = (person.REFUSALS, Label.WRONG_PERSON), (leads.LABEL_ENDS, Label.WRONG_PERSON), (person.REFUSED_ENDS, ends)
    return _both(*(_without(table, key) for table, key in tables))


def _limits_of_a_campaign() -> AbstractContextManager[None]:
    right = situations.account_facts
    sent = "SELECT count(*) FROM actions WHERE campaign_id=? AND family=? AND intended_at>=? AND status<>'not_sent'"

    def facts(connection: Any, campaign: Any, inputs: Any, family: Any, incident: str) -> AccountFacts:
        (here,) = connection.execute(sent, (campaign.id, counted_family(family), inputs.midnight)).fetchone()
        return right(connection, campaign, inputs, family, incident)._replace(sent_today=here)

    return _both(*(replaced(owner, "account_facts", facts) for owner in (situations, load)))


def _first_contact(lead: LeadOfPerson) -> int | None:
    return min((at for at in (lead.invited_at, lead.last_sent_at) if at is not None), default=None)


def _no_ends_nothing_here() -> AbstractContextManager[None]:
    """Neither the label's own end of the sequence, nor the gate, nor what is known of the person: each would do by itself."""

    def elsewhere(whose: Person) -> LeadOfPerson | None:
        return next((lead for lead in whose.others if lead.refusal), None)

    def check(account: AccountFacts, lead: LeadFacts | None) -> Verdict:
        return gates._not_replied(account, None if lead is None else lead._replace(label=""))

    gate = _with_gates(lambda gate: gate._replace(check=check) if gate.code == "not_replied" else gate)
    return _both(replaced(person.Person, "refused_in", property(elsewhere)), gate, _without(leads.LABEL_ENDS, Label.NO))


@contextmanager
def _without(table: dict[str, str], key: str) -> Iterator[None]:
    """The table, which all who read it share, has lost the entry."""
    before = dict(table)
    del table[key]
    try:
        yield
    finally:
        table.clear()
        table.update(before)


def _a_day_ahead() -> AbstractContextManager[None]:
    allowance = gates.ramp_allowance
    return replaced(gates, "ramp_allowance", lambda limits, limit, day: allowance(limits, limit, max(0, day) + 1))


def _week_without_hands() -> AbstractContextManager[None]:
    """Neither the gate nor the forecast, by which no more is prepared than can go out."""
    right, times = "count(*), min(intended_at)", actions.invitation_times
    wrong = right.replace("*)", "*) FILTER (WHERE turn > 0)")

    def by_turns(connection: Any, account: str, since: int, now: int) -> list[int]:
        rows = connection.execute("SELECT intended_at FROM actions WHERE turn = 0 AND account=?", (account,))
        by_hand = {at for (at,) in rows}
        return [at for at in times(connection, account, since, now) if at not in by_hand]

    usage = replaced(actions, "_USAGE", actions._USAGE.replace(right, wrong))
    return _both(usage, replaced(actions, "invitation_times", by_turns))


def _phone_stays() -> AbstractContextManager[None]:
    right = erasure._WITHOUT_WORDS["lead"]

    def wrong(changes: Mapping[str, Any]) -> dict[str, Any]:
        left = right(dict(changes))
        extra = dict(changes.get("extra") or {})
        phones = {name: value for name, value in extra.items() if _PHONE.fullmatch(str(value))}
        return {**left, **({"extra": phones} if "extra" in left else {})}

    return replaced(erasure, "_WITHOUT_WORDS", {**erasure._WITHOUT_WORDS, "lead": wrong})


RULES_PLANTED = (
    Planted("a campaign that the user paused goes on", _paused_or_not, None, 2),
    Planted(
        "past contact with another lead of the same person is not heard of",
        lambda: replaced(person.Person, "known_from_before", property(_past_of_this_lead)),
        None,
        2,
    ),
    Planted("an old look at a conversation is taken for a new one", _an_old_look_is_new, None, 2),
    Planted("a no to this very campaign ends nothing", _no_ends_nothing_here, None, 2),
    Planted("the first days allow what the next one does", _a_day_ahead, None, 2),
    Planted("an erasure keeps telephone numbers", _phone_stays, None, 2),
    Planted(
        "two weeks after a withdrawal somebody is invited again",
        lambda: replaced(gates, "INVITED_AGAIN_AFTER", 14 * DAY),
        None,
        2,
    ),
    Planted("pages are looked at while the shared store is out of reach", _looks_at_any_time, None, 2),
    Planted("the week does not count what the user's hand sent", _week_without_hands, None, 2),
    Planted("nobody asks whether an incident is open", without_gates("no_incident"), None, 2),
    Planted("who is the wrong person has refused nothing", _wrong_person_refuses_nothing, None, 2),
    Planted("a limit counts what one campaign sent alone", _limits_of_a_campaign, None, 2),
    Planted(
        "what deleted campaigns sent is forgotten",
        lambda: replaced(person.Person, "is_contacted_before", property(lambda _: False)),
        None,
        2,
    ),
    Planted(
        "a claim counts from the first contact",
        lambda: replaced(person.LeadOfPerson, "contacted_at", property(_first_contact)),
        None,
        2,
    ),
    Planted(
        "what only forbids is not repeated",
        lambda: replaced(conflicts, "_is_repeated_unasked", lambda *_: False),
        None,
        2,
    ),
    Planted(
        "late news sets back what came after it",
        lambda: replaced(replica, "still_news", lambda entry, _: entry),
        frozenset({"older store", "kill", "stop", "network"}),
        2,
    ),
    Planted(
        "an erasure keeps what was asked about a person",
        lambda: replaced(erasure, "_WITHOUT_WORDS", {**erasure._WITHOUT_WORDS, "input_request": dict}),
        None,
        2,
    ),
)
MENDED: dict[str, Plant] = {
    "a-database-that-the-app-replaced-still-tells-of-somebody-erased": (
        lambda: replaced(ErasedFiles, "remove", lambda _: None)
    ),
    "a-file-brings-somebody-back-whom-another-device-changed": (
        lambda: replaced(imports_again.ImportsAgain, "_returned", lambda *_: [])
    ),
    "a-no-of-somebody-whose-import-had-been-undone": (
        lambda: replaced(person_index, "_TAKEN_BACK", "l.blocked = 'import_undone'")
    ),
    "somebody-erased-whom-another-device-lists-by-an-address-nobody-had": (
        lambda: replaced(erased_meanwhile, "keys_to_forget", lambda *_: ForgottenKeys({}))
    ),
    "a-task-waits-for-no-question-that-was-answered-elsewhere": (
        lambda: replaced(tasks, "left_blocked", lambda *_: [])
    ),
    "two-devices-plan-somebody-about-whom-the-user-decides": (
        lambda: replaced(tasks, "_OF_GONE", tasks._OF_GONE.replace("not_on_record", "nothing"))
    ),
    "what-came-of-an-act-that-is-on-record-outlives-its-turn": (
        lambda: replaced(replica, "outcome_of_act", lambda *_: [])
    ),
}
"""Kept worlds by what each had once: without the mend that world breaks a rule still."""
