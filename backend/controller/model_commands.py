"""What a user decides about models: which connections there are, and which one a campaign uses."""

from dataclasses import dataclass

from backend.controller.deciding import Deciding
from backend.domain.connection import SCRIPTED, Connection, refuse_address
from backend.domain.errors import OutriderError
from backend.domain.events import WORKSPACE, Event
from backend.store import reading
from backend.store.journal import Transaction


@dataclass(frozen=True, slots=True)
class ModelCommands(Deciding):
    """Connections are the workspace's; which one proposes is each campaign's."""

    def fresh_id(self) -> str:
        """An id that no connection has."""
        return self.journal.ids.new()[-12:].lower()

    def save(self, connection: Connection) -> None:
        """Make or change a connection; nothing if it is kept like this already. Raises `model_address_refused`."""
        refuse_address(connection.base_url, plain_http=connection.plain_http)
        self._keep(connection.id, connection.model_dump_json())

    def remove(self, connection_id: str) -> None:
        """Raises `model_unknown`, and `model_in_use` while a campaign that is not over names it."""
        with self.journal.transaction() as transaction:
            if reading.model_connection(transaction.connection, connection_id) is None:
                raise OutriderError("model_unknown", connection=connection_id)
            users = transaction.connection.execute(
                "SELECT name FROM campaigns WHERE proposer=? AND proposer<>'scripted' AND status<>'completed' LIMIT 4",
                (connection_id,),
            ).fetchall()
            if users:
                raise OutriderError("model_in_use", campaigns=", ".join(f"“{name}”" for (name,) in users))
            gone = Event("ConfigChanged", reading.MODEL + connection_id, {"value": reading.GONE})
            self._record(transaction, WORKSPACE, [gone], f"remove model {connection_id}")

    def choose(self, campaign_id: str, proposer: str) -> None:
        """Which connection, or the script, proposes from the next turn on. Raises `model_unknown`."""
        with self.journal.transaction() as transaction:
            campaign = self._campaign(transaction, campaign_id)
            refuse_unknown(transaction, proposer)
            if campaign.proposer != proposer:
                chosen = Event("CampaignEdited", campaign_id, {"proposer": proposer})
                self._record(transaction, campaign_id, [chosen], f"model {proposer}")

    def _keep(self, connection_id: str, value: str) -> None:
        name = reading.MODEL + connection_id
        with self.journal.transaction() as transaction:
            before = reading.configuration(transaction.connection, name)
            if before != value:
                kind = "ConfigSet" if before is None else "ConfigChanged"
                self._record(transaction, WORKSPACE, [Event(kind, name, {"value": value})], f"set {name}")


def refuse_unknown(transaction: Transaction, proposer: str) -> None:
    """Raises `model_unknown` unless that is the script or a connection that there is."""
    if proposer != SCRIPTED and reading.model_connection(transaction.connection, proposer) is None:
        raise OutriderError("model_unknown", connection=proposer)
