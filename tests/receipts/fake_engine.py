"""An engine whose faithfulness is its variant: it keeps one file, and its mistakes are known beforehand."""

import time

from receipts import job as command
from receipts import site


def work(job: command.Job) -> None:
    state = job.folder / job.workflow
    site.ask_model(job.text)
    if job.variant == "sends nothing":
        return
    if job.variant == "never ends":
        time.sleep(600)
    if job.variant in {"asks", "notes first"} and state.exists():
        if job.variant == "notes first" and state.read_text() == "sent":
            return
        raise command.Asked("did it arrive?")
    state.write_text("begun")
    job.send(job.person, job.text)
    state.write_text("sent")
    if job.variant == "fails":
        raise RuntimeError("a failure after the message")
    site.ask_model("What came of it?")


command.run(work)
