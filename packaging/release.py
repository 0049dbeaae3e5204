"""What goes with the files of a release: their checksums, and a statement of what they were built from (in-toto, SLSA 1).

The statement is not signed here: whoever publishes signs it. `python packaging/release.py v1.2.3 FOLDER` says whether the
folder has everything that a release with that tag needs, unchanged since it was built.
"""

import hashlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from contents import ROOT, project

LOCK_FILES = ("requirements-app.lock", "requirements.lock", "frontend/package-lock.json")
"""What decided, by hash, which work of others went in."""
NEEDED = ("*.deb", "*-setup.exe", "*.dmg", "*.mcpb", "SHA256SUMS-*", "*.cdx.json", "*.intoto.json")
"""What a release has at least one of."""
BUILD_TYPE = "urn:outrider:make-package"


def describe(files: Iterable[Path], out: Path, system: str) -> list[Path]:
    """Write the checksums of `files` and where they come from beside them; the files written."""
    listed = sorted(files)
    sums = out / f"SHA256SUMS-{system}"
    rows = "".join(f"{digest(file)}  {file.name}\n" for file in listed)
    # `outrider update` takes none older than it has seen.
    sums.write_text(f"# made {_commit_time()}\n{rows}", encoding="utf-8", newline="\n")
    statement = out / f"outrider-{project()['version']}-{system}.intoto.json"
    statement.write_text(json.dumps(provenance(listed), indent=1) + "\n", encoding="utf-8", newline="\n")
    return [sums, statement]


def provenance(files: Iterable[Path]) -> dict[str, object]:
    """The statement: which files, from which commit and lock files, by whom and with which Python."""
    sources = [_file_of_the_source(name) for name in LOCK_FILES]
    if commit := git("rev-parse", "HEAD"):
        sources.insert(0, {"name": "source", "digest": {"gitCommit": commit}})
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": file.name, "digest": {"sha256": digest(file)}} for file in files],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {"command": "make package"},
                "internalParameters": {
                    "changed": bool(git("status", "--porcelain", "--untracked-files=no")),
                    "python": platform.python_version(),
                    "system": platform.platform(),
                },
                "resolvedDependencies": sources,
            },
            "runDetails": {
                "builder": {"id": _builder()},
                "metadata": {"finishedOn": _commit_time()},
            },
        },
    }


def digest(file: Path) -> str:
    """Its SHA-256."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def git(*arguments: str) -> str:
    """What git says of the checkout; nothing for sources without their history."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)  # noqa: S603, S607
    return done.stdout.strip()


def missing_for(tag: str, folder: Path) -> list[str]:
    """What keeps the files in a folder from being the release of a tag, a line each."""
    version = project()["version"]
    wrong = [] if tag == f"v{version}" else [f"the tag is {tag}, and pyproject.toml says {version}"]
    wrong += [f"there is no {pattern}" for pattern in NEEDED if not list(folder.glob(pattern))]
    listed: set[str] = set()
    for sums in sorted(file for file in folder.glob("SHA256SUMS-*") if file.suffix not in (".sig", ".asc")):
        for line in sums.read_text("utf-8").splitlines()[1:]:
            digest_listed, _, name = line.partition("  ")
            listed.add(name)
            file = folder / name
            if not file.is_file():
                wrong.append(f"{name} of {sums.name} is not there")
            elif digest(file) != digest_listed:
                wrong.append(f"{name} is not what {sums.name} says")
    described = ("SHA256SUMS-", ".intoto.json")
    unlisted = sorted(
        file.name
        for file in folder.iterdir()
        if file.name not in listed and not file.name.startswith(described[0]) and not file.name.endswith(described[1])
    )
    return wrong + [f"{name} is in no list of checksums" for name in unlisted]


def _commit_time() -> str:
    time = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "1577836800")), UTC)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def _file_of_the_source(name: str) -> dict[str, object]:
    return {"name": name, "digest": {"sha256": digest(ROOT / name)}}


def _builder() -> str:
    """The build server's run, where one says so; else somebody's own machine."""
    server, repository, run = (os.environ.get(f"GITHUB_{name}") for name in ("SERVER_URL", "REPOSITORY", "RUN_ID"))
    return f"{server}/{repository}/actions/runs/{run}" if server and repository and run else "urn:outrider:own-machine"


if __name__ == "__main__":
    sys.exit("\n".join(missing_for(sys.argv[1], Path(sys.argv[2]))) or 0)
