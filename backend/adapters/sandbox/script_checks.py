"""Checks of a script that a turn proposes: the text of a built-in one, and whether a text may run."""

from collections.abc import Callable
from dataclasses import dataclass

from backend.adapters.sandbox.builtin_scripts import builtin_source
from backend.domain.device.script import ScriptOutcome, check_source
from backend.ports.script_sandbox import ScriptSandbox


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
