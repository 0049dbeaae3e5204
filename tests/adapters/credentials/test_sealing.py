"""What is sealed is what the standards say, worked out here a second way; what was touched is refused and never read."""

import hashlib
import hmac
import struct
import threading
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from hypothesis import given
from hypothesis import strategies as st

from backend.adapters.credentials.passphrase import derive_key, unwrap_key, wrap_key, wrapping_key
from backend.adapters.credentials.sealing import as_text, from_text, length_prefixed, seal, unseal
from backend.domain.device.vault import KdfCost
from backend.domain.values.errors import OutriderError
from tests.fakes.keychain import CHEAP

KEY = bytes(range(32))
RECOVERY = bytes(range(100, 116))


def hchacha20(key: bytes, nonce: bytes) -> bytes:
    """draft-irtf-cfrg-xchacha-03, section 2.2, in its own words."""
    state = list(struct.unpack("<16I", b"expand 32-byte k" + key + nonce))

    def turn(a: int, b: int, c: int, d: int) -> None:
        for left, right, to, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[left] = (state[left] + state[right]) & 0xFFFFFFFF
            mixed = state[to] ^ state[left]
            state[to] = (mixed << bits | mixed >> 32 - bits) & 0xFFFFFFFF

    for _ in range(10):
        for column in range(4):
            turn(column, column + 4, column + 8, column + 12)
        for first in range(4):
            turn(first, (first + 1) % 4 + 4, (first + 2) % 4 + 8, (first + 3) % 4 + 12)
    return struct.pack("<8I", *state[:4], *state[12:])


def xchacha(key: bytes, nonce: bytes) -> tuple[ChaCha20Poly1305, bytes]:
    return ChaCha20Poly1305(hchacha20(key, nonce[:16])), bytes(4) + nonce[16:]


def test_the_second_way_is_the_standards() -> None:
    """The draft's own examples (2.2.1 and A.3.1)."""
    nonce = bytes.fromhex("000000090000004a0000000031415927")
    assert hchacha20(KEY, nonce).hex() == "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc"
    words = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
    cipher, short = xchacha(bytes(range(0x80, 0xA0)), bytes(range(0x40, 0x58)))
    encrypted = cipher.encrypt(short, words, bytes.fromhex("50515253c0c1c2c3c4c5c6c7")).hex()
    assert encrypted.startswith("bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb")
    assert encrypted.endswith("c0875924c1c7987947deafd8780acf49")


def test_what_is_sealed_here_opens_the_second_way_and_the_other_way_round() -> None:
    associated_data = b"\x00\x00\x00\x01a\x00\x00\x00\x00\x00\x00\x00\x02bc"
    assert length_prefixed(b"a", b"", b"bc") == associated_data
    sealed = seal(KEY, b"content", b"a", b"", b"bc")
    cipher, short = xchacha(KEY, sealed[:24])
    assert cipher.decrypt(short, sealed[24:], associated_data) == b"content"
    nonce = bytes(range(24))
    cipher, short = xchacha(KEY, nonce)
    assert unseal(KEY, nonce + cipher.encrypt(short, b"theirs", associated_data), b"a", b"", b"bc") == b"theirs"


def test_no_nonce_is_used_twice() -> None:
    assert len({seal(KEY, b"the same", b"about")[:24] for _ in range(2_000)}) == 2_000


@given(st.binary(max_size=60), st.lists(st.binary(max_size=8), max_size=4), st.lists(st.binary(max_size=8), max_size=4))
def test_it_opens_only_as_being_about_the_same(
    content: bytes, associated_data: list[bytes], other: list[bytes]
) -> None:
    sealed = seal(KEY, content, *associated_data)
    assert unseal(KEY, sealed, *associated_data) == content
    assert unseal(KEY, sealed, *other) == (content if other == associated_data else None)
    assert unseal(KEY[::-1], sealed, *associated_data) is None


def test_every_flipped_bit_and_every_cut_is_refused() -> None:
    sealed = seal(KEY, b"a secret of some length", b"about")
    for bit in range(len(sealed) * 8):
        at = bit // 8
        assert unseal(KEY, sealed[:at] + bytes([sealed[at] ^ 1 << bit % 8]) + sealed[at + 1 :], b"about") is None
    for length in range(len(sealed)):
        assert unseal(KEY, sealed[:length], b"about") is None


