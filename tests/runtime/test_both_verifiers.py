"""The script and the page come to the same verdict on a proof, whatever whoever made or changed it did."""

import copy
import json
import random
import re
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

import pytest

from backend.domain.events.events import WORKSPACE, Event
from backend.domain.model.campaign import DAY
from backend.domain.model.task import ActionFamily, ActKind, counted_family, traits
from backend.domain.values.canonical_json import canonical
from backend.runtime.copies import portable_proof
from tests.fakes.proved import (
    CAMPAIGN,
    WRITTEN,
    WrittenLog,
    data_of,
    edited,
    events_of,
    forged,
    verifier,
    written_proof,
)
from tests.runtime.test_hostile_proof import changed, nodes
from tests.runtime.test_proof_of_erased import erased, one_sent

Data = dict[str, Any]

PAGE = (Path(portable_proof.__file__).with_name("proof_page") / "verify.js").read_text(encoding="utf-8")
CHECKED = "[(proof.problems.length === 0), proof.problems[0]?.where ?? '']"


def blocks(page: bytes) -> list[str]:
    """The data and the seal, as a browser takes them out of the page."""
    text = page.decode().replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    return [re.findall(rf'id="{name}">(.*?)</script>', text, re.DOTALL)[0] for name in ("proof", "seal")]


def by_script(page: bytes) -> tuple[bool, str]:
    """Whether the script verifies it, and where it finds the first problem."""
    script = verifier()
    try:
        checked = script.Proof(*blocks(page))
    except script.UnreadableError:
        return False, "the file"
    checked.check()
    try:
        list(script.told(checked))
    except script.DAMAGED:
        return False, "the file"
    return not checked.problems, checked.problems[0][0] if checked.problems else ""


def by_page(pages: Mapping[str, bytes]) -> dict[str, tuple[bool, str]]:
    """What the page's own script says of each; what it would show is made, too."""
    source = next(iter(pages.values())).decode()
    source = source[source.index('"use strict";') : source.index("\nmain();")]
    program = f"""{source}
const node = () => ({{ append() {{}} }});
globalThis.document = {{ createElement: node, createDocumentFragment: node }};
(async () => {{
  for (const [name, blocks] of {json.dumps([(name, blocks(page)) for name, page in pages.items()])}) {{
    const proof = new Proof(...blocks);
    await proof.check();
    try {{ if (proof.data) report(proof); }} catch {{ proof.problem("the file", "it is damaged"); }}
    console.log(JSON.stringify([name, ...{CHECKED}]));
  }}
}})();
"""
    run = subprocess.run(["node", "-"], input=program, capture_output=True, encoding="utf-8", check=True)
    return {name: (holds, where) for name, holds, where in map(json.loads, run.stdout.splitlines())}


def assert_agreement(pages: Mapping[str, bytes]) -> dict[str, tuple[bool, str]]:
    """Both say the same of every one of them."""
    shown, printed = by_page(pages), {name: by_script(page) for name, page in pages.items()}
    assert shown == printed
    return printed


VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 10**14, 10**15, 10**16, 3 * 10**14, 1.0, 0.5, -0.0, 1e300, "", "x", "0", "{}", "[]", "\u00e9",
    "\ud800", "\U0001f600", "constructor", "__proto__", "AB", "ab ", "a", [], {}, [[]], ["x"], [None], {"": {}}, {"limits": {}},
    {"__proto__": 1}, "2026-01-01",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_whatever_a_forger_writes_anywhere_both_say_the_same(tmp_path: Path, proof: bytes, seed: int) -> None:
    chance = random.Random(seed)
    pages = {"honest": proof, "written": written_proof(tmp_path, "confirmed by an export")}
    for page in tuple(pages.values()):
        paths = [path for path, _ in nodes(data_of(page)) if path and path[-1] is not None]
        for path in chance.sample(paths, 120):
            new = chance.choice(VALUES)
            try:
                pages[f"forged {len(pages)}, {path}: {new!r}"] = forged(page, changed(path, copy.deepcopy(new)))
            except (AttributeError, IndexError, KeyError, TypeError, ValueError):
                pages[f"edited {len(pages)}, {path}: {new!r}"] = edited(page, changed(path, copy.deepcopy(new)))
    assert_agreement(pages)


