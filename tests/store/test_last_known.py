"""What the window shows before the database is open: as it was, for its owner only, or nothing."""

from pathlib import Path

import pytest

from backend.domain.values.errors import OutriderError
from backend.store.last_known import FILE, KnownCampaign, LastKnown, load_last_known, remove_last_known, save_last_known

TALKS = KnownCampaign(
    id="c1",
    name="Talks </script> \"&'",
    status="active",
    state="On",
    site="practice",
    leads={"pending": 3},
    needs={"approve": 1, "read": 2},
)


def test_it_is_kept_whole_for_its_owner_only(tmp_path: Path) -> None:
    assert load_last_known(tmp_path) is None
    for last_known in (LastKnown(campaigns=[TALKS]), LastKnown(campaigns=[])):
        save_last_known(tmp_path, last_known)
        assert load_last_known(tmp_path) == last_known
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    remove_last_known(tmp_path)
    remove_last_known(tmp_path)
    assert load_last_known(tmp_path) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"campaigns": [{"id": "c1"}]}',
        LastKnown(campaigns=[TALKS]).model_dump_json()[:-3],
        LastKnown(campaigns=[TALKS]).model_dump_json().replace('"c1"', '"../c1"'),
        LastKnown(campaigns=[TALKS]).model_dump_json().replace("3", "-3"),
        LastKnown(campaigns=[TALKS]).model_dump_json().replace("Talks", "x" * 100_000),
    ],
)
def test_a_damaged_or_foreign_file_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    assert load_last_known(tmp_path) is None


def test_one_that_cannot_be_kept_is_no_reason_not_to_close(tmp_path: Path) -> None:
    save_last_known(tmp_path / "gone", LastKnown(campaigns=[]))


def test_one_that_cannot_be_removed_keeps_the_database_from_being_opened(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(OutriderError) as refused:
        remove_last_known(tmp_path)
    assert refused.value.code == "data_dir_unusable"
