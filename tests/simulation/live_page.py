"""The page that listens: what the live feed sends it is the log, each entry once and in order, whatever happens meanwhile."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from backend.runtime.feed.feed import FeedClient
from backend.runtime.feed.feed_messages import Events, Reset
from tests.simulation.oracle import Violation

if TYPE_CHECKING:
    from tests.simulation.machine import Launch
    from tests.simulation.world import World

MOST_KEPT = 300
"""So many of the latest entries of a stream are kept to be compared in the end."""


@dataclass
class Seen:
    """What a page knows of one stream: up to where, and the entries since it last loaded the campaign anew."""

    seq: int = 0
    kinds: dict[int, str] = field(default_factory=dict)


class LivePage:
    """One page of a launch. It loses its connection now and then, and connects again with what it saw."""

    def __init__(self, launch: "Launch") -> None:
        self._launch, self._world = launch, launch.device.world
        self.is_connected = False
        self.seen: dict[str, Seen] = {}

    def open(self) -> None:
        """Begin to listen."""
        self._launch.start("live page", self._listen)

    def _listen(self) -> None:
        launch = self._launch
        while True:
            if self._world.happens("live page", 0.1):
                self.seen = {}  # loaded anew
            client = FeedClient({name: seen.seq for name, seen in self.seen.items()}, cut=lambda: None)
            launch.background.feed.subscribe(client)
            ready = client.open(launch.database)
            self.is_connected = True
            for name, head in ready.heads.items():
                self.seen.setdefault(name, Seen(head))
            while not self._world.happens("live page", 0.02):
                self._world.hub.wait(_HasNews(client), None)
                if client.closed:
                    return
                for message in client.take(launch.database):
                    self._hear(message)
            launch.background.feed.unsubscribe(client)
            self.is_connected = False
            launch.moment("call", self._world.chance.choice((0.05, 3.0, 600.0)))  # the connection is gone for so long

    def _hear(self, message: object) -> None:
        if isinstance(message, Reset):
            self.seen[message.campaign_id] = Seen(message.seq)
        elif isinstance(message, Events):
            for event in message.events:
                seen = self.seen.setdefault(event.campaign_id, Seen())
                if event.seq != seen.seq + 1:
                    self._world.judge_broken(f"{self._launch.name}: the page hears of {event.seq} after {seen.seq}")
                seen.seq, seen.kinds[event.seq] = event.seq, event.kind
                seen.kinds.pop(event.seq - MOST_KEPT, None)


class _HasNews:
    """Set once there is something for the page."""

    def __init__(self, client: FeedClient) -> None:
        self._client = client

    def is_set(self) -> bool:
        return self._client.closed or self._client._something()


def check_pages(world: "World") -> None:
    """What each page heard is what stands in the log."""
    for device in world.devices:
        page = device.launch.background.live_page
        if not page.is_connected:
            continue
        with device.launch.database.read() as connection:
            for stream, seen in page.seen.items():
                log = dict(connection.execute("SELECT seq, kind FROM event_log WHERE campaign_id=?", (stream,)))
                if max(log, default=0) != seen.seq:
                    raise Violation(f"{device.name}: the page heard up to {seen.seq} of {stream}, which has {len(log)}")
                wrong = [seq for seq, kind in seen.kinds.items() if log.get(seq) != kind]
                if wrong:
                    raise Violation(
                        f"{device.name}: the page heard of {seen.kinds[wrong[0]]} as {wrong[0]} of {stream}"
                    )
