"""A program's key to speak MCP over HTTP, as the user makes it in Settings."""

from tests.api.app import App

NAME = "host"


def key_of(app: App) -> str:
    """The key of one program in this launch, made when it is first asked for."""
    keys = app.launch.services.program_keys
    if not keys.listed():
        app.launch.services.program_keys.add(NAME)
    return keys.listed()[0].token.value
