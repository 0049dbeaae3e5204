"""Check a proof that Outrider exported, without Outrider: `python verify_proof.py FILE`.

Needs Python 3.9 or newer and nothing else; uses the package `cryptography` for the signatures if it is installed.
Exit status 0: everything holds. 1: something does not, and it is named. 2: the file is no proof. docs/proof.md says
what is checked.
"""

import base64
import hashlib
import json
import re
import sys
from bisect import bisect_left, bisect_right, insort
from datetime import datetime, timedelta, timezone

WORKSPACE = "workspace"
DAY = 86_400_000
NEEDED = {
    "CampaignCreated", "CampaignEdited", "ApprovalGiven", "ApprovalUsed", "ApprovalReopened", "ApprovalExpired",
    "ApprovalRevoked", "ActionIntended", "ActionHandedOver", "ActionSettled", "ActionConfirmed", "MessageSent", "LeadBlocked",
    "LeadUnblocked",
    "EntriesErased", "SigningKeyIntroduced",
}  # fmt: skip

READ = NEEDED | {"MessageDrafted", "MessageEdited", "DoNotContactAdded", "DoNotContactRemoved"}
"""Kinds of event whose words are read."""

STATES = {
    "account", "action_id", "approval_id", "artifact_type", "blocked", "claim", "code", "device_id", "endorsement",
    "family", "finished", "format", "given_by", "history", "import_id", "kind", "label", "lead_id", "made_by", "media_type",
    "message_id", "model", "needs", "previous", "proposer", "public_key", "relation", "reply_kind", "request_id",
    "role", "site", "source", "state", "status", "step", "steps", "task_id", "tool", "variant", "verdict",
}  # fmt: skip
"""Fields that no erasure alters, besides numbers."""

REMAINS = {
    "ActionConfirmed": {
        "evidence": (True, "gone"),
    },
    "ActionHandedOver": {
        "turn": (True, "number"),
        "task_id": (True, "kept"),
        "lead_id": (True, "kept"),
        "message_id": (True, "kept"),
        "approval_id": (True, "kept"),
        "account": (True, "kept"),
        "family": (True, ["answer", "message", "invite", "think", "look", "withdraw", "approval", "input", "assist"]),
        "tool": (True, "kept"),
        "params": (True, "despite"),
        "seen_before": (True, "number"),
        "intended_at": (True, "number"),
        "status": (True, ["intended"]),
    },
    "ActionIntended": {
        "turn": (True, "number"),
        "task_id": (True, "kept"),
        "lead_id": (True, "kept"),
        "message_id": (True, "kept"),
        "approval_id": (True, "kept"),
        "account": (True, "kept"),
        "family": (True, ["answer", "message", "invite", "think", "look", "withdraw", "approval", "input", "assist"]),
        "tool": (True, "kept"),
        "params": (True, "despite"),
        "seen_before": (True, "number"),
        "intended_at": (True, "number"),
        "status": (True, ["intended"]),
    },
    "ActionSettled": {
        "status": (True, ["sent", "not_sent", "outcome_unknown"]),
        "said": (True, "gone"),
        "settled_at": (True, "number"),
        "claim": (False, ["confirmed", "refused", "no_answer"]),
        "evidence": (False, "gone"),
    },
    "ApprovalGiven": {
        "message_id": (True, "kept"),
        "digest": (True, "gone"),
        "given_by": (True, "kept"),
        "expires_at": (True, "number"),
        "created_at": (True, "number"),
        "status": (True, ["open"]),
    },
    "CampaignCreated": {
        "name": (True, "gone"),
        "goal": (True, "gone"),
        "site": (True, "kept"),
        "account": (True, "kept"),
        "settings": (True, "limits"),
        "created_at": (True, "number"),
        "proposer": (False, "kept"),
        "status": (True, ["initializing"]),
    },
    "CampaignEdited": {
        "name": (False, "gone"),
        "goal": (False, "gone"),
        "version": (False, "number"),
        "settings": (False, "limits"),
        "proposer": (False, "kept"),
    },
    "DoNotContactAdded": {
        "member_key": (True, "key"),
        "name": (True, "words"),
        "reason": (True, "words"),
        "created_at": (True, "number"),
        "import_id": (False, "kept"),
        "status": (True, ["active"]),
    },
    "EntriesErased": {
        "entries": (True, "words"),
        "created_at": (True, "number"),
    },
    "MessageDrafted": {
        "lead_id": (True, "kept"),
        "task_id": (True, "kept"),
        "step": (True, "kept"),
        "kind": (True, "kept"),
        "text": (True, "gone"),
        "created_at": (True, "number"),
        "from_template": (False, "number"),
        "variant": (False, "kept"),
        "status": (True, ["draft"]),
    },
    "MessageEdited": {
        "text": (True, "gone"),
        "from_template": (True, [0]),
    },
    "MessageSent": {
        "sent_at": (True, "number"),
        "evidence": (True, "gone"),
        "status": (True, ["sent"]),
    },
}
"""What an erasure may leave of each field of the events that are read here (domain/erasure/remains_by_kind.py), and whether every
event of the kind has it. Of a kind that is not here nothing is ever erased."""

