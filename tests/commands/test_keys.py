"""Keys are kept sealed, opened by name, carried to another device by a kit, and sealed anew when a device is revoked."""

import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from keyring.errors import KeyringLocked

from backend.adapters.credentials.sealing import KEY_BYTES
from backend.commands.keys import KeyCommands
from backend.domain.device.configuration import refuse_protected
from backend.domain.device.vault import VAULT, KdfCost, parse_vault_header
from backend.domain.events.events import WORKSPACE, Event
from backend.domain.values.errors import OutriderError
from backend.ports.credentials import Credentials, Secret
from backend.store.log import replay
from backend.store.queries.device import configuration, sealed_secrets
from tests.fakes.keychain import MemoryKeyring
from tests.fakes.vault import Machine

KEY = "sk-canary-7f31"
PASSPHRASE = "four words that stay"
OTHER = "another one, for the kit"


@pytest.fixture
def keyring() -> MemoryKeyring:
    return MemoryKeyring()


@pytest.fixture
def machine(tmp_path: Path, keyring: MemoryKeyring) -> Iterator[Machine]:
    with closing(Machine(tmp_path / "here", keyring).database):
        yield Machine(tmp_path / "here", keyring)


@pytest.fixture
def bare(tmp_path: Path) -> Machine:
    """A machine without a keychain."""
    return Machine(tmp_path / "bare", None)


def code_of(act: Callable[[], object]) -> str:
    with pytest.raises(OutriderError) as caught:
        act()
    assert KEY not in str(caught.value)
    return caught.value.code


def status(machine: Machine) -> tuple[str, str]:
    status = machine.keys.vault_status()
    return status.state, status.needs


def written(machine: Machine) -> str:
    """Everything that the database and the sealed files hold, and every event."""
    files = [file for file in machine.folder.rglob("*") if file.is_file()]
    return "".join(file.read_bytes().decode("latin-1") for file in files)


def shared(machine: Machine) -> str:
    """Every log entry: all that a shared store is ever sent."""
    with machine.database.read() as connection:
        return "".join(
            str(row) for log in ("event_log", "audit_log") for row in connection.execute(f"SELECT * FROM {log}")
        )


def join(machine: Machine, *devices: str) -> None:
    joined = [Event("DeviceJoined", device, {"name": device, "created_at": 1}) for device in devices]
    machine.journal.record(WORKSPACE, events=joined, actor="user", cause="test", at=1)


def test_a_key_is_kept_sealed_and_opened_by_its_name(machine: Machine, keyring: MemoryKeyring) -> None:
    port: Credentials = machine.keys
    assert status(machine) == ("none", "nothing")
    assert port.get("openai") is None
    machine.keys.keep("openai", Secret(KEY), "api_key")
    assert status(machine) == ("open", "nothing")
    assert port.get("openai") == Secret(KEY)
    assert port.where("openai") == "the vault"
    assert KEY not in written(machine)
    assert KEY not in json.dumps(keyring.kept)
    sealed, version, kind = machine.rows()["openai"]
    assert (version, kind) == (1, "api_key")
    port.put("openai", Secret("another"))
    port.put("openai", Secret("another"))
    assert machine.rows()["openai"][0] != sealed
    assert machine.again().keys.get("openai") == Secret("another")


def test_a_key_for_a_model_that_no_header_can_carry_is_not_kept(machine: Machine) -> None:
    keys, malformed = machine.keys, Secret(f"{KEY}\u200b")
    assert code_of(lambda: keys.put("tiny", malformed)) == "key_malformed"
    assert code_of(lambda: keys.keep("tiny", malformed, "llm_provider")) == "key_malformed"
    assert machine.keys.get("tiny") is None


