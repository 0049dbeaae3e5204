"""No name that came from somewhere else becomes a path outside of its folder."""

from pathlib import Path

import pytest

from backend.adapters.files.content_files import BlobStore, path_inside
from backend.app.wiring import open_workspace, write_campaign_files
from backend.domain.model.campaign import Settings
from backend.domain.values.errors import OutriderError
from backend.domain.values.shapes import is_entity_id, is_id
from backend.machine.settings import AppSettings
from backend.runtime.run.rehearsal import ledger_of

STRANGE = (
    "", ".", "..", "../X", "../../X", "a/b", "a\\b", "/etc/passwd", "C:", "~", "a\x00", "a\n", "a b", "é", "x" * 200,
    "-rf", "a.", "\ud800",
)  # fmt: skip


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_name_is_no_id_and_no_path(tmp_path: Path, name: str) -> None:
    assert not is_id(name)
    assert not is_entity_id(name) or name in ("a.", "C:"), "which no path is made of"
    if name != "-rf":
        with pytest.raises(OutriderError) as refused:
            path_inside(tmp_path, name)
        assert refused.value.code == "path_refused"


@pytest.mark.parametrize("name", ["CON", "nul", "com1.jsonl", "Lpt9.x"])
def test_a_device_of_windows_is_no_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(OutriderError, match="out of its folder"):
        path_inside(tmp_path, name)


def test_an_id_of_ours_is_one_and_its_path_is_inside(tmp_path: Path) -> None:
    for name in ("01JCYKV6Q5M9T8XK3B7R2N4D6F", "camp-1", "c"):
        assert is_id(name)
        assert path_inside(tmp_path, name) == tmp_path / name


def test_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    (folder / "below").symlink_to(elsewhere)
    (folder / "file.jsonl").symlink_to(elsewhere / "new")
    for names in (("below",), ("below", "x"), ("file.jsonl",)):
        with pytest.raises(OutriderError, match="out of its folder"):
            path_inside(folder, *names)
    (tmp_path / "linked").symlink_to(folder)
    assert path_inside(tmp_path / "linked", "x") == tmp_path / "linked" / "x", "the user may keep the folder elsewhere"


def test_neither_campaign_files_nor_ledger_nor_artifact_leave_the_data_folder(tmp_path: Path) -> None:
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    data.mkdir()
    elsewhere.mkdir()
    with open_workspace(AppSettings(data, "", 10)) as workspace:
        for write in (write_campaign_files, ledger_of):
            with pytest.raises(OutriderError):
                write(workspace, "../../elsewhere/X")
        campaign = workspace.commands().campaigns.create_on_practice("Name", "Goal", Settings())
        (data / "campaigns").mkdir()
        (data / "campaigns" / campaign).symlink_to(elsewhere)
        with pytest.raises(OutriderError, match="out of its folder"):
            write_campaign_files(workspace, campaign)
    store = BlobStore(data / "artifacts")
    blob = store.keep([b"content"])
    (data / "artifacts" / blob.sha256[:2] / blob.sha256).unlink()
    (data / "artifacts" / blob.sha256[:2]).rmdir()
    (data / "artifacts" / blob.sha256[:2]).symlink_to(elsewhere)
    with pytest.raises(OutriderError, match="out of its folder"):
        store.keep([b"content"])
    assert list(elsewhere.iterdir()) == []
