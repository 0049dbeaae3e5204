"""justonce: the send is claimed by a key in SQLite; a plain script around it is run again from its beginning."""

import justonce
from justonce.stores import SqliteStore

from receipts import job as command
from receipts import site


def work(job: command.Job) -> None:
    store = SqliteStore(str(job.folder / "effects.db"))
    justonce.configure(store, on_in_flight=justonce.OnInFlight.RAISE)
    retry = job.variant != "retry_on_failure=False"

    @justonce.idempotent(key=lambda _: justonce.operation_key("outreach", job.workflow), retry_on_failure=retry)
    def send(text: str) -> str:
        return job.send(job.person, text)

    text = site.ask_model(job.text)
    try:
        send(text)
    except justonce.OperationInFlightError as claimed:
        raise command.Asked(str(claimed)) from claimed
    site.ask_model("What came of it?")


command.run(work)
