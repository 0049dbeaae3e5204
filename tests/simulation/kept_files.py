"""Files that the user keeps as artifacts: whole on every device, whatever became of a transfer, or damaged in every place."""

import hashlib
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from backend.adapters.files import content_files
from backend.adapters.files.content_files import BlobStore
from backend.domain.values.errors import OutriderError
from backend.store.backup import set_aside, set_aside_before_erasure
from backend.store.queries.turn import artifacts
from tests.simulation.oracle import Violation

if TYPE_CHECKING:
    from tests.simulation.machine import Device, Launch
    from tests.simulation.world import World

SIZES = (30, 5_000, 600_000, 1_100_000)
"""In bytes: one part, two, and three."""
A_WHILE = 60 * 86_400 * 1_000_000
"""Until then every device was used, in µs."""
KEYS = ("brochure", "photo")
TYPE = "note"


@dataclass
class FileOracle:
    """What the user kept, and what somebody did to files outside of Outrider."""

    contents: dict[str, bytes] = field(default_factory=dict)
    """By SHA-256, before Outrider hears of it."""
    spoiled: set[str] = field(default_factory=set)
    """Of these a copy was changed, or one removed that nobody else had yet: the shared store may not have them whole."""


def blobs_of(device: "Device") -> BlobStore:
    """Where its files are."""
    return BlobStore(device.path.parent / "artifacts")


def remove_unreferenced(launch: "Launch") -> None:
    """As `backend.app.launch` does at a start."""
    if not set_aside(launch.database.path):
        blobs_of(launch.device).remove_unreferenced(launch.database.query(artifacts.stored_digests))


def remove_replaced(launch: "Launch", every: bool) -> None:
    """As `backend.app.wiring` does once something is erased."""
    for file in set_aside(launch.database.path) if every else set_aside_before_erasure(launch.database):
        file.unlink(missing_ok=True)


class FileDesk:
    """What the user, or somebody else, does with files at one device."""

    def __init__(self, world: "World") -> None:
        self._world = world

    def whim(self, launch: "Launch", do: Callable[["Launch", Callable[[], object]], bool]) -> None:
        """One of these."""
        how = self._world.chance.random()
        if how < 0.6:
            do(launch, lambda: self._keep(launch))
        elif how < 0.8:
            self._read(launch)
        elif how < 0.9:
            self._remove(launch)
        else:
            self._change(launch)

    def _keep(self, launch: "Launch") -> None:
        world, chance = self._world, self._world.chance
        beginning = chance.randbytes(16) if chance.random() < 0.7 else b"A text. "
        size = chance.choice(SIZES)
        content = (b"\xff" * (beginning[0] > 127) + beginning) * (size // 16)
        key, blobs = chance.choice(KEYS), blobs_of(launch.device)
        latest = launch.database.query(artifacts.latest_version, world.campaign_id, TYPE, key)
        sha256 = hashlib.sha256(content).hexdigest()
        world.files.contents[sha256] = content
        world.tell(f"{launch.name}: the user keeps {len(content)} bytes as {key} {latest + 1}")
        launch.commands().artifacts.save(world.campaign_id, TYPE, key, io.BytesIO(content), blobs, follows=latest)
        launch.moment("commit")

    def _read(self, launch: "Launch") -> None:
        """Every file that is named here: what is there is what was kept, or the user is told that it is not."""
        for sha256 in named_files(launch.device):
            compare(self._world, launch.device, sha256)

    def _remove(self, launch: "Launch") -> None:
        """A file is gone from this device; Outrider is started anew, and has it again if the shared store has it."""
        file = self._one(launch)
        if file is not None:
            if not is_shared(self._world, file.name):
                self._world.files.spoiled.add(file.name)
            self._world.tell(f"{launch.name}: somebody removes the file {file.name[:8]}")
            file.unlink()
            launch.device.kill()

    def _change(self, launch: "Launch") -> None:
        """A byte of a file is another one, here or in the shared store."""
        file, world = self._one(launch), self._world
        if file is None:
            return
        world.files.spoiled.add(file.name)
        stored = world.project.users["ada"].blobs if world.shared else {}
        if (file.name, 0) in stored and world.chance.random() < 0.5:
            parts, content = stored[file.name, 0]
            stored[file.name, 0] = (parts, b"?" + content[1:])
            world.tell(f"somebody changes the file {file.name[:8]} in the shared store")
        else:
            file.write_bytes(b"?" + file.read_bytes()[1:])
            world.tell(f"{launch.name}: somebody changes the file {file.name[:8]}")

    def _one(self, launch: "Launch") -> Path | None:
        folder = blobs_of(launch.device).folder
        files = [content_files.path_of(folder, sha256) for sha256 in named_files(launch.device)]
        there = [file for file in files if file.exists()]
        return self._world.chance.choice(there) if there else None


def named_files(device: "Device") -> list[str]:
    """The files that artifacts name there."""
    with device.launch.database.read() as connection:
        return sorted(file.sha256 for file in artifacts.stored_files(connection))


def is_shared(world: "World", sha256: str) -> bool:
    """Whether the shared store has all of it."""
    if not world.shared:
        return False
    stored = world.project.users["ada"].blobs
    parts = stored.get((sha256, 0), (1, b""))[0]
    there = [stored[sha256, number][1] for number in range(parts) if (sha256, number) in stored]
    return hashlib.sha256(b"".join(there)).hexdigest() == sha256


def compare(world: "World", device: "Device", sha256: str) -> str:
    """Nothing is handed out but what was kept; what keeps a file from being read, "" if nothing does."""
    if sha256 not in world.files.contents:
        world.judge_broken(f"{device.name} names the file {sha256}, which nobody kept")
        return ""
    try:
        content = b"".join(blobs_of(device).chunks(sha256))
    except OutriderError as error:
        device.launch.background.sync.fetch_again(sha256)  # as the page's request for it does
        return error.sentence
    if content != world.files.contents[sha256]:
        world.judge_broken(f"{device.name} has other bytes in the file {sha256} than were kept")
    return ""


def is_sure(world: "World", sha256: str) -> bool:
    """Whether the file must be whole everywhere: nobody touched it, or the shared store has it all the same."""
    return sha256 not in world.files.spoiled or is_shared(world, sha256)


def is_whole(device: "Device", sha256: str) -> bool:
    """Whether it is there as it was kept."""
    return content_files.is_intact(content_files.path_of(blobs_of(device).folder, sha256), sha256)


def check_files(world: "World") -> None:
    """In the end every file is whole on every device and in the shared store, but where somebody touched every copy."""
    awaited = [(device, sha256) for device in world.devices for sha256 in named_files(device) if is_sure(world, sha256)]
    # Events come first, and files after them; that one is damaged shows when it is read.
    missed = [pair for pair in awaited if compare(world, *pair)]
    world.hub.run(lambda: all(is_whole(*pair) for pair in missed), world.hub.now + A_WHILE)
    for device in world.devices:
        for sha256 in named_files(device):
            problem = compare(world, device, sha256)
            if problem and is_sure(world, sha256):
                raise Violation(f"{device.name}: {problem}")
            if world.shared and sha256 not in world.files.spoiled and not is_shared(world, sha256):
                raise Violation(f"the shared store has not all of the file {sha256}")
