"""Random but legal streams of events: what is altered was made before, every required column is given."""

import sqlite3
from random import Random
from typing import Any, NamedTuple

from backend.domain.events.events import EVENT_KINDS, TABLES, WORKSPACE, Event, Verb
from backend.domain.events.facts import FACTS
from tests.fakes.clock import START
from tests.store.opening import Column, columns_of

KEYS = {"id", "campaign_id"}
TEXTS = ("", "plain", "Grüße", "漢字", "😀", "O'Brien; DROP TABLE leads", "a\nb", '{"a":1}', "\u202e", "x" * 300)
WORKSPACE_ENTITIES = {"do_not_contact", "remembered_contact", "config", "soul", "skill", "secret", "device"}

CHECKED: dict[tuple[str, str], tuple[Any, ...]] = {
    ("erasure", "entries"): ({},),  # by digest, and none is known here
    ("artifact", "made_by"): ("user", "model", "program Claude", "controller"),
    ("secret", "config_type"): ("api_key", "llm_provider", "database"),
}
NUMBERED = {("attachment", "place")}
STATUSES: dict[str, list[str]] = {
    entity: sorted(
        {
            status
            for fact in FACTS.values()
            if fact.entity == entity
            for target, states in fact.moves.items()
            for status in (target, *states)
        }
    )
    for entity in TABLES
}
"""The statuses of each entity's lifecycle."""


class Step(NamedTuple):
    """One event of one stream at one time."""

    campaign_id: str
    at: int
    event: Event


class Streams:
    """Makes legal events for a few campaigns; remembers what exists."""

    def __init__(self, random: Random, campaigns: int = 2) -> None:
        self._random = random
        self._made: dict[tuple[str, str], list[str]] = {}
        self._status: dict[tuple[str, str, str], str] = {}
        self._count = 0
        self._at = START
        self._campaigns = [f"camp-{n}" for n in range(campaigns)]
        self._waiting = list(self._campaigns)
        self._running: list[str] = []

    def look(self, connection: sqlite3.Connection, first: int = 0) -> None:
        """From now on what exists is what that database has, and what is made is numbered from `first` at least."""
        self._count = max(self._count, first)
        self._made.clear()
        self._status.clear()
        for entity, table in TABLES.items():
            name = {"turn": "CAST(number AS TEXT)", "runtime": "campaign_id"}.get(entity, "id")
            stream = "id" if entity == "campaign" else "campaign_id"
            for campaign, made in connection.execute(f"SELECT {stream}, {name} FROM {table}"):
                self._made.setdefault((campaign, entity), []).append(made)
            if STATUSES[entity]:
                for campaign, made, status in connection.execute(f"SELECT {stream}, {name}, status FROM {table}"):
                    self._status[campaign, entity, made] = status
        self._running = [campaign for campaign, entity in self._made if entity == "campaign"]
        self._waiting = [campaign for campaign in self._campaigns if campaign not in self._running]

    def take(self, length: int) -> list[Step]:
        """The next `length` events."""
        return [self._next() for _ in range(length)]

    def _next(self) -> Step:
        # time goes back now and then: order is by sequence, never by the clock
        self._at += self._random.choice((0, 1, 1_000, 86_400_000, -86_400_000))
        if self._waiting and (not self._running or self._random.random() < 0.2):
            campaign = self._waiting.pop()
            self._running.append(campaign)
            self._made[campaign, "campaign"] = [campaign]
            self._made[campaign, "runtime"] = [campaign]
            return self._step("CampaignCreated", campaign, campaign)
        kind = self._random.choice([name for name in EVENT_KINDS if name != "CampaignCreated"])
        entity, verb = EVENT_KINDS[kind]
        campaign = WORKSPACE if entity in WORKSPACE_ENTITIES else self._random.choice(self._running)
        existing = self._made.setdefault((campaign, entity), [])
        if verb is Verb.CHANGES and not existing:
            return self._next()
        if verb is Verb.CHANGES:
            return self._step(kind, campaign, self._random.choice(existing))
        self._count += 1
        made = str(self._count) if entity == "turn" else f"{entity}-{campaign}-{self._count}"
        existing.append(made)
        return self._step(kind, campaign, made)

    def _step(self, kind: str, campaign: str, made: str) -> Step:
        entity, verb = EVENT_KINDS[kind]
        values = self._values(campaign, entity, verb)
        if STATUSES[entity]:
            self._follow_lifecycle(kind, (campaign, entity, made), values)
        return Step(campaign, self._at, Event(kind, made, values))

    def _follow_lifecycle(self, kind: str, row: tuple[str, str, str], values: dict[str, Any]) -> None:
        """A status only where the fact may set one after the one that the row has."""
        entity, verb = EVENT_KINDS[kind]
        if verb is Verb.CREATES:
            (column,) = (column for column in columns_of(TABLES[entity]) if column.name == "status")
            self._status[row] = values.get("status") or str(column.default).strip("'")
            return
        values.pop("status", None)
        reachable = sorted(target for target, states in FACTS[kind].moves.items() if self._status[row] in states)
        if reachable:
            self._status[row] = values["status"] = self._random.choice(reachable)

    def _values(self, campaign: str, entity: str, verb: Verb) -> dict[str, Any]:
        keys = KEYS | ({"number"} if entity == "turn" else set())
        free = [column for column in columns_of(TABLES[entity]) if column.name not in keys]
        if entity == "campaign":
            free = [column for column in free if column.name != "deleted_at"]  # what follows loses its words
        if verb is Verb.CHANGES and entity == "task":
            free = [column for column in free if column.name != "kind"]  # what a task is about never changes
        if verb is Verb.CHANGES and entity == "lead":
            free = [column for column in free if column.name != "position"]  # nor its place in the file
        if verb is Verb.CREATES:
            chosen = [column for column in free if column.required or self._random.random() < 0.3]
        else:
            chosen = self._random.sample(free, self._random.randint(1, min(4, len(free))))
        return {column.name: self._value(campaign, entity, column) for column in chosen}

    def _value(self, campaign: str, entity: str, column: Column) -> Any:
        random = self._random
        if column.name in {"member_key", "artifact_key", "given_key"}:  # unique within the campaign
            self._count += 1
            return f"key-{self._count}"
        if (entity, column.name) == ("attachment", "request_id"):  # no two campaigns share one
            return f"request-{campaign}"
        if (entity, column.name) in NUMBERED:
            self._count += 1
            return self._count
        if allowed := CHECKED.get((entity, column.name)):
            return random.choice(allowed)
        if not column.not_null and random.random() < 0.3:
            return None
        if column.type == "INTEGER":
            return random.choice((0, 1, -1, 7, 2**53, random.randint(0, 10**12)))
        if column.name == "status":
            return random.choice(STATUSES[entity])
        if column.default in ("'[]'", "'{}'"):
            return random.choice(([], {}, ["b", "a"], {"b": [1, None, True], "a": "é"}, [{"z": 1.5, "a": None}]))
        return random.choice(TEXTS)
