"""Whose work is in the packaged app: every file has an owner, every owner a licence with its text, and both are written down."""

import json
import lzma
import sys
from collections.abc import Callable
from importlib.metadata import distribution
from importlib.resources import files
from pathlib import Path
from types import ModuleType

import pytest
from jsonschema import Draft7Validator
from PyInstaller.archive.readers import CArchiveReader
from referencing import Registry, Resource

from tests.packaging_.conftest import ROOT

Script = Callable[[str], ModuleType]
FILES = (
    "outrider",
    "NOTICES.txt",
    "base_library.zip",
    "frontend/dist/assets/index-1.js",
    "libssl.so.3",
    "libsqlite3.so.0",
    "playwright/driver/node",
    "playwright/driver/package/cli.js",
)
MODULES = (
    "backend",
    "backend.terminal.app",
    "flask",
    "flask.sansio",
    "flask.sansio.app",
    "json",
    "pydantic_core",
    "proxy_tools",
)


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("outrider.exe", "pyinstaller"),
        ("backend/store/migrations/0001.sql", "outrider"),
        ("frontend\\dist\\assets\\index-1.js", "page"),
        ("playwright/driver/node.exe", "node"),
        ("playwright/driver/package/lib/utilsBundle.js", "playwright-core"),
        ("PySide6/Qt/lib/libQt6WebEngineCore.so.6", "qtwebengine"),
        ("PySide6/Qt/translations/qtwebengine_locales/en-US.pak", "qtwebengine"),
        ("PySide6/Qt/lib/libQt6Core.so.6", "qt"),
        ("libQt6Core.so.6", "qt"),
        ("PySide6/Qt/lib/libicudata.so.73", "icu"),
        ("libcrypto.so.3", "openssl"),
        ("libcrypto-3-x64.dll", "openssl"),
        ("python3.11/lib-dynload/_ssl.cpython-311-x86_64-linux-gnu.so", "python"),
        ("_ssl.pyd", "python"),
        ("python311.dll", "python"),
        ("certifi/cacert.pem", "certifi"),
        ("libmystery.so.1", None),
        ("somewhere/anything.bin", None),
    ],
)
def test_every_file_has_the_owner_whose_work_it_is(script: Script, name: str, owner: str | None) -> None:
    assert script("inventory").owner_of_file(name) == owner


def test_a_file_or_module_of_nobody_ends_the_build(script: Script) -> None:
    inventory = script("inventory")
    with pytest.raises(inventory.OwnerError, match=r"libmystery\.so\.1"):
        inventory.components([*FILES, "libmystery.so.1"], MODULES)
    with pytest.raises(inventory.OwnerError, match="mystery_module"):
        inventory.components(FILES, [*MODULES, "mystery_module"])