def test_the_key_that_seals_is_drawn_by_chance_and_follows_from_nothing_that_is_shared(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[bytes] = []

    def draw(size: int) -> bytes:
        drawn.append(secrets.token_bytes(size))
        return drawn[-1]

    monkeypatch.setattr(os, "urandom", draw)
    machine.keys.keep("openai", Secret(KEY), "api_key")
    record = machine.sealed.read("data-key")
    assert record is not None
    assert record[-KEY_BYTES:] in drawn
    assert record[-KEY_BYTES:].hex() not in shared(machine)


def test_every_change_is_an_event_and_replays(machine: Machine) -> None:
    machine.keys.put("openai", Secret(KEY))
    machine.keys.put("openai", Secret("another"))
    machine.keys.forget("openai")
    machine.keys.forget("openai")
    assert machine.keys.get("openai") is None
    machine.keys.put("openai", Secret("back"))
    with machine.database.read() as connection:
        kinds = [kind for (kind,) in connection.execute("SELECT kind FROM event_log ORDER BY seq")]
    assert kinds == ["ConfigSet", "SecretKept", "SecretChanged", "SecretForgotten", "SecretChanged"]
    assert replay.find_differences(machine.database) == []
    assert KEY not in written(machine)


def test_a_forgotten_key_leaves_no_ciphertext_in_its_row(machine: Machine) -> None:
    machine.keys.put("openai", Secret(KEY))
    machine.keys.forget("openai")
    assert machine.rows()["openai"] == ("", 1, "llm_provider")
    assert machine.database.query(sealed_secrets.all_secrets) == []


def test_what_is_given_at_start_goes_only_to_hosts_that_were_named_on_this_device(machine: Machine) -> None:
    again = machine.again(OUTRIDER_KEY_OPENAI=KEY)
    assert again.keys.get_for("openai", "http://127.0.0.1:11434/v1") == Secret(KEY)
    assert code_of(lambda: again.keys.get_for("openai", "https://evil.example/v1")) == "key_not_for_host"
    again.keys.allow("openai", "https://api.example/v1")
    assert again.keys.get_for("openai", "https://api.example/v2") == Secret(KEY)
    for other in ("https://api.example.evil.example", "http://api.example", "https://api.example:8443"):
        assert code_of(lambda other=other: again.keys.get_for("openai", other)) == "key_not_for_host"  # type: ignore[misc]
    assert again.keys.get_for("other", "https://api.example/v1") is None


def test_of_an_address_that_a_key_may_go_to_only_its_origin_is_kept(machine: Machine) -> None:
    machine.keys.put("openai", Secret(KEY))
    machine.keys.allow("openai", "https://api.example/another-canary/v1")
    assert machine.keys.get_for("openai", "https://api.example/v2") == Secret(KEY)
    assert "api.example" in written(machine)
    assert "another-canary" not in written(machine)


def test_what_is_given_at_start_wins_and_is_not_changed_here(machine: Machine) -> None:
    machine.keys.put("openai", Secret("kept"))
    again = machine.again(OUTRIDER_KEY_OPENAI=KEY)
    assert again.keys.get("openai") == Secret(KEY)
    assert again.keys.key_location("openai") == "given"
    assert "OUTRIDER_KEY_OPENAI" in again.keys.where("openai")
    for act in (lambda: again.keys.put("openai", Secret("x")), lambda: again.keys.forget("openai")):
        assert code_of(act) == "key_read_only"
    assert again.again().keys.get("openai") == Secret("kept")


def test_a_key_of_an_earlier_version_is_found_and_moves_when_it_is_kept_again(
    machine: Machine, keyring: MemoryKeyring
) -> None:
    keyring.kept["openai"] = KEY
    keys = machine.keys
    assert (keys.get("openai"), keys.key_location("openai"), keys.where("openai")) == (
        Secret(KEY),
        "keychain",
        "the keychain",
    )
    keys.put("openai", Secret("new"))
    assert "openai" not in keyring.kept
    assert (keys.get("openai"), keys.key_location("openai")) == (Secret("new"), "sealed")
    keyring.kept["openai"] = KEY
    keys.forget("openai")
    assert keys.get("openai") is None
    assert "openai" not in keyring.kept


def test_a_locked_keychain_is_said_and_changes_nothing(machine: Machine, keyring: MemoryKeyring) -> None:
    machine.keys.put("openai", Secret(KEY))
    again = machine.again()
    keyring.broken = KeyringLocked()
    assert status(again) == ("locked", "nothing")
    assert "locked" in again.keys.vault_status().problem
    assert again.keys.key_location("openai") == "locked"
    before = again.rows()
    for act in (
        lambda: again.keys.get("openai"),
        lambda: again.keys.put("openai", Secret("x")),
        lambda: again.keys.forget("openai"),
        lambda: again.keys.make_recovery_kit(PASSPHRASE),
    ):
        assert code_of(act) == "keychain_locked"
    assert again.rows() == before
    keyring.broken = None
    assert again.keys.get("openai") == Secret(KEY)


def test_without_a_keychain_the_page_asks_for_a_passphrase_first_and_at_each_start(bare: Machine) -> None:
    assert status(bare) == ("none", "passphrase")
    assert bare.keys.get("openai") is None
    assert code_of(lambda: bare.keys.put("openai", Secret(KEY))) == "vault_locked"
    assert bare.rows() == {}
    assert code_of(lambda: bare.keys.unlock("short")) == "passphrase_short"
    bare.keys.unlock(PASSPHRASE)
    bare.keys.put("openai", Secret(KEY))
    assert status(bare) == ("open", "nothing")

    again = bare.again()
    assert status(again) == ("locked", "passphrase")
    assert again.keys.key_location("openai") == "locked"
    assert code_of(lambda: again.keys.get("openai")) == "vault_locked"
    assert code_of(lambda: again.keys.put("other", Secret("x"))) == "vault_locked"
    assert code_of(lambda: again.keys.unlock(OTHER)) == "passphrase_wrong"
    again.keys.unlock(PASSPHRASE)
    assert again.keys.get("openai") == Secret(KEY)
    stored_text = written(again)
    assert KEY not in stored_text
    assert PASSPHRASE not in stored_text


@pytest.mark.parametrize("kit", [True, False])
def test_who_has_neither_passphrase_nor_kit_starts_a_new_vault_and_loses_the_keys_by_name(
    bare: Machine, *, kit: bool
) -> None:
    bare.keys.unlock(PASSPHRASE)
    bare.keys.put("openai", Secret(KEY))
    if kit:
        bare.keys.make_recovery_kit(OTHER)
    assert code_of(lambda: bare.keys.start_anew(OTHER)) == "vault_open", "nobody gives up what can be opened"
    locked = bare.again()
    assert code_of(lambda: locked.keys.start_anew("short")) == "passphrase_short"
    assert locked.keys.key_location("openai") == "locked"
    locked.keys.start_anew(OTHER)
    assert status(locked) == ("open", "nothing")
    assert locked.keys.key_location("openai") == "missing"
    locked.keys.put("openai", Secret("sk-new"))

    again = locked.again()
    assert code_of(lambda: again.keys.unlock(PASSPHRASE)) == "passphrase_wrong"
    again.keys.unlock(OTHER)
    assert again.keys.get("openai") == Secret("sk-new")
    assert code_of(lambda: again.keys.unlock(OTHER, "0000-0000-0000-0000-0000-0000-0000")) == "vault_without_kit"
    assert replay.find_differences(again.database) == []


@pytest.mark.parametrize("keychain_there", [True, False])
def test_a_kit_opens_the_vault_on_another_device(machine: Machine, tmp_path: Path, keychain_there: bool) -> None:
    machine.keys.put("openai", Secret(KEY))
    code = machine.keys.make_recovery_kit(OTHER)
    there = machine.to(tmp_path / "there", MemoryKeyring() if keychain_there else None)
    assert status(there) == ("locked", "passphrase_and_code")
    assert there.keys.key_location("openai") == "locked"
    with pytest.raises(OutriderError, match="vault_locked") as locked:
        there.keys.get("openai")
    for sentence in [there.keys.vault_status().problem, *([locked.value.sentence] if keychain_there else [])]:
        assert "takes passphrase and recovery code" in sentence
    last = code[-1]
    for passphrase, tried, expected in (
        (PASSPHRASE, code, "passphrase_wrong"),
        (OTHER, code[:-1] + ("0" if last != "0" else "1"), "recovery_code_wrong"),
        (OTHER, "0000-0000-0000-0000-0000-0000-0000", "recovery_code_wrong"),
    ):
        assert code_of(partial(there.keys.unlock, passphrase, tried)) == expected
        assert status(there)[0] == "locked"
    there.keys.unlock(OTHER, code.lower().replace("-", " "))
    assert there.keys.get("openai") == Secret(KEY)
    assert status(there) == ("open", "nothing")
    again = there.again()
    assert status(again) == (("open", "nothing") if keychain_there else ("locked", "passphrase"))
    again.keys.unlock(OTHER)
    assert again.keys.get("openai") == Secret(KEY)
    for text in (written(again), written(machine)):
        for secret in (KEY, OTHER, code, code.replace("-", "")):
            assert secret not in text


def test_a_new_kit_wraps_only_and_makes_the_earlier_one_worthless(machine: Machine, tmp_path: Path) -> None:
    machine.keys.put("openai", Secret(KEY))
    before = machine.rows()
    first, second = machine.keys.make_recovery_kit(OTHER), machine.keys.make_recovery_kit(OTHER)
    assert first != second
    assert machine.rows() == before
    there = machine.to(tmp_path / "there", MemoryKeyring())
    assert code_of(lambda: there.keys.unlock(OTHER, first)) == "recovery_code_wrong"
    there.keys.unlock(OTHER, second)
    assert there.keys.get("openai") == Secret(KEY)


def test_a_forgotten_passphrase_of_this_machine_is_answered_by_the_kit(bare: Machine) -> None:
    bare.keys.unlock(PASSPHRASE)
    bare.keys.put("openai", Secret(KEY))
    code = bare.keys.make_recovery_kit(OTHER)
    again = bare.again()
    again.keys.unlock(OTHER, code)
    assert again.keys.get("openai") == Secret(KEY)
    again = again.again()
    assert code_of(lambda: again.keys.unlock(PASSPHRASE)) == "passphrase_wrong"
    again.keys.unlock(OTHER)
    assert again.keys.get("openai") == Secret(KEY)


def test_a_kit_replaces_this_machines_key_only_when_that_is_lost(bare: Machine) -> None:
    bare.keys.unlock(PASSPHRASE)
    bare.keys.put("openai", Secret(KEY))
    code = bare.keys.make_recovery_kit(OTHER)
    (note,) = bare.folder.rglob("device.json")
    sound = note.read_text()
    tampered = sound.replace('"memory_kib":19456', '"memory_kib":8')
    note.write_text(tampered)
    assert code_of(lambda: bare.again().keys.unlock(OTHER, code)) == "vault_parameters_refused"
    assert note.read_text() == tampered
    note.write_text(sound)
    again = bare.again()
    again.keys.unlock(PASSPHRASE)
    assert again.keys.get("openai") == Secret(KEY)
    note.write_text("damaged")
    again = bare.again()
    again.keys.unlock(OTHER, code)
    assert again.keys.get("openai") == Secret(KEY)


def test_a_revoked_device_opens_nothing_of_what_is_kept_since(
    machine: Machine, keyring: MemoryKeyring, tmp_path: Path
) -> None:
    for name in ("openai", "anthropic", "gone"):
        machine.keys.put(name, Secret(KEY + name))
    machine.keys.forget("gone")
    first = machine.keys.make_recovery_kit(OTHER)
    join(machine, "here", "lost")
    lost = machine.to(tmp_path / "lost", MemoryKeyring())
    lost.keys.unlock(OTHER, first)
    before, commits = machine.rows(), machine.journal.commits

    second = machine.keys.revoke("lost", PASSPHRASE)

    assert machine.journal.commits == commits + 1
    assert machine.ended == 1
    assert {version for sealed, version, _ in machine.rows().values() if sealed} == {2}
    assert all(machine.rows()[name][0] != sealed for name, (sealed, _, _) in before.items() if sealed)
    assert machine.keys.get("openai") == Secret(KEY + "openai")
    assert machine.again().keys.get("anthropic") == Secret(KEY + "anthropic")
    with machine.again().database.read() as connection:
        assert connection.execute("SELECT revoked_at IS NOT NULL FROM devices WHERE id='lost'").fetchone() == (1,)

    lost = machine.to(tmp_path / "lost", lost.keyring)
    assert status(lost) == ("locked", "passphrase_and_code")
    assert code_of(lambda: lost.keys.get("openai")) == "vault_locked"
    assert code_of(lambda: lost.keys.unlock(OTHER, first)) == "recovery_code_wrong"
    old = _old(lost)
    for name, (sealed, version, _) in machine.rows().items():
        for tried in {1, version} if sealed else ():  # the revoked device's own key, tried on everything
            assert code_of(partial(lost.vault.open, old, name, tried, sealed)) == "key_unreadable"
    remaining = machine.to(tmp_path / "kept", MemoryKeyring())
    remaining.keys.unlock(PASSPHRASE, second)
    assert remaining.keys.get("openai") == Secret(KEY + "openai")


def _old(lost: Machine) -> Any:
    """The header of the data key that the device still has."""
    record = lost.sealed.read("data-key") or b""
    return parse_vault_header(json.dumps({"vault": record[:16].hex(), "version": 1}))


def test_a_device_that_cannot_be_revoked_is_refused_before_anything_changes(machine: Machine) -> None:
    machine.keys.put("openai", Secret(KEY))
    join(machine, "here", "other")
    with machine.database.write() as connection:
        connection.execute(
            "INSERT INTO project(one, url, public_key, device_id, device_name, attached_at)"
            " VALUES (1, 'https://x', 'k', 'here', 'Here', 1)"
        )
    before = machine.rows()
    assert code_of(lambda: machine.keys.revoke("nobody", PASSPHRASE)) == "device_unknown"
    assert code_of(lambda: machine.keys.revoke("here", PASSPHRASE)) == "device_here"
    assert code_of(lambda: machine.keys.revoke("other", "short")) == "passphrase_short"
    assert (machine.rows(), machine.ended) == (before, 0)
    machine.keys.revoke("other", PASSPHRASE)
    assert code_of(lambda: machine.keys.revoke("other", PASSPHRASE)) == "device_unknown"


def test_a_revocation_cut_off_before_its_commit_loses_nothing(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.keys.put("openai", Secret(KEY))
    join(machine, "lost")
    with monkeypatch.context() as patch:
        patch.setattr(KeyCommands, "_record", _cut)
        with pytest.raises(KeyboardInterrupt):
            machine.keys.revoke("lost", PASSPHRASE)
    again = machine.again()
    assert again.keys.get("openai") == Secret(KEY)
    again.keys.revoke("lost", PASSPHRASE)
    assert again.again().keys.get("openai") == Secret(KEY)


def _cut(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_kit_that_came_second_is_not_recorded(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.keys.put("openai", Secret(KEY))
    make = machine.vault.make_recovery_kit

    def meanwhile(*arguments: Any) -> Any:
        monkeypatch.setattr(machine.vault, "make_recovery_kit", make)
        machine.keys.make_recovery_kit(OTHER)
        return make(*arguments)

    monkeypatch.setattr(machine.vault, "make_recovery_kit", meanwhile)
    assert code_of(lambda: machine.keys.make_recovery_kit(PASSPHRASE)) == "vault_changed"


def test_without_a_kit_another_device_says_what_helps_and_can_begin_anew(machine: Machine, tmp_path: Path) -> None:
    machine.keys.put("openai", Secret(KEY))
    there = machine.to(tmp_path / "there", MemoryKeyring())
    assert status(there) == ("locked", "nothing")
    assert "start a new vault" in there.keys.vault_status().problem
    assert code_of(lambda: there.keys.put("other", Secret("x"))) == "vault_locked"
    assert code_of(lambda: there.keys.make_recovery_kit(OTHER)) == "vault_locked"
    assert code_of(lambda: there.keys.unlock(OTHER, "0000-0000-0000-0000-0000-0000-0000")) == "vault_without_kit"
    there.keys.forget("openai")
    there.keys.put("openai", Secret("entered again"))
    assert there.keys.get("openai") == Secret("entered again")
    assert there.rows()["openai"][1] == 2


def test_a_key_sealed_meanwhile_under_the_earlier_data_key_still_opens(machine: Machine, tmp_path: Path) -> None:
    machine.keys.put("openai", Secret(KEY))
    code = machine.keys.make_recovery_kit(OTHER)
    there = machine.to(tmp_path / "there", MemoryKeyring())
    there.keys.unlock(OTHER, code)
    there.keys.put("late", Secret("kept offline"))
    join(machine, "lost")
    machine.keys.revoke("lost", PASSPHRASE)
    sealed, version, kind = there.rows()["late"]
    late = {"key_name": "late", "encrypted_value": sealed, "key_version": version, "config_type": kind, "updated_at": 1}
    machine.journal.record(WORKSPACE, events=[Event("SecretKept", "late", late)], actor="user", cause="sync", at=1)
    assert machine.keys.get("late") == Secret("kept offline")


def test_a_key_sealed_before_joining_a_workspace_with_a_vault_of_its_own_still_opens(
    machine: Machine, tmp_path: Path
) -> None:
    machine.keys.put("openai", Secret(KEY))
    machine.keys.put("voice", Secret("kept before"))  # touches no row of theirs: it follows
    there = Machine(tmp_path / "there", MemoryKeyring())
    there.keys.put("openai", Secret("theirs"))
    code = there.keys.make_recovery_kit(OTHER)
    their_header = there.database.query(sealed_secrets.vault_header)
    assert their_header is not None
    sealed, version, kind = there.rows()["openai"]
    sealed_secret = {"encrypted_value": sealed, "key_version": version, "config_type": kind, "updated_at": 1}
    adopted = [
        Event("ConfigChanged", VAULT, {"value": their_header.model_dump_json()}),
        Event("SecretChanged", "openai", sealed_secret),
    ]
    machine.journal.record(WORKSPACE, events=adopted, actor="user", cause="sync", at=1)
    assert status(machine) == ("locked", "passphrase_and_code")
    machine.keys.unlock(OTHER, code)
    assert machine.keys.get("openai") == Secret("theirs")
    assert machine.keys.get("voice") == Secret("kept before")


def test_a_value_of_another_name_version_or_vault_and_every_flipped_sign_is_refused(
    machine: Machine, tmp_path: Path
) -> None:
    machine.keys.put("openai", Secret(KEY))
    machine.keys.put("other", Secret("other"))
    sealed, version, _ = machine.rows()["openai"]
    own_header = machine.database.query(sealed_secrets.vault_header)
    assert own_header is not None
    assert json.loads(machine.vault.open(own_header, "openai", version, sealed).reveal())["secret"] == KEY
    stranger = Machine(tmp_path / "stranger", MemoryKeyring())
    stranger.keys.put("openai", Secret("stranger's"))
    swaps = [("other", version, sealed), ("openai", 2, sealed), ("openai", version, stranger.rows()["openai"][0])]
    flipped = [sealed[:at] + ("A" if sign != "A" else "B") + sealed[at + 1 :] for at, sign in enumerate(sealed)]
    cut = [sealed[:at] for at in range(0, len(sealed), 3)]
    for name, number, text in [*swaps, *(("openai", version, text) for text in [*flipped, *cut, sealed + "=", "ключ"])]:
        assert code_of(partial(machine.vault.open, own_header, name, number, text)) == "key_unreadable"
    foreign = own_header.model_copy(update={"vault": "0" * 32})
    assert code_of(lambda: machine.vault.open(foreign, "openai", version, sealed)) == "vault_locked"


def _kit(machine: Machine) -> dict[str, Any]:
    return dict(json.loads(machine.database.query(configuration.configuration, VAULT) or ""))


def test_what_the_shared_store_says_of_the_vault_is_checked(machine: Machine, tmp_path: Path) -> None:
    machine.keys.put("openai", Secret(KEY))
    code = machine.keys.make_recovery_kit(OTHER)
    there = machine.to(tmp_path / "there", MemoryKeyring())
    true = _kit(machine)
    cheap = KdfCost(memory_kib=8, passes=1, lanes=1).model_dump()
    bomb = KdfCost(memory_kib=2**30, passes=3, lanes=4).model_dump()
    changed: list[tuple[dict[str, Any], str]] = [
        ({"kit": {**true["kit"], "cost": cheap}}, "vault_parameters_refused"),
        ({"kit": {**true["kit"], "cost": bomb}}, "vault_parameters_refused"),
        ({"kit": {**true["kit"], "cost": {**true["kit"]["cost"], "passes": 3}}}, "passphrase_wrong"),
        ({"kit": {**true["kit"], "salt": "0" * 32}}, "passphrase_wrong"),
        ({"kit": {**true["kit"], "mark": "0" * 32}}, "recovery_code_wrong"),
        ({"kit": {**true["kit"], "sealed": true["kit"]["sealed"][::-1]}}, "passphrase_wrong"),
        ({"version": 2}, "passphrase_wrong"),
        ({"vault": "0" * 32}, "passphrase_wrong"),
        ({"scheme": 0}, "vault_parameters_refused"),
        ({"more": 1}, "vault_parameters_refused"),
    ]
    for change, expected in changed:
        value = json.dumps({**true, **change})
        there.journal.record(
            WORKSPACE, events=[Event("ConfigChanged", VAULT, {"value": value})], actor="user", cause="t", at=1
        )
        assert code_of(lambda: there.keys.unlock(OTHER, code)) == expected, change
    there.journal.record(
        WORKSPACE,
        events=[Event("ConfigChanged", VAULT, {"value": json.dumps(true)})],
        actor="user",
        cause="t",
        at=1,
    )
    there.keys.unlock(OTHER, code)
    assert there.keys.get("openai") == Secret(KEY)


def test_only_its_own_commands_write_the_vault() -> None:
    assert code_of(lambda: refuse_protected(VAULT)) == "config_protected"


def test_nothing_here_shows_a_key_when_it_is_printed(machine: Machine, keyring: MemoryKeyring) -> None:
    machine.keys.put("openai", Secret(KEY))
    [device_key] = keyring.kept.values()
    shown = repr([machine.keys, machine.vault, machine.device, machine.sealed, machine.vault._keys()])
    raw = machine.vault._keys()[0].key
    for secret in (KEY, device_key, raw.hex(), repr(raw)[2:-1]):
        assert secret not in shown


HERE, THERE = "https://api.example/v1", "https://evil.example/v1"


def test_a_key_is_shown_only_where_the_user_said_it_is_for(machine: Machine) -> None:
    keys = machine.keys
    keys.allow("openai", HERE)  # there is no key yet
    keys.put("openai", Secret(KEY))
    assert code_of(lambda: keys.get_for("openai", HERE)) == "key_not_for_host"
    keys.allow("openai", HERE)
    before = machine.rows()
    keys.allow("openai", "https://API.example:443/v2", "http://127.0.0.1:1/v1")  # nothing new
    assert machine.rows() == before
    for shown in (HERE, "https://api.example:443", "http://127.0.0.1:8080/v1", "http://localhost/v1"):
        assert keys.get_for("openai", shown) == Secret(KEY)
    for other in (
        THERE,
        "http://api.example/v1",
        "https://api.example:444/v1",
        "https://api.example.evil.example/v1",
        "https://api.example@evil.example/v1",
        "https://127.0.0.1@evil.example/v1",
        "https://127.0.0.1.evil.example/v1",
    ):
        assert code_of(partial(keys.get_for, "openai", other)) == "key_not_for_host", other
    keys.put("openai", Secret("another"))
    assert keys.get_for("openai", HERE) == Secret("another")
    assert "api.example" not in shared(machine)
    key_commands = machine.again(OUTRIDER_KEY_OPENAI=KEY).keys
    assert key_commands.get_for("openai", HERE) == Secret(KEY)
    assert code_of(lambda: key_commands.get_for("openai", THERE)) == "key_not_for_host"


def test_a_forgotten_key_takes_its_hosts_with_it(machine: Machine) -> None:
    machine.keys.put("openai", Secret(KEY))
    machine.keys.allow("openai", HERE)
    machine.keys.forget("openai")
    with machine.database.read() as connection:  # nor would a key that is given at start be shown there
        assert not sealed_secrets.is_remembered(connection, "openai", HERE)
    machine.keys.put("openai", Secret(KEY))
    assert code_of(lambda: machine.keys.get_for("openai", HERE)) == "key_not_for_host"


def test_an_earlier_versions_key_is_shown_once_its_connection_is_saved_and_moves(
    machine: Machine, keyring: MemoryKeyring
) -> None:
    keyring.kept["openai"] = KEY
    assert code_of(lambda: machine.keys.get_for("openai", HERE)) == "key_not_for_host"
    machine.keys.allow("openai", HERE)
    assert "openai" not in keyring.kept
    assert (machine.keys.get_for("openai", HERE), machine.keys.key_location("openai")) == (Secret(KEY), "sealed")


def test_nothing_is_named_and_nothing_lost_while_the_vault_is_locked(bare: Machine) -> None:
    bare.keys.unlock(PASSPHRASE)
    bare.keys.put("openai", Secret(KEY))
    again = bare.again()
    before = again.rows()
    again.keys.allow("openai", HERE)
    assert again.rows() == before
    again.keys.unlock(PASSPHRASE)
    assert code_of(lambda: again.keys.get_for("openai", HERE)) == "key_not_for_host"


def test_hosts_reach_the_other_device_and_outlive_a_revocation_there(machine: Machine, tmp_path: Path) -> None:
    machine.keys.put("openai", Secret(KEY))
    machine.keys.allow("openai", HERE)
    code = machine.keys.make_recovery_kit(OTHER)
    there = machine.to(tmp_path / "there", MemoryKeyring())
    there.keys.unlock(OTHER, code)
    assert there.keys.get_for("openai", HERE) == Secret(KEY)
    join(there, "lost")
    there.keys.revoke("lost", PASSPHRASE)
    assert there.keys.get_for("openai", HERE) == Secret(KEY)
    assert code_of(lambda: there.keys.get_for("openai", THERE)) == "key_not_for_host"


def test_a_new_key_takes_no_hosts_from_what_a_revoked_device_sealed(machine: Machine, tmp_path: Path) -> None:
    machine.keys.put("openai", Secret(KEY))
    code = machine.keys.make_recovery_kit(OTHER)
    lost = machine.to(tmp_path / "lost", MemoryKeyring())
    lost.keys.unlock(OTHER, code)
    lost.keys.allow("openai", THERE)
    join(machine, "lost")
    machine.keys.revoke("lost", PASSPHRASE)
    sealed, version, kind = lost.rows()["openai"]
    forged = {"encrypted_value": sealed, "key_version": version, "config_type": kind, "updated_at": 1}
    machine.journal.record(WORKSPACE, events=[Event("SecretChanged", "openai", forged)], actor="user", cause="t", at=1)
    machine.keys.put("openai", Secret("new"))
    assert code_of(lambda: machine.keys.get_for("openai", THERE)) == "key_not_for_host"