@pytest.mark.parametrize("text", ["", "AAA", "AAB=", " AAA=", "AAA=\n", "AA-_", "ключ", "AAA=AAA="])
def test_text_is_spelled_one_way_only(text: str) -> None:
    assert from_text(text) == b""


def test_however_often_a_passphrase_is_tried_at_once_it_takes_the_memory_of_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    running: list[int] = []
    most = [0]

    def stretched(*_: object) -> bytes:
        running.append(1)
        most[0] = max(most[0], len(running))
        waits.wait(0.01)
        running.pop()
        return KEY

    waits = threading.Event()
    monkeypatch.setattr("argon2.low_level.hash_secret_raw", stretched)
    with ThreadPoolExecutor(20) as pool:
        for _ in range(20):
            pool.submit(wrapping_key, "pass phrase", RECOVERY, bytes(16), KdfCost(), b"purpose")
    assert most == [1]


def test_the_wrapping_key_worked_out_a_second_way() -> None:
    salt, cost = bytes(range(16)), KdfCost()
    assert (cost.memory_kib, cost.passes, cost.lanes) == (65_536, 3, 4)
    stretched = Argon2id(salt=salt, length=32, iterations=3, lanes=4, memory_cost=65_536).derive("pass phräse".encode())
    # HKDF-SHA256 of RFC 5869, by hand
    extracted = hmac.digest(bytes(32), stretched + RECOVERY, hashlib.sha256)
    expected = hmac.digest(extracted, b"purpose\x01", hashlib.sha256)
    assert wrapping_key("pass phräse", RECOVERY, salt, cost, b"purpose") == expected
    decomposed = unicodedata.normalize("NFD", "pass phräse")
    assert wrapping_key(decomposed, RECOVERY, salt, cost, b"purpose") == expected


def test_hkdf_is_the_standards() -> None:
    """RFC 5869, A.3: no salt; ours has no empty purpose, so the first bytes stand for the rest."""
    key = derive_key(bytes([0x0B] * 22), b"", 42).hex()
    assert key == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"


def test_a_wrapped_key_opens_by_both_and_by_nothing_else() -> None:
    wrapped_key = wrap_key(KEY, "a passphrase", RECOVERY, b"purpose", CHEAP, b"vault")
    assert unwrap_key(wrapped_key, "a passphrase", RECOVERY, b"purpose", b"vault") == KEY
    assert unwrap_key(wrapped_key, "a passphrasf", RECOVERY, b"purpose", b"vault") is None
    assert unwrap_key(wrapped_key, "a passphrase", RECOVERY[::-1], b"purpose", b"vault") is None
    assert unwrap_key(wrapped_key, "a passphrase", b"", b"purpose", b"vault") is None
    assert unwrap_key(wrapped_key, "a passphrase", RECOVERY, b"another", b"vault") is None
    assert unwrap_key(wrapped_key, "a passphrase", RECOVERY, b"purpose", b"vaulT") is None
    dearer = wrapped_key.model_copy(update={"cost": CHEAP.model_copy(update={"passes": 3})})
    assert unwrap_key(dearer, "a passphrase", RECOVERY, b"purpose", b"vault") is None


@pytest.mark.parametrize(
    "cost",
    [
        {"memory_kib": 19 * 1024 - 1},
        {"memory_kib": 1024 * 1024 + 1},
        {"passes": 1},
        {"passes": 11},
        {"lanes": 0},
        {"lanes": 17},
    ],
)
def test_parameters_that_are_too_cheap_or_a_bomb_are_refused_before_they_are_tried(cost: dict[str, int]) -> None:
    wrapped_key = wrap_key(KEY, "a passphrase", RECOVERY, b"purpose", CHEAP)
    worse = wrapped_key.model_copy(update={"cost": CHEAP.model_copy(update=cost)})
    with pytest.raises(OutriderError, match="vault_parameters_refused"):
        unwrap_key(worse, "a passphrase", RECOVERY, b"purpose")


def test_text_and_bytes_are_the_same_thing() -> None:
    assert from_text(as_text(bytes(range(256)))) == bytes(range(256))