# ── What a file says is never trusted: neither by whoever reads its JSON, nor by the terminal ──

MOST_DIGITS = 15
"""A whole number of more is not the same in every program that reads it."""
LAST_TIME = 253_402_300_799_999
"""The end of the year 9999, in ms."""
MOST_NESTED = 500
"""How deep JSON may be nested, in every program that reads it."""
DAMAGED = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What comes of a value that is missing, or of another kind than belongs there."""

UNSEEN = frozenset(
    map(
        chr,
        (
            0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, 0x3164, *range(0xFE00, 0xFE10), 0xFFA0,
            0xFFFC, 0x16FE4, 0x1D159, *range(0xE0100, 0xE01F0),
        ),
    )
)  # fmt: skip
"""What Python takes for printable though nobody can see it."""


class UnreadableError(ValueError):
    """What is wrong with a part of the file, as the end of a sentence."""


def mark(run):
    character, count = run[1], len(run[0])
    if character in "\t\n" or (character.isprintable() and character not in UNSEEN):
        return run[0]
    return f"[U+{ord(character):04X}{f' x{count}' if count > 1 else ''}]"


def one_line(value):
    """A word of the file as it may be printed: on one line, whatever could hide or fool a terminal as its code point."""
    return " ".join(re.sub(r"(.)\1*", mark, str(value), flags=re.DOTALL).split())


def whole_number(digits):
    if len(digits.lstrip("-")) > MOST_DIGITS:
        raise UnreadableError("it has a number that is too large")
    return int(digits)


def fraction(digits):
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise UnreadableError("it has a number that is too large")
    return number


def no_number(constant):
    raise UnreadableError(f"it has {constant}, which is no number")


def fields(pairs):
    by_name = dict(pairs)
    if len(by_name) < len(pairs):
        raise UnreadableError("it has a field twice")
    return by_name


def no_fraction(digits):
    fraction(digits)
    raise UnreadableError("it has a fraction where only whole numbers belong")


def parsed(text, parse_float=fraction):
    """What JSON says, if every program would read the same."""
    try:
        value = json.loads(
            text, object_pairs_hook=fields, parse_int=whole_number, parse_float=parse_float, parse_constant=no_number
        )
    except RecursionError:
        raise UnreadableError("it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise UnreadableError(f"it is not JSON ({error.msg} at character {error.pos})") from None
    level = nesting([value])
    for _ in range(MOST_NESTED):
        if not level:
            break
        level = [inner for outer in level for inner in nesting(outer.values() if isinstance(outer, dict) else outer)]
    if level:
        raise UnreadableError("it is nested too deeply")
    return value


def nesting(values):
    return [value for value in values if isinstance(value, (list, dict))]


def unhex(digits):
    """The bytes; a spelling that another program may read otherwise is none."""
    if not re.fullmatch("(?:[0-9a-f]{2})*", digits):
        raise ValueError(digits)
    return bytes.fromhex(digits)


def unbase64(letters):
    if len(letters) % 4 or not re.fullmatch("[A-Za-z0-9+/]*={0,2}", letters):
        raise ValueError(letters)
    return base64.b64decode(letters)


def expect(right):
    """Anything but what belongs here is damage."""
    if not right:
        raise ValueError


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_time(value):
    return is_number(value) and 0 <= value <= LAST_TIME


def is_text(value):
    return isinstance(value, str)


def all_text(values):
    return all(is_text(value) for value in values)


def is_params(value):
    return (
        isinstance(value, dict)
        and all(is_text(value.get(name, "")) for name in ("name", "profile_url"))
        and isinstance(value.get("despite", []), list)
        and all_text(value.get("despite", []))
    )


def are_pieces(value):
    return isinstance(value, list) and all(
        isinstance(piece, dict) and all(is_text(piece.get(name)) for name in ("kind", "sha256", "file", "quote"))
        for piece in value
    )


TYPES = {
    "text": is_text,
    "words": is_text,  # of which an erasure leaves none
    "time": is_time,
    "outcome": ("sent", "not_sent", "outcome_unknown").__contains__,
    "settings": lambda value: isinstance(value, (str, dict)),
    "params": is_params,
    "pieces": are_pieces,
    "texts": lambda value: isinstance(value, dict) and all_text(value.values()),
}

INTENT = {
    "message_id": "text?", "lead_id": "text?", "approval_id": "text?", "family": "text", "intended_at": "time",
    "params": "params",
}  # fmt: skip
FAMILIES = {"invitation": "invite", "message": "message"}
"""As what an act counts, by the kind of its text."""
FIELDS = {
    "CampaignCreated": {"name": "words", "site": "text", "settings": "settings"},
    "CampaignEdited": {"name": "words?", "site": "text?", "settings": "settings?"},
    "MessageDrafted": {"lead_id": "text", "step": "text", "kind": "text", "text": "words"},
    "MessageEdited": {"text": "words"},
    "ApprovalGiven": {"message_id": "text", "digest": "words", "given_by": "text", "expires_at": "time"},
    "ActionIntended": INTENT,
    "ActionHandedOver": INTENT,
    "ActionSettled": {"status": "outcome", "settled_at": "time", "evidence": "pieces?"},
    "ActionConfirmed": {"evidence": "pieces"},
    "MessageSent": {"evidence": "pieces?"},
    "LeadBlocked": {"blocked": "text"},
    "EntriesErased": {"entries": "texts"},
    "SigningKeyIntroduced": {"device_id": "text", "public_key": "text", "previous": "text", "endorsement": "text"},
}
"""What is read of each kind of event, and as what; with a question mark, it may be missing."""


def words_of(kind, payload, erased):
    """What the event says, of which every program would make the same."""
    said = parsed(payload)
    expect(isinstance(said, dict))
    for name, rule in FIELDS.get(kind, {}).items():
        value, type_name = said.get(name), rule.rstrip("?")
        missing = value is None and rule != type_name
        taken = erased and type_name in ("words", "settings", "pieces") and is_gone(value)
        expect(missing or taken or TYPES[type_name](value))
    return said


def writes(intent):
    """Whether an act writes to somebody: only an invitation is taken back without a text."""
    return bool(intent.get("message_id")) or intent["family"] != "withdraw"


def limits_of(settings):
    """A campaign's limits, each of them a number."""
    whole = parsed(settings) if is_text(settings) else settings
    limits = whole["limits"]
    expect(all(is_number(limits[name]) for name in ("invitations_a_week", "invitations_a_day", "messages_a_day")))
    return limits


