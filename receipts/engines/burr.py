"""Burr: three actions with the SQLite persister, begun where the last saved state says."""

from burr.core import ApplicationBuilder, State, action
from burr.core.persistence import SQLitePersister

from receipts import job as command
from receipts import site


def work(job: command.Job) -> None:
    @action(reads=[], writes=["text"])
    def write(state: State) -> State:
        return state.update(text=site.ask_model(job.text))

    @action(reads=["text"], writes=["answer"])
    def send(state: State) -> State:
        return state.update(answer=job.send(job.person, state["text"]))

    @action(reads=[], writes=["over"])
    def conclude(state: State) -> State:
        return state.update(over=site.ask_model("What came of it?"))

    persister = SQLitePersister(db_path=str(job.folder / "burr.db"), table_name="states")
    persister.initialize()
    app = (
        ApplicationBuilder()
        .with_actions(write, send, conclude)
        .with_transitions(("write", "send"), ("send", "conclude"))
        .with_identifiers(app_id=job.workflow)
        .initialize_from(persister, resume_at_next_action=True, default_state={}, default_entrypoint="write")
        .with_state_persister(persister)
        .build()
    )
    if "over" not in app.state:
        app.run(halt_after=["conclude"])


command.run(work)
