"""The campaign that is being written: kept whole for its owner only, and gone with the last word of it."""

from pathlib import Path

from backend.store.new_campaign_draft import FILE, KeptCampaignDraft, load_draft, save_draft

TALKS = KeptCampaignDraft(name="Talks", form='{"version":1}')


def test_it_is_kept_whole_for_its_owner_only_until_it_is_empty(tmp_path: Path) -> None:
    assert load_draft(tmp_path) == KeptCampaignDraft()
    for draft in (KeptCampaignDraft(name="Talk", form="{}"), TALKS):
        save_draft(tmp_path, draft)
        assert load_draft(tmp_path) == draft
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    for _ in range(2):
        save_draft(tmp_path, KeptCampaignDraft())
        assert list(tmp_path.iterdir()) == []


def test_what_is_no_draft_is_none(tmp_path: Path) -> None:
    for text in ("", "{", '{"name": 1, "text": ""}', TALKS.model_dump_json()[:-3]):
        (tmp_path / FILE).write_text(text, "utf-8")
        assert load_draft(tmp_path) == KeptCampaignDraft()
