"""The scripts that come with Outrider, the files in `builtin/` by their keys, and what turns ask of a script that is proposed."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from backend.domain.device.builtin_scripts import builtin_named
from backend.domain.device.script import ScriptOutcome, check_source
from backend.ports.script_sandbox import ScriptSandbox

FOLDER = Path(__file__).parent / "builtin"


def builtin_source(key: str) -> str | None:
    """The text of the script with this key, None if there is none."""
    return (FOLDER / f"{key}.py").read_text("utf-8") if builtin_named(key) else None


@dataclass(frozen=True, slots=True)
class SandboxChecks:
    """`sandbox` is called when a script is first checked: it is large, and seldom needed."""

    sandbox: Callable[[], ScriptSandbox]

    def builtin(self, key: str) -> str | None:
        """The text of a script that comes with Outrider, None if there is none with this key."""
        return builtin_source(key)

    def check(self, source: str) -> ScriptOutcome:
        """Whether it may run. Raises `script_…` for a text that the user could not read."""
        check_source(source)
        return self.sandbox().check(source)
