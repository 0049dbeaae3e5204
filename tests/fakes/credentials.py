"""Secrets in memory, for tests."""

from collections.abc import Mapping

from backend.ports.credentials import Secret


class Pocket:
    """Keeps what it is given as long as the test lasts."""

    def __init__(self, secrets: Mapping[str, str] | None = None) -> None:
        self.secrets = {name: Secret(text) for name, text in (secrets or {}).items()}

    def get(self, name: str) -> Secret | None:
        return self.secrets.get(name)

    def get_for(self, name: str, base_url: str) -> Secret | None:
        return self.get(name)

    def allow(self, name: str, *base_urls: str) -> None:
        pass

    def put(self, name: str, secret: Secret) -> None:
        self.secrets[name] = secret

    def forget(self, name: str) -> None:
        self.secrets.pop(name, None)

    def where(self, name: str) -> str:
        return "the tester's pocket"
