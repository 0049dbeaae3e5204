"""DBOS: a workflow of three steps under a workflow id of its own, in SQLite, recovered when the process starts."""

from dbos import DBOS, SetWorkflowID

from receipts import job as command
from receipts import site


@DBOS.step()
def write(text: str) -> str:
    return site.ask_model(text)


@DBOS.step()
def send(person: str, text: str, variant: str) -> str:
    return (site.look_and_send if variant == "looks first" else site.send)(person, text)


# A model that fails is asked again, as the documentation of steps recommends.
@DBOS.step(retries_allowed=True, max_attempts=3, interval_seconds=0.2)
def conclude() -> str:
    return site.ask_model("What came of it?")


@DBOS.workflow()
def outreach(person: str, text: str, variant: str) -> None:
    send(person, write(text), variant)
    conclude()


def work(job: command.Job) -> None:
    DBOS(
        config={
            "name": "receipts",
            "system_database_url": f"sqlite:///{job.folder / 'dbos.sqlite'}",
            "run_admin_server": False,
            "log_level": "ERROR",
        }
    )
    DBOS.launch()
    with SetWorkflowID(job.workflow):
        handle = DBOS.start_workflow(outreach, job.person, job.text, job.variant)
    handle.get_result()
    DBOS.destroy()


command.run(work)
