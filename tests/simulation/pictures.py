"""Pictures of people's pages that a device took: none that is on record outlives the erasure of whom it shows."""

import hashlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from backend.domain.model.site import SitePerson
from backend.domain.values.errors import OutriderError
from backend.store.log.transaction import Committed
from tests.simulation.oracle import Violation, profile_of

if TYPE_CHECKING:
    from tests.simulation.world import World

A_MINUTE = 60_000_000
"""In µs."""


class Pictures:
    """One device's evidence store; what it holds outlives every launch."""

    def __init__(self, *, keeps_pictures: bool, of: "Pictures | None" = None) -> None:
        """`keeps_pictures` is False where nobody is ever erased; a copied device has all that the other one took."""
        self._keeps_pictures = keeps_pictures
        self._shows: dict[str, bytes] = dict(of._shows) if of else {}
        self._recorded: set[str] = set(of._recorded) if of else set()

    def take(self, person: SitePerson | None, now: int) -> str:
        """The file in which their page is kept; "" if nothing is."""
        if person is None or not self._keeps_pictures:
            return ""
        content = f"{now} {person.profile_url}".encode()
        sha256 = hashlib.sha256(content).hexdigest()
        file = f"{sha256[:2]}/{sha256}.png"
        self._shows[file] = content
        return file

    def read(self, file: str) -> bytes:
        """What it holds; raises `evidence_damaged` if it is not there."""
        if file not in self._shows:
            raise OutriderError("evidence_damaged", file=file, what="is gone")
        return self._shows[file]

    def forget(self, files: Iterable[str]) -> None:
        """These are removed, as far as they are there."""
        for file in files:
            self._shows.pop(file, None)

    def hear(self, committed: Committed) -> None:
        """What is on record may be expected to go; what a crash kept from it, nobody can find."""
        for recorded in committed.events:
            evidence = repr(recorded.event.changes.get("evidence", ""))
            self._recorded.update(file for file in self._shows if file in evidence)

    def on_record(self) -> dict[str, str]:
        """By file: the address of whom it shows."""
        return {file: shown.decode().split()[1] for file, shown in self._shows.items() if file in self._recorded}


def check_pictures(world: "World") -> None:
    """Nobody who was erased is to be seen anywhere; what was heard of last may still be under way."""
    world.hub.run(lambda: next(_left(world), None) is None, world.hub.now + A_MINUTE)
    if left := next(_left(world), None):
        raise Violation(left)


def _left(world: "World") -> Iterator[str]:
    erased = {profile_of(slug): slug for slug in world.oracle.erased_people}
    for device in world.devices:
        for file, shown in device.pictures.on_record().items():
            if shown in erased:
                yield f"{device.name} still has the picture {file} of {erased[shown]}, who was erased"
