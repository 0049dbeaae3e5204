"""Every signer keeps the port's promise: what it signs verifies by its key and by nothing else, or it refuses."""

from pathlib import Path

import pytest

from backend.adapters.credentials.device_key import DeviceKey
from backend.adapters.credentials.sealed_files import SealedFolder
from backend.adapters.signing.ed25519 import FILE, Ed25519Signer
from backend.domain.values.errors import OutriderError
from backend.ports.signer import Signer
from tests.fakes.keychain import CHEAP, MemoryKeyring, keychain_of, no_keychain
from tests.fakes.sealed import OpenFiles
from tests.fakes.signers import MockSigner, StubSigner

MESSAGE = b"where both logs end" * 20


@pytest.fixture(params=["ed25519", "mock"])
def signer(request: pytest.FixtureRequest) -> Signer:
    made: Signer = Ed25519Signer(OpenFiles()) if request.param == "ed25519" else MockSigner()
    made.open()
    return made


def test_what_was_signed_verifies_by_its_key_and_as_it_was_alone(signer: Signer) -> None:
    public, signature = signer.public_key(), signer.sign(MESSAGE)
    assert (len(public), len(signature)) == (32, 64)
    assert signer.sign(MESSAGE) == signature
    assert signer.verify(public, MESSAGE, signature)
    assert not signer.verify(public, MESSAGE + b".", signature)
    assert not signer.verify(public, MESSAGE, bytes([signature[0] ^ 1]) + signature[1:])
    assert not signer.verify(public, MESSAGE, signature[:-1])
    assert not signer.verify(bytes(32), MESSAGE, signature)
    assert not signer.verify(b"", MESSAGE, b"")


def test_another_key_is_vouched_for_by_the_one_before_and_earlier_signatures_hold(signer: Signer) -> None:
    first, signature = signer.public_key(), signer.sign(MESSAGE)
    assert signer.endorse(MESSAGE) is None
    signer.renew()
    assert signer.public_key() != first
    assert signer.verify(first, MESSAGE, signature)
    assert not signer.verify(signer.public_key(), MESSAGE, signature)
    endorsed = signer.endorse(MESSAGE)
    assert endorsed is not None
    assert endorsed.public_key == first
    assert signer.verify(first, MESSAGE, endorsed.signature)


def copied(signer: Signer) -> Signer:
    """What opens a copy of its folder."""
    if isinstance(signer, MockSigner):
        return signer.copied("copy")
    files = OpenFiles()
    assert isinstance(signer, Ed25519Signer)
    files.write(FILE, signer._files.read(FILE) or b"")
    return Ed25519Signer(files)


def test_a_copy_has_the_same_key_until_either_renews_its_own(signer: Signer) -> None:
    first, copy = signer.public_key(), copied(signer)
    copy.open()
    assert copy.public_key() == first
    copy.renew()
    assert signer.public_key() == first
    signer.renew()
    assert len({first, signer.public_key(), copy.public_key()}) == 3
    for each in (signer, copy):
        endorsed = each.endorse(MESSAGE)
        assert endorsed is not None
        assert endorsed.public_key == first


@pytest.mark.parametrize("made", [StubSigner(), MockSigner(), Ed25519Signer(OpenFiles())])
def test_without_a_key_it_refuses_by_name(made: Signer) -> None:
    assert not made.is_open
    for ask in (made.public_key, lambda: made.sign(MESSAGE)):
        with pytest.raises(OutriderError) as refused:
            ask()
        assert refused.value.code == "signer_unavailable"


def test_the_stub_never_opens_and_recognises_nothing() -> None:
    with pytest.raises(OutriderError) as refused:
        StubSigner().open()
    assert refused.value.code == "signer_unavailable"
    assert not StubSigner().verify(bytes(32), MESSAGE, bytes(64))


def test_the_mock_gives_the_same_signatures_for_the_same_seed() -> None:
    first, same, other = MockSigner("a"), MockSigner("a"), MockSigner("b")
    for each in (first, same, other):
        each.open()
    assert first.sign(MESSAGE) == same.sign(MESSAGE) != other.sign(MESSAGE)


def test_the_key_is_kept_sealed_and_is_the_same_at_the_next_start(tmp_path: Path) -> None:
    keychain = keychain_of(MemoryKeyring())

    def started() -> Ed25519Signer:
        made = Ed25519Signer(SealedFolder(DeviceKey(tmp_path, keychain, CHEAP)))
        made.open()
        return made

    first = started()
    first.renew()
    again = started()
    assert again.public_key() == first.public_key()
    assert again.endorse(MESSAGE) == first.endorse(MESSAGE) is not None
    stored = (tmp_path / FILE).read_bytes()
    assert first.public_key() not in stored
    assert len(stored) > 64


def test_a_missing_keychain_is_told_and_makes_no_key(tmp_path: Path) -> None:
    signer = Ed25519Signer(SealedFolder(DeviceKey(tmp_path, no_keychain(), CHEAP)))
    with pytest.raises(OutriderError) as refused:
        signer.open()
    assert refused.value.code == "vault_locked"
    assert not signer.is_open
    assert list(tmp_path.iterdir()) == []
