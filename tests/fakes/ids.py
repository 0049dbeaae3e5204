"""The ids that tests use: the same seed gives the same ids and salts, in the same order."""

import hashlib
import threading


class SeededIds:
    """26 characters, sortable by the order in which they were asked for; salts of 16 bytes."""

    def __init__(self, seed: str = "outrider") -> None:
        self._seed = seed
        self._made = 0
        self._salts = 0
        self._lock = threading.Lock()

    def new(self) -> str:
        with self._lock:
            self._made += 1
            made = self._made
        tail = hashlib.sha256(f"{self._seed}/id/{made}".encode()).hexdigest()[:12].upper()
        return f"01{made:012d}{tail}"

    def salt(self) -> bytes:
        with self._lock:
            self._salts += 1
            salts = self._salts
        return hashlib.sha256(f"{self._seed}/salt/{salts}".encode()).digest()[:16]
