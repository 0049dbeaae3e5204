"""The page for connected programs: configurations are shown, written and taken back; servitors and proposals are listed."""

from pathlib import Path
from typing import Any

import pytest

from backend.adapters.files.mcp_hosts import COPY, McpHostFiles
from backend.commands.servitors import ServitorCommands
from backend.domain.device.mcp_host import HOSTS
from backend.domain.events.facts.task import TaskClaimed
from backend.domain.values.errors import OutriderError
from backend.mcp.tools import McpContext, call
from backend.ports.mcp_hosts import HostConfig
from backend.turn.verifier import verify_waiting
from tests.api.app import App
from tests.api.runs import ask

COMMAND = ("/opt/outrider", "mcp", "--data-dir", "/data folder")


def config(files: McpHostFiles, host: str) -> HostConfig:
    return next(host_config for host_config in files.listed() if host_config.id == host)


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
@pytest.mark.parametrize("host", [host.id for host in HOSTS])
def test_what_was_shown_is_written_and_taken_back_to_the_byte(tmp_path: Path, host: str, platform: str) -> None:
    files = McpHostFiles(COMMAND, tmp_path, platform)
    shown = config(files, host)
    path = Path(shown.path)
    assert (shown.exists, shown.connected, shown.can_undo, shown.problem) == (False, False, False, "")
    files.write(host, shown.after)
    assert (config(files, host).connected, path.read_text()) == (True, shown.after == shown.snippet and shown.snippet)
    files.undo(host)
    assert not path.exists()
    before = (
        b'\xef\xbb\xbf{"theme":  "dark", // mine\r\n "mcpServers": {"other": {}}, /* last */ "servers": {"one": {}},}'
    )
    path.write_bytes(before)
    files.write(host, config(files, host).after)
    assert b'"other"' in path.read_bytes()
    assert path.read_bytes().startswith(b'\xef\xbb\xbf{"theme":  "dark", // mine\r\n')
    files.write(host, config(files, host).after)  # a second time is nothing
    assert Path(f"{path}{COPY}").read_bytes() == before
    files.undo(host)
    assert path.read_bytes() == before


def test_what_a_company_has_put_elsewhere_on_windows_is_found_there(tmp_path: Path) -> None:
    files = McpHostFiles(COMMAND, tmp_path / "home", "win32", str(tmp_path / "share"))
    assert Path(config(files, "vscode").path) == tmp_path / "share" / "Code" / "User" / "mcp.json"
    assert Path(config(files, "cursor").path) == tmp_path / "home" / ".cursor" / "mcp.json"


@pytest.mark.parametrize(
    "program",
    [
        "/private/var/folders/x/AppTranslocation/6B0E1F0C/d/Outrider.app/Contents/MacOS/outrider",
        "/Volumes/Outrider/Outrider.app/Contents/MacOS/outrider",
    ],
)
def test_on_macos_no_program_is_told_of_a_place_that_changes(tmp_path: Path, program: str) -> None:
    """Nothing would answer there after the next start of ours, and nobody would know why."""
    files = McpHostFiles((program, "mcp"), tmp_path, "darwin")
    shown = config(files, "cursor")
    assert ("Drag Outrider to Applications" in shown.problem, shown.exists) == (True, False)
    with pytest.raises(OutriderError, match="program_moves"):
        files.write("cursor", shown.snippet)
    assert not Path(shown.path).exists()


@pytest.mark.posix
def test_a_file_that_the_user_has_elsewhere_stays_there(tmp_path: Path) -> None:
    """Behind a link, which stays; a link that leads nowhere is told as that."""
    linked, own = tmp_path / "home/.cursor/mcp.json", tmp_path / "dotfiles/mcp.json"
    for path in (linked, own):
        path.parent.mkdir(parents=True)
    own.write_bytes(b"{}")
    linked.symlink_to(own)
    files = McpHostFiles(COMMAND, tmp_path / "home", "linux")
    files.write("cursor", config(files, "cursor").after)
    assert linked.is_symlink()
    assert b"/opt/outrider" in own.read_bytes()
    files.undo("cursor")
    assert (linked.is_symlink(), own.read_bytes()) == (True, b"{}")
    linked.unlink()
    linked.symlink_to(linked)
    assert config(files, "cursor").problem


