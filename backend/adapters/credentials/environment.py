"""Secrets of a machine without a keychain: environment variables, given at start and never written."""

from collections.abc import Mapping

from backend.domain.values.errors import OutriderError
from backend.ports.credentials import VARIABLE, Secret


class Environment:
    """`OUTRIDER_KEY_<NAME>`, read only."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        # Only our own, so that nothing else of the environment is held on to.
        self._secrets = {name: Secret(text) for name, text in environ.items() if name.startswith(VARIABLE) and text}

    def get(self, name: str) -> Secret | None:
        """What the variable holds."""
        return self._secrets.get(variable(name))

    def put(self, name: str, secret: Secret) -> None:
        """Raises `key_read_only`, always."""
        raise OutriderError("key_read_only", where=self.where(name))

    def forget(self, name: str) -> None:
        """Raises `key_read_only` if it is set."""
        if self.get(name) is not None:
            raise OutriderError("key_read_only", where=self.where(name))

    def where(self, name: str) -> str:
        """The variable's name."""
        return f"the environment variable {variable(name)}"


def variable(name: str) -> str:
    """The variable that holds the secret of that name."""
    return VARIABLE + name.upper()
