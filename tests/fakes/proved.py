"""Proofs to check: one of a campaign that ran, and one of any log that somebody could have written."""

import hashlib
import importlib.util
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, lru_cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from backend.adapters.files.evidence import EvidenceStore
from backend.adapters.signing.ed25519 import Ed25519Signer
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.events.signature import key_id
from backend.domain.gates.approval import approval_digest
from backend.domain.model.campaign import DAY, Limits, Settings
from backend.domain.model.site import Attempt, SitePerson
from backend.domain.model.task import ActionFamily
from backend.domain.values.canonical_json import Json, canonical
from backend.ports.site import ActCheck, unguarded
from backend.runtime.copies.portable_proof import proof_page
from backend.store.database import Database
from backend.store.log.chain import entry_hash, payload_digest
from backend.store.log.journal import Journal
from backend.store.log.log_signer import LogSigner
from tests.fakes.campaign import MONDAY_NOON, ONE_STEP, Stage
from tests.fakes.ids import SeededIds
from tests.fakes.sealed import OpenFiles

SCRIPT = Path(__file__).parents[2] / "docs" / "verify_proof.py"
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360f8cfc0f01f0005000"
    "1ff5b9a5f4d0000000049454e44ae426082"
)
CAMPAIGN = "camp-1"


def open_signer() -> Ed25519Signer:
    signer = Ed25519Signer(OpenFiles())
    signer.open()
    return signer


def campaign_proof(stage: Stage, folder: Path) -> bytes:
    """The proof of two invitations, with a picture of each, and somebody who was never written to."""
    evidence, journal = EvidenceStore(folder / "evidence"), stage.journal
    journal.signing = LogSigner(open_signer())
    send = stage.site.send_invitation

    def seen(person: SitePerson, note: str, check: ActCheck = unguarded) -> Attempt:
        return replace(send(person, note, check), evidence=(evidence.keep("after", PICTURE, "Invitation sent"),))

    stage.site.send_invitation = seen  # type: ignore[method-assign]
    campaign = stage.campaign(2, settings=ONE_STEP)
    stage.run(campaign)
    return b"".join(proof_page(journal, campaign, evidence.read, stage.clock.now()))


class WrittenLog:
    """A campaign's log, written by hand and honestly signed: what it tells of may break every rule."""

    def __init__(self, folder: Path, **limits: int) -> None:
        self.journal = Journal(Database(folder / "written.db"), SeededIds("written"), signing=LogSigner(open_signer()))
        self.at = MONDAY_NOON
        allowed = Limits.model_validate({"ramp_days": 0, "spacing_seconds": 0, **limits})
        settings = Settings(limits=allowed).model_dump_json()
        self.write(
            Event("CampaignCreated", CAMPAIGN, {
                "name": "Talk", "goal": "", "status": "initializing", "site": "linkedin_assist", "account": "me",
                "settings": settings, "created_at": self.at,
            })
        )  # fmt: skip

    def write(self, *events: Event, stream: str = CAMPAIGN) -> None:
        self.at += 1_000
        self.journal.record(stream, events=events, actor="user", cause="by hand", at=self.at)

    def drafted(self, number: int, text: str = "Hello.", kind: str = "invitation") -> None:
        """A text for somebody who comes with it."""
        url = f"https://x.test/{number}"
        person = {"full_name": f"Person {number}", "profile_url": url, "member_key": url, "email": f"{number}@x.test"}
        self.write(Event("LeadImported", f"lead-{number}", person))
        message = {"lead_id": f"lead-{number}", "step": "s", "kind": kind, "text": text, "status": "draft"}
        self.write(Event("MessageDrafted", f"message-{number}", message | {"task_id": "t", "created_at": self.at}))

    def approved(self, number: int, text: str = "Hello.", kind: str = "invitation", expires: int = DAY) -> None:
        digest = approval_digest(
            campaign_id=CAMPAIGN,
            channel="linkedin_assist",
            step="s",
            kind=kind,
            profile_url=f"https://x.test/{number}",
            text=text,
        )
        approval = {"message_id": f"message-{number}", "digest": digest, "status": "open", "given_by": "user"}
        event = Event(
            "ApprovalGiven", f"approval-{number}", approval | {"expires_at": self.at + expires, "created_at": self.at}
        )
        self.write(event)

    def acted(
        self, number: int, attempt: int = 1, *, family: str = "invite", later: int = 0, outcome: str = "sent",
        began: str = "ActionIntended", despite: tuple[str, ...] = (),
        otherwise: Mapping[str, Json] | None = None,
    ) -> None:  # fmt: skip
        """The whole act, up to its outcome: unless another is given, that the message was sent; its intent says `otherwise`."""
        self.at += later
        action = f"action-{number}-{attempt}"
        intent = {
            "turn": 1, "task_id": "t", "lead_id": f"lead-{number}", "message_id": f"message-{number}",
            "approval_id": f"approval-{number}", "account": "me", "family": family, "tool": "x", "status": "intended",
            "params": {"profile_url": f"https://x.test/{number}", "name": f"Person {number}",
                       "despite": despite}, "seen_before": 0,
            "intended_at": self.at,
        } | dict(otherwise or {})  # fmt: skip
        self.write(Event(began, action, intent))
        self.write(Event("ActionSettled", action, {"status": outcome, "said": "", "settled_at": self.at}))
        if outcome == "sent" and intent["message_id"]:
            self.write(Event("MessageSent", f"message-{number}", {"sent_at": self.at}))

    def approved_again(self, number: int) -> None:
        self.write(Event("ApprovalReopened", f"approval-{number}", {"status": "open"}))

    def spent(self, number: int) -> None:
        self.write(Event("ApprovalUsed", f"approval-{number}", {"status": "used"}))

    def proof(self) -> bytes:
        page = b"".join(proof_page(self.journal, CAMPAIGN, lambda _: b"", self.at))
        self.journal.database.close()
        return page


