"""One suite over every place that skills come from: a folder, a zip, and one that exists in a test only."""

import io
import os
import stat
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from backend.adapters.skills import limits
from backend.adapters.skills.archive import ZipSkillReader
from backend.adapters.skills.folder import DocumentSkillReader, FolderSkillReader
from backend.adapters.skills.readers import FOLDER, BuiltinSkillReader, skill_reader_for
from backend.domain.turn.guidance import guidance_problems
from backend.domain.turn.skill import SkillFolder, read
from backend.domain.values.errors import OutriderError
from backend.ports.skill_source import SkillSource as Port
from tests.fakes.skills import MemorySource, document
from tests.posix import make_pipe

Make = Callable[[Mapping[str, bytes]], Port]


@pytest.fixture(params=["memory", "folder", "zip", "zip with a folder in it"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Make:
    """A source with one skill of these files in it."""

    def made(files: Mapping[str, bytes]) -> Port:
        match request.param:
            case "memory":
                return MemorySource({"be-kind": files})
            case "folder":
                for name, content in files.items():
                    path = tmp_path / "be-kind" / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(content)
                return FolderSkillReader(tmp_path / "be-kind")
            case kind:
                inside = "" if kind == "zip" else "repository-main/skills/be-kind/"
                beside = {} if kind == "zip" else {"repository-main/README.md": b"beside it"}
                named = {**{f"{inside}{name}": content for name, content in files.items()}, **beside}
                return ZipSkillReader(zipped(tmp_path / "be-kind.zip", named))

    return made


def zipped(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def only(source: Port) -> SkillFolder:
    (folder,) = source.folders()
    return folder


def refusal(source: Port) -> str:
    with pytest.raises(OutriderError) as refused:
        list(source.folders())
    return refused.value.code


FILES = {"SKILL.md": document("be-kind").encode(), "references/tone.md": b"a\r\n\xff\0", "LICENSE": b""}


def test_every_file_comes_byte_for_byte_under_its_path(make: Make) -> None:
    assert dict(only(make(FILES)).files) == FILES


def test_the_same_files_are_the_same_skill_wherever_they_come_from(make: Make) -> None:
    assert read(only(make(FILES))).source_hash == read(only(MemorySource({"x": FILES}))).source_hash


def test_reading_again_gives_the_same(make: Make) -> None:
    source = make(FILES)
    assert only(source) == only(source)


# --- what is shipped ---


def test_what_is_shipped_is_whole_useful_and_says_nothing_that_a_skill_may_not() -> None:
    skills = [read(folder) for folder in BuiltinSkillReader().folders()]
    assert [skill.name for skill in skills] == [
        "handling-a-reply", "qualifying-a-lead", "weekly-review", "writing-an-invitation",
    ]  # fmt: skip
    assert [path.name for path in sorted(FOLDER.iterdir())] == [skill.name for skill in skills]
    for skill in skills:
        assert guidance_problems(skill.document) == []
        assert 400 < len(skill.instructions) < 2_000
        assert skill.others == ()


# --- what a folder or a zip may try ---


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_FILES", 3)
    monkeypatch.setattr(limits, "MAX_FILE_BYTES", 1_000)
    monkeypatch.setattr(limits, "MAX_BYTES", 1_500)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    "more",
    [{"a": b"", "b": b"", "c": b""}, {"a": b"x" * 1_001}, {"a": b"x" * 900, "b": b"x" * 900}],
    ids=["files", "file", "sum"],
)
@pytest.mark.parametrize("kind", ["folder", "zip"])
def test_more_than_a_skill_needs_is_refused(tmp_path: Path, kind: str, more: Mapping[str, bytes]) -> None:
    files = {"SKILL.md": b"x", **more}
    if kind == "zip":
        assert refusal(ZipSkillReader(zipped(tmp_path / "x.zip", files))) == "skill_source_too_large"
        return
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    assert refusal(FolderSkillReader(tmp_path)) == "skill_source_too_large"


def test_a_folder_without_end_is_refused(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["d"] * (limits.MAX_DEPTH + 1))
    deep.mkdir(parents=True)
    assert refusal(FolderSkillReader(tmp_path)) == "skill_source_too_large"


@pytest.mark.posix  # links need a right on Windows
def test_links_are_refused_wherever_they_lead(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("secret")
    for name, target in (("SKILL.md", outside), ("folder", tmp_path), ("nowhere", tmp_path / "missing")):
        folder = tmp_path / f"with-{name}"
        folder.mkdir()
        (folder / name).symlink_to(target)
        assert refusal(FolderSkillReader(folder)) == "skill_source_link"


@pytest.mark.posix
def test_what_is_no_ordinary_file_is_refused_and_does_not_hang(tmp_path: Path) -> None:
    make_pipe(tmp_path / "SKILL.md")
    assert refusal(FolderSkillReader(tmp_path)) == "skill_source_unreadable"


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    for source in (
        FolderSkillReader(tmp_path / "x"),
        ZipSkillReader(tmp_path / "x.zip"),
        DocumentSkillReader(tmp_path / "x.md"),
    ):
        assert refusal(source) == "skill_source_unreadable"


def test_what_systems_leave_in_folders_is_no_part_of_a_skill(make: Make) -> None:
    littered = {**FILES, ".DS_Store": b"x", "references/Thumbs.db": b"x", ".git/config": b"x"}
    if isinstance(source := make(littered), MemorySource):
        pytest.skip("nothing is left in memory")
    assert dict(only(source).files) == FILES


@pytest.mark.parametrize(
    "name", ["../SKILL.md", "/etc/SKILL.md", "a/../../b/SKILL.md", "C:/SKILL.md", "a\\..\\SKILL.md", "a//SKILL.md"]
)
def test_a_dangerous_path_in_a_zip_is_refused(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "x.zip", {"ok/SKILL.md": b"x", "ok/XXXX": b"x"})
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        info = zipfile.ZipInfo("x")
        info.filename = name
        archive.writestr(info, b"x")
    path.write_bytes(raw.getvalue())
    assert refusal(ZipSkillReader(path)) == "skill_source_unsafe_path"


def test_a_link_in_a_zip_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("SKILL.md", b"x")
        link = zipfile.ZipInfo("link")
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, b"/etc/passwd")
    assert refusal(ZipSkillReader(tmp_path / "x.zip")) == "skill_source_link"


def test_a_zip_that_unpacks_without_end_is_refused(tmp_path: Path) -> None:
    assert refusal(ZipSkillReader(zipped(tmp_path / "x.zip", {"SKILL.md": b"\0" * 10_000_000}))) == "skill_source_bomb"


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_whose_compression_has_no_bound_is_not_unpacked(tmp_path: Path, method: int) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w", method) as archive:
        archive.writestr("SKILL.md", b"\0" * 1_000)
    assert refusal(ZipSkillReader(tmp_path / "x.zip")) == "skill_source_unreadable"


def test_a_zip_that_lies_about_sizes_is_not_read_further(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", {"SKILL.md": os.urandom(limits.MAX_FILE_BYTES + 10)})
    raw = path.read_bytes()
    size = (limits.MAX_FILE_BYTES + 10).to_bytes(4, "little")
    path.write_bytes(raw.replace(size, (9).to_bytes(4, "little")))
    assert refusal(ZipSkillReader(path)) in ("skill_source_damaged", "skill_source_too_large")


@pytest.mark.parametrize("names", [["a/SKILL.md", "b/SKILL.md"], ["SKILL.md", "b/SKILL.md"]])
def test_a_zip_with_several_skills_is_refused(tmp_path: Path, names: list[str]) -> None:
    assert refusal(ZipSkillReader(zipped(tmp_path / "x.zip", dict.fromkeys(names, b"x")))) == "skill_source_several"


def test_a_zip_without_a_skill_and_one_that_is_damaged_are_told_apart(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", {"README.md": b"x" * 500})
    assert refusal(ZipSkillReader(path)) == "skill_without_document"
    path.write_bytes(path.read_bytes()[:-30])
    assert refusal(ZipSkillReader(path)) == "skill_source_damaged"


def test_a_zip_with_a_password_is_refused(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", {"SKILL.md": b"x"})
    raw = bytearray(path.read_bytes())
    at = raw.rfind(b"PK\x01\x02")
    raw[at + 8] |= 1
    path.write_bytes(raw)
    assert refusal(ZipSkillReader(path)) == "skill_source_unreadable"


def test_what_the_user_chose_is_read_as_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_bytes(FILES["SKILL.md"])
    (tmp_path / "x.txt").write_text("x")
    assert isinstance(skill_reader_for(tmp_path), FolderSkillReader)
    assert isinstance(skill_reader_for(zipped(tmp_path / "any.name", FILES)), ZipSkillReader)
    assert read(only(skill_reader_for(tmp_path / "SKILL.md"))).name == "be-kind"
    with pytest.raises(OutriderError, match="not a folder, a zip"):
        skill_reader_for(tmp_path / "x.txt")