def test_a_component_without_the_text_of_its_licence_ends_the_build(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    inventory = script("inventory")
    monkeypatch.setattr(inventory, "MISSING_TEXTS", {})
    with pytest.raises(inventory.OwnerError, match="proxy_tools"):
        inventory.components(FILES, MODULES)


@pytest.mark.parametrize(
    ("licence", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-or-later", False),
        ("GNU General Public License v2 (GPLv2)", False),
        ("AGPL-3.0-only", False),
        ("LGPL-3.0-only", True),
        ("LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only", True),
        ("MIT AND GPL-2.0-only", False),
        ("LGPL-2.1-only AND GPL-3.0-only", False),
        ("GPL-2.0-or-later WITH Bootloader-exception", True),
    ],
)
def test_what_would_put_the_app_under_the_gpl_is_refused(script: Script, licence: str, allowed: bool) -> None:
    assert script("inventory").may_be_given_away(licence) is allowed


def test_whatever_is_installed_for_the_app_brings_its_licence_or_has_it_here(script: Script) -> None:
    """So a new dependency is found wanting by `make test`, not first by a release."""
    inventory = script("inventory")
    names = {package.name for package in inventory.needed_distributions()}
    assert {"Flask", "playwright", "pydantic", "pywebview", "Werkzeug", "anthropic"} <= names
    assert not names & {"pytest", "ruff", "outrider"}
    without = [name for name in sorted(names) if not any(inventory.of_distribution(distribution(name)).texts)]
    assert without == []


def test_the_notices_tell_everybodys_terms(script: Script) -> None:
    inventory, notices = script("inventory"), script("notices")
    listed = inventory.components(FILES, MODULES)
    text = notices.notices(listed)
    titles = {
        "Flask",
        "Node.js",
        "OpenSSL",
        "playwright-core",
        "pyinstaller",
        "Python",
        "SQLite",
        "svelte",
        "tailwindcss",
    }
    assert titles <= {component.name for component in listed}
    assert all(f"\n{component.name} {component.version}\n" in text for component in listed)
    assert all(words in text for component in listed for words in component.texts)
    assert "IBM Corp." in text, "the page's font"
    assert str(ROOT) not in text


def test_the_notices_say_first_which_packages_do_not_list_what_is_compiled_into_them(script: Script) -> None:
    inventory, notices = script("inventory"), script("notices")
    silent = {
        package.name
        for package in inventory.needed_distributions()
        if not inventory.of_distribution(package).parts
        for file in package.files or []
        if file.suffix in (".so", ".pyd", ".dylib")
        if b"/rustc/" in Path(str(package.locate_file(file))).read_bytes()
    }
    assert "wasmtime" in silent
    assert [name for name in silent if name not in notices.OPENING] == []


def test_a_crate_is_told_with_its_authors_as_its_wheel_names_them(script: Script) -> None:
    """Without their addresses; that the crates' own copyright lines are in no wheel stands at the head."""
    inventory, notices = script("inventory"), script("notices")
    (core,) = inventory.listed("pydantic_core")
    (bill,) = [file for file in distribution("pydantic_core").files or [] if "/sboms/" in str(file)]
    rows = json.loads(Path(str(distribution("pydantic_core").locate_file(bill))).read_text("utf-8"))["components"]
    assert {part.name for part in core.parts if part.authors} == {row["name"] for row in rows if row.get("author")}
    text = notices.notices([core])
    assert "ahash" in text
    assert "by Tom Kaitchuck\n" in text
    assert "@" not in text.partition("Compiled into it:")[2]
    assert "some crates name no authors" in text


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux' app has Qt")
def test_the_lists_of_others_inside_qt_and_chromium_say_of_which_version_they_are(script: Script) -> None:
    inventory = script("inventory")
    (qt,), (engine,) = map(inventory.listed, ("qt", "qtwebengine"))
    assert f"as Debian lists it for Qt 6.4; this is Qt {qt.version}:" in "\n".join(qt.texts)
    assert f"as its version 150 lists it; this is {engine.parts[0].version}:" in "\n".join(engine.texts)
    readme = (ROOT / "packaging/licences/README.md").read_text("utf-8")
    assert "and qtwebengine 6.4" in readme
    assert "Debian's Chromium 150" in readme


def test_the_short_notices_name_everybody_without_the_texts(script: Script) -> None:
    notices = script("notices")
    listed = script("inventory").components(FILES, MODULES)
    short = notices.heads(notices.notices(listed))
    assert all(f"\n{component.name} {component.version}\n{component.licence}" in short for component in listed)
    assert "NOTICES.gz" in short
    assert len(short) < 10_000


def test_a_licence_of_several_components_is_written_once(script: Script) -> None:
    inventory, notices = script("inventory"), script("notices")
    words = inventory.text("LGPL-3.0.txt")
    first, second = (
        inventory.Component(name, "1", "LGPL-3.0-only", (words,), "pkg:generic/x@1") for name in ("a", "b")
    )
    text = notices.notices([first, second])
    assert text.count(words) == 1
    assert "as under a 1)" in text.partition("\nb 1\n")[2]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux' app has Qt")
def test_qts_terms_are_all_there_with_the_place_of_its_source(script: Script) -> None:
    (qt,), (engine,) = map(script("inventory").listed, ("qt", "qtwebengine"))
    for component in (qt, engine):
        assert any("GNU LESSER GENERAL PUBLIC LICENSE" in words for words in component.texts)
        assert component.source.startswith("https://download.qt.io/")
    words = "\n".join(engine.texts)
    assert all(
        part in words for part in ("FFmpeg", "The Chromium Authors", "Mozilla Public License", "V8", "BoringSSL")
    )
    assert [part.name for part in engine.parts] == ["Chromium", "FFmpeg"]
    (icu,) = script("inventory").listed("icu")
    assert list(
        Path(str(distribution("PySide6_Essentials").locate_file("PySide6/Qt/lib"))).glob(f"libicuuc.so.{icu.version}")
    )


def test_chromiums_page_of_credits_becomes_a_text_with_each_licence_once(script: Script) -> None:
    page = """<div class="product"><span class="title">zlib</span><pre>Copyright &lt;z&gt;
 words</pre></div><div class="product"><span class="title">x&amp;y</span><div><pre>Copyright &lt;z&gt; words</pre></div>"""
    assert script("chromium_credits").credits_text(page) == "zlib\nx&y\n\nCopyright <z>\n words\n"
    with pytest.raises(ValueError, match="page of credits"):
        script("chromium_credits").credits_text("<html></html>")
    credit_text = lzma.decompress(script("chromium_credits").CREDITS.read_bytes()).decode()
    assert len(credit_text) > 1_000_000


def test_the_bill_of_materials_is_cyclonedx_and_the_same_each_time(
    script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    inventory, sbom = script("inventory"), script("sbom")
    listed = inventory.components(FILES, MODULES)
    text = sbom.bill_of_materials(listed, "linux-x86_64")
    assert text == sbom.bill_of_materials(list(reversed(listed)), "linux-x86_64")
    document = json.loads(text)
    assert [error.message for error in cyclonedx_validator().iter_errors(document)] == []
    assert document["metadata"]["component"]["name"] == "Outrider"
    assert document["metadata"]["timestamp"] == "2023-11-14T22:13:20+00:00"
    entries = {entry["name"]: entry for entry in document["components"]}
    assert set(entries) == {component.name for component in listed} - {"Outrider"}
    assert all(entry["purl"] and entry["licenses"] for entry in entries.values())
    assert entries["Flask"]["purl"] == f"pkg:pypi/flask@{distribution('flask').version}"
    assert len(entries["pydantic_core"]["components"]) > 20, "Rust's crates, as its wheel lists them"


def cyclonedx_validator() -> Draft7Validator:
    """CycloneDX's own schema, with those that it names."""
    folder = files("cyclonedx.schema") / "_res"
    names = ("bom-1.6", "spdx", "jsf-0.82")
    schemas = [json.loads((folder / f"{name}.SNAPSHOT.schema.json").read_text("utf-8")) for name in names]
    resources = [
        (f"{place}{name}.SNAPSHOT.schema.json", Resource.from_contents(schema))
        for name, schema in zip(names, schemas, strict=True)
        for place in ("", "http://cyclonedx.org/schema/")
    ]
    registry: Registry = Registry().with_resources(resources)
    return Draft7Validator(schemas[0], registry=registry)


def test_checksums_and_provenance_are_those_of_the_files(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    release = script("release")
    (tmp_path / "outrider.deb").write_bytes(b"package")
    sums, statement = release.describe([tmp_path / "outrider.deb"], tmp_path, "linux-x86_64")
    digest = "bc4a71180870f7945155fbb02f4b0a2e3faa2a62d6d31b7039013055ed19869a"
    assert sums.read_text() == f"# made 2023-11-14T22:13:20Z\n{digest}  outrider.deb\n", (
        "as `sha256sum --check` reads it"
    )
    provenance = json.loads(statement.read_text())
    assert (provenance["_type"], provenance["predicateType"]) == (
        "https://in-toto.io/Statement/v1",
        "https://slsa.dev/provenance/v1",
    )
    assert provenance["subject"] == [{"name": "outrider.deb", "digest": {"sha256": digest}}]
    definition = provenance["predicate"]["buildDefinition"]
    assert {entry["name"] for entry in definition["resolvedDependencies"]} >= set(release.LOCK_FILES)
    assert str(ROOT) not in statement.read_text()


def test_a_release_is_complete_unchanged_and_of_its_tag(script: Script, tmp_path: Path) -> None:
    release = script("release")
    version = script("contents").project()["version"]
    names = ("outrider.deb", "outrider-setup.exe", "Outrider.dmg", "outrider.mcpb", "outrider.cdx.json")
    for name in names:
        (tmp_path / name).write_text(name)
    release.describe([tmp_path / name for name in names], tmp_path, "linux-x86_64")
    assert release.missing_for(f"v{version}", tmp_path) == []
    (tmp_path / "Outrider.dmg").write_text("another")
    (tmp_path / "outrider.deb").unlink()
    (tmp_path / "notes.txt").touch()
    assert release.missing_for("v9.9.9", tmp_path) == [
        f"the tag is v9.9.9, and pyproject.toml says {version}",
        "there is no *.deb",
        "Outrider.dmg is not what SHA256SUMS-linux-x86_64 says",
        "outrider.deb of SHA256SUMS-linux-x86_64 is not there",
        "notes.txt is in no list of checksums",
    ]


@pytest.mark.packaged
def test_all_that_is_in_the_built_app_is_somebodys_whose_terms_are_told(script: Script) -> None:
    """Looked up in the files of the built folder, not in what the build believes it has put there."""
    folder = ROOT / "dist" / "outrider"
    program = folder / ("outrider.exe" if sys.platform == "win32" else "outrider")
    inside = folder / "_internal"
    names = [path.relative_to(inside).as_posix() for path in inside.rglob("*") if not path.is_dir()]
    modules = list(CArchiveReader(str(program)).open_embedded_archive("PYZ.pyz").toc)
    assert len(names) > 300
    assert len(modules) > 3000
    listed = script("inventory").components([program.name, *names], modules)
    notices = (inside / "NOTICES.txt").read_text("utf-8")
    assert [component.name for component in listed if f"\n{component.name} {component.version}\n" not in notices] == []
    assert [component.name for component in listed if any(words not in notices for words in component.texts)] == []
    document = json.loads((inside / "sbom.cdx.json").read_text("utf-8"))
    assert [error.message for error in cyclonedx_validator().iter_errors(document)] == []
    assert {entry["name"] for entry in document["components"]} | {"Outrider"} == {
        component.name for component in listed
    }
    assert "pytest" not in {component.name for component in listed}
