"""What a portable proof shows of entries that were erased, or that its exporter left out: both verifiers say the same."""

import itertools
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from backend.domain.erasure.erasure import ERASABLE, KEPT, without_campaign, without_words
from backend.domain.erasure.remains_by_kind import rules_for_page, rules_of
from backend.domain.events.events import EVENT_KINDS, WORKSPACE, Event
from backend.domain.values.canonical_json import canonical
from backend.runtime.copies import portable_proof
from backend.runtime.copies.portable_proof import READ
from backend.store.log.chain import payload_digest
from tests.fakes.proved import WrittenLog, events_of, forged, verifier

DAMAGED = "it is damaged: a part of it is missing, or is not what belongs there"
NOT_LEFT = "its words are gone, and what is left is not what an erasure leaves"
RULES = rules_for_page(READ)
Change = Callable[[dict[str, Any]], dict[str, Any]]


def one_sent(folder: Path) -> WrittenLog:
    log = WrittenLog(folder)
    log.drafted(1)
    log.approved(1)
    log.acted(1, began="ActionHandedOver", despite=("daily_limit",))
    log.spent(1)
    return log


def erased(log: WrittenLog, kind: str) -> None:
    """The event of the kind is erased."""
    with log.journal.database.read() as connection:
        entity_id, payload, salt = connection.execute(
            "SELECT entity_id, change_payload, salt FROM event_log WHERE kind=?", (kind,)
        ).fetchone()
    entity = EVENT_KINDS[kind].entity
    erase = without_words if entity in ERASABLE else without_campaign
    entries = {payload_digest(salt, payload).hex(): erase(entity, entity_id, json.loads(payload))}
    log.write(Event("EntriesErased", "erasure-1", {"entries": entries, "created_at": log.at}))


def rewritten(page: bytes, kind: str, change: Change) -> bytes:
    """The same file by somebody who signs that something else is left of the event of the kind."""

    def rewrite(data: dict[str, Any]) -> None:
        entry = events_of(data, kind)[0]
        entry[9] = canonical(change(json.loads(entry[9])))
        erasure = events_of(data, "EntriesErased")[0]
        fields = json.loads(erasure[9])
        erasure[9] = canonical(fields | {"entries": {entry[10]: entry[9]}})

    return forged(page, rewrite)


Verdict = tuple[list[str], dict[str, list[int]], int]
"""What a verifier says: the problems, what rests on erased entries, and how many opt-outs cannot be read."""


def verdicts(*pages: bytes) -> list[Verdict]:
    """What each verifier says of each page."""
    script = verifier()
    blocks, verdicts = [], list[Verdict]()
    for page in pages:
        blocks.append([script.block(page.decode(), name) for name in ("proof", "seal")])
        checked = script.Proof(*blocks[-1])
        checked.check()
        verdicts.append(([what for _, what in checked.problems], checked.resting, checked.unread))
    if shutil.which("node"):
        (source,) = {_source(page.decode()) for page in pages}
        program = (
            f"{source}\nconst verdict = async (...blocks) => {{ const proof = new Proof(...blocks); await proof.check();"
            " return [proof.problems.map(({ what }) => what), Object.fromEntries(proof.resting), proof.unread]; };\n"
            f"Promise.all({json.dumps(blocks)}.map((blocks) => verdict(...blocks)))"
            ".then((verdicts) => console.log(JSON.stringify(verdicts)));"
        )
        run = subprocess.run(["node", "-"], input=program, capture_output=True, encoding="utf-8", check=True)
        of_the_page = [tuple(verdict) for verdict in json.loads(run.stdout)]
        assert len(of_the_page) == len(pages)
        verdicts += of_the_page
    return verdicts


def _source(text: str) -> str:
    """What the page's own program checks with."""
    return text[text.index('"use strict";') : text.index("// ── What is shown")]


def test_the_script_has_the_rules_of_the_kinds_that_it_reads() -> None:
    script = verifier()
    assert {
        kind: {
            name: (required, list(rule) if isinstance(rule, tuple) else rule)
            for name, (required, rule) in rules.items()
        }
        for kind, rules in RULES.items()
    } == script.REMAINS
    assert script.READ == READ
    assert script.STATES == KEPT


ERASED = ["CampaignCreated", "MessageDrafted", "ApprovalGiven", "ActionHandedOver", "ActionSettled"]