def pieces_of(said):
    """What was seen, as far as an erasure left it."""
    return said.get("evidence") if isinstance(said.get("evidence"), list) else []


def as_written(entry, length):
    """An entry's metadata, hash, salt, payload and digest: whole, in part or erased, as Outrider writes them."""
    expect(isinstance(entry, list) and len(entry) == length + 4)
    metadata, (written, salt, payload, digest) = entry[:length], entry[length:]
    expect(type(metadata[0]) is int and type(metadata[1]) is int and is_time(metadata[1]))
    expect(
        all(value is None or is_text(value) for value in (*metadata[2:], salt, payload, digest)) and is_text(written)
    )
    expect((salt is None) == (digest is not None) and (payload is not None or salt is None))
    return metadata, written, salt, payload, digest


# ── Ed25519 (RFC 8032, section 6), for a Python without `cryptography` ──

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def added(first, second):
    a, b = (first[1] - first[0]) * (second[1] - second[0]) % P, (first[1] + first[0]) * (second[1] + second[0]) % P
    c, d = 2 * first[3] * second[3] * D % P, 2 * first[2] * second[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(point, n):
    total = (0, 1, 1, 0)
    while n:
        if n & 1:
            total = added(total, point)
        point, n = added(point, point), n >> 1
    return total


def point_of(encoded):
    y, sign = int.from_bytes(encoded, "little") & (2**255 - 1), encoded[31] >> 7
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)


BASE = point_of(bytes.fromhex("58" + "66" * 31))


