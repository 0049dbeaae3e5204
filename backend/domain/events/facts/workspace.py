"""What happens in the workspace's own stream, and, in whichever stream, that entries were erased."""

from collections.abc import Mapping, Sequence
from typing import Annotated, TypedDict

from backend.domain.events.facts.fact import OMITTED, Fact, ReadBy, Verb
from backend.domain.events.facts.statuses import ConsentStatus, DoNotContactStatus, IdentityAnswerStatus
from backend.domain.values.canonical_json import Json, read_object

_C, _D, _I = ConsentStatus, DoNotContactStatus, IdentityAnswerStatus
_NEW, _CHANGE = Verb.CREATES, Verb.CHANGES


class DoNotContactAdded(Fact, entity="do_not_contact", verb=_NEW, starts=_D.ACTIVE):
    """This person is never contacted, in any campaign; `import_id`: the import of a file that says so."""

    member_key: str
    name: str
    reason: str
    created_at: int
    import_id: str = OMITTED


class DoNotContactRemoved(Fact, entity="do_not_contact", verb=_CHANGE, moves={_D.ACTIVE: _D.REMOVED}):
    """They may be contacted again."""


class IdentityAnswered(Fact, entity="identity_answer", verb=_NEW, starts=_I.ACTIVE):
    """The user said whether the leads with these identities (`member_key`) are one person (`same` is 1) or different people."""

    member_keys: Sequence[str]
    same: int
    created_at: int


class IdentityAnswerTakenBack(Fact, entity="identity_answer", verb=_CHANGE, moves={_I.ACTIVE: _I.TAKEN_BACK}):
    """Whether they are one person is open again."""


class DoNotContactImportStarted(Fact, entity="do_not_contact_import", verb=_NEW):
    """A do-not-contact file is being read."""

    file: str
    created_at: int


class DoNotContactCounts(TypedDict):
    """How many rows of a do-not-contact file became what, and what that stopped."""

    people: int
    companies: int
    domains: int
    already: int
    rejected: int
    leads_stopped: int
    messages_withdrawn: int


class DoNotContactImportFinished(Fact, entity="do_not_contact_import", verb=_CHANGE):
    """The whole file was read."""

    people: int
    companies: int
    domains: int
    already: int
    rejected: int
    leads_stopped: int
    messages_withdrawn: int
    finished_at: int


class DoNotContactImportUndone(Fact, entity="do_not_contact_import", verb=_CHANGE):
    """The entries that the import brought left the list, and as many leads may be contacted again."""

    entries_removed: int
    leads_released: int
    undone_at: int


class ContactRemembered(Fact, entity="remembered_contact", verb=_NEW):
    """An account contacted somebody whose data is gone, or they refused; they are known by a keyed hash alone.

    `contacted_at` (ms UTC) is when they were last written to or last wrote, None if never.
    """

    contact_key: str
    account: str
    contacted_at: int | None
    refused: bool
    created_at: int


class ConsentGiven(Fact, entity="consent", verb=_NEW, starts=_C.ACTIVE):
    """The user consented in writing that this account's site is read and clicked: the text shown, and what was typed."""

    account: str
    text: str
    typed: str
    created_at: int


class ConsentWithdrawn(Fact, entity="consent", verb=_CHANGE, moves={_C.ACTIVE: _C.WITHDRAWN}):
    """It holds no more."""


class ConfigSet(Fact, entity="config", verb=_NEW):
    """A piece of configuration was kept for the first time."""

    value: str


class ConfigChanged(Fact, entity="config", verb=_CHANGE):
    """A piece of configuration has another value."""

    value: str


class SoulChanged(Fact, entity="soul", verb=_NEW):
    """The agent writes in another voice; `restores` is the earlier version that has the same text."""

    text: str
    version: int
    who: str
    restores: int | None
    created_at: int


class SkillContent(TypedDict):
    """What a skill's folder says, and whether the user read it."""

    description: str
    version: str
    applies_to: Sequence[str]
    source_hash: str
    instructions: str
    document: str
    metadata: Mapping[str, Json]
    updated_at: int
    review_state: str


class _SkillContent(Fact):
    """The columns of `SkillContent`."""

    description: str
    version: str
    applies_to: Sequence[str]
    source_hash: str
    instructions: str
    document: str
    metadata: Mapping[str, Json]
    updated_at: int
    review_state: str


class SkillInstalled(_SkillContent, entity="skill", verb=_NEW):
    """A skill was installed."""

    name: str
    source: str
    enabled: int
    created_at: int


class SkillUpdated(_SkillContent, entity="skill", verb=_CHANGE):
    """An installed skill has other content."""


class SkillReviewed(Fact, entity="skill", verb=_CHANGE, sets={"review_state": "reviewed"}):
    """The user read its content."""


class SkillEnabled(Fact, entity="skill", verb=_CHANGE, sets={"enabled": 1}):
    """Turns are told of it."""


class SkillDisabled(Fact, entity="skill", verb=_CHANGE, sets={"enabled": 0}):
    """Turns are not told of it any more."""


class SkillRemoved(Fact, entity="skill", verb=_CHANGE, sets={"removed": 1}):
    """It left the list."""


class SkillRestored(Fact, entity="skill", verb=_CHANGE, sets={"removed": 0}):
    """It is back in the list."""


class SealedColumns(TypedDict):
    """A key as the vault seals it."""

    encrypted_value: str
    key_version: int
    config_type: str
    updated_at: int


class SecretKept(Fact, entity="secret", verb=_NEW):
    """A key was sealed in the vault for the first time."""

    key_name: str
    encrypted_value: str
    key_version: int
    config_type: str
    updated_at: int


class SecretChanged(Fact, entity="secret", verb=_CHANGE):
    """Another key, or the same one sealed anew."""

    encrypted_value: str
    key_version: int
    updated_at: int
    config_type: str = OMITTED


class SecretForgotten(Fact, entity="secret", verb=_CHANGE, sets={"encrypted_value": ""}):
    """The key is gone from the vault."""

    updated_at: int


class DeviceJoined(Fact, entity="device", verb=_NEW):
    """A device may push and pull."""

    name: str
    created_at: int


class DeviceNamed(Fact, entity="device", verb=_CHANGE):
    """The user calls a device otherwise."""

    name: str


class SigningKeyIntroduced(Fact, entity="signing_key", verb=_NEW):
    """A device signs the logs by this key from now on; its id is the beginning of the key's SHA-256.

    `device_id` is "" for a data folder that belongs to no project. `previous` is the id of the device's earlier key, which signed
    for this one (`endorsement`); both are "" for a first key. Bytes in hexadecimal.
    """

    device_id: str
    public_key: str
    previous: str
    endorsement: str
    created_at: int


class DeviceRevoked(Fact, entity="device", verb=_CHANGE):
    """A device's access was taken away."""

    revoked_at: int


class EntriesErased(Fact, entity="erasure", verb=_NEW):
    """Entries of this stream lost their words on a person's request.

    `entries` has for each the digest of its salt and payload (hex), which its hash was made of and which another number in the log
    does not change, and the canonical JSON that stands in the payload's place from now on.
    """

    entries: Mapping[str, Annotated[str, ReadBy(read_object)]]
    created_at: int
