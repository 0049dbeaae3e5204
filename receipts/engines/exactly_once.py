"""exactly-once: the send is guarded by a key in SQLite; a plain script around it is run again from its beginning."""

from exactly_once import ProbeResult, Store, Verdict, check_then_decide, once
from exactly_once.errors import QuarantinedError

from receipts import job as command
from receipts import site


def work(job: command.Job) -> None:
    def observe(_key: str) -> ProbeResult:
        there = job.text in site.look(job.person)
        return ProbeResult(Verdict.COMMITTED, "was there") if there else ProbeResult(Verdict.NOT_COMMITTED)

    probes = job.variant == "check_then_decide"
    more = {"policy": check_then_decide(observe), "lease_ttl": 30.0} if probes else {}
    store = Store.sqlite(str(job.folder / "effects.db"))

    @once(store, key=lambda _: f"outreach:{job.workflow}", **more)
    def send(text: str) -> str:
        return site.send(job.person, text)

    text = site.ask_model(job.text)
    try:
        send(text)
    except QuarantinedError as quarantined:
        if probes:  # the lease of whoever began it has not ended yet: to be tried again later
            raise
        raise command.Asked(str(quarantined)) from quarantined
    site.ask_model("What came of it?")


command.run(work)
