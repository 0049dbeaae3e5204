# ruff: noqa: F722, F821, N802
# mypy: ignore-errors
"""A notification service for tests: has the name of a desktop's own, and prints what it is sent.

D-Bus spells its names and writes its types like this.
"""

import asyncio
import json

from dbus_fast.aio import MessageBus
from dbus_fast.service import ServiceInterface, dbus_method


class Notifications(ServiceInterface):
    def __init__(self) -> None:
        super().__init__("org.freedesktop.Notifications")

    @dbus_method()
    def Notify(
        self, app: "s", replaces: "u", icon: "s", summary: "s", body: "s", actions: "as", hints: "a{sv}", timeout: "i"
    ) -> "u":
        print(json.dumps([app, summary, body]), flush=True)
        return 1

    @dbus_method()
    def GetCapabilities(self) -> "as":
        return ["body"]

    @dbus_method()
    def GetServerInformation(self) -> "ssss":
        return ["tests", "tests", "1", "1.2"]


async def serve() -> None:
    bus = await MessageBus().connect()
    bus.export("/org/freedesktop/Notifications", Notifications())
    await bus.request_name("org.freedesktop.Notifications")
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve())
