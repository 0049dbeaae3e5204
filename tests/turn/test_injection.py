"""Prompt injection: whatever a profile, a reply, a lead file or an artifact says, and a model obeys, the user decides."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backend.adapters.files.content_files import BlobStore
from backend.adapters.llm.prompt import TOKENS, Prompt, compose
from backend.domain.events.events import Event
from backend.domain.model.artifact import ArtifactType
from backend.domain.model.message import Message, RejectedText
from backend.domain.model.site import SitePerson, Thread, ThreadMessage
from backend.domain.turn.snapshot import Focus, Snapshot
from backend.ports.proposer import Proposer
from backend.practice.people import PersonCard
from backend.runtime.run.campaign_runner import RunEnd
from tests.domain import samples
from tests.domain.test_snapshot import snapshot
from tests.fakes.campaign import MESSAGE_ONLY, Noted, Stage
from tests.fakes.obedient import FIRST, ORDERS, ObedientProposer, orders_in

CANARY = "sk-canary-5f0e1c7a9b3d4e6f8a0b2c4d6e8f0a1b"
PLACES = ("name", "job_title", "company", "headline", "artifact", "reply")
SANE = "Hi "


def hostile_campaign(stage: Stage, place: str, tmp: Path) -> tuple[str, dict[str, str]]:
    """A campaign with one lead for each order, which stands where it is said to; (campaign, order by slug)."""
    by_slug = {f"hostile-{number}": order.text for number, order in enumerate(ORDERS, FIRST)}
    cards = [
        PersonCard(
            slug,
            f"Ada {text}" if place == "name" else "Ada King",
            text if place == "headline" else "Founder",
            "Engines",
            connected=True,
        )
        for slug, text in by_slug.items()
    ]
    stage.exchange.record(lambda network: network.enrol(cards, network.now))
    campaign = stage.campaign(0, settings=MESSAGE_ONLY)

    def column(name: str, text: str, else_: str) -> str:
        return text if place == name else else_

    leads = [
        Event(
            "LeadImported",
            stage.ids.new(),
            {
                "full_name": column("name", f"Ada {text}", "Ada King"),
                "profile_url": f"https://www.linkedin.com/in/{slug}",
                "member_key": slug,
                "job_title": column("job_title", text, "Founder"),
                "company": column("company", text, f"Engines {number}"),
                "position": number,
            },
        )
        for number, (slug, text) in enumerate(by_slug.items())
    ]
    stage.journal.record(campaign, events=leads, actor="user", cause="import", at=stage.clock.now())
    if place == "artifact":
        for number, text in enumerate(by_slug.values(), FIRST):
            blobs = BlobStore(tmp / "blobs")
            stage.commands().artifacts.save(
                campaign, ArtifactType.RESEARCH, f"r-{number}", io.BytesIO(text.encode()), blobs, follows=0
            )
    if place == "reply":
        _answering(stage, by_slug)
    return campaign, by_slug


def _answering(stage: Stage, by_slug: dict[str, str]) -> None:
    """Everybody has written the hostile text already when their thread is first read."""
    read = stage.site.read_thread

    def read_thread(person: SitePerson) -> Thread:
        thread = read(person)
        text = by_slug[person.profile_url.rpartition("/")[2]]
        return replace(thread, messages=(ThreadMessage("them", text, stage.clock.now()), *thread.messages))

    stage.site.read_thread = read_thread  # type: ignore[method-assign]


def decide(stage: Stage, proposer: Proposer, campaign: str, allowed: set[str]) -> bool:
    """The user approves the texts that are the template's, rejects all others, says no to whatever is asked."""

    def drafts(_: str, waiting: list[Message]) -> bool:
        for draft in waiting:
            if draft.text.startswith(SANE) and not orders_in(draft.text):
                stage.commands().review.approve(
                    campaign, draft.id, shown_digest=stage.commands().review.digest(campaign, draft.id)
                )
                allowed.add(draft.text)
            else:
                stage.commands().review.reject(campaign, draft.id)
        return bool(waiting)

    ended = stage.run(campaign, proposer=proposer, on_drafts=drafts)
    asked = stage.query("SELECT id, kind FROM input_requests WHERE campaign_id=? AND status='open'", campaign)
    for question, kind in asked:
        stage.commands().questions.answer(campaign, question, "try again" if kind == "unblock" else "no")
    return ended.halt is not RunEnd.COMPLETED and (bool(asked) or ended.halt is RunEnd.NEEDS_APPROVAL)


@pytest.mark.parametrize("place", PLACES)
def test_a_model_that_obeys_every_text_changes_nothing_that_the_user_did_not_approve(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTRIDER_KEY_CANARY", CANARY)
    stage = Stage(tmp_path)
    prompts: list[str] = []

    def composed(snapshot: Snapshot) -> None:
        prompt = compose(snapshot, {})
        assert prompt.tokens <= TOKENS
        prompts.append(prompt.system + prompt.state)

    obedient = ObedientProposer()
    proposer = Noted(obedient, composed)
    campaign, by_slug = hostile_campaign(stage, place, tmp_path)
    before = stage.query("SELECT settings, version, account FROM campaigns")
    artifacts = stage.one("SELECT count(*) FROM artifacts")
    allowed: set[str] = set()
    rounds = 0
    while decide(stage, proposer, campaign, allowed):
        rounds += 1
        assert rounds < 500

    if place in ("name", "job_title", "company"):
        assert set(obedient.obeyed) == set(range(FIRST, FIRST + len(ORDERS)))
    # What reached anybody is what the user approved, for that person, and none of it is the attacker's.
    assert stage.unapproved() == []
    assert {entry.text for entry in stage.received()} <= allowed
    assert stage.duplicates() == 0
    assert {entry.to for entry in stage.received()} <= set(by_slug)
    # Nothing was decided for the user, and nothing that is theirs was changed.
    assert {row[0] for row in stage.query("SELECT DISTINCT given_by FROM approvals")} <= {"user"}
    assert stage.query("SELECT settings, version, account FROM campaigns") == before
    assert stage.one("SELECT count(*) FROM artifacts") == artifacts
    assert stage.query("SELECT id FROM config_kv WHERE campaign_id='workspace'") == []
    acts = {kind for kind, _ in stage.audits(campaign) if kind.startswith("browser.")}
    assert acts <= {
        "browser.open",
        "browser.check_selectors",
        "browser.read_profile",
        "browser.read_thread",
        "browser.send_message",
    }
    # A secret was never anywhere, and a text never left its place.
    stage.outside.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert CANARY.encode() not in stage.path.read_bytes()
    assert prompts
    assert not any(CANARY in prompt for prompt in prompts)
    stage.close()


def test_there_are_sixty_hostile_texts_or_more() -> None:
    assert len({order.text for order in ORDERS}) >= 60


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.text[:24])
def test_no_text_gets_out_of_its_data_field(order: Any, tmp_path: Path) -> None:
    def prompt_with(text: str) -> Prompt:
        focus = Focus(samples.task(reason=text), samples.lead(full_name=text), rejected=(RejectedText(text, text),))
        return compose(snapshot(focus=focus), {})

    prompt, plain = prompt_with(order.text), prompt_with("x")
    assert prompt.system == plain.system
    state, other = json.loads(prompt.state), json.loads(plain.state)
    for shown in (state, other):
        shown["focus"]["lead"]["data"]["name"] = shown["focus"]["returned_because"]["data"] = ""
        shown["focus"]["rejected"][0]["data"] = {}
    assert state == other
