"""Where bytes are kept that are too large for the log, or no text: whole, verified, named by what they are."""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple, Protocol


class BlobRef(NamedTuple):
    """What the bytes are called from now on, and how many they are."""

    sha256: str
    size: int


class Blobs(Protocol):
    """A store of immutable bytes by their SHA-256; safe to use from any thread."""

    def keep(self, chunks: Iterable[bytes]) -> BlobRef:
        """On the disk when it returns; the same bytes are stored once. Nothing stays if `chunks` raises."""
        ...

    def chunks(self, sha256: str) -> Iterator[bytes]:
        """The bytes, a bounded piece at a time; raises `artifact_damaged`, at the latest behind the last piece."""
        ...

    def holds(self, sha256: str) -> bool:
        """Whether there is a file of that name; what it holds is verified when it is read."""
        ...

    def remove_unreferenced(self, referenced: Collection[str]) -> int:
        """Remove whatever is not named, as a crash may have left it; how many files. Only while nothing is being kept."""
        ...