def test_what_cannot_be_added_to_or_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    files = McpHostFiles(COMMAND, tmp_path, "linux")
    path = Path(config(files, "cursor").path)
    path.parent.mkdir(parents=True)

    def refused(act: Any, *arguments: str) -> str:
        with pytest.raises(OutriderError) as error:
            act("cursor", *arguments)
        return error.value.code

    for strange in (b"{'a': 1}", b"[]", b'{"mcpServers": 5}', b"\xff\xfe"):
        path.write_bytes(strange)
        shown = config(files, "cursor")
        assert (bool(shown.problem), shown.exists) == (True, True)
        assert refused(files.write, "{}") == "host_config_unreadable"
        assert path.read_bytes() == strange
    path.write_bytes(b"{}")
    after = config(files, "cursor").after
    path.write_bytes(b'{"new": 1}')
    assert refused(files.write, after) == "host_config_changed"
    files.write("cursor", config(files, "cursor").after)
    path.write_text(path.read_text().replace("/opt/outrider", "/opt/other"))
    assert not config(files, "cursor").can_undo
    assert refused(files.undo) == "host_config_edited"
    with pytest.raises(OutriderError) as unknown:
        files.write("notepad", "")
    assert unknown.value.code == "host_unknown"


def test_what_the_program_wrote_since_stays_when_our_entry_is_taken_back(tmp_path: Path) -> None:
    files = McpHostFiles(COMMAND, tmp_path, "linux")
    path = Path(config(files, "cursor").path)
    files.write("cursor", config(files, "cursor").after)
    path.write_text(path.read_text().replace("{", '{"theme": "dark", // mine\n', 1))
    assert config(files, "cursor").can_undo
    files.undo("cursor")
    assert "".join(path.read_text().split()) == '{"theme":"dark",//mine"mcpServers":{}}'
    assert not config(files, "cursor").can_undo


@pytest.mark.posix
def test_a_file_keeps_its_rights_and_one_that_is_read_only_its_words(tmp_path: Path) -> None:
    files = McpHostFiles(COMMAND, tmp_path, "linux")
    path = Path(config(files, "cursor").path)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"{}")
    path.chmod(0o644)
    files.write("cursor", config(files, "cursor").after)
    assert path.stat().st_mode & 0o777 == 0o644
    path.chmod(0o444)
    earlier_copy = Path(f"{path}{COPY}").read_bytes()
    other = McpHostFiles(("/opt/other",), tmp_path, "linux")
    with pytest.raises(OutriderError, match="host_config_unwritable"):
        other.write("cursor", config(other, "cursor").after)
    assert Path(f"{path}{COPY}").read_bytes() == earlier_copy
    with pytest.raises(OutriderError, match="host_config_unwritable"):
        files.undo("cursor")
    assert config(files, "cursor").connected
    path.chmod(0o600)
    files.undo("cursor")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"{}", 0o600)


def test_servitors_and_proposals_are_listed_and_a_dismissed_servitor_is_gone_from_registry_and_page(
    app: App, campaign: str
) -> None:
    journal, clock = app.workspace.journal, app.services.clock(campaign)
    made = ServitorCommands(journal, clock).summon(campaign, "Sum up the replies", "Rook")
    journal.record(campaign, events=[TaskClaimed(made.id)], actor="agent", cause="claim", at=clock.now())
    assert verify_waiting(journal, clock, campaign) == [(made.id, False)]
    params = {"artifact_type": "note", "artifact_key": "plan", "content": "Call them on Monday."}
    context = McpContext(journal, lambda _: clock)
    call(context, "propose", {"campaign": campaign, "key": "k", "type": "persist_artifact", "params": params})
    view = ask(app, "/api/connect")
    (line,) = view["servitors"]
    assert (line["servitor"]["name"], line["state"]) == ("Rook", "Working")
    assert [commitment["status"] for commitment in line["commitments"]] == ["failed"]
    (proposal,) = view["proposals"]
    assert proposal["campaign_id"] == campaign
    answered = app.ask(f"/api/campaigns/{campaign}/questions/{proposal['question']['id']}/answer", {"answer": "no"})
    assert answered.ok, answered.text
    dismissed = app.ask(f"/api/connect/campaigns/{campaign}/servitors/{made.id}/dismiss", {})
    assert dismissed.status == 204, dismissed.text
    after = ask(app, "/api/connect")
    assert (after["servitors"], after["proposals"]) == ([], [])
    assert call(context, "list_servitors", {})["servitors"] == []
    again = app.ask(f"/api/connect/campaigns/{campaign}/servitors/{made.id}/dismiss", {})
    assert again.code == "servitor_unknown"
    assert app.ask("/api/connect/hosts/notepad/write", {"shown": "{}"}).code == "host_unknown"