def test_both_say_the_same_of_every_log_that_breaks_a_rule(tmp_path: Path) -> None:
    pages = {}
    for number, name in enumerate(WRITTEN):
        (tmp_path / f"{number}").mkdir()
        pages[name] = written_proof(tmp_path / f"{number}", name)
    verdicts = {name: verified for name, (verified, _) in assert_agreement(pages).items()}
    assert verdicts == {name: not problems for name, (_, problems) in WRITTEN.items()}


def test_an_act_counts_as_what_its_text_is() -> None:
    """As `counted_family` and the traits of each family have it."""
    counted = {
        family
        for family in ActionFamily
        if traits(family).outside in get_args(ActKind) and counted_family(family) is family
    }
    assert {
        traits(family).outside: family.value for family in counted if family is not ActionFamily.WITHDRAW
    } == verifier().FAMILIES


def test_no_letter_can_take_the_place_of_the_ascii_letter_whose_byte_it_ends_with(proof: bytes) -> None:
    """Without any key: U+0161 is not the byte 0x61."""
    data = blocks(proof)[0]
    pages = {}
    for word in ("name", "given_by", "invite", "profile_url"):
        at = data.index(word)
        for letter in range(at, at + len(word)):
            other = data[:letter] + chr(0x100 + ord(data[letter])) + data[letter + 1 :]
            pages[f"{word} {letter - at}"] = proof.decode().replace(data, other).encode()
    assert set(assert_agreement(pages).values()) == {(False, "the file")}


def test_a_seal_has_one_spelling(proof: bytes) -> None:
    seal = json.loads(blocks(proof)[1])
    spellings = {
        "as it is": seal["signature"],
        "longer": seal["signature"] + "0",
        "spaced": f"{seal['signature'][:2]} {seal['signature'][2:]}",
        "capitals": seal["signature"].upper(),
        "no digits": "zz" + seal["signature"][2:],
        "a line end": seal["signature"] + "\n",
    }
    pages = {
        name: proof.decode().replace(blocks(proof)[1], json.dumps(seal | {"signature": spelling})).encode()
        for name, spelling in spellings.items()
    }
    assert [name for name, (holds, _) in assert_agreement(pages).items() if holds] == ["as it is"]


def test_line_ends_that_a_mail_program_changes_change_no_verdict(proof: bytes) -> None:
    pages = {"LF": proof, "CRLF": proof.replace(b"\n", b"\r\n"), "CR": proof.replace(b"\n", b"\r")}
    assert {holds for holds, _ in assert_agreement(pages).values()} == {True}


def test_an_exporter_cannot_hide_that_a_check_rests_on_an_erased_entry(tmp_path: Path) -> None:
    log = one_sent(tmp_path)
    erased(log, "ActionHandedOver")

    def with_salt(data: Data) -> None:
        events_of(data, "ActionHandedOver")[0][8] = ""

    page = log.proof()
    verdicts = assert_agreement({"honest": page, "hidden": forged(page, with_salt)})
    assert verdicts["honest"] == (True, "")
    assert verdicts["hidden"][0] is False


def test_an_outcome_that_was_known_is_not_changed_so_that_a_text_may_go_out_again(tmp_path: Path) -> None:
    log = one_sent(tmp_path)
    log.write(Event("LeadBlocked", "lead-1", {"blocked": "replied"}))

    def taken_back(data: Data) -> None:
        last = events_of(data, "LeadBlocked")[0]
        settled = events_of(data, "ActionSettled")[0]
        last[2:5] = settled[2:5]
        last[9] = canonical(json.loads(settled[9]) | {"status": "not_sent"})

    assert assert_agreement({"taken back": forged(log.proof(), taken_back)})["taken back"][0] is False