@cache
def verifier() -> ModuleType:
    """docs/verify_proof.py, in this process."""
    spec = importlib.util.spec_from_file_location("verify_proof", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@lru_cache(maxsize=8)  # the same honest file is changed in a thousand ways
def _block(page: bytes, name: str) -> str:
    block: str = verifier().block(page.decode(), name)
    return block


def data_of(page: bytes) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(_block(page, "proof"))
    return data


def edited(page: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The same file, its data changed behind Outrider's back."""
    text = _block(page, "proof")
    data = json.loads(text)
    change(data)
    again = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return page.decode().replace(text, again).encode()


def forged(page: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The same file, changed by somebody who chains and signs everything anew, with a key of their own."""
    text, key = _block(page, "proof"), Ed25519PrivateKey.from_private_bytes(bytes(32))
    public = key.public_key().public_bytes_raw()
    data = json.loads(text)
    change(data)
    for entry in events_of(data, "SigningKeyIntroduced", WORKSPACE):
        entry[4] = key_id(public)
        entry[9] = canonical({**json.loads(entry[9]), "public_key": public.hex()})
    for stream in (WORKSPACE, data["campaign"]):
        for log, length in (("events", 7), ("audits", 5)):
            last = bytes(32)
            for entry in data["streams"][stream][log]:
                metadata, (salt, payload, digest) = entry[:length], entry[length + 1 :]
                digest_bytes = bytes.fromhex(digest) if digest else payload_digest(bytes.fromhex(salt), payload)
                last = entry_hash(last, digest_bytes, stream, *metadata)
                entry[length] = last.hex()
    for heads in data["signatures"]:
        events, audits = (data["streams"][heads[0]][log] for log in ("events", "audits"))
        heads[2] = events[heads[1] - 1][7] if heads[1] else heads[2]
        heads[4] = audits[heads[3] - 1][5] if heads[3] else heads[4]
        heads[5] = key_id(public)
        heads[7] = key.sign(b"outrider log heads 1\n" + canonical(heads[:7]).encode()).hex()
    again = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    signature = key.sign(b"outrider proof 1\n" + hashlib.sha256(again.encode()).hexdigest().encode())
    seal = _block(page, "seal")
    sealed = json.dumps({"key": key_id(public), "signature": signature.hex()})
    return page.decode().replace(text, again).replace(seal, sealed).encode()


def events_of(data: Mapping[str, Any], kind: str, stream: str = "") -> list[list[Any]]:
    return [entry for entry in data["streams"][stream or data["campaign"]]["events"] if entry[2] == kind]


def _doctored(kind: str, old: str, new: str) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        entry = events_of(data, kind)[0]
        assert old in entry[9]
        entry[9] = entry[9].replace(old, new, 1)

    return change


def _withhold(kind: str) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        entry = events_of(data, kind)[0]
        entry[10] = payload_digest(bytes.fromhex(entry[8]), entry[9]).hex()
        entry[8] = entry[9] = None

    return change


def _cut_end(data: dict[str, Any]) -> None:
    data["streams"][data["campaign"]]["events"].pop()


def _other_audit(data: dict[str, Any]) -> None:
    data["streams"][data["campaign"]]["audits"][2][3] = "somebody else"


def _other_signature(data: dict[str, Any]) -> None:
    signature = data["signatures"][-1][7]
    data["signatures"][-1][7] = signature[:-2] + ("00" if signature[-2:] != "00" else "01")


def _cut_entry(data: dict[str, Any]) -> None:
    data["streams"][data["campaign"]]["events"][4][9:] = []


def _other_shape(data: dict[str, Any]) -> None:
    data["streams"] = []


def _other_evidence(data: dict[str, Any]) -> None:
    data["evidence"] = dict.fromkeys(data["evidence"], "AAAA")


TAMPERED: dict[str, tuple[Callable[[dict[str, Any]], None], str, str]] = {
    "another text": (_doctored("MessageDrafted", "Hi ", "Ho "), "event", "not what was written after the entry before"),
    "another approval": (
        _doctored("ApprovalGiven", '"given_by":"', '"given_by":"not '),
        "event",
        "not what was written",
    ),
    "a withheld intent": (_withhold("ActionIntended"), "event", "it is withheld, and the proof needs it"),
    "a missing end": (_cut_end, "the signature of event", "is not the one that was signed"),
    "another audit entry": (_other_audit, "audit entry 3 of the campaign", "not what was written"),
    "another signature": (_other_signature, "the signature of event", "it is not what its key signed"),
    "another picture": (_other_evidence, "the evidence", "it is not what was kept"),
    "a cut entry": (_cut_entry, "event 5 of the campaign", "it is damaged"),
    "another shape": (_other_shape, "the file", "it is damaged"),
    "another date": (lambda data: data.update(made_at=1), "the file", "it was changed after it was made"),
}
"""What is changed in an honest file; where the verdict names it, and what it says."""


def _one(log: WrittenLog, number: int = 1, text: str = "Hello.") -> None:
    log.drafted(number, text)
    log.approved(number, text)
    log.acted(number)
    log.spent(number)


def _honest(log: WrittenLog) -> None:
    for number in range(1, 4):
        _one(log, number)


def _hidden_letters(log: WrittenLog) -> None:
    _one(log, 1, 'Grüße \U0001f600 \u2603 <b>&</b>\x7f\n"…"')


def _never_approved(log: WrittenLog) -> None:
    log.drafted(1)
    log.acted(1)


def _reworded(log: WrittenLog) -> None:
    log.drafted(1)
    log.approved(1)
    log.write(Event("MessageEdited", "message-1", {"text": "Hello!", "from_template": 0}))
    log.acted(1)


def _twice(log: WrittenLog) -> None:
    _one(log)
    log.approved_again(1)
    log.acted(1, 2)


def _spent(log: WrittenLog) -> None:
    log.drafted(1)
    log.approved(1)
    log.spent(1)
    log.acted(1)


def _expired(log: WrittenLog) -> None:
    log.drafted(1)
    log.approved(1, expires=60_000)
    log.acted(1, later=120_000)


def _blocked(log: WrittenLog) -> None:
    log.drafted(1)
    log.approved(1)
    log.write(Event("LeadBlocked", "lead-1", {"blocked": "do_not_contact"}))
    log.acted(1)


def _other_than_its_text(log: WrittenLog, **otherwise: str) -> None:
    """What was drafted for the first of two people, in an act that says otherwise."""
    log.drafted(2)
    log.drafted(1)
    log.approved(1)
    log.acted(1, otherwise=otherwise)


def _serving_twice(log: WrittenLog) -> None:
    """Nothing says that the first act used the approval up."""
    log.drafted(1)
    log.approved(1)
    log.acted(1, outcome="not_sent")
    log.acted(1, 2)


def _again_in_its_step(log: WrittenLog, outcome: str = "sent", step: str = "s") -> None:
    """The same words to the same person, as another text that was approved, too."""
    log.drafted(1)
    log.approved(1)
    log.acted(1, outcome=outcome)
    message = {"lead_id": "lead-1", "kind": "invitation", "text": "Hello.", "status": "draft", "task_id": "t"}
    log.write(Event("MessageDrafted", "message-2", message | {"step": step, "created_at": log.at}))
    digest = approval_digest(
        campaign_id=CAMPAIGN,
        channel="linkedin_assist",
        step=step,
        kind="invitation",
        profile_url="https://x.test/1",
        text="Hello.",
    )
    approval = {"message_id": "message-2", "digest": digest, "status": "open", "given_by": "user"}
    log.write(Event("ApprovalGiven", "approval-2", approval | {"expires_at": log.at + DAY, "created_at": log.at}))
    log.acted(2, otherwise={"lead_id": "lead-1", "params": {"profile_url": "https://x.test/1", "name": "Person 1"}})


def _dated_before_its_approval(log: WrittenLog) -> None:
    """A clock was set back between the two."""
    log.drafted(1)
    log.approved(1)
    log.acted(1, later=-60_000)


def _taken_back(log: WrittenLog) -> None:
    """The one act without a text."""
    _one(log)
    log.acted(1, 2, family="withdraw", otherwise={"message_id": "", "approval_id": ""})


def _listed(log: WrittenLog) -> None:
    listed = {"member_key": "https://x.test/1", "name": "Person 1", "reason": "", "status": "active"}
    log.write(Event("DoNotContactAdded", "listed-1", listed | {"created_at": log.at}), stream=WORKSPACE)
    _one(log)


def _listed_elsewhere(log: WrittenLog) -> None:
    """Two devices made the log: the entry may have come after the act, whatever its clock says."""
    key = hashlib.sha256(b"another device").digest()
    introduced = {
        "device_id": "another",
        "public_key": key.hex(),
        "previous": "",
        "endorsement": "",
        "created_at": log.at,
    }
    log.write(Event("SigningKeyIntroduced", hashlib.sha256(key).hexdigest()[:32], introduced), stream=WORKSPACE)
    _listed(log)


REPORTED = {"kind": "user_word", "sha256": "", "file": "", "quote": "sent"}
SHOWN = {"kind": "linkedin_export", "sha256": "", "file": "", "quote": "Hello."}


def _confirmed(log: WrittenLog) -> None:
    _one(log)
    log.write(Event("ActionConfirmed", "action-1-1", {"evidence": [REPORTED, SHOWN]}))


def _confirmed_though_not_sent(log: WrittenLog) -> None:
    log.drafted(1)
    log.approved(1)
    log.acted(1, outcome="not_sent")
    log.write(Event("ActionConfirmed", "action-1-1", {"evidence": [SHOWN]}))


def _over_the_day(log: WrittenLog) -> None:
    for number in range(1, 5):
        _one(log, number)


def _over_the_day_despite(log: WrittenLog, began: str) -> None:
    """The fourth of a day that allows three, though the user was told."""
    _honest(log)
    log.drafted(4)
    log.approved(4)
    log.acted(4, began=began, despite=("daily_limit",))


WRITTEN: dict[str, tuple[Callable[[WrittenLog], None], tuple[str, ...]]] = {
    "three honest ones": (_honest, ()),
    "letters of every kind": (_hidden_letters, ()),
    "never approved": (_never_approved, ("nobody approved this text",)),
    "worded otherwise": (_reworded, ("it was not approved as it is worded",)),
    "sent twice": (_twice, ("this text was sent, or may have been, before", "it was sent twice")),
    "another text of a step that was sent": (
        _again_in_its_step,
        ("another text of this step was sent to this person, or may have been, before",),
    ),
    "another text of a step that may have been sent": (
        partial(_again_in_its_step, outcome="outcome_unknown"),
        ("another text of this step was sent to this person, or may have been, before",),
    ),
    "another text of a step that was not sent": (partial(_again_in_its_step, outcome="not_sent"), ()),
    "the same words in another step": (partial(_again_in_its_step, step="t"), ()),
    "an act dated before its approval": (_dated_before_its_approval, ()),
    "a spent approval": (_spent, ("its approval was used",)),
    "an expired approval": (_expired, ("its approval had expired",)),
    "an approval that serves twice": (_serving_twice, ("its approval was used",)),
    "an act without a text": (partial(_other_than_its_text, message_id="", approval_id=""), ("there is no such text",)),
    "a message without a text": (
        partial(_other_than_its_text, message_id="", approval_id="", family="message"),
        ("there is no such text",),
    ),
    "an act for another person than its text": (
        partial(_other_than_its_text, lead_id="lead-2"),
        ("its text was for somebody else",),
    ),
    "an act for nobody": (partial(_other_than_its_text, lead_id=""), ("its text was for somebody else",)),
    "an invitation taken back": (_taken_back, ()),
    **{
        f"an invitation that counts as {family}": (
            partial(_other_than_its_text, family=family),
            ("it does not count as what its text is",),
        )
        for family in ActionFamily
        if family is not ActionFamily.INVITE
    },
    "a blocked person": (_blocked, ("this person was not to be contacted",)),
    "an opted-out person": (_listed, ("this person was on the do-not-contact list",)),
    "a person listed on another device": (_listed_elsewhere, ()),
    "confirmed by an export": (_confirmed, ()),
    "an export confirms what was not sent": (_confirmed_though_not_sent, ("it confirms what was not sent",)),
    "more than a day allows": (_over_the_day, ("the day's limit was used up",)),
    "knowingly more, by hand": (partial(_over_the_day_despite, began="ActionHandedOver"), ()),
    "more, as if by hand": (
        partial(_over_the_day_despite, began="ActionIntended"),
        ("the day's limit was used up",),
    ),
}
"""What a log tells of, and the rules that it breaks; none if it is honest."""


def written_proof(folder: Path, name: str) -> bytes:
    log = WrittenLog(folder, invitations_a_day=3)
    WRITTEN[name][0](log)
    return log.proof()
