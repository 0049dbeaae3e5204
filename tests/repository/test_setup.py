"""The set-up runs before anything is installed, says what is missing in coded sentences, and repeats nothing."""

import ast
import importlib.util
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from backend.runtime import doctor

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = REPOSITORY / "packaging" / "setup.py"


@pytest.fixture
def setup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module (its folder is no package, on purpose), at work on an empty checkout."""
    spec = importlib.util.spec_from_file_location("outrider_setup", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = tmp_path / "frontend"
    (page / "src").mkdir(parents=True)
    (page / "node_modules").mkdir()
    (page / "package.json").write_text("{}")
    (page / "package-lock.json").write_text("{}")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "PAGE", page)
    monkeypatch.setattr(module, "NODE_MODULES", page / "node_modules")
    return module


def test_it_needs_nothing_but_the_standard_library() -> None:
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


def test_the_same_pythons_are_claimed_admitted_checked_and_named(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"3.{minor}" for minor in setup.PYTHONS]
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    classifiers = project["project"]["classifiers"]
    assert [name.removeprefix("Programming Language :: Python :: ") for name in classifiers] == names
    assert project["tool"]["ruff"]["target-version"] == f"py{names[0].replace('.', '')}"
    assert doctor.PYTHONS == setup.PYTHONS
    workflow = (REPOSITORY / ".github/workflows/build.yml").read_text("utf-8")
    assert re.findall(r"python: \[(.+)\]", workflow) == [", ".join(f'"{name}"' for name in names)]
    assert "for python in $(PYTHONS); do" in (REPOSITORY / "Makefile").read_text("utf-8"), (
        "each is looked for in the locks"
    )
    for page in ("README.md", "CONTRIBUTING.md"):
        assert f" Python {names[0]} to {names[-1]}" in (REPOSITORY / page).read_text("utf-8")
    for minor in (setup.PYTHONS[0] - 1, setup.PYTHONS[-1] + 1):
        monkeypatch.setattr(setup.sys, "version_info", (3, minor, 0))
        assert setup.python_ready() is None
        with pytest.raises(setup.SetupError, match=f"{names[0]} to {names[-1]}"):
            setup.python_make()


def test_packaging_is_no_package() -> None:
    assert not (SCRIPT.parent / "__init__.py").exists(), "it would shadow the library of that name"


def test_the_page_is_built_again_only_when_a_source_changed(setup: ModuleType) -> None:
    source = setup.PAGE / "src" / "main.ts"
    source.write_text("1")
    (setup.PAGE / "dist").mkdir()
    (setup.PAGE / "dist" / "index.html").write_text("built")
    assert setup.page_ready() is None
    setup.stamp(setup.NODE_MODULES, "page", setup.page_digest())
    assert setup.page_ready() == "up to date"
    source.write_text("2")
    assert setup.page_ready() is None


def test_packages_are_installed_again_only_when_the_lock_changed(setup: ModuleType) -> None:
    setup.stamp(setup.NODE_MODULES, "packages", setup.page_packages_digest())
    setup.stamp(setup.NODE_MODULES, "page", "kept beside it")
    assert setup.page_packages_ready() == "up to date"
    (setup.PAGE / "package-lock.json").write_text('{"changed": true}')
    assert setup.page_packages_ready() is None


def test_a_damaged_stamp_means_do_it_again(setup: ModuleType) -> None:
    (setup.NODE_MODULES / ".outrider-setup.json").write_text("half a fi")
    assert setup.page_packages_ready() is None


def test_a_folder_that_is_a_link_is_left_alone(
    setup: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").touch()
    (tmp_path / ".venv").symlink_to(elsewhere, target_is_directory=True)
    assert setup.main() == 1
    assert "setup_folder_linked: .venv is a link to " in capsys.readouterr().err
    assert (elsewhere / "kept").exists()


def test_a_missing_node_is_a_coded_error(setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(setup.SetupError, match=r"^setup_node_missing: .*\n  Install Node"):
        setup.page_packages_make()


def test_a_failing_program_is_shown_with_its_last_lines(setup: ModuleType) -> None:
    script = "import sys; print('one'); sys.exit('the reason')"
    with pytest.raises(setup.SetupError, match=r"(?s)setup_x: .*status 1.*the reason\n  try again"):
        setup.demand("setup_x", "try again", [sys.executable, "-c", script])


def test_one_unknown_system_package_does_not_keep_the_others_away(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed: list[str] = []

    def apt(arguments: list[str], _cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        packages = arguments[arguments.index("install") + 2 :] if "install" in arguments else []
        if "unknown" in packages:
            return subprocess.CompletedProcess(arguments, 100, "E: Unable to locate package unknown")
        installed.extend(packages)
        return subprocess.CompletedProcess(arguments, 0, "")

    monkeypatch.setattr(setup, "apt_prefix", list)
    monkeypatch.setattr(setup, "attempt", apt)
    assert not setup.apt_install(["first", "unknown", "last"])
    assert installed == ["first", "last"]


def test_without_the_right_to_install_nothing_is_tried(setup: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup, "apt_prefix", lambda: None)
    monkeypatch.setattr(setup, "attempt", lambda *_: pytest.fail("a program was started"))
    assert not setup.apt_install(["xvfb"])


def test_a_step_that_takes_minutes_says_so_before_it_begins(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said_before = []

    def make() -> str:
        said_before.append(capsys.readouterr().out)
        return "installed"

    packages = next(step for step in setup.STEPS if step.name == "packages")
    monkeypatch.setattr(setup, "STEPS", (packages._replace(ready=lambda: None, make=make),))
    assert setup.main() == 0
    assert "minutes" in said_before[0]


def test_a_failed_step_ends_with_status_one(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def make() -> str:
        raise setup.SetupError("setup_x", "It is not there.", "Get it.")

    monkeypatch.setattr(setup, "STEPS", (setup.Step("thing", lambda: None, make),))
    assert setup.main() == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("thing")
    assert printed.err == "setup_x: It is not there.\n  Get it.\n"


@pytest.mark.parametrize(
    ("platform_name", "machine", "refused"),
    [
        ("macosx-11.0-arm64", "arm64", ""),
        ("macosx-10.9-universal2", "arm64", ""),
        ("macosx-10.9-universal2", "x86_64", "Intel"),
        ("win-amd64", "ARM64", ""),
        ("win-arm64", "ARM64", "x64"),
        ("win32", "AMD64", "32 bits"),
        ("linux-x86_64", "x86_64", ""),
    ],
)
def test_where_packages_are_not_published_set_up_says_so_first(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch, platform_name: str, machine: str, refused: str
) -> None:
    monkeypatch.setattr(setup.sysconfig, "get_platform", lambda: platform_name)
    monkeypatch.setattr(setup.platform, "machine", lambda: machine)
    assert [step.name for step in setup.STEPS[:2]] == ["python", "system"], "before anything is made"
    assert (setup.system_ready() is None) is bool(refused)
    if refused:
        with pytest.raises(setup.SetupError, match=rf"setup_system_without_packages: (?s:.*){refused}"):
            setup.system_make()


def test_running_outrider_installs_nothing_that_only_tests_need(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def step(name: str) -> Any:
        def make() -> str:
            done.append(name)
            return "done"

        return setup.Step(name, lambda: None, make)

    monkeypatch.setattr(setup, "STEPS", tuple(step(original.name) for original in setup.STEPS))
    monkeypatch.setattr(setup, "TEST_STEPS", tuple(step(original.name) for original in setup.TEST_STEPS))
    assert setup.main() == 0
    assert not [name for name in done if name.startswith("test")]
    assert setup.main(["--tests"]) == 0
    assert done[-4:] == ["test packages", "test desktop", "test browser", "test servers"]


def test_the_tests_browser_is_installed_beside_debian_s_chromium_alone_and_may_be_missing(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chromium, shell = tmp_path / "chromium", tmp_path / "chromium-headless-shell"
    monkeypatch.setattr(setup, "DEBIAN_CHROMIUM", chromium)
    monkeypatch.setattr(setup, "HEADLESS_SHELL", shell)
    asked: list[list[str]] = []
    monkeypatch.setattr(setup, "apt_install", asked.append)
    assert setup.test_browser_ready() == "not needed"
    chromium.touch()
    assert setup.test_browser_ready() is None
    assert "without it" in setup.test_browser_make()
    assert asked == [["chromium-headless-shell"]]
    shell.touch()
    assert (setup.test_browser_make(), setup.test_browser_ready()) == ("installed", "up to date")


def test_what_outrider_needs_is_locked_as_for_its_tests_but_without_their_tools() -> None:
    app, tests = (_locked(SCRIPT.parents[1] / name) for name in ("requirements-app.lock", "requirements.lock"))
    assert app.items() <= tests.items()
    pyproject = tomllib.loads((SCRIPT.parents[1] / "pyproject.toml").read_text())
    named = {_name(requirement) for requirement in pyproject["project"]["dependencies"]}
    tools = {
        _name(requirement) for requirement in pyproject["dependency-groups"]["dev"] if isinstance(requirement, str)
    }
    assert named <= app.keys()
    assert tools <= tests.keys()
    assert tools & app.keys() == {"pyjwt"}, "the client of the shared store needs it, too"


def test_what_is_built_from_its_source_is_built_by_locked_tools_and_nothing_else_is_built(
    setup: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".venv").mkdir()
    (tmp_path / "pyproject.toml").touch()
    lock = tmp_path / setup.APP_LOCK
    lock.write_bytes((SCRIPT.parents[1] / setup.APP_LOCK).read_bytes())
    installed: list[list[str]] = []

    def demand(_code: str, _remedy: str, arguments: list[str | Path]) -> None:
        installed.append([str(argument) for argument in arguments])

    monkeypatch.setattr(setup, "demand", demand)
    setup.install_packages(setup.APP_LOCK)
    assert all(
        "--no-build-isolation" in words or words[words.index("--only-binary") + 1] == ":all:" for words in installed
    )
    wheels, everything = _locked(Path(installed[0][-1])), _locked(lock)
    assert everything.keys() - wheels.keys() == {"proxy-tools"}
    assert wheels.items() <= everything.items()
    assert "setuptools" in wheels
    assert all("--require-hashes" in words for words in installed if "-r" in words)


def _locked(lock: Path) -> dict[str, str]:
    """Each package with its version and hashes."""
    blocks = re.split(r"(?m)^(?=\S)", lock.read_text(encoding="utf-8"))
    return {_name(block): block for block in blocks if block.strip()}


def _name(requirement: str) -> str:
    return re.split(r"[ =<>!~;\[]", requirement, maxsplit=1)[0].lower()


WORKFLOWS = SCRIPT.parents[1] / ".github" / "workflows"


def test_every_action_of_a_workflow_is_pinned_by_its_commit() -> None:
    used = [line for file in WORKFLOWS.glob("*.y*ml") for line in re.findall(r"uses:\s*(\S+)", file.read_text())]
    assert used
    assert [action for action in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action)] == []