@pytest.mark.parametrize("settings", ["{}", '{"limits":{}}', '{"limits":{"invitations_a_day":"3"}}'])
def test_a_campaign_without_limits_is_within_none(tmp_path: Path, settings: str) -> None:
    def unlimited(data: Data) -> None:
        entry = events_of(data, "CampaignCreated")[0]
        entry[9] = canonical(json.loads(entry[9]) | {"settings": settings})

    page = forged(written_proof(tmp_path, "three honest ones"), unlimited)
    assert assert_agreement({"unlimited": page})["unlimited"][0] is False


def test_evidence_of_many_megabytes_is_no_damage() -> None:
    """A regular expression that remembers every letter gives up on a long one."""
    functions = PAGE[: PAGE.index("class Proof")]
    program = f"{functions}\nconsole.log(parsed('{{\"a\":\"' + 'A'.repeat(60e6) + '\"}}').a.length);"
    run = subprocess.run(["node", "-e", program], capture_output=True, encoding="utf-8", check=True)
    assert run.stdout == "60000000\n"


REMAINS = [
    {"n": 1.0, "list": [1e-07, 2.50, -0.0, 1e22]}, {"n": 1.0, "list": [1e-07, 2.5, "\ue000"]},
    {"n": 1.0, "text": "a", "list": [1.0]},
    {"given_key": None, "n": 1.0}, {"given_key": "\U0001f600\U0001f600", "n": 2}, {"given_key": "abc", "n": 1.0},
    {"fields": {"\U0001f600": "Omar", "\uff21": "b", "z": 1.0}}, {"fields": {"\U0001f600": "Lena", "\uff21": "b", "z": 1.0}},
]  # fmt: skip


def test_both_combine_what_two_erasures_leave_whatever_numbers_and_letters_it_has() -> None:
    pairs = [(canonical(remains), canonical(other)) for remains in REMAINS for other in REMAINS]
    functions = PAGE[: PAGE.index("class Proof")]
    program = f"{functions}\nconsole.log(JSON.stringify({json.dumps(pairs)}.map((pair) => lesser(...pair))))"
    run = subprocess.run(["node", "-e", program], capture_output=True, encoding="utf-8", check=True)
    assert json.loads(run.stdout) == [verifier().lesser(*pair) for pair in pairs]


def many_sent(folder: Path, count: int) -> bytes:
    """As many people were written to as are on the do-not-contact list."""
    folder.mkdir()
    log = WrittenLog(folder, invitations_a_day=100, invitations_a_week=400)
    listed = {"name": "", "reason": "", "status": "active", "created_at": log.at}
    opt_outs = [
        Event("DoNotContactAdded", f"listed-{n}", listed | {"member_key": f"https://y.test/{n}"}) for n in range(count)
    ]
    log.journal.record(WORKSPACE, events=opt_outs, actor="user", cause="by hand", at=log.at)
    events: list[Event] = []

    def collect(*written: Event, stream: str = "") -> None:
        log.at += 1_000
        events.extend(written)

    log.write = collect  # type: ignore[method-assign]
    for number in range(count):
        log.drafted(number)
        log.approved(number)
        log.acted(number, later=DAY // 50)
    log.journal.record(CAMPAIGN, events=events, actor="user", cause="by hand", at=log.at)
    return log.proof()


def test_four_times_as_many_messages_take_four_times_as_long(tmp_path: Path) -> None:
    pages = {count: many_sent(tmp_path / str(count), count) for count in (500, 2_000)}
    taken = {}
    for count, page in pages.items():
        times = []
        for _ in range(3):
            began = time.process_time()
            assert by_script(page) == (True, "")
            times.append(time.process_time() - began)
        taken[count] = min(times)
    assert taken[2_000] < 6.5 * taken[500]
    assert_agreement({"many": pages[500]})