def plain_verify(key, message, signature):
    a, r, s = point_of(key), point_of(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    left, right = times(BASE, s), added(r, times(a, k))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0


def verified(key, message, signature):
    """Whether that key signed exactly this."""
    if len(key) != 32 or len(signature) != 64:
        return False
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        return plain_verify(key, message, signature)
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


# ── The checks ──


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


PIECE = re.compile(
    r'((?:\(erased\)|\\+u[0-9a-f]{4}|[^] "(),;<>[{}|:\\])+)|((?:\\\\)*\\"|\\+[nrtbf]|(?:\\\\)+|[] "(),;<>[{}|:\\])'
)
"""In canonical JSON: a word, or what stands between two words."""

KEYS = ("member_key", "artifact_key", "given_key")
SUBSTITUTES = ("erased-", "deleted-", "forgotten:")


def lesser(first, second):
    """What remains of a payload of which two erasures left these: of each field no more than both left."""
    if first == second:
        return first
    first_fields, second_fields = parsed(first), parsed(second)
    return canonical(
        {
            name: lesser_field(name, first_fields[name], second_fields[name])
            for name in first_fields.keys() & second_fields.keys()
        }
    ).decode()


def same_states(first, second):
    """Whether two erasures that say what is left of one entry agree on its numbers and states."""
    first_fields, second_fields = parsed(first), parsed(second)
    sizes = ("bytes", "in_file")
    return all(
        first_fields[name] == second_fields[name]
        for name in first_fields.keys() & second_fields.keys()
        if name in STATES or (isinstance(first_fields[name], (int, float)) and name not in sizes)
    )


def lesser_field(name, first, second):
    if name in KEYS:
        return min(first, second, key=lambda key: (not str(key).startswith(SUBSTITUTES), len(str(key)), str(key)))
    return parsed(lesser_value(canonical(first).decode(), canonical(second).decode()))


def lesser_value(first, second):
    """Word by word if they only differ in words; else the simpler of both, and nothing of an object or a list."""
    first_pieces, second_pieces = PIECE.findall(first), PIECE.findall(second)
    shapes = ["".join(between or "w" for _, between in pieces) for pieces in (first_pieces, second_pieces)]
    if shapes[0] != shapes[1]:
        simpler = first if (len(shapes[0]), shapes[0]) < (len(shapes[1]), shapes[1]) else second
        return {"{": "{}", "[": "[]"}.get(simpler[0], simpler)
    text, quoted = "", False
    for (word, between), (other_word, _) in zip(first_pieces, second_pieces):  # noqa: B905 - Python 3.9
        quoted ^= between == '"'
        if between or word == other_word:
            text += between or word
        else:
            simpler = min(word, other_word, key=lambda candidate: (candidate != "null", len(candidate), candidate))
            text += "(erased)" if quoted else simpler
    return text


def is_gone(value):
    """Whether no word is left of a value."""
    return value is None or (isinstance(value, (str, list, dict)) and (not value or value in ("(erased)", "{}", "[]")))


def fits(rule, value):
    """Whether an erasure may leave this of a field, by its rule; a list is the values that it may have."""
    if isinstance(rule, list):
        return any(value == allowed and isinstance(value, bool) == isinstance(allowed, bool) for allowed in rule)
    if rule == "limits" and isinstance(value, str) and not is_gone(value):
        limits = parsed(value)["limits"] if parsed(value).keys() == {"limits"} else None
        return isinstance(limits, dict) and not any(isinstance(limit, (str, dict)) for limit in limits.values())
    if rule == "despite":
        return value.keys() <= {"despite"} and all(re.fullmatch("[a-z_]+", code) for code in value.get("despite", ()))
    return {
        "number": value is None or isinstance(value, (int, float)),
        "kept": value is None or isinstance(value, (str, list)),
        "gone": is_gone(value),
        "limits": is_gone(value),
        "key": isinstance(value, str) and (not value or value.startswith(SUBSTITUTES)),
        "words": True,
    }[rule]


def may_remain(kind, payload):
    """Whether this may be what an erasure left of an event of a kind that is read here."""
    rules, left = REMAINS.get(kind), parsed(payload)
    if rules is None or not isinstance(left, dict):
        return False
    missing = [name for name, (required, _) in rules.items() if required and name not in left]
    try:
        return not missing and all(name in rules and fits(rules[name][1], value) for name, value in left.items())
    except DAMAGED:
        return False


def place(log, seq, stream):
    kind = "audit entry" if log == "audits" else "event"
    return f"{kind} {seq} of the {'workspace' if stream == WORKSPACE else 'campaign'}"


class Proof:
    """One file's data; `problems` has (where, what) for everything that does not hold."""

    def __init__(self, text, seal):
        if not text.isascii() or "<" in text:
            raise UnreadableError("its data has letters that Outrider never writes there")
        self.text, self.seal, self.data = text, parsed(seal), parsed(text, no_fraction)
        if not isinstance(self.seal, dict) or not isinstance(self.data, dict):
            raise UnreadableError("its data is no object")
        self.where = "the file"  # what is being looked at
        self.problems, self.messages, self.keys, self.devices = [], [], {}, set()
        self.entries = self.withheld = self.erased = self.unread = 0
        self.in_time = {}  # when the acts of each family were begun, and which
        self.resting = {}  # what was checked against the remains of erased events, and their numbers

    def problem(self, where, what):
        self.problems.append((where, what))

    def check(self):
        """Finds what does not hold; a part that is not as Outrider writes it is a problem like any other."""
        try:
            self.hold()
        except UnreadableError as error:
            self.problem(self.where, str(error))
        except DAMAGED:
            self.problem(self.where, "it is damaged: a part of it is missing, or is not what belongs there")

    def hold(self):
        if self.data.get("format") != "outrider-proof 1":
            self.problem("the file", "it is of a format that is not known here")
            return
        expect(
            is_text(self.data["campaign"]) and is_time(self.data["made_at"]) and isinstance(self.data["evidence"], dict)
        )
        expect(isinstance(self.data["opted_out"], dict) and isinstance(self.data["signatures"], list))
        expect(all(isinstance(leads, list) and all_text(leads) for leads in self.data["opted_out"].values()))
        for stream in (WORKSPACE, self.data["campaign"]):
            self.chain(stream)
        self.where = "the file"
        self.signatures()
        if not self.problems:
            self.follow()
        self.where = "the file"
        for file, content in self.data["evidence"].items():
            if hashlib.sha256(unbase64(content)).hexdigest() not in file:
                self.problem(f"the evidence {file}", "it is not what was kept")
        message = b"outrider proof 1\n" + hashlib.sha256(self.text.encode()).hexdigest().encode()
        key = self.keys.get(self.seal["key"])
        if key is None or not verified(key, message, unhex(self.seal["signature"])):
            self.problem("the file", "it was changed after it was made")

    def chain(self, stream):
        """Each entry's hash follows from the entry before it; a payload that is withheld is known by its digest."""
        logs, left = self.data["streams"][stream], {}
        expect(isinstance(logs["events"], list) and isinstance(logs["audits"], list))
        for number, entry in enumerate(logs["events"], start=1):
            self.where = place("events", number, stream)
            as_written(entry, 7)
            if entry[2] == "EntriesErased" and entry[8] is not None:  # one that is erased itself names nothing
                for digest, remains in words_of(entry[2], entry[9], False)["entries"].items():
                    expect(isinstance(parsed(remains), dict))
                    if not same_states(left.get(digest, remains), remains):
                        self.problem(
                            place("events", entry[0], stream), "it says otherwise than an erasure before what is left"
                        )
                    left[digest] = lesser(left.get(digest, remains), remains)
        for log, length in (("events", 7), ("audits", 5)):
            before = bytes(32)
            for number, entry in enumerate(logs[log], start=1):
                self.where = where = place(log, number, stream)
                metadata, written, salt, payload, digest = as_written(entry, length)
                if entry[0] != number:
                    return self.problem(where, "it is missing")
                if payload is not None and digest is not None and left.get(digest) != payload:
                    return self.problem(where, "its words are gone, and no erasure says that this is left of it")
                if payload is None and log == "events" and entry[2] in NEEDED:
                    return self.problem(where, "it is withheld, and the proof needs it")
                erased = payload is not None and digest is not None
                if erased and log == "events" and entry[2] in READ and not may_remain(entry[2], payload):
                    return self.problem(where, "its words are gone, and what is left is not what an erasure leaves")
                entry_digest = (
                    unhex(digest)
                    if digest is not None
                    else (hashlib.sha256(unhex(salt) + payload.encode("ascii")).digest())
                )
                before = hashlib.sha256(before + entry_digest + canonical([stream, *metadata])).digest()
                if before.hex() != written:
                    return self.problem(where, "it is not what was written after the entry before it")
                self.entries += 1
                self.withheld += payload is None
                self.erased += payload is not None and digest is not None
        return None

    def signatures(self):
        """Keys that the log introduces, and signatures of where both logs end."""
        for entry in self.data["streams"][WORKSPACE]["events"]:
            if entry[2] != "SigningKeyIntroduced" or entry[9] is None:
                continue
            self.where = where = place("events", entry[0], WORKSPACE)
            payload = words_of(entry[2], entry[9], False)
            key = unhex(payload["public_key"])
            if hashlib.sha256(key).hexdigest()[:32] != entry[4]:
                self.problem(where, "the key's id is not that of the key")
            earlier = self.keys.get(payload["previous"])
            message = b"outrider next key 1\n" + canonical([payload["device_id"], payload["public_key"]])
            if earlier and not verified(earlier, message, unhex(payload["endorsement"])):
                self.problem(where, "the key before it did not sign for it")
            self.keys[entry[4]] = key
            self.devices.add(payload["device_id"])
        for stream in (WORKSPACE, self.data["campaign"]):
            events, audits = (self.data["streams"][stream][log] for log in ("events", "audits"))
            covered = not events and not audits
            for heads in self.data["signatures"]:
                expect(isinstance(heads, list) and len(heads) == 8)
                if heads[0] != stream:
                    continue
                expect(all(type(heads[at]) is int and heads[at] >= 0 for at in (1, 3, 6)))
                expect(all_text(heads[at] for at in (0, 2, 4, 5, 7)))
                _, event_seq, event_hash, audit_seq, audit_hash, key_id, _, signature = heads
                where = f"the signature of {place('events', event_seq, stream)} and audit entry {audit_seq}"
                key = self.keys.get(key_id)
                if key is None:
                    self.problem(where, f"no entry introduces its key {key_id}")
                elif not verified(key, b"outrider log heads 1\n" + canonical(heads[:7]), unhex(signature)):
                    self.problem(where, "it is not what its key signed")
                elif event_seq and (event_seq > len(events) or events[event_seq - 1][7] != event_hash):
                    self.problem(where, f"event {event_seq} is not the one that was signed")
                elif audit_seq and (audit_seq > len(audits) or audits[audit_seq - 1][5] != audit_hash):
                    self.problem(where, f"audit entry {audit_seq} is not the one that was signed")
                else:
                    covered = covered or (event_seq, audit_seq) == (len(events), len(audits))
            if not covered:
                self.problem(place("events", len(events), stream), "no signature covers the end of the log")

    def follow(self):
        """Go through the campaign as it happened, and hold every act to the rules."""
        campaign, limits, site = self.data["campaign"], {}, ""
        texts, approvals, actions, blocked, acts, acts_of, acts_of_step = {}, {}, {}, {}, [], {}, {}
        self.read_opt_outs()
        steps = {"Reopened": "open", "Used": "used", "Expired": "expired", "Revoked": "revoked"}
        for entry in self.data["streams"][campaign]["events"]:
            seq, timestamp, kind, _, ident = entry[:5]
            if entry[9] is None:
                if kind == "MessageEdited" and ident in texts:
                    self.problem(place("events", seq, campaign), "it is withheld, and the proof needs it")
                continue
            self.where = where = place("events", seq, campaign)
            if kind not in READ:
                continue
            erased = entry[8] is None
            payload = words_of(kind, entry[9], erased)
            if erased and kind in RESTING:
                for check in RESTING[kind]:
                    self.resting.setdefault(check, []).append(seq)
            if kind in ("CampaignCreated", "CampaignEdited"):
                site = payload.get("site") or site
                if payload.get("settings") is not None:
                    limits = limits_of(payload["settings"])
            elif kind == "MessageDrafted":
                texts[ident] = {**payload, "sent": 0, "erased": erased}
            elif kind == "MessageEdited":
                texts[ident].update(text=payload["text"], erased=erased)
            elif kind == "ApprovalGiven":
                approvals[ident] = {**payload, "at": timestamp, "status": "open", "erased": erased}
            elif kind.startswith("Approval"):
                approvals[ident]["status"] = steps[kind[len("Approval") :]]
            elif kind == "LeadBlocked":
                blocked[ident] = payload["blocked"]
            elif kind == "LeadUnblocked":
                blocked.pop(ident, None)
            elif kind in ("ActionIntended", "ActionHandedOver") and writes(payload):
                despite = payload["params"].get("despite", ()) if kind == "ActionHandedOver" else ()
                act = {**payload, "status": "intended", "where": where, "erased": erased, "despite": despite}
                lead = payload.get("lead_id")
                text_id = payload.get("message_id")
                self.judge(
                    act, texts.get(text_id), approvals.get(payload.get("approval_id")), site, acts_of, acts_of_step
                )
                if blocked.get(lead) == "do_not_contact":
                    self.problem(where, "this person was not to be contacted")
                if site != "practice":
                    self.unread = max(self.unread, self.listed(payload["intended_at"]))
                if site != "practice" and self.opted_out(lead, payload["intended_at"]):
                    self.problem(where, "this person was on the do-not-contact list")
                acts.append(act)
                acts_of.setdefault(text_id, []).append(act)
                actions[ident] = act
                self.within_limits(acts, act, limits)
            elif kind == "ActionSettled" and ident in actions:
                if actions[ident]["status"] == "sent":
                    self.problem(where, "it changes an outcome that was known")
                actions[ident].update(status=payload["status"], evidence=pieces_of(payload))
            elif kind == "ActionConfirmed" and ident in actions:
                actions[ident].update(confirmed=timestamp, evidence=pieces_of(payload))
                if actions[ident]["status"] != "sent":
                    self.problem(where, "it confirms what was not sent")
            elif kind == "MessageSent":
                if ident not in texts or not any(act["status"] == "sent" for act in acts_of.get(ident, ())):
                    self.problem(where, "it was sent without an act that is on record")
                    continue
                texts[ident]["sent"] += 1
                if texts[ident]["sent"] > 1:
                    self.problem(where, "it was sent twice")

    def judge(self, act, message, approval, site, acts_of, acts_of_step):
        where = act["where"]
        if message is None:
            self.problem(where, "there is no such text")
            return
        step = message["lead_id"], message["step"]
        erased = (
            message["erased"] or act["erased"] or (approval is not None and approval["erased"])
        )  # whether it was worded so, nobody can tell any more
        text, params = ("(erased)" if erased else message["text"]), act["params"]
        parts = (self.data["campaign"], site, message["step"], message["kind"], params.get("profile_url", ""), text)
        digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
        if approval is None or approval["message_id"] != act["message_id"]:
            self.problem(where, "nobody approved this text")
        elif not erased and approval["digest"] != digest:
            self.problem(where, "it was not approved as it is worded")
        elif approval["status"] != "open":
            self.problem(where, f"its approval was {approval['status']}")
        elif act["intended_at"] >= approval["expires_at"]:
            self.problem(where, "its approval had expired")
        if any(earlier_act["status"] != "not_sent" for earlier_act in acts_of.get(act["message_id"], ())):
            self.problem(where, "this text was sent, or may have been, before")
        elif any(earlier_act["status"] != "not_sent" for earlier_act in acts_of_step.get(step, ())):
            self.problem(where, "another text of this step was sent to this person, or may have been, before")
        acts_of_step.setdefault(step, []).append(act)
        if act.get("lead_id") != message["lead_id"]:
            self.problem(where, "its text was for somebody else")
        if act["family"] != FAMILIES.get(message["kind"]):
            self.problem(where, "it does not count as what its text is")
        if approval is not None:
            approval["status"] = "used"  # whether or not the log says so
        self.messages.append((act, text, approval["at"] if approval else None))

    def read_opt_outs(self):
        """The do-not-contact list as it grew, once for all acts."""
        self.opt_outs = [
            entry
            for entry in self.data["streams"][WORKSPACE]["events"]
            if entry[2] in ("DoNotContactAdded", "DoNotContactRemoved")
        ]
        times, entry_ids, self.in_force = [entry[1] for entry in self.opt_outs], set(), [0]
        self.times = times if times == sorted(times) else None
        self.opt_outs_of = {}
        for entry in self.opt_outs:
            if entry[2] == "DoNotContactAdded":
                entry_ids.add(entry[4])
            elif len(self.devices) == 1:
                entry_ids.discard(entry[4])
            self.in_force.append(len(entry_ids))
            for lead in self.data["opted_out"].get(entry[4], ()) if entry[9] is not None else ():
                self.opt_outs_of.setdefault(lead, []).append(entry)

    def listed(self, at):
        """How many entries of the do-not-contact list were in force, whoever they mean; with several devices, all are."""
        if len(self.devices) > 1:
            return self.in_force[-1]
        if self.times is not None:
            return self.in_force[bisect_left(self.times, at)]
        entry_ids = set()  # a clock went back
        for _, timestamp, kind, _, ident, *_ in self.opt_outs:
            if timestamp < at and kind == "DoNotContactAdded":
                entry_ids.add(ident)
            elif timestamp < at:
                entry_ids.discard(ident)
        return len(entry_ids)

    def opted_out(self, lead, at):
        if len(self.devices) > 1:
            return False  # another device's entry may have come after the act, whatever its clock says
        listed = False
        for entry in self.opt_outs_of.get(lead, ()):
            if entry[1] < at:
                listed = entry[2] == "DoNotContactAdded"
        return listed

    def within_limits(self, acts, act, limits):
        """The day's limit holds if there is a time zone in which no day has more; the week's is seven days before each act."""
        at, invites = act["intended_at"], act["family"] == "invite"
        alike = self.in_time.setdefault(act["family"], [])
        insort(alike, (at, len(acts) - 1))
        since = bisect_right(alike, (at - 7 * DAY, len(acts)))
        week = [acts[number] for _, number in alike[since:] if acts[number]["status"] != "not_sent"]
        despite = act["despite"]  # only the user's own hand may go beyond a limit, knowing it
        if invites and len(week) > limits["invitations_a_week"] and "weekly_limit" not in despite:
            self.problem(act["where"], "the week's limit was used up")
        near = [other_act["intended_at"] for other_act in week if other_act["intended_at"] > at - 2 * DAY]
        most = limits["invitations_a_day" if invites else "messages_a_day"]
        offsets = [quarter * 900_000 for quarter in range(-48, 57)]
        if (
            len(near) > most
            and "daily_limit" not in despite
            and not any(
                sum((time + offset) // DAY == (at + offset) // DAY for time in near) <= most for offset in offsets
            )
        ):
            self.problem(act["where"], "the day's limit was used up")


def when(at):
    if at is None:
        return "-"
    if not is_time(at):
        raise UnreadableError("it has a time that is none")
    return f"{datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=at):%Y-%m-%d %H:%M UTC}"


WORDED, ONCE, LIMITED, CONTACTABLE, OUTCOME = (
    "approved as worded", "sent once", "within the limits", "to nobody who had opted out", "the outcome",
)  # fmt: skip
RESTING = {
    "CampaignCreated": (LIMITED,), "CampaignEdited": (LIMITED,), "MessageDrafted": (WORDED,), "MessageEdited": (WORDED,),
    "ApprovalGiven": (WORDED,), "ActionIntended": (WORDED, ONCE, LIMITED, CONTACTABLE),
    "ActionHandedOver": (WORDED, ONCE, LIMITED, CONTACTABLE), "ActionSettled": (ONCE, LIMITED, OUTCOME),
    "ActionConfirmed": (OUTCOME,), "MessageSent": (ONCE, OUTCOME),
}  # fmt: skip
"""What is checked against an event of each kind that may be erased."""

USER_WORD, EXPORT = "user_word", "linkedin_export"


def outcome(act):
    """What became of an act, and by whose word."""
    words = {"outcome_unknown": "nobody knows", "not_sent": "not sent"}.get(act["status"], act["status"])
    kinds = {piece["kind"] for piece in act.get("evidence", ())}
    if USER_WORD in kinds:
        return f"{words}, as the user reported"
    return f"{words}, as LinkedIn's export shows" if EXPORT in kinds and "confirmed" not in act else words


def confirmation(act):
    """What an export that was read later confirmed; empty if none did."""
    if "confirmed" not in act:
        return ""
    quote = next((piece["quote"] for piece in act["evidence"] if piece["kind"] == EXPORT), "")
    return f"confirmed by LinkedIn's export, read {when(act['confirmed'])}" + (f': "{quote}"' if quote else "")


def told(proof):
    """The verdict and what it rests on, a line each."""
    if proof.problems:
        yield "NOT VERIFIED"
        for where, what in proof.problems:
            yield f"  {one_line(where)}: {one_line(what)}"
        return
    key = " ".join(proof.seal["key"][at : at + 4] for at in range(0, 20, 4))
    yield f"VERIFIED  signed by key {one_line(key)}, made {when(proof.data['made_at'])}"
    yield f"  {proof.entries} log entries, {proof.withheld} of them by their digest alone, {proof.erased} erased"
    if proof.unread:
        yield f"  Not shown: whether anybody written to was on the do-not-contact list; {proof.unread} of its entries are withheld"
    for check, entries in proof.resting.items():
        numbers = ", ".join(map(str, entries))
        yield f"  Rests on what erasures left of entries, whose words nobody can compare: {check} (event {numbers})"
    for act, text, approved in proof.messages:
        params = act["params"]
        who = one_line(f"{params.get('name', '(erased)')} ({params.get('profile_url', '')})")
        yield f"  {who}: {one_line(outcome(act))}; approved {when(approved)}, begun {when(act['intended_at'])}"
        if confirmation(act):
            yield f"    {one_line(confirmation(act))}"
        yield f'    "{one_line(text)}"'


PAGE = re.compile(
    r"""\ufeff?<!doctype[ ]html>\s*<html[ ]lang="en">\s*<head>\s*<meta[ ]charset="utf-8">
    (?: [^<>\0] | <(title|style)>[^<\0]*</\1>
      | </?(?:html|head|meta|body|main|section|h[12]|p|ol|footer|code)
        (?: [ ](?!id="(?:proof|seal)")[a-z-]+(?:="[^<>&"\0]*")? )*> )*
    <script[ ]type="application/json"[ ]id="proof">(?P<proof>[^<\0]*)</script>\s*
    <script[ ]type="application/json"[ ]id="seal">(?P<seal>[^<\0]*)</script>\s*
    <script>(?: [^<\0] | <(?!(?i:/?script|!--)) )*</script>\s*</body>\s*</html>\s*""",
    re.VERBOSE,
)
"""A page of Outrider's. It has nothing that one program may read otherwise than another: no comment, and no element, beside the
script's own, that hides what stands in it."""


def block(page, name):
    """The data of that name, where every browser finds it, too."""
    made = PAGE.fullmatch(page)
    if made is None:
        raise UnreadableError("it is no page that Outrider made")
    return made[name]


def main():
    if hasattr(sys.stdout, "reconfigure"):  # a name that this terminal cannot show must not end the check
        sys.stdout.reconfigure(errors="backslashreplace")
    if len(sys.argv) != 2:
        print(__doc__.strip().splitlines()[0], file=sys.stderr)
        return 2
    try:
        with open(sys.argv[1], encoding="utf-8", newline="") as file:
            page = file.read().replace("\r\n", "\n").replace("\r", "\n")  # as a browser does
        proof = Proof(block(page, "proof"), block(page, "seal"))
    except OSError as error:
        print(f"Not a proof: it cannot be read ({one_line(error.strerror)})", file=sys.stderr)
        return 2
    except UnicodeDecodeError:
        print("Not a proof: it is no text", file=sys.stderr)
        return 2
    except UnreadableError as error:
        print(f"Not a proof: {error}", file=sys.stderr)
        return 2
    proof.check()
    try:
        lines = list(told(proof))
    except DAMAGED:
        proof.problem("the file", "it is damaged: what it says of its messages is not what belongs there")
        lines = list(told(proof))
    print("\n".join(lines))
    return 1 if proof.problems else 0


if __name__ == "__main__":
    sys.exit(main())
