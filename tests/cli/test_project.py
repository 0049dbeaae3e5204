"""`outrider project`: a campaign's files for people."""

from pathlib import Path

from tests.cli.outrider import Outrider


def test_the_files_are_written_where_it_says_and_again_after_they_were_deleted(copy: Outrider) -> None:
    campaign = copy("status", "--json").told["campaigns"][0]["campaign"]
    result = copy("project", campaign, "--json").told
    folder = Path(result["folder"])
    assert result["files"] == ["context.md", "environment.md", "tasks.md"]
    first = {name: (folder / name).read_bytes() for name in result["files"]}
    for name in result["files"]:
        (folder / name).unlink()
    assert str(folder / "tasks.md") in copy("project", campaign[:8]).out
    assert {name: (folder / name).read_bytes() for name in result["files"]} == first
    assert copy("project", "nobody", "--json").code == "campaign_unknown"