@pytest.mark.parametrize("kind", ERASED)
def test_what_rests_on_an_erased_entry_is_named(tmp_path: Path, kind: str) -> None:
    log = one_sent(tmp_path)
    erased(log, kind)
    for problems, resting, _ in verdicts(log.proof()):
        assert problems == []
        assert set(resting) == set(verifier().RESTING[kind])


def test_where_nothing_is_erased_nothing_rests_on_it(tmp_path: Path) -> None:
    assert {json.dumps(verdict) for verdict in verdicts(one_sent(tmp_path).proof())} == {json.dumps(([], {}, 0))}


@pytest.mark.parametrize("kind", ERASED)
def test_remains_that_no_erasure_leaves_are_refused_by_both(tmp_path: Path, kind: str) -> None:
    log = one_sent(tmp_path)
    erased(log, kind)
    page, changes = log.proof(), dict[str, Change]()
    for name, (required, rule) in rules_of(kind).items():
        wrong: Any = 7 if rule == "kept" else "Eve"
        changes[f"another {name}"] = lambda left, name=name, wrong=wrong: left | {name: wrong}  # type: ignore[misc]
        if required:
            changes[f"no {name}"] = lambda left, name=name: {key: left[key] for key in left if key != name}  # type: ignore[misc]
    by_each = verdicts(*(rewritten(page, kind, change) for change in changes.values()))
    for change, (problems, _, _) in zip(itertools.cycle(changes), by_each, strict=False):
        assert problems[:1] in ([NOT_LEFT], [DAMAGED]), change
    for problems, _, _ in verdicts(rewritten(page, kind, lambda left: left | {"another": ""})):
        assert problems == [NOT_LEFT, *problems[1:]]


@pytest.mark.parametrize("kind", ["ApprovalUsed", "SigningKeyIntroduced"])
def test_of_a_kind_without_words_nothing_is_ever_erased(kind: str) -> None:
    assert kind not in RULES


def test_two_erasures_that_disagree_on_an_outcome_are_refused_by_both(tmp_path: Path) -> None:
    log = one_sent(tmp_path)
    erased(log, "ActionSettled")
    log.write(Event("EntriesErased", "erasure-2", {"entries": {}, "created_at": log.at}))

    def disagree(data: dict[str, Any]) -> None:
        first, second = (json.loads(entry[9]) for entry in events_of(data, "EntriesErased"))
        ((digest, left),) = first["entries"].items()
        other = canonical(json.loads(left) | {"status": "not_sent"})
        events_of(data, "EntriesErased")[1][9] = canonical(second | {"entries": {digest: other}})

    for problems, _, _ in verdicts(forged(log.proof(), disagree)):
        assert "it says otherwise than an erasure before what is left" in problems


def test_opt_outs_that_are_withheld_are_counted_whoever_they_mean(tmp_path: Path) -> None:
    log = WrittenLog(tmp_path)
    listed = {"name": "", "reason": "", "status": "active", "created_at": log.at}
    for number in (7, 8):
        log.write(
            Event("DoNotContactAdded", f"dnc-{number}", listed | {"member_key": f"https://x.test/{number}"}),
            stream=WORKSPACE,
        )
    log.write(Event("DoNotContactRemoved", "dnc-8", {"status": "removed"}), stream=WORKSPACE)
    log.drafted(1)
    log.approved(1)
    log.acted(1)
    log.write(Event("DoNotContactAdded", "dnc-9", listed | {"member_key": "https://x.test/9"}), stream=WORKSPACE)
    assert {(tuple(problems), unread) for problems, _, unread in verdicts(log.proof())} == {((), 1)}


def test_an_edit_that_is_withheld_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = WrittenLog(tmp_path)
    log.drafted(1)
    log.approved(1)
    log.write(Event("MessageEdited", "message-1", {"text": "Buy!", "from_template": 0}))
    log.acted(1)
    monkeypatch.setattr("backend.runtime.copies.portable_proof._TEXTS", frozenset({"MessageDrafted"}))
    for problems, _, _ in verdicts(log.proof()):
        assert problems == ["it is withheld, and the proof needs it"]


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', '{"a":{"b":1,"\\u0062":2}}'])
def test_the_page_takes_no_field_twice(text: str) -> None:
    source = (Path(portable_proof.__file__).with_name("proof_page") / "verify.js").read_text(encoding="utf-8")
    functions = source[: source.index("class Proof")]
    program = f"{functions}\ntry {{ parsed({json.dumps(text)}); }} catch {{ console.log('refused'); }}"
    run = subprocess.run(["node", "-e", program], capture_output=True, encoding="utf-8", check=True)
    assert run.stdout == "refused\n"
