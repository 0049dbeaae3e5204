"""What must hold of scripts, told from the texts that the user approved and from what the sandbox really answered.

No code of the product is used here.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.simulation.oracle import Violation

MAY_RECORD = frozenset({"ArtifactPersisted", "ConversationSaid", "TaskAdvanced", "TaskBlocked", "InputRequested"})
"""The kinds of event that may follow from a script's run: what it answered, and that its task goes on or is left."""


class Answered(NamedTuple):
    """What a run gave: its answer in JSON, and what it printed."""

    result: str
    output: str

    @property
    def sha256(self) -> str:
        return digest_of(f"{self.result}\0{self.output}")


class Kept(NamedTuple):
    """An answer on record: under which key, and its text."""

    key: str
    content: str


@dataclass
class ScriptOracle:
    """Hears of approvals and answers; `keys` says which script the user calls how."""

    keys: dict[str, str]
    """By the digest of the script."""
    approved: set[tuple[str, str]] = field(default_factory=set)
    """(device, script's digest)."""
    answers: dict[tuple[str, int], list[Answered]] = field(default_factory=lambda: defaultdict(list))
    """By script and by the time that it was told."""

    def approves(self, device: str, sha256: str) -> None:
        """The user says yes to exactly this text; before it is carried out."""
        self.approved.add((_folder(device), sha256))

    def begins(self, device: str, sha256: str) -> None:
        """A script runs there."""
        if (_folder(device), sha256) not in self.approved:
            raise Violation(f"a script runs on {device} that nobody approved there")

    def answered(self, sha256: str, now: int, answer: Answered) -> None:
        """A run of it gave that."""
        self.answers[sha256, now].append(answer)

    def judge_kept(self, results: Iterable[Kept]) -> None:
        """Each answer on record is what exactly that script gave at that moment."""
        for key, content in results:
            analysis = json.loads(content)
            sha256, now = analysis["script_sha256"], analysis["now"]
            result = json.dumps(analysis["result"], ensure_ascii=False, separators=(",", ":"))
            times = self.answers.get((sha256, now), []).count(Answered(result, analysis["output"]))
            if not times:
                raise Violation(f"the answer kept as {key} is none that its script gave: {content[:200]}")
            if self.keys.get(sha256) != key:
                raise Violation(f"the answer kept as {key} is that of {self.keys.get(sha256)}")
            if analysis["reproducible"] and times < 2:
                raise Violation(f"the answer kept as {key} came once, and is called reproducible")

    def judge_told(self, told_answers: Iterable[tuple[str, str]]) -> None:
        """(script, answer's digest) of what tasks were told."""
        for sha256, answer in told_answers:
            if not any(
                answered.sha256 == answer
                for (script, _), answers in self.answers.items()
                if script == sha256
                for answered in answers
            ):
                raise Violation(f"a request was told an answer that its script never gave: {answer}")

    @staticmethod
    def judge_events(kinds: Iterable[str]) -> None:
        """Nothing else follows from a run."""
        if more := sorted(set(kinds) - MAY_RECORD):
            raise Violation(f"a script's run recorded {', '.join(more)}")


def digest_of(text: str) -> str:
    """SHA-256, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def _folder(device: str) -> str:
    """Whose folder a device has: a copy's is that of the device of before."""
    return device.partition(" copy ")[0]
