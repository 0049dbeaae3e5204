"""Entries of a stream's two logs as a device writes them: chained, without gaps, each of a kind that there is."""

from backend.domain.events.events import EVENT_KINDS, WORKSPACE
from backend.domain.values.canonical_json import canonical
from backend.ports.shared_store import Batch, LoggedAudit, LoggedEvent
from backend.store.log.chain import GENESIS, entry_hash, payload_digest
from tests.fakes.clock import START
from tests.fakes.ids import SeededIds

CAMPAIGN = "camp-1"
_CREATED = {
    "name": "Forschung",
    "goal": "Learn — 学ぶ",
    "status": "initializing",
    "site": "practice",
    "account": "me",
    "settings": '{"note_limit":200}',
    "created_at": START,
}
_INTENDED = {
    "turn": 1,
    "task_id": "task-1",
    "lead_id": "lead-1",
    "message_id": "msg-1",
    "approval_id": "app-1",
    "account": "me",
    "family": "invite",
    "tool": "browser.send_invitation",
    "params": {"name": "Ada King"},
    "status": "intended",
    "intended_at": START,
}


class Stream:
    """Both logs of one stream on one device; `seed` makes what two devices write differ."""

    def __init__(self, campaign_id: str = WORKSPACE, seed: str = "here") -> None:
        self.campaign_id = campaign_id
        self.events: list[LoggedEvent] = []
        self.audits: list[LoggedAudit] = []
        self._ids = SeededIds(seed)

    def event(self, kind: str, entity_id: str, changes: dict[str, object]) -> None:
        """One more event."""
        seq, payload, salt = len(self.events) + 1, canonical(changes), self._ids.salt()
        before = self.events[-1].hash if self.events else GENESIS
        meta = (seq, START + seq, kind, EVENT_KINDS[kind].entity if kind in EVENT_KINDS else "config", entity_id)
        digest = payload_digest(salt, payload)
        tied = entry_hash(before, digest, self.campaign_id, *meta, "user", "test")
        self.events.append(LoggedEvent(*meta, payload, "user", "test", salt, None, tied))

    def settings(self, count: int, size: int = 3) -> "Stream":
        """So many settings of the workspace, of about so many letters each."""
        for _ in range(count):
            self.event("ConfigSet", f"setting-{len(self.events) + 1}", {"value": "é" * size})
        return self

    def created(self) -> "Stream":
        """The campaign begins."""
        self.event("CampaignCreated", self.campaign_id, dict(_CREATED))
        return self

    def intended(self) -> "Stream":
        """What only the device that acts may record."""
        self.event("ActionIntended", f"act-{len(self.events) + 1}", dict(_INTENDED))
        return self

    def audited(self, count: int) -> "Stream":
        """So many audit entries."""
        for _ in range(count):
            seq, payload, salt = len(self.audits) + 1, canonical({"n": len(self.audits)}), self._ids.salt()
            before = self.audits[-1].hash if self.audits else GENESIS
            meta = (seq, START + seq, "proposal.received")
            tied = entry_hash(before, payload_digest(salt, payload), self.campaign_id, *meta, "agent", "turn-1")
            self.audits.append(LoggedAudit(*meta, payload, "agent", "turn-1", salt, None, tied))
        return self

    def erased(self, seq: int, left: str = '{"value":""}') -> str:
        """An event loses its words and salt, as a person may demand; its digest stays, and is returned in hex."""
        event = self.events[seq - 1]
        digest = payload_digest(event.salt or b"", event.payload)
        self.events[seq - 1] = event._replace(payload=left, salt=None, digest=digest)
        return digest.hex()

    def erased_audit(self, seq: int) -> str:
        """Likewise an audit entry."""
        audit = self.audits[seq - 1]
        digest = payload_digest(audit.salt or b"", audit.payload)
        self.audits[seq - 1] = audit._replace(payload="{}", salt=None, digest=digest)
        return digest.hex()

    def batch(self, after: int = 0, until: int | None = None, audits_after: int = 0, device: str = "laptop") -> Batch:
        """What follows these entries, as that device adds it."""
        events = tuple(self.events[after:until])
        return Batch(device, self.campaign_id, after, events, audits_after, tuple(self.audits[audits_after:]))
